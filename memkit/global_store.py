"""The store beside this one: global memories lie in a file of their own."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from .memories.memories import Memories


class _Opened(Protocol):
    """What is opened."""

    @property
    def memories(self) -> Memories:
        """What it remembers."""
        ...

    def close(self) -> None:
        """Close it."""


Kit = TypeVar("Kit", bound=_Opened)
Kit_co = TypeVar("Kit_co", covariant=True)


class _Opener(Protocol[Kit_co]):
    def __call__(self, path: Path, *, readonly: bool) -> Kit_co: ...


class GlobalStore(Generic[Kit]):
    """A second store. It is read if it is there, and made when it is first written to."""

    def __init__(self, path: Path | None, opened: _Opener[Kit]) -> None:
        """`path` None: there is none. `opened(path, readonly=…)` opens it."""
        self._path = path
        self._open = opened
        self._kit: Kit | None = None
        self._former: Kit | None = None
        self._is_written = False
        self._lock = threading.RLock()

    @property
    def is_named(self) -> bool:
        """Whether there is, or is to be, such a store."""
        return self._path is not None

    def memories(self, *, writes: bool = False) -> Memories | None:
        """Return what the store remembers; None if there is none. For writing it is made."""
        kit = self.writer() if writes else self.reader()
        return None if kit is None else kit.memories

    def reader(self) -> Kit | None:
        """Return the store, opened only for reading unless it is open already; None if there is no
        such file."""
        with self._lock:
            if self._kit is None and self._path is not None and self._path.exists():
                self._kit = self._open(self._path, readonly=True)
            return self._kit

    def writer(self) -> Kit | None:
        """Return the store opened for writing, made if it is not there; None if there is none."""
        with self._lock:
            if self._path is not None and not self._is_written:
                # One that reads stays open: another thread may be in the midst of a question.
                self._former = self._kit
                self._path.parent.mkdir(parents=True, exist_ok=True)
                self._kit = self._open(self._path, readonly=False)
                self._is_written = True
            return self._kit

    def close(self) -> None:
        """Close it, if it was opened."""
        with self._lock:
            opened = (self._kit, self._former)
            self._kit, self._former, self._is_written = None, None, False
        for kit in opened:
            if kit is not None:
                kit.close()

"""The file as it lies open: one connection, opened again whenever the file is no longer the
same."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from .. import arguments
from ..errors import (
    MemkitError,
    NotAMemkitFile,
    StoreDamaged,
    StoreError,
    StoreMoved,
    StoreReadOnly,
)
from . import forking, times
from .faults import mapped, translated
from .lifecycle import Opened, identity, open_file
from .waiting import wait_for_others

# How long a call waits for another process before StoreBusy, in seconds.
BUSY_TIMEOUT = 10.0
# The same where an answer can do without what would be written.
MOMENT = 0.1
# A single query that runs longer than this is stopped: no stored text may stall the caller.
QUERY_SECONDS = 60.0
# How long a file that another program is replacing is waited for, in seconds, and between looks.
REOPEN_SECONDS = 1.0
_REOPEN_PAUSE = 0.02


class OpenFile:
    """One open file. Safe to use from several threads; a forked child opens its own connection.

    Attributes:
        generation: how often it was opened again.
        depth: transactions under way, one inside the other; the connection is kept while any is.
    """

    def __init__(
        self, path: Path, *, readonly: bool, clock: Callable[[], float], busy_timeout: float
    ) -> None:
        self.path = path.parent.resolve() / path.name
        self.readonly = arguments.boolean(readonly, name="readonly")
        self.clock = arguments.callback(clock, name="clock") or time.time
        self.lock = threading.RLock()
        self.generation = 0
        self.depth = 0
        self.is_closed = False
        self.busy_timeout = arguments.seconds(busy_timeout, name="busy_timeout")
        self._deadline = float("inf")
        self._opened = self._open()
        self._connection: apsw.Connection | None = self._opened.connection
        forking.watch(self)

    @property
    def is_copy(self) -> bool:
        """Whether the connection is to a copy in memory that was brought up to date."""
        return self._opened.is_copy

    @property
    def vector_note(self) -> str | None:
        """Why vector search is not available, or None."""
        return self._opened.vector_note

    @contextmanager
    def use(self) -> Iterator[apsw.Connection]:
        """Give the connection for a few statements; SQLite's errors become memkit's."""
        with self.lock, mapped(self.path, waited=self.busy_timeout):
            yield self.ready()

    def told(self, error: Exception) -> MemkitError:
        """Return what one of FAULTS means for this file."""
        return translated(error, self.path, waited=self.busy_timeout)

    def refusal(self) -> StoreReadOnly:
        """Return the error of a write to a file that is open for reading only."""
        return StoreReadOnly(
            f"{self.path}: is open for reading only; asked so, or file and folder let no more: "
            "see 'memkit doctor', or copy the file to where it may be written"
        )

    def ready(self) -> apsw.Connection:
        """Return the connection for one query, opened again if the file was replaced meanwhile."""
        if self.is_closed:
            raise StoreError(f"{self.path}: the store is closed; open it again")
        connection = self._connection
        if connection is None or not (self.depth or connection.in_transaction):
            if connection is None or self.is_moved():
                self.reopen()
            connection = self._opened.connection
        self._deadline = time.monotonic() + QUERY_SECONDS
        return connection

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """Wait for other processes no longer than a moment inside."""
        with self.lock:
            least = min(self.busy_timeout, MOMENT)
            wait_for_others(self.ready(), least)
            try:
                yield
            finally:
                wait_for_others(self.ready(), self.busy_timeout)

    def is_moved(self) -> bool:
        """Whether another program has put another file in the place of the open one."""
        return identity(self.path, content=self.is_copy) != self._opened.identity

    def reopen(self) -> None:
        """Open the file again, as it lies on the disk now.

        Another program may be in the middle of replacing it: a file that is not there or not whole
        is waited for, and never made. Raises StoreMoved if it does not come.
        """
        with self.lock:
            patience = time.monotonic() + REOPEN_SECONDS
            while not self._reopened(last=time.monotonic() > patience):
                time.sleep(_REOPEN_PAUSE)

    def leave_to_parent(self) -> object:
        """Let go of the connection in a forked child; the next call opens its own."""
        left, self._connection = self._connection, None
        self.lock = threading.RLock()
        self.depth = 0
        return left

    def close(self) -> None:
        """Close the file; nothing is left beside it. Closing twice is harmless."""
        with self.lock:
            if self._connection is not None:
                self._connection.close(force=True)
            self._connection = None
            self.is_closed = True

    def _open(self) -> Opened:
        opened = open_file(
            self.path,
            readonly=self.readonly,
            busy_timeout=self.busy_timeout,
            now=lambda: times.from_epoch(self.clock()),
            overdue=lambda: time.monotonic() > self._deadline,
        )
        self.readonly = opened.readonly
        return opened

    def _reopened(self, *, last: bool) -> bool:
        there = identity(self.path, content=True)
        try:
            if there is None or not there[-1]:
                raise StoreMoved(
                    f"{self.path}: the file was removed; put it back, or open it anew to begin "
                    "an empty one"
                )
            opened = self._open()
        except (StoreMoved, NotAMemkitFile, StoreDamaged):
            if last:
                raise
            return False
        old, self._connection, self._opened = self._connection, opened.connection, opened
        self.generation += 1
        if old is not None:
            old.close(force=True)
        return True

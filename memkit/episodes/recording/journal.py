"""Recording alone: what a hook needs, without the questions, so that it starts quickly."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ... import arguments
from ...errors import StoreError
from ...store.connection import Store
from ...store.times import When
from ..places import Places, branch_of
from .buffer import BRIEFLY, Buffer
from .recorder import Recorder
from .recording import Session
from .reporting import Reporter

if TYPE_CHECKING:
    from ..records import Recorded, TaskRecord
    from .writing import Event


# How long closing tries in vain once the file was free, in seconds: others may be quicker.
AT_THE_END = 2.0


class Journal:
    """Writes what an agent does into a store. Nothing here raises because of the file."""

    def __init__(
        self,
        store: Store,
        *,
        project: str = "",
        root: Path | None = None,
        wait: float = BRIEFLY,
    ) -> None:
        """`root` is the folder that stored paths are relative to; None is that of the file. `wait`:
        seconds that one try waits for another process; who does nothing beside may wait long."""
        self._store = store
        self._wait = wait
        self._project = project
        self._buffer = Buffer(self._second)
        self._root = root or store.path.parent
        self._reporter = Reporter(self._recorder(self._root))

    def session(
        self,
        name: str | None = None,
        *,
        agent: str | None = None,
        branch: str | None = None,
        commit: str | None = None,
        root: str | os.PathLike[str] | None = None,
        batch: int = 1,
        at: When | None = None,
    ) -> Session:
        """Begin a session, or go on with the one of that name; see `Memkit.session`."""
        place = self._root if root is None else arguments.path(root, name="root")
        found = branch_of(place) if branch is None and commit is None else (branch, commit)
        recorder = self._recorder(place)
        return Session(
            recorder,
            name or recorder.new_name("s"),
            batch=max(arguments.integer(batch, name="batch", least=0), 1),
            about={"agent": agent, "branch": found[0], "commit": found[1], "at": at},
            unfinished=self._unfinished,
        )

    def record(self, event: Mapping[str, Any]) -> Recorded:
        """Record one event given as a dictionary; see `Episodes.record`."""
        return self._reporter.record(event)

    def record_many(
        self, events: Iterable[Mapping[str, Any]], *, patience: float = 0.0
    ) -> list[Recorded]:
        """Record events in few transactions; see `Episodes.record_many`."""
        arguments.seconds(patience, name="patience")
        given = [self._given(event) for event in arguments.iterable(events, name="events")]
        self._buffer.flush(patience=patience)
        return [self._became(first, made) for first, made in given]

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` in seconds."""
        arguments.seconds(patience, name="patience")
        return self._buffer.flush(patience=patience) if self._buffer.waiting else 0

    @property
    def has_written(self) -> bool:
        """Whether any event was written."""
        return self._buffer.has_written

    @property
    def has_ended(self) -> bool:
        """Whether an event ended a turn or session: whoever records has a moment now."""
        return self._reporter.has_ended

    def state(self) -> dict[str, Any]:
        """Return how many events wait to be written, why, and why others were lost."""
        return {
            "waiting": self._buffer.waiting,
            "trouble": self._buffer.trouble,
            "dropped": dict(self._buffer.dropped),
        }

    def close(self, *, patience: float | None = None) -> int:
        """Write what waits and let go of the file; return how many events are lost because it was
        not to be had for `patience` seconds (None: as long as the store waits for others)."""
        if patience is None:
            patience = self._waited() if self.flush(patience=BRIEFLY) else 0.0
        return self._buffer.close(patience=patience)

    # -- inside

    def _given(self, event: Mapping[str, Any]) -> tuple[Recorded, list[Event]]:
        made: list[Event] = []
        return self._reporter.record(event, at_once=False, made=made), made

    def _became(self, first: Recorded, made: list[Event]) -> Recorded:
        """Return what became of an event by now, given what was said at first."""
        if not made:
            return first
        return made[0].result or attrs.evolve(first, reason=self._buffer.trouble or first.reason)

    def _waited(self) -> float:
        """Wait until the store may be written; return for how many seconds to try then."""
        try:
            self._store.write(lambda: None)
        except StoreError:
            return 0.0
        return AT_THE_END

    def _recorder(self, root: Path) -> Recorder:
        return Recorder(
            self._buffer,
            Places(root),
            self._store.clock,
            project=self._project,
            refusal=self._refusal,
        )

    def _refusal(self) -> str | None:
        """Return why nothing can be recorded now, or None."""
        if self._store.is_closed:
            return f"{self._store.path}: the store is closed; open it again"
        return f"{self._store.path}: opened read-only" if self._store.readonly else None

    def _second(self) -> Store:
        """Open the file once more: recording must not wait for what else this process does."""
        return Store(self._store.path, clock=self._store.clock, busy_timeout=self._wait)

    def _unfinished(self, session: str) -> list[TaskRecord]:
        from ..questions.history import History

        self.flush()
        history = History(self._store, Places(self._root), project=self._project)
        return history.unfinished(but_session=session)

"""`kit.episodes`: what was done, what came of it, and the questions about it. Wiring only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..store.connection import Store
from ..store.times import When
from . import removing, retention
from .buffer import BRIEFLY, Buffer
from .foresight import Foresight
from .history import History
from .holding import Held, Holding
from .lessons import Lessons
from .places import Places, branch_of
from .recorder import Recorder
from .recording import Session
from .reporting import Reporter
from .similar import Similar

if TYPE_CHECKING:
    from ..encoder import Encoder
    from .learning import Workflow
    from .records import Recorded, TaskRecord
    from .signals import Surroundings


class Episodes:
    """Records what an agent does and answers what was done before.

    Attributes: `history` (files, tasks, calls), `lessons` (errors, attempts) and `similar` hold the
    questions; the usual ones are methods here too.
    """

    def __init__(
        self,
        store: Store,
        *,
        project: str = "",
        root: Path | None = None,
        encoder: Callable[[], Encoder | None] = lambda: None,
        surroundings: Surroundings | None = None,
        keep: Callable[[Workflow], object] = lambda workflow: None,
    ) -> None:
        """`root` is the folder that stored paths are relative to; None is that of the file.
        `surroundings` asks others about code and memories, `keep` takes workflows that were learnt.
        """
        self._store = store
        self._project = project
        self._buffer = Buffer(self._second)
        self._root = root or store.path.parent
        self._reporter = Reporter(self._recorder(self._root))
        places = Places(self._root)
        self.history = History(store, places, project=project, before_reading=self._write_waiting)
        self.lessons = Lessons(self.history)
        self.similar = Similar(self.history, encoder)
        # The usual questions; each is explained where it is made.
        self.worked_on = self.history.worked_on
        self.edited_together = self.history.edited_together
        self.last_with = self.history.last_with
        self.timeline = self.history.timeline
        self.hot_files = self.history.hot_files
        self.calls = self.history.calls
        self.tool_stats = self.history.tool_stats
        self.working_on = self.history.working_on
        self.tasks = self.history.tasks
        self.task = self.history.task
        self.sessions = self.history.sessions
        self.errors_seen = self.lessons.errors_seen
        self.failed_attempts = self.lessons.failed_attempts
        self.session_summary = self.lessons.session_summary
        self.similar_tasks = self.similar.similar_tasks
        self.foresight = Foresight(
            self.history,
            self.lessons,
            self.similar,
            root=self._root,
            surroundings=surroundings,
            keep=keep,
        )
        self.mine = self.foresight.mine
        self.learn = self.foresight.learn
        self.patterns = self.foresight.patterns
        self.learnings = self.foresight.learnings
        self.predict = self.foresight.predict
        self.notice = self.foresight.notice
        self.owners = self.foresight.owners

    def held(self, session: str, tool: str, parameters: Mapping[str, Any]) -> Held | None:
        """Return what a session holds already of that which a call would bring, or None: then the
        call is needed. See memkit/episodes/holding.py."""
        return Holding(self.history).held(session, tool, parameters)

    # -- recording

    def session(
        self,
        name: str | None = None,
        *,
        agent: str | None = None,
        branch: str | None = None,
        commit: str | None = None,
        root: str | Path | None = None,
        batch: int = 1,
        at: When | None = None,
    ) -> Session:
        """Begin a session, or go on with the one of that name; use it with `with`.

        `branch` and `commit` are read from .git if they are not given. `root` is the folder paths
        are relative to. With `batch` above 1 that many events are written together: faster, and
        the last ones are lost if the process is killed. Never raises because of the file.
        """
        place = self._root if root is None else Path(root)
        found = branch_of(place) if branch is None and commit is None else (branch, commit)
        recorder = self._recorder(place)
        return Session(
            recorder,
            name or recorder.new_name("s"),
            batch=max(batch, 1),
            about={"agent": agent, "branch": found[0], "commit": found[1], "at": at},
            unfinished=self._unfinished,
        )

    def record(self, event: Mapping[str, Any]) -> Recorded:
        """Record one event given as a dictionary; see memkit/episodes/reporting.py for its keys.

        Never raises and never waits for a busy file: what became of it is returned.
        """
        return self._reporter.record(event)

    def record_many(self, events: Iterable[Mapping[str, Any]]) -> list[Recorded]:
        """Record events in few transactions; return what became of each, in their order."""
        done = [self._reporter.record(event, at_once=False) for event in events]
        self._buffer.flush()
        return done

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` in seconds."""
        return self._buffer.flush(patience=patience)

    # -- upkeep

    def trim(
        self, *, days: float = retention.DAYS, most: Mapping[str, int] | None = None
    ) -> retention.Trimmed:
        """Remove raw rows that are old or too many; see memkit/episodes/retention.py."""
        self._buffer.flush()
        return retention.trim(self._store, days=days, most=most)

    def purge(self, *, session: str | None = None, task: str | None = None) -> int:
        """Delete a session or a task with everything recorded of it, for good; return how many
        rows. Raises NotFound or InvalidInput."""
        self._buffer.flush()
        return removing.purge(self._store, session=session, task=task)

    def stats(self) -> dict[str, Any]:
        """Return numbers of rows, what waits to be written, and why events were lost."""
        counts = self.history.store.records("episodes.counts")[0]
        return {
            **counts,
            "waiting": self._buffer.waiting,
            "trouble": self._buffer.trouble,
            "dropped": dict(self._buffer.dropped),
        }

    def close(self) -> None:
        """Write what waits, for at most two seconds, and let go of the file."""
        self._buffer.close()

    # -- inside

    def _recorder(self, root: Path) -> Recorder:
        refusal = f"{self._store.path}: opened read-only" if self._store.readonly else None
        return Recorder(
            self._buffer, Places(root), self._store.clock, project=self._project, refusal=refusal
        )

    def _second(self) -> Store:
        """Open the file once more: recording must not wait for what else this process does."""
        return Store(self._store.path, clock=self._store.clock, busy_timeout=BRIEFLY)

    def _unfinished(self, session: str) -> list[TaskRecord]:
        return self.history.unfinished(but_session=session)

    def _write_waiting(self) -> None:
        if self._buffer.waiting:
            self._buffer.flush()

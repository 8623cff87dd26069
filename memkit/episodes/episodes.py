"""`kit.episodes`: what was done, what came of it, and the questions about it. Wiring only."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import arguments
from ..errors import StoreError
from . import removing
from .foresight import Foresight
from .history import History
from .holding import Held, Holding
from .journal import Journal
from .lessons import Lessons
from .places import Places
from .similar import Similar

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..store.connection import Store
    from .learning import Workflow
    from .signals import Surroundings


class Episodes:
    """Records what an agent does and answers what was done before.

    Attributes: `journal` records; `history` (files, tasks, calls), `lessons` (errors, attempts) and
    `similar` hold the questions. What is usual is a method here too, explained where it is made.
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
        place = root or store.path.parent
        self.journal = Journal(store, project=project, root=place)
        self.session = self.journal.session
        self.record = self.journal.record
        self.record_many = self.journal.record_many
        self.flush = self.journal.flush
        self.history = History(
            store, Places(place), project=project, before_reading=self.journal.flush
        )
        self.lessons = Lessons(self.history)
        self.similar = Similar(self.history, encoder)
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
            self.history, self.lessons, self.similar, place, surroundings=surroundings, keep=keep
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
        asked = arguments.text(session, name="session"), arguments.text(tool, name="tool")
        return Holding(self.history).held(*asked, arguments.mapping(parameters, name="parameters"))

    # -- upkeep

    def purge(self, *, session: str | None = None, task: str | None = None) -> int:
        """Delete a session or a task with everything recorded of it, for good; return how many
        rows. Raises NotFound or InvalidInput."""
        self.flush()
        return removing.purge(self._store, session=session, task=task)

    def stats(self) -> dict[str, Any]:
        """Return numbers of rows, what waits to be written, and why events were lost."""
        counts = self.history.store.records("episodes.counts")[0]
        return counts | self.journal.state()

    def close(self) -> None:
        """Write what waits, for which the file is waited for as long as the store does, learn from
        the tasks that ended, and let go of the file. What is lost is warned of, not raised: an
        agent must not fail because its memory does."""
        lost = self.journal.close()
        if lost:
            why = self.journal.state()["trouble"]
            warnings.warn(f"events that are lost: {lost}; {why}", RuntimeWarning, stacklevel=3)
        elif not self._store.readonly:
            with suppress(StoreError):  # the next session learns it
                self.learn()

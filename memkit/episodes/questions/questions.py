"""What can be asked about what was done: the reading half of `kit.episodes`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ... import arguments
from ..kinds import LearningType, PatternType, Status
from ..patterns.patterns import Patterns
from ..places import Places
from ..predictions.predicting import Predictor
from ..predictions.signals import Surroundings, spelt
from .history import CO_EDIT_SECONDS, History
from .holding import Holding
from .lessons import Lessons
from .similar import Similar

if TYPE_CHECKING:
    from ...encoder import Encoder
    from ...store.connection import Store
    from ...store.times import When
    from ..answers import (
        Attempt,
        CoEdit,
        FileEvent,
        HotFile,
        Owner,
        SeenError,
        SimilarTask,
        Summary,
        ToolStats,
        Worked,
    )
    from ..patterns.records import Learning, Pattern
    from ..predictions.signals import Forecast, Signal
    from ..records import Execution, Interaction, SessionRecord, TaskRecord
    from .holding import Held


class Questions:
    """Answers for one project; each answer knows everything that was recorded so far.

    Times are given in any form ("last week", ISO 8601, seconds since 1970); a path counts from the
    folder of the file. What means nothing is InvalidInput.
    """

    def __init__(
        self,
        store: Store,
        root: Path,
        *,
        project: str,
        encoder: Callable[[], Encoder | None],
        surroundings: Surroundings | None,
        before_reading: Callable[[], object],
    ) -> None:
        """`before_reading` writes what waits to be written."""
        self._history = History(store, Places(root), project=project, before_reading=before_reading)
        self._lessons = Lessons(self._history)
        self._similar = Similar(self._history, encoder)
        self._patterns = Patterns(store, project=project)
        self._predictor = Predictor(
            self._history,
            self._lessons,
            self._similar,
            self._patterns,
            surroundings=spelt(surroundings or Surroundings()),
        )

    # -- tasks and sessions

    def working_on(self, *, limit: int = 20) -> list[TaskRecord]:
        """Return the tasks that are active or paused, the one begun last first: "what was I
        working on?"."""
        return self._history.working_on(limit=limit)

    def tasks(
        self,
        *,
        session: str | None = None,
        status: Status | str | None = None,
        since: When | None = None,
        limit: int = 20,
    ) -> list[TaskRecord]:
        """Return tasks, the one begun last first."""
        return self._history.tasks(session=session, status=status, since=since, limit=limit)

    def task(self, name: str) -> TaskRecord:
        """Return the task of a name; raises NotFound."""
        return self._history.task(name)

    def sessions(self, *, limit: int = 20) -> list[SessionRecord]:
        """Return sessions, newest first."""
        return self._history.sessions(limit=limit)

    def similar_tasks(
        self, text: str, *, limit: int = 5, commits: bool = True
    ) -> list[SimilarTask]:
        """Return tasks (and commits) whose description or outcome is like a text, best first;
        nothing if none is."""
        return self._similar.similar_tasks(text, limit=limit, commits=commits)

    def session_summary(self, session: str | None = None, *, limit: int = 5) -> Summary:
        """Return what a fresh start should know: unfinished tasks, what was done last (by one
        session, if it is named), errors nothing fixed yet, the files most worked on."""
        return self._lessons.session_summary(session, limit=limit)

    # -- calls and errors

    def calls(
        self,
        text: str | None = None,
        *,
        session: str | None = None,
        task: str | None = None,
        tool: str | None = None,
        success: bool | None = None,
        since: When | None = None,
        limit: int = 20,
    ) -> list[Execution]:
        """Return calls of tools, newest first. All words of `text` occur in their tool, parameters,
        output or error."""
        return self._history.calls(
            text, session=session, task=task, tool=tool, success=success, since=since, limit=limit
        )

    def tool_stats(
        self, *, since: When | None = None, until: When | None = None, tool: str | None = None
    ) -> list[ToolStats]:
        """Return calls, success rate and mean duration (ms) of each tool in a period, the most used
        first; without `since` ever since."""
        return self._history.tool_stats(since=since, until=until, tool=tool)

    def errors_seen(
        self, error: str | None = None, *, since: When | None = None, limit: int = 10
    ) -> list[SeenError]:
        """Return faults seen before, the newest first, with what fixed them.

        `error` is a message or a whole output: the same fault first, else those that contain all of
        its words. None is every fault. A fix is the next call of the same command that passed, in
        that session or else in a later one, with the changes before it.
        """
        return self._lessons.errors_seen(error, since=since, limit=limit)

    def failed_attempts(
        self, path: str | None = None, *, error: str | None = None, limit: int = 10
    ) -> list[Attempt]:
        """Return what was tried before and did not work, newest first: changes of a file (or those
        that ended in an error) after which the next check failed or that were refused, tasks that
        failed, commits that were taken back. Give a path or an error."""
        return self._lessons.failed_attempts(path, error=error, limit=limit)

    def held(self, session: str, tool: str, parameters: Mapping[str, object]) -> Held | None:
        """Return what a session holds already of that which a call would bring, or None: then the
        call is needed. See memkit/episodes/questions/holding.py."""
        asked = arguments.text(session, name="session"), arguments.text(tool, name="tool")
        return Holding(self._history).held(*asked, arguments.mapping(parameters, name="parameters"))

    # -- files

    def worked_on(self, path: str, *, limit: int = 5) -> Worked:
        """Return whether a file was worked on before: counts, and its newest interactions.
        Commits that changed it are counted too."""
        return self._history.worked_on(path, limit=limit)

    def edited_together(
        self,
        path: str | None = None,
        *,
        within: float = CO_EDIT_SECONDS,
        since: When | None = None,
        least: int = 1,
        limit: int = 10,
    ) -> list[CoEdit]:
        """Return files that were changed within so many seconds of each other in one task, or by
        one commit, and in how many, the most frequent pair first; with `path` those that go with
        it."""
        return self._history.edited_together(
            path, within=within, since=since, least=least, limit=limit
        )

    def last_with(self, text: str, *, limit: int = 10) -> list[Interaction]:
        """Return what was last done with files whose path, reason or change contains a text: "what
        did I last do with auth code?". Newest first."""
        return self._history.last_with(text, limit=limit)

    def timeline(self, path: str, *, limit: int = 50) -> list[FileEvent]:
        """Return what happened to a file, newest first, under its former names too: interactions
        and commits, and what gave it another name."""
        return self._history.timeline(path, limit=limit)

    def hot_files(self, *, since: When | None = None, limit: int = 10) -> list[HotFile]:
        """Return files by how often they were changed, then worked on."""
        return self._history.hot_files(since=since, limit=limit)

    def owners(self, path: str) -> list[Owner]:
        """Return who changed a file (or the files of a folder, "src/"), with their shares of the
        changes, newer ones counting more; the greatest first."""
        return self._predictor.owners(path)

    def paths_like(self, path: str, *, limit: int = 10) -> list[str]:
        """Return files in folders that are called as this one, those worked on last first."""
        return self._history.paths_like(path, limit=limit)

    def stored_path(self, path: str) -> str:
        """Return a path as it is stored, from the root of the repository on."""
        return self._history.stored_path(path)

    # -- what goes together, and what comes next

    def patterns(
        self,
        kind: PatternType | str | None = None,
        path: str | None = None,
        *,
        active: bool | None = True,
        limit: int = 50,
    ) -> list[Pattern]:
        """Return patterns, the surest first: of a kind (co-edit, error-fix, refactor, sequence,
        workflow), about a file. `active` False gives those turned off, None both."""
        stored = None if path is None else self.stored_path(path)
        return self._patterns.find(kind, stored, active=active, limit=limit)

    def pattern(self, pattern_id: int) -> Pattern:
        """Return one pattern with its evidence; raises NotFound."""
        return self._patterns.get(arguments.integer(pattern_id, name="pattern_id"))

    def learnings(
        self,
        kind: LearningType | str | None = None,
        key: str | None = None,
        *,
        active: bool | None = True,
        limit: int = 50,
    ) -> list[Learning]:
        """Return what sessions taught, the surest first: of a kind (file_purpose, common_error,
        workflow), about a path, error or workflow."""
        return self._patterns.learnings(kind, key, active=active, limit=limit)

    def predict(self, signal: Signal | str, *, limit: int = 5) -> Forecast:
        """Return what a signal foretells: at most `limit` files, symbols, memories, patterns and
        workflows each, with their confidence and reasons. A text is a file that was opened.

        With a session, what is foretold is remembered, and the weights learn from what comes true.
        """
        return self._predictor.predict(signal, limit=limit)

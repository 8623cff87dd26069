"""Episodes facade."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import validation
from ..errors import StoreError
from ..redaction import clean_text, redact
from ..validation import Progress
from . import integrity
from .failures import Lessons
from .git_history import MOST_COMMITS, Miner
from .history import CO_EDIT_SECONDS, History, Similar
from .paths import Places
from .pattern_mining import Learner
from .patterns import Patterns
from .predictions import Surroundings, spelt
from .predictions.predictor import Predictor
from .recording.session import Journal
from .records import LearningType, PatternType, Status
from .redundant_calls import Holding
from .results import EpisodeStats

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..store.store import Store
    from ..store.timestamps import When
    from .git_history import Mined
    from .patterns import Learning, Learnt, Pattern, Workflow
    from .predictions import Forecast, Signal
    from .records import Execution, Interaction, Recorded, SessionRecord, TaskRecord
    from .redundant_calls import Held
    from .results import (
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


# --- What can be asked about what was done: the reading half of `kit.episodes`.


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
        call is needed. See memkit/episodes/redundant_calls.py."""
        names = validation.text(session, name="session"), validation.text(tool, name="tool")
        return Holding(self._history).held(
            *names, validation.mapping(parameters, name="parameters")
        )

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
        min_count: int = 1,
        limit: int = 10,
    ) -> list[CoEdit]:
        """Return files that were changed within so many seconds of each other in one task, or by
        one commit, and in how many, the most frequent pair first; with `path` those that go with
        it."""
        return self._history.edited_together(
            path, within=within, since=since, min_count=min_count, limit=limit
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
        return self._patterns.get(validation.integer(pattern_id, name="pattern_id"))

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


# --- `kit.episodes`: what was done, what came of it, and the questions about it. Wiring only.


class Episodes(Questions):
    """Records what an agent does, learns from it, and answers what was done before."""

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
        place = root or store.path.parent
        self._journal = Journal(store, project=project, root=place)
        super().__init__(
            store,
            place,
            project=project,
            encoder=encoder,
            surroundings=surroundings,
            before_reading=self._journal.flush,
        )
        self._store = store
        self._root = place
        self._miner = Miner(store, project=project)
        self._learner = Learner(store, self._patterns, project=project, keep=keep)

    # -- recording; `kit.session()` begins a session

    def record(self, event: Mapping[str, object]) -> Recorded:
        """Record one event given as a dictionary.

        What coding agents pass to their hooks is taken as it is (told by `hook_event_name`): a call
        that was made, with its files, is recorded, one that is only announced is not; a prompt
        begins a task; the end of a turn completes it and ends the session. Other hooks are ignored.

        Otherwise `event` says what it is; without it, that is told from the keys:

        - session: agent, branch, commit. end: summary.
        - task: description, task (its name), parent. It completes the one before, unless it has a
          parent. finish, fail, pause, resume: outcome, error.
        - tool: tool, parameters, output, result, success, error, exit_code, duration_ms,
          context_tokens, call_id, files (paths, or dictionaries as for file).
        - file: path, operation (read, write, edit, search, analyze, delete, rename), line_range,
          success, context, changes, previous_path, content_hash.
        - snapshot: items, total_tokens, pruned, reason.

        Each also takes session, task (else the session's task under way) and at (else now). Names
        that hooks and tables have for these keys are understood: session_id, tool_name, tool_input,
        tool_response, tool_use_id, file_path, timestamp and others. A call_id that is known is not
        recorded twice; if nothing was told of what came of it, that is completed.

        Never raises and never waits for a busy file: what became of it is returned.
        """
        return self._journal.record(event)

    def record_many(
        self, events: Iterable[Mapping[str, object]], *, patience: float = 0.0
    ) -> list[Recorded]:
        """Record events in few transactions; return what became of each, in their order.

        A busy file is waited for `patience` seconds at most; what waits still is `kept`.
        """
        return self._journal.record_many(events, patience=patience)

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` in seconds."""
        return self._journal.flush(patience=patience)

    def notice(
        self,
        session: str,
        output: str,
        *,
        tool: str = "",
        parameters: Mapping[str, object] | None = None,
    ) -> int:
        """Remember the paths that an output of a session names; return how many.

        What a search found or a listing showed is often opened next. `tool` and `parameters` of
        the call tell from which folder its paths count.
        """
        return self._predictor.notice(session, output, tool=tool, parameters=parameters)

    # -- learning

    def mine(
        self,
        root: str | Path | None = None,
        *,
        limit: int = MOST_COMMITS,
        progress: Progress | None = None,
    ) -> Mined:
        """Read what is new in git's log into the store, at most `limit` commits; say what there is.

        `root` is a folder of the repository; None is the one that stored paths are relative to.
        Where there is no git or no commit, the notes say so. `progress` takes commits read and the
        limit. Raises InvalidInput.
        """
        place = self._root if root is None else validation.path(root, name="root")
        tell = validation.callback(progress, name="progress")
        self.flush()
        done = self._miner.mine(place, limit=limit, progress=tell)
        if done.commits or done.dropped:
            self._learner.mined()
            self._predictor.practise()
        return done

    def learn(self, *, everything: bool = False) -> Learnt:
        """Learn patterns and learnings from the tasks that ended since the last time.

        With `everything`, those that are still under way too.
        """
        self.flush()
        return self._learner.learn(everything=everything)

    def turn_pattern(self, pattern_id: int, *, on: bool, reason: str | None = None) -> Pattern:
        """Turn a pattern off (it stays off when it is seen again) or on; return it. Raises
        NotFound."""
        number = validation.integer(pattern_id, name="pattern_id")
        return self._patterns.turn(number, **_turned(on=on, reason=reason))

    def turn_learning(self, learning_id: int, *, on: bool, reason: str | None = None) -> None:
        """Turn a learning off or on; raises NotFound."""
        number = validation.integer(learning_id, name="learning_id")
        self._patterns.turn_learning(number, **_turned(on=on, reason=reason))

    # -- upkeep

    def purge(self, *, session: str | None = None, task: str | None = None) -> int:
        """Delete a session or a task with everything recorded of it, for good; return how many
        rows. Raises NotFound or InvalidInput."""
        self.flush()
        return integrity.purge(self._store, session=session, task=task)

    def stats(self) -> EpisodeStats:
        """Return numbers of rows, what waits to be written, and why events were lost."""
        counts = self._history.reading().records("episodes.counts")[0]
        return EpisodeStats(**counts, **self._journal.state())

    def close(self) -> None:
        """Write what waits, for which the file is waited for as long as the store does, learn from
        the tasks that ended, and let go of the file. What is lost is warned of, not raised: an
        agent must not fail because its memory does."""
        lost = self._journal.close()
        if lost:
            why = self._journal.state()["trouble"]
            warnings.warn(f"events that are lost: {lost}; {why}", RuntimeWarning, stacklevel=3)
        elif not self._store.readonly:
            with suppress(StoreError):  # the next session learns it
                self.learn()


def _turned(*, on: bool, reason: str | None) -> dict[str, Any]:
    """Return the arguments of a turn, each of its sort, the reason without secrets."""
    why = None if reason is None else clean_text(validation.text(reason, name="reason"))
    safe = None if why is None else redact(why).text
    return {"on": validation.boolean(on, name="on"), "reason": safe}

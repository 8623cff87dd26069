"""Episodes facade."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..errors import InvalidInput, StoreError
from ..redaction import clean_text, redact
from ..validation import Progress
from . import integrity
from .failures import Failures
from .history import EpisodeReader, Similar
from .paths import RepositoryPaths
from .pattern_mining import Learner
from .patterns import Learning, Pattern, Patterns
from .predictions import Surroundings, spelt
from .recording.session import Recording
from .records import MAX_COMMITS, LearningType, PatternType
from .results import EpisodeStats

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..store.store import Store
    from .git_history import Miner, MineReport
    from .patterns import LearnReport
    from .predictions import PredictionResult, Signal
    from .predictions.predictor import Predictor
    from .records import RecordResult
    from .redundant_calls import RedundantCall
    from .results import FileOwner, SessionSummary, SimilarTask
    from .workflows import Workflow


# --- `kit.episodes`: what was done, what came of it, and the questions about it. Wiring only.


class Episodes(Failures):
    """Records what an agent does, learns from it, and answers what was done before.

    Each answer knows everything that was recorded so far. Times are given in any form ("last week",
    ISO 8601, seconds since 1970); a path counts from the folder of the file. What means nothing is
    InvalidInput.
    """

    def __init__(
        self,
        store: Store,
        *,
        project: str = "",
        root: Path | None = None,
        encoder: Callable[[], Encoder | None] = lambda: None,
        surroundings: Surroundings | None = None,
        keep: Callable[[Sequence[Workflow]], object] = lambda workflows: None,
    ) -> None:
        """`root` is the folder that stored paths are relative to; None is that of the file.
        `surroundings` asks others about code and memories, `keep` takes what workflows there are.
        """
        folder = root or store.path.parent
        self._recording = Recording(store, project=project, root=folder)
        flush = self._recording.flush
        reader = EpisodeReader(
            store, RepositoryPaths(folder), project=project, before_reading=flush
        )
        super().__init__(reader)
        self._similar = Similar(reader, encoder)
        self._patterns = Patterns(store, project=project)
        self._around = spelt(surroundings or Surroundings())
        self._store = store
        self._root = folder
        self._project = project
        self._learner = Learner(store, self._patterns, project=project, keep=keep)

    # Made when they are asked: a hook that tells where a session stands waits for every module.

    @cached_property
    def _predictor(self) -> Predictor:
        from .predictions.predictor import Predictor

        known = (self._reader, self._lessons, self._similar, self._patterns)
        return Predictor(*known, surroundings=self._around)

    @cached_property
    def _miner(self) -> Miner:
        from .git_history import Miner

        return Miner(self._store, project=self._project)

    # -- recording; `kit.session()` begins a session

    def record(self, event: Mapping[str, object]) -> RecordResult:
        """Record one event given as a dictionary.

        What coding agents pass to their hooks is taken as it is (told by `hook_event_name`): a call
        that was made, with its files, is recorded, one that is only announced is not; a prompt
        begins a task; the end of a turn completes it and ends the session. Other hooks are ignored.

        Otherwise `event` says what it is; without it, that is told from the keys:

        - session: agent, branch, commit, parent (a session). end: summary.
        - task: description, task (its name), parent. It completes the one before, unless it has a
          parent. finish, fail, pause, resume: outcome, error.
        - tool: tool, parameters, output, result, success, error, exit_code, duration_ms,
          context_tokens, call_id, files (paths, or dictionaries as for file), description.
        - file: path, operation (read, write, edit, search, analyze, delete, rename), line_range,
          success, context, changes, previous_path, content_hash.
        - snapshot: items, total_tokens, pruned, reason.

        Each also takes session, task (else the session's task under way) and at (else now). Names
        that hooks and tables have for these keys are understood: session_id, tool_name, tool_input,
        tool_response, tool_use_id, file_path, timestamp and others. A call_id that is known is not
        recorded twice; if nothing was told of what came of it, that is completed.

        Never raises and never waits for a busy file: what became of it is returned.
        """
        return self._recording.record(event)

    def record_many(
        self, events: Iterable[Mapping[str, object]], *, patience: float = 0.0
    ) -> list[RecordResult]:
        """Record events in few transactions; return what became of each, in their order.

        A busy file is waited for `patience` seconds at most; what waits still is `pending`.
        """
        return self._recording.record_many(events, patience=patience)

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` in seconds."""
        return self._recording.flush(patience=patience)

    # -- other questions

    def session_summary(self, session: str | None = None, *, limit: int = 5) -> SessionSummary:
        """Return what a fresh start should know: pinned memories, rules and preferences, unfinished
        tasks, what was done last (by one session, if it is named), errors nothing fixed yet, the
        files most worked on."""
        done = super().session_summary(session, limit=limit)
        standing = self._around.standing(limit)
        return attrs.evolve(done, **attrs.asdict(standing))

    def find_similar_tasks(self, text: str, *, limit: int = 5) -> list[SimilarTask]:
        """Return tasks (and commits) whose description or outcome is like a text, best first;
        nothing if none is."""
        return self._similar.similar_tasks(text, limit=limit)

    def redundant_call(
        self, session: str, tool: str, parameters: Mapping[str, object]
    ) -> RedundantCall | None:
        """Return what a session holds already of that which a call would bring, or None: then the
        call is needed. See memkit/episodes/redundant_calls.py."""
        from .redundant_calls import Holding

        names = validation.text(session, name="session"), validation.text(tool, name="tool")
        return Holding(self._reader).held(*names, validation.mapping(parameters, name="parameters"))

    def owners(self, path: str) -> list[FileOwner]:
        """Return who changed a file (or the files of a folder, "src/"), with their shares of the
        changes, newer ones counting more; the greatest first."""
        return self._predictor.owners(path)

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
        stored = None if path is None else self._reader.stored_path(path)
        return self._patterns.find(kind, stored, active=active, limit=limit)

    def get_pattern(self, pattern_id: int) -> Pattern:
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

    def predict(self, signal: Signal | str, *, limit: int = 5) -> PredictionResult:
        """Return what a signal foretells: at most `limit` files, symbols, memories, patterns and
        workflows each, with their confidence and reasons. A text is a file that was opened.

        With a session, what is foretold is remembered, and the weights learn from what comes true.
        """
        return self._predictor.predict(signal, limit=limit)

    # -- learning

    def mine(
        self,
        root: str | Path | None = None,
        *,
        limit: int = MAX_COMMITS,
        progress: Progress | None = None,
    ) -> MineReport:
        """Read what is new in git's log into the store, at most `limit` commits; say what there is.

        `root` is a folder of the repository; None is the one that stored paths are relative to.
        Where there is no git or no commit, the notes say so. `progress` takes commits read and the
        limit. Raises InvalidInput.
        """
        folder = self._root if root is None else validation.path(root, name="root")
        tell = validation.callback(progress, name="progress")
        self.flush()
        done = self._miner.mine(folder, limit=limit, progress=tell)
        if done.commits or done.dropped:
            self._learner.mined()
            self._predictor.practise()
        return done

    def learn(self, *, everything: bool = False) -> LearnReport:
        """Learn patterns and learnings from the tasks that ended since the last time.

        With `everything`, those that are still under way too.
        """
        self.flush()
        return self._learner.learn(everything=everything)

    def set_active(
        self, item: Pattern | Learning, *, active: bool, reason: str | None = None
    ) -> None:
        """Turn a pattern or a learning off (a pattern stays off when it is seen again) or on;
        raises NotFound for one that is gone."""
        validation.boolean(active, name="active")
        if reason is not None:
            reason = redact(clean_text(validation.text(reason, name="reason"))).text
        if not isinstance(item, Pattern | Learning):
            raise InvalidInput(
                f"item: found {validation.shown(item)}, expected a Pattern or a Learning"
            )
        self._patterns.set_active(item, active=active, reason=reason)

    # -- upkeep

    def purge(self, *, session: str | None = None, task: str | None = None) -> int:
        """Delete a session or a task with everything recorded of it, for good; return how many
        rows. Raises NotFound or InvalidInput."""
        self.flush()
        return integrity.purge(self._store, session=session, task=task)

    def stats(self) -> EpisodeStats:
        """Return numbers of rows, what waits to be written, and why events were lost."""
        counts = self._reader.store().records("episodes.counts")[0]
        return EpisodeStats(**counts, **self._recording.state())

    def _close(self) -> None:
        """Write what waits, for which the file is waited for as long as the store does, learn from
        the tasks that ended, and let go of the file. What is lost is warned of, not raised: an
        agent must not fail because its memory does."""
        lost = self._recording.close()
        if lost:
            why = self._recording.state()["trouble"]
            warnings.warn(f"events that are lost: {lost}; {why}", RuntimeWarning, stacklevel=3)
        elif not self._store.readonly:
            with suppress(StoreError):  # the next session learns it
                self.learn()

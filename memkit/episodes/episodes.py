"""`kit.episodes`: what was done, what came of it, and the questions about it. Wiring only."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import arguments
from ..arguments import Progress
from ..errors import StoreError
from ..safety import clean_text, redact
from . import removing
from .answers import EpisodeStats
from .git.mining import MOST_COMMITS, Miner
from .patterns.learning import Learner
from .questions.questions import Questions
from .recording.journal import Journal

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..store.connection import Store
    from .git.mining import Mined
    from .patterns.records import Learnt, Pattern, Workflow
    from .predictions.signals import Surroundings
    from .records import Recorded


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
        place = self._root if root is None else arguments.path(root, name="root")
        tell = arguments.callback(progress, name="progress")
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
        number = arguments.integer(pattern_id, name="pattern_id")
        return self._patterns.turn(number, **_turned(on=on, reason=reason))

    def turn_learning(self, learning_id: int, *, on: bool, reason: str | None = None) -> None:
        """Turn a learning off or on; raises NotFound."""
        number = arguments.integer(learning_id, name="learning_id")
        self._patterns.turn_learning(number, **_turned(on=on, reason=reason))

    # -- upkeep

    def purge(self, *, session: str | None = None, task: str | None = None) -> int:
        """Delete a session or a task with everything recorded of it, for good; return how many
        rows. Raises NotFound or InvalidInput."""
        self.flush()
        return removing.purge(self._store, session=session, task=task)

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
    why = None if reason is None else clean_text(arguments.text(reason, name="reason"))
    safe = None if why is None else redact(why).text
    return {"on": arguments.boolean(on, name="on"), "reason": safe}

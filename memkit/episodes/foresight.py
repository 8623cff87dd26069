"""What is learnt from episodes and foretold by them: git's log, patterns, predictions. Wiring
only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .. import arguments
from .kinds import PatternType
from .learning import Learner, Learnt, Workflow
from .mining import MOST_COMMITS, Mined, Miner, Progress
from .patterns import Pattern, Patterns
from .predicting import Predictor
from .signals import Surroundings, spelt

if TYPE_CHECKING:
    from .history import History
    from .lessons import Lessons
    from .similar import Similar


class Foresight:
    """Learns and predicts; `learned` holds patterns and learnings, `predictor` the predictions."""

    def __init__(
        self,
        history: History,
        lessons: Lessons,
        similar: Similar,
        root: Path,
        *,
        surroundings: Surroundings | None = None,
        keep: Callable[[Workflow], object] = lambda workflow: None,
    ) -> None:
        """`root` is a folder of the repository; `surroundings` asks others about code and memories,
        `keep` takes workflows."""
        self._history = history
        self._root = root
        self.learned = Patterns(history.store, project=history.project)
        self.predictor = Predictor(
            history,
            lessons,
            similar,
            self.learned,
            surroundings=spelt(surroundings or Surroundings()),
        )
        self._learner = Learner(history.store, self.learned, project=history.project, keep=keep)
        self.predict = self.predictor.predict
        self.notice = self.predictor.notice
        self.owners = self.predictor.owners
        self.learnings = self.learned.learnings

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
        done = Miner(self._history.store, project=self._history.project).mine(
            place, limit=limit, progress=arguments.callback(progress, name="progress")
        )
        if done.commits or done.dropped:
            self._learner.mined()
            self.predictor.practise()
        return done

    def learn(self, *, everything: bool = False) -> Learnt:
        """Learn patterns and learnings from the tasks that ended since the last time.

        With `everything`, those that are still under way too.
        """
        _ = self._history.store  # writes what waits
        return self._learner.learn(everything=everything)

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
        stored = None if path is None else self._history.stored_path(path)
        return self.learned.find(kind, stored, active=active, limit=limit)

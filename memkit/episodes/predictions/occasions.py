"""Files that are foretold by a branch, an error, the time of day or a collaborator."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ...store import times
from ..kinds import SignalKind
from ..patterns.patterns import Patterns
from ..places import OUTSIDE
from ..signatures import signature
from ..words import containing
from .evidence import faded
from .mentions import named_in
from .signals import Signal

if TYPE_CHECKING:
    from ..questions.history import History
    from ..questions.lessons import Lessons
    from ..questions.similar import Similar

Found = dict[str, tuple[float, str]]

# Habits of the last two months; an hour before and after counts too.
_HABIT_DAYS = 60
_FILES = 40
_COMMITS = 300
_SIMILAR = 5
# What a reason counts against the others of its signal; a fix that worked says most.
_FIXED, _NAMED, _BRANCH, _TASK = 1.0, 0.6, 1.0, 0.7
# Branches in which everything is done.
_TRUNKS = frozenset("main master trunk develop".split())


class Occasions:
    """Finds files for every signal that is not a file."""

    def __init__(
        self, history: History, lessons: Lessons, similar: Similar, patterns: Patterns
    ) -> None:
        self._history = history
        self._lessons = lessons
        self._similar = similar
        self._patterns = patterns

    def files(self, signal: Signal) -> Found:
        """Return files with the chance that each is used and the reason, best first."""
        rules = {
            SignalKind.BRANCH: self._branch,
            SignalKind.ERROR: self._error,
            SignalKind.TIME: self._time,
            SignalKind.COLLABORATOR: self._collaborator,
        }
        found = rules[signal.kind](signal.subject)
        here = [item for item in found.items() if not item[0].startswith(OUTSIDE)]
        best = sorted(here, key=lambda item: (-item[1][0], item[0]))
        return dict(best)

    # -- inside

    def _branch(self, branch: str) -> Found:
        """Files of the branch's own tasks, then of tasks that its words describe."""
        rows = self._all("episodes_predictions.branch_files", branch=branch, limit=_FILES)
        own = {
            path: _BRANCH / rank * times / (times + 1)
            for rank, (path, times, _) in enumerate(rows, 1)
        }
        if is_trunk(branch):
            return _shared(own, "worked on in this branch")
        words = " ".join(branch.replace("/", " ").replace("-", " ").replace("_", " ").split())
        return _best(_shared(own, "worked on in this branch"), self._tasks_like(words))

    def _error(self, error: str) -> Found:
        """Files that were changed when the fault was fixed, and those that the message names."""
        name = signature(error)
        fixed: dict[str, float] = {}
        for pattern in self._patterns.find("error-fix", error=name, limit=10):
            for path in pattern.files:
                fixed[path] = max(fixed.get(path, 0.0), _FIXED * pattern.confidence)
        for seen in self._lessons.errors_seen(error, limit=3) if name else []:
            for rank, fix in enumerate(seen.fixes, 1):
                for edit in fix.edits:
                    fixed.setdefault(edit.path, _FIXED / (1 + rank))
        named = [self._history.stored_path(path) for path in reversed(named_in(error))]
        ranked = {path: _NAMED / rank for rank, path in enumerate(dict.fromkeys(named), 1)}
        return _best(_shared(fixed, "fixed this error"), _shared(ranked, "named by the error"))

    def _time(self, at: str) -> Found:
        """Files that are worked on at this time of day on many days."""
        now = self._history.reading().now() if not at else times.normalise(at)
        moment = times.to_epoch(now)
        around = [moment + timedelta(hours=shift).total_seconds() for shift in (-1, 0, 1)]
        rows = self._all(
            "episodes_predictions.hour_files",
            hours=json.dumps(sorted({times.from_epoch(m)[11:13] for m in around})),
            since=times.from_epoch(moment - _HABIT_DAYS * 86400),
            limit=_FILES,
        )
        return _shared({path: float(days) for path, days in rows if days > 1}, "usual at this time")

    def _collaborator(self, name: str) -> Found:
        """Files that they changed of late."""
        rows = self._all("episodes_predictions.author_files", name=containing(name), limit=_COMMITS)
        now = self._history.reading().clock()
        weights: defaultdict[str, float] = defaultdict(float)
        for path, at in rows:
            weights[path] += faded(at, now)
        total = sum(weights.values())
        shares = {path: weight / total for path, weight in weights.items()}
        return _shared(shares, "changed by them")

    def _tasks_like(self, words: str) -> Found:
        found: dict[str, float] = {}
        for task in self._similar.similar_tasks(words, limit=_SIMILAR) if words else []:
            for path in task.files:
                found[path] = max(found.get(path, 0.0), _TASK * task.score)
        return _shared(found, "changed in a similar task")

    def _all(self, query: str, **params: object) -> list[tuple[Any, ...]]:
        return self._history.reading().all(query, project=self._history.project, **params)


def is_trunk(branch: str) -> bool:
    """Whether a branch's name says nothing of what is done in it."""
    return branch.strip().lower() in _TRUNKS


def _shared(weights: Mapping[str, float], reason: str) -> Found:
    """Return weights as they are, or as shares of one where they are counts."""
    total = sum(weights.values())
    most = max(weights.values(), default=0.0)
    return {
        path: (weight if most <= 1 else weight / total, reason) for path, weight in weights.items()
    }


def _best(*found: Found) -> Found:
    """Return each file with its best chance."""
    joined: Found = {}
    for part in found:
        for path, (chance, reason) in part.items():
            if chance > joined.get(path, (0.0, ""))[0]:
                joined[path] = (chance, reason)
    return joined

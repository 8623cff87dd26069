"""Weights of what comes next, learnt from recorded sessions: from all, or from all but one.

The logarithm of the chance of each file that was opened
(memkit/episodes/predictions/online_ranker.py) is raised by Adam over all steps at once. Weights are
drawn towards 0: there are few sessions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from memkit.episodes.predictions import online_ranker
from memkit.episodes.predictions.co_change import Reasons

# What these sessions cannot teach: neither code nor history lies beside them.
_ELSEWHERE = frozenset({"linked now", "linked with those opened", "together"})
_TAUGHT = tuple(reason for reason in online_ranker.NEXT if reason not in _ELSEWHERE)
_STEPS, _RATE, _RIDGE = 150, 0.1, 0.01
Array = Any


@attrs.frozen
class Step:
    """One file that was opened: what was thought of before, which it was, where the session was."""

    found: Mapping[str, Reasons]
    actual: str
    current: str


def without_each(steps: Mapping[str, Sequence[Step]]) -> dict[str, dict[str, float]]:
    """Return for each session the weights that the other ones teach."""
    return {name: learnt([own for other, own in steps.items() if other != name]) for name in steps}


def learnt(sessions: Sequence[Sequence[Step]]) -> dict[str, float]:
    """Return the weights that sessions teach, and those they cannot teach as they are delivered. A
    long session counts by the root of its length."""
    kept = [[step for step in own if step.actual in step.found] for own in sessions]
    each = np.array([len(own) ** -0.5 for own in kept for _ in own])
    steps = [step for own in kept for step in own]
    if not steps:
        return dict(online_ranker.NEXT)
    found = _risen(_Columns(steps, each / each.sum()))
    return {
        **online_ranker.NEXT,
        **{r: round(float(w), 2) for r, w in zip(_TAUGHT, found, strict=True)},
    }


class _Columns:
    """All candidates of all steps, one row each, step after step."""

    def __init__(self, steps: Sequence[Step], shares: Array) -> None:
        self._sizes = np.array([len(step.found) for step in steps])
        self._starts = np.cumsum(self._sizes) - self._sizes
        self._shares = np.repeat(shares, self._sizes)
        self._rows = np.array(
            [[own.get(r, 0.0) for r in _TAUGHT] for step in steps for own in step.found.values()]
        )
        places = [list(step.found).index(step.actual) for step in steps]
        self._right = shares @ self._rows[self._starts + np.array(places)]

    def slope(self, weights: Array) -> Array:
        """Return how the chances of what was opened fall with each weight."""
        scores = self._rows @ weights
        highest = np.repeat(np.maximum.reduceat(scores, self._starts), self._sizes)
        parts = np.exp(scores - highest)
        chances = parts / np.repeat(np.add.reduceat(parts, self._starts), self._sizes)
        return (self._shares * chances) @ self._rows - self._right


def _risen(columns: _Columns) -> Array:
    found, mean, square = (np.zeros(len(_TAUGHT)) for _ in range(3))
    for step in range(1, _STEPS + 1):
        slope = columns.slope(found) + _RIDGE * found
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        rate = _RATE * (1 - step / (_STEPS + 1))
        found = found - rate * (mean / (1 - 0.9**step)) / (
            np.sqrt(square / (1 - 0.99**step)) + 1e-9
        )
    return found

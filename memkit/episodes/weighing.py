"""What each reason counts, and how that is learnt.

A file's score is the sum of its reasons times their weights; the chance that it is the one is its
share in exp(score) over all files that were thought of. After each file that was really used the
weights take one step of stochastic gradient ascent on the logarithm of its chance (Luce's choice
model). Each weight stays within bounds around what it was delivered with, so that a strange week
does not spoil the next.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

from .companions import Reasons

Weights = dict[str, float]

# One step: a new way of working shows after a few files. Larger ones gain no more (`python -m bench
# predict`).
STEP = 0.6
# How far a weight may move from what it was delivered with.
_FARTHEST = 4.0

# Learnt on commits of four repositories and on seventeen sessions (`python -m bench predict` prints
# what they do there); "same kind" and "test" do not vary in those commits and were set by the
# sessions.
COMPANIONS: Mapping[str, float] = {
    "together": 3.63,
    "together beyond": 1.49,
    "beside": 1.49,
    "recent": 1.62,
    "often": 0.25,
    "changed before": 0.35,
    "linked": 1.04,
    "bound": 2.76,
    "linked beyond": 1.22,
    "near": 1.39,
    "alike": 0.77,
    "same kind": 0.32,
    "test": 0.25,
}
NEXT: Mapping[str, float] = {
    "same again": 2.49,
    "changed just now": 0.4,
    "changed": 0.52,
    "changed while exploring": 0.2,
    "followed before": 1.26,
    "opened lately": 0.57,
    "opened long ago": -1.1,
    "opened often": 1.11,
    "opened often while exploring": -0.24,
    "new": -2.09,
    "new while exploring": 1.58,
    "named last": 1.73,
    "named often": -0.05,
    "first of those named": 1.17,
    "linked now": 0.5,
    "linked with those opened": 0.5,
    "near": 1.55,
    "alike": 0.29,
    "same kind": 0.27,
    "test": 0.25,
    # Neither code nor history lies beside those sessions: half of what they count for companions.
    "together": 2.0,
}


def scores(found: Mapping[str, Reasons], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the score of each file."""
    return {
        path: sum(value * weights.get(reason, 0.0) for reason, value in reasons.items())
        for path, reasons in found.items()
    }


def chances(found: Mapping[str, Reasons], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the chance of each file to be the one, best first; equal ones by their path."""
    given = scores(found, weights)
    highest = max(given.values(), default=0.0)
    parts = {path: math.exp(score - highest) for path, score in given.items()}
    total = sum(parts.values())
    best = sorted(parts, key=lambda path: (-parts[path], path))
    return {path: parts[path] / total for path in best}


def learnt(
    found: Mapping[str, Reasons],
    used: Collection[str],
    weights: Mapping[str, float],
    delivered: Mapping[str, float],
    *,
    step: float = STEP,
) -> Weights:
    """Return the weights after files among those thought of were used; unchanged if none was."""
    right = [path for path in used if path in found]
    if not right:
        return dict(weights)
    pull: dict[str, float] = {}
    for path, chance in chances(found, weights).items():
        error = (1 / len(right) if path in right else 0.0) - chance
        for reason, value in found[path].items():
            pull[reason] = pull.get(reason, 0.0) + error * value
    return {
        reason: _bounded(weights.get(reason, 0.0) + step * pull.get(reason, 0.0), base)
        for reason, base in delivered.items()
    }


def strongest(reasons: Reasons, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the reasons that speak for a file, the weightiest first, at most three."""
    parts = {reason: value * weights.get(reason, 0.0) for reason, value in reasons.items()}
    telling = sorted(
        (r for r in parts if parts[r] > 0), key=lambda reason: (-parts[reason], reason)
    )
    return tuple(telling[:3])


def _bounded(weight: float, base: float) -> float:
    return min(max(weight, base - _FARTHEST), base + _FARTHEST)

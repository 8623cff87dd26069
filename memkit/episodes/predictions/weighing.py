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

# One step: a new way of working shows after a few files. Half as large or larger ones gain less
# (`python -m bench predict`).
STEP = 0.5
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
    "same again": 1.69,
    "read in part": 1.95,
    "changed just now": 1.4,
    "followed before": 1.25,
    "opened lately": 1.15,
    "opened long ago": -1.26,
    "new": -1.54,
    "new while exploring": 1.23,
    "found": 1.49,
    "found first": 0.68,
    "named last": 1.1,
    "first of those named": 0.33,
    "next of a list": 0.94,
    "asked for": 1.92,
    "near": 1.22,
    "near while exploring": 0.96,
    "kind of late": 0.91,
    "a test": -1.12,
    # Neither code nor history lies beside those sessions: about half of what they count for
    # companions.
    "linked now": 0.5,
    "linked with those opened": 0.5,
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

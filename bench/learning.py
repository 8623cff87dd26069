"""Fitting a linear ranking and its calibration, in numpy: nothing here knows what is ranked.

The ranking is fitted list by list: half of the loss is the cross-entropy against all evidence of a
question, half that of any of it coming first. A question of several clauses counts for each
candidate by the clause for which it scores best, found anew in each round. The calibration is a
logistic regression on the score and on columns that mean the same in every store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np

Array = Any

_ROUNDS = 3
_STEPS = 400
_RATE = 0.05
_RIDGE = 0.002


@attrs.frozen(eq=False)
class Asked:
    """One question of the training sets.

    Attributes:
        part: the set. fold: what is left out together with it.
        columns: (clauses, candidates, columns). relevant: which candidates are evidence.
        names: what each candidate counts as; gold: what is to be found.
    """

    part: str
    fold: str
    category: str
    columns: Array
    relevant: Array
    names: tuple[str, ...]
    gold: frozenset[str]

    def best(self, weights: Array) -> tuple[Array, Array]:
        """Return the score of each candidate, and its columns by the clause that gives it."""
        scores = self.columns @ weights
        clause = scores.argmax(axis=0)
        every = np.arange(scores.shape[1])
        return scores[clause, every], self.columns[clause, every]


def fit_ranking(asked: Sequence[Asked], weights: Sequence[float], positive: Array) -> Array:
    """Return one weight per column; those marked in `positive` are never below 0. `weights` says
    how much each question counts."""
    pairs = [(one, w) for one, w in zip(asked, weights, strict=True) if _is_list(one)]
    lists = [one for one, _ in pairs]
    of_list = np.array([weight for _, weight in pairs])
    relevant = np.concatenate([one.relevant for one in lists]).astype(np.float64)
    sizes = np.array([len(one.relevant) for one in lists])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    rows = np.concatenate([one.columns[0] for one in lists])
    spread = rows.std(axis=0) + 1e-6
    found = np.zeros(rows.shape[1])
    for _ in range(_ROUNDS if any(len(one.columns) > 1 for one in lists) else 1):
        scaled = (rows / spread).astype(np.float32)
        gradient = _listwise(scaled, relevant, starts, sizes, of_list / of_list.sum())
        found = _descend(gradient, scaled.shape[1], positive) / spread
        rows = np.concatenate([one.best(found)[1] for one in lists])
    return found


def _is_list(one: Asked) -> bool:
    return bool(one.relevant.any() and not one.relevant.all())


def fit_chances(rows: Array, relevant: Array, weights: Array, positive: Array) -> Array:
    """Return the coefficients of a logistic regression; a column of ones is the base."""
    spread = np.where(rows.std(axis=0) > 0, rows.std(axis=0), 1.0)
    scaled = rows / spread
    share = weights / weights.sum()

    def gradient(found: Array) -> Array:
        chance = 1 / (1 + np.exp(-scaled @ found))
        return scaled.T @ (share * (chance - relevant))

    return _descend(gradient, rows.shape[1], positive, steps=4 * _STEPS, ridge=1e-4) / spread


def _listwise(
    rows: Array, relevant: Array, starts: Array, sizes: Array, of_list: Array
) -> Callable[[Array], Array]:
    """Return the gradient of the loss by the weights."""
    each = np.repeat(of_list, sizes)
    target = relevant / np.repeat(np.add.reduceat(relevant, starts), sizes)
    turned = np.ascontiguousarray(rows.T)

    def gradient(found: Array) -> Array:
        scores = (rows @ found.astype(np.float32)).astype(np.float64)
        grown = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        chance = grown / np.repeat(np.add.reduceat(grown, starts), sizes)
        right = grown * relevant
        first = right / np.repeat(np.add.reduceat(right, starts), sizes)
        pull = each * (chance - (target + first) / 2)
        return (turned @ pull.astype(np.float32)).astype(np.float64)

    return gradient


def _descend(
    gradient: Callable[[Array], Array],
    size: int,
    positive: Array,
    *,
    steps: int = _STEPS,
    ridge: float = _RIDGE,
) -> Array:
    """Return where Adam arrives, kept at or above 0 where `positive` says so."""
    found, mean, square = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, steps + 1):
        slope = gradient(found) + ridge * found
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        rate = _RATE * (1 - step / (steps + 1))
        move = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
        found = found - rate * move
        found[positive] = np.maximum(found[positive], 0.0)
    return found

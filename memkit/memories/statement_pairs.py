"""Judgement of two statements: contradiction, update, duplicate, or distinct.

A logistic model over the columns of the two (pair_columns.py) was learned from pairs (`python -m
bench.train_pairs --write`); its tables are shipped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from .pair_columns import SIBLING, Alignment, align, columns
from .records import PairVerdict

if TYPE_CHECKING:
    from .compared_statement import Statement

# Tables by name, "vectors" and "words"; of each the base and the weights of each column, by class.
TABLES = Path(__file__).parent.parent / "assets" / "pair_weights.json"
# Classes of the tables, in their order.
CLASSES = (
    PairVerdict.DISTINCT, PairVerdict.CONTRADICTION, PairVerdict.UPDATE, PairVerdict.DUPLICATE,
)  # fmt: skip
# Probability from which two statements are said to be at odds, and to repeat each other: chosen
# by leaving projects out, so that of distinct ones no more than one in thirty is either
# (`python -m bench.train_pairs`).
_CONTRADICTION = PairVerdict.CONTRADICTION
AT_ODDS, REPEATED = 0.45, 0.28
# The same without word vectors, by which another word is as far from any: only what is clear.
AT_ODDS_BY_WORDS, REPEATED_BY_WORDS = 0.6, 0.5
# The first of them where one statement alone denies something, of which the other one says so much.
DENIED, DENIED_COVER = 0.35, 0.6
# Two of which neither says so much of the other are not told apart any further: of the pairs of all
# sets none below was noticed rightly, and half of the neighbours in a store are below.
_LEAST_COVER = 0.3
# How much each of two says of the other one, of which each affirms what the other one rejects:
# where this is so of less, or each names something of its own, they are about two things.
_SWAPPED_COVER = 0.8
SWAPPED = "each says what the other one rejects"
# What no two statements that say the same differ in, however alike they are.
_NEVER_THE_SAME = ("numbers_differ", "numbers_other_unit", "codes_differ", "opposites")


@attrs.frozen(slots=False)
class Table:
    """Table of a logistic model: for each class its base, and its weight of each column."""

    base: Sequence[float]
    weights: Mapping[str, Sequence[float]]

    @cached_property
    def matrix(self) -> Any:
        """The weights as an array, a row a column of a pair."""
        import numpy as np

        return np.array([*self.weights.values()])


@cache
def _tables() -> dict[str, Table]:
    read = json.loads(TABLES.read_text("utf-8"))
    return {name: Table(**table) for name, table in read.items()}


@attrs.frozen
class PairJudgement:
    """Judgement of two statements.

    Attributes:
        probability: that it is so; of two at odds, that they are, in either way.
        reason: why, in words for people.
        chances: the probability of each of CLASSES.
    """

    verdict: PairVerdict
    probability: float
    reason: str
    chances: Sequence[float] = ()


_FAR_APART = PairJudgement(
    PairVerdict.DISTINCT, 0.97, "they have little in common", (0.97, 0.01, 0.01, 0.01)
)


def judge(older: Statement, newer: Statement, *, has_vectors: bool = True) -> PairJudgement:
    """Return how a newer statement stands to an older one.

    `has_vectors`: both were read with word vectors, which have a table of their own."""
    pair = align(older, newer)
    if max(pair.covers) < _LEAST_COVER:
        return _FAR_APART
    values = columns(pair)
    if has_vectors:
        name, at_odds, repeated = "vectors", AT_ODDS, REPEATED
    else:
        name, at_odds, repeated = "words", AT_ODDS_BY_WORDS, REPEATED_BY_WORDS
    chances = probabilities(values, _tables()[name])
    distinct, contradiction, update, duplicate = chances
    odds = contradiction + update
    is_denied = values["negated_one"] and values["denied"] >= DENIED_COVER
    verdict, probability, reason = PairVerdict.DISTINCT, distinct, "both may hold"
    if pair.is_swapped and values["cover_least"] >= _SWAPPED_COVER and not all(pair.unlike):
        verdict, probability, reason = _CONTRADICTION, max(odds, at_odds), SWAPPED
    elif odds >= (DENIED if is_denied else at_odds) and not pair.is_of_one_side():
        is_update = update > contradiction or (newer.says_changed_to and not older.says_changed_to)
        verdict = PairVerdict.UPDATE if is_update else _CONTRADICTION
        probability, reason = odds, _reason(pair, verdict, values)
    elif duplicate >= repeated and not _is_other(pair, values):
        verdict, probability, reason = PairVerdict.DUPLICATE, duplicate, "they say the same"
    return PairJudgement(verdict, probability, reason, chances)


def _is_other(pair: Alignment, values: Mapping[str, float]) -> bool:
    """Whether two statements differ in what no two that say the same do."""
    return (
        any(values[name] for name in _NEVER_THE_SAME)
        or pair.has_prefixed_word()
        or pair.is_swapped
        or pair.names_another()
        or pair.counts_another()
        or pair.shares_numbers_alone()
    )


def probabilities(values: Mapping[str, float], table: Table) -> Sequence[float]:
    """Return the probability of each class, in their order, from the columns of a pair."""
    import numpy as np

    scores = np.array([values[name] for name in table.weights]) @ table.matrix + table.base
    powers = np.exp(scores - scores.max())
    chances: list[float] = (powers / powers.sum()).tolist()
    return chances


def _reason(pair: Alignment, verdict: PairVerdict, values: Mapping[str, float]) -> str:
    """Return in words why two statements are at odds."""
    old, new = _differing(pair)
    what = f": {old}, and {new}" if old and new else ""
    if verdict is PairVerdict.UPDATE:
        return f"the newer one says that it changed{what}"
    if values["negated_one"]:
        return "one says what the other denies"
    if values["numbers_differ"]:
        return f"they say different numbers{what}"
    return f"they say different things of the same{what}"


def _differing(pair: Alignment) -> tuple[str, str]:
    """Return the words of each that the other one does not say: numbers and names, if few, or else
    numbers, or else names, or else all of a contradiction of few words."""
    left = [
        [side.words[n] for n in side.content if likeness[n] < SIBLING[1]]
        for side, likeness in pair.sides()
    ]
    for sorts in ("nip", "n", "ip", "ipw"):
        old, new = ([word.text for word in side if word.sort in sorts] for side in left)
        if old and new and (sorts != "nip" or max(len(old), len(new)) <= _SHOWN):
            break
    few = len(old) <= _SHOWN and len(new) <= _SHOWN
    return (", ".join(old), ", ".join(new)) if few else ("", "")


_SHOWN = 3  # words of each that a reason names

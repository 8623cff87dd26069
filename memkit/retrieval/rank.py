"""From evidence to a calibrated chance: log-odds are a sum of weighted columns, by kind.

    log-odds(memory) = base + asked·ln(1 + words of the question)
                     + Σ best·(largest value of a column in the first three) + Σ weight·column

The weights are a reviewed table (`weights.py`): learned by `bench/train.py` so that evidence ranks
above the rest of its list, then scaled so that the sum is the log-odds of being evidence at all.
Columns that compare a memory with the best of its list are 0 for the best, so the score of a best
answer does not depend on how large the store is; nor do the columns that say how well anything in
the list answers, which are the same for the whole list and so leave its order as it was learned.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import attrs

from . import features, meaning
from .features import Columns
from .gather import Gathered
from .view import View
from .weights import COSINE, FULL, LEXICAL, PARTS, Weights

# Candidates at the top that say how well anything answers (bench/train: 1 finds fewer of the
# unanswerable questions among messages, 6 fewer among whole sessions).
FIRST = 3


@attrs.frozen
class Ranked:
    """A candidate with its log-odds, and what each kind of evidence adds to them."""

    id: int
    parts: Mapping[str, float]

    @property
    def log_odds(self) -> float:
        """The sum of the parts."""
        return sum(self.parts.values())

    def with_part(self, name: str, amount: float) -> Ranked:
        """Return the same with an amount added to one part."""
        return attrs.evolve(self, parts={**self.parts, name: self.parts.get(name, 0.0) + amount})


def ranked(gathered: Gathered, *, learned: bool = True) -> list[Ranked]:
    """Return the candidates, most likely first; ties go to the newer.

    With `learned` false they are in the order of reciprocal rank fusion, as they were gathered:
    what plain hybrid search would give. Their chances then say no more than that order.
    """
    ids = gathered.pool.candidates
    if not learned:
        return [Ranked(n, {"fusion": -math.log(1 + place)}) for place, n in enumerate(ids)]
    columns, weights = evidence(gathered)
    found = scored(ids, columns, weights, words=len(gathered.pool.question.terms))
    return sorted(found, key=lambda one: (-one.log_odds, -one.id))


def evidence(gathered: Gathered) -> tuple[Columns, Weights]:
    """Return the columns of the candidates, and the table that fits what there is."""
    view = View(gathered.pool)
    columns = features.lexical(view)
    words = min(len(gathered.pool.question.terms), 20) / 10
    columns["named*words"] = [named * words for named in columns["named"]]
    if gathered.likeness is None and not gathered.has_vectors:
        return columns, LEXICAL
    columns.update(meaning.of_cosines(view))
    if gathered.likeness is None:
        return columns, COSINE
    columns.update(meaning.of_likeness(view, gathered.likeness, gathered.order))
    return columns, FULL


def scored(ids: Sequence[int], columns: Columns, weights: Weights, *, words: int) -> list[Ranked]:
    """Return each candidate's parts: weighted columns, added up by the kind of evidence."""
    by_part: dict[str, list[float]] = {}
    none = [0.0] * len(ids)
    for name, weight in weights.columns.items():
        part, values = PARTS[name], column(columns, name)
        before = by_part.get(part, none)
        by_part[part] = [
            amount + weight * value for amount, value in zip(before, values, strict=True)
        ]
    total = [sum(amounts) for amounts in zip(*by_part.values(), strict=True)]
    first = sorted(range(len(ids)), key=lambda at: -total[at])[:FIRST]
    base = weights.base + weights.asked * math.log1p(words)
    for name, weight in weights.best.items():
        base += weight * max((columns[name][at] for at in first), default=0.0)
    names = ("base", *by_part)
    return [
        Ranked(number, dict(zip(names, (base, *amounts), strict=True)))
        for number, *amounts in zip(ids, *by_part.values(), strict=True)
    ]


def column(columns: Columns, name: str) -> Sequence[float]:
    """Return a column; "a*b" and "a*b*c" are products of columns."""
    if name in columns:
        return columns[name]
    first, *others = name.split("*")
    product = columns[first]
    for other in others:
        product = [one * another for one, another in zip(product, columns[other], strict=True)]
    return product


def chance(log_odds: float) -> float:
    """Return the probability of given log-odds."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    grown = math.exp(log_odds)
    return grown / (1 + grown)


def log_odds_of(chance_: float) -> float:
    """Return the log-odds of a probability; 0 and 1 give what is nearest to them."""
    held = min(max(chance_, 1e-9), 1 - 1e-9)
    return math.log(held / (1 - held))

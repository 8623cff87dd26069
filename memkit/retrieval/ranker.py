"""Ranker: from evidence to a score, and from the score to a calibrated probability.

    score(memory)    = Σ weight·column, of the clause for which it is greatest
    log-odds(memory) = score + base + Σ belief·(what kind of question, how far the best stands out)
                       + priors (how it was learnt, how far it is believed)

The weights are a reviewed table (`weights.py`), learned by `bench/train.py`: `columns` so that
evidence ranks above the rest of its list, `belief` so that the sum is the log-odds of being
evidence at all. What `belief` reads is the same for all memories of a list: it never changes the
order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ..frozen import frozen
from . import features
from .candidates import Candidates
from .weights import CONTEXTUAL, COSINE, FULL, LEXICAL, PARTS, Weights

if TYPE_CHECKING:
    from .features import Column, Columns

# Place in the list whose score is that of the background: what there is for any question.
BACKGROUND = 10
# Score above the background from which a memory at that place is one of many answers.
CROWD = 3.0
# Share of a question's words, by rarity, below which no memory holds enough of them to be found by
# them: then places among the first five go to those nearest in meaning. Of 784 questions to eight
# projects 12 more are answered there (.828 for .812, ± .006), of their 144 paraphrases 13 (.41 for
# .32, ± .03); with the sentence encoder 2, which puts them there by itself.
UNEXPLAINED = 0.25
# The places, from 0 on, that go to what is nearest in meaning.
NEAREST_PLACES = slice(3, 5)
# Log-odds between neighbours of a list that no evidence puts in order.
STEP = 1e-6


@frozen
class RankedMemory:
    """A candidate with what each kind of evidence adds to its log-odds, and their sum.

    Attributes:
        is_first: whether it answers a part of a longer query best.
    """

    id: int
    parts: Mapping[str, float]
    log_odds: float = attrs.field()
    is_first: bool = False

    @log_odds.default
    def _sum(self) -> float:
        return sum(self.parts.values())

    def with_part(self, name: str, amount: float) -> RankedMemory:
        """Return the same with an amount added to one part."""
        parts = {**self.parts, name: self.parts.get(name, 0.0) + amount}
        return RankedMemory(self.id, parts, is_first=self.is_first)


@frozen(eq=False)
class Parts(Mapping[str, float]):
    """The parts of the candidate at a place in the columns, read when asked for: most candidates
    are not shown."""

    columns: Mapping[str, Column]
    place: int

    def __getitem__(self, name: str) -> float:
        return float(self.columns[name][self.place])

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def ranked(
    gathered: Candidates, *, priors: Mapping[str, Sequence[float]], learned: bool = True
) -> list[RankedMemory]:
    """Return the candidates with their chances, in their order.

    `priors` holds parts that are no evidence but count as they are (belief, recent use).
    With `learned` false their chances say no more than the order in which they were gathered, by
    reciprocal rank fusion: what plain hybrid search would give.
    """
    ids = gathered.pool.candidates
    if not learned:
        return [RankedMemory(n, {"fusion": -math.log(1 + place)}) for place, n in enumerate(ids)]
    clauses, weights = evidence(gathered)
    result = scored(ids, clauses, weights, priors=priors)
    if weights is not LEXICAL and gathered.pool.question.is_single_question:
        return nearest_raised(result, clauses[0])
    return result


def nearest_raised(candidates: list[RankedMemory], columns: Columns) -> list[RankedMemory]:
    """Return some candidates in their order; where words explain too little of the question, those
    nearest in meaning are raised to the places NEAREST_PLACES. Not where the best is a turn of a
    conversation, nor turns: their neighbours tell more of them than their own meaning."""
    if not candidates or columns["explained"][0] >= UNEXPLAINED:
        return candidates
    likeliest = sorted(
        range(len(candidates)), key=lambda at: (-candidates[at].log_odds, -candidates[at].id)
    )
    displaced = likeliest[NEAREST_PLACES]
    if not displaced or not columns["alone"][likeliest[0]]:
        return candidates
    others = [at for at in likeliest[NEAREST_PLACES.start :] if columns["alone"][at]]
    nearest = sorted(others, key=lambda at: -float(columns["cosine"][at]))[: len(displaced)]
    result, below = list(candidates), candidates[displaced[0]].log_odds
    for place, at in enumerate(reversed(nearest), 1):
        if (missing := below + place * STEP - candidates[at].log_odds) > 0:
            result[at] = candidates[at].with_part("nearest", missing)
    return result


def evidence(gathered: Candidates) -> tuple[list[Columns], Weights]:
    """Return the columns of the candidates by clause, and the table that fits what there is."""
    clauses = features.clause_columns(gathered)
    if not (gathered.likeness or gathered.has_vectors) or _is_unseen(gathered):
        return clauses, LEXICAL
    if gathered.likeness is None:
        return clauses, COSINE
    return clauses, CONTEXTUAL if gathered.is_contextual and gathered.has_vectors else FULL


def _is_unseen(gathered: Candidates) -> bool:
    """Whether the model sees nothing near the question's words in what holds them: a script or a
    spelling that it does not know, of which likeness and vectors say nothing."""
    if gathered.likeness is None:
        return False
    members = gathered.pool.members
    holding = [at for at, memory_id in enumerate(gathered.order) if members[memory_id].terms]
    return bool(holding) and not gathered.likeness.close()[:, holding].any()


def scored(
    ids: Sequence[int],
    clauses: Sequence[Columns],
    weights: Weights,
    *,
    priors: Mapping[str, Sequence[float]] | None = None,
) -> list[RankedMemory]:
    """Return the candidates with their parts, in their order, each by the clause it answers
    best."""
    import numpy as np

    if not ids:
        return []
    by_clause = [_parts(columns, weights.columns, len(ids)) for columns in clauses]
    best = np.array([sum(parts.values()) for parts in by_clause]).argmax(axis=0)
    every = np.arange(len(ids))
    by_part = {
        name: np.array([parts[name] for parts in by_clause])[best, every] for name in by_clause[0]
    }
    score = sum(by_part.values(), np.zeros(len(ids)))
    firsts = {int(np.where(best == at, score, -np.inf).argmax()) for at in set(best.tolist())}
    by_part |= _belief(score, clauses[best[score.argmax()]], weights)
    by_part |= {name: np.array(column) for name, column in (priors or {}).items()}
    odds = sum(by_part.values(), np.zeros(len(ids)))
    return [
        RankedMemory(memory_id, Parts(by_part, at), float(odds[at]), at in firsts)
        for at, memory_id in enumerate(ids)
    ]


def _parts(columns: Columns, weights: Mapping[str, float], count: int) -> dict[str, Column]:
    """Return what each kind of evidence adds to the score by one clause."""
    import numpy as np

    by_part: dict[str, Column] = {}
    for name, weight in weights.items():
        part = PARTS[name]
        added = weight * column(columns, name)
        by_part[part] = by_part[part] + added if part in by_part else added
    return by_part or {"base": np.zeros(count)}


def _belief(score: Column, columns: Columns, weights: Weights) -> dict[str, Column]:
    """Return what the question, and how far the best stands out, add to every score."""
    import numpy as np

    listed = standing(score, weights.background)
    question = weights.base + sum(
        weight * float(columns[name][0])
        for name, weight in weights.belief.items()
        if name not in listed
    )
    stands = sum(weights.belief.get(name, 0.0) * value for name, value in listed.items())
    return {"question": np.full(len(score), question), "standing": np.full(len(score), stands)}


def standing(scores: Column, background: float) -> dict[str, float]:
    """Return how the best of a list stands: its score, and what it is before the second and before
    the one at the place of BACKGROUND. A list that is shorter goes on with `background`; where more
    than so many answer, the one after them is no more than CROWD above it."""
    import numpy as np

    listed = np.sort(scores)[::-1]
    best = float(listed[0])
    last = min(float(listed[-1]), background)
    tenth = float(listed[BACKGROUND]) if len(listed) > BACKGROUND else last
    return {
        "best": best,
        "lead": best - (float(listed[1]) if len(listed) > 1 else last),
        "above_tenth": best - min(tenth, background + CROWD),
    }


def column(columns: Columns, name: str) -> Column:
    """Return a column; "a*b" and "a*b*c" are products of columns."""
    if name in columns:
        return columns[name]
    first, *others = name.split("*")
    product = columns[first]
    for other in others:
        product = product * columns[other]
    return product


def probability(log_odds: float) -> float:
    """Return the probability of given log-odds."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    grown = math.exp(log_odds)
    return grown / (1 + grown)


def log_odds_of(probability_: float) -> float:
    """Return the log-odds of a probability; 0 and 1 give what is nearest to them."""
    held = min(max(probability_, 1e-9), 1 - 1e-9)
    return math.log(held / (1 - held))

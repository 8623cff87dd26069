"""From evidence to a calibrated chance: log-odds are a sum of weighted columns, by kind.

    evidence(memory) = base + asked·ln(1 + words of the question) + Σ weight·column
    order(memory)    = evidence(memory) less what its name loses (`features`, outdone)
    log-odds(memory) = evidence(memory) + Σ own·column, but no less than of any ranked below it

The weights are a reviewed table (`weights.py`): learned by `bench/train.py` so that evidence ranks
above the rest of its list, then scaled so that the sum is the log-odds of being evidence at all.
What a memory has of its own (`own`: how much of the question it covers) tells whether it is an
answer better than whether it is a better one than its neighbour in the list, so it moves the chance
and not the order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import attrs

from . import features
from .candidates import Gathered, View
from .features import Columns
from .weights import COSINE, FULL, LEXICAL, PARTS, Weights

# Log-odds between neighbours in the ranking that their own evidence would put the other way.
STEP = 1e-6


@attrs.frozen
class Ranked:
    """A candidate with what each kind of evidence adds to its log-odds, and their sum."""

    id: int
    parts: Mapping[str, float]
    log_odds: float = attrs.field()

    @log_odds.default
    def _sum(self) -> float:
        return sum(self.parts.values())

    def with_part(self, name: str, amount: float) -> Ranked:
        """Return the same with an amount added to one part."""
        return Ranked(self.id, {**self.parts, name: self.parts.get(name, 0.0) + amount})


@attrs.frozen(eq=False)
class Parts(Mapping[str, float]):
    """The parts of the candidate at a place in the columns, read when asked for: most candidates
    are not shown."""

    columns: Mapping[str, Sequence[float]]
    place: int

    def __getitem__(self, name: str) -> float:
        return self.columns[name][self.place]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


def ranked(
    gathered: Gathered, *, priors: Mapping[str, Sequence[float]], learned: bool = True
) -> list[Ranked]:
    """Return the candidates with their chances, in their order.

    `priors` holds parts that are no evidence but count as they are (belief, recent use).
    With `learned` false their chances say no more than the order in which they were gathered, by
    reciprocal rank fusion: what plain hybrid search would give.
    """
    ids = gathered.pool.candidates
    if not learned:
        return [Ranked(n, {"fusion": -math.log(1 + place)}) for place, n in enumerate(ids)]
    columns, weights = evidence(gathered)
    words = len(gathered.pool.question.terms)
    return scored(ids, columns, weights, words=words, priors=priors)


def evidence(gathered: Gathered) -> tuple[Columns, Weights]:
    """Return the columns of the candidates, and the table that fits what there is."""
    view = View(gathered.pool)
    columns = features.lexical(view)
    words = min(len(gathered.pool.question.terms), 20) / 10
    columns["named*words"] = [named * words for named in columns["named"]]
    if not (gathered.likeness or gathered.has_vectors) or _is_unseen(gathered):
        return columns | features.words_around(view), LEXICAL
    columns |= features.of_cosines(view)
    if gathered.likeness is None:
        return columns | features.words_around(view), COSINE
    return columns | features.of_likeness(view, gathered.likeness, gathered.order), FULL


def _is_unseen(gathered: Gathered) -> bool:
    """Whether the model sees no piece of what holds the question's words: a script that it does not
    know, of which likeness and vectors say nothing."""
    if gathered.likeness is None:
        return False
    members = gathered.pool.members
    holding = [at for at, number in enumerate(gathered.order) if members[number].terms]
    return bool(holding) and not gathered.likeness.best[:, holding].any()


def scored(
    ids: Sequence[int],
    columns: Columns,
    weights: Weights,
    *,
    words: int,
    priors: Mapping[str, Sequence[float]] | None = None,
) -> list[Ranked]:
    """Return the candidates with their parts, in their order."""
    none = [0.0] * len(ids)
    base = weights.base + weights.asked * math.log1p(words)
    by_part: dict[str, Sequence[float]] = {"base": [base] * len(ids), **(priors or {})}
    for name, weight in weights.columns.items():
        part = PARTS[name]
        by_part[part] = _added(by_part.get(part, none), column(columns, name), weight)
    evident = list(map(sum, zip(*by_part.values(), strict=True)))
    order = _behind(evident, by_part.get("name", none), columns.get("outdone", none))
    fit: Sequence[float] = none
    for name, weight in weights.own.items():
        fit = _added(fit, column(columns, name), weight)
    odds = [before + own for before, own in zip(evident, fit, strict=True)]
    lifted = in_order(order, odds)
    by_part["fit"] = fit
    by_part["order"] = [high - low for high, low in zip(lifted, odds, strict=True)]
    return [
        Ranked(number, Parts(by_part, place), log_odds)
        for place, (number, log_odds) in enumerate(zip(ids, lifted, strict=True))
    ]


def _behind(
    evident: Sequence[float], name: Sequence[float], outdone: Sequence[float]
) -> Sequence[float]:
    """Return the evidence less the shares of what names add that do not count for the order."""
    if not any(outdone):
        return evident
    return [
        sum_ - of_name * share for sum_, of_name, share in zip(evident, name, outdone, strict=True)
    ]


def in_order(order: Sequence[float], odds: Sequence[float]) -> list[float]:
    """Return log-odds that fall with `order`: each at least a little above those ranked below."""
    lifted = list(odds)
    least = float("-inf")
    for at in sorted(range(len(order)), key=order.__getitem__):
        lifted[at] = least = max(odds[at], least + STEP)
    return lifted


def _added(before: Sequence[float], values: Sequence[float], weight: float) -> Sequence[float]:
    if not any(values):  # as half of the columns are for most questions
        return before
    return [amount + weight * value for amount, value in zip(before, values, strict=True)]


def column(columns: Columns, name: str) -> Sequence[float]:
    """Return a column; "a*b" and "a*b*c" are products of columns."""
    if name in columns:
        return columns[name]
    first, *others = name.split("*")
    product = columns[first]
    for other in others:
        if not any(product):
            break
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

"""Assembled context: its tiers and their share of a budget, its records, and its text.

The text is a block between the marks by which memkit knows its own words again, whose lines stored
text cannot imitate: a heading or an item begins in the first column; every further line of a stored
text is indented, and the first follows a head of ours. Nothing depends on the clock, no score is
shown: the same context is the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

import attrs

from .. import tokens
from ..frozen import frozen
from ..redaction.redactor import CLOSE, OPEN, disarmed
from ..text.analyzer import visible

DEFAULT_BUDGET = 8_000
"""Tokens of an assembled context (seed 004)."""


class Tier(StrEnum):
    """How near to the moment something is, nearest first (seed 004, Token Efficiency)."""

    CRITICAL = "critical"
    RELEVANT = "relevant"
    BACKGROUND = "background"
    INDEX = "index"


class Activity(StrEnum):
    """What is being done; it moves budget between the tiers (seed 004, Token Budget Examples)."""

    FEATURE = "feature"
    DEBUGGING = "debugging"
    REVIEW = "review"
    EXPLORATION = "exploration"


# Shares of the budget, in the order of the tiers. The usual ones and those of debugging are seed
# 004's (a feature has the usual ones there: 2,000 / 3,000 / 2,000 / 1,000 of 8,000). A review is
# held against rules and decisions, so half of what debugging moves goes there; who explores needs
# what there is to ask about, which comes from what must be heeded.
_USUAL = (0.25, 0.375, 0.25, 0.125)
_SHARES: Mapping[Activity | None, tuple[float, ...]] = MappingProxyType(
    {
        None: _USUAL,
        Activity.FEATURE: _USUAL,
        Activity.DEBUGGING: (0.375, 0.3125, 0.1875, 0.125),
        Activity.REVIEW: (0.3125, 0.375, 0.1875, 0.125),
        Activity.EXPLORATION: (0.1875, 0.375, 0.25, 0.1875),
    }
)


def tier_budgets(budget: int, activity: Activity | None) -> dict[Tier, int]:
    """Return how many of `budget` tokens are set aside for each tier."""
    return {tier: int(budget * share) for tier, share in zip(Tier, _SHARES[activity], strict=True)}


def allotments(
    wants: Mapping[Tier, int], budget: int, activity: Activity | None
) -> dict[Tier, int]:
    """Return the tokens each tier may use, given how many it has a use for: its share, and of what
    others leave unused as much as it wants, the nearest tier first."""
    shares = tier_budgets(budget, activity)
    allotted = {tier: min(wants.get(tier, 0), shares[tier]) for tier in Tier}
    left = budget - sum(allotted.values())
    for tier in Tier:
        more = min(wants.get(tier, 0) - allotted[tier], left)
        allotted[tier] += more
        left -= more
    return allotted


@frozen
class Level:
    """One wording of a candidate: full, summary, compressed, shortened or index."""

    name: str
    text: str


@frozen
class Candidate:
    """Something that could stand in a context.

    Attributes:
        tier: where it would stand. source: what it is of, e.g. memories, errors, code.
        reference: its name, e.g. memory:12, error:<signature>. label: what sort, for its reader.
        at: when it came about, UTC text. levels: wordings, the fullest first.
        flags: what to know of it (stale, global). score: chance that it is wanted. reasons: why.
        covers: references that it says as well. marks: names under which it is known as served.
        extra: it comes only where something else is relevant.
        shortens: whether a part of its full text says something by itself.
    """

    tier: Tier
    source: str
    reference: str
    label: str
    levels: tuple[Level, ...]
    at: str = ""
    number: int | None = None
    flags: tuple[str, ...] = ()
    score: float = 0.0
    reasons: tuple[str, ...] = ()
    covers: frozenset[str] = frozenset()
    extra: bool = False
    shortens: bool = True

    @property
    def text(self) -> str:
        """The fullest wording."""
        return self.levels[0].text

    @property
    def references(self) -> frozenset[str]:
        """Every reference that is said with it."""
        return self.covers | {self.reference}


@frozen
class LeftOut:
    """Something that was looked at and is not in the context, and why."""

    what: str
    reason: str
    text: str = ""


@attrs.frozen(slots=False)
class AssembledItem:
    """One item of an assembled context.

    Attributes:
        tier, source, reference: where it stands, what it is of, its name (memory:12).
        text: as it is rendered, with where it comes from. level: full, summary, compressed,
            shortened or index. score: chance that it is wanted. reasons: why it is there.
    """

    tier: Tier
    source: str
    reference: str
    text: str
    level: str
    score: float
    reasons: tuple[str, ...]

    @cached_property
    def tokens(self) -> int:
        """Tokens of its text (o200k)."""
        return tokens.count(self.text)


@attrs.frozen(slots=False)
class AssembledContext:
    """What is put before a model for a moment; `text` is empty if there is nothing to say.

    Attributes:
        items: what stands in it, in order. left_out: what was looked at and does not, with why.
        activity: what the budget was divided for, None if nothing told.
        budget: tokens that it may have, of `model` (None: of the family that counts most).
        full_tokens: tokens (o200k) of everything that was relevant, each in full; None if all of
            that is there.
        notes: what was not possible.
    """

    text: str
    items: tuple[AssembledItem, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    activity: Activity | None = None
    budget: int = 0
    model: str | None = None
    full_tokens: int | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def tokens(self) -> int:
        """Tokens of the text (o200k), headings and marks included."""
        return tokens.count(self.text)

    @cached_property
    def tiers(self) -> Mapping[Tier, int]:
        """Tokens of the items of each tier (o200k)."""
        return {tier: sum(item.tokens for item in self.items if item.tier is tier) for tier in Tier}

    @property
    def compression_ratio(self) -> float:
        """Tokens of the items by those of everything relevant in full (seed 003, 6.1); 1 if there
        is no more than that."""
        used = sum(item.tokens for item in self.items)
        return used / self.full_tokens if self.full_tokens else 1.0

    def __bool__(self) -> bool:
        return bool(self.text)


# --- The text of it.

BEGIN, END = f"{OPEN}>\n", CLOSE


def heading(tier: Tier) -> str:
    """Return the line above the items of a tier, if there are items of several."""
    return f"# {tier}\n"


def render_item(candidate: Candidate, text: str, *, brief: bool = False) -> str:
    """Return an item's lines: what sort it is, its day, its id and what to know of it, then the
    text; `brief` says the sort alone."""
    return item_lines(candidate.label if brief else _head(candidate), text)


def item_lines(head: str, text: str) -> str:
    """Return a stored text behind a head of ours, its further lines indented."""
    lines = [line.rstrip() for line in disarmed(visible(text)).split("\n")]
    body = "\n  ".join(line for line in lines if line)
    return f"- {head}: {body}\n"


def render_context(items: Sequence[AssembledItem]) -> str:
    """Return the whole block, "" without items; they are ordered by tier."""
    if not items:
        return ""
    tiers = list(dict.fromkeys(item.tier for item in items))
    parts = [
        (heading(tier) if len(tiers) > 1 else "")
        + "".join(item.text for item in items if item.tier is tier)
        for tier in tiers
    ]
    return f"{BEGIN}{''.join(parts)}{END}"


def _head(candidate: Candidate) -> str:
    day = candidate.at[:10]
    number = "" if candidate.number is None else f"#{candidate.number}"
    said = " ".join(part for part in (candidate.label, day, number) if part)
    flags = f" ({', '.join(candidate.flags)})" if candidate.flags else ""
    return disarmed(visible(said + flags)).replace("\n", " ")

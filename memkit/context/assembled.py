"""Records of assembly: candidates, what was taken of them, and the assembled context."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import attrs

from .. import tokens
from ..frozen import frozen
from .tiers import Activity, Tier


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

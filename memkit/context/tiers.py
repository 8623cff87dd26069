"""Tiers of an assembled context: their shares by activity, and how a budget is divided."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

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

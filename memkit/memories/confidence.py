"""Confidence of memories: decay with age, and the arithmetic of feedback."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from . import reviews
from .records import Kind, Provenance

if TYPE_CHECKING:
    from ..store.store import Store


# --- Decay of confidence: pure functions of numbers, computed on read and never stored.

# Days after which belief has fallen to 1/e (seed 002, Confidence Decay, which calls it half-life).
DECAY_DAYS = {
    Kind.CORRECTION: 365.0,
    Kind.NEGATIVE: 365.0,  # as correction: what must not be done stays true
    Kind.PREFERENCE: 90.0,
    Kind.PROCEDURE: 60.0,
    Kind.FACT: 30.0,
}
# Whatever was only inferred, whichever kind (seed 002).
INFERRED_DAYS = 7.0
# Seed 002, Recency boost.
RECENCY_GAIN = 0.5
RECENCY_HOURS = 24.0
# Seed 002, Decay formula: what repeated use adds.
USE_GAIN = 0.1


def decay_days(kind: Kind, provenance: Provenance) -> float:
    """Return the days in which belief in such a memory decays."""
    return INFERRED_DAYS if provenance is Provenance.INFERRED else DECAY_DAYS[kind]


def current(
    initial: float, *, age_days: float, days: float, uses: int, trust: float, pinned: bool = False
) -> float:
    """Return the belief left, in [0, 1] (seed 002, Decay formula).

    `initial · exp(-age_days/days) · (1 + 0.1·ln(uses + 1)) · trust`; pinned memories do not decay.
    """
    decay = 1.0 if pinned else math.exp(-max(age_days, 0.0) / days)
    return min(1.0, max(0.0, initial * decay * (1 + USE_GAIN * math.log(max(uses, 0) + 1)) * trust))


def recency_boost(hours_since_access: float) -> float:
    """Return the factor for recent use: 1.5 right after it, 1 in the long run (seed 002)."""
    return 1.0 + RECENCY_GAIN * math.exp(-max(hours_since_access, 0.0) / RECENCY_HOURS)


# --- Feedback of use: how often a memory helped, and how its confidence moves.
#
# Being returned proves nothing; only what an agent or a person says of it counts. What helped
# lately stands a little higher in recall, and belief is greater the more often it was used.


class Feedback(NamedTuple):
    """Effect of one use on a memory: counts, and moves of strength and confidence."""

    verb: str
    uses: int = 0
    citations: int = 0
    ignored: int = 0
    strength: int = 0
    confidence: float = 0.0


# Seed 002, Feedback Loops: used and helpful, and used and not; seed 004, Usage Tracker: returned
# and of no use, which says less.
HELPED = Feedback("confirm", uses=1, citations=1, strength=1, confidence=0.05)
MISLED = Feedback("reject", uses=1, confidence=-0.1)
NOT_USED = Feedback("reject", ignored=1, confidence=-0.02)


def weigh(store: Store, ids: Iterable[int], feedback: Feedback) -> list[int]:
    """Count what was told of some memories; return their ids. Inside `write`."""
    done = list(ids)
    now = store.now()
    for number in done:
        store.run(
            "memories.count_use",
            id=number,
            # What misled is no reason to lift it: its time of use stays.
            accessed_at=now if feedback.citations else None,
            uses=feedback.uses,
            citations=feedback.citations,
            ignored=feedback.ignored,
        )
        store.run(
            "memories.weigh",
            id=number,
            strength=feedback.strength,
            confidence=feedback.confidence,
            at=now,
        )
        if feedback.citations:  # what was extracted is confirmed by its use
            reviews.confirm(store, number)
        store.audit(feedback.verb, number, confidence=feedback.confidence)
    return done

"""How much of a belief is left: pure functions of numbers, computed on read and never stored."""

from __future__ import annotations

import math

from .kinds import Kind, Provenance

# Days after which belief has fallen to 1/e (seed 002, Confidence Decay, which calls it half-life).
HALF_LIFE_DAYS = {
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


def half_life(kind: Kind, provenance: Provenance) -> float:
    """Return the days in which belief in such a memory decays."""
    return INFERRED_DAYS if provenance is Provenance.INFERRED else HALF_LIFE_DAYS[kind]


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

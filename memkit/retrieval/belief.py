"""What a memory's own past adds to its standing: how much it is believed, when it was used."""

from __future__ import annotations

import math
from functools import cache

from ..memories import confidence
from ..memories.kinds import Kind, Provenance
from ..store import times
from .records import Facts

# Log-odds that a belief which holds in full adds; one that has decayed to nothing adds none. Small,
# so that age decides between memories that answer equally well and never keeps the only one back.
BELIEF_GAIN = 0.4
# Log-odds that use just now adds, times ln of the recency boost (at most ln 1.5).
RECENCY_GAIN = 0.5


def belief(facts: Facts, *, at: float) -> float:
    """Return BELIEF_GAIN for a memory believed in full at a moment (epoch seconds), 0 for one not
    believed any more."""
    age = max(at - times.to_epoch(facts.created_at), 0.0) / 86_400
    left = confidence.current(
        facts.confidence,
        age_days=age,
        days=_half_life(facts.kind, facts.provenance),
        uses=facts.access_count,
        trust=facts.trust,
        pinned=bool(facts.pinned),
    )
    return BELIEF_GAIN * left


def recency(facts: Facts, *, at: float) -> float:
    """Return the log-odds that the last use before a moment (epoch seconds) adds."""
    if facts.accessed_at is None:
        return 0.0
    hours = (at - times.to_epoch(facts.accessed_at)) / 3600
    return RECENCY_GAIN * math.log(confidence.recency_boost(hours))


@cache
def _half_life(kind: str, provenance: str) -> float:
    return confidence.half_life(Kind(kind), Provenance(provenance))

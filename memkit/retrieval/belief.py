"""What a memory's own past adds to its chance: how it was learnt, how far it is believed."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..memories import confidence
from ..memories.kinds import Kind, Provenance
from ..store import times
from .records import Facts

if TYPE_CHECKING:
    from .rank import Ranked

# Log-odds that a belief which holds in full adds; one that has decayed to nothing adds none. Small,
# so that age decides between memories that answer equally well and never keeps the only one back.
BELIEF_GAIN = 0.4
# Log-odds that use just now adds, times ln of the recency boost (at most ln 1.5).
RECENCY_GAIN = 0.5
# Log-odds that a passage of a document loses: somebody found a statement worth telling, while of
# three hundred sections of a manual a few match any question.
PASSAGE_LOSS = 1.0
# Log-odds that it gives way by where something told is an answer too: a manual says at length what
# can be done, a short statement says what is done here. Measured on questions to invented projects
# beside the manuals of real libraries; by 1.5 no more of what was told comes first.
GIVES_WAY = 1.0
# Log-odds that the oldest of a list loses where what holds now is asked for; a newer one loses
# less, by its place among them in time. Twice as much makes answers too unlikely to be given.
AGE_LOSS = 0.5
# By itself: Python looks a member up in its enum each time, for ten times what comparing takes.
_EXTRACTED = Provenance.EXTRACTED


def priors(
    facts: Sequence[Facts], *, at: float, current: bool = False
) -> Mapping[str, Sequence[float]]:
    """Return the log-odds that each kind of past adds to each memory at a moment, epoch seconds;
    with `current` where what holds now is asked for."""
    return {
        **({"age": age(facts)} if current else {}),
        "belief": [belief(one, at=at) for one in facts],
        "recency": [recency(one, at=at) for one in facts],
        "passage": [-PASSAGE_LOSS if is_passage(one) else 0.0 for one in facts],
    }


def belief(facts: Facts, *, at: float) -> float:
    """Return BELIEF_GAIN for a memory believed in full at a moment (epoch seconds), 0 for one not
    believed any more."""
    left = confidence.current(
        facts.confidence,
        age_days=(at - times.to_epoch(facts.created_at)) / 86_400,
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


def age(facts: Sequence[Facts]) -> list[float]:
    """Return the log-odds that memories lose to newer ones: 0 for the newest, AGE_LOSS at most."""
    times_of = sorted({one.created_at for one in facts})
    place = {time: at for at, time in enumerate(times_of)}
    newest = len(times_of) - 1
    return [-AGE_LOSS * (newest - place[one.created_at]) / max(newest, 1) for one in facts]


def giving_way(
    ranked: Sequence[Ranked], passages: Collection[int], *, least: float
) -> dict[int, float]:
    """Return the log-odds that passages lose to what was told, if any of that has at least `least`.

    They lose no more than half of what they have beyond that, so that they stay good enough and
    keep their order: what was told may be about something else.
    """
    told = (one.log_odds >= least for one in ranked if one.id not in passages)
    if not passages or not any(told):
        return {}
    beyond = {one.id: one.log_odds - least for one in ranked if one.id in passages}
    return {number: min(GIVES_WAY, more / 2) for number, more in beyond.items() if more > 0}


def is_passage(facts: Facts) -> bool:
    """Whether a memory was read out of a text, not told."""
    return facts.provenance == _EXTRACTED


@cache
def _half_life(kind: str, provenance: str) -> float:
    return confidence.half_life(Kind(kind), Provenance(provenance))

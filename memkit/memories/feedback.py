"""What use shows of a memory: how often it helped, and how far it is believed from now on.

Being returned proves nothing; only what an agent or a person says of it counts. What helped
lately stands a little higher in recall, and belief is greater the more often it was used.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from ..store.connection import Store


@attrs.frozen
class Feedback:
    """What is counted of a memory, and by how much its strength and its confidence move."""

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


def weigh(store: Store, ids: Iterable[int], told: Feedback) -> list[int]:
    """Count what was told of some memories; return their ids. Inside `write`."""
    done = list(ids)
    now = store.now()
    for number in done:
        store.run(
            "memories.count_use",
            id=number,
            # What misled is no reason to lift it: its time of use stays.
            accessed_at=now if told.citations else None,
            uses=told.uses,
            citations=told.citations,
            ignored=told.ignored,
        )
        store.run(
            "memories.weigh",
            id=number,
            strength=told.strength,
            confidence=told.confidence,
            at=now,
        )
        store.audit(told.verb, number, confidence=told.confidence)
    return done

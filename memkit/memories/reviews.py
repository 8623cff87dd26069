"""Reviews of memories that were extracted: offered, settled by use, by a person or by time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .records import Provenance, ReviewState

if TYPE_CHECKING:
    from ..store.store import Store

ACCEPTED_CONFIDENCE = 0.9
"""Belief in what a person accepted: it was said, though not to be remembered."""

_LAST_ID = (1 << 63) - 1


def offer(store: Store, number: int, reason: str | None) -> None:
    """Let an extracted memory wait; one that was settled stays as it is. Inside `write`."""
    store.run("memories_reviews.offer", id=number, reason=reason, at=store.now())


def confirm(store: Store, number: int) -> None:
    """Note that a memory that waits was used, or said again. Inside `write`."""
    store.run("memories_reviews.accept", id=number, at=store.now())


def accept(store: Store, ids: Iterable[int]) -> None:
    """Note that a person says of memories that they are so. Inside `write`."""
    at, confidence = store.now(), ACCEPTED_CONFIDENCE
    for number in ids:
        confirm(store, number)
        store.run("memories_reviews.raise_confidence", id=number, confidence=confidence, at=at)
        source, why = Provenance.STATED, "accepted in review"
        chain = {"source": source, "session": None, "snippet": None, "reason": why}
        store.run("memories.add_provenance", id=number, at=at, **chain)
        store.audit("accept", number, confidence=confidence)


def settle(store: Store, ids: Iterable[int], state: ReviewState, reason: str) -> None:
    """Note what became of memories that wait. Inside `write`."""
    at = store.now()
    for number in ids:
        store.run("memories_reviews.settle", id=number, state=state, reason=reason, at=at)


def pending(store: Store, project: str, *, limit: int) -> list[int]:
    """Return ids of memories that wait, newest first."""
    query = {"project": project, "before": _LAST_ID, "limit": limit}
    return [number for (number,) in store.all("memories_reviews.pending", **query)]


def overdue(store: Store, project: str, *, max_pending: int) -> list[int]:
    """Return ids of memories that have waited longest, as many as are too many."""
    excess = store.value("memories_reviews.pending_count", project=project) - max_pending
    if excess <= 0:
        return []
    rows = store.all("memories_reviews.oldest_pending", project=project, limit=excess)
    return [number for (number,) in rows]


def session_count(store: Store, project: str, session: str) -> int:
    """Return how many memories were extracted from a session, whatever became of them."""
    count: int = store.value("memories_reviews.session_count", project=project, session=session)
    return count


def known(store: Store, hashes: Sequence[str]) -> int | None:
    """Return a memory that has one of these content hashes, whatever became of it, or None; one
    that only waited too long does not count."""
    listed = json.dumps(hashes)
    number: int | None = store.value("memories_reviews.known", content_hashes=listed)
    return number

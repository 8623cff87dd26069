"""Similarity of memories: what lies nearest to one by its vector, else by its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from ..memories.records import Memory
from . import clusters

if TYPE_CHECKING:
    from ..context.ports import OpenKit


@attrs.frozen
class SimilarMemory:
    """Memory that is like another.

    Attributes:
        score: cosine of the two vectors; where there are none, the probability that it answers to
            the other's words. by_words: whether it is that. cluster: label of the cluster that both
            lie in, None if they share none.
    """

    memory: Memory
    score: float
    by_words: bool = False
    cluster: str | None = None


def similar(kit: OpenKit, memory: Memory, *, limit: int) -> list[SimilarMemory]:
    """Return the memories that are most like one of the same store, the likest first: those that
    hold and that it may see."""
    scores = _nearest(kit, memory, limit=limit)
    by_words = not scores
    if by_words:
        scores = _by_words(kit, memory, limit=limit)
    cluster_of = clusters.clusters_of(kit._store, [memory.id, *scores])
    own = cluster_of.get(memory.id)

    def shared_label(number: int) -> str | None:
        return own[1] if own is not None and cluster_of.get(number) == own else None

    return [
        SimilarMemory(other, min(scores[other.id], 1.0), by_words, shared_label(other.id))
        for other in kit.memories.get_many(scores)
    ]


def _nearest(kit: OpenKit, memory: Memory, *, limit: int) -> dict[int, float]:
    """Return the cosines of the memories that are nearest by vector; none if it has no vector."""
    store, model_id = kit._store, kit._index.model_id()
    if model_id is None or store.vector_note is not None:
        return {}
    rows = store.all(
        "consolidation_clusters.nearest_to",
        id=memory.id,
        model_id=model_id,
        project=kit.project,
        moment=store.now(),
        limit=limit,
    )
    return dict(rows)


def _by_words(kit: OpenKit, memory: Memory, *, limit: int) -> dict[int, float]:
    """Return the scores of the memories that its own words, tags and names bring."""
    text = " ".join((memory.text, *memory.tags))
    hits = kit._recall(
        text,
        limit=limit + 1,
        min_score=0.0,
        depth=0,
        session=memory.session,
        task=memory.task,
        sources="memories",
        noted=False,
    )
    scores = {hit.id: hit.score for hit in hits if hit.id != memory.id}
    return dict(list(scores.items())[:limit])

"""Similarity of memories: what lies nearest to one by its vector, or by its words without one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs

from ..memories.records import Memory
from ..retrieval.query import excluded_at, filters_of
from ..retrieval.records import Facts
from . import clusters

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..context.ports import OpenKit
    from ..retrieval.records import Filters

# Memories that are compared for each that is returned: some of them are not to be shown.
_SPARE = 4


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
    best = sorted(scores, key=lambda number: (-scores[number], number))[:limit]
    cluster_of = clusters.clusters_of(kit._store, [memory.id, *best])
    own = cluster_of.get(memory.id)
    return [
        SimilarMemory(
            found,
            min(scores[found.id], 1.0),
            by_words,
            own[1] if own is not None and cluster_of.get(found.id) == own else None,
        )
        for found in kit.memories.get_many(best)
    ]


def _nearest(kit: OpenKit, memory: Memory, *, limit: int) -> dict[int, float]:
    """Return the cosines of the memories that are nearest by vector; none if it has no vector."""
    store, model_id = kit._store, kit._index.model_id()
    if model_id is None or store.vector_note is not None:
        return {}
    cosines: dict[int, float] = {}
    query, count = "consolidation_clusters.vectors_of", limit * _SPARE + 1
    for (vector,) in store.all(query, id=memory.id, model_id=model_id):
        while True:
            rows = store.all("retrieval.nearest", query=vector, model_id=model_id, limit=count)
            near = {number: 1.0 - distance for number, distance in rows}
            visible = _visible(kit, memory, near)
            if len(visible) > limit or len(rows) < count:
                break
            count *= _SPARE
        for number in visible:
            cosines[number] = max(cosines.get(number, -1.0), near[number])
    cosines.pop(memory.id, None)
    return cosines


def _by_words(kit: OpenKit, memory: Memory, *, limit: int) -> dict[int, float]:
    """Return the scores of the memories that its own words, tags and names bring."""
    text = " ".join((memory.text, *memory.tags))
    hits = kit._recall(
        text, limit=limit + 1, min_score=0.0, depth=0, sources="memories", noted=False
    )
    scores = {hit.id: hit.score for hit in hits}
    visible = _visible(kit, memory, scores)
    return {number: scores[number] for number in visible if number != memory.id}


def _visible(kit: OpenKit, memory: Memory, ids: Iterable[int]) -> Sequence[int]:
    """Return those of the ids whose memories hold, and that stand where this memory may see them:
    of its session and its task, if it has any."""
    filters = _filters(kit, memory)
    rows = kit._store.all("retrieval.facts", ids=json.dumps(sorted(ids)))
    facts = (Facts(*row) for row in rows)
    now = kit._store.now()
    return [fact.id for fact in facts if excluded_at(fact, filters, now=now) is None]


def _filters(kit: OpenKit, memory: Memory) -> Filters:
    return filters_of(
        kit.project,
        kit._store.clock(),
        session=memory.session,
        task=memory.task,
    )

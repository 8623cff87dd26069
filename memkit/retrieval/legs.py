"""The first matches of a question, each leg on its own: words, vectors, names, neighbours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..encoder import quantize, sign_bits

if TYPE_CHECKING:
    from ..encoder.protocol import Vector
    from ..store.connection import Store

# Vectors that are all compared exactly; beyond, sign bits make a first cut
# (measured: 8 µs a row exact, 0.1 µs a row by bits).
EXACT_ROWS = 1_000
# Chunks kept by the first cut, per memory wanted (bench/latency prints what it costs).
FIRST_CUT = 10


def lexical(store: Store, match: str, *, limit: int, within: str | None = None) -> dict[int, float]:
    """Return the BM25, larger is better, of the memories whose words match, best first.

    `match` is an FTS5 expression made by `question`; `within` a JSON list of ids to stay inside.
    """
    if not match:
        return {}
    if within is None:
        found = store.all("retrieval.lexical", match=match, limit=limit)
    else:
        found = store.all("retrieval.lexical_within", match=match, limit=limit, ids=within)
    return {number: -score for number, score in found}


def nearest(
    store: Store, vector: Vector, *, space: int, rows: int, limit: int, within: str | None = None
) -> list[tuple[int, float]]:
    """Return (id, cosine similarity) of the memories nearest to a unit vector, best first.

    `space` is the encoder's number, `rows` how many vectors it has; they decide between the exact
    way and the first cut on sign bits. `within` is a JSON list of ids to stay inside.
    """
    query = quantize(vector)
    if within is not None:
        found = store.all(
            "retrieval.nearest_within", query=query, space=space, limit=limit, ids=within
        )
    elif rows <= EXACT_ROWS:
        found = store.all("retrieval.nearest", query=query, space=space, limit=limit)
    else:
        found = store.all(
            "retrieval.nearest_by_bits",
            query=query,
            bits=sign_bits(vector),
            space=space,
            first_cut=limit * FIRST_CUT,
            limit=limit,
        )
    return [(number, 1.0 - distance) for number, distance in found]


def similarities(
    store: Store, vector: Vector, *, space: int, ids: Iterable[int]
) -> dict[int, float]:
    """Return the cosine similarity of given memories to a unit vector."""
    found = store.all(
        "retrieval.distances", query=quantize(vector), space=space, ids=json.dumps(list(ids))
    )
    return {number: 1.0 - distance for number, distance in found}


def neighbours(store: Store, ids: Sequence[int]) -> dict[int, int]:
    """Return the `next` edges that touch any of these memories, before → after."""
    return dict(sorted(store.all("retrieval.neighbours", ids=json.dumps(sorted(ids)))))

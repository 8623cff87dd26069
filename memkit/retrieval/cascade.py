"""From first matches along edges: the best path to every node within a few steps.

The walk itself is one recursive query (`retrieval.cascade`), capped at hubs and by a node budget.
The scores are computed here from the edges it met: a path's score is its seed's score times the
edge weights times the decay per step, and a node keeps its best path (seed 002, Cascade Retrieval).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from .records import CascadeLimits, Step

if TYPE_CHECKING:
    from ..store.connection import Row, Store


@attrs.frozen
class Reached:
    """A node with the score of its best path and that path, first step first."""

    node: int
    score: float
    path: tuple[Step, ...]


def cascade(store: Store, seeds: Mapping[int, float], limits: CascadeLimits) -> list[Reached]:
    """Return the nodes reached from the seeds (node → score 0..1), best first, seeds included.

    Only the best `limits.seeds` seeds are followed.
    """
    best = sorted(seeds, key=lambda node: (-seeds[node], node))[: limits.seeds]
    if not best or limits.depth < 1:
        return [Reached(node, seeds[node], ()) for node in best]
    met = store.all(
        "retrieval.cascade",
        seeds=json.dumps(best),
        depth=limits.depth,
        fanout=limits.fanout,
        budget=limits.budget,
    )
    return best_paths(
        {node: seeds[node] for node in best}, met, decay=limits.decay, depth=limits.depth
    )


def best_paths(
    seeds: Mapping[int, float], met: Iterable[Row], *, decay: float, depth: int
) -> list[Reached]:
    """Return every node's best path of at most `depth` steps over the edges met.

    An edge is (from, to, kind, weight, …). A longer path along stronger edges may be better than a
    shorter one, so each node that was bettered by one step is followed by the next.
    """
    reached = {node: Reached(node, score, ()) for node, score in seeds.items()}
    edges: dict[int, list[Row]] = {}
    for row in met:
        edges.setdefault(row[0], []).append(row)
    bettered = dict(reached)
    for _ in range(depth):
        sources, bettered = bettered, {}
        for from_node, source in sources.items():
            for _, to_node, kind, weight, *_ in edges.get(from_node, ()):
                score = source.score * weight * decay
                known = reached.get(to_node)
                if known is None or score > known.score:
                    step = Step(from_node, kind, to_node, weight)
                    reached[to_node] = Reached(to_node, score, (*source.path, step))
                    bettered[to_node] = reached[to_node]
    return sorted(reached.values(), key=lambda found: (-found.score, found.node))

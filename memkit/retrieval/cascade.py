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
    return best_paths({node: seeds[node] for node in best}, met, decay=limits.decay)


def best_paths(seeds: Mapping[int, float], met: Iterable[Row], *, decay: float) -> list[Reached]:
    """Return every node's best path over the edges met: (from, to, kind, weight, depth, forward).

    Edges come in the order of depth, so one pass per depth sees every path of that length.
    """
    reached = {node: Reached(node, score, ()) for node, score in seeds.items()}
    by_depth: dict[int, list[Row]] = {}
    for row in met:
        by_depth.setdefault(row[4], []).append(row)
    for depth in sorted(by_depth):
        before = dict(reached)
        for from_node, to_node, kind, weight, _, _ in by_depth[depth]:
            source = before.get(from_node)
            if source is None:
                continue
            score = source.score * weight * decay
            known = reached.get(to_node)
            if known is None or score > known.score:
                step = Step(from_node, kind, to_node, weight)
                reached[to_node] = Reached(to_node, score, (*source.path, step))
    return sorted(reached.values(), key=lambda found: (-found.score, found.node))

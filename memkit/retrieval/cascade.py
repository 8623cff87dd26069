"""From first matches along edges: the best path to every node within a few steps.

The walk itself is one recursive query (`retrieval.cascade`), capped at hubs and by a node budget;
where memories are about code that is known, two queries a step (`retrieval.steps` and the code's
own) with the same caps go over memories, files and symbols alike.
The scores are computed here from the edges it met: a path's score is its seed's score times the
edge weights times the decay per step, and a node keeps its best path (seed 002, Cascade Retrieval).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from ..codegraph import around
from ..memories.kinds import EDGE_WEIGHTS, EdgeKind
from .records import CascadeLimits, CodeEdge, Step

if TYPE_CHECKING:
    from ..store.connection import Row, Store

# What a step inside the code is worth, by how much two ends have to do with each other.
CODE_WEIGHTS: dict[str, float] = {
    EdgeKind.ABOUT: EDGE_WEIGHTS[EdgeKind.ABOUT],
    CodeEdge.INHERITS: 0.7,
    CodeEdge.OVERRIDES: 0.7,
    CodeEdge.CALLS: 0.6,
    CodeEdge.CONTAINS: 0.5,
    CodeEdge.USES: 0.4,
    CodeEdge.IMPORTS: 0.4,
    CodeEdge.REFERENCES: 0.3,
}


@attrs.frozen
class Reached:
    """A node with the score of its best path and the edges of that path, first step first."""

    node: int
    score: float
    edges: tuple[Row, ...] = ()

    @property
    def path(self) -> tuple[Step, ...]:
        """The best path as steps, made when asked for: most nodes that are met are not shown."""
        return tuple(
            Step(src, kind, dst, weight, bool(rest[-1]))
            for src, dst, kind, weight, *rest in self.edges
        )


def cascade(
    store: Store,
    seeds: Mapping[int, float],
    limits: CascadeLimits,
    *,
    kinds: Iterable[EdgeKind] = tuple(EdgeKind),
    in_code: bool = False,
) -> list[Reached]:
    """Return the nodes reached from the seeds (node → score 0..1), best first, seeds included.

    Only the best `limits.seeds` seeds are followed, and only along edges of these `kinds`; with
    `in_code` along those of the code graph too.
    """
    best = sorted(seeds, key=lambda node: (-seeds[node], node))[: limits.seeds]
    if not best or limits.depth < 1:
        return [Reached(node, seeds[node]) for node in best]
    met = (
        _steps(store, best, limits, kinds)
        if in_code
        else store.all(
            "retrieval.cascade",
            seeds=json.dumps(best),
            kinds=json.dumps(sorted(kinds)),
            depth=limits.depth,
            fanout=limits.fanout,
            budget=limits.budget,
        )
    )
    return best_paths(
        {node: seeds[node] for node in best}, met, decay=limits.decay, depth=limits.depth
    )


def _steps(
    store: Store, seeds: Iterable[int], limits: CascadeLimits, kinds: Iterable[EdgeKind]
) -> list[Row]:
    """Return the edges met over memories and code, nearest first, as `retrieval.cascade` does."""
    wanted = json.dumps(sorted(kinds))
    opened: set[int] = set()
    met: list[Row] = []
    nodes = list(dict.fromkeys(seeds))
    for depth in range(1, limits.depth + 1):
        nodes = nodes[: max(limits.budget - len(opened), 0)]
        opened.update(nodes)
        rows = store.all(
            "retrieval.steps",
            nodes=json.dumps(nodes),
            kinds=wanted,
            fanout=limits.fanout,
            goes_on=int(depth < limits.depth),
        )
        edges = [
            (src, dst, kind, CODE_WEIGHTS[kind] if weight is None else weight, depth, forward)
            for src, dst, kind, weight, forward in rows
        ]
        if depth < limits.depth:
            edges += [
                (src, dst, kind, CODE_WEIGHTS[kind], depth, forward)
                for src, dst, kind, forward in around.steps(store, nodes, fanout=limits.fanout)
            ]
        edges.sort(key=lambda edge: -edge[3])
        met += edges
        nodes = [n for n in dict.fromkeys(edge[1] for edge in edges) if n not in opened]
    return met


def best_paths(
    seeds: Mapping[int, float], met: Iterable[Row], *, decay: float, depth: int
) -> list[Reached]:
    """Return every node's best path of at most `depth` steps over the edges met.

    An edge is (from, to, kind, weight, …). A longer path along stronger edges may be better than a
    shorter one, so each node that was bettered by one step is followed by the next.
    """
    reached: dict[int, tuple[float, tuple[Row, ...]]] = {n: (s, ()) for n, s in seeds.items()}
    edges: dict[int, list[Row]] = {}
    for row in met:
        edges.setdefault(row[0], []).append(row)
    bettered = dict(reached)
    for _ in range(depth):
        sources, bettered = bettered, {}
        for from_node, (before, path) in sources.items():
            for edge in edges.get(from_node, ()):
                score = before * edge[3] * decay
                if edge[1] not in reached or score > reached[edge[1]][0]:
                    bettered[edge[1]] = reached[edge[1]] = (score, (*path, edge))
    order = sorted(reached, key=lambda node: (-reached[node][0], node))
    return [Reached(node, *reached[node]) for node in order]

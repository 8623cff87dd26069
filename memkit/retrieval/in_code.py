"""Where memories and code meet: what became of the places that memories are about, and what lies
near a place.

Nothing here costs anything while there is no code graph or no memory is about a place in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ..codegraph.anchoring import Anchored, Anchoring, AnchorState, Checked
from ..memories.anchored import anchor
from ..memories.kinds import EDGE_WEIGHTS, EdgeKind
from .cascade import Reached, cascade
from .decide import raised
from .rank import Ranked, log_odds_of
from .records import CODE_NODES, CascadeLimits, Step

if TYPE_CHECKING:
    from ..store.connection import Store
    from .related import FactsOf, Found

# Log-odds that a memory loses with what it is about, if all of that has changed or is gone.
PENALTIES = {AnchorState.STALE: 1.0, AnchorState.GONE: 1.5}
# A memory about the very place gains so much in log-odds, and has at least this chance; one that is
# reached from there its share of it.
NEAR_GAIN = 2.0
NEAR_CHANCE = 0.3
# Memories that a place brings, the nearest first.
MOST_NEAR = 50
_MOST_SEEDS = 10


@attrs.frozen
class Near:
    """A place that a question was asked at: how it was named, and its nodes in the code."""

    name: str
    nodes: tuple[int, ...] = ()


class InCode:
    """What one store's recall asks of its code graph."""

    def __init__(self, store: Store, anchoring: Anchoring) -> None:
        self._store = store
        self._anchoring = anchoring
        self._joined: tuple[object, bool] = (None, False)

    @property
    def is_joined(self) -> bool:
        """Whether any memory is about a place and there is code; asked again after a change."""
        state = self._store.state()
        if self._joined[0] != state:
            self._joined = (state, bool(self._store.value("retrieval.has_about")))
        return self._joined[1]

    def near(self, name: str) -> Near:
        """Return the place that a path or a symbol's name means; all of them if several."""
        places = self._anchoring.nodes(name)
        return Near(name, tuple(place.node for place in places[:_MOST_SEEDS]))

    def checked(self, ids: Iterable[int]) -> dict[int, dict[Anchored, Checked]]:
        """Return what became of the anchors of memories, by memory and anchor."""
        if not self.is_joined:
            return {}
        rows = self._store.all("retrieval.about", ids=json.dumps(list(ids)))
        anchors: list[Anchored] = [row[1:] for row in rows]
        found: dict[int, dict[Anchored, Checked]] = {}
        for row, one in zip(rows, self._anchoring.known(anchors), strict=True):
            found.setdefault(row[0], {})[row[1:]] = one
        return found

    def up_to_date(self, checked: Iterable[Mapping[Anchored, Checked]]) -> bool:
        """Let the graph follow the files of anchors, where they were and where they are; return
        whether none had changed. Not inside a snapshot: it may write."""
        ends = (one for found in checked for one in found.items())
        paths = [path for anchored, now in ends for path in (anchored[0], now.path)]
        return self._anchoring.up_to_date(paths)

    def labels(self, paths: Iterable[Sequence[Step]]) -> dict[int, str]:
        """Return the names of files and symbols on paths."""
        ends = {node for path in paths for step in path for node in (step.from_node, step.to_node)}
        nodes = [node for node in ends if 0 < node < CODE_NODES]
        return dict(self._store.all("retrieval.labels", nodes=json.dumps(nodes))) if nodes else {}

    def lifted(self, found: Found, near: Near, limits: CascadeLimits, facts_of: FactsOf) -> Found:
        """Return the same with what lies near a place raised, by the part `near`."""
        reached = self._about(near, limits)
        visible = facts_of(reached)
        if not visible:
            return found
        straight = EDGE_WEIGHTS[EdgeKind.ABOUT] * limits.decay
        ranked, paths = dict(found.ranked), dict(found.paths)
        for number in visible:
            share = min(reached[number].score / straight, 1.0)
            own = ranked.get(number)
            ranked[number] = (
                # Nothing else is known of it: its chance is that of the place.
                Ranked(number, {"near": log_odds_of(NEAR_CHANCE * share)})
                if own is None
                else raised(
                    own.with_part("near", NEAR_GAIN * share), "near", to=NEAR_CHANCE * share
                )
            )
            paths[number] = reached[number].path
        return attrs.evolve(found, ranked=ranked, paths=paths)

    # -- inside

    def _about(self, near: Near, limits: CascadeLimits) -> dict[int, Reached]:
        """Return the memories at a place or near it, the nearest first."""
        if near.nodes and self.is_joined:
            walk = attrs.evolve(limits, depth=max(limits.depth, 1))
            seeds = dict.fromkeys(near.nodes, 1.0)
            met = cascade(self._store, seeds, walk, in_code=True)
            reached = [one for one in met if one.node >= CODE_NODES][:MOST_NEAR]
            return {one.node: one for one in reached}
        path, symbol, _ = anchor(near.name)
        rows = self._store.all("retrieval.about_place", path=path, symbol=symbol, limit=MOST_NEAR)
        return {number: Reached(number, 1.0) for (number,) in rows}


def outdated(checked: Mapping[int, Mapping[Anchored, Checked]]) -> dict[int, float]:
    """Return the log-odds that memories lose with what they are about."""
    found: dict[int, float] = {}
    for number, anchors in checked.items():
        lost = sum(PENALTIES.get(one.state, 0.0) for one in anchors.values())
        if lost:
            found[number] = lost / len(anchors)
    return found


def lowered(found: Found, amounts: Mapping[int, float], *, least: float) -> Found:
    """Return the same with memories that are out of date lowered, by the part `stale`.

    What was good enough stays so (`least` are the log-odds for that): that it does not hold any
    more may be what one has to know.
    """
    ranked = dict(found.ranked)
    for number, amount in amounts.items():
        one = ranked[number]
        spare = max(one.log_odds - least, 0.0) if one.log_odds >= least else amount
        ranked[number] = one.with_part("stale", -min(amount, spare))
    return attrs.evolve(found, ranked=ranked) if amounts else found

"""What follows from what was found: successors of superseded memories, and the cascade."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from ..memories.kinds import EdgeKind
from .cascade import Reached, cascade
from .decide import FLOOR, Decision, chance_of, raised
from .rank import Ranked, log_odds_of
from .records import CODE_NODES, CascadeLimits, Facts

if TYPE_CHECKING:
    from ..store.connection import Store

Paths = dict[int, Reached]
FactsOf = Callable[[Iterable[int]], Mapping[int, Facts]]

# Edges that say little about two memories' subjects: a shared tag may mean anything, and what the
# turn before or after tells is weighed in the ranking already.
LOOSE = frozenset({EdgeKind.HAS_TAG, EdgeKind.IN_CLUSTER, EdgeKind.NEXT})
LOOSENESS = 0.05
EVERY = frozenset(EdgeKind)
FIRM = EVERY - LOOSE
# Share of the best chance from which a memory is a seed: what hangs on a far weaker match would
# stand below everything that is shown, and each seed costs a fifth of a millisecond.
SEED_SHARE = 0.2
# Memories that edges may bring, the strongest paths first: twice what seed 002 returns at most,
# since some of them stand in the list already.
MOST_REACHED = 20


@attrs.frozen
class Found:
    """Ranked memories (in no order) with the paths by which some were reached."""

    ranked: Mapping[int, Ranked]
    paths: Paths


def successors(
    store: Store, found: Found, replaced: Sequence[int], facts_of: FactsOf, *, history: bool
) -> Found:
    """Return the same with each replaced memory's standing passed on to its last successor.

    Replaced memories themselves leave the list: what is asked about them is answered by what holds
    now. With `history` they stay, behind what replaced them.
    """
    if not replaced:
        return found
    newer: dict[int, int] = dict(store.all("retrieval.newer", ids=json.dumps(list(replaced))))
    visible = facts_of(newer.values())
    gone = () if history else replaced
    ranked = {number: one for number, one in found.ranked.items() if number not in gone}
    paths = dict(found.paths)
    for old in replaced:
        new = newer.get(old)
        if new is None or new not in visible:
            continue
        before = found.ranked[old]
        own = ranked.get(new)
        if own is None:
            ranked[new] = attrs.evolve(before, id=new)
        elif own.log_odds < before.log_odds:
            ranked[new] = own.with_part("successor", before.log_odds - own.log_odds)
        else:
            continue
        edge = (old, new, EdgeKind.SUPERSEDES, 1.0, 1, True)
        paths[new] = Reached(new, chance_of(before), (edge,))
    return Found(ranked, paths)


def reached(
    store: Store,
    found: Found,
    limits: CascadeLimits,
    facts_of: FactsOf,
    *,
    rule: Decision,
    in_code: bool = False,
) -> Found:
    """Return the same with what lies a few edges from the best of them.

    A path's score is a chance: that of its first memory times weights and decay. It only ever
    raises a memory, by the part `cascade`. Loose edges are not walked if no path along one could
    reach the chance that the `rule` asks for (they are half of the walk's time). With `in_code`
    files and symbols are steps of a path too.
    """
    if not found.ranked or limits.depth < 1:
        return found
    likeliest = max(found.ranked.values(), key=lambda one: one.log_odds)
    best = chance_of(likeliest)
    least = log_odds_of(max(FLOOR, SEED_SHARE * best))
    kinds = EVERY if best * limits.decay * LOOSENESS >= rule.least([likeliest]) else FIRM
    seeds = {n: chance_of(one) for n, one in found.ranked.items() if one.log_odds >= least}
    if not seeds:
        return found
    near = {
        one.node: one
        for one in islice(
            (
                one
                for one in cascade(store, seeds, limits, kinds=kinds, in_code=in_code)
                if one.edges and (one.node >= CODE_NODES if in_code else one.node > 0)
            ),
            MOST_REACHED,
        )
    }
    # What is ranked already has passed the filters.
    others = facts_of(number for number in near if number not in found.ranked)
    visible = [number for number in near if number in found.ranked or number in others]
    ranked, paths = dict(found.ranked), dict(found.paths)
    for number in visible:
        chance = _chance(near[number])
        own = ranked.get(number)
        lifted = (
            raised(own, "cascade", to=chance)
            if own
            else Ranked(number, {"cascade": log_odds_of(chance)})
        )
        if lifted is not own:
            ranked[number] = lifted
            paths[number] = near[number]
    return Found(ranked, paths)


def _chance(one: Reached) -> float:
    loose = any(kind in LOOSE for _, _, kind, *_ in one.edges)
    return one.score * (LOOSENESS if loose else 1.0)

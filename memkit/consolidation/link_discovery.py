"""Link discovery: memories that proved useful together are related, fading with time.

Seed 002, Post-Retrieval Maintenance: two or more memories that were verified get or strengthen
`relates_to`. `plan_links` says what would change, `apply_link` does it, inside a transaction; a
second plan at the same time is empty. Edges that somebody made are left as they are.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING

import attrs

from ..store import timestamps

if TYPE_CHECKING:
    from ..store.store import Store

# The nearest that use brings two memories; what a person relates has .5 (EDGE_WEIGHTS), and what
# merely came up together is less.
MAX_WEIGHT = 0.4
# Occasions after which it is two thirds of that: once may be chance.
OCCASIONS = 2.0
# Days in which it falls to 1/e: as a preference (seed 002, Confidence Decay).
FADE_DAYS = 90.0
# Below, a link is removed; weights differ by steps, so that a day changes nothing.
MIN_WEIGHT, STEP = 0.1, 0.05
# Memories of one occasion and links of one memory that count, the strongest first: what helped
# among forty was hardly useful together. Uses that are looked at.
MAX_TOGETHER, MAX_LINKS, MAX_USES = 8, 8, 5_000

Pair = tuple[int, int]


class LinkAction(StrEnum):
    """What becomes of a link."""

    LINK = "link"
    REMOVE = "remove"
    RELEASE = "release"


@attrs.frozen
class LinkChange:
    """Change of a link between two memories, the older one first.

    Attributes:
        action: link (get or weigh anew), remove, or release: the edge has become somebody's own.
        score: weight of the edge afterwards. times, last_at: on how many occasions, UTC text.
        reason: why, for people.
    """

    action: LinkAction
    memory_id: int
    other_id: int
    score: float
    times: int
    last_at: str
    reason: str


@attrs.frozen
class CoUse:
    """How often two memories proved useful together, and when last (UTC text)."""

    times: int
    last_at: str


def weight_of(times: int, age_days: float) -> float:
    """Return how near use brings two memories, in steps; 0 if it is too little."""
    fade = math.exp(-max(age_days, 0.0) / FADE_DAYS)
    weight = MAX_WEIGHT * (1 - math.exp(-times / OCCASIONS)) * fade
    return 0.0 if weight < MIN_WEIGHT else round(round(weight / STEP) * STEP, 2)


def plan_links(store: Store, *, ids: Collection[int] | None = None) -> Iterator[LinkChange]:
    """Yield the links that use asks for, and those that have faded; `ids`: of these alone, and
    none fades."""
    links = {(a, b): rest for a, b, *rest in store.all("consolidation_links.links")}
    now = store.clock()
    uses = dict(_co_uses(store, ids))
    for pair, (times, last_at, weight, edge) in links.items():
        if edge is None or abs(edge - weight) > STEP / 10:
            yield LinkChange(LinkAction.RELEASE, *pair, edge or 0.0, times, last_at, "edge is set")
            uses.pop(pair, None)
            continue
        use = uses.pop(pair, None)
        if use is None and ids is not None:
            continue
        use = _later(CoUse(times, last_at), use)
        weight_now = weight_of(use.times, _age(now, use.last_at))
        if not weight_now:
            yield LinkChange(LinkAction.REMOVE, *pair, 0.0, use.times, use.last_at, "faded")
        elif (weight_now, use) != (weight, CoUse(times, last_at)):
            yield _link(pair, use, weight_now)
    yield from _new(store, uses, links.keys(), now)


def apply_link(store: Store, change: LinkChange) -> None:
    """Do a planned change; inside `write`."""
    pair = {"memory_a": change.memory_id, "memory_b": change.other_id}
    if change.action is LinkAction.LINK:
        row = {"times": change.times, "last_at": change.last_at, "weight": change.score}
        store.run("consolidation_links.put_link", **pair, **row)
        store.run("consolidation_links.put_edge", **pair, weight=change.score, at=store.now())
    else:
        store.run("consolidation_links.drop_link", **pair)
        if change.action is LinkAction.REMOVE:
            store.run("consolidation_links.drop_edge", **pair)
    store.audit(
        str(change.action),
        change.memory_id,
        other=change.other_id,
        weight=change.score,
        reason=change.reason,
    )


def discover_links(store: Store, ids: Collection[int] | None = None) -> list[LinkChange]:
    """Plan and apply in one transaction; return what was done."""

    def apply() -> list[LinkChange]:
        changes = list(plan_links(store, ids=ids))
        for change in changes:
            apply_link(store, change)
        return changes

    return store.write(apply)


def _new(
    store: Store, uses: Mapping[Pair, CoUse], links: Collection[Pair], now: float
) -> Iterator[LinkChange]:
    """Yield links of pairs that have none, the strongest of each memory."""
    taken = {frozenset(pair) for pair in store.all("consolidation_links.related")}
    taken |= {frozenset(pair) for pair in store.all("consolidation_links.apart")}
    count: dict[int, int] = {}
    for pair in links:
        for end in pair:
            count[end] = count.get(end, 0) + 1
    ranked = sorted(uses.items(), key=lambda use: (-use[1].times, use[1].last_at, use[0]))
    places = _places(store, {end for pair in uses for end in pair})
    for pair, use in ranked:
        weight = weight_of(use.times, _age(now, use.last_at))
        fits = all(count.get(end, 0) < MAX_LINKS for end in pair)
        is_one_place = pair[0] in places and places[pair[0]] == places.get(pair[1])
        if weight and fits and is_one_place and frozenset(pair) not in taken:
            for end in pair:
                count[end] = count.get(end, 0) + 1
            yield _link(pair, use, weight)


def _co_uses(store: Store, ids: Collection[int] | None) -> Iterator[tuple[Pair, CoUse]]:
    """Yield pairs that helped on one occasion."""
    some = None if ids is None else json.dumps(sorted(ids))
    together: dict[str, dict[int, str]] = {}
    for number, occasion, at in store.all(
        "consolidation_links.occasions", ids=some, limit=MAX_USES
    ):
        together.setdefault(occasion, {}).setdefault(number, at)
    uses: dict[Pair, CoUse] = {}
    for members in together.values():
        for a, b in combinations(sorted(list(members)[:MAX_TOGETHER]), 2):
            at = max(members[a], members[b])
            former = uses.get((a, b))
            uses[a, b] = CoUse(
                1 + (former.times if former else 0), max(at, former.last_at if former else at)
            )
    yield from uses.items()


def _places(store: Store, ids: Iterable[int]) -> dict[int, tuple[str, str, int]]:
    """Return where memories stand that may be linked: no wall is crossed."""
    rows = store.all("consolidation_links.linkable", ids=json.dumps(sorted(ids)))
    return {number: (project, scope, private) for number, project, scope, private in rows}


def _later(stored: CoUse, use: CoUse | None) -> CoUse:
    if use is None:
        return stored
    return CoUse(max(stored.times, use.times), max(stored.last_at, use.last_at))


def _link(pair: Pair, use: CoUse, weight: float) -> LinkChange:
    times = f"{use.times} times" if use.times > 1 else "once"
    reason = f"useful together {times}, last on {use.last_at[:10]}"
    return LinkChange(LinkAction.LINK, *pair, weight, use.times, use.last_at, reason)


def _age(now: float, at: str) -> float:
    return (now - timestamps.to_epoch(at)) / 86_400

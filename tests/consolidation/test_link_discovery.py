"""Memories that proved useful together are related, within bounds, and less as time goes by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.consolidation.link_discovery import (
    MAX_LINKS,
    MAX_WEIGHT,
    LinkAction,
    discover_links,
    plan_links,
    weight_of,
)
from tests.conftest import Clock


def related(kit: memkit.Memkit) -> dict[frozenset[int], float]:
    """Pairs that are related, with their weight."""
    rows = kit._store.all("consolidation_links.related")
    return {
        frozenset(pair): edge.weight
        for pair in rows
        for edge in kit.memories.edges(pair[0])
        if {edge.src, edge.dst} == set(pair) and edge.kind == "relates_to"
    }


@given(st.integers(1, 1000), st.floats(0, 3000), st.floats(0, 3000))
def test_weight_grows_with_occasions_and_falls_with_age(
    times: int, age: float, later: float
) -> None:
    """It is bounded, never falls with one more occasion and never rises with age."""
    assert weight_of(times, age + later) <= weight_of(times, age) <= weight_of(times + 1, age)
    assert weight_of(times, age) <= MAX_WEIGHT


def test_memories_that_helped_together_are_linked_and_fade(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """Once links, again strengthens, a second plan is empty, and after long it is gone."""
    a, b, c = (kit.memories.remember(f"the {x} is warm").id for x in ("kiln", "glaze", "wheel"))
    kit.consolidation.used([a, b])
    clock.advance(1)
    kit.consolidation.used(c)
    assert [change.action for change in discover_links(kit._store)] == [LinkAction.LINK]
    first = related(kit)
    assert first.keys() == {frozenset((a, b))}
    assert not list(plan_links(kit._store))
    clock.advance(days=1)
    kit.consolidation.used([a, b])
    discover_links(kit._store)
    assert related(kit)[frozenset((a, b))] > first[frozenset((a, b))]
    clock.advance(days=60)
    discover_links(kit._store)
    assert 0 < related(kit)[frozenset((a, b))] < first[frozenset((a, b))] + 0.01
    clock.advance(days=400)
    assert [change.action for change in discover_links(kit._store)] == [LinkAction.REMOVE]
    assert not related(kit)
    assert not list(plan_links(kit._store))


@pytest.mark.parametrize("apart", ["private", "project", "contradicts", "session", "forgotten"])
def test_no_link_crosses_a_wall(kit: memkit.Memkit, apart: str) -> None:
    """Neither from private to shared nor between projects, opposites, or what belongs to a
    session; nor to what is forgotten."""
    fields = {
        "private": {"private": True},
        "project": {"project": "other"},
        "session": {"scope": "session", "session": "s"},
    }
    a = kit.memories.remember("the kiln is warm")
    b = kit.memories.remember("the glaze is wet", **fields.get(apart, {}))
    if apart == "contradicts":
        kit.memories.contradict(a, b)
    kit.consolidation.used([a, b])
    if apart == "forgotten":
        kit.memories.forget(b)
    assert not discover_links(kit._store)


def test_an_edge_of_somebodys_own_is_left_alone(kit: memkit.Memkit, clock: Clock) -> None:
    """What was related by hand neither grows nor fades; a link made stronger by hand is theirs."""
    a, b, c = (kit.memories.remember(f"the {x} is warm").id for x in ("kiln", "glaze", "wheel"))
    kit.memories.link(b, a, weight=0.3)
    kit.consolidation.used([a, b, c])
    discover_links(kit._store)
    kit.memories.link(a, c, weight=0.9)
    clock.advance(days=900)
    actions = [change.action for change in discover_links(kit._store)]
    assert sorted(actions) == [LinkAction.RELEASE, LinkAction.REMOVE]
    assert related(kit) == {frozenset((a, b)): 0.3, frozenset((a, c)): 0.9}
    assert not discover_links(kit._store)


def test_a_memory_has_a_bounded_number_of_links(kit: memkit.Memkit, clock: Clock) -> None:
    """However much helped together, one memory is linked to a few."""
    hub = kit.memories.remember("the kiln is warm").id
    for number in range(MAX_LINKS + 4):
        clock.advance(1)
        kit.consolidation.used([hub, kit.memories.remember(f"pot {number} is glazed").id])
    discover_links(kit._store)
    assert len(related(kit)) == MAX_LINKS


def test_verified_memories_of_a_turn_are_linked(kit: memkit.Memkit) -> None:
    """The agent relates what was verified together, after the turn."""
    ids = [kit.memories.remember(t).id for t in ("the kiln is warm", "the kiln is red")]
    kit.consolidation.used(ids)
    assert [c.action for c in discover_links(kit._store, ids)] == [LinkAction.LINK]
    assert not discover_links(kit._store, ids)

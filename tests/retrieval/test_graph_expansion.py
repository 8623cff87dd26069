"""The walk along edges: a breadth-first search, and bounded where that would explode.

Both sides of an open contradiction come back together, flagged, until it is settled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.encoder import HashedEncoder
from memkit.memories.records import EDGE_WEIGHTS, EdgeKind
from memkit.retrieval.graph_expansion import best_paths, cascade
from memkit.retrieval.records import CascadeLimits
from memkit.store.store import Store
from tests import reference
from tests.conftest import Clock
from tests.strategies import graphs

Graph = list[tuple[int, int, str, float]]
WIDE = CascadeLimits(depth=3, seeds=50, fanout=1000, budget=100_000)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store whose edges are replaced by each example."""
    path: Path = tmp_path_factory.mktemp("graphs") / "g.db"
    with memkit.open(path, encoder=HashedEncoder(8), global_store=False) as kit:
        yield kit._store


def draw(store: Store, edges: Graph) -> None:
    """Make these the only edges of the store."""

    def work() -> None:
        for row in store.records("tables.edges_rows"):
            store.run("tables.edges_drop", **{key: row[key] for key in ("src", "dst", "kind")})
        rows = [dict(zip(("src", "dst", "kind", "weight"), edge, strict=True)) for edge in edges]
        store.run_many("memories.add_edge", [{**row, "at": "x"} for row in rows])

    store.write(work)


def walk(store: Store, seeds: list[int], limits: CascadeLimits) -> list[tuple[object, ...]]:
    """Rows that the walk itself meets."""
    return store.all(
        "retrieval.cascade",
        seeds=str(seeds),
        kinds=json.dumps(list(EdgeKind)),
        depth=limits.depth,
        fanout=limits.fanout,
        budget=limits.budget,
    )


@given(
    graphs(), st.dictionaries(st.integers(1, 12), st.floats(0.1, 1), min_size=1), st.integers(1, 4)
)
def test_the_cascade_is_a_breadth_first_search(
    shared: Store, edges: Graph, seeds: dict[int, float], depth: int
) -> None:
    """Nodes, their best scores and the paths to them are those of the obvious walk."""
    draw(shared, edges)
    limits = CascadeLimits(depth=depth, seeds=50, fanout=1000, budget=100_000)
    found = cascade(shared, seeds, limits)
    assert {node.node for node in found} == reference.reach(edges, seeds, depth).keys()
    assert len(found) == len({node.node for node in found})
    best = reference.best_scores(edges, seeds, depth, limits.decay)
    weights = {(src, dst, kind): weight for src, dst, kind, weight in edges}
    for node in found:
        assert node.score == pytest.approx(best[node.node])
        assert len(node.path) <= depth
        score = seeds[node.path[0].from_node if node.path else node.node]
        for step in node.path:
            there, back = (
                (step.from_node, step.to_node, step.kind),
                (step.to_node, step.from_node, step.kind),
            )
            assert step.weight in (weights.get(there), weights.get(back))
            score *= step.weight * limits.decay
        assert score == pytest.approx(node.score)
    assert [node.score for node in found] == sorted((n.score for n in found), reverse=True)


def test_a_clique_does_not_enumerate_its_paths(shared: Store) -> None:
    """In sixty memories all joined, eight steps meet each edge a few times, not 59**8 paths."""
    nodes = range(1, 61)
    draw(shared, [(a, b, "relates_to", 0.5) for a in nodes for b in nodes if a != b])
    limits = CascadeLimits(depth=8)
    met = walk(shared, [1], limits)
    assert len(met) <= 2 * limits.fanout * 60
    found = cascade(shared, {1: 1.0}, limits)
    assert limits.fanout < len(found) == len({node.node for node in found}) <= 60
    assert all(len(node.path) == 1 for node in found if node.node != 1)


@pytest.mark.parametrize("in_code", [False, True])
def test_a_hub_is_followed_along_its_strongest_edges_only(shared: Store, in_code: bool) -> None:
    """A tag with twenty thousand members opens fifty of them, the strongest."""
    hub = -7
    draw(shared, [(n, hub, "has_tag", (n % 1000) / 1000) for n in range(1, 20_001)])
    limits = CascadeLimits(depth=2)
    met = walk(shared, [5], limits)
    assert len(met) <= 1 + 3 * limits.fanout
    weights = sorted((row[3] for row in met if row[0] == hub), reverse=True)
    assert weights[:20] == [0.999] * 20
    assert len(weights) <= 2 * limits.fanout
    found = cascade(shared, {5: 1.0}, limits, in_code=in_code)
    assert 40 <= len(found) <= 2 + 2 * limits.fanout


@pytest.mark.parametrize("in_code", [False, True])
def test_the_budget_ends_a_walk_that_fans_out(shared: Store, in_code: bool) -> None:
    """However many nodes there are, no more than the budget are opened."""
    edges = [(n, n * 10 + k, "relates_to", 1.0) for n in range(1, 500) for k in range(10)]
    draw(shared, edges)
    limits = CascadeLimits(depth=4, budget=40)
    assert len({row[0] for row in walk(shared, [1], limits)}) <= 40
    found = cascade(shared, {1: 1.0}, limits, in_code=in_code)
    opened = {step.from_node for node in found for step in node.path}
    assert 20 <= len(opened) <= 40


def test_rings_and_loops_end(shared: Store) -> None:
    """A ring and an edge to itself are walked once; the depth of a node is the least there is."""
    draw(
        shared, [(1, 2, "next", 1.0), (2, 3, "next", 1.0), (3, 1, "next", 1.0), (1, 1, "next", 1.0)]
    )
    found = cascade(shared, {1: 1.0}, CascadeLimits(depth=50))
    assert {node.node: len(node.path) for node in found} == {1: 0, 2: 1, 3: 1}


def test_only_edges_of_the_kinds_asked_for_are_walked(shared: Store) -> None:
    """A node behind an edge of another kind is not reached, however strong that edge is."""
    draw(shared, [(1, -7, "has_tag", 0.9), (1, 2, "relates_to", 0.4), (2, 3, "next", 1.0)])
    found = cascade(shared, {1: 1.0}, WIDE, kinds={EdgeKind.RELATES_TO, EdgeKind.NEXT})
    assert [node.node for node in found] == [1, 2, 3]


def test_nothing_to_follow_is_nothing_more(shared: Store) -> None:
    """No seeds give nothing, no depth gives the seeds, and only the best seeds are followed."""
    draw(shared, [(1, 2, "next", 1.0), (3, 4, "next", 1.0)])
    assert cascade(shared, {}, WIDE) == []
    assert [n.node for n in cascade(shared, {1: 0.2, 3: 0.9}, CascadeLimits(depth=0))] == [3, 1]
    found = cascade(shared, {1: 0.2, 3: 0.9}, CascadeLimits(seeds=1))
    assert {node.node for node in found} == {3, 4}
    assert best_paths({}, [(1, 2, "next", 1.0, 1, 1)], decay=0.7, depth=2) == []


def test_steps_weigh_what_the_seed_says(kit: memkit.Memkit) -> None:
    """An edge that is made without a weight has that of its kind (seed 002, cascade_retrieve), each
    step costs three tenths, and with the defaults two are taken from ten seeds."""
    put = kit.memories.remember
    one = put("the sky is blue", tags=["colour"])
    other = put("grass is green", tags=["colour"])
    later = put("the sky is grey today", supersedes=one)
    rule = put("paint what you see", derived_from=[other])
    far = put("brushes are washed at once", derived_from=[rule])
    kit.memories.contradict(other, later)
    weights = {edge.kind: edge.weight for edge in kit.memories.edges(other)}
    assert weights == {"has_tag": 0.8, "derived_from": 0.3, "contradicts": 0.3}
    assert {e.weight for e in kit.memories.edges(later) if e.kind == "supersedes"} == {0.9}
    found = {node.node: node.score for node in cascade(kit._store, {one.id: 1.0}, CascadeLimits())}
    assert found[later.id] == pytest.approx(0.9 * 0.7)
    assert found[other.id] == pytest.approx(0.8 * 0.7 * 0.8 * 0.7)
    assert {rule.id, far.id}.isdisjoint(found)
    assert attrs.astuple(CascadeLimits()) == (2, 0.7, 10, 50, 500)
    seeds = {number: 1.0 for number in range(1, 12)}
    assert len(cascade(kit._store, seeds, CascadeLimits())) == 10
    assert (EDGE_WEIGHTS["in_cluster"], EDGE_WEIGHTS["relates_to"]) == (0.6, 0.5)


QUESTION = "which port does the kettle server use?"


@pytest.fixture
def pair(packaged: memkit.Memkit, clock: Clock) -> tuple[int, int]:
    """A hit that is likely, and an opponent that no word leads to, with others beside them."""
    hit = packaged.memories.remember("The kettle server uses port 80.").id
    for colour in ("green", "blue", "yellow"):
        packaged.memories.remember(f"The kettle server has a {colour} lamp.")
    clock.advance(days=1)
    opponent = packaged.memories.remember(
        "Everything there listens on eighty-one.", kind="correction", tags=["ports"]
    ).id
    packaged.memories.contradict(hit, opponent, note="two numbers")
    return hit, opponent


def ids(kit: memkit.Memkit, **options: object) -> list[int]:
    return [hit.id for hit in kit.recall(QUESTION, **options)]


def test_opponent_of_a_likely_hit_comes_directly_after_it(
    packaged: memkit.Memkit, pair: tuple[int, int]
) -> None:
    """As likely as the hit, by a part of its own, and each says what it contradicts."""
    hit, opponent = packaged.recall(QUESTION)[:2]
    assert (hit.id, opponent.id) == pair
    assert hit.score == opponent.score >= 0.5
    assert sum(opponent.parts.values()) == pytest.approx(sum(hit.parts.values()))
    assert opponent.parts["opponent"] > 0
    assert hit.contradicts == (opponent.id,)
    assert opponent.contradicts == (hit.id,)
    assert f"contradicts memory {hit.id}, which is not settled" in opponent.reasons
    assert packaged.explain(QUESTION, opponent.id).present


def test_opponent_comes_no_more_once_it_is_settled(
    packaged: memkit.Memkit, pair: tuple[int, int]
) -> None:
    """Whatever the settlement: each stands for itself again."""
    packaged.memories.resolve(*pair, "both_valid")
    assert pair[0] == ids(packaged)[0]
    assert pair[1] not in ids(packaged)
    assert not packaged.recall(QUESTION)[0].contradicts


def test_opponent_keeps_to_the_limit(packaged: memkit.Memkit, pair: tuple[int, int]) -> None:
    """A limit of one is one hit, and it names the other."""
    assert ids(packaged, limit=1) == [pair[0]]
    assert ids(packaged, limit=2) == list(pair)
    assert packaged.recall(QUESTION, limit=1)[0].contradicts == (pair[1],)


def test_opponent_of_an_unlikely_hit_is_only_named(
    packaged: memkit.Memkit, pair: tuple[int, int]
) -> None:
    """One side of what is likelier wrong is enough."""
    hits = {hit.id: hit for hit in packaged.recall("who mended the attic?", min_score=0)}
    assert hits[pair[1]].score < 0.5
    assert hits[pair[1]].contradicts == (pair[0],)
    assert all("opponent" not in hit.parts for hit in hits.values())


@pytest.mark.parametrize(
    "options", [{"kind": "fact"}, {"until": "12 hours ago"}, {"as_of": "12 hours ago"}]
)
def test_opponent_passes_the_filters(
    packaged: memkit.Memkit, pair: tuple[int, int], options: dict[str, object]
) -> None:
    """What was not asked for does not come by being contradicted, nor what was not known then."""
    assert ids(packaged, **options)[0] == pair[0]
    assert pair[1] not in ids(packaged, **options)


def test_pair_that_was_open_then_comes_as_of_then(
    packaged: memkit.Memkit, pair: tuple[int, int], clock: Clock
) -> None:
    """Whoever asks what was believed before it was settled hears of both sides."""
    clock.advance(days=2)
    packaged.memories.resolve(*pair, "b_wins")
    assert pair[0] not in ids(packaged)
    hits = packaged.recall(QUESTION, as_of="1 day ago")
    assert [(hit.id, hit.contradicts) for hit in hits[:2]] == [
        (pair[0], (pair[1],)),
        (pair[1], (pair[0],)),
    ]


def test_opponent_is_shown_to_a_session_once(
    packaged: memkit.Memkit, pair: tuple[int, int]
) -> None:
    """Neither side comes again; and a side that was shown brings no other one."""
    assert ids(packaged, session="monday")[:2] == list(pair)
    assert not set(pair) & set(ids(packaged, session="monday"))
    ids(packaged, session="tuesday", limit=1)
    assert not set(pair) & set(ids(packaged, session="tuesday"))


def test_side_that_is_found_too_is_moved_up_and_comes_once(packaged: memkit.Memkit) -> None:
    """Both stand beside each other though others are likelier than the second."""
    first = packaged.memories.remember("The kettle server uses port 80.").id
    other = packaged.memories.remember("The toaster server uses port 80 as the kettle one does.").id
    second = packaged.memories.remember("Ports are for ships alone.").id
    before = ids(packaged, min_score=0)
    packaged.memories.contradict(first, second)
    after = ids(packaged, min_score=0)
    assert before.index(second) > before.index(other) > before.index(first) == 0
    assert after == [first, second, other]


def test_open_pairs_cost_one_query(packaged: memkit.Memkit, pair: tuple[int, int]) -> None:
    """And a second one only where an opponent has to be asked about."""
    asked: list[str] = []
    inner = packaged._store.all

    def noted(name: str, /, **params: object) -> object:
        asked.append(name)
        return inner(name, **params)

    packaged._store.all = noted  # type: ignore[method-assign, assignment]
    ids(packaged)
    assert asked.count("retrieval.open_pairs") == 2
    packaged.memories.resolve(*pair, "both_valid")
    asked.clear()
    ids(packaged)
    assert asked.count("retrieval.open_pairs") == 1

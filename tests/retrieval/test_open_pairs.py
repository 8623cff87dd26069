"""Both sides of an open contradiction come back together, flagged, until it is settled."""

import pytest

import memkit
from tests.conftest import Clock

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

"""What is like a memory: by its vector, by its words without one, with the cluster of both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.errors import InvalidInput, NotFound
from tests.consolidation.test_clusters import BREAD, OTHERS, PLANES

Open = Callable[..., memkit.Memkit]


@pytest.fixture
def kit(make_kit: Open) -> memkit.Memkit:
    """A store with two groups of memories and some that lie alone."""
    kit = make_kit(encoder=None)
    kit.memories.remember_many([*BREAD, *PLANES, *OTHERS])
    return kit


def test_the_nearest_come_first_and_say_their_cluster(kit: memkit.Memkit) -> None:
    """Never the memory itself; scores fall."""
    cluster = kit.consolidation.clusters()[0]
    number = cluster.members[0]
    alike = kit.consolidation.similar(number, limit=cluster.size - 1)
    assert {item.memory.id for item in alike} == set(cluster.members) - {number}
    assert {item.cluster for item in alike} == {cluster.label}
    assert [item.score for item in alike] == sorted((i.score for i in alike), reverse=True)
    rest = kit.consolidation.similar(number, limit=100)
    assert len(rest) == len(BREAD + PLANES + OTHERS) - 1
    assert {item.cluster for item in rest} == {cluster.label, None}


@pytest.mark.parametrize("way", ["forgotten", "session", "project"])
def test_what_may_not_be_seen_does_not_come(kit: memkit.Memkit, way: str) -> None:
    """However near it is."""
    number = kit.memories.find(limit=1)[0].id
    text = "Sourdough bread is baked in the stone ovens."
    if way == "forgotten":
        hidden = kit.memories.remember(text)
        kit.memories.forget(hidden)
    elif way == "session":
        hidden = kit.memories.remember(text, scope="session", session="s")
    else:
        hidden = kit.memories.remember(text, project="other")
    alike = kit.consolidation.similar(number, limit=100)
    assert hidden.id not in {item.memory.id for item in alike}


def test_many_that_may_not_be_seen_hide_none_that_may(kit: memkit.Memkit) -> None:
    """The search goes on until there are enough."""
    first = kit.memories.remember("Goats graze.")
    kit.memories.remember_many(
        memkit.Draft(f"Goats graze {n}.", project="other") for n in range(200)
    )
    last = kit.memories.remember("Goats grazed.")
    assert kit.consolidation.similar(first, limit=1)[0].memory.id == last.id


def test_without_vectors_shared_words_and_tags_tell(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it says so."""
    kit = make_kit()
    monkeypatch.setattr(kit._index, "encoder", lambda: None)
    first = kit.memories.remember("Hens lay in spring.", tags=["farm"])
    word = kit.memories.remember("Spring comes late in the mountains, hens or not.")
    tag = kit.memories.remember("Fences need paint.", tags=["farm"])
    kit.memories.remember("Taxes are due.")
    alike = kit.consolidation.similar(first)
    assert {item.memory.id for item in alike} >= {word.id, tag.id}
    assert all(item.by_words for item in alike)


def test_a_global_memory_is_compared_where_it_lies(make_kit: Open, tmp_path: Path) -> None:
    """With the other global ones."""
    kit = make_kit(encoder=None, global_store=tmp_path / "global.db")
    first = kit.memories.remember("Prefer short answers.", scope="global")
    second = kit.memories.remember("Prefer brief answers to long ones.", scope="global")
    kit.memories.remember("Answers are stored in a table.")
    assert [i.memory.id for i in kit.consolidation.similar(first)] == [second.id]


def test_bad_input_is_named(kit: memkit.Memkit) -> None:
    """A memory that is not there, and a limit that is no number."""
    with pytest.raises(NotFound, match="999"):
        kit.consolidation.similar(999)
    with pytest.raises(InvalidInput, match="limit"):
        kit.consolidation.similar(kit.memories.find(limit=1)[0], limit=0)

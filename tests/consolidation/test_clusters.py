"""Clusters of memories: found, named, followed, private ones unnamed, repaired; and likeness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

import memkit
from memkit.consolidation import clusters
from memkit.consolidation.clusters import Cluster
from memkit.errors import InvalidInput, NotFound, StoreReadOnly
from memkit.memories.records import EdgeKind
from memkit.retrieval.explanation import way
from memkit.retrieval.graph_expansion import Reached, cluster_labels
from memkit.retrieval.records import RetrievalConfig
from tests.store import shell

Open = Callable[..., memkit.Memkit]

BREAD = [
    "The sourdough bread rises overnight in the bakery.",
    "Sourdough bread is baked in the stone oven.",
    "The bakery sells sourdough bread on Saturdays.",
    "Rye bread needs a warmer oven than sourdough bread.",
]
PLANES = [
    "The airplane lands on the northern runway.",
    "A runway is closed while an airplane is towed.",
    "Pilots report to the airport before the airplane boards.",
    "The airport lights the runway for each airplane.",
]
OTHERS = ["Taxes are due in April.", "The violin has four strings.", "Glaciers melt in summer."]


@pytest.fixture
def kit(make_kit: Open) -> memkit.Memkit:
    """A store with two groups of memories and some that lie alone."""
    kit = make_kit(encoder=None)
    kit.memories.remember_many([*BREAD, *PLANES, *OTHERS])
    return kit


def texts(kit: memkit.Memkit, cluster: Cluster) -> set[str]:
    """What the members of a cluster say."""
    return {memory.text for memory in kit.memories.get_many(cluster.members)}


def named(kit: memkit.Memkit, word: str) -> Cluster:
    """The cluster with a word in its label."""
    return next(c for c in kit.consolidation.clusters() if word in c.label.split(", "))


def rows(kit: memkit.Memkit) -> list[Sequence[Any]]:
    """All derived rows."""
    store = kit._store
    return [
        *store.all("consolidation_clusters.list_clusters"),
        *store.all("consolidation_clusters.list_members"),
    ]


def test_what_is_alike_lies_together_under_its_own_words(kit: memkit.Memkit) -> None:
    """Two clusters, each named by a word of its memories; the largest first."""
    groups = kit.consolidation.clusters()
    assert len(groups) == 2
    assert texts(kit, named(kit, "bread")) <= set(BREAD)
    assert texts(kit, named(kit, "airplane")) <= set(PLANES)
    assert [group.size for group in groups] == sorted((g.size for g in groups), reverse=True)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_memories_have_no_clusters(make_kit: Open, count: int) -> None:
    """And nothing is wrong with that."""
    kit = make_kit(encoder=None)
    kit.memories.remember_many(BREAD[:count] + PLANES[: max(count - 4, 0)])
    assert kit.consolidation.clusters() == []
    assert kit.consolidation.refresh_clusters().clusters == 0
    assert kit.check().problems == ()


def test_a_refresh_without_news_writes_nothing(kit: memkit.Memkit) -> None:
    """The rows, ids and labels stay, to the last byte of the file."""
    kit.consolidation.refresh_clusters()
    before, content = rows(kit), kit.path.read_bytes()
    report = kit.consolidation.refresh_clusters()
    assert rows(kit) == before
    assert (report.clusters, report.lasting) == (2, 2)
    assert report.members + report.others == len(BREAD + PLANES + OTHERS)
    assert kit.path.read_bytes()[100:] == content[100:]


def test_ids_and_labels_outlive_a_few_changes(kit: memkit.Memkit) -> None:
    """A cluster that gains a member and loses another is still the same."""
    before = named(kit, "bread")
    kit.memories.remember("Sourdough bread is baked in the stone oven at night.")
    kit.memories.forget(before.members[-1])
    kit.consolidation.refresh_clusters()
    after = named(kit, "bread")
    assert (after.id, after.label) == (before.id, before.label)
    assert after.members != before.members


def test_a_new_memory_joins_what_it_is_near_to(kit: memkit.Memkit) -> None:
    """Without a refresh; one about something else stays alone."""
    kit.consolidation.refresh_clusters()
    near = kit.memories.remember("Sourdough bread is baked in a stone oven.", key="loaf", value="x")
    far = kit.memories.remember("Quantum chromodynamics describes gluons.")
    groups = kit.consolidation.clusters()
    assert near.id in named(kit, "bread").members
    assert all(far.id not in group.members for group in groups)
    assert kit.check().problems == ()


@pytest.mark.parametrize("way", ["forget", "purge", "supersede", "narrow"])
def test_what_does_not_hold_leaves(kit: memkit.Memkit, way: str) -> None:
    """Forgotten, purged, replaced memories, and those that become a session's own, are no members,
    and sizes follow; what is restored comes back."""
    number = named(kit, "bread").members[0]
    if way == "forget":
        kit.memories.forget(number)
    elif way == "purge":
        kit.memories.purge(number)
    elif way == "supersede":
        kit.memories.remember("Zymurgy is the study of fermentation.", supersedes=number)
    else:
        kit.memories.update(number, scope="session", session="s")
    assert all(number not in group.members for group in kit.consolidation.clusters())
    assert kit.check().problems == ()
    if way == "forget":
        kit.memories.restore(number)
        assert number in named(kit, "bread").members


def test_an_edited_memory_moves(kit: memkit.Memkit) -> None:
    """What says something else now, by whatever program, is looked at anew."""
    number = named(kit, "bread").members[0]
    shell.run(kit.path, f"update memories set text = 'Owls hunt at night.' where id = {number}")
    assert all(number not in group.members for group in kit.consolidation.clusters())


def test_a_purged_memory_leaves_no_word_in_a_label(make_kit: Open) -> None:
    """Words that only it had go with it."""
    kit = make_kit(encoder=None)
    kit.memories.remember_many(PLANES)
    secret = kit.memories.remember_many([text.replace("bread", "brioche") for text in BREAD])
    kit.consolidation.refresh_clusters()
    assert named(kit, "brioche")
    kit.memories.purge(secret[:3])
    assert "brioche" not in str(kit._store.all("consolidation_clusters.list_clusters"))


def test_a_private_memory_names_no_cluster(make_kit: Open) -> None:
    """Its words are in no label; a cluster of private ones alone is called that."""
    kit = make_kit(encoder=None)
    kit.memories.remember_many(memkit.Draft(text, private=True) for text in BREAD)
    kit.memories.remember_many([*PLANES, *OTHERS])
    labels = {group.label for group in kit.consolidation.clusters()}
    assert clusters.PRIVATE_LABEL in labels
    assert not {"bread", "sourdough", "bakery"} & {w for text in labels for w in text.split(", ")}


def test_projects_share_no_cluster(make_kit: Open) -> None:
    """What is behind another wall is neither a member nor in a label."""
    kit = make_kit(encoder=None)
    every = [*PLANES, *OTHERS, *BREAD]
    kit.memories.remember_many(every)
    kit.memories.remember_many(memkit.Draft(text, project="other") for text in every)
    groups = kit.consolidation.clusters()
    own = {memory.id for memory in kit.memories.find(limit=100)}
    assert groups
    assert all(own.issuperset(group.members) for group in groups)


def test_without_vectors_there_are_none(make_kit: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a refresh says why."""
    kit = make_kit()
    monkeypatch.setattr(kit._index, "model_id", lambda: None)
    report = kit.consolidation.refresh_clusters()
    assert report.clusters == 0
    assert report.note
    assert kit.consolidation.clusters() == []


def test_a_file_that_is_only_read_shows_what_it_has(make_kit: Open, kit: memkit.Memkit) -> None:
    """Clusters that were found before; a refresh is refused."""
    groups = kit.consolidation.clusters()
    kit.close()
    reading = make_kit(kit.path, readonly=True, encoder=None)
    assert reading.consolidation.clusters() == groups
    with pytest.raises(StoreReadOnly):
        reading.consolidation.refresh_clusters()


@pytest.mark.parametrize(
    "statement",
    [
        "delete from clusters",
        "update clusters set size = size + 1",
        "update clusters set centroid = x'00'",
        "insert into cluster_members values (5, null, 0)",
    ],
)
def test_damage_is_found_and_repaired(kit: memkit.Memkit, statement: str) -> None:
    """Rows that do not belong together are forgotten, and found anew when they are asked for."""
    before = kit.consolidation.clusters()
    shell.run(kit.path, statement)
    assert [problem.name for problem in kit.check(repair=True).problems] == ["clusters"]
    assert kit.check().problems == ()
    assert kit.consolidation.clusters() == before


def test_the_agent_finds_them_anew_now_and_then(kit: memkit.Memkit) -> None:
    """After so many retrievals, and never for a store that takes long."""
    calls = [clusters.after_retrieval(kit._store, kit._index) for _ in range(100)]
    done = [number for number, report in enumerate(calls, 1) if report is not None]
    assert done == [clusters.REFRESH_AFTER, 2 * clusters.REFRESH_AFTER]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clusters, "MAX_IN_BACKGROUND", 3)
        assert not any(
            clusters.after_retrieval(kit._store, kit._index) for _ in range(clusters.REFRESH_AFTER)
        )


def test_the_cascade_names_the_cluster_it_goes_through(kit: memkit.Memkit) -> None:
    """Where clusters are walked, a path says by name which one; usually they are not."""
    bread = named(kit, "bread")
    words_alone = RetrievalConfig(vectors=False, late_interaction=False)
    kit._config = attrs.evolve(words_alone, walked=frozenset({EdgeKind.IN_CLUSTER}))
    hits = kit.recall("stone oven", limit=10, min_score=0.0)
    paths = [hit.path for hit in hits if hit.path]
    assert {hit.id for hit in hits} == set(bread.members)
    assert {step.kind for path in paths for step in path} == {EdgeKind.IN_CLUSTER}
    steps = [
        (s.from_node, s.to_node, s.kind, s.weight, n, s.forward) for n, s in enumerate(paths[0])
    ]
    labels = cluster_labels(kit._store, [Reached(paths[0][-1].to_node, 0.1, tuple(steps))])
    assert f"→ cluster “{bread.label}” ←" in way(paths[0], labels)
    kit._config = attrs.evolve(words_alone, walked=frozenset())
    assert len(kit.recall("stone oven", limit=10, min_score=0.0)) < bread.size


Open = Callable[..., memkit.Memkit]


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

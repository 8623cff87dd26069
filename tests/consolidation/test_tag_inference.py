"""Inferred tags: what they are inferred from, how they are told from given ones and taken away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

import memkit
from memkit.consolidation import tag_inference
from memkit.consolidation.tag_inference import (
    MAX_TAGS,
    TagChange,
    TagEvidence,
    apply_tag,
    plan_tags,
)
from memkit.memories.records import EDGE_WEIGHTS, EdgeKind
from memkit.memories.writer import INFERRED
from tests.store import shell

Open = Callable[..., memkit.Memkit]


@pytest.fixture
def kit(make_kit: Open) -> memkit.Memkit:
    """An empty store with the packaged encoder."""
    return make_kit(encoder=None)


def plan(kit: memkit.Memkit) -> list[TagChange]:
    """Changes that are planned."""
    return plan_tags(kit.consolidation._environment)


def give(kit: memkit.Memkit, change: TagChange) -> None:
    """Do a planned change."""
    kit._store.write(partial(apply_tag, kit.consolidation._environment, change))


def reasons(kit: memkit.Memkit) -> dict[tuple[int, str], str]:
    """Why each tag of each memory is planned."""
    return {(change.memory_id, change.tag): change.reason for change in plan(kit)}


def bread(kit: memkit.Memkit, *, private: bool = False) -> int:
    """Four memories with a tag and one without, all alike; the id of the last."""
    days = ("Monday", "Tuesday", "Friday", "Sunday")
    kit.memories.remember_many(
        memkit.Draft(
            f"Sourdough bread is baked in the oven on {day}.", tags=["bakery"], private=private
        )
        for day in days
    )
    return kit.memories.remember("Sourdough bread is baked in the oven on Thursday.").id


def test_neighbours_share_their_tag(kit: memkit.Memkit) -> None:
    """What its nearest memories carry is inferred for one that carries none."""
    number = bread(kit)
    assert reasons(kit)[number, "bakery"] == TagEvidence.NEAREST
    assert [change.memory_id for change in plan(kit)] == [number]


def test_a_memory_with_a_tag_gets_no_other(kit: memkit.Memkit) -> None:
    """Who tagged it knew better."""
    kit.memories.tag(bread(kit), "thursday")
    assert plan(kit) == []


def test_private_memories_neither_give_nor_get(kit: memkit.Memkit) -> None:
    """Not the tag of a private one, and none for a private one."""
    number = bread(kit, private=True)
    assert plan(kit) == []
    kit.memories.remember_many(
        memkit.Draft(f"Sourdough bread is sold {when}.", tags=["shop"])
        for when in ("early", "late", "at noon", "by weight")
    )
    kit.memories.update(number, private=True)
    assert all(change.memory_id != number for change in plan(kit))


def test_projects_share_no_tag(kit: memkit.Memkit) -> None:
    """What is tagged behind another wall says nothing."""
    for day in ("Monday", "Tuesday", "Friday", "Sunday"):
        kit.memories.remember(f"Bread is baked on {day}.", tags=["bakery"], project="other")
    kit.memories.remember("Bread is baked on Thursday.")
    assert plan(kit) == []


def test_folders_and_languages_of_files_are_tags(kit: memkit.Memkit) -> None:
    """The innermost folder with a name of its own; a language that is not that of most."""
    put = kit.memories.remember
    web = [put(f"Cart note {n}.", about=f"web/cart/src/f{n}.ts").id for n in range(2)]
    api = [put(f"Tax remark {n}.", about=f"api/src/f{n}.py").id for n in range(2)]
    docs = [put(f"Other thing {n}.", about=f"docs/f{n}.rst").id for n in range(3)]
    why = reasons(kit)
    assert why[web[0], "cart"] == TagEvidence.PLACE
    assert why[api[0], "api"] == TagEvidence.PLACE
    assert why[api[0], "python"] == TagEvidence.LANGUAGE
    assert not {tag for _, tag in why} & {"src", "web"}
    assert why[docs[0], "docs"] == TagEvidence.PLACE


def test_memories_about_the_same_folder_share_their_tag(kit: memkit.Memkit) -> None:
    """If two carry it, and half of them."""
    put = kit.memories.remember
    put("Rates are the ministry's.", about="api/tax.py", tags=["law"])
    put("Goats are exempt from it.", about="api/goats.py", tags=["law"])
    number = put("Rounding is half up.", about="api/round.py").id
    assert reasons(kit)[number, "law"] == TagEvidence.FOLDER


def test_memories_shown_together_share_their_tag(kit: memkit.Memkit) -> None:
    """In three sessions at least."""
    put = kit.memories.remember
    tagged = [put(text, tags=["deploy"]).id for text in ("Glaciers melt.", "Violins are tuned.")]
    number = put("Taxes are due in April.").id
    rows = ",".join(f"('s{n}', {m}, '')" for n in range(3) for m in (*tagged, number))
    assert (number, "deploy") not in reasons(kit)
    shell.run(kit.path, f"insert into surfaced values {rows}")
    kit._index.ensure()
    assert reasons(kit)[number, "deploy"] == TagEvidence.TOGETHER


def test_a_tag_that_steers_is_never_inferred(kit: memkit.Memkit) -> None:
    """guard:deny is an order, not a subject."""
    for day in ("Monday", "Tuesday", "Friday", "Sunday"):
        kit.memories.remember(f"Bread is baked on {day}.", tags=["guard:deny"])
    kit.memories.remember("Bread is baked on Thursday.")
    assert plan(kit) == []


def test_what_is_applied_reads_as_inferred_and_is_not_planned_again(kit: memkit.Memkit) -> None:
    """By its weight in the shell, in a view with counts; it is a tag for `find` and in `tags`, and
    no word of what is searched."""
    number = bread(kit)
    before = kit._store.all("memories_search.get_sources", ids=f"[{number}]")
    for change in plan(kit):
        give(kit, change)
    assert plan(kit) == []
    assert kit.memories.get(number).tags == ("bakery",)
    assert kit.memories.tags()["bakery"] == 5
    assert number in {memory.id for memory in kit.memories.find(tags=["bakery"], limit=10)}
    assert shell.run(kit.path, "select tag, given, inferred from tag_counts") == [("bakery", 4, 1)]
    edges = [e for e in kit.memories.edges(number) if e.kind == EdgeKind.HAS_TAG]
    assert [edge.weight for edge in edges] == [INFERRED] == [0.4]
    assert kit._store.all("memories_search.get_sources", ids=f"[{number}]") == before
    assert kit.check().problems == ()


def test_a_given_tag_goes_before_an_inferred_one(kit: memkit.Memkit) -> None:
    """Whoever gives it makes it one."""
    number = bread(kit)
    give(kit, plan(kit)[0])
    kit.memories.tag(number, "bakery")
    edges = [e for e in kit.memories.edges(number) if e.kind == EdgeKind.HAS_TAG]
    assert [edge.weight for edge in edges] == [EDGE_WEIGHTS[EdgeKind.HAS_TAG]]


def test_what_was_taken_away_does_not_come_back(kit: memkit.Memkit, make_kit: Open) -> None:
    """Here, and in another store that it is merged into."""
    number = bread(kit)
    change = plan(kit)[0]
    give(kit, change)
    kit.memories.untag(number, "bakery")
    assert kit.memories.get(number).tags == ()
    assert plan(kit) == []
    kit.export(kit.path.with_name("a.jsonl"))
    other = make_kit("other.db", encoder=None)
    other.import_(kit.path.with_name("a.jsonl"))
    assert plan(other) == []
    kit.memories.purge(number)
    assert kit._store.all("tables.withdrawn_tags_rows") == []


def test_taking_a_given_tag_away_is_not_remembered(kit: memkit.Memkit) -> None:
    """It was never inferred, and may be."""
    number = bread(kit)
    kit.memories.tag(number, "bakery")
    kit.memories.untag(number, "bakery")
    assert reasons(kit)[number, "bakery"]


def test_no_memory_gets_more_than_a_few(kit: memkit.Memkit) -> None:
    """The surest; a second plan adds none."""
    tags = [f"t{n}" for n in range(6)]
    for day in ("Monday", "Tuesday", "Friday", "Sunday"):
        kit.memories.remember(f"Bread is baked on {day}.", tags=tags)
    number = kit.memories.remember("Bread is baked on Thursday.").id
    changes = plan(kit)
    assert [change.memory_id for change in changes] == [number] * MAX_TAGS
    for change in changes:
        give(kit, change)
    assert plan(kit) == []


def test_every_evidence_has_a_score() -> None:
    """Between nothing and certainty, the surest first."""
    scores = [tag_inference.SCORES[evidence] for evidence in TagEvidence]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)

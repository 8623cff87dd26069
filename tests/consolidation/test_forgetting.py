"""Forgotten is what is over or unused and worth little; what is protected stays."""

from __future__ import annotations

from typing import Any

import pytest

import memkit
from memkit.errors import InvalidInput
from tests.conftest import Clock
from tests.tables import each_row


def forgotten(kit: memkit.Memkit) -> set[str]:
    """The texts that a run forgets."""
    changes = kit.consolidate(steps="forget").changes
    return {kit.memories.get(change.memory_id).text for change in changes}


def test_what_is_unused_and_worth_little_fades(kit: memkit.Memkit, clock: Clock) -> None:
    """A guess that nobody needed for 90 days goes; not before, and not if it was used since."""
    kit.memories.remember("The cache may be cold.", provenance="inferred")
    used = kit.memories.remember("The disk may be slow.", provenance="inferred")
    clock.advance(days=89)
    assert forgotten(kit) == set()
    kit.consolidation.used(used)
    clock.advance(days=2)
    assert forgotten(kit) == {"The cache may be cold."}
    assert forgotten(kit) == set()


@pytest.mark.parametrize(
    "fields",
    [
        {"pinned": True, "provenance": "inferred"},
        {"kind": "negative", "provenance": "inferred"},
        {"kind": "correction", "provenance": "inferred"},
        {"kind": "preference", "importance": 0.1},
        {"kind": "procedure", "importance": 0.1},
        {"importance": 0.95, "provenance": "inferred"},
        {"source": "docs/a.md#1", "provenance": "extracted"},
        {},
    ],
    ids=str,
)
def test_what_people_insist_on_stays(
    fields: dict[str, Any], kit: memkit.Memkit, clock: Clock
) -> None:
    """Pins, corrections, what must not be done, rules that were stated, what is critical, documents
    that are there, and facts that somebody stated."""
    kit.memories.remember("Release on Tuesdays.", **fields)
    clock.advance(days=400)
    assert forgotten(kit) == set()


def test_what_is_over_goes_after_a_while(kit: memkit.Memkit, clock: Clock) -> None:
    """What held until a day, and what was superseded, 90 days later; restore brings it back."""
    kit.memories.remember("The freeze lasts until Friday.", valid_to="2026-03-05")
    kit.memories.remember(key="port", value="22")
    kit.memories.remember(key="port", value="2200")
    assert forgotten(kit) == set()
    clock.advance(days=100)
    assert forgotten(kit) == {"The freeze lasts until Friday.", "port: 22"}
    codes = {m.text: m.inactive_code for m in kit.memories.find(active=False, history=True)}
    assert set(codes.values()) == {"forgotten"}


def test_what_was_brought_back_is_not_forgotten_again(kit: memkit.Memkit, clock: Clock) -> None:
    """By undo or by hand: somebody wants it."""
    guess = kit.memories.remember("The cache may be cold.", provenance="inferred")
    clock.advance(days=100)
    assert forgotten(kit)
    kit.consolidation.undo("last")
    assert kit.memories.get(guess).is_current
    assert forgotten(kit) == set()


def test_a_review_that_waits_and_held_memories_stay(kit: memkit.Memkit, clock: Clock) -> None:
    """What nobody has confirmed yet, items of scopes and documents of frameworks."""
    kit.extract("Remember that deploys need two reviews.", session="x", remember=True)
    kit.context.project().add_decision("Uploads go through the queue.")
    kit.context.documents.put(("notes",), "tea", {"text": "Tea is green."})
    clock.advance(days=400)
    assert forgotten(kit) == set()
    assert kit.consolidation.prune(max_items=0).counts["forgotten"] == 0


def test_the_newest_evidence_of_a_duplicate_counts(kit: memkit.Memkit, clock: Clock) -> None:
    """A guess of long ago that was made again yesterday in another form is merged and stays, and
    fades with the later one."""
    first = kit.memories.remember("Vault doors open with a badge.", provenance="inferred")
    clock.advance(days=100)
    kit.memories.remember("Vault door opens with a badge.", provenance="inferred")
    clock.advance(days=1)
    report = kit.consolidate()
    assert (report.counts["deduped"], report.counts["forgotten"]) == (1, 0)
    clock.advance(days=88)
    assert kit.consolidate().run is None
    clock.advance(days=2)
    assert first.id in {change.memory_id for change in kit.consolidate().changes}


# -- prune


def test_prune_keeps_what_is_protected(kit: memkit.Memkit, clock: Clock) -> None:
    """Old pinned decisions and a warning survive thirty fresh notes; what went is listed."""
    kept = [kit.memories.remember(f"Decision {n} holds.", pinned=True) for n in range(8)]
    kept.append(kit.memories.remember("Never wipe the prod bucket.", kind="negative"))
    clock.advance(days=400)
    for n in range(30):
        kit.memories.remember(f"Note {n} of the day.", importance=0.2)
    planned = kit.consolidation.prune(max_items=20, dry_run=True)
    report = kit.consolidation.prune(max_items=20)
    assert report.changes == planned.changes
    assert (report.counts["forgotten"], report.notes) == (19, ())
    assert all(kit.memories.get(memory).is_current for memory in kept)
    assert kit.memories.count() == 20
    assert not {c.memory_id for c in report.changes} & {memory.id for memory in kept}
    kit.consolidation.undo("last")
    assert kit.memories.count() == 39


def test_prune_warns_when_protection_keeps_it_above(kit: memkit.Memkit) -> None:
    """All that may go goes, and a note says how many are too many."""
    for n in range(5):
        kit.memories.remember(f"Decision {n} holds.", pinned=True)
    kit.memories.remember("A note.")
    report = kit.consolidation.prune(max_items=3)
    assert report.counts["forgotten"] == 1
    assert report.notes[0].startswith("2 more than 3 stay")


def test_prune_takes_the_least_important_then_the_oldest(kit: memkit.Memkit, clock: Clock) -> None:
    """At least a tenth, the lowest importance first, of equals the one heard of longest ago."""
    for n in range(20):
        kit.memories.remember(f"Note {n} stands.", importance=0.3 if n == 7 else 0.5)
        clock.advance(hours=1)
    report = kit.consolidation.prune(max_items=19)
    texts = [kit.memories.get(change.memory_id).text for change in report.changes]
    assert texts == ["Note 7 stands.", "Note 0 stands."]
    assert kit.consolidation.prune(max_items=19).run is None


# -- forgetting by filter


@each_row(
    "filters",
    [None, {}, {"scope": ""}, {"tags": []}, {"text": {"$contains": ""}}, {"tags": {"$all": []}},
     {"id": ["%"]}, {"text": {"$ne": ""}}, {"kind": {}}],
)  # fmt: skip
def test_an_empty_filter_never_means_everything(filters: Any, kit: memkit.Memkit) -> None:
    """A filter that leaves nothing out is an error, and nothing is forgotten."""
    kit.memories.remember("The queue is durable.")
    with pytest.raises(InvalidInput):
        kit.memories.forget_matching(filters)
    assert kit.memories.count() == 1


def test_forgetting_by_filter_is_counted_first(kit: memkit.Memkit) -> None:
    """A dry run says which; then exactly these go, and restore brings them back."""
    for session in ("a", "b", "c"):
        for n in range(5):
            kit.memories.remember(f"Step {n} failed.", scope="session", session=session)
    planned = kit.memories.forget_matching(session="a", dry_run=True)
    assert len(planned) == 5
    assert kit.memories.count() == 15
    done = kit.memories.forget_matching(session="a", reason="over")
    assert {memory.id for memory in done} == {memory.id for memory in planned}
    assert kit.memories.count() == 10
    kit.memories.restore(done)
    assert kit.memories.count() == 15

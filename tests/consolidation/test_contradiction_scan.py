"""The scan of all memories, and the judge that may refine it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

import memkit
from memkit.consolidation.contradiction_scan import (
    leave_mark,
    note_contradiction,
    plan_contradictions,
    unscanned,
)
from memkit.memories.writer import MOST_COMPARED

if TYPE_CHECKING:
    from tests.conftest import Clock, MakeKit

MAP = "The harbour map is drawn with Leaflet."
NEW_MAP = "We switched the harbour map from Leaflet to MapLibre last month."
FILL = [f"Buoy number {n}: inspected by crew {n % 5}." for n in range(MOST_COMPARED)]


@pytest.fixture
def kit(make_kit: MakeKit) -> memkit.Memkit:
    """A store whose pair nobody has set beside each other yet."""
    kit = make_kit(global_store=False)
    kit.memories.remember_many([MAP, NEW_MAP, *FILL])
    return kit


def _open(kit: memkit.Memkit) -> set[str]:
    return {kit.memories.get(pair.memory_b).text for pair in kit.memories.contradictions()}


def test_a_scan_finds_what_was_never_compared_and_converges(kit: memkit.Memkit) -> None:
    """A second run without news finds nothing."""
    report = kit.consolidation.scan_contradictions()
    assert report.memories == len(FILL) + 2
    assert NEW_MAP in _open(kit)
    assert kit.consolidation.scan_contradictions().detected == ()


def test_a_dry_run_notes_nothing(kit: memkit.Memkit) -> None:
    """It reports what the run would note."""
    planned = kit.consolidation.scan_contradictions(dry_run=True)
    assert planned.detected
    assert kit.memories.contradictions() == []
    assert kit.consolidation.scan_contradictions().detected == planned.detected


def test_a_judge_overrules_and_is_asked_once(kit: memkit.Memkit) -> None:
    """What it said is kept by pair, until a text changes."""
    asked: list[tuple[str, str]] = []

    def judge(older: memkit.Memory, newer: memkit.Memory) -> str:
        asked.append((older.text, newer.text))
        return "distinct"

    kit.consolidation.scan_contradictions(judge=judge)
    assert (MAP, NEW_MAP) in asked
    assert kit.memories.contradictions() == []
    count = len(asked)
    assert kit.consolidation.scan_contradictions(judge=judge).calls == 0
    assert kit.consolidation.scan_contradictions().detected == ()
    assert len(asked) == count
    (memory,) = [m for m in kit.memories.find() if m.text == MAP]
    kit.memories.update(memory, text="The harbour map is always drawn with Leaflet.")
    assert NEW_MAP in _open(kit)  # judged anew, without the judge


def test_a_failing_judge_loses_nothing(kit: memkit.Memkit) -> None:
    """memkit's own judgement stands, and the report says what happened."""

    def judge(older: memkit.Memory, newer: memkit.Memory) -> str:
        raise RuntimeError("no network")

    report = kit.consolidation.scan_contradictions(judge=judge)
    assert NEW_MAP in _open(kit)
    assert any("no network" in note for note in report.notes)
    assert report.calls <= 3


def test_an_unknown_verdict_is_a_failure(kit: memkit.Memkit) -> None:
    """A judge that says something else is named with what was expected."""
    report = kit.consolidation.scan_contradictions(judge=lambda older, newer: "perhaps")
    assert any("perhaps" in note for note in report.notes)
    assert NEW_MAP in _open(kit)


def test_calls_of_a_judge_are_bounded(kit: memkit.Memkit) -> None:
    """Beyond the bound memkit's own judgement stands."""
    report = kit.consolidation.scan_contradictions(judge=lambda older, newer: None, max_calls=0)
    assert report.calls == 0
    assert NEW_MAP in _open(kit)


def test_wrong_arguments_are_named(kit: memkit.Memkit) -> None:
    """The judge has to be a function, and the bound no negative number."""
    with pytest.raises(memkit.InvalidInput, match="judge"):
        kit.consolidation.scan_contradictions(judge="gpt")  # type: ignore[arg-type]
    with pytest.raises(memkit.InvalidInput, match="max_calls"):
        kit.consolidation.scan_contradictions(max_calls=-1)


def test_a_hit_names_what_contradicts_it_until_it_is_settled(kit: memkit.Memkit) -> None:
    """Recall flags it with the other one's id."""
    kit.consolidation.scan_contradictions()
    pairs = {kit.memories.get(pair.memory_b).text: pair for pair in kit.memories.contradictions()}
    pair = pairs[NEW_MAP]
    question = "What is the harbour map drawn with?"
    hits = {hit.id: hit for hit in kit.recall(question)}
    assert pair.memory_b in hits[pair.memory_a].contradicts
    kit.memories.resolve(pair.memory_a, pair.memory_b, "both_valid")
    hits = {hit.id: hit for hit in kit.recall(question)}
    assert pair.memory_b not in hits[pair.memory_a].contradicts


def test_a_second_scan_compares_what_is_new_or_changed(kit: memkit.Memkit, clock: Clock) -> None:
    """The others are compared with it, but not with each other again."""
    clock.advance(1)
    kit.consolidation.scan_contradictions()
    clock.advance(1)
    assert kit.consolidation.scan_contradictions(dry_run=True).compared == 0
    crew = [f"Buoy number {n + 50}: painted by crew {n % 5}." for n in range(MOST_COMPARED)]
    new = kit.memories.remember_many(["The harbour map is never drawn with Leaflet.", *crew])
    report = kit.consolidation.scan_contradictions()
    assert report.memories == len(new)
    assert new[0].id in {pair.memory_id for pair in report.detected}
    assert kit.consolidation.scan_contradictions(everything=True).memories == len(FILL) + 2 + len(
        new
    )


def test_a_plan_is_noted_as_a_scan_notes_it(kit: memkit.Memkit) -> None:
    """A plan changes nothing; noted with its mark, nothing is left to plan."""
    store, index = kit._store, kit._index
    mark = unscanned(store).mark
    planned = plan_contradictions(store, index)
    assert planned
    assert kit.memories.contradictions() == []
    for pair in planned:
        store.write(partial(note_contradiction, store, index, pair))
    store.write(lambda: leave_mark(store))
    assert NEW_MAP in _open(kit)
    assert plan_contradictions(store, index) == []
    assert unscanned(store).after == mark.last

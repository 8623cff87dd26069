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
    scan_extent,
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
    store, environment = kit._store, kit.consolidation._environment
    mark = scan_extent(store).mark
    planned = plan_contradictions(environment)
    assert planned
    assert kit.memories.contradictions() == []
    for pair in planned:
        store.write(partial(note_contradiction, environment, pair))
    store.write(partial(leave_mark, environment))
    assert NEW_MAP in _open(kit)
    assert plan_contradictions(environment) == []
    assert scan_extent(store).after == mark.last


def _doubted(kit: memkit.Memkit) -> tuple[int, int]:
    """An open contradiction that the detector noted: its memories."""
    first = kit.memories.remember("The kiln is fired on Mondays.")
    second = kit.memories.remember("We always fire the kiln on Thursdays.")
    assert second.contradicts == (first.id,)
    return first.id, second.id


def _state(kit: memkit.Memkit, pair: tuple[int, int]) -> tuple[str | None, str | None]:
    """How a contradiction was settled, and who decided about it."""
    (known,) = [
        c for c in kit.memories.contradictions(history=True) if (c.memory_a, c.memory_b) == pair
    ]
    return known.resolution, known.decided_by


@pytest.mark.parametrize(
    ("verdict", "state"),
    [
        ("distinct", ("both_valid", "judge")),
        ("duplicate", ("merged", "judge")),
        ("contradiction", (None, "judge")),
        ("update", (None, "judge")),
        (None, (None, None)),
    ],
)
def test_a_judge_closes_or_confirms_what_is_open(
    kit: memkit.Memkit, verdict: str | None, state: tuple[str | None, str | None]
) -> None:
    """What is none is closed, any other stays open, and the judge is asked once."""
    pair = _doubted(kit)
    asked: list[tuple[int, int]] = []

    def judge(older: memkit.Memory, newer: memkit.Memory) -> str | None:
        asked.append((older.id, newer.id))
        return verdict if asked[-1] == pair else "distinct"

    report = kit.consolidation.scan_contradictions(judge=judge)
    assert asked[0] == pair, "what is open goes first"
    assert _state(kit, pair) == state
    closed = [(closing.other_id, closing.memory_id) for closing in report.closed]
    assert closed == ([pair] if state[0] else [])
    proposals = {c.memory_b: c.proposed for c in kit.memories.contradictions()}
    if verdict == "update":
        assert proposals[pair[1]] == "b_wins"
    assert all(kit.memories.get(number).is_current for number in pair)
    kit.consolidation.scan_contradictions(judge=judge)
    assert asked.count(pair) == (2 if verdict is None else 1)
    assert _state(kit, pair) == state


@pytest.mark.parametrize("how", ["stated", "both_valid", "merged"])
def test_what_a_caller_decided_no_judge_overrules(kit: memkit.Memkit, how: str) -> None:
    """It is not asked about, and what it says of the two counts for nothing."""
    first, second = _doubted(kit)
    if how == "stated":
        kit.memories.contradict(first, second, note="asked both")
    else:
        kit.memories.resolve(first, second, how)
    before = _state(kit, (first, second))
    assert before == (None if how == "stated" else how, "caller")
    asked = []

    def judge(older: memkit.Memory, newer: memkit.Memory) -> str:
        asked.append({older.id, newer.id})
        return "distinct" if how != "both_valid" else "contradiction"

    kit.consolidation.scan_contradictions(judge=judge, everything=True)
    kit.consolidate(judge=judge, steps="contradictions")
    assert {first, second} not in asked
    assert _state(kit, (first, second)) == before


def test_a_caller_overrules_a_judge(kit: memkit.Memkit) -> None:
    """The last word is the caller's."""
    pair = _doubted(kit)
    kit.consolidation.scan_contradictions(judge=lambda older, newer: "distinct")
    kit.memories.contradict(*pair)
    assert _state(kit, pair) == (None, "caller")
    kit.consolidation.scan_contradictions(judge=lambda older, newer: "distinct", everything=True)
    assert _state(kit, pair) == (None, "caller")


def test_a_caller_parts_and_joins_what_nobody_doubted(kit: memkit.Memkit) -> None:
    """Two that were never compared are not raised once they are said to hold both, and are one
    after a run if they are said to be."""
    found = {memory.text: memory for memory in kit.memories.find(limit=100)}
    old, new = found[MAP], found[NEW_MAP]
    kit.memories.resolve(new, old, "both_valid", note="two maps")
    scanned = kit.consolidation.scan_contradictions()
    assert (new.id, old.id) not in {(p.memory_id, p.other_id) for p in scanned.detected}
    one = kit.memories.remember("Gulls nest beneath the old crane.")
    other = kit.memories.remember("Birds breed at the rusty hoist.")
    kit.memories.resolve(one, other, "merged")
    run = kit.consolidate(steps="merge")
    assert [(c.memory_id, c.other_id) for c in run.changes] == [(other.id, one.id)]
    kit.consolidation.undo(run.run)
    assert kit.memories.get(other).is_current
    assert kit.consolidate(steps="merge").changes == ()


def test_a_winner_restored_is_open_again_and_undecided(kit: memkit.Memkit) -> None:
    """Who brings the loser back takes back what was decided."""
    pair = _doubted(kit)
    kit.memories.resolve(*pair, "b_wins")
    assert _state(kit, pair) == ("b_wins", "caller")
    kit.memories.restore(pair[0])
    assert _state(kit, pair) == (None, None)


def test_a_run_asks_the_judge_and_can_be_undone(kit: memkit.Memkit) -> None:
    """What it closes is a change of the run; undone, it is open, and not closed again."""
    pair = _doubted(kit)
    with pytest.raises(memkit.InvalidInput, match="judge"):
        kit.consolidate(judge=lambda older, newer: "distinct", steps="merge")
    assert (
        kit.consolidate(judge=lambda older, newer: "distinct", dry_run=True).counts["unlinked"] == 0
    )
    assert _state(kit, pair) == (None, None), "a dry run asks nobody"
    run = kit.consolidate(judge=lambda older, newer: "distinct", steps="contradictions")
    assert [(c.action, c.other_id, c.memory_id) for c in run.changes] == [("unlink", *pair)]
    assert _state(kit, pair) == ("both_valid", "judge")
    again = kit.consolidate(judge=lambda older, newer: "distinct", steps="contradictions")
    assert again.changes == ()
    kit.consolidation.undo(run.run)
    assert _state(kit, pair) == (None, "undo")
    kit.consolidate(judge=lambda older, newer: "distinct", steps="contradictions")
    assert _state(kit, pair) == (None, "undo")


def test_a_run_merges_at_once_what_the_judge_takes_for_one(kit: memkit.Memkit) -> None:
    """A second one finds nothing to do."""
    pair = _doubted(kit)

    def judge(older: memkit.Memory, newer: memkit.Memory) -> str:
        return "duplicate" if (older.id, newer.id) == pair else "distinct"

    run = kit.consolidate(judge=judge, steps=("merge", "contradictions"))
    assert [(c.action, c.memory_id, c.other_id) for c in run.changes] == [
        ("merge", pair[1], pair[0])
    ]
    assert kit.consolidate(judge=judge, steps=("merge", "contradictions")).changes == ()

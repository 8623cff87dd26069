"""Two branches of one store, joined: no edit is lost without a word, and there is one truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import memkit
from tests.conftest import Clock
from tests.interchange.archives import exported

Branches = tuple[memkit.Memkit, memkit.Memkit]
Change = Callable[[memkit.Memkit], Any]


@pytest.fixture
def branches(make_kit: Callable[..., memkit.Memkit], clock: Clock) -> Branches:
    """Two stores that say the same."""
    one, other = make_kit("one.db"), make_kit("other.db")
    one.memories.remember("The build runs on Jenkins.")
    one.memories.remember(key="port", value="9000")
    other.import_(one.path)
    clock.advance(days=1)
    return one, other


def first(kit: memkit.Memkit) -> memkit.Memory:
    """Return the memory of the build."""
    return kit.memories.find(history=True, order_by="-id")[0]


def truth(kit: memkit.Memkit) -> set[tuple[str, ...]]:
    """Return what is current, with what else could have been said."""
    return {(m.text, str(m.kind), str(m.pinned), *_kept(kit, m.id)) for m in kit.memories.find()}


def _kept(kit: memkit.Memkit, number: int) -> list[str]:
    return sorted(link.snippet for link in kit.memories.details(number).provenance if link.snippet)


def joined(
    make_kit: Callable[..., memkit.Memkit], branches: Branches
) -> tuple[memkit.Memkit, Any, Any]:
    """Join a copy of the second store into the first and the other way round; return the first and
    both reports. Both must say the same, and joining again must change nothing."""
    one, other = branches
    copies = make_kit("a.db"), make_kit("b.db")
    for copy, kit in zip(copies, branches, strict=True):
        copy.import_(kit.path)
    here = copies[0].import_(other.path)
    there = copies[1].import_(one.path)
    assert truth(copies[0]) == truth(copies[1])
    assert [c.what for c in here.conflicts] == [c.what for c in there.conflicts]
    again = [(copies[0], other), (copies[1], one), copies, copies[::-1], (copies[0], other)]
    for copy, source in again:
        before = truth(copy)
        done = copy.import_(source.path)
        assert (done.conflicts, truth(copy)) == ((), before)
    return copies[0], here, there


def test_later_edit_wins_and_the_other_is_in_the_history(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """The later edit stands, the other wording is in its history, and both are reported."""
    one, other = branches
    number = first(one).id
    one.memories.update(number, "The build runs on GitHub.")
    clock.advance(days=1)
    other.memories.update(number, "The build runs on GitLab.", kind="correction")
    kit, here, there = joined(make_kit, branches)
    assert first(kit).text == "The build runs on GitLab."
    assert _kept(kit, number) == ["The build runs on GitHub."]
    (conflict,) = here.conflicts
    assert (conflict.id, conflict.other) == (number, None)
    assert "edited here and there" in conflict.what
    assert (here.read, here.updated, here.unchanged) == (2, 1, 1)
    assert (there.read, there.updated, there.unchanged) == (2, 0, 1)


def test_an_edit_of_one_branch_alone_is_no_conflict(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """What one side says anew is taken, though the other has pinned the old words since."""
    one, other = branches
    number = first(one).id
    one.memories.update(number, "The build runs on GitHub.")
    one.memories.update(number, "The build runs on GitHub Actions.")
    clock.advance(days=1)
    other.memories.pin(number)
    kit, here, _ = joined(make_kit, branches)
    assert (first(kit).text, first(kit).pinned) == ("The build runs on GitHub Actions.", True)
    assert here.conflicts == ()


def test_the_later_edit_stands_whatever_was_done_afterwards(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """A pin does not make an edit newer."""
    one, other = branches
    number = first(one).id
    one.memories.update(number, "The build runs on GitHub.")
    clock.advance(days=1)
    other.memories.update(number, "The build runs on GitLab.")
    clock.advance(days=1)
    one.memories.pin(number)
    kit, here, _ = joined(make_kit, branches)
    assert (first(kit).text, first(kit).pinned) == ("The build runs on GitLab.", True)
    assert len(here.conflicts) == 1


def test_an_edit_after_joining_is_no_conflict(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """Who knows of both edits and says a third thing has the last word."""
    one, other = branches
    number = first(one).id
    one.memories.update(number, "The build runs on GitHub.")
    clock.advance(days=1)
    other.memories.update(number, "The build runs on GitLab.")
    one.import_(other.path)
    clock.advance(days=1)
    one.memories.update(number, "The build runs at home.")
    kit, here, _ = joined(make_kit, branches)
    assert first(kit).text == "The build runs at home."
    assert here.conflicts == ()


def test_later_value_of_a_key_supersedes_the_earlier(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """The later one supersedes the earlier, and it is said."""
    one, other = branches
    earlier = one.memories.remember(key="port", value="9001")
    clock.advance(days=1)
    later = other.memories.remember(key="port", value="9002")
    kit, here, _ = joined(make_kit, branches)
    assert [m.text for m in kit.memories.find(key="port")] == ["port: 9002"]
    assert kit.memories.get(earlier).superseded_by == later.id
    (conflict,) = here.conflicts
    assert (conflict.id, conflict.other) == (later.id, earlier.id)
    assert kit.memories.remember(key="port", value="9003").replaced == (later.id,)


def test_two_values_of_one_moment_contradict_each_other(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """Where nothing tells which is later a contradiction is opened, once."""
    for value, kit in zip(("9001", "9002"), branches, strict=True):
        kit.memories.remember(key="port", value=value)
    kit, here, _ = joined(make_kit, branches)
    (doubt,) = kit.memories.contradictions()
    assert {doubt.memory_a, doubt.memory_b} == {m.id for m in kit.memories.find(key="port")}
    assert "a contradiction was opened" in here.conflicts[0].what
    clock.advance(days=1)
    kit.memories.resolve(doubt.memory_a, doubt.memory_b, "a_wins")
    assert kit.import_(branches[1].path).conflicts == ()
    assert len(kit.memories.find(key="port")) == 1


def test_two_replacements_of_one_statement_contradict_each_other(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """Each side replaced the same memory: which is right is to be decided."""
    for text, kit in zip(("It runs on GitHub.", "It runs on GitLab."), branches, strict=True):
        kit.memories.remember(text, supersedes=first(kit))
        clock.advance(days=1)
    kit, here, _ = joined(make_kit, branches)
    assert len(kit.memories.contradictions()) == len(here.conflicts) == 1


def test_a_plan_and_a_value_of_today_are_both_kept(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """What the other side planned follows what this side said."""
    one, other = branches
    one.memories.remember(key="port", value="9001")
    clock.advance(days=1)
    other.memories.remember(key="port", value="9002", valid_from="2030-01-01")
    clock.advance(days=1)
    kit, _, _ = joined(make_kit, branches)
    for when, value in (("now", "9001"), ("2031-01-01", "9002")):
        assert [m.value for m in kit.memories.find(as_of=when) if m.key == "port"] == [value]


@pytest.mark.parametrize(
    "change",
    [
        lambda kit: kit.memories.remember("The build runs on Jenkins!"),
        lambda kit: kit.memories.tag(first(kit), "ci"),
        lambda kit: kit.memories.update(first(kit), importance=0.9),
    ],
)
def test_what_is_no_edit_of_words_is_no_conflict(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock, change: Change
) -> None:
    """Tagging, weighing and saying again on one side leave the other's words."""
    one, other = branches
    change(one)
    clock.advance(days=1)
    other.memories.update(first(other), "The build runs on GitHub.")
    kit, here, _ = joined(make_kit, branches)
    assert first(kit).text == "The build runs on GitHub."
    assert here.conflicts == ()


def forget(kit: memkit.Memkit) -> None:
    """Forget the memory of the build."""
    kit.memories.forget(first(kit), reason="moved away")


def edit(kit: memkit.Memkit) -> None:
    """Say something else of the build."""
    kit.memories.update(first(kit), "The build runs on GitHub.")


def replace(kit: memkit.Memkit) -> None:
    """Let another statement take the place of the one about the build."""
    kit.memories.remember("All is built on GitLab.", supersedes=first(kit))


def pin(kit: memkit.Memkit) -> None:
    """Touch the memory of the build without a word about what it says."""
    kit.memories.pin(first(kit))


@pytest.mark.parametrize("is_later_first", [False, True])
@pytest.mark.parametrize(
    ("changes", "current", "what"),
    [
        ((forget, edit), "The build runs on GitHub.", "forgotten in the other (moved away); the"),
        ((forget, replace), "All is built on GitLab.", "was forgotten in one store, replaced in"),
        ((edit, replace), "All is built on GitLab.", "was edited in one store, replaced in"),
        ((pin, replace), "All is built on GitLab.", None),
        ((forget, forget), None, None),
    ],
)
def test_what_one_branch_retired_and_the_other_changed_is_reported(
    make_kit: Callable[..., memkit.Memkit],
    branches: Branches,
    clock: Clock,
    changes: tuple[Change, Change],
    current: str | None,
    what: str | None,
    is_later_first: bool,
) -> None:
    """An edit stands against a forgetting, a replacement against both, whichever came later; the
    other is told of once and stays in the history."""
    number = first(branches[0]).id
    order = list(zip(branches, changes, strict=True))
    for kit, change in reversed(order) if is_later_first else order:
        change(kit)
        clock.advance(days=1)
    kit, here, _ = joined(make_kit, branches)
    texts = {memory.text for memory in kit.memories.find()} - {"port: 9000"}
    assert texts == ({current} if current else set())
    assert [conflict.id for conflict in here.conflicts] == ([number] if what else [])
    if what:
        assert what in here.conflicts[0].what
        reasons = [link.reason or "" for link in kit.memories.details(number).provenance]
        assert any(what in reason for reason in reasons)


def test_an_edit_after_a_memory_came_back_is_no_conflict_with_what_replaced_it(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """Who knows of the replacement and restores the former statement has the last word."""
    one, other = branches
    number = first(one).id
    replace(one)
    other.import_(one.path)
    clock.advance(days=1)
    other.memories.restore(number)
    other.memories.update(number, "The build runs on GitHub.")
    kit, here, _ = joined(make_kit, branches)
    assert "The build runs on GitHub." in {memory.text for memory in kit.memories.find()}
    assert here.conflicts == ()


def test_purge_survives_a_later_change_on_the_other_side(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """A purge on one side survives a later change on the other."""
    one, other = branches
    number = first(one).id
    one.memories.purge(number)
    clock.advance(days=1)
    other.memories.update(number, importance=0.9)
    kit, _, _ = joined(make_kit, branches)
    assert [memory.text for memory in kit.memories.find()] == ["port: 9000"]


def test_statement_of_two_branches_stays_one_after_merging_again(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """One statement of two branches stays one, however often they are joined."""
    one, other = branches
    one.memories.remember("Releases are cut on Mondays")
    clock.advance(days=1)
    other.memories.remember("Releases are cut on Mondays")
    kit, _, _ = joined(make_kit, branches)
    assert len(kit.memories.find()) == 3


def apart(one: memkit.Memkit, other: memkit.Memkit, clock: Clock) -> tuple[int, int]:
    """Let two stores learn the same apart; return the two numbers of it, the earlier one first."""
    mine = one.memories.remember("Releases are cut on Mondays", tags="train", snippet="at lunch")
    one.memories.remember("Releases are cut on Mondays")
    clock.advance(days=1)
    theirs = other.memories.remember(
        "releases are cut on Mondays.", tags="calendar", reason="the team said so", pinned=True
    )
    other.memories.remember("Nobody deploys on Fridays", derived_from=[theirs])
    return mine.id, theirs.id


def test_statement_of_two_branches_gets_one_id(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """Whoever joins whom gets the same bytes: one memory with the tags, counts, provenance and
    relations of both, under the lower number."""
    first_number, second_number = apart(*branches, clock)
    copies = make_kit("a.db"), make_kit("b.db")
    for copy, kit in zip(copies, branches, strict=True):
        copy.import_(kit.path)
    copies[0].import_(branches[1].path)
    copies[1].import_(branches[0].path)
    assert exported(copies[0]) == exported(copies[1])
    for kit in copies:
        (memory,) = kit.memories.find({"text": {"$contains": "Mondays"}}, history=True)
        assert (memory.id, memory.strength, memory.pinned) == (first_number, 3, True)
        assert memory.tags == ("calendar", "train")
        told = [(link.snippet, link.reason) for link in kit.memories.details(memory).provenance]
        assert ("at lunch", None) in told
        assert any("the team said so" in str(reason) for _, reason in told)
        (origin,) = [e for e in kit.memories.edges(memory) if e.kind == "derived_from"]
        assert origin.dst == first_number
        with pytest.raises(memkit.NotFound, match=f"joined with memory {first_number}"):
            kit.memories.get(second_number)
        with pytest.raises(memkit.NotFound, match=f"joined with memory {first_number}"):
            kit.explain("releases", second_number)
        before = exported(kit)
        for again in (*branches, *copies):
            if again is not kit:
                kit.import_(again.path)
        assert exported(kit) == before


def test_session_of_two_branches_gets_the_lower_id(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """What has a name of its own has the lower number of the two, whoever joins whom."""
    for kit in branches:
        clock.advance(days=1)
        with kit.session("night shift") as session, session.task("mend the build"):
            pass
    copies = make_kit("a.db"), make_kit("b.db")
    for copy, (near, far) in zip(copies, (branches, branches[::-1]), strict=True):
        copy.import_(near.path)
        copy.import_(far.path)
    assert exported(copies[0]) == exported(copies[1])


def test_what_a_branch_adds_after_joining_reaches_the_one_memory(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """A branch that goes on with its own number says it of the memory that both became; an edit of
    one side stands."""
    one, other = branches
    first_number, second_number = apart(one, other, clock)
    kit, back = make_kit("a.db"), make_kit("b.db")
    kit.import_(one.path)
    kit.import_(other.path)
    clock.advance(days=1)
    kit.memories.update(first_number, "Releases are cut on Tuesdays")
    clock.advance(days=1)
    other.memories.tag(second_number, "release")
    other.memories.update(second_number, importance=0.9)
    done = kit.import_(other.path)
    back.import_(other.path)
    back.import_(kit.path)
    assert done.conflicts == ()
    for store in (kit, back):
        memory = store.memories.get(first_number)
        assert (memory.text, memory.importance) == ("Releases are cut on Tuesdays", 0.9)
        assert memory.tags == ("calendar", "release", "train")
    assert exported(kit) == exported(back)


def test_purge_holds_for_both_ids_of_a_merged_memory(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """A purge is one of both numbers, here and wherever the purge is brought to."""
    first_number, second_number = apart(*branches, clock)
    kit = make_kit("a.db")
    for branch in branches:
        kit.import_(branch.path)
    joined_before = make_kit("b.db")
    joined_before.import_(kit.path)
    branches[1].memories.purge(second_number)
    joined_before.import_(branches[1].path)
    kit.memories.purge(first_number)
    kit.import_(branches[0].path)
    for store in (kit, joined_before):
        assert not store.memories.find({"text": {"$contains": "Mondays"}}, history=True)


def test_a_settled_contradiction_keeps_its_winner_when_numbers_change_places(
    make_kit: Callable[..., memkit.Memkit], branches: Branches, clock: Clock
) -> None:
    """The two memories of a contradiction are kept in the order of their numbers."""
    one, other = branches
    early = one.memories.remember("Releases are cut on Mondays").id
    clock.advance(days=1)
    rival = other.memories.remember("Releases are cut on Fridays").id
    clock.advance(days=1)
    late = other.memories.remember("Releases are cut on Mondays").id
    assert early < rival < late
    other.memories.contradict(rival, late)
    other.memories.resolve(late, rival, "a_wins")
    other.import_(one.path)
    (settled,) = other.memories.contradictions(history=True)
    assert (settled.memory_a, settled.memory_b, settled.resolution) == (early, rival, "a_wins")
    assert other.memories.get(rival).superseded_by == early
    assert other.check().is_sound

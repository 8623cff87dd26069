"""What is said to have helped is believed more; what did not, less."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memkit
from memkit.errors import InvalidInput, NotFound
from memkit.memories.confidence import IGNORED, MAX_DAY, MAX_TOTAL, weigh
from tests.conftest import Clock
from tests.store import shell


def counts(kit: memkit.Memkit, number: int) -> tuple[int, ...]:
    """What is counted of a memory: uses, times cited, times ignored."""
    columns = "access_count, citation_count, ignore_count"
    (found,) = shell.run(kit.path, f"select {columns} from usage where memory_id = {number}")
    return found


def test_confirmed_use_is_counted_and_dated(kit: memkit.Memkit, clock: Clock) -> None:
    """A confirmed use is counted, strengthens, and is dated."""
    made = kit.memories.remember("bricks are red", confidence=0.7)
    clock.advance(hours=1)
    (memory,) = kit.consolidation.used(made)
    assert (memory.strength, memory.confidence, memory.access_count) == (2, 0.75, 1)
    assert memory.accessed_at == memory.updated_at == kit._store.now()
    kit.consolidation.used([made, made.id])
    assert counts(kit, made.id) == (2, 0, 0)
    assert kit.memories.get(made).confidence == 0.8


def test_what_was_of_no_use_is_believed_less(kit: memkit.Memkit) -> None:
    """Returned and not used is little; acted on and misled is more, and a use."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    (memory,) = kit.consolidation.rejected(made)
    assert (memory.confidence, memory.strength, memory.accessed_at) == (0.48, 1, None)
    (memory,) = kit.consolidation.used(made, helpful=False)
    assert (memory.confidence, memory.access_count) == (0.4, 1)
    assert counts(kit, made.id) == (1, 0, 1)
    assert [change.verb for change in kit.memories.details(made).audit[:2]] == ["used", "rejected"]


def test_citation_and_neglect_are_counted(kit: memkit.Memkit) -> None:
    """Cited is a use that helped, with its action in the audit; ignored moves no belief."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    (memory,) = kit.consolidation.cited(made, "edit of wall.py, token=ghp_" + "a1B2" * 9)
    assert (memory.confidence, memory.strength) == (0.55, 2)
    assert counts(kit, made.id) == (1, 1, 0)
    entry = kit.memories.details(made).audit[0]
    assert "edit of wall.py" in entry.detail
    assert "a1B2a1B2" not in entry.detail
    (memory,) = kit.consolidation.ignored(made)
    assert (memory.confidence, memory.strength) == (0.55, 2)
    assert counts(kit, made.id) == (1, 1, 1)


@pytest.mark.parametrize("helpful", [True, False])
def test_feedback_moves_belief_within_a_bound(
    kit: memkit.Memkit, clock: Clock, helpful: bool
) -> None:
    """However often it is told, a day moves belief by MAX_DAY, and all days by MAX_TOTAL."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    sign = 1 if helpful else -1
    for _ in range(5):
        kit.consolidation.used(made, helpful=helpful)
    assert kit.memories.get(made).confidence == pytest.approx(0.5 + sign * MAX_DAY)
    for _ in range(8):
        clock.advance(days=1)
        for _ in range(3):
            kit.consolidation.used(made, helpful=helpful)
    assert kit.memories.get(made).confidence == pytest.approx(0.5 + sign * MAX_TOTAL)


def test_confidence_that_was_set_anew_is_moved_from_there(kit: memkit.Memkit) -> None:
    """What a person sets counts as it is; only what is told afterwards moves it."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    kit.consolidation.used(made)
    early = kit.memories.details(made).audit[0].id
    kit.memories.update(made, confidence=0.9)
    assert kit.consolidation.used(made)[0].confidence == 0.95
    assert kit.consolidation.undo(early).memory.confidence == 0.95


TOLD = {
    "helped": lambda living, memory: living.used(memory),
    "misled": lambda living, memory: living.used(memory, helpful=False),
    "cited": lambda living, memory: living.cited(memory, "an edit"),
    "ignored": lambda living, memory: living.ignored(memory),
    "rejected": lambda living, memory: living.rejected(memory),
}


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    start=st.sampled_from([0.02, 0.37, 0.5, 0.7123456, 0.97]),
    told=st.lists(
        st.tuples(st.sampled_from(sorted(TOLD)), st.booleans(), st.booleans()),
        min_size=1,
        max_size=7,
    ),
)
def test_what_is_undone_was_never_told(start: float, told: list[tuple[str, bool, bool]]) -> None:
    """Whatever was told before and after, a memory stands as though an undone event had not
    been; `told` are the verb, whether it is undone at the end, and whether a day passes first."""
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        path = Path(folder)
        with memkit.open(path / "f.db", clock=clock, encoder="hashing", global_store=False) as kit:
            both, only = (
                kit.memories.remember(text, confidence=start).id
                for text in ("bricks are blue", "tiles need glue")
            )
            events = []
            for verb, undone, later in told:
                clock.advance(60, days=float(later))
                TOLD[verb](kit.consolidation, both)
                if undone:
                    events.append(kit.memories.details(both).audit[0].id)
                else:
                    TOLD[verb](kit.consolidation, only)
            for event in events:
                kit.consolidation.undo(event)
            assert _standing(kit, both) == _standing(kit, only)


def _standing(kit: memkit.Memkit, number: int) -> tuple[object, ...]:
    memory = kit.memories.get(number)
    rows = shell.run(
        kit.path,
        "select access_count, citation_count, ignore_count from usage "
        f"where memory_id = {number} and access_count + citation_count + ignore_count > 0",
    )
    return (memory.confidence, memory.strength, memory.accessed_at, rows)


def test_undone_use_lets_a_memory_wait_again(kit: memkit.Memkit) -> None:
    """What only a use had confirmed waits once both uses are undone; twice is an error."""
    result = kit.extract("Always run make lint before pushing, please.", session="s", remember=True)
    assert result
    (waiting,) = kit.review.pending()
    events = []
    for _ in range(2):
        kit.consolidation.used(waiting)
        events.append(kit.memories.details(waiting).audit[0].id)
    assert not kit.consolidation.undo(events[0]).memory.is_unconfirmed
    assert kit.consolidation.undo(events[1]).memory.is_unconfirmed
    with pytest.raises(InvalidInput, match="was undone at"):
        kit.consolidation.undo(events[1])
    with pytest.raises(NotFound, match="no run and no feedback has the number 7"):
        kit.consolidation.undo(7)


def test_what_helped_stands_a_little_higher(packaged: memkit.Memkit, clock: Clock) -> None:
    """A use that helped is told as a part of the score: it decides between answers alike, and does
    not make of what is popular the answer to another question."""
    used = packaged.memories.remember("the proxy of team blue is nginx", confidence=0.7)
    packaged.memories.remember("the proxy of team red is haproxy", confidence=0.7)
    (before,) = [hit for hit in packaged.recall("which proxy do we have?") if hit.id == used.id]
    for _ in range(50):
        packaged.consolidation.used(used)
    (after,) = [hit for hit in packaged.recall("which proxy do we have?") if hit.id == used.id]
    assert after.parts["recency"] > 0
    assert before.score < after.score < before.score + 0.03
    assert packaged.recall("which proxy has team red?")[0].id != used.id


def test_rejected_memory_is_not_ranked_higher(packaged: memkit.Memkit) -> None:
    """A use that misled is no recent use in recall: rejecting a memory never lifts it."""
    made = packaged.memories.remember("the port of the proxy is 8080")
    asked = "which proxy do we have?"
    (before,) = packaged.recall(asked)
    (memory,) = packaged.consolidation.used(made, helpful=False)
    (after,) = packaged.recall(asked)
    assert memory.accessed_at is None
    assert after.score < before.score


def test_a_global_memory_is_weighed_in_its_own_file(
    make_kit: Callable[..., memkit.Memkit], tmp_path: Path
) -> None:
    """Feedback finds the file that a memory lies in."""
    kit = make_kit("p.db", global_store=tmp_path / "g.db")
    made = kit.memories.remember("I prefer tabs.", scope="global", confidence=0.5)
    assert kit.consolidation.used(made)[0].confidence == 0.55
    event = kit.memories.details(made).audit[0].id
    assert kit.consolidation.rejected(made)[0].confidence == 0.53
    assert kit.consolidation.undo(event).memory.confidence == 0.48


def test_feedback_on_nothing_is_refused(kit: memkit.Memkit) -> None:
    """An id that is not there, an empty list, a yes in words."""
    made = kit.memories.remember("bricks are red")
    with pytest.raises(NotFound):
        kit.consolidation.used([made.id, made.id + 1])
    assert kit.memories.get(made).strength == 1
    with pytest.raises(InvalidInput):
        kit.consolidation.rejected([])
    with pytest.raises(InvalidInput, match="helpful: found 'no'"):
        kit.consolidation.used(made, helpful="no")
    with pytest.raises(InvalidInput, match="action"):
        kit.consolidation.cited(made, " ")


def test_being_shown_is_not_counted_as_a_use(packaged: memkit.Memkit) -> None:
    """Being shown, however often and to however many sessions, is no use: nothing is counted, and
    the same question has the same answer as before."""
    vague = packaged.memories.remember("the bakery uses several ovens and trays")
    exact = packaged.memories.remember("the bakery's oven for rye stands in the cellar")
    alike = packaged.memories.remember("the bakery uses many tins and ovens")
    asked = "which ovens does the bakery use?"
    before = {hit.id: hit.score for hit in packaged.recall(asked, min_score=0)}
    for number in range(30):
        packaged.recall(asked, session=f"day {number}")
        packaged.recall(asked)
    after = {hit.id: hit.score for hit in packaged.recall(asked, min_score=0)}
    assert list(after) == list(before)
    assert after == pytest.approx(before, abs=1e-6)
    for made in (vague, exact, alike):
        memory = packaged.memories.get(made)
        assert (memory.access_count, memory.strength, memory.accessed_at) == (0, 1, None)
    assert packaged.recall("where does the oven for rye stand?")[0].id == exact.id


def test_counts_of_citing_and_ignoring_are_shown(kit: memkit.Memkit) -> None:
    """In what else is known of the memory, and in the overview of the file."""
    made = kit.memories.remember("The kiln is fired on Fridays.")
    kit.consolidation.cited(made, "an edit")
    for _ in range(2):
        kit.consolidation.ignored(made)
    details = kit.memories.details(made)
    assert (details.cited, details.ignored) == (1, 2)


def test_last_is_the_newest_that_somebody_ran_or_told(kit: memkit.Memkit, clock: Clock) -> None:
    """Feedback, then a run before it, then nothing; what a session's end noticed is not meant."""
    for text in ("Vault doors open with a badge.", "Vault door opens with a badge."):
        kit.memories.remember(text)
    run = kit.consolidate().run
    clock.advance(60)
    (memory,) = kit.memories.find()
    kit.consolidation.used(memory)
    clock.advance(60)
    kit._store.write(lambda: weigh(kit._store, [memory.id], IGNORED, session="monday"))
    undone = kit.consolidation.undo("last")
    assert undone.run is None
    assert undone.memory == kit.memories.get(memory)
    assert undone.memory.confidence == memory.confidence
    assert kit.consolidation.undo("last").run == run
    with pytest.raises(NotFound, match="nothing stands"):
        kit.consolidation.undo("last")

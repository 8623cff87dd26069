"""What is said to have helped is believed more; what did not, less."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.errors import InvalidInput, NotFound
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
    (memory,) = kit.memories.confirm(made)
    assert (memory.strength, memory.confidence, memory.access_count) == (2, 0.75, 1)
    assert memory.accessed_at == memory.updated_at == kit._store.now()
    kit.memories.confirm([made, made.id])
    assert counts(kit, made.id) == (2, 2, 0)
    assert kit.memories.get(made).confidence == 0.8


def test_what_was_of_no_use_is_believed_less(kit: memkit.Memkit) -> None:
    """Returned and not used is little; acted on and misled is more, and a use."""
    made = kit.memories.remember("bricks are blue", confidence=0.5)
    (memory,) = kit.memories.reject(made)
    assert (memory.confidence, memory.strength, memory.accessed_at) == (0.48, 1, None)
    (memory,) = kit.memories.reject(made, used=True)
    assert (memory.confidence, memory.access_count) == (0.38, 1)
    assert counts(kit, made.id) == (1, 0, 1)
    for _ in range(9):
        (memory,) = kit.memories.reject(made, used=True)
    assert memory.confidence == 0.0
    assert [change.verb for change in kit.memories.details(made).audit[:2]] == ["reject", "reject"]


def test_of_two_answers_the_one_that_helped_leads(packaged: memkit.Memkit, clock: Clock) -> None:
    """Confirmed use decides between answers alike, and is told as a part of the score."""
    used = packaged.memories.remember("the proxy of team blue is nginx", session="a")
    other = packaged.memories.remember("the proxy of team red is nginx", session="b")
    asked = "which proxy do we have?"
    assert [hit.id for hit in packaged.recall(asked)][:2] == [other.id, used.id]
    packaged.memories.confirm(used)
    hits = packaged.recall(asked)
    assert [hit.id for hit in hits][:2] == [used.id, other.id]
    assert hits[0].parts["recency"] > 0


def test_rejected_memory_is_not_ranked_higher(packaged: memkit.Memkit) -> None:
    """A use that misled is no recent use in recall: rejecting a memory never lifts it."""
    made = packaged.memories.remember("the port of the proxy is 8080")
    asked = "which proxy do we have?"
    (before,) = packaged.recall(asked)
    (memory,) = packaged.memories.reject(made, used=True)
    (after,) = packaged.recall(asked)
    assert memory.accessed_at is None
    assert after.score < before.score


def test_a_global_memory_is_weighed_in_its_own_file(
    make_kit: Callable[..., memkit.Memkit], tmp_path: Path
) -> None:
    """Feedback finds the file that a memory lies in."""
    kit = make_kit("p.db", global_store=tmp_path / "g.db")
    made = kit.memories.remember("I prefer tabs.", scope="global", confidence=0.5)
    assert kit.memories.confirm(made)[0].confidence == 0.55
    assert kit.memories.reject(made)[0].confidence == 0.53


def test_feedback_on_nothing_is_refused(kit: memkit.Memkit) -> None:
    """An id that is not there, an empty list, a yes in words."""
    made = kit.memories.remember("bricks are red")
    with pytest.raises(NotFound):
        kit.memories.confirm([made.id, made.id + 1])
    assert kit.memories.get(made).strength == 1
    with pytest.raises(InvalidInput):
        kit.memories.reject([])
    with pytest.raises(InvalidInput, match="used: found 'no'"):
        kit.memories.reject(made, used="no")


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

"""Review: candidates wait, are confirmed or go; limits, merge, and what recall says of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from memkit.agents import review
from memkit.errors import NotFound
from memkit.memories.records import ReviewState
from tests.conftest import Clock

RULE = "Never retry a POST."
PROMPT = f"Add a retry. {RULE}"


@pytest.fixture
def waiting(kit: memkit.Memkit) -> int:
    """The id of a candidate that waits."""
    (number,) = kit.extract(PROMPT, session="s1", remember=True).remembered
    return number


def test_a_candidate_waits_and_is_marked(kit: memkit.Memkit, waiting: int) -> None:
    """It takes part in recall with little belief, and the context says that nobody confirmed it."""
    (memory,) = kit.review.pending()
    assert (memory.id, memory.review, memory.provenance) == (waiting, "pending", "extracted")
    assert memory.confidence <= 0.6
    (link,) = kit.memories.details(memory).provenance
    assert (link.session, link.reason) == ("s1", "it holds always")
    assert kit.recall("may I retry a POST?", min_score=0)[0].memory.is_unconfirmed
    assert "(unconfirmed)" in kit.context.assemble("may I retry a POST?").text


def test_extracting_again_adds_and_strengthens_nothing(kit: memkit.Memkit, waiting: int) -> None:
    """The same prompt, another wording of it, and what was told before."""
    for prompt in (PROMPT, "please never retry the POST!"):
        result = kit.extract(prompt, session="s2", remember=True)
        assert result.remembered == ()
        assert str(waiting) in result.dropped[0].reason
    assert kit.memories.get(waiting).strength == 1
    kit.memories.remember("Always sign the commits of a release.")
    assert not kit.extract(
        "Always sign the commits of a release, please.", remember=True
    ).candidates
    assert kit.memories.count() == 2


def test_use_confirms(kit: memkit.Memkit, waiting: int) -> None:
    """`used` accepts it, `rejected` (it was of no use) does not settle anything."""
    kit.consolidation.rejected(waiting)
    assert kit.memories.get(waiting).is_unconfirmed
    assert kit.consolidation.used(waiting)[0].review is ReviewState.ACCEPTED
    assert kit.review.pending() == []


def test_saying_it_confirms(kit: memkit.Memkit, waiting: int) -> None:
    """A person who says the same to be remembered has confirmed it."""
    assert kit.memories.remember(RULE, kind="negative").id == waiting
    assert kit.memories.get(waiting).review is ReviewState.ACCEPTED


def test_accepting_is_as_good_as_saying_it(kit: memkit.Memkit, waiting: int) -> None:
    """Belief rises, the chain of sources says why, and it does not wait any more."""
    (memory,) = kit.review.accept(waiting)
    assert (memory.review, memory.confidence) == ("accepted", 0.9)
    reasons = [link.reason for link in kit.memories.details(memory).provenance]
    assert reasons == ["it holds always", "accepted in review"]
    with pytest.raises(NotFound, match="does not wait for a review"):
        kit.review.accept(waiting)


def test_rejected_is_forgotten_for_good(kit: memkit.Memkit, waiting: int) -> None:
    """With the reason; the same is not extracted again."""
    (memory,) = kit.review.reject(waiting, reason="only that day")
    assert (memory.active, memory.inactive_reason) == (False, "rejected in review: only that day")
    assert kit.extract(PROMPT, session="s3", remember=True).remembered == ()
    assert kit.recall("may I retry a POST?", min_score=0).hits == ()


def test_an_error_settles_nothing(kit: memkit.Memkit, waiting: int) -> None:
    """One id that does not wait: the others stay as they are."""
    told = kit.memories.remember("The port is 8080.").id
    with pytest.raises(NotFound):
        kit.review.reject([waiting, told])
    assert kit.memories.get(waiting).is_unconfirmed


def test_a_session_leaves_a_few(kit: memkit.Memkit) -> None:
    """At most five, those said most plainly first; what is too many is named."""
    rules = [f"Never touch part {name} by hand." for name in ("a1", "b2", "c3", "d4", "e5")]
    result = kit.extract(" ".join([*rules, "From now on use uv."]), session="s1", remember=True)
    assert len(result.remembered) == review.PER_SESSION
    assert "From now on use uv." in {draft.text for draft in result.candidates}
    assert [d.reason for d in result.dropped] == ["is one more than the 5 of a session"]
    assert kit.extract("Always use tabs.", session="s1", remember=True).remembered == ()
    assert len(kit.extract("Always use tabs.", session="s2", remember=True).remembered) == 1


def test_too_many_that_wait_let_the_oldest_go(
    kit: memkit.Memkit, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is forgotten with the reason, and may be extracted again."""
    monkeypatch.setattr(review, "MAX_PENDING", 2)
    ids = [
        kit.extract(f"Never touch part {name} by hand.", session=name, remember=True).remembered[0]
        for name in ("a1", "b2", "c3")
    ]
    assert [memory.id for memory in kit.review.pending()] == ids[:0:-1]
    clock.advance(60)
    first = kit.memories.get(ids[0])
    assert (first.review, first.active) == ("expired", False)
    again = kit.extract("Never touch part a1 by hand.", session="d4", remember=True)
    assert again.remembered == (ids[0],)
    assert kit.memories.get(ids[0]).is_unconfirmed


def test_a_merge_keeps_the_later_state(
    make_kit: Callable[..., memkit.Memkit], clock: Clock
) -> None:
    """What was accepted in one file is so in both, whoever imports whom."""
    here, there = make_kit("here.db"), make_kit("there.db")
    (number,) = here.extract(PROMPT, session="s1", remember=True).remembered
    there.import_(here.path)
    assert there.memories.get(number).is_unconfirmed
    clock.advance(60)
    there.review.accept(number)
    here.import_(there.path)
    there.import_(here.path)
    for kit in (here, there):
        assert kit.memories.get(number).review is ReviewState.ACCEPTED


def test_a_purge_leaves_nothing(kit: memkit.Memkit, waiting: int) -> None:
    """The row of the review goes with its memory."""
    kit.memories.purge(waiting)
    assert not kit._store.all("tables.memory_reviews_rows")

"""Questions asked in vain: grouped, closed by an answer, open again without it."""

from __future__ import annotations

import pytest

import memkit
from memkit.consolidation.gaps import is_same
from memkit.errors import NotFound
from tests.conftest import Clock

ASKED = "where do the quokkas of Rottnest nest?"


def test_near_equal_questions_are_one_gap(packaged: memkit.Memkit, clock: Clock) -> None:
    """Counts of all wordings add up; another question stays apart."""
    for question in (ASKED, "Where do quokkas nest on Rottnest?", ASKED, "who paints the fence?"):
        clock.advance(60)
        packaged.recall(question, session="s")
        packaged._served.flush()
    first, second = packaged.gaps()
    assert (first.question, first.asked_count) == (ASKED, 3)
    assert first.others == ("Where do quokkas nest on Rottnest?",)
    assert first.first_at < first.last_at
    assert (second.question, second.others) == ("who paints the fence?", ())


@pytest.mark.parametrize(
    ("other", "nearness", "same"),
    [
        ("where do quokkas nest in Rottnest", None, True),
        ("where do quokkas sleep?", 0.9, True),
        ("where do wombats nest and sleep?", 0.6, False),
        ("who paints the fence?", 0.95, False),
    ],
)
def test_words_and_vectors_tell_what_is_the_same(
    other: str, nearness: float | None, same: bool
) -> None:
    """Most of the words, or a near vector with a word in common."""
    assert is_same(ASKED, other, nearness) is same


def test_later_memory_closes_a_gap_until_it_is_forgotten(
    packaged: memkit.Memkit, clock: Clock
) -> None:
    """What answers it is named; forgotten, the question is open again; closed once more."""
    packaged.memories.remember("The kiln is fired on Fridays.")
    packaged.recall(ASKED, session="s")
    assert not packaged.consolidation.close_answered_gaps()
    clock.advance(60)
    told = "The quokkas of Rottnest nest under the jetty."
    answer = packaged.memories.remember_many([told, "The fence is blue."])[0].id
    (closed,) = packaged.consolidation.close_answered_gaps()
    assert (closed.answer, packaged.gaps()) == (answer, [])
    assert [gap.answer for gap in packaged.gaps(history=True)] == [answer]
    assert not packaged.consolidation.close_answered_gaps()
    packaged.memories.forget(answer)
    assert [gap.question for gap in packaged.gaps()] == [ASKED]
    packaged.memories.restore(answer)
    assert packaged.gaps() == []
    packaged.memories.purge(answer)
    assert [gap.question for gap in packaged.gaps()] == [ASKED]


def test_closed_gap_is_open_again_when_asked_in_vain(packaged: memkit.Memkit, clock: Clock) -> None:
    """A person closes it by any of its ids; an id that nobody has is an error."""
    packaged.recall(ASKED, session="s")
    (gap,) = packaged.gaps()
    clock.advance(60)
    assert packaged.consolidation.close_gap(gap.ids[0]).closed_at is not None
    assert packaged.gaps() == []
    clock.advance(60)
    packaged.recall(ASKED, session="s")
    assert [gap.asked_count for gap in packaged.gaps()] == [2]
    with pytest.raises(NotFound, match="'memkit gaps --all' lists them"):
        packaged.consolidation.close_gap("nobody")


def test_gaps_are_grouped_by_words_without_a_model(kit: memkit.Memkit) -> None:
    """Where there are no vectors that mean anything, words alone tell."""
    for question in (ASKED, "Where do quokkas nest on Rottnest?"):
        kit.recall(question, session="s")
    assert len(kit.gaps()) == 1


ANSWER = "The quokkas of Rottnest nest under the jetty."


def test_memory_that_answers_says_so_and_closes_the_question(
    packaged: memkit.Memkit, clock: Clock
) -> None:
    """At once, and only for the question that it answers."""
    for question in (ASKED, "who paints the fence of Rottnest?"):
        packaged.recall(question, session="s")
    clock.advance(60)
    done = packaged.memories.remember(ANSWER)
    assert done.answers == (ASKED,)
    assert [gap.question for gap in packaged.gaps()] == ["who paints the fence of Rottnest?"]
    assert packaged.memories.remember("The kiln is fired on Fridays.").answers == ()


def test_many_memories_at_once_ask_no_question_again(
    packaged: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end of the session tells what they answer; without open questions nothing is asked."""
    packaged.memories.remember("The fence is blue.")
    monkeypatch.setattr(type(packaged), "recall", None)
    packaged.memories.remember("The kiln is fired on Fridays.")
    monkeypatch.undo()
    packaged.recall(ASKED, session="s")
    monkeypatch.setattr(type(packaged), "recall", None)
    done = packaged.memories.remember_many([ANSWER, "The gate is green."])
    assert [result.answers for result in done] == [(), ()]

"""As-of answers: what was believed at a moment, whatever became of it since."""

from __future__ import annotations

import pytest

import memkit
from memkit.retrieval.explanation import EDITED_SINCE, TEXT_OF_THEN
from tests.conftest import Clock
from tests.store import shell

ASKED = "which port does the kettle server use?"


def believed(kit: memkit.Memkit, moment: float) -> list[str]:
    """Return what is answered of a moment."""
    return [hit.memory.text for hit in kit.recall(ASKED, as_of=moment, min_score=0)]


def test_each_belief_holds_for_its_time(packaged: memkit.Memkit, clock: Clock) -> None:
    """Before anything was said nothing was believed; then each value until the next one."""
    before = clock()
    moments = []
    for port in (80, 81, 82):
        clock.advance(days=1)
        packaged.memories.remember(key="kettle server port", value=str(port))
        clock.advance(days=1)
        moments.append(clock())
    assert believed(packaged, before) == []
    assert [believed(packaged, moment) for moment in moments] == [
        [f"kettle server port: {port}"] for port in (80, 81, 82)
    ]


@pytest.mark.parametrize("deed", ["forgotten", "purged"])
def test_what_was_forgotten_is_not_told_of_any_time(
    packaged: memkit.Memkit, clock: Clock, deed: str
) -> None:
    """Who forgets does not want it back; `history` shows it, unless it is purged."""
    made = packaged.memories.remember("The kettle server uses port 80.")
    clock.advance(days=1)
    moment = clock()
    clock.advance(days=1)
    change = packaged.memories.forget if deed == "forgotten" else packaged.memories.purge
    change(made)
    assert believed(packaged, moment) == []
    history = packaged.recall(ASKED, history=True, min_score=0)
    assert [hit.id for hit in history] == ([made.id] if deed == "forgotten" else [])


def test_what_was_strengthened_or_weighed_stays_what_it_was(
    packaged: memkit.Memkit, clock: Clock
) -> None:
    """Feedback, saying it again and a pin change nothing of when it was believed."""
    made = packaged.memories.remember("The kettle server uses port 80.")
    clock.advance(days=1)
    moment = clock()
    clock.advance(days=1)
    packaged.memories.remember("The kettle server uses port 80.")
    packaged.consolidation.used(made)
    packaged.memories.pin(made)
    assert believed(packaged, moment) == ["The kettle server uses port 80."]


def test_answer_that_was_superseded_later_was_believed(
    packaged: memkit.Memkit, clock: Clock
) -> None:
    """The older statement answers of its time, the newer one of now."""
    old = packaged.memories.remember("The kettle server uses port 80.")
    clock.advance(days=1)
    moment = clock()
    clock.advance(days=1)
    packaged.memories.remember("The kettle server uses port 81 now.", supersedes=old)
    assert believed(packaged, moment) == ["The kettle server uses port 80."]
    assert believed(packaged, clock()) == ["The kettle server uses port 81 now."]


def test_what_was_not_known_to_be_disputed_is_not_said_to_be(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """A moment before the rival was told knows of no rival; from then on both say so."""
    first = kit.memories.remember("The kettle holds two litres.")
    clock.advance(days=2)
    second = kit.memories.remember("The kettle holds three litres.")
    kit.memories.contradict(first, second)
    before, now = (
        kit.recall("how much does the kettle hold?", as_of=moment, min_score=0)
        for moment in ("1 day ago", None)
    )
    assert [(hit.id, hit.contradicts) for hit in before] == [(first.id, ())]
    assert {hit.id: hit.contradicts for hit in now} == {
        first.id: (second.id,),
        second.id: (first.id,),
    }


def test_text_of_then_is_shown_of_what_was_edited_since(
    packaged: memkit.Memkit, clock: Clock
) -> None:
    """Of several edits that which held then; what was edited before is as it is."""
    memory = packaged.memories.remember("The kettle server uses port 80.")
    moments = []
    for port in (81, 82):
        clock.advance(days=1)
        moments.append(clock())
        clock.advance(days=1)
        packaged.memories.update(memory, text=f"The kettle server uses port {port}.")
    clock.advance(days=1)
    moments.append(clock())
    assert [believed(packaged, moment) for moment in moments] == [
        [f"The kettle server uses port {port}."] for port in (80, 81, 82)
    ]
    reasons = [packaged.recall(ASKED, as_of=moment)[0].reasons for moment in moments]
    assert [TEXT_OF_THEN in said for said in reasons] == [True, True, False]


@pytest.mark.parametrize("lost", ["delete from audit", "x" * 2_000])
def test_text_of_then_that_nobody_noted_whole_is_not_made_up(
    packaged: memkit.Memkit, clock: Clock, lost: str
) -> None:
    """Where the audit is gone, or has a part of it only, today's text comes with a note."""
    text = "The kettle server uses port 80."
    memory = packaged.memories.remember(f"{text} {lost}" if lost.startswith("x") else text)
    clock.advance(days=1)
    moment = clock()
    clock.advance(days=1)
    packaged.memories.update(memory, text="The kettle server uses port 81.")
    if not lost.startswith("x"):
        shell.run(packaged.path, lost)
    assert believed(packaged, moment) == ["The kettle server uses port 81."]
    assert EDITED_SINCE in packaged.recall(ASKED, as_of=moment)[0].reasons

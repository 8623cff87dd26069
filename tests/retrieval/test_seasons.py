"""Seasons: what belongs to a recurring moment comes first while it is on, and is never dropped."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

import memkit
from memkit.retrieval.seasons import SeasonsOn

ASKED = "who may merge into main?"
USUAL, RELEASE = "Anybody may merge into main.", "Only Ada may merge into main."


@pytest.fixture
def kit(packaged: memkit.Memkit) -> memkit.Memkit:
    """A store where one rule is for the week of a release."""
    packaged.memories.remember(USUAL)
    packaged.memories.remember(RELEASE, season="release-week")
    return packaged


def scores(kit: memkit.Memkit, question: str = ASKED, **options: object) -> dict[str, float]:
    """Return the score of each hit, by its text."""
    return {hit.text: hit.score for hit in kit.recall(question, **options)}  # type: ignore[arg-type]


def test_memory_of_a_season_is_lifted_while_it_is_on(kit: memkit.Memkit) -> None:
    """It comes first, and says why; the other stays what it was."""
    off, on = scores(kit), scores(kit, season="release-week")
    assert off[RELEASE] < on[RELEASE]
    assert off[USUAL] == pytest.approx(on[USUAL])
    first = kit.recall(ASKED, season=["end-of-sprint", "Release Week"])[0]
    assert first.text == RELEASE
    assert "of a season that is on" in first.reasons
    assert first.parts["season"] > 0


def test_memory_of_another_season_is_lowered_and_stays(kit: memkit.Memkit) -> None:
    """Out of its season it comes after what always holds, and still comes."""
    assert list(scores(kit)) == [USUAL, RELEASE]
    assert list(scores(kit, season="end-of-sprint")) == [USUAL, RELEASE]


def test_question_that_names_the_season_turns_it_on(kit: memkit.Memkit) -> None:
    """As a caller who says that it is on."""
    found = kit.recall("who may merge into main in the release week?")
    assert found[0].text == RELEASE
    assert found[0].parts["season"] > 0


def test_only_answer_is_not_lost_out_of_season(packaged: memkit.Memkit) -> None:
    """What was good enough stays good enough."""
    packaged.memories.remember(RELEASE, season="release-week")
    assert scores(packaged)


def test_ranking_without_seasons_is_the_same_whatever_is_on(packaged: memkit.Memkit) -> None:
    """A season says nothing of what belongs to none."""
    packaged.memories.remember(USUAL)
    packaged.memories.remember(RELEASE)
    assert scores(packaged) == pytest.approx(scores(packaged, season="release-week"))


def test_context_takes_the_season_as_a_signal(kit: memkit.Memkit) -> None:
    """The rule of the season stands before the usual one."""
    signals = {"season": "release-week"}
    texts = [item.text for item in kit.context.assemble(ASKED, signals=signals).items]
    places = [next(n for n, text in enumerate(texts) if rule in text) for rule in (RELEASE, USUAL)]
    assert places == sorted(places)
    # By itself a season is nothing to look for.
    page = kit.context.assemble(signals=signals)
    assert page.text == kit.context.assemble().text


@pytest.mark.parametrize(
    ("season", "question", "is_on"),
    [
        ("end-of-sprint", "what do we do at the end of the sprint?", True),
        ("end-of-sprint", "does the sprint end on Friday?", False),
        ("release-week", "in release week", True),
        ("release-week", "release this week", False),
        ("the", "the what?", False),
    ],
)
def test_words_name_a_season_in_a_row(season: str, question: str, *, is_on: bool) -> None:
    """Articles between them aside."""
    assert SeasonsOn((), question).includes(season) is is_on


def test_blank_season_is_refused(kit: memkit.Memkit) -> None:
    """As any other name."""
    with pytest.raises(memkit.InvalidInput, match="season"):
        kit.recall(ASKED, season=" ")


@given(
    st.lists(st.sampled_from("release week end of the sprint freeze".split()), min_size=1),
    st.lists(st.sampled_from("who may merge into main on day five".split()), max_size=8),
)
def test_question_without_the_words_of_a_season_turns_none_on(
    season: list[str], question: list[str]
) -> None:
    """Whatever a season is called, a question without its words changes nothing."""
    assert not SeasonsOn((), " ".join(question)).includes("-".join(season))

"""Questions that ask what held at a past time, and what has a season, answered as of then."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

import memkit
from memkit.retrieval.explanation import TEXT_OF_THEN
from memkit.retrieval.query import parse_query
from memkit.retrieval.query_times import HeldTime, SeasonsOn, held_time, may_ask_what_held
from memkit.store import timestamps
from tests.conftest import Clock

NOW = timestamps.to_epoch("2026-11-20T10:00:00Z")
PORT_80, PORT_81 = "The kettle server uses port 80.", "The kettle server uses port 81."


def asked(text: str) -> HeldTime | None:
    """Return the time of which a text asks what held in it."""
    return held_time(parse_query(text, now=NOW), now=NOW) if may_ask_what_held(text) else None


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("What did we believe on 3 May about the port?", "2026-05-03"),
        ("what held in spring 2025 for the retry limit", "2025-03-01 to 2025-05-31"),
        ("which Node was in use in May?", "2026-05-01 to 2026-05-31"),
        ("Which database did the shop use back in March?", "2026-03-01 to 2026-03-31"),
        ("As of 3 May, who looks after the mailroom?", "2026-05-03"),
        ("What was the limit before July?", "2026-06-30"),
        ("which Electron did people have before 3 May?", "2026-05-02"),
    ],
)
def test_state_of_a_past_time_is_asked_about(text: str, days: str) -> None:
    """Belief and use, in a time or before it."""
    held = asked(text)
    assert held is not None
    assert held.words == days


@pytest.mark.parametrize(
    "text",
    [
        "What did we decide last week?",
        "What did Bashir tell us last week about the schedule?",
        "Which outage did we have in June, and what was put in place afterwards?",
        "What went wrong on the ninth of March?",
        "What did we believe?",  # no time
        "What did we use since May?",  # until today
        "Which port did we use in 2026?",  # which is not over
        "What did we use in May and in July?",  # two times
        "We used port 80 in May. Now the server hangs. Please look at the handler.",
    ],
)
def test_other_questions_are_not_of_a_state(text: str) -> None:
    """What was said or came about in a time, what is not over, and prompts."""
    assert asked(text) is None


class TestRecall:
    """A store where port 80 was replaced by 81 on 10 May."""

    @pytest.fixture
    def port(self, packaged: memkit.Memkit, clock: Clock) -> memkit.Memkit:
        clock.now = timestamps.to_epoch("2026-04-20T10:00:00Z")
        old = packaged.memories.remember(PORT_80)
        clock.now = timestamps.to_epoch("2026-05-10T10:00:00Z")
        packaged.memories.remember(PORT_81, supersedes=old)
        clock.now = timestamps.to_epoch("2026-11-20T10:00:00Z")
        return packaged

    @pytest.mark.parametrize(
        ("day", "texts"),
        [("3 May", [PORT_80]), ("20 May", [PORT_81])],
    )
    def test_answer_is_what_held_on_the_day(
        self, port: memkit.Memkit, day: str, texts: list[str]
    ) -> None:
        """Neither what was said later nor what was over comes, and a note says of when it is."""
        found = port.recall(f"Which port did we believe on {day} the kettle server uses?")
        assert [hit.text for hit in found] == texts
        assert any(note.startswith("as of 2026-05-") for note in found.notes)

    def test_all_that_held_in_a_month_answers(self, port: memkit.Memkit) -> None:
        """Both values of the month in which it changed."""
        found = port.recall("Which port did the kettle server use in May?")
        assert {hit.text for hit in found} == {PORT_80, PORT_81}

    def test_time_may_be_named_by_an_event(self, port: memkit.Memkit, clock: Clock) -> None:
        """What is told of the event tells when that was."""
        clock.now = timestamps.to_epoch("2026-05-09T10:00:00Z")
        port.memories.remember("Version 3.2 of the kettle was released today.")
        clock.now = timestamps.to_epoch("2026-11-20T10:00:00Z")
        found = port.recall("Which port did the kettle server use before the release of 3.2?")
        assert found[0].text == PORT_80
        assert PORT_81 not in [hit.text for hit in found]
        assert any(note.startswith("as of 2026-05-0") for note in found.notes)

    def test_later_account_answers_what_was_used_but_not_what_was_believed(
        self, port: memkit.Memkit
    ) -> None:
        """Nothing was known of the kettle server in March."""
        found = port.recall("Which port did the kettle server use in March?")
        assert [hit.text for hit in found] == [PORT_81]
        assert any(note.startswith("nothing that was known") for note in found.notes)
        believed = port.recall("Which port did we believe in March the kettle server uses?")
        assert not believed

    def test_times_of_the_caller_go_before_those_of_the_question(self, port: memkit.Memkit) -> None:
        """`as_of` says which moment is meant."""
        question = "Which port did we believe on 3 May the kettle server uses?"
        found = port.recall(question, as_of="2026-05-20")
        assert [hit.text for hit in found] == [PORT_81]

    def test_explanation_is_of_the_same_time(self, port: memkit.Memkit) -> None:
        """What was said later was not known at that moment."""
        question = "Which port did we believe on 3 May the kettle server uses?"
        new = port.memories.find()[0]
        assert port.explain(question, new).stage == "history"
        old = port.memories.find({"text": PORT_80}, history=True)[0]
        assert port.explain(question, old).present


class TestForgottenByConsolidation:
    """What a run forgets was held until then; what a person forgets is told of no time."""

    def test_superseded_forgotten_and_expired_ones_answer_for_their_time(
        self, packaged: memkit.Memkit, clock: Clock
    ) -> None:
        """Superseded, over and faded memories, all forgotten by one run."""
        old = packaged.memories.remember(PORT_80)
        over = packaged.memories.remember(
            "The toaster server uses port 90.", valid_to=clock() + 5 * 86_400
        )
        faded = packaged.memories.remember(
            "The grill server uses port 95.", provenance="inferred", importance=0.1
        )
        clock.advance(days=1)
        moment = clock()
        clock.advance(days=1)
        packaged.memories.remember(PORT_81, supersedes=old)
        clock.advance(days=200)
        run = packaged.consolidate()
        assert {old.id, over.id, faded.id} <= {change.memory_id for change in run.changes}
        for name, wanted in (("kettle", old), ("toaster", over), ("grill", faded)):
            question = f"which port does the {name} server use?"
            assert packaged.recall(question, as_of=moment, min_score=0)[0].id == wanted.id
            assert packaged.explain(question, wanted, as_of=moment).present
        # For a moment when it did not hold any more it does not answer.
        later = packaged.recall("which port does the toaster use?", as_of=moment + 9 * 86_400)
        assert over.id not in [hit.id for hit in later]

    def test_what_a_person_forgets_afterwards_stays_away(
        self, packaged: memkit.Memkit, clock: Clock
    ) -> None:
        """A run forgot it, somebody brought it back, and forgot it for good reason."""
        faded = packaged.memories.remember(
            "The grill server uses port 95.", provenance="inferred", importance=0.1
        )
        moment = clock()
        clock.advance(days=200)
        packaged.consolidate()
        clock.advance(days=1)
        packaged.memories.restore(faded)
        clock.advance(days=1)
        packaged.memories.forget(faded, reason="wrong")
        assert not packaged.recall("grill server port", as_of=moment, min_score=0)

    def test_merged_duplicate_answers_for_its_time(
        self, packaged: memkit.Memkit, clock: Clock
    ) -> None:
        """The survivor may have been said later."""
        early = packaged.memories.remember("Vault door opens with a badge.")
        moment = clock()
        clock.advance(days=1)
        late = packaged.memories.remember("Vault doors open with a badge.", pinned=True)
        clock.advance(days=1)
        packaged.consolidate()
        assert packaged.memories.get(early).superseded_by == late.id
        found = packaged.recall("how does the vault door open?", as_of=moment)
        assert [hit.id for hit in found] == [early.id]


def test_hit_says_that_its_text_was_edited_since(packaged: memkit.Memkit, clock: Clock) -> None:
    """Whoever asks of then is told; whoever asks of now is not."""
    made = packaged.memories.remember(PORT_80)
    clock.advance(days=1)
    moment = clock()
    clock.advance(days=1)
    packaged.memories.update(made, text=PORT_81)
    question = "which port does the kettle server use?"
    assert TEXT_OF_THEN in packaged.recall(question, as_of=moment)[0].reasons
    clock.advance(days=1)
    assert TEXT_OF_THEN not in packaged.recall(question, as_of=clock())[0].reasons


ASKED = "who may merge into main?"
USUAL, RELEASE = "Anybody may merge into main.", "Only Ada may merge into main."


@pytest.fixture
def season_kit(packaged: memkit.Memkit) -> memkit.Memkit:
    """A store where one rule is for the week of a release."""
    packaged.memories.remember(USUAL)
    packaged.memories.remember(RELEASE, season="release-week")
    return packaged


def scores(season_kit: memkit.Memkit, question: str = ASKED, **options: object) -> dict[str, float]:
    """Return the score of each hit, by its text."""
    return {hit.text: hit.score for hit in season_kit.recall(question, **options)}  # type: ignore[arg-type]


def test_memory_of_a_season_is_lifted_while_it_is_on(season_kit: memkit.Memkit) -> None:
    """It comes first, and says why; the other stays what it was."""
    off, on = scores(season_kit), scores(season_kit, season="release-week")
    assert off[RELEASE] < on[RELEASE]
    assert off[USUAL] == pytest.approx(on[USUAL])
    first = season_kit.recall(ASKED, season=["end-of-sprint", "Release Week"])[0]
    assert first.text == RELEASE
    assert "of a season that is on" in first.reasons
    assert first.parts["season"] > 0


def test_memory_of_another_season_is_lowered_and_stays(season_kit: memkit.Memkit) -> None:
    """Out of its season it comes after what always holds, and still comes."""
    assert list(scores(season_kit)) == [USUAL, RELEASE]
    assert list(scores(season_kit, season="end-of-sprint")) == [USUAL, RELEASE]


def test_question_that_names_the_season_turns_it_on(season_kit: memkit.Memkit) -> None:
    """As a caller who says that it is on."""
    found = season_kit.recall("who may merge into main in the release week?")
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


def test_context_takes_the_season_as_a_signal(season_kit: memkit.Memkit) -> None:
    """The rule of the season stands before the usual one."""
    signals = {"season": "release-week"}
    texts = [item.text for item in season_kit.context.assemble(ASKED, signals=signals).items]
    places = [next(n for n, text in enumerate(texts) if rule in text) for rule in (RELEASE, USUAL)]
    assert places == sorted(places)
    # By itself a season is nothing to look for.
    page = season_kit.context.assemble(signals=signals)
    assert page.text == season_kit.context.assemble().text


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


def test_blank_season_is_refused(season_kit: memkit.Memkit) -> None:
    """As any other name."""
    with pytest.raises(memkit.InvalidInput, match="season"):
        season_kit.recall(ASKED, season=" ")


@given(
    st.lists(st.sampled_from("release week end of the sprint freeze".split()), min_size=1),
    st.lists(st.sampled_from("who may merge into main on day five".split()), max_size=8),
)
def test_question_without_the_words_of_a_season_turns_none_on(
    season: list[str], question: list[str]
) -> None:
    """Whatever a season is called, a question without its words changes nothing."""
    assert not SeasonsOn((), " ".join(question)).includes("-".join(season))

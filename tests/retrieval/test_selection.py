"""What is good enough, what says the same, and when a warning goes off."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.retrieval.action_match import triggered
from memkit.retrieval.ranker import RankedMemory, log_odds_of, probability
from memkit.retrieval.selection import (
    FLOOR_OF_QUESTION,
    LED_TO,
    MARGIN,
    OTHERS,
    OTHERS_OF_QUESTION,
    SCORE_FLOOR,
    SelectionRule,
    fold_duplicates,
    raised,
)

odds = st.lists(st.floats(-20, 20), max_size=12).map(lambda found: sorted(found, reverse=True))


def ranked(values: list[float]) -> list[RankedMemory]:
    """Return candidates with these log-odds."""
    return [RankedMemory(number, {"all": value}) for number, value in enumerate(values)]


@given(odds)
def test_the_cut_keeps_a_beginning(values: list[float]) -> None:
    """What is good enough are the first of the list, none farther below the best than MARGIN."""
    listed = ranked(values)
    kept = SelectionRule().cut(listed)
    assert kept == listed[: len(kept)]
    assert bool(kept) is bool(values and probability(values[0]) >= SCORE_FLOOR)
    assert all(one.log_odds >= values[0] - MARGIN for one in kept)


@given(odds, st.floats(0.01, 0.99))
def test_a_callers_floor_is_the_only_rule(values: list[float], least: float) -> None:
    """With `min_score` everything at or above it comes, however far below the best."""
    kept = SelectionRule.of(least).cut(ranked(values))
    assert [one.id for one in kept] == [
        n for n, value in enumerate(values) if value >= log_odds_of(least)
    ]


@given(odds)
def test_a_floor_of_nothing_keeps_everything(values: list[float]) -> None:
    """`min_score=0` returns the best there are."""
    assert len(SelectionRule.of(0).cut(ranked(values))) == len(values)


def test_what_is_far_below_the_best_is_left_out() -> None:
    """Beside a certain answer, one that is a hundred times less likely is beside the point."""
    sure = log_odds_of(SCORE_FLOOR) + 2 * MARGIN
    assert len(SelectionRule().cut(ranked([sure, sure - MARGIN - 0.1]))) == 1
    assert len(SelectionRule().cut(ranked([sure, sure - MARGIN + 0.1]))) == 2


def test_the_floor_is_asked_of_the_best_alone() -> None:
    """A best that is just good enough brings what stands close behind it; one that is not brings
    nothing."""
    floor = log_odds_of(SCORE_FLOOR)
    others = log_odds_of(OTHERS)
    close = ranked([floor, others + 0.1, others - 0.1])
    assert [one.id for one in SelectionRule().cut(close)] == [0, 1]
    assert [one.id for one in SelectionRule().of_prompt().cut(close)] == [0]
    assert SelectionRule().cut(ranked([floor - 0.01, floor - 0.02])) == []
    assert SelectionRule().min_probability(close) == pytest.approx(OTHERS)
    assert SelectionRule().min_probability(ranked([floor - 0.01])) == pytest.approx(SCORE_FLOOR)


@pytest.mark.parametrize("part", sorted(LED_TO))
def test_a_sure_answer_keeps_no_warning_back(part: str) -> None:
    """What a warning, an edge or a place brings needs the floor, however sure the best is."""
    floor = log_odds_of(SCORE_FLOOR)
    best, other, below = RankedMemory(1, {"all": 20.0}), {part: floor + 0.01}, {part: floor - 0.01}
    cut = SelectionRule().cut(
        [best, RankedMemory(2, other), RankedMemory(3, {"all": floor}), RankedMemory(4, below)]
    )
    assert [one.id for one in cut] == [1, 2]
    assert len(SelectionRule.of(0.9).cut([best, RankedMemory(2, other)])) == 1


@given(st.floats(1e-6, 1 - 1e-6))
def test_chance_and_log_odds_are_inverse(value: float) -> None:
    """Turning a chance into log-odds and back changes nothing."""
    assert probability(log_odds_of(value)) == pytest.approx(value)


def test_raising_never_lowers() -> None:
    """A part is added only if something is missing."""
    sure = RankedMemory(1, {"all": 5.0})
    assert raised(sure, "cascade", to=0.5) is sure
    lifted = raised(RankedMemory(1, {"all": -5.0}), "cascade", to=0.5)
    assert probability(lifted.log_odds) == pytest.approx(0.5)
    assert lifted.parts["cascade"] == pytest.approx(5.0)


class TestFold:
    """Two memories that say the same come once."""

    @pytest.fixture
    def memory(self, kit: memkit.Memkit) -> memkit.Memory:
        """Any memory."""
        return kit.memories.remember("x").memory

    def texts(self, memory: memkit.Memory, *texts: str) -> list[memkit.Memory]:
        """Return memories with these texts, ids from 1."""
        return [attrs.evolve(memory, id=n, text=text) for n, text in enumerate(texts, 1)]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Tests run with pytest in CI.", "tests run with pytest, in CI"),
            (
                "Deploys happen on Tuesdays after the review",
                "deploys happen on tuesdays after the review!",
            ),
        ],
    )
    def test_equal_statements_fold(self, memory: memkit.Memory, one: str, other: str) -> None:
        """Case and punctuation say nothing; the better-ranked wording stays."""
        folded = fold_duplicates(self.texts(memory, one, other), limit=10)
        assert folded.ids == (1,)
        assert folded.into == {2: 1}

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Service alpha listens on port 8001", "Service alpha listens on port 8002"),
            ("Use Python 3.11 in CI", "Use Python 3.12 in CI"),
            (
                "do commit the lock files of all the packages here",
                "do not commit the lock files of all the packages here",
            ),
            ("see src/a/util.py for the helper", "see src/b/util.py for the helper"),
            ("the red one", "the blue one"),
        ],
    )  # fmt: skip
    def test_distinct_values_stay(self, memory: memkit.Memory, one: str, other: str) -> None:
        """Numbers, negations, paths and other words keep statements apart."""
        assert fold_duplicates(self.texts(memory, one, other), limit=10).ids == (1, 2)

    def test_no_more_than_wanted(self, memory: memkit.Memory) -> None:
        """The first distinct ones are kept, up to the number asked for."""
        found = fold_duplicates(self.texts(memory, "a b", "a b", "c d", "e f"), limit=2)
        assert found.ids == (1, 3)


@pytest.mark.parametrize(
    ("question", "pattern", "goes_off"),
    [
        ("may I retry the upload?", "retry", True),
        ("RETRY it", "retry", True),
        ("the retrying loop", "retry", False),
        ("open http/retry.py now", "http/retry.py", True),
        ("run rm -rf build", "rm -rf", True),
        ("anything", "", False),
        ("anything", " . ", False),
        ("a+b (c)", "(c", True),
    ],
)
def test_triggers_are_found_whole(question: str, pattern: str, *, goes_off: bool) -> None:
    """A pattern goes off as a whole word or phrase, whatever the case; it is no expression."""
    assert (triggered(question, [(1, [pattern])]) == {1: pattern}) is goes_off


def test_a_question_is_answered_by_less_than_a_prompt() -> None:
    """Who asks waits for an answer and reads the next ones too; what comes unasked needs more."""
    unlikely = ranked([log_odds_of((FLOOR_OF_QUESTION + SCORE_FLOOR) / 2)])
    beside = ranked([1.0, log_odds_of(OTHERS_OF_QUESTION) + 0.1])
    rule = SelectionRule()
    assert [len(rule.of_question().cut(some)) for some in (unlikely, beside)] == [1, 2]
    assert [len(rule.of_prompt().cut(some)) for some in (unlikely, beside)] == [0, 1]


@pytest.mark.parametrize("least", [0.0, 0.01, 0.9])
def test_a_callers_floor_holds_for_questions_and_prompts(least: float) -> None:
    """It alone decides, whatever is asked."""
    rule = SelectionRule.of(least)
    assert rule.of_question() == rule.of_prompt() == rule

"""The measures themselves, on cases that can be reckoned by hand."""

from __future__ import annotations

import pytest


def test_recall_is_the_share_of_the_evidence() -> None:
    """One of two due items among the first five is a recall of a half."""
    from bench.scoring import Ranking

    ranking = Ranking()
    ranking.add(["x", "a", "y", "z", "w", "b"], ["a", "b"])
    assert ranking.value("R@5") == 0.5
    assert ranking.value("R@10") == 1
    assert ranking.value("hit@20") == 1
    assert ranking.value("MRR") == 0.5


def test_names_that_come_twice_count_once() -> None:
    """Messages of one session do not push another session down."""
    from bench.scoring import Ranking

    ranking = Ranking()
    ranking.add(["s1", "s1", "s1", "s1", "s1", "s2"], ["s2"])
    assert ranking.value("R@5") == 1
    assert ranking.value("MRR") == 0.5


def test_precision_of_an_empty_answer_is_nothing() -> None:
    """Where something was wanted, an empty answer has precision and recall 0."""
    from bench.scoring import Overlap

    overlap = Overlap()
    overlap.add(["a", "b"], {"a"})
    overlap.add([], {"a"})
    assert overlap.precision == 0.25
    assert overlap.recall == 0.5
    assert overlap.f1 == pytest.approx(1 / 3)


def test_the_floor_reads_questions_as_words() -> None:
    """Quotes and operators in a question are no syntax, and stop words can be left out."""
    from bench.scoring import PlainSearch, any_word

    assert any_word('say "x" AND NOT (y*)') == '"say" OR "x" OR "and" OR "not" OR "y"'
    assert any_word("who is the queen", stop=True) == '"queen"'
    assert any_word("?") == ""
    plain = PlainSearch([("a", "a new queen"), ("b", "an old king")])
    assert plain.ask("the queens") == ["a"]
    assert plain.ask("?") == []


def test_a_share_of_times_is_one_of_them() -> None:
    """The 95th percentile of twenty times is the nineteenth."""
    from bench.scoring import at_share, middle

    times = [float(number) for number in range(1, 21)]
    assert at_share(times, 0.95) == 19
    assert at_share([], 0.95) == 0
    assert middle([]) == 0


def test_times_are_read_as_the_sets_write_them() -> None:
    """Spoken times, anchors and days become ISO; what is no anchor has no time."""
    from bench.corpora import anchor_time, day, spoken_time

    assert spoken_time("4:04 pm on 20 January, 2023") == "2023-01-20T16:04:00"
    assert anchor_time("March-15-2024") == "2024-03-15"
    assert anchor_time("soon") is None
    assert day("2023/05/20 (Sat) 10:44") == "2023-05-20"


def test_made_up_memories_are_the_same_every_time() -> None:
    """The same seed makes the same memories and questions, the first ones whatever the count."""
    from bench import texts

    source = texts.Source(
        {("a", "b"): ("c",), ("b", "c"): ("a",), ("c", "a"): ("b",)}, (("a", "b"),), ("m.f",)
    )
    few = list(texts.memories(source, 3, seed=7))
    assert few == list(texts.memories(source, 9, seed=7))[:3]
    stored = ["alpha beta gamma delta epsilon zeta eta theta"]
    asked = texts.questions(stored, 4, seed=7)
    assert asked == texts.questions(stored, 4, seed=7)
    assert all(question.endswith("?") for question in asked)

"""From evidence to log-odds: sums that add up, an order that holds, tables that fit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.retrieval import ranker, weights
from memkit.retrieval.candidates import rarity
from memkit.retrieval.entity_match import one_letter_apart, telling
from memkit.retrieval.records import RetrievalConfig
from memkit.retrieval.weights import Weights
from tests.asking import recall_with

TABLES = {name: table for name, table in vars(weights).items() if isinstance(table, Weights)}
values = st.lists(st.floats(-3, 3), min_size=1, max_size=8)


@pytest.mark.parametrize("name", TABLES)
def test_every_column_has_a_part(name: str) -> None:
    """Each weighted column is reported under a kind of evidence."""
    assert set(TABLES[name].columns) <= set(weights.PARTS)


@pytest.mark.parametrize("name", TABLES)
def test_tables_stay_reviewable(name: str) -> None:
    """A table is a page of numbers, none of them wild."""
    table = TABLES[name]
    assert len(table.columns) <= 45
    assert all(abs(weight) < 20 for weight in table.columns.values())


TABLE = Weights(
    base=-1.0,
    background=0.5,
    belief={"explained": 0.3, "best": -0.2, "lead": 0.4, "above_tenth": 0.1},
    columns={"words": 2.0, "coverage": 1.0, "named": 0.5},
)


def columns(words: list[float], named: list[float]) -> dict[str, Any]:
    """Return the columns that TABLE weighs."""
    same = np.full(len(words), 0.7)
    return {
        "words": np.array(words), "coverage": np.array(words), "named": np.array(named),
        "explained": same,
    }  # fmt: skip


@given(values)
def test_parts_add_up_to_the_log_odds(words: list[float]) -> None:
    """What is shown as parts is the whole; columns of one kind of evidence are one part."""
    prior = [0.1] * len(words)
    listed = ranker.scored(
        range(len(words)), [columns(words, words[::-1])], TABLE, priors={"belief": prior}
    )
    for one in listed:
        assert set(one.parts) == {"words", "name", "belief", "question", "standing"}
        assert one.log_odds == pytest.approx(sum(one.parts.values()), abs=1e-9)
        assert one.parts["words"] == pytest.approx(3 * words[one.id], abs=1e-9)
        assert one.parts["question"] == pytest.approx(-1.0 + 0.3 * 0.7)


@given(values, st.floats(-3, 3))
def test_belief_never_changes_the_order(words: list[float], weight: float) -> None:
    """What the question and the standing of the best add is the same for all of a list."""
    table = TABLE._replace(belief=dict.fromkeys(TABLE.belief, weight))
    (first, *rest) = ranker.scored(range(len(words)), [columns(words, words)], table)
    for one in rest:
        assert one.parts["question"] == first.parts["question"]
        assert one.parts["standing"] == first.parts["standing"]


def test_each_memory_is_scored_by_the_clause_that_it_answers_best() -> None:
    """What one sentence of a longer text asks for is worth as much as in a question of its own."""
    whole, first, second = ([0.4, 0.4], [1.0, 0.1], [0.0, 0.9])
    nothing = [0.0, 0.0]
    listed = ranker.scored(
        range(2), [columns(each, nothing) for each in (whole, first, second)], TABLE
    )
    assert [one.parts["words"] for one in listed] == pytest.approx([3.0, 2.7])


def test_a_short_list_goes_on_with_the_background() -> None:
    """Of one memory alone the usual score of what is behind it is taken, not its own."""
    alone = ranker.standing(np.array([9.0]), 2.0)
    assert alone == {"best": 9.0, "lead": 7.0, "above_tenth": 7.0}
    assert ranker.standing(np.array([9.0, 8.0]), 2.0) == {
        "best": 9.0,
        "lead": 1.0,
        "above_tenth": 7.0,
    }
    assert ranker.standing(np.array([9.0, -1.0]), 2.0)["above_tenth"] == 10.0
    many = ranker.standing(np.arange(20.0), 8.0)
    assert many == {"best": 19.0, "lead": 1.0, "above_tenth": float(ranker.BACKGROUND)}
    crowded = ranker.standing(np.full(40, 19.0), 8.0)
    assert crowded["above_tenth"] == 19.0 - 8.0 - ranker.CROWD


def test_products_of_columns() -> None:
    """ "a*b" is the product of two columns, unless it is a column itself."""
    given_ = {"a": [1.0, 2.0], "b": [3.0, 4.0], "a*c": [9.0, 9.0]}
    arrays = {name: np.array(column) for name, column in given_.items()}
    assert ranker.column(arrays, "a*b").tolist() == [3.0, 8.0]
    assert ranker.column(arrays, "a*b*b").tolist() == [9.0, 32.0]
    assert ranker.column(arrays, "a*c").tolist() == [9.0, 9.0]


def test_what_matches_alike_shares_a_place(packaged: memkit.Memkit) -> None:
    """Which of two equal matches was written first says nothing of them."""
    packaged.memories.remember_many([f"the port of the proxy is 808{at}" for at in range(3)])
    hits = packaged.recall("what is the port of the proxy?", min_score=0)
    assert len({hit.parts["words"] for hit in hits}) == 1


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("the port of the proxy is 8080", "what is the port of the proxy?"),
        ("Staging runs release 31 of the gateway.", "which release does staging run?"),
        ("Backups are taken every night at two.", "when are backups taken?"),
    ],
)
def test_a_store_of_one_memory_answers_its_own_question(
    packaged: memkit.Memkit, text: str, question: str
) -> None:
    """However little there is to stand out from."""
    packaged.memories.remember(text)
    assert [hit.memory.text for hit in packaged.recall(question)] == [text]
    assert not packaged.recall("who waters the plants in the hall?")


@given(st.integers(0, 500), st.integers(1, 500))
def test_rarer_words_tell_more(count: int, size: int) -> None:
    """The rarer a word, the more it tells; no word tells less than nothing."""
    few, many = sorted((count, min(count + 1, size)))
    assert rarity(few, size=size) >= rarity(many, size=size) > 0


@given(st.integers(1, 300), st.integers(1, 300))
def test_shared_names_tell_less(carriers: int, size: int) -> None:
    """A name is worth 1 for one memory alone and less for each that shares it, never below 0."""
    assert 0 <= telling(carriers + 1, size=size) <= telling(carriers, size=size) <= 1
    assert telling(1, size=size) == 1


short = st.text(alphabet="abc", max_size=5)


@given(short, short)
def test_one_letter_apart_is_one_edit(one: str, other: str) -> None:
    """It is true for exactly one letter added, dropped, changed, or two neighbours swapped."""
    assert one_letter_apart(one, other) is (other in _edits(one))


def _edits(word: str) -> set[str]:
    splits = [(word[:n], word[n:]) for n in range(len(word) + 1)]
    made = {a + b[1:] for a, b in splits if b}
    made |= {a + c + b for a, b in splits for c in "abc"}
    made |= {a + c + b[1:] for a, b in splits if b for c in "abc"}
    made |= {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    return made - {word}


@pytest.mark.parametrize(
    "config",
    [
        RetrievalConfig(),
        RetrievalConfig(late_interaction=False),
        RetrievalConfig(vectors=False),
        RetrievalConfig(vectors=False, late_interaction=False),
        RetrievalConfig(neighbours=False, anchors=False, cascade=False),
        RetrievalConfig(learned=False),
    ],
)
def test_every_configuration_has_the_columns_of_its_table(
    kit: memkit.Memkit, config: RetrievalConfig
) -> None:
    """Whatever is left out to measure its worth, the rest still answers."""
    kit.memories.remember_many(
        ["Gina: where did you go?", "Jon: I went to the fair on Monday"], chain=True
    )
    (best, *_) = recall_with(kit, config, "When did Jon go to the fair?", min_score=0)
    assert best.memory.text.startswith("Jon")


def nearest(explained: float, alone: float = 1.0) -> list[int]:
    """Return the order of eight candidates, of which the last two are nearest in meaning."""
    listed = [ranker.RankedMemory(n, {"words": 8.0 - n}) for n in range(8)]
    same = np.ones(8)
    columns_ = {"explained": explained * same, "alone": alone * same, "cosine": np.arange(8.0)}
    raised = ranker.nearest_raised(listed, columns_)
    return [known.id for known in sorted(raised, key=lambda known: -known.log_odds)]


def test_where_words_tell_little_what_is_nearest_in_meaning_comes_fourth_and_fifth() -> None:
    """The first three stay, and so does the order of all others."""
    assert nearest(explained=0.1) == [0, 1, 2, 7, 6, 3, 4, 5]


def test_where_words_tell_enough_they_order_alone() -> None:
    """Nor are turns of a conversation raised, whose neighbours tell more."""
    assert nearest(explained=0.5) == nearest(explained=0.1, alone=0.0) == list(range(8))


def test_few_candidates_have_no_place_to_give() -> None:
    """Three that are known come as they come."""
    listed = [ranker.RankedMemory(n, {"words": 3.0 - n}) for n in range(3)]
    same = np.ones(3)
    columns_ = {"explained": 0 * same, "alone": same, "cosine": np.arange(3.0)}
    assert ranker.nearest_raised(listed, columns_) == listed

"""From evidence to log-odds: sums that add up, an order that holds, tables that fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.retrieval import ranker, weights
from memkit.retrieval.candidates import rarity
from memkit.retrieval.entity_match import one_letter_apart, telling
from memkit.retrieval.weights import Weights

TABLES = {"FULL": weights.FULL, "COSINE": weights.COSINE, "LEXICAL": weights.LEXICAL}
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
    assert all(abs(weight) < 8 for weight in table.columns.values())


@given(values, st.floats(-2, 2), st.integers(1, 9))
def test_parts_add_up_to_the_log_odds(column: list[float], weight: float, words: int) -> None:
    """What is shown as parts is the whole score."""
    table = Weights(
        base=-1.0, asked=-0.2, columns={"words": weight, "named": 1.0}, own={"soft": 0.5}
    )
    columns = {"words": column, "named": column[::-1], "soft": column}
    found = ranker.scored(range(len(column)), columns, table, words=words)
    for one in found:
        assert one.log_odds == pytest.approx(sum(one.parts.values()), abs=1e-9)
        assert set(one.parts) == {"base", "words", "name", "fit", "order"}
        own = weight * column[one.id] + column[::-1][one.id]
        assert one.parts["words"] + one.parts["name"] == pytest.approx(own, abs=1e-9)
        assert one.parts["order"] >= 0


@given(values, values)
def test_own_evidence_never_changes_the_order(order: list[float], odds: list[float]) -> None:
    """Log-odds are lifted to the order, and only as far as is needed."""
    size = min(len(order), len(odds))
    order, odds = order[:size], odds[:size]
    lifted = ranker.in_order(order, odds)
    assert all(high >= low for high, low in zip(lifted, odds, strict=True))
    assert max(lifted) == pytest.approx(max(odds), abs=1e-4)
    by_order = sorted(range(size), key=order.__getitem__)
    assert [lifted[at] for at in by_order] == sorted(lifted)


def test_products_of_columns() -> None:
    """ "a*b" is the product of two columns, unless it is a column itself."""
    columns = {"a": [1.0, 2.0], "b": [3.0, 4.0], "a*c": [9.0, 9.0]}
    assert ranker.column(columns, "a*b") == [3.0, 8.0]
    assert ranker.column(columns, "a*b*b") == [9.0, 32.0]
    assert ranker.column(columns, "a*c") == [9.0, 9.0]


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
    "recipe",
    [
        memkit.Recipe(),
        memkit.Recipe(late_interaction=False),
        memkit.Recipe(vectors=False),
        memkit.Recipe(vectors=False, late_interaction=False),
        memkit.Recipe(neighbours=False, anchors=False, cascade=False),
        memkit.Recipe(learned=False),
    ],
)
def test_every_recipe_has_the_columns_of_its_table(
    kit: memkit.Memkit, recipe: memkit.Recipe
) -> None:
    """Whatever is left out to measure its worth, the rest still answers."""
    kit.memories.remember_many(
        ["Gina: where did you go?", "Jon: I went to the fair on Monday"], chain=True
    )
    (best, *_) = kit.recall("When did Jon go to the fair?", min_score=0, recipe=recipe)
    assert best.memory.text.startswith("Jon")

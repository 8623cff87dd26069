"""Who asks for many memories gets many, and a question of small words is looked up as typed."""

from __future__ import annotations

from collections.abc import Callable

import attrs
import pytest

import memkit
from memkit.memories.records import Draft
from memkit.retrieval import pipeline, selection
from memkit.retrieval.candidates import CANDIDATES

Make = Callable[..., memkit.Memkit]
MANY = 3 * CANDIDATES


def fill(kit: memkit.Memkit, count: int) -> list[int]:
    """Remember so many statements about barges, and return their ids."""
    texts = [
        f"barge {n} carries {n * 7 % 97} tons of gravel along canal {n % 13}" for n in range(count)
    ]
    return [one.id for one in kit.memories.remember_many([Draft(text) for text in texts])]


def test_a_limit_beyond_what_is_ranked_is_met(kit: memkit.Memkit) -> None:
    """Every memory that matches comes once, the likeliest first, and nothing is said of a cut."""
    every = fill(kit, MANY)
    first = kit.recall("gravel barge", limit=CANDIDATES, min_score=0)
    found = kit.recall("gravel barge", limit=MANY, min_score=0)
    assert sorted(hit.id for hit in found) == sorted(every)
    assert [hit.id for hit in found[:CANDIDATES]] == [hit.id for hit in first]
    scores = [hit.score for hit in found]
    assert scores == sorted(scores, reverse=True)
    assert found.notes == ()
    assert len(kit.recall("gravel barge", limit=MANY // 2, min_score=0)) == MANY // 2


def test_the_calibrated_floor_is_no_reach(kit: memkit.Memkit) -> None:
    """What is not ranked by its evidence has no chance by which a floor could let it pass."""
    fill(kit, MANY)
    assert len(kit.recall("gravel barge", limit=MANY)) <= CANDIDATES


def test_walls_and_filters_hold_for_all_that_comes(kit: memkit.Memkit) -> None:
    """Beyond those that are ranked, too, nothing is shown that a filter leaves out."""
    every = fill(kit, MANY)
    other = kit.memories.remember("barge of gravel of another yard", project="yard")
    gone = kit.memories.remember("barge of gravel that was scrapped")
    kit.memories.forget(gone.id)
    tagged = every[::2]
    for number in tagged:
        kit.memories.tag(number, "even")
    found = {hit.id for hit in kit.recall("gravel barge", limit=2 * MANY, min_score=0)}
    assert found == set(every)
    assert other.id not in found
    even = kit.recall("gravel barge", limit=2 * MANY, min_score=0, tags="even")
    assert {hit.id for hit in even} == set(tagged)


def test_a_reach_that_is_cut_is_told(kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than is looked at for any question does not come, and a note says so."""
    monkeypatch.setattr(pipeline, "MAX_RESULTS", 150)
    fill(kit, MANY)
    found = kit.recall("gravel barge", limit=MANY, min_score=0)
    assert len(found) == 150
    assert "no more than 150 memories are looked at" in " ".join(found.notes)


@pytest.mark.parametrize("question", ["what was it?", "is it not so", "The And Of", "who are you"])
def test_small_words_alone_are_looked_up_as_typed(kit: memkit.Memkit, question: str) -> None:
    """Where the best is wanted whatever it is, the words as typed decide; else nothing comes."""
    holding = kit.memories.remember("what was it: is it not so, the and of who are you")
    kit.memories.remember("barges carry gravel")
    (best, *_) = kit.recall(question, min_score=0)
    assert best.id == holding.id
    assert not kit.recall(question)
    assert kit.explain(question, holding.id, min_score=0).present


@pytest.mark.parametrize("question", ["?!", "...", "  "])
def test_a_question_without_words_finds_nothing(kit: memkit.Memkit, question: str) -> None:
    """Nothing was asked: nothing comes, and nothing fails."""
    fill(kit, 3)
    assert not kit.recall(question, min_score=0, limit=MANY)


def test_texts_that_say_the_same_are_folded_among_thousands(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each text is compared with those that share its rare words, not with all of them: twins are
    folded wherever they stand, for work that does not grow with the square."""
    kit.memories.remember("crate")
    (some,) = kit.memories.find()
    texts = [f"crate w{n} x{n} y{n} holds number n{n} of the harbour store" for n in range(2000)]
    rows = [attrs.evolve(some, id=n, text=text) for n, text in enumerate(texts)]
    twins = {2000 + n: n for n in range(0, 2000, 500)}
    rows += [attrs.evolve(some, id=twin, text=texts[n].upper()) for twin, n in twins.items()]
    compared = 0
    same_as = selection.SaidWords.same_as

    def counting(one: selection.SaidWords, other: selection.SaidWords) -> bool:
        nonlocal compared
        compared += 1
        return same_as(one, other)

    monkeypatch.setattr(selection.SaidWords, "same_as", counting)
    folded = selection.fold_duplicates(rows, limit=len(rows))
    assert folded.ids == tuple(range(2000))
    assert folded.into == twins
    assert compared < 2 * len(rows)

"""Fitting: what tells evidence apart is found, in the clause that answers."""

from __future__ import annotations

from typing import Any

import numpy as np


def _asked(columns: Any, right: int, *, fold: str = "yard1") -> Any:
    from bench.learning import Asked

    table = np.asarray(columns, np.float32)
    names = tuple(str(at) for at in range(table.shape[1]))
    relevant = np.arange(len(names)) == right
    return Asked(
        part="locomo",
        fold=fold,
        category="",
        columns=table,
        relevant=relevant,
        names=names,
        gold=frozenset({str(right)}),
    )


def test_each_candidate_counts_by_its_best_clause() -> None:
    """Of two clauses the one that scores higher gives score and columns."""
    asked = _asked([[[1, 0], [0, 0]], [[0, 0], [0, 3]]], right=1)
    scores, columns = asked.best(np.array([1.0, 1.0]))
    assert scores.tolist() == [1, 3]
    assert columns.tolist() == [[1, 0], [0, 3]]


def test_a_ranking_learns_what_tells_evidence_apart() -> None:
    """A column that is high for evidence gains weight; one held at or above 0 loses none below."""
    from bench.learning import fit_ranking

    asked = [_asked([[[1, 0], [0, 1], [0, 1]]], right=0) for _ in range(20)]
    free = fit_ranking(asked, [1.0] * 20, np.array([False, False]))
    held = fit_ranking(asked, [1.0] * 20, np.array([True, True]))
    assert free[0] > 0 > free[1]
    assert held[0] > 0
    assert held[1] == 0


def test_a_clause_may_hold_the_evidence() -> None:
    """What only the second clause shows is learned too."""
    from bench.learning import fit_ranking

    asked = [_asked([[[0, 1], [0.1, 0]], [[0, 0], [2, 0]]], right=1) for _ in range(20)]
    weights = fit_ranking(asked, [1.0] * 20, np.array([False, False]))
    scores, _ = asked[0].best(weights)
    assert scores.argmax() == 1


def test_chances_are_those_of_the_rows() -> None:
    """A column of ones alone is learned as the share of what is right."""
    from bench.learning import fit_chances

    right = np.array([1, 0, 0, 0] * 25, bool)
    (base,) = fit_chances(np.ones((100, 1)), right, np.ones(100), np.array([False]))
    assert abs(1 / (1 + np.exp(-base)) - 0.25) < 0.01


def test_equal_names_fall_into_one_fold() -> None:
    """A fold is read from the name, so equal names are never in two."""
    from bench.train import FOLDS, fold_of

    folds = {name: fold_of(_asked([[[0]]], 0, fold=name)) for name in ("beam1", "beam6", "yard")}
    assert folds["beam1"] == 1
    assert folds["beam6"] == 6 % FOLDS
    assert 0 <= folds["yard"] < FOLDS


def test_written_tables_keep_to_the_width_of_lines() -> None:
    """Every line of a table fits, and the table reads back as what was written."""
    from bench.train import rendered
    from memkit.retrieval import weights

    text = rendered("FULL", weights.FULL)
    assert max(map(len, text.splitlines())) <= 100
    read: dict[str, Any] = {"Weights": weights.Weights}
    exec(text, read)
    assert read["FULL"].columns.keys() == weights.FULL.columns.keys()
    assert read["FULL"].belief.keys() == weights.FULL.belief.keys()


def test_a_table_is_fitted_and_read_as_the_ranker_reads_it() -> None:
    """The trainer's log-odds are those that the written table gives to the same columns."""
    from bench.train import Trainer, names_of
    from memkit.retrieval import ranker

    names = names_of("LEXICAL")
    drawn = np.random.default_rng(5).random
    asked = [_asked(drawn((2, 12, len(names))), right=at % 12) for at in range(30)]
    trainer = Trainer("LEXICAL", names)
    fitted = trainer.fit(asked)
    table = trainer.weights(fitted)
    single = dict.fromkeys(names)
    clauses = [
        {name: rows[:, at].astype(float) for at, name in enumerate(single)}
        for rows in asked[0].columns
    ]
    ranked = ranker.scored(range(12), clauses, table)
    expected = trainer.log_odds(asked[0], fitted)
    assert np.allclose([one.log_odds for one in ranked], expected, atol=1e-4)

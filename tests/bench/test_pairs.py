"""The bench of pairs: its figures by hand, and the fitting of the tables."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from bench import pairs, train_pairs
from bench.results import Options
from memkit.memories.pair_detection import CLASSES


def test_figures_are_counted_by_source(tmp_path: Path) -> None:
    """Each source has its rows, with the floor beside them."""
    rows = [
        {"a": "A man plays a drum", "b": "A man plays no drum", "label": "contradiction"},
        {"a": "A man plays a drum", "b": "The girl reads a book", "label": "neutral"},
        {"a": "The drum is played by a man", "b": "A man plays the drum", "label": "duplicate"},
    ]
    folder = tmp_path / "pairs"
    folder.mkdir()
    lines = [json.dumps({"source": "toys", **row}) for row in rows]
    (folder / "pairs.jsonl").write_text("\n".join(lines), "utf-8")
    options = Options(data=tmp_path, limit=3, say=lambda line: None)
    figures = {(row.set, row.metric): (row.value, row.floor) for row in pairs.run(options)}
    assert figures["pairs/toys", "contradict_recall"] == (1, 1)
    assert figures["pairs/toys", "contradict_precision"] == (1, 1)
    assert figures["pairs/toys", "false_noticed"] == (0, 0)
    assert figures["pairs/toys", "false_folded"] == (0, 0)
    assert figures["pairs/toys", "duplicate_precision"][0] == 1
    assert {name for name, _ in figures} == {"pairs/toys", "pairs/training"}


def test_a_fit_tells_classes_apart() -> None:
    """Four columns that each speak for one class."""
    classes = np.arange(80) % len(CLASSES)
    values = np.eye(len(CLASSES))[classes]
    base, weights = train_pairs.fit(values, classes, np.ones(80))
    assert ((base + values @ weights).argmax(axis=1) == classes).all()

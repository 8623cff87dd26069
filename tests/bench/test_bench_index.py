"""The bench of the code graph measures what it says, on a tree of three files."""

from __future__ import annotations

from pathlib import Path

from bench import index
from bench.results import METRICS, Options

CODE = "def f():\n    return g()\n\n\ndef g():\n    return 1\n"


def test_measures_a_tree(tmp_path: Path) -> None:
    """Every figure is there, positive, and of a known metric."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in ("a.py", "b.py", "c.py"):
        (tree / name).write_text(CODE)
    said: list[str] = []
    rows = list(index._measured("tiny", tree, Options(data=tmp_path, limit=2, say=said.append)))
    found = {(row.set, row.metric): row.value for row in rows}
    assert {metric for _, metric in found} <= set(METRICS)
    assert found["tiny", "parse_ratio"] > 1
    for metric in ("edit_ms", "mb", "bytes_per_line", "p95_ms"):
        assert found["tiny", metric] > 0
    assert "3 files parsed" in said[0]


def test_small_trees_are_filled_up(tmp_path: Path) -> None:
    """A tree is copied under other names until there are enough files."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text(CODE)
    assert index.copied(tmp_path / "tree", tmp_path / "copy", least=4) == 4
    assert len(list((tmp_path / "copy").rglob("a.py"))) == 4


def test_sequences_of_edits(tmp_path: Path) -> None:
    """Random edits are compared with a full index; no difference is a row of zero."""
    rows = list(index._sequences(Options(data=tmp_path, sequences=2)))
    assert [(row.metric, row.value, row.floor) for row in rows] == [("differences", 0.0, 2.0)] * 2

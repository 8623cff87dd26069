"""The benches of clusters and of the cascade, on a few statements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import cascade, clusters
from bench.results import Options
from tests.bench.test_realuse import FILES


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One conversation, and one project."""
    turns = [
        {"id": f"t{n}", "session": n // 4, "when": "1:00 pm on 8 May, 2023", "speaker": "Ann",
         "text": f"{'The bread is in the oven' if n % 2 else 'The plane lands in'} {n}."}
        for n in range(16)
    ]  # fmt: skip
    question = {
        "question": "Where is the bread?",
        "category": 1,
        "category_name": "single",
        "answer": "oven",
        "evidence": ["t1"],
    }
    place = tmp_path / "locomo"
    place.mkdir()
    row = {"turns": turns, "questions": [question]}
    (place / "locomo.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    project = tmp_path / "realuse" / "yard"
    project.mkdir(parents=True)
    for name, rows in FILES.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (project / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return tmp_path


def test_clusters_are_timed_and_compared(data: Path) -> None:
    """With scikit-learn at one size; at the others there is the time alone."""
    rows = clusters.run(Options(data=data, limit=12, say=lambda _: None))
    by_name = {(row.set, row.metric): row for row in rows}
    assert {("1k", "s"), ("10k", "s"), ("50k", "s"), ("10k", "ari")} <= by_name.keys()
    assert by_name["10k", "ari"].value >= 0.98
    assert by_name["10k", "ari"].floor is not None


def test_too_few_statements_are_no_size(data: Path) -> None:
    """A size for which there are not enough is said to be skipped."""
    said: list[str] = []
    assert clusters.run(Options(data=data, say=said.append)) == []
    assert said[0].startswith("skipped 1k: there are 16")


def test_without_data_nothing_is_measured(tmp_path: Path) -> None:
    """And it is said."""
    said: list[str] = []
    assert clusters.run(Options(data=tmp_path, say=said.append)) == []
    assert "skipped clusters" in said[0]


def test_edges_stand_beside_none(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of edges that a set has, with what comes back without any."""
    monkeypatch.setattr(cascade, "training_projects", lambda: iter(()))
    said: list[str] = []
    rows = cascade.run(Options(data=data, limit=2, say=said.append))
    names = {row.set for row in rows}
    assert {"realuse/links", "realuse/tags", "realuse/inferred", "locomo/next"} <= names
    assert "locomo/tags" not in names
    assert all(row.floor is not None for row in rows)
    assert any(text.startswith("locomo/next: R@5 ") for text in said)

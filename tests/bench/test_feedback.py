"""The bench of feedback, on a made-up set: every row has its floor, and nothing is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_feedback_is_held_against_none(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each way of telling has rows with the figure without feedback beside it."""
    from bench import feedback, projects
    from bench.results import METRICS, Options

    monkeypatch.setattr(projects, "training_projects", lambda: iter(()))
    rows = feedback.run(Options(data=data, limit=4, say=lambda _: None))
    ways = {row.set.split("/")[1] for row in rows if row.set.startswith("locomo/")}
    assert ways == feedback.WRONG.keys()
    assert all(row.metric in METRICS for row in rows)
    assert all(row.floor is not None for row in rows if row.metric in feedback.RANKING)
    assert {row.set for row in rows} >= {"implicit", "implicit/foreign"}


def test_action_is_no_use_of_anothers_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pair counts as foreign only across projects, and a due memory that is followed as right."""
    from bench import feedback
    from bench.projects import Project
    from bench.results import Options

    def project(name: str, tool: str) -> Project:
        memory = {"id": "m", "text": f"Start it by `{tool} --with-{name}`.", "kind": "fact",
                  "key": None, "value": None, "steps": [], "tags": []}  # fmt: skip
        action = {"input": {"command": f"{tool} --with-{name}"}, "wanted": ["m"]}
        return Project(name, (memory,), actions=(action,))

    pair = [project("kiln", "fire-kiln"), project("ferry", "start-ferry")]
    monkeypatch.setattr(feedback.projects, "training_projects", lambda: iter(pair))
    rows = feedback.implicit(Options(data=Path("nowhere"), say=lambda _: None))
    values = {(row.set, row.metric): row.value for row in rows}
    assert values["implicit", "precision"] == values["implicit", "recall"] == 1.0
    assert values["implicit/foreign", "hits"] == 2
    assert values["implicit/foreign", "per_1000"] == 0

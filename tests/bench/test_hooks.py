"""What `python -m bench hooks` measures besides cold processes, at a small size."""

from __future__ import annotations

from pathlib import Path

from bench.hooks import _updates
from bench.results import Options


def test_updates_are_timed_while_the_agent_works() -> None:
    """Both figures come, and what was done meanwhile is said."""
    said: list[str] = []
    rows = list(_updates(40, Options(data=Path(), say=said.append)))
    assert [(row.set, row.metric) for row in rows] == [("update", "p50_ms"), ("update", "p99_ms")]
    assert 0 < rows[0].value <= rows[1].value
    assert "of 40" in said[0]

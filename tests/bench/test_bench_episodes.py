"""The bench of episodes on a made-up session in the form of the traces."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Bench = Callable[..., tuple[Any, str]]
STEPS = [
    ("Bash", {"command": "pytest"}, [], "KeyError: 'user'\n1 failed\nexit code 1"),
    ("edit", {"command": "edit 3:4"}, ["/repo/x/a.py"], "done"),
    ("Bash", {"command": "pytest"}, [], "KeyError: 'other'\nexit code 1"),
    ("Write", {"file_path": "/repo/x/b.py"}, ["/repo/x/b.py"], "done"),
    ("Bash", {"command": "cat a.py"}, ["/repo/x/a.py"], "text"),
    ("Bash", {"command": "rg foo"}, [], "a.py:1:foo"),
    ("rm", {"command": "rm b.py"}, ["/repo/x/b.py"], ""),
    ("Bash", {"command": "pytest"}, [], "2 passed\nexit code 0"),
]


@pytest.fixture
def traces(tmp_path: Path) -> Path:
    """A data folder with one recorded session."""
    rows: list[dict[str, Any]] = [{"i": 0, "kind": "user", "text": "Fix the login of users"}]
    for number, (tool, args, paths, output) in enumerate(STEPS):
        call = {"tool": tool, "args": args, "paths": paths, "call_id": f"c{number}"}
        rows.append({"i": 2 * number + 1, "kind": "tool_call", **call})
        result = {"text": output, "call_id": f"c{number}"}
        rows.append({"i": 2 * number + 2, "kind": "tool_result", **result})
    folder = tmp_path / "data" / "traces" / "events"
    folder.mkdir(parents=True)
    text = "\n".join(json.dumps(row) for row in rows)
    (folder / "one.jsonl").write_text(text, encoding="utf-8")
    return tmp_path / "data"


def test_every_answer_is_that_of_the_reference(bench: Bench, traces: Path) -> None:
    """All questions are asked and equal; cost and growth stand beside their floors."""
    found, printed = bench("episodes", "--limit", "1", "--profile", folder=traces)
    values = {row["metric"]: row["value"] for row in found["rows"]}
    assert values.keys() == {"exact", "p50_ms", "p95_ms", "ratio", "mb"}
    assert values["exact"] == 1
    assert "KeyError: 'user'" in printed
    assert "tried in vain" in printed
    assert "after changing a.py" in printed


def test_missing_session_folder_is_named(bench: Bench, tmp_path: Path) -> None:
    """A missing folder is named."""
    found, printed = bench("episodes", folder=tmp_path)
    assert found["rows"] == []
    assert "skipped traces" in printed

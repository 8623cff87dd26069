"""The bench of saved tool calls counts what a session holds, on sessions made up here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.episodes import sessions
from tests.episodes.sessions import CWD, Claude, written


def test_calls_that_are_held_are_counted(tmp_path: Path) -> None:
    """Two reads of an unchanged file of three looks are one saved; the claim stands beside it."""
    from bench import toolcalls
    from bench.results import METRICS, Options

    talk = Claude()
    talk.prompt("look")
    for number, path in enumerate(("a.py", "b.py", "a.py")):
        talk.call(f"k{number}", "Read", {"file_path": f"{CWD}/{path}"})
        talk.result(f"k{number}", f"the content of {path}")
    talk.says("done")
    written(tmp_path / "traces" / "raw", "c.jsonl", talk.text)
    said: list[str] = []
    rows = list(toolcalls.run(Options(data=tmp_path, say=said.append)))
    values = {row.metric: row.value for row in rows}
    assert values.keys() <= set(METRICS)
    assert values["saved_held"] == pytest.approx(1 / 3)
    assert values["saved"] >= values["saved_held"]
    assert (values["confirmed"], values["claimed"]) == (1, 0.6)
    assert rows[0].floor == pytest.approx(1 / 3)
    assert any("3 of 3 calls read or search" in line for line in said)


def test_every_format_can_be_replayed(tmp_path: Path) -> None:
    """Sessions of all formats side by side; a folder that is missing is said."""
    from bench import toolcalls
    from bench.results import Options

    for number, (file, make) in enumerate(sessions.ALL.values()):
        written(tmp_path / "traces" / "raw", f"{number}-{file}", make())
    said: list[str] = []
    assert list(toolcalls.run(Options(data=tmp_path, say=said.append)))
    assert not list(toolcalls.run(Options(data=tmp_path / "none", say=said.append)))
    assert said[-1].startswith("skipped traces")

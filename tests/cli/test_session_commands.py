"""The command `session`, as people and programs read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit import HistoryEntry, SessionContext

from .conftest import Ran

Run = Callable[..., Ran]


@pytest.fixture
def saved(folder: Path) -> str:
    """A store with a saved session of 60 entries; its name."""
    entries = [HistoryEntry(n, "user", f"Move part_{n} of the lexer.", 9) for n in range(60)]
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        kit.context.sessions.save(
            SessionContext("s:1", facts=["Port 7401 is free."], recent_history=entries)
        )
    return "s:1"


def test_sessions_are_listed_compacted_and_restored(run: Run, saved: str) -> None:
    """Each step by a command; what a compaction did is said in a line."""
    assert run("session", "list").out.splitlines()[1].split("\t")[:2] == [saved, "1"]
    assert run("session", "list", "--json").json[0]["session"] == saved
    done = run("session", "compact", saved, "--focus", "part_3", "--keep", "10")
    assert done.out.startswith("50 entries became a summary: ")
    again = run("session", "compact", saved, "--keep", "10", "--json")
    assert (again.json["compacted"], again.json["removed"]) == (False, 0)
    shown = run("session", "show", saved).out
    assert "versions: 2 (" in shown
    assert "part_3 " in shown
    assert "fact: Port 7401 is free." in shown
    assert run("session", "restore", saved, "--version", "1", "--json").json["version"] == 3
    assert len(run("session", "show", saved, "--json").json["recent_history"]) == 60
    assert run("session", "restore", saved).code == 2


def test_sessions_are_exported_and_deleted(run: Run, saved: str, folder: Path) -> None:
    """JSON that is read back; deleting needs a word."""
    text = run("session", "export", saved).out
    assert text.startswith('{\n  "session_id": "s:1",')
    (folder / "s.json").write_text(text.replace("s:1", "s:2"), encoding="utf-8")
    assert run("session", "import", "s.json").out == "s:2 is saved as version 1\n"
    assert run("session", "import", "-", stdin=text.encode()).out == "s:1 is saved as version 1\n"
    assert run("session", "delete", saved).code == 2
    assert run("session", "delete", saved, "--yes").out == "deleted s:1\n"
    assert [row["session"] for row in run("session", "list", "--json").json] == ["s:2"]
    for action in ("show", "export", "compact", "delete"):
        missing = run("session", action, saved, "--yes")
        assert (missing.code, "session list" in missing.err) == (1, True)
    assert run("session", "show").code == 2


def test_nothing_is_saved(run: Run, folder: Path) -> None:
    """An empty answer is an answer."""
    memkit.open(folder / ".memkit.db", global_store=False).close()
    assert (run("session", "list").out, run("session", "list").code) == ("", 0)

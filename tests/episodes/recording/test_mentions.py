"""Paths that outputs of a session named are noted with the call, and foretold in that session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit import Signal

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


def named(kit: memkit.Memkit, session: str = "s") -> set[str]:
    """Return the paths that outputs of a session named."""
    rows = kit._store.all("episodes_predictions.mentions", session=session)
    return {path for path, *_ in rows}


def hook(kit: memkit.Memkit, tool: str, given: dict[str, Any], response: object) -> None:
    """Record a call as a hook tells of it."""
    done = kit.episodes.record(
        {
            "session_id": "s",
            "hook_event_name": "PostToolUse",
            "tool_name": tool,
            "tool_input": given,
            "tool_response": response,
            "cwd": str(kit.path.parent),
        }
    )
    assert done.status == "stored"


@pytest.mark.parametrize(
    ("tool", "given", "response"),
    [
        pytest.param(
            "Read",
            {"file_path": "src/a.py"},
            {"type": "text", "file": {"filePath": "src/a.py", "content": "from .b import c\n"}},
            id="read",
        ),
        pytest.param(
            "Grep",
            {"pattern": "x"},
            {"mode": "files_with_matches", "filenames": ["src/b.py"], "numFiles": 1},
            id="grep",
        ),
        pytest.param("Bash", {"command": "ls src"}, {"stdout": "b.py\n"}, id="bash"),
    ],
)
def test_what_a_hooks_output_names_is_foretold(
    kit: memkit.Memkit, tool: str, given: dict[str, Any], response: object
) -> None:
    """What a hook's output names may come next in that session, and in no other."""
    hook(kit, tool, given, response)
    hook(kit, "Edit", {"file_path": "src/a.py"}, {"filePath": "src/a.py"})
    assert "src/b.py" in kit.episodes.predict(Signal("file", "src/a.py", session="s")).files
    assert "src/b.py" not in kit.episodes.predict(Signal("file", "src/a.py", session="o")).files


def test_content_of_a_file_is_not_kept(kit: memkit.Memkit) -> None:
    """Of what a file holds only the paths that it names are noted."""
    content = "the kiln is warm, see glaze.py\n"
    response = {"file": {"filePath": "src/a.md", "content": content}}
    hook(kit, "Read", {"file_path": "src/a.md"}, response)
    assert named(kit) == {"src/glaze.py"}
    kit.close()
    assert b"kiln is warm" not in kit.path.read_bytes()


def test_private_files_and_secrets_are_left_out(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Of a private file nothing is noted, of a path with a secret neither, and what git ignores is
    not foretold."""
    (tmp_path / ".gitignore").write_text("built/\n")
    session = kit.session("s")
    session.tool("Bash", {"command": "cat .env"}, output="LOADS=hidden.py")
    session.tool("Bash", {"command": "ls"}, output=f"{SECRET}.py\nb.py\nbuilt/c.py")
    assert named(kit) == {"b.py", "built/c.py"}
    session.file("a.py", "read")
    found = kit.episodes.predict(Signal("file", "a.py", session="s")).files
    assert "b.py" in found
    assert "built/c.py" not in found


def test_what_lies_outside_is_left_out(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A path is noted relative to the root; one outside of it, or that no file has, not at all."""
    output = f"/elsewhere/x.py\n../y.py\n{tmp_path}/src/z.py"
    kit.session("s").tool("Grep", {"pattern": "x"}, output=output)
    text = "import a from './\0a'; import b from './\ud800'; import c from '../../c'"
    kit.session("s").tool("Read", {"file_path": "src/a.ts"}, output=text)
    assert named(kit) == {"src/z.py"}


def test_only_the_newest_outputs_are_remembered(kit: memkit.Memkit) -> None:
    """Paths named long ago in a session are forgotten, and those of sessions before the last."""
    kit.session("old").tool("Grep", {}, output="a.py")
    for number in range(70):
        kit.session("s").tool("Grep", {}, output=f"f{number}.py")
    assert "f69.py" in named(kit)
    assert "f0.py" not in named(kit)
    assert len(named(kit)) <= 61
    for number in range(6):
        kit.session(f"new{number}").tool("Grep", {}, output="a.py")
    assert not named(kit, "old")


def test_an_import_notes_what_outputs_name(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A session that is imported may be taken up again: its outputs are noted too."""
    lines = (
        '{"type":"user","sessionId":"t","uuid":"1","timestamp":"2026-01-01T00:00:00Z",'
        '"message":{"role":"user","content":"look"}}',
        '{"type":"assistant","sessionId":"t","uuid":"2","timestamp":"2026-01-01T00:00:01Z",'
        '"message":{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"Bash",'
        '"input":{"command":"ls src"}}]}}',
        '{"type":"user","sessionId":"t","uuid":"3","timestamp":"2026-01-01T00:00:02Z",'
        '"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c",'
        '"content":"b.py"}]}}',
    )
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    kit.import_(tmp_path / "t.jsonl")
    assert named(kit, "t") == {"src/b.py"}

"""Settings that `memkit install` wrote, used as each agent uses them: a whole session of hooks."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.cli import entry
from tests.agent_dialects import DIALECTS, Dialect
from tests.agent_sessions import BAN, RULE, commands_of, fill, recorded, script, text_of

BY_SETTINGS = [dialect for dialect in DIALECTS if dialect.agent not in ("copilot", "opencode")]
each_agent = pytest.mark.parametrize("dialect", BY_SETTINGS, ids=lambda dialect: dialect.agent)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a store, and with settings of others for each agent."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setenv("MEMKIT_GLOBAL", str(tmp_path / "global.db"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("MEMKIT_DEBUG", raising=False)
    fill(root)
    for path in (".claude/settings.json", ".gemini/settings.json"):
        (root / path).parent.mkdir()
        (root / path).write_text('{\n    "theme": "dark"  \n}\n')
    return root


def tree(root: Path) -> dict[str, bytes]:
    """Return the files of a repository but for its store."""
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(p.relative_to(root)): p.read_bytes() for p in files if ".db" not in p.name}


@each_agent
def test_a_session_goes_through_the_settings(
    dialect: Dialect,
    root: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command that stands there for an event takes that event's JSON: everything is recorded,
    context comes at the start and with prompts, the guard warns, all else is silent; what was
    installed goes without a trace."""
    before = tree(root)
    assert entry.main(["install", dialect.agent]) == 0
    assert tree(root) != before
    commands = commands_of(dialect.agent, root)
    steps = [step for step in script(root) if step[0] in dialect.names]
    assert {dialect.names[moment] for moment, _, _ in steps} <= commands.keys()

    def run(command: str, payload: Any) -> str:
        program, *arguments = shlex.split(command)
        assert program == "memkit"
        stdin = io.BytesIO(json.dumps(payload).encode())
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stdin))
        capsys.readouterr()
        assert entry.main(arguments) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    for moment, told, due in steps:
        out = run(commands[dialect.names[moment]], dialect.payload(moment, str(root), **told))
        assert bool(out) == bool(due), (moment, told, out)
        assert due in (text_of(json.loads(out)) if out else "")
    with memkit.open(root / ".memkit.db", global_store=False) as kit:
        recorded(kit, dialect)
    assert entry.main(["uninstall", dialect.agent]) == 0
    assert tree(root) == before


@each_agent
def test_a_shell_runs_the_command_of_the_settings(dialect: Dialect, root: Path) -> None:
    """In a process of its own, from a shell, with the memkit that is on the PATH."""
    program = root.parent / "bin" / "memkit"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m memkit "$@"\n')
    program.chmod(0o755)
    assert entry.main(["install", dialect.agent]) == 0
    called = {"tool": "Bash", "input": {"command": "npm publish"}, "call": "g1"}
    done = subprocess.run(
        commands_of(dialect.agent, root)[dialect.names["before"]],
        shell=True,
        cwd=root,
        env={
            **os.environ,
            "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(Path(memkit.__file__).parent.parent),
        },
        input=json.dumps(dialect.payload("before", str(root), **called)).encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert BAN in text_of(json.loads(done.stdout))
    assert RULE not in done.stdout.decode()

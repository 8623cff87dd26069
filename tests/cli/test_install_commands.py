"""Install commands: what is shown, what is said, and what doctor knows of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memkit
from memkit.store.store import set_local_setting
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def home(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user of no agent, with `memkit` on the PATH."""
    home = tmp_path / "home"
    program = tmp_path / "bin" / "memkit"
    program.parent.mkdir()
    home.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("PATH", str(program.parent))
    return home


def test_a_dry_run_shows_the_difference_and_changes_nothing(run: Run, folder: Path) -> None:
    """A diff with the names of the files, in which no secret stands."""
    settings = folder / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(
        '{\n  "env": {"GITHUB_TOKEN": "ghp_0123456789abcdefghij0123456789abcdef"}\n}'
    )
    before = settings.read_bytes()
    ran = run("install", "claude", "--dry-run")
    assert ran.code == 0
    assert f"--- {settings}" in ran.out
    assert '+            "command": "memkit hook --agent claude",' in ran.out
    assert '+  "env": {"GITHUB_TOKEN": ' in ran.out
    assert "ghp_0123" not in ran.out
    assert settings.read_bytes() == before
    assert sorted(path.name for path in folder.iterdir()) == [".claude", ".git"]


def test_several_agents_are_plugged_in_at_once_or_none(run: Run, folder: Path) -> None:
    """A file that cannot be read leaves those of the others alone."""
    broken = folder / ".cursor" / "hooks.json"
    broken.parent.mkdir()
    broken.write_text("{ no JSON")
    assert run("install", "gemini", "cursor").code == 1
    assert not (folder / ".gemini").exists()
    broken.unlink()
    files = run("install", "gemini", "cursor", "gemini", "--json").json["files"]
    assert [(file["agent"], file["change"]) for file in files if "hooks" in file["path"]] == [
        ("cursor", "made")
    ]
    assert {file["agent"] for file in files} == {"gemini", "cursor"}
    assert run("uninstall", "cursor", "gemini").code == 0
    assert not (folder / ".gemini").exists()


def test_install_and_uninstall_say_what_became_of_each_file(run: Run, folder: Path) -> None:
    """Made, unchanged, removed; a store that is not there yet is a note."""
    path = str(folder / ".gemini" / "settings.json")
    ran = run("install", "gemini")
    assert (ran.code, ran.out) == (0, f"{path}: made\n")
    assert "is not there yet: memkit init" in ran.err
    assert run("install", "gemini", "--json").json["files"][0]["change"] == "unchanged"
    assert run("install", "gemini", "--dry-run").out == "nothing would change\n"
    assert run("uninstall", "gemini").out == f"{path}: removed\n"
    assert run("uninstall", "gemini").out == f"{path}: unchanged\n"


def test_the_user_s_settings_are_written_below_home(run: Run, folder: Path, home: Path) -> None:
    """With --user the project is not touched, and the program has its path."""
    assert run("install", "claude", "--user").code == 0
    settings = json.loads((home / ".claude" / "settings.json").read_text())
    command = settings["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert Path(command.split()[0].strip("'\"")).is_absolute()
    assert not (folder / ".claude").exists()
    assert run("uninstall", "claude", "--user").code == 0
    assert list(home.iterdir()) == []


def test_what_is_missing_is_said(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shared settings start memkit from the PATH; --absolute names it by its path."""
    monkeypatch.setenv("PATH", str(folder))
    assert "memkit is not on the PATH" in run("install", "cursor").err
    checked = run("install", "cursor", "--check")
    assert checked.code == 1
    assert "not there: memkit" in checked.out
    assert "next: put memkit on the PATH" in checked.out
    assert "not on the PATH" not in run("install", "cursor", "--absolute").err
    assert run("install", "cursor", "--check").code == 0


def test_check_and_doctor_say_when_a_hook_last_fired(run: Run, folder: Path) -> None:
    """By the note of the store; an older entry differs, and its next step mends it."""
    with memkit.open(folder / ".memkit.db") as kit:
        noted = {"prompt": "2026-03-01T10:00:00.000Z", "session start": "2026-03-01T09:00:00.000Z"}
        kit._store.write(lambda: set_local_setting(kit._store, "hooks.fired.codex", noted))
    run("install", "codex")
    said = "codex (project): plugged in; last fired 2026-03-01T10:00:00.000Z (prompt)"
    assert said in run("install", "--check").out
    assert f"agents: {said}" in run("doctor").out
    path = folder / ".codex" / "hooks.json"
    path.write_text(path.read_text().replace('"timeout": 5', '"timeout": 4'))
    checked = run("install", "codex", "--check")
    assert checked.code == 1
    assert "outdated" in checked.out
    assert "next: memkit install codex" in checked.out
    run("install", "codex")
    assert run("install", "codex", "--check").code == 0


def test_a_broken_file_of_ours_is_a_problem_and_another_s_is_not(run: Run, folder: Path) -> None:
    """doctor names what it cannot read only where memkit stands in it."""
    (folder / ".mcp.json").write_text('{"mcpServers": ')
    assert "none" in run("doctor").out.splitlines()[-1]
    (folder / ".mcp.json").write_text('{"mcpServers": {"memkit": ')
    ran = run("doctor")
    assert ran.code == 1
    assert "claude (project): unreadable" in ran.out


def test_without_an_agent_those_that_there_are_are_listed(run: Run, home: Path) -> None:
    """Which seem to be used, and where memkit is plugged in."""
    (home / ".cursor").mkdir()
    run("install", "claude")
    lines = run("install").out.splitlines()
    assert "claude\tClaude Code\tplugged in (project)" in lines
    assert "cursor\tCursor\tseen here" in lines
    assert "gemini\tGemini CLI\t-" in lines
    assert run("uninstall").code == 2
    assert run("install", "claude", "--db", "x.db").code == 2

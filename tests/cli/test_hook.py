"""The path of a hook: bounded time, silence, exit code 0 where there is nothing to say."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

import memkit

from .conftest import Run

PROMPT: dict[str, Any] = {
    "hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "how is staging deployed?",
}  # fmt: skip
FACT = "Staging is deployed by pushing a tag."


@pytest.fixture
def store(folder: Path) -> Path:
    """A store in the current folder that holds one statement."""
    path = folder / ".memkit.db"
    with memkit.open(path, global_store=False) as kit:
        kit.memories.remember(FACT)
    return path


def started(folder: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start memkit with a pipe that stays open."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "memkit", *arguments]
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder)


@pytest.mark.parametrize("end", [b"\n", b""])
def test_an_open_pipe_is_not_waited_for(store: Path, end: bytes) -> None:
    """A whole event, with or without its line's end, is recorded though no end comes."""
    with started(store.parent, "record") as process:
        assert process.stdin
        process.stdin.write(json.dumps(PROMPT).encode() + end)
        process.stdin.flush()
        assert process.wait(timeout=20) == 0
        assert process.stdout
        assert process.stderr
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")
    with memkit.open(store, global_store=False) as kit:
        assert [task.description for task in kit.episodes.tasks()] == [PROMPT["prompt"]]


def test_a_pipe_that_brings_nothing_is_left(store: Path) -> None:
    """Neither does half an event hold the agent up longer than --wait; it is no fault of its."""
    with started(store.parent, "record", "--wait", "0.2") as process:
        assert process.stdin
        process.stdin.write(b'{"event": "ta')
        process.stdin.flush()
        assert process.wait(timeout=30) == 0
        assert process.stdout
        assert process.stderr
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def test_hook_json_is_read_as_its_prompt(store: Path, run: Run) -> None:
    """By `recall -`; what is run or opened is asked for where there is no prompt."""
    done = run("recall", "-", stdin=json.dumps(PROMPT).encode())
    assert (done.code, FACT in done.out, done.err) == (0, True, "")
    call = {
        "hook_event_name": "PreToolUse",
        "session_id": "s",
        "tool_input": {"command": "deploy staging by pushing a tag"},
    }
    assert FACT in run("recall", "-", stdin=json.dumps(call).encode()).out
    for text in (b"how is staging deployed?", b'{"a": "staging deployed pushing tag"}'):
        assert FACT in run("recall", "-", stdin=text).out


@pytest.mark.parametrize(
    "payload",
    [
        {**PROMPT, "prompt": "thanks, looks good"},
        {**PROMPT, "prompt": "<system-reminder>how is staging deployed?</system-reminder>"},
        {"hook_event_name": "SessionStart", "session_id": "s"},
    ],
)
def test_a_hook_hears_nothing_where_nothing_is_good(
    store: Path, run: Run, payload: dict[str, Any]
) -> None:
    """A person is told so, on standard error."""
    done = run("recall", "-", stdin=json.dumps(payload).encode())
    assert (done.code, done.out, done.err) == (0, "", "")
    done = run("recall", "quokkas of Rottnest")
    assert (done.code, done.out) == (0, "")
    assert "nothing good enough" in done.err


def test_the_folder_of_the_event_decides(
    store: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of the process; where the agent works without a store nothing is said or kept."""
    other = tmp_path / "other"
    (other / ".git").mkdir(parents=True)
    monkeypatch.chdir(other)
    here = json.dumps(PROMPT).encode()
    there = json.dumps({**PROMPT, "cwd": str(store.parent)}).encode()
    bare = json.dumps({**PROMPT, "cwd": str(other)}).encode()
    assert FACT in run("recall", "-", stdin=there).out
    for event in (here, bare):
        done = run("recall", "-", stdin=event)
        assert (done.code, done.out, done.err) == (0, "", "")
        done = run("record", stdin=event)
        assert (done.code, done.out, done.err) == (0, "", "")
    assert run("recall", "staging").code == 1
    monkeypatch.chdir(store.parent)
    assert run("record", stdin=b"\n".join((bare, there))).code == 0
    assert not (other / ".memkit.db").exists()
    with memkit.open(store, global_store=False) as kit:
        assert len(kit.episodes.tasks()) == 1


@pytest.mark.parametrize("question", ["how is staging deployed?", "-"])
def test_a_locked_file_is_not_waited_for_long(store: Path, run: Run, question: str) -> None:
    """Nothing is shown, and that is no failure of the hook; a document says what it is."""
    other = apsw.Connection(str(store))
    other.execute("begin exclusive")
    began = time.monotonic()
    done = run("recall", question, stdin=json.dumps(PROMPT).encode())
    assert time.monotonic() - began < 5
    assert (done.code, done.out) == (0, "")
    assert bool(done.err) is (question != "-")
    done = run("recall", question, "--wait", "0", "--json", stdin=json.dumps(PROMPT).encode())
    assert (done.code, done.json["error"]["code"]) == (1, "store_busy")
    other.close()


def test_a_guard_does_not_wait_long_for_a_locked_file(store: Path, run: Run) -> None:
    """The agent goes on, told by arguments or by a hook's JSON; a document says what it is."""
    other = apsw.Connection(str(store))
    other.execute("begin exclusive")
    began = time.monotonic()
    call = {"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash"}
    event = json.dumps({**call, "tool_input": {"command": "rm x"}}).encode()
    asked = run("guard", "Bash", "rm x")
    assert (asked.code, asked.out) == (0, "")
    assert "another process held the file" in asked.err
    hook = run("guard", stdin=event)
    assert (hook.code, hook.out, hook.err) == (0, "", "")
    assert time.monotonic() - began < 8
    done = run("guard", "--wait", "0", "--json", stdin=event)
    assert (done.code, done.json["error"]["code"]) == (1, "store_busy")
    other.close()


def test_a_program_that_writes_slowly_is_read_to_its_end(store: Path) -> None:
    """Lines in quick succession are one input."""
    with started(store.parent, "record") as process:
        assert process.stdin
        for number in range(3):
            event = {"event": "file", "session": "s", "path": f"{number}.py"}
            process.stdin.write(json.dumps(event).encode() + b"\n")
            process.stdin.flush()
            time.sleep(0.05)
        process.stdin.close()
        assert process.wait(timeout=20) == 0
    with memkit.open(store, global_store=False) as kit:
        assert len(kit.episodes.hot_files()) == 3

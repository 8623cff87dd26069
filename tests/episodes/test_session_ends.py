"""Sessions that were killed, and sessions that others began."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.episodes.records import TaskStatus
from tests.conftest import Clock

DAY = 86_400.0


def killed(kit: memkit.Memkit, name: str = "lost") -> str:
    """Record a session that never ends, with a pair of files and a fix; return its task."""
    session = kit.session(name)
    task = session.task("mend the importer")
    task.tool("Bash", {"command": "make"}, success=False, error="ValueError: bad row")
    for path in ("a.py", "b.py"):
        task.file(path, "edit")
    task.tool("Bash", {"command": "make"}, success=True)
    return task.name


def test_a_killed_session_ends_at_its_last_sign_of_life(kit: memkit.Memkit, clock: Clock) -> None:
    """Some time later, when another begins; a task that was laid aside stays so."""
    name = killed(kit)
    aside = kit.session("lost").task("write the docs")
    aside.pause("half done")
    last = kit.episodes.tool_executions(limit=1)[0].timestamp
    clock.now += DAY / 2
    kit.session("soon").close()
    assert kit.episodes.task(name).status is TaskStatus.ACTIVE
    clock.now += DAY
    kit.session("later").close()
    (lost,) = [s for s in kit.episodes.sessions() if s.name == "lost"]
    assert lost.ended_at is not None
    assert last <= lost.ended_at < last[:11] + "23"
    task = kit.episodes.task(name)
    assert (task.status, task.completed_at) == (TaskStatus.ABANDONED, lost.ended_at)
    assert task.files == ("a.py", "b.py")
    assert [t.name for t in kit.episodes.unfinished_tasks()] == [aside.name]


def test_what_goes_is_learnt_from_first(kit: memkit.Memkit, clock: Clock) -> None:
    """Trimming removes no call that nothing was learnt from, whatever its task came to."""
    name = killed(kit)
    clock.now += 400 * DAY
    kit.trim()
    assert kit.episodes.tool_executions() == []
    assert kit.episodes.task(name).status is TaskStatus.ABANDONED
    assert {p.type.value for p in kit.episodes.patterns()} == {"co-edit", "error-fix"}
    assert kit.episodes.sessions()[0].ended_at is not None


def test_a_session_that_goes_on_takes_its_task_up(kit: memkit.Memkit, clock: Clock) -> None:
    """It was only taken for killed."""
    name = killed(kit)
    clock.now += 3 * DAY
    kit.session("other").close()
    hook = {"hook_event_name": "PostToolUse", "session_id": "lost", "tool_name": "Read"}
    kit.episodes.record({**hook, "tool_input": {"file_path": "c.py"}, "tool_response": "x"})
    task = kit.episodes.task(name)
    assert (task.status, task.completed_at) == (TaskStatus.ACTIVE, None)
    assert "c.py" in task.files
    (lost,) = [s for s in kit.episodes.sessions() if s.name == "lost"]
    assert lost.ended_at is None
    kit.episodes.record({"hook_event_name": "Stop", "session_id": "lost"})
    assert kit.episodes.task(name).status is TaskStatus.COMPLETED


def test_closing_a_kit_closes_what_was_killed(
    kit: memkit.Memkit, clock: Clock, tmp_path: Path
) -> None:
    """Hooks and short programs do it by the way."""
    killed(kit)
    clock.now += 2 * DAY
    with memkit.open(tmp_path / ".memkit.db", clock=clock) as again:
        again.episodes.record({"event": "file", "path": "x.py"})
    assert kit.episodes.unfinished_tasks() == []


# -- parents


def parents(kit: memkit.Memkit) -> dict[str, str | None]:
    """Return the parent of each session."""
    return {session.name: session.parent for session in kit.episodes.sessions()}


def test_a_session_has_a_parent(kit: memkit.Memkit) -> None:
    """Given as such or by name, also later; none is its own."""
    with kit.session("main") as session:
        kit.session("sub", parent=session).close()
        kit.session("other").close()
        kit.session("other", parent="main").close()
        kit.session("own", parent="own").close()
        kit.episodes.record({"event": "session", "session": "told", "parent": "sub"})
    assert parents(kit) == {
        "main": None, "sub": "main", "other": "main", "own": None, "told": "sub",
    }  # fmt: skip


def test_subagents_have_sessions_of_their_own(kit: memkit.Memkit) -> None:
    """Their calls serve the task of the session that began them."""

    def hook(event: str, **more: Any) -> None:
        kit.episodes.record({"hook_event_name": event, "session_id": "main", **more})

    hook("UserPromptSubmit", prompt="find the leak")
    agent = {"agent_id": "a-1", "agent_type": "explorer"}
    hook("SubagentStart", **agent)
    read = {"tool_name": "Read", "tool_input": {"file_path": "a.py"}, "tool_response": "x"}
    hook("PostToolUse", **read, **agent)
    hook("SubagentStop", **agent)
    hook("PostToolUse", **read, agent_id="a-2")
    assert parents(kit) == {"main": None, "a-1": "main", "a-2": "main"}
    (task,) = kit.episodes.tasks()
    assert {(c.session, c.task) for c in kit.episodes.tool_executions()} == {
        ("a-1", task.name), ("a-2", task.name),
    }  # fmt: skip
    (first,) = [s for s in kit.episodes.sessions() if s.name == "a-1"]
    assert first.ended_at is not None
    assert first.agent == "explorer"
    assert task.status is TaskStatus.ACTIVE


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_file_of_a_subagent_is_a_session(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Its calls belong to the task of the session that it names."""

    def row(kind: str, uuid: str, at: str, content: Any, **more: Any) -> dict[str, Any]:
        stamp = f"2026-03-01T10:00:{at}Z"
        message = {"content": content}
        return {
            "type": kind, "uuid": uuid, "sessionId": "main", "timestamp": stamp,
            "message": message, **more,
        }  # fmt: skip

    side = {"isSidechain": True, "agentId": "a-7"}
    use = {"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": "a.py"}}
    result = {"type": "tool_result", "tool_use_id": "c", "content": "x"}
    write(tmp_path / "0main.jsonl", [row("user", "u", "00", "find the leak")])
    write(
        tmp_path / "agent-a-7.jsonl",
        [
            row("user", "p", "01", "look at a.py", **side),
            row("assistant", "q", "02", [use], parentUuid="p", **side),
            row("user", "r", "03", [result], parentUuid="q", **side),
        ],
    )
    for _ in range(2):
        kit.import_(tmp_path, format="transcript")
        assert parents(kit) == {"main": None, "a-7": "main"}
        (call,) = kit.episodes.tool_executions()
        assert (call.session, call.task) == ("a-7", "u")


@pytest.mark.parametrize("told", [True, False])
def test_a_rollout_names_its_parent(kit: memkit.Memkit, tmp_path: Path, told: bool) -> None:
    """Where another session spawned it."""
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": "r-0", "depth": 1}}}
    at = "2026-03-01T10:00:00Z"
    meta = {"id": "r-1", "cwd": "/w", "timestamp": at, "source": spawn if told else "cli"}
    text = [{"type": "input_text", "text": "go"}]
    write(
        tmp_path / "r.jsonl",
        [
            {"timestamp": at, "type": "session_meta", "payload": meta},
            {
                "timestamp": at,
                "type": "response_item",
                "payload": {"type": "message", "role": "user", "content": text},
            },
        ],
    )
    kit.import_(tmp_path / "r.jsonl")
    assert parents(kit) == {"r-1": "r-0" if told else None}

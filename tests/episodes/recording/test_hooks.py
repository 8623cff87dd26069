"""What the hooks of coding agents report is recorded as what it was: done, asked for, or ended."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.episodes.records import FileOperation, RecordResult, RecordStatus, TaskStatus
from tests.episodes import sessions
from tests.episodes.sessions import Claude, written
from tests.episodes.transcripts.test_format_variants import item
from tests.episodes.transcripts.test_formats import told


def hook(name: str, **rest: Any) -> dict[str, Any]:
    """What a hook passes on; keys of the call are those that agents give."""
    return {"hook_event_name": name, "session_id": "h", "transcript_path": "/t.jsonl", **rest}


def before(call_id: str = "q1") -> dict[str, Any]:
    """A call that is announced."""
    return hook(
        "PreToolUse", tool_name="Bash", tool_input={"command": "pytest"}, tool_use_id=call_id
    )


def after(response: Any, call_id: str = "q1", **rest: Any) -> dict[str, Any]:
    """The same call once it was made."""
    made = {**before(call_id), "hook_event_name": "PostToolUse", "tool_response": response}
    return {**made, **rest}


def statuses(kit: memkit.Memkit, *events: dict[str, Any]) -> list[RecordStatus]:
    """Record events; what became of each."""
    return [kit.episodes.record(event).status for event in events]


# -- calls


def test_hook_before_a_call_leaves_nothing_and_the_result_is_recorded(kit: memkit.Memkit) -> None:
    """The hook before a call leaves nothing; the one after it is recorded with what came of it."""
    failed = after({"stdout": "1 failed", "stderr": "", "exit_code": 1})
    assert statuses(kit, before(), failed) == [RecordStatus.IGNORED, RecordStatus.STORED]
    (call,) = kit.episodes.tool_executions()
    assert (call.success, call.exit_code, call.output) == (False, 1, "1 failed")


@pytest.mark.parametrize("order", list(permutations("bbaa")))
def test_hooks_of_one_call_come_in_any_order_and_twice(
    kit: memkit.Memkit, order: tuple[str, ...]
) -> None:
    """One call is recorded, as it came out."""
    for which in order:
        kit.episodes.record(before() if which == "b" else after({"stdout": "ok", "exit_code": 3}))
    ((success, code),) = [(call.success, call.exit_code) for call in kit.episodes.tool_executions()]
    assert (success, code) == (False, 3)


@pytest.mark.parametrize("name", ["PreToolUse", "BeforeTool", "preToolUse", "PermissionRequest"])
def test_a_call_that_was_never_made_leaves_nothing(kit: memkit.Memkit, name: str) -> None:
    """No call, no file, no session, and nothing that counts as lost."""
    event = before() | {"hook_event_name": name}
    done = kit.episodes.record(event)
    assert (done.status, "only announced" in str(done.reason)) == (RecordStatus.IGNORED, True)
    assert not kit.episodes.tool_executions()
    assert not kit.episodes.sessions()
    assert kit.episodes.stats().dropped == {}


@pytest.mark.parametrize(
    "event", [before(), {"toolName": "bash", "toolArgs": "{}", "tool_use_id": "x"}]
)
def test_call_without_a_result_is_only_announced(kit: memkit.Memkit, event: dict[str, Any]) -> None:
    """A call with an id of which nothing is told has only been announced."""
    event.pop("hook_event_name", None)
    assert statuses(kit, event) == [RecordStatus.IGNORED]
    assert kit.episodes.tool_executions() == []


def test_call_recorded_without_a_result_is_completed_by_it(kit: memkit.Memkit) -> None:
    """One that was recorded without any result is completed by it, its files too; then it stays."""
    with kit.session("s") as session, session.task("t") as task:
        first = task.tool("Edit", {"file_path": "a.py"}, call_id="c", files=["a.py"])
        edit = {"path": "a.py", "operation": "edit"}
        then = task.tool("Edit", call_id="c", error="no such text", success=False, files=[edit])
        assert (then.status, then.id) == (RecordStatus.STORED, first.id)
        assert task.tool("Edit", call_id="c", output="fine").status is RecordStatus.KNOWN
    (call,) = kit.episodes.tool_executions()
    assert (call.success, call.error) == (False, "no such text")
    (touched,) = kit.episodes.file_history("a.py").recent
    assert (touched.operation, touched.success) == (FileOperation.EDIT, False)


def test_hooks_of_failures_are_failures(kit: memkit.Memkit) -> None:
    """What failed says why as the agent was told; what the user broke off says that."""
    failed = {"hook_event_name": "PostToolUseFailure", "error": "Exit code 2\nKeyError: 'user'"}
    kit.episodes.record(before("a") | failed)
    kit.episodes.record(before("b") | failed | {"is_interrupt": True})
    kit.episodes.record(after({"stdout": "", "stderr": "", "interrupted": True}, "c"))
    last, second, first = kit.episodes.tool_executions()
    assert (first.success, first.exit_code, first.error) == (False, 2, "KeyError: 'user'")
    assert (second.success, second.error) == (False, "interrupted by the user")
    assert (last.success, last.error) == (False, "interrupted by the user")


@pytest.mark.parametrize(
    ("response", "success", "output"),
    [
        ("done", True, "done"),
        ([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}], True, "one\ntwo"),
        ({"content": [{"type": "text", "text": "no"}], "isError": True}, False, "no"),
        ({"llmContent": "seen", "returnDisplay": "x"}, True, "seen"),
        ({"llmContent": "", "error": {"message": "no such tool"}}, False, None),
        ({"resultType": "failure", "textResultForLlm": "nothing"}, False, "nothing"),
        ({"filenames": ["a.py", "b.py"], "numFiles": 2}, True, "a.py\nb.py"),
        (None, True, None),
    ],
)
def test_responses_of_tools(
    kit: memkit.Memkit, response: Any, success: bool, output: str | None
) -> None:
    """Each agent's way to say what came back is understood."""
    kit.episodes.record(after(response, tool_name="mcp__issues__search", tool_input={"q": "x"}))
    (call,) = kit.episodes.tool_executions()
    assert (call.success, call.output) == (success, output)


def test_files_of_hook_calls_are_recorded_relative_to_the_store(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """What a call read, searched or changed is told from what it was called with, relative to the
    store's folder; of contents nothing is kept."""
    root = kit.path.parent
    (root / "a.py").write_text("quokka = 1\n")
    read = {"file": {"filePath": "a.py", "content": "quokka = 1\n", "startLine": 1, "numLines": 1,
                     "totalLines": 9}}  # fmt: skip
    edit = {"filePath": "a.py", "oldString": "1", "newString": "2", "originalFile": "quokka = 1\n"}
    path = str(root / "a.py")
    for number, (tool, given, response) in enumerate([
        ("Read", {"file_path": path, "limit": 1}, read),
        ("Edit", {"file_path": path, "old_string": "1", "new_string": "2"}, edit),
        ("Bash", {"command": "sed -n 1,5p a.py"}, {"stdout": "quokka = 2", "stderr": ""}),
        ("Grep", {"pattern": "q", "path": str(root)}, {"mode": "content", "content": "a.py:1"}),
    ]):  # fmt: skip
        event = after(response, str(number), tool_name=tool, tool_input=given, cwd=str(root))
        assert kit.episodes.record(event).status is RecordStatus.STORED
    found = [(i.path, i.operation, i.lines) for i in kit.episodes.file_history("a.py").recent]
    assert sorted(found) == [
        ("a.py", FileOperation.EDIT, None),
        ("a.py", FileOperation.READ, (1, 1)),
        ("a.py", FileOperation.READ, (1, 5)),
    ]
    kit.close()
    assert b"quokka" not in kit.path.read_bytes()


# -- prompts, turns, sessions


def test_prompt_hook_begins_a_task_and_stop_hook_completes_it(kit: memkit.Memkit) -> None:
    """A prompt begins a task that the next calls serve; the end of the turn completes it and ends
    the session, which the next prompt takes up again."""
    record = kit.episodes.record
    record(hook("UserPromptSubmit", prompt="Fix the flaky upload"))
    record(after({"stdout": "ok", "exit_code": 0}))
    (task,) = kit.episodes.tasks()
    assert (task.description, task.status, task.tools) == (
        "Fix the flaky upload", TaskStatus.ACTIVE, {"Bash": 1},
    )  # fmt: skip
    assert record(hook("Stop", stop_hook_active=False)).status is RecordStatus.STORED
    assert kit.episodes.task(task.name).status is TaskStatus.COMPLETED
    (session,) = kit.episodes.sessions()
    assert session.ended_at is not None
    record(hook("UserPromptSubmit", prompt="Now the docs"))
    assert kit.episodes.sessions()[0].ended_at is None
    record(hook("SessionEnd", reason="logout"))
    assert kit.episodes.sessions()[0].ended_at is not None
    (open_task,) = kit.episodes.unfinished_tasks()
    assert open_task.description == "Now the docs"


def test_late_call_belongs_to_the_prompt_before(kit: memkit.Memkit) -> None:
    """After the end of the turn it still serves the prompt before."""
    kit.episodes.record(hook("UserPromptSubmit", prompt="go on"))
    kit.episodes.record(hook("Stop"))
    kit.episodes.record(after("ok"))
    (task,) = kit.episodes.tasks()
    assert (task.tools, task.status) == ({"Bash": 1}, TaskStatus.COMPLETED)


@pytest.mark.parametrize(
    "event",
    [
        hook("UserPromptSubmit", prompt="/compact now"),
        hook("UserPromptSubmit", prompt=" "),
        hook("UserPromptSubmit", prompt="look again", source="loop_wakeup"),
        hook("UserPromptSubmit"),
        hook("SessionStart", source="resume"),
        hook("Notification", message="waiting"),
        hook("SubagentStop", agent_id="a"),
        hook("Stop"),
        hook("SessionEnd"),
        hook("SomethingNew", tool_name="Bash"),
    ],
)
def test_hooks_with_nothing_to_record_are_ignored(
    kit: memkit.Memkit, event: dict[str, Any]
) -> None:
    """It is said why, nothing counts as lost, and no session is left."""
    done = kit.episodes.record(event)
    assert (done.status, bool(done.reason)) == (RecordStatus.IGNORED, True)
    assert not kit.episodes.sessions()
    assert not kit.episodes.tasks()
    assert kit.episodes.stats().dropped == {}


def test_prompts_are_what_the_user_wrote(kit: memkit.Memkit) -> None:
    """What a program puts around it is left out, a path at its beginning is not taken for a
    command, secrets are masked."""
    for prompt in (
        "<system-reminder>be brief</system-reminder>/src/app.py is broken",
        "<environment_context>x</environment_context>use ghp_" + "a1B2" * 9,
    ):
        kit.episodes.record(hook("UserPromptSubmit", prompt=prompt))
    second, first = (task.description for task in kit.episodes.tasks())
    assert first == "/src/app.py is broken"
    assert second.startswith("use [secret")


# -- sessions that nothing belongs to


@pytest.mark.parametrize(
    "event",
    [
        {"event": "tool", "session": "s", "tool": ""},
        {"event": "file", "session": "s", "path": "a", "operation": "sing"},
        {"event": "tool", "session": "s", "tool": "x", "at": "blursday"},
        {"event": "tool", "session": "s", "tool": "x", "files": 7},
        {"event": "finish", "session": "s"},
        {"event": "fail", "session": "s", "task": "none"},
        {"event": "end", "session": "s"},
        {"event": "snapshot", "session": "s", "items": [], "reason": "whim"},
    ],
)
def test_refused_event_leaves_no_session(kit: memkit.Memkit, event: dict[str, Any]) -> None:
    """A session stands in the file once something of it does, alone or among others."""
    assert kit.episodes.record(event).status in (RecordStatus.DROPPED, RecordStatus.IGNORED)
    kit.episodes.record_many([event, {"event": "tool", "session": "other", "tool": "x"}, event])
    assert [session.name for session in kit.episodes.sessions()] == ["other"]
    kit.episodes.record({"event": "tool", "session": "s", "tool": "x"})
    assert {session.name for session in kit.episodes.sessions()} == {"other", "s"}


def test_known_call_does_not_reopen_an_ended_session(kit: memkit.Memkit) -> None:
    """Telling a call again is no work: the session stays ended."""
    for event in (after("ok"), hook("SessionEnd"), after("ok")):
        kit.episodes.record(event)
    assert kit.episodes.sessions()[0].ended_at is not None


def test_batch_of_events_returns_a_result_for_each(kit: memkit.Memkit) -> None:
    """What is written in one batch has its number, what was refused at the end its reason."""
    done = kit.episodes.record_many(
        [{"session": "s", "tool": "x"}, {"event": "finish", "session": "s"}, {"nothing": 1}]
    )
    assert [one.status for one in done] == [
        RecordStatus.STORED,
        RecordStatus.DROPPED,
        RecordStatus.DROPPED,
    ]
    assert done[0].id == kit.episodes.tool_executions()[0].id
    assert done[1].reason == "no task of this session is under way"


# -- events that are unknown


@pytest.mark.parametrize(
    ("event", "found"),
    [
        ({"kind": "session", "name": "s"}, "found 'kind' in its place, expected 'event' (one of"),
        ({"foo": 1, "bar": 2}, "found the keys 'foo', 'bar', expected 'event' (one of end, fail"),
        ({}, "found no key at all, expected 'event'"),
        ({"event": "sing"}, "event: 'sing' is unknown; give one of end, fail"),
    ],
)
def test_unknown_event_names_the_key_and_what_is_expected(
    kit: memkit.Memkit, event: dict[str, Any], found: str
) -> None:
    """The key that was found and what is expected are named, hooks too."""
    reason = str(kit.episodes.record(event).reason)
    assert found in reason
    assert "hook_event_name" in reason or event == {"event": "sing"}


# -- transcripts


def made(*calls: Any) -> list[bool | None]:
    """Whether calls of a transcript are told to have come off; None lets the output tell."""
    return [call.success if call.has_result else False for call in calls]


def test_call_refused_by_the_user_is_no_success(tmp_path: Path) -> None:
    """A call that was never made did not come off, in any agent's words."""
    talk = Claude()
    talk.prompt("go")
    talk.call("a", "Bash", {"command": "ls"})
    _, calls = told(written(tmp_path, "claude.jsonl", talk.text))
    assert made(*calls) == [False]
    rollout = [
        {"timestamp": "2026-02-01T10:00:00Z", "type": "session_meta", "payload": {"id": "x"}}
    ]
    for number, output in enumerate(("exec command rejected by user", "aborted by user after 3 s")):
        name = {"call_id": str(number)}
        rollout.append(item(type="function_call", name="shell", arguments="{}", **name))
        rollout.append(item(type="function_call_output", output=output, **name))
    rollout.append(item(type="function_call", name="shell", arguments="{}", call_id="never"))
    _, calls = told(written(tmp_path, "codex.jsonl", sessions.lines(*rollout)))
    assert made(*calls) == [False, False, False]
    events = [
        {"id": 1, "timestamp": "2026-02-01T10:00:00", "source": "agent", "action": "run",
         "args": {"command": "rm -r x"}},
        {"id": 2, "source": "user", "observation": "user_rejected", "cause": 1,
         "content": "Action has been rejected by the user!"},
    ]  # fmt: skip
    _, calls = told(written(tmp_path, "events.json", events))
    assert made(*calls) == [False]


def test_a_transcript_doubled_the_tasks_of_hooks(kit: memkit.Memkit, tmp_path: Path) -> None:
    """What hooks recorded while it happened is known to the import of the same session: prompts by
    their words and time, calls by their ids; what hooks missed is added to the same task."""
    talk = Claude("h")
    talk.prompt("fix it")
    talk.call("q1", "Bash", {"command": "pytest"})
    talk.result("q1", "ok")
    talk.call("q2", "Read", {"file_path": "a.py"})
    talk.result("q2", "x = 1")
    talk.prompt("fix it", timestamp="2026-02-01T11:00:00.000Z")
    for event in (
        hook("UserPromptSubmit", prompt="fix it", timestamp="2026-02-01T10:00:02.100Z"),
        after("ok", timestamp="2026-02-01T10:00:04Z"),
        hook("Stop", timestamp="2026-02-01T10:00:06Z"),
    ):
        kit.episodes.record(event)
    for _ in range(2):
        kit.import_(written(tmp_path, "h.jsonl", talk.text), format="transcript")
        later, first = kit.episodes.tasks()
        assert (first.tools, first.source, first.status) == (
            {"Bash": 1, "Read": 1}, "agent", TaskStatus.COMPLETED,
        )  # fmt: skip
        assert (later.tools, later.source) == ({}, "claude-code")
        assert [call.call_id for call in kit.episodes.tool_executions()] == ["q2", "q1"]


@pytest.mark.parametrize("files", [7, True, "a.py", {"path": "a.py"}])
def test_files_that_are_no_list_are_refused_by_name(kit: memkit.Memkit, files: Any) -> None:
    """Nor is a path taken for a list of letters."""
    done = kit.episodes.record({"event": "tool", "session": "s", "tool": "x", "files": files})
    kind = type(files).__name__
    assert done.reason == f"files: found {kind}, expected a list of paths; give one"
    assert kit.episodes.hot_files() == []


def test_status_of_each_event_is_one_word() -> None:
    """The words are a closed list."""
    assert {str(status) for status in RecordStatus} == {
        "stored",
        "pending",
        "known",
        "ignored",
        "dropped",
    }
    assert RecordResult(RecordStatus.IGNORED).id is None

"""What single versions and collections write otherwise is read as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.episodes.recording import tolerant_json
from memkit.episodes.recording.event import Event, EventKind
from memkit.episodes.recording.tool_calls import files_of, shown
from memkit.episodes.records import FileOperation, TaskStatus
from memkit.episodes.transcripts import codex
from tests.episodes import sessions
from tests.episodes.sessions import CWD, Claude, lines, written
from tests.episodes.transcripts.test_formats import events, of_kind, skipped, told


def item(**payload: Any) -> dict[str, Any]:
    """A row of a Codex rollout."""
    return {"timestamp": "2026-02-01T10:00:09Z", "type": "response_item", "payload": payload}


# -- Claude Code


def test_claude_rows_that_lack_something_are_skipped(tmp_path: Path) -> None:
    """A message, a name, an id; a call that is told twice counts once."""
    talk = Claude()
    talk.prompt("go")
    talk.call("a", "Glob", {})
    talk.call("a", "Glob", {})
    talk.call("", "Glob", {})
    talk.rows.append({"type": "user", "uuid": "u", "sessionId": "c-1"})
    assert sorted(skipped(written(tmp_path, "c.jsonl", talk.text))) == [
        "call without an id or a name, or told twice",
        "call without an id or a name, or told twice",
        "user row without a message",
    ]


def test_claude_rows_without_ids_follow_the_order(tmp_path: Path) -> None:
    """They belong to the prompt before them; a result may stand before its call."""
    talk = Claude()
    talk.prompt("go")
    talk.result("a", "early")
    talk.call("a", "Glob", {})
    for row in talk.rows:
        del row["uuid"], row["parentUuid"]
    path = written(tmp_path, "c.jsonl", talk.text)
    (prompt,), (event,) = of_kind(EventKind.PROMPT, path), of_kind(EventKind.TOOL_CALL, path)
    assert (event.task, event.call.output) == (prompt.task, "early")


def test_claude_a_twin_that_waits_is_known_too(tmp_path: Path) -> None:
    """Two rows of one uuid whose parent comes later are one."""
    talk = Claude()
    talk.prompt("go")
    talk.call("a", "Glob", {})
    path = written(tmp_path, "c.jsonl", lines(talk.rows[1], talk.rows[1], talk.rows[0]))
    assert skipped(path) == ["row that was there already"]


# -- Codex


def test_codex_without_its_first_line_has_a_name(tmp_path: Path) -> None:
    """Made from when it began."""
    text = sessions.codex().partition("\n")[2]
    (began,) = of_kind(EventKind.SESSION_START, written(tmp_path, "x.jsonl", text))
    assert len(str(began.session)) == 16


def test_codex_tells_other_things_too(tmp_path: Path) -> None:
    """Ancestors of a fork, unknown rows and items, results of nothing, calls told twice, errors."""
    meta = {"timestamp": "2026-02-01T10:00:09Z", "type": "session_meta", "payload": {"id": "y"}}
    error = {"type": "event_msg", "payload": {"type": "error", "message": "no more tokens"}}
    call = {"type": "function_call", "name": "shell", "call_id": "twice", "arguments": "no json"}
    extra = lines(
        meta,
        {"type": "compacted", "payload": {}},
        item(type="web_search_call"),
        item(type="reasoning", summary=[]),
        item(type="function_call_output", call_id="nothing", output="x"),
        item(**call),
        item(**call),
        item(type="message", role="user", content=[{"type": "input_text", "text": ""}]),
        item(
            type="message",
            role="user",
            content=[{"type": "input_text", "text": "# AGENTS.md instructions for /x\nbe good"}],
        ),
        error,
    )
    path = written(tmp_path, "x.jsonl", sessions.codex() + extra)
    assert skipped(path)[1:] == [
        "a second session in one rollout",
        "row type compacted",
        "item type web_search_call",
        "result of a call that is not there",
        "call without an id, or told twice",
        "user row that is no prompt",
        "user row that is no prompt",
    ]
    states = of_kind(EventKind.TASK_STATE, path)
    assert [e.error for e in states if e.status is TaskStatus.FAILED] == ["no more tokens"]
    (last,) = [call for call in told(path)[1] if call.call_id == "twice"]
    assert last.parameters == {"input": "no json"}


def test_codex_results_have_several_shapes(tmp_path: Path) -> None:
    """Plain text, JSON with a verdict, or content beside it."""
    shapes: list[Any] = [
        "plain",
        json.dumps({"content": "told", "success": False}),
        {"output": "o"},
    ]
    rows = []
    for number, shape in enumerate(shapes):
        rows.append(
            item(type="custom_tool_call", name="apply_patch", call_id=f"k{number}", input="x")
        )
        rows.append(item(type="custom_tool_call_output", call_id=f"k{number}", output=shape))
    _, calls = told(written(tmp_path, "x.jsonl", sessions.codex() + lines(*rows)))
    assert [(call.output, call.success) for call in calls[-3:]] == [
        ("plain", None),
        ("told", False),
        ("o", None),
    ]


def test_codex_holds_few_open_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest without a result goes first."""
    monkeypatch.setattr(codex, "_OPEN", 2)
    rows = [item(type="function_call", name="shell", call_id=f"k{n}") for n in range(5)]
    _, calls = told(written(tmp_path, "x.jsonl", sessions.codex() + lines(*rows)))
    assert [call.call_id for call in calls[-5:]] == [f"k{n}" for n in range(5)]


# -- Gemini CLI


def test_gemini_tells_other_things_too(tmp_path: Path) -> None:
    """Commands of the user, notices, calls without a name, results only for display."""
    document = sessions.gemini()
    answer = document["messages"][1]
    answer["toolCalls"][0] |= {"result": None, "resultDisplay": "shown"}
    answer["toolCalls"].append({"id": "nameless"})
    document["messages"] += [
        {"type": "user", "content": "/quit"},
        {"type": "info", "content": "bye"},
        {"type": "other"},
    ]
    path = written(tmp_path, "g.json", document)
    _, calls = told(path)
    assert calls[0].output == "shown"
    assert skipped(path) == [
        "call without a name",
        "user row that is no prompt",
        "message type other",
    ]


def test_gemini_without_a_hash_counts_from_what_is_shared(tmp_path: Path) -> None:
    """The folder that all paths lie in, if there is one."""
    document = sessions.gemini() | {"projectHash": "unknown"}
    began = events(written(tmp_path, "g.json", document))[0]
    assert began.kind is EventKind.SESSION_START
    assert began.cwd == f"{CWD}/src"
    document["messages"] = document["messages"][:1]
    began = events(written(tmp_path, "g.json", document))[0]
    assert began.kind is EventKind.SESSION_START
    assert began.cwd is None


# -- SWE-agent


def test_sweagent_viewer_knows_the_open_file(tmp_path: Path) -> None:
    """Scrolling reads it, searching searches it; a step without an action is skipped."""
    document = sessions.sweagent()
    state = document["trajectory"][0]["state"]
    actions = ["open src/app.py 200", "scroll_down", "search_file total", "search_dir total src"]
    actions += ["create new.py", "insert 'x'", "find_file app.py", ""]
    document["trajectory"] = [
        {"action": action, "observation": "", "state": json.dumps(state)} for action in actions
    ]
    document["trajectory"][4]["state"] = {"open_file": "/shop/new.py", "working_dir": "/shop"}
    path = written(tmp_path, "s.traj", document)
    _, calls = told(path)
    assert [(f.operation, f.path, f.lines) for call in calls for f in call.files] == [
        (FileOperation.READ, "/shop/src/app.py", (150, 249)),
        (FileOperation.READ, "/shop/src/app.py", None),
        (FileOperation.SEARCH, "/shop/src/app.py", None),
        (FileOperation.SEARCH, "/shop/src", None),
        (FileOperation.WRITE, "/shop/new.py", None),
        (FileOperation.EDIT, "/shop/new.py", None),
    ]
    assert skipped(path)[-1] == "step without an action"


def test_sweagent_without_problem_or_end_is_read(tmp_path: Path) -> None:
    """It has no task then, and its calls belong to the session alone."""
    found = events(written(tmp_path, "s.traj", {"trajectory": [{"action": "edit 1:1"}]}))
    assert [event.kind for event in found] == [EventKind.SESSION_START, EventKind.TOOL_CALL]


# -- OpenHands


def test_openhands_chats_tell_other_things_too(tmp_path: Path) -> None:
    """Encouragement by the harness, unknown roles, lists as text, folders from what was printed."""
    document = sessions.openhands_text()
    messages = document["messages"]
    messages[1]["content"] = "The total is wrong"
    messages[3]["content"] += "\n[Current working directory: /home/ann/shop]"
    messages += [
        {"role": "user", "content": "Please continue working on the task on whatever approach"},
        {"role": "critic", "content": "hm"},
        {
            "role": "assistant",
            "content": "<function=str_replace_editor>\n<parameter=command>view</parameter>\n"
            f"<parameter=path>{CWD}/a.py</parameter>\n<parameter=view_range>[3, 9]</parameter>",
        },
    ]
    path = written(tmp_path, "t.json", document)
    assert skipped(path) == ["user row that is no prompt", "message of critic"]
    _, calls = told(path)
    assert calls[-1].files[0].lines == (3, 9)
    assert not calls[-1].has_result


def test_openhands_chats_without_any_folder_have_the_top_of_a_path(tmp_path: Path) -> None:
    """Of the first path that is given, in either shape."""
    for document in (sessions.openhands_text(), sessions.openhands_calls()):
        document["messages"][1]["content"] = "fix it"
        began = events(written(tmp_path, "t.json", document))[0]
        assert began.kind is EventKind.SESSION_START
        assert began.cwd == "/home"


def test_openhands_a_result_that_never_came_is_missing(tmp_path: Path) -> None:
    """The next answer ends the wait for it."""
    document = sessions.openhands_calls()
    document["messages"] = [m for m in document["messages"] if m.get("tool_call_id") != "o-1"]
    document["messages"].append({"role": "assistant", "tool_calls": [{"function": {"name": "x"}}]})
    _, calls = told(written(tmp_path, "o.json", document))
    assert next(call.call_id for call in calls if not call.has_result) == "o-1"


def test_openhands_events_tell_errors(tmp_path: Path) -> None:
    """Of a call, of the program, and of the whole session."""
    found = sessions.openhands_events()
    found[5] |= {"observation": "error", "content": "no such file"}
    found.append({"id": 10, "source": "environment", "observation": "error", "content": "x"})
    state = {"agent_state": "error", "reason": "out of money"}
    found.append({"id": 11, "source": "environment", "observation": "state", "extras": state})
    path = written(tmp_path, "e.json", found)
    _, calls = told(path)
    assert calls[1].success is False
    assert skipped(path) == ["error of the program"]
    failed = Event(EventKind.TASK_STATE, status=TaskStatus.FAILED, error="out of money")
    assert events(path)[-1] == failed


def test_openhands_events_without_folder_or_rows_are_read(tmp_path: Path) -> None:
    """Nothing of it is needed."""
    found = [{"id": 1, "action": "think", "source": "agent"}]
    (began,) = events(written(tmp_path, "e.json", found))
    assert began.kind is EventKind.SESSION_START
    assert began.cwd is None


# -- clipped outputs, times


@pytest.mark.parametrize(
    ("output", "span"),
    [
        ("    1\ta\n    2\tb\n   90\tc\n<NOTE>This file is too large to show", (1, 2)),
        ("a\nb\nc\n[... omitted 12 of 40 lines ...]\nz", (1, 3)),
        ("[... omitted 0 of 40 lines ...]", None),
        ("<response clipped>", (1, 1)),
    ],
)
def test_clipped_file_is_read_only_as_far_as_shown(
    output: str, span: tuple[int, int] | None
) -> None:
    """What was left out must be read another time."""
    files = files_of("Read", {"file_path": "/a.py"})
    (file,) = shown((*files,), output)
    assert file.lines == span


def test_times_that_run_backwards_last_no_time() -> None:
    """A duration is known only forwards."""
    early, late = "2026-02-01T10:00:00.000Z", "2026-02-01T10:00:01.500Z"
    assert tolerant_json.milliseconds(early, late) == 1500
    assert tolerant_json.milliseconds(late, early) is None


def test_calls_before_any_prompt_belong_to_the_session(kit: memkit.Memkit, tmp_path: Path) -> None:
    """And neither an end nor an interruption without a task means anything."""
    talk = Claude()
    talk.says("hello")
    talk.row("user", "[Request interrupted by user]")
    talk.call("a", "Read", {"file_path": "relative.py"}, cwd="")
    talk.result("a", "x")
    done = kit.import_(written(tmp_path, "c.jsonl", talk.text))
    assert done.added == 1
    (call,) = kit.episodes.tool_executions()
    assert call.task is None
    only = {"trajectory": [{"action": "ls"}], "info": {"exit_status": "submitted"}}
    assert kit.import_(written(tmp_path, "s.traj", only)).added == 1
    assert not kit.episodes.tasks()


def test_a_prompt_needs_words(tmp_path: Path) -> None:
    """Images alone begin no task."""
    talk = Claude()
    talk.row("user", [{"type": "image", "source": {}}])
    assert not of_kind(EventKind.PROMPT, written(tmp_path, "c.jsonl", talk.text))

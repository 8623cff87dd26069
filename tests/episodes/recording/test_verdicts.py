"""What the agent says of a call, the words around an output, and calls inside a call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.episodes.error_signatures import signature
from memkit.episodes.recording.envelope import unwrap
from memkit.episodes.recording.nested_calls import nested_calls

PATCH = "*** Begin Patch\n*** Update File: src/pay.py\n@@\n-a = 'x'\n+a = \"y\"\n*** End Patch"


def hook(command: str, response: object, **more: Any) -> dict[str, Any]:
    """Return what a hook tells of a command that was run."""
    return {
        "hook_event_name": "PostToolUse",
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": response,
        **more,
    }


def last(kit: memkit.Memkit) -> Any:
    """Return the newest call."""
    return kit.episodes.tool_executions(limit=1)[0]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ('grep -rn "exit code" docs', "docs/run.md:3: the worker stops with exit code 2"),
        ("git log --oneline -2", "4f2a9c1 fix: exit code 1 when the queue is empty"),
        ("cat errors.md", "Traceback (most recent call last):\n  File\nKeyError: 'a'"),
        ("cat ci.log", "error: linker failed\nProcess exited with code 3"),
    ],
)
def test_a_hook_of_success_outranks_the_output(
    kit: memkit.Memkit, command: str, output: str
) -> None:
    """The name of the event says it; what a file holds says nothing of the call."""
    for response in (output, {"stdout": output, "stderr": "", "interrupted": False}):
        kit.episodes.record(hook(command, response))
        assert last(kit).success
    assert kit.episodes.tool_stats()[0].success_rate == 1
    assert not kit.episodes.session_summary().open_errors


@pytest.mark.parametrize(
    ("more", "success"),
    [
        ({"tool_response": {"stdout": "fine", "is_error": True}}, False),
        ({"tool_response": {"stdout": "fine", "exit_code": 1}}, False),
        ({"tool_response": {"stdout": "KeyError: 1", "exit_code": 0}}, True),
        ({"tool_response": {"stdout": "fine", "returncode": 3}}, False),
        ({"tool_response": {"output": "fine", "exitStatus": "2"}}, False),
        ({"tool_response": {"stdout": "KeyError: 1", "return_code": 0}, "turn_id": "t"}, True),
        ({"tool_response": {"content": "KeyError: 1", "isError": False}, "turn_id": "t"}, True),
        (
            {"tool_response": "Exit code: 1\nWall time: 1 seconds\nOutput:\nx", "turn_id": "t"},
            False,
        ),
        ({"tool_response": "x\nKeyError: 1", "turn_id": "t"}, False),
        ({"hook_event_name": "PostToolUseFailure", "error": "Exit code 1\nall fine"}, False),
    ],
)
def test_what_is_said_outright_counts_in_its_order(
    kit: memkit.Memkit, more: dict[str, Any], success: bool
) -> None:
    """Event, error flag, exit code, header, and the text only where nothing else is known."""
    kit.episodes.record({**hook("make", ""), **more})
    assert last(kit).success is success


@pytest.mark.parametrize("flag", [True, False])
def test_the_flag_of_a_transcript_outranks_its_text(
    kit: memkit.Memkit, tmp_path: Path, flag: bool
) -> None:
    """`is_error` is the agent's own word."""
    use = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "cat notes.md"}}
    text = "Error: exit code 1" if not flag else "all is well"
    result = {"type": "tool_result", "tool_use_id": "c", "content": text, "is_error": flag}
    rows = [
        {"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "look"}},
        {"type": "assistant", "uuid": "a", "parentUuid": "u", "message": {"content": [use]}},
        {"type": "user", "uuid": "r", "parentUuid": "a", "message": {"content": [result]}},
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    kit.import_(path)
    assert last(kit).success is not flag


@pytest.mark.parametrize(
    ("output", "body", "code"),
    [
        ("Exit code: 1\nWall time: 0.2 seconds\nOutput:\nKeyError: 'a'", "KeyError: 'a'", 1),
        ("Exit code 2\nKeyError: 'a'", "KeyError: 'a'", 2),
        (
            "Chunk ID: 3fa1\nWall time: 0.05 seconds\nProcess exited with code 1\n"
            "Original token count: 5\nOutput:\nKeyError: 'a'\n",
            "KeyError: 'a'\n",
            1,
        ),
        (
            "Command: pytest\nDirectory: (root)\nOutput: KeyError: 'a'\nError: (none)\n"
            "Exit Code: 1\nSignal: (none)\nBackground PIDs: (none)",
            "KeyError: 'a'\n",
            1,
        ),
        ("KeyError: 'a'\n[The command completed with exit code 1.]", "KeyError: 'a'\n", 1),
        ("KeyError: 'a'\n<exited with exit code 1>", "KeyError: 'a'\n", 1),
        ("KeyError: 'a'\n\nCommand exited with code 1", "KeyError: 'a'\n\n", 1),
        ("<returncode>1</returncode>\n<output>\nKeyError: 'a'\n</output>", "KeyError: 'a'", 1),
        ('{"output": "KeyError: \'a\'", "metadata": {"exit_code": 1}}', "KeyError: 'a'", 1),
        (
            "Script completed\nWall time 1.2 seconds\nOutput:\n"
            '{"chunk_id": "3f", "exit_code": 1, "output": "KeyError: \'a\'"}',
            "KeyError: 'a'",
            1,
        ),
    ],
)
def test_an_envelope_is_taken_off(output: str, body: str, code: int) -> None:
    """Its words are none of the program's, so the fault is the same whoever ran it."""
    envelope = unwrap(output)
    assert (envelope.body, envelope.exit_code) == (body, code)
    assert signature(output) == "KeyError: 'a'"


@pytest.mark.parametrize(
    "output",
    [
        "docs/a.md: it stops with exit code 2",
        "4f2a9c1 fix: exit code 1 when empty\n9a8b7c6 process exited with code 2 in CI, again",
        "Duration: 3 s\nall good",
        "script failed",
        '{"exit_code": 3}',
        "",
    ],
)
def test_what_a_program_prints_is_no_envelope(output: str) -> None:
    """A sentence that names an exit code, or a measure, is the program's."""
    assert unwrap(output).body == output
    assert unwrap(output).success is None


def test_the_signature_is_of_the_programs_line(kit: memkit.Memkit) -> None:
    """Two agents that ran into one fault told the same."""
    for number, text in enumerate(
        (
            "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nTypeError: no 'size'",
            "Chunk ID: 77ab\nProcess exited with code 1\nOutput:\nTypeError: no 'size'",
        )
    ):
        event = {"event": "tool", "session": "s", "tool": "exec_command", "output": text}
        kit.episodes.record({**event, "parameters": {"cmd": "node a.js"}, "call_id": str(number)})
    (seen,) = kit.episodes.find_errors()
    assert (seen.signature, seen.message, seen.count) == ("TypeError: no 'size'",) * 2 + (2,)


def test_a_looking_command_fails_by_its_own_words_only(kit: memkit.Memkit) -> None:
    """Where only the text is known, what a file holds is not what became of the call."""
    with kit.session("s") as session:
        session.tool("Bash", {"command": "cat log"}, output="FAILED tests/a.py::b\nerror: x")
        assert last(kit).success
        session.tool("Bash", {"command": "cat x"}, output="cat: x: No such file or directory")
        assert not last(kit).success


# -- calls inside a call


def test_calls_are_read_out_of_a_script() -> None:
    """With strings, templates, names and joined texts; words inside a text are no calls."""
    script = r"""
    // tools.exec_command({cmd: "never"})
    const patch = ["*** Begin Patch", "*** Add File: a.py", "+x = \"tools.no()\"",
                   "*** End Patch"].join("\n");
    await tools.apply_patch(patch);
    const r = await tools.exec_command({cmd: `pytest -q`, "workdir": '/w', yield_ms: 10 * 100});
    text("tools.exec_command({cmd: 'quoted'})" + r.output);
    tools.view_image(unknown(1));
    """
    calls = nested_calls("exec", {"input": script})
    assert [tool for tool, _ in calls] == ["apply_patch", "exec_command", "view_image"]
    assert calls[0][1]["input"].splitlines()[1] == "*** Add File: a.py"
    assert calls[1][1] == {"cmd": "pytest -q", "workdir": "/w"}
    assert not nested_calls("execute_ipython_cell", {"code": "tools.run('x')"})
    assert not nested_calls("Bash", {"command": "echo 'tools.run(1)'"})


def rollout(tmp_path: Path, script: str, output: str) -> Path:
    """Write a transcript of one scripted call."""

    def item(**payload: Any) -> dict[str, Any]:
        at = "2026-03-01T10:00:00Z"
        return {"timestamp": at, "type": "response_item", "payload": payload}

    meta = {"id": "r-1", "cwd": str(tmp_path), "timestamp": "2026-03-01T10:00:00Z"}
    rows = [
        {"timestamp": "2026-03-01T10:00:00Z", "type": "session_meta", "payload": meta},
        item(type="message", role="user", content=[{"type": "input_text", "text": "mend it"}]),
        item(type="custom_tool_call", name="exec", call_id="c", input=script),
        item(type="custom_tool_call_output", call_id="c", output=output),
    ]
    path = tmp_path / "rollout.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_a_script_has_the_history_of_its_calls(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Each is a call of its own, and what came back tells of the command."""
    script = f"await tools.apply_patch({json.dumps(PATCH)});\n" + (
        'const r = await tools.exec_command({cmd: "pytest -q src"}); text(r.output)'
    )
    output = (
        "Script completed\nWall time 1.0 seconds\nOutput:\n"
        "Chunk ID: 3fa1\nProcess exited with code 1\nOutput:\nE   KeyError: 'rate'"
    )
    path = rollout(tmp_path, script, output)
    kit.import_(path)
    test, edit = sorted(kit.episodes.tool_executions(), key=lambda call: call.tool, reverse=True)
    assert (edit.tool, edit.success) == ("apply_patch", True)
    assert (test.tool, test.success, test.exit_code) == ("exec_command", False, 1)
    assert test.error_signature == "KeyError: 'rate'"
    assert [event.what for event in kit.episodes.file_history("src/pay.py").events] == ["edit"]
    assert kit.episodes.failed_attempts("src/pay.py")
    kit.import_(path)
    assert len(kit.episodes.tool_executions()) == 2


def test_a_patch_that_was_refused_inside_a_script_failed(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """The call that the words name, not the command behind it."""
    script = (
        f"await tools.apply_patch({json.dumps(PATCH)}); await tools.exec_command({{cmd: 'ls'}})"
    )
    output = "Script failed\nWall time 0.1 seconds\nOutput:\napply_patch verification failed"
    kit.import_(rollout(tmp_path, script, output))
    failed = kit.episodes.tool_executions(success=False)
    assert [call.tool for call in failed] == ["apply_patch"]
    assert [event.success for event in kit.episodes.file_history("src/pay.py").events] == [False]


def test_calls_in_a_list_are_calls(kit: memkit.Memkit) -> None:
    """As other agents nest them, told by a hook."""
    uses = [
        {"recipient_name": "functions.read_file", "parameters": {"path": "a.py"}},
        {"recipient_name": "functions.shell", "parameters": {"command": "sed -i s/a/b/ b.py"}},
    ]
    payload = hook("", "done", tool_name="multi_tool_use.parallel", tool_use_id="m")
    kit.episodes.record({**payload, "tool_input": {"tool_uses": uses}})
    assert {call.tool for call in kit.episodes.tool_executions()} == {"read_file", "shell"}
    assert [kit.episodes.file_history(path).reads for path in ("a.py", "b.py")] == [1, 0]
    assert kit.episodes.file_history("b.py").changes == 1

"""Hook payloads of coding agents as events.

    {"hook_event_name": "PostToolUse", "session_id": "s-1", "tool_name": "Bash", "tool_input": {…}}

Before a call a hook only announces it: whether it is made, and what comes of it, is told by the one
after it, which alone is recorded. A prompt begins a task, as in a transcript; the end of a turn
completes it. Names are those of Claude Code, Codex and VS Code, of Gemini CLI, Cursor and Copilot.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from ..paths import branch_of
from ..records import Operation
from ..transcripts import claude_code, codex
from . import tolerant_json
from .event import Touched
from .tool_calls import command_of, files_of, shown
from .writer import AS_IT_IS, How

Payload = Mapping[str, Any]

_NAMES = ("hook_event_name", "hookEventName")
_NOTIFIED = "agent-turn-complete"
# What an event is about, by its name in small letters without anything between them.
_PROMPTS = frozenset("userpromptsubmit userpromptsubmitted beforeagent beforesubmitprompt".split())
_CALLS = frozenset("posttooluse posttoolusefailure aftertool aftermcpexecution".split())
# Hooks of Cursor for one sort of calls each: the tool, and which of their keys are its parameters.
_OF_ONE_TOOL = {
    "afterfileedit": ("edit_file", ("path", "edits")),
    "aftershellexecution": ("shell", ("command", "cwd")),
}
# The last is what Codex tells the program that it is to notify.
_TURNS = frozenset("stop agentstop afteragent agentturncomplete".split())
_SESSIONS = frozenset({"sessionend"})
_ANNOUNCES = (
    *("pretool", "beforetool", "permission"),
    *("beforeshellexecution", "beforemcpexecution", "beforereadfile"),
)
# Whose prompts are a user's: others come from timers and from the program itself.
_ASKERS = (None, "user", "sdk")
# Of these a call that was made has at least one.
_RESULTS = ("output", "result", "error", "success", "exit_code", "duration_ms")
# Where the text that the model was given stands in a response, and how one says that it failed.
_TEXTS = ("content", "llmContent", "textResultForLlm", "output", "text")
_FAILURES = ("failure", "rejected", "denied")


@attrs.frozen
class Ignored:
    """An event of which nothing is recorded, and why."""

    reason: str


@attrs.frozen
class Report:
    """An event, with the keys that `record` takes, and how it is to be taken."""

    event: Payload
    how: How = AS_IT_IS


def translated(payload: Payload) -> Report | Ignored:
    """Return what a hook reported as an event, or why there is nothing to record; what is no hook's
    report comes back as it is."""
    named = next((name for key in _NAMES if (name := tolerant_json.text(payload.get(key)))), None)
    if named is None and payload.get("type") == _NOTIFIED:
        named = _NOTIFIED
    if named is None:
        is_open = "call_id" in payload and not any(key in payload for key in _RESULTS)
        return Ignored(_ANNOUNCED) if is_open and "event" not in payload else Report(payload)
    what = "".join(filter(str.isalnum, named)).lower()
    common = {
        "session": payload.get("session"),
        "agent": payload.get("agent"),
        "at": payload.get("at"),
    }
    if what.startswith(_ANNOUNCES):
        return Ignored(f"{named}: {_ANNOUNCED}")
    if what in _CALLS or what in _OF_ONE_TOOL:
        call = _call(_of_one_tool(payload, what), failed=what.endswith("failure"))
        return Report(common | call, How(finds_ended=True))
    if what in _PROMPTS:
        return _prompt(payload, named, common)
    if what in _TURNS or what in _SESSIONS:
        return Report(common | {"event": "end"}, How(ends_others=what in _TURNS))
    return Ignored(f"{named}: nothing of it is recorded")


# -- inside

_ANNOUNCED = "the call is only announced; it is recorded once it was made"


def _prompt(payload: Payload, named: str, common: Payload) -> Report | Ignored:
    """Return what the user asked for as a task that begins, or that it is none."""
    words = tolerant_json.text(payload.get("prompt")) or ""
    request = claude_code.request_of(codex.said(words))
    if request is None or payload.get("source") not in _ASKERS:
        return Ignored(f"{named}: a command, or nothing that a user asked for")
    cwd = _folder(payload)
    branch, commit = branch_of(Path(cwd)) if cwd else (None, None)
    begun = {"event": "task", "description": request, "branch": branch, "commit": commit}
    return Report({**common, **begun})


def _of_one_tool(payload: Payload, what: str) -> Payload:
    """Return the report of a call whose hook leaves out what it is always the same for."""
    if what == "aftermcpexecution":
        server_tool = tolerant_json.text(payload.get("tool"))
        tool = f"mcp__{server_tool}" if server_tool else None
        return {**payload, "tool": tool, "output": _unpacked(payload)}
    tool, names = _OF_ONE_TOOL.get(what, ("", ()))
    if not tool or "parameters" in payload:
        return payload
    arguments = {"file_path" if name == "path" else name: payload.get(name) for name in names}
    return {"tool": tool, **payload, "parameters": arguments}


def _unpacked(payload: Payload) -> object:
    """Return a result that comes as the text of its JSON."""
    result = payload.get("result_json")
    parsed = tolerant_json.parsed(result) if isinstance(result, str) else None
    return result if parsed is None else parsed


def _folder(payload: Payload) -> str | None:
    """Return the folder in which an agent works; Cursor names those that it has open."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return tolerant_json.text(payload.get("cwd")) or tolerant_json.text(first)


def _call(payload: Payload, *, failed: bool) -> dict[str, Any]:
    tool = tolerant_json.text(payload.get("tool"))
    arguments = payload.get("parameters")
    parameters = tolerant_json.mapping(
        tolerant_json.parsed(arguments) if isinstance(arguments, str) else arguments
    )
    targets = files_of(tool or "", parameters, _folder(payload))
    response = payload.get("output")
    came = _failed(payload) if failed else _came_back(response, targets)
    if isinstance(response, dict):
        files = tuple(claude_code.with_twin(file, response) for file in targets)
    else:
        files = shown(
            targets, tolerant_json.text(came["output"]), command_of(tool or "", parameters)
        )
    return {
        "event": "tool",
        "tool": tool,
        "parameters": parameters,
        "call_id": payload.get("call_id"),
        "duration_ms": payload.get("duration_ms", payload.get("duration")),
        "files": [_file(file) for file in files],
        **came,
    }


def _failed(payload: Payload) -> dict[str, Any]:
    """Return what came of a call that failed: what it says is what the model was shown."""
    error = tolerant_json.text(payload.get("error")) or "it failed"
    is_broken_off = payload.get("is_interrupt") is True
    return {
        "success": False,
        "output": error,
        "error": "interrupted by the user" if is_broken_off else None,
    }


def _came_back(response: object, files: tuple[Touched, ...]) -> dict[str, Any]:
    """Return what a response says of output, success and error; never what a file holds."""
    if not isinstance(response, Mapping):
        text = tolerant_json.content_text(response)
        return {"output": response if text is None else text}
    error = response.get("error")
    message = tolerant_json.text(tolerant_json.mapping(error).get("message")) or tolerant_json.text(
        error
    )
    fails = (
        response.get("isError") is True
        or response.get("is_error") is True
        or response.get("success") is False
        or response.get("resultType") in _FAILURES
    )
    broken_off = "interrupted by the user" if response.get("interrupted") is True else None
    is_failed = bool(fails or message or broken_off)
    outcome = {
        "success": False if is_failed else None,
        "error": message or broken_off,
        "exit_code": tolerant_json.whole(response.get("exit_code", response.get("exitCode"))),
    }
    if {"stdout", "stderr"} & response.keys():
        return {**outcome, "output": response}
    if not is_failed and any(file.operation is not Operation.SEARCH for file in files):
        return outcome
    texts = (tolerant_json.content_text(response.get(key)) for key in _TEXTS)
    output = next((text for text in texts if text is not None), None)
    names = response.get("filenames")
    if output is None and isinstance(names, list):
        output = "\n".join(map(str, names))
    return {**outcome, "output": output, "result": response if output is None else None}


def _file(file: Touched) -> dict[str, Any]:
    """Return a file as `record` takes it."""
    return {
        "path": file.path,
        "operation": file.operation,
        "line_range": file.lines,
        "previous_path": file.previous_path,
        "changes": file.changes,
        "content_hash": file.content_hash,
    }

"""Hook payloads of coding agents, and memkit's own dictionaries, as events.

    {"hook_event_name": "PostToolUse", "session_id": "s-1", "tool_name": "Bash", "tool_input": {…}}
    {"event": "tool", "session": "s-1", "tool": "Bash", "parameters": {…}, "output": "…"}

Claude Code, Codex, VS Code and Copilot tell of the same moments by nearly the same names; Gemini
CLI, Cursor and OpenCode (by a plugin that runs `memkit hook`) by names of their own. A name is told
apart by its letters alone: PostToolUse, postToolUse and post_tool_use are one. To take another
hook: a line in the mapping of its agent; `FIELDS` has other names of fields.

Before a call a hook only announces it: whether it is made, and what comes of it, is told by the one
after it, which alone is recorded. A prompt begins a task, as in a transcript; the end of a turn
completes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InvalidInput
from ...redaction import quoted
from ..paths import branch_of
from ..records import FileOperation, TaskStatus
from ..transcripts import claude_code
from . import tolerant_json
from .envelope import exit_code_in
from .event import (
    DEFAULT_POLICY,
    EVENT_KEYS,
    Event,
    EventKind,
    FileAccess,
    Snapshot,
    ToolCall,
    WritePolicy,
    skipped,
)
from .normalizer import file_access
from .prompts import is_reply, request_of
from .tolerant_json import content_text_at, text_at
from .tool_calls import files_of, shell_command, shown

# --- What agents call their hooks, and the fields of them: one table.


class Agent(StrEnum):
    """Coding agent whose hooks are known."""

    CLAUDE = "claude"
    CODEX = "codex"
    GEMINI = "gemini"
    CURSOR = "cursor"
    VSCODE = "vscode"
    COPILOT = "copilot"
    OPENCODE = "opencode"


class HookKind(StrEnum):
    """Moment in an agent's work that a hook tells of."""

    SESSION_START = "session start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before a tool"
    PERMISSION = "permission"  # of a call that a hook before it has told of already
    AFTER_TOOL = "after a tool"
    TOOL_FAILED = "tool failed"
    BEFORE_COMPACTION = "before compaction"
    AFTER_COMPACTION = "after compaction"
    TURN_END = "end of a turn"
    SESSION_END = "session end"
    SUBAGENT_START = "subagent start"
    SUBAGENT_END = "subagent end"
    FILE_CHANGED = "file changed"


class HookEvent(NamedTuple):
    """One hook of an agent.

    Attributes:
        kind: the moment. takes_context: whether the model is given a text that the hook returns.
        tool: of a hook for one sort of calls: the tool. parameters: which fields are its arguments.
        is_of_server: it is for calls of MCP servers' tools alone.
        tells_success: of a call that came off; one that failed has a hook of its own.
    """

    kind: HookKind
    takes_context: bool = False
    tool: str = ""
    parameters: tuple[str, ...] = ()
    is_of_server: bool = False
    tells_success: bool = False


def _plain(**kinds: HookKind) -> dict[str, HookEvent]:
    return {name: HookEvent(kind) for name, kind in kinds.items()}


def _heard(**kinds: HookKind) -> dict[str, HookEvent]:
    return {name: HookEvent(kind, takes_context=True) for name, kind in kinds.items()}


_CAME_OFF = HookEvent(HookKind.AFTER_TOOL, takes_context=True, tells_success=True)
_LIKE_CLAUDE: Mapping[str, HookEvent] = {
    "PostToolUse": _CAME_OFF,
    **_heard(
        SessionStart=HookKind.SESSION_START,
        UserPromptSubmit=HookKind.PROMPT,
        PreToolUse=HookKind.BEFORE_TOOL,
        SubagentStart=HookKind.SUBAGENT_START,
    ),
    **_plain(
        PermissionRequest=HookKind.PERMISSION,
        PreCompact=HookKind.BEFORE_COMPACTION,
        PostCompact=HookKind.AFTER_COMPACTION,
        SubagentStop=HookKind.SUBAGENT_END,
        Stop=HookKind.TURN_END,
    ),
}

EVENTS: Mapping[Agent, Mapping[str, HookEvent]] = {
    Agent.CLAUDE: {
        **_LIKE_CLAUDE,
        **_heard(PostToolUseFailure=HookKind.TOOL_FAILED),
        **_plain(
            PermissionDenied=HookKind.PERMISSION,
            SessionEnd=HookKind.SESSION_END,
            FileChanged=HookKind.FILE_CHANGED,
        ),
    },
    # The last is what Codex tells the program that it is to notify.
    Agent.CODEX: {**_LIKE_CLAUDE, "agent-turn-complete": HookEvent(HookKind.TURN_END)},
    Agent.VSCODE: _LIKE_CLAUDE,
    Agent.GEMINI: {
        **_heard(
            SessionStart=HookKind.SESSION_START,
            BeforeAgent=HookKind.PROMPT,
            AfterTool=HookKind.AFTER_TOOL,
        ),
        **_plain(
            BeforeTool=HookKind.BEFORE_TOOL,
            AfterAgent=HookKind.TURN_END,
            PreCompress=HookKind.BEFORE_COMPACTION,
            SessionEnd=HookKind.SESSION_END,
        ),
    },
    Agent.CURSOR: {
        "postToolUse": _CAME_OFF,
        **_heard(
            sessionStart=HookKind.SESSION_START,
            beforeSubmitPrompt=HookKind.PROMPT,
            preToolUse=HookKind.BEFORE_TOOL,
        ),
        **_plain(
            postToolUseFailure=HookKind.TOOL_FAILED,
            preCompact=HookKind.BEFORE_COMPACTION,
            subagentStart=HookKind.SUBAGENT_START,
            subagentStop=HookKind.SUBAGENT_END,
            stop=HookKind.TURN_END,
            sessionEnd=HookKind.SESSION_END,
        ),
        "beforeShellExecution": HookEvent(
            HookKind.BEFORE_TOOL, tool="shell", parameters=("command", "cwd")
        ),
        "beforeMCPExecution": HookEvent(HookKind.BEFORE_TOOL, is_of_server=True),
        "beforeReadFile": HookEvent(HookKind.BEFORE_TOOL, tool="read_file", parameters=("path",)),
        "afterMCPExecution": HookEvent(HookKind.AFTER_TOOL, is_of_server=True),
        "afterFileEdit": HookEvent(
            HookKind.AFTER_TOOL, tool="edit_file", parameters=("path", "edits")
        ),
        "afterShellExecution": HookEvent(
            HookKind.AFTER_TOOL, tool="shell", parameters=("command", "cwd")
        ),
    },
    Agent.COPILOT: {
        "postToolUse": _CAME_OFF,
        **_heard(
            sessionStart=HookKind.SESSION_START,
            userPromptSubmitted=HookKind.PROMPT,
            preToolUse=HookKind.BEFORE_TOOL,
        ),
        **_plain(
            postToolUseFailure=HookKind.TOOL_FAILED,
            agentStop=HookKind.TURN_END,
            sessionEnd=HookKind.SESSION_END,
        ),
    },
    Agent.OPENCODE: {
        "session.created": HookEvent(HookKind.SESSION_START, takes_context=True),
        "chat.message": HookEvent(HookKind.PROMPT, takes_context=True),
        "tool.execute.before": HookEvent(HookKind.BEFORE_TOOL, takes_context=True),
        "tool.execute.after": HookEvent(HookKind.AFTER_TOOL),
        "experimental.session.compacting": HookEvent(HookKind.BEFORE_COMPACTION),
        "session.compacted": HookEvent(HookKind.AFTER_COMPACTION),
        "session.idle": HookEvent(HookKind.TURN_END),
        "session.deleted": HookEvent(HookKind.SESSION_END),
        "file.edited": HookEvent(HookKind.FILE_CHANGED),
    },
}


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()


_BY_LETTERS: Mapping[str, HookEvent] = {
    _letters(name): event for events in EVENTS.values() for name, event in events.items()
}
_NAMES: Mapping[Agent, Mapping[str, str]] = {
    agent: {_letters(name): name for name in events} for agent, events in EVENTS.items()
}


def event_of(name: str, agent: Agent | None = None) -> HookEvent | None:
    """Return the hook of a name, of an agent or of any; None if it is unknown."""
    if agent is None:
        return _BY_LETTERS.get(_letters(name))
    own = _NAMES[agent].get(_letters(name))
    return None if own is None else EVENTS[agent][own]


def own_name(name: str, agent: Agent) -> str:
    """Return how an agent writes the name of one of its hooks; as it is if it has no such hook."""
    return _NAMES[agent].get(_letters(name), name)


# --- Fields: names under which agents give the same things.

FIELDS: Mapping[str, str] = {
    "session_id": "session",
    "sessionId": "session",
    "sessionID": "session",
    "conversation_id": "session",
    "thread-id": "session",
    "task_id": "task",
    "tool_name": "tool",
    "toolName": "tool",
    "tool_input": "parameters",
    "toolArgs": "parameters",
    "args": "parameters",
    "tool_response": "output",
    "tool_output": "output",
    "toolResult": "output",
    "file_path": "path",
    "error_message": "error",
    "timestamp": "at",
    "ts": "at",
    "changes_summary": "changes",
    "reason_for_file": "context",
    "branch_name": "branch",
    "tool_use_id": "call_id",
    "callID": "call_id",
    "agent_id": "subagent",
    "agentId": "subagent",
    "subagent_id": "subagent",
    "agent_type": "subagent_type",
    "agentName": "subagent_type",
    "workingDirectory": "cwd",
    "user_prompt": "prompt",
    "userPrompt": "prompt",
}
_EVENT_FIELDS = ("hook_event_name", "hookEventName")
_NOTIFIED = "agent-turn-complete"


def standard_fields(payload: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a payload with its fields under the names that are used here."""
    return {FIELDS.get(str(key), str(key)): value for key, value in payload.items()}


def name_of(payload: Mapping[str, Any]) -> str | None:
    """Return the name of the hook that a payload is of, None if it is of none."""
    name = next((value for key in _EVENT_FIELDS if (value := text_at(payload, key))), None)
    return _NOTIFIED if name is None and payload.get("type") == _NOTIFIED else name


def agent_of(payload: Mapping[str, Any], name: str) -> Agent:
    """Return whose hook of this name a payload is, as far as its fields tell; those that look the
    same are answered the same."""
    if not payload.keys().isdisjoint(("conversation_id", "workspace_roots", "cursor_version")):
        return Agent.CURSOR
    if "turn_id" in payload or name == _NOTIFIED:
        return Agent.CODEX
    if "sessionID" in payload:
        return Agent.OPENCODE
    if "hookEventName" in payload:
        return Agent.VSCODE
    if "sessionId" in payload:
        return Agent.COPILOT
    letters = _letters(name)
    known = (agent for agent in (Agent.CLAUDE, Agent.GEMINI, *Agent) if letters in _NAMES[agent])
    return next(known, Agent.CLAUDE)


def folder_of(payload: Mapping[str, Any]) -> str | None:
    """Return the folder in which an agent works; Cursor names those that it has open."""
    roots = payload.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    return (
        text_at(payload, "cwd") or text_at(payload, "workingDirectory") or tolerant_json.text(first)
    )


def of_one_tool(payload: Mapping[str, Any], event: HookEvent) -> Mapping[str, Any]:
    """Return the payload of a hook for one sort of calls as that of any call."""
    if not event.tool or "parameters" in payload:
        return payload
    arguments = {
        "file_path" if name == "path" else name: payload.get(name) for name in event.parameters
    }
    return {"tool": event.tool, **payload, "parameters": arguments}


# --- Dictionaries as events.

Payload = Mapping[str, Any]
Translated = tuple[Event, WritePolicy]

_IN_SESSION = WritePolicy(finds_task=True, opens_session=True)


def translate(payload: Payload) -> Translated:
    """Return the event that a dictionary tells of, and how it is written; it is skipped if there is
    nothing to record. Raises InvalidInput."""
    if not isinstance(payload, Mapping):
        kind = type(payload).__name__
        raise InvalidInput(f"event: found {kind}, expected a dictionary; give one")
    payload = standard_fields(payload)
    hook = name_of(payload)
    if hook is not None:
        return _of_hook(payload, hook)
    is_announced = "call_id" in payload and not any(key in payload for key in _RESULTS)
    if is_announced and "event" not in payload:
        return skipped(_ANNOUNCED), _IN_SESSION
    return _of_own_form(payload)


# --- Hooks.

_ANNOUNCED = "the call is only announced; it is recorded once it was made"
# Whose prompts are a user's: others come from timers and from the program itself.
ASKERS = (None, "user", "sdk")
# Of these a call that was made has at least one.
_RESULTS = ("output", "result", "error", "success", "exit_code", "duration_ms")
# Where the text that the model was given stands in a response, and how one says that it failed.
_TEXTS = ("content", "llmContent", "textResultForLlm", "output", "text")
_FAILURES = ("failure", "rejected", "denied")
_BROKEN_OFF = "interrupted by the user"


def _of_hook(payload: Payload, hook: str) -> Translated:
    """Return what a hook of this name tells of."""
    event = event_of(hook)
    if event is not None and event.kind in (HookKind.BEFORE_TOOL, HookKind.PERMISSION):
        return skipped(f"{hook}: {_ANNOUNCED}"), _IN_SESSION
    if event is None or event.kind not in _TRANSLATORS:
        return skipped(f"{hook}: nothing of it is recorded"), _IN_SESSION
    return _TRANSLATORS[event.kind](payload, hook, event)


def _event(payload: Payload, kind: EventKind, **fields: Any) -> Event:
    agent, at = payload.get("agent"), payload.get("at")
    session = parent = _session_of(payload)
    subagent = tolerant_json.text(payload.get("subagent"))
    if subagent is not None:  # what runs in a session of its own, which the user's began
        session, agent = subagent, payload.get("subagent_type", agent)
    parent = None if session == parent else parent
    return Event(kind, session, parent_session=parent, at=at, agent=agent, **fields)


def _prompt(payload: Payload, hook: str, _: HookEvent) -> Translated:
    """Return what the user asked for as a task that begins, or that it is none."""
    words = text_at(payload, "prompt") or ""
    request = request_of(words)
    if request is None or payload.get("source") not in ASKERS:
        reason = f"{hook}: a command, or nothing that a user asked for"
        return skipped(reason), _IN_SESSION
    cwd = folder_of(payload)
    branch, commit = branch_of(Path(cwd)) if cwd else (None, None)
    event = _event(payload, EventKind.PROMPT, text=request, branch=branch, commit=commit)
    return event, _IN_SESSION._replace(ends_others=True, is_reply=is_reply(request))


def _end(payload: Payload, _hook: str, event: HookEvent) -> Translated:
    policy = WritePolicy(ends_others=event.kind is HookKind.TURN_END)
    return _event(payload, EventKind.SESSION_END), policy


def _subagent(payload: Payload, hook: str, event: HookEvent) -> Translated:
    """Return the begin or end of a subagent as that of a session."""
    if tolerant_json.text(payload.get("subagent")) is None:
        return skipped(f"{hook}: names no subagent"), _IN_SESSION
    is_start = event.kind is HookKind.SUBAGENT_START
    kind = EventKind.SESSION_START if is_start else EventKind.SESSION_END
    return _event(payload, kind), DEFAULT_POLICY


def _tool_call(payload: Payload, _hook: str, event: HookEvent) -> Translated:
    """Return a call that was made, with its files.

    Of most agents the hook after a call tells of calls that came off, those that failed have one of
    their own. Codex alone, whose payloads name the turn, tells of both by it; so do Gemini CLI and
    OpenCode, whose hooks are called otherwise.
    """
    payload = call_of(payload, event)
    tool = text_at(payload, "tool") or ""
    parameters = tolerant_json.written_mapping(payload.get("parameters"))
    files = files_of(tool, parameters, folder_of(payload))
    response = payload.get("output")
    result = _failed(payload) if event.kind is HookKind.TOOL_FAILED else _came_back(response, files)
    if event.tells_success and "turn_id" not in payload and not result.get("exit_code"):
        result["success"] = result.get("success") is not False
    if isinstance(response, dict):
        files = tuple(claude_code.with_twin(file, response) for file in files)
    else:
        output = tolerant_json.text(result["output"])
        files = shown(files, output, shell_command(tool, parameters))
    call = ToolCall(
        tool,
        parameters,
        payload.get("call_id"),
        duration_ms=payload.get("duration_ms", payload.get("duration")),
        files=files,
        **result,
    )
    made = _event(payload, EventKind.TOOL_CALL, cwd=folder_of(payload), tool=call)
    return made, _IN_SESSION._replace(finds_ended=True)


_TRANSLATORS: Mapping[HookKind, Callable[[Payload, str, HookEvent], Translated]] = {
    HookKind.PROMPT: _prompt,
    HookKind.AFTER_TOOL: _tool_call,
    HookKind.TOOL_FAILED: _tool_call,
    HookKind.TURN_END: _end,
    HookKind.SESSION_END: _end,
    HookKind.SUBAGENT_START: _subagent,
    HookKind.SUBAGENT_END: _subagent,
}


def call_of(payload: Payload, event: HookEvent) -> Payload:
    """Return the payload of a hook of any sort of calls with the call's tool, parameters and
    output."""
    if not event.is_of_server:
        return of_one_tool(payload, event)
    server_tool = text_at(payload, "tool")
    tool = f"mcp__{server_tool}" if server_tool else None
    result = payload.get("result_json")
    parsed = tolerant_json.parsed(result) if isinstance(result, str) else None
    return {**payload, "tool": tool, "output": result if parsed is None else parsed}


def _failed(payload: Payload) -> dict[str, Any]:
    """Return what came of a call that failed: what it says is what the model was shown."""
    return {
        "success": False,
        "output": text_at(payload, "error") or "it failed",
        "error": _BROKEN_OFF if payload.get("is_interrupt") is True else None,
    }


def _came_back(response: object, files: tuple[FileAccess, ...]) -> dict[str, Any]:
    """Return what a response says of output, success and error, and apart what a file holds."""
    if not isinstance(response, Mapping):
        text = tolerant_json.content_text(response)
        return {"output": response if text is None else text}
    error = response.get("error")
    message = text_at(error, "message") or tolerant_json.text(error)
    fails = (
        response.get("isError") is True
        or response.get("is_error") is True
        or response.get("success") is False
        or response.get("resultType") in _FAILURES
    )
    broken_off = _BROKEN_OFF if response.get("interrupted") is True else None
    is_failed = bool(fails or message or broken_off)
    denials = [response.get("isError"), response.get("is_error")]
    passes = not is_failed and (False in denials or response.get("success") is True)
    outcome = {
        "success": False if is_failed else True if passes else None,
        "error": message or broken_off,
        "exit_code": exit_code_in(response),
    }
    if {"stdout", "stderr"} & response.keys():
        return {**outcome, "output": response}
    texts = (content_text_at(response, key) for key in _TEXTS)
    output = next((text for text in texts if text is not None), None)
    if not is_failed and any(file.operation is not FileOperation.SEARCH for file in files):
        file = response.get("file")
        return {**outcome, "shown": output or text_at(file, "content")}
    names = response.get("filenames")
    if output is None and isinstance(names, list):
        output = "\n".join(map(str, names))
    return {**outcome, "output": output, "result": response if output is None else None}


# --- The form of one's own: `event` says what it is, or the keys that it has.

_KINDS = {
    "session": EventKind.SESSION_START,
    "end": EventKind.SESSION_END,
    "task": EventKind.PROMPT,
    **dict.fromkeys(("finish", "fail", "pause", "resume"), EventKind.TASK_STATE),
    "tool": EventKind.TOOL_CALL,
    "file": EventKind.FILE_ACCESS,
    "snapshot": EventKind.SNAPSHOT,
}
_STATES = {
    "finish": TaskStatus.COMPLETED,
    "fail": TaskStatus.FAILED,
    "pause": TaskStatus.PAUSED,
    "resume": TaskStatus.ACTIVE,
}
# The key that holds the text of an event, and the event that a key tells.
_TEXT_KEYS = {"end": "summary", "task": "description", **dict.fromkeys(_STATES, "outcome")}
_TOLD_BY = (("tool", "tool"), ("path", "file"), ("description", "task"), ("items", "snapshot"))
# What a model said is not recorded (seed 000, Don't Track).
_NOT_RECORDED = frozenset("message response assistant thinking reasoning completion".split())
# Keys that are named in a refusal.
_MAX_NAMED = 8


def _of_own_form(payload: Payload) -> Translated:
    """Return what a dictionary of memkit's own form tells of."""
    named = payload.get("event") or next((kind for key, kind in _TOLD_BY if key in payload), "")
    form = str(named).lower()
    if form in _NOT_RECORDED:
        raise InvalidInput(f"{form}: what a model said is not recorded")
    if form not in _KINDS:
        raise InvalidInput(_unknown(form, payload))
    task, text = payload.get("task"), _TEXT_KEYS.get(form)
    event = Event(
        _KINDS[form],
        session=_session_of(payload),
        task=None if task is None else str(task),
        parent=None if form == "session" else payload.get("parent"),
        parent_session=payload.get("parent") if form == "session" else None,
        at=payload.get("at"),
        agent=payload.get("agent"),
        branch=payload.get("branch"),
        commit=payload.get("commit"),
        text=payload.get(text) if text else None,
        status=_STATES.get(form),
        error=payload.get("error"),
        tool=ToolCall(**{"tool": None, **_fields("tool", payload)}) if form == "tool" else None,
        file=file_access(payload) if form == "file" else None,
        snapshot=Snapshot(**_fields("snapshot", payload)) if form == "snapshot" else None,
    )
    if form in ("session", "end"):
        return event, DEFAULT_POLICY
    # A new task ends the session's task before it, unless it is a part of one.
    ends_others = form == "task" and event.parent is None
    return event, _IN_SESSION._replace(ends_others=ends_others)


def _fields(form: str, payload: Payload) -> dict[str, Any]:
    return {key: payload[key] for key in EVENT_KEYS[form] if key in payload}


def _session_of(payload: Payload) -> str | None:
    return str(payload.get("session") or "") or None


def _unknown(form: str, payload: Payload) -> str:
    """Return why an event is refused: what was found in place of its kind, and what is expected."""
    kinds = ", ".join(sorted(EVENT_KEYS))
    if form:
        return f"event: {quoted(form)} is unknown; give one of {kinds}"
    keys = [key for key in payload if key != "event"]
    misnamed = [key for key in keys if str(payload[key]).lower() in EVENT_KEYS]
    names = ", ".join(quoted(key) for key in [*misnamed, *keys][:_MAX_NAMED])
    description = f"{quoted(misnamed[0])} in its place" if misnamed else f"the keys {names}"
    return (
        f"event: found {description if keys else 'no key at all'}, "
        f"expected 'event' (one of {kinds}) or a hook's 'hook_event_name'; give one of these keys"
    )

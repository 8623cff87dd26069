"""Hook events: the one table of what coding agents call their hooks, and the fields of them.

Claude Code, Codex, VS Code and Copilot tell of the same moments by nearly the same names; Gemini
CLI, Cursor and OpenCode (by a plugin that runs `memkit hook`) by names of their own. A name is told
apart by its letters alone: PostToolUse, postToolUse and post_tool_use are one.

To take another hook: a line in the mapping of its agent; `FIELDS` has other names of fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from .tolerant_json import text, text_at


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
    return text_at(payload, "cwd") or text_at(payload, "workingDirectory") or text(first)


def of_one_tool(payload: Mapping[str, Any], event: HookEvent) -> Mapping[str, Any]:
    """Return the payload of a hook for one sort of calls as that of any call."""
    if not event.tool or "parameters" in payload:
        return payload
    arguments = {
        "file_path" if name == "path" else name: payload.get(name) for name in event.parameters
    }
    return {"tool": event.tool, **payload, "parameters": arguments}

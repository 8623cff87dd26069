"""Payloads of hooks as each agent writes them, and the schema of what it takes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

Payload = dict[str, Any]

_CLAUDE = {
    "start": "SessionStart", "prompt": "UserPromptSubmit", "before": "PreToolUse",
    "after": "PostToolUse", "failed": "PostToolUseFailure", "compact": "PreCompact",
    "compacted": "PostCompact", "sub": "SubagentStart", "subend": "SubagentStop", "stop": "Stop",
    "end": "SessionEnd",
}  # fmt: skip


@attrs.frozen
class Dialect:
    """How one agent writes its hooks.

    Attributes:
        names: what it calls each moment; a moment that is missing it does not tell of.
        fields: its names of session, cwd, tool, input, output, error and call.
        is_named: whether the payload says which hook it is of; else the command line does.
        answer: the keys of an answer that puts a text before the model.
    """

    agent: str
    names: Mapping[str, str]
    fields: Mapping[str, str]
    answer: Callable[[str, str], Payload]
    verdict: Callable[[str, str, str], Payload]
    is_named: bool = True
    extra: Mapping[str, Any] = attrs.field(factory=dict)

    def payload(self, moment: str, cwd: str, **rest: Any) -> Payload:
        """Return the payload of a moment, `rest` under this agent's names."""
        base: Payload = {self.fields.get("session", "session_id"): "s-1", **self.extra}
        if "cwd" in self.fields:
            base[self.fields["cwd"]] = [cwd] if self.fields["cwd"] == "workspace_roots" else cwd
        if self.is_named:
            base[self.fields.get("event", "hook_event_name")] = self.names[moment]
        return base | {self.fields.get(name, name): value for name, value in rest.items()}


def _nested(name: str, text: str) -> Payload:
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}


def _nested_verdict(name: str, decision: str, text: str) -> Payload:
    return {
        "hookSpecificOutput": {
            "hookEventName": name,
            "permissionDecision": decision,
            "permissionDecisionReason": text,
        }
    }


def _flat_verdict(_: str, decision: str, text: str) -> Payload:
    return {"permissionDecision": decision, "permissionDecisionReason": text}


_SNAKE = {
    "session": "session_id", "cwd": "cwd", "tool": "tool_name", "input": "tool_input",
    "output": "tool_response", "call": "tool_use_id",
}  # fmt: skip
_CAMEL = {
    "session": "sessionId", "cwd": "cwd", "tool": "toolName", "input": "toolArgs",
    "output": "toolResult", "call": "toolUseId",
}  # fmt: skip


def _but(*moments: str) -> dict[str, str]:
    return {moment: name for moment, name in _CLAUDE.items() if moment not in moments}


DIALECTS = (
    Dialect("claude", _CLAUDE, _SNAKE, _nested, _nested_verdict),
    Dialect(
        "codex",
        _but("failed", "end"),
        _SNAKE,
        _nested,
        # Codex drops a hook that asks: its reason comes as context.
        lambda name, decision, text: (
            _nested(name, text) if decision == "ask" else _nested_verdict(name, decision, text)
        ),
        extra={"turn_id": "t", "model": "m", "transcript_path": None},
    ),
    Dialect(
        "gemini",
        {
            "start": "SessionStart", "prompt": "BeforeAgent", "before": "BeforeTool",
            "after": "AfterTool", "compact": "PreCompress", "stop": "AfterAgent",
            "end": "SessionEnd",
        },
        _SNAKE,
        _nested,
        lambda _, decision, text: {"decision": decision, "reason": text},
    ),
    Dialect(
        "cursor",
        {
            "start": "sessionStart", "prompt": "beforeSubmitPrompt", "before": "preToolUse",
            "after": "postToolUse", "failed": "postToolUseFailure", "compact": "preCompact",
            "stop": "stop", "end": "sessionEnd",
        },
        {**_SNAKE, "session": "conversation_id", "cwd": "workspace_roots", "output": "tool_output",
         "error": "error_message"},
        lambda name, text: {
            **({"continue": True} if name == "beforeSubmitPrompt" else {}),
            "additional_context": text,
        },
        lambda _, decision, text: {
            "permission": decision, "agent_message": text, "user_message": text,
        },
    ),
    Dialect(
        "vscode",
        _but("failed", "compacted", "end"),
        {**_SNAKE, "session": "sessionId", "event": "hookEventName"},
        _nested,
        _nested_verdict,
    ),
    Dialect(
        "copilot",
        {
            "start": "sessionStart", "prompt": "userPromptSubmitted", "before": "preToolUse",
            "after": "postToolUse", "failed": "postToolUseFailure", "stop": "agentStop",
            "end": "sessionEnd",
        },
        {**_CAMEL, "cwd": "workingDirectory"},
        lambda _, text: {"additionalContext": text},
        _flat_verdict,
        is_named=False,
    ),
    Dialect(
        "opencode",
        {
            "start": "session.created", "prompt": "chat.message", "before": "tool.execute.before",
            "after": "tool.execute.after", "compact": "experimental.session.compacting",
            "compacted": "session.compacted", "stop": "session.idle", "end": "session.deleted",
        },
        {"session": "sessionID", "cwd": "cwd", "input": "args", "call": "callID"},
        lambda _, text: {"additionalContext": text},
        _flat_verdict,
    ),
)  # fmt: skip

"""Hook answers: a text or a verdict in the form in which each agent reads it from its hook.

An agent that checks what a hook prints takes no key that it does not know, so there is none beside
those of its form. What an agent has no form for is left out: it would be shown to nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ..episodes.recording.hook_events import Agent, HookEvent, HookKind, own_name
from ..redaction.redactor import CLOSE

Answer = Mapping[str, object]

MAX_CHARS = 8_000
"""Characters that a hook prints at most: of more some agents show the model a file's name."""

ASK, DENY = "ask", "deny"
"""Verdicts on what an agent is about to do that are more than a warning."""

_FLAT = frozenset({Agent.COPILOT, Agent.OPENCODE})


def context_answer(agent: Agent, name: str, event: HookEvent, text: str) -> Answer | None:
    """Return what puts a text before the model, None if the hook puts nothing there."""
    if not event.takes_context or not text:
        return None
    if agent is Agent.CURSOR:
        # Of a prompt its documentation lists `continue` and `user_message` alone; what reads the
        # answer (3.20, September 2026) takes the text all the same and shows it to the model.
        goes_on = {"continue": True} if event.kind is HookKind.PROMPT else {}
        return {**goes_on, "additional_context": text}
    if agent in _FLAT:
        return {"additionalContext": text}
    return _nested(agent, name, additionalContext=text)


def verdict_answer(
    agent: Agent, name: str, event: HookEvent, decision: str, text: str
) -> Answer | None:
    """Return what warns of a call, asks its user, or denies it; None if there is no form for it.

    A call is never allowed here: that would take the place of the user's own permission.
    """
    if decision not in (ASK, DENY) or (agent is Agent.CODEX and decision == ASK):
        # Codex drops a hook that asks, with its reason: the model at least reads it.
        if agent is Agent.GEMINI and text:
            return {"systemMessage": text}
        return context_answer(agent, name, event, text)
    if agent is Agent.GEMINI:
        return {"decision": decision, "reason": text}
    if agent is Agent.CURSOR:
        return {"permission": decision, "agent_message": text, "user_message": text}
    verdict = {"permissionDecision": decision, "permissionDecisionReason": text}
    return verdict if agent in _FLAT else _nested(agent, name, **verdict)


def _nested(agent: Agent, name: str, **fields: object) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": own_name(name, agent), **fields}}


def printed(make: Callable[[str], Answer | None], text: str) -> str:
    """Return an answer with a text as one line of JSON within MAX_CHARS; what stands last in the
    text goes first. "" if there is no answer."""
    while text:
        answer = make(text)
        if answer is None:
            return ""
        line = json.dumps(answer, ensure_ascii=False)
        if len(line) < MAX_CHARS:
            return line
        text = _shorter(text)
    return ""


def _shorter(text: str) -> str:
    """Return a text without its last item, "" if it has but one."""
    start = text.rfind("\n- ")
    if start < 0 or text.find("\n- ") == start:
        return ""
    return f"{text[: start + 1]}{CLOSE}" if text.endswith(CLOSE) else text[:start]

"""Guard command: what is known against a call of a tool that is about to be made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..text.analyzer import decode
from .commands import CommandOutput, Opening, Usage, argument, command, open_invocation, option
from .hook_input import folder_of, read_input
from .output import document, marked, marked_lines, one_line, stdin_bytes

if TYPE_CHECKING:
    from .commands import Invocation

_NOTHING = "nothing is known against this"


@command(
    argument("tool", is_required=False),
    argument("input", is_required=False),
    option("session", "The session that acts; it is not warned twice."),
    opening=Opening.NOT,
)
def guard(
    invocation: Invocation, *, tool: str | None, input: str | None, session: str | None
) -> CommandOutput:
    """Print what is known against a call: what must not be done, and what failed before.

    TOOL is its name (Bash, Edit), INPUT the command, the path, or the tool's input as JSON. Without
    them, a hook's JSON with tool_name and tool_input is read from standard input. The first line is
    the decision (allow, warn, ask, deny); the exit code is 0 for each of them.
    """
    call: dict[str, Any] = {"tool_name": tool, "tool_input": input, "session_id": session}
    if tool is None:
        call = {**_payload(), **({"session_id": session} if session else {})}
    elif input is None:
        raise Usage("guard: the input is missing; give the command, the path or JSON")
    elif input.lstrip().startswith("{"):
        call["tool_input"] = _object(input, "INPUT")
    with open_invocation(invocation.settings, Opening.CHANGE, folder=folder_of(call)) as ready:
        result = ready.kit.guard(
            call.get("tool_name") or "",
            call.get("tool_input") or {},
            session=call.get("session_id"),
        )
    warnings = [f"{one_line(w.text)} ({w.decision}; {one_line(w.reason)})" for w in result.warnings]
    lines = [str(result.decision), *marked_lines(warnings)] if warnings else []
    notes = result.notes if warnings else (_NOTHING, *result.notes)
    return CommandOutput(marked(document(result)), lines, notes)


def _payload() -> dict[str, Any]:
    return _object(decode(read_input(stdin_bytes())), "standard input")


def _object(text: str, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidInput(f"{name}: is no JSON object; give one with tool_name and tool_input")
    return value

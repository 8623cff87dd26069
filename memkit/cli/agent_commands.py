"""Commands that agents run: record, hook, guard, mcp."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from ..episodes.recording import tolerant_json
from ..errors import InvalidInput, NotAMemkitFile, StoreBusy
from ..text.analyzer import decode
from .agent_hook import HookOptions, run_hook
from .commands import (
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    count,
    is_named,
    open_invocation,
    option,
    path_of,
)
from .hook import WAIT, folder_of, read_input, record_events, record_output, seconds
from .output import document, marked, marked_lines, one_line, print_error_line, stdin_bytes

# --- Record and hook, of which the entry of hooks leaves to click what it does not do itself.


@command(
    option("wait", "Seconds to wait at most for another process.", type=seconds, default=WAIT),
    opening=Opening.NOT,
)
def record(invocation: Invocation, *, wait: float) -> CommandOutput:
    """Record what an agent does: one event on standard input, or one a line, as JSON.

    Made for hooks of coding agents, whose events are taken as they are: calls that were made with
    the files they touched, what the user asks for (a task), the end of a turn or session. Other
    events are ignored, and `--json` says so; a call that is only announced is one of them.
    Silent unless an event cannot be recorded; then one line, and exit code 1. What another process
    kept from being written within --wait is passed over; `--json` says so. An event goes into the
    store of the folder that its agent works in; where there is none, nothing is recorded. An open
    pipe that falls silent is not waited for longer than --wait.

    Events of one's own say what they are by "event" and have, beside session, task and at:

    \b
    session   agent, branch, commit, parent
    end       summary
    task      description, parent
    finish, fail, pause, resume   outcome, error
    tool      tool, parameters, output, result, success, error, exit_code,
              duration_ms, context_tokens, call_id, files,
              description
    file      path, operation, line_range, success, context, changes,
              previous_path, content_hash
    snapshot  items, total_tokens, pruned, reason
    """
    has_place = invocation.settings.use_global or invocation.settings.db is not None
    return record_output(*record_events(invocation.path if has_place else None, wait=wait))


@command(
    option("agent", "Whose hook it is: claude, codex, gemini, cursor, vscode, copilot, opencode."),
    option("event", "Which hook it is, where its JSON does not say."),
    option(
        "budget", "At most so many tokens of context; else 1,500 at a start, 1,000.", type=count
    ),
    option("limit", "Milliseconds after which the agent goes on; else 2,000.", type=count),
    option("wait", "Seconds for input and for another process.", type=seconds, default=WAIT),
    opening=Opening.NOT,
)
def hook(
    invocation: Invocation,
    *,
    agent: str | None,
    event: str | None,
    budget: int | None,
    limit: int | None,
    wait: float,
) -> CommandOutput:
    """Do what a hook of a coding agent is for: one entry for every event of every agent.

    It reads the hook's JSON from standard input and answers in the agent's own form: when a session
    starts, with the page of what holds; to a prompt, with what bears on it, or nothing; before a
    call of a tool, with what is known against it. What was asked and done is recorded, before a
    compaction the session's context is saved, at the end of a session it is learnt from.

    The exit code is always 0, and nothing is printed where there is no store or nothing to say.
    MEMKIT_DISABLED switches it off, MEMKIT_HOOK_BUDGET is a budget for all events, MEMKIT_DEBUG
    shows on standard error what went wrong.
    """
    db = invocation.settings.db
    if invocation.settings.use_global:
        db = str(invocation.path)
    run_hook(HookOptions(agent, event, db and str(db), wait, limit, budget))
    return CommandOutput(None, is_raw=True)


# --- Guard: what is known against a call of a tool that is about to be made.

_NOTHING = "nothing is known against this"


@command(
    argument("tool", is_required=False),
    argument("input", is_required=False),
    option("session", "The session that acts; it is not warned twice."),
    option("wait", "Seconds to wait at most for another process.", type=seconds, default=WAIT),
    opening=Opening.NOT,
)
def guard(
    invocation: Invocation,
    *,
    tool: str | None,
    input: str | None,
    session: str | None,
    wait: float,
) -> CommandOutput:
    """Print what is known against a call: what must not be done, and what failed before.

    TOOL is its name (Bash, Edit), INPUT the command, the path, or the tool's input as JSON. Without
    them, a hook's JSON with tool_name and tool_input is read from standard input. The first line is
    the decision (allow, warn, ask, deny); the exit code is 0 for each of them. A file that another
    process holds is not waited for long, and a hook without a store is told nothing.
    """
    call: dict[str, Any] = {"tool_name": tool, "tool_input": input, "session_id": session}
    if tool is None:
        call = _object(decode(read_input(stdin_bytes())), "standard input")
        call |= {"session_id": session} if session else {}
    elif input is None:
        raise Usage("guard: the input is missing; give the command, the path or JSON")
    elif input.lstrip().startswith("{"):
        call["tool_input"] = _object(input, "INPUT")
    settings = invocation.settings
    try:
        with open_invocation(settings, Opening.CHANGE, folder=folder_of(call), wait=wait) as ready:
            result = ready.kit.guard(
                call.get("tool_name") or "",
                call.get("tool_input") or {},
                session=call.get("session_id"),
            )
    except (StoreBusy, NotAMemkitFile) as error:
        if settings.json or not (tool is None or isinstance(error, StoreBusy)):
            raise
        return CommandOutput(None, notes=() if tool is None else (str(error),))
    warnings = [f"{one_line(w.text)} ({w.decision}; {one_line(w.reason)})" for w in result.warnings]
    lines = [str(result.decision), *marked_lines(warnings)] if warnings else []
    notes = result.notes if warnings else (_NOTHING, *result.notes)
    return CommandOutput(marked(document(result)), lines, notes)


def _object(text: str, name: str) -> dict[str, Any]:
    value = tolerant_json.parsed(text)
    if not isinstance(value, dict):
        raise InvalidInput(f"{name}: is no JSON object; give one with tool_name and tool_input")
    return value


# --- MCP: the store served to an agent over standard input and output.

# Where an agent says which project it works on: its servers are started anywhere.
_FOLDER = "CLAUDE_PROJECT_DIR"


@command(opening=Opening.NOT)
def mcp(invocation: Invocation) -> CommandOutput:
    """Serve the store to an agent by the Model Context Protocol, until it closes standard input.

    The file is --db, $MEMKIT_DB, or the nearest .memkit.db from $CLAUDE_PROJECT_DIR or this folder
    upwards. Needs the extra: pip install 'memkit[mcp]'.
    """
    from ..mcp import server

    settings, folder = invocation.settings, os.environ.get(_FOLDER)
    path = path_of(settings, Path(folder) if folder else None)
    if sys.stdin is not None and sys.stdin.isatty():
        print_error_line("memkit: waits for an agent's requests on standard input; Ctrl-C ends it")
    server.serve(path, is_named=is_named(settings))
    return CommandOutput(None, is_raw=True)

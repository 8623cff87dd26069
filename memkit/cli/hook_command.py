"""Hook command by click: its help, and what the entry of hooks leaves to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agent_hook import HookOptions, run_hook
from .commands import CommandOutput, Opening, command, count, option
from .hook import WAIT, seconds

if TYPE_CHECKING:
    from .commands import Invocation


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

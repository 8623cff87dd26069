"""Record command by click: its help, and what the hook entry leaves to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .commands import CommandOutput, Opening, command, option
from .hook import WAIT, record_events, record_output, seconds

if TYPE_CHECKING:
    from .commands import Invocation


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
    is_named = invocation.settings.use_global or invocation.settings.db is not None
    return record_output(*record_events(invocation.path if is_named else None, wait=wait))

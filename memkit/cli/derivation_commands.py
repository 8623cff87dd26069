"""Derivation commands: idioms, episode; memories made of the code and of work that was done."""

from __future__ import annotations

from . import output
from .commands import (
    CommandOutput,
    Invocation,
    Opening,
    argument,
    command,
    count,
    option,
    switch,
)
from .output import one_line, table_output


@command(
    option("limit", "At most so many.", type=count, default=10),
    option("seconds", "Read code for so long at most.", type=count, default=20),
    switch("dry-run", "Only list them; remember nothing."),
    opening=Opening.CHANGE,
)
def idioms(invocation: Invocation, *, limit: int, seconds: int, dry_run: bool) -> CommandOutput:
    """List the shapes that functions of the code repeat, the most telling first, and remember each.

    One that the code shows no more is forgotten. What tends to go together is 'memkit patterns'.
    """
    patterns = invocation.kit.consolidation.find_patterns(
        limit=limit, seconds=seconds, dry_run=dry_run
    )
    rows = [
        (pattern.name, pattern.files, one_line(" → ".join(pattern.telling))) for pattern in patterns
    ]
    empty = "no shape is repeated in three files"
    return table_output(invocation, patterns, rows, ("name", "files", "steps"), empty, limit=limit)


@command(
    argument("name"),
    switch("session", "NAME is a session: its ended tasks as one memory."),
    opening=Opening.CHANGE,
)
def episode(invocation: Invocation, *, name: str, session: bool) -> CommandOutput:
    """Remember what the ended task NAME came to, with its files, commits and pull requests.

    Said again, the memory is brought up to date. 'memkit tasks' lists the names.
    """
    consolidation = invocation.kit.consolidation
    done = consolidation.remember_session(name) if session else consolidation.remember_task(name)
    line = output.memory_line(done.memory, invocation)
    lines = [f"{done.outcome} {done.id}", *output.between_marks(invocation, [line])]
    return CommandOutput(output.document(done), lines, done.notes)

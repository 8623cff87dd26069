"""Commands of living memory: feedback, outcomes."""

from __future__ import annotations

from ..memories.records import Memory
from .commands import (
    IDS,
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    command,
    option,
    switch,
)
from .output import changed_output


@command(
    IDS,
    switch("not-helpful", "They were acted on, and misled."),
    option("cited", "What they influenced: an edit, a command, an answer."),
    switch("ignored", "They were served, and nothing was done with them."),
    switch("rejected", "They came back, and were of no use."),
    switch("undo", "IDS are numbers of entries in the audit, which are taken back."),
    opening=Opening.CHANGE,
)
def used(
    invocation: Invocation,
    *,
    ids: tuple[int, ...],
    not_helpful: bool,
    cited: str | None,
    ignored: bool,
    rejected: bool,
    undo: bool,
) -> CommandOutput:
    """Note that memories were used and helped: they are believed more, and for longer.

    What is plainly wrong is forgotten instead, or superseded by what is right. 'memkit show ID'
    lists what was told of a memory, with the numbers that --undo takes.
    """
    if not_helpful + (cited is not None) + ignored + rejected + undo > 1:
        raise Usage(
            "used: says two things at once; give one of --not-helpful, --cited, --ignored, "
            "--rejected, --undo"
        )
    living = invocation.kit.consolidation
    memories: list[Memory]
    if cited is not None:
        memories, verb = living.cited(ids, cited), "cited"
    elif ignored:
        memories, verb = living.ignored(ids), "ignored"
    elif rejected:
        memories, verb = living.rejected(ids), "rejected"
    elif undo:
        memories, verb = [living.undo_feedback(event) for event in ids], "undone"
    else:
        memories, verb = living.used(ids, helpful=not not_helpful), "used"
    return changed_output(memories, verb, invocation)

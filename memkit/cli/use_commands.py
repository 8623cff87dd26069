"""Commands of living memory: feedback, outcomes."""

from __future__ import annotations

from ..memories.outcomes import StepOutcome
from ..memories.records import Memory
from .commands import (
    ID,
    IDS,
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    command,
    count,
    option,
    switch,
)
from .output import changed_output, marked_output, memory_line, so_far


@command(
    IDS,
    switch("not-helpful", "They were acted on, and misled."),
    option("cited", "What they influenced: an edit, a command, an answer."),
    switch("ignored", "They were served, and nothing was done with them."),
    switch("rejected", "They came back, and were of no use."),
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
) -> CommandOutput:
    """Note that memories were used and helped: they are believed more, and for longer.

    What is plainly wrong is forgotten instead, or superseded by what is right. 'memkit show ID'
    lists what was told of a memory, with the numbers that 'memkit undo' takes.
    """
    if not_helpful + (cited is not None) + ignored + rejected > 1:
        raise Usage(
            "used: says two things at once; give one of --not-helpful, --cited, --ignored, "
            "--rejected"
        )
    living = invocation.kit.consolidation
    memories: list[Memory]
    if cited is not None:
        memories, verb = living.cited(ids, cited), "cited"
    elif ignored:
        memories, verb = living.ignored(ids), "ignored"
    elif rejected:
        memories, verb = living.rejected(ids), "rejected"
    else:
        memories, verb = living.used(ids, helpful=not not_helpful), "used"
    return changed_output(memories, verb, invocation)


@command(
    ID,
    option("step", "Of this step, from 1; else of the whole.", type=count),
    switch("failed", "It failed."),
    switch("skipped", "It was left out."),
    option("note", "Why."),
    option("session", "The session that followed it."),
    opening=Opening.CHANGE,
)
def outcome(
    invocation: Invocation,
    *,
    id: int,
    step: int | None,
    failed: bool,
    skipped: bool,
    note: str | None,
    session: str | None,
) -> CommandOutput:
    """Note that procedure ID, or a step of it, was followed and succeeded, failed or was skipped.

    Rates are shown beside it; a step that fails repeatedly is said as a warning.
    """
    if failed and skipped:
        raise Usage("outcome: says two things at once; give --failed or --skipped")
    what = StepOutcome.SUCCEEDED
    if failed or skipped:
        what = StepOutcome.FAILED if failed else StepOutcome.SKIPPED
    living = invocation.kit.consolidation
    memory = living.note_outcome(id, what, step=step, note=note, session=session)
    lines = (f"{what}: {memory_line(memory, invocation)}", f"  so far: {so_far(memory)}")
    return marked_output(invocation, [memory], lines)

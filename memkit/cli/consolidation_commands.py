"""Consolidation commands: consolidate, prune, undo, audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from ..consolidation.forgetting import MAX_ITEMS
from ..consolidation.plan import PlannedChange
from ..consolidation.runs import ConsolidationChange, ConsolidationReport
from ..consolidation.steps import STEPS
from . import output
from .commands import (
    CommandOutput,
    Invocation,
    Opening,
    argument,
    command,
    count,
    limit,
    memory_number,
    option,
    run_number,
    switch,
)

_DRY_RUN = switch("dry-run", "Only say what would be done, and why.")


@command(
    _DRY_RUN,
    option(
        "step",
        "Do this step alone; repeat for several.",
        choices=tuple(step.name for step in STEPS),
        many=True,
    ),
    opening=Opening.CHANGE,
)
def consolidate(invocation: Invocation, *, dry_run: bool, step: tuple[str, ...]) -> CommandOutput:
    """Merge, compare, put shorter, tag, link and forget memories; 'memkit undo' takes it back.

    It is planned first and applied as a whole. What is pinned, a rule, a correction or something
    that must not be done stays as it is.
    """
    return _shown(invocation.kit.consolidate(dry_run=dry_run, steps=step or None))


@command(
    option(
        "max-items",
        "How many memories of the project may stay; sections of documents do not count.",
        type=limit,
        default=MAX_ITEMS,
    ),
    _DRY_RUN,
    opening=Opening.CHANGE,
)
def prune(invocation: Invocation, *, max_items: int, dry_run: bool) -> CommandOutput:
    """Forget the least important memories, of equals the oldest, where there are too many.

    Where there are more than may stay, at least a tenth of them goes, so that the next one does not
    prune again. What is pinned, a rule or a correction stays; 'memkit undo' takes it back.
    """
    return _shown(invocation.kit.consolidation.prune(max_items=max_items, dry_run=dry_run))


def entry_number(text: str) -> int | Literal["last"]:
    """Return the number of a run or of feedback, or "last"."""
    try:
        return "last" if text == "last" else memory_number(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is no entry; give last, or a number as 'memkit audit' or 'memkit show' "
            "lists it"
        ) from None


@command(argument("entry", type=entry_number), opening=Opening.CHANGE)
def undo(invocation: Invocation, *, entry: int | Literal["last"]) -> CommandOutput:
    """Take back ENTRY: a run of consolidation, feedback, or 'last', the newest that stands.

    'memkit audit' lists runs, 'memkit show ID' what was told of a memory, each with its number.
    What was changed since a run stays as it is.
    """
    done = invocation.kit.consolidation.undo(entry)
    if done.memory is not None:
        line = f"feedback undone: {output.memory_line(done.memory, invocation)}"
        return output.marked_output(invocation, done, [line])
    left = f", {len(done.left_alone)} left alone" if done.left_alone else ""
    lines = [f"run {done.run} undone: {output.number(done.rows, 'row')} brought back{left}"]
    lines += [f"left alone\t{table}\t{', '.join(map(str, key))}" for table, key in done.left_alone]
    return CommandOutput(output.document(done), lines, done.notes)


@command(
    option("memory", "What was done to this one alone.", type=memory_number),
    option("run", "What this run did alone.", type=run_number),
    option("limit", "How many changes to list.", type=count, default=50),
)
def audit(
    invocation: Invocation, *, memory: int | None, run: int | None, limit: int
) -> CommandOutput:
    """List what runs of consolidation did, the newest first, to which memories and why."""
    changes = invocation.kit.consolidation.audit(memory=memory, run=run, limit=limit + 1)
    shown, notes = output.cut(changes, limit)
    names = ("run", "state", "action", "memory", "other", "score", "reason")
    lines = output.table([*_audit_rows(shown)], invocation, names=names) if shown else ()
    empty = () if shown else (_nothing_done(memory, run),)
    return CommandOutput(output.document(list(shown)), lines, (*notes, *empty))


def _nothing_done(memory: int | None, run: int | None) -> str:
    """Return the note that no change is listed, of what was asked for."""
    if run is None and memory is None:
        return "nothing was consolidated yet; 'memkit consolidate --dry-run' says what would be"
    about = f"run {run}" if memory is None else f"memory {memory}"
    return f"no change of {about} is noted; 'memkit audit' lists those there are"


def _shown(report: ConsolidationReport) -> CommandOutput:
    counts = ", ".join(f"{number} {name}" for name, number in report.counts.items() if number)
    if not counts:
        return CommandOutput(output.document(report), (), ("nothing to do", *report.notes))
    verb = "would be" if report.run is None else f"run {report.run}:"
    lines = [f"{verb} {counts}", *map(_change_line, report.changes)]
    return CommandOutput(output.document(report), lines, report.notes)


def _change_line(change: PlannedChange) -> str:
    return f"{change.action}\t{change.memory_id}\t{output.one_line(change.reason)}"


def _audit_rows(changes: Sequence[ConsolidationChange]) -> Iterator[tuple[object, ...]]:
    for change in changes:
        score = "" if change.score is None else f"{change.score:.2f}"
        ends = (change.memory_id, "" if change.other_id is None else change.other_id)
        yield (change.run, change.state, change.action, *ends, score, change.reason)

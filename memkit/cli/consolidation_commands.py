"""Consolidation commands: what strengthens, groups, merges and forgets memories, and undo."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import attrs

from ..consolidation.clusters import Cluster, SimilarMemory
from ..consolidation.forgetting import MAX_ITEMS
from ..consolidation.plan import PlannedChange
from ..consolidation.runs import STEPS, ConsolidationChange, ConsolidationReport
from ..memories.outcomes import StepOutcome
from ..memories.records import Memory
from . import output
from .commands import (
    ID,
    IDS,
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    count,
    limit,
    memory_number,
    option,
    run_number,
    switch,
)
from .output import changed_output, marked_output, memory_line, one_line, so_far, table_output

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


@command(
    switch("refresh", "Find them anew first."),
    option("limit", "How many members of each to show.", type=count, default=5),
    opening=Opening.CHANGE,
)
def clusters(invocation: Invocation, *, refresh: bool, limit: int) -> CommandOutput:
    """List the groups of memories that are close in meaning, named by the words that tell them from
    the others."""
    kit = invocation.kit
    report = kit.consolidation.refresh_clusters() if refresh else None
    groups = kit.consolidation.clusters()
    notes: tuple[str, ...] = ()
    if not groups:
        why = report.note if report is not None and report.note else "too few memories are alike"
        notes = (f"no clusters: {why}",)
    lines = _cluster_lines(groups, invocation, limit=limit)
    document = [{**attrs.asdict(group), "size": group.size} for group in groups]
    return marked_output(invocation, document, lines, notes)


@command(
    ID,
    option("limit", "How many to show.", type=count, default=10),
    opening=Opening.CHANGE,
)
def similar(invocation: Invocation, *, id: int, limit: int) -> CommandOutput:
    """List the memories that are most like memory ID: nearest in meaning, or by shared words where
    there are no vectors."""
    alike = invocation.kit.consolidation.similar(id, limit)
    lines = (_similar_line(memory, invocation) for memory in alike)
    notes: tuple[str, ...] = () if alike else ("nothing is like it",)
    if any(memory.by_words for memory in alike):
        notes = ("by shared words and tags: it has no vector",)
    document = [
        {"score": item.score, "by_words": item.by_words, "cluster": item.cluster,
         "memory": item.memory}
        for item in alike
    ]  # fmt: skip
    return marked_output(invocation, document, lines, notes)


def _cluster_lines(
    groups: Sequence[Cluster], invocation: Invocation, *, limit: int
) -> Iterator[str]:
    for group in groups:
        label = invocation.style(one_line(group.label), bold=True)
        yield f"{label}  ({group.size})"
        for memory in invocation.kit.memories.get_many(group.members[:limit]):
            yield f"  {output.memory_line(memory, invocation)}"


def _similar_line(item: SimilarMemory, invocation: Invocation) -> str:
    cluster = f"  [{one_line(item.cluster)}]" if item.cluster else ""
    return f"{item.score:.2f}  {output.memory_line(item.memory, invocation)}{cluster}"


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

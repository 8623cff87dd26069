"""Runs of consolidation: planned, applied in one transaction, logged, and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from ..errors import InvalidInput
from ..memories import writer
from ..memories.pair_detection import decide
from ..memories.reader import known_ids
from ..memories.records import Decider, PairVerdict
from . import contradiction_scan, forgetting, levels, link_discovery, merging, tag_inference
from .link_discovery import LinkAction
from .plan import (
    COUNTED_AS,
    ChangeAction,
    PlannedChange,
    PlannedRecord,
    RunEnvironment,
    Step,
    counts_of,
    plan_steps,
)

if TYPE_CHECKING:
    from ..memories.pair_detection import DetectedPair
    from ..memories.records import Memory
    from ..store.changesets import UndoResult
    from .link_discovery import LinkChange
    from .tag_inference import TagChange


NOT_UNDOABLE = (
    "this SQLite has no session extension, so the run cannot be undone; 'memkit restore' brings "
    "single memories back"
)
_NEWEST = (1 << 63) - 1
# What is done to two memories, and not again once it was undone.
_PAIRED = frozenset({ChangeAction.MERGE, ChangeAction.CONTRADICT, ChangeAction.LINK})


class RunState(StrEnum):
    """State of a run: applied, undone, or final, when what would undo it is not kept."""

    APPLIED = "applied"
    UNDONE = "undone"
    FINAL = "final"


@attrs.frozen
class ConsolidationReport:
    """What a run did, or with `dry_run` would do.

    Attributes:
        run: its number, by which it can be undone; None if nothing was changed.
        counts: how many changes of each sort: deduped, compressed, forgotten and so on.
        changes: each with the memories it is about and its reason, in their order.
        notes: what a reader should know beside.
    """

    run: int | None
    dry_run: bool
    counts: Mapping[str, int]
    changes: tuple[PlannedChange, ...] = ()
    notes: tuple[str, ...] = ()


@attrs.frozen
class UndoReport:
    """What was taken back: a run, or what was told of a memory once.

    Attributes:
        run: its number; None for feedback. rows: how many rows are as they were before it.
            left_alone: tables and keys of those that were changed since, or whose memory is gone,
            and stay as they are. memory: of which something was told, as it now stands.
    """

    run: int | None = None
    rows: int = 0
    left_alone: tuple[tuple[str, tuple[int | float | str | None, ...]], ...] = ()
    notes: tuple[str, ...] = ()
    memory: Memory | None = None


@attrs.frozen
class ConsolidationRun:
    """A run in the log. Times are UTC text.

    Attributes:
        counts: changes of each sort. is_undoable: whether it can be taken back.
    """

    id: int
    began_at: str
    ended_at: str
    options: Mapping[str, object]
    state: RunState = attrs.field(converter=RunState)
    undone_at: str | None
    is_undoable: bool = attrs.field(converter=bool)
    counts: Mapping[str, int]


@attrs.frozen
class ConsolidationChange:
    """A change in the log, with the run that made it; see `PlannedChange`."""

    run: int
    at: str
    state: RunState = attrs.field(converter=RunState)
    action: ChangeAction = attrs.field(converter=ChangeAction)
    memory_id: int
    other_id: int | None
    score: float | None
    reason: str


def consolidate(
    steps: Sequence[Step],
    environment: RunEnvironment,
    *,
    options: Mapping[str, object],
    dry_run: bool,
) -> ConsolidationReport:
    """Plan, and unless it is a dry run apply in one transaction what the steps find.

    The plan is made while others may write; if somebody did, it is made again within the
    transaction. A run without changes leaves no trace."""
    store = environment.store
    with store.snapshot():
        began_at, state = store.now(), store.state()
        planned = plan_steps(steps, environment)
    if dry_run or not planned:
        if not dry_run and not store.readonly:
            store.write(lambda: _finish(steps, environment) if store.state() == state else None)
        return _report(None, planned, dry_run=dry_run)

    def work() -> ConsolidationReport:
        current = planned if store.state() == state else plan_steps(steps, environment)
        report = _apply(environment, current, began_at, options) if current else _report(None, ())
        _finish(steps, environment)
        return report

    return store.write(work)


def _finish(steps: Iterable[Step], environment: RunEnvironment) -> None:
    for step in steps:
        if step.finish is not None:
            step.finish(environment)


def undo(environment: RunEnvironment, run: int) -> UndoReport:
    """Take a run back; raises InvalidInput for one that cannot be."""
    return environment.store.write(partial(_undo, environment, run))


def list_runs(environment: RunEnvironment, *, limit: int) -> list[ConsolidationRun]:
    """Return the runs of the log, newest first."""
    rows = environment.store.records("consolidation.runs", before=_NEWEST, limit=limit)
    return [_run(row) for row in rows]


def list_changes(
    environment: RunEnvironment, *, memory: int | None, run: int | None, limit: int
) -> list[ConsolidationChange]:
    """Return the changes of the log, those of the newest run first."""
    rows = environment.store.records("consolidation.changes", memory=memory, run=run, limit=limit)
    return [ConsolidationChange(**row) for row in rows]


# -- internals


def _report(
    run: int | None,
    planned: Iterable[PlannedRecord],
    *,
    dry_run: bool = False,
    notes: tuple[str, ...] = (),
) -> ConsolidationReport:
    changes = tuple(item.change for item in planned)
    return ConsolidationReport(run, dry_run, counts_of(changes), changes, notes)


def _apply(
    environment: RunEnvironment,
    planned: Sequence[PlannedRecord],
    began_at: str,
    options: Mapping[str, object],
) -> ConsolidationReport:
    """Do what was planned, and log it with what undoes it; inside `write`."""
    store = environment.store

    def work() -> None:
        for item in planned:
            item.step.apply(environment, item.record)

    _, changeset = store.recorded(work)
    changes = [item.change for item in planned]
    environment.index.put(_memories_of(changes))
    run = store.ids("consolidation.last_run_id").new()
    store.run(
        "consolidation.add_run",
        id=run,
        began_at=began_at,
        ended_at=store.now(),
        options=json.dumps(dict(options)),
        state=RunState.FINAL if changeset is None else RunState.APPLIED,
        changeset=changeset,
    )
    rows = ({"run": run, "position": n, **attrs.asdict(c)} for n, c in enumerate(changes))
    store.run_many("consolidation.add_change", rows)
    counts = {name: count for name, count in counts_of(changes).items() if count}
    store.audit("consolidate", run=run, **counts)
    return _report(run, planned, notes=() if changeset else (NOT_UNDOABLE,))


def _undo(environment: RunEnvironment, run: int) -> UndoReport:
    store = environment.store
    changeset = _changeset(environment, run)
    changes = [PlannedChange(*row) for row in store.all("consolidation.changes_of", run=run)]
    ids = _memories_of(changes)
    there = known_ids(store, ids)
    for change in changes:
        if change.action is ChangeAction.TAG:  # as long as it is there
            writer.withdraw_tag(store, change.memory_id, change.other_id or 0)
    result = store.take_back(changeset, gone=ids - there)
    environment.index.put(there)
    open_pairs = set(store.all("consolidation.open_contradictions"))
    for change in changes:
        if change.other_id is None:
            continue
        pair = (change.memory_id, change.other_id)
        if change.action in _PAIRED:
            _decide_anew(environment, *pair, PairVerdict.DISTINCT, run)
        elif change.action is ChangeAction.UNLINK and not open_pairs.isdisjoint((pair, pair[::-1])):
            _decide_anew(environment, *pair, PairVerdict.CONTRADICTION, run)
    store.run("consolidation.set_undone", id=run, at=store.now())
    store.audit("undo", run=run, rows=result.rows, left_alone=len(result.left_alone))
    return UndoReport(run, result.rows, result.left_alone, _notes(result))


def _changeset(environment: RunEnvironment, run: int) -> bytes:
    """Return what undoes a run; raises InvalidInput."""
    ((state, undone_at, changeset),) = environment.store.all("consolidation.run_to_undo", id=run)
    if state == RunState.UNDONE:
        raise InvalidInput(f"run {run}: was undone at {undone_at}; 'memkit audit' lists the others")
    if not isinstance(changeset, bytes):
        raise InvalidInput(
            f"run {run}: cannot be undone, what it takes is not kept; 'memkit audit --run {run}' "
            "lists its changes and 'memkit restore' brings single memories back"
        )
    return changeset


def _decide_anew(
    environment: RunEnvironment, first: int, second: int, verdict: PairVerdict, run: int
) -> None:
    """Note how two memories stand to each other now that a run is undone; inside `write`."""
    note = f"what run {run} did to the two was undone"
    decide(environment.store, first, second, verdict, by=Decider.UNDO, note=note)


def _notes(result: UndoResult) -> tuple[str, ...]:
    """Return what was left alone, and why."""
    changed = [(table, key) for table, key in result.left_alone if (table, key) not in result.lost]
    memories = sorted(key[0] for table, key in changed if table == "memories")
    tables = [table for table, _ in changed if table != "memories"]
    lost = [table for table, _ in result.lost]
    notes = []
    if memories:
        what = "memory" if len(memories) == 1 else "memories"
        notes.append(f"{what} {_listed(memories)} {_changed_since(len(memories))}")
    if tables:
        notes.append(f"{_rows_of(tables)} {_changed_since(len(tables))}")
    if lost:
        why = "is lost: its memory was" if len(lost) == 1 else "are lost: their memories were"
        notes.append(f"{_rows_of(lost)} {why} purged after the run")
    return tuple(notes)


def _changed_since(count: int) -> str:
    was, stays = ("was", "stays as it is") if count == 1 else ("were", "stay as they are")
    return f"{was} changed after the run and {stays}"


def _listed(names: Sequence[object]) -> str:
    """Return names as a sentence has them: a, b and c."""
    *first, last = map(str, names)
    return f"{', '.join(first)} and {last}" if first else last


def _rows_of(tables: Sequence[str]) -> str:
    rows = "1 row" if len(tables) == 1 else f"{len(tables)} rows"
    return f"{rows} of {_listed(sorted(set(tables)))}"


def _memories_of(changes: Sequence[PlannedChange]) -> set[int]:
    pairs = [change for change in changes if change.action is not ChangeAction.TAG]
    others = {change.other_id for change in pairs if change.other_id is not None}
    return {change.memory_id for change in changes} | others


def _run(row: Mapping[str, Any]) -> ConsolidationRun:
    counts = {COUNTED_AS[ChangeAction(name)]: n for name, n in json.loads(row["actions"]).items()}
    values = {name: value for name, value in row.items() if name != "actions"}
    return ConsolidationRun(**{**values, "options": json.loads(row["options"]), "counts": counts})


# --- The steps, in the order in which they are planned and applied.


def _action_of_pair(pair: DetectedPair) -> ChangeAction:
    """What is said of a pair; one that is distinct was taken for a contradiction."""
    if pair.verdict is PairVerdict.DISTINCT:
        return ChangeAction.UNLINK
    is_repeated = pair.verdict is PairVerdict.DUPLICATE
    return ChangeAction.LINK if is_repeated else ChangeAction.CONTRADICT


def _plan_tags(environment: RunEnvironment) -> Sequence[TagChange]:
    """Tags, unless no memory has changed since the last run with this step: its plan is of the
    store before the run, and what that merges or tags is no reason for a second one."""
    has_news = environment.store.value("consolidation.has_news", step="tag")
    return tag_inference.plan_tags(environment) if has_news else ()


def _plan_links(environment: RunEnvironment) -> Iterator[LinkChange]:
    """Links, but of memories that were decided to be distinct."""
    parted = {
        (a, b)
        for a, b, verdict, _ in environment.store.all("consolidation.verdicts")
        if verdict == PairVerdict.DISTINCT
    }
    for change in link_discovery.plan_links(environment.store):
        pair = (change.memory_id, change.other_id)
        if change.action is not LinkAction.LINK or pair not in parted:
            yield change


def _set_link(environment: RunEnvironment, change: LinkChange) -> None:
    link_discovery.apply_link(environment.store, change)


def _action_of_link(change: LinkChange) -> ChangeAction:
    return ChangeAction.LINK if change.action is LinkAction.LINK else ChangeAction.UNLINK


# plan.py says what a step is.
STEPS = (
    Step("merge", ChangeAction.MERGE, merging.plan_merges, merging.apply_merge),
    Step(
        "contradictions",
        _action_of_pair,
        contradiction_scan.plan_contradictions,
        contradiction_scan.note_contradiction,
        contradiction_scan.leave_mark,
    ),
    Step("compress", attrgetter("action"), levels.plan_levels, levels.apply_levels),
    Step("tag", ChangeAction.TAG, _plan_tags, tag_inference.apply_tag),
    Step("link", _action_of_link, _plan_links, _set_link),
    Step("forget", ChangeAction.FORGET, forgetting.plan_forgetting, forgetting.apply_forgetting),
)

"""Observed memories: what finished tasks came to, and what recurs in code and recorded work.

Code patterns end when the code shows them no more. Workflows, sequences of commands that came off
in several sessions, are procedures whatever their names and command lines become; they end when the
steps were not seen for long, or are seen as a part of a longer workflow. What somebody forgot does
not come back.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..episodes import results
from ..episodes.error_signatures import program_of
from ..episodes.records import CHANGING, UNDER_WAY, PatternType
from ..errors import InvalidInput
from ..memories.records import (
    ArtifactKind,
    EdgeKind,
    Form,
    InactiveCode,
    Kind,
    Procedure,
    Provenance,
)
from ..store import timestamps
from ..text.patterns import lazy_pattern
from .feedback import command_in
from .forgetting import UNUSED_DAYS

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.results import TaskRecord
    from ..memories.records import RememberResult


# --- Episodes: what a finished task or session came to, with its artifacts.

# Files of an episode that are named; tasks of a session.
_FILES, _TASKS = 12, 50
_PULL_REQUEST = lazy_pattern(r"(?i)\b(?:PR|pull request|MR)[ ]?#?(\d{1,7})\b")
_DECISION = lazy_pattern(r"\bADR[- ]?(\d{1,5})\b")


def remember_task(kit: OpenKit, name: str) -> RememberResult:
    """Remember a task that has ended: what was wanted, what came of it, the files it changed. Again
    it brings the same memory up to date. Raises NotFound, InvalidInput for one under way."""
    task = kit.episodes.task(name)
    if task.status in UNDER_WAY:
        raise InvalidInput(f"task: {name!r} is {task.status}; finish it before it is remembered")
    return _remember(kit, f"task:{task.name}", [task], task.session)


def remember_session(kit: OpenKit, session: str) -> RememberResult:
    """Remember what the tasks of a session that have ended came to. Raises InvalidInput where there
    is none."""
    tasks = kit.episodes.tasks(session=session, limit=_TASKS)
    ended = [task for task in reversed(tasks) if task.status not in UNDER_WAY]
    if not ended:
        raise InvalidInput(
            f"session: {session!r} has no task that ended; finish one, or name another session"
        )
    return _remember(kit, f"session:{session}", ended, session)


def _remember(
    kit: OpenKit, source: str, tasks: Sequence[TaskRecord], session: str
) -> RememberResult:
    files = _changed_files(kit, session, {task.name for task in tasks})
    about_files = [f"Changed: {', '.join(files)}"] if files else []
    text = "\n".join([*map(_narrative, tasks), *about_files])
    return kit.memories.remember(
        text,
        form=Form.EPISODE,
        provenance=Provenance.OBSERVED,
        source=source,
        session=session,
        at=tasks[-1].completed_at or tasks[-1].started_at,
        file_paths=files,
        artifacts=list(dict.fromkeys(_artifacts(text, files, tasks))),
        derived_from=_told_of(kit, source, tasks),
    )


def _told_of(kit: OpenKit, source: str, tasks: Sequence[TaskRecord]) -> list[int]:
    """Return the memories of single tasks that another episode puts together."""
    sources = {f"task:{task.name}" for task in tasks} - {source}
    rows = kit._store.all(
        "consolidation_levels.tasks_remembered",
        sources=json.dumps(sorted(sources)),
        project=kit.project,
    )
    return [number for (number,) in rows]


def _narrative(task: TaskRecord) -> str:
    """Return what was wanted and what came of it: in words if there are any, else the status."""
    purpose = task.description.strip()
    if task.outcome:
        return f"{purpose.rstrip('.')}. {task.outcome.strip()}"
    return f"{purpose} – {f'failed: {task.error.strip()}' if task.error else task.status}"


def _changed_files(kit: OpenKit, session: str, names: set[str]) -> list[str]:
    touched = results.session_files(kit._store, session)
    changed = (file.path for file in touched if file.task in names and file.operation in CHANGING)
    return list(dict.fromkeys(changed))[:_FILES]


def _artifacts(
    text: str, files: Iterable[str], tasks: Iterable[TaskRecord]
) -> Iterator[tuple[ArtifactKind, str]]:
    yield from ((ArtifactKind.FILE, path) for path in files)
    yield from ((ArtifactKind.COMMIT, task.commit) for task in tasks if task.commit)
    yield from ((ArtifactKind.PR, match[1]) for match in _PULL_REQUEST.finditer(text))
    yield from ((ArtifactKind.ADR, f"ADR-{match[1]}") for match in _DECISION.finditer(text))


# --- Patterns: what recurs in code and in recorded work, each by its source.

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.patterns import Pattern
    from ..episodes.workflows import Workflow
    from .code_patterns import CodePattern

    Stored = Mapping[str, Mapping[str, Any]]

# Functions that the memory of a code pattern is anchored to.
_ANCHORS = 3
_DAY = 86_400
_MAX_PATTERNS = 10_000
_MAX_PROCEDURES = 1_000


# --- Code patterns.


def find_patterns(kit: OpenKit, *, limit: int, seconds: float, dry_run: bool) -> list[CodePattern]:
    """Return the best patterns of the indexed code, remembered unless it is a `dry_run`."""
    from .code_patterns import SearchBudget, find_code_patterns

    budget = SearchBudget(time.monotonic() + seconds)
    patterns = find_code_patterns(kit.codegraph._each_file(), budget)
    best = patterns[:limit]
    if not dry_run:
        stored = _stored(kit, Form.PATTERN, "code-pattern")
        for pattern in best:
            _keep_code_pattern(kit, stored.get(pattern.source), pattern)
        # Of a tree that was not read to its end nothing is known to be gone.
        if budget.files and not budget.is_over:
            there = {pattern.source for pattern in patterns}
            _end(kit, _active(stored, there).values(), "the code shows this pattern no more")
    return best


def _keep_code_pattern(kit: OpenKit, row: Mapping[str, Any] | None, pattern: CodePattern) -> None:
    if not _may_be_remembered(kit, row) or (row is not None and row["text"] == pattern.text):
        return
    kit.memories.remember(
        pattern.text,
        form=Form.PATTERN,
        provenance=Provenance.OBSERVED,
        source=pattern.source,
        about=[f"{shape.path}::{shape.qualname}" for shape in pattern.examples[:_ANCHORS]],
        compressed=pattern.hint,
        index_entry=pattern.name,
    )


# --- Workflows.


def keep_workflows(kit: OpenKit, workflows: Sequence[Workflow]) -> None:
    """Remember the workflows that there are, and end those that are no more."""
    stored = _stored(kit, Form.WORKFLOW, "workflow")
    if not workflows and not stored:
        return
    patterns = kit.episodes.patterns(PatternType.WORKFLOW, active=None, limit=_MAX_PATTERNS)
    seen = {_workflow_source(pattern.data.get("steps", ())): pattern for pattern in patterns}
    since = timestamps.from_epoch(kit._store.clock() - UNUSED_DAYS * _DAY)
    lasting = {_workflow_source(flow.steps): flow for flow in workflows if flow.last_at >= since}
    usual = {
        source: flow
        for source, flow in lasting.items()
        if (pattern := seen.get(source)) is None or pattern.active
    }
    procedures = _told_procedures(kit) if usual.keys() - stored.keys() else frozenset()
    for source, flow in usual.items():
        # Of a procedure that somebody told, the sessions are outcomes: it is no second one.
        if source in stored or flow.steps not in procedures:
            _keep_workflow(kit, stored.get(source), source, flow)
    _end_workflows(kit, _active(stored, usual), usual.values(), _seen_since(seen, since))


def _workflow_source(steps: Sequence[str]) -> str:
    """Return the name of the place that a workflow is remembered at."""
    written = json.dumps([str(step) for step in steps])
    return f"workflow:{hashlib.sha256(written.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _seen_since(seen: Mapping[str, Pattern], since: str) -> set[str]:
    """Return the sources of the patterns that stand and were seen since a moment."""
    return {
        source for source, pattern in seen.items() if pattern.active and pattern.last_seen >= since
    }


def _parts(steps: Sequence[str]) -> list[Sequence[str]]:
    """Return the stretches of steps but the whole."""
    count = len(steps)
    places = ((a, b) for a in range(count) for b in range(a + 1, count + 1) if b - a < count)
    return [steps[a:b] for a, b in places]


def _told_procedures(kit: OpenKit) -> frozenset[tuple[str | None, ...]]:
    """Return what the steps of the procedures do that somebody told."""
    memories = kit.memories.find(kind=Kind.PROCEDURE, limit=_MAX_PROCEDURES)
    return frozenset(
        tuple(program_of(command_in(step) or step) for step in memory.procedure.steps)
        for memory in memories
        if memory.procedure is not None and memory.form != Form.WORKFLOW
    )


def _keep_workflow(
    kit: OpenKit, row: Mapping[str, Any] | None, source: str, flow: Workflow
) -> None:
    if not _may_be_remembered(kit, row):
        return
    text = f"Workflow {flow.name}: " + " → ".join(f"`{line}`" for line in flow.commands)
    is_known = row is not None and row["text"] == text
    number = row["id"] if row and is_known else _remember_workflow(kit, source, text, flow)
    sessions = json.dumps(flow.sessions)
    episodes = kit._store.all(
        "consolidation_levels.episodes_of", id=number, sessions=sessions, project=kit.project
    )
    for (origin,) in episodes:
        kit.memories.link(number, origin, EdgeKind.DERIVED_FROM)


def _remember_workflow(kit: OpenKit, source: str, text: str, flow: Workflow) -> int:
    result = kit.memories.remember(
        text,
        kind=Kind.PROCEDURE,
        form=Form.WORKFLOW,
        provenance=Provenance.OBSERVED,
        source=source,
        compressed=flow.hint,
        index_entry=flow.name,
        procedure=Procedure(steps=flow.commands, name=flow.name),
    )
    return result.id


def _end_workflows(
    kit: OpenKit, rest: Mapping[str, int], usual: Iterable[Workflow], lately: Collection[str]
) -> None:
    """Forget what is a part of a longer workflow by now, and what was not seen for long."""
    parts = {_workflow_source(part) for flow in usual for part in _parts(flow.steps)}
    within = [number for source, number in rest.items() if source in parts]
    unseen = [n for source, n in rest.items() if source not in parts and source not in lately]
    _end(kit, within, "it is a part of a longer workflow")
    _end(kit, unseen, f"not seen for {UNUSED_DAYS} days")


# --- What both share.


def _stored(kit: OpenKit, form: Form, place: str) -> Stored:
    """Return the rows of what is, or was, remembered of one sort, by source."""
    rows = kit._store.records(
        "consolidation_levels.patterns", form=form, place=f"{place}:%", project=kit.project
    )
    return {row["source"]: row for row in rows}


def _active(stored: Stored, but: Collection[str]) -> dict[str, int]:
    """Return what holds, by source, but some."""
    return {
        source: row["id"] for source, row in stored.items() if row["active"] and source not in but
    }


def _may_be_remembered(kit: OpenKit, row: Mapping[str, Any] | None) -> bool:
    """Whether a pattern may be a memory: not if somebody wants to hear no more of it; one that
    ended by itself is brought back."""
    if row is None or row["active"]:
        return True
    if row["inactive_code"] != InactiveCode.SOURCE_GONE:
        return False
    kit.memories.restore([row["id"]])
    return True


def _end(kit: OpenKit, ids: Iterable[int], reason: str) -> None:
    if numbers := list(ids):
        kit.memories._forget(numbers, reason, InactiveCode.SOURCE_GONE)

"""Workflow memories: sequences of commands that came off in several sessions, as procedures.

Each is one memory by its steps, whatever its name and its command lines become; it ends when the
steps were not seen for long, or are seen as a part of a longer workflow.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..episodes.error_signatures import program_of
from ..episodes.records import PatternType
from ..memories.records import EdgeKind, Form, InactiveCode, Kind, Procedure, Provenance
from ..store import timestamps
from .forgetting import UNUSED_DAYS
from .procedure_outcomes import command_in

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.patterns import Pattern
    from ..episodes.workflows import Workflow

_DAY = 86_400
_MAX_PATTERNS = 10_000
_MAX_PROCEDURES = 1_000
_WITHIN = "it is a part of a longer workflow"
_UNSEEN = f"not seen for {UNUSED_DAYS} days"


def keeping(kit: OpenKit) -> Callable[[Sequence[Workflow]], object]:
    """Return what remembers the workflows that there are, and ends those that are no more."""

    def keep(workflows: Sequence[Workflow]) -> None:
        rows = kit._store.records("consolidation_levels.workflows", project=kit.project)
        stored = {row["source"]: row for row in rows}
        if not workflows and not stored:
            return
        seen = {
            source_of(pattern.data.get("steps", ())): pattern
            for pattern in kit.episodes.patterns(
                PatternType.WORKFLOW, active=None, limit=_MAX_PATTERNS
            )
        }
        since = timestamps.from_epoch(kit._store.clock() - UNUSED_DAYS * _DAY)
        usual = {
            source: flow
            for flow in workflows
            if flow.last_at >= since
            and ((pattern := seen.get(source := source_of(flow.steps))) is None or pattern.active)
        }
        fresh = usual.keys() - stored.keys()
        ways = _known_ways(kit) if fresh else frozenset()
        for source, flow in usual.items():
            # Of a procedure that somebody told, the sessions are outcomes: it is no second one.
            if source in stored or flow.steps not in ways:
                _settle(kit, stored.get(source), source, flow)
        parts = {source_of(part) for flow in usual.values() for part in _parts(flow.steps)}
        _end(kit, stored, usual, parts, _lately(seen, since))

    return keep


def source_of(steps: Sequence[str]) -> str:
    """Return the name of the place that a workflow is remembered at."""
    written = json.dumps([str(step) for step in steps])
    return f"workflow:{hashlib.sha256(written.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


# -- inside


def _lately(seen: Mapping[str, Pattern], since: str) -> set[str]:
    """Return the sources of the patterns that stand and were seen since a moment."""
    return {
        source for source, pattern in seen.items() if pattern.active and pattern.last_seen >= since
    }


def _parts(steps: Sequence[str]) -> list[Sequence[str]]:
    """Return the stretches of steps but the whole."""
    count = len(steps)
    places = ((a, b) for a in range(count) for b in range(a + 1, count + 1) if b - a < count)
    return [steps[a:b] for a, b in places]


def _known_ways(kit: OpenKit) -> frozenset[tuple[str | None, ...]]:
    """Return what the steps of the procedures do that somebody told."""
    memories = kit.memories.find(kind=Kind.PROCEDURE, limit=_MAX_PROCEDURES)
    return frozenset(
        tuple(program_of(command_in(step) or step) for step in memory.procedure.steps)
        for memory in memories
        if memory.procedure is not None and memory.form != Form.WORKFLOW
    )


def _settle(kit: OpenKit, row: Mapping[str, Any] | None, source: str, flow: Workflow) -> None:
    """Remember a workflow as it is now, unless somebody wants to hear no more of it."""
    if row is not None and not row["active"]:
        if row["inactive_code"] != InactiveCode.SOURCE_GONE:
            return
        kit.memories.restore([row["id"]])
    text = f"Workflow {flow.name}: " + " → ".join(f"`{line}`" for line in flow.commands)
    is_known = row is not None and row["text"] == text
    number = row["id"] if row and is_known else _remember(kit, source, text, flow)
    sessions = json.dumps(flow.sessions)
    episodes = kit._store.all(
        "consolidation_levels.episodes_of", id=number, sessions=sessions, project=kit.project
    )
    for (origin,) in episodes:
        kit.memories.link(number, origin, EdgeKind.DERIVED_FROM)


def _remember(kit: OpenKit, source: str, text: str, flow: Workflow) -> int:
    made = kit.memories.remember(
        text,
        kind=Kind.PROCEDURE,
        form=Form.WORKFLOW,
        provenance=Provenance.OBSERVED,
        source=source,
        compressed=flow.hint,
        index_entry=flow.name,
        procedure=Procedure(steps=flow.commands, name=flow.name),
    )
    return made.id


def _end(
    kit: OpenKit,
    stored: Mapping[str, Mapping[str, Any]],
    usual: Collection[str],
    parts: Collection[str],
    lately: Collection[str],
) -> None:
    """Forget what is a part of a longer workflow by now, and what was not seen for long."""
    rest = {s: row["id"] for s, row in stored.items() if row["active"] and s not in usual}
    within = [number for source, number in rest.items() if source in parts]
    unseen = [n for source, n in rest.items() if source not in parts and source not in lately]
    reasons = {
        "it is a part of a longer workflow": within,
        f"not seen for {UNUSED_DAYS} days": unseen,
    }
    for reason, ids in reasons.items():
        if ids:
            kit.memories._forget(ids, reason, InactiveCode.SOURCE_GONE)

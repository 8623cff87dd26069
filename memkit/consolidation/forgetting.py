"""Forgetting: what is over, long superseded or long unused, and what is too much."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import attrs

from ..memories import confidence
from ..memories.records import InactiveCode
from ..memories.writer import MemoryEditor, MemoryWriter
from ..store import timestamps
from .plan import Statement, read_statements

if TYPE_CHECKING:
    from .plan import RunEnvironment

# Seed 004, forget_unused(older_than=days(90)); what is over or superseded waits as long.
UNUSED_DAYS = 90
# Belief that is left below which a memory is not missed: three half-lives of a fact that was
# concluded or read, four weeks of what was inferred. Ours: the seeds give no figure.
LOW_BELIEF = 0.1
# Seed 003, _maybe_evict: at least the lowest tenth goes.
EVICTED_SHARE = 0.1
MAX_ITEMS = 1_000
"""Memories of a project beyond which `prune` removes some (seed 003, max_items)."""

_DAY = 86_400


@attrs.frozen
class Forgetting:
    """A memory that is to be forgotten; see plan.py."""

    memory_id: int
    reason: str
    other_id: int | None = None
    score: float | None = None


@attrs.frozen
class Eviction:
    """What `prune` would remove, and what stays beyond its limit because it is protected."""

    forgettings: tuple[Forgetting, ...]
    above: int


def plan_forgetting(environment: RunEnvironment) -> list[Forgetting]:
    """Return what nobody needs any more: over, superseded or unused for UNUSED_DAYS.

    What is protected stays, and so does what was forgotten by an earlier run and is back."""
    brought_back = {
        number
        for number, _ in environment.store.all("consolidation.changes_before", action="forget")
    }
    now = environment.store.clock()
    judged = (
        (statement, _reason(statement, now))
        for statement in read_statements(environment)
        if not (statement.is_protected or statement.is_document or statement.id in brought_back)
    )
    return [
        Forgetting(statement.id, reason, score=round(belief_in(statement, now), 4))
        for statement, reason in judged
        if reason is not None
    ]


def plan_eviction(environment: RunEnvironment, *, max_items: int) -> Eviction:
    """Return what to forget so that no more than `max_items` memories of the project stay: the
    least important first, of these the oldest, a tenth at least. Documents do not count."""
    current = [
        statement
        for statement in read_statements(environment)
        if statement.is_current and not statement.is_document
    ]
    excess = len(current) - max_items
    if excess <= 0:
        return Eviction((), 0)
    goal = max(excess, math.ceil(len(current) * EVICTED_SHARE))
    free = [statement for statement in current if not statement.is_protected]
    lowest = sorted(free, key=_worth)[:goal]
    reason = f"one of the {len(lowest)} least important of {len(current)}; {max_items} are to stay"
    return Eviction(
        tuple(Forgetting(statement.id, reason) for statement in lowest),
        max(0, excess - len(lowest)),
    )


def apply_forgetting(environment: RunEnvironment, forgetting: Forgetting) -> None:
    """Deactivate a memory; `restore` and `undo` bring it back. Inside `write`."""
    store, index = environment.store, environment.index
    editor = MemoryEditor(store, index, MemoryWriter(store, index))
    editor.deactivate(forgetting.memory_id, InactiveCode.FORGOTTEN, reason=forgetting.reason)


def belief_in(statement: Statement, now: float) -> float:
    """Return the belief in a statement at a moment (seconds since 1970), by its newest evidence."""
    return confidence.current(
        statement.confidence,
        age_days=_days(statement.last_evidence, now),
        days=confidence.decay_days(statement.kind, statement.provenance),
        uses=statement.access_count,
        trust=statement.trust,
        pinned=statement.pinned,
    )


# -- internals


def _worth(statement: Statement) -> tuple[float, str, int]:
    return (statement.importance, statement.last_evidence, statement.id)


def _reason(statement: Statement, now: float) -> str | None:
    """Return why a statement may be forgotten, or None."""
    unused = _days(statement.last_evidence, now)
    if not statement.is_current:
        ended = _days(statement.valid_to or statement.updated_at, now)
        return f"superseded {ended:.0f} days ago" if ended >= UNUSED_DAYS else None
    if statement.valid_to is not None and (ended := _days(statement.valid_to, now)) >= UNUSED_DAYS:
        return f"held until {statement.valid_to[:10]}, {ended:.0f} days ago"
    if unused < UNUSED_DAYS or not statement.is_worth_little:
        return None
    belief = belief_in(statement, now)
    if belief >= LOW_BELIEF:
        return None
    return f"not said, noted or used for {unused:.0f} days; belief has faded to {belief:.2f}"


def _days(at: str, now: float) -> float:
    return (now - timestamps.to_epoch(at)) / _DAY

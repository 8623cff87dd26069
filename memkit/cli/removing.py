"""Commands that take memories away: forget, bring back, delete for good."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from ..memories.kinds import Scope
from ..memories.records import Memory
from . import output
from .call import Call
from .output import changed
from .questions import filters_of
from .table import (
    IDS,
    Answer,
    Opening,
    Usage,
    argument,
    command,
    memory_number,
    option,
    switch,
)

# As many as a bulk verb takes at once; nobody reads a longer list.
_ALL = 1_000_000
_DRY_RUN = switch("dry-run", "Only show what would be done.")
_YES = switch("yes", "Do it without asking.")


@command(
    argument("ids", sort=memory_number, many=True, is_required=False),
    option("filter", "FIELD=VALUE instead of ids, e.g. kind=fact; repeat to narrow.", many=True),
    option("reason", "Why; it is kept with the memory.", default="forgotten"),
    _DRY_RUN,
    _YES,
    opening=Opening.CHANGE,
)
def forget(
    call: Call,
    *,
    ids: tuple[int, ...],
    filter: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    reason: str,
) -> Answer:
    """Deactivate the memories IDS, keeping their rows; 'memkit restore' brings them back.

    By filter it needs --yes; --dry-run shows which they are. Global ones are meant only by
    --filter scope=global.
    """
    if bool(ids) == bool(filter):
        raise Usage("forget: neither ids nor --filter is given, or both; give one of the two")
    chosen: Any = ids
    if filter:
        wanted = filters_of(filter)
        if not call.settings.use_global:
            wanted.setdefault("scope", {"$ne": Scope.GLOBAL})
        chosen = call.kit.memories.find(wanted, limit=_ALL)
        if not chosen:
            return Answer([], notes=("nothing fits the filter",))
        if not dry_run:
            call.confirm(f"Forget {_memories(chosen)}?", agreed=yes)
    found = call.kit.memories.forget(chosen, reason=reason, dry_run=dry_run)
    done = changed(found, "would be forgotten" if dry_run else "forgotten", call)
    before = sorted({*ids} - {memory.id for memory in found})
    now = call.kit.store.now()
    notes = (
        f"{number} was not active any more: {output.state(call.kit.memories.get(number), now)}"
        for number in before
    )
    return attrs.evolve(done, notes=tuple(notes))


@command(
    argument("ids", sort=memory_number, many=True, is_required=False),
    option("reason", "Instead of ids: all that were forgotten for this reason."),
    opening=Opening.CHANGE,
)
def restore(call: Call, *, ids: tuple[int, ...], reason: str | None) -> Answer:
    """Bring forgotten or superseded memories back.

    What had taken the place of one stays beside it, unless both are values of one key.
    """
    if bool(ids) == (reason is not None):
        raise Usage("restore: neither ids nor --reason is given, or both; give one of the two")
    if reason is not None:
        gone = call.kit.memories.find(
            active=False, inactive_reason=reason, history=True, limit=_ALL
        )
        ids = tuple(memory.id for memory in gone)
        if not ids:
            return Answer([], notes=(f"nothing was forgotten for the reason {reason!r}",))
    before = {number: call.kit.memories.get(number) for number in ids}
    found = call.kit.memories.restore(ids)
    done = changed([memory for memory in found if memory != before[memory.id]], "restored", call)
    notes = tuple(_restored(before[memory.id], memory, call) for memory in found)
    return attrs.evolve(
        done, document=output.document(found), notes=tuple(note for note in notes if note)
    )


@command(IDS, _DRY_RUN, _YES, opening=Opening.CHANGE)
def purge(call: Call, *, ids: tuple[int, ...], dry_run: bool, yes: bool) -> Answer:
    """Delete the memories IDS for good, their bytes overwritten. Cannot be undone."""
    found = call.kit.memories.purge(ids, dry_run=True)
    if not dry_run:
        call.confirm(f"Purge {_memories(found)} for good?", agreed=yes)
        found = call.kit.memories.purge(ids)
    verb = "would be purged" if dry_run else "purged"
    return Answer({"ids": found, "dry_run": dry_run}, (f"{verb} {number}" for number in found))


def _memories(found: Sequence[object]) -> str:
    return output.number(len(found), "memory", "memories")


def _restored(before: Memory, now: Memory, call: Call) -> str:
    """Return what else is to be known of a memory that was restored."""
    hidden = output.state(now, call.kit.store.now())
    if hidden:
        return f"{now.id} does not come back: {hidden}; memkit update {now.id} --help"
    if now == before:
        return f"{now.id} is active; nothing was to be done"
    if before.superseded_by is None:
        return ""
    other = call.kit.memories.get(before.superseded_by)
    if other.superseded_by == now.id:
        return f"{other.id}, which had taken its place, is superseded by {now.id}"
    if not other.is_current:
        return ""
    return f"{other.id}, which had taken its place, holds too: memkit forget {other.id} if not"

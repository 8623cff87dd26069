"""What keeps the file as a whole sound and small, across all that lies in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import attrs

from . import arguments
from .errors import InvalidInput, StoreError
from .store import times
from .store.check import CheckReport
from .store.ids import first_id

if TYPE_CHECKING:
    from .memories.indexing import Index
    from .store.connection import Store

# Days after which what was done goes: co-edits are weighed with a half-life of half a year, and
# what is older than that tells next to nothing of how one works today.
DAYS = 180
# Rows removed in one transaction, so that nobody waits long.
BATCH = 2_000
# How often a kit that closes removes so many: one that was open for weeks has recorded more than
# a batch, and the next one as well.
_ROUNDS = 10


@attrs.frozen
class Bound:
    """How much of a table is kept: the newest rows.

    Attributes:
        query: removes the rest. rows: so many. days: no longer than this, whatever is asked for;
            None: of any age. by_id: whether a row's age is that of its id, when it came into this
            file; else it is the time that it holds.
    """

    query: str
    rows: int
    days: float | None = math.inf
    by_id: bool = True


# At half a kilobyte a row (seed 000) 25 MB of calls; 1,000 snapshots are 10 MB. A session that
# goes on after a month may be told again. Shared rows are never trimmed, other local ones are few.
BOUNDS: Mapping[str, Bound] = {
    "tool_executions": Bound("upkeep.trim_tool_executions", 50_000),
    "file_interactions": Bound("upkeep.trim_file_interactions", 50_000),
    "context_snapshots": Bound("upkeep.trim_context_snapshots", 1_000),
    "predictions": Bound("upkeep.trim_predictions", 20_000),
    "surfaced": Bound("upkeep.trim_surfaced", 50_000, days=30, by_id=False),
    "surfaced_beside": Bound("upkeep.trim_surfaced_beside", 50_000, days=30, by_id=False),
    "gaps": Bound("upkeep.trim_gaps", 1_000, by_id=False),
    "audit": Bound("upkeep.trim_audit", 50_000, days=None),
}


@attrs.frozen
class Trimmed:
    """How many rows of each table were removed."""

    rows: Mapping[str, int]


def check(
    store: Store, index: Index, *, repair: bool, progress: arguments.Progress | None = None
) -> CheckReport:
    """Return what is wrong in any part of the file; see Memkit.check."""
    # Imported here: hooks tidy up, and need nothing of it.
    from .codegraph import checking as codegraph
    from .episodes import checking as episodes
    from .memories import checking as memories

    arguments.boolean(repair, name="repair")
    step = arguments.callback(progress, name="progress")
    found = memories.check(store, index, repair=repair, progress=step)
    if any(problem.name == "integrity" for problem in found.problems):
        return found
    others = (part.check(store, repair=repair) for part in (codegraph, episodes))
    return CheckReport((*found.problems, *(problem for part in others for problem in part)))


def trim(store: Store, *, days: float = DAYS, most: Mapping[str, int] | None = None) -> Trimmed:
    """Remove rows of this machine alone that are old or too many; see Memkit.trim."""
    given = arguments.optional(arguments.mapping, most, name="most") or {}
    limits = {table: bound.rows for table, bound in BOUNDS.items()}
    for table, rows in given.items():
        if table not in BOUNDS:
            raise InvalidInput(
                f"most: {arguments.shown(table)} is no table that is trimmed; give one of "
                f"{', '.join(BOUNDS)}"
            )
        limits[table] = arguments.integer(rows, name=f"most: {table}", least=0)
    is_number = isinstance(days, int | float) and not isinstance(days, bool)
    if not (is_number and days > 0):
        raise InvalidInput(f"days: found {arguments.shown(days)}, expected a number above 0")
    store.write(lambda: _count_tasks(store, days, limits))
    return Trimmed({table: _trim(store, table, days, rows) for table, rows in limits.items()})


def tidy(store: Store) -> None:
    """Remove what is old or too many, unless another process is writing or it is very much."""
    limits = {table: bound.rows for table, bound in BOUNDS.items()}

    def once() -> int:
        _count_tasks(store, DAYS, limits)
        return max(_remove(store, table, DAYS, rows) for table, rows in limits.items())

    if not store.readonly:
        with suppress(StoreError), store.hurried():
            for _ in range(_ROUNDS):
                if store.write(once) < BATCH:
                    break


def _trim(store: Store, table: str, days: float, rows: int) -> int:
    removed = 0
    while True:
        count = store.write(lambda: _remove(store, table, days, rows))
        removed += count
        if count < BATCH:
            return removed


def _remove(store: Store, table: str, days: float, rows: int) -> int:
    """Remove a batch of a table; inside `write`."""
    bound = BOUNDS[table]
    oldest = 0.0 if bound.days is None else _second_before(store, min(days, bound.days))
    before = first_id(oldest) if bound.by_id else times.from_epoch(oldest)
    return store.run(bound.query, before=before, most=rows, batch=BATCH)


def _count_tasks(store: Store, days: float, limits: Mapping[str, int]) -> None:
    """Let tasks keep the files and tools of what goes now; inside `write`."""
    before = first_id(_second_before(store, days))
    calls, files = limits["tool_executions"], limits["file_interactions"]
    if store.value("upkeep.is_due", before=before, calls=calls, files=files):
        store.run("episodes.count_tasks")


def _second_before(store: Store, days: float) -> float:
    return max(store.clock() - days * 86400, 0)

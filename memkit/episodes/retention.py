"""Keeping what is of this machine small: raw calls, file interactions, snapshots, predictions.

What they taught stays: tasks keep the files and tools that were counted, patterns and learnings are
rows of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from .. import arguments
from ..errors import InvalidInput
from ..store import times

if TYPE_CHECKING:
    from ..store.connection import Store

# Days after which raw rows go: co-edits are weighed with a half-life of half a year, and what is
# older than that tells next to nothing of how one works today.
DAYS = 180
# Rows of a table that are kept at most, the newest: at half a kilobyte a row (seed 000) 25 MB of
# calls, and 1,000 snapshots are 10 MB.
MOST_ROWS: Mapping[str, int] = {
    "tool_executions": 50_000,
    "file_interactions": 50_000,
    "context_snapshots": 1_000,
    "predictions": 20_000,
}
_TRIMS = {
    "tool_executions": "episodes.trim_tool_executions",
    "file_interactions": "episodes.trim_file_interactions",
    "context_snapshots": "episodes.trim_context_snapshots",
    "predictions": "episodes.trim_predictions",
}
# Rows removed in one transaction, so that nobody waits long.
_BATCH = 2_000


@attrs.frozen
class Trimmed:
    """How many rows of each table were removed."""

    rows: Mapping[str, int]


def trim(store: Store, *, days: float = DAYS, most: Mapping[str, int] | None = None) -> Trimmed:
    """Remove raw rows older than `days` and those beyond `most` of each table, and return how many.

    Files and tools of the tasks they belong to are counted before. Raises InvalidInput if `days`
    is not above 0 or a table is none of these.
    """
    given = arguments.optional(arguments.mapping, most, name="most") or {}
    limits = dict(MOST_ROWS)
    for table, rows in given.items():
        limits[table] = arguments.integer(rows, name=f"most: {table}", least=0)
    is_number = isinstance(days, int | float) and not isinstance(days, bool)
    if not (is_number and days > 0) or limits.keys() - MOST_ROWS.keys():
        raise InvalidInput(
            f"trim: found days={arguments.shown(days)}, tables {arguments.shown(list(limits))}; "
            f"give days above 0, tables of {', '.join(MOST_ROWS)}"
        )
    before = times.from_epoch(max(store.clock() - days * 86400, 0))
    store.write(lambda: store.run("episodes.count_tasks"))
    return Trimmed({table: _trim(store, table, before, limit) for table, limit in limits.items()})


def _trim(store: Store, table: str, before: str, most: int) -> int:
    removed = 0
    while True:
        count = store.write(
            lambda: store.run(_TRIMS[table], before=before, most=most, batch=_BATCH)
        )
        removed += count
        if count < _BATCH:
            return removed

"""Are the rows of what was done sound? Names that lead nowhere, times of another form.

Both come from edits with other tools; the questions live with them, so nothing here is urgent.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..store import times
from ..store.check import Problem
from ..store.ids import id_time

if TYPE_CHECKING:
    from ..store.connection import Store

# Tables with their columns that hold times.
_TIMES = {
    "sessions": ("started_at", "ended_at", "updated_at"),
    "task_history": ("started_at", "paused_at", "completed_at", "updated_at"),
    "tool_executions": ("timestamp",),
    "file_interactions": ("timestamp",),
    "context_snapshots": ("timestamp",),
    "learned_patterns": ("first_seen", "last_seen"),
    "session_learnings": ("first_seen", "last_seen"),
}
# Those that may be unknown.
_OPEN = frozenset({"ended_at", "paused_at", "completed_at"})


def check(store: Store, *, repair: bool) -> list[Problem]:
    """Return what is wrong with sessions, tasks and calls; with `repair` lost names are let go of,
    missing sessions made anew and times brought into form."""
    found = list(_lost_tasks(store, repair=repair))
    found += _lost_sessions(store, repair=repair)
    found += _odd_times(store, repair=repair)
    return found


def _lost_tasks(store: Store, *, repair: bool) -> Iterator[Problem]:
    count = store.value("episodes.lost_task_count")
    if count:
        if repair:
            store.write(partial(_let_go, store))
        yield Problem("episodes", f"{count} calls and files name a task that is gone", repair)


def _lost_sessions(store: Store, *, repair: bool) -> Iterator[Problem]:
    lost = store.all("episodes.lost_sessions")
    if lost:
        if repair:
            store.write(partial(_make_sessions, store, lost))
        detail = f"{len(lost)} sessions are named and not there, first {lost[0][0]!r}"
        yield Problem("episodes", detail, repair)


def _odd_times(store: Store, *, repair: bool) -> Iterator[Problem]:
    for table in [name for (name,) in store.all("episodes.tables_with_odd_times")]:
        odd = [row for row in store.records(f"tables.{table}_rows") if _odd(table, row)]
        if repair:
            mended = [_mended(table, row, store.clock()) for row in odd]
            store.write(partial(store.run_many, f"tables.{table}_put", mended))
        detail = f"{len(odd)} rows of {table} have times of another form, first {odd[0]['id']}"
        yield Problem("times", detail, repair)


def _odd(table: str, row: dict[str, Any]) -> list[str]:
    return [c for c in _TIMES[table] if row[c] is not None and not times.is_stored(row[c])]


def _mended(table: str, row: dict[str, Any], now: float) -> dict[str, Any]:
    """Return a row with its times in form: what is no time is unknown, or as old as the row."""
    mended = dict(row)
    for column in _odd(table, row):
        try:
            mended[column] = times.normalise(row[column], name=column)
        except InvalidInput:
            mended[column] = None if column in _OPEN else id_time(row["id"], now=now)
    return mended


def _let_go(store: Store) -> None:
    rows = store.run("episodes.let_calls_go") + store.run("episodes.let_files_go")
    store.audit("repair", rows=rows, reason="of missing tasks")


def _make_sessions(store: Store, lost: list[tuple[Any, ...]]) -> None:
    ids = store.ids("episodes.last_id")
    for name, first in lost:
        store.run(
            "episodes.add_session",
            id=ids.new(),
            session_id=name,
            project="",
            agent=None,
            source="repair",
            branch=None,
            commit_hash=None,
            started_at=first,
        )
    store.audit("repair", rows=len(lost), reason="missing sessions")

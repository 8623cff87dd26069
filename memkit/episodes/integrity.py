"""Checks, repair and deletion of episode rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import validation
from ..errors import InvalidInput, NotFound
from ..store import timestamps
from ..store.ids import id_time, name_id
from ..store.integrity import Problem

if TYPE_CHECKING:
    from ..store.store import Store


# --- Are the rows of what was done sound? Names that lead nowhere, times of another form.
#
# Both come from edits with other tools; the questions live with them, so nothing here is urgent.

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
    problems = list(_lost_tasks(store, repair=repair))
    problems += _lost_sessions(store, repair=repair)
    problems += _odd_times(store, repair=repair)
    return problems


def _lost_tasks(store: Store, *, repair: bool) -> Iterator[Problem]:
    count = store.value("episodes.lost_task_count")
    if count:
        if repair:
            store.write(partial(_forget_tasks, store))
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
    return [c for c in _TIMES[table] if row[c] is not None and not timestamps.is_stored(row[c])]


def _mended(table: str, row: dict[str, Any], now: float) -> dict[str, Any]:
    """Return a row with its times in form: what is no time is unknown, or as old as the row."""
    mended = dict(row)
    for column in _odd(table, row):
        try:
            mended[column] = timestamps.normalise(row[column], name=column)
        except InvalidInput:
            mended[column] = None if column in _OPEN else id_time(row["id"], now=now)
    return mended


def _forget_tasks(store: Store) -> None:
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
            parent_session_id=None,
        )
    store.audit("repair", rows=len(lost), reason="missing sessions")


# --- Deleting what was recorded, for good.

_OF_TASKS = (
    "episodes.purge_task_items",
    "episodes.purge_executions",
    "episodes.purge_interactions",
    "episodes.purge_snapshots",
    "episodes.purge_predictions",
    "episodes.purge_tasks",
)


def purge(store: Store, *, session: str | None, task: str | None) -> int:
    """Delete a session, or a task and its parts, with all rows of theirs; return how many.

    The file overwrites deleted bytes; tombstones keep a merge from bringing the rows back, and an
    import of the same transcript, which knows them by name.
    Raises NotFound, or InvalidInput unless one of the two is named.
    """
    if (session is None) == (task is None):
        raise InvalidInput("purge: give a session or a task, one of the two")
    session = validation.optional(validation.text, session, name="session")
    task = validation.optional(validation.text, task, name="task")

    def work() -> int:
        ids = store.all("episodes.purged_ids", session=session, task=task)
        if not ids:
            raise NotFound(f"no session or task named {session or task}")
        removed = sum(store.run(name, session=session, task=task) for name in _OF_TASKS)
        removed += store.run("episodes.purge_mentions", session=session)
        removed += store.run("episodes.purge_session", session=session)
        now = store.now()
        for number, kind, name in ids:
            store.run("store.add_tombstone", id=number, at=now)
            store.run("store.add_tombstone", id=name_id(kind, name), at=now)
        store.audit("purge", reason="episodes", rows=removed)
        return removed

    return store.write(work)


def purge_unless_later(store: Store, number: int, moment: str) -> bool | None:
    """Delete the session or task with an id, unless it went on after a moment; return whether it is
    gone now, None if there is none."""
    row = store.first("episodes.named_by_id", id=number)
    if row is None:
        return None
    session, task, updated_at = row
    if updated_at > moment:
        return False
    purge(store, session=session, task=task)
    return True

"""Deleting what was recorded, for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import arguments
from ..errors import InvalidInput, NotFound
from ..store.ids import name_id

if TYPE_CHECKING:
    from ..store.connection import Store

_LOCAL = (
    "episodes.purge_executions",
    "episodes.purge_interactions",
    "episodes.purge_snapshots",
    "episodes.purge_predictions",
)


def purge(store: Store, *, session: str | None, task: str | None) -> int:
    """Delete a session, or a task and its parts, with all rows of theirs; return how many.

    The file overwrites deleted bytes; tombstones keep a merge from bringing the rows back, and an
    import of the same transcript, which knows them by name.
    Raises NotFound, or InvalidInput unless one of the two is named.
    """
    if (session is None) == (task is None):
        raise InvalidInput("purge: give a session or a task, one of the two")
    session = arguments.optional(arguments.text, session, name="session")
    task = arguments.optional(arguments.text, task, name="task")

    def work() -> int:
        ids = store.all("episodes.purged_ids", session=session, task=task)
        if not ids:
            raise NotFound(f"no session or task named {session or task}")
        removed = sum(_run(store, name, session, task) for name in _LOCAL)
        removed += store.run("episodes.purge_tasks", session=session, task=task)
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
    found = store.one("episodes.named_by_id", id=number)
    if found is None:
        return None
    session, task, updated_at = found
    if updated_at > moment:
        return False
    purge(store, session=session, task=task)
    return True


def _run(store: Store, name: str, session: str | None, task: str | None) -> int:
    return store.run(name, session=session, task=task)

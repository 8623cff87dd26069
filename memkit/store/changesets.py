"""Changesets: the rows that a piece of work changed, by which it is taken back.

SQLite's session extension writes down the rows of some tables before and after. Inverted and
applied, that brings them back as they were, ids and times included; a row that has changed since is
left alone. Only permanent tables are watched: what is derived is made anew from them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import apsw
import attrs

from ..errors import InvalidInput
from .tables import Table, tables

if TYPE_CHECKING:
    from .store import Store

# What one file keeps for itself: logs, which nothing takes back, and how far derived rows keep up.
_NOT_WATCHED = frozenset(
    "audit change_counters derived_parts local_settings consolidation_runs "
    "consolidation_changes".split()
)
Row = Mapping[str, Any]
RowKey = tuple[str, tuple[Any, ...]]
RowTest = Callable[[str, Row], bool]


@attrs.frozen
class UndoResult:
    """Result of taking a changeset back.

    Attributes:
        rows: how many were brought back. left_alone: those that have changed since, or whose
            memory is gone: table and key. lost: the latter of them.
    """

    rows: int
    left_alone: tuple[RowKey, ...] = ()
    lost: tuple[RowKey, ...] = ()


@lru_cache(maxsize=1)
def is_available() -> bool:
    """Whether this SQLite was built with the session extension."""
    return "ENABLE_SESSION" in apsw.compile_options


def watched_tables() -> tuple[str, ...]:
    """Return the tables whose rows a changeset holds."""
    return tuple(name for name in tables() if name not in _NOT_WATCHED)


def session(connection: apsw.Connection) -> apsw.Session:
    """Return a session that writes down what changes from now on; close it."""
    watching = apsw.Session(connection, "main")
    for name in watched_tables():
        watching.attach(name)
    return watching


def take_back(
    connection: apsw.Connection, changeset: bytes, *, gone: Collection[int]
) -> UndoResult:
    """Bring the rows of a changeset back as they were before it; those that have changed since, or
    hang on one of the memories `gone`, are left alone."""
    left_alone: list[RowKey] = []
    lost: list[RowKey] = []
    total = 0

    def is_possible(change: apsw.TableChange) -> bool:
        nonlocal total
        total += 1
        row = _row(change)
        hangs_on = tables()[change.name].hangs_on if change.name in tables() else ()
        is_lost = any(row.get(column) in gone for column in hangs_on)
        if is_lost:
            lost.append((change.name, _key(change)))
        if is_lost or change.name not in watched_tables():
            left_alone.append((change.name, _key(change)))
            return False
        return True

    def leave_alone(reason: int, change: apsw.TableChange) -> int:
        if reason != apsw.SQLITE_CHANGESET_FOREIGN_KEY:
            left_alone.append((change.name, _key(change)))
        return apsw.SQLITE_CHANGESET_OMIT

    apsw.Changeset.apply(
        _inverse(changeset),
        connection,
        filter_change=is_possible,
        conflict=leave_alone,
    )
    return UndoResult(total - len(left_alone), tuple(left_alone), tuple(lost))


def without(changeset: bytes, is_dropped: RowTest) -> bytes | None:
    """Return a changeset without the rows that fit, None if nothing is left of it."""
    builder = apsw.ChangesetBuilder()  # type: ignore[no-untyped-call]
    is_empty = True
    for change in apsw.Changeset.iter(changeset):
        if not any(is_dropped(change.name, values) for values in _sides(change)):
            builder.add_change(change)
            is_empty = False
    return None if is_empty else bytes(builder.output())


# --- Changesets that lie in the file: what is purged or scrubbed goes from them too.


def drop_rows(store: Store, is_dropped: RowTest) -> int:
    """Remove the rows that fit from every stored changeset; return from how many. A run of which
    nothing is left cannot be undone any more. Inside `write`."""
    changed = 0
    for number, changeset in store.all("store.changesets"):
        try:
            rest = without(changeset, is_dropped)
        except apsw.Error:  # another program wrote it: nobody knows what it holds
            rest = None
        if rest is None or len(rest) < len(changeset):
            store.run("store.set_changeset", id=number, changeset=rest)
            changed += 1
    return changed


def count_rows(store: Store, fits: RowTest) -> int:
    """Return how many rows of stored changesets fit; of one that cannot be read, none do."""
    return sum(_count(changeset, fits) or 0 for _, changeset in store.all("store.changesets"))


def unreadable(store: Store) -> list[int]:
    """Return the runs whose changesets cannot be read, the oldest first: another program wrote
    them, and nobody knows what they hold."""
    rows = store.all("store.changesets")
    return [run for run, changeset in rows if _count(changeset, lambda _name, _row: False) is None]


def is_of(memories: Collection[int]) -> RowTest:
    """Return a test for the rows of these memories, and for those that hang on one of them."""

    def fits(name: str, row: Row) -> bool:
        table = tables().get(name)
        return table is None or any(row.get(column) in memories for column in _ends(table))

    return fits


# -- internals


def _inverse(changeset: bytes) -> bytes:
    """Return the changeset that takes another one back; raises InvalidInput if it cannot be
    read."""
    try:
        return bytes(apsw.Changeset.invert(changeset))
    except apsw.Error:
        raise InvalidInput(
            "the run cannot be undone: another program wrote what would undo it; 'memkit audit' "
            "lists its changes and 'memkit restore' brings single memories back"
        ) from None


def _count(changeset: bytes, fits: RowTest) -> int | None:
    """Return how many rows of a changeset fit, None if it cannot be read."""
    try:
        return sum(
            any(fits(change.name, values) for values in _sides(change))
            for change in apsw.Changeset.iter(changeset)
        )
    except apsw.Error:
        return None


def _ends(table: Table) -> tuple[str, ...]:
    """Return the columns of a table that say whose a row is."""
    own = {"memories": ("id",), "edges": ("src", "dst")}
    return own.get(table.name, table.hangs_on)


def _sides(change: apsw.TableChange) -> list[Row]:
    """Return what a changed row held before and after it; of an update, what differs."""
    return [_named(change, values) for values in (change.old, change.new) if values is not None]


def _named(change: apsw.TableChange, values: tuple[Any, ...]) -> Row:
    """Return the values of one side of a change by their columns; those of an update that stay as
    they are are not in it."""
    columns = tables()[change.name].columns if change.name in tables() else ()
    return {
        name: value
        for name, value in zip(columns, values, strict=False)
        if value is not apsw.no_change
    }


def _row(change: apsw.TableChange) -> Row:
    return {name: value for side in _sides(change) for name, value in side.items()}


def _key(change: apsw.TableChange) -> tuple[Any, ...]:
    row = _row(change)
    table = tables().get(change.name)
    return tuple(row[name] for name in table.key if name in row) if table else ()

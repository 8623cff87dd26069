"""Integrity: problems of a check, and recovery of readable rows from a damaged file."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from ..errors import StoreDamaged
from ..frozen import frozen
from . import schema
from .connection import connect
from .lifecycle import BUSY_TIMEOUT
from .sqlite_errors import FAULTS, mapped
from .tables import piecewise, tables

if TYPE_CHECKING:
    from .store import Row


# --- Problems found by a check, each with its remedy.


@frozen
class Problem:
    """One thing that is not as it should be.

    Attributes:
        name: stable word, such as full_text or orphan_edges.
        detail: what was found, with numbers.
        mended: whether this check put it right.
    """

    name: str
    detail: str
    mended: bool = False


@frozen
class CheckReport:
    """The result of a check."""

    problems: tuple[Problem, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong (any more)."""
        return all(problem.mended for problem in self.problems)


# --- Recovery of a damaged file: every row that does not lie on a broken page.
#
# A file that was copied in part is read as far as it goes. A table is walked from both ends up to
# the damage. Between them rows are asked for one by one, by the keys that the table's indexes
# hold; a key whose row cannot be read is counted as lost.


class Recovery:
    """A damaged file, opened for reading only; gives an archive its rows as a store does.

    Raises StoreDamaged if not even the list of tables can be read.

    Attributes:
        lost: rows that could not be read, by table; 0 if it is not known how many they are.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.parent.resolve() / path.name
        self.lost: dict[str, int] = {}
        self._connection = self._connect()

    def snapshot(self) -> AbstractContextManager[None]:
        """Nothing is held: the file is only read, and nobody should be writing to it."""
        return nullcontext()

    def records(self, name: str, /) -> list[dict[str, Any]]:
        """Return the rows of `tables.<table>_rows` that can be read, in the order of their keys."""
        table = tables()[name.removeprefix("tables.").removesuffix("_rows")]
        reading = piecewise(table.name)
        places = [table.columns.index(column) for column in table.key]
        rows: dict[Row, Row] = {}
        if not self._collect(reading.forwards, rows, places):
            self._collect(reading.backwards, rows, places)
            named: dict[Row, Row] = {}
            counted = [self._collect(keys, named, range(len(table.key))) for keys in reading.keys]
            missed = named.keys() - rows.keys()
            rows |= {key: row for key in missed if (row := self._row(reading.by_key, key))}
            # Of indexes that broke off as well nobody knows how many rows they held.
            self.lost[table.name] = len(named.keys() - rows.keys()) if any(counted) else 0
        return [dict(zip(table.columns, rows[key], strict=True)) for key in sorted(rows)]

    def close(self) -> None:
        """Close the file."""
        self._connection.close(force=True)

    # -- internals

    def _connect(self) -> apsw.Connection:
        try:
            with mapped(self.path):
                connection = connect(
                    self.path, readonly=True, busy_timeout=BUSY_TIMEOUT, damaged=True
                )
                version = schema.identify(connection, self.path)
        except StoreDamaged:
            raise StoreDamaged(
                f"{self.path}: not even the list of its tables can be read; restore it from git"
            ) from None
        if version != schema.reference().version:
            raise StoreDamaged(
                f"{self.path}: is damaged, and of schema {version}, whose rows this memkit "
                f"(schema {schema.reference().version}) cannot save; restore it from git"
            )
        return connection

    def _row(self, sql: str, key: Row) -> Row | None:
        try:
            return next(self._connection.execute(sql, key), None)
        except FAULTS:
            return None

    def _collect(self, sql: str, rows: dict[Row, Row], places: Sequence[int]) -> bool:
        """Put the rows of a query into `found` by their keys; False if it broke off."""
        try:
            for row in self._connection.execute(sql):
                rows[tuple(row[place] for place in places)] = row
        except FAULTS:
            return False
        return True

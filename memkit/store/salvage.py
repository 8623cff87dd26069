"""What can still be read of a damaged file: every row that does not lie on a broken page.

A table is walked from both ends up to the damage. Between them rows are asked for one by one, by
the keys that the table's indexes hold; a key whose row cannot be read is counted as lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import apsw

from ..errors import StoreDamaged
from . import opening, schema
from .faults import FAULTS, mapped
from .openfile import BUSY_TIMEOUT
from .tables import Table, tables

Row = tuple[Any, ...]


class Salvage:
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

    def records(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of `tables.<table>_rows` that can be read, in the order of their keys."""
        table = tables()[name.removeprefix("tables.").removesuffix("_rows")]
        found, is_whole = self._walk(table, order="asc")
        if not is_whole:
            found |= self._walk(table, order="desc")[0]
            named = self._named(table) - found.keys()
            single = {key: row for key in named if (row := self._row(table, key)) is not None}
            found |= single
            self.lost[table.name] = len(named) - len(single)
        return [dict(zip(table.columns, found[key], strict=True)) for key in sorted(found)]

    def close(self) -> None:
        """Close the file."""
        self._connection.close(force=True)

    # -- inside

    def _connect(self) -> apsw.Connection:
        try:
            with mapped(self.path):
                connection = opening.connect(self.path, readonly=True, busy_timeout=BUSY_TIMEOUT)
                # One bad cell is no reason to give up the others of its page.
                connection.pragma("cell_size_check", 0)
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

    def _walk(self, table: Table, *, order: str) -> tuple[dict[Row, Row], bool]:
        """Return the rows by key from one end up to the damage, and whether there was none."""
        keys = ", ".join(f"{name} {order}" for name in table.key)
        sql = f"select {', '.join(table.columns)} from {table.name} order by {keys}"  # noqa: S608
        places = [table.columns.index(name) for name in table.key]
        found: dict[Row, Row] = {}
        return found, self._collect(sql, found, places)

    def _named(self, table: Table) -> set[Row]:
        """Return the keys that the indexes of a table hold, as far as these can be read."""
        found: dict[Row, Row] = {}
        keys = ", ".join(table.key)
        for index in self._indexes(table):
            sql = f'select {keys} from {table.name} indexed by "{index}"'  # noqa: S608
            self._collect(sql, found, range(len(table.key)))
        return set(found)

    def _row(self, table: Table, key: Row) -> Row | None:
        same = " and ".join(f"{name} = ?" for name in table.key)
        sql = f"select {', '.join(table.columns)} from {table.name} where {same}"  # noqa: S608
        try:
            return next(self._connection.execute(sql, key), None)
        except FAULTS:
            return None

    def _indexes(self, table: Table) -> list[str]:
        sql = f'pragma index_list("{table.name}")'
        return [row[1] for row in self._connection.execute(sql)]

    def _collect(self, sql: str, found: dict[Row, Row], places: Sequence[int]) -> bool:
        """Put the rows of a query into `found` by their keys; False if it broke off, or could not
        begin: a partial index cannot be walked as a whole."""
        try:
            for row in self._connection.execute(sql):
                found[tuple(row[place] for place in places)] = row
        except FAULTS:
            return False
        return True

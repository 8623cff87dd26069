"""Cells that memkit cannot have written: how such values are read, found and mended.

In the sqlite3 shell a row gets any value that its column's type and checks let in: bytes that are
no UTF-8, "soon" as a time, infinity. One such cell must not take the rest of the file with it: text
is read with a sign for what cannot be read, `check` names the row, and its repair puts a value
there that memkit can read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from .. import validation
from ..errors import InvalidInput
from . import timestamps
from .ids import id_time
from .table_queries import Table, tables

if TYPE_CHECKING:
    from .store import Row, Store

# Columns that hold times, beside those whose names end in "_at".
TIMES = frozenset({"at", "valid_from", "valid_to", "timestamp", "first_seen", "last_seen"})


# Tables whose times are looked after by those who fill them.
_OWN_TIMES = frozenset(
    "usage sessions task_history tool_executions file_interactions context_snapshots "
    "learned_patterns session_learnings".split()
)


class BrokenText(str):
    """Text of a row that is no UTF-8, with a sign for what cannot be read.

    Attributes:
        raw: the bytes as they lie in the file.
    """

    __slots__ = ("raw",)
    raw: bytes

    @classmethod
    def of(cls, raw: bytes) -> BrokenText:
        """Return the text that is read from bytes."""
        text = cls(raw.decode("utf-8", "replace"))
        text.raw = raw
        return text


def tolerant_rows(
    connection: apsw.Connection, sql: str, params: Mapping[str, Any]
) -> tuple[list[str], list[Row]]:
    """Return the column names and rows of a query, some texts of which are no UTF-8."""
    cursor = connection.execute(sql, params)
    names = [column[0] for column in cursor.description]
    cursor.close()
    cells = [f"c{number}" for number in range(len(names))]
    read = ", ".join(
        f"iif(typeof({cell}) = 'text', cast({cell} as blob), {cell}), typeof({cell}) = 'text'"
        for cell in cells
    )
    # The query is one of memkit's own; it stays as it is inside.
    query = sql.strip().rstrip(";")
    whole = f"with t({', '.join(cells)}) as materialized (\n{query}\n) select {read} from t"  # noqa: S608
    rows = connection.execute(whole, params)
    return names, [tuple(map(_value, row[::2], row[1::2])) for row in rows]


def _value(value: Any, is_text: int) -> Any:
    if not is_text:
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return BrokenText.of(value)


# --- Faults of cells: found in every permanent table, and mended.


class CellFault(NamedTuple):
    """A cell that memkit cannot have written.

    Attributes:
        row: as it stands, read as far as it can be. reason: what is wrong with it, in words.
        value: what a repair puts there.
    """

    table: Table
    row: Mapping[str, Any]
    column: str
    reason: str
    value: object

    @property
    def where(self) -> str:
        """The row and column, as a person looks for them."""
        key = ", ".join(f"{name} {self.row[name]}" for name in self.table.key)
        row = f"memory {self.row['id']}" if self.table.name == "memories" else key
        return f"{self.table.name}.{self.column} of {row}"


def cell_faults(store: Store) -> Iterator[CellFault]:
    """Yield each cell of the permanent tables that memkit cannot have written."""
    for table in tables().values():
        columns = [name for name in table.columns if table.types[name] != "integer"]
        for row in store.records(f"tables.{table.name}_rows"):
            for name in columns:
                if row[name] is not None and (fault := _fault(store, table, row, name)) is not None:
                    yield fault


def mend_cell(store: Store, fault: CellFault) -> bool:
    """Put a value there that memkit can read; return whether that was possible. Inside `write`."""
    table, row = fault.table, dict(fault.row)
    keys = {f"former_{name}": getattr(row[name], "raw", row[name]) for name in table.key}
    row[fault.column] = fault.value
    done = store.run(f"tables.{table.name}_mend", **row, **keys) > 0
    if done:
        memory = row["id"] if table.name == "memories" else None
        store.audit("repair", memory, cell=fault.where, reason=fault.reason)
    return done


def _fault(store: Store, table: Table, row: Mapping[str, Any], name: str) -> CellFault | None:
    value = row[name]
    if name.endswith("_at") or name in TIMES:
        return _time_fault(store, table, row, name)
    if isinstance(value, BrokenText):
        return CellFault(table, row, name, "is no UTF-8", str(value))
    if isinstance(value, float):
        if math.isfinite(value):
            return None
        return CellFault(table, row, name, "is no finite number", table.defaults.get(name, 0.0))
    if name in table.json_columns and not validation.is_json(value):
        default = table.defaults.get(name, "null")
        return CellFault(table, row, name, "is no JSON", default)
    return None


def _time_fault(store: Store, table: Table, row: Mapping[str, Any], name: str) -> CellFault | None:
    value = row[name]
    if table.name in _OWN_TIMES or not (value or table.name == "memories"):
        return None  # elsewhere none is as good as unknown
    with suppress(InvalidInput):
        timestamps.normalise(value)
        return None
    right = None
    if name in table.needed:
        number = row.get("id", row.get("memory_id"))
        right = store.now() if number is None else id_time(abs(number), now=store.clock())
    return CellFault(table, row, name, f"is {value[:40]!r}, which is no time", right)

"""Permanent tables: their generated row queries, and what a cell of one may hold.

Export, import and scrub treat all tables alike. Their statements would be two dozen copies of the
column lists; they are derived here from memkit's own schema files instead, never from the file
that is open.

In the sqlite3 shell a row gets any value that its column's type and checks let in: bytes that are
no UTF-8, "soon" as a time, infinity. One such cell must not take the rest of the file with it: text
is read with a sign for what cannot be read, `check` names the row, and its repair puts a value
there that memkit can read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from .. import validation
from ..errors import InvalidInput, StoreError
from ..text.patterns import lazy_pattern
from . import timestamps
from .ids import id_time
from .named_queries import Query, load_queries
from .schema import in_memory, reference, run_script

if TYPE_CHECKING:
    from .store import Row, Store


_KIND = lazy_pattern(r"\(\s*--\s*(shared|local|derived):")
_JSON = lazy_pattern(r"json_valid\((\w+)\)")
_HANGS_ON = """
    select "from" from pragma_foreign_key_list(?) where "table" = 'memories' order by seq, id desc
"""

_INDEXES = "select name from pragma_index_list(?) where origin <> 'pk' and not partial order by seq"


class Table(NamedTuple):
    """One table of the schema files.

    Attributes:
        kind: shared, local or derived. json_columns: columns that hold JSON. defaults: values of
            columns that need not be given. hangs_on: columns that name a memory it hangs on.
        indexes: those that hold every row. types: of each column. needed: columns never null.
    """

    name: str
    kind: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    json_columns: frozenset[str]
    defaults: Mapping[str, object]
    hangs_on: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    types: Mapping[str, str] = MappingProxyType({})
    needed: frozenset[str] = frozenset()


@lru_cache(maxsize=1)
def tables() -> Mapping[str, Table]:
    """Return the permanent tables in the order in which their rows may be written."""
    with in_memory(reference().steps) as memory:
        rows = memory.execute(
            "select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite_%' "
            "order by rowid"
        )
        return {name: _table(memory, name, sql) for name, sql in list(rows)}


@lru_cache(maxsize=1)
def table_queries() -> Mapping[str, Query]:
    """Return `rows`, `put`, `mend`, `drop` and, where rows hang on a memory, `orphans` for each
    permanent table, named `tables.<table>_<verb>`."""
    return {query.name: query for table in tables().values() for query in _queries(table)}


class Reading(NamedTuple):
    """Statements that read a table piece by piece: from either end, one row by its key, and the
    keys that its indexes hold."""

    forwards: str
    backwards: str
    by_key: str
    keys: tuple[str, ...]


@cache
def piecewise(name: str) -> Reading:
    """Return how the rows of a table are read where some cannot be."""
    table = tables()[name]
    columns, key = ", ".join(table.columns), ", ".join(table.key)
    same = " and ".join(f"{column} = ?" for column in table.key)
    down = ", ".join(f"{column} desc" for column in table.key)
    # Every name is one of memkit's own, from its schema files.
    rows = f"select {columns} from {name}"  # noqa: S608
    return Reading(
        forwards=f"{rows} order by {key}",
        backwards=f"{rows} order by {down}",
        by_key=f"{rows} where {same}",
        keys=tuple(f"select {key} from {name} indexed by {i}" for i in table.indexes),  # noqa: S608
    )


def upgraded_rows(
    version: int, rows: Mapping[str, Iterable[Mapping[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    """Return rows of the tables of schema `version` as they stand after its upgrade, by today's
    tables. Rows that those tables would not have held are left out."""
    with in_memory(reference().steps[:version]) as memory:
        for name, records in rows.items():
            columns = [row[1] for row in memory.pragma("table_info", name)]
            values = ", ".join(f":{column}" for column in columns)
            # Every name is one of memkit's own, from its schema files.
            put = f"insert into {name} ({', '.join(columns)}) values ({values})"  # noqa: S608
            for record in records:
                with suppress(apsw.Error, TypeError, ValueError, OverflowError):
                    memory.execute(put, dict(record))
        for step in reference().steps[version:]:
            run_script(memory, step)
        return {name: _all_rows(memory, table) for name, table in tables().items()}


def _all_rows(memory: apsw.Connection, table: Table) -> list[dict[str, Any]]:
    rows = memory.execute(table_queries()[f"tables.{table.name}_rows"].sql)
    return [dict(zip(table.columns, row, strict=True)) for row in rows]


def reading_queries() -> dict[str, Query]:
    """Return every named query that only reads."""
    queries = {**load_queries(), **table_queries()}
    return {name: query for name, query in queries.items() if query.is_read_only}


def _table(memory: apsw.Connection, name: str, sql: str) -> Table:
    kind = _KIND.search(sql)
    if not kind:
        raise StoreError(
            f"sql/schema: table {name} does not say its kind; begin it with '-- shared:'"
        )
    info = list(memory.pragma("table_info", name))
    return Table(
        name=name,
        kind=kind[1],
        columns=tuple(row[1] for row in info),
        key=tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]),
        json_columns=frozenset(_JSON.findall(sql)),
        defaults={row[1]: _literal(memory, row[4]) for row in info if row[4] or not row[3]},
        types={row[1]: row[2].lower() for row in info},
        needed=frozenset(row[1] for row in info if row[3] or row[5]),
        hangs_on=tuple(column for (column,) in memory.execute(_HANGS_ON, (name,))),
        indexes=tuple(index for (index,) in memory.execute(_INDEXES, (name,))),
    )


def _literal(memory: apsw.Connection, text: str | None) -> object:
    """Return the value of a default as it stands in our own schema files."""
    return None if text is None else next(memory.execute(f"select {text}"))[0]


def _queries(table: Table) -> Iterator[Query]:
    columns, key = ", ".join(table.columns), ", ".join(table.key)
    values = ", ".join(f":{name}" for name in table.columns)
    rest = [name for name in table.columns if name not in table.key]
    change = (
        f"do update set {', '.join(f'{n} = excluded.{n}' for n in rest)}" if rest else "do nothing"
    )
    same = " and ".join(f"{name} = :{name}" for name in table.key)
    # Every name below is one of memkit's own, from its schema files.
    read = f"select {columns} from {table.name} order by {key}"  # noqa: S608
    put = f"insert into {table.name} ({columns}) values ({values}) on conflict ({key}) {change}"  # noqa: S608
    drop = f"delete from {table.name} where {same}"  # noqa: S608
    yield Query(f"tables.{table.name}_rows", (), f"Every row of {table.name}.", read, "schema")
    yield Query(f"tables.{table.name}_put", table.columns, "Write one whole row.", put, "schema")
    # By its bytes a row is also found whose key is no text.
    former = tuple(f"former_{name}" for name in table.key)
    place = " and ".join(f"cast({n} as blob) = cast(:former_{n} as blob)" for n in table.key)
    changes = ", ".join(f"{name} = :{name}" for name in table.columns)
    mend = f"update or ignore {table.name} set {changes} where {place}"  # noqa: S608
    params = (*table.columns, *former)
    yield Query(f"tables.{table.name}_mend", params, "Write a row anew.", mend, "schema")
    yield Query(f"tables.{table.name}_drop", table.key, "Remove one row.", drop, "schema")
    if table.hangs_on:
        gone = " or ".join(
            f"{name} not in (select id from memories)"  # noqa: S608
            for name in table.hangs_on
        )
        lost = f"select {key} from {table.name} where {gone} order by {key}"  # noqa: S608
        about = f"Keys of the rows of {table.name} whose memory is gone."
        yield Query(f"tables.{table.name}_orphans", (), about, lost, "schema")


# --- Cells that memkit cannot have written: how such values are read, found and mended.

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

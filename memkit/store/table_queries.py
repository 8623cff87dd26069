"""Generated row queries of every permanent table (export, import, scrub).

Export, import and scrub treat all tables alike. Their statements would be two dozen copies of the
column lists; they are derived here from memkit's own schema files instead, never from the file
that is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import apsw

from ..errors import StoreError
from ..text.patterns import lazy_pattern
from .named_queries import Query, load_queries
from .schema import in_memory, reference, run_script

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

"""The export format: JSON Lines, a header and one line for each permanent row.

The same rows give the same bytes: tables in the order of the schema, rows in the order of their
keys, columns in the order of the table. A file is read and checked as a whole before anything of it
is used.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

import attrs

from ..errors import InvalidInput, SchemaTooNew
from ..safety import quoted
from ..store.schema import reference
from ..store.tables import Table, tables
from .precedence import Row


class RowSource(Protocol):
    """What an archive is made from: a store, or what can still be read of a damaged one."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """Let all that is read inside be of one state of the file."""
        ...

    def records(self, name: str, /) -> list[dict[str, Any]]:
        """Return the rows of a query without parameters."""
        ...


FORMAT = 1
# Bookkeeping of one file, which means nothing in another.
_OWN = frozenset({"derived_parts", "reconciled"})
_BYTES = "$base64"
# Columns that hold the id of a memory, beside `memory_id`.
_REFERENCES: Mapping[str, tuple[str, ...]] = {
    "memories": ("id", "superseded_by"),
    "edges": ("src", "dst"),
    "contradictions": ("memory_a", "memory_b"),
    "tombstones": ("id",),
    "surfaced_beside": (),  # memories of another file
}
_SWAPPED = {"a_wins": "b_wins", "b_wins": "a_wins"}


@attrs.frozen
class Line:
    """One row of an archive and the number of its line."""

    number: int
    row: Row


@attrs.frozen
class Archive:
    """A file that was read: rows by table, in the order in which they may be written."""

    name: str
    local: bool
    lines: Mapping[str, tuple[Line, ...]]


def archived_tables(*, local: bool) -> list[Table]:
    """Return the tables that an archive holds, those that others refer to first."""
    return [
        table
        for table in tables().values()
        if table.kind == "shared" or (local and table.name not in _OWN)
    ]


def memory_columns(table: str) -> tuple[str, ...]:
    """Return the columns of a table that hold ids of memories."""
    if table in _REFERENCES:
        return _REFERENCES[table]
    return tuple(name for name in tables()[table].columns if name == "memory_id")


def in_order(table: str, row: Row) -> Row:
    """Return a row with the two memories of a contradiction in the order of their numbers."""
    if table != "contradictions" or row["memory_a"] <= row["memory_b"]:
        return row
    resolution = _SWAPPED.get(row["resolution"], row["resolution"])
    ends = {"memory_a": row["memory_b"], "memory_b": row["memory_a"]}
    return {**row, **ends, "resolution": resolution}


def lines(store: RowSource, *, local: bool) -> Iterator[str]:
    """Yield the lines of an archive of the store, each with its line end.

    Private memories and what hangs on them are local: they come only with `local`.
    """
    with store.snapshot():
        chosen = archived_tables(local=local)
        rows = {table.name: store.records(f"tables.{table.name}_rows") for table in chosen}
    if not local:
        hidden = {row["id"] for row in rows["memories"] if row["private"]}
        rows = {name: [r for r in found if _shown(name, r, hidden)] for name, found in rows.items()}
        _forget_unnamed(rows)
    header = {
        "memkit": "export",
        "format": FORMAT,
        "schema": reference().version,
        "local": local,
        "rows": sum(map(len, rows.values())),
    }
    yield _line(header)
    for name, found in rows.items():
        for row in found:
            yield _line({"table": name, "row": {k: _outward(v) for k, v in row.items()}})


def is_archive(text: str) -> bool:
    """Whether a text begins as an archive does."""
    return text.lstrip("\ufeff \r\n\t").startswith('{"memkit"')


def read(text: str, *, name: str) -> Archive:
    """Return the archive that a text holds.

    Raises InvalidInput that names the line that is damaged or unknown, or SchemaTooNew.
    """
    numbered = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not numbered:
        raise InvalidInput(f"{name}: is empty; expected a file written by 'memkit export'")
    header = _header(_parsed(*numbered[0], name), name)
    known = {table.name: table for table in archived_tables(local=True)}
    found: dict[str, list[Line]] = {table: [] for table in known}
    for number, line in numbered[1:]:
        table, row = _row(_parsed(number, line, name), known, f"{name} line {number}")
        found[table].append(Line(number, row))
    count = len(numbered) - 1
    if count < header["rows"]:
        raise InvalidInput(
            f"{name}: ends after {count} of {header['rows']} rows; the file was cut off: export it "
            "again, or put the number of rows that are left into its first line"
        )
    return Archive(name, header["local"], {t: tuple(rows) for t, rows in found.items()})


# -- inside


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _shown(table: str, row: Row, hidden: set[int]) -> bool:
    return not any(row[c] in hidden for c in memory_columns(table) if c != "superseded_by")


def _forget_unnamed(rows: Mapping[str, list[Row]]) -> None:
    """Let go of what only hidden memories used: their tags, and that they replaced another."""
    there = {row["id"] for row in rows["memories"]}
    for row in rows["memories"]:
        if row["superseded_by"] not in there:
            row["superseded_by"] = None
    used = {row["dst"] for row in rows["edges"]}
    kept = [row for row in rows["tags"] if row["id"] in used or row["description"] is not None]
    rows["tags"][:] = kept


def _outward(value: Any) -> Any:
    return {_BYTES: base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _inward(value: Any, place: str) -> Any:
    if isinstance(value, dict) and value.keys() == {_BYTES}:
        try:
            return base64.b64decode(str(value[_BYTES]), validate=True)
        except ValueError as error:
            raise InvalidInput(f"{place}: {_BYTES} holds no bytes ({error})") from None
    if isinstance(value, bool | dict | list):
        raise InvalidInput(f"{place}: found {quoted(value)}, expected a number or a text")
    return value


def _parsed(number: int, line: str, name: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(
            f"{name} line {number}: is damaged or cut off ({error}); nothing was imported: "
            "export the file again or remove the line"
        ) from None
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} line {number}: found {quoted(line)}, expected a JSON object")
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _header(found: Mapping[str, Any], name: str) -> Row:
    schema = reference().version
    numbers = [found.get("format"), found.get("schema", 0), found.get("rows", 0)]
    if found.get("memkit") != "export" or not all(isinstance(n, int) for n in numbers):
        raise InvalidInput(f"{name} line 1: is no header of 'memkit export'; export the file again")
    if found["format"] > FORMAT or found.get("schema", 0) > schema:
        raise SchemaTooNew(
            f"{name}: written with format {found['format']}, schema {found.get('schema')}; this "
            f"memkit knows up to format {FORMAT}, schema {schema}: upgrade memkit "
            "(nothing was imported)"
        )
    return {"local": found.get("local") is True, "rows": found.get("rows", 0)}


def _row(found: Mapping[str, Any], known: Mapping[str, Table], place: str) -> tuple[str, Row]:
    name, row = found.get("table"), found.get("row")
    table = known.get(name) if isinstance(name, str) else None
    if table is None or not isinstance(row, dict):
        raise InvalidInput(
            f"{place}: table {quoted(name)} is unknown; there are {', '.join(known)} "
            "(nothing was imported)"
        )
    if unknown := row.keys() - set(table.columns):
        raise InvalidInput(
            f"{place}: {table.name} has no column {min(unknown)!r}; there are "
            f"{', '.join(table.columns)} (nothing was imported)"
        )
    values = {
        n: _inward(row[n], place) if n in row else table.defaults.get(n) for n in table.columns
    }
    if needed := [n for n in table.columns if values[n] is None and n not in table.defaults]:
        raise InvalidInput(f"{place}: {table.name} row without {needed[0]} (nothing was imported)")
    return table.name, values

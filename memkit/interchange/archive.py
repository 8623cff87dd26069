"""JSON Lines export and parsing, row sanitising."""

from __future__ import annotations

import base64
import contextlib
import errno
import io
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, Protocol

import attrs

from .. import redaction, tokens, validation
from ..errors import InvalidInput, SchemaTooNew, StoreFull, StoreReadOnly
from ..memories import ingest
from ..memories.identity import fact_name, known_by, text_hash
from ..memories.ingest import (
    hash_of,
    json_text,
    kind_with_triggers,
    safe_text,
    value_without_secret,
)
from ..redaction import quoted
from ..store import timestamps
from ..store.schema import reference
from ..store.tables import TIMES, Table, tables, upgraded_rows
from ..validation import shown
from .precedence import Row

# --- The export format: JSON Lines, a header and one line for each permanent row.
#
# The same rows give the same bytes: tables in the order of the schema, rows in the order of their
# keys, columns in the order of the table. A file is read and checked as a whole before anything
# of it is used.


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
_OWN = frozenset(
    {"derived_parts", "change_counters", "consolidation_runs", "consolidation_changes"}
)
_BYTES = "$base64"
# Columns that hold the id of a memory, beside `memory_id`.
_REFERENCES: Mapping[str, tuple[str, ...]] = {
    "memories": ("id", "superseded_by"),
    "edges": ("src", "dst"),
    "contradictions": ("memory_a", "memory_b"),
    "pair_verdicts": ("memory_a", "memory_b"),
    "tombstones": ("id",),
    "surfaced_global": (),  # memories of another file
}
# Tables about two memories, the older one first, and the columns that say which of them wins.
_PAIRS: Mapping[str, tuple[str, ...]] = {
    "contradictions": ("resolution", "proposed"),
    "pair_verdicts": (),
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
    """Return a row about two memories with them in the order of their numbers."""
    if table not in _PAIRS or row["memory_a"] <= row["memory_b"]:
        return row
    ends = {"memory_a": row["memory_b"], "memory_b": row["memory_a"]}
    winners = {name: _SWAPPED.get(row[name], row[name]) for name in _PAIRS[table]}
    return {**row, **ends, **winners}


def lines(store: RowSource, *, local: bool) -> Iterator[str]:
    """Yield the lines of an archive of the store, each with its line end.

    Private memories and what hangs on them are local: they come only with `local`.
    """
    with store.snapshot():
        chosen = archived_tables(local=local)
        rows = {table.name: store.records(f"tables.{table.name}_rows") for table in chosen}
    if not local:
        hidden = {row["id"] for row in rows["memories"] if row["private"]}
        rows = {
            name: [r for r in records if _shown(name, r, hidden)] for name, records in rows.items()
        }
        _forget_unnamed(rows)
    header = {
        "memkit": "export",
        "format": FORMAT,
        "schema": reference().version,
        "local": local,
        "rows": sum(map(len, rows.values())),
    }
    yield _line(header)
    for name, records in rows.items():
        for row in records:
            yield _line({"table": name, "row": row})


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
    by_table: dict[str, list[Line]] = {table: [] for table in known}
    is_old = header["schema"] <= _LAST_WITH_PROSE
    for number, line in numbered[1:]:
        record = _parsed(number, line, name)
        table, row = _row(_renamed(record) if is_old else record, known, f"{name} line {number}")
        by_table[table].append(Line(number, row))
    if is_old:
        _add_state(by_table)
    count = len(numbered) - 1
    if count < header["rows"]:
        raise InvalidInput(
            f"{name}: ends after {count} of {header['rows']} rows; the file was cut off: export it "
            "again, or put the number of rows that are left into its first line"
        )
    return Archive(name, header["local"], {t: tuple(rows) for t, rows in by_table.items()})


# -- internals


def _add_state(by_table: dict[str, list[Line]]) -> None:
    """Add the rows of state that stood in the texts of an older archive, each under the line of
    its memory."""
    rows = {name: [line.row for line in lines] for name, lines in by_table.items()}
    numbers = {line.row["id"]: line.number for line in by_table["memories"]}
    for name, made in _state_of_prose(rows).items():
        by_table[name] += [Line(numbers[row["memory_id"]], row) for row in made]


def _line(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_outward)
    return text + "\n"


def _outward(value: object) -> dict[str, str]:
    """Return bytes as JSON can say them."""
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__}: an archive holds texts, numbers and bytes")
    return {_BYTES: base64.b64encode(value).decode()}


def _shown(table: str, row: Row, hidden: set[int]) -> bool:
    return not any(row[c] in hidden for c in memory_columns(table) if c != "superseded_by")


def _forget_unnamed(rows: Mapping[str, list[Row]]) -> None:
    """Let go of what only hidden memories used: their tags, and that they replaced another."""
    there = {row["id"] for row in rows["memories"]}
    for row in rows["memories"]:
        if row["superseded_by"] not in there:
            row["superseded_by"] = None
    used = {row["dst"] for row in rows["edges"]}
    tags = [row for row in rows["tags"] if row["id"] in used or row["description"] is not None]
    rows["tags"][:] = tags


def _inward(value: Any, place: str) -> Any:
    if isinstance(value, dict) and value.keys() == {_BYTES}:
        try:
            return base64.b64decode(str(value[_BYTES]), validate=True)
        except ValueError as error:
            raise InvalidInput(f"{place}: {_BYTES} holds no bytes ({error})") from None
    if isinstance(value, bool | dict | list):
        raise InvalidInput(f"{place}: found {quoted(value)}, expected a number or a text")
    return value


def _parsed(number: int, line: str, name: str) -> dict[str, Any]:
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


def _header(header: Mapping[str, Any], name: str) -> Row:
    schema = reference().version
    numbers = [header.get("format"), header.get("schema", 0), header.get("rows", 0)]
    if header.get("memkit") != "export" or not all(isinstance(n, int) for n in numbers):
        raise InvalidInput(f"{name} line 1: is no header of 'memkit export'; export the file again")
    if header["format"] > FORMAT or header.get("schema", 0) > schema:
        raise SchemaTooNew(
            f"{name}: written with format {header['format']}, schema {header.get('schema')}; this "
            f"memkit knows up to format {FORMAT}, schema {schema}: upgrade memkit "
            "(nothing was imported)"
        )
    rows, version = header.get("rows", 0), header.get("schema", 0)
    return {"local": header.get("local") is True, "rows": rows, "schema": version}


def _row(record: Mapping[str, Any], known: Mapping[str, Table], place: str) -> tuple[str, Row]:
    name, row = record.get("table"), record.get("row")
    table = known.get(name) if isinstance(name, str) else None
    if table is not None and not isinstance(row, dict):
        shown = quoted(json.dumps(row, ensure_ascii=False), limit=60)
        raise InvalidInput(
            f"{place}: row: found {shown}, expected a JSON object of columns (nothing was imported)"
        )
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


# --- Archives of older schemas: their rows as the tables of today hold them.
#
# Up to schema 4 some tables had other names, and state stood in texts. What the upgrade of a file
# makes of that is made of an archive too, by the same SQL.

# The last schema whose state stood in texts.
_LAST_WITH_PROSE = 4
# Tables by their former names, and what their columns were called.
_FORMER_NAMES: dict[str, tuple[str, dict[str, str]]] = {
    "wordings": ("paraphrases", {"wording_hash": "text_hash"}),
    "surfaced_beside": ("surfaced_global", {}),
    "mentions": ("mentions", {"place": "position"}),
}
# Tables whose texts are read, those that are filled from them, and the columns that are.
_TEXTS = ("memories", "provenance", "contradictions")
_FILLED = ("memory_aliases", "memory_revisions", "source_readings")
_COLUMNS = {
    "memories": (("id",), "inactive_code"),
    "contradictions": (("memory_a", "memory_b"), "origin"),
}


def _renamed(record: dict[str, Any]) -> dict[str, Any]:
    """Return a line of an archive with today's names of its table and its columns."""
    name, row = record.get("table"), record.get("row")
    if not isinstance(name, str) or not isinstance(row, dict) or name not in _FORMER_NAMES:
        return record
    table, columns = _FORMER_NAMES[name]
    return {"table": table, "row": {columns.get(column, column): row[column] for column in row}}


def _state_of_prose(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Return the rows that tables of state hold after an upgrade, by table; those of `memories`
    and `contradictions` are set on the given rows."""
    upgraded = upgraded_rows(_LAST_WITH_PROSE, {name: rows[name] for name in _TEXTS})
    for name, (key, column) in _COLUMNS.items():
        states = {tuple(row[k] for k in key): row[column] for row in upgraded[name]}
        for row in rows[name]:
            row[column] = states.get(tuple(row[k] for k in key), row[column])
    return {name: upgraded[name] for name in _FILLED}


# --- Rows that come from outside, made such as `remember` would have written them.
#
# Secrets become markers, times get the stored form, and what is computed from a text (hashes,
# token counts) is computed anew, never believed.

_SORTS: Mapping[str, tuple[Any, str]] = {
    "text": (str, "a text"),
    "integer": (int, "a whole number"),
    "real": (int | float, "a number"),
}
_BEYOND = 1 << 63
# Compared letter by letter, so kept in one normal form.
_NAMES = frozenset({"project", "session_id", "task_id", "source"})
_COUNTED = {
    "text": "tokens",
    "summary": "summary_tokens",
    "compressed": "compressed_tokens",
    "index_entry": "index_tokens",
}


def clean_row(table: Table, row: dict[str, Any], redacted: Counter[str]) -> dict[str, Any]:
    """Return a row as it may be stored; the kinds of secrets found are added to `redacted`.

    Raises InvalidInput for a value of another sort than its column, a time or JSON that cannot be
    read, or an id that is none.
    """
    sorted_ = {name: _of_its_sort(table, name, value) for name, value in row.items()}
    clean = {name: _value(table, name, value, redacted) for name, value in sorted_.items()}
    if clean.get("key") and isinstance(clean.get("value"), str) and table.name == "memories":
        kinds: list[str] = []
        clean["value"] = value_without_secret(str(clean["key"]), clean["value"], kinds)
        redacted.update(kinds)
    for name in table.key:
        if name in ("id", "memory_id", "former_id") and not _is_id(clean[name], table.name):
            raise InvalidInput(f"{name}: {clean[name]!r} is no id")
    if table.name == "memories":
        for text, count in _COUNTED.items():
            clean[count] = None if clean[text] is None else tokens.count(str(clean[text]))
        ingest.check_shape(clean)
        if json.loads(clean["trigger_patterns"]):
            clean["kind"] = kind_with_triggers(str(clean["kind"]))
        clean["content_hash"] = hash_of(clean)
    elif table.name == "paraphrases":
        clean["text_hash"] = text_hash(str(clean["text"]))
    return clean


def _of_its_sort(table: Table, name: str, value: Any) -> Any:
    """Return a value as its column holds it: SQLite would turn a number into text unasked."""
    if value is None:
        if name in table.needed:
            raise InvalidInput(f"{name}: is missing")
        return None
    if name.endswith("_at") or name in TIMES:  # of many forms; put right in `_value`
        return value
    sorts, words = _SORTS[table.types[name]]
    if isinstance(value, float) and sorts is int and value.is_integer():
        value = int(value)
    if not isinstance(value, sorts) or (isinstance(value, int) and abs(value) >= _BEYOND):
        raise InvalidInput(f"{name}: found {shown(value)}, expected {words}")
    return value


def _value(table: Table, name: str, value: Any, redacted: Counter[str]) -> Any:
    if value is None:
        return None
    if name.endswith("_at") or name in TIMES:
        return timestamps.normalise(value, name=name)
    if not isinstance(value, str):
        return value
    if name in table.json_columns:
        return _json(name, value, redacted)
    text = _text(name, value, redacted)
    if table.name == "memories" and name in ("key", "qualifier"):
        return fact_name(text) or None
    if table.name == "memories" and name in _NAMES:
        return known_by(text, name)
    return text


def _text(name: str, text: str, redacted: Counter[str]) -> str:
    safe = safe_text(text, name=name)
    redacted.update(finding.kind for finding in safe.findings)
    return safe.text


def _json(name: str, text: str, redacted: Counter[str]) -> str:
    try:
        value = json.loads(redaction.clean_text(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name}: is no JSON ({error})") from None
    safe = redaction.redact_json(value)
    if safe == value:
        return redaction.clean_text(text)
    redacted["secret"] += 1
    return json_text(safe)


def _is_id(value: object, table: str) -> bool:
    """Whether a value is an id; what is known by its name (tags, purged sessions and tasks) has a
    negative one."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    signs = {"tags": (-1,), "tombstones": (-1, 1)}.get(table, (1,))
    return 0 < abs(value) < 1 << 62 and (1 if value > 0 else -1) in signs


# --- Out of the store: an archive without loss, to a file or an open stream.

PathOrStream = str | os.PathLike[str] | IO[Any]


def export(store: RowSource, target: PathOrStream, *, local: bool) -> int:
    """Write an archive of the store to a file or an open stream; return the number of rows.

    A file appears as a whole or not at all. One that is there already is replaced only if it is an
    archive too; raises InvalidInput otherwise, StoreReadOnly if it cannot be written.
    """
    content = lines(store, local=validation.boolean(local, name="local"))
    if not isinstance(target, str | os.PathLike):
        if not hasattr(target, "write"):
            raise InvalidInput(f"target: found {target!r}, expected a file or an open stream")
        return _stream_out(target, content)
    path = validation.path(target, name="target")
    _check_target(path, store)
    try:
        return _replace(path, content)
    except OSError as error:
        reason = error.strerror or error
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StoreFull(
                f"{path}: no room left to write ({reason}); free some space, or choose another disk"
            ) from None
        raise StoreReadOnly(f"{path}: cannot be written ({reason}); choose another path") from None


def _check_target(path: Path, store: RowSource) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InvalidInput(f"{path}: is a folder, or its folder is missing; name a file")
    if path.is_symlink() or (path.exists() and path.samefile(store.path)):
        raise InvalidInput(f"{path}: is a link or the store itself; choose another path")
    if path.exists():
        with path.open("rb") as file:
            start = file.read(64)
        if start and not is_archive(start.decode("utf-8", "replace")):
            raise InvalidInput(
                f"{path}: exists and is no memkit export; choose another path or remove it"
            )


def _stream_out(target: IO[Any], content: Iterator[str]) -> int:
    """Write the lines to an open stream of text or of bytes; return the number of rows."""
    if isinstance(target, io.RawIOBase):  # which may write less than it is given
        whole = io.BufferedWriter(target)
        try:
            return _stream_out(whole, content)
        finally:
            whole.detach()
    try:
        target.write("")
    except (TypeError, AttributeError):  # bytes, then: no property says so of every stream
        return _write(target.write, (line.encode() for line in content))
    return _write(target.write, content)


def _write(write: Callable[[Any], object], content: Iterable[object]) -> int:
    """Write a header and rows; return the number of rows. What `write` returns tells nothing."""
    count = -1
    for line in content:
        write(line)
        count += 1
    return count


def _replace(path: Path, content: Iterator[str]) -> int:
    """Write the lines beside `path`, then put the file in its place."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    opened = temporary.open("xb")  # outside: what is there already is another thread's
    try:
        with opened as written:
            count = _write(written.write, (line.encode() for line in content))
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return count

"""From a path to an open file that is ready for queries, and whether it is still that file.

An older file is brought up to date when it is opened for writing. Opened read-only, a file that is
behind is brought up to date in a copy in memory and stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import attrs

from ..errors import NotAMemkitFile
from . import opening, schema
from .faults import mapped
from .journal import discard_foreign_journal, sweep_dead_journal
from .sqlfiles import load_queries
from .waiting import wait_for_others

Identity = tuple[int, ...]

# Where the change counter stands in an SQLite header: 4 bytes, big endian.
_CHANGE_COUNTER = (24, 4)
_NO_COUNTER = -1
# Virtual-machine steps between two looks at the clock (some 10 ms).
_STEPS = 1_000_000


@attrs.frozen
class Opened:
    """An open file.

    Attributes:
        readonly: asked for, or all that the file's permissions allow.
        is_copy: the connection is to a copy in memory.
        identity: what `identity` said of the file when it was opened.
        vector_note: why vector search is not available, or None.
    """

    connection: apsw.Connection
    readonly: bool
    is_copy: bool
    identity: Identity | None
    vector_note: str | None


def open_file(
    path: Path,
    *,
    readonly: bool,
    busy_timeout: float,
    now: Callable[[], str],
    overdue: Callable[[], bool],
) -> Opened:
    """Return the file opened, made if it is not there; `overdue` stops a query that takes too long.

    Raises NotAMemkitFile, SchemaTooNew, ForeignObject, StoreDamaged, StoreBusy or StoreReadOnly.
    """
    _check_place(path, readonly=readonly)
    before = identity(path)
    with mapped(path, waited=busy_timeout):
        if not readonly:
            discard_foreign_journal(path)
        connection = opening.connect(path, readonly=readonly, busy_timeout=busy_timeout)
        try:
            readonly = readonly or bool(connection.readonly("main"))
            ready = _prepare(
                connection, path, readonly=readonly, busy_timeout=busy_timeout, now=now
            )
            note = opening.load_vector_functions(ready)
            schema.add_temporary(ready)
            ready.set_progress_handler(overdue, _STEPS)
        except BaseException:
            connection.close(force=True)
            raise
    is_copy = ready is not connection
    found = identity(path, content=is_copy)
    if before and found and before != found[: len(before)]:
        found = ()  # replaced while it was being opened: look again
    return Opened(ready, readonly, is_copy, found, note)


def identity(path: Path, *, content: bool = False) -> Identity | None:
    """Return what tells that `path` is still the same file and, if asked, has the same content."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    same_file = (found.st_dev, found.st_ino)
    return (*same_file, found.st_mtime_ns, found.st_size) if content else same_file


def change_counter(connection: apsw.Connection) -> int:
    """Return the change counter in the file's header; a database in memory has none."""
    try:
        return int.from_bytes(connection.read("main", 0, *_CHANGE_COUNTER)[1], "big")
    except apsw.Error:
        return _NO_COUNTER


def next_change_counter(connection: apsw.Connection) -> int:
    """Return the change counter as it will stand after the transaction under way."""
    counter = change_counter(connection)
    return counter if counter == _NO_COUNTER else (counter + 1) % (1 << 32)


def _check_place(path: Path, *, readonly: bool) -> None:
    if readonly and not path.exists():
        raise NotAMemkitFile(f"{path}: there is no such file; create it with 'memkit init'")
    if path.is_dir():
        raise NotAMemkitFile(f"{path}: is a folder; name a file in it, such as .memkit.db")
    if path.exists() and not path.is_file():
        raise NotAMemkitFile(f"{path}: is no ordinary file; choose another path")
    if path.is_file() and _is_one_byte(path):
        raise NotAMemkitFile(f"{path}: is one byte, no SQLite database; choose another path")
    if not path.parent.is_dir():
        raise NotAMemkitFile(f"{path}: the folder {path.parent} does not exist; create it")


def _is_one_byte(path: Path) -> bool:
    """Whether a file holds a single byte: SQLite takes it for an empty one and writes over it."""
    with suppress(OSError):  # taken away meanwhile
        return path.stat().st_size == 1
    return False


def _prepare(
    connection: apsw.Connection,
    path: Path,
    *,
    readonly: bool,
    busy_timeout: float,
    now: Callable[[], str],
) -> apsw.Connection:
    """Return the connection, or one to a copy in memory, with everything in it up to date."""
    version = schema.identify(connection, path)
    current = version is not None and schema.is_current(connection)
    if readonly:
        if current and not _is_edited(connection):
            return connection
        memory = opening.copy_in_memory(connection)
        connection.close()
        with memory:
            _bring_up_to_date(memory, version, now())
        return memory
    wait_for_others(connection, 0)
    sweep_dead_journal(connection, path)
    wait_for_others(connection, busy_timeout)
    if connection.pragma("journal_mode") != "delete":
        # Somebody set WAL in the shell: with it a checkout beside a live process destroys the file.
        connection.pragma("journal_mode", "DELETE")
    if not current:
        with connection:
            # Asked again under the write lock: another process may have been first.
            _bring_up_to_date(connection, schema.identify(connection, path), now())
    return connection


def _bring_up_to_date(connection: apsw.Connection, version: int | None, at: str) -> None:
    """Apply missing permanent steps and remake derived parts; the caller holds the transaction."""
    schema.upgrade(connection, version)
    for part in schema.stale_parts(connection):
        schema.remake(connection, part, at=at)
    if version is None:
        # Nothing can be behind in a file that has just been made.
        sql = load_queries()["store.set_change_counter"].sql
        connection.execute(sql, {"counter": next_change_counter(connection)})


def _is_edited(connection: apsw.Connection) -> bool:
    found = connection.execute(load_queries()["store.change_counter"].sql).fetchone()
    return found is None or found[0] != change_counter(connection)

"""Lifecycle of the file: discovery, opening, upgrade, identity, reopening when replaced."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import apsw

from .. import validation
from ..errors import (
    MemkitError,
    NotAMemkitFile,
    StoreDamaged,
    StoreError,
    StoreMoved,
    StoreReadOnly,
)
from . import schema, timestamps
from .connection import connect, copy_in_memory, load_vector_functions, wait_for_others, watch
from .named_queries import load_queries
from .rollback_journal import discard_foreign_journal, sweep_dead_journal
from .schema import known_version
from .sqlite_errors import mapped, translated

# --- Opening: from a path to a ready connection, and the identity of the file.
#
# An older file is brought up to date when it is opened for writing. Opened read-only, a file that
# is behind is brought up to date in a copy in memory and stays as it is.

Identity = tuple[int, ...]

# Where the change counter stands in an SQLite header: 4 bytes, big endian.
_CHANGE_COUNTER = (24, 4)
_NO_COUNTER = -1
# Virtual-machine steps between two looks at the clock (some 10 ms).
_STEPS = 1_000_000


class OpenConnection(NamedTuple):
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
) -> OpenConnection:
    """Return the file opened, made if it is not there; `overdue` stops a query that takes too long.

    Raises NotAMemkitFile, SchemaTooNew, ForeignObject, StoreDamaged, StoreBusy or StoreReadOnly.
    """
    _check_place(path, readonly=readonly)
    before = identity(path)
    with mapped(path, waited=busy_timeout):
        if not readonly:
            discard_foreign_journal(path)
        connection = connect(path, readonly=readonly, busy_timeout=busy_timeout)
        try:
            readonly = readonly or bool(connection.readonly("main"))
            ready = _prepare(
                connection, path, readonly=readonly, busy_timeout=busy_timeout, now=now
            )
            note = load_vector_functions(ready)
            schema.add_temporary(ready)
            ready.set_progress_handler(overdue, _STEPS)
        except BaseException:
            connection.close(force=True)
            raise
    is_copy = ready is not connection
    opened = identity(path, content=is_copy)
    if before and opened and before != opened[: len(before)]:
        opened = ()  # replaced while it was being opened: look again
    return OpenConnection(ready, readonly, is_copy, opened, note)


def identity(path: Path, *, content: bool = False) -> Identity | None:
    """Return what tells that `path` is still the same file and, if asked, has the same content."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    same_file = (status.st_dev, status.st_ino)
    return (*same_file, status.st_mtime_ns, status.st_size) if content else same_file


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
    version = known_version(connection)
    current = version is not None
    if not current:
        version = schema.identify(connection, path)
        current = version is not None and schema.is_current(connection)
    if readonly:
        if current and not _is_edited(connection):
            return connection
        memory = copy_in_memory(connection)
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
    row = connection.execute(load_queries()["store.change_counter"].sql).fetchone()
    return row is None or row[0] != change_counter(connection)


# --- Paths from the environment: the store of a repository and the global store, and the switch
# that turns memkit off.

FILE_NAME = ".memkit.db"


def is_switched_off() -> bool:
    """Whether MEMKIT_DISABLED says that no file is to be opened."""
    return os.environ.get("MEMKIT_DISABLED", "").lower() not in ("", "0", "false", "no")


def default_global_path() -> Path:
    """Return the file of global memories: $MEMKIT_GLOBAL, or the user's data folder."""
    if named := os.environ.get("MEMKIT_GLOBAL"):
        return validation.path(named, name="MEMKIT_GLOBAL")
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "memkit" / "global.memkit.db"


def nearest(folder: Path) -> Path:
    """Return the store that is meant in a folder: $MEMKIT_DB, or the nearest one upward.

    The search ends at the root of the repository, where a new store belongs; outside of any
    repository it belongs into the folder itself.
    """
    if named := os.environ.get("MEMKIT_DB"):
        return validation.path(named, name="MEMKIT_DB")
    start = Path(os.path.abspath(folder))  # noqa: PTH100 - resolve() would follow links
    for place in (start, *start.parents):
        if (place / FILE_NAME).exists() or (place / ".git").exists():
            return place / FILE_NAME
    return start / FILE_NAME


# --- Open file: one connection, opened again whenever the file is no longer the same.

# How long a call waits for another process before StoreBusy, in seconds.
BUSY_TIMEOUT = 10.0
# The same where an answer can do without what would be written.
MOMENT = 0.1
# A single query that runs longer than this is stopped: no stored text may stall the caller.
QUERY_SECONDS = 60.0
# How long a file that another program is replacing is waited for, in seconds, and between looks.
REOPEN_SECONDS = 1.0
_REOPEN_PAUSE = 0.02


class OpenFile:
    """One open file. Safe to use from several threads; a forked child opens its own connection.

    Attributes:
        generation: how often it was opened again.
        depth: transactions under way, one inside the other; the connection is kept while any is.
    """

    def __init__(
        self, path: Path, *, readonly: bool, clock: Callable[[], float], busy_timeout: float
    ) -> None:
        self.path = path.parent.resolve() / path.name
        self.readonly = validation.boolean(readonly, name="readonly")
        self.clock = validation.callback(clock, name="clock") or time.time
        self.lock = threading.RLock()
        self.generation = 0
        self.depth = 0
        self.is_closed = False
        self.busy_timeout = validation.seconds(busy_timeout, name="busy_timeout")
        self._deadline = float("inf")
        self._opened = self._open()
        self._connection: apsw.Connection | None = self._opened.connection
        watch(self)

    @property
    def is_copy(self) -> bool:
        """Whether the connection is to a copy in memory that was brought up to date."""
        return self._opened.is_copy

    @property
    def vector_note(self) -> str | None:
        """Why vector search is not available, or None."""
        return self._opened.vector_note

    @contextmanager
    def use(self) -> Iterator[apsw.Connection]:
        """Give the connection for a few statements; SQLite's errors become memkit's."""
        with self.lock, mapped(self.path, waited=self.busy_timeout):
            yield self.ready()

    def translated(self, error: Exception) -> MemkitError:
        """Return what one of FAULTS means for this file."""
        return translated(error, self.path, waited=self.busy_timeout)

    def refusal(self) -> StoreReadOnly:
        """Return the error of a write to a file that is open for reading only."""
        folder = self.path.parent
        if is_mounted_read_only(folder):
            why = "the file system that it lies on is mounted read-only;"
        elif not os.access(self.path, os.W_OK):
            why = f"this user may not write the file; 'chmod u+w {self.path.name}' allows it, or"
        elif not os.access(folder, os.W_OK):
            why = f"nothing may be written in its folder {folder}, and SQLite has to:"
        else:
            why = "it was opened read-only; open it without readonly=True, or"
        return StoreReadOnly(f"{self.path}: {why} copy the file to where it may be written")

    def ready(self) -> apsw.Connection:
        """Return the connection for one query, opened again if the file was replaced meanwhile."""
        if self.is_closed:
            raise StoreError(f"{self.path}: the store is closed; open it again")
        connection = self._connection
        if connection is None or not (self.depth or connection.in_transaction):
            if connection is None or self.is_moved():
                self.reopen()
            connection = self._opened.connection
        self._deadline = time.monotonic() + QUERY_SECONDS
        return connection

    @contextmanager
    def hurried(self) -> Iterator[None]:
        """Wait for other processes no longer than a moment inside."""
        with self.lock:
            seconds = min(self.busy_timeout, MOMENT)
            wait_for_others(self.ready(), seconds)
            try:
                yield
            finally:
                wait_for_others(self.ready(), self.busy_timeout)

    def is_moved(self) -> bool:
        """Whether another program has put another file in the place of the open one."""
        return identity(self.path, content=self.is_copy) != self._opened.identity

    def reopen(self) -> None:
        """Open the file again, as it lies on the disk now.

        Another program may be in the middle of replacing it: a file that is not there or not whole
        is waited for, and never made. Raises StoreMoved if it does not come.
        """
        with self.lock:
            patience = time.monotonic() + REOPEN_SECONDS
            while not self._reopened(last=time.monotonic() > patience):
                time.sleep(_REOPEN_PAUSE)

    def leave_to_parent(self) -> object:
        """Let go of the connection in a forked child; the next call opens its own."""
        left, self._connection = self._connection, None
        self.lock = threading.RLock()
        self.depth = 0
        return left

    def close(self) -> None:
        """Close the file; nothing is left beside it. Closing twice is harmless."""
        with self.lock:
            if self._connection is not None:
                self._connection.close(force=True)
            self._connection = None
            self.is_closed = True

    def _open(self) -> OpenConnection:
        opened = open_file(
            self.path,
            readonly=self.readonly,
            busy_timeout=self.busy_timeout,
            now=lambda: timestamps.from_epoch(self.clock()),
            overdue=lambda: time.monotonic() > self._deadline,
        )
        self.readonly = opened.readonly
        return opened

    def _reopened(self, *, last: bool) -> bool:
        there = identity(self.path, content=True)
        try:
            if there is None or not there[-1]:
                raise StoreMoved(
                    f"{self.path}: the file was removed; put it back, or open it anew to begin "
                    "an empty one"
                )
            opened = self._open()
        except (StoreMoved, NotAMemkitFile, StoreDamaged):
            if last:
                raise
            return False
        old, self._connection, self._opened = self._connection, opened.connection, opened
        self.generation += 1
        if old is not None:
            old.close(force=True)
        return True


def is_mounted_read_only(folder: Path) -> bool:
    """Whether nobody may write below a folder, whatever its mode says."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except (OSError, AttributeError):  # Windows has no such call
        return False

"""SQLite connections: hardened, guarded against forks, with a fair busy handler."""

from __future__ import annotations

import importlib.util
import os
import time
from functools import lru_cache
from pathlib import Path
from typing import Protocol
from weakref import WeakSet

import apsw

from ..errors import NotAMemkitFile

# --- Fair busy handler: how one process waits for another that writes.
#
# SQLite's own time-out waits the longer between its tries the longer it has waited, so that
# whoever comes last looks most often: of twelve hooks that run at once some never get a turn.
# Here it is the other way round, since a turn is the moment between two writes of one process
# that goes on: whoever has waited longest looks most often, and at moments that differ from
# process to process.

# Seconds between two looks, at least and at most: a commit takes one to ten milliseconds.
_MIN_PAUSE, _MAX_PAUSE = 0.001, 0.009
# After so many seconds a pause is this part of what it was: of the writes of five processes with
# 50 each, on two busy cores, the slowest twentieth began at 0.3 to 0.6 s, and begins at 0.3 s.
_LONG, _LEFT = 0.2, 0.1


def wait_for_others(connection: apsw.Connection, seconds: float) -> None:
    """Let a connection wait so long for a busy file before it gives up."""
    began = 0.0

    def look_again(tries: int) -> bool:
        nonlocal began
        now = time.monotonic()
        if not tries:
            began = now
        if now - began >= seconds:
            return False
        time.sleep(_pause() * patience(now - began))
        return True

    connection.set_busy_handler(look_again if seconds else None)


def patience(waited: float) -> float:
    """Return which part of a pause is left to one who has waited so many seconds."""
    return max(_LEFT, 1 - waited / _LONG)


# -- internals


def _pause() -> float:
    """Return a pause of no fixed length; the clock's last digits are chance enough."""
    return _MIN_PAUSE + (_MAX_PAUSE - _MIN_PAUSE) * (time.perf_counter_ns() // 100 % 1000) / 1000


# --- Hardened connection: every switch that keeps a file of unknown origin from doing anything.
#
# The order is deliberate: nothing of the file's own schema is compiled before triggers and views
# are off and the schema is not trusted. sqlite-vec comes in through the C interface, by its path
# (importing its Python package would import numpy), and loading is shut again at once.

# 'mkit', shown by file(1).
APPLICATION_ID = 0x6D6B6974

_OFF = (
    apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA,  # no function of ours from inside the file's schema
    apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER,  # memkit has none
    apsw.SQLITE_DBCONFIG_ENABLE_VIEW,  # the views are for people
    apsw.SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE,
    apsw.SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE,
    apsw.SQLITE_DBCONFIG_DQS_DML,  # "x" is a name, never a string
    apsw.SQLITE_DBCONFIG_DQS_DDL,
)
_LIMITS = (
    (apsw.SQLITE_LIMIT_LENGTH, 128_000_000),  # bytes in one value
    (apsw.SQLITE_LIMIT_EXPR_DEPTH, 200),
    (apsw.SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (apsw.SQLITE_LIMIT_ATTACHED, 1),  # VACUUM needs one
    (apsw.SQLITE_LIMIT_WORKER_THREADS, 0),
)
# Pages kept in memory, in KiB: recall at 100k memories touches about 16 MB.
_CACHE_KIB = 32_000


def connect(
    path: Path, *, readonly: bool, busy_timeout: float, damaged: bool = False
) -> apsw.Connection:
    """Return a hardened connection to `path`, which must not be a symbolic link.

    `busy_timeout` is in seconds. `damaged`: read what there is, page by page, of a file that is
    only read. Raises NotAMemkitFile for a link and apsw errors for the rest.
    """
    if path.is_symlink():
        raise NotAMemkitFile(
            f"{path}: is a symbolic link; open the file it points to by its own name"
        )
    access = (
        apsw.SQLITE_OPEN_READONLY
        if readonly
        else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    )
    connection = apsw.Connection(str(path), flags=access | apsw.SQLITE_OPEN_NOFOLLOW)
    try:
        _configure(connection, busy_timeout, damaged=damaged)
    except BaseException:
        connection.close(force=True)
        raise
    return connection


def connect_memory() -> apsw.Connection:
    """Return a hardened connection to a new database in memory."""
    connection = apsw.Connection(":memory:")
    _configure(connection, 0)
    return connection


def copy_in_memory(connection: apsw.Connection) -> apsw.Connection:
    """Return a hardened connection to a copy of the whole database in memory."""
    memory = connect_memory()
    with memory.backup("main", connection, "main") as backup:
        backup.step()
    return memory


def load_vector_functions(connection: apsw.Connection) -> str | None:
    """Load sqlite-vec into the connection; return None, or why vector search is not available."""
    library = vector_library()
    if library is None:
        return "sqlite-vec is not installed"
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1)
    try:
        connection.load_extension(library, "sqlite3_vec_init")
    except apsw.Error as error:
        return f"sqlite-vec cannot be loaded: {error}"
    finally:
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0)
    return None


@lru_cache(maxsize=1)
def vector_library() -> str | None:
    """Return the path of sqlite-vec's library without its ending, or None if it is not
    installed."""
    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return None
    return str(Path(spec.submodule_search_locations[0]) / "vec0")


def _configure(connection: apsw.Connection, busy_timeout: float, *, damaged: bool = False) -> None:
    wait_for_others(connection, busy_timeout)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, int(not damaged))
    for switch in _OFF:
        connection.config(switch, 0)
    # Only so does SQLite read a file whose last pages are missing.
    connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, int(damaged))
    # One bad cell is no reason to give up the others of its page.
    connection.pragma("cell_size_check", int(not damaged))
    for limit, value in _LIMITS:
        connection.limit(limit, value)
    # FTS5 looks each word up by a statement that would be compiled anew for each value bound to it.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.transaction_mode = "IMMEDIATE"
    connection.pragma("mmap_size", 0)
    connection.pragma("foreign_keys", 1)
    connection.pragma("secure_delete", 1)
    connection.pragma("synchronous", "FULL")
    connection.pragma("temp_store", "MEMORY")
    connection.pragma("cache_size", -_CACHE_KIB)


# --- Fork guard: a forked child never touches its parent's connection.
#
# Closing it, even by garbage collection, would roll back a transaction that the parent has under
# way and drop its locks. The child keeps it unused for ever, and begins with a lock that nobody
# holds.


class ForkAware(Protocol):
    """Protocol of what holds a connection that must not outlive a fork."""

    def leave_to_parent(self) -> object: ...


_OPEN: WeakSet[ForkAware] = WeakSet()
_INHERITED: list[object] = []


def watch(store: ForkAware) -> None:
    """Have `leave_to_parent` called in every forked child; what it returns is kept for ever."""
    _OPEN.add(store)


def _after_fork() -> None:
    _INHERITED.extend(store.leave_to_parent() for store in list(_OPEN))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

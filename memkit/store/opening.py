"""Opening a file that may come from anybody: every switch that keeps it from doing anything.

The order is deliberate: nothing of the file's own schema is compiled before triggers and views are
off and the schema is not trusted. sqlite-vec comes in through the C interface, by its path
(importing its Python package would import numpy), and loading is shut again at once.
"""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path

import apsw

from ..errors import NotAMemkitFile
from .waiting import wait_for_others

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
    found = importlib.util.find_spec("sqlite_vec")
    if found is None or not found.submodule_search_locations:
        return None
    return str(Path(found.submodule_search_locations[0]) / "vec0")


def _configure(connection: apsw.Connection, busy_timeout: float, *, damaged: bool = False) -> None:
    wait_for_others(connection, busy_timeout)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, int(not damaged))
    for switch in _OFF:
        connection.config(switch, 0)
    # Only so does SQLite read a file whose last pages are missing.
    connection.config(apsw.SQLITE_DBCONFIG_WRITABLE_SCHEMA, int(damaged))
    # One bad cell is no reason to give up the others of its page.
    connection.pragma("cell_size_check", int(not damaged))
    for limit, most in _LIMITS:
        connection.limit(limit, most)
    # FTS5 looks each word up by a statement that would be compiled anew for each value bound to it.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    connection.transaction_mode = "IMMEDIATE"
    connection.pragma("mmap_size", 0)
    connection.pragma("foreign_keys", 1)
    connection.pragma("secure_delete", 1)
    connection.pragma("synchronous", "FULL")
    connection.pragma("temp_store", "MEMORY")
    connection.pragma("cache_size", -_CACHE_KIB)

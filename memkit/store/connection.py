"""The open file: queries by name, transactions that survive other programs, and nothing left
behind.

Rollback journal and full synchronisation, so that a commit is durable and a `git checkout` beside
a live process is noticed instead of destroying the file. A write is a function: it runs inside one
transaction, and runs again if the file was replaced underneath it, so that nothing acknowledged is
lost.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

import apsw

from ..errors import NotAMemkitFile, StoreDamaged, StoreError, StoreMoved, StoreReadOnly
from . import forking, opening, schema, times
from .faults import FAULTS, mapped, translated
from .ids import IdSource
from .journal import discard_foreign_journal, sweep_dead_journal
from .sqlfiles import Query, find_query, load_queries
from .tables import table_queries

T = TypeVar("T")
Row = tuple[Any, ...]

# How long a call waits for another process before StoreBusy, in seconds.
BUSY_TIMEOUT = 10.0
# A single query that runs longer than this is stopped: no stored text may stall the caller.
QUERY_SECONDS = 60.0
# Virtual-machine steps between two looks at the clock (some 10 ms).
_STEPS = 1_000_000
# How long a file that another program is replacing is waited for, in seconds, and between looks.
REOPEN_SECONDS = 1.0
_REOPEN_PAUSE = 0.02
# A write runs at most so often when the file keeps being replaced under it.
_ATTEMPTS = 4
# Where the change counter stands in an SQLite header: 4 bytes, big endian.
_CHANGE_COUNTER = (24, 4)
_NO_COUNTER = -1


class Store:
    """One open memkit file. Safe to use from several threads; a forked child gets its own
    connection."""

    def __init__(
        self,
        path: Path,
        *,
        readonly: bool = False,
        clock: Callable[[], float] = time.time,
        busy_timeout: float = BUSY_TIMEOUT,
        queries: Mapping[str, Query] | None = None,
    ) -> None:
        self.path = path.parent.resolve() / path.name
        self.readonly = readonly
        self.clock = clock
        self.vector_note: str | None = None
        self.generation = 0
        self._busy_timeout = busy_timeout
        self._queries = {**load_queries(), **table_queries()} if queries is None else queries
        self._lock = threading.RLock()
        self._depth = 0
        self._deadline = float("inf")
        self._checked: tuple[int, int] | None = None
        self._is_copy = False
        self._closed = False
        self._connection: apsw.Connection | None = self._connect()
        self._audit_ids = self.ids("store.last_audit_id")
        forking.watch(self)

    # -- reading

    def all(self, name: str, /, **params: object) -> list[Row]:
        """Return every row of the query."""
        with self._lock:
            sql, connection = self._sql(name, params), self._ready()
            try:
                return list(connection.execute(sql, params))
            except FAULTS as error:
                raise translated(error, self.path) from error

    def one(self, name: str, /, **params: object) -> Row | None:
        """Return the first row, or None."""
        rows = self.all(name, **params)
        return rows[0] if rows else None

    def value(self, name: str, /, **params: object) -> Any:
        """Return the first column of the first row, or None."""
        row = self.one(name, **params)
        return row[0] if row else None

    def records(self, name: str, /, **params: object) -> list[dict[str, Any]]:
        """Return every row as a dictionary by column name."""
        with self._use() as connection:
            cursor = connection.execute(self._sql(name, params), params)
            columns: list[str] = []
            rows = []
            for row in cursor:
                columns = columns or [column[0] for column in cursor.description]
                rows.append(dict(zip(columns, row, strict=True)))
            return rows

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all queries inside see one state of the file; takes no write lock."""
        with self._use() as connection:
            if connection.in_transaction:
                yield
                return
            connection.execute("begin deferred")
            try:
                yield
            finally:
                if connection.in_transaction:
                    connection.execute("commit")

    # -- writing

    def run(self, name: str, /, **params: object) -> int:
        """Run a changing query; return the number of rows changed. Only inside `write`."""
        with self._lock:
            sql, connection = self._sql(name, params), self._ready(writing=True)
            before = connection.total_changes()
            try:
                connection.execute(sql, params)
            except FAULTS as error:
                raise translated(error, self.path) from error
            return connection.total_changes() - before

    def run_many(self, name: str, rows: Iterable[Mapping[str, object]]) -> int:
        """Run a changing query once for each mapping; return the number of rows changed."""
        with self._use(writing=True) as connection:
            before = connection.total_changes()
            connection.executemany(self._sql(name, None), rows)
            return connection.total_changes() - before

    def write(self, work: Callable[[], T], *, derived: bool = False) -> T:
        """Return `work()`, run inside one durable transaction (inside the outer one, if there is
        one).

        If another program replaced the file, it is opened again and `work` runs again, so it must
        hold no state of its own. Raises StoreReadOnly, StoreBusy, StoreFull, StoreMoved or what
        `work` raises; then nothing of it is stored.
        """
        with self._lock:
            if self._depth:
                return self._nested(work)
            if self.readonly and not (derived and self._is_copy):
                raise StoreReadOnly(
                    f"{self.path}: opened read-only; open it with readonly=False to write"
                )
            for _ in range(_ATTEMPTS):
                try:
                    result = self._transaction(work)
                except StoreMoved:
                    self.reopen()
                    continue
                if not self._moved():
                    return result
                self.reopen()
            raise StoreMoved(
                f"{self.path}: another program keeps replacing the file; try again later"
            )

    def audit(self, verb: str, memory_id: int | None = None, **detail: object) -> None:
        """Append to the audit; inside `write`."""
        self.run(
            "store.add_audit",
            id=self._audit_ids.new(),
            at=self.now(),
            verb=verb,
            memory_id=memory_id,
            detail=json.dumps(detail, ensure_ascii=False),
        )

    def probe(self, name: str, /, **params: object) -> None:
        """Run a query that looks like a change and is none, such as FTS5's integrity check.

        It runs in a transaction that is rolled back, so nothing is written; raises StoreDamaged.
        """
        with self._use() as connection:
            if self.readonly and not self._is_copy:
                with closing(opening.copy_in_memory(connection)) as copy:
                    copy.execute(self._sql(name, params), params)
                return
            connection.execute("savepoint probe")
            try:
                connection.execute(self._sql(name, params), params)
            finally:
                if connection.in_transaction:
                    connection.execute("rollback to probe")
                    connection.execute("release probe")

    # -- the file

    def now(self) -> str:
        """Return the time in the stored form."""
        return times.from_epoch(self.clock())

    def ids(self, highest: str) -> IdSource:
        """Return a source of ids; the query `highest(first, last)` gives the largest one in a
        range."""
        return IdSource(self.clock, lambda first, last: self.value(highest, first=first, last=last))

    def edited_outside(self) -> bool:
        """Whether another program than memkit has changed the file since memkit's last write to
        it."""
        with self._use() as connection:
            # From the file itself: data_version() only moves with the next read.
            if (self.generation, _counter(connection)) == self._checked:
                return False
            with self.snapshot():
                counter = _counter(connection)
                edited = bool(self.value("store.change_counter") != counter)
            if not edited:
                self._checked = (self.generation, counter)
            elif self.readonly and not self._is_copy:
                self.reopen()  # as a copy in memory, which can be brought up to date
            return edited

    def mark_reconciled(self) -> None:
        """Record that derived rows are in step with the permanent ones; inside `write`."""
        with self._use(writing=True) as connection:
            self.run("store.set_change_counter", counter=_next_counter(connection))

    def maintenance(self, statement: str) -> None:
        """Run VACUUM or another statement that must stand outside a transaction."""
        with self._use() as connection:
            edited = self._stale_before(connection)
            schema.run_script(connection, statement)
            if not edited:
                self.write(self.mark_reconciled)

    def backup_to(self, path: Path) -> None:
        """Write a compact, sound copy of the file to `path`, which must not exist."""
        with self._use() as connection:
            connection.execute("vacuum into ?", (str(path),))

    def reopen(self) -> None:
        """Open the file again, as it lies on the disk now.

        Another program may be in the middle of replacing it: a file that is not there or not whole
        is waited for, and never made. Raises StoreMoved if it does not come.
        """
        with self._lock:
            patience = time.monotonic() + REOPEN_SECONDS
            while not self._reopened(last=time.monotonic() > patience):
                time.sleep(_REOPEN_PAUSE)

    def _reopened(self, *, last: bool) -> bool:
        missing = _identity(self.path, content=True)
        try:
            if missing is None or not missing[-1]:
                raise StoreMoved(
                    f"{self.path}: the file was removed; put it back, or open it anew to begin "
                    "an empty one"
                )
            connection = self._connect()
        except (StoreMoved, NotAMemkitFile, StoreDamaged):
            if last:
                raise
            return False
        old, self._connection = self._connection, connection
        self.generation += 1
        if old is not None:
            old.close(force=True)
        return True

    def leave_to_parent(self) -> object:
        """Let go of the connection in a forked child; the next call opens its own."""
        left, self._connection = self._connection, None
        self._lock = threading.RLock()
        self._depth = 0
        return left

    def close(self) -> None:
        """Close the file; nothing is left beside it. Closing twice is harmless."""
        with self._lock:
            if self._connection is not None:
                self._connection.close(force=True)
            self._connection = None
            self._closed = True

    @property
    def is_closed(self) -> bool:
        """Whether the store has been closed."""
        return self._closed

    # -- inside

    def _connect(self) -> apsw.Connection:
        before = _identity(self.path, content=False)
        with mapped(self.path):
            connection = self._open_file()
            try:
                self.vector_note = opening.load_vector_functions(connection)
                connection.set_progress_handler(self._overdue, _STEPS)
            except BaseException:
                connection.close(force=True)
                raise
        self._checked = None
        self._identity = _identity(self.path, content=self._is_copy)
        if before and self._identity and before != self._identity[: len(before)]:
            self._identity = ()  # replaced while it was being opened: look again
        return connection

    def _open_file(self) -> apsw.Connection:
        if self.readonly and not self.path.exists():
            raise NotAMemkitFile(
                f"{self.path}: there is no such file; create it with 'memkit init'"
            )
        if self.path.is_dir():
            raise NotAMemkitFile(f"{self.path}: is a folder; name a file in it, such as .memkit.db")
        if self.path.exists() and not self.path.is_file():
            raise NotAMemkitFile(f"{self.path}: is no ordinary file; choose another path")
        if not self.path.parent.is_dir():
            raise NotAMemkitFile(
                f"{self.path}: the folder {self.path.parent} does not exist; create it"
            )
        self._is_copy = False
        if not self.readonly:
            discard_foreign_journal(self.path)
        connection = opening.connect(
            self.path, readonly=self.readonly, busy_timeout=self._busy_timeout
        )
        try:
            return self._prepare(connection)
        except BaseException:
            connection.close(force=True)
            raise

    def _prepare(self, connection: apsw.Connection) -> apsw.Connection:
        version = schema.identify(connection, self.path)
        self.readonly = self.readonly or bool(connection.readonly("main"))
        current = version is not None and schema.is_current(connection)
        if not self.readonly:
            connection.set_busy_timeout(0)
            sweep_dead_journal(connection, self.path)
            connection.set_busy_timeout(int(self._busy_timeout * 1000))
        if not self.readonly and connection.pragma("journal_mode") != "delete":
            # Somebody set WAL in the shell: with it a checkout beside a live process destroys the
            # file.
            connection.pragma("journal_mode", "DELETE")
        if current and not (self.readonly and _is_edited(connection, self._queries)):
            return connection
        if self.readonly:
            self._is_copy = True
            # What is out of date is brought up to date in a copy in memory; the file stays as it
            # is.
            return _upgraded_copy(connection, version, self.now())
        with connection:
            # Asked again under the write lock: another process may have been first.
            version = schema.identify(connection, self.path)
            _bring_up_to_date(connection, version, self.now())
            if version is None:
                # Nothing can be behind in a file that has just been made.
                sql = self._queries["store.set_change_counter"].sql
                connection.execute(sql, {"counter": _next_counter(connection)})
        return connection

    def _transaction(self, work: Callable[[], T]) -> T:
        with self._use() as connection:
            connection.execute("begin immediate")
            self._depth += 1
            try:
                if self._moved():
                    raise StoreMoved(f"{self.path}: another program replaced the file")
                edited = self._stale_before(connection)
                before = connection.total_changes()
                result = work()
                if connection.total_changes() != before and not edited:
                    self.mark_reconciled()
                connection.execute("commit")
                return result
            except BaseException:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise
            finally:
                self._depth -= 1

    def _stale_before(self, connection: apsw.Connection) -> bool:
        """Whether the file had outside edits that are still to be reconciled; then they stay
        noticed."""
        return bool(self.value("store.change_counter") != _counter(connection))

    def _nested(self, work: Callable[[], T]) -> T:
        connection = self._ready()
        connection.execute("savepoint nested")
        self._depth += 1
        try:
            result = work()
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback to nested")
                connection.execute("release nested")
            raise
        finally:
            self._depth -= 1
        connection.execute("release nested")
        return result

    @contextmanager
    def _use(self, *, writing: bool = False) -> Iterator[apsw.Connection]:
        with self._lock, mapped(self.path):
            yield self._ready(writing=writing)

    def _ready(self, *, writing: bool = False) -> apsw.Connection:
        """Return the connection for one query, opened again if the file was replaced meanwhile."""
        if self._closed:
            raise StoreError(f"{self.path}: the store is closed; open it again")
        if writing and not self._depth:
            raise StoreError(f"{self.path}: a changing query outside write(); wrap it")
        connection = self._connection
        busy = connection is not None and (self._depth or connection.in_transaction)
        if not busy and (connection is None or self._moved()):
            self.reopen()
        self._deadline = time.monotonic() + QUERY_SECONDS
        assert self._connection is not None
        return self._connection

    def _moved(self) -> bool:
        return _identity(self.path, content=self._is_copy) != self._identity

    def _overdue(self) -> bool:
        return time.monotonic() > self._deadline

    def _sql(self, name: str, params: Mapping[str, object] | None) -> str:
        query = find_query(self._queries, name)
        if params is not None and set(params) != set(query.params):
            raise StoreError(
                f"query {name}: given ({', '.join(params)}), expected ({', '.join(query.params)})"
            )
        return query.sql


def _is_edited(connection: apsw.Connection, queries: Mapping[str, Query]) -> bool:
    row = next(iter(connection.execute(queries["store.change_counter"].sql)), None)
    return row is None or row[0] != _counter(connection)


def _upgraded_copy(connection: apsw.Connection, version: int | None, at: str) -> apsw.Connection:
    memory = opening.copy_in_memory(connection)
    connection.close()
    with memory:
        _bring_up_to_date(memory, version, at)
    return memory


def _bring_up_to_date(connection: apsw.Connection, version: int | None, at: str) -> None:
    """Apply missing permanent steps and remake derived parts; the caller holds the transaction."""
    schema.upgrade(connection, version)
    for part in schema.stale_parts(connection):
        schema.remake(connection, part, at=at)


def _next_counter(connection: apsw.Connection) -> int:
    """Return the change counter as it will stand after the transaction under way."""
    counter = _counter(connection)
    return counter if counter == _NO_COUNTER else (counter + 1) % (1 << 32)


def _counter(connection: apsw.Connection) -> int:
    """Return the change counter in the file's header; a database in memory has none."""
    try:
        return int.from_bytes(connection.read("main", 0, *_CHANGE_COUNTER)[1], "big")
    except apsw.Error:
        return _NO_COUNTER


def _identity(path: Path, *, content: bool) -> tuple[int, ...] | None:
    """Return what tells that `path` is still the same file and, if asked, has the same content."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    same_file = (found.st_dev, found.st_ino)
    return (*same_file, found.st_mtime_ns, found.st_size) if content else same_file

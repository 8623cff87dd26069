"""Store: named queries, transactions, retries, machine-local settings."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import apsw

from ..errors import StoreError, StoreMoved, StoreReadOnly
from ..text.analyzer import well_formed
from . import schema, timestamps
from .connection import copy_in_memory
from .ids import IdSource
from .lifecycle import BUSY_TIMEOUT, OpenFile, change_counter, next_change_counter
from .named_queries import Query, find_query, load_queries
from .sqlite_errors import FAULTS
from .tables import tolerant_rows

if TYPE_CHECKING:
    from .changesets import UndoResult

# --- Named queries, and transactions that survive other programs, on one open file.
#
# Rollback journal and full synchronisation, so that a commit is durable and a `git checkout`
# beside a live process is noticed instead of destroying the file. A write is a function: it runs
# inside one transaction, and runs again if the file was replaced underneath it, so that nothing
# acknowledged is lost.

T = TypeVar("T")
Row = tuple[Any, ...]

# A write runs at most so often when the file keeps being replaced under it.
_ATTEMPTS = 4
# Empty pages that are left in a file: what is written next will take them.
_FEW_PAGES = 32


class Store:
    """The tables of one memkit file. Safe to use from several threads and after a fork."""

    def __init__(
        self,
        path: Path,
        *,
        readonly: bool = False,
        clock: Callable[[], float] = time.time,
        busy_timeout: float = BUSY_TIMEOUT,
        queries: Mapping[str, Query] | None = None,
    ) -> None:
        # First, so that a copy without its SQL files says so before it makes a file.
        self._queries = load_queries() if queries is None else queries
        self._file = OpenFile(path, readonly=readonly, clock=clock, busy_timeout=busy_timeout)
        self.path, self.clock = self._file.path, self._file.clock
        self.busy_timeout = self._file.busy_timeout
        self._checked: tuple[int, int] | None = None
        self._audit_ids = self.ids("store.last_audit_id")

    # -- reading

    def all(self, name: str, /, **params: object) -> list[Row]:
        """Return every row of the query."""
        with self._file.lock:
            sql, connection = self._sql(name, params), self._file.ready()
            try:
                return list(connection.execute(sql, params))
            except UnicodeEncodeError:
                return self.all(name, **_well_formed(params))
            except UnicodeDecodeError:
                return self._tolerant(sql, params)[1]
            except FAULTS as error:
                raise self._file.translated(error) from error

    def first(self, name: str, /, **params: object) -> Row | None:
        """Return the first row, or None."""
        return next(iter(self.all(name, **params)), None)

    def value(self, name: str, /, **params: object) -> Any:
        """Return the first column of the first row, or None."""
        row = self.first(name, **params)
        return row[0] if row else None

    def records(self, name: str, /, **params: object) -> list[dict[str, Any]]:
        """Return every row as a dictionary by column name."""
        with self._file.use() as connection:
            sql = self._sql(name, params)
            columns: list[str] = []
            rows = []
            try:
                cursor = connection.execute(sql, params)
                for row in cursor:
                    columns = columns or [column[0] for column in cursor.description]
                    rows.append(dict(zip(columns, row, strict=True)))
            except UnicodeEncodeError:
                return self.records(name, **_well_formed(params))
            except UnicodeDecodeError:
                columns, values = self._tolerant(sql, params)
                return [dict(zip(columns, row, strict=True)) for row in values]
            return rows

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let all queries inside see one state of the file; takes no write lock."""
        with self._file.use() as connection:
            if connection.in_transaction:
                yield
                return
            connection.execute("begin deferred")
            try:
                yield
            finally:
                if connection.in_transaction:  # not committed: that may have to wait for readers
                    connection.execute("rollback")

    # -- writing

    def run(self, name: str, /, **params: object) -> int:
        """Run a changing query; return the number of rows changed. Only inside `write`."""
        with self._file.lock:
            self._require_write()
            sql, connection = self._sql(name, params), self._file.ready()
            before = connection.total_changes()
            try:
                connection.execute(sql, params)
            except UnicodeEncodeError:
                return self.run(name, **_well_formed(params))
            except FAULTS as error:
                raise self._file.translated(error) from error
            return connection.total_changes() - before

    def run_many(self, name: str, rows: Iterable[Mapping[str, object] | tuple[object, ...]]) -> int:
        """Run a changing query once for each mapping, or tuple of the values in the order in which
        the SQL names them (half of the time); return the number of rows changed."""
        with self._file.use() as connection:
            self._require_write()
            before = connection.total_changes()
            connection.executemany(self._sql(name, None), map(_bindable, rows))
            return connection.total_changes() - before

    def refusal(self) -> StoreReadOnly:
        """Return the error of a write to a file that is open for reading only."""
        return self._file.refusal()

    def write(self, work: Callable[[], T], *, derived: bool = False) -> T:
        """Return `work()`, run inside one durable transaction (or inside the outer one).

        If another program replaced the file, it is opened again and `work` runs again, so it must
        hold no state of its own. Raises StoreReadOnly, StoreBusy, StoreFull, StoreMoved or what
        `work` raises; then nothing of it is stored.
        """
        with self._file.lock:
            if self._file.depth:
                return self._nested(work)
            if self.readonly and not (derived and self._file.is_copy):
                raise self.refusal()
            for _ in range(_ATTEMPTS):
                try:
                    result = self._transaction(work)
                except StoreMoved:
                    self._file.reopen()
                    continue
                if not self._file.is_moved():
                    return result
                self._file.reopen()
            raise StoreMoved(
                f"{self.path}: another program keeps replacing the file; try again later"
            )

    def recorded(self, work: Callable[[], T]) -> tuple[T, bytes | None]:
        """Return `work()` and the changeset of what it did to permanent rows, by which `take_back`
        undoes it; None if that is nothing, or this SQLite cannot tell. Only inside `write`."""
        from . import changesets  # it builds the whole schema

        self._require_write()
        if not changesets.is_available():
            return work(), None
        with self._file.use() as connection, closing(changesets.session(connection)) as session:
            result = work()
            return result, session.changeset() or None

    def take_back(self, changeset: bytes, *, gone: Collection[int]) -> UndoResult:
        """Bring the rows of a changeset back, but those that have changed since or hang on one of
        the memories `gone`. Only inside `write`."""
        from . import changesets

        self._require_write()
        with self._file.use() as connection:
            return changesets.take_back(connection, changeset, gone=gone)

    def hurried(self) -> AbstractContextManager[None]:
        """Wait for other processes but a moment inside, for what an answer can do without."""
        return self._file.hurried()

    def audit(self, verb: str, memory_id: int | None = None, **detail: object) -> None:
        """Append to the audit; inside `write`."""
        row = {"id": self._audit_ids.new(), "at": self.now(), "verb": verb, "memory_id": memory_id}
        self.run("store.add_audit", **row, detail=json.dumps(detail, ensure_ascii=False))

    def probe(self, name: str, /, **params: object) -> None:
        """Run a query that looks like a change and is none, such as FTS5's integrity check.

        It runs in a transaction that is rolled back, so nothing is written; raises StoreDamaged.
        """
        with self._file.use() as connection:
            if self.readonly and not self._file.is_copy:
                with closing(copy_in_memory(connection)) as copy:
                    copy.execute(self._sql(name, params), params)
                return
            # By itself it ends by a rollback: to release it would commit, and wait for readers.
            end = "rollback to probe; release probe" if connection.in_transaction else "rollback"
            connection.execute("savepoint probe")
            try:
                connection.execute(self._sql(name, params), params)
            finally:
                if connection.in_transaction:
                    connection.execute(end)

    # -- the file

    def now(self) -> str:
        """Return the time in the stored form."""
        return timestamps.from_epoch(self.clock())

    def ids(self, highest: str) -> IdSource:
        """Return a source of ids; the query `highest(first, last)` gives a range's largest one."""
        return IdSource(self.clock, lambda first, last: self.value(highest, first=first, last=last))

    def edited_outside(self) -> bool:
        """Whether another program has changed the file since memkit's last write to it."""
        with self._file.use() as connection:
            # From the file itself: data_version() only moves with the next read.
            if (self._file.generation, change_counter(connection)) == self._checked:
                return False
            with self.snapshot():
                counter = change_counter(connection)
                edited = bool(self.value("store.change_counter") != counter)
            if not edited:
                self._checked = (self._file.generation, counter)
            elif self.readonly and not self._file.is_copy:
                self._file.reopen()  # as a copy in memory, which can be brought up to date
            return edited

    def state(self) -> tuple[int, int]:
        """Return what changes whenever the file does: times it was opened again, change counter."""
        with self._file.use() as connection:
            return (self._file.generation, change_counter(connection))

    def mark_reconciled(self) -> int:
        """Record that derived rows are in step with the permanent ones, and return the change
        counter that the file will have; inside `write`."""
        with self._file.use() as connection:
            counter = next_change_counter(connection)
            self.run("store.set_change_counter", counter=counter)
            return counter

    def maintenance(self, statement: str) -> None:
        """Run VACUUM or another statement that must stand outside a transaction."""
        with self._file.use() as connection:
            edited = self._stale_before(connection)
            before = change_counter(connection)
            schema.run_script(connection, statement)
            if not edited and change_counter(connection) - before <= 1:  # nobody came in between
                self.write(self.mark_reconciled)

    def give_back_space(self, *, max_pages: int | None = None) -> tuple[int, int] | None:
        """Give pages back that nothing lies in any more, if they are a quarter of the file; return
        how many of how many they were, or None if nothing was done. A file of more than `max_pages`
        stays as it is: all that is left in it is written anew."""
        free, pages = self.first("store.pages") or (0, 0)
        is_small = max_pages is None or pages <= max_pages
        if self.readonly or self._file.depth or not is_small or free < max(_FEW_PAGES, pages // 4):
            return None
        self.maintenance("vacuum")
        return free, pages

    def close(self) -> None:
        """Close the file; nothing is left beside it. Closing twice is harmless."""
        self._file.close()

    @property
    def readonly(self) -> bool:
        """Whether nothing may be written: asked for, or all that the file's permissions allow."""
        return self._file.readonly

    @property
    def is_closed(self) -> bool:
        """Whether the store has been closed."""
        return self._file.is_closed

    @property
    def vector_note(self) -> str | None:
        """Why vector search is not available in this file, or None."""
        return self._file.vector_note

    # -- internals

    def _tolerant(self, sql: str, params: Mapping[str, object]) -> tuple[list[str], list[Row]]:
        with self._file.use() as connection:
            return tolerant_rows(connection, sql, params)

    def _require_write(self) -> None:
        if not self._file.depth:
            raise StoreError(f"{self.path}: a changing query outside write(); wrap it")

    def _transaction(self, work: Callable[[], T]) -> T:
        with self._file.use() as connection:
            connection.execute("begin immediate")
            self._file.depth += 1
            try:
                if self._file.is_moved():
                    raise StoreMoved(f"{self.path}: another program replaced the file")
                edited = self._stale_before(connection)
                before = connection.total_changes()
                result, checked = work(), self._checked
                if connection.total_changes() != before and not edited:
                    checked = (self._file.generation, self.mark_reconciled())
                connection.execute("commit")
                self._checked = checked
                return result
            except BaseException:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise
            finally:
                self._file.depth -= 1

    def _stale_before(self, connection: apsw.Connection) -> bool:
        """Whether edits from outside are still to be reconciled; then they stay noticed."""
        return bool(self.value("store.change_counter") != change_counter(connection))

    def _nested(self, work: Callable[[], T]) -> T:
        connection = self._file.ready()
        connection.execute("savepoint nested")
        self._file.depth += 1
        try:
            result = work()
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback to nested")
                connection.execute("release nested")
            raise
        finally:
            self._file.depth -= 1
        connection.execute("release nested")
        return result

    def _sql(self, name: str, params: Mapping[str, object] | None) -> str:
        query = find_query(self._queries_of(name), name)
        if params is not None and set(params) != set(query.params):
            raise StoreError(
                f"query {name}: given ({', '.join(params)}), expected ({', '.join(query.params)})"
            )
        return query.sql

    def _queries_of(self, name: str) -> Mapping[str, Query]:
        """Return the queries among which this one is."""
        if name.startswith("tables.") and self._queries is load_queries():
            from .tables import table_queries  # making them builds the whole schema

            return table_queries()
        return self._queries


def _bindable(row: Mapping[str, object] | tuple[object, ...]) -> Any:
    """Return the values of a row, its texts such as SQLite takes them."""
    values = row.values() if isinstance(row, Mapping) else row
    if all(not isinstance(value, str) or value.isascii() for value in values):
        return row  # as most are
    if isinstance(row, Mapping):
        return _well_formed(row)
    return tuple(well_formed(value) if isinstance(value, str) else value for value in row)


def _well_formed(params: Mapping[str, object]) -> dict[str, object]:
    return {
        name: well_formed(value) if isinstance(value, str) else value
        for name, value in params.items()
    }


# --- Machine-local settings: small values by name, of the type that is
# asked for. They come with the file from anywhere, so another sort counts as nothing noted.

Setting = TypeVar("Setting", int, str, dict[str, Any])


def local_setting(store: Store, name: str, otherwise: Setting) -> Setting:
    """Return what was noted under a name; `otherwise` if that is nothing, or of another sort."""
    text = store.value("store.local_setting", name=name)
    try:
        value: Any = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return otherwise
    return value if type(value) is type(otherwise) else otherwise


def set_local_setting(store: Store, name: str, value: object) -> None:
    """Note a value under a name, in place of what was there. Only inside `write`."""
    store.run("store.set_local_setting", name=name, value=json.dumps(value), at=store.now())


# When what is old was removed last; every process that wrote looks at it as it ends.
TIDIED = "tidied"
TIDY_SECONDS = 86_400


def was_noted(store: Store, name: str, *, within: float) -> bool:
    """Whether a time was noted under a name, so many seconds ago at most."""
    return 0 <= store.clock() - timestamps.to_epoch(local_setting(store, name, "")) < within

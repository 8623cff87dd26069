"""Another program at the same file: Python's own sqlite3, which knows nothing of memkit."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw

import memkit


def run(path: Path, *statements: str, **params: object) -> list[tuple[Any, ...]]:
    """Run statements in one transaction; return the rows of the last one."""
    rows: list[tuple[Any, ...]] = []
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            rows = connection.execute(statement, params).fetchall()
    return rows


def rows(kit: memkit.Memkit, table: str) -> list[dict[str, Any]]:
    """Return every row of a table that has ids, by id."""
    with closing(sqlite3.connect(kit.path)) as connection:
        connection.row_factory = sqlite3.Row
        found = connection.execute(f"select * from {table} order by id")
        return [dict(row) for row in found]


def pragma(path: Path, statement: str) -> Any:
    """Run one statement outside a transaction; return the first value it gives."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        row = connection.execute(statement).fetchone()
    return row[0] if row else None


@contextmanager
def holding(path: Path, how: str = "begin immediate") -> Iterator[apsw.Connection]:
    """Hold a lock on the file inside the block.

    Through apsw: two copies of SQLite in one process do not see each other's locks.
    """
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute(how)
        yield connection
        connection.execute("rollback")

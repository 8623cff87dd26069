"""Rollback journals: removal of those that belong to another file.

A process killed in the middle of a commit leaves `…-journal`, from which SQLite restores the file
at the next open. If git has put another version of the file in its place meanwhile, the same
journal would write old pages into the new file and destroy it. SQLite cannot tell; the change
counters can.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import apsw

_MAGIC = bytes.fromhex("d9d505f920a163d7")
# Magic, records, nonce, pages of the file before, sector size, page size.
_HEADER = struct.Struct(">8sIIIII")
# Records were not counted: read to the end of the journal.
_UNCOUNTED = 0xFFFFFFFF
_COUNTER = slice(24, 28)
# The pages of a commit are written right after its journal: seconds later it was not this commit.
_COMMIT_SECONDS = 10.0


class _Journal(NamedTuple):
    """The first section of a journal: original pages by number, as they were before the commit;
    `nonce` tells it from all others."""

    nonce: int
    page_size: int
    pages: dict[int, bytes]


def discard_foreign_journal(path: Path) -> bool:
    """Remove a journal beside `path` that was written for another file; return whether it was.

    A journal that may belong to the file, or to a transaction under way, is left to SQLite.
    """
    journal_path = path.with_name(path.name + "-journal")
    try:
        journal = _read(journal_path)
        if journal is None or _belongs(journal, path, journal_path):
            return False
        # A commit that ran meanwhile looked foreign: its file was compared half before, half after.
        if _is_under_way(path, journal) or _read(journal_path) != journal:
            return False
        journal_path.unlink()
    except (OSError, apsw.Error):
        return False  # gone meanwhile, or not readable: SQLite will say what it thinks of it
    return True


def sweep_dead_journal(connection: apsw.Connection, path: Path) -> None:
    """Remove a journal that a process left before it had written anything into the file.

    SQLite leaves it lying until the next write. It may also be the journal of a transaction under
    way: only whoever holds the write lock can tell, so nothing is done while another holds it.
    """
    journal_path = path.with_name(path.name + "-journal")
    if not journal_path.exists():
        return
    try:
        connection.execute("begin immediate")
    except apsw.BusyError:
        return
    try:
        if _read(journal_path) is None:
            journal_path.unlink(missing_ok=True)
    except OSError:
        pass  # left lying, it does no harm
    finally:
        connection.execute("rollback")


def _read(journal_path: Path) -> _Journal | None:
    """Return the journal's pages, or None if there is no journal that SQLite would play back."""
    if not journal_path.exists():
        return None
    content = journal_path.read_bytes()
    if len(content) < _HEADER.size or content[:8] != _MAGIC:
        return None
    _, records, nonce, _, sector, page_size = _HEADER.unpack_from(content)
    if records == 0 or not sector or not page_size:
        return None
    return _Journal(nonce, page_size, dict(_records(content, sector, page_size, records)))


def _records(content: bytes, sector: int, size: int, remaining: int) -> Iterator[tuple[int, bytes]]:
    position = sector
    while remaining and position + size + 8 <= len(content):
        yield (
            int.from_bytes(content[position : position + 4], "big"),
            content[position + 4 : position + 4 + size],
        )
        position += size + 8
        remaining -= remaining != _UNCOUNTED


def _belongs(journal: _Journal, path: Path, journal_path: Path) -> bool:
    first = journal.pages.get(1)
    if first is None:
        return True  # the cache spilled before the commit: nothing to compare with
    before = int.from_bytes(first[_COUNTER], "big")
    with closing(_Database(path, journal.page_size)) as file:
        counter = int.from_bytes(file.page(1)[_COUNTER], "big")
        if counter == before:
            # Page 1 is written first, so no page of the commit has been written yet.
            return all(file.page(number) == page for number, page in journal.pages.items())
    late = os.stat(path).st_mtime - os.stat(journal_path).st_mtime
    return counter == before + 1 and late < _COMMIT_SECONDS


def _is_under_way(path: Path, journal: _Journal) -> bool:
    """Whether anybody, in this process or another, holds the write lock, as whoever has a journal
    does from before it is made until after it is gone."""
    with closing(_Database(path, journal.page_size)) as file:
        return file.is_locked()


class _Database:
    """The file, read through SQLite's own file layer.

    Opening and closing it any other way would drop the locks that this process holds on it.
    """

    def __init__(self, path: Path, page_size: int) -> None:
        flags = [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0]
        self._file = apsw.VFSFile("", str(path), flags)
        self._size = page_size

    def page(self, number: int) -> bytes:
        """Return one page; empty if the file ends before it."""
        try:
            return self._file.xRead(self._size, (number - 1) * self._size)
        except apsw.IOError:
            return b""

    def is_locked(self) -> bool:
        """Whether a transaction that writes is under way."""
        return self._file.xCheckReservedLock()

    def close(self) -> None:
        """Close the file."""
        self._file.xClose()

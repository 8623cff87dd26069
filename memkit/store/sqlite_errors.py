"""Error codes of SQLite as errors of memkit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from ..errors import (
    InvalidInput,
    MemkitError,
    NotAMemkitFile,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMoved,
    StoreReadOnly,
)

# What a call of apsw can raise: text that is no text comes out as Python's own error.
FAULTS = (apsw.Error, UnicodeDecodeError, UnicodeEncodeError)
# Time-outs, in seconds, that are long enough to be worth a word.
_TELLING = 0.05


@contextmanager
def mapped(path: object, *, waited: float | None = None) -> Iterator[None]:
    """Turn any apsw error inside the block into a MemkitError that names `path` and the next
    step; `waited` as in `translated`."""
    try:
        yield
    except FAULTS as error:
        raise translated(error, path, waited=waited) from error


def translated(error: Exception, path: object, *, waited: float | None = None) -> MemkitError:
    """Return the MemkitError that says what one of FAULTS means for the file at `path`.

    `waited`: seconds that another process is waited for, if it is known.
    """
    if isinstance(error, UnicodeDecodeError):
        return StoreDamaged(
            f"{path}: holds text that is not UTF-8 ({error.reason}); put the row right with "
            "sqlite3, or restore the file from git"
        )
    if isinstance(error, UnicodeEncodeError):
        return InvalidInput(
            f"{path}: {error.object[error.start : error.end]!r} cannot be stored or looked for; "
            "leave out lone surrogates"
        )
    extended = getattr(error, "extendedresult", 0)
    if extended == apsw.SQLITE_READONLY_DBMOVED:
        return StoreMoved(f"{path}: another program replaced the file during the write; try again")
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        # A try of a blink is one of several: how long it was tells nothing of what was waited for.
        is_told = waited is not None and waited >= _TELLING
        time_out = f" for longer than the time-out of {waited:.3g} s" if is_told else ""
        problem = f"another process held the file{time_out}; try again when it is done"
        return StoreBusy(f"{path}: {problem}")
    if isinstance(error, _UNWRITABLE) and _is_unreadable(str(path)):
        return StoreError(f"{path}: the file may not be read ({error}); see 'memkit doctor'")
    for kind, code, meaning, problem in _MEANINGS:
        if isinstance(error, kind) and code in (None, extended):
            return meaning(f"{path}: {problem.format(error)}")
    return _without_code(error, path)


def _without_code(error: Exception, path: object) -> StoreError:
    """Return the error of which only SQLite's words tell; its tables were there at the opening."""
    if str(error).startswith("no such table"):
        problem = "another program cut the file off or emptied it; restore it from git"
        return StoreDamaged(f"{path}: {error}: {problem}")
    return StoreError(f"{path}: SQLite says: {error}")


def _is_unreadable(path: str) -> bool:
    return os.path.isfile(path) and not os.access(path, os.R_OK)  # noqa: PTH113


_UNWRITABLE = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)
# Errors of apsw and their extended code, if only that one is meant; what they are here, and what is
# said of them.
_MEANINGS: tuple[
    tuple[type | tuple[type, ...], int | None, type[MemkitError], str], ...
] = (
    # Corruption that concerns only a virtual table (the full-text index), which can be rebuilt.
    (apsw.CorruptError, apsw.SQLITE_CORRUPT_VTAB, StoreDamaged,
     "the full-text index is malformed ({}); run 'memkit check --repair', or restore the file from "
     "git"),
    # Repair rebuilds what is derived; it cannot give back pages.
    (apsw.CorruptError, None, StoreDamaged,
     "the file is malformed ({}); restore it from git, or save the rows that can be read with "
     "'memkit export FILE'"),
    (apsw.NotADBError, None, NotAMemkitFile,
     "is not an SQLite database; expected a memkit store: choose another path, or restore the file "
     "from git (nothing was changed)"),
    (_UNWRITABLE, None, StoreReadOnly,
     "the file or its folder cannot be written ({}); see 'memkit doctor', or copy the file to "
     "where it may be written"),
    (apsw.FullError, None, StoreFull,
     "no room left to write; free some space and repeat the last call"),
    (apsw.InterruptError, None, StoreError,
     "a query was stopped because it ran for too long; narrow the question"),
    (apsw.TooBigError, None, StoreError,
     "a value is larger than memkit stores; split the text"),
    (apsw.IOError, None, StoreError,
     "the disk reported an error ({}); check the disk and try again"),
)  # fmt: skip

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
# SQLITE_READONLY_DBMOVED: the file is no longer the one that was opened.
_MOVED = apsw.SQLITE_READONLY_DBMOVED
# Corruption that concerns only a virtual table (the full-text index), which can be rebuilt.
_VIRTUAL_TABLE = apsw.SQLITE_CORRUPT_VTAB


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
    if extended == _MOVED:
        return StoreMoved(f"{path}: another program replaced the file during the write; try again")
    if isinstance(error, apsw.BusyError | apsw.LockedError):
        return _busy(path, waited)
    for kind, make in _KINDS:
        if isinstance(error, kind):
            return make(path, error)
    return StoreError(f"{path}: SQLite says: {error}")


def _busy(path: object, waited: float | None) -> MemkitError:
    # A try of a blink is one of several: how long it was tells nothing of what was waited for.
    is_told = waited is not None and waited >= _TELLING
    how_long = f" for longer than the time-out of {waited:.3g} s" if is_told else ""
    return StoreBusy(f"{path}: another process held the file{how_long}; try again when it is done")


def _damaged(path: object, error: Exception) -> MemkitError:
    extended = getattr(error, "extendedresult", 0)
    if extended == _VIRTUAL_TABLE:
        return StoreDamaged(
            f"{path}: the full-text index is malformed ({error}); run 'memkit check --repair', "
            "or restore the file from git"
        )
    # Repair rebuilds what is derived; it cannot give back pages.
    return StoreDamaged(
        f"{path}: the file is malformed ({error}); restore it from git, "
        "or save the rows that can be read with 'memkit export FILE'"
    )


def _not_a_store(path: object, error: Exception) -> MemkitError:
    return NotAMemkitFile(
        f"{path}: is not an SQLite database; expected a memkit store: choose another path, "
        "or restore the file from git (nothing was changed)"
    )


def _read_only(path: object, error: Exception) -> MemkitError:
    if os.path.isfile(str(path)) and not os.access(str(path), os.R_OK):  # noqa: PTH113
        return StoreError(f"{path}: the file may not be read ({error}); see 'memkit doctor'")
    return StoreReadOnly(
        f"{path}: the file or its folder cannot be written ({error}); see 'memkit doctor', or "
        "copy the file to where it may be written"
    )


def _full(path: object, error: Exception) -> MemkitError:
    return StoreFull(f"{path}: no room left to write; free some space and repeat the last call")


def _too_slow(path: object, error: Exception) -> MemkitError:
    return StoreError(
        f"{path}: a query was stopped because it ran for too long; narrow the question"
    )


def _too_big(path: object, error: Exception) -> MemkitError:
    return StoreError(f"{path}: a value is larger than memkit stores; split the text")


def _input_output(path: object, error: Exception) -> MemkitError:
    return StoreError(f"{path}: the disk reported an error ({error}); check the disk and try again")


_KINDS = (
    (apsw.CorruptError, _damaged),
    (apsw.NotADBError, _not_a_store),
    (apsw.ReadOnlyError, _read_only),
    (apsw.CantOpenError, _read_only),
    (apsw.PermissionsError, _read_only),
    (apsw.FullError, _full),
    (apsw.InterruptError, _too_slow),
    (apsw.TooBigError, _too_big),
    (apsw.IOError, _input_output),
)

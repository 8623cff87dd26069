"""Everything memkit raises on purpose, in one tree.

MemkitError
├── StoreError
│   ├── NotAMemkitFile     the file is something else, or is missing in a read-only open
│   ├── SchemaTooNew       written by a later memkit
│   ├── StoreBusy          another process held the file for longer than the time-out
│   ├── StoreDamaged       SQLite found the file malformed
│   ├── StoreReadOnly      the file or its folder cannot be written
│   ├── StoreFull          no room left on the disk, or the file has reached its limit
│   ├── StoreMoved         the file was replaced while a write was under way
│   └── ForeignObject      the file holds a table, trigger or view that memkit did not make
├── EncoderError
│   ├── ModelMissing       no model at that place
│   └── ModelChanged       the vectors in the file are of another model
├── NotFound               (also LookupError) no such memory, tag or query
├── InvalidInput           (also ValueError) an argument has a value that means nothing
├── SecretFound            a secret stands where none may be replaced by a marker
└── Disabled               memkit was switched off

Every message is one line: the thing, what was found, what was expected, the next step.
`code` is the stable word for machines (`--json` prints it).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")
# Characters of a value that a message shows.
_LONGEST_SHOWN = 60
# Seconds of a wait; SQLite counts milliseconds in 32 bits.
_LONGEST_WAIT = 2_000_000
# SQLite has no greater whole number.
_GREATEST = (1 << 63) - 1


class MemkitError(Exception):
    """Base of all errors that memkit raises on purpose; no message repeats a secret that was given
    as an argument.
    """

    code = "error"

    def __init__(self, message: str = "") -> None:
        from .safety import redact

        super().__init__(redact(message).text)


class StoreError(MemkitError):
    """The file cannot be used as asked."""

    code = "store"


class NotAMemkitFile(StoreError):
    """The file is not a memkit store, or there is none."""

    code = "not_a_memkit_file"


class SchemaTooNew(StoreError):
    """The file was written by a later memkit than this one."""

    code = "schema_too_new"


class StoreBusy(StoreError):
    """Another process held the file for longer than the time-out."""

    code = "store_busy"


class StoreDamaged(StoreError):
    """SQLite found the file malformed."""

    code = "store_damaged"


class StoreReadOnly(StoreError):
    """The file, or the folder it lies in, cannot be written."""

    code = "store_read_only"


class StoreFull(StoreError):
    """The disk is full, or the file has reached the limit set for it."""

    code = "store_full"


class StoreMoved(StoreError):
    """The file was replaced by another program while a write was under way."""

    code = "store_moved"


class ForeignObject(StoreError):
    """The file holds a table, index, trigger or view that memkit did not make."""

    code = "foreign_object"


class EncoderError(MemkitError):
    """Text cannot be turned into vectors as asked."""

    code = "encoder"


class ModelMissing(EncoderError):
    """There is no model at the place named."""

    code = "model_missing"


class ModelChanged(EncoderError):
    """The vectors in the file were made by another model."""

    code = "model_changed"


class NotFound(MemkitError, LookupError):
    """No such memory, tag, query or setting."""

    code = "not_found"


class InvalidInput(MemkitError, ValueError):
    """An argument has a value that means nothing here."""

    code = "invalid_input"


class SecretFound(MemkitError):
    """A secret stands where it cannot be replaced by a marker (an identifier, a path)."""

    code = "secret_found"


class Disabled(MemkitError):
    """memkit was switched off by a setting or by MEMKIT_DISABLED."""

    code = "disabled"


def one_of(enum: type[E], value: str, *, name: str) -> E:
    """Return the enumeration's member; raises InvalidInput that lists the members."""
    try:
        return enum(value)
    except ValueError:
        members = ", ".join(enum)
        raise InvalidInput(f"{name}: {shown(value)} is unknown; give one of {members}") from None


def a_text(value: object, *, name: str) -> str:
    """Return the value if it is a text; raises InvalidInput that says what was found."""
    if isinstance(value, str):
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected a text")


def texts(values: object, *, name: str) -> tuple[str, ...]:
    """Return one text or several as a tuple; raises InvalidInput for anything else."""
    if isinstance(values, str):
        return (values,)
    if isinstance(values, Iterable) and not isinstance(values, bytes | Mapping):
        return tuple(a_text(value, name=name) for value in values)
    raise InvalidInput(f"{name}: found {shown(values)}, expected a text or several")


def whole(value: object, *, name: str, least: int = 1, most: int | None = None) -> int:
    """Return the value if it is a whole number within its bounds; raises InvalidInput."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    greatest = _GREATEST if most is None else most
    if isinstance(value, int) and is_number and least <= value <= greatest:
        return value
    bounds = f"{least} or more" if most is None else f"{least} to {most}"
    raise InvalidInput(f"{name}: found {shown(value)}, expected a whole number, {bounds}")


def share(value: object, *, name: str) -> float:
    """Return the value if it is a number from 0 to 1; raises InvalidInput."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected a number from 0 to 1")


def seconds(value: object, *, name: str) -> float:
    """Return the value if it is a length of time; raises InvalidInput."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, int | float) and is_number and 0 <= value <= _LONGEST_WAIT:
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected seconds, 0 to {_LONGEST_WAIT}")


def flag(value: object, *, name: str) -> bool:
    """Return the value if it is True or False; raises InvalidInput: "no" would be taken for yes."""
    if isinstance(value, bool):
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected True or False")


def items(values: object, *, name: str) -> Iterable[Any]:
    """Return the values if they are more than a text; raises InvalidInput for anything else."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes):
        return values
    raise InvalidInput(f"{name}: found {shown(values)}, expected several")


def a_place(value: object, *, name: str) -> Path:
    """Return the path that a text or path object names; raises InvalidInput if none can be so."""
    try:
        path = os.fspath(value) if isinstance(value, str | os.PathLike) else None
        if isinstance(path, str) and path and "\0" not in path and os.fsencode(path):
            return Path(path)
    except UnicodeEncodeError:
        pass
    raise InvalidInput(f"{name}: found {shown(value)}, expected the path of a file or folder")


def a_call(value: Callable[..., T] | None, *, name: str) -> Callable[..., T] | None:
    """Return the value if it can be called, or None; raises InvalidInput for anything else."""
    if value is None or callable(value):
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected a function")


def shown(value: object) -> str:
    """Return a value as messages show it, on one line and not longer than that."""
    text = " ".join(repr(value).splitlines())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"

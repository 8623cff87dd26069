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

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

E = TypeVar("E", bound=StrEnum)
# Characters of a value that a message shows.
_LONGEST_SHOWN = 60


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
        raise InvalidInput(f"{name}: {value!r} is unknown; give one of {members}") from None


def a_text(value: object, *, name: str) -> str:
    """Return the value if it is a text; raises InvalidInput that says what was found."""
    if isinstance(value, str):
        return value
    raise InvalidInput(f"{name}: found {_shown(value)}, expected a text")


def texts(values: object, *, name: str) -> tuple[str, ...]:
    """Return one text or several as a tuple; raises InvalidInput for anything else."""
    if isinstance(values, str):
        return (values,)
    if isinstance(values, Iterable) and not isinstance(values, bytes):
        return tuple(a_text(value, name=name) for value in values)
    raise InvalidInput(f"{name}: found {_shown(values)}, expected a text or several")


def whole(value: object, *, name: str, least: int = 1, most: int | None = None) -> int:
    """Return the value if it is a whole number within its bounds; raises InvalidInput."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, int) and is_number and least <= value <= (value if most is None else most):
        return value
    bounds = f"{least} or more" if most is None else f"{least} to {most}"
    raise InvalidInput(f"{name}: found {_shown(value)}, expected a whole number, {bounds}")


def share(value: object, *, name: str) -> float:
    """Return the value if it is a number from 0 to 1; raises InvalidInput."""
    if isinstance(value, int | float) and 0 <= value <= 1:
        return value
    raise InvalidInput(f"{name}: found {_shown(value)}, expected a number from 0 to 1")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"

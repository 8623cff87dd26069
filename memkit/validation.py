"""Argument validators raising InvalidInput.

The message says the argument, what was found, and what was expected, on one line. The module is
imported whole (`arguments.text(…)`): its functions have the names that arguments have; but for the
type `Progress`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from .errors import InvalidInput
from .text.analyzer import well_formed

E = TypeVar("E", bound=StrEnum)
T = TypeVar("T")
# What long work tells its caller: how much is done, and of how much.
Progress = Callable[[int, int], None]
# Steps along edges that may be asked for: farther away everything is near everything.
MAX_DEPTH = 20
DEFAULT_DEPTH = 2
# Characters of a value that a message shows.
_LONGEST_SHOWN = 60
# Seconds of a wait; SQLite counts milliseconds in 32 bits.
_LONGEST_WAIT = 2_000_000
# Bytes of a path, and of one of its parts, that file systems take.
_LONGEST_PATH, _LONGEST_PART = 4096, 255
# SQLite has no greater whole number.
_GREATEST = (1 << 63) - 1


def text(value: object, *, name: str) -> str:
    """Return the value if it is a text, as it can be stored."""
    if isinstance(value, str):
        return well_formed(value)
    raise InvalidInput(f"{name}: found {shown(value)}, expected a text")


def named(value: object, *, name: str) -> str:
    """Return the value if it is a text that names something; the value of a variable that was not
    set does not."""
    if text(value, name=name).strip():
        return text(value, name=name)
    raise InvalidInput(f"{name}: {shown(value)} names nothing; name one, or leave it out")


def texts(values: object, *, name: str) -> tuple[str, ...]:
    """Return one text or several as a tuple."""
    if isinstance(values, str):
        return (well_formed(values),)
    if isinstance(values, Iterable) and not isinstance(values, bytes | Mapping):
        return tuple(text(value, name=name) for value in values)
    raise InvalidInput(f"{name}: found {shown(values)}, expected a text or a list of texts")


def integer(value: object, *, name: str, minimum: int = 1, maximum: int | None = None) -> int:
    """Return the value if it is a whole number within its bounds."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    greatest = _GREATEST if maximum is None else maximum
    if isinstance(value, int) and is_number and minimum <= value <= greatest:
        return value
    bounds = f"{minimum} or more" if maximum is None else f"{minimum} to {maximum}"
    raise InvalidInput(f"{name}: found {shown(value)}, expected a whole number, {bounds}")


def fraction(value: object, *, name: str) -> float:
    """Return the value if it is a number from 0 to 1."""
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected a number from 0 to 1")


def seconds(value: object, *, name: str) -> float:
    """Return the value if it is a length of time."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(value, int | float) and is_number and 0 <= value <= _LONGEST_WAIT:
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected seconds, 0 to {_LONGEST_WAIT}")


def boolean(value: object, *, name: str) -> bool:
    """Return the value if it is True or False: "no" would be taken for yes."""
    if isinstance(value, bool):
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected True or False")


def iterable(values: object, *, name: str) -> Iterable[Any]:
    """Return the values of a list or another iterable; one text is none."""
    if isinstance(values, Iterable) and not isinstance(values, str | bytes):
        return values
    raise InvalidInput(f"{name}: found {shown(values)}, expected a list")


def path(value: object, *, name: str) -> Path:
    """Return the path that a text or path object names; "~" is the home folder, also where no
    shell has read it."""
    try:
        written = os.fspath(value) if isinstance(value, str | os.PathLike) else None
        if (
            isinstance(written, str)
            and written
            and "\0" not in written
            and _fits(os.fsencode(written))
        ):
            place = Path(written)
            return place.expanduser() if place.parts[:1] == ("~",) else place
    except (UnicodeEncodeError, RuntimeError):  # RuntimeError: nobody is at home
        pass
    raise InvalidInput(f"{name}: found {shown(value)}, expected the path of a file or folder")


def mapping(value: object, *, name: str) -> Mapping[Any, Any]:
    """Return the value if it gives values by keys."""
    if isinstance(value, Mapping):
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected a mapping of names to values")


def optional(check: Callable[..., T], value: object, *, name: str) -> T | None:
    """Return None for None, else what a check of this module says of the value."""
    return None if value is None else check(value, name=name)


def function(value: Callable[..., T], *, name: str) -> Callable[..., T]:
    """Return the value if it can be called."""
    if callable(value):
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected a function")


def instance(kind: type[T], value: object, *, name: str) -> T:
    """Return the value if it is of a class of memkit."""
    if isinstance(value, kind):
        return value
    raise InvalidInput(f"{name}: found {shown(value)}, expected a {kind.__name__}")


def callback(value: Callable[..., T] | None, *, name: str) -> Callable[..., T] | None:
    """Return the value if it can be called, or None."""
    return None if value is None else function(value, name=name)


def member(enum: type[E], value: str, *, name: str) -> E:
    """Return the enumeration's member; the message lists the members."""
    try:
        return enum(value)
    except ValueError:
        members = ", ".join(enum)
        raise InvalidInput(f"{name}: {shown(value)} is unknown; give one of {members}") from None


def shown(value: object) -> str:
    """Return a value as messages show it, on one line and not longer than that."""
    line = " ".join(repr(value).splitlines())
    return line if len(line) <= _LONGEST_SHOWN else f"{line[:_LONGEST_SHOWN]}…"


def is_json(text: str) -> bool:
    """Whether a text is JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _fits(path: bytes) -> bool:
    return len(path) <= _LONGEST_PATH and all(len(p) <= _LONGEST_PART for p in path.split(b"/"))

"""Type-checked access to untrusted JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from math import isfinite
from typing import IO, Any, NamedTuple

from ...errors import InvalidInput
from ...store import timestamps

# A longer line is no event that anyone asks for again; reading it whole would fill the memory.
MAX_LINE = 32_000_000
_NUMERAL = re.compile(r"[+-]?[0-9]{1,15}")
_DECIMAL = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,9})?")


class Line(NamedTuple):
    """One line of a file: its number, and its object or the reason why there is none."""

    number: int
    row: Mapping[str, Any] | None
    reason: str | None = None


def lines(file: IO[bytes]) -> Iterator[Line]:
    """Yield the JSON objects of a file with one a line; damaged and giant lines come with the
    reason. Only one line is held at a time."""
    number = 0
    while data := file.readline(MAX_LINE):
        number += 1
        if not data.endswith(b"\n") and len(data) >= MAX_LINE:
            while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                pass
            yield Line(number, None, f"line of more than {MAX_LINE // 1_000_000} MB")
        elif data.strip(b"\0 \t\r\n\xef\xbb\xbf"):
            yield _parsed(number, data, is_whole=data.endswith(b"\n"))


def parsed(data: str | bytes) -> Any:
    """Return the value of a JSON text; None if it is none."""
    try:
        text = data.decode("utf-8", "replace") if isinstance(data, bytes) else data
        return json.loads(text.lstrip("\ufeff"), parse_float=_finite, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def written_mapping(value: object) -> Mapping[str, Any]:
    """Return an object that is given as such or as the text of its JSON, else an empty one."""
    return mapping(parsed(value) if isinstance(value, str) else value)


def objects(value: object) -> list[Mapping[str, Any]]:
    """Return the objects of a list; an empty list for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str | None:
    """Return a text that is not blank, or None."""
    return value if isinstance(value, str) and value.strip() else None


def whole(value: object) -> int | None:
    """Return a number that fits 52 bits as an integer, also one in a text, or None."""
    if isinstance(value, str) and _NUMERAL.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return int(value) if abs(value) < 1 << 52 else None


def number(value: object) -> float | None:
    """Return a number of at most 15 digits, also one in a text, as a shell gives it, or None."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return value if abs(value) < 1e15 else None


def bounded(value: object, *, min_value: int = -(1 << 53)) -> int | None:
    """Return a number as an integer that is at least `min_value`, or None."""
    real = number(value)
    return None if real is None else max(min(int(real), 1 << 53), min_value)


def line_span(value: object) -> tuple[int, int] | None:
    """Return first and last line, given as a pair, as `start` and `end`, or as one number."""
    if isinstance(value, Mapping):
        first, last = value.get("start"), value.get("end")
    elif isinstance(value, list | tuple) and len(value) == 2:
        first, last = value
    else:
        first = last = value
    start, end = bounded(first), bounded(last)
    return None if start is None else (start, start if end is None else end)


def moment(value: object) -> str | None:
    """Return a time in the stored form, or None for what is none."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return None
    try:
        return timestamps.normalise(value)
    except (InvalidInput, OSError):
        return None


def milliseconds(start: object, end: object) -> int | None:
    """Return the milliseconds between two times, or None if one is missing or they are turned."""
    begun, ended = moment(start), moment(end)
    if begun is None or ended is None:
        return None
    spent = round((timestamps.to_epoch(ended) - timestamps.to_epoch(begun)) * 1000)
    return spent if spent >= 0 else None


def milliseconds_of(seconds: object) -> int | None:
    """Return seconds as milliseconds, or None for what is no time that a call can take."""
    is_timed = isinstance(seconds, int | float) and 0 <= seconds < 1e9
    return round(seconds * 1000) if is_timed else None  # type: ignore[operator]


def content_text(value: object) -> str | None:
    """Return the text of a message: a string, or the texts of a list of blocks."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    parts = [part if isinstance(part, str) else mapping(part).get("text") for part in value]
    return "\n".join(part for part in parts if isinstance(part, str))


# --- The same of what stands in an object under a key, or under keys one below the other.


def value_at(row: object, *keys: str) -> Any:
    """Return what stands there, or None."""
    for key in keys:
        row = mapping(row).get(key)
    return row


def mapping_at(row: object, *keys: str) -> Mapping[str, Any]:
    """Return the object there, or an empty one."""
    return mapping(value_at(row, *keys))


def objects_at(row: object, *keys: str) -> list[Mapping[str, Any]]:
    """Return the objects of the list there."""
    return objects(value_at(row, *keys))


def text_at(row: object, *keys: str) -> str | None:
    """Return the text there, unless it is blank."""
    return text(value_at(row, *keys))


def content_text_at(row: object, *keys: str) -> str | None:
    """Return the text of the message there."""
    return content_text(value_at(row, *keys))


def whole_at(row: object, *keys: str) -> int | None:
    """Return the whole number there, or None."""
    return whole(value_at(row, *keys))


def moment_at(row: object, *keys: str) -> str | None:
    """Return the time there in the stored form, or None."""
    return moment(value_at(row, *keys))


def digest(*parts: object) -> str:
    """Return a short name for what has none: the same for the same beginning of a transcript."""
    data = "\0".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()[:16]


# -- inside


def _finite(text: str) -> float | None:
    """Return a number, or None for one that JSON cannot say again, such as 1e999."""
    number = float(text)
    return number if isfinite(number) else None


def _parsed(number: int, data: bytes, *, is_whole: bool) -> Line:
    row = parsed(data.strip(b"\0"))
    if isinstance(row, dict):
        return Line(number, row)
    return Line(number, None, "damaged line" if is_whole else "last line cut off")

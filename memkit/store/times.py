"""Time in one stored form: UTC text `YYYY-MM-DDTHH:MM:SS.sssZ`, which sorts as time.

Whatever comes in (dates, aware or naive datetimes, ISO text with or without an offset, seconds or
milliseconds since 1970) is turned into it at the boundary, so that comparisons inside never fail.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from .. import arguments
from ..errors import InvalidInput, StoreDamaged

When = str | int | float | date

# Seconds since 1970 beyond this are taken for milliseconds: as seconds it would be the year 5138.
_MILLISECONDS_FROM = 1e11
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_WORD_UNITS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86400,
    "week": 7 * 86400,
    "month": 30 * 86400,
    "quarter": 91 * 86400,
    "year": 365 * 86400,
}
_NUMBER_WORDS = "a an one two three four five six seven eight nine ten eleven twelve".split()
_NUMBERS = dict(zip(_NUMBER_WORDS, (1, 1, *range(1, 13)), strict=True))
_AGO = re.compile(
    r"(?:(?:the )?(?:last|past|previous) )?(?:(\d+|[a-z]+) )?"
    r"(second|minute|hour|day|week|month|quarter|year)s?(?: ago)?"
)
_AHEAD = re.compile(
    r"(?:in|next) (?:(\d+|[a-z]+) )?(second|minute|hour|day|week|month|quarter|year)s?"
)
# A year or a month is ISO 8601 too, which `fromisoformat` does not read: its beginning is meant.
_MONTH = re.compile(r"(\d{4})(-\d\d)?")
# Text of digits alone: eight are a date; nine, ten or thirteen are seconds or milliseconds since
# 1970, which `fromisoformat` would read as a day in the year 1712.
_EPOCH = re.compile(r"(?:\d{9,10}|\d{13})(?:\.\d+)?")
_SHORT = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")


def from_epoch(seconds: float) -> str:
    """Return the stored form of `seconds` since 1970 (UTC), to the millisecond."""
    second, thousandths = divmod(round(seconds * 1000), 1000)
    return f"{_to_the_second(second)}.{thousandths:03d}Z"


@lru_cache(maxsize=64)
def _to_the_second(second: int) -> str:
    # Writing many memories asks for the time five times each, nearly always in the same second.
    moment = datetime(1970, 1, 1) + timedelta(seconds=second)
    return moment.isoformat(timespec="seconds")


@lru_cache(maxsize=4096)
def to_epoch(stored: str) -> float:
    """Return seconds since 1970 of a stored time; one written by hand without an offset is UTC.

    Raises StoreDamaged for what is no time: only another program can have written it.
    """
    try:
        moment = datetime.fromisoformat(stored)
    except ValueError as error:
        raise StoreDamaged(
            f"a time in the file is {arguments.shown(stored)} ({error}); 'memkit check --repair' "
            "puts it right"
        ) from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def normalise(value: When, *, name: str = "time") -> str:
    """Return `value` in the stored form; text without an offset is UTC, a year, a month or a day
    is its beginning.

    Raises InvalidInput for what is no time.
    """
    try:
        if isinstance(value, datetime):
            return _text(value if value.tzinfo else value.replace(tzinfo=UTC))
        if isinstance(value, date):
            return _text(datetime.combine(value, time(), UTC))
        if isinstance(value, int | float) and not isinstance(value, bool):
            return from_epoch(value / 1000 if abs(value) >= _MILLISECONDS_FROM else value)
        if isinstance(value, str):
            bare = value.strip()
            if _EPOCH.fullmatch(bare):
                return normalise(float(bare), name=name)
            if whole := _MONTH.fullmatch(bare):
                bare = f"{whole[1]}{whole[2] or '-01'}-01"
            moment = datetime.fromisoformat(bare)
            return _text(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(
        f"{name}: {arguments.shown(value)} is no time; give ISO 8601 such as 2026-03-01T10:00:00Z, "
        "a date, a datetime, or seconds since 1970"
    )


def is_stored(value: str) -> bool:
    """Whether a text is a time in the stored form."""
    try:
        return normalise(value) == value
    except InvalidInput:
        return False


def parse_when(value: When, *, now: float, name: str = "since") -> str:
    """Return the stored form of a time or of a phrase reckoned from `now` (seconds since 1970).

    Phrases: today, yesterday, last week, past 7 days, three hours ago, 36h, 2w, tomorrow, next
    week, in 3 days. A month counts 30 days. Raises InvalidInput for anything else: an unknown
    phrase is never "no filter".
    """
    try:
        if isinstance(value, str):
            seconds = _seconds_back(" ".join(value.lower().split()), now)
            if seconds is not None:
                return from_epoch(now - seconds)
        return normalise(value, name=name)
    except (InvalidInput, OverflowError, ValueError):
        raise InvalidInput(
            f"{name}: {arguments.shown(value)} is no time; give ISO 8601, 'today', 'yesterday', "
            "'last week', 'past 7 days', '3 hours ago', '36h', 'tomorrow' or 'in 3 days'"
        ) from None


def _seconds_back(phrase: str, now: float) -> float | None:
    """Return how long before `now` a phrase means, less than none if it lies ahead."""
    midnight = now % 86400
    days = {"today": midnight, "yesterday": midnight + 86400, "tomorrow": midnight - 86400}
    if phrase in days or phrase == "now":
        return days.get(phrase, 0.0)
    if short := _SHORT.fullmatch(phrase):
        return float(short[1]) * _UNITS[short[2]]
    if ahead := _AHEAD.fullmatch(phrase):
        return None if (seconds := _span(ahead)) is None else -seconds
    back = _AGO.fullmatch(phrase)
    return None if not back or phrase == back[2] else _span(back)


def _span(found: re.Match[str]) -> float | None:
    """Return the seconds of a number, in figures or in words, and a unit."""
    count = _NUMBERS.get(found[1]) if found[1] and not found[1].isdigit() else int(found[1] or 1)
    return None if count is None else float(count * _WORD_UNITS[found[2]])


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

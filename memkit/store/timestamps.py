"""UTC text timestamps, parsing of relative times.

Whatever comes in (dates, aware or naive datetimes, ISO text with or without an offset, seconds or
milliseconds since 1970) is turned into it at the boundary, so that comparisons inside never fail.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from math import inf

from .. import validation
from ..errors import InvalidInput
from ..text.patterns import lazy_pattern

# --- Words of time in English, German and Spanish: closed lists of what a calendar has.


def _numbered(words: str, *, first: int = 1) -> dict[str, int]:
    """Return each word with its number; words joined by a slash are the same."""
    return {
        word: number for number, same in enumerate(words.split(), first) for word in same.split("/")
    }


MONTHS = _numbered(
    "january/jan/januar/jänner/enero february/feb/februar/febrero march/mar/märz/maerz/marzo "
    "april/apr/abril may/mai/mayo june/jun/juni/junio july/jul/juli/julio "
    "august/aug/agosto september/sep/sept/septiembre october/oct/oktober/okt/octubre "
    "november/nov/noviembre december/dec/dezember/dez/diciembre"
)
# Names and everyday words too: they need a preposition, a day or a year beside them.
AMBIGUOUS_MONTHS = frozenset("jan mar march may mai apr jun jul sep dec dez okt oct feb".split())
WEEKDAYS = _numbered(
    "monday/mon/montag/lunes tuesday/tue/tues/dienstag/martes wednesday/wed/mittwoch/miércoles "
    "thursday/thu/thurs/donnerstag/jueves friday/fri/freitag/viernes "
    "saturday/sat/samstag/sonnabend/sábado sunday/sun/sonntag/domingo",
    first=0,
)
SHORT_WEEKDAYS = frozenset("mon tue tues wed thu thurs fri sat sun".split())
SEASONS = {
    "spring": 3, "frühling": 3, "frühjahr": 3, "primavera": 3,
    "summer": 6, "sommer": 6, "verano": 6,
    "autumn": 9, "fall": 9, "herbst": 9, "otoño": 9,
    "winter": 12, "invierno": 12,
}  # fmt: skip
# In days; 0, -1 and -2 stand for hours, minutes and seconds.
UNITS = {
    word: days
    for words, days in (
        ("second seconds", -2),
        ("minute minutes minuten minutos", -1),
        ("hour hours stunde stunden hora horas", 0),
        ("day days tag tage tagen día días dia dias", 1),
        ("week weeks woche wochen semana semanas", 7),
        ("fortnight fortnights", 14),
        ("month months monat monate monaten mes meses", 30),
        ("quarter quarters quartal quartalen trimestre trimestres", 91),
        ("year years jahr jahre jahren año años", 365),
    )
    for word in words.split()
}
CARDINALS = _numbered(
    "a/an/one/einem/einer/ein/eine/un/una two/zwei/dos three/drei/tres four/vier/cuatro "
    "five/fünf/cinco six/sechs/seis seven/sieben/siete eight/acht/ocho nine/neun/nueve "
    "ten/zehn/diez eleven/elf twelve/zwölf thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
ORDINALS = _numbered(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first "
    "twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh "
    "twenty-eighth twenty-ninth thirtieth thirty-first"
)
# Days by name, from today.
DAY_OFFSETS = {
    "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
    "earlier today": 0, "heute": 0, "heute morgen": 0, "hoy": 0, "esta mañana": 0,
    "yesterday": -1, "last night": -1, "yesterday morning": -1, "yesterday evening": -1,
    "yesterday afternoon": -1, "gestern": -1, "ayer": -1,
    "the day before yesterday": -2, "day before yesterday": -2, "vorgestern": -2, "anteayer": -2,
    "tomorrow": 1,
}  # fmt: skip

# --- Timestamps.


When = str | int | float | date

# Seconds since 1970 beyond this are taken for milliseconds: as seconds it would be the year 5138.
_MILLISECONDS_FROM = 1e11
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_SPAN = lazy_pattern(
    r"(?:(in|next) )?(?:(\d+|[a-z]+) )?(second|minute|hour|day|week|month|quarter|year)s?"
)
# A year or a month is ISO 8601 too, which `fromisoformat` does not read: its beginning is meant.
_MONTH = lazy_pattern(r"(\d{4})(-\d\d)?")
# Text of digits alone: eight are a date; nine, ten or thirteen are seconds or milliseconds since
# 1970, which `fromisoformat` would read as a day in the year 1712.
_EPOCH = lazy_pattern(r"(?:\d{9,10}|\d{13})(?:\.\d+)?")
_DAY = lazy_pattern(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d(?:-?\d)?")
_LETTERS = lazy_pattern(r"[^\W_]+")
# What may stand before a phrase of time without changing it.
_FRAME = frozenset("the in on at of as im am el la en".split())
_SHORT = lazy_pattern(r"(\d+(?:\.\d+)?)([smhdw])")


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

    What is no time only another program can have written: it counts as long ago, and `check` names
    it.
    """
    try:
        moment = datetime.fromisoformat(stored)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def normalise(value: When, *, name: str = "time") -> str:
    """Return `value` in the stored form; a year, a month or a day is its beginning.

    A datetime without an offset, as `datetime.now()` gives, and a date are local, as everywhere in
    Python; text without one, as rows and files of other programs hold, is UTC.
    Raises InvalidInput for what is no time.
    """
    try:
        if isinstance(value, datetime):
            return _text(value)
        if isinstance(value, date):
            return _text(datetime.combine(value, time()))
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
    except (ValueError, OverflowError, OSError):
        pass
    raise InvalidInput(
        f"{name}: {validation.shown(value)} is no time; give ISO 8601 such as "
        "2026-03-01T10:00:00Z, a date, a datetime, or seconds since 1970"
    )


def is_stored(value: str) -> bool:
    """Whether a text is a time in the stored form."""
    try:
        return normalise(value) == value
    except InvalidInput:
        return False


def parse_when(value: When, *, now: float, name: str = "since") -> str:
    """Return the stored form of a time that a caller gives: where a range begins that a phrase or
    a date names, reckoned from `now` (seconds since 1970).

    Phrases as in `time_ranges`: today, last week, past 7 days, nine days ago, monday, in May, the
    9th of March; 36h, 2w; tomorrow, next week, in 3 days. Days and what has no offset are local.
    Raises InvalidInput for anything else: an unknown phrase is never "no filter".
    """
    return _parsed(value, now, name)[0]


def parse_until(value: When, *, now: float) -> str:
    """Return the same, but the last moment of a range: "last week" and "2026-05" are included."""
    return _parsed(value, now, "until")[1]


def _parsed(value: When, now: float, name: str) -> tuple[str, str]:
    """Return the first and the last moment that a time or phrase means, in the stored form."""
    try:
        if not isinstance(value, str):
            first = normalise(value, name=name)
            if isinstance(value, date) and not isinstance(value, datetime):
                return first, _last_of(value + timedelta(days=1))
            return first, first
        phrase = " ".join(value.lower().split())
        seconds = _seconds_back(phrase)
        if seconds is not None:
            return (from_epoch(now - seconds),) * 2
        return _written(value.strip()) or _range_of(phrase, now)
    except (InvalidInput, OverflowError, ValueError, OSError):
        raise InvalidInput(
            f"{name}: {validation.shown(value)} is no time; give ISO 8601, 'today', 'yesterday', "
            "'monday', 'last week', 'in May', 'past 7 days', '3 hours ago', '36h', 'tomorrow' or "
            "'in 3 days'"
        ) from None


def _written(bare: str) -> tuple[str, str] | None:
    """Return the first and last moment of a time in figures, local where it has no offset; None
    for what is none."""
    if _EPOCH.fullmatch(bare):
        return (normalise(float(bare)),) * 2
    if whole := _MONTH.fullmatch(bare):
        year, month = int(whole[1]), int((whole[2] or "-01")[1:])
        months = 1 if whole[2] else 12
        following = date(year + (month + months - 1) // 12, (month + months - 1) % 12 + 1, 1)
        return normalise(date(year, month, 1)), _last_of(following)
    try:
        moment = datetime.fromisoformat(bare)
    except ValueError:
        return None
    if _DAY.fullmatch(bare):
        return normalise(moment), _last_of(moment.date() + timedelta(days=1))
    return (normalise(moment),) * 2


def _last_of(following: date) -> str:
    """Return the last moment before a day begins."""
    return from_epoch(to_epoch(normalise(following)) - 0.001)


def _range_of(phrase: str, now: float) -> tuple[str, str]:
    """Return the first and last moment of the range that a phrase as a whole names; of an open one
    its only end."""
    from .time_ranges import time_ranges  # its expressions are needed for phrases only

    ranges = time_ranges(phrase, now=now)
    rest = set(_LETTERS.findall(phrase)) - _FRAME
    if len(ranges) != 1 or rest - set(ranges[0].words):
        raise InvalidInput("no time")
    start, end = ranges[0].start, ranges[0].end
    last = from_epoch((start if end == inf else end) - (0.001 if end < inf else 0))
    return last if start == -inf else from_epoch(start), last


def _seconds_back(phrase: str) -> float | None:
    """Return how long before now a span means, less than none if it lies ahead."""
    from .time_ranges import seconds_of

    if phrase == "now":
        return 0.0
    if short := _SHORT.fullmatch(phrase):
        return float(short[1]) * _UNITS[short[2]]
    span = _SPAN.fullmatch(phrase)
    if span is None or not (span[1] or span[2]):
        return None
    count = CARDINALS.get(span[2]) if span[2] and not span[2].isdigit() else span[2] or 1
    return None if count is None else int(count) * seconds_of(span[3]) * (-1 if span[1] else 1)


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

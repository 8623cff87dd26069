"""Phrases of time in a text, in words and in figures, as ranges of local days.

"last week", "nine days ago", "since monday", "the ninth of March", "early June", "between May and
July": calendar arithmetic in the system's time zone, reckoned from `now`. One parser for what is
asked and for arguments. English in full, German and Spanish by the tables of words.

A month or day without a year is the latest one that has begun (`yearly`: an earlier one may be
meant), or the coming one if it begins within a month and nothing says that the text tells of the
past: "the week of 23 November" on the 20th is ahead. Words that are no time by themselves ("may",
"march", "fall", "second") need a preposition, a day or a year beside them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from ..text.patterns import lazy_pattern
from .timestamps import (
    AMBIGUOUS_MONTHS,
    CARDINALS,
    DAY_OFFSETS,
    MONTHS,
    ORDINALS,
    SEASONS,
    SHORT_WEEKDAYS,
    UNITS,
    WEEKDAYS,
)

_DAY = 86_400.0
# Days ahead up to which a date without a year is the coming one.
_COMING_DAYS = 31
# Ranges read of one text: a log of 100 kB has thousands.
MAX_RANGES = 16


class TimeRelation(StrEnum):
    """Relation of an event to the time that is named."""

    IN = "in"
    BEFORE = "before"
    AFTER = "after"


class TimeRange(NamedTuple):
    """A range of time that a text names; in epoch seconds, half-open, infinite where it is open.

    Attributes:
        relation: "since May" and "after May" are AFTER, "before May" and "until May" BEFORE.
        words: the words of the expression, lower case.
        slack: seconds before and after by which such reckonings are off: "three weeks ago" is any
            day within half a week, and "last week" may be the past seven days.
        yearly: whether the year was left out.
    """

    start: float
    end: float
    relation: TimeRelation = TimeRelation.IN
    words: tuple[str, ...] = ()
    slack: tuple[float, float] = (0.0, 0.0)
    yearly: bool = False

    @property
    def length(self) -> float:
        """Seconds from start to end; infinite for an open range."""
        return self.end - self.start


class _Span(NamedTuple):
    """A range of local days (or seconds) at a place of the text."""

    first: datetime
    last: datetime
    place: tuple[int, int] = (0, 0)
    slack: tuple[float, float] = (0.0, 0.0)
    yearly: bool = False


class _Clock(NamedTuple):
    """Now, in local time without an offset, and whether the text tells of the past."""

    now: datetime
    past: bool

    @property
    def today(self) -> datetime:
        return datetime.combine(self.now.date(), time())


_Reading = Callable[[re.Match[str], _Clock], "_Span | None"]


def _alternatives(*tables: dict[str, int] | frozenset[str]) -> str:
    names = sorted(
        {name for table in tables for name in table}, key=lambda name: (-len(name), name)
    )
    return "(?:" + "|".join(map(re.escape, names)) + ")"


_START = r"(?<![\w.\-/])"
_END = r"(?![\w\-]|\.\w|/\w)"
_MONTH = _alternatives(MONTHS)
_WEEKDAY = _alternatives(WEEKDAYS)
_UNIT = _alternatives(UNITS)
_COUNT = rf"(\d{{1,4}}|a couple of|a few|several|half an?|{_alternatives(CARDINALS)})"
_ORDINAL = rf"(\d{{1,2}}(?:st|nd|rd|th|\.)?|{_alternatives(ORDINALS)})"
_YEAR = r"((?:19|20)\d\d)"
_OF = r"(?: of| de| in| im| des)?(?: the| la| el)?"

_SPACE = lazy_pattern(r"\s+")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
_TIME_WORDS = frozenset(
    word
    for table in (MONTHS, WEEKDAYS, UNITS, SEASONS, DAY_OFFSETS, ("weekend", "kw", "月"))
    for names in table
    for word in names.split()
) - {"the", "this", "before"}
# Dates and years in figures, and quarters.
_FIGURES = lazy_pattern(r"\d{4}-\d\d|\d[./]\d|\d{4}/|\b(?:19|20)\d\d\b|\bq[1-4]\b|\d ?月|\bkw\d")
_PAST = lazy_pattern(
    r"\b(?:did|was|were|had|went|came|broke|ran|got|made|said|told|back in|\w{3,}ed"
    r"|war|hatten?|fue)\b"
)


def time_ranges(text: str, *, now: float) -> tuple[TimeRange, ...]:
    """Return the ranges of time that a text names, in the order of the text, at most MAX_RANGES.

    `now` is in epoch seconds; local days are those of the system's time zone.
    """
    lower = _SPACE.sub(" ", text.lower().replace("’", "'"))
    if _TIME_WORDS.isdisjoint(_LETTERS.findall(lower)) and not _FIGURES.search(lower):
        return ()  # as for most texts
    try:
        clock = _Clock(datetime.fromtimestamp(now), bool(_PAST.search(lower)))
    except (OverflowError, OSError, ValueError):
        return ()
    return tuple(_related(lower, list(_spans(lower, clock))))


_PRESENT = lazy_pattern(
    _START + r"(?:(?:right |just |by |for |as of )?now|at the moment|at present|currently|nowadays|"
    r"these days|jetzt|derzeit|momentan|ahora(?: mismo)?|actualmente)(?!\()" + _END
)


def present_words(text: str) -> frozenset[str]:
    """Return the words, lower case, with which a text asks for what holds now: that is what is
    answered anyhow, and the time of no event."""
    names = _PRESENT.findall(_SPACE.sub(" ", text.lower()))
    return frozenset(word for name in names for word in name.split())


def _spans(lower: str, clock: _Clock) -> Iterator[_Span]:
    """Yield the expressions that do not overlap, the longer one where two begin together."""
    matches = [
        (match.start(), -match.end(), order, match)
        for order, (pattern, _) in enumerate(_rules())
        for match in pattern.finditer(lower)
    ]
    reached = read = 0
    for start, end, order, match in sorted(matches, key=lambda candidate: candidate[:3]):
        if start < reached:
            continue
        try:
            span = _rules()[order][1](match, clock)
        except (ValueError, OverflowError):  # 31 February; before the year 1
            reached = -end
            continue
        if span is not None and span.first < span.last:
            reached = -end
            yield span._replace(place=(start, reached))
            read += 1
            if read >= MAX_RANGES:
                return


# -- dates in figures


def _whole_day(day: date) -> _Span:
    return _from(datetime.combine(day, time()), days=1)


def _from(first: datetime, *, days: int) -> _Span:
    return _Span(first, first + timedelta(days=days))


def _months(year: int, month: int, count: int = 1) -> _Span:
    end = year * 12 + month - 1 + count
    return _Span(datetime(year, month, 1), datetime(end // 12, end % 12 + 1, 1))


def _iso(match: re.Match[str], _: _Clock) -> _Span:
    """Read 2026-05-12 and 2026-05; with a time of day it stamps the line of a log."""
    year, month, day = match.groups()
    if not day:
        return _months(int(year), int(month))
    return _whole_day(date(int(year), int(month), int(day)))


def _chinese(match: re.Match[str], clock: _Clock) -> _Span:
    """Read 2026年8月17日, 8月17日 and 8月."""
    year, month, day = match[1], int(match[2]), match[3]
    if day:
        return _day_in(int(day), month, _full_year(year), clock)
    if year:
        return _months(int(year), month)
    return _latest(lambda in_year: _months(in_year, month), clock)


def _dotted(match: re.Match[str], clock: _Clock) -> _Span | None:
    """Read 12.05. and 12.5.2026; "1.2." may end a sentence about a version, save in German."""
    day, month, year = match.groups()
    german = re.search(r"\b(?:am|vom|bis|zum|de[mnr]) $", match.string[: match.start()][-8:])
    if not (year or german or len(day) == len(month) == 2):
        return None
    return _day_in(int(day), int(month), _full_year(year), clock)


def _slashed(match: re.Match[str], clock: _Clock) -> _Span | None:
    """Read 13/05/2026 where only one of the two can be the month; 24/7 only after "on"."""
    left, right, year = int(match[1]), int(match[2]), match[3]
    if not year and not (_has_preposition(match) and match.string[: match.start()].strip()):
        return None
    if left != right and (left > 12) == (right > 12):
        return None
    day, month = max(left, right), min(left, right)
    return _day_in(day, month, _full_year(year), clock)


def _full_year(year: str | None) -> int | None:
    return None if not year else int(year) + (2000 if len(year) == 2 else 0)


_PREPOSITION = lazy_pattern(
    r"(?:^|\b(?:on|in|of|since|until|till|before|after|by|from|during|between|and|last|this|next|"
    r"early|mid|late|the|am|im|vom|bis|seit|vor|nach|zum|el|en|de|desde|hasta|back in)[ \-])$"
)


def _has_preposition(match: re.Match[str]) -> bool:
    return bool(_PREPOSITION.search(match.string, max(match.start() - 12, 0), match.start()))


# -- days and months by name


def _day_in(day: int, month: int, year: int | None, clock: _Clock) -> _Span:
    if year is not None:
        return _whole_day(date(year, month, day))
    for back in range(9):  # 29 February
        try:
            span = _latest(lambda in_year: _whole_day(date(in_year, month, day)), clock, back=back)
        except ValueError:
            continue
        return span
    raise ValueError(f"no year has a day {month}-{day}")


def _latest(of_year: Callable[[int], _Span], clock: _Clock, *, back: int = 0) -> _Span:
    """Return the latest that has begun, or the coming one if it is near and nothing is told."""
    year = clock.now.year - back
    candidates = [of_year(year), of_year(year - 1)] if not back else [of_year(year)]
    if not clock.past and not back:
        candidates = [of_year(year + 1), *candidates]
    ahead = timedelta(days=0 if clock.past else _COMING_DAYS)
    begun = [span for span in candidates if span.first <= clock.now + ahead]
    return (begun or candidates[-1:])[0]._replace(yearly=True)


def _day_of_month(match: re.Match[str], clock: _Clock) -> _Span | None:
    """Read "the ninth of March", "11 Aug", "March 9th, 2026"."""
    names = match.groupdict()
    day, month, year = names["day"], names["month"], names["year"]
    plain = day[-1] not in "tdh." or day in ORDINALS  # no 3rd, no 4.
    plain = plain and year is None and " of " not in match[0]
    if month in AMBIGUOUS_MONTHS and plain and not (_has_preposition(match) or _ends(match)):
        return None
    number = ORDINALS.get(day) or int(re.sub(r"\D", "", day))
    return _day_in(number, MONTHS[month], _full_year(year), clock)


def _ends(match: re.Match[str]) -> bool:
    """Whether a sentence ends behind an expression, or the text."""
    return match.string[match.end() : match.end() + 1] in ("", ",", ".", "?", "!", ";", ":", ")")


def _named_month(match: re.Match[str], clock: _Clock) -> _Span | None:
    month, year = match[1], match[2]
    if year:
        return _months(int(year), MONTHS[month])
    if month in AMBIGUOUS_MONTHS and not _is_month(match):
        return None
    if _relative(match) == "last" and MONTHS[month] == clock.now.month:
        return _months(clock.now.year - 1, MONTHS[month])
    return _latest(lambda in_year: _months(in_year, MONTHS[month]), clock)


# "in May", not "in march order"; "last May", not "the may".
_BEFORE_MONTH = lazy_pattern(
    r"(?:^|\b(?:in|of|since|until|till|before|after|by|from|during|between|last|this|next|early|"
    r"mid|late|im|seit|bis|vor|en|de|desde|hasta|end of|start of)[ \-]|"
    rf"\b{_MONTH}(?: (?:19|20)\d\d)? (?:and|to|or|until|till|through|und|bis|y|a) )$"
)


def _is_month(match: re.Match[str]) -> bool:
    text = match.string
    if not _BEFORE_MONTH.search(text, max(match.start() - 32, 0), match.start()):
        return False
    # "How late may it be?", "this may fail".
    is_verb = re.search(r"(?:^|\b(?:late|early|this))[ \-]?$", text[: match.start()][-6:])
    return _ends(match) if is_verb else True


def _relative(match: re.Match[str]) -> str:
    """Return "last", "this" or "next" where it stands before an expression."""
    before = match.string[max(match.start() - 9, 0) : match.start()].split()
    return before[-1] if before and before[-1] in ("last", "this", "next", "past") else ""


def _season(match: re.Match[str], clock: _Clock) -> _Span:
    """Read a season of the northern half of the earth."""
    first = SEASONS[match[2]]

    def of_year(year: int) -> _Span:
        return _months(year, first, 3)

    if match[3]:
        return of_year(int(match[3]))
    span = _latest(of_year, clock)
    if match[1].startswith("last") and span.last > clock.now:
        return of_year(span.first.year - 1)
    return span


def _quarter(match: re.Match[str], clock: _Clock) -> _Span:
    number = int(match[1]) if match[1] else ORDINALS[match[2]]

    def of_year(year: int) -> _Span:
        return _months(year, 3 * number - 2, 3)

    return of_year(int(match[3])) if match[3] else _latest(of_year, clock)


def _named_year(match: re.Match[str], _: _Clock) -> _Span:
    return _months(int(match[1]), 1, 12)


def _calendar_week(match: re.Match[str], clock: _Clock) -> _Span:
    number, year = int(match[1]), match[2]

    def of_year(in_year: int) -> _Span:
        monday = date.fromisocalendar(in_year, number, 1)
        return _from(datetime.combine(monday, time()), days=7)

    return of_year(int(year)) if year else _latest(of_year, clock)


# -- reckoned from now


def _fixed_day(match: re.Match[str], clock: _Clock) -> _Span:
    return _from(clock.today + timedelta(days=DAY_OFFSETS[match[1]]), days=1)


_ON = frozenset({"on ", "am ", "el ", "by ", "from "})


def _weekday(match: re.Match[str], clock: _Clock) -> _Span | None:
    prefix, name, week = match[1] or "", match[2], match[3] or ""
    if name in SHORT_WEEKDAYS and not prefix:
        return None
    day = WEEKDAYS[name]
    # "Does it run on Friday?" asks of any Friday; "what did we say on Friday?" of one.
    is_any = not week and (not prefix or (prefix in _ON and not clock.past))
    if is_any and match[0] != match.string.strip(" ?.!"):
        return None
    monday = clock.today - timedelta(days=clock.now.weekday())
    if "last" in week or "this" in week:
        return _from(monday + timedelta(days=day - (7 if "last" in week else 0)), days=1)
    back = (clock.now.weekday() - day) % 7
    if prefix.startswith(("last", "past", "letzten")) and not back:
        back = 7
    if prefix.startswith(("next", "coming", "nächsten")):
        back -= 7
    return _from(clock.today - timedelta(days=back), days=1)


def _count(words: str) -> float:
    fixed = {"a couple of": 2.0, "a few": 4.0, "several": 5.0}
    if words in fixed:
        return fixed[words]
    if words.startswith("half"):
        return 0.5
    return float(words) if words.isdigit() else float(CARDINALS[words])


# Months of the units of the calendar, by their days.
_MONTHS_OF = {30: 1, 91: 3, 365: 12}


def _minus(moment: datetime, count: float, unit: str) -> datetime:
    """Return the moment so many units earlier; months of the calendar, of whole numbers."""
    days = UNITS[unit]
    if days in _MONTHS_OF and count == int(count):
        back = int(count) * _MONTHS_OF[days]
        months = moment.year * 12 + moment.month - 1 - back
        last = _months(months // 12, months % 12 + 1).last - timedelta(days=1)
        return moment.replace(year=last.year, month=last.month, day=min(moment.day, last.day))
    return moment - timedelta(seconds=count * seconds_of(unit))


def seconds_of(unit: str) -> float:
    """Return the seconds of a unit by its name; a month counts 30 days."""
    days = UNITS[unit]
    return days * _DAY if days > 0 else {0: 3600.0, -1: 60.0, -2: 1.0}[days]


def _ago(match: re.Match[str], clock: _Clock) -> _Span:
    """Read "nine days ago": the day; of weeks and more half a unit around it may be meant."""
    number, unit = match[1] or "one", match[2]
    count = _count(number)
    moment = _minus(clock.now, count, unit)
    if UNITS[unit] <= 0:
        off = seconds_of(unit) / 2
        return _Span(moment, moment + timedelta(milliseconds=1), slack=(off, off))
    vague = 1 if not number.isdigit() and number not in CARDINALS else 0
    off = (UNITS[unit] // (2 if count >= 1 else 8) + 2 * vague) * _DAY
    return _whole_day(moment)._replace(slack=(off, off))


def _last_units(match: re.Match[str], clock: _Clock) -> _Span:
    return _Span(_minus(clock.now, _count(match[1] or "one"), match[2]), clock.now)


def _unit(match: re.Match[str], clock: _Clock) -> _Span:
    """Read "last week", "this month", "letzte Woche", "la semana pasada"."""
    words = match[0]
    unit = UNITS[match[1] or match[2] or match[3]]
    shift = 0
    if re.search(r"\b(?:last|past|previous|letzte|vorige|vergangene)|pasad[oa]", words):
        shift = -1
    elif re.search(r"\b(?:next|coming|nächste|kommende|próxim)|que viene", words):
        shift = 1
    return _calendar_unit(unit, shift, clock)


def _calendar_unit(unit: int, shift: int, clock: _Clock) -> _Span:
    today = clock.today
    if unit == 1:
        return _from(today + timedelta(days=shift), days=1)
    if unit in (7, 14):
        monday = today - timedelta(days=today.weekday())
        first = monday + timedelta(days=unit * shift)
        # "Last week" on a Saturday may be since last Saturday: the slack reaches up to now.
        rolling = (clock.now - first).total_seconds() - unit * _DAY if shift == -1 else 0.0
        return _Span(first, first + timedelta(days=unit), slack=(0.0, max(rolling, 0.0)))
    months = _MONTHS_OF[unit]
    at = (today.year * 12 + today.month - 1) // months * months + shift * months
    return _months(at // 12, at % 12 + 1, months)


def _weekend(match: re.Match[str], clock: _Clock) -> _Span:
    saturday = clock.today - timedelta(days=(clock.now.weekday() - 5) % 7)
    if match[1].startswith("last") and saturday + timedelta(days=2) > clock.now:
        saturday -= timedelta(days=7)
    return _from(saturday, days=2)


_RULES: Sequence[tuple[str, _Reading]] = (
    (_START + r"(\d{4})-(\d\d)(?:-(\d\d))?(?![\w\-]|,? \d\d:\d\d)", _iso),
    (_START + r"(\d{4})/(\d\d)(?:/(\d\d))" + _END, _iso),
    (_START + r"(\d{1,2})\.(\d{1,2})\.(\d{4}|\d\d)?(?![\w]|\.\d)", _dotted),
    (_START + r"(\d{1,2})/(\d{1,2})(?:/(\d{4}|\d\d))?" + _END, _slashed),
    (
        _START
        + _ORDINAL.replace("(", "(?P<day>", 1)
        + rf"(?: of| de)? (?P<month>{_MONTH})\.?"
        + rf"(?:,? (?:of |de )?(?P<year>{_YEAR[1:-1]}))?(?![\w\-])",
        _day_of_month,
    ),
    (
        _START
        + rf"(?P<month>{_MONTH})\.? (?:the )?"
        + _ORDINAL.replace("(", "(?P<day>", 1)
        + rf"(?![\w\-:]|\.\d)(?:,? (?P<year>{_YEAR[1:-1]})(?!\w))?",
        _day_of_month,
    ),
    (
        r"(?:(?<=\bmid-)|(?<![\w.\-/]))" + rf"({_MONTH})(?:\.?,? (?:of |de )?{_YEAR})?" + _END,
        _named_month,
    ),
    (r"(?:(\d{4}) ?年 ?)?(?<!\d)(\d{1,2}) ?月(?: ?(\d{1,2}) ?[日号])?", _chinese),
    (_START + rf"({_alternatives(DAY_OFFSETS)})" + _END, _fixed_day),
    (
        _START
        + rf"(?:about |around |roughly |some )?(?:{_COUNT} |^)({_UNIT}) (?:ago|back|earlier)"
        + _END,
        _ago,
    ),
    (_START + rf"(?:vor|hace) {_COUNT} ({_UNIT})" + _END, _ago),
    (
        _START
        + rf"(?:last|past|previous|letzten|vergangenen|últim[oa]s) {_COUNT} ({_UNIT})"
        + _END,
        _last_units,
    ),
    (_START + r"(?:last|past|previous)()? (hour|minute|second)" + _END, _last_units),
    (
        _START + r"(?:(?:last|past|previous|this|current|next|coming) (day|week|month|quarter|year|"
        r"fortnight)|(?:letzte|vorige|vergangene|diese|nächste|kommende)[nrsm]? "
        r"(tag|woche|monat|quartal|jahr)|(?:est[ea] |próxim[oa] )?(semana|mes|trimestre|año)"
        r"(?: pasad[oa]| que viene))(?:'s)?" + _END,
        _unit,
    ),
    (_START + r"est[ea] (semana|mes|trimestre|año)()()" + _END, _unit),
    (_START + r"((?:last|this|on the|over the|past) )weekend" + _END, _weekend),
    (
        _START
        + rf"((?:on|last|this|past|next|coming|since|before|after|until|till|by|from|am|seit|bis|"
        rf"letzten|nächsten|el|desde|hasta) )?({_WEEKDAY})"
        r"((?: of| in)? (?:last|this) week)?" + _END,
        _weekday,
    ),
    (_START + rf"(?:kw|calendar week) ?(\d{{1,2}})(?:[/ ]{_YEAR})?" + _END, _calendar_week),
    (
        _START
        + rf"(?:q([1-4])|(first|second|third|fourth) quarter)(?: of)?(?:[ /]{_YEAR})?"
        + _END,
        _quarter,
    ),
    (
        _START
        + r"((?:in|during|over|since|before|after|until|of|early|late|mid)(?: the)?|this|last|im"
        rf"|en) ({_alternatives(SEASONS)})(?: (?:of )?{_YEAR})?"
        r"(?! ?(?:boot|mvc|data|cloud|security|framework|back|through|over|short))" + _END,
        _season,
    ),
    (
        _START
        + rf"(?:in|since|before|after|until|till|during|by|of|year|seit|bis|vor|en|desde) {_YEAR}"
        + r"(?!\w|-|\.\d|:)",
        _named_year,
    ),
)


@cache
def _rules() -> Sequence[tuple[re.Pattern[str], _Reading]]:
    """Return the rules, compiled when a text first names a time: it takes 20 ms."""
    return [(re.compile(pattern), reading) for pattern, reading in _RULES]


# -- what stands before an expression


_PARTS = lazy_pattern(
    r"(?:\b(?P<part>early|mid|middle|late|beginning|start|end|anfang|mitte|ende|principios|"
    r"mediados|finales)|(?:\b(?P<nth>first|second|third|fourth|last) )"
    r"(?P<piece>week|half|days|fortnight)|"
    r"\b(?P<week>week)(?: (?:beginning|starting|from))?)"
    rf"{_OF}[ \-]$"
)
_PART_SHARES = {
    "early": (0, 1), "beginning": (0, 1), "start": (0, 1), "anfang": (0, 1), "principios": (0, 1),
    "mid": (1, 2), "middle": (1, 2), "mitte": (1, 2), "mediados": (1, 2),
    "late": (2, 3), "end": (2, 3), "ende": (2, 3), "finales": (2, 3),
}  # fmt: skip
_RELATIONS = lazy_pattern(
    r"\b(?P<word>since|from|seit|ab|desde|before|vor|prior to|antes del?|after|nach|después del?|"
    r"until|till|up to|by|through|bis|hasta)(?: the| dem| der| el| la)?(?: zum)? $"
)
_OPEN_AFTER = frozenset("since from seit ab desde".split())
_ENDS_BEFORE = frozenset({"before", "vor", "prior to", "antes de", "antes del"})
_BEGINS_AFTER = frozenset({"after", "nach", "después de", "después del"})
_BETWEEN = lazy_pattern(r"\b(?:between|from|zwischen|von|vom|entre|del?|desde)(?: the)? $")
_JOIN = lazy_pattern(
    r" ?(?:and|to|until|till|through|up to|bis|und|y|al?|hasta|[\-–—]) ?(?:the |zum |el )?"
)
_BACK = 40


def _related(lower: str, spans: list[_Span]) -> Iterator[TimeRange]:
    """Yield the spans narrowed by what stands before them, and pairs as one range."""
    spans = [_narrowed(lower, span) for span in spans]
    at = 0
    while at < len(spans):
        span = spans[at]
        word = _relation(lower, span)
        pair = _paired(lower, span, spans[at + 1]) if at + 1 < len(spans) else None
        if pair is not None:
            yield _range(lower, pair, "")
            at += 2
            continue
        yield _range(lower, span, word)
        at += 1


def _narrowed(lower: str, span: _Span) -> _Span:
    start, end = span.place
    match = _PARTS.search(lower, max(start - _BACK, 0), start)
    if not match:
        return span
    place = (match.start(), end)
    days = (span.last - span.first).days
    if match["week"] and days <= 7:
        monday = span.first - timedelta(days=span.first.weekday())
        return span._replace(first=monday, last=monday + timedelta(days=7), place=place)
    if days < 6 or match["week"]:
        return span
    first, last = _part(span, match)
    return span._replace(first=first, last=last, place=place, slack=(_DAY, _DAY))


def _part(span: _Span, match: re.Match[str]) -> tuple[datetime, datetime]:
    length = span.last - span.first
    if match["part"]:
        low, high = _PART_SHARES[match["part"]]
        return span.first + length * low / 3, span.first + length * high / 3
    nth = -1 if match["nth"] == "last" else ORDINALS[match["nth"]] - 1
    piece = {"half": length / 2, "fortnight": timedelta(days=14)}.get(
        match["piece"], timedelta(days=7)
    )
    first = span.last - piece if nth < 0 else span.first + piece * nth
    return first, min(first + piece, span.last) if first < span.last else first + piece


def _relation(lower: str, span: _Span) -> str:
    start = span.place[0]
    # Some expressions hold their preposition: "since monday", "before 2025".
    held = re.match(
        r"(since|from|seit|desde|before|after|until|till|by|bis|hasta|vor) ",
        lower[start : start + 8],
    )
    if held and not re.match(r"vor \S+ [a-zä]+", lower[start : start + 40]):
        return held[1]
    match = _RELATIONS.search(lower, max(start - _BACK, 0), start)
    return match["word"] if match else ""


def _paired(lower: str, span: _Span, following: _Span) -> _Span | None:
    """Return "between A and B" as one span."""
    gap = lower[span.place[1] : following.place[0]]
    held = lower[span.place[0] : span.place[0] + 5] == "from "
    begun = held or _BETWEEN.search(lower, max(span.place[0] - _BACK, 0), span.place[0])
    if not begun or not _JOIN.fullmatch(gap):
        return None
    first = span.first
    if first > following.last and span.yearly:
        first = first.replace(year=first.year - 1)
    start = span.place[0] if held else begun.start()  # type: ignore[union-attr]
    if first >= following.last:
        return None
    return _Span(
        first, following.last, (start, following.place[1]), yearly=span.yearly and following.yearly
    )


def _range(lower: str, span: _Span, word: str) -> TimeRange:
    start, end = span.first.timestamp(), span.last.timestamp()  # naive datetimes are local
    relation = TimeRelation.IN
    if word in _OPEN_AFTER:
        end, relation = math.inf, TimeRelation.AFTER
    elif word in _BEGINS_AFTER:
        start, end, relation = end, math.inf, TimeRelation.AFTER
    elif word in _ENDS_BEFORE:
        start, end, relation = -math.inf, start, TimeRelation.BEFORE
    elif word:
        start, relation = -math.inf, TimeRelation.BEFORE
    words = tuple(re.findall(r"[^\W_]+", f"{word} {lower[slice(*span.place)]}"))
    slack = span.slack if relation is TimeRelation.IN else (0.0, 0.0)
    return TimeRange(start, end, relation, tuple(dict.fromkeys(words)), slack, span.yearly)

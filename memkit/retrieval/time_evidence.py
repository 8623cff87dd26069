"""Time evidence: how near a memory is to a time that a query names."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..store import timestamps
from ..store.time_ranges import TimeRange, TimeRelation, time_ranges
from .records import Facts

_DAY = 86_400.0
_YEAR = 365.25 * _DAY
# Read of a memory for the dates that it names.
_MAX_CHARS = 1_500
# What is told of a time is written down in it or soon after; half a range later at the latest, but
# some days of grace even for a single day.
_GRACE_AFTER = 6 * _DAY
_GRACE_BEFORE = 1.5 * _DAY
# What an event changes is often written down in the days before it.
EVE = 14 * _DAY
# Worth of the same month or day of another year, where none is named.
OTHER_YEAR = 0.6


def time_nearness(facts: Facts, named: TimeRange) -> float:
    """Return 1 for a memory of that time (said in it, or replaced only after it began), less for
    what was said around it."""
    if held_in(facts, named):
        return 1.0
    created = timestamps.to_epoch(facts.created_at)
    if not named.yearly or named.relation is not TimeRelation.IN:
        return _nearness(created, named)
    years = round((named.start - created) / _YEAR)
    other = OTHER_YEAR * _nearness(created + years * _YEAR, named) if years else 0.0
    return max(_nearness(created, named), other)


def held_in(facts: Facts, named: TimeRange) -> bool:
    """Whether a memory that was replaced was said before a time ended, and held when it began."""
    if facts.superseded_by is None or facts.valid_to is None:
        return False
    created, over = timestamps.to_epoch(facts.created_at), timestamps.to_epoch(facts.valid_to)
    start = named.end - EVE if named.relation is TimeRelation.BEFORE else named.start
    return created < named.end and over > start


def _nearness(created: float, named: TimeRange) -> float:
    before, after = named.slack
    if named.start - before <= created < named.end + after:
        return 1.0
    if named.relation is not TimeRelation.IN:
        return 0.0
    if created < named.start:
        return max(0.0, 1 - (named.start - before - created) / _GRACE_BEFORE)
    grace = max(named.length / 2, _GRACE_AFTER)
    return max(0.0, 1 - (created - named.end - after) / grace)


def date_overlap(dates: Iterable[TimeRange], named: TimeRange) -> float:
    """Return the largest share of a date in a text that lies in the time that is asked about."""
    start, end = named.start - named.slack[0], named.end + named.slack[1]
    return max(
        (
            max(0.0, min(end, date.end) - max(start, date.start)) / date.length
            for date in dates
            if date.relation is TimeRelation.IN
        ),
        default=0.0,
    )


@lru_cache(maxsize=2048)
def dates_named(text: str, created_at: str) -> tuple[TimeRange, ...]:
    """Return the times that a memory names, reckoned from when it was said."""
    return time_ranges(text[:_MAX_CHARS], now=timestamps.to_epoch(created_at))


def stored_bounds(named: TimeRange) -> tuple[str, str]:
    """Return a range as stored texts for SQL, its slack included; open ends are beyond all time."""
    start, end = named.start - named.slack[0], named.end + named.slack[1]
    try:
        first = timestamps.from_epoch(start) if start > float("-inf") else ""
        last = timestamps.from_epoch(end) if end < float("inf") else "9999"
    except (OverflowError, ValueError):
        return "", "9999"
    return first, last

"""Event times: times named by an event, such as "before the release of 3.2".

The event is looked up in the store: the memory that best holds its words tells when it was.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import attrs

from ..store import timestamps
from ..store.time_ranges import TimeRange, TimeRelation
from ..text.patterns import lazy_pattern
from .candidates import MAX_OCCURRENCES, Occurrences, rarity
from .query import RecallQuery, parse_query
from .records import Facts
from .time_evidence import dates_named

if TYPE_CHECKING:
    from ..store.store import Store

_DAY = 86_400.0
# "Right before" reaches so far back; "the day" of what was written down may be a day off.
_CLOSE = 30 * _DAY
_AROUND = 2 * _DAY
_WEEK = 7 * _DAY
# Share of the rarity of an event's words that the memory which tells of it must hold.
_MIN_SHARE = 0.6
# The same where they name a version, which says by itself which event.
_MIN_SHARE_WITH_VERSION = 0.2
_MAX_WORDS = 8
# Memories that may tell of an event, and how long after it one does.
_MAX_MEMORIES = 20
_TOLD_WITHIN = 4 * _DAY
# Weight of an event's words among those of the question: they name a time, not what is asked.
_EVENT_WEIGHT = 0.3

_EVENT = lazy_pattern(
    r"\b(?:(?P<close>right|just|shortly|immediately|days|in the days) (?:right )?)?"
    r"(?P<relation>the week after|the (?:day|morning|evening|night|week) (?:(?:that|when) )?"
    r"(?=(?:we|the|our|they|[\w.-]+ (?:was|were|went|came)|\d)\b)"
    r"|(?:before|after|since|until|when) )"
    r"(?P<event>(?:[^,.?!;:\n]|(?<=\d)\.(?=\d)){2,80})",
    re.I,
)
_STOPS = lazy_pattern(r"\s(?:what|which|who|how|did|does|do|and|but|or|for)\b", re.I)
# "3.0 went out" is whole: what follows is the question again.
_WHOLE = lazy_pattern(r".*?\b(?:went|came) (?:out|live|up|down|in|online)\b", re.I)
_VERSIONS = lazy_pattern(r"(?<![\w.])\d+(?:\.\d+)+(?![\w.]*\d)")
_VERB = lazy_pattern(
    r"\b(?:was|were|went|came|got|had|broke|began|left|ran|shipped|vanished|\w{2,}(?<!e)ed)\b", re.I
)
# "When did we ship?" asks for a time and names none; "before that" names nothing.
_NO_EVENT = lazy_pattern(
    r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must|how|what|which"
    r"|exactly|it)\b|(?:that|this)$",
    re.I,
)
_SENTENCE_END = lazy_pattern(r"(?<=[.?!;])\s+|\n")
_NOUN = lazy_pattern(r"(?:the|our|that|version|release|v?\d+(?:\.\d+)+)\b", re.I)
_PAST = lazy_pattern(r"\b(?:did|was|were|had|have|went|came|\w{3,}(?<!e)ed)\b", re.I)


class EventReference(NamedTuple):
    """An event that a question names for a time.

    Attributes:
        relation: how what is asked about lies to it. close: "right before".
        week: whether a week around or after it is meant.
    """

    relation: TimeRelation
    words: str
    close: bool = False
    week: bool = False


def event_reference(text: str) -> EventReference | None:
    """Return the event that a question names for a time, None if it tells of nothing past."""
    for sentence in _SENTENCE_END.split(text):
        for match in _EVENT.finditer(sentence):
            rest = f"{sentence[: match.start('event')]} {sentence[match.end('event') :]}"
            if event := _event(match, rest):
                return event
    return None


def _event(match: re.Match[str], rest: str) -> EventReference | None:
    """Return the event, if the rest of the sentence tells of the past, and it is no occasion:
    "when I push" and "before committing" have neither a verb of the past nor a name."""
    words = _STOPS.split(match["event"])[0]
    whole = _WHOLE.match(words)
    words = whole[0] if whole else words
    words, left = " ".join(words.split()[:_MAX_WORDS]), match["event"][len(words) :]
    named = match["relation"].lower().strip()
    if _NO_EVENT.match(words) or not _PAST.search(f"{rest} {left}"):
        return None
    if not (_VERB.search(words) or (named != "when" and _NOUN.match(words))):
        return None
    return EventReference(
        _relation(named), words, close=match["close"] is not None, week="week" in named
    )


def _relation(named: str) -> TimeRelation:
    if named in ("before", "until"):
        return TimeRelation.BEFORE
    return TimeRelation.AFTER if named in ("after", "since", "the week after") else TimeRelation.IN


def range_of(event: EventReference, at: float) -> TimeRange:
    """Return the range that an event names which was at a moment, epoch seconds."""
    reach = _CLOSE if event.close else math.inf
    reach = _WEEK if event.week else reach
    if event.relation is TimeRelation.BEFORE:
        return TimeRange(at - reach, at, event.relation)
    if event.relation is TimeRelation.AFTER:
        return TimeRange(at, at + reach, event.relation)
    around = _WEEK if event.week else _AROUND
    return TimeRange(at - around, at + around)


def with_event_times(question: RecallQuery, find: Callable[[str], float | None]) -> RecallQuery:
    """Return a question with the time of the event that it names, if `find` knows when it was.

    `find` takes the event's words and returns epoch seconds.
    """
    if question.time_ranges or (event := event_reference(question.text)) is None:
        return question
    at = find(event.words)
    if at is None:
        return question
    own = {term.word for term in parse_query(event.words).terms}
    terms = tuple(
        term._replace(weight=term.weight * _EVENT_WEIGHT) if term.word in own else term
        for term in question.terms
    )
    return attrs.evolve(question, terms=terms, time_ranges=(range_of(event, at),))


def event_time(store: Store, words: str, *, is_visible: Callable[[Facts], bool]) -> float | None:
    """Return when an event was, epoch seconds, by the memory that tells of it; None if none holds
    most of its words.

    Of those that do, one that was said on the day that it names ("2.4 went out today") tells of the
    event, others only speak of it; without any such, the one that holds its words best.
    """
    weights = _shares(store, words)
    versions = [_version(written) for written in _VERSIONS.findall(words)]
    min_share = _MIN_SHARE_WITH_VERSION if versions else _MIN_SHARE
    good = sorted((n for n, share in weights.items() if share >= min_share), key=_by(weights))
    ids = json.dumps(good[:_MAX_MEMORIES])
    bodies: dict[int, str] = dict(store.all("retrieval.bodies", ids=ids)) if good else {}
    telling = [
        facts
        for facts in map(Facts._make, store.all("retrieval.facts", ids=ids) if good else ())
        if is_visible(facts)
        and all(version.search(bodies.get(facts.id, "")) for version in versions)
    ]
    if not telling:
        return None
    days = [_day_told(facts, bodies.get(facts.id, "")) for facts in telling]
    return next(
        (day for day in days if day is not None), timestamps.to_epoch(telling[0].created_at)
    )


def _version(written: str) -> re.Pattern[str]:
    """Return what finds a version as it is written, or with zeros behind: 3.0 is 3.0.0."""
    return re.compile(rf"(?<![\d.]){re.escape(written)}(?:\.0)*(?!\d|\.\d)")


def _by(weights: Mapping[int, float]) -> Callable[[int], tuple[float, int]]:
    return lambda number: (-weights[number], number)


def _day_told(facts: Facts, body: str) -> float | None:
    """Return the day, within a few before it was said, that a memory names."""
    created = timestamps.to_epoch(facts.created_at)
    days = [
        date.start
        for date in dates_named(body, facts.created_at)
        if date.length <= 2 * _DAY and created - _TOLD_WITHIN <= date.start <= created
    ]
    return days[0] if days else None


def _shares(store: Store, words: str) -> Mapping[int, float]:
    """Return the share of the words' rarity that each memory holds."""
    terms = parse_query(words).terms
    size = int(store.value("retrieval.size"))
    matches = json.dumps([term.match for term in terms])
    rows = store.all("retrieval.occurrences", matches=matches, max_count=MAX_OCCURRENCES)
    weights: dict[int, float] = {}
    total = 0.0
    for term, (ids,) in zip(terms, rows, strict=True):
        where = Occurrences.of(ids)
        worth = rarity(where.count, size=size) * term.weight
        total += worth
        for number in map(int, where.ids):
            weights[number] = weights.get(number, 0.0) + worth
    return {number: worth / total for number, worth in weights.items()}

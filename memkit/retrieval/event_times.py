"""Times named by an event: "before the release of 3.2", "the day we switched to X".

The event is looked up in the store: the memory that best holds its words tells when it was.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

import attrs

from ..store import times
from ..store.time_ranges import TimeRange, TimeRelation
from .candidates import MOST_OCCURRENCES, Occurrences, rarity
from .query import Question, understand
from .records import Facts
from .time_evidence import dates_named

if TYPE_CHECKING:
    from ..store.connection import Store

_DAY = 86_400.0
# "Right before" reaches so far back; "the day" of what was written down may be a day off.
_CLOSE = 30 * _DAY
_AROUND = 2 * _DAY
_WEEK = 7 * _DAY
# Share of the rarity of an event's words that the memory which tells of it must hold.
_LEAST_SHARE = 0.6
_MOST_WORDS = 8
# Weight of an event's words among those of the question: they name a time, not what is asked.
_EVENT_WEIGHT = 0.3

_EVENT = re.compile(
    r"\b(?:(?P<close>right|just|shortly|immediately|days|in the days) (?:right )?)?"
    r"(?P<relation>the week after|the (?:day|morning|evening|night|week) (?:(?:that|when) )?"
    r"(?=(?:we|the|our|they|[\w.-]+ (?:was|were|went|came)|\d)\b)"
    r"|(?:before|after|since|until|when) )"
    r"(?P<event>(?:[^,.?!;:\n]|(?<=\d)\.(?=\d)){2,80})",
    re.I,
)
_STOPS = re.compile(r"\s(?:what|which|who|how|did|does|do|and|but|or|for)\b", re.I)
_VERB = re.compile(
    r"\b(?:was|were|went|came|got|had|broke|began|left|ran|shipped|vanished|\w{2,}(?<!e)ed)\b", re.I
)
# "When did we ship?" asks for a time and names none; "before that" names nothing.
_NO_EVENT = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|will|would|can|could|should|must|how|what|which"
    r"|exactly)\b|(?:that|this|it)$",
    re.I,
)
_SENTENCE_END = re.compile(r"(?<=[.?!;])\s+|\n")
_NOUN = re.compile(r"(?:the|our|that|version|release|v?\d+(?:\.\d+)+)\b", re.I)
_PAST = re.compile(r"\b(?:did|was|were|had|have|went|came|\w{3,}(?<!e)ed)\b", re.I)


@attrs.frozen
class EventReference:
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
        for found in _EVENT.finditer(sentence):
            rest = f"{sentence[: found.start('event')]} {sentence[found.end('event') :]}"
            if event := _event(found, rest):
                return event
    return None


def _event(found: re.Match[str], rest: str) -> EventReference | None:
    """Return the event, if the rest of the sentence tells of the past, and it is no occasion:
    "when I push" and "before committing" have neither a verb of the past nor a name."""
    words = _STOPS.split(found["event"])[0]
    words, left = " ".join(words.split()[:_MOST_WORDS]), found["event"][len(words) :]
    named = found["relation"].lower().strip()
    if _NO_EVENT.match(words) or not _PAST.search(f"{rest} {left}"):
        return None
    if not (_VERB.search(words) or (named != "when" and _NOUN.match(words))):
        return None
    return EventReference(
        _relation(named), words, close=found["close"] is not None, week="week" in named
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


def with_event_times(question: Question, find: Callable[[str], float | None]) -> Question:
    """Return a question with the time of the event that it names, if `find` knows when it was.

    `find` takes the event's words and returns epoch seconds.
    """
    if question.time_ranges or (event := event_reference(question.text)) is None:
        return question
    at = find(event.words)
    if at is None:
        return question
    own = {term.word for term in understand(event.words).terms}
    terms = tuple(
        attrs.evolve(term, weight=term.weight * _EVENT_WEIGHT) if term.word in own else term
        for term in question.terms
    )
    return attrs.evolve(question, terms=terms, time_ranges=(range_of(event, at),))


def event_time(store: Store, words: str, *, is_visible: Callable[[Facts], bool]) -> float | None:
    """Return when an event was, epoch seconds: the date that the memory which best holds its words
    names, or else when it was said; None if none holds most of them."""
    best = _best_memory(store, words, is_visible)
    if best is None:
        return None
    bodies = store.all("retrieval.bodies", ids=json.dumps([best.id]))
    created = times.to_epoch(best.created_at)
    days = {
        one.start
        for _, body in bodies
        for one in dates_named(body, best.created_at)
        if one.length <= 2 * _DAY and one.start <= created
    }
    return days.pop() if len(days) == 1 else created


def _best_memory(store: Store, words: str, is_visible: Callable[[Facts], bool]) -> Facts | None:
    terms = understand(words).terms
    size = int(store.value("retrieval.size"))
    matches = json.dumps([term.match for term in terms])
    found = store.all("retrieval.occurrences", matches=matches, most=MOST_OCCURRENCES)
    weights: dict[int, float] = {}
    total = 0.0
    for term, (ids,) in zip(terms, found, strict=True):
        where = Occurrences.of(ids)
        worth = rarity(where.count, size=size) * term.weight
        total += worth
        for number in map(int, where.ids):
            weights[number] = weights.get(number, 0.0) + worth
    good = [number for number, worth in weights.items() if worth >= _LEAST_SHARE * total]
    return _first_visible(store, sorted(good, key=lambda n: (-weights[n], n))[:20], is_visible)


def _first_visible(
    store: Store, ids: Collection[int], is_visible: Callable[[Facts], bool]
) -> Facts | None:
    rows = store.all("retrieval.facts", ids=json.dumps(list(ids))) if ids else ()
    return next((facts for facts in map(Facts._make, rows) if is_visible(facts)), None)

"""Times of a query: named by an event, the past time of which it asks what held, its season.

"What did we do before the release of 3.2?" names a time by an event, which is looked up in the
store: the memory that best holds its words tells when it was.

"What did we believe on 3 May?" and "which port did we use before 3.2?" ask for the state of that
time: what was said later is no answer, and what has been replaced since is one. "What did we decide
last week?" asks for what was said in that time, and is answered from all that is known.

Seasons are recurring moments that memories belong to, such as release-week or end-of-sprint. A
memory of a season that is on is lifted, one of another season lowered, and none is dropped: what is
good enough stays so. A season is on if the caller says so, or if the question names it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import attrs

from ..store import timestamps
from ..store.time_ranges import TimeRange, TimeRelation
from ..text.patterns import lazy_pattern
from .candidates import MAX_OCCURRENCES, Occurrences, rarity
from .graph_expansion import Ranking
from .query import RecallQuery, parse_query
from .records import Facts
from .time_evidence import EVE, dates_named

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


_MILLISECOND = 0.001
_SUBJECT = r"(?:\S+ ){1,4}?"
# Belief is what was known then, right or wrong: what came to light later answers nothing.
_BELIEF = lazy_pattern(
    rf"\bdid {_SUBJECT}(?:believe|think|assume|suppose|know|expect)\b"
    r"|\b(?:was|were) (?:\S+ )?(?:believed|thought|assumed|supposed|known)\b"
    r"|\bas (?:of|at)\b",
    re.I,
)
_STATE = lazy_pattern(
    rf"\bdid {_SUBJECT}(?:use|need|require|prefer|support|keep|rely)\b"
    r"|\b(?:was|were) (?:\S+ )?(?:in use|in force|in effect|valid|true|used)\b"
    r"|\b(?:what|which|who)\b(?: \S+){0,3} (?:held|applied)\b",
    re.I,
)
# In a time such a verb may be of what happened ("which outage did we have in June?"): before one it
# is of a state.
_STATE_BEFORE = lazy_pattern(
    rf"\bdid {_SUBJECT}(?:have|run)\b"
    r"|\b(?:was|were) (?:the|our|my|their|your|its)\b"
    r"|\b(?:was|were) (?:\S+ ){1,3}?(?:set|kept|called|stored|run|done)\b",
    re.I,
)


class HeldTime(NamedTuple):
    """The time of which a question asks what held in it.

    Attributes:
        start, end: the first and the last moment, as stored; what held at any in between answers.
        words: the days, as a note has them.
        is_belief: whether what was known then is asked about, and nothing else will do.
    """

    start: str
    end: str
    words: str
    is_belief: bool


def may_ask_what_held(text: str) -> bool:
    """Whether a text may ask for what held in a time that it names: whether to look for that."""
    return any(pattern.search(text) for pattern in (_BELIEF, _STATE, _STATE_BEFORE))


def held_time(question: RecallQuery, *, now: float) -> HeldTime | None:
    """Return the time of which a question asks what held in it, None if it asks for something else:
    one question, which names one time, that is past."""
    if len(question.clauses) > 1 or len(question.time_ranges) != 1:
        return None
    named = question.time_ranges[0]
    if named.relation is TimeRelation.AFTER or named.end > now:
        return None
    is_before = named.relation is TimeRelation.BEFORE
    is_belief = bool(_BELIEF.search(question.text))
    is_state = _STATE.search(question.text) or (is_before and _STATE_BEFORE.search(question.text))
    if not (is_belief or is_state):
        return None
    try:
        return _held(named, is_before=is_before, is_belief=is_belief)
    except (OverflowError, OSError, ValueError):  # beyond the calendar
        return None


def _held(named: TimeRange, *, is_before: bool, is_belief: bool) -> HeldTime:
    last = named.end - _MILLISECOND
    first = last - EVE if is_before else min(named.start, last)
    days = list(dict.fromkeys(_day(moment) for moment in ((last,) if is_before else (first, last))))
    return HeldTime(
        timestamps.from_epoch(first), timestamps.from_epoch(last), " to ".join(days), is_belief
    )


def _day(moment: float) -> str:
    return datetime.fromtimestamp(moment).date().isoformat()


# Log-odds that a memory gains in its season, as one about the place asked at does, and loses in
# another, as one whose code has changed does. Ours: no set of questions has seasons.
ON_SEASON, OFF_SEASON = 2.0, 1.0
_WORD = lazy_pattern(r"[^\W_]+")
# Between the words of a name, where it is spoken: "end of the sprint".
_ARTICLES = frozenset({"the", "a", "an", "our"})


class SeasonsOn:
    """Seasons that are on, by their names and by the words of a question."""

    def __init__(self, names: Iterable[str], question: str) -> None:
        self._names = {_words(name) for name in names}
        self._question = f" {_words(question)} "

    def includes(self, season: str) -> bool:
        """Whether a season is on: its words stand in a row in what is asked, or it bears the same
        name as one that is given."""
        words = _words(season)
        return words in self._names or (bool(words) and f" {words} " in self._question)


def in_season(ranking: Ranking, memory_ids: Iterable[int]) -> Ranking:
    """Return the same with some memories lifted, by the part `season`."""
    ranked = dict(ranking.ranked)
    for memory_id in memory_ids:
        ranked[memory_id] = ranked[memory_id].with_part("season", ON_SEASON)
    return ranking._replace(ranked=ranked)


def _words(text: str) -> str:
    """Return the words of a text in a row, without articles: those of "end of the sprint" are
    those of end-of-sprint."""
    return " ".join(word for word in _WORD.findall(text.lower()) if word not in _ARTICLES)

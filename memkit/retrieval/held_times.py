"""Held times: the past time of which a question asks what held then.

"What did we believe on 3 May?" and "which port did we use before 3.2?" ask for the state of that
time: what was said later is no answer, and what has been replaced since is one. "What did we decide
last week?" asks for what was said in that time, and is answered from all that is known.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import NamedTuple

from ..store import timestamps
from ..store.time_ranges import TimeRange, TimeRelation
from ..text.patterns import lazy_pattern
from .query import RecallQuery
from .time_evidence import EVE

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

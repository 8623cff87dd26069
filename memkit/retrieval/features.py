"""The evidence that a memory answers a question, in numbers: what words, names and form tell.

Pure functions of a `View`; each returns columns, name → one value per candidate, in their order.
`bench/train.py` finds the columns' weights; those that did not earn one are not here any more.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ..memories import confidence
from ..memories.kinds import Kind, Provenance
from ..memories.traits import (
    ACKNOWLEDGES,
    ASSISTANT,
    FIRST_PERSON,
    FUTURE,
    HAS_QUESTION,
    IS_QUESTION,
    NAME,
    NUMBER,
    PAST,
    PREFERENCE,
    STANDING,
    TIME,
    TITLE,
    USER,
)
from ..store import times
from .candidates import Member, View
from .late_interaction import Likeness
from .records import Facts
from .time_evidence import LONG_RANGE, date_overlap, time_nearness

if TYPE_CHECKING:
    from .late_interaction import Floats
    from .ranker import Ranked


Columns = dict[str, list[float]]

# Length as a feature: ln(tokens) from 4 to 700 tokens, 0 at 33.
_SHORTEST, _LONGEST, _MIDDLE = 1.5, 6.5, 3.5
# ln(tokens) from which a memory counts as long: 150 tokens; and from which it counts as no longer,
# so that a book is not out of reach of its own words: 3,000.
_LONG, _NO_LONGER = 5.0, 8.0
# ln(tokens) from which a memory is not the words of its first speaker alone: 245 tokens; up to a
# third of that it is.
_SHARED = 5.5


def lexical(view: View) -> Columns:
    """Return the columns that need no vectors."""
    parts: Sequence[Columns] = (
        of_words(view),
        of_neighbours(view),
        of_sessions(view),
        of_speakers(view),
        of_form(view),
        of_answers(view),
        of_time(view),
    )
    return {name: column for part in parts for name, column in part.items()}


def of_words(view: View) -> Columns:
    """BM25, how much of the question's rarity a memory covers, phrases, names."""
    members = view.members
    order = sorted(range(len(members)), key=lambda i: -members[i].bm25)
    place = {index: rank for rank, index in enumerate(order)}
    asked = max(view.words.bit_count(), 1)
    phrases = max(view.pool.phrases, 1)
    coverage = [view.coverage(m.terms) for m in members]
    return {
        "bm25_share": [m.bm25 / view.best_bm25 for m in members],
        "bm25_place": [1 / (3 + place[i]) if m.bm25 > 0 else 0.0 for i, m in enumerate(members)],
        "coverage": coverage,
        "words": [(m.terms & view.words).bit_count() / asked for m in members],
        "phrases": [min(m.phrases, 3) / phrases for m in members],
        "named": [m.named for m in members],
        "outdone": _outdone(members, coverage),
    }


def _outdone(members: Sequence[Member], coverage: Sequence[float]) -> list[float]:
    """Return what share of its worth a name loses where other memories hold more of the question:
    `1 - √(coverage / best coverage)`.

    A tag or key of one everyday word ("tests", "ci") stands in most questions of its field. What
    holds the other words too is the answer, and what is only filed under the one comes after it.
    """
    best = max(coverage, default=0.0)
    return [
        1 - math.sqrt(own / best) if m.named and own and not m.by_path else 0.0
        for m, own in zip(members, coverage, strict=True)
    ]


def of_neighbours(view: View) -> Columns:
    """Whether a memory stands alone, or after a question."""
    return {
        "alone": [1.0 if m.before is m.after is None else 0.0 for m in view.members],
        "after_question": [1.0 if m and m.facts.marks & HAS_QUESTION else 0.0 for m in view.before],
    }


def of_sessions(view: View) -> Columns:
    """What else of the same session was found: evidence comes in clusters."""
    best: dict[str, float] = {}
    for member in view.pool.members.values():
        if (session := member.facts.session) is not None:
            best[session] = max(best.get(session, 0.0), member.bm25 / view.best_bm25)
    return {"session_best": [best.get(s, 0.0) if s else 0.0 for s in view.sessions]}


def words_around(view: View) -> Columns:
    """Words of the turns before and after (an answer repeats little of its question) and of the
    session; the pieces of these memories tell the same better, where they are compared."""
    best = view.best_bm25
    around = list(zip(view.members, view.before, view.after, strict=True))
    terms: dict[str, int] = {}
    for member in view.pool.members.values():
        if (session := member.facts.session) is not None:
            terms[session] = terms.get(session, 0) | member.terms
    return {
        "before_bm25": [m.bm25 / best if m else 0.0 for m in view.before],
        "after_bm25": [m.bm25 / best if m else 0.0 for m in view.after],
        "near_gain": [
            view.coverage(m.terms | _terms(before) | _terms(after)) - view.coverage(m.terms)
            for m, before, after in around
        ],
        "session_coverage": [view.coverage(terms.get(s, 0)) if s else 0.0 for s in view.sessions],
    }


def of_speakers(view: View) -> Columns:
    """Who says it, beside who is named and who asks."""
    asked, named = view.pool.question.asked, view.named_speakers
    nothing = [0.0] * len(view.members)
    says = nothing
    if len(named) == 1:
        says = [1.0 if m.facts.speaker == named[0] else 0.0 for m in view.members]
    users, assistants = _marked(view, USER), _marked(view, ASSISTANT)
    roles = [user - assistant for user, assistant in zip(users, assistants, strict=True)]
    return {
        "speaker": says,
        "subject": _of_subject(view),
        "user": users,
        "own_user": roles if asked.own else nothing,
        "advice_assistant": [-role for role in roles] if asked.advice else nothing,
    }


def _of_subject(view: View) -> list[float]:
    """Return 1 for words of the first of two people named, who is asked about, -1 for the other's;
    less for a memory so long that more than one may speak in it."""
    sides = [0.0] * len(view.members)
    if len(view.named_speakers) == 2:
        first, other = view.named_speakers
        for at, member in enumerate(view.members):
            if member.facts.speaker in (first, other):
                brief = min(max(_SHARED - math.log(max(member.facts.tokens, 1)), 0.0), 1.0)
                sides[at] = brief if member.facts.speaker == first else -brief
    return sides


def of_form(view: View) -> Columns:
    """How a memory is put: length (long ones hold the matter of a summary), question, thanks,
    orders."""
    lengths = [math.log(max(m.facts.tokens, 1)) for m in view.members]
    sizes = [min(max(length, _SHORTEST), _LONGEST) - _MIDDLE for length in lengths]
    return {
        "length": sizes,
        "summary_length": sizes if view.pool.question.asked.summary else [0.0] * len(sizes),
        "long": [min(length, _NO_LONGER) - _LONG if length > _LONG else 0.0 for length in lengths],
        "is_question": _marked(view, IS_QUESTION),
        "has_question": _marked(view, HAS_QUESTION),
        "acknowledges": _marked(view, ACKNOWLEDGES),
        "first_person": _marked(view, FIRST_PERSON),
        "standing": _marked(view, STANDING),
    }


def of_answers(view: View) -> Columns:
    """Whether a memory holds what the question asks for: a time, a number, a name, a title; tells
    of what was or will be, as is asked; or holds for any request: an order given once for all, or
    what the asker likes. Such a memory seldom repeats the words of the request."""
    asked = view.pool.question.asked
    past = _marked(view, PAST if asked.past else 0)
    future = _marked(view, FUTURE if asked.future else 0)
    return {
        "when_time": _marked(view, TIME if asked.when else 0),
        "number_number": _marked(view, NUMBER if asked.number else 0),
        "who_name": _marked(view, NAME if asked.who else 0),
        "titled_title": _marked(view, TITLE if asked.titled else 0),
        "tense": [past + to_come for past, to_come in zip(past, future, strict=True)],
        "request_standing": _marked(view, STANDING if asked.request else 0),
        "request_preference": _marked(view, PREFERENCE if asked.request else 0),
    }


def of_time(view: View) -> Columns:
    """How near a memory is to the times that the question names, by when it was said and by the
    dates in its text; `month` and `day` are the same for long and for short ranges."""
    ranges = view.pool.question.time_ranges
    if not ranges:
        nothing = [0.0] * len(view.members)
        return dict.fromkeys(("in_range", "range_in_text", "month", "day"), nothing)
    named = view.pool.dates
    near = [[time_nearness(m.facts, named_range) for named_range in ranges] for m in view.members]
    dated = [
        [date_overlap(named.get(m.id, ()), named_range) for named_range in ranges]
        for m in view.members
    ]
    long = [named_range.length >= LONG_RANGE for named_range in ranges]
    both = [
        [max(pair) for pair in zip(*rows, strict=True)] for rows in zip(near, dated, strict=True)
    ]
    return {
        "in_range": [max(row) for row in near],
        "range_in_text": [max(row) for row in dated],
        "month": [
            max((v for v, is_long in zip(row, long, strict=True) if is_long), default=0.0)
            for row in both
        ],
        "day": [
            max((v for v, is_long in zip(row, long, strict=True) if not is_long), default=0.0)
            for row in both
        ],
    }


def _marked(view: View, mark: int) -> list[float]:
    """Return 1 for each candidate whose text shows something, else 0."""
    if not view.any_marks & mark:  # as for most questions
        return [0.0] * len(view.marks)
    return [1.0 if marks & mark else 0.0 for marks in view.marks]


def _terms(member: Member | None) -> int:
    return member.terms if member else 0


def of_cosines(view: View) -> Columns:
    """How near in direction a memory's best chunk is to the question."""
    cosines = [m.cosine for m in view.members]
    best = max(cosines, default=0.0)
    return {
        "cosine": cosines,
        "cosine_below": [cosine - best for cosine in cosines],
        "after_cosine": [m.cosine if m else 0.0 for m in view.after],
    }


def of_likeness(view: View, found: Likeness, order: Sequence[int]) -> Columns:
    """How like the question a memory's pieces are; `order` lists the ids along `found`'s arrays."""
    import numpy as np

    place: dict[int | None, int] = {number: at for at, number in enumerate(order)}
    nothing = len(place)
    weights = found.weights
    close = np.zeros((len(weights), nothing + 1), np.float32)  # the last column: no memory
    close[:, :nothing] = found.close()
    here = [place[number] for number in view.pool.candidates]
    before = [place.get(m.before, nothing) for m in view.members]
    before2 = [place.get(m.before, nothing) if m else nothing for m in view.before]
    own = close[:, here]
    weighed = weights @ own
    earlier = np.maximum(close[:, before], close[:, before2])
    soft = found.soft()[here]
    columns = {
        "soft": soft,
        "soft_below": soft - soft.max(initial=0.0),
        "close": weighed,
        "passage": found.passage[here],
        "about": found.about[here],
        "before_close": weights @ close[:, before],
        "gain_before": weights @ np.maximum(own, earlier) - weighed,
        "session_close": _by_session(view, close, weights, place),
    }
    return {name: column.tolist() for name, column in columns.items()}


def _by_session(
    view: View, close: Floats, weights: Floats, place: Mapping[int | None, int]
) -> Floats:
    """Return how close the pool's memories of each candidate's session are, taken together."""
    import numpy as np

    of: dict[str, list[int]] = {}
    for number, member in view.pool.members.items():
        if (session := member.facts.session) is not None and number in place:
            of.setdefault(session, []).append(place[number])
    best = {session: float(weights @ close[:, at].max(axis=1)) for session, at in of.items()}
    return np.array([best.get(s, 0.0) if s else 0.0 for s in view.sessions], np.float32)


# Log-odds that a belief which holds in full adds; one that has decayed to nothing adds none. Small,
# so that age decides between memories that answer equally well and never keeps the only one back.
BELIEF_GAIN = 0.4
# Log-odds that use just now adds, times ln of the recency boost (at most ln 1.5).
RECENCY_GAIN = 0.5
# Log-odds that a passage of a document loses: somebody found a statement worth telling, while of
# three hundred sections of a manual a few match any question.
PASSAGE_LOSS = 1.0
# Log-odds that it gives way by where something told is an answer too: a manual says at length what
# can be done, a short statement says what is done here. Measured on questions to invented projects
# beside the manuals of real libraries; by 1.5 no more of what was told comes first.
GIVES_WAY = 1.0
# Log-odds that the oldest of a list loses where what holds now is asked for; a newer one loses
# less, by its place among them in time. Twice as much makes answers too unlikely to be given.
AGE_LOSS = 0.5
# By itself: Python looks a member up in its enum each time, for ten times what comparing takes.
_EXTRACTED = Provenance.EXTRACTED


def priors(
    facts: Sequence[Facts], *, at: float, current: bool = False
) -> Mapping[str, Sequence[float]]:
    """Return the log-odds that each kind of past adds to each memory at a moment, epoch seconds;
    with `current` where what holds now is asked for."""
    return {
        **({"age": age(facts)} if current else {}),
        "belief": [belief(one, at=at) for one in facts],
        "recency": [recency(one, at=at) for one in facts],
        "passage": [-PASSAGE_LOSS if is_passage(one) else 0.0 for one in facts],
    }


def belief(facts: Facts, *, at: float) -> float:
    """Return BELIEF_GAIN for a memory believed in full at a moment (epoch seconds), 0 for one not
    believed any more."""
    left = confidence.current(
        facts.confidence,
        age_days=(at - times.to_epoch(facts.created_at)) / 86_400,
        days=_half_life(facts.kind, facts.provenance),
        uses=facts.access_count,
        trust=facts.trust,
        pinned=bool(facts.pinned),
    )
    return BELIEF_GAIN * left


def recency(facts: Facts, *, at: float) -> float:
    """Return the log-odds that the last use before a moment (epoch seconds) adds."""
    if facts.accessed_at is None:
        return 0.0
    hours = (at - times.to_epoch(facts.accessed_at)) / 3600
    return RECENCY_GAIN * math.log(confidence.recency_boost(hours))


def age(facts: Sequence[Facts]) -> list[float]:
    """Return the log-odds that memories lose to newer ones: 0 for the newest, AGE_LOSS at most."""
    times_of = sorted({one.created_at for one in facts})
    place = {time: at for at, time in enumerate(times_of)}
    newest = len(times_of) - 1
    return [-AGE_LOSS * (newest - place[one.created_at]) / max(newest, 1) for one in facts]


def giving_way(
    ranked: Sequence[Ranked], passages: Collection[int], *, least: float
) -> dict[int, float]:
    """Return the log-odds that passages lose to what was told, if any of that has at least `least`.

    They lose no more than half of what they have beyond that, so that they stay good enough and
    keep their order: what was told may be about something else.
    """
    told = (one.log_odds >= least for one in ranked if one.id not in passages)
    if not passages or not any(told):
        return {}
    beyond = {one.id: one.log_odds - least for one in ranked if one.id in passages}
    return {number: min(GIVES_WAY, more / 2) for number, more in beyond.items() if more > 0}


def is_passage(facts: Facts) -> bool:
    """Whether a memory was read out of a text, not told."""
    return facts.provenance == _EXTRACTED


@cache
def _half_life(kind: str, provenance: str) -> float:
    return confidence.half_life(Kind(kind), Provenance(provenance))

"""Ranking features: the evidence that a memory answers a question, in numbers.

Pure functions of a `View`; each returns columns, name → one value per candidate, in their order.
A long question is looked at clause by clause: what is asked for in one sentence need not stand in
another, so columns of words and meaning are made for each. `bench/train.py` finds the columns'
weights; those that did not earn one are not here any more. A new column also needs a line of
`PARTS` and, until it has been trained, a weight of 0 in the tables of `weights.py` that read it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ..memories import confidence
from ..memories.records import Kind, Provenance
from ..memories.search_document import (
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
    USER,
)
from ..store import timestamps
from .candidates import Candidate, CandidatePool, Candidates
from .late_interaction import Likeness
from .records import Facts
from .time_evidence import date_overlap, time_nearness

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .ranker import RankedMemory

    Column = npt.NDArray[np.float64]
    Columns = dict[str, Column]

# Length as a feature: ln(tokens) from 4 to 700 tokens, 0 at 33.
_SHORTEST, _LONGEST, _MIDDLE = 1.5, 6.5, 3.5
# ln(tokens) from which a memory counts as long: 150 tokens; and from which it counts as no longer,
# so that a book is not out of reach of its own words: 3,000.
_LONG, _NO_LONGER = 5.0, 8.0
# ln(tokens) from which a memory is not the words of its first speaker alone: 245 tokens; up to a
# third of that it is.
_SHARED = 5.5
# Saturation of a word's first occurrence by a text's length (BM25's k1 and b), and the length in
# tokens that counts as average whatever the store holds.
_K1, _B, _AVERAGE = 1.2, 0.75, 60.0


class View:
    """The candidates of a pool as arrays, with what stands around them: turns and speakers.

    Names of people who speak in the store say *whose* words are wanted, not *which*: they count as
    speakers and not as words of the question.
    """

    def __init__(self, gathered: Candidates) -> None:
        import numpy as np

        pool = self.pool = gathered.pool
        self.gathered = gathered
        self.members = [pool.members[memory_id] for memory_id in pool.candidates]
        self.before = [self._at(m.before) for m in self.members]
        self.after = [self._at(m.after) for m in self.members]
        self.sessions = [m.facts.session if m.before or m.after else None for m in self.members]
        self.marks = np.array([m.facts.marks for m in self.members], np.int64)
        self.lengths = np.log([max(m.facts.tokens, 1) for m in self.members])
        self.best_bm25 = max((m.bm25 for m in self.members), default=0.0) or 1.0
        words = [term.word for term in pool.question.terms]
        self.speakers = self._speakers()
        self.named_speakers = list(dict.fromkeys(word for word in words if word in self.speakers))
        is_word = np.array([word not in self.speakers for word in words], bool)
        if not is_word.any():
            is_word[:] = True
        self.rarity = np.array(pool.rarity) * is_word
        self.is_word = is_word
        self.held = held(pool, [m.terms for m in self.members])

    def _at(self, memory_id: int | None) -> Candidate | None:
        return None if memory_id is None else self.pool.members.get(memory_id)

    def _speakers(self) -> set[str]:
        """Names of people who speak in more than one of the memories; roles are no names."""
        counted: dict[str, int] = {}
        for member in self.pool.members.values():
            if (speaker := member.facts.speaker) and not member.facts.marks & (USER | ASSISTANT):
                counted[speaker] = counted.get(speaker, 0) + 1
        return {name for name, count in counted.items() if count > 1}

    def coverage(self, terms: Sequence[int]) -> Column:
        """Share of the question's rarity that lies in these of its words (sets of bits)."""
        share: Column = self.rarity @ held(self.pool, terms) / (self.rarity.sum() or 1.0)
        return share

    @cached_property
    def place(self) -> Mapping[int | None, int]:
        """Where each memory that was compared stands along the arrays of its likeness."""
        return {memory_id: at for at, memory_id in enumerate(self.gathered.order)}

    @cached_property
    def here(self) -> list[int]:
        """Where the candidates stand there."""
        return [self.place[memory_id] for memory_id in self.pool.candidates]

    @cached_property
    def sizes(self) -> Column:
        """Lengths between _SHORTEST and _LONGEST, 0 in the middle."""
        return self.lengths.clip(_SHORTEST, _LONGEST) - _MIDDLE

    def marked(self, mark: int) -> Column:
        """Return 1 for each candidate whose text shows something, else 0."""
        shown: Column = ((self.marks & mark) != 0).astype(float)
        return shown

    @property
    def nothing(self) -> Column:
        """A column of zeros."""
        import numpy as np

        return np.zeros(len(self.members))


def held(pool: CandidatePool, terms: Sequence[int]) -> Column:
    """Return an array (words, memories): 1 where a memory's set of bits has the word."""
    import numpy as np

    bits = np.array(terms, np.uint64)
    places = np.arange(len(pool.question.terms), dtype=np.uint64)
    return (bits[None, :] >> places[:, None] & np.uint64(1)).astype(float)


def clause_columns(gathered: Candidates) -> list[Columns]:
    """Return the columns for each clause of the question, the whole first."""
    view = View(gathered)
    shared = of_question(view)
    if (likeness := gathered.likeness) is not None:
        shared |= of_likeness(view, likeness)
    return [
        shared | of_clause(view, clause) for clause in range(len(gathered.pool.question.clauses))
    ]


def of_question(view: View) -> Columns:
    """Return the columns that are the same for every clause and need no vectors."""
    return {
        **of_phrases(view),
        **of_neighbours(view),
        **of_speakers(view),
        **of_form(view),
        **of_answers(view),
        **of_time(view),
    }


def of_clause(view: View, clause: int) -> Columns:
    """Return the columns of words and meaning for one clause (0 is the whole question)."""
    import numpy as np

    bits = view.pool.question.clauses[clause].terms
    stands, occurs = held(view.pool, [bits, view.pool.occurring]).T
    is_asked = view.is_word * stands
    if not is_asked.any():
        is_asked = stands
    weights = view.rarity * is_asked
    total = float(weights.sum()) or 1.0
    known = float((weights * occurs).sum())
    rare = weights @ view.held
    searched = np.array([m.bm25 for m in view.members])
    bm25 = rare * _saturation(view.lengths) if clause else searched
    coverage = rare / total
    columns = {
        "bm25_share": bm25 / (bm25.max(initial=0.0) or 1.0),
        "bm25_place": _place(bm25),
        "coverage": coverage,
        "words": is_asked @ view.held / max(float(is_asked.sum()), 1.0),
        "explained": np.full(len(coverage), coverage.max(initial=0.0)),
        "unknown": np.full(len(coverage), 1 - known / total),
        "word_count": np.full(len(coverage), math.log1p(float(is_asked.sum()))),
        "factoid": view.nothing + float(view.pool.question.answer_kind.factoid),
    }
    columns |= _named(view, coverage)
    return columns | _cosines(view, clause) | _soft(view, clause)


def _place(bm25: Column) -> Column:
    """Return 1/3 for the best match, 1/4 for the next, and so on; 0 for none. What matches alike
    shares a place: that one was written first says nothing."""
    import numpy as np

    worse = -np.round(bm25 / (bm25.max(initial=0.0) or 1.0), 6)
    place = np.searchsorted(np.sort(worse), worse)
    return np.where(bm25 > 0, 1 / (3 + place), 0.0)


def _saturation(lengths: Column) -> Column:
    """Return what a word that occurs once counts in texts of these lengths (ln of tokens), as in
    BM25."""
    import numpy as np

    grown: Column = (_K1 + 1) / (1 + _K1 * (1 - _B + _B * np.exp(lengths) / _AVERAGE))
    return grown


def _named(view: View, coverage: Column) -> Columns:
    """What the question names by tag, key or path, less the share by which others hold more of the
    question: `1 - √(coverage / best coverage)`.

    A tag or key of one everyday word ("tests", "ci") stands in most questions of its field. What
    holds the other words too is the answer, and what is only filed under the one comes after it.
    """
    import numpy as np

    best = float(coverage.max(initial=0.0))
    is_filed = np.array([not m.by_path for m in view.members], bool) & (coverage > 0)
    share = np.where(is_filed, np.sqrt(coverage / (best or 1.0)), 1.0)
    named = np.array([m.named for m in view.members]) * share
    return {"named": named}


def _cosines(view: View, clause: int) -> Columns:
    """How near in direction a memory's best chunk is to a clause."""
    import numpy as np

    if clause:
        near = view.gathered.cosines[clause - 1]
        cosines = np.array([near.get(m.id, 0.0) for m in view.members])
    else:
        cosines = np.array([m.cosine for m in view.members])
    return {"cosine": cosines}


def _soft(view: View, clause: int) -> Columns:
    """How like a clause's pieces the pieces of a memory are."""
    likeness = view.gathered.likeness
    if likeness is None:
        return {}
    weights = likeness.weights[clause]
    return {"soft": (weights @ likeness.best[:, view.here]).astype(float)}


def of_phrases(view: View) -> Columns:
    """How many of the question's phrases a memory holds."""
    import numpy as np

    phrases = max(view.pool.phrases, 1)
    return {"phrases": np.array([min(m.phrases, 3) / phrases for m in view.members])}


def of_neighbours(view: View) -> Columns:
    """Whether a memory stands alone or after a question, and what the turns before and after and
    the rest of its session tell: an answer repeats little of its question, evidence clusters."""
    import numpy as np

    best, sessions = view.best_bm25, dict[str, float]()
    session_terms: dict[str, int] = {}
    for member in view.pool.members.values():
        if (session := member.facts.session) is not None:
            sessions[session] = max(sessions.get(session, 0.0), member.bm25 / best)
            session_terms[session] = session_terms.get(session, 0) | member.terms
    if not any(m.before or m.after for m in view.members):
        names = ("after_question", "session_best", "before_bm25", "after_bm25", "near_gain",
                 "session_coverage", "after_cosine")  # fmt: skip
        return {"alone": view.nothing + 1.0, **dict.fromkeys(names, view.nothing)}
    own = [m.terms for m in view.members]
    around = [
        m.terms | (before.terms if before else 0) | (after.terms if after else 0)
        for m, before, after in zip(view.members, view.before, view.after, strict=True)
    ]
    of_session = [session_terms.get(s, 0) if s else 0 for s in view.sessions]
    return {
        "alone": np.array([1.0 if m.before is m.after is None else 0.0 for m in view.members]),
        "after_question": np.array(
            [1.0 if m and m.facts.marks & HAS_QUESTION else 0.0 for m in view.before]
        ),
        "session_best": np.array([sessions.get(s, 0.0) if s else 0.0 for s in view.sessions]),
        "before_bm25": np.array([m.bm25 / best if m else 0.0 for m in view.before]),
        "after_bm25": np.array([m.bm25 / best if m else 0.0 for m in view.after]),
        "near_gain": view.coverage(around) - view.coverage(own),
        "session_coverage": view.coverage(of_session),
        "after_cosine": np.array([m.cosine if m else 0.0 for m in view.after]),
    }


def of_speakers(view: View) -> Columns:
    """Who says it, beside who is named and who asks."""
    import numpy as np

    named, says = view.named_speakers, view.nothing
    if len(named) == 1:
        says = np.array([1.0 if m.facts.speaker == named[0] else 0.0 for m in view.members])
    own = view.nothing
    if view.pool.question.answer_kind.own:
        own = view.marked(USER) - view.marked(ASSISTANT)
    return {"speaker": says, "subject": _of_subject(view), "own_user": own}


def _of_subject(view: View) -> Column:
    """Return 1 for words of the first of two people named, who is asked about, -1 for the other's;
    less for a memory so long that more than one may speak in it."""
    import numpy as np

    if len(view.named_speakers) != 2:
        return view.nothing
    first, other = view.named_speakers
    side = {first: 1.0, other: -1.0}
    sides = np.array([side.get(m.facts.speaker, 0.0) for m in view.members])
    brief: Column = (_SHARED - view.lengths).clip(0.0, 1.0)
    return sides * brief


def of_form(view: View) -> Columns:
    """How a memory is put: length (long ones hold the matter of a summary), question."""
    import numpy as np

    long = view.lengths.clip(None, _NO_LONGER) - _LONG
    return {
        "length": view.sizes,
        "long": np.maximum(long, 0.0),
        "summary_length": view.sizes if view.pool.question.answer_kind.summary else view.nothing,
        "is_question": view.marked(IS_QUESTION),
        "first_person": view.marked(FIRST_PERSON),
    }


def of_answers(view: View) -> Columns:
    """Whether a memory holds what the question asks for: a time, a number, a name; tells of what
    was or will be, as is asked; or holds for any request: an order given once for all, or what the
    asker likes. Such a memory seldom repeats the words of the request."""
    kind = view.pool.question.answer_kind
    past, future = (
        view.marked(PAST if kind.past else 0),
        view.marked(FUTURE if kind.future else 0),
    )
    return {
        "when_time": view.marked(TIME if kind.when else 0),
        "number_number": view.marked(NUMBER if kind.number else 0),
        "who_name": view.marked(NAME if kind.who else 0),
        "tense": past + future,
        "request_standing": view.marked(STANDING if kind.request else 0),
        "request_preference": view.marked(PREFERENCE if kind.request else 0),
    }


def of_time(view: View) -> Columns:
    """How near a memory is to the times that the question names, by when it was said and by the
    dates in its text."""
    import numpy as np

    ranges, named = view.pool.question.time_ranges, view.pool.dates
    if not ranges:
        return {"in_range": view.nothing, "range_in_text": view.nothing}
    said = [max(time_nearness(m.facts, time_range) for time_range in ranges) for m in view.members]
    in_text = [
        max(date_overlap(named.get(m.id, ()), time_range) for time_range in ranges)
        for m in view.members
    ]
    return {"in_range": np.array(said, float), "range_in_text": np.array(in_text, float)}


def of_likeness(view: View, likeness: Likeness) -> Columns:
    """How like the whole question a memory and the turns around it are."""
    import numpy as np

    place, here = view.place, view.here
    nothing = len(place)
    weights = likeness.weights[0]
    about = likeness.about[here].astype(float)
    if not any(m.before or m.after for m in view.members):
        around = ("before_close", "gain_before", "session_close")
        return {"about": about, **dict.fromkeys(around, view.nothing)}
    close = np.zeros((len(weights), nothing + 1), np.float32)  # the last column: no memory
    close[:, :nothing] = likeness.close()
    before = [place.get(m.before, nothing) for m in view.members]
    before2 = [place.get(m.before, nothing) if m else nothing for m in view.before]
    own = close[:, here]
    earlier = np.maximum(close[:, before], close[:, before2])
    gain = weights @ np.maximum(own, earlier) - weights @ own
    return {
        "about": about,
        "before_close": (weights @ close[:, before]).astype(float),
        "gain_before": gain.astype(float),
        "session_close": _by_session(view, close, weights, place),
    }


def _by_session(view: View, close: Any, weights: Any, place: Mapping[int | None, int]) -> Column:
    """Return how close the pool's memories of each candidate's session are, taken together."""
    import numpy as np

    of: dict[str, list[int]] = {}
    for memory_id, member in view.pool.members.items():
        if (session := member.facts.session) is not None and memory_id in place:
            of.setdefault(session, []).append(place[memory_id])
    best = {session: float(weights @ close[:, at].max(axis=1)) for session, at in of.items()}
    return np.array([best.get(s, 0.0) if s else 0.0 for s in view.sessions])


# Log-odds that a belief which holds in full adds; one that has decayed to nothing adds none. Small,
# so that age decides between memories that answer equally well and never keeps the only one back.
BELIEF_GAIN = 0.4
# Log-odds that use just now adds, times ln of the recency boost (at most ln 1.5); and the uses that
# add to belief. Enough to decide between answers alike: what is popular is wrong for the next
# question. With .5 and any number of uses, right feedback cost other questions .005 MRR on locomo
# (`bench feedback`).
RECENCY_GAIN = 0.02
MAX_USES = 1
# Log-odds that a passage of a document loses where nothing is asked: somebody found a statement
# worth telling, while of three hundred sections of a manual a few match whatever is said (silent
# where nothing is wanted: .79 of 28 prompts to real notes, .50 without). Who asks a question is
# answered by them as well (within five of 30: .93, and .83 with the loss).
PASSAGE_LOSS = 0.5
# Log-odds that it gives way by where something told is an answer too: a manual says at length what
# can be done, a short statement says what is done here. Measured on questions to invented projects
# beside the manuals of real libraries.
GIVES_WAY = 1.5
# By itself: Python looks a member up in its enum each time, for ten times what comparing takes.
_EXTRACTED = Provenance.EXTRACTED


def priors(facts: Sequence[Facts], *, at: float, is_asked: bool) -> Mapping[str, Sequence[float]]:
    """Return the log-odds that each kind of past adds to each memory at a moment, epoch seconds,
    where a question is asked or something else is said."""
    loss = 0.0 if is_asked else -PASSAGE_LOSS
    return {
        "belief": [belief(memory, at=at) for memory in facts],
        "recency": [recency(memory, at=at) for memory in facts],
        "passage": [loss if is_passage(memory) else 0.0 for memory in facts],
    }


def belief(facts: Facts, *, at: float) -> float:
    """Return BELIEF_GAIN for a memory believed in full at a moment (epoch seconds), 0 for one not
    believed any more."""
    left = confidence.current(
        facts.confidence,
        age_days=(at - timestamps.to_epoch(facts.created_at)) / 86_400,
        days=_decay_days(facts.kind, facts.provenance),
        uses=min(facts.access_count, MAX_USES),
        trust=facts.trust,
        pinned=bool(facts.pinned),
    )
    return BELIEF_GAIN * left


def recency(facts: Facts, *, at: float) -> float:
    """Return the log-odds that the last use before a moment (epoch seconds) adds."""
    if facts.accessed_at is None:
        return 0.0
    hours = (at - timestamps.to_epoch(facts.accessed_at)) / 3600
    return RECENCY_GAIN * math.log(confidence.recency_boost(hours))


def passage_losses(
    ranked: Sequence[RankedMemory], passages: Collection[int], *, min_log_odds: float
) -> dict[int, float]:
    """Return the log-odds that passages lose to what was told, if any of that is good enough: has
    at least `min_log_odds`.

    They lose no more than half of what they have beyond that, so that they stay good enough and
    keep their order: what was told may be about something else.
    """
    good = (
        candidate.log_odds >= min_log_odds for candidate in ranked if candidate.id not in passages
    )
    if not passages or not any(good):
        return {}
    beyond = {
        candidate.id: candidate.log_odds - min_log_odds
        for candidate in ranked
        if candidate.id in passages
    }
    return {memory_id: min(GIVES_WAY, more / 2) for memory_id, more in beyond.items() if more > 0}


def is_passage(facts: Facts) -> bool:
    """Whether a memory was read out of a text, not told."""
    return facts.provenance == _EXTRACTED


@cache
def _decay_days(kind: str, provenance: str) -> float:
    return confidence.decay_days(Kind(kind), Provenance(provenance))

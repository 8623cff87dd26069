"""Confidence of memories: decay with age, and the arithmetic of feedback."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import InvalidInput
from . import reviews
from .records import Kind, Provenance

if TYPE_CHECKING:
    from ..store.store import Store


# --- Decay of confidence: pure functions of numbers, computed on read and never stored.

# Days after which belief has fallen to 1/e (seed 002, Confidence Decay, which calls it half-life).
DECAY_DAYS = {
    Kind.CORRECTION: 365.0,
    Kind.NEGATIVE: 365.0,  # as correction: what must not be done stays true
    Kind.PREFERENCE: 90.0,
    Kind.PROCEDURE: 60.0,
    Kind.FACT: 30.0,
}
# Whatever was only inferred, whichever kind (seed 002).
INFERRED_DAYS = 7.0
# Seed 002, Recency boost.
RECENCY_GAIN = 0.5
RECENCY_HOURS = 24.0
# Seed 002, Decay formula: what repeated use adds.
USE_GAIN = 0.1


def decay_days(kind: Kind, provenance: Provenance) -> float:
    """Return the days in which belief in such a memory decays."""
    return INFERRED_DAYS if provenance is Provenance.INFERRED else DECAY_DAYS[kind]


def current(
    initial: float, *, age_days: float, days: float, uses: int, trust: float, pinned: bool = False
) -> float:
    """Return the belief left, in [0, 1] (seed 002, Decay formula).

    `initial · exp(-age_days/days) · (1 + 0.1·ln(uses + 1)) · trust`; pinned memories do not decay.
    """
    decay = 1.0 if pinned else math.exp(-max(age_days, 0.0) / days)
    return min(1.0, max(0.0, initial * decay * (1 + USE_GAIN * math.log(max(uses, 0) + 1)) * trust))


def recency_boost(hours_since_access: float) -> float:
    """Return the factor for recent use: 1.5 right after it, 1 in the long run (seed 002)."""
    return 1.0 + RECENCY_GAIN * math.exp(-max(hours_since_access, 0.0) / RECENCY_HOURS)


# --- Feedback of use: how often a memory helped, and how its confidence moves.
#
# Being returned proves nothing; only what an agent or a person says of it counts, or what they do
# with it. What helped lately stands a little higher in recall, and belief is greater the more often
# it was used. How far confidence moves follows from what was told alone, whatever its order: so it
# is bounded, and any of it can be undone as though it had never been told.


class Feedback(NamedTuple):
    """Effect of one use on a memory: counts, and moves of strength and confidence."""

    verb: str
    uses: int = 0
    citations: int = 0
    ignored: int = 0
    strength: int = 0
    confidence: float = 0.0

    @property
    def is_use(self) -> bool:
        """Whether it helped: what misled is no reason to lift it, its time of use stays."""
        return self.confidence > 0


# Seed 002, Feedback Loops: used and helpful, used and not; seed 004, Usage Tracker: it influenced
# an action, which is a use; it was returned and of no use, which says less.
HELPED = Feedback("used", uses=1, strength=1, confidence=0.05)
MISLED = Feedback("used", uses=1, confidence=-0.1)
CITED = Feedback("cited", uses=1, citations=1, strength=1, confidence=0.05)
REJECTED = Feedback("rejected", ignored=1, confidence=-0.02)
# Nobody said anything: its words turned up in what was done next, or they did not in a whole
# session. The first moves as little as the least that anybody can say; the second moves nothing,
# since most of what is served is not needed that day.
TOUCHED = Feedback("cited", citations=1, confidence=0.02)
IGNORED = Feedback("ignored", ignored=1)

# How far all feedback of one day, and all there is, may move the confidence of a memory: a day is
# two opinions, and what everybody says never makes of doubt a certainty. Measured by `bench
# feedback`.
MAX_DAY, MAX_TOTAL = 0.1, 0.3
_DIGITS = 4


def total_move(days: Iterable[float]) -> float:
    """Return how far confidence moves by the sums of what was told on each day."""
    total = sum(min(MAX_DAY, max(-MAX_DAY, move)) for move in days)
    return round(min(MAX_TOTAL, max(-MAX_TOTAL, total)), _DIGITS)


def moved(base: float, move: float) -> float:
    """Return a confidence that feedback has moved, in [0, 1]."""
    return round(min(1.0, max(0.0, base + move)), _DIGITS) if move else base


def weigh(store: Store, ids: Iterable[int], feedback: Feedback, **noted: str) -> list[int]:
    """Count what was told of some memories; return their ids. Inside `write`.

    `noted` stands in the audit too: the action that they influenced, the session that was held
    against them.
    """
    done, now = list(ids), store.now()
    for number in done:
        _weigh(store, number, feedback, now, noted)
    return done


def _weigh(
    store: Store, number: int, feedback: Feedback, now: str, noted: Mapping[str, str]
) -> None:
    (before,) = store.records("memories_feedback.state", id=number)
    base, era, days = _standing(store, number, before["confidence"])
    days[now[:10]] = days.get(now[:10], 0.0) + feedback.confidence
    after = moved(base, total_move(days.values()))
    store.run(
        "memories_feedback.count",
        id=number,
        accessed_at=now if feedback.is_use else None,
        uses=feedback.uses,
        citations=feedback.citations,
        ignored=feedback.ignored,
    )
    if feedback.confidence:
        _set(store, number, before["strength"] + feedback.strength, after)
    if feedback.is_use:  # what was extracted is confirmed by its use
        reviews.confirm(store, number)
    store.audit(
        feedback.verb,
        number,
        confidence=[before["confidence"], after],
        strength=[before["strength"], before["strength"] + feedback.strength],
        feedback={**feedback._asdict(), "base": base, "era": era, "told_at": now},
        before={"accessed_at": before["accessed_at"], "review": before["review"]},
        **noted,
    )


def has_feedback(store: Store, event: int) -> bool:
    """Whether an entry of the audit says what was told of a memory."""
    return store.first("memories_feedback.event", id=event) is not None


def undo_feedback(store: Store, event: int) -> int:
    """Take back what was told of a memory, as though it had never been; return its id. Inside
    `write`. Raises InvalidInput if it is undone already."""
    ((number, text),) = store.all("memories_feedback.event", id=event)
    detail: dict[str, Any] = json.loads(text)
    if "undone" in detail:
        raise InvalidInput(f"feedback {event}: was undone at {detail['undone']}; tell it anew")
    (before,) = store.records("memories_feedback.state", id=number)
    era = _standing(store, number, before["confidence"])[1]
    store.run("memories_feedback.set_undone", id=event, at=store.now())
    feedback = Feedback(**{k: v for k, v in detail["feedback"].items() if k not in _STANDING})
    accessed_at = before["accessed_at"]
    if feedback.is_use and accessed_at == detail["feedback"]["told_at"]:
        accessed_at = store.value("memories_feedback.last_use", id=number)
    counts = {"uses": feedback.uses, "citations": feedback.citations, "ignored": feedback.ignored}
    store.run("memories_feedback.uncount", id=number, accessed_at=accessed_at, **counts)
    after = before["confidence"]
    if detail["feedback"]["era"] == era:  # else it was set anew since
        base, _, days = _standing(store, number, None)
        after = moved(base, total_move(days.values()))
    strength = max(before["strength"] - feedback.strength, 0)
    if feedback.confidence:
        _set(store, number, strength, after)
    if feedback.is_use:
        store.run("memories_feedback.reopen_review", id=number, at=store.now())
    moves = {
        "confidence": [before["confidence"], after],
        "strength": [before["strength"], strength],
    }
    store.audit("undo", number, event=event, **moves)
    return int(number)


# What an event holds beside the feedback itself.
_STANDING = frozenset({"base", "era", "told_at"})


def _standing(
    store: Store, number: int, confidence: float | None
) -> tuple[float, int, dict[str, float]]:
    """Return the confidence that feedback moves, which of those it is, and the moves by day.

    A confidence that is not where feedback has left it was set anew: what was told before is about
    another. None: it is where it should be.
    """
    last = store.first("memories_feedback.last", id=number)
    if last is None:
        return confidence or 0.0, 1, {}
    base, era = last
    days: dict[str, float] = dict(store.all("memories_feedback.moves", id=number, era=era))
    if confidence is None or abs(moved(base, total_move(days.values())) - confidence) < 1e-9:
        return base, era, days
    return confidence, era + 1, {}


def _set(store: Store, number: int, strength: int, confidence: float) -> None:
    values = {"strength": strength, "confidence": confidence, "at": store.now()}
    store.run("memories_feedback.set", id=number, **values)

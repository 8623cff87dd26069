"""Selection: score floor, duplicate groups, results of two stores joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from ..frozen import frozen
from ..memories.records import Memory
from .ranker import RankedMemory, log_odds_of, probability
from .records import Explanation, RecallResult
from .said_words import SaidWords

# Probability that the best must have, or there is no answer (bench/train prints what other floors
# would give: an unanswerable question should come back empty, an answerable one should not).
SCORE_FLOOR = 0.3
# Log-odds below the best at which the rest of a list is left out, and the probability that it needs
# beside it: a single question is answered by one of several, in doubt; to a whole prompt only what
# bears on it is brought.
MARGIN = 3.0
OTHERS, OTHERS_OF_PROMPT = 0.06, 0.2
# The same for what is put as a question: who asks one waits for an answer and reads the next ones
# too. What only says something ("ok, go on") may want none.
FLOOR_OF_QUESTION, MARGIN_OF_QUESTION, OTHERS_OF_QUESTION = 0.25, 5.0, 0.03
# Parts of memories that come by another way than their likeness to the question: by an edge, a
# place, a warning. The best match says nothing against them, so they need no more than the floor.
LED_TO = frozenset({"action", "cascade", "near", "path", "trigger"})
# A negative memory whose pattern occurs in the question is shown with at least this chance.
TRIGGERED = 0.9
# Where nothing but a time is asked about, what was said then has at least this chance.
OF_ITS_TIME = 0.5


@frozen
class SelectionRule:
    """How a list is cut.

    Attributes:
        floor: log-odds that the best needs. margin: how far below the best others may lie; None
            asks of each what is asked of the best. others: log-odds that others need.
    """

    floor: float = log_odds_of(SCORE_FLOOR)
    margin: float | None = MARGIN
    others: float = log_odds_of(OTHERS)

    @classmethod
    def of(cls, min_score: float | None) -> SelectionRule:
        """Return the rule for a caller's floor: it alone decides; None is the calibrated rule."""
        if min_score is None:
            return cls()
        return cls(log_odds_of(min_score) if min_score > 0 else float("-inf"), None)

    def of_question(self) -> SelectionRule:
        """Return the rule for a single question; a caller's floor stays."""
        if self.margin is None:
            return self
        floor, others = log_odds_of(FLOOR_OF_QUESTION), log_odds_of(OTHERS_OF_QUESTION)
        return SelectionRule(floor, MARGIN_OF_QUESTION, others)

    def of_prompt(self) -> SelectionRule:
        """Return the rule for a text of several sentences; a caller's floor stays."""
        if self.margin is None:
            return self
        return attrs.evolve(self, others=log_odds_of(OTHERS_OF_PROMPT))

    @property
    def takes_all(self) -> bool:
        """Whether nothing is left out for its chance: the best there are, however unlikely."""
        return self.floor == float("-inf")

    def cut(self, ranked: Sequence[RankedMemory]) -> list[RankedMemory]:
        """Return the part of a list, best first, that is good enough."""
        min_log_odds = self._min_log_odds(ranked)
        return [
            candidate
            for candidate in ranked
            if candidate.log_odds >= min_log_odds
            or (candidate.log_odds >= self.floor and _stands_for_itself(candidate))
        ]

    def min_probability(self, ranked: Sequence[RankedMemory]) -> float:
        """Return the chance that a member of a list, best first, must have."""
        return probability(self._min_log_odds(ranked))

    def _min_log_odds(self, ranked: Sequence[RankedMemory]) -> float:
        if self.margin is None or not ranked or ranked[0].log_odds < self.floor:
            return self.floor
        best = ranked[0].log_odds
        return min(max(best - self.margin, self.others), best)


def _stands_for_itself(candidate: RankedMemory) -> bool:
    """Whether the best match says nothing against a candidate: it answers another part of the
    query, or came by another way."""
    return candidate.is_first or not LED_TO.isdisjoint(candidate.parts)


class DuplicateGroups(NamedTuple):
    """What is left when what is said twice is said once; `into` tells which stands for which."""

    ids: tuple[int, ...]
    into: Mapping[int, int]


def fold_duplicates(memories: Sequence[Memory], *, limit: int) -> DuplicateGroups:
    """Return the first `limit` memories (ids, in order) of which no two say the same."""
    texts = [SaidWords.of(memory.text) for memory in memories]
    counts = Counter(word for said in texts for word in said.words)
    entries: list[tuple[int, SaidWords]] = []
    into: dict[int, int] = {}
    alike: dict[str, list[int]] = {}
    for memory, said in zip(memories, texts, strict=True):
        rare = said.rarest(counts)
        # Texts that say the same share one of these: not every one is compared with every other.
        places = sorted({place for word in rare for place in alike.get(word, ())})
        twin = next((entries[at][0] for at in places if said.same_as(entries[at][1])), None)
        if twin is not None:
            into[memory.id] = twin
        elif len(entries) < limit:
            for word in rare:
                alike.setdefault(word, []).append(len(entries))
            entries.append((memory.id, said))
        else:
            break
    return DuplicateGroups(tuple(memory_id for memory_id, _ in entries), into)


def raised(candidate: RankedMemory, part: str, *, to: float) -> RankedMemory:
    """Return a candidate whose chance is at least `to`; the difference is a part of its own."""
    missing = log_odds_of(to) - candidate.log_odds
    return candidate.with_part(part, missing) if missing > 0 else candidate


def score_of(candidate: RankedMemory) -> float:
    """Return the calibrated chance of a candidate."""
    return probability(candidate.log_odds)


def merged(own: RecallResult, other: RecallResult, *, limit: int) -> RecallResult:
    """Return the hits of both, best first, at most `limit`; equal texts come once, own first. What
    a hit brought that it contradicts comes after it."""
    seen: set[str] = set()
    hits = []
    for hit in sorted((*own, *other), key=lambda hit: (-hit.score, "opponent" in hit.parts)):
        if hit.memory.text not in seen:
            seen.add(hit.memory.text)
            hits.append(hit)
    left_out = [score for score in (own.best_left_out, other.best_left_out) if score is not None]
    notes = tuple(dict.fromkeys((*own.notes, *other.notes)))
    shown = own.shown_before + other.shown_before
    return RecallResult(tuple(hits[:limit]), notes, max(left_out, default=None), shown)


def federated_explanation(why: Explanation, hits: RecallResult, *, limit: int) -> Explanation:
    """Return what became of a hit of one store among the hits of both."""
    ids = [hit.id for hit in hits]
    if why.id in ids[:limit]:
        return why
    if why.id in ids:
        place = ids.index(why.id) + 1
        text = f"memory {why.id} is number {place} of both stores; a limit of {limit} returns fewer"
        return attrs.evolve(why, present=False, stage="limit", text=text)
    said = None if why.hit is None else why.hit.memory.text
    twins = [hit.id for hit in hits if hit.memory.text == said]
    if not twins:
        return why
    text = f"memory {twins[0]} of the other store says the same"
    return attrs.evolve(why, present=False, stage="duplicate", text=text)


def with_shown_note(recall: RecallResult) -> RecallResult:
    """Return the same hits with a note of what was kept back because it was shown before."""
    shown = recall.shown_before
    if not shown:
        return recall
    were = "memory that matches was" if shown == 1 else "memories that match were"
    return with_note(
        recall,
        f"{shown} {were} shown to this session already; ask without a session to see them again",
    )


def with_note(recall: RecallResult, note: str) -> RecallResult:
    """Return the same hits with one more note."""
    return attrs.evolve(recall, notes=(*recall.notes, note))

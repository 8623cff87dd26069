"""Whether an answer is good enough, what of it is said twice, and which warnings go off."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import attrs

from ..memories.records import Memory
from ..words.forms import nfc
from ..words.scripts import is_unsegmented
from ..words.stops import is_negation
from .rank import Ranked, chance, log_odds_of

# Chance below which a memory is no answer (bench/train prints what other floors would give: an
# unanswerable question should come back empty, an answerable one should not).
FLOOR = 0.038
# Log-odds below the best at which the rest of a list is left out: what is e^4 times less likely
# than the best is beside the point.
MARGIN = 4.0
# Share of equal words from which two memories say the same.
SAME_WORDS = 0.9
# A negative memory whose pattern occurs in the question is shown with at least this chance.
TRIGGERED = 0.9

# Letters from which a pattern may be the beginning of a longer word.
SHORTEST_STEM = 6

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_TELLING = re.compile(r"\d|[_/.\-]\w")
# These negate as well; the list of memkit/words must not grow.
_NEGATIONS = frozenset({"none", "without"})


@attrs.frozen
class Decision:
    """How a list is cut.

    Attributes:
        floor: log-odds that a hit needs. margin: how far below the best it may lie.
    """

    floor: float = log_odds_of(FLOOR)
    margin: float = MARGIN

    @classmethod
    def of(cls, min_score: float | None) -> Decision:
        """Return the rule for a caller's floor: it alone decides; None is the calibrated rule."""
        if min_score is None:
            return cls()
        return cls(log_odds_of(min_score) if min_score > 0 else float("-inf"), float("inf"))

    def cut(self, ranked: Sequence[Ranked]) -> list[Ranked]:
        """Return the part of a list, best first, that is good enough."""
        least = self._least(ranked)
        return [one for one in ranked if one.log_odds >= least]

    def least(self, ranked: Sequence[Ranked]) -> float:
        """Return the chance that a member of a list, best first, must have."""
        return chance(self._least(ranked))

    def _least(self, ranked: Sequence[Ranked]) -> float:
        return max([self.floor, *(best.log_odds - self.margin for best in ranked[:1])])


@attrs.frozen
class Folded:
    """What is left when what is said twice is said once; `into` tells which stands for which."""

    kept: tuple[int, ...]
    into: Mapping[int, int]


def fold(memories: Sequence[Memory], *, most: int) -> Folded:
    """Return the first `most` memories (ids, in order) of which no two say the same."""
    kept: list[tuple[int, _Said]] = []
    into: dict[int, int] = {}
    for memory in memories:
        said = _Said.of(memory.text)
        twin = next((number for number, other in kept if said.same_as(other)), None)
        if twin is not None:
            into[memory.id] = twin
        elif len(kept) < most:
            kept.append((memory.id, said))
        else:
            break
    return Folded(tuple(number for number, _ in kept), into)


def triggered(question: str, patterns: Iterable[tuple[int, Sequence[str]]]) -> dict[int, str]:
    """Return the pattern that occurs in the question for each negative memory that goes off.

    A pattern is found as it is written, signs included, whatever the case and the white space; no
    text is a regular expression. It begins where a word begins, and a short one ends where a word
    ends; a longer one may be the stem of a word ("migrat" of "migrations"). Scripts that are
    written without spaces have no such places.
    """
    text = _flat(question)
    found: dict[int, str] = {}
    for number, candidates in patterns:
        for pattern in candidates:
            flat = _flat(pattern)
            if flat and re.search(_bounded(flat), text):
                found.setdefault(number, pattern)
    return found


def _bounded(pattern: str) -> str:
    """Return the expression for a pattern between its places."""
    start = r"(?<!\w)" if _parts_words(pattern[0]) else ""
    end = r"(?!\w)" if _parts_words(pattern[-1]) and len(pattern) < SHORTEST_STEM else ""
    return f"{start}{re.escape(pattern)}{end}"


def _parts_words(letter: str) -> bool:
    return letter.isalnum() and not is_unsegmented(letter)


def raised(one: Ranked, part: str, *, to: float) -> Ranked:
    """Return a candidate whose chance is at least `to`; the difference is a part of its own."""
    missing = log_odds_of(to) - one.log_odds
    return one.with_part(part, missing) if missing > 0 else one


def chance_of(one: Ranked) -> float:
    """Return the calibrated chance of a candidate."""
    return chance(one.log_odds)


@attrs.frozen
class _Said:
    """A text without difference of case and white space, and its words."""

    flat: str
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Said:
        flat = _flat(text)
        return cls(flat, frozenset(_WORD.findall(flat)) or frozenset(flat.split()))

    @property
    def telling(self) -> frozenset[str]:
        """What changes what is said: numbers, negations, paths, identifiers."""
        tokens = {token.strip(".,;:!?\"'()") for token in self.flat.split()}
        return frozenset(t for t in tokens if _negates(t) or _TELLING.search(t))

    def same_as(self, other: _Said) -> bool:
        shorter, longer = sorted((len(self.words), len(other.words)))
        if shorter < SAME_WORDS * longer:
            return False
        same = len(self.words & other.words)
        if same < SAME_WORDS * (len(self.words) + len(other.words) - same):
            return False
        return self.telling == other.telling


def _negates(word: str) -> bool:
    return word in _NEGATIONS or is_negation(word)


def _flat(text: str) -> str:
    """Return a text without difference of case, Unicode form and white space."""
    return " ".join(nfc(text).casefold().split())

"""Episode ranker: how likely a task, error or failed attempt answers a clause of a question.

The features are few, and the weights were set by hand on the examples of
tests/retrieval/test_episode_retriever.py: there is no public set of questions about an agent's own
work.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..frozen import frozen
from ..text.analyzer import words_of
from .episode_query import Clause, Word, twice_stemmed
from .ranker import log_odds_of, probability

# Probability from which an episode is an answer: as likely as not. Memories have their own floor,
# `selection.SCORE_FLOOR`.
EPISODE_FLOOR = 0.5
# Log-odds: of any text; of all words of the clause being there; of each such word up to so many;
# of the text saying nothing else; of a cosine above what unrelated texts have; of a clause that
# speaks of work, attempts or errors where the text is one.
BASE = -6.0
COVERAGE = 4.0
WORD, MAX_WORDS = 0.8, 3
SHARE = 1.5
COSINE, UNRELATED_COSINE = 4.0, 0.35
KIND = 1.2
# Texts that are counted for each word before any is read: in a few tasks every word is rare.
_SMOOTHING = 10
_MAX_KNOWN = 20_000


@frozen(eq=False)
class EpisodeText:
    """What an episode is found by: its stems, and those that are its subject (without outcome)."""

    text: str
    stems: frozenset[str]
    subject: frozenset[str]

    @classmethod
    def of(cls, subject: str, more: str = "") -> EpisodeText:
        """Return the text of a subject and of what more is known."""
        stems = frozenset(words_of(subject))
        return cls(subject, twice_stemmed(stems | frozenset(words_of(more))), stems)


class Match(NamedTuple):
    """How well a text answers a clause, and by which words."""

    score: float
    words: tuple[str, ...]
    cosine: float

    @property
    def reasons(self) -> tuple[str, ...]:
        """The same in words."""
        reasons = [f"words: {', '.join(self.words)}"] if self.words else []
        if self.cosine > UNRELATED_COSINE:
            reasons.append(f"close in meaning ({self.cosine:.2f})")
        return tuple(reasons)


class WordWeights:
    """How much a word tells: less, the more texts have it."""

    def __init__(self, texts: Iterable[EpisodeText]) -> None:
        self._counts: Counter[str] = Counter()
        self._size = 0
        self._known: dict[frozenset[str], float] = {}
        for text in texts:
            self._size += 1
            self._counts.update(text.stems)

    def of(self, stems: frozenset[str]) -> float:
        """Return the weight of a word with these stems, the commonest form counting."""
        if (weight := self._known.get(stems)) is None:
            count = max((self._counts[stem] for stem in stems), default=0)
            weight = math.log(1 + (self._size + _SMOOTHING) / (count + 1))
            if len(self._known) < _MAX_KNOWN:
                self._known[stems] = weight
        return weight


def match(clause: Clause, text: EpisodeText, weights: WordWeights, *, is_kind: bool) -> Match:
    """Return how well a text answers a clause by its words; `is_kind`: whether the clause speaks of
    episodes of this kind."""
    matched = [word for word in clause.words if word.stems & text.stems]
    if not matched:
        return Match(0.0, (), 0.0)
    total = sum(weights.of(word.stems) for word in clause.words)
    common = sum(weights.of(word.stems) for word in matched)
    own = sum(weights.of(frozenset((stem,))) for stem in text.subject)
    log_odds = (
        BASE
        + COVERAGE * common / total
        + WORD * min(len(matched), MAX_WORDS)
        + (SHARE * min(common / own, 1.0) if own else 0.0)
        + KIND * is_kind
    )
    return Match(probability(log_odds), _names(matched), 0.0)


def with_cosine(by_words: Match, cosine: float) -> Match:
    """Return a match with what its meaning adds; words must be there, for vectors alone are close
    to much."""
    gain = COSINE * (cosine - UNRELATED_COSINE)
    return by_words._replace(score=probability(log_odds_of(by_words.score) + gain), cosine=cosine)


def _names(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.word for word in words))

"""Words of a text as it is held against another: do two say the same, but for small words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from ..text.analyzer import flat
from ..text.patterns import lazy_pattern
from ..text.word_lists import is_negation

# Share of equal words from which two memories say the same.
SAME_WORDS = 0.9

_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
_TELLING = lazy_pattern(r"\d|[_/.\-]\w")
# These negate as well; the list of memkit/words must not grow.
_NEGATIONS = frozenset({"none", "without"})


class SaidWords(NamedTuple):
    """A text without difference of case and white space, and its words."""

    flat: str
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> SaidWords:
        """Return the words of a text."""
        own = flat(text)
        return cls(own, frozenset(_WORD.findall(own)) or frozenset(own.split()))

    @property
    def telling(self) -> frozenset[str]:
        """What changes what is said: numbers, negations, paths, identifiers."""
        tokens = {token.strip(".,;:!?\"'()") for token in self.flat.split()}
        return frozenset(t for t in tokens if _negates(t) or _TELLING.search(t))

    def rarest(self, counts: Mapping[str, int]) -> list[str]:
        """Return so many of its words, the rarest first, that a text without any of them in its own
        cannot share SAME_WORDS of all: in one order of all words, two that do meet in them."""
        spare = len(self.words) - math.ceil(SAME_WORDS * len(self.words))
        order = sorted(self.words, key=lambda word: (counts[word], word))
        return order[: spare + 1] or [""]

    def same_as(self, other: SaidWords) -> bool:
        """Whether two texts say the same, but for small words."""
        shorter, longer_name_losses = sorted((len(self.words), len(other.words)))
        if shorter < SAME_WORDS * longer_name_losses:
            return False
        same = len(self.words & other.words)
        if same < SAME_WORDS * (len(self.words) + len(other.words) - same):
            return False
        return self.telling == other.telling


def _negates(word: str) -> bool:
    return word in _NEGATIONS or is_negation(word)

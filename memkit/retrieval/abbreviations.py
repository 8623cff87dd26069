"""Abbreviations: what initialisms and numeronyms stand for in a store.

An initialism stands for a run of words that begin with its letters ("first-response timer"), a
numeronym for a word with its first and last letter and so many between. No list of abbreviations is
asked: only what the store itself spells out counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from ..text.patterns import lazy_pattern
from ..text.word_lists import FOREIGN, STOP

# Letters of an initialism.
SHORTEST, LONGEST = 2, 5
# Letters of which too many runs of words begin with them: those count that are written as a name
# or that a second memory has too.
SHORT = 2
# Letters of a function word that an initialism may stand for too, within it.
_SHORT_WORD = 2
_FUNCTION = STOP | FOREIGN
_NUMERONYM = lazy_pattern(r"([a-z])(\d{1,2})([a-z])")


def is_abbreviation(word: str, text: str) -> bool:
    """Whether a word in lower case is a numeronym, or stands in a text as an initialism: in
    capitals, where not all is."""
    if _NUMERONYM.fullmatch(word):
        return True
    if not (SHORTEST <= len(word) <= LONGEST and word.isascii() and word.isalpha()):
        return False
    return not text.isupper() and re.search(rf"(?<!\w){word.upper()}(?!\w)", text) is not None


def long_form(word: str, texts: Iterable[str]) -> str | None:
    """Return what an abbreviation in lower case stands for, in lower case: the words that more of
    the texts spell out than any others; None if that is not seen."""
    pattern = _pattern(word)
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(dict(_runs(pattern.findall(text), short=len(word) <= SHORT)))
    ranked = [run for run in counts.most_common(2) if len(word) > SHORT or run[1] > 1]
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]


def _pattern(word: str) -> re.Pattern[str]:
    if numeronym := _NUMERONYM.fullmatch(word):
        start, count, end = numeronym.groups()
        return re.compile(rf"(?<![^\W_])({start}[^\W\d_]{{{count}}}{end})(?![^\W_])", re.I)
    words = "[ -]".join(f"{letter}[^\\W\\d_]+" for letter in word)
    # Looked ahead: a run may begin within another one.
    return re.compile(rf"(?<![^\W_])(?=({words})(?![^\W_]))", re.I)


def _runs(matches: Iterable[str], *, short: bool) -> Iterator[tuple[str, int]]:
    """Yield runs of words in the singular with what each counts; none of words that stand together
    by chance: with a function word, unless it is a short one within ("dead on arrival")."""
    for match in matches:
        words = re.split("[ -]", match)
        small = [word.lower() for word in words]
        inner = {w for w in small[1:-1] if len(w) == _SHORT_WORD and w in _FUNCTION}
        if all(w in inner or (len(w) > _SHORT_WORD and w not in _FUNCTION) for w in small):
            is_name = short and all(map(str.istitle, words))
            yield " ".join(words).lower().removesuffix("s"), 1 + is_name

"""Finds tokens that a line break parts, as mail, terminals and encoders leave them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from .encoded import encoded
from .findings import Finding
from .letters import randomness
from .prefixed import prefixed
from .runs import SHORTEST, Span, broken_words, long_runs

# Mean bits a pair; lines of names joined into one word stay below.
_RANDOM = 0.2
_REST = 8  # characters of a line that may belong to a token which could end before it


def wrapped(text: str, shadow: bytes, runs: list[Span]) -> Iterator[Finding]:
    """Tokens of a published format, encoded ones too, that reach over one line break or several."""
    for parts in broken_words(shadow, runs):
        words = [text[start:end] for start, end in parts]
        ends = list(accumulate(map(len, words)))
        if ends[-1] < SHORTEST:
            continue
        for found in _tokens("".join(words), ends):
            first = next(n for n, end in enumerate(ends) if found.start < end)
            last = _last(words, ends, found, first)
            token = "".join(words)[found.start : ends[last]]
            if last > first and randomness(token) > _RANDOM:
                start = parts[first][0] + found.start - (ends[first] - len(words[first]))
                end = parts[last][0] + min(found.end, ends[last]) - (ends[last] - len(words[last]))
                yield Finding(found.kind, start, end)


def _tokens(word: str, ends: list[int]) -> list[Finding]:
    shadow = word.encode("latin-1", "replace")
    runs = long_runs(shadow)
    return [*prefixed(word, shadow, runs, ends), *encoded(shadow, runs)]


def _last(words: list[str], ends: list[int], found: Finding, first: int) -> int:
    """The last line of the token: the first one with which it is whole, and those behind it that
    look drawn by a machine too.
    """
    last = first
    while ends[last] < found.end and not any(
        token.start == found.start for token in _tokens("".join(words[: last + 1]), ends)
    ):
        last += 1
    while ends[last] < found.end and _goes_on(words[last + 1]):
        last += 1
    return last


def _goes_on(word: str) -> bool:
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return len(word) >= _REST and mixed and randomness(word) > 2 * _RANDOM

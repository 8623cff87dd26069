"""Cutting at grapheme boundaries."""

from __future__ import annotations

import unicodedata

import attrs

from ..errors import InvalidInput
from .counter import TokenCounter, decode, encode

# --- Where a text may be cut without breaking a character that people see as one.
#
# The rules of Unicode annex 29 (extended grapheme clusters) as far as `unicodedata` can tell
# them: combining marks, ZWJ sequences, skin tones, flags, Hangul, conjuncts of Indic scripts, CR
# LF.

LONGEST = 128
"""A cluster longer than this many code points is cut anyway: otherwise a megabyte of stacked marks
would be one character. The longest emoji has 10 code points; stream-safe text allows 30 marks."""

_JOINER = "\u200d"
# Extenders that are not marks by category: joiners, half-width sound marks, Thai and Lao AM.
_EXTENDERS = frozenset("\u200c\u200d\uff9e\uff9f\u0e33\u0eb3")
_VIRAMA = 9  # canonical combining class of the signs that bind an Indic consonant to the next


def boundary(text: str, at: int) -> int:
    """The last place at or before `at` where the text can be cut between graphemes.

    `at` is clamped to the text; 0 and the end are always boundaries.
    """
    at = min(max(at, 0), len(text))
    for place in range(at, max(at - LONGEST, 0), -1):
        if place == len(text) or not _joined(text, place):
            return place
    return at if at > LONGEST else 0


def _joined(text: str, at: int) -> bool:
    """Whether the code points before and at `at` belong to one grapheme."""
    before, here = text[at - 1], text[at]
    if before.isascii() and here.isascii():
        return before == "\r" and here == "\n"
    if unicodedata.category(before) == "Cc":
        return False
    if _extends(here) or before == _JOINER or _binds(before, here):
        return True
    if _regional(before) and _regional(here):
        return _regionals_before(text, at) % 2 == 1
    return False


def _extends(char: str) -> bool:
    return (
        unicodedata.category(char).startswith("M")
        or char in _EXTENDERS
        or "\U0001f3fb" <= char <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= char <= "\U000e007f"  # tags, as in the flag of Scotland
    )


def _binds(before: str, here: str) -> bool:
    """Hangul jamo that form one syllable, and Indic conjuncts."""
    if "\u1160" <= here <= "\u11ff" or "\ud7b0" <= here <= "\ud7fb":
        return _hangul(before)
    if "\u1100" <= here <= "\u115f" or "\ua960" <= here <= "\ua97c":
        return "\u1100" <= before <= "\u115f" or "\ua960" <= before <= "\ua97c"
    return unicodedata.combining(before) == _VIRAMA and unicodedata.category(here) == "Lo"


def _hangul(char: str) -> bool:
    return (
        "\u1100" <= char <= "\u11ff" or "\ua960" <= char <= "\ua97c" or "\uac00" <= char <= "\ud7fb"
    )


def _regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _regionals_before(text: str, at: int) -> int:
    start = at
    while start and _regional(text[start - 1]):
        start -= 1
    return at - start


# --- Cutting a text to a number of tokens without breaking a character.

# Characters per token looked at first; the widest ordinary text (English) has 5.
_AHEAD = 8


@attrs.frozen
class Truncated:
    """The beginning of a text.

    Attributes:
        text: the part kept, code point for code point as given.
        tokens: tokens of that part, at most the limit.
        cut_chars: characters left out at the end, 0 if the text is whole.
    """

    text: str
    tokens: int
    cut_chars: int


def truncate(text: str, max_tokens: int, *, counter: TokenCounter | None = None) -> Truncated:
    """The longest beginning (to within a token or two) that has at most `max_tokens` tokens.

    It ends between graphemes: no emoji, flag or accented letter is split, and no U+FFFD appears.
    A limit too small for the first grapheme gives "". Raises InvalidInput for a negative limit.
    """
    if max_tokens < 0:
        raise InvalidInput(f"a text cannot be cut to {max_tokens} tokens; give 0 or more")
    counter = counter or TokenCounter()
    end = _whole_or_enough(text, max_tokens, counter)
    tokens = counter.count(text[:end])
    while tokens > max_tokens:
        end = boundary(text, _shorter(text[:end], tokens, max_tokens, counter))
        tokens = counter.count(text[:end])
    return Truncated(text[:end], tokens, len(text) - end)


def _whole_or_enough(text: str, max_tokens: int, counter: TokenCounter) -> int:
    """Length of a beginning that is over the limit, or of the whole text.

    Spares tokenising megabytes of which a few kilobytes are kept.
    """
    reach = max_tokens * _AHEAD + 1
    while reach < len(text):
        end = boundary(text, reach)
        if counter.count(text[:end]) > max_tokens:
            return end
        reach *= 2
    return len(text)


def _shorter(head: str, tokens: int, max_tokens: int, counter: TokenCounter) -> int:
    """A length below that of `head` at which about `max_tokens` tokens stand."""
    if counter.quick:
        return min(len(head) * max_tokens // tokens, len(head) - 1)
    ids = encode(head)
    keep = len(ids) * max_tokens // tokens
    return min(len(decode(ids[:keep])), len(head) - 1)

"""Graphemes: where a text may be cut without breaking a character that people see as one."""

from __future__ import annotations

import unicodedata

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
    """The last position at or before `at` where the text can be cut between graphemes.

    `at` is clamped to the text; 0 and the end are always boundaries.
    """
    at = min(max(at, 0), len(text))
    for position in range(at, max(at - LONGEST, 0), -1):
        if position == len(text) or not _joined(text, position):
            return position
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

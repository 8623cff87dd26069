"""Trigger patterns: texts that negative memories declare, looked for as they are written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ..text.analyzer import is_unsegmented, nfc

# Letters from which on a pattern may be the stem of a longer word.
SHORTEST_STEM = 6


def triggered(question: str, patterns: Iterable[tuple[int, Sequence[str]]]) -> dict[int, str]:
    """Return the pattern that occurs in the question for each negative memory that goes off.

    A pattern is found as it is written, signs included, whatever the case and the white space; no
    text is a regular expression. It begins where a word begins, and a short one ends where a word
    ends; a longer one may be the stem of a word ("migrat" of "migrations"). Scripts that are
    written without spaces have no such places.
    """
    text = flat(question)
    matches: dict[int, str] = {}
    for memory_id, candidates in patterns:
        for pattern in candidates:
            if occurs(pattern, text):
                matches.setdefault(memory_id, pattern)
    return matches


def occurs(pattern: str, flat_text: str) -> bool:
    """Whether a pattern occurs in a text that is `flat` already."""
    own = flat(pattern)
    return bool(own) and re.search(_bounded(own), flat_text) is not None


def flat(text: str) -> str:
    """Return a text without difference of case, Unicode form and white space."""
    return " ".join(nfc(text).casefold().split())


def _bounded(pattern: str) -> str:
    """Return the expression for a pattern between its places."""
    start = r"(?<!\w)" if _parts_words(pattern[0]) else ""
    end = r"(?!\w)" if _parts_words(pattern[-1]) and len(pattern) < SHORTEST_STEM else ""
    return f"{start}{re.escape(pattern)}{end}"


def _parts_words(letter: str) -> bool:
    return letter.isalnum() and not is_unsegmented(letter)

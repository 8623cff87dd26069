"""A name is not a longer one that begins with it: who asks for `get_user` does not mean
`get_user_by_id`, though every word of the one is in the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..memories.documents import is_plain_word

# Log-odds that a memory loses which has a name only within longer ones: it comes behind what has
# the name itself, all else being equal.
PENALTY = 1.0
# Names looked at: a pasted log has thousands, and its first tell what is wanted.
MOST_NAMES = 40
_AROUND = "\"'`()[]{}<>,;!?.:"
_SIGN = re.compile(r"[A-Za-z0-9][-_/.:@#\\+]+[A-Za-z0-9]|^--?[A-Za-z]")
_LETTER = re.compile(r"[^\W\d_]")
# What makes a name go on: a letter, or what joins it to a further part; a hyphen only where the
# name has one, or "SQLite-backed" would not be of SQLite.
_GOES_ON = re.compile(r"\w|[/.:@#\\+]+\w")
_GOES_ON_HYPHENATED = re.compile(r"\w|[-/.:@#\\+]+\w")


def names(question: str) -> list[str]:
    """Return the first MOST_NAMES of what in a question is spelt as a name in code: src/app.py,
    std::move, getUser, v2.1, --force."""
    words = (word.strip(_AROUND).removesuffix("'s") for word in question.split())
    return list(dict.fromkeys(word for word in words if _is_name(word)))[:MOST_NAMES]


def longer(asked: Iterable[str], texts: Mapping[int, str]) -> dict[int, float]:
    """Return how much each text, by memory, loses: for each name that it has only as the beginning
    of longer ones, while another text has the name itself; else a longer one may be meant."""
    found: dict[int, float] = {}
    lower = {number: text.lower() for number, text in texts.items()}
    for name in (name.lower() for name in asked):
        goes_on = _GOES_ON_HYPHENATED if "-" in name else _GOES_ON
        ends = {number: list(_ends(name, text)) for number, text in lower.items()}
        holders = {number for number in ends if ends[number]}
        others = {n for n in holders if all(goes_on.match(lower[n], end) for end in ends[n])}
        for number in others if others != holders else ():
            found[number] = found.get(number, 0.0) + PENALTY
    return found


def _ends(name: str, text: str) -> Iterator[int]:
    """Yield where each occurrence of a name ends that does not begin inside a word."""
    at = text.find(name)
    while at >= 0:
        if not (text[at - 1 : at].isalnum() or text[at - 1 : at] == "_"):
            yield at + len(name)
        at = text.find(name, at + 1)


def _is_name(word: str) -> bool:
    if not _LETTER.search(word):
        return False  # a date, an amount: it may be told to the day or the cent
    is_word = len(word) == 1 or is_plain_word(word) or not word.isalnum()
    return bool(_SIGN.search(word)) or not is_word

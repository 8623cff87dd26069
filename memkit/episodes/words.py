"""The telling words of a short text, for comparing descriptions: identifiers in parts, stems."""

from __future__ import annotations

import re
import unicodedata

_PIECE = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Scripts written without spaces are compared by pairs of characters.
_UNSEGMENTED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0e7f]+")
_STOP = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its me my not of"
    " on or our please so some that the their them then there these this to was we what when where"
    " which will with would you your let us should could".split()
)
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "er", "ly")
_SHORTEST_STEM = 3


def words_of(text: str) -> list[str]:
    """Return the stems of a text's words in order, without stop words, each as often as it is."""
    found: list[str] = []
    for piece in _PIECE.findall(unicodedata.normalize("NFKC", text)):
        if run := _UNSEGMENTED.search(piece):
            found += _pairs(run[0])
            continue
        for part in _CAMEL.split(piece):
            word = part.casefold()
            if word not in _STOP:
                found.append(_stem(word))
    return found


def _pairs(run: str) -> list[str]:
    return [run[n : n + 2] for n in range(len(run) - 1)] or [run]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word

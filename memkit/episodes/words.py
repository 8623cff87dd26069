"""The telling words of a short text, for comparing descriptions: identifiers in parts, stems."""

from __future__ import annotations

import re

from ..words.forms import nfkc
from ..words.identifiers import parts
from ..words.scripts import segments
from ..words.stems import stem

_PIECE = re.compile(r"[^\W_]+")
# Fewer than ../words/stops.py has: these are compared with names of files too, where "other", "all"
# or "more" tell. With the long list one file in thirty less is foretold, with weights of other
# sessions (`python -m bench predict`: .67, not .70).
_STOP = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its me my not of"
    " on or our please so some that the their them then there these this to was we what when where"
    " which will with would you your let us should could".split()
)


def words_of(text: str) -> list[str]:
    """Return the stems of a text's words in order, without stop words, each as often as it is."""
    return [stem(word) for word in _telling(text)]


def by_stem(text: str) -> dict[str, str]:
    """Return the words of a text by their stems, to be shown: no stem is a word that anyone
    wrote."""
    return {stem(word): word for word in reversed(_telling(text))}


def _telling(text: str) -> list[str]:
    pieces = _PIECE.findall(nfkc(text))
    words = (part.casefold() for one in pieces for seg in segments(one) for part in parts(seg))
    return [word for word in words if word not in _STOP]


def containing(text: str) -> str:
    """Return the pattern of SQL's `like … escape '\\'` for texts in which another one stands."""
    escaped = text.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"

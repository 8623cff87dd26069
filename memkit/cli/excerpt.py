"""The lines of a text that answer a question best. Pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import attrs

from ..words.forms import nfc
from ..words.scripts import segments
from ..words.stems import stem
from ..words.stops import STOP
from .streams import columns_of, fit

_WORD = re.compile(r"\w+")
_FENCE = re.compile(r"\s*(```+|~~~+)")
# Columns before the first word that is looked for, when a long line is cut on its left.
_BEFORE = 20


@attrs.frozen
class Excerpt:
    """Lines chosen from a text: how many were left out before and after them."""

    before: int
    lines: tuple[str, ...]
    after: int


def excerpt(text: str, question: str, *, most: int) -> Excerpt:
    """Return the `most` neighbouring lines with most of the question's words, blank ones left out.

    A word in a sentence counts twice what it does in a block of code: that shows, and says nothing.
    Of equal ones the first; without a question, or with no word in common, those at the beginning.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) <= most:
        return Excerpt(0, tuple(lines), 0)
    wanted = stems(question)
    found = [
        (is_code, {stem for stem in wanted if stem in _plain(line)})
        for line, is_code in zip(lines, _in_code(lines), strict=True)
    ]
    start = max(range(len(lines) - most + 1), key=lambda n: _worth(found[n : n + most]))
    return Excerpt(start, tuple(lines[start : start + most]), len(lines) - start - most)


def around(line: str, question: str, columns: int) -> str:
    """Return a line cut to so many columns, such that words of the question are in what is left."""
    if columns_of(line) <= columns:
        return line
    plain = _plain(line)
    if len(plain) != len(line):  # a letter that is two in small: places would not fit
        return fit(line, columns)
    wanted = stems(question)
    places = [place for stem in wanted if (place := plain.find(stem)) >= 0]
    if not places or max(places) < columns - _BEFORE:
        return fit(line, columns)
    best = max(sorted(places), key=lambda n: sum(n <= other < n + columns // 2 for other in places))
    start = line.rfind(" ", 0, max(best - _BEFORE, 0)) + 1
    return fit("…" + line[start:], columns) if start else fit(line, columns)


def stems(question: str) -> frozenset[str]:
    """Return the beginnings of the words of a question that say something, in small letters."""
    words = [word for word in _WORD.findall(_plain(question)) if word not in STOP]
    return frozenset(stem(part) for word in words for part in segments(word))


# -- inside


def _plain(text: str) -> str:
    return nfc(text).casefold()


def _in_code(lines: Iterable[str]) -> Iterator[bool]:
    """Yield of each line whether it stands in a fenced block of code."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        yield bool(fence or mark)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""


def _worth(found: Sequence[tuple[bool, set[str]]]) -> tuple[int, int]:
    """Different words first, then all of them, so that the fullest lines come into view."""
    said = set().union(*(words for is_code, words in found if not is_code))
    all_ = set().union(*(words for _, words in found))
    return len(said) + len(all_), sum(len(words) for _, words in found)

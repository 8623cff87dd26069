"""Long words, and words that a line break parts, found at the speed of memory.

Text is mostly short words, tokens are long ones: `bytes.translate` maps every character to its
class, `bytes.find` then finds the runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .findings import Span

SHORTEST = 16  # characters; the shortest token of the table is `LTAI` + 12
_TOKEN_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/"
_CLASSES = bytes(ord("a") if code in _TOKEN_CHARS else ord(" ") for code in range(256))
# In a word over several lines: the joints of tokens too, and the line breaks.
_LINE_CLASSES = bytes(
    ord("a") if code in _TOKEN_CHARS + b".=~%" else ord("n") if code in b"\r\n" else ord(" ")
    for code in range(256)
)
# Of a token that is broken once, one part has at least so many characters.
_PART = 9
_LINE_END, _LINE_START = b"a" * _PART + b"n", b"n" + b"a" * _PART
_LINES = 12  # lines of one word that are read together
_WIDEST = 1000  # characters of one such line
_DIGIT = re.compile(rb"\d")
_NEAR = 60  # characters on both sides of a break in which a token has one
_INDENT, _MARGIN = 40, b" \t>|"


def long_runs(shadow: bytes) -> list[Span]:
    """Runs of token characters that are long enough for a token; `shadow` has one byte a
    character.
    """
    classes = shadow.translate(_CLASSES)
    needle = b"a" * SHORTEST
    found = []
    start = classes.find(needle)
    while start >= 0:
        end = classes.find(b" ", start)
        end = len(classes) if end < 0 else end
        found.append((start, end))
        start = classes.find(needle, end)
    return found


def broken_words(shadow: bytes, runs: list[Span]) -> Iterator[list[Span]]:
    """Words that line breaks part, as their parts in order: the end of a line, lines that are one
    word, the beginning of a line.

    No break is read twice, so that the cost grows with the length of the text.
    """
    classes = shadow.translate(_LINE_CLASSES)
    done = 0
    spots = {*_breaks_behind(classes), *_breaks_before(classes)}
    spots.update(at for start, _ in runs if (at := _above(shadow, start)))
    for at in sorted(spots):
        # A token drawn from letters and digits has a digit; most words over two lines have none.
        if at < done or not _DIGIT.search(shadow, max(0, at - _NEAR), at + _NEAR):
            continue
        parts = _parts(classes, shadow, at)
        done = parts[-1][1]
        if len(parts) > 1 and _DIGIT.search(shadow, parts[0][0], done):
            yield parts


def _breaks_behind(classes: bytes) -> Iterator[int]:
    """Line breaks behind a part that is long enough."""
    at = classes.find(_LINE_END)
    while at >= 0:
        yield at + _PART
        at = classes.find(_LINE_END, at + _PART)


def _breaks_before(classes: bytes) -> Iterator[int]:
    """Line breaks before such a part; from the end, where the search skips more."""
    at = classes.rfind(_LINE_START)
    while at >= 0:
        yield at
        at = classes.rfind(_LINE_START, 0, at + 1)


def _above(shadow: bytes, start: int) -> int:
    """The line break before an indented or quoted run; 0 if there is none."""
    if shadow[start - 1 : start] not in (b" ", b"\t"):
        return 0
    before = shadow[max(0, start - _INDENT) : start].rstrip(_MARGIN)
    return start - min(start, _INDENT) + len(before) - 1 if before.endswith(b"\n") else 0


def _parts(classes: bytes, shadow: bytes, at: int) -> list[Span]:
    """The parts of the word that the line break at `at` parts."""
    least = max(0, at - _WIDEST)
    at = at - 1 if classes[at - 1 : at] == b"n" else at  # "\r\n"
    start = 1 + max(classes.rfind(b" ", least, at), classes.rfind(b"n", least, at), least - 1)
    parts = [(start, at)]
    while len(parts) < _LINES and (begin := _next_line(classes, shadow, parts[-1][1])):
        end = _end(classes, begin)
        if end == begin:
            break
        parts.append((begin, end))
    return parts


def _next_line(classes: bytes, shadow: bytes, at: int) -> int:
    """Where the text of the next line begins, behind indentation and quote signs; 0 if no line
    ends here.
    """
    if classes[at : at + 1] != b"n":
        return 0
    at += 2 if shadow[at : at + 2] == b"\r\n" else 1
    line = shadow[at : at + _INDENT]
    return at + len(line) - len(line.lstrip(_MARGIN))


def _end(classes: bytes, begin: int) -> int:
    most = begin + _WIDEST
    ends = [end for end in (classes.find(b" ", begin, most), classes.find(b"n", begin, most))
            if end >= 0]  # fmt: skip
    return min(ends) if ends else min(most, len(classes))

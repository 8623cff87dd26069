"""Column detector: values below the name of their column: CSV, Markdown tables, SQL inserts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.patterns import lazy_pattern
from .entropy import Strength, looks_chosen, looks_issued
from .keyword_detector import kind_of, strength
from .literal_search import LowerText, line_end
from .rules import Finding, Span

# --- A name far from its value: only its place in the row ties them together.

_STEMS = frozenset({"passw", "kennwort", "pwd", "secret", "token", "api"})
LITERALS = (*_STEMS, "insert")
_HEADING = r"""["']?[A-Za-z_][\w .-]{0,40}["']?"""
_HEADER = lazy_pattern(rf"[ \t|]*{_HEADING}(?:[ \t]*[,;|\t][ \t]*{_HEADING}){{1,40}}[ \t|]*\Z")
_CELL = lazy_pattern(
    r"""[ \t]*(?:"((?:[^"\n]|"")*)"|'([^'\n]*)'|([^,;|\t\n]*))[ \t]*(?:[,;|\t]|\Z)"""
)
_INSERT = lazy_pattern(
    r"insert\s{1,9}into\s{1,9}[\w.\"`\[\]]{1,120}\s{0,9}\(([^()]{3,2000})\)\s{0,9}"
    r"(?:output[^()]{0,200})?values\s{0,9}",
    re.IGNORECASE,
)
_TUPLE = lazy_pattern(r"\(([^()\n]{1,4000})\)\s{0,9},?\s{0,9}")
_VALUE = lazy_pattern(r"""\s{0,9}(?:[NE]?'((?:[^']|'')*)'|"([^"]*)"|([^,]*))\s{0,9}(?:,|\Z)""")
_QUOTES = " \t\r\n\"'`[]"
_WIDEST = 600  # characters of a line of headings
_ROWS = 2_000  # of one table


def columns(text: str, lower: LowerText) -> Iterator[Finding]:
    """Secrets of tables whose column says that they are."""
    for at in lower.places("insert"):
        head = _INSERT.match(text, at)
        if head is not None:
            yield from _tuples(text, head)
    done = 0
    for at in lower.spots(_STEMS):
        if at >= done:
            start = max(text.rfind("\n", max(0, at - _WIDEST), at) + 1, at - _WIDEST, 0)
            done = line_end(text, at)
            if done - start <= _WIDEST and _HEADER.match(text[start:done]):
                yield from _lines(text, start, done)


def _tuples(text: str, head: re.Match[str]) -> Iterator[Finding]:
    names = [name.strip(_QUOTES) for name in head[1].split(",")]
    row = _TUPLE.match(text, head.end())
    while row is not None:
        yield from _judged(text, names, _cells(_VALUE, text, *row.span(1)))
        row = _TUPLE.match(text, row.end())


def _lines(text: str, start: int, end: int) -> Iterator[Finding]:
    names = [text[slice(*span)].strip(_QUOTES) for span in _cells(_CELL, text, start, end)]
    if not any(strength(name) >= Strength.SECRET for name in names):
        return
    for _ in range(_ROWS):
        start, end = end + 1, line_end(text, end + 1)
        cells = _cells(_CELL, text, start, end) if start < len(text) else []
        if len(cells) != len(names):
            return
        yield from _judged(text, names, cells)


def _cells(form: re.Pattern[str], text: str, at: int, end: int) -> list[Span]:
    """The cells of a row, without their quotes and the blanks around them."""
    spans: list[Span] = []
    while at < end and (cell := form.match(text, at, end)) is not None and cell.end() > at:
        start, stop = cell.span(cell.lastindex or 0)
        stop = start + len(text[start:stop].rstrip())
        spans.append((start, stop))
        at = cell.end()
    return spans


def _judged(text: str, names: list[str], cells: list[Span]) -> Iterator[Finding]:
    for name, (start, end) in zip(names, cells, strict=False):
        force = strength(name)
        value = text[start:end]
        if force >= Strength.SECRET and (
            looks_issued(value) or (force >= Strength.PASSWORD and looks_chosen(value, strict=True))
        ):
            yield Finding(kind_of(name, force), start, end)

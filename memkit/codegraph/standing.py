"""The lines of what is only read: the resolver knows by which word, the text tells where.

To note a place for every name that is read would cost more than all else that is noted; few of
them lead anywhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .extract.builder import line_starts
from .facts import Definition, Facts

# Bytes that go on with a name: those of other alphabets are above ASCII.
_LETTERS = frozenset(
    bytes((n,)) for n in range(256) if n >= 128 or chr(n).isalnum() or chr(n) == "_"
)
_QUOTES = (b'"""', b"'''")


def lines(edges: Sequence[Any], facts: Facts, data: bytes) -> list[int]:
    """Return the line of each edge of a file: of one without a line the one where its word stands
    first in the definition that it comes from; that of the definition if it stands nowhere."""
    text = _Text(facts, data)
    imports = {edge.line for edge in edges if edge.kind == "imports"}
    return [
        text.line(edge.source, edge.word, imports) if edge.word else edge.line for edge in edges
    ]


class _Text:
    """The text of a file and what is defined where in it."""

    def __init__(self, facts: Facts, data: bytes) -> None:
        self._facts = facts
        self._data = data
        self._lines = line_starts(data)
        # Decorators stand before the line of a definition, and belong to what is around it.
        self._inside = sorted(
            (self._lines[one.line - 1], one.end, number)
            for number, one in enumerate(facts.definitions)
            if one.body >= 0
        )

    def line(self, source: int, word: str, imports: Iterable[int]) -> int:
        """Return the first line where a word stands in a definition (-1: the file) and in none of
        those inside of it; if there is none the first line at all."""
        if word[:1] == "<":  # no name of the text's own: what is taken in without one
            word, imports = word.strip("<>"), ()
        begin, end, first = 0, len(self._data), 1
        if source >= 0:
            definition = self._facts.definitions[source]
            begin, end, first = self._begin(definition), definition.end, definition.line
        met = 0
        doc = self._doc(source)
        for byte in self._places(word.encode(), begin, end):
            line = bisect_right(self._lines, byte)
            if byte in doc or (source < 0 and line in imports):
                continue
            if self._around(byte) == source:
                return line
            met = met or line
        return met or first

    def _places(self, word: bytes, begin: int, end: int) -> Iterator[int]:
        """Yield where a word stands as a whole one; a pattern for each would take longer to make
        than to find."""
        data = self._data
        at = data.find(word, begin, end)
        while at >= 0:
            after = data[at + len(word) : at + len(word) + 1]
            if data[max(at - 1, 0) : at] not in _LETTERS and after not in _LETTERS:
                yield at
            at = data.find(word, at + 1, end)

    def _begin(self, definition: Definition) -> int:
        return self._lines[definition.line - 1]

    def _doc(self, number: int) -> range:
        """Return the bytes of a definition's docstring, which names things and reads none."""
        doc = self._facts.definitions[number].doc if number >= 0 else self._facts.doc
        begin, end = 0, len(self._data)
        if number >= 0:
            definition = self._facts.definitions[number]
            begin, end = self._begin(definition), definition.end
        start = self._data.find(doc.encode(), begin, end) if doc else -1
        if start < 0:
            return range(0)
        quotes = self._data[start - 3 : start]
        stop = self._data.find(quotes if quotes in _QUOTES else b"\n", start, end)
        return range(start, stop if stop >= 0 else end)

    def _around(self, byte: int) -> int:
        """Return the innermost definition with a body around a place, -1 for the file."""
        place = bisect_right(self._inside, (byte, len(self._data), len(self._inside)))
        for _, end, number in reversed(self._inside[:place]):
            if byte < end:
                return number
        return -1

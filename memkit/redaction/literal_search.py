"""Multi-pattern search: the places of all literals of the rules in one pass over a text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import AnyStr, NamedTuple

# To look for each of 150 literals would read the text 150 times. One expression instead stops at
# rare characters only: each literal is known by one of its characters, its anchor, and compared
# where that stands.

# The anchors, the rarest first: together a quarter of the characters of 5 MB of sources,
# configuration and chat, and no literal of the rules is without one.
_ANCHORS = "~q7j\\x]5<[k/:-bfmhupcso"
# Bytes after which the pass is worth the time that it takes to compile its expression.
_WORTHWHILE = 50_000


class LowerText(bytes):
    """Lower-case text of one byte a character, and the places of literals in it."""

    _searched: AbstractSet[str] = frozenset()
    _places: Mapping[str, Sequence[int]] = {}

    def places(self, literal: str) -> Sequence[int]:
        """Every place of a literal, in order."""
        if literal in self._searched:
            return self._places.get(literal, ())
        return positions(self, literal.encode("latin-1"))

    def places_of(self, literals: AbstractSet[str]) -> dict[str, Sequence[int]]:
        """The places of those literals that are in the text."""
        here = literals
        if literals <= self._searched:
            here = literals & self._places.keys()
        return {literal: places for literal in here if (places := self.places(literal))}

    def spots(self, literals: AbstractSet[str]) -> list[int]:
        """The places of all these literals together, in order."""
        return sorted(set().union(*self.places_of(literals).values()))


class LiteralSearch:
    """Search of texts for a fixed set of literals of lower-case Latin-1 characters."""

    def __init__(self, literals: Iterable[str], *, worthwhile: int = _WORTHWHILE) -> None:
        self._rows = [_Row.of(literal) for literal in sorted(set(literals))]
        self._literals = frozenset(row.literal for row in self._rows)
        # What can stand at an anchor: by the anchor and the character behind it.
        self._candidates: dict[bytes, list[_Row]] = {}
        self._to_read = worthwhile

    def over(self, lower: bytes) -> LowerText:
        """The text with the places of the literals; the first ones are left to be looked for."""
        text = LowerText(lower)
        self._to_read -= len(text)
        if self._to_read <= 0:
            text._searched, text._places = self._literals, self._places(text)
        return text

    def _places(self, text: bytes) -> dict[str, list[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for match in self._expression.finditer(text):
            at = match.start()
            pair = text[at : at + 2]
            rows = self._candidates.get(pair)
            if rows is None:
                rows = self._candidates[pair] = [row for row in self._rows if row.fits(pair)]
            for literal, needle, anchor in rows:
                start = at - anchor
                if start >= 0 and text.startswith(needle, start):
                    places[literal].append(start)
        return places

    @cached_property
    def _expression(self) -> re.Pattern[bytes]:
        """Every anchor with a literal around it."""
        groups: dict[bytes, list[tuple[bytes, bytes]]] = defaultdict(list)
        for _, needle, at in self._rows:
            whole = b"(?<=%b)" % re.escape(needle) if at else b""
            groups[needle[at : at + 1]].append((needle[at + 1 :], whole))
        return re.compile(
            b"|".join(
                b"%b(?=%b)" % (re.escape(first), _tree(rest)) for first, rest in groups.items()
            )
        )


class _Row(NamedTuple):
    """A literal, its bytes, and where its anchor is."""

    literal: str
    needle: bytes
    anchor: int

    @classmethod
    def of(cls, literal: str) -> _Row:
        first = next((char for char in _ANCHORS if char in literal), literal[0])
        return cls(literal, literal.encode("latin-1"), literal.index(first))

    def fits(self, pair: bytes) -> bool:
        return pair.startswith(self.needle[self.anchor : self.anchor + 2])


def _tree(words: list[tuple[bytes, bytes]]) -> bytes:
    """The expression of any of these words, each with what has to hold behind it."""
    ends = {condition for word, condition in words if not word}
    if b"" in ends:
        return b""
    branches: dict[bytes, list[tuple[bytes, bytes]]] = defaultdict(list)
    for word, condition in words:
        if word:
            branches[word[:1]].append((word[1:], condition))
    forms = [re.escape(first) + _tree(rest) for first, rest in branches.items()]
    forms += sorted(ends)
    return forms[0] if len(forms) == 1 else b"(?:%b)" % b"|".join(forms)


def positions(text: AnyStr, needle: AnyStr) -> list[int]:
    """Every position of a needle in a text, overlapping ones too, in order."""
    starts: list[int] = []
    at = text.find(needle)
    while at >= 0:
        starts.append(at)
        at = text.find(needle, at + 1)
    return starts


def line_end(text: str, at: int) -> int:
    """The position of the line end at or behind `at`, or of the end of the text."""
    end = text.find("\n", at)
    return len(text) if end < 0 else end

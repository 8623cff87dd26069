"""Comments above definitions: what stands directly over one says what it is for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_MARKS = re.compile(r"^[ \t]*(?:/\*+!?|\*+/|\*(?!/)|//+[!/]?|#+|--)?[ \t]*|[ \t]*\*+/[ \t]*$", re.M)
_TAGS = re.compile(r"</?(?:summary|remarks|para|c|see|inheritdoc)\b[^>]*>|</?p>|\{@\w+ ([^}]*)\}")


class Above:
    """Collects the comments before the next definition among the children of one node."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._start = self._end = 0
        self._last_row = -2

    def add(self, node: Node) -> None:
        """Take a comment; one that follows another without an empty line continues it."""
        if node.start_point[0] > self._last_row + 1:
            self._start = node.start_byte
        self._end = node.end_byte
        self._last_row = node.end_point[0]

    def take(self, node: Node) -> str:
        """Return the text of the comments directly above a node, "" if there are none."""
        near = 0 <= node.start_point[0] - self._last_row <= 1
        self._last_row, found = -2, self._last_row
        if found < 0 or not near:
            return ""
        return bare(self._source[self._start : self._end].decode("utf-8", "replace"))


def bare(text: str) -> str:
    """Return a comment without its marks, and without XML tags and {@…} of documentation."""
    return _TAGS.sub(lambda match: match[1] or "", _MARKS.sub("", text)).strip()

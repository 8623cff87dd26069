"""How a definition is written, on one line that says its name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

# Letters of a line that is kept of a definition.
LONGEST = 200
# Kinds that are called; others say their names, or are no more than them.
_CALLED = ("function", "method", "class")
# A name that somebody wrote: no operator, nothing that has none.
_NAME = re.compile(r"[\w$#]\S*\Z")


def signature(
    source: bytes, start: int, header: int | None, end: int, *, name: str, kind: str
) -> str:
    """Return the text before the body of a definition: from `start` to `header`, or the end of the
    first line. A function that is a value, as in `name = (x) =>`, has its name in front."""
    if header is None:
        stop = source.find(b"\n", start, end)
        header = end if stop < 0 else stop
    # No character takes more than four bytes.
    read = source[start : min(header, start + 8 * LONGEST)].decode("utf-8", "replace")
    text = " ".join(read.split()).strip(" :{;")[:LONGEST]
    at, parameters = text.find(name), text.find("(")
    if 0 <= at < parameters or kind not in _CALLED or not _NAME.match(name):
        return text
    if at >= 0 and (parameters < 0 or name in _outside(text)):
        return text
    return f"{name} = {text}"[:LONGEST]


def before(body: Node) -> int:
    """Return where the text before a body ends: a comment between the two is part of neither."""
    first = body
    while (above := first.prev_sibling) is not None and above.type == "comment":
        first = above
    return int(first.start_byte)


def _outside(text: str) -> str:
    """Return a text without what stands in its parentheses."""
    depth, kept = 0, []
    for letter in text:
        depth += letter == "("
        kept.append(letter * (depth == 0))
        depth -= letter == ")" and depth > 0
    return "".join(kept)

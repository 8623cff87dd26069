"""Lines that go on behind a backslash, taken together before they are walked.

The grammar puts a node wherever a line goes on, between any two parts of a statement, where each
rule that counts parts would have to look out for it.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ..grammars import parse

if TYPE_CHECKING:
    from tree_sitter import Language, Query, Tree


def joined(tree: Tree, source: bytes) -> Tree:
    """Return the tree of a text in which lines that go on are one: a byte is where it was, for
    spaces stand in place of the backslash and the end of the line."""
    if b"\\\n" not in source and b"\\\r" not in source:
        return tree
    from tree_sitter import QueryCursor

    text = bytearray(source)
    found = QueryCursor(_continued(tree.language)).captures(tree.root_node)
    for node in found.get("continued", ()):
        text[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
    return parse(bytes(text), "python") if found else tree


@cache
def _continued(language: Language) -> Query:
    from tree_sitter import Query

    return Query(language, "(line_continuation) @continued")

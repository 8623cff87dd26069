"""C and C++ text that a grammar cannot read because of macros, made readable.

Macros like `API_EXPORT` between `class` and its name, or in front of a function, break the syntax.
If a file has errors they are blanked, byte for byte, and the file is parsed again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..grammars import ParseTimeout, parse
from .builder import count_errors

if TYPE_CHECKING:
    from tree_sitter import Tree

_WORD = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*|[A-Z]{4,}"
# `class API Foo`, with arguments or not.
_BEFORE_NAME = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+((?:"
    + _WORD
    + rb")(?:\([^()\n]*\))?)[ \t]+(?=[A-Za-z_]\w*)"
)
# A line of its own, without the semicolon of a statement.
_ALONE = re.compile(rb"^[ \t]*((?:" + _WORD + rb")(?:\([^()\n;{}]*\))?)[ \t]*\r?$", re.MULTILINE)
# In front of a type or a keyword where a declaration begins.
_IN_FRONT = re.compile(
    rb"(?:^|[;{}>)])[ \t]*((?:" + _WORD + rb")(?:\([^()\n]*\))?)(?=[ \t]+[A-Za-z_~][\w:]*[\s*&<(])",
    re.MULTILINE,
)
# Behind the parameters of a function.
_BEHIND = re.compile(rb"\)[ \t\n]*((?:" + _WORD + rb")(?:\([^()\n]*\))?)(?=\s*[;{])")
_BLANK = re.compile(rb"[^\n]")


def readable(tree: Tree, source: bytes, language: str) -> Tree:
    """Return the tree, or one of the text without such macros if that has fewer errors."""
    if not tree.root_node.has_error:
        return tree
    best, least, text = tree, count_errors(tree.root_node), source
    for pattern in (_BEFORE_NAME, _IN_FRONT, _ALONE, _BEHIND):
        blanked = pattern.sub(_blank, text)
        if blanked == text:
            continue
        try:
            again = parse(blanked, language)
        except ParseTimeout:
            break
        errors = count_errors(again.root_node)
        if errors < least:
            best, least, text = again, errors, blanked
    return best


def _blank(match: re.Match[bytes]) -> bytes:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    whole = match[0]
    return whole[:start] + _BLANK.sub(b" ", whole[start:end]) + whole[end:]

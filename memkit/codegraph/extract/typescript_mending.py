"""What the grammar of TypeScript cannot read, though it is sound: mended and parsed again.

A call signature that begins with its type parameters goes on with the type of the line before, as
the grammar sees it, and everything behind is lost. A semicolon takes the place of the end of line
before it: no byte moves.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..grammars import parse
from .builder import count_errors

if TYPE_CHECKING:
    from tree_sitter import Tree

# A line of code, its end, then empty lines and comments, then a line that begins with `<`.
_CONTINUED = re.compile(
    rb"^([^\n]*[\])>}\w\"'][ \t\r]*)\n(?=(?:[ \t\r]*(?://[^\n]*)?\n){0,20}[ \t]*<[\s\w])", re.M
)


def mended(tree: Tree, source: bytes, grammar: str) -> Tree:
    """Return a tree with fewer errors, or the one given. Offsets hold for the source as it is."""
    if not tree.root_node.has_error:
        return tree
    other = _CONTINUED.sub(_ended, source)
    if other == source:
        return tree
    again = parse(other, grammar)
    fewer = count_errors(again.root_node) < count_errors(tree.root_node)
    return again if fewer else tree


def _ended(match: re.Match[bytes]) -> bytes:
    is_comment = b"//" in match[1] or match[1].lstrip().startswith((b"*", b"/*"))
    return match[0] if is_comment else match[1] + b";"

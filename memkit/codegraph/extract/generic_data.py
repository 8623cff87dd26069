"""Data and markup: sections by their headings, and the keys at the top; nothing further in is read.

What has a heading is a section and nothing that code could call or assign; a key with a value is a
variable.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE
from .builder import FactsBuilder

if TYPE_CHECKING:
    from tree_sitter import Node

Reader = Callable[[FactsBuilder, "Node"], None]

# Keys and headings of one file; a table of data has more, and they name nothing.
_MOST = 500
_LONGEST = 120
# What has a name and a value; all else has a heading.
_KINDS = dict.fromkeys(("pair", "block_mapping_pair", "flow_pair"), "variable")
# Levels of wrappers (document, block, …) above the keys at the top.
_WRAPPERS = 5


def _note(b: FactsBuilder, kind: str, node: Node, named: Node) -> None:
    name = " ".join(b.text(named).strip("\"'# ").split())
    if name and len(name) <= _LONGEST:
        b.define(kind, name, node, scope=MODULE_SCOPE, named=named, qualname=name)


def _nothing(b: FactsBuilder, root: Node) -> None:
    """Nothing has a name here that is worth keeping."""


def _headings(b: FactsBuilder, root: Node) -> None:
    """Headings, wherever sections put them."""
    left, count = [root], 0
    while left and count < _MOST:
        node = left.pop()
        kind = node.type
        if kind in ("atx_heading", "setext_heading", "title"):
            count += 1
            named = next((c for c in node.named_children if "marker" not in c.type), node)
            _note(b, "section", _under(node), named)
        elif kind in ("document", "section"):
            left.extend(reversed(node.named_children))


def _under(heading: Node) -> Node:
    """Return a heading with all that stands under it, where the grammar tells what does."""
    section = heading.parent
    if section is None or section.type != "section" or section.start_byte != heading.start_byte:
        return heading
    return section


def _pairs(*types: str) -> Reader:
    """Return a reader of the pairs at the top of a document."""

    def read(b: FactsBuilder, root: Node) -> None:
        level = [root]
        for _ in range(_WRAPPERS):
            found = [node for node in level if node.type in types]
            for node in found[:_MOST]:
                if node.named_child_count:
                    named = node.named_children[0]
                    if named.type == "section_name" and named.named_child_count:  # in brackets
                        named = named.named_children[0]
                    _note(b, _KINDS.get(node.type, "section"), node, named)
            if found or len(level) > _MOST:
                return
            level = [child for node in level for child in node.named_children[:_MOST]]

    return read


DATA: dict[str, Reader] = {
    "json": _pairs("pair"),
    "yaml": _pairs("block_mapping_pair", "flow_pair"),
    "toml": _pairs("pair", "table", "table_array_element"),
    "ini": _pairs("section"),
    "markdown": _headings,
    "rst": _headings,
    **dict.fromkeys(("html", "xml", "css", "scss", "dockerfile"), _nothing),
}

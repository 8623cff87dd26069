"""C: its dialect and the entry of its extractor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import Facts
from .declarations import DECLARATIONS, blanked_macros, parsed_text, readable
from .declarators import CWalker
from .expressions import EXPRESSIONS, STATEMENTS

if TYPE_CHECKING:
    from tree_sitter import Tree

DIALECT = Dialect(
    name="c",
    extensions=(".c", ".h"),
    family="c",
    includes_transitively=True,
    methods_outside_class=True,
    declares_apart=True,
    candidate_filter="definition",
    known_everywhere="functions",
)


__all__ = ["DIALECT", "extract", "parsed_text"]


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a C file says."""
    tree, text = readable(tree, source, "c")
    root = tree.root_node
    walker = CWalker(source, path, DIALECT, EXPRESSIONS, {**STATEMENTS, **DECLARATIONS})
    walker.run_tree(root)
    blanked_macros(walker, text)
    return walker.finish(root, doc=walker.leading_comment(root))

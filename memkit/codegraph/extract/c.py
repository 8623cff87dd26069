"""C: functions, prototypes, structures, typedefs, macros, includes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dialect import Dialect
from ..facts import Facts
from .builder import count_errors
from .c_blocks import STATEMENTS
from .c_declarations import DECLARATIONS
from .c_macros import readable
from .c_terms import TERMS
from .c_types import CWalker

if TYPE_CHECKING:
    from tree_sitter import Tree

DIALECT = Dialect(name="c", extensions=(".c", ".h"))


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a C file says."""
    root = readable(tree, source, "c").root_node
    walker = CWalker(source, path, DIALECT, TERMS, {**STATEMENTS, **DECLARATIONS})
    walker.walk_all(root)
    return walker.finish(errors=count_errors(root), doc=walker.leading_comment(root))

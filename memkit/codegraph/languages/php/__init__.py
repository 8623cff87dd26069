"""PHP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import Facts
from ..walker import comment_text
from .expressions import EXPRESSIONS
from .library import BUILTIN_FUNCTIONS, BUILTIN_METHODS, LIBRARY
from .names import PhpWalker, dotted
from .statements import STATEMENTS

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DIALECT = Dialect(
    name="php",
    extensions=(".php", ".phtml"),
    family="php",
    constructors=frozenset({"__construct"}),
    shares_namespace=True,
    global_namespace="php:",
    capitalised_is_external=True,
    builtin_names=BUILTIN_FUNCTIONS,
    private_is_file_wide=True,
    dict_keys_are_members=False,
    abstract_gives_way=True,
    traits_see_users=True,
    library=LIBRARY,
    builtin_methods=BUILTIN_METHODS,
)


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a PHP file says; its namespace is the first that it declares."""
    walker = PhpWalker(source, path, DIALECT, EXPRESSIONS, STATEMENTS)
    root = tree.root_node
    # Where classes that are named with their namespace are said to be imported.
    walker.site(root)
    namespace = _first_namespace(walker, root)
    walker.run_tree(root)
    first = next((child for child in root.named_children if child.type != "php_tag"), root)
    doc = comment_text(walker.text(first)) if first.type == "comment" else ""
    return walker.finish(root, namespace=namespace, doc=doc)


def _first_namespace(walker: PhpWalker, root: Node) -> str:
    for child in root.named_children:
        if child.type == "namespace_definition":
            named = child.child_by_field_name("name")
            return "" if named is None else dotted(walker, named)
    return ""

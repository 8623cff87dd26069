"""PHP: declared types, and which of a declared and a documented one counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Term
from ..walker import union
from .names import PhpWalker, name_text

if TYPE_CHECKING:
    from tree_sitter import Node

_SCALARS = {
    "string": "str", "int": "int", "float": "float", "bool": "bool", "false": "bool",
    "true": "bool",
}  # fmt: skip
_GROUPS = words("union_type intersection_type disjunctive_normal_form_type type_list optional_type")
# Classes of what walks through something: a function that gives one tells more by what it yields.
_WALKS = words("Generator Iterator Traversable IteratorAggregate Closure ArrayIterator")


def type_of(walker: PhpWalker, node: Node | None) -> Term:
    """Return the term of a type, None for what names no class (`array`, `mixed`, `void`).

    A text or a number is a constant of its name.
    """
    if node is None:
        return None
    if node.type in _GROUPS:
        return union([type_of(walker, child) for child in node.named_children])
    if node.type == "primitive_type":
        kind = _SCALARS.get(walker.name(node).lower())
        return ("const", kind, None) if kind else None
    if node.type == "named_type":
        return walker.class_term(name_text(walker, node))
    return None


def type_in(walker: PhpWalker, node: Node, field: str = "type") -> Term:
    """Return the type in a field of a node."""
    return type_of(walker, node.child_by_field_name(field))


def documented(declared: Term, doc: Term) -> Term:
    """Return the type of a variable: what is documented counts where it says more."""
    return doc if doc is not None and (declared is None or _is_applied(doc)) else declared


def given_back(declared: Term, doc: Term) -> Term:
    """Return the type of what a function gives; None where its body tells more."""
    kind = documented(declared, doc)
    if kind is not None and kind[0] == "name" and kind[1].strip("<>").rpartition(".")[2] in _WALKS:
        return None
    return kind


def _is_applied(kind: Term) -> bool:
    if kind is None:
        return False
    return kind[0] in ("item", "dict") or (
        kind[0] == "either" and any(_is_applied(part) for part in kind[1])
    )

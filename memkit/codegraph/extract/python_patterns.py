"""What the patterns of `match` bind and read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .python_terms import PythonTerms


def pattern(walker: PythonTerms, node: Node, scope: int) -> None:
    """Names in a pattern are bound; classes in it are read."""
    kind = node.type
    inner = node.named_children
    if kind == "as_pattern" and len(inner) == 2:
        pattern(walker, inner[0], scope)
        walker.facts.add(
            scope, ("bind", ("name", walker.facts.name(inner[1])), _matched(walker, inner[0]))
        )
    elif kind == "class_pattern":
        walker.facts.add(scope, ("do", _dotted(walker.facts.name(inner[0]))))
        _parts(walker, inner[1:], scope)
    elif kind == "keyword_pattern":
        _parts(walker, inner[1:], scope)
    elif kind == "splat_pattern" or (kind == "dotted_name" and len(inner) == 1):
        walker.facts.statements[scope].extend(
            ("bind", ("name", walker.facts.name(child)), None) for child in inner
        )
    elif walker.down(node, scope):
        _parts(walker, inner, scope)
        walker.up()


def _parts(walker: PythonTerms, nodes: list[Node], scope: int) -> None:
    for node in nodes:
        pattern(walker, node, scope)


def _matched(walker: PythonTerms, node: Node) -> Term:
    while node.type == "case_pattern" and node.named_child_count == 1:
        node = node.named_children[0]
    if node.type != "class_pattern":
        return None
    return ("typed", _dotted(walker.facts.name(node.named_children[0])))


def _dotted(text: str) -> Term:
    first, *others = text.split(".")
    found: Term = ("name", first)
    for other in others:
        found = ("attr", found, other)
    return found

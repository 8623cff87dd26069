"""Python's literals as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .python_plain import STR, quoted

if TYPE_CHECKING:
    from tree_sitter import Node

    from .python_terms import PythonTerms

_NUMBERS = {"integer": "int", "float": "float"}


def string(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return a string with its text if that is short; what an f-string holds is evaluated."""
    text = walker.facts.text(node)
    stripped = text.lstrip("rRbBuUfFtT")
    prefix = text[: len(text) - len(stripped)].lower()
    if "f" in prefix or "t" in prefix:
        for child in node.named_children:
            if child.type == "interpolation":
                for part in child.named_children:
                    _interpolated(walker, part, scope)
        return STR
    if "b" in prefix:
        return ("const", "bytes", None)
    return quoted(stripped)


def _interpolated(walker: PythonTerms, node: Node, scope: int) -> None:
    if node.type == "format_specifier":
        for child in node.named_children:
            walker.lost(child, scope)
    elif node.type != "type_conversion":
        walker.do(node, scope)


def joined(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return strings that stand side by side."""
    for child in node.named_children:
        if child.type == "string":
            string(walker, child, scope)
    return STR


def number(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return a number, with its value if that is a short integer."""
    text = walker.facts.text(node)
    if node.type == "integer" and text.isdecimal() and len(text) < 10:
        return ("const", "int", int(text))
    return ("const", _NUMBERS[node.type], None)


def bool_of(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return True or False."""
    return ("const", "bool", node.type == "true")


def none_of(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return None."""
    return ("const", "none", None)

"""Expressions and local names that several languages write alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..facts import Term
from .walking import Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node


def operands(node: Node, joining: Collection[str] = ()) -> tuple[list[Node], bool]:
    """Return the sides of a chain of binary operators in their order, and whether every operator is
    one of `joining`: then the chain gives one of its sides.

    Long chains lean to the left and are walked in a loop.
    """
    sides: list[Node] = []
    joins = True
    while node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        joins = joins and operator is not None and operator.type in joining
        if right is not None:
            sides.append(right)
        if left is None:
            break
        node = left
    else:
        sides.append(node)
    return sides[::-1], joins


def conditional(w: Walker, node: Node) -> Term:
    """`a ? b : c` is one of b and c."""
    found = fields(node)
    w.do(w.term(found.get("condition")))
    return ("either", (w.term(found.get("consequence")), w.term(found.get("alternative"))))


def bind_typed(w: Walker, named: Node | None, kind: Term) -> None:
    """Declare a local name of a type: of a pattern, a loop, a caught exception."""
    if named is None:
        return
    target = ("name", w.name(named))
    if kind is None:
        w.bind(target, None)
        return
    w.know(target)
    w.say("declare", target, kind)

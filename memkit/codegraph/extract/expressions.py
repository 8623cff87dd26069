"""Expressions and local names that several languages write alike."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

import attrs

from ..facts import Term
from .temporaries import assigned
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


def bind_each(w: Walker, named: Node | None, over: Term, kind: Term) -> None:
    """Declare the name of a loop: of its type if that is written, else of what it walks through."""
    if kind is not None:
        w.do(over)
        bind_typed(w, named, kind)
    elif named is not None:
        w.bind(("name", w.name(named)), ("iter", over, w.site(named)))


@attrs.frozen
class Assignments:
    """Assignments of a language.

    Attributes:
        operators: those that give the target the value as it is; all others read the target too.
        by: the language's own way to give a value to a target.
        apart: node types of targets that take a value apart, and what gives such a target.
    """

    operators: Collection[str]
    by: Callable[[Walker, Term, Term], None]
    apart: Mapping[str, Callable[[Walker, Node], Term]] = attrs.Factory(dict)

    def statement(self, w: Walker, node: Node) -> None:
        """An assignment whose value nobody takes."""
        self._walk(w, node, is_asked=False)

    def term(self, w: Walker, node: Node) -> Term:
        """An assignment inside of an expression."""
        return self._walk(w, node, is_asked=True)

    def _walk(self, w: Walker, node: Node, *, is_asked: bool) -> Term:
        """Walk an assignment and return what reads its target; if it is asked for, safely."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        value = w.term(right)
        if left is not None and left.type in self.apart:
            w.assign(self.apart[left.type](w, left), value)
            return None
        target = w.term(left)
        if left is None or (operator is not None and operator.type not in self.operators):
            w.do(target)
            w.do(value)
            return None
        return assigned(w, target, value, right if is_asked else None, by=self.by)

"""Java's patterns and switches: what they bind, and which values a switch gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..facts import Term
from .builder import DEEPEST
from .expressions import bind_typed
from .java_types import JavaWalker, type_of
from .temporaries import held, is_simple
from .walking import Statements, Terms, Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = JavaWalker


def _held(w: W, node: Node | None) -> Term:
    """Return the term of a value that patterns take apart; it is evaluated once."""
    value = w.term(node)
    if is_simple(value):
        w.do(value)
    return held(w, value, node) if node is not None else None


def _match(w: W, node: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what it compares with is read."""
    kind = node.type
    if depth > DEEPEST:
        w.later(w.at, node)
    elif kind in ("type_pattern", "record_pattern_component"):
        _typed(w, node, value)
    elif kind == "record_pattern":
        _record(w, node, depth + 1)
    elif kind in ("pattern", "switch_label"):
        for child in node.named_children:
            _match(w, child, value, depth + 1)
    elif kind != "underscore_pattern":
        w.run(node)


def _typed(w: W, node: Node, value: Term) -> None:
    """`T x`, and `var x`, which is what stands there."""
    parts = [child for child in node.named_children if child.type != "modifiers"]
    if len(parts) < 2:
        return
    kind = type_of(w, parts[-2])
    w.do(kind)
    if kind is not None:
        bind_typed(w, parts[-1], kind)
    elif parts[-1].type == "identifier":
        w.bind(("name", w.name(parts[-1])), value)


def _record(w: W, node: Node, depth: int) -> None:
    """`T(A a, var b)`: a record has its components under the numbers of their places, too."""
    kind = type_of(w, node.named_children[0] if node.named_child_count else None)
    w.do(kind)
    whole: Term = ("typed", kind) if kind is not None else None
    for body in node.named_children[1:]:
        for place, part in enumerate(body.named_children):
            _match(w, part, ("attr", whole, str(place)), depth)


def _instanceof(w: W, node: Node) -> Term:
    found = fields(node)
    value = _held(w, found.get("left"))
    kind = type_of(w, found.get("right"))
    w.do(kind)
    if "name" in found:
        bind_typed(w, found["name"], kind)
    elif "left" in found and found["left"].type == "identifier":
        w.narrow(w.name(found["left"]), kind)
    if "pattern" in found:
        _match(w, found["pattern"], value)
    return None


def compared(w: Walker, sides: Sequence[Node]) -> None:
    """`x.getClass() == T.class`: x is checked to be a T."""
    for literal, other in zip(sides, reversed(sides), strict=True):
        if literal.type == "class_literal":
            _checked(w, literal, _asked(w, other))


def checked(w: Walker, literal: Node | None, given: Node | None) -> None:
    """`T.class.isInstance(x)`, `T.class.isAssignableFrom(x.getClass())`: the same."""
    if literal is None or literal.type != "class_literal" or given is None:
        return
    for child in given.named_children[:1]:
        _checked(w, literal, child if child.type == "identifier" else _asked(w, child))


def _asked(w: Walker, node: Node) -> Node | None:
    """Return the name whose class a call asks for."""
    named, inner = node.child_by_field_name("name"), node.child_by_field_name("object")
    is_name = named is not None and inner is not None and inner.type == "identifier"
    return inner if is_name and named is not None and w.name(named) == "getClass" else None


def _checked(w: Walker, literal: Node, named: Node | None) -> None:
    if named is not None and literal.named_child_count:
        w.narrow(w.name(named), type_of(w, literal.named_children[0]))


def _switch(w: W, node: Node) -> Term:
    """A switch: the values of its arms where it is an expression."""
    found = fields(node)
    value = _held(w, found.get("condition"))
    values: list[Term] = []
    outer, w.yielded = w.yielded, values
    body = found.get("body")
    for arm in body.named_children if body is not None else ():
        around = w.at
        if _binds(arm):
            w.at = w.open("block", around)
        _arm(w, arm, value, around)
        w.at = around
    w.yielded = outer
    known = tuple(one for one in values if one is not None)
    return ("either", known) if known else None


def _arm(w: W, arm: Node, value: Term, around: int) -> None:
    for child in arm.named_children:
        if child.type == "switch_label":
            _match(w, child, value)
        elif arm.type == "switch_rule" and child.type == "expression_statement":
            inner = [one for one in child.named_children if "comment" not in one.type]
            _give(w, w.term(inner[-1]) if inner else None, around)
        elif "comment" not in child.type:
            w.run(child)


def _give(w: W, value: Term, around: int) -> None:
    """Take a value for one of those that a switch gives."""
    if value is not None and w.at != around:
        value = ("in", w.at, value)
    w.yielded.append(value)


def _yield(w: W, node: Node) -> None:
    for child in node.named_children:
        if "comment" not in child.type:
            _give(w, w.term(child), -1)


def _binds(arm: Node) -> bool:
    label = arm.named_children[0] if arm.named_child_count else None
    if label is None or label.type != "switch_label":
        return False
    is_group = arm.type == "switch_block_statement_group"
    return any(child.type == "pattern" for child in label.named_children) or (
        is_group and any(child.type in _DECLARING for child in arm.named_children)
    )


_DECLARING = {"local_variable_declaration", "class_declaration", "record_declaration"}
# Methods of a class that check whether something is of it.
CLASS_CHECKS = frozenset({"isInstance", "isAssignableFrom"})
PATTERN_TERMS: Terms = {
    "instanceof_expression": _instanceof,
    "switch_expression": _switch,
}
PATTERN_STATEMENTS: Statements = {
    "yield_statement": _yield,
}

"""Ruby's assignments, loops and rescues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .builder import DEEPEST
from .ruby_terms import RubyWalker, path_of
from .temporaries import held
from .walking import Statements, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RubyWalker

# `a ||= b` leaves a or b in a; other operators give something new.
_NAMED = frozenset({"identifier", "constant", "instance_variable", "global_variable"})
_JOINING = frozenset({"||=", "&&="})


def target_of(w: W, node: Node, depth: int = 0) -> Term:
    """Return the target of an assignment; a call `x.y = v` sets a member."""
    kind = node.type
    if kind in ("identifier", "constant", "global_variable"):
        return ("name", w.name(node))
    if kind in ("left_assignment_list", "destructured_left_assignment"):
        inner = node.named_children if depth < DEEPEST else ()
        return ("tuple", tuple(target_of(w, child, depth + 1) for child in inner))
    if kind in ("rest_assignment", "splat_argument"):
        named = node.named_children
        return ("star", target_of(w, named[0], depth + 1)) if named else None
    if kind == "call":
        found = fields(node)
        held = w.term(found.get("receiver"))
        return ("attr", held, w.name(found["method"])) if "method" in found else None
    if kind == "scope_resolution":
        return path_of(w, node)
    return w.term(node)


def assign(w: W, node: Node) -> None:
    """`a = b`, `a, b = c`, `a ||= b`; a local is that of the block that binds it first."""
    found = fields(node)
    left, right = found.get("left"), found.get("right")
    if left is None or right is None:
        return
    if right.type == "right_assignment_list":
        value: Term = ("tuple", tuple(w.term(child) for child in right.named_children))
    else:
        value = w.term(right)
    if left.type == "constant":
        w.constant(left, w.name(left))
    operator = found.get("operator")
    if left.type == "call" and (operator is None or operator.type in _JOINING):
        _set(w, left, value, right)
        return
    target = target_of(w, left)
    if operator is not None and operator.type not in _JOINING:
        _augment(w, target, operator, value)
    elif node.type == "operator_assignment" and left.type not in ("identifier", "constant"):
        w.bind(target, value)
    elif left.type == "identifier" and w.name(left) in w.known:
        w.assign(target, value)
    else:
        w.bind(target, value)


def _set(w: W, left: Node, value: Term, right: Node) -> Term:
    """`x.y = v` calls method `y=`, and y is v from then on."""
    found = fields(left)
    method, receiver = found.get("method"), found.get("receiver")
    if method is None or receiver is None:
        w.bind(target_of(w, left), value)
        return None
    base = held(w, w.term(receiver), receiver)
    if value is not None and value[0] != "const":
        value = held(w, value, right)
    name = w.name(method)
    w.bind(("attr", base, name), value)
    w.do(("call", ("attr", base, f"{name}="), (value,), (), w.site(method)))
    return value


def _augment(w: W, target: Term, operator: Node, value: Term) -> None:
    """`a += b` calls the operator's method and binds what it gives."""
    if target is None:
        w.do(value)
        return
    callee = ("attr", target, w.text(operator)[:-1])
    result: Term = ("call", callee, (value,), (), w.site(operator))
    if target[0] != "name":
        w.do(result)
    elif target[1] in w.known:
        w.assign(target, result)
    else:
        w.bind(target, result)


def value_of(w: W, node: Node) -> Term:
    """An assignment as an expression gives what was assigned."""
    found = fields(node)
    left, right = found.get("left"), found.get("right")
    operator = found.get("operator")
    joins = operator is None or operator.type in _JOINING
    if left is not None and right is not None and left.type == "call" and joins:
        return _set(w, left, w.term(right), right)
    if left is not None and right is not None and left.type == "element_reference" and joins:
        value = held(w, w.term(right), right)
        w.bind(target_of(w, left), value)
        return value
    w.run(node)
    return w.term(left) if left is not None and left.type in _NAMED else None


def _for(w: W, node: Node) -> None:
    found = fields(node)
    if "value" in found and found["value"].named_child_count:
        value = found["value"].named_children[0]
        element = ("iter", w.term(value), w.site(value))
        w.bind(target_of(w, found["pattern"]) if "pattern" in found else None, element)
    if "body" in found:
        w.run(found["body"])


def _rescue(w: W, node: Node) -> None:
    found = fields(node)
    listed = found.get("exceptions")
    kinds = [w.term(child) for child in listed.named_children] if listed is not None else []
    kept = tuple(kind for kind in kinds if kind is not None)
    variable = found.get("variable")
    if variable is not None and variable.named_child_count:
        caught: Term = kept[0] if len(kept) == 1 else ("either", kept) if kept else None
        target = target_of(w, variable.named_children[0])
        w.bind(target, ("typed", caught) if caught is not None else None)
    else:
        for kind in kept:
            w.do(kind)
    if "body" in found:
        w.run(found["body"])


def _return(w: W, node: Node) -> None:
    """`return a, b` gives a list; `next` gives what a block gives back."""
    listed = node.named_children[0] if node.named_child_count else None
    given = listed.named_children if listed is not None and listed.type == "argument_list" else []
    if len(given) > 1:
        w.say("return", ("list", tuple(w.term(one) for one in given)))
    elif (value := w.term(listed)) is not None:
        w.say("return", value)


def _yield(w: W, node: Node) -> None:
    w.each(node.named_children)


def _nothing(w: W, node: Node) -> None:
    """Nothing is evaluated here."""


BLOCKS: Statements = {
    "operator_assignment": assign,
    "for": _for,
    "rescue": _rescue,
    "return": _return,
    "next": _return,
    "yield": _yield,
    "undef": _nothing,
    "superclass": _nothing,
}

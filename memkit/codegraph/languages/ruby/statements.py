"""Assignments, loops, rescue, patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import Term
from ..facts_builder import DEEPEST
from ..walker import Statements, Terms, fields, held
from .expressions import RubyWalker, path_of

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Ruby's assignments, loops and rescues.

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
        parts = fields(node)
        held = w.term(parts.get("receiver"))
        return ("attr", held, w.name(parts["method"])) if "method" in parts else None
    if kind == "scope_resolution":
        return path_of(w, node)
    return w.term(node)


def assign(w: W, node: Node) -> None:
    """`a = b`, `a, b = c`, `a ||= b`; a local is that of the block that binds it first."""
    parts = fields(node)
    left, right = parts.get("left"), parts.get("right")
    if left is None or right is None:
        return
    if right.type == "right_assignment_list":
        value: Term = ("tuple", tuple(w.term(child) for child in right.named_children))
    else:
        value = w.term(right)
    if left.type == "constant":
        w.constant(left, w.name(left))
    operator = parts.get("operator")
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
    parts = fields(left)
    method, receiver = parts.get("method"), parts.get("receiver")
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
    parts = fields(node)
    left, right = parts.get("left"), parts.get("right")
    operator = parts.get("operator")
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
    parts = fields(node)
    if "value" in parts and parts["value"].named_child_count:
        value = parts["value"].named_children[0]
        element = ("iter", w.term(value), w.site(value))
        w.bind(target_of(w, parts["pattern"]) if "pattern" in parts else None, element)
    if "body" in parts:
        w.run(parts["body"])


def _rescue(w: W, node: Node) -> None:
    parts = fields(node)
    listed = parts.get("exceptions")
    kinds = [w.term(child) for child in listed.named_children] if listed is not None else []
    classes = tuple(kind for kind in kinds if kind is not None)
    variable = parts.get("variable")
    if variable is not None and variable.named_child_count:
        caught: Term = classes[0] if len(classes) == 1 else ("either", classes) if classes else None
        target = target_of(w, variable.named_children[0])
        w.bind(target, ("typed", caught) if caught is not None else None)
    else:
        for kind in classes:
            w.do(kind)
    if "body" in parts:
        w.run(parts["body"])


def _return(w: W, node: Node) -> None:
    """`return a, b` gives a list; `next` gives what a block gives back."""
    listed = node.named_children[0] if node.named_child_count else None
    nodes = listed.named_children if listed is not None and listed.type == "argument_list" else []
    if len(nodes) > 1:
        w.say("return", ("list", tuple(w.term(child) for child in nodes)))
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


# --- Ruby's patterns: `case … in`, `value => pattern`, `value in pattern`.


def match(w: W, pattern: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what else it compares with is read."""
    matcher = _PATTERNS.get(pattern.type)
    if depth > DEEPEST:
        w.later(w.at, pattern)
    elif matcher is not None:
        matcher(w, pattern, value, depth + 1)
    else:
        w.run(pattern)


def _name(w: W, node: Node, value: Term, depth: int = 0) -> None:
    name = w.name(node)
    if name in w.known:
        w.assign(("name", name), value)
    else:
        w.bind(("name", name), value)


def _as(w: W, node: Node, value: Term, depth: int) -> None:
    """`Integer => q`: q is an object of that class, or what the pattern fits."""
    parts = fields(node)
    inner, named = parts.get("value"), parts.get("name")
    if inner is not None and inner.type in _CLASSES:
        value = ("typed", path_of(w, inner))
    elif inner is not None:
        match(w, inner, value, depth)
    if named is not None:
        _name(w, named, value)


def _whole(w: W, node: Node, value: Term) -> Term:
    """Return the value that a pattern takes apart: of the class in front of its brackets."""
    named = node.child_by_field_name("class")
    return ("typed", path_of(w, named)) if named is not None else value


def _array(w: W, node: Node, value: Term, depth: int) -> None:
    """`[a, *rest, b]`: places are known up to the rest."""
    value, place = _whole(w, node, value), 0
    named = node.child_by_field_name("class")
    for child in node.named_children:
        if child == named:
            continue
        if child.type == "splat_parameter":
            place = -1
            _rest(w, child, value)
        else:
            part = ("iter", value) if place < 0 else ("item", value, ("const", "int", place))
            match(w, child, part, depth)
            place += place >= 0


def _hash(w: W, node: Node, value: Term, depth: int) -> None:
    """`{key: pattern, other:}` and `Point(x:, y:)`, whose parts are members."""
    named = node.child_by_field_name("class")
    value = _whole(w, node, value)
    for child in node.named_children:
        key = child.child_by_field_name("key")
        if child.type == "keyword_pattern" and key is not None:
            name = w.name(key).strip(':"')
            part: Term = ("attr", value, name)
            if named is None:
                part = ("item", value, ("const", "str", name))
            inner = child.child_by_field_name("value")
            if inner is None:
                _name(w, key, part)
            else:
                match(w, inner, part, depth)
        elif child != named:
            _rest(w, child, value)


def _rest(w: W, node: Node, value: Term) -> None:
    named = node.child_by_field_name("name")
    if named is not None:
        _name(w, named, value)


def _each(w: W, node: Node, value: Term, depth: int) -> None:
    for child in node.named_children:
        match(w, child, value, depth)


def _pinned(w: W, node: Node, value: Term, depth: int) -> None:
    """`^name` is compared with, not bound."""
    w.each(node.named_children)


_CLASSES = frozenset({"constant", "scope_resolution"})
_PATTERNS = {
    "identifier": _name,
    "as_pattern": _as,
    "array_pattern": _array,
    "find_pattern": _array,
    "hash_pattern": _hash,
    "alternative_pattern": _each,
    "parenthesized_pattern": _each,
    "variable_reference_pattern": _pinned,
    "expression_reference_pattern": _pinned,
}


def _held(w: W, node: Node) -> Term:
    value = node.child_by_field_name("value")
    return held(w, w.term(value), value) if value is not None else None


def _case(w: W, node: Node) -> Term:
    value = _held(w, node)
    results: list[Term] = []
    for child in node.named_children:
        if child.type == "in_clause":
            parts = fields(child)
            if "pattern" in parts:
                match(w, parts["pattern"], value)
            if "guard" in parts:
                w.run(parts["guard"])
            results.append(w.term(parts.get("body")))
        elif child.type == "else":
            results.append(w.term(child))
    known = tuple(result for result in results if result is not None and result[0] != "const")
    return known[0] if len(known) == 1 else ("either", known) if known else None


def _test(w: W, node: Node) -> None:
    """`value => pattern` and `value in pattern`."""
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        match(w, pattern, _held(w, node))


PATTERN_TERMS: Terms = {"case_match": _case}
PATTERN_STATEMENTS: Statements = {"match_pattern": _test, "test_pattern": _test}

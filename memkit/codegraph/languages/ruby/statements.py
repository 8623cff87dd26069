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

# `a ||= b` leaves a or b in a; other operators give something new.
_NAMED = frozenset({"identifier", "constant", "instance_variable", "global_variable"})
_JOINING = frozenset({"||=", "&&="})


def target_of(walker: RubyWalker, node: Node, depth: int = 0) -> Term:
    """Return the target of an assignment; a call `x.y = v` sets a member."""
    kind = node.type
    if kind in ("identifier", "constant", "global_variable"):
        return ("name", walker.name(node))
    if kind in ("left_assignment_list", "destructured_left_assignment"):
        inner = node.named_children if depth < DEEPEST else ()
        return ("tuple", tuple(target_of(walker, child, depth + 1) for child in inner))
    if kind in ("rest_assignment", "splat_argument"):
        named = node.named_children
        return ("star", target_of(walker, named[0], depth + 1)) if named else None
    if kind == "call":
        parts = fields(node)
        held = walker.term(parts.get("receiver"))
        return ("attr", held, walker.name(parts["method"])) if "method" in parts else None
    if kind == "scope_resolution":
        return path_of(walker, node)
    return walker.term(node)


def assign(walker: RubyWalker, node: Node) -> None:
    """`a = b`, `a, b = c`, `a ||= b`; a local is that of the block that binds it first."""
    parts = fields(node)
    left, right = parts.get("left"), parts.get("right")
    if left is None or right is None:
        return
    if right.type == "right_assignment_list":
        value: Term = ("tuple", tuple(walker.term(child) for child in right.named_children))
    else:
        value = walker.term(right)
    if left.type == "constant":
        walker.constant(left, walker.name(left))
    operator = parts.get("operator")
    if left.type == "call" and (operator is None or operator.type in _JOINING):
        _set(walker, left, value, right)
        return
    target = target_of(walker, left)
    if operator is not None and operator.type not in _JOINING:
        _augment(walker, target, operator, value)
    elif node.type == "operator_assignment" and left.type not in ("identifier", "constant"):
        walker.bind(target, value)
    elif left.type == "identifier" and walker.name(left) in walker.known:
        walker.assign(target, value)
    else:
        walker.bind(target, value)


def _set(walker: RubyWalker, left: Node, value: Term, right: Node) -> Term:
    """`x.y = v` calls method `y=`, and y is v from then on."""
    parts = fields(left)
    method, receiver = parts.get("method"), parts.get("receiver")
    if method is None or receiver is None:
        walker.bind(target_of(walker, left), value)
        return None
    base = held(walker, walker.term(receiver), receiver)
    if value is not None and value[0] != "const":
        value = held(walker, value, right)
    name = walker.name(method)
    walker.bind(("attr", base, name), value)
    walker.do(("call", ("attr", base, f"{name}="), (value,), (), walker.site(method)))
    return value


def _augment(walker: RubyWalker, target: Term, operator: Node, value: Term) -> None:
    """`a += b` calls the operator's method and binds what it gives."""
    if target is None:
        walker.do(value)
        return
    callee = ("attr", target, walker.text(operator)[:-1])
    result: Term = ("call", callee, (value,), (), walker.site(operator))
    if target[0] != "name":
        walker.do(result)
    elif target[1] in walker.known:
        walker.assign(target, result)
    else:
        walker.bind(target, result)


def value_of(walker: RubyWalker, node: Node) -> Term:
    """An assignment as an expression gives what was assigned."""
    parts = fields(node)
    left, right = parts.get("left"), parts.get("right")
    operator = parts.get("operator")
    joins = operator is None or operator.type in _JOINING
    if left is not None and right is not None and left.type == "call" and joins:
        return _set(walker, left, walker.term(right), right)
    if left is not None and right is not None and left.type == "element_reference" and joins:
        value = held(walker, walker.term(right), right)
        walker.bind(target_of(walker, left), value)
        return value
    walker.run(node)
    return walker.term(left) if left is not None and left.type in _NAMED else None


def _for(walker: RubyWalker, node: Node) -> None:
    parts = fields(node)
    if "value" in parts and parts["value"].named_child_count:
        value = parts["value"].named_children[0]
        element = ("iter", walker.term(value), walker.site(value))
        walker.bind(target_of(walker, parts["pattern"]) if "pattern" in parts else None, element)
    if "body" in parts:
        walker.run(parts["body"])


def _rescue(walker: RubyWalker, node: Node) -> None:
    parts = fields(node)
    listed = parts.get("exceptions")
    kinds = [walker.term(child) for child in listed.named_children] if listed is not None else []
    classes = tuple(kind for kind in kinds if kind is not None)
    variable = parts.get("variable")
    if variable is not None and variable.named_child_count:
        caught: Term = classes[0] if len(classes) == 1 else ("either", classes) if classes else None
        target = target_of(walker, variable.named_children[0])
        walker.bind(target, ("typed", caught) if caught is not None else None)
    else:
        for kind in classes:
            walker.do(kind)
    if "body" in parts:
        walker.run(parts["body"])


def _return(walker: RubyWalker, node: Node) -> None:
    """`return a, b` gives a list; `next` gives what a block gives back."""
    listed = node.named_children[0] if node.named_child_count else None
    nodes = listed.named_children if listed is not None and listed.type == "argument_list" else []
    if len(nodes) > 1:
        walker.say("return", ("list", tuple(walker.term(child) for child in nodes)))
    elif (value := walker.term(listed)) is not None:
        walker.say("return", value)


def _yield(walker: RubyWalker, node: Node) -> None:
    walker.each(node.named_children)


def _nothing(walker: RubyWalker, node: Node) -> None:
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


def match(walker: RubyWalker, pattern: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what else it compares with is read."""
    matcher = _PATTERNS.get(pattern.type)
    if depth > DEEPEST:
        walker.later(walker.at, pattern)
    elif matcher is not None:
        matcher(walker, pattern, value, depth + 1)
    else:
        walker.run(pattern)


def _name(walker: RubyWalker, node: Node, value: Term, depth: int = 0) -> None:
    name = walker.name(node)
    if name in walker.known:
        walker.assign(("name", name), value)
    else:
        walker.bind(("name", name), value)


def _as(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    """`Integer => q`: q is an object of that class, or what the pattern fits."""
    parts = fields(node)
    inner, named = parts.get("value"), parts.get("name")
    if inner is not None and inner.type in _CLASSES:
        value = ("typed", path_of(walker, inner))
    elif inner is not None:
        match(walker, inner, value, depth)
    if named is not None:
        _name(walker, named, value)


def _whole(walker: RubyWalker, node: Node, value: Term) -> Term:
    """Return the value that a pattern takes apart: of the class in front of its brackets."""
    named = node.child_by_field_name("class")
    return ("typed", path_of(walker, named)) if named is not None else value


def _array(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    """`[a, *rest, b]`: places are known up to the rest."""
    value, place = _whole(walker, node, value), 0
    named = node.child_by_field_name("class")
    for child in node.named_children:
        if child == named:
            continue
        if child.type == "splat_parameter":
            place = -1
            _rest(walker, child, value)
        else:
            part = ("iter", value) if place < 0 else ("item", value, ("const", "int", place))
            match(walker, child, part, depth)
            place += place >= 0


def _hash(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    """`{key: pattern, other:}` and `Point(x:, y:)`, whose parts are members."""
    named = node.child_by_field_name("class")
    value = _whole(walker, node, value)
    for child in node.named_children:
        key = child.child_by_field_name("key")
        if child.type == "keyword_pattern" and key is not None:
            name = walker.name(key).strip(':"')
            part: Term = ("attr", value, name)
            if named is None:
                part = ("item", value, ("const", "str", name))
            inner = child.child_by_field_name("value")
            if inner is None:
                _name(walker, key, part)
            else:
                match(walker, inner, part, depth)
        elif child != named:
            _rest(walker, child, value)


def _rest(walker: RubyWalker, node: Node, value: Term) -> None:
    named = node.child_by_field_name("name")
    if named is not None:
        _name(walker, named, value)


def _each(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    for child in node.named_children:
        match(walker, child, value, depth)


def _pinned(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    """`^name` is compared with, not bound."""
    walker.each(node.named_children)


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


def _held(walker: RubyWalker, node: Node) -> Term:
    value = node.child_by_field_name("value")
    return held(walker, walker.term(value), value) if value is not None else None


def _case(walker: RubyWalker, node: Node) -> Term:
    value = _held(walker, node)
    results: list[Term] = []
    for child in node.named_children:
        if child.type == "in_clause":
            parts = fields(child)
            if "pattern" in parts:
                match(walker, parts["pattern"], value)
            if "guard" in parts:
                walker.run(parts["guard"])
            results.append(walker.term(parts.get("body")))
        elif child.type == "else":
            results.append(walker.term(child))
    known = tuple(result for result in results if result is not None and result[0] != "const")
    return known[0] if len(known) == 1 else ("either", known) if known else None


def _test(walker: RubyWalker, node: Node) -> None:
    """`value => pattern` and `value in pattern`."""
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        match(walker, pattern, _held(walker, node))


PATTERN_TERMS: Terms = {"case_match": _case}
PATTERN_STATEMENTS: Statements = {"match_pattern": _test, "test_pattern": _test}

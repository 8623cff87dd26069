"""Ruby: assignments, loops, rescue, patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Term
from ..walker import (
    MAX_DEPTH,
    Statements,
    children_of,
    first_child,
    method_call,
    name_term,
    nothing,
    one_of,
    reusable,
    union,
)
from .expressions import RubyWalker, path_of

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Assignments, loops and rescues.

# `a ||= b` leaves a or b in a; other operators give something new.
_NAMED = words("identifier constant instance_variable global_variable")
_JOINING = words("||= &&=")


def target_of(walker: RubyWalker, node: Node, depth: int = 0) -> Term:
    """Return the target of an assignment; a call `x.y = v` sets a member."""
    kind = node.type
    if kind in ("identifier", "constant", "global_variable"):
        return name_term(walker, node)
    if kind in ("left_assignment_list", "destructured_left_assignment"):
        inner = node.named_children if depth < MAX_DEPTH else ()
        return ("tuple", tuple([target_of(walker, child, depth + 1) for child in inner]))
    if kind in ("rest_assignment", "splat_argument"):
        named = node.named_children
        return ("star", target_of(walker, named[0], depth + 1)) if named else None
    if kind == "call":
        receiver = walker.evaluate_field(node, "receiver")
        method = node.child_by_field_name("method")
        return ("attr", receiver, walker.name(method)) if method is not None else None
    if kind == "scope_resolution":
        return path_of(walker, node)
    return walker.evaluate(node)


def assign(walker: RubyWalker, node: Node) -> None:
    """`a = b`, `a, b = c`, `a ||= b`; a local is that of the block that binds it first."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    if right.type == "right_assignment_list":
        value: Term = ("tuple", tuple([walker.evaluate(child) for child in right.named_children]))
    else:
        value = walker.evaluate(right)
    if left.type == "constant":
        walker.constant(left, walker.name(left))
    operator = node.child_by_field_name("operator")
    if left.type == "call" and _joins(operator):
        _set(walker, left, value, right)
        return
    target = target_of(walker, left)
    if operator is not None and not _joins(operator):
        _augment(walker, target, operator, value)
    elif left.type == "identifier":
        _bind(walker, target, value)
    else:
        walker.bind(target, value)


def _joins(operator: Node | None) -> bool:
    """Return whether an assignment gives its value to the target as it is, or may do so."""
    return operator is None or operator.type in _JOINING


def _bind(walker: RubyWalker, target: Term, value: Term) -> None:
    """Bind a name; one that was bound around a block is that one."""
    assert target is not None
    (walker.assign if target[1] in walker.locals else walker.bind)(target, value)


def _set(walker: RubyWalker, left: Node, value: Term, right: Node) -> Term:
    """`x.y = v` calls method `y=`, and y is v from then on."""
    method, receiver = left.child_by_field_name("method"), left.child_by_field_name("receiver")
    if method is None or receiver is None:
        walker.bind(target_of(walker, left), value)
        return None
    base = reusable(walker, walker.evaluate(receiver), receiver)
    if value is not None and value[0] != "const":
        value = reusable(walker, value, right)
    name = walker.name(method)
    walker.bind(("attr", base, name), value)
    walker.discard(method_call(walker, base, f"{name}=", (value,), method))
    return value


def _augment(walker: RubyWalker, target: Term, operator: Node, value: Term) -> None:
    """`a += b` calls the operator's method and binds what it gives."""
    if target is None:
        walker.discard(value)
        return
    result = method_call(walker, target, walker.text(operator)[:-1], (value,), operator)
    if target[0] == "name":
        _bind(walker, target, result)
    else:
        walker.discard(result)


def value_of(walker: RubyWalker, node: Node) -> Term:
    """An assignment as an expression gives what was assigned."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    if left is not None and right is not None and _joins(operator):
        if left.type == "call":
            return _set(walker, left, walker.evaluate(right), right)
        if left.type == "element_reference":
            value = reusable(walker, walker.evaluate(right), right)
            walker.bind(target_of(walker, left), value)
            return value
    walker.run(node)
    return walker.evaluate(left) if left is not None and left.type in _NAMED else None


def _for(walker: RubyWalker, node: Node) -> None:
    over, pattern = node.child_by_field_name("value"), node.child_by_field_name("pattern")
    if over is not None and over.named_child_count:
        value = over.named_children[0]
        element = ("iter", walker.evaluate(value), walker.site(value))
        walker.bind(target_of(walker, pattern) if pattern is not None else None, element)
    walker.run_field(node, "body")


def _rescue(walker: RubyWalker, node: Node) -> None:
    listed = node.child_by_field_name("exceptions")
    kinds = [walker.evaluate(child) for child in children_of(listed)]
    if (named := first_child(node.child_by_field_name("variable"))) is not None:
        caught = union(kinds)
        target = target_of(walker, named)
        walker.bind(target, ("typed", caught) if caught is not None else None)
    else:
        for kind in kinds:
            walker.discard(kind)
    walker.run_field(node, "body")


def _return(walker: RubyWalker, node: Node) -> None:
    """`return a, b` gives a list; `next` gives what a block gives back."""
    listed = first_child(node)
    nodes = listed.named_children if listed is not None and listed.type == "argument_list" else []
    if len(nodes) > 1:
        values = tuple([walker.evaluate(child) for child in nodes])
        walker.emit("return", ("list", values))
    else:
        walker.emit_return(walker.evaluate(listed))


# --- Patterns: `case … in`, `value => pattern`, `value in pattern`.


def match(walker: RubyWalker, pattern: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what else it compares with is read."""
    matcher = _PATTERNS.get(pattern.type)
    if depth > MAX_DEPTH:
        walker.defer(pattern)
    elif matcher is not None:
        matcher(walker, pattern, value, depth + 1)
    else:
        walker.run(pattern)


def _name(walker: RubyWalker, node: Node, value: Term, depth: int = 0) -> None:
    _bind(walker, name_term(walker, node), value)


def _as(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    """`Integer => q`: q is an object of that class, or what the pattern fits."""
    inner, named = node.child_by_field_name("value"), node.child_by_field_name("name")
    if inner is not None and inner.type in _CLASSES:
        value = ("typed", path_of(walker, inner))
    elif inner is not None:
        match(walker, inner, value, depth)
    if named is not None:
        _name(walker, named, value)


def _matched_value(walker: RubyWalker, node: Node, value: Term) -> Term:
    """Return the value that a pattern takes apart: of the class in front of its brackets."""
    named = node.child_by_field_name("class")
    return ("typed", path_of(walker, named)) if named is not None else value


def _array(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    """`[a, *rest, b]`: places are known up to the rest."""
    value, position = _matched_value(walker, node, value), 0
    named = node.child_by_field_name("class")
    for child in node.named_children:
        if child == named:
            continue
        if child.type == "splat_parameter":
            position = -1
            _rest(walker, child, value)
        else:
            part = ("iter", value) if position < 0 else ("item", value, ("const", "int", position))
            match(walker, child, part, depth)
            position += position >= 0


def _hash(walker: RubyWalker, node: Node, value: Term, depth: int) -> None:
    """`{key: pattern, other:}` and `Point(x:, y:)`, whose parts are members."""
    named = node.child_by_field_name("class")
    value = _matched_value(walker, node, value)
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
    walker.run_all(node.named_children)


_CLASSES = words("constant scope_resolution")
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


def case_match(walker: RubyWalker, node: Node) -> Term:
    value = _matched(walker, node)
    results: list[Term] = []
    for child in node.named_children:
        if child.type == "in_clause":
            if (pattern := child.child_by_field_name("pattern")) is not None:
                match(walker, pattern, value)
            walker.run_field(child, "guard")
            results.append(walker.evaluate_field(child, "body"))
        elif child.type == "else":
            results.append(walker.evaluate(child))
    return one_of(results)


def _matched(walker: RubyWalker, node: Node) -> Term:
    value = node.child_by_field_name("value")
    return reusable(walker, walker.evaluate(value), value) if value is not None else None


def _test(walker: RubyWalker, node: Node) -> None:
    """`value => pattern` and `value in pattern`."""
    if (pattern := node.child_by_field_name("pattern")) is not None:
        match(walker, pattern, _matched(walker, node))


STATEMENTS: Statements = {
    "operator_assignment": assign,
    "for": _for,
    "rescue": _rescue,
    "return": _return,
    "next": _return,
    "undef": nothing,
    "superclass": nothing,
    "match_pattern": _test,
    "test_pattern": _test,
}

"""C#'s expressions as terms; what an expression evaluates on its way is said at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import CONST_CHARS, Term
from .csharp_calls import (
    arguments,
    call,
    conditional_access,
    implicit_new,
    local_function,
    member,
    new,
)
from .csharp_patterns import PLAIN, deconstructed, match, matched, member_of
from .csharp_queries import QUERY_TERMS
from .csharp_types import type_of
from .expressions import Assignments, bind_typed, conditional, operands
from .walking import Terms, Walker

if TYPE_CHECKING:
    from tree_sitter import Node

_LITERALS = {
    "integer_literal": "int",
    "real_literal": "float",
    "character_literal": "char",
    "boolean_literal": "bool",
    "null_literal": "none",
}


def assign_to(w: Walker, target: Term, value: Term) -> None:
    """Bind a target; a name that no local variable has is a member of this object."""
    target = member_of(w, target)
    if target is None or target[0] not in ("name", "attr", "item", "tuple"):
        w.do(value)
    else:
        w.assign(target, value)


def _name(w: Walker, node: Node) -> Term:
    name = w.name(node)
    return None if name == "_" else ("name", name)


def _generic_name(w: Walker, node: Node) -> Term:
    return ("name", w.name(node.named_children[0]))


def _literal(w: Walker, node: Node) -> Term:
    return ("const", _LITERALS[node.type], None)


def _string(w: Walker, node: Node) -> Term:
    text = w.text(node).strip('@"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _interpolated(w: Walker, node: Node) -> Term:
    for child in node.named_children:
        if child.type == "interpolation":
            w.each(child.named_children)
    return ("const", "str", None)


def _list(w: Walker, node: Node) -> Term:
    return ("list", tuple(w.term(c) for c in node.named_children if c.type != "comment"))


def _element(w: Walker, node: Node) -> Term:
    return w.term(node.named_children[-1]) if node.named_child_count else None


def _spread(w: Walker, node: Node) -> Term:
    return ("star", _element(w, node))


def _subscript(w: Walker, node: Node) -> Term:
    value = w.term(node.child_by_field_name("expression"))
    placed, _ = arguments(w, node.child_by_field_name("subscript"))
    return ("item", value, placed[0] if placed else None)


def _cast(w: Walker, node: Node) -> Term:
    kind = node.child_by_field_name("type") or node.child_by_field_name("right")
    value = node.child_by_field_name("value") or node.child_by_field_name("left")
    return ("cast", type_of(w, kind), w.term(value))


ASSIGNMENTS = Assignments(("=", "??="), assign_to, {"tuple_expression": deconstructed})


def _binary(w: Walker, node: Node) -> Term:
    """`a ?? b` is one of both; other operators only evaluate."""
    sides, joins = operands(node, ("??",))
    found = [w.term(side) for side in sides]
    if joins:
        return ("either", tuple(found))
    for term in found:
        w.do(term)
    return None


def _tuple(w: Walker, node: Node) -> Term:
    parts = [child.named_children[-1] for child in node.named_children if child.named_child_count]
    return ("tuple", tuple(w.term(part) for part in parts))


def _declared(w: Walker, node: Node) -> Term:
    """`out var x`, `(var a, var b) = …`."""
    named = node.child_by_field_name("name")
    bind_typed(w, named, type_of(w, node.child_by_field_name("type")))
    return ("name", w.name(named)) if named is not None and named.type == "identifier" else None


def _switch(w: Walker, node: Node) -> Term:
    first = node.named_children[0] if node.named_child_count else None
    value = matched(w, first)
    arms = [child for child in node.named_children if child.type == "switch_expression_arm"]
    known = tuple(found for arm in arms if (found := _arm(w, arm, value)) is not None)
    return ("either", known) if known else None


def _arm(w: Walker, node: Node, value: Term) -> Term:
    """Names of a pattern are those of its arm."""
    parts = [child for child in node.named_children if child.type != "comment"]
    around = w.at
    if parts[0].type not in PLAIN:
        w.at = w.open("block", around)
    match(w, parts[0], value)
    for part in parts[1:-1]:
        w.run(part)
    found = w.term(parts[-1])
    scope, w.at = w.at, around
    return ("in", scope, found) if found is not None and scope != around else found


def _with(w: Walker, node: Node) -> Term:
    """`x with { A = y }` is another object like x."""
    value = w.term(node.named_children[0]) if node.named_child_count else None
    for child in node.named_children[1:]:
        for given in child.named_children[1:]:
            w.run(given)
    return value


def _default(w: Walker, node: Node) -> Term:
    kind = type_of(w, node.child_by_field_name("type"))
    return ("typed", kind) if kind is not None else None


def _type_as_value(w: Walker, node: Node) -> Term:
    """`typeof(T)`."""
    kind = type_of(w, node.child_by_field_name("type"))
    if kind is not None and kind[0] in ("name", "attr"):
        return ("typeof", kind)
    w.do(kind)
    return None


def _awaited(w: Walker, node: Node) -> Term:
    return ("await", _element(w, node))


def _is(w: Walker, node: Node) -> Term:
    """`x is T`, `x is T y`, `x is { … }`."""
    value = node.child_by_field_name("expression") or node.child_by_field_name("left")
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("right")
    term = matched(w, value)
    if pattern is None:
        return None
    kind = pattern
    if pattern.type in ("constant_pattern", "type_pattern") and pattern.named_child_count:
        kind = pattern.named_children[0]
    if value is not None and value.type == "identifier":
        w.narrow(w.name(value), type_of(w, kind))
    match(w, pattern, term)
    return None


TERMS: Terms = {
    "is_pattern_expression": _is,
    "is_expression": _is,
    "identifier": _name,
    "generic_name": _generic_name,
    "qualified_name": type_of,
    "alias_qualified_name": type_of,
    "this": lambda w, node: ("self",),
    "base": lambda w, node: ("super",),
    "string_literal": _string,
    "verbatim_string_literal": _string,
    "raw_string_literal": _string,
    "interpolated_string_expression": _interpolated,
    "member_access_expression": member,
    "conditional_access_expression": conditional_access,
    "invocation_expression": call,
    "object_creation_expression": new,
    "implicit_object_creation_expression": implicit_new,
    "array_creation_expression": new,
    "implicit_array_creation_expression": _element,
    "initializer_expression": _list,
    "collection_expression": _list,
    "collection_element": _element,
    "expression_element": _element,
    "spread_element": _spread,
    "element_access_expression": _subscript,
    "cast_expression": _cast,
    "as_expression": _cast,
    "conditional_expression": conditional,
    "assignment_expression": ASSIGNMENTS.term,
    "binary_expression": _binary,
    "parenthesized_expression": _element,
    "checked_expression": _element,
    "ref_expression": _element,
    "postfix_unary_expression": _element,
    "tuple_expression": _tuple,
    "declaration_expression": _declared,
    "switch_expression": _switch,
    "typeof_expression": _type_as_value,
    "default_expression": _default,
    "with_expression": _with,
    **QUERY_TERMS,
    "await_expression": _awaited,
    "lambda_expression": lambda w, node: ("def", local_function(w, node, "<lambda>")),
    "anonymous_method_expression": lambda w, node: ("def", local_function(w, node, "<lambda>")),
    **dict.fromkeys(_LITERALS, _literal),
}

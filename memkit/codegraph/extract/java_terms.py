"""Java's expressions as terms; what an expression evaluates on its way is said at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..facts import CONST_CHARS, Param, Term
from .callbacks import run_by
from .expressions import Assignments, conditional, operands
from .java_patterns import CLASS_CHECKS, PATTERN_TERMS, checked, compared
from .java_types import brought, parameters, qualified, type_of
from .walking import Terms, Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node

_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*$|[A-Z]$")
# Methods of collections, streams and optionals that call what they are given with one element.
_RUNNING = frozenset(
    """
    forEach filter map flatMap peek anyMatch allMatch noneMatch removeIf takeWhile dropWhile
    mapToInt mapToLong mapToDouble mapToObj ifPresent ifPresentOrElse
    """.split()
)
# Sides of a sum that may be a constant text.
_JOINED = tuple(
    {"string_literal", *names}
    for names in ((), ("identifier",), ("field_access",), ("identifier", "field_access"))
)
# Literals by the types that they are of; a letter at the end may say another.
_LITERALS = {
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
    "character_literal": "char",
    "true": "boolean",
    "false": "boolean",
    "null_literal": "none",
}
_SUFFIXES = {(108, "int"): "long", (76, "int"): "long", (102, "double"): "float"}


def arguments(w: Walker, node: Node | None) -> tuple[Term, ...]:
    """Return the arguments of a call."""
    if node is None:
        return ()
    return tuple(w.term(child) for child in node.named_children if "comment" not in child.type)


def lambda_term(w: Walker, node: Node) -> Term:
    """`x -> …`: what it gives back is what its expression is."""
    found = fields(node)
    taken, body = parameters(w, found.get("parameters")), found.get("body")
    number = w.define(
        "function", "<lambda>", node, scope=w.at, body="function", params=taken,
        header=node.end_byte if body is None else body.start_byte,
    )  # fmt: skip
    if body is not None and body.type == "block":
        w.within(w.body(number), body.named_children, taken)
    elif body is not None:
        returned(w, number, body, taken)
    return ("def", number)


def returned(w: Walker, number: int, body: Node, taken: tuple[Param, ...]) -> None:
    """Walk an expression that is the whole body of a function."""
    around, known = w.at, w.known
    w.at = w.body(number)
    w.known = known | {param.name for param in taken}
    value = w.term(body)
    if value is not None:
        w.say("return", value)
    w.at, w.known = around, known


def assign_to(w: Walker, target: Term, value: Term) -> None:
    """Bind a target; a name that no local variable has is a field of this object."""
    if target is not None and target[0] == "name" and target[1] not in w.known:
        target = ("attr", ("self",), target[1])
    if target is None or target[0] not in ("name", "attr", "item"):
        w.do(value)
    else:
        w.assign(target, value)


def _name(w: Walker, node: Node) -> Term:
    return ("name", w.name(node))


def _literal(w: Walker, node: Node) -> Term:
    kind = _LITERALS[node.type]
    return ("const", _SUFFIXES.get((w.source[node.end_byte - 1], kind), kind), None)


def _string(w: Walker, node: Node) -> Term:
    for child in node.named_children:
        if child.type == "string_interpolation":
            w.run(child)
    text = w.text(node).strip('"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _field(w: Walker, node: Node) -> Term:
    inner, named = node.child_by_field_name("object"), node.child_by_field_name("field")
    if inner is None or named is None:
        return None
    if named.type == "this":
        return ("typed", type_of(w, inner))
    name = w.name(named)
    if inner.type in ("field_access", "identifier") and _CLASS.match(name):
        names = "".join(w.text(inner).split()).split(".")
        is_package = all(part.islower() for part in names) and names[0] not in w.known
        if is_package and len(names) > 1:
            return brought(w, names, name)
    return ("attr", w.term(inner), name)


def _call(w: Walker, node: Node) -> Term:
    found = fields(node)
    named, inner = found.get("name"), found.get("object")
    if named is None:
        return None
    name = w.name(named)
    # A local variable of the same name does not hide a method.
    callee: Term = ("attr", ("self",), name) if name in w.known else ("name", name)
    if inner is not None:
        through_super = any(child.type == "super" for child in node.children[1:4])
        value: Term = ("typed", type_of(w, inner)) if through_super else w.term(inner)
        callee = ("attr", value, name)
    given, site = arguments(w, found.get("arguments")), w.site(named)
    if name in CLASS_CHECKS:
        checked(w, inner, found.get("arguments"))
    if name in _RUNNING and inner is not None:
        return run_by(w, callee, given, site)
    return ("call", callee, given, (), site)


def _new(w: Walker, node: Node) -> Term:
    kind = node.child_by_field_name("type")
    given = arguments(w, node.child_by_field_name("arguments"))
    made = type_of(w, kind)
    first = node.named_children[0] if node.named_child_count else None
    if first is not None and kind is not None and first.start_byte < kind.start_byte:
        w.run(first)
    body = node.named_children[-1]
    if body.type == "class_body":
        number = w.define(
            "class", "<anonymous>", node, scope=w.at, body="class", header=body.start_byte,
            bases=[made] if made is not None else [],
        )  # fmt: skip
        w.within(w.body(number), body.named_children)
        made = ("def", number)
    return ("new", made, given, (), w.site(kind or node))


def _array(w: Walker, node: Node) -> Term:
    return ("list", tuple(w.term(c) for c in node.named_children if "comment" not in c.type))


def _new_array(w: Walker, node: Node) -> Term:
    value = node.child_by_field_name("value")
    if value is not None:
        return w.term(value)
    for child in node.named_children:
        if child.type == "dimensions_expr":
            w.each(child.named_children)
    element = type_of(w, node.child_by_field_name("type"))
    return ("typed", ("item", ("name", "list"), element))


def _access(w: Walker, node: Node) -> Term:
    array, index = node.child_by_field_name("array"), node.child_by_field_name("index")
    return ("item", w.term(array), w.term(index))


def _inner(w: Walker, node: Node) -> Term:
    found = [child for child in node.named_children if "comment" not in child.type]
    return w.term(found[-1]) if found else None


def _cast(w: Walker, node: Node) -> Term:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    return ("cast", type_of(w, kind), w.term(value))


ASSIGNMENTS = Assignments(("=",), assign_to)


def _binary(w: Walker, node: Node) -> Term:
    """Both sides are evaluated; names and texts that are joined may be the name of something."""
    sides, joins = operands(node, "+")
    if joins and {side.type for side in sides} in _JOINED:
        return ("join", tuple(w.term(side) for side in sides))
    if len(sides) == 2 and "class_literal" in (sides[0].type, sides[1].type):
        compared(w, sides)
    for side in sides:
        w.do(w.term(side))
    return None


def _reference(w: Walker, node: Node) -> Term:
    """`T::new` are the class's constructors, `x::f` is a member."""
    parts = node.named_children
    if not parts:
        return None
    first = parts[0]
    value = w.term(first) if "type" not in first.type else type_of(w, first)
    if node.children[-1].type == "new":
        return ("attr", value, "<init>")
    return ("attr", value, w.name(parts[-1]))


def _class_literal(w: Walker, node: Node) -> Term:
    """`T.class`, `int.class`; an array's class tells nothing."""
    named = node.named_children[0] if node.named_child_count else None
    kind = type_of(w, named)
    if kind is not None and kind[0] in ("name", "attr", "const"):
        return ("typeof", kind)
    w.do(kind)
    return None


TERMS: Terms = {
    "identifier": _name,
    "type_identifier": _name,
    "scoped_identifier": lambda w, node: qualified(w, w.text(node)),
    "this": lambda w, node: ("self",),
    "super": lambda w, node: ("super",),
    "string_literal": _string,
    "field_access": _field,
    "method_invocation": _call,
    "object_creation_expression": _new,
    "array_initializer": _array,
    "array_creation_expression": _new_array,
    "array_access": _access,
    "parenthesized_expression": _inner,
    "condition": _inner,
    "cast_expression": _cast,
    "ternary_expression": conditional,
    "assignment_expression": ASSIGNMENTS.term,
    "binary_expression": _binary,
    "lambda_expression": lambda_term,
    "method_reference": _reference,
    "class_literal": _class_literal,
    **PATTERN_TERMS,
    **dict.fromkeys(_LITERALS, _literal),
}

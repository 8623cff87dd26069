"""Types of TypeScript as terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import Term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

# Nesting beyond this says nothing that an index could use: Array<Array<Array<…>>>.
_DEEPEST = 12


def read_type(walk: Walk, node: Node, depth: int = 0) -> Term:
    """Return the term of a type, None for one that names no declaration."""
    if depth > _DEEPEST:
        return None
    handler = _TYPES.get(node.type)
    return None if handler is None else handler(walk, node, depth + 1)


def _name(walk: Walk, node: Node, depth: int) -> Term:
    name = walk.text(node)
    return walk.bounds.get(name, ("name", name))


def _basic(walk: Walk, node: Node, depth: int) -> Term:
    name = walk.text(node)
    return ("name", name) if name in ("string", "number", "boolean") else None


def _qualified(walk: Walk, node: Node, depth: int) -> Term:
    module = node.child_by_field_name("module") or node.child_by_field_name("object")
    name = walk.text_of(node, "name") or walk.text_of(node, "property")
    inner = None if module is None else read_type(walk, module, depth)
    return ("attr", inner, name) if inner is not None else None


def _generic(walk: Walk, node: Node, depth: int) -> Term:
    name, given = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    base = None if name is None else read_type(walk, name, depth)
    if base is None or given is None:
        return base
    arguments = tuple(read_type(walk, child, depth) for child in given.named_children)
    if base in _TRANSPARENT:
        return arguments[0] if arguments else None
    if base in _OF_VALUES and arguments and arguments[0] is not None:
        return _of_value(arguments[0], name=base[1] if base else "")
    key: Term = arguments[0] if len(arguments) == 1 else ("tuple", arguments)
    return ("item", base, key)


def _object(walk: Walk, node: Node, depth: int) -> Term:
    """`{ a: A; b(c: C): B }`: the type of an object literal with values of those types."""
    members: list[tuple[Term, Term]] = []
    for child in node.named_children:
        kind: Term = None
        if child.type == "method_signature":
            kind = _function(walk, child, depth)
        elif child.type == "property_signature":
            written = child.child_by_field_name("type")
            kind = None if written is None else read_type(walk, written, depth)
        if kind is not None:
            members.append((("const", "str", walk.text_of(child, "name")), ("typed", kind)))
    return ("same", ("dict", tuple(members))) if members else None


def _of_value(kind: Term, *, name: str) -> Term:
    """`ReturnType<typeof f>`: what f gives; `InstanceType<typeof C>`: a C."""
    if kind is None or kind[0] != "same":
        return None
    return ("same", ("call" if name == "ReturnType" else "new", kind[1], (), (), None))


def _query(walk: Walk, node: Node, depth: int) -> Term:
    """`typeof x`: the type of a value, which is a name or a member of one."""
    named = _value(walk, node.named_children[-1]) if node.named_child_count else None
    return None if named is None else ("same", named)


def _value(walk: Walk, node: Node) -> Term:
    if node.type == "member_expression":
        inner = node.child_by_field_name("object")
        held = None if inner is None else _value(walk, inner)
        return None if held is None else ("attr", held, walk.text_of(node, "property"))
    if node.type == "this":
        return walk.this
    return ("name", walk.text(node)) if node.type == "identifier" else None


def _lookup(walk: Walk, node: Node, depth: int) -> Term:
    """`T["x"]`: the type of a member."""
    parts = node.named_children
    kind = read_type(walk, parts[0], depth) if len(parts) == 2 else None
    if kind is None or parts[1].type != "literal_type" or not parts[1].named_children:
        return None
    key = parts[1].named_children[0]
    is_name = key.type == "string"
    return ("same", ("attr", ("typed", kind), walk.text(key)[1:-1])) if is_name else None


def _array(walk: Walk, node: Node, depth: int) -> Term:
    return ("item", ("name", "Array"), _inner(walk, node, depth))


def _inner(walk: Walk, node: Node, depth: int) -> Term:
    for child in node.named_children:
        if child.type != "comment":
            return read_type(walk, child, depth)
    return None


def _function(walk: Walk, node: Node, depth: int) -> Term:
    """`(a: A) => B`."""
    result = node.child_by_field_name("return_type")
    gives = None if result is None else read_type(walk, result, depth)
    given = _parameter_types(walk, node, depth)
    return ("item", ("name", "Callable"), ("tuple", (("tuple", given), gives)))


def _parameter_types(walk: Walk, node: Node, depth: int) -> tuple[Term, ...]:
    listed = node.child_by_field_name("parameters")
    kinds = [
        child.child_by_field_name("type")
        for child in (listed.named_children if listed is not None else ())
        if child.type in ("required_parameter", "optional_parameter")
        and walk.text_of(child, "pattern") != "this"
    ]
    return tuple(None if kind is None else read_type(walk, kind, depth) for kind in kinds)


def shape_of(walk: Walk, node: Node | None) -> tuple[Term, ...]:
    """Return the types of the parameters of the function that a type asks for."""
    while node is not None and node.type in _AROUND and node.named_child_count:
        inner = [one for one in node.named_children if one.type in _SHAPED]
        node = inner[0] if inner else None
    if node is None:
        return ()
    if node.type in ("function_type", "call_signature"):
        return _parameter_types(walk, node, 0)
    name = node.child_by_field_name("name") if node.type == "generic_type" else node
    return walk.shapes.get(walk.text(name), ()) if name is not None else ()


def _either(walk: Walk, node: Node, depth: int) -> Term:
    """A union or intersection: one of its sides; long ones lean to the left and are walked."""
    sides: list[Node] = []
    kind = node.type
    left = node
    while left.type == kind and left.named_child_count > 1:
        children = left.named_children
        sides += children[:0:-1]
        left = children[0]
    sides.append(left)
    terms = [read_type(walk, side, depth) for side in reversed(sides)]
    known = tuple(term for term in terms if term is not None)
    return known[0] if len(known) == 1 else ("either", known) if known else None


def _tuple(walk: Walk, node: Node, depth: int) -> Term:
    parts = tuple(read_type(walk, _typed(child), depth) for child in node.named_children)
    return ("item", ("name", "tuple"), ("tuple", parts))


def _typed(node: Node) -> Node:
    """Return the type in `[name: A]`."""
    kind = node.child_by_field_name("type")
    is_named = node.type in ("required_parameter", "optional_parameter")
    return kind if kind is not None and is_named else node


# What is as good as its argument: awaiting a promise is said apart, and gives the same.
_TRANSPARENT = tuple(
    ("name", name)
    for name in """
    Readonly Partial Required NonNullable Promise PromiseLike Awaited Pick Omit Extract Exclude
    """.split()
)
_OF_VALUES = (("name", "ReturnType"), ("name", "InstanceType"))
_AROUND = {"type_annotation", "parenthesized_type", "union_type", "readonly_type"}
_SHAPED = _AROUND | {"function_type", "type_identifier", "generic_type"}
_TYPES: dict[str, Callable[[Walk, Node, int], Term]] = {
    "type_annotation": _inner,
    "type_identifier": _name,
    "identifier": _name,
    "predefined_type": _basic,
    "nested_type_identifier": _qualified,
    "nested_identifier": _qualified,
    "generic_type": _generic,
    "array_type": _array,
    "readonly_type": _inner,
    "parenthesized_type": _inner,
    "optional_type": _inner,
    "rest_type": _inner,
    "union_type": _either,
    "intersection_type": _either,
    "tuple_type": _tuple,
    "function_type": _function,
    "object_type": _object,
    "type_query": _query,
    "lookup_type": _lookup,
    "this_type": lambda walk, node, depth: ("self",),
}

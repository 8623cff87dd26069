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
    key: Term = arguments[0] if len(arguments) == 1 else ("tuple", arguments)
    return ("item", base, key)


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
    for name in "Readonly Partial Required NonNullable Promise PromiseLike Awaited".split()
)
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
    "this_type": lambda walk, node, depth: ("self",),
}

"""Go's types as terms: of values, of results, of parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import Param, Term
from .builder import DEEPEST
from .hiding import HidingWalker

if TYPE_CHECKING:
    from tree_sitter import Node


class GoWalker(HidingWalker):
    """Knows what a constant is without being told.

    Attributes:
        repeated: type of a constant that is written without one, and without a value.
    """

    repeated: Term = None


WRAPPED = {"pointer_type", "parenthesized_type", "type_elem", "type_constraint"}


LISTS = {"slice_type", "array_type", "implicit_length_array_type"}


def type_of(w: GoWalker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type; pointers are left out, None for one without a name."""
    while node is not None and node.type in WRAPPED:
        if node.named_child_count != 1:
            return None
        node = node.named_children[0]
    maker = TYPES.get(node.type) if node is not None and depth < DEEPEST else None
    return maker(w, node, depth + 1) if maker and node is not None else None


def _type_name(w: GoWalker, node: Node, depth: int) -> Term:
    name = w.reads(w.name(node))
    return w.bounds.get(name, ("name", name))


def _generic(w: GoWalker, node: Node, depth: int) -> Term:
    """`pkg.Seq[T]` holds T; what a package itself makes generic is known by its methods."""
    kind = type_of(w, node.child_by_field_name("type"), depth)
    listed = node.child_by_field_name("type_arguments")
    if kind is None or kind[0] != "attr" or listed is None:
        return kind
    given = tuple(type_of(w, child, depth) for child in listed.named_children)
    return ("item", kind, given[0] if len(given) == 1 else ("tuple", given))


def _qualified(w: GoWalker, node: Node, depth: int) -> Term:
    package, _, name = w.name(node).partition(".")
    return ("attr", ("name", w.reads(package.strip())), name.strip())


def _list_type(w: GoWalker, node: Node, depth: int) -> Term:
    return ("item", ("name", "list"), type_of(w, node.named_children[-1], depth))


def _map_type(w: GoWalker, node: Node, depth: int) -> Term:
    key, value = node.named_children[0], node.named_children[-1]
    return ("item", ("name", "dict"), ("tuple", (type_of(w, key, depth), type_of(w, value, depth))))


def _function_type(w: GoWalker, node: Node, depth: int) -> Term:
    result = results(w, node.child_by_field_name("result"), depth)
    return ("item", ("name", "Callable"), ("tuple", (("list", ()), result)))


def _structure_type(w: GoWalker, node: Node, depth: int) -> Term:
    """Return a structure without a name: its fields by their names, and what is embedded."""
    listed = node.named_children[0].named_children if node.named_child_count else ()
    pairs: list[tuple[Term, Term]] = []
    for child in listed:
        if child.type != "field_declaration":
            continue
        kind: Term = ("typed", type_of(w, child.child_by_field_name("type"), depth))
        names = [w.name(one) for one in child.children_by_field_name("name") if one.is_named]
        pairs += [(("const", "str", name), kind) for name in names] or [(None, kind)]
    return ("dict", tuple(pairs))


def _interface_type(w: GoWalker, node: Node, depth: int) -> Term:
    """Return an interface without a name: what is embedded in it; its own methods have none."""
    kinds = [type_of(w, one, depth) for one in node.named_children if one.type == "type_elem"]
    found = tuple(kind for kind in kinds if kind is not None)
    return ("either", found) if found else None


TYPES: dict[str, Callable[[GoWalker, Node, int], Term]] = {
    "type_identifier": _type_name,
    "identifier": _type_name,
    "generic_type": _generic,
    "qualified_type": _qualified,
    "map_type": _map_type,
    "function_type": _function_type,
    "struct_type": _structure_type,
    "interface_type": _interface_type,
    **dict.fromkeys((*LISTS, "channel_type"), _list_type),
}


def results(w: GoWalker, node: Node | None, depth: int = 0) -> Term:
    """Return the type of what a function gives back: a tuple for several."""
    if node is None or node.type != "parameter_list":
        return type_of(w, node, depth)
    found = tuple(param.type for param in parameters(w, node, depth))
    if len(found) > 1:
        return ("item", ("name", "tuple"), ("tuple", found))
    return found[0] if found else None


def parameters(w: GoWalker, node: Node | None, depth: int = 0) -> tuple[Param, ...]:
    """Return the parameters of a list, one for each name or for each type without a name."""
    found = []
    for child in node.named_children if node is not None else ():
        if not child.type.endswith("parameter_declaration"):
            continue
        sort = "*" if child.type[0] == "v" else ""
        parts = child.named_children
        kind = type_of(w, parts[-1], depth) if parts else None
        names = [w.name(part) for part in parts[:-1] if part.type == "identifier"] or [""]
        found += [Param(name, kind, None, sort) for name in names]
    return tuple(found)


def bounds_of(w: GoWalker, node: Node | None) -> dict[str, Term]:
    """Return what is asked of the parameters of a generic, by their name."""
    found: dict[str, Term] = {}
    for child in node.named_children if node is not None else ():
        parts = child.named_children
        bound = type_of(w, parts[-1]) if parts else None
        if bound == ("name", "any"):
            bound = None
        found.update((w.name(part), bound) for part in parts[:-1])
    return found

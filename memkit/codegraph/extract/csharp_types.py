"""C#'s types, parameters and qualified names as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param, Term
from .walking import Walker

if TYPE_CHECKING:
    from tree_sitter import Node

_DEEPEST = 12
# What the language itself brings; equal terms are one object. Of an object nothing is known.
_BUILT_IN: dict[str, Term] = {
    **{
        name: ("const", name, None)
        for name in (
            "bool", "byte", "char", "decimal", "double", "float", "int", "long", "nint", "nuint",
            "sbyte", "short", "string", "uint", "ulong", "ushort",
        )
    },
    **dict.fromkeys(("object", "void", "var", "dynamic")),
}  # fmt: skip
# What is as good as its argument: awaiting a task is said apart, and gives the same.
_TRANSPARENT = {"Task", "ValueTask", "Nullable"}
_WRAPPED = {"nullable_type", "ref_type", "scoped_type", "pointer_type"}


def type_of(w: Walker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type, None for `var`, `object` and what names no class.

    A type that the language itself brings is a constant of its name.
    """
    while node is not None and node.type in _WRAPPED:
        node = node.child_by_field_name("type")
    if node is None or depth > _DEEPEST:
        return None
    kind = node.type
    if kind in ("identifier", "predefined_type"):
        return _plain(w, w.name(node))
    if kind == "generic_name":
        return _generic(w, node, depth)
    if kind in ("qualified_name", "alias_qualified_name"):
        return _qualified(w, node, depth)
    if kind == "array_type":
        element = type_of(w, node.child_by_field_name("type"), depth + 1)
        return ("item", ("name", "list"), element)
    if kind == "tuple_type":
        parts = [child.child_by_field_name("type") for child in node.named_children]
        found = tuple(type_of(w, part, depth + 1) for part in parts)
        return ("item", ("name", "tuple"), ("tuple", found))
    return None


def _plain(w: Walker, name: str) -> Term:
    if name in w.bounds:
        return w.bounds[name]
    return _BUILT_IN.get(name, ("name", name))


def _generic(w: Walker, node: Node, depth: int) -> Term:
    parts = node.named_children
    base = ("name", w.name(parts[0]))
    given = parts[-1].named_children if len(parts) > 1 else []
    found = tuple(type_of(w, child, depth + 1) for child in given)
    if base[1] in _TRANSPARENT and len(found) == 1:
        return found[0]
    if not found:
        return base
    return ("item", base, found[0] if len(found) == 1 else ("tuple", found))


def _qualified(w: Walker, node: Node, depth: int) -> Term:
    """`A.B.C`: C of the namespace A.B, or C inside of the class B."""
    name = node.child_by_field_name("name")
    outer = node.child_by_field_name("qualifier")
    if name is None:
        return None
    last = type_of(w, name, depth + 1)
    if outer is None or last is None:
        return last
    space = "".join(w.text(outer).split()).removeprefix("global::")
    simple = last[1][1] if last[0] == "item" else last[1]
    found = brought(w, space, simple)
    if outer.type == "identifier":
        found = ("either", (found, ("attr", ("name", space), simple)))
    return ("item", found, last[2]) if last[0] == "item" else found


def brought(w: Walker, space: str, name: str) -> Term:
    """Return what reads a class that is named with its namespace: an import without a statement."""
    local = f"<{space}.{name}>"
    if local not in w.known:
        w.statements[0].append(("import", local, space, name, 0, 0))
        w.known.add(local)
    return ("name", local)


def parameters(w: Walker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method, an indexer, a record or a lambda."""
    if node is None:
        return ()
    if node.type in ("identifier", "implicit_parameter"):
        return (Param(w.name(node), None, None, ""),)
    found: list[Param] = []
    rest: Term = None
    for place, child in enumerate(node.children):
        if child.type == "parameter":
            named = child.child_by_field_name("name")
            if named is not None:
                kind = type_of(w, child.child_by_field_name("type"))
                found.append(Param(w.name(named), kind, _default(w, child), ""))
        elif node.field_name_for_child(place) == "type":  # params T[] rest
            rest = type_of(w, child)
        elif node.field_name_for_child(place) == "name":
            element = rest[2] if rest is not None and rest[0] == "item" else rest
            found.append(Param(w.name(child), element, None, "*"))
    return tuple(found)


def _default(w: Walker, node: Node) -> Term:
    """Return a constant for a parameter that need not be given."""
    if not any(child.type == "=" for child in node.children):
        return None
    return ("const", "none", None)


def extended(w: Walker, listed: Node | None) -> Term:
    """Return the type that an extension method is for: that of its `this` parameter."""
    first = listed.named_children[0] if listed is not None and listed.named_child_count else None
    for child in first.children if first is not None and first.type == "parameter" else ():
        if child.type == "modifier" and w.text(child) == "this" and first is not None:
            kind = type_of(w, first.child_by_field_name("type"))
            return kind[1] if kind is not None and kind[0] == "item" else kind
    return None


def bounds_of(w: Walker, node: Node) -> dict[str, Term]:
    """Return what is asked of the parameters of a generic: it stands for them."""
    found: dict[str, Term] = {}
    for child in node.named_children:
        if child.type == "type_parameter_list":
            for one in child.named_children:
                found[w.text(one.child_by_field_name("name") or one)] = None
        elif child.type == "type_parameter_constraints_clause" and child.named_child_count > 1:
            first, second = child.named_children[:2]
            kind = second.named_children[0] if second.named_child_count else None
            found[w.text(first)] = type_of(w, kind)
    return found

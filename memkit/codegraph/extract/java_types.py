"""Java's types, parameters and qualified names as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param, Term
from .walking import Statements, Terms, Walker

if TYPE_CHECKING:
    from tree_sitter import Node

    from ..dialect import Dialect

_DEEPEST = 12
_PRIMITIVE = frozenset({"integral_type", "floating_point_type", "boolean_type"})
_NAMES = _PRIMITIVE | {"type_identifier", "identifier"}
# Equal terms are one object: there are very many.
_NUMBERS: dict[str, Term] = {}


class JavaWalker(Walker):
    """Knows the switch that it is in.

    Attributes:
        yielded: values that the switch gives, as far as it has been walked.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect, terms, runs)
        self.yielded: list[Term] = []


def type_of(w: Walker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type, None for `var` and what names no class.

    A primitive type is a constant of its name.
    """
    if node is None or depth > _DEEPEST:
        return None
    kind = node.type
    if kind in _NAMES:
        return _named(w, node, kind)
    if kind in ("scoped_type_identifier", "scoped_identifier"):
        return qualified(w, w.text(node))
    if kind == "generic_type":
        return _generic(w, node, depth)
    if kind == "array_type":
        element = type_of(w, node.child_by_field_name("element"), depth + 1)
        return ("item", ("name", "list"), element)
    if kind in ("annotated_type", "wildcard", "type_bound", "catch_type"):
        inner = [child for child in node.named_children if "annotation" not in child.type]
        found = [type_of(w, child, depth + 1) for child in inner]
        known = tuple(term for term in found if term is not None)
        return known[0] if len(known) == 1 else ("either", known) if known else None
    return None


def _named(w: Walker, node: Node, kind: str) -> Term:
    name = w.name(node)
    if kind in _PRIMITIVE:
        return _NUMBERS.setdefault(name, ("const", name, None))
    if name in w.bounds:
        return w.bounds[name]
    return None if name == "var" else ("name", name)


def _generic(w: Walker, node: Node, depth: int) -> Term:
    parts = node.named_children
    base = type_of(w, parts[0], depth + 1) if parts else None
    if base is None or len(parts) < 2 or not parts[1].named_child_count:
        return base
    given = tuple(type_of(w, child, depth + 1) for child in parts[1].named_children)
    return ("item", base, given[0] if len(given) == 1 else ("tuple", given))


def qualified(w: Walker, text: str) -> Term:
    """Return the term of a dotted name; one that begins with a package is imported on the way."""
    names = "".join(text.split()).split(".")
    size = next((n for n, name in enumerate(names) if name[:1].isupper()), 0)
    if size and size < len(names):
        found = brought(w, names[:size], names[size])
        names = names[size + 1 :]
    else:
        found, names = ("name", names[0]), names[1:]
    for name in names:
        found = ("attr", found, name)
    return found


def brought(w: Walker, package: list[str], name: str) -> Term:
    """Return what reads a class that is named with its package: an import without a statement."""
    local = f"<{'.'.join(package)}.{name}>"
    if local not in w.known:
        w.statements[0].append(("import", local, ".".join(package), name, 0, 0))
        w.known.add(local)
    return ("name", local)


def parameters(w: Walker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method, a record or a lambda."""
    if node is None:
        return ()
    if node.type == "identifier":
        return (Param(w.name(node), None, None, ""),)
    found = []
    for child in node.named_children:
        if child.type == "identifier":
            found.append(Param(w.name(child), None, None, ""))
        elif child.type == "formal_parameter":
            named = child.child_by_field_name("name")
            if named is not None:
                kind = type_of(w, child.child_by_field_name("type"))
                found.append(Param(w.name(named), kind, None, ""))
        elif child.type == "spread_parameter":
            found += _spread(w, child)
    return tuple(found)


def _spread(w: Walker, node: Node) -> list[Param]:
    kind: Term = None
    for child in node.named_children:
        if child.type == "variable_declarator":
            named = child.child_by_field_name("name")
            return [Param(w.name(named), kind, None, "*")] if named is not None else []
        if child.type != "modifiers":
            kind = type_of(w, child)
    return []

"""Rust's patterns and the parameters of its functions and closures, which are patterns too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param, Term
from .builder import DEEPEST
from .rust_types import RustWalker, path_of, type_of
from .walking import fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RustWalker

# Patterns that bind what their first part binds.
_SAME = frozenset({"mut_pattern", "ref_pattern", "reference_pattern", "match_pattern"})
_SKIPPED = frozenset("mutable_specifier line_comment block_comment attribute_item lifetime".split())


def parameters(w: W, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a function or closure; a pattern gets the name of its place."""
    return tuple(_parameter(w, child) for child in _listed(node))


def bind_parameters(w: W, node: Node | None) -> None:
    """Bind, in the body of a function, what the patterns among its parameters bind."""
    for child in _listed(node):
        inner = child.child_by_field_name("pattern") or child
        if child.type != "self_parameter" and not _name(w, inner):
            target = pattern(w, inner)
            if target is not None:
                w.bind(target, ("name", f"<{inner.start_byte}>"))


def _listed(node: Node | None) -> list[Node]:
    """Return the parameters in their order, `_` among them."""
    return [
        child
        for child in (node.children if node is not None else ())
        if (child.is_named or child.type == "_")
        and child.type not in _SKIPPED
        and child.type != "variadic_parameter"
    ]


def _parameter(w: W, node: Node) -> Param:
    if node.type == "self_parameter":
        return Param("self", None, None, "")
    parts = fields(node) if node.type == "parameter" else {}
    inner = parts.get("pattern", node)
    name = _name(w, inner)
    if name == "self":
        return Param("self", None, None, "")
    if name is None:
        name = f"<{inner.start_byte}>" if inner.type != "_" else ""
    return Param(name, type_of(w, parts.get("type")), None, "")


def _name(w: W, node: Node) -> str | None:
    """Return the one name that a pattern gives to the whole, None if it takes it apart."""
    while node.type in ("mut_pattern", "ref_pattern") and node.named_child_count:
        node = node.named_children[-1]
    return w.name(node) if node.type in ("identifier", "self") else None


def pattern(w: W, node: Node, depth: int = 0) -> Term:
    """Return what a pattern binds, as a target; members of a struct are bound on the way."""
    if depth > DEEPEST:
        return None
    kind, depth = node.type, depth + 1
    inner = [c for c in node.children if c.is_named and c.type not in _SKIPPED]
    if kind in _SAME:
        return pattern(w, inner[0], depth) if inner else None
    if kind in ("captured_pattern", "or_pattern"):
        first, *others = [pattern(w, child, depth) for child in inner] or [None]
        for other in others if kind == "captured_pattern" else ():
            w.bind(other, None)
        return first
    if kind in ("identifier", "shorthand_field_identifier"):
        name = w.name(node)
        return None if name[:1].isupper() else ("name", name)
    maker = _MAKERS.get(kind)
    return maker(w, node, depth) if maker is not None else None


def bound_in(w: W, node: Node) -> list[str]:
    """Return the names that a pattern binds; more than those do no harm."""
    if node.type == "identifier":
        return [w.name(node)]
    found: list[str] = []
    left = [node]
    while left:
        one = left.pop()
        if one.type in ("identifier", "shorthand_field_identifier"):
            found.append(w.name(one))
        left += one.named_children
    return found


def _places(w: W, node: Node, depth: int, skipped: Node | None = None) -> list[Term]:
    """Return a target for each place in brackets; what stands behind `..` has none."""
    targets: list[Term] = []
    is_known = True
    for child in node.children:
        if child == skipped or child.type in _SKIPPED or not (child.is_named or child.type == "_"):
            continue
        if child.type == "remaining_field_pattern":
            is_known = False
            continue
        target = pattern(w, child, depth) if child.is_named else None
        if is_known:
            targets.append(target)
        elif target is not None:
            w.bind(target, None)
    return targets


def _tuple(w: W, node: Node, depth: int) -> Term:
    targets = _places(w, node, depth)
    return ("tuple", tuple(targets)) if any(targets) else None


def _tuple_struct(w: W, node: Node, depth: int) -> Term:
    named = node.child_by_field_name("type")
    targets = _places(w, node, depth, named)
    if named is None:
        return None
    name = w.name(named).rpartition("::")[2]
    if len(targets) == 1 and name in ("Some", "Ok", "Err"):
        if name != "Err":
            return targets[0]
        w.bind(targets[0], None)
        return None
    owner = path_of(w, named)
    for place, target in enumerate(targets):
        if target is not None:
            w.bind(target, _member(owner, str(place)))
    return None


def _member(owner: Term, name: str) -> Term:
    """Return a member of a struct, or of a variant, which has it in its enum."""
    own: Term = ("attr", ("typed", owner), name)
    if owner is None or owner[0] != "attr":
        return own
    return ("either", (own, ("attr", ("typed", owner[1]), f"{owner[2]}.{name}")))


def _struct(w: W, node: Node, depth: int) -> Term:
    named = node.child_by_field_name("type")
    owner = type_of(w, named)
    for child in node.named_children:
        parts = [c for c in child.named_children if c.type not in _SKIPPED]
        if child.type == "field_pattern" and parts:
            target = pattern(w, parts[-1], depth)
            if target is not None:
                w.bind(target, _member(owner, w.name(parts[0])))
    return None


def _path(w: W, node: Node, depth: int) -> Term:
    """A constant is compared with."""
    w.do(path_of(w, node))
    return None


_MAKERS = {
    "self": lambda w, node, depth: ("name", "self"),
    "tuple_pattern": _tuple,
    "slice_pattern": _tuple,
    "tuple_struct_pattern": _tuple_struct,
    "struct_pattern": _struct,
    "scoped_identifier": _path,
}

"""Rust's structs, enums, traits, constants and aliases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .rust_ahead import open_bounds
from .rust_types import RustWalker, bounds_of, type_of
from .walking import Statements, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RustWalker


def flags_of(w: W, node: Node, *others: str) -> list[str]:
    exported = node.children[0].type == "visibility_modifier"
    return [*others, "exported"] if exported else list(others)


def _type(w: W, node: Node) -> None:
    """A struct, union, enum or trait."""
    found = fields(node)
    named, body = found.get("name"), found.get("body")
    if named is None:
        return
    name, sort = w.name(named), node.type.partition("_")[0]
    flags = ["struct"] if sort == "union" else [sort]
    number = w.define(
        "class", name, node, scope=w.at, body="class", named=named,
        header=body.start_byte if body is not None else node.end_byte,
        flags=flags_of(w, node, *flags), doc=w.above(),
    )  # fmt: skip
    w.hoist("define", number)
    w.bound.add((w.at, name))
    scope = w.body(number)
    outer = w.bounds
    generic = found.get("type_parameters")
    w.bounds = {**outer, **open_bounds(w, name, generic, bounds_of(w, generic, node))}
    bounds = type_of(w, found.get("bounds"))
    if bounds is not None:
        w.fill(number, bases=bounds[1] if bounds[0] == "either" else (bounds,))
    me, w.me, owner, w.owner = w.me, ("name", name), w.owner, None
    if body is not None and body.type == "ordered_field_declaration_list":
        _ordered(w, body, scope)
    elif body is not None:
        w.within(scope, body.named_children)
    w.me, w.owner, w.bounds = me, owner, outer


def _ordered(w: W, body: Node, scope: int) -> None:
    kinds = [type_of(w, one) for one in body.children_by_field_name("type")]
    for place, kind in enumerate(kinds):
        if kind is not None:
            w.add(scope, ("declare", ("name", str(place)), kind))


def _field(w: W, node: Node) -> None:
    found = fields(node)
    if "name" in found:
        name, kind = w.name(found["name"]), type_of(w, found.get("type"))
        flags = flags_of(w, node)
        w.variable(name, node, named=found["name"], type_=kind, flags=flags, doc=w.above())


def _variant(w: W, node: Node) -> None:
    """A variant with values in brackets is called like a function that gives the enum."""
    found = fields(node)
    named, body = found.get("name"), found.get("body")
    if named is None:
        return
    name, kind = w.name(named), w.me
    w.members.setdefault((w.scope(w.at).parent, kind[1] if kind else ""), []).append(name)
    w.define(
        "variable", name, node, scope=w.at, named=named, returns=kind,
        flags=("constant", "enum"), doc=w.above(),
    )  # fmt: skip
    _fields_of(w, name, body)
    if body is not None and body.type == "ordered_field_declaration_list":
        kind = ("item", ("name", "Callable"), ("tuple", (("list", ()), kind)))
    w.say("declare", ("name", name), kind)


def _fields_of(w: W, variant: str, body: Node | None) -> None:
    """Fields of a variant are members of its enum, under the variant's name and theirs."""
    if body is None:
        return
    kinds = [type_of(w, one) for one in body.children_by_field_name("type")]
    named = [(str(place), kind) for place, kind in enumerate(kinds)]
    for child in body.named_children:
        parts = fields(child)
        if child.type == "field_declaration" and "name" in parts:
            named.append((w.name(parts["name"]), type_of(w, parts.get("type"))))
    for name, kind in named:
        if kind is not None:
            w.say("declare", ("name", f"{variant}.{name}"), kind)


def _constant(w: W, node: Node) -> None:
    found = fields(node)
    named = found.get("name")
    if named is None:
        return
    name, kind, doc = w.name(named), type_of(w, found.get("type")), w.above()
    constant = flags_of(w, node, "constant" if node.type == "const_item" else "static")
    value = w.term(found.get("value"))
    if w.owner is not None:
        w.define(
            "variable", name, node, scope=w.at, named=named, qualname=w.member(name),
            returns=kind, flags=constant, owner=w.owner, doc=doc,
        )  # fmt: skip
        w.bind(("attr", w.owner, name), value if kind is None else ("cast", kind, value))
        return
    if w.scope(w.at).kind in ("module", "class"):
        w.variable(name, node, named=named, type_=kind, flags=constant, doc=doc)
        w.bound.add((w.at, name))
    elif kind is not None:
        w.say("declare", ("name", name), kind)
    if value is not None or kind is None:
        w.bind(("name", name), value)


def _alias(w: W, node: Node) -> None:
    found = fields(node)
    if "name" not in found:
        return
    name, kind = w.name(found["name"]), type_of(w, found.get("type"))
    target: Term = ("name", name) if w.owner is None else ("attr", w.owner, name)
    w.define(
        "class", name, node, scope=w.at, named=found["name"], qualname=w.member(name),
        flags=flags_of(w, node, "alias"), owner=w.owner, doc=w.above(),
    )  # fmt: skip
    w.bound.add((w.at, name))
    w.hoist("bind", target, kind)


DECLARED: Statements = {
    "struct_item": _type,
    "union_item": _type,
    "enum_item": _type,
    "trait_item": _type,
    "field_declaration": _field,
    "enum_variant": _variant,
    "const_item": _constant,
    "static_item": _constant,
    "type_item": _alias,
    "associated_type": _alias,
}

"""Fields, properties, indexers, events and constants of C#, and the modifiers of everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param
from .csharp_calls import made, walk_body
from .csharp_types import parameters, type_of
from .walking import Statements, Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node

_FLAGS = {
    "static": "static",
    "abstract": "abstract",
    "private": "private",
    "public": "exported",
    "const": "constant",
    "readonly": "constant",
    "async": "async",
    "partial": "partial",
}
_TESTS = {"Test", "TestMethod", "Fact", "Theory", "TestCase"}


def modifiers(w: Walker, node: Node) -> list[str]:
    """Return the flags of a declaration; its attributes are said to be read."""
    flags: list[str] = []
    for child in node.children:
        kind = child.type
        if kind == "modifier":
            word = w.text(child)
            if word in _FLAGS:
                flags.append(_FLAGS[word])
        elif kind == "attribute_list":
            flags += _attributes(w, child)
        elif kind != "comment":
            break
    return flags


def _attributes(w: Walker, node: Node) -> list[str]:
    flags = []
    for one in node.named_children:
        named = one.child_by_field_name("name")
        if one.type != "attribute" or named is None:
            continue
        if w.text(named) in _TESTS:
            flags.append("test")
        w.do(w.term(named))
        for given in one.named_children[1:]:
            w.each(given.named_children)
    return flags


def _property(w: Walker, node: Node) -> None:
    """A property, indexer or event: a method where it runs code, else a variable."""
    found = fields(node)
    named = found.get("name") or node
    name = "this" if node.type == "indexer_declaration" else w.name(named)
    doc, flags = w.above(), modifiers(w, node)
    kind, value = type_of(w, found.get("type")), found.get("value")
    accessors = found.get("accessors")
    bodies = [] if accessors is None else _bodies(accessors)
    if value is not None and value.type == "arrow_expression_clause":
        bodies = [value]
    if not bodies:
        w.variable(name, node, named=named, type_=kind, flags=flags, doc=doc)
        if value is not None:
            w.bind(("name", name), w.term(value))
        return
    taken = (*parameters(w, found.get("parameters")), Param("value", kind, None, ""))
    if node.type != "indexer_declaration":
        flags.append("property")
    number = w.define(
        "method", name, node, scope=w.at, body="function", named=named,
        header=(accessors or bodies[0]).start_byte, flags=flags, params=taken[:-1],
        returns=kind, doc=doc,
    )  # fmt: skip
    w.hoist("define", number)
    for body in bodies:
        walk_body(w, w.body(number), body, taken)


def _bodies(accessors: Node) -> list[Node]:
    found = [one.child_by_field_name("body") for one in accessors.named_children]
    return [body for body in found if body is not None]


def _fields(w: Walker, node: Node) -> None:
    """Fields and events without accessors."""
    doc, flags = w.above(), modifiers(w, node)
    listed = next((c for c in node.named_children if c.type == "variable_declaration"), None)
    if listed is None:
        return
    kind = type_of(w, listed.child_by_field_name("type"))
    for one in listed.named_children:
        named = one.child_by_field_name("name")
        if one.type != "variable_declarator" or named is None:
            continue
        w.variable(w.name(named), node, named=named, type_=kind, flags=flags, doc=doc)
        value = one.named_children[-1]
        if value != named:
            w.bind(("name", w.name(named)), made(w.term(value), kind))


def _constant(w: Walker, node: Node) -> None:
    """A constant of an enum."""
    named = node.child_by_field_name("name")
    if named is not None:
        w.variable(w.name(named), node, named=named, flags=("constant", "static"), doc=w.above())
        w.do(w.term(node.child_by_field_name("value")))


MEMBERS: Statements = {
    "property_declaration": _property,
    "indexer_declaration": _property,
    "event_declaration": _property,
    "field_declaration": _fields,
    "event_field_declaration": _fields,
    "enum_member_declaration": _constant,
}

"""Classes of JavaScript and TypeScript: methods, accessors, fields, heritage, decorators."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import Term
from .comments import Above
from .javascript_docs import documented_field
from .javascript_functions import FUNCTIONS, define_function, names_of
from .javascript_this import SELF

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

_MODIFIERS = {
    "static": "static",
    "abstract": "abstract",
    "readonly": "constant",
    "get": "property",
    "set": "property",
}


def define_class(walk: Walk, node: Node, scope: int, name: str, outer: Node | None) -> int:
    """Define a class, walk its members, and return its number."""
    builder = walk.builder
    whole = outer or node
    body = node.child_by_field_name("body")
    around = walk.take_bounds(node), walk.generics
    walk.generics = names_of(walk, node)
    bases = _bases(walk, node, scope)
    flags = ["exported"] if walk.exported is not None else []
    if node.type == "abstract_class_declaration":
        flags.append("abstract")
    decorators = decorators_of(walk, node, scope)
    if outer is not None and outer != node:
        decorators += decorators_of(walk, outer, scope)
    number = builder.define(
        "class",
        name,
        whole,
        scope=scope,
        body="class",
        named=node.child_by_field_name("name") or node,
        header=None if body is None else body.start_byte,
        flags=flags,
        bases=bases,
        decorators=decorators,
        doc=walk.above.take(whole),
    )
    inside = walk.enter(builder.body(number))
    own = node.child_by_field_name("name")
    if node.type == "class" and own is not None:
        walk.add(inside, ("bind", ("name", walk.text(own)), ("def", number)))
    if body is not None:
        members(walk, body, inside)
    walk.bounds, walk.generics = around
    return number


def members(walk: Walk, body: Node, inside: int) -> None:
    """Walk the members of a class, an interface or an object type."""
    outer, walk.above = walk.above, Above(walk.builder.source)
    exported, walk.exported = walk.exported, None
    around, walk.this = walk.this, SELF
    decorators: list[Term] = []
    for child in body.named_children:
        kind = child.type
        if kind == "comment":
            walk.above.add(child)
        elif kind == "decorator":
            decorators.append(_decorator(walk, child, inside))
        elif handler := MEMBERS.get(kind):
            handler(walk, child, inside, tuple(decorators))
            decorators = []
        else:
            walk.statement(child, inside)
    walk.above, walk.exported, walk.this = outer, exported, around


def method(walk: Walk, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """A method, accessor or constructor, with a body or only declared."""
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = member_name(walk, named, inside)
    flags, sets = _flags(walk, node, named)
    if name == "constructor":
        flags.append("constructor")
    if node.child_by_field_name("body") is None:
        flags += [] if "abstract" in flags else ["overload"]
    number = define_function(
        walk,
        node,
        inside,
        name,
        kind="method",
        flags=flags,
        decorators=(*decorators, *decorators_of(walk, node, inside)),
        doc=walk.above.take(node),
    )
    # What reading the member gives is said by its getter alone.
    if not sets:
        walk.add(inside, ("define", number))


def field(walk: Walk, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """A field; one that holds a function is a method."""
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
    if named is None:
        return
    name = member_name(walk, named, inside)
    flags, _ = _flags(walk, node, named)
    decorators = (*decorators, *decorators_of(walk, node, inside))
    value = node.child_by_field_name("value")
    doc = walk.above.take(node)
    if value is not None and value.type in FUNCTIONS:
        walk.expected = walk.parts.shape(walk, node.child_by_field_name("type"))
        walk.asked = walk.type(node.child_by_field_name("type"))
        number = define_function(
            walk, value, inside, name, kind="method", outer=node, flags=flags,
            decorators=decorators, doc=doc,
        )  # fmt: skip
        walk.add(inside, ("define", number))
        return
    declared = walk.type(node.child_by_field_name("type"))
    declare_field(walk, node, named, name, inside, declared, flags, decorators, doc)
    documented_field(walk, name, inside, doc)
    if value is not None:
        walk.add(inside, ("bind", ("name", name), walk.term(value, inside)))


def declare_field(
    walk: Walk,
    node: Node,
    named: Node,
    name: str,
    inside: int,
    declared: Term,
    flags: list[str],
    decorators: tuple[Term, ...] = (),
    doc: str = "",
) -> None:
    """Define a variable of a class and declare its type."""
    walk.builder.define(
        "variable", name, node, scope=inside, named=named, flags=flags, returns=declared,
        decorators=decorators, doc=doc,
    )  # fmt: skip
    if declared is not None:
        walk.add(inside, ("declare", ("name", name), declared))


def static_block(walk: Walk, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """`static { … }` runs when the class is made."""
    body = node.child_by_field_name("body")
    if body is not None:
        walk.block(body.named_children, walk.open("block", inside))


def member_name(walk: Walk, named: Node, scope: int) -> str:
    """Return the name of a member: as written, without quotes; `[…]` for a computed one."""
    text = walk.text(named)
    if named.type == "string":
        return text[1:-1]
    if named.type == "computed_property_name":
        inner = named.named_children
        if inner and inner[0].type == "string":
            return walk.text(inner[0])[1:-1]
        walk.evaluate(inner, scope)
        return " ".join(text.split())[:80]
    return text


def decorators_of(walk: Walk, node: Node, scope: int) -> tuple[Term, ...]:
    """Return the decorators that stand inside a node, outermost first."""
    if node.child_count == 0 or node.children[0].type not in ("decorator", "export"):
        return ()
    found = [child for child in node.children if child.type == "decorator"]
    return tuple(_decorator(walk, child, scope) for child in found)


def _decorator(walk: Walk, node: Node, scope: int) -> Term:
    inner = node.named_children
    return walk.term(inner[0], scope) if inner else None


def _flags(walk: Walk, node: Node, named: Node) -> tuple[list[str], bool]:
    """Return the flags of a member, and whether it is a setter."""
    flags: list[str] = []
    sets = False
    for child in node.children:
        if child == named:
            break
        kind = child.type
        if kind in _MODIFIERS:
            flags.append(_MODIFIERS[kind])
            sets = sets or kind == "set"
        elif kind == "accessibility_modifier" and walk.text(child) == "private":
            flags.append("private")
    if named.type == "private_property_identifier":
        flags.append("private")
    return flags, sets


def _bases(walk: Walk, node: Node, scope: int) -> tuple[Term, ...]:
    found: list[Term] = []
    for child in node.children:
        if child.type == "class_heritage":
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    value = clause.child_by_field_name("value")
                    found += [] if value is None else [walk.term(value, scope)]
                elif clause.type == "implements_clause":
                    found += [walk.type(one) for one in clause.named_children]
                else:
                    found.append(walk.term(clause, scope))
        elif child.type == "class_body":
            break
    return tuple(base for base in found if base is not None)


Member = Callable[["Walk", "Node", int, "tuple[Term, ...]"], None]
MEMBERS: dict[str, Member] = {
    "method_definition": method,
    "method_signature": method,
    "abstract_method_signature": method,
    "field_definition": field,
    "public_field_definition": field,
    "property_signature": field,
    "class_static_block": static_block,
}

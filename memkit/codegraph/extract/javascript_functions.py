"""Functions, arrows and methods of JavaScript and TypeScript as definitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..facts import Param, Term
from .javascript_docs import documented
from .javascript_this import declared_this, enter_function, leave_function

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

FUNCTIONS = {
    "arrow_function", "function_expression", "generator_function",
    "function_declaration", "generator_function_declaration",
}  # fmt: skip


def define_function(
    walk: Walk,
    node: Node,
    scope: int,
    name: str,
    *,
    kind: str = "function",
    outer: Node | None = None,
    flags: Sequence[str] = (),
    owner: Term = None,
    qualname: str | None = None,
    decorators: Sequence[Term] = (),
    doc: str = "",
) -> int:
    """Define a function or method, walk its parameters and body, and return its number.

    `outer` is the node that is the whole definition (with decorators or `export`), if not `node`.
    """
    builder = walk.builder
    expected, walk.expected = walk.expected, ()
    asked, walk.asked = walk.asked, None
    body = node.child_by_field_name("body")
    exported, walk.exported = walk.exported, None
    if exported is not None:
        flags = ("exported", *flags)
    number = builder.define(
        kind,
        name,
        outer or node,
        scope=scope,
        body="function",
        named=node.child_by_field_name("name") or node,
        header=node.end_byte if body is None else body.start_byte,
        qualname=qualname,
        flags=(*flags, *_own_flags(node)),
        decorators=decorators,
        owner=owner,
        doc=doc,
    )
    inside = walk.enter(builder.body(number))
    outer_bounds = walk.take_bounds(node)
    outer_this = enter_function(walk, node, scope, is_method=kind == "method", owner=owner)
    returns = _given_back(walk, node)
    builder.fill(number, params=_parameters(walk, node, inside, expected, asked), returns=returns)
    documented(walk, number, scope, doc)
    if body is not None:
        _body(walk, body, inside)
    walk.exported, walk.bounds = exported, outer_bounds
    leave_function(walk, node, outer_this)
    return number


def _own_flags(node: Node) -> list[str]:
    flags = []
    for child in node.children:
        kind = child.type
        if kind == "async":
            flags.append("async")
        elif kind == "*":
            flags.append("generator")
        elif kind in ("formal_parameters", "statement_block", "=>"):
            break
    return flags


def _parameters(
    walk: Walk, node: Node, inside: int, expected: tuple[Term, ...], asked: Term
) -> tuple[Param, ...]:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        single = node.child_by_field_name("parameter")
        nodes = [] if single is None else [single]
    else:
        nodes = [child for child in listed.named_children if child.type != "comment"]
    found = [_parameter(walk, child, inside) for child in nodes]
    taken = [param for param in found if param is not None]
    for place, kind in enumerate(expected[: len(taken)]):
        if taken[place].type is None and not taken[place].sort:
            taken[place] = taken[place]._replace(type=kind)
    if asked is None:
        return tuple(taken)
    return tuple(
        one._replace(type=("same", ("taken", ("typed", asked), place)))
        if one.type is None and not one.sort
        else one
        for place, one in enumerate(taken)
    )


def _parameter(walk: Walk, node: Node, inside: int) -> Param | None:
    declared, pattern, default = None, node, None
    if node.type in ("required_parameter", "optional_parameter"):
        declared = walk.type(node.child_by_field_name("type"))
        default = node.child_by_field_name("value")
        pattern = node.child_by_field_name("pattern") or node
        walk.parts.parameter(walk, node, pattern, declared, inside)
    if pattern.type == "this":
        declared_this(walk, declared, inside)
        return None
    if pattern.type == "assignment_pattern":
        default = pattern.child_by_field_name("right")
        pattern = pattern.child_by_field_name("left") or pattern
    sort = ""
    if pattern.type == "rest_pattern" and pattern.named_child_count:
        sort, pattern, declared = "*", pattern.named_children[0], _element(declared)
    if pattern.type == "identifier":
        name = walk.text(pattern)
        walk.declare(inside, name)
    else:
        name = walk.temporary()
        walk.declare(inside, name)
    value = None if default is None else walk.term(default, inside)
    # The resolver looks at defaults from outside of the function; what it cannot see is bound here.
    if value is not None and not _seen_outside(walk, value, inside):
        walk.add(inside, ("bind", ("name", name), value))
        value = None
    if pattern.type != "identifier":
        walk.parts.destructure(walk, pattern, ("name", name), inside)
    return Param(name, declared, value, sort)


def _element(declared: Term) -> Term:
    """Return the type of one of the values that a rest parameter holds."""
    is_array = declared is not None and declared[:2] == ("item", ("name", "Array"))
    return declared[2] if is_array and declared is not None else declared


def _seen_outside(walk: Walk, value: Term, inside: int) -> bool:
    if value is not None and value[0] == "name":
        return not walk.declares(inside, value[1])
    return value is None or value[0] == "const"


def _body(walk: Walk, body: Node, inside: int) -> None:
    if body.type == "statement_block":
        walk.block(body.named_children, inside)
    elif (value := walk.term(body, inside)) is not None:
        walk.add(inside, ("return", value))


def _given_back(walk: Walk, node: Node) -> Term:
    """Return what a function is said to give; a parameter of its class as such."""
    written = node.child_by_field_name("return_type")
    kind = walk.type(written)
    if written is None or not walk.generics or written.named_child_count != 1:
        return kind
    name, own = walk.text(written.named_children[0]), names_of(walk, node)
    if name not in walk.generics or name in own:
        return kind
    return ("parameter", walk.generics.index(name), kind)


def names_of(walk: Walk, node: Node) -> tuple[str, ...]:
    """Return the names of the type parameters of a definition."""
    listed = node.child_by_field_name("type_parameters")
    return tuple(walk.text_of(one, "name") for one in listed.named_children) if listed else ()

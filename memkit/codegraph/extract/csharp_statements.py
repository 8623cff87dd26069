"""Statements in the bodies of C#: locals, loops, patterns, what is caught and used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .csharp_calls import local_function, made
from .csharp_types import type_of
from .expressions import bind_typed
from .walking import Statements, Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node


def _declaration(w: Walker, node: Node) -> None:
    """`T a = x, b;`, also in `for`, `using` and `fixed`."""
    kind = type_of(w, node.child_by_field_name("type"))
    for one in node.named_children:
        if one.type != "variable_declarator" or not one.named_child_count:
            continue
        first, last = one.named_children[0], one.named_children[-1]
        value = made(w.term(last), kind) if last != first else None
        if first.type == "tuple_pattern":
            w.bind(_tuple_target(w, first), value)
            continue
        target: Term = ("name", w.name(first))
        w.know(target)
        if kind is not None:
            w.say("declare", target, kind)
        if last != first or kind is None:
            w.bind(target, value)


def _tuple_target(w: Walker, node: Node) -> Term:
    names = [child for child in node.named_children if child.type == "identifier"]
    return ("tuple", tuple(("name", w.name(child)) for child in names))


def _function(w: Walker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is not None:
        number = local_function(w, node, w.name(named))
        w.know(("name", w.name(named)))
        w.hoist("define", number)


def _block(w: Walker, node: Node) -> None:
    children = node.named_children
    if any(child.type in _DECLARING for child in children):
        w.block(children)
    else:
        w.each(children)


def _scoped(w: Walker, node: Node) -> None:
    """A statement that declares names for itself alone: `for (…;…;…)`, `using (…)`."""
    w.block(node.named_children)


def _for_each(w: Walker, node: Node) -> None:
    found = fields(node)
    over, target = w.term(found.get("right")), found.get("left")
    around, w.at = w.at, w.open("block", w.at)
    kind = type_of(w, found.get("type"))
    if target is not None and target.type == "tuple_pattern":
        w.bind(_tuple_target(w, target), ("iter", over, w.site(target)))
    elif kind is not None:
        w.do(over)
        bind_typed(w, target, kind)
    elif target is not None:
        w.bind(("name", w.name(target)), ("iter", over, w.site(target)))
    if "body" in found:
        w.run(found["body"])
    w.at = around


def _catch(w: Walker, node: Node) -> None:
    w.block(node.named_children)


def _typed(w: Walker, node: Node) -> None:
    """`catch (T e)`, `x is T y`: a name of a type."""
    kind = type_of(w, node.child_by_field_name("type"))
    w.do(kind)
    bind_typed(w, node.child_by_field_name("name"), kind)


def _typed_deeply(w: Walker, node: Node) -> None:
    """`x is T { A: var a } y`."""
    _typed(w, node)
    w.each([child for child in node.named_children if child.type.endswith("_clause")])


def _return(w: Walker, node: Node) -> None:
    for child in node.named_children:
        if child.type != "comment" and (value := w.term(child)) is not None:
            w.say("return", value)


def _yield(w: Walker, node: Node) -> None:
    for child in node.named_children:
        if child.type != "comment":
            w.say("yield", w.term(child))


def _from(w: Walker, node: Node) -> None:
    """`from c in cs`: c is an element."""
    named = node.child_by_field_name("name")
    over = w.term(node.named_children[-1]) if node.named_child_count else None
    kind = type_of(w, node.child_by_field_name("type"))
    if named is not None and kind is not None:
        bind_typed(w, named, kind)
    elif named is not None:
        w.bind(("name", w.name(named)), ("iter", over, w.site(named)))


def _let(w: Walker, node: Node) -> None:
    parts = node.named_children
    if len(parts) > 1:
        w.bind(("name", w.name(parts[0])), w.term(parts[-1]))


def _labelled(w: Walker, node: Node) -> None:
    w.each(node.named_children[1:])


def _nothing(w: Walker, node: Node) -> None:
    """Labels are no reads."""


_DECLARING = {"local_declaration_statement", "local_function_statement"}
STATEMENTS: Statements = {
    "variable_declaration": _declaration,
    "local_function_statement": _function,
    "block": _block,
    "switch_section": _block,
    "for_statement": _scoped,
    "using_statement": _scoped,
    "fixed_statement": _scoped,
    "foreach_statement": _for_each,
    "catch_clause": _catch,
    "catch_declaration": _typed,
    "declaration_pattern": _typed,
    "type_pattern": _typed,
    "recursive_pattern": _typed_deeply,
    "var_pattern": _typed,
    "return_statement": _return,
    "yield_statement": _yield,
    "from_clause": _from,
    "let_clause": _let,
    "labeled_statement": _labelled,
    "goto_statement": _nothing,
}

"""Statements in the bodies of C#: locals, loops, patterns, what is caught and used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .csharp_calls import local_function, made
from .csharp_patterns import match, matched, names_in
from .csharp_queries import QUERY_STATEMENTS
from .csharp_terms import ASSIGNMENTS
from .csharp_types import type_of
from .expressions import bind_each, bind_typed
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
            w.bind(names_in(w, first), value)
            continue
        target: Term = ("name", w.name(first))
        w.know(target)
        if kind is not None:
            w.say("declare", target, kind)
        if last != first or kind is None:
            w.bind(target, value)


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
        w.bind(names_in(w, target), ("iter", over, w.site(target)))
    else:
        bind_each(w, target, over, kind)
    if "body" in found:
        w.run(found["body"])
    w.at = around


def _catch(w: Walker, node: Node) -> None:
    w.block(node.named_children)


def _typed(w: Walker, node: Node) -> None:
    """`catch (T e)`: a name of a type."""
    kind = type_of(w, node.child_by_field_name("type"))
    w.do(kind)
    bind_typed(w, node.child_by_field_name("name"), kind)


def _switch(w: Walker, node: Node) -> None:
    """Patterns in front of a section take the value apart."""
    value, body = matched(w, node.child_by_field_name("value")), node.child_by_field_name("body")
    for section in body.named_children if body is not None else ():
        _section(w, section, value)


def _section(w: Walker, node: Node, value: Term) -> None:
    inner = node.named_children
    around = w.at
    if any(c.type in _DECLARING or c.type in _BINDING for c in inner):
        w.at = w.open("block", around)
    for child in inner:
        if child.type.endswith("_pattern"):
            match(w, child, value)
        elif child.type != "comment":
            w.run(child)
    w.at = around


def _return(w: Walker, node: Node) -> None:
    for child in node.named_children:
        if child.type != "comment" and (value := w.term(child)) is not None:
            w.say("return", value)


def _yield(w: Walker, node: Node) -> None:
    for child in node.named_children:
        if child.type != "comment":
            w.say("yield", w.term(child))


def _labelled(w: Walker, node: Node) -> None:
    w.each(node.named_children[1:])


def _nothing(w: Walker, node: Node) -> None:
    """Labels are no reads."""


_BINDING = {"declaration_pattern", "recursive_pattern", "list_pattern", "and_pattern"}
_DECLARING = {"local_declaration_statement", "local_function_statement"}
STATEMENTS: Statements = {
    "variable_declaration": _declaration,
    "local_function_statement": _function,
    "block": _block,
    "switch_statement": _switch,
    "assignment_expression": ASSIGNMENTS.statement,
    "for_statement": _scoped,
    "using_statement": _scoped,
    "fixed_statement": _scoped,
    "foreach_statement": _for_each,
    "catch_clause": _catch,
    "catch_declaration": _typed,
    "return_statement": _return,
    "yield_statement": _yield,
    **QUERY_STATEMENTS,
    "labeled_statement": _labelled,
    "goto_statement": _nothing,
}

"""Blocks, branches and loops of C and C++, and what is declared in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .c_terms import assign, initial, inner
from .c_types import CWalker, Declared, declared, declared_type, parameters, sizes, type_of
from .walking import Statements, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = CWalker


_DECLARING = {"declaration", "type_definition", "alias_declaration", "using_declaration"}


def _compound(w: W, node: Node) -> None:
    inner = node.named_children
    if any(child.type in _DECLARING for child in inner):
        w.block(inner)
    else:
        w.each(inner)


def _for(w: W, node: Node) -> None:
    w.block(node.named_children)


def _condition(w: W, node: Node) -> None:
    """`if (auto x = f(); x)`: what is declared in brackets is known in the whole statement."""
    inner = node.named_children
    brackets = inner[0] if inner else None
    if brackets is not None and any(
        child.type in ("init_statement", "declaration") for child in brackets.named_children
    ):
        around = w.at
        w.at = w.open("block", around)
        for child in (*brackets.named_children, *inner[1:]):
            w.run(child)
        w.at = around
    else:
        w.each(inner)


def _range(w: W, node: Node) -> None:
    found = fields(node)
    around = w.at
    w.at = w.open("block", around)
    if "right" in found:
        what = declared(found.get("declarator"))
        kind = type_of(w, found.get("type"))
        over = w.term(found["right"])
        if what.parts:
            _pairs(w, what.parts, over, found["right"])
        elif what.name is None:
            w.say("do", ("iter", over, w.site(found["right"])))
        else:
            target: Term = ("name", w.name(what.name))
            if kind is not None:
                w.say("declare", target, kind)
            w.bind(target, ("iter", over, w.site(found["right"])))
    if "body" in found:
        w.run(found["body"])
    w.at = around


def _pairs(w: W, names: list[Node], over: Term, node: Node) -> None:
    """`for (auto [a, b] : x)`: parts of an element; of a mapping a key and its value."""
    held = ("name", f"<{node.start_byte}>")
    w.bind(held, over)
    element: Term = ("iter", held, w.site(node))
    if len(names) != 2:
        w.bind(_apart(w, names), element)
        return
    whole = ("name", f"<{names[0].start_byte}>")
    w.bind(whole, element)
    for place, (name, other) in enumerate(zip(names, (whole, ("item", held, None)), strict=True)):
        part: Term = ("item", whole, ("const", "int", place))
        w.bind(("name", w.name(name)), ("either", (part, other)))


def _apart(w: W, names: list[Node]) -> Term:
    return ("tuple", tuple(("name", w.name(name)) for name in names))


def _yield(w: W, node: Node) -> None:
    w.say("yield", inner(w, node))


def _return(w: W, node: Node) -> None:
    value = inner(w, node)
    if value is not None:
        w.say("return", value)


def _catch(w: W, node: Node) -> None:
    found = fields(node)
    before = [("declare", ("name", one.name), one.type) for one in parameters(w, node) if one.name]
    if "body" in found:
        w.block(found["body"].named_children, *before)


def local(w: W, node: Node) -> None:
    """Say what a declaration in a function declares."""
    found = fields(node)
    kind_node = found.get("type")
    kind = type_of(w, kind_node)
    for one in node.children_by_field_name("declarator"):
        what = declared(one)
        # `if (T x = v)`: the value belongs to the declaration.
        given = one if one.type == "init_declarator" else node
        value_node = given.child_by_field_name("value") or node.child_by_field_name("default_value")
        if what.parts:
            w.bind(_apart(w, what.parts), w.term(value_node))
        elif what.name is not None:
            sizes(w, one if what.is_array else None)
            _declare(w, ("name", w.name(what.name)), (kind, kind_node), value_node, what)


def _declare(
    w: W, target: Term, typed: tuple[Term, Node | None], given: Node | None, what: Declared
) -> None:
    kind, named = typed
    meant = declared_type(w, kind, what)
    w.know(target)
    if meant is not None:
        w.say("declare", target, meant)
    if given is not None:
        value = initial(w, kind, named, given, what)
        if value is not None or meant is None:
            w.bind(target, value)


def _nothing(w: W, node: Node) -> None:
    """Nothing that has a name is evaluated here."""


STATEMENTS: Statements = {
    "compound_statement": _compound,
    "for_statement": _for,
    "for_range_loop": _range,
    "if_statement": _condition,
    "while_statement": _condition,
    "switch_statement": _condition,
    "return_statement": _return,
    "co_return_statement": _return,
    "co_yield_statement": _yield,
    "assignment_expression": assign,
    "catch_clause": _catch,
    **dict.fromkeys(
        """
        access_specifier attribute_declaration attribute_specifier break_statement
        continue_statement goto_statement ms_declspec_modifier preproc_call
        primitive_type sized_type_specifier statement_identifier storage_class_specifier
        template_argument_list template_parameter_list type_identifier type_qualifier
        placeholder_type_specifier abstract_pointer_declarator sizeof_expression
        """.split(),
        _nothing,
    ),
}

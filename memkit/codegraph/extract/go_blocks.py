"""Go's blocks, assignments and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .go_types import type_of
from .temporaries import held, is_simple
from .walking import Statements, Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node


def assign(w: Walker, targets: list[Term], values: Node, *, declares: bool = True) -> None:
    """Bind targets one by one, or all to what one call gives; the ok of `v, ok` is left out."""
    bind = w.bind if declares else w.assign
    given = [child for child in values.named_children if child.type != "comment"]
    if values.type != "expression_list":
        given = [values]
    blank = ("name", "_")
    if len(targets) == len(given):
        found = [w.term(value) for value in given]
        for target, value in zip(targets, found, strict=True):
            bind(None if target == blank else target, value)
    elif len(given) == 1:
        value = w.term(given[0])
        if value is not None and value[0] != "call":
            bind(None if targets[0] == blank else targets[0], value)
            for target in targets[1:]:
                bind(target, None)
        else:
            bind(("tuple", tuple(targets)), value)
    else:
        for left in given:
            w.run(left)


def _targets(w: Walker, node: Node) -> list[Term]:
    nodes = node.named_children if node.type == "expression_list" else [node]
    return [w.term(child) for child in nodes if child.type != "comment"]


def _assignment(w: Walker, node: Node) -> None:
    found = fields(node)
    if "left" not in found or "right" not in found:
        w.each(node.named_children)  # case <-x:
        return
    operator = found.get("operator")
    if operator is not None and operator.type != "=":
        w.run(found["left"])
        w.run(found["right"])
        return
    declares = node.type != "assignment_statement"
    assign(w, _targets(w, found["left"]), found["right"], declares=declares)


def _return(w: Walker, node: Node) -> None:
    given = [c for c in node.named_children if c.type != "comment"]
    if given and given[0].type == "expression_list":
        given = [c for c in given[0].named_children if c.type != "comment"]
    values = tuple(w.term(value) for value in given)
    if values:
        w.say("return", values[0] if len(values) == 1 else ("tuple", values))


def _block(w: Walker, node: Node) -> None:
    """Open a scope where something is declared in it."""
    inner = node.named_children
    listed = inner[-1].named_children if inner and inner[-1].type == "statement_list" else inner
    if any(child.type in _DECLARING for child in listed):
        w.block(inner)
    else:
        w.each(inner)


def _range(w: Walker, node: Node) -> None:
    """Of two variables the second is an element; the first, or the only one, is a key.

    It is an element of a channel; what is neither has no methods.
    """
    found = fields(node)
    right = found.get("right")
    if right is None:
        return
    targets = _targets(w, found["left"]) if "left" in found else []
    over = w.term(right)
    if len(targets) > 1:
        over = held(w, over, right)
    element: Term = ("iter", over, w.site(right))
    if not targets:
        w.say("do", element)
        return
    bind = w.bind if any(child.type == ":=" for child in node.children) else w.assign
    blank = ("name", "_")
    bind(None if targets[0] == blank else targets[0], element)
    for target in targets[1:]:
        bind(None if target == blank else target, ("item", over, None))


def _type_switch(w: Walker, node: Node) -> None:
    """Each case of a type gives the variable that type."""
    found = fields(node)
    around = w.at
    w.at = w.open("block", around)
    if "initializer" in found:
        w.run(found["initializer"])
    value, alias = w.term(found.get("value")), found.get("alias")
    if alias is None or is_simple(value):
        w.do(value)
    else:
        value = held(w, value, found["value"])
    for case in node.named_children:
        if case.type not in ("type_case", "default_case"):
            continue
        kinds = [one for one in case.children_by_field_name("type") if one.is_named]
        body = case.named_children[len(kinds) :]
        if alias is None:
            w.block(body)
            continue
        target = ("name", w.text(alias))
        w.know(target)
        meant = tuple(type_of(w, kind) for kind in kinds if w.text(kind) != "nil")
        one = meant[0] if len(meant) == 1 else ("either", meant) if meant else None
        # Without a type, or with nil, it is what it was.
        w.block(body, ("bind", target, ("typed", one) if one else value))
    w.at = around


_DECLARING = {
    "short_var_declaration",
    "var_declaration",
    "const_declaration",
    "type_declaration",
    "for_clause",
    "range_clause",
    "receive_statement",
}


BLOCKS: Statements = {
    "short_var_declaration": _assignment,
    "assignment_statement": _assignment,
    "receive_statement": _assignment,
    "return_statement": _return,
    "block": _block,
    "if_statement": _block,
    "for_statement": _block,
    "range_clause": _range,
    "expression_switch_statement": _block,
    "type_switch_statement": _type_switch,
    "expression_case": _block,
    "communication_case": _block,
    "default_case": _block,
}

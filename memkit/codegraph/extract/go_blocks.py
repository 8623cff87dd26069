"""Go's blocks, assignments and loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .go_types import GoWalker, type_of
from .temporaries import held, is_simple
from .walking import Statements, fields

if TYPE_CHECKING:
    from tree_sitter import Node


_BLANK = ("name", "_")


def _named(targets: list[Term]) -> list[str]:
    return [target[1] for target in targets if target is not None]


def declare_typed(w: GoWalker, targets: list[Term], kind: Term) -> None:
    """Declare names of a type: `var url *url.URL` reads the name that it hides."""
    before = w.at
    w.declares(_named(targets))
    for target in targets:
        if w.at != before:
            w.bind(target, ("in", before, ("typed", kind)))
        else:
            w.know(target)
            w.say("declare", target, kind)


def assign(w: GoWalker, targets: list[Term], values: Node, *, declares: bool = True) -> None:
    """Bind targets one by one, or all to what one call gives; the ok of `v, ok` is left out."""
    nodes = values.named_children if values.type == "expression_list" else [values]
    given = [w.term(node) for node in nodes if node.type != "comment"]
    is_one = len(given) == 1 and given[0] is not None and given[0][0] != "call"
    if declares:
        given = w.declares(_named(targets), *given)
    bind = w.bind if declares else w.assign
    if len(given) == 1 < len(targets) and not is_one:
        bind(("tuple", tuple(targets)), given[0])
        return
    if is_one:
        given += [None] * (len(targets) - 1)
    if len(given) != len(targets):
        targets = [None] * len(given)
    for target, value in zip(targets, given, strict=True):
        bind(None if target == _BLANK else target, value)


def _targets(w: GoWalker, node: Node, *, declares: bool) -> list[Term]:
    """Return what is assigned to; what a pointer is asked of is called all the same."""
    nodes = node.named_children if node.type == "expression_list" else [node]
    nodes = [child for child in nodes if child.type != "comment"]
    if declares:
        return [("name", w.name(child)) for child in nodes]
    found = [w.term(child) for child in nodes]
    for term in found:
        if term is not None and term[0] == "call":
            w.do(term)
    return [None if term is not None and term[0] == "call" else term for term in found]


def _assignment(w: GoWalker, node: Node) -> None:
    found = fields(node)
    if "left" not in found or "right" not in found:
        w.each(node.named_children)  # case <-x:
        return
    operator = found.get("operator")
    if operator is not None and operator.type != "=":
        w.run(found["left"])
        w.run(found["right"])
        return
    declares = _declares(node)
    targets = _targets(w, found["left"], declares=declares)
    assign(w, targets, found["right"], declares=declares)


def _declares(node: Node) -> bool:
    return any(child.type == ":=" for child in node.children)


def _return(w: GoWalker, node: Node) -> None:
    given = [c for c in node.named_children if c.type != "comment"]
    if given and given[0].type == "expression_list":
        given = [c for c in given[0].named_children if c.type != "comment"]
    values = tuple(w.term(value) for value in given)
    if values:
        w.say("return", values[0] if len(values) == 1 else ("tuple", values))


def _block(w: GoWalker, node: Node) -> None:
    """Open a scope where something is declared in it."""
    inner = node.named_children
    listed = inner[-1].named_children if inner and inner[-1].type == "statement_list" else inner
    if any(child.type in _DECLARING for child in listed):
        w.block(inner)
    else:
        w.each(inner)


def _range(w: GoWalker, node: Node) -> None:
    """Of two variables the second is an element; the first, or the only one, is a key.

    It is an element of a channel; what is neither has no methods.
    """
    found = fields(node)
    right = found.get("right")
    if right is None:
        return
    declares = _declares(node)
    targets = _targets(w, found["left"], declares=declares) if "left" in found else []
    over = w.term(right)
    if len(targets) > 1:
        over = held(w, over, right)
    element: Term = ("iter", over, w.site(right))
    if not targets:
        w.say("do", element)
        return
    given = [element] + [("item", over, None) for _ in targets[1:]]
    if declares:
        given = w.declares(_named(targets), *given)
    bind = w.bind if declares else w.assign
    for target, value in zip(targets, given, strict=True):
        bind(None if target == _BLANK else target, value)


def _type_switch(w: GoWalker, node: Node) -> None:
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
        # Without a type, or with nil, it is what it was: further out it may have the same name.
        w.block(body, ("bind", target, ("typed", one) if one else value and ("in", w.at, value)))
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

"""C#'s queries: `from … where … select …`, and the objects without a class that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .csharp_types import type_of
from .expressions import bind_typed
from .walking import Statements, Terms, Walker

if TYPE_CHECKING:
    from tree_sitter import Node


def _query(w: Walker, node: Node) -> Term:
    """A query gives a list of what it selects; what it groups is a list of lists."""
    result: Term = None
    for child in node.named_children:
        kind = child.type
        if kind == "identifier":  # `into x`: the query goes on with what it has so far
            w.bind(("name", w.name(child)), result)
        elif kind in ("select_clause", "group_clause"):
            found = [w.term(one) for one in child.named_children]
            result = found[0] if found else None
            for other in found[1:]:
                w.do(other)
            if kind == "group_clause":
                result = ("list", (result,))
        else:
            w.run(child)
    return ("list", (result,)) if result is not None else None


def _from(w: Walker, node: Node) -> None:
    """`from c in cs`: c is an element."""
    over = w.term(node.named_children[-1]) if node.named_child_count else None
    _element(w, node, node.child_by_field_name("name"), over)


def _element(w: Walker, node: Node, named: Node | None, over: Term) -> None:
    kind = type_of(w, node.child_by_field_name("type"))
    if named is not None and kind is not None:
        w.do(over)
        bind_typed(w, named, kind)
    elif named is not None:
        w.bind(("name", w.name(named)), ("iter", over, w.site(named)))


def _join(w: Walker, node: Node) -> None:
    """`join d in ds on a equals b into e`: e holds what fits."""
    kind = node.child_by_field_name("type")
    parts = [child for child in node.named_children if child != kind]
    if len(parts) < 2:
        return
    _element(w, node, parts[0], w.term(parts[1]))
    for part in parts[2:]:
        if part.type == "join_into_clause" and part.named_child_count:
            joined: Term = ("list", (("name", w.name(parts[0])),))
            w.bind(("name", w.name(part.named_children[0])), joined)
        else:
            w.run(part)


def _let(w: Walker, node: Node) -> None:
    parts = node.named_children
    if len(parts) > 1:
        w.bind(("name", w.name(parts[0])), w.term(parts[-1]))


def _anonymous(w: Walker, node: Node) -> Term:
    """`new { a, B = x, c.D }` is an object with members a, B and D."""
    pairs: list[tuple[Term, Term]] = []
    parts = [child for child in node.children if child.type != "comment"]
    for place, part in enumerate(parts[:-1]):
        if not part.is_named or parts[place + 1].type == "=":
            continue
        value = w.term(part)
        named = parts[place - 2] if parts[place - 1].type == "=" else part
        name = w.text(named).rpartition(".")[2]
        pairs.append((("const", "str", name), value))
    return ("dict", tuple(pairs))


QUERY_TERMS: Terms = {
    "query_expression": _query,
    "anonymous_object_creation_expression": _anonymous,
}
QUERY_STATEMENTS: Statements = {
    "from_clause": _from,
    "join_clause": _join,
    "let_clause": _let,
}

"""JSX: an element is a call of its component with the attributes as one object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk


def element(walk: Walk, node: Node, scope: int) -> Term:
    """`<Component a={x}>…</Component>`; lower-case names are elements of the page."""
    opening = node.child_by_field_name("open_tag")
    children: list[Term] = []
    if opening is None:
        opening = node if node.type == "jsx_self_closing_element" else None
    if opening is not node:
        inside = [child for child in node.named_children if child.type not in _TAGS]
        children = [child for child in walk.terms(inside, scope) if child is not None]
    if opening is None:
        return ("list", tuple(children))
    properties = _properties(walk, opening, scope)
    if children:
        properties.append((("const", "str", "children"), ("list", tuple(children))))
    name = opening.child_by_field_name("name")
    if name is None or (name.type == "identifier" and walk.text(name)[:1].islower()):
        return ("dict", tuple(properties))
    component = walk.term(name, scope)
    return ("call", component, (("dict", tuple(properties)),), (), walk.builder.site(name))


def _properties(walk: Walk, opening: Node, scope: int) -> list[tuple[Term, Term]]:
    found: list[tuple[Term, Term]] = []
    for child in opening.named_children:
        if child.type == "jsx_attribute":
            parts = child.named_children
            value = walk.term(parts[1], scope) if len(parts) > 1 else ("const", "bool", None)
            found.append((("const", "str", walk.text(parts[0])), value))
        elif child.type == "jsx_expression":  # {...rest}
            for inner in child.named_children:
                spread = inner.named_children if inner.type == "spread_element" else [inner]
                found += [(None, walk.term(one, scope)) for one in spread[-1:]]
    return found


_TAGS = {"jsx_opening_element", "jsx_closing_element", "jsx_text", "comment"}

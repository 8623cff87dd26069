"""What a Rust file says of its types before it is walked: which are its own, and what its `impl`
blocks ask of their parameters, which a struct leaves open as a rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..facts import Term
from .rust_types import RustWalker, bounds_of

if TYPE_CHECKING:
    from tree_sitter import Node

W = RustWalker

_TYPES = frozenset({"struct_item", "enum_item", "union_item", "trait_item"})


def look_ahead(w: W, root: Node) -> None:
    """Note the types that a file declares and what it asks of the parameters of each."""
    impls = []
    for node in _items(root):
        if node.type == "impl_item":
            impls.append(node)
        elif (named := node.child_by_field_name("name")) is not None:
            w.own.add(w.name(named))
    for node in impls:
        _asked(w, node)


def _items(root: Node) -> Iterator[Node]:
    left = [root]
    while left:
        for node in left.pop().named_children:
            if node.type == "mod_item":
                body = node.child_by_field_name("body")
                left += [body] if body is not None else []
            elif node.type in _TYPES or node.type == "impl_item":
                yield node


def _asked(w: W, node: Node) -> None:
    generic = node.child_by_field_name("type_parameters")
    kind = node.child_by_field_name("type") if generic is not None else None
    if kind is None or kind.type != "generic_type":
        return
    bounds = bounds_of(w, generic, node)
    name, arguments = kind.named_children[0], kind.named_children[-1]
    given = [child for child in arguments.named_children if child.type != "lifetime"]
    for place, one in enumerate(given):
        bound = bounds.get(w.name(one))
        if bound is not None:
            w.asked.setdefault((w.name(name), place), []).append(bound)


def open_bounds(w: W, name: str, node: Node | None, bounds: dict[str, Term]) -> dict[str, Term]:
    """Return what is asked of the parameters of a type: by itself, or else by its `impl` blocks."""
    listed = [name for name in bounds if name] if node is not None else []
    found = dict(bounds)
    for place, parameter in enumerate(listed):
        if bounds[parameter] is None and (asked := w.asked.get((name, place))):
            kinds = tuple(dict.fromkeys(asked))
            found[parameter] = kinds[0] if len(kinds) == 1 else ("either", kinds)
    return found

"""Values that are needed twice: evaluated once, and bound to a name that no source has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import Term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walking import Walker


def is_simple(value: Term) -> bool:
    """Return whether a term may be said twice, because evaluating it does nothing."""
    while value is not None and value[0] == "attr":
        value = value[1]
    if value is not None and value[0] == "in":
        return is_simple(value[2])
    return value is None or value[0] in ("name", "self")


def held(w: Walker, value: Term, node: Node) -> Term:
    """Return a term that may be said twice for what a node evaluates to."""
    if is_simple(value):
        return value
    name = ("name", f"<{node.start_byte}>")
    w.bind(name, value)
    return name


def assigned(
    w: Walker,
    target: Term,
    value: Term,
    node: Node | None,
    *,
    by: Callable[[Walker, Term, Term], None],
) -> Term:
    """Give a value to a target by a language's own way, and return what has the value then.

    `node` is that of the value if it is asked for: a target that does something when it is read is
    not read for it.
    """
    if node is None or is_simple(target):
        by(w, target, value)
        return target
    kept = held(w, value, node)
    by(w, target, kept)
    return kept

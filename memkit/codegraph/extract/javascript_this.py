"""What `this` is in the functions of JavaScript and TypeScript.

As a rule the resolver knows: the object of the class around. An arrow has the `this` of where it
is written, whatever it is assigned to; a function of an object literal has that object; a
parameter `this: T` says what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

SELF: Term = ("self",)
_ARROW = "arrow_function"


def this(walk: Walk, node: Node, scope: int) -> Term:
    """`this` is read."""
    walk.reads_this = True
    return walk.this


def enter_function(
    walk: Walk, node: Node, scope: int, *, is_method: bool, owner: Term
) -> tuple[Term, bool]:
    """Put what `this` is inside a function into force; return what was before, for `leave`."""
    before = walk.this, walk.reads_this
    is_member = is_method and walk.builder.scope(scope).kind == "class"
    if node.type != _ARROW:
        walk.reads_this = False
    if is_member or (is_method and node.type != _ARROW):
        walk.this = SELF
    elif node.type == _ARROW and owner is not None and walk.this == SELF:
        # The owner is what it is assigned to: the resolver would take that for its object.
        walk.this = ("in", scope, SELF)
    return before


def leave_function(walk: Walk, node: Node, before: tuple[Term, bool]) -> None:
    """Leave a function: what an arrow reads of `this`, the function around it reads."""
    walk.this = before[0]
    read, walk.reads_this = walk.reads_this, before[1]
    walk.read_this = read and node.type != _ARROW
    if node.type == _ARROW:
        walk.reads_this = read or before[1]


def declared_this(walk: Walk, declared: Term, inside: int) -> None:
    """`this: T` among the parameters of a function."""
    if declared is not None:
        walk.declare(inside, "this")
        walk.add(inside, ("declare", ("name", "this"), declared))
        walk.this = ("name", "this")


def holding(walk: Walk, literal: Term, methods: list[int], scope: int) -> Term:
    """Return an object literal that nothing names by a name, which is what its methods belong to:
    their `this` is the object."""
    name = ("name", walk.temporary())
    for number in methods:
        walk.builder.fill(number, owner=name)
    walk.bind(scope, name[1], literal)
    return name

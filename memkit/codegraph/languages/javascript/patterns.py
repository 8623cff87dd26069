"""JavaScript: destructuring patterns."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ...facts import Term
from ..walker import name_term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import JavaScriptWalker

PATTERNS = {"object_pattern", "array_pattern"}
_MAX_FLAT = 8
_DEFAULTED = ("assignment_pattern", "object_assignment_pattern")
_NAMES = {"identifier", "shorthand_property_identifier_pattern"}


def destructure(walker: JavaScriptWalker, pattern: Node, value: Term, *, declares: bool) -> None:
    """Bind what a pattern takes out of a value; `declares`: in the current scope.

    What lies too deep is not bound.
    """
    if pattern.type == "array_pattern" and _is_flat(pattern):
        walker.emit("bind", _flat_target(walker, pattern, declares=declares), value)
        return
    value = walker.reusable(value)
    is_array = pattern.type == "array_pattern"
    parts = _array_parts(pattern, value) if is_array else _object_parts(walker, pattern, value)
    for target, part in parts:
        walker.descend(partial(bind_pattern, value=part, declares=declares), target)


def bind_pattern(walker: JavaScriptWalker, target: Node, value: Term, *, declares: bool) -> None:
    """Bind a name, a member or a nested pattern, with its default, to a value."""
    if target.type in _DEFAULTED:
        left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
        if left is None or right is None:
            return
        value = ("either", (value, walker.evaluate(right)))
        target = left
    if target.type in PATTERNS:
        destructure(walker, target, value, declares=declares)
    elif target.type in _NAMES:
        _declare_or_assign(walker, walker.name(target), declares=declares)
        walker.emit("bind", name_term(walker, target), value)
    elif (term := walker.evaluate(target)) is not None:
        walker.emit("bind", term, value)


def bind_pairs(walker: JavaScriptWalker, pattern: Node, over: Term, node: Node) -> None:
    """`for (const [a, b] of x)`: parts of an element; of a mapping a key and its value."""
    container = walker.reusable(over)
    whole = walker.reusable(("iter", container, walker.site(node)))
    others = (whole, ("item", container, None))
    for target, part in _array_parts(pattern, whole):
        assert part is not None
        position = part[2][2] if part[0] == "item" else len(others)
        value: Term = ("either", (part, others[position])) if position < len(others) else part
        bind_pattern(walker, target, value, declares=True)


def names_in(walker: JavaScriptWalker, pattern: Node) -> list[tuple[str, Node]]:
    """Return the names that a pattern binds, with their nodes."""
    names, pending = [], [pattern]
    while pending:
        node = pending.pop()
        if node.type in _NAMES:
            names.append((walker.name(node), node))
        elif node.type in (*_DEFAULTED, "pair_pattern"):
            field = "value" if node.type == "pair_pattern" else "left"
            pending += [child for child in (node.child_by_field_name(field),) if child]
        elif node.type in PATTERNS or node.type == "rest_pattern":
            pending += reversed(node.named_children)
    return names


def _declare_or_assign(walker: JavaScriptWalker, name: str, *, declares: bool) -> None:
    if declares:
        walker.declare_name(name)
    else:
        walker.assigned.append((walker.scope, name))


def _is_flat(pattern: Node, depth: int = 0) -> bool:
    """Return whether an array pattern holds only names, rests of names, and such patterns."""
    if depth > _MAX_FLAT:
        return False
    commas = 0
    for child in pattern.children:
        if child.type == ",":
            commas += 1
            if commas > 1:
                return False  # a hole
        elif child.is_named:
            commas = 0
            rest = child.type == "rest_pattern" and child.named_children[0].type in _NAMES
            nested = child.type == "array_pattern" and _is_flat(child, depth + 1)
            if not (child.type in _NAMES or rest or nested):
                return False
    return True


def _flat_target(walker: JavaScriptWalker, pattern: Node, *, declares: bool) -> Term:
    targets: list[Term] = []
    for child in pattern.named_children:
        if child.type == "array_pattern":
            targets.append(_flat_target(walker, child, declares=declares))
            continue
        is_rest = child.type == "rest_pattern"
        name = walker.name(child.named_children[0] if is_rest else child)
        _declare_or_assign(walker, name, declares=declares)
        targets.append(("star", ("name", name)) if is_rest else ("name", name))
    return ("tuple", tuple(targets))


def _array_parts(pattern: Node, value: Term) -> list[tuple[Node, Term]]:
    parts: list[tuple[Node, Term]] = []
    position = 0
    for child in pattern.children:
        if child.type == ",":
            position += 1
        elif child.type == "rest_pattern":
            parts.append((child.named_children[0], value))
        elif child.is_named:
            parts.append((child, ("item", value, ("const", "int", position))))
    return parts


def _object_parts(walker: JavaScriptWalker, pattern: Node, value: Term) -> list[tuple[Node, Term]]:
    parts: list[tuple[Node, Term]] = []
    for child in pattern.named_children:
        if child.type == "pair_pattern":
            key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or target is None:
                continue
            if key.type == "property_identifier":
                parts.append((target, _part(walker, value, key)))
            else:
                parts.append((target, ("item", value, walker.evaluate(key))))
        elif child.type == "rest_pattern":
            parts.append((child.named_children[0], value))
        elif child.type == "object_assignment_pattern":
            parts.append((child, _part(walker, value, child.child_by_field_name("left") or child)))
        elif child.type in _NAMES:
            parts.append((child, _part(walker, value, child)))
    return parts


def _part(walker: JavaScriptWalker, value: Term, key: Node) -> Term:
    """Return a member that a pattern takes out of a value."""
    return ("attr", value, walker.name(key), walker.site(key))

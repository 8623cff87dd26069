"""What is bound: targets of assignments, destructuring, and assignments themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE, Term
from .builder import DEEPEST
from .javascript_values import VALUES, define_value, object_literal, unwrapped
from .temporaries import is_simple

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

PATTERNS = {"object_pattern", "array_pattern"}
_DEEPEST_FLAT = 8
_NAMES = {"identifier", "shorthand_property_identifier_pattern"}


def assign(walk: Walk, left: Node, right: Node, scope: int) -> Term:
    """Walk an assignment and return the term that reads its target afterwards."""
    is_asked = left.start_byte != walk.unasked
    if left.type == "parenthesized_expression" and left.named_child_count:
        left = left.named_children[0]
    if walk.is_exports(left):
        return _assign_exports(walk, right, scope)
    value = _assigned_value(walk, left, unwrapped(walk, right), scope)
    if left.type == "member_expression" and walk.text_of(left, "property") == "prototype":
        walk.add(scope, ("mixin", walk.term(left, scope), walk.held(value, scope)))
        return None
    if left.type in PATTERNS:
        destructure(walk, left, value, scope, declares=False)
        return None
    target = walk.term(left, scope)
    if target is None or target[0] not in ("name", "attr", "item"):
        walk.add(scope, ("do", value))
        return value
    if target[0] == "name":
        _note_name(walk, target[1], left, scope)
    result: Term = target
    if not is_simple(target):
        result = value = walk.held(value, scope) if is_asked else value
    walk.add(scope, ("bind", target, value))
    return result


def destructure(walk: Walk, pattern: Node, value: Term, scope: int, *, declares: bool) -> None:
    """Bind what a pattern takes out of a value; `declares`: in the scope given."""
    if walk.depth >= DEEPEST:
        return
    walk.depth += 1
    _destructure(walk, pattern, value, scope, declares=declares)
    walk.depth -= 1


def _destructure(walk: Walk, pattern: Node, value: Term, scope: int, *, declares: bool) -> None:
    if pattern.type == "array_pattern" and _is_flat(pattern):
        walk.add(scope, ("bind", _flat_target(walk, pattern, scope, declares=declares), value))
        return
    value = walk.held(value, scope)
    parts = _array_parts if pattern.type == "array_pattern" else _object_parts
    for target, part in parts(walk, pattern, value, scope):
        bind_pattern(walk, target, part, scope, declares=declares)


def bind_pattern(walk: Walk, target: Node, value: Term, scope: int, *, declares: bool) -> None:
    """Bind a name, a member or a nested pattern, with its default, to a value."""
    if target.type in ("assignment_pattern", "object_assignment_pattern"):
        left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
        if left is None or right is None:
            return
        value = ("either", (value, walk.term(right, scope)))
        target = left
    if target.type in PATTERNS:
        destructure(walk, target, value, scope, declares=declares)
    elif target.type in _NAMES:
        name = walk.text(target)
        _declare_or_assign(walk, name, scope, declares=declares)
        walk.add(scope, ("bind", ("name", name), value))
    elif (found := walk.term(target, scope)) is not None:
        walk.add(scope, ("bind", found, value))


def bind_pairs(walk: Walk, pattern: Node, over: Term, node: Node, scope: int) -> None:
    """`for (const [a, b] of x)`: parts of an element; of a mapping a key and its value."""
    held = walk.held(over, scope)
    whole = walk.held(("iter", held, walk.builder.site(node)), scope)
    other = (whole, ("item", held, None))
    for target, part in _array_parts(walk, pattern, whole, scope):
        assert part is not None
        place = part[2][2] if part[0] == "item" else len(other)
        value: Term = ("either", (part, other[place])) if place < len(other) else part
        bind_pattern(walk, target, value, scope, declares=True)


def names_in(walk: Walk, pattern: Node) -> list[tuple[str, Node]]:
    """Return the names that a pattern binds, with their nodes."""
    found, left = [], [pattern]
    while left:
        node = left.pop()
        if node.type in _NAMES:
            found.append((walk.text(node), node))
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            left += [child for child in (node.child_by_field_name("left"),) if child]
        elif node.type == "pair_pattern":
            left += [child for child in (node.child_by_field_name("value"),) if child]
        elif node.type in PATTERNS or node.type == "rest_pattern":
            left += reversed(node.named_children)
    return found


def _assigned_value(walk: Walk, left: Node, right: Node, scope: int) -> Term:
    if right.type not in VALUES:
        return walk.term(right, scope)
    if left.type in ("identifier", "member_expression", "subscript_expression"):
        return define_value(walk, right, scope, left)
    return walk.term(right, scope)


def _note_name(walk: Walk, name: str, left: Node, scope: int) -> None:
    """A name that is assigned: one of the module's exports, or a variable."""
    if name.startswith("exports."):
        walk.declare(scope, name)
        site = walk.builder.site(left)
        walk.add(MODULE_SCOPE, ("export", name.removeprefix("exports."), name, None, site))
    else:
        walk.assigned(scope, name)


def _assign_exports(walk: Walk, right: Node, scope: int) -> Term:
    """`module.exports = …`: the module itself, and the members of an object that is written out."""
    site = walk.builder.site(right)
    name = "module.exports"
    if right.type == "object":
        value: Term = _exported_object(walk, right, scope)
    elif right.type in VALUES:
        value = define_value(walk, right, scope, None)
    else:
        value = walk.term(right, scope)
    walk.bind(scope, name, value)
    for outside in ("=", "default"):
        walk.add(MODULE_SCOPE, ("export", outside, name, None, site))
    return ("name", name)


def _exported_object(walk: Walk, node: Node, scope: int) -> Term:
    value = object_literal(walk, node, scope, owner=("name", "module.exports"))
    assert value is not None
    members = []
    for key, term in value[1]:
        if key is None or key[0] != "const" or not key[2]:
            members.append((key, term))
            continue
        name = f"exports.{key[2]}"
        walk.bind(scope, name, term)
        members.append((key, ("name", name)))
        export = ("export", str(key[2]), name, None, walk.builder.site(node))
        walk.add(MODULE_SCOPE, export)
    return ("dict", tuple(members))


def _declare_or_assign(walk: Walk, name: str, scope: int, *, declares: bool) -> None:
    if declares:
        walk.declare(scope, name)
    else:
        walk.assigned(scope, name)


def _is_flat(pattern: Node, depth: int = 0) -> bool:
    """Return whether an array pattern holds only names, rests of names, and such patterns."""
    if depth > _DEEPEST_FLAT:
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


def _flat_target(walk: Walk, pattern: Node, scope: int, *, declares: bool) -> Term:
    targets: list[Term] = []
    for child in pattern.named_children:
        if child.type == "array_pattern":
            targets.append(_flat_target(walk, child, scope, declares=declares))
            continue
        rest = child.type == "rest_pattern"
        name = walk.text(child.named_children[0] if rest else child)
        _declare_or_assign(walk, name, scope, declares=declares)
        targets.append(("star", ("name", name)) if rest else ("name", name))
    return ("tuple", tuple(targets))


def _array_parts(walk: Walk, pattern: Node, value: Term, scope: int) -> list[tuple[Node, Term]]:
    parts: list[tuple[Node, Term]] = []
    place = 0
    for child in pattern.children:
        if child.type == ",":
            place += 1
        elif child.type == "rest_pattern":
            parts.append((child.named_children[0], value))
        elif child.is_named:
            parts.append((child, ("item", value, ("const", "int", place))))
    return parts


def _object_parts(walk: Walk, pattern: Node, value: Term, scope: int) -> list[tuple[Node, Term]]:
    parts: list[tuple[Node, Term]] = []
    for child in pattern.named_children:
        if child.type == "pair_pattern":
            key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or target is None:
                continue
            if key.type == "property_identifier":
                parts.append((target, ("attr", value, walk.text(key))))
            else:
                parts.append((target, ("item", value, walk.term(key, scope))))
        elif child.type == "rest_pattern":
            parts.append((child.named_children[0], value))
        elif child.type == "object_assignment_pattern":
            parts.append((child, ("attr", value, walk.text_of(child, "left"))))
        elif child.type in _NAMES:
            parts.append((child, ("attr", value, walk.text(child))))
    return parts

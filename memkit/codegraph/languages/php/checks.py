"""PHP: what conditions check by `instanceof`, and where that holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Term
from ..walker import Statements, union, without_comments
from .names import HOLDERS, PhpWalker, name_text

if TYPE_CHECKING:
    from tree_sitter import Node

# What variables and properties are, by their texts.
Checks = dict[str, Term]

_AND, _OR = words("&& and"), words("|| or")
JOINING = _AND | _OR
# Levels of a condition that are looked into.
_MAX_DEPTH = 12


def checks(walker: PhpWalker, node: Node | None, *, holds: bool, depth: int = 0) -> Checks:
    """Return what is known of variables where a condition holds, or where it does not.

    Checks that are made use of are noted: elsewhere they say nothing of a variable.
    """
    if node is None or depth > _MAX_DEPTH:
        return {}
    if node.type == "parenthesized_expression":
        return checks(walker, _inner(node), holds=holds, depth=depth + 1)
    if node.type == "unary_op_expression":
        operator = node.child_by_field_name("operator")
        if operator is None or operator.type != "!":
            return {}
        argument = node.child_by_field_name("argument")
        return checks(walker, argument, holds=not holds, depth=depth + 1)
    if node.type != "binary_expression":
        return {}
    return _binary(walker, node, holds=holds, depth=depth)


def _binary(walker: PhpWalker, node: Node, *, holds: bool, depth: int) -> Checks:
    left, operator = node.child_by_field_name("left"), node.child_by_field_name("operator")
    right = node.child_by_field_name("right")
    word = operator.type if operator is not None else ""
    if word == "instanceof":
        return _checked(walker, node, left, right) if holds else {}
    if word not in JOINING:
        return {}
    first = checks(walker, left, holds=holds, depth=depth + 1)
    second = checks(walker, right, holds=holds, depth=depth + 1)
    if holds == (word in _AND):
        return {**first, **second}
    return {name: union([first[name], second[name]]) for name in first if name in second}


def _checked(walker: PhpWalker, node: Node, left: Node | None, right: Node | None) -> Checks:
    name = variable_text(walker, left)
    if not name or right is None or right.type not in HOLDERS:
        return {}
    kind = walker.class_term(name_text(walker, right))
    if kind is None:
        return {}
    walker.checks.add(node.start_byte)
    return {name: kind}


def _inner(node: Node) -> Node | None:
    children = without_comments(node)
    return children[0] if len(children) == 1 else None


def variable_text(walker: PhpWalker, node: Node | None) -> str:
    """Return the text of a variable or its property, also of one that is assigned; else ""."""
    while node is not None and node.type in ("parenthesized_expression", "assignment_expression"):
        is_assigned = node.type == "assignment_expression"
        node = node.child_by_field_name("left") if is_assigned else _inner(node)
    if node is None:
        return ""
    if node.type == "variable_name":
        return walker.name(node)
    target, named = node.child_by_field_name("object"), node.child_by_field_name("name")
    if node.type != "member_access_expression" or target is None or named is None:
        return ""
    is_plain = target.type == "variable_name" and named.type == "name"
    return f"{walker.name(target)}->{walker.name(named)}" if is_plain else ""


# --- Statements in which a condition holds.


def _if(walker: PhpWalker, node: Node) -> None:
    """`if`: what is checked holds in its body, the contrary in what is for the other case, and
    behind it where the body is left for good."""
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    alternatives = node.children_by_field_name("alternative")
    known = walker.known
    positive = checks(walker, condition, holds=True)
    is_left = not alternatives and body is not None and _is_left(body)
    negative = checks(walker, condition, holds=False) if alternatives or is_left else {}
    walker.run_field(node, "condition")
    _run_where(walker, body, {**known, **positive})
    for alternative in alternatives:
        _run_where(walker, alternative, {**known, **negative})
    if is_left:
        known.update(negative)


def _loop(walker: PhpWalker, node: Node) -> None:
    """`while` and `elseif`: what is checked holds in the body."""
    positive = checks(walker, node.child_by_field_name("condition"), holds=True)
    walker.run_field(node, "condition")
    _run_where(walker, node.child_by_field_name("body"), {**walker.known, **positive})


def _run_where(walker: PhpWalker, node: Node | None, known: Checks) -> None:
    if node is not None:
        with walker.having(known=known):
            walker.run(node)


def _is_left(body: Node) -> bool:
    """Return whether a statement ends with one that goes elsewhere."""
    last: Node | None = body
    if body.type in ("compound_statement", "colon_block"):
        children = without_comments(body)
        last = children[-1] if children else None
    if last is not None and last.type == "expression_statement" and last.named_child_count:
        last = last.named_children[0]
    return last is not None and last.type in _LEAVING


_LEAVING = words(
    "return_statement throw_expression continue_statement break_statement exit_statement"
)


def _block(walker: PhpWalker, node: Node) -> None:
    """Statements behind each other: what is checked among them holds to their end."""
    with walker.having(known=dict(walker.known)):
        walker.run_all(node.named_children)


STATEMENTS: Statements = {
    "if_statement": _if,
    "else_if_clause": _loop,
    "while_statement": _loop,
    **dict.fromkeys(("compound_statement", "colon_block", "case_statement"), _block),
}

"""Calls of JavaScript and TypeScript, among them those that mean something to the structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .javascript_modules import required

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

# Calls after which the first argument has the members of the others.
_MIXING = {"Object.assign", "Object.setPrototypeOf", "util.inherits", "inherits"}
_CREATING = {"Object.create", "Object.freeze", "Object.seal"}
_INDIRECT = {"call", "apply", "bind"}
_NO_RECEIVER = {"this", "null", "undefined"}


def call(walk: Walk, node: Node, scope: int) -> Term:
    """A call; `require` is an import, `f.call(this, x)` a call of f."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type in ("import", "identifier"):
        imported = required(walk, node, scope)
        if imported is not None:
            return imported
    if function.type == "member_expression" and arguments is not None:
        special = _special(walk, node, function, arguments, scope)
        if special is not None:
            return special
    callee = walk.term(function, scope)
    return ("call", callee, _arguments(walk, arguments, scope), (), _site(walk, function))


def new(walk: Walk, node: Node, scope: int) -> Term:
    """`new T(…)`."""
    made = node.child_by_field_name("constructor")
    if made is None:
        return None
    arguments = _arguments(walk, node.child_by_field_name("arguments"), scope)
    return ("new", walk.term(made, scope), arguments, (), _site(walk, made))


def _site(walk: Walk, function: Node) -> int:
    if function.type == "member_expression":
        function = function.child_by_field_name("property") or function
    return walk.builder.site(function)


def _arguments(walk: Walk, node: Node | None, scope: int) -> tuple[Term, ...]:
    if node is None:
        return ()
    if node.type != "arguments":  # the text of a tagged template
        walk.evaluate((node,), scope)
        return ()
    return walk.terms(node.named_children, scope)


def _special(walk: Walk, node: Node, function: Node, arguments: Node, scope: int) -> Term:
    """Return the term of a call that is more than one, None for a plain call."""
    name = walk.text_of(function, "property")
    if name in _INDIRECT:
        return _indirect(walk, function, name, arguments, scope)
    if name not in ("assign", "setPrototypeOf", "inherits", "create", "freeze", "seal"):
        return None
    written = walk.text(function)
    terms = () if written not in _MIXING | _CREATING else _arguments(walk, arguments, scope)
    if not terms:
        return None
    if written in _MIXING:
        for base in terms[1:]:
            walk.add(scope, ("mixin", terms[0], base))
    return terms[0]


def _indirect(walk: Walk, function: Node, name: str, arguments: Node, scope: int) -> Term:
    """`f.call(this, x)`, `f.apply(this, xs)`, `f.bind(this)`: f, called or given on."""
    target = function.child_by_field_name("object")
    given = [child for child in arguments.named_children if child.type != "comment"]
    if target is None or not given or given[0].type not in _NO_RECEIVER:
        return None
    callee = walk.term(target, scope)
    terms = walk.terms(given[1:], scope)
    if name == "bind":
        for term in terms:
            walk.add(scope, ("do", term))
        return callee
    if name == "apply":
        terms = tuple(("star", term) for term in terms)
    return ("call", callee, terms, (), _site(walk, function))

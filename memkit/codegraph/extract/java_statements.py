"""Statements in the bodies of Java: locals, loops, resources, what is caught, patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .expressions import bind_each, bind_typed
from .java_patterns import PATTERN_STATEMENTS
from .java_terms import ASSIGNMENTS, arguments
from .java_types import type_of
from .walking import Statements, Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node


_FLAGS = {
    "static": "static",
    "abstract": "abstract",
    "private": "private",
    "public": "exported",
    "final": "constant",
}
# Annotations that the language itself brings.
_OWN = {"Override", "Deprecated", "SuppressWarnings", "FunctionalInterface", "SafeVarargs"}
_TESTS = {"Test", "ParameterizedTest", "RepeatedTest"}


def modifiers(w: Walker, node: Node) -> list[str]:
    """Return the flags of a declaration; its annotations are said to be read."""
    flags: list[str] = []
    first = node.children[0] if node.child_count else None
    if first is None or first.type != "modifiers":
        return flags
    for child in first.children:
        if child.type in _FLAGS:
            flags.append(_FLAGS[child.type])
        elif child.type in ("annotation", "marker_annotation"):
            named = child.child_by_field_name("name")
            if named is None or w.name(named) in _OWN:
                continue
            if w.name(named) in _TESTS:
                flags.append("test")
            w.do(w.term(named))
            given = child.child_by_field_name("arguments")
            if given is not None:
                w.each(given.named_children)
    return flags


def _locals(w: Walker, node: Node) -> None:
    modifiers(w, node)
    kind = type_of(w, node.child_by_field_name("type"))
    for one in node.children_by_field_name("declarator"):
        named, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if named is None:
            continue
        target: Term = ("name", w.name(named))
        w.know(target)
        if kind is not None and kind[0] == "const":
            # Of a number or a truth value no more is to be known than its type.
            w.say("declare", target, kind)
            w.do(w.term(value))
            continue
        if kind is not None:
            w.say("declare", target, kind)
        if value is not None or kind is None:
            w.bind(target, w.term(value))


def _block(w: Walker, node: Node) -> None:
    children = node.named_children
    if any(child.type in _DECLARING for child in children):
        w.block(children)
    else:
        w.each(children)


def _for_each(w: Walker, node: Node) -> None:
    found = fields(node)
    over = w.term(found.get("value"))
    around, w.at = w.at, w.open("block", w.at)
    bind_each(w, found.get("name"), over, type_of(w, found.get("type")))
    if "body" in found:
        w.run(found["body"])
    w.at = around


def _scoped(w: Walker, node: Node) -> None:
    """A statement that declares names for itself alone: `for (…;…;…)`, `try (…)`."""
    w.block(node.named_children)


def _resource(w: Walker, node: Node) -> None:
    found = fields(node)
    named, value = found.get("name"), found.get("value")
    if named is None:
        w.each(node.named_children)
        return
    target, kind = ("name", w.name(named)), type_of(w, found.get("type"))
    w.know(target)
    if kind is not None:
        w.say("declare", target, kind)
    w.bind(target, w.term(value))


def _caught(w: Walker, node: Node) -> None:
    around, w.at = w.at, w.open("block", w.at)
    for child in node.named_children:
        if child.type == "catch_formal_parameter":
            kind = next((c for c in child.named_children if c.type == "catch_type"), None)
            bind_typed(w, child.child_by_field_name("name"), type_of(w, kind))
        else:
            w.run(child)
    w.at = around


def _constructing(w: Walker, node: Node) -> None:
    """`this(…)` and `super(…)` at the beginning of a constructor."""
    which = node.child_by_field_name("constructor")
    given = arguments(w, node.child_by_field_name("arguments"))
    callee: Term = ("super",) if which is not None and which.type == "super" else ("self",)
    w.do(("call", callee, given, (), w.site(which or node)))


def _return(w: Walker, node: Node) -> None:
    for child in node.named_children:
        if "comment" not in child.type and (value := w.term(child)) is not None:
            w.say("return", value)


def _annotated(w: Walker, node: Node) -> None:
    value = node.child_by_field_name("value")
    if value is not None:
        w.run(value)


def _labelled(w: Walker, node: Node) -> None:
    w.each(node.named_children[1:])


def _nothing(w: Walker, node: Node) -> None:
    """Labels and names of packages are no reads."""


_DECLARING = {"local_variable_declaration", "class_declaration", "record_declaration"}
STATEMENTS: Statements = {
    "package_declaration": _nothing,
    "static_initializer": _scoped,
    "local_variable_declaration": _locals,
    "block": _block,
    **PATTERN_STATEMENTS,
    "assignment_expression": ASSIGNMENTS.statement,
    "enhanced_for_statement": _for_each,
    "for_statement": _scoped,
    "try_with_resources_statement": _scoped,
    "resource": _resource,
    "catch_clause": _caught,
    "explicit_constructor_invocation": _constructing,
    "return_statement": _return,
    "labeled_statement": _labelled,
    "break_statement": _nothing,
    "continue_statement": _nothing,
    "module_declaration": _nothing,
    "element_value_pair": _annotated,
}

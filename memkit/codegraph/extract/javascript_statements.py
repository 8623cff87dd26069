"""Statements of JavaScript, which TypeScript shares: declarations, loops, branches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import Term
from .javascript_functions import FUNCTIONS, define_function
from .javascript_modules import (
    bind_required,
    export_name,
    export_statement,
    import_statement,
    require,
)
from .javascript_patterns import PATTERNS, bind_pairs, bind_pattern, destructure, names_in
from .javascript_values import ASKED, VALUES, define_value, unwrapped

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

_CASES = {"switch_case", "switch_default"}
# Declarations that live in the block around them.
_LEXICAL = {
    "lexical_declaration", "class_declaration", "function_declaration",
    "generator_function_declaration", "using_declaration", "abstract_class_declaration",
    "enum_declaration",
}  # fmt: skip


def function(walk: Walk, node: Node, scope: int) -> None:
    """A function declaration, with or without a body."""
    name = walk.text_of(node, "name") or "default"
    flags = ["overload"] if node.child_by_field_name("body") is None else []
    whole = walk.exported or node
    number = define_function(
        walk, node, scope, name, outer=whole, flags=flags, doc=walk.above.take(whole)
    )
    walk.hoist(scope, number, name)
    export_name(walk, name, node, scope)


def class_declaration(walk: Walk, node: Node, scope: int) -> None:
    """A class declaration."""
    name = walk.text_of(node, "name") or "default"
    number = walk.parts.define_class(walk, node, scope, name, walk.exported or node)
    walk.declare(scope, name)
    walk.add(scope, ("define", number))
    export_name(walk, name, node, scope)


def declaration(walk: Walk, node: Node, scope: int) -> None:
    """`const`, `let` and `var`: each declarator is said apart."""
    host = walk.host(scope) if node.type == "variable_declaration" else scope
    constant = node.child_count > 0 and node.children[0].type == "const"
    for child in node.named_children:
        if child.type == "variable_declarator":
            _declarator(walk, node, child, scope, host, constant=constant)
        elif child.type != "comment":
            walk.statement(child, scope)


def _declarator(
    walk: Walk, whole: Node, node: Node, scope: int, host: int, *, constant: bool
) -> None:
    target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None:
        return
    value = None if value is None else unwrapped(walk, value)
    for name, named in names_in(walk, target):
        walk.declare(host, name)
        export_name(walk, name, named, scope)
    if value is not None and _is_import(walk, target, value, host):
        return
    outer = walk.exported or whole
    takes_name = value is not None and value.type in VALUES and target.type == "identifier"
    declared = walk.type(node.child_by_field_name("type"))
    _expect(walk, node, value, declared)
    if value is None or not takes_name or value.type == "object":
        _variables(walk, outer, target, host, declared, constant=constant)
    if declared is not None and target.type == "identifier":
        walk.add(host, ("declare", ("name", walk.text(target)), declared))
    if value is not None:
        _value(walk, target, value, declared, scope, host, outer if takes_name else None)
    elif declared is None and target.type == "identifier":
        # It hides what is further out, whatever it is given later.
        walk.bind(host, walk.text(target), None)


def _expect(walk: Walk, node: Node, value: Node | None, declared: Term) -> None:
    """A function or object that a declarator binds takes what the declared type says."""
    if value is not None and value.type in ASKED:
        walk.asked = declared or walk.asked
        if value.type in FUNCTIONS:
            walk.expected = walk.parts.shape(walk, node.child_by_field_name("type"))


def _is_import(walk: Walk, target: Node, value: Node, host: int) -> bool:
    """Return whether a declarator binds what `require` gives; it is said then."""
    if value.type != "call_expression" or value.children[0].type != "identifier":
        return False
    module = require(walk, value)
    return module is not None and bind_required(walk, target, module, host)


def _value(
    walk: Walk,
    target: Node,
    value: Node,
    declared: Term,
    scope: int,
    host: int,
    named: Node | None,
) -> None:
    """Bind the value of a declarator; one that takes its name is said to be the node `named`."""
    if named is not None:
        term = define_value(walk, value, scope, target, outer=named)
        if term is not None and term[0] == "def" and host == scope:
            walk.add(scope, ("define", term[1]))
        else:
            _bind(walk, target, term, scope, host)
        return
    exported, walk.exported = walk.exported, None
    term = walk.term(value, scope)
    walk.exported = exported
    if declared is not None and target.type in PATTERNS:
        term = ("cast", declared, term)
    _bind(walk, target, term, scope, host)


def _bind(walk: Walk, target: Node, term: Term, scope: int, host: int) -> None:
    if target.type != "identifier":
        if host != scope and term is not None:
            term = ("in", scope, term)
        destructure(walk, target, term, host, declares=True)
    else:
        walk.bind(scope, walk.text(target), term, into=host)


def _variables(
    walk: Walk, whole: Node, target: Node, host: int, declared: Term, *, constant: bool
) -> None:
    """Define the variables of a module or namespace; those of functions are no symbols."""
    if not walk.holds_symbols(host):
        return
    flags = ["constant"] if constant else []
    if walk.exported is not None:
        flags.append("exported")
    doc = walk.above.take(whole)
    for name, node in names_in(walk, target):
        walk.builder.define(
            "variable", name, whole, scope=host, named=node, flags=flags, returns=declared, doc=doc
        )


def block(walk: Walk, node: Node, scope: int) -> None:
    """A block; it is a scope only if something is declared in it."""
    if _declares(node):
        scope = walk.open("block", scope)
    walk.block(node.named_children, scope)


def _declares(node: Node) -> bool:
    """Return whether something is declared in a block, or in a case of a switch."""
    return any(
        child.type in _LEXICAL or (child.type in _CASES and _declares(child))
        for child in node.named_children
    )


def loop_over(walk: Walk, node: Node, scope: int) -> None:
    """`for (const x of xs)`, `for (const k in o)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    body, kind = node.child_by_field_name("body"), node.child_by_field_name("kind")
    operator = node.child_by_field_name("operator")
    if left is None or right is None:
        return
    over = walk.term(right, scope)
    value: Term = ("iter", over, walk.builder.site(right))
    if operator is not None and operator.type == "in":
        walk.add(scope, ("do", over))
        value = None
    declares = kind is not None
    if kind is not None and kind.type != "var":
        scope = walk.open("block", scope)
    if declares and value is not None and left.type == "array_pattern":
        bind_pairs(walk, left, over, right, scope)
    else:
        bind_pattern(walk, left, value, scope, declares=declares)
    if body is not None:
        walk.block(body.named_children if body.type == "statement_block" else (body,), scope)


def loop(walk: Walk, node: Node, scope: int) -> None:
    """`for (let i = 0; …; …)`."""
    first = node.child_by_field_name("initializer")
    if first is not None and first.type == "lexical_declaration":
        scope = walk.open("block", scope)
    walk.block(node.named_children, scope)


def caught(walk: Walk, node: Node, scope: int) -> None:
    """`catch (e) { … }`."""
    parameter, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
    if parameter is not None:
        scope = walk.open("block", scope)
        bind_pattern(walk, parameter, None, scope, declares=True)
    if body is not None:
        walk.block(body.named_children, scope)


def returned(walk: Walk, node: Node, scope: int) -> None:
    """`return x`."""
    for child in node.named_children:
        if child.type != "comment":
            value = walk.term(child, scope)
            if value is not None:
                walk.add(scope, ("return", value))


def transparent(walk: Walk, node: Node, scope: int) -> None:
    """A statement that only holds others and expressions."""
    walk.block(node.named_children, scope)


def expression(walk: Walk, node: Node, scope: int) -> None:
    """An expression that stands alone."""
    walk.evaluate(node.named_children, scope)


def stray_method(walk: Walk, node: Node, scope: int) -> None:
    """A method that a syntax error has cut off its class."""
    name = walk.text_of(node, "name")
    number = define_function(walk, node, scope, name, kind="method", doc=walk.above.take(node))
    walk.add(scope, ("define", number))


STATEMENTS: dict[str, Callable[[Walk, Node, int], None]] = {
    "import_statement": import_statement,
    "export_statement": export_statement,
    "function_declaration": function,
    "generator_function_declaration": function,
    "class_declaration": class_declaration,
    "lexical_declaration": declaration,
    "variable_declaration": declaration,
    "using_declaration": declaration,
    "expression_statement": expression,
    "return_statement": returned,
    "throw_statement": expression,
    "statement_block": block,
    "switch_body": block,
    "for_in_statement": loop_over,
    "for_statement": loop,
    "catch_clause": caught,
    "method_definition": stray_method,
}
# Labels, keys and other leaves that stand for nothing by themselves.
SILENT = (
    "comment", "statement_identifier", "property_identifier", "empty_statement",
    "debugger_statement", "break_statement", "continue_statement", "hash_bang_line", "jsx_text",
    "string_fragment", "escape_sequence", "optional_chain", "import_attribute", "html_comment",
    "jsx_closing_element",
)  # fmt: skip
STATEMENTS.update(dict.fromkeys(SILENT, lambda walk, node, scope: None))

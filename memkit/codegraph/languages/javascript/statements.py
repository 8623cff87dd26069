"""JavaScript: assignments, declarations, loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import MODULE_SCOPE, Term
from ..walker import Statements, is_simple, name_term, nothing, without_comments
from .definitions import (
    FUNCTIONS,
    TYPED_BY_CONTEXT,
    VALUES,
    define_class,
    define_function,
    define_value,
    object_literal,
    unwrapped,
)
from .imports import bind_required, export_name, export_statement, import_statement, require
from .patterns import PATTERNS, bind_pairs, bind_pattern, destructure, names_in
from .walker import JavaScriptWalker

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Assignments.

_JOINING = {"||=", "&&=", "??="}


def assign(walker: JavaScriptWalker, node: Node, *, is_used: bool = True) -> Term:
    """Walk an assignment and return the term that reads its target afterwards.

    It is a statement of its own, then a read of its target; `||=` and its like bind their target,
    `+=` only evaluates.
    """
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    joins = operator is None or operator.type in _JOINING
    if left is None or right is None or not joins:
        walker.run_children(node)
        return None
    if left.type == "parenthesized_expression" and left.named_child_count:
        left = left.named_children[0]
    if walker.is_exports(left):
        return _assign_exports(walker, right)
    value = _assigned_value(walker, left, unwrapped(walker, right))
    if left.type == "member_expression" and walker.name_of(left, "property") == "prototype":
        walker.emit("mixin", walker.evaluate(left), walker.reusable(value))
        return None
    if left.type in PATTERNS:
        destructure(walker, left, value, declares=False)
        return None
    return _bind_target(walker, left, value, is_used=is_used)


def _bind_target(walker: JavaScriptWalker, left: Node, value: Term, *, is_used: bool) -> Term:
    target = walker.evaluate(left)
    if target is None or target[0] not in ("name", "attr", "item"):
        walker.emit("do", value)
        return value
    if target[0] == "name":
        _note_name(walker, target[1], left)
    result: Term = target
    if not is_simple(target):
        result = value = walker.reusable(value) if is_used else value
    walker.emit("bind", target, value)
    return result


def returned(walker: JavaScriptWalker, node: Node) -> None:
    """`return x`: x is of the type that the function is to give back."""
    for child in without_comments(node):
        walker.emit_return(walker.evaluate_as(child, walker.result_type))


def run_assignment(walker: JavaScriptWalker, node: Node) -> None:
    """Walk an assignment whose value is not used."""
    assign(walker, node, is_used=False)


def _assigned_value(walker: JavaScriptWalker, left: Node, right: Node) -> Term:
    if right.type not in VALUES:
        return walker.evaluate(right)
    if left.type in ("identifier", "member_expression", "subscript_expression"):
        return define_value(walker, right, left)
    return walker.evaluate(right)


def _note_name(walker: JavaScriptWalker, name: str, left: Node) -> None:
    """A name that is assigned: one of the module's exports, or a variable."""
    if name.startswith("exports."):
        walker.declare_name(name)
        site = walker.site(left)
        walker.emit_in(MODULE_SCOPE, "export", name.removeprefix("exports."), name, None, site)
    else:
        walker.assigned.append((walker.scope, name))


def _assign_exports(walker: JavaScriptWalker, right: Node) -> Term:
    """`module.exports = …`: the module itself, and the members of an object that is written out."""
    site = walker.site(right)
    name = "module.exports"
    if right.type == "object":
        value: Term = _exported_object(walker, right)
    elif right.type in VALUES:
        value = define_value(walker, right, None)
    else:
        value = walker.evaluate(right)
    walker.bind_name(name, value)
    for outside in ("=", "default"):
        walker.emit_in(MODULE_SCOPE, "export", outside, name, None, site)
    return ("name", name)


def _exported_object(walker: JavaScriptWalker, node: Node) -> Term:
    value = object_literal(walker, node, owner=("name", "module.exports"))
    assert value is not None
    pairs = []
    for key, term in value[1]:
        if key is None or key[0] != "const" or not key[2]:
            pairs.append((key, term))
            continue
        name = f"exports.{key[2]}"
        walker.bind_name(name, term)
        pairs.append((key, ("name", name)))
        site = walker.site(node)
        walker.emit_in(MODULE_SCOPE, "export", str(key[2]), name, None, site)
    return ("dict", tuple(pairs))


# --- Declarations, loops, branches.

_CASES = {"switch_case", "switch_default"}
# Declarations that live in the block around them.
_LEXICAL = {
    "lexical_declaration", "class_declaration", "function_declaration",
    "generator_function_declaration", "using_declaration", "abstract_class_declaration",
    "enum_declaration",
}  # fmt: skip


def function(walker: JavaScriptWalker, node: Node) -> None:
    """A function declaration, with or without a body."""
    name = walker.name_of(node, "name") or "default"
    flags = ["overload"] if node.child_by_field_name("body") is None else []
    whole = walker.exported or node
    doc = walker.comments.take(whole)
    index = define_function(walker, node, name, outer=whole, flags=flags, doc=doc)
    walker.hoist("define", index)
    walker.declare_name(name)
    export_name(walker, name, node)


def class_declaration(walker: JavaScriptWalker, node: Node) -> None:
    """A class declaration."""
    name = walker.name_of(node, "name") or "default"
    index = define_class(walker, node, name, walker.exported or node)
    walker.declare_name(name)
    walker.emit("define", index)
    export_name(walker, name, node)


def declaration(walker: JavaScriptWalker, node: Node) -> None:
    """`const`, `let` and `var`: each declarator by itself."""
    host = walker.host() if node.type == "variable_declaration" else walker.scope
    constant = node.child_count > 0 and node.children[0].type == "const"
    for child in node.named_children:
        if child.type == "variable_declarator":
            _declarator(walker, node, child, host, constant=constant)
        elif child.type != "comment":
            walker.run(child)


def _declarator(
    walker: JavaScriptWalker, whole: Node, node: Node, host: int, *, constant: bool
) -> None:
    target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None:
        return
    value = None if value is None else unwrapped(walker, value)
    for name, named in names_in(walker, target):
        walker.declared.add((host, name))
        export_name(walker, name, named)
    if value is not None and _is_import(walker, target, value, host):
        return
    outer, is_name = walker.exported or whole, target.type == "identifier"
    takes_name = value is not None and value.type in VALUES and is_name
    declared = walker.type(node.child_by_field_name("type"))
    _expect(walker, node, value, declared)
    if value is None or not takes_name or value.type == "object":
        _variables(walker, outer, target, host, declared, constant=constant)
    if value is not None and takes_name:
        # A name of a function is that first, whatever type it is said to be of.
        _bind_named(walker, target, value, declared, host, outer)
    if declared is not None and is_name:
        walker.emit_in(host, "declare", name_term(walker, target), declared)
    if not takes_name and (value is not None or (declared is None and is_name)):
        # Without a value it hides what is further out, whatever it is given later.
        _bind_value(walker, target, value, declared, host)


def _expect(walker: JavaScriptWalker, node: Node, value: Node | None, declared: Term) -> None:
    """A function or object that a declarator binds takes what the declared type says."""
    if value is not None and value.type in TYPED_BY_CONTEXT:
        walker.context_type = declared or walker.context_type
        if value.type in FUNCTIONS:
            walker.expected = walker.callback_types(node.child_by_field_name("type"))


def _is_import(walker: JavaScriptWalker, target: Node, value: Node, host: int) -> bool:
    """Return whether a declarator binds what `require` gives; it is said then."""
    if value.type != "call_expression" or value.children[0].type != "identifier":
        return False
    module = require(walker, value)
    return module is not None and bind_required(walker, target, module, host)


def _bind_named(
    walker: JavaScriptWalker, target: Node, value: Node, declared: Term, host: int, whole: Node
) -> None:
    """Bind a value that takes the name of its target; `whole` is the node of its definition, which
    the declared type stands in."""
    term = define_value(walker, value, target, outer=whole)
    if term is not None and term[0] == "def" and host == walker.scope:
        walker.emit("define", term[1])
    else:
        walker.bind_name(walker.name(target), term, into=host)
    if declared is not None and term is not None and term[0] == "def":
        walker.emit_in(walker.body(term[1]), "do", ("typed", declared))


def _bind_value(
    walker: JavaScriptWalker, target: Node, value: Node | None, declared: Term, host: int
) -> None:
    """Bind the value of a declarator."""
    exported, walker.exported = walker.exported, None
    term = None if value is None else walker.evaluate_as(value, declared)
    walker.exported = exported
    if declared is not None and target.type in PATTERNS:
        term = ("cast", declared, term)
    if target.type == "identifier":
        walker.bind_name(walker.name(target), term, into=host)
        return
    if host != walker.scope and term is not None:
        term = ("in", walker.scope, term)
    with walker.in_scope(host):
        destructure(walker, target, term, declares=True)


def _variables(
    walker: JavaScriptWalker,
    whole: Node,
    target: Node,
    host: int,
    declared: Term,
    *,
    constant: bool,
) -> None:
    """Define the variables of a module or namespace; those of functions are no symbols."""
    if host not in walker.namespaces:
        return
    flags = ["constant"] if constant else []
    if walker.exported is not None:
        flags.append("exported")
    doc = walker.comments.take(whole)
    for name, node in names_in(walker, target):
        walker.define(
            "variable", name, whole, scope=host, named=node, flags=flags, returns=declared, doc=doc
        )


def block(walker: JavaScriptWalker, node: Node) -> None:
    """A block; it is a scope only if something is declared in it."""
    with walker.in_block(when=_declares(node)):
        walker.run_all(node.named_children)


def _declares(node: Node) -> bool:
    """Return whether something is declared in a block, or in a case of a switch."""
    return any(
        child.type in _LEXICAL or (child.type in _CASES and _declares(child))
        for child in node.named_children
    )


def loop_over(walker: JavaScriptWalker, node: Node) -> None:
    """`for (const x of xs)`, `for (const k in o)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    body, kind = node.child_by_field_name("body"), node.child_by_field_name("kind")
    operator = node.child_by_field_name("operator")
    if left is None or right is None:
        return
    over = walker.evaluate(right)
    value: Term = ("iter", over, walker.site(right))
    if operator is not None and operator.type == "in":
        walker.emit("do", over)
        value = None
    with walker.in_block(when=kind is not None and kind.type != "var"):
        if kind is not None and value is not None and left.type == "array_pattern":
            bind_pairs(walker, left, over, right)
        else:
            bind_pattern(walker, left, value, declares=kind is not None)
        if body is not None:
            is_block = body.type == "statement_block"
            walker.run_all(body.named_children if is_block else (body,))


def loop(walker: JavaScriptWalker, node: Node) -> None:
    """`for (let i = 0; …; …)`."""
    first = node.child_by_field_name("initializer")
    with walker.in_block(when=first is not None and first.type == "lexical_declaration"):
        walker.run_all(node.named_children)


def caught(walker: JavaScriptWalker, node: Node) -> None:
    """`catch (e) { … }`."""
    parameter, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
    with walker.in_block(when=parameter is not None):
        if parameter is not None:
            bind_pattern(walker, parameter, None, declares=True)
        if body is not None:
            walker.run_all(body.named_children)


def transparent(walker: JavaScriptWalker, node: Node) -> None:
    """A statement that only holds others and expressions."""
    walker.run_all(node.named_children)


def stray_method(walker: JavaScriptWalker, node: Node) -> None:
    """A method that a syntax error has cut off its class."""
    name, doc = walker.name_of(node, "name"), walker.comments.take(node)
    index = define_function(walker, node, name, kind="method", doc=doc)
    walker.emit("define", index)


# Labels, keys and other leaves that mean nothing by themselves.
_SILENT = (
    "comment", "statement_identifier", "property_identifier", "empty_statement",
    "debugger_statement", "break_statement", "continue_statement", "hash_bang_line", "jsx_text",
    "string_fragment", "escape_sequence", "optional_chain", "import_attribute", "html_comment",
    "jsx_closing_element",
)  # fmt: skip
STATEMENTS: Statements = {
    "import_statement": import_statement,
    "export_statement": export_statement,
    "function_declaration": function,
    "generator_function_declaration": function,
    "class_declaration": class_declaration,
    "lexical_declaration": declaration,
    "variable_declaration": declaration,
    "using_declaration": declaration,
    "assignment_expression": run_assignment,
    "augmented_assignment_expression": run_assignment,
    "expression_statement": JavaScriptWalker.run_children,
    "return_statement": returned,
    "throw_statement": JavaScriptWalker.run_children,
    "statement_block": block,
    "switch_body": block,
    "for_in_statement": loop_over,
    "for_statement": loop,
    "catch_clause": caught,
    "method_definition": stray_method,
    **dict.fromkeys(_SILENT, nothing),
}

"""Declarations, loops, destructuring, assignment targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...facts import MODULE_SCOPE, Term
from ..facts_builder import DEEPEST
from ..walker import is_simple
from .definitions import (
    FUNCTIONS,
    TYPED_BY_CONTEXT,
    VALUES,
    define_function,
    define_value,
    object_literal,
    unwrapped,
)
from .imports import bind_required, export_name, export_statement, import_statement, require

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import JavaScriptWalker


# --- What is bound: targets of assignments, destructuring, and assignments themselves.

PATTERNS = {"object_pattern", "array_pattern"}
_DEEPEST_FLAT = 8
_NAMES = {"identifier", "shorthand_property_identifier_pattern"}


def assign(walker: JavaScriptWalker, left: Node, right: Node, scope: int) -> Term:
    """Walk an assignment and return the term that reads its target afterwards."""
    is_asked = left.start_byte != walker.unasked
    if left.type == "parenthesized_expression" and left.named_child_count:
        left = left.named_children[0]
    if walker.is_exports(left):
        return _assign_exports(walker, right, scope)
    value = _assigned_value(walker, left, unwrapped(walker, right), scope)
    if left.type == "member_expression" and walker.text_of(left, "property") == "prototype":
        walker.add(scope, ("mixin", walker.term(left, scope), walker.held(value, scope)))
        return None
    if left.type in PATTERNS:
        destructure(walker, left, value, scope, declares=False)
        return None
    target = walker.term(left, scope)
    if target is None or target[0] not in ("name", "attr", "item"):
        walker.add(scope, ("do", value))
        return value
    if target[0] == "name":
        _note_name(walker, target[1], left, scope)
    result: Term = target
    if not is_simple(target):
        result = value = walker.held(value, scope) if is_asked else value
    walker.add(scope, ("bind", target, value))
    return result


def destructure(
    walker: JavaScriptWalker, pattern: Node, value: Term, scope: int, *, declares: bool
) -> None:
    """Bind what a pattern takes out of a value; `declares`: in the scope given."""
    if walker.depth >= DEEPEST:
        return
    walker.depth += 1
    _destructure(walker, pattern, value, scope, declares=declares)
    walker.depth -= 1


def _destructure(
    walker: JavaScriptWalker, pattern: Node, value: Term, scope: int, *, declares: bool
) -> None:
    if pattern.type == "array_pattern" and _is_flat(pattern):
        walker.add(scope, ("bind", _flat_target(walker, pattern, scope, declares=declares), value))
        return
    value = walker.held(value, scope)
    parts = _array_parts if pattern.type == "array_pattern" else _object_parts
    for target, part in parts(walker, pattern, value, scope):
        bind_pattern(walker, target, part, scope, declares=declares)


def bind_pattern(
    walker: JavaScriptWalker, target: Node, value: Term, scope: int, *, declares: bool
) -> None:
    """Bind a name, a member or a nested pattern, with its default, to a value."""
    if target.type in ("assignment_pattern", "object_assignment_pattern"):
        left, right = target.child_by_field_name("left"), target.child_by_field_name("right")
        if left is None or right is None:
            return
        value = ("either", (value, walker.term(right, scope)))
        target = left
    if target.type in PATTERNS:
        destructure(walker, target, value, scope, declares=declares)
    elif target.type in _NAMES:
        name = walker.text(target)
        _declare_or_assign(walker, name, scope, declares=declares)
        walker.add(scope, ("bind", ("name", name), value))
    elif (target_term := walker.term(target, scope)) is not None:
        walker.add(scope, ("bind", target_term, value))


def bind_pairs(walker: JavaScriptWalker, pattern: Node, over: Term, node: Node, scope: int) -> None:
    """`for (const [a, b] of x)`: parts of an element; of a mapping a key and its value."""
    held = walker.held(over, scope)
    whole = walker.held(("iter", held, walker.builder.site(node)), scope)
    other = (whole, ("item", held, None))
    for target, part in _array_parts(walker, pattern, whole, scope):
        assert part is not None
        place = part[2][2] if part[0] == "item" else len(other)
        value: Term = ("either", (part, other[place])) if place < len(other) else part
        bind_pattern(walker, target, value, scope, declares=True)


def names_in(walker: JavaScriptWalker, pattern: Node) -> list[tuple[str, Node]]:
    """Return the names that a pattern binds, with their nodes."""
    names, left = [], [pattern]
    while left:
        node = left.pop()
        if node.type in _NAMES:
            names.append((walker.text(node), node))
        elif node.type in ("assignment_pattern", "object_assignment_pattern"):
            left += [child for child in (node.child_by_field_name("left"),) if child]
        elif node.type == "pair_pattern":
            left += [child for child in (node.child_by_field_name("value"),) if child]
        elif node.type in PATTERNS or node.type == "rest_pattern":
            left += reversed(node.named_children)
    return names


def _assigned_value(walker: JavaScriptWalker, left: Node, right: Node, scope: int) -> Term:
    if right.type not in VALUES:
        return walker.term(right, scope)
    if left.type in ("identifier", "member_expression", "subscript_expression"):
        return define_value(walker, right, scope, left)
    return walker.term(right, scope)


def _note_name(walker: JavaScriptWalker, name: str, left: Node, scope: int) -> None:
    """A name that is assigned: one of the module's exports, or a variable."""
    if name.startswith("exports."):
        walker.declare(scope, name)
        site = walker.builder.site(left)
        walker.add(MODULE_SCOPE, ("export", name.removeprefix("exports."), name, None, site))
    else:
        walker.assigned(scope, name)


def _assign_exports(walker: JavaScriptWalker, right: Node, scope: int) -> Term:
    """`module.exports = …`: the module itself, and the members of an object that is written out."""
    site = walker.builder.site(right)
    name = "module.exports"
    if right.type == "object":
        value: Term = _exported_object(walker, right, scope)
    elif right.type in VALUES:
        value = define_value(walker, right, scope, None)
    else:
        value = walker.term(right, scope)
    walker.bind(scope, name, value)
    for outside in ("=", "default"):
        walker.add(MODULE_SCOPE, ("export", outside, name, None, site))
    return ("name", name)


def _exported_object(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    value = object_literal(walker, node, scope, owner=("name", "module.exports"))
    assert value is not None
    members = []
    for key, term in value[1]:
        if key is None or key[0] != "const" or not key[2]:
            members.append((key, term))
            continue
        name = f"exports.{key[2]}"
        walker.bind(scope, name, term)
        members.append((key, ("name", name)))
        export = ("export", str(key[2]), name, None, walker.builder.site(node))
        walker.add(MODULE_SCOPE, export)
    return ("dict", tuple(members))


def _declare_or_assign(walker: JavaScriptWalker, name: str, scope: int, *, declares: bool) -> None:
    if declares:
        walker.declare(scope, name)
    else:
        walker.assigned(scope, name)


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


def _flat_target(walker: JavaScriptWalker, pattern: Node, scope: int, *, declares: bool) -> Term:
    targets: list[Term] = []
    for child in pattern.named_children:
        if child.type == "array_pattern":
            targets.append(_flat_target(walker, child, scope, declares=declares))
            continue
        rest = child.type == "rest_pattern"
        name = walker.text(child.named_children[0] if rest else child)
        _declare_or_assign(walker, name, scope, declares=declares)
        targets.append(("star", ("name", name)) if rest else ("name", name))
    return ("tuple", tuple(targets))


def _array_parts(
    walker: JavaScriptWalker, pattern: Node, value: Term, scope: int
) -> list[tuple[Node, Term]]:
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


def _object_parts(
    walker: JavaScriptWalker, pattern: Node, value: Term, scope: int
) -> list[tuple[Node, Term]]:
    parts: list[tuple[Node, Term]] = []
    for child in pattern.named_children:
        if child.type == "pair_pattern":
            key, target = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or target is None:
                continue
            if key.type == "property_identifier":
                parts.append((target, ("attr", value, walker.text(key))))
            else:
                parts.append((target, ("item", value, walker.term(key, scope))))
        elif child.type == "rest_pattern":
            parts.append((child.named_children[0], value))
        elif child.type == "object_assignment_pattern":
            parts.append((child, ("attr", value, walker.text_of(child, "left"))))
        elif child.type in _NAMES:
            parts.append((child, ("attr", value, walker.text(child))))
    return parts


# --- Statements of JavaScript, which TypeScript shares: declarations, loops, branches.

_CASES = {"switch_case", "switch_default"}
# Declarations that live in the block around them.
_LEXICAL = {
    "lexical_declaration", "class_declaration", "function_declaration",
    "generator_function_declaration", "using_declaration", "abstract_class_declaration",
    "enum_declaration",
}  # fmt: skip


def function(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """A function declaration, with or without a body."""
    name = walker.text_of(node, "name") or "default"
    flags = ["overload"] if node.child_by_field_name("body") is None else []
    whole = walker.exported or node
    number = define_function(
        walker, node, scope, name, outer=whole, flags=flags, doc=walker.above.take(whole)
    )
    walker.hoist(scope, number, name)
    export_name(walker, name, node, scope)


def class_declaration(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """A class declaration."""
    name = walker.text_of(node, "name") or "default"
    number = walker.parts.define_class(walker, node, scope, name, walker.exported or node)
    walker.declare(scope, name)
    walker.add(scope, ("define", number))
    export_name(walker, name, node, scope)


def declaration(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`const`, `let` and `var`: each declarator is said apart."""
    host = walker.host(scope) if node.type == "variable_declaration" else scope
    constant = node.child_count > 0 and node.children[0].type == "const"
    for child in node.named_children:
        if child.type == "variable_declarator":
            _declarator(walker, node, child, scope, host, constant=constant)
        elif child.type != "comment":
            walker.statement(child, scope)


def _declarator(
    walker: JavaScriptWalker, whole: Node, node: Node, scope: int, host: int, *, constant: bool
) -> None:
    target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if target is None:
        return
    value = None if value is None else unwrapped(walker, value)
    for name, named in names_in(walker, target):
        walker.declare(host, name)
        export_name(walker, name, named, scope)
    if value is not None and _is_import(walker, target, value, host):
        return
    outer = walker.exported or whole
    takes_name = value is not None and value.type in VALUES and target.type == "identifier"
    declared = walker.type(node.child_by_field_name("type"))
    _expect(walker, node, value, declared)
    if value is None or not takes_name or value.type == "object":
        _variables(walker, outer, target, host, declared, constant=constant)
    if declared is not None and target.type == "identifier":
        walker.add(host, ("declare", ("name", walker.text(target)), declared))
    if value is not None:
        _value(walker, target, value, declared, scope, host, outer if takes_name else None)
    elif declared is None and target.type == "identifier":
        # It hides what is further out, whatever it is given later.
        walker.bind(host, walker.text(target), None)


def _expect(walker: JavaScriptWalker, node: Node, value: Node | None, declared: Term) -> None:
    """A function or object that a declarator binds takes what the declared type says."""
    if value is not None and value.type in TYPED_BY_CONTEXT:
        walker.context_type = declared or walker.context_type
        if value.type in FUNCTIONS:
            walker.expected = walker.parts.shape(walker, node.child_by_field_name("type"))


def _is_import(walker: JavaScriptWalker, target: Node, value: Node, host: int) -> bool:
    """Return whether a declarator binds what `require` gives; it is said then."""
    if value.type != "call_expression" or value.children[0].type != "identifier":
        return False
    module = require(walker, value)
    return module is not None and bind_required(walker, target, module, host)


def _value(
    walker: JavaScriptWalker,
    target: Node,
    value: Node,
    declared: Term,
    scope: int,
    host: int,
    named: Node | None,
) -> None:
    """Bind the value of a declarator; one that takes its name is said to be the node `named`."""
    if named is not None:
        term = define_value(walker, value, scope, target, outer=named)
        if term is not None and term[0] == "def" and host == scope:
            walker.add(scope, ("define", term[1]))
        else:
            _bind(walker, target, term, scope, host)
        return
    exported, walker.exported = walker.exported, None
    term = walker.term(value, scope)
    walker.exported = exported
    if declared is not None and target.type in PATTERNS:
        term = ("cast", declared, term)
    _bind(walker, target, term, scope, host)


def _bind(walker: JavaScriptWalker, target: Node, term: Term, scope: int, host: int) -> None:
    if target.type != "identifier":
        if host != scope and term is not None:
            term = ("in", scope, term)
        destructure(walker, target, term, host, declares=True)
    else:
        walker.bind(scope, walker.text(target), term, into=host)


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
    if not walker.holds_symbols(host):
        return
    flags = ["constant"] if constant else []
    if walker.exported is not None:
        flags.append("exported")
    doc = walker.above.take(whole)
    for name, node in names_in(walker, target):
        walker.builder.define(
            "variable", name, whole, scope=host, named=node, flags=flags, returns=declared, doc=doc
        )


def block(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """A block; it is a scope only if something is declared in it."""
    if _declares(node):
        scope = walker.open("block", scope)
    walker.block(node.named_children, scope)


def _declares(node: Node) -> bool:
    """Return whether something is declared in a block, or in a case of a switch."""
    return any(
        child.type in _LEXICAL or (child.type in _CASES and _declares(child))
        for child in node.named_children
    )


def loop_over(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`for (const x of xs)`, `for (const k in o)`."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    body, kind = node.child_by_field_name("body"), node.child_by_field_name("kind")
    operator = node.child_by_field_name("operator")
    if left is None or right is None:
        return
    over = walker.term(right, scope)
    value: Term = ("iter", over, walker.builder.site(right))
    if operator is not None and operator.type == "in":
        walker.add(scope, ("do", over))
        value = None
    declares = kind is not None
    if kind is not None and kind.type != "var":
        scope = walker.open("block", scope)
    if declares and value is not None and left.type == "array_pattern":
        bind_pairs(walker, left, over, right, scope)
    else:
        bind_pattern(walker, left, value, scope, declares=declares)
    if body is not None:
        walker.block(body.named_children if body.type == "statement_block" else (body,), scope)


def loop(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`for (let i = 0; …; …)`."""
    first = node.child_by_field_name("initializer")
    if first is not None and first.type == "lexical_declaration":
        scope = walker.open("block", scope)
    walker.block(node.named_children, scope)


def caught(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`catch (e) { … }`."""
    parameter, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
    if parameter is not None:
        scope = walker.open("block", scope)
        bind_pattern(walker, parameter, None, scope, declares=True)
    if body is not None:
        walker.block(body.named_children, scope)


def returned(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`return x`."""
    for child in node.named_children:
        if child.type != "comment":
            value = walker.term(child, scope)
            if value is not None:
                walker.add(scope, ("return", value))


def transparent(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """A statement that only holds others and expressions."""
    walker.block(node.named_children, scope)


def expression(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """An expression that stands alone."""
    walker.evaluate(node.named_children, scope)


def stray_method(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """A method that a syntax error has cut off its class."""
    name = walker.text_of(node, "name")
    number = define_function(walker, node, scope, name, kind="method", doc=walker.above.take(node))
    walker.add(scope, ("define", number))


STATEMENTS: dict[str, Callable[[JavaScriptWalker, Node, int], None]] = {
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
STATEMENTS.update(dict.fromkeys(SILENT, lambda walker, node, scope: None))

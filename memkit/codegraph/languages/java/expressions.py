"""Java: types, expressions, statements and patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...dialect import words
from ...facts import Param, Term
from ..walker import (
    MAX_DEPTH,
    Assignments,
    Expressions,
    Statements,
    SyntaxWalker,
    applied,
    bind_each,
    bind_typed,
    block,
    cast_to,
    child_of_type,
    children_of,
    conditional,
    evaluate_once,
    fields,
    first_child,
    labelled,
    last_value,
    list_of,
    list_term,
    name_term,
    nothing,
    operands,
    own_block,
    qualified_import,
    return_statement,
    run_callbacks,
    short_text,
    signature_end,
    union,
    without_comments,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Types, parameters and qualified names.

_MAX_DEPTH = 12
_PRIMITIVE = frozenset({"integral_type", "floating_point_type", "boolean_type"})
_NAMES = _PRIMITIVE | {"type_identifier", "identifier"}
# Equal terms are one object: there are very many.
_ANNOTATION = re.compile(r"@\w+(?:\([^()]*\))?")
_NUMBERS: dict[str, Term] = {}


class JavaWalker(SyntaxWalker):
    """Walker of Java: knows the switch that it is in.

    Attributes:
        yielded: values that the switch gives, as far as it has been walked.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.yielded: list[Term] = []


def type_of(walker: SyntaxWalker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type, None for `var` and what names no class.

    A primitive type is a constant of its name.
    """
    if node is None or depth > _MAX_DEPTH:
        return None
    kind = node.type
    if kind in _NAMES:
        return _named(walker, node, kind)
    if kind in ("scoped_type_identifier", "scoped_identifier"):
        return _qualified(walker, node)
    if kind == "generic_type":
        return _generic(walker, node, depth)
    if kind == "array_type":
        return list_of(type_of(walker, node.child_by_field_name("element"), depth + 1))
    if kind in ("annotated_type", "wildcard", "type_bound", "catch_type"):
        inner = [child for child in node.named_children if "annotation" not in child.type]
        return union([type_of(walker, child, depth + 1) for child in inner])
    return None


def _named(walker: SyntaxWalker, node: Node, kind: str) -> Term:
    name = walker.name(node)
    if kind in _PRIMITIVE:
        return _NUMBERS.setdefault(name, ("const", name, None))
    if name in walker.bounds:
        return walker.bounds[name]
    return None if name == "var" else ("name", name)


def _generic(walker: SyntaxWalker, node: Node, depth: int) -> Term:
    parts = node.named_children
    base = type_of(walker, parts[0], depth + 1) if parts else None
    if base is None or len(parts) < 2 or not parts[1].named_child_count:
        return base
    return applied(base, [type_of(walker, child, depth + 1) for child in parts[1].named_children])


def _qualified(walker: SyntaxWalker, node: Node) -> Term:
    """Return the term of a dotted name; one that begins with a package is imported on the way."""
    names = "".join(_ANNOTATION.sub("", walker.text(node)).split()).split(".")
    size = next((n for n, name in enumerate(names) if name[:1].isupper()), 0)
    if size and size < len(names):
        term = qualified_import(walker, ".".join(names[:size]), names[size], node)
        names = names[size + 1 :]
    else:
        term, names = ("name", names[0]), names[1:]
    for name in names:
        term = ("attr", term, name)
    return term


def parameters(walker: SyntaxWalker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method, a record or a lambda."""
    if node is None:
        return ()
    if node.type == "identifier":
        return (Param(walker.name(node), None, None, ""),)
    params = []
    for child in node.named_children:
        if child.type == "identifier":
            params.append(Param(walker.name(child), None, None, ""))
        elif child.type == "formal_parameter":
            named = child.child_by_field_name("name")
            if named is not None:
                kind = type_of(walker, child.child_by_field_name("type"))
                params.append(Param(walker.name(named), kind, None, ""))
        elif child.type == "spread_parameter":
            params += _spread(walker, child)
    return tuple(params)


def _spread(walker: SyntaxWalker, node: Node) -> list[Param]:
    kind: Term = None
    for child in node.named_children:
        if child.type == "variable_declarator":
            named = child.child_by_field_name("name")
            return [Param(walker.name(named), kind, None, "*")] if named is not None else []
        if child.type != "modifiers":
            kind = type_of(walker, child)
    return []


# --- Patterns and switches.


def _match(walker: JavaWalker, node: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what it compares with is read."""
    kind = node.type
    if depth > MAX_DEPTH:
        walker.defer(node)
    elif kind in ("type_pattern", "record_pattern_component"):
        _typed(walker, node, value)
    elif kind == "record_pattern":
        _record(walker, node, depth + 1)
    elif kind in ("pattern", "switch_label"):
        for child in node.named_children:
            _match(walker, child, value, depth + 1)
    elif kind == "identifier":
        _constant(walker, node, value)
    elif kind != "underscore_pattern":
        walker.run(node)


def _constant(walker: JavaWalker, node: Node, value: Term) -> None:
    """`case NAME`: a constant in sight, or of the enum that the value is of."""
    name = walker.name(node)
    walker.discard(("name", name))
    walker.discard(("attr", value, name, walker.site(node)))


def _typed(walker: JavaWalker, node: Node, value: Term) -> None:
    """`T x`, and `var x`, which is what stands there."""
    parts = [child for child in node.named_children if child.type != "modifiers"]
    if len(parts) < 2:
        return
    kind = type_of(walker, parts[-2])
    walker.discard(kind)
    if kind is not None:
        bind_typed(walker, parts[-1], kind)
    elif parts[-1].type == "identifier":
        walker.bind(name_term(walker, parts[-1]), value)


def _record(walker: JavaWalker, node: Node, depth: int) -> None:
    """`T(A a, var b)`: a record has its components under the numbers of their places, too."""
    kind = type_of(walker, first_child(node))
    walker.discard(kind)
    whole: Term = ("typed", kind) if kind is not None else None
    for body in node.named_children[1:]:
        for position, part in enumerate(body.named_children):
            _match(walker, part, ("attr", whole, str(position)), depth)


def _instanceof(walker: JavaWalker, node: Node) -> Term:
    parts = fields(node)
    left = parts.get("left")
    value = evaluate_once(walker, left)
    kind = type_of(walker, parts.get("right"))
    walker.discard(kind)
    if "name" in parts:
        bind_typed(walker, parts["name"], kind)
    elif left is not None and left.type == "identifier":
        walker.narrow(walker.name(left), kind)
    if "pattern" in parts:
        _match(walker, parts["pattern"], value)
    return None


def _classes_compared(walker: SyntaxWalker, sides: Sequence[Node]) -> None:
    """`x.getClass() == T.class`: x is checked to be a T."""
    for literal, other in zip(sides, reversed(sides), strict=True):
        if literal.type == "class_literal":
            _checked(walker, literal, _get_class_receiver(walker, other))


def _class_checked(walker: SyntaxWalker, literal: Node | None, argument_list: Node | None) -> None:
    """`T.class.isInstance(x)`, `T.class.isAssignableFrom(x.getClass())`: the same."""
    if literal is None or literal.type != "class_literal" or argument_list is None:
        return
    for child in argument_list.named_children[:1]:
        _checked(
            walker,
            literal,
            child if child.type == "identifier" else _get_class_receiver(walker, child),
        )


def _get_class_receiver(walker: SyntaxWalker, node: Node) -> Node | None:
    """Return the name whose class a call asks for."""
    named, inner = node.child_by_field_name("name"), node.child_by_field_name("object")
    is_name = named is not None and inner is not None and inner.type == "identifier"
    return inner if is_name and named is not None and walker.name(named) == "getClass" else None


def _checked(walker: SyntaxWalker, literal: Node, named: Node | None) -> None:
    if named is not None and literal.named_child_count:
        walker.narrow(walker.name(named), type_of(walker, literal.named_children[0]))


def _switch(walker: JavaWalker, node: Node) -> Term:
    """A switch: the values of its arms where it is an expression."""
    value = evaluate_once(walker, node.child_by_field_name("condition"))
    values: list[Term] = []
    body = node.child_by_field_name("body")
    with walker.having(yielded=values):
        for arm in children_of(body):
            with walker.in_block(when=_binds(arm)) as outer:
                _arm(walker, arm, value, outer)
    known = tuple([term for term in values if term is not None])
    return ("either", known) if known else None


def _arm(walker: JavaWalker, arm: Node, value: Term, outer: int) -> None:
    for child in without_comments(arm):
        if child.type == "switch_label":
            _match(walker, child, value)
        elif arm.type == "switch_rule" and child.type == "expression_statement":
            _give(walker, last_value(walker, child), outer)
        else:
            walker.run(child)


def _give(walker: JavaWalker, value: Term, outer: int) -> None:
    """Take a value for one of those that a switch gives."""
    if value is not None and walker.scope != outer:
        value = ("in", walker.scope, value)
    walker.yielded.append(value)


def _yield(walker: JavaWalker, node: Node) -> None:
    for child in without_comments(node):
        _give(walker, walker.evaluate(child), -1)


def _binds(arm: Node) -> bool:
    label = first_child(arm)
    if label is None or label.type != "switch_label":
        return False
    is_group = arm.type == "switch_block_statement_group"
    return any(child.type == "pattern" for child in label.named_children) or (
        is_group and any(child.type in _DECLARING for child in arm.named_children)
    )


# Methods of a class that check whether something is of it.
_CLASS_CHECKS = frozenset({"isInstance", "isAssignableFrom"})


# --- Expressions.

_CLASS = re.compile(r"[A-Z]\w*[a-z]\w*$|[A-Z]$")
# Methods of collections, streams and optionals that call what they are given with one element.
_RUNNING = frozenset(
    """
    forEach filter map flatMap peek anyMatch allMatch noneMatch removeIf takeWhile dropWhile
    mapToInt mapToLong mapToDouble mapToObj ifPresent ifPresentOrElse
    """.split()
)
# Sides of a sum that may be a constant text.
_JOINED = tuple(
    {"string_literal", *names}
    for names in ((), ("identifier",), ("field_access",), ("identifier", "field_access"))
)
# Literals by the types that they are of; a letter at the end may say another.
_LITERALS = {
    "decimal_integer_literal": "int",
    "hex_integer_literal": "int",
    "octal_integer_literal": "int",
    "binary_integer_literal": "int",
    "decimal_floating_point_literal": "double",
    "hex_floating_point_literal": "double",
    "character_literal": "char",
    "true": "boolean",
    "false": "boolean",
    "null_literal": "none",
}
_SUFFIXES = {(108, "int"): "long", (76, "int"): "long", (102, "double"): "float"}


def _lambda_term(walker: SyntaxWalker, node: Node) -> Term:
    """`x -> …`: what it gives back is what its expression is."""
    params = parameters(walker, node.child_by_field_name("parameters"))
    body = node.child_by_field_name("body")
    index = walker.define(
        "function", "<lambda>", node, body="function", params=params,
        header=signature_end(node, body),
    )  # fmt: skip
    walker.run_definition(index, body, params)
    return ("def", index)


def _assign_to(walker: SyntaxWalker, target: Term, value: Term) -> None:
    """Bind a target; a name that no local variable has is a field of this object."""
    if target is not None and target[0] == "name" and target[1] not in walker.locals:
        target = ("attr", ("self",), target[1])
    if target is None or target[0] not in ("name", "attr", "item"):
        walker.discard(value)
    else:
        walker.assign(target, value)


def _literal(walker: SyntaxWalker, node: Node) -> Term:
    kind = _LITERALS[node.type]
    return ("const", _SUFFIXES.get((walker.source[node.end_byte - 1], kind), kind), None)


def _string(walker: SyntaxWalker, node: Node) -> Term:
    for child in node.named_children:
        if child.type == "string_interpolation":
            walker.run(child)
    return short_text(walker.text(node).strip('"'))


def _field(walker: SyntaxWalker, node: Node) -> Term:
    inner, named = node.child_by_field_name("object"), node.child_by_field_name("field")
    if inner is None or named is None:
        return None
    if named.type == "this":
        return ("typed", type_of(walker, inner))
    name = walker.name(named)
    if inner.type in ("field_access", "identifier") and _CLASS.match(name):
        names = "".join(walker.text(inner).split()).split(".")
        is_package = all(part.islower() for part in names) and names[0] not in walker.locals
        if is_package and len(names) > 1:
            return qualified_import(walker, ".".join(names), name, node)
    return ("attr", walker.evaluate(inner), name)


def _call(walker: SyntaxWalker, node: Node) -> Term:
    parts = fields(node)
    named, inner = parts.get("name"), parts.get("object")
    if named is None:
        return None
    name = walker.name(named)
    # A local variable of the same name does not hide a method.
    callee: Term = ("attr", ("self",), name) if name in walker.locals else ("name", name)
    if inner is not None:
        through_super = any(child.type == "super" for child in node.children[1:4])
        value: Term = ("typed", type_of(walker, inner)) if through_super else walker.evaluate(inner)
        callee = ("attr", value, name)
    args, site = walker.evaluate_children(parts.get("arguments")), walker.site(named)
    if name in _CLASS_CHECKS:
        _class_checked(walker, inner, parts.get("arguments"))
    if name in _RUNNING and inner is not None:
        return run_callbacks(walker, callee, args, site)
    return ("call", callee, args, (), site)


def _new(walker: SyntaxWalker, node: Node) -> Term:
    kind = node.child_by_field_name("type")
    args = walker.evaluate_children(node.child_by_field_name("arguments"))
    kind_term = type_of(walker, kind)
    first = first_child(node)
    if first is not None and kind is not None and first.start_byte < kind.start_byte:
        walker.run(first)
    body = node.named_children[-1]
    if body.type == "class_body":
        index = walker.define(
            "class", "<anonymous>", node, body="class", header=body.start_byte,
            bases=[kind_term] if kind_term is not None else [],
        )  # fmt: skip
        walker.run_definition(index, body)
        kind_term = ("def", index)
    return ("new", kind_term, args, (), walker.site(kind or node))


def _new_array(walker: SyntaxWalker, node: Node) -> Term:
    if (value := node.child_by_field_name("value")) is not None:
        return walker.evaluate(value)
    for child in node.named_children:
        if child.type == "dimensions_expr":
            walker.run_all(child.named_children)
    return ("typed", list_of(type_of(walker, node.child_by_field_name("type"))))


def _access(walker: SyntaxWalker, node: Node) -> Term:
    return ("item", walker.evaluate_field(node, "array"), walker.evaluate_field(node, "index"))


_ASSIGNMENTS = Assignments(("=",), _assign_to)


def _binary(walker: SyntaxWalker, node: Node) -> Term:
    """Both sides are evaluated; names and texts that are joined may be the name of something."""
    sides, joins = operands(node, "+")
    if joins and {side.type for side in sides} in _JOINED:
        return ("join", tuple([walker.evaluate(side) for side in sides]))
    if len(sides) == 2 and "class_literal" in (sides[0].type, sides[1].type):
        _classes_compared(walker, sides)
    for side in sides:
        walker.discard(walker.evaluate(side))
    return None


def _reference(walker: SyntaxWalker, node: Node) -> Term:
    """`T::new` are the class's constructors, `x::f` is a member."""
    parts = node.named_children
    if not parts:
        return None
    first = parts[0]
    value = walker.evaluate(first) if "type" not in first.type else type_of(walker, first)
    if node.children[-1].type == "new":
        return ("attr", value, "<init>")
    return ("attr", value, walker.name(parts[-1]))


def _class_literal(walker: SyntaxWalker, node: Node) -> Term:
    """`T.class`, `int.class`; an array's class tells nothing."""
    kind = type_of(walker, first_child(node))
    if kind is not None and kind[0] in ("name", "attr", "const"):
        return ("typeof", kind)
    walker.discard(kind)
    return None


EXPRESSIONS: Expressions = {
    "identifier": name_term,
    "type_identifier": name_term,
    "scoped_identifier": _qualified,
    "this": lambda walker, node: ("self",),
    "super": lambda walker, node: ("super",),
    "string_literal": _string,
    "field_access": _field,
    "method_invocation": _call,
    "object_creation_expression": _new,
    "array_initializer": list_term,
    "array_creation_expression": _new_array,
    "array_access": _access,
    "parenthesized_expression": last_value,
    "condition": last_value,
    "cast_expression": cast_to(type_of),
    "ternary_expression": conditional,
    "assignment_expression": _ASSIGNMENTS.evaluate,
    "binary_expression": _binary,
    "lambda_expression": _lambda_term,
    "method_reference": _reference,
    "class_literal": _class_literal,
    "instanceof_expression": _instanceof,
    "switch_expression": _switch,
    **dict.fromkeys(_LITERALS, _literal),
}


# --- Statements: locals, loops, resources, caught exceptions.

_FLAGS = {
    "static": "static",
    "abstract": "abstract",
    "private": "private",
    "public": "exported",
    "final": "constant",
}
# Annotations that the language itself brings.
_OWN = {"Override", "Deprecated", "SuppressWarnings", "FunctionalInterface", "SafeVarargs"}
_TESTS = {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate"}
# What JUnit, TestNG and containers run by its annotation.
_RUN = words("""
    Before After BeforeClass AfterClass BeforeEach AfterEach BeforeAll AfterAll BeforeMethod
    AfterMethod BeforeSuite AfterSuite DataProvider Parameters PostConstruct PreDestroy
""")


def modifiers(walker: SyntaxWalker, node: Node) -> list[str]:
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
            if named is None:
                continue
            if (name := walker.name(named)) in _OWN:
                flags += ["override"] if name == "Override" else []
                continue
            name = name.rpartition(".")[2]
            flags += ["test"] if name in _TESTS else ["entry"] if name in _RUN else []
            walker.discard(walker.evaluate(named))
            argument_list = child.child_by_field_name("arguments")
            if argument_list is not None:
                walker.run_all(argument_list.named_children)
    return flags


def _locals(walker: SyntaxWalker, node: Node) -> None:
    modifiers(walker, node)
    kind = type_of(walker, node.child_by_field_name("type"))
    for declarator in node.children_by_field_name("declarator"):
        named = declarator.child_by_field_name("name")
        value = declarator.child_by_field_name("value")
        if named is None:
            continue
        target = name_term(walker, named)
        walker.declare(target, kind)
        if kind is not None and kind[0] == "const":
            # Of a number or a truth value no more is to be known than its type.
            walker.discard(walker.evaluate(value))
        elif value is not None or kind is None:
            walker.bind(target, walker.evaluate(value))


def _for_each(walker: SyntaxWalker, node: Node) -> None:
    over = walker.evaluate_field(node, "value")
    with walker.in_block():
        kind = type_of(walker, node.child_by_field_name("type"))
        bind_each(walker, node.child_by_field_name("name"), over, kind)
        walker.run_field(node, "body")


def _resource(walker: SyntaxWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        walker.run_all(node.named_children)
        return
    target = name_term(walker, named)
    walker.declare(target, type_of(walker, node.child_by_field_name("type")))
    walker.bind(target, walker.evaluate_field(node, "value"))


def _caught(walker: SyntaxWalker, node: Node) -> None:
    with walker.in_block():
        for child in node.named_children:
            if child.type == "catch_formal_parameter":
                kind = type_of(walker, child_of_type(child, "catch_type"))
                bind_typed(walker, child.child_by_field_name("name"), kind)
            else:
                walker.run(child)


def _constructing(walker: SyntaxWalker, node: Node) -> None:
    """`this(…)` and `super(…)` at the beginning of a constructor."""
    word = node.child_by_field_name("constructor")
    args = walker.evaluate_children(node.child_by_field_name("arguments"))
    callee: Term = ("super",) if word is not None and word.type == "super" else ("self",)
    walker.discard(("call", callee, args, (), walker.site(word or node)))


_DECLARING = {"local_variable_declaration", "class_declaration", "record_declaration"}
STATEMENTS: Statements = {
    "package_declaration": nothing,
    "static_initializer": own_block,
    "local_variable_declaration": _locals,
    "block": block(_DECLARING),
    "yield_statement": _yield,
    "assignment_expression": _ASSIGNMENTS.run,
    "enhanced_for_statement": _for_each,
    "for_statement": own_block,
    "try_with_resources_statement": own_block,
    "resource": _resource,
    "catch_clause": _caught,
    "explicit_constructor_invocation": _constructing,
    "return_statement": return_statement,
    "labeled_statement": labelled,
    "break_statement": nothing,
    "continue_statement": nothing,
    "module_declaration": nothing,
    "element_value_pair": lambda walker, node: walker.run_field(node, "value"),
}

"""Types, expressions, statements, patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...facts import CONST_CHARS, Param, Term
from ..facts_builder import DEEPEST
from ..walker import (
    Assignments,
    Statements,
    Terms,
    Walker,
    bind_each,
    bind_typed,
    conditional,
    fields,
    held,
    is_simple,
    operands,
    run_by,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from ...dialect import Dialect


# --- Java's types, parameters and qualified names as terms.

_DEEPEST = 12
_PRIMITIVE = frozenset({"integral_type", "floating_point_type", "boolean_type"})
_NAMES = _PRIMITIVE | {"type_identifier", "identifier"}
# Equal terms are one object: there are very many.
_NUMBERS: dict[str, Term] = {}


class JavaWalker(Walker):
    """Knows the switch that it is in.

    Attributes:
        yielded: values that the switch gives, as far as it has been walked.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect, terms, runs)
        self.yielded: list[Term] = []


def type_of(w: Walker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type, None for `var` and what names no class.

    A primitive type is a constant of its name.
    """
    if node is None or depth > _DEEPEST:
        return None
    kind = node.type
    if kind in _NAMES:
        return _named(w, node, kind)
    if kind in ("scoped_type_identifier", "scoped_identifier"):
        return qualified(w, w.text(node))
    if kind == "generic_type":
        return _generic(w, node, depth)
    if kind == "array_type":
        element = type_of(w, node.child_by_field_name("element"), depth + 1)
        return ("item", ("name", "list"), element)
    if kind in ("annotated_type", "wildcard", "type_bound", "catch_type"):
        inner = [child for child in node.named_children if "annotation" not in child.type]
        terms = [type_of(w, child, depth + 1) for child in inner]
        known = tuple(term for term in terms if term is not None)
        return known[0] if len(known) == 1 else ("either", known) if known else None
    return None


def _named(w: Walker, node: Node, kind: str) -> Term:
    name = w.name(node)
    if kind in _PRIMITIVE:
        return _NUMBERS.setdefault(name, ("const", name, None))
    if name in w.bounds:
        return w.bounds[name]
    return None if name == "var" else ("name", name)


def _generic(w: Walker, node: Node, depth: int) -> Term:
    parts = node.named_children
    base = type_of(w, parts[0], depth + 1) if parts else None
    if base is None or len(parts) < 2 or not parts[1].named_child_count:
        return base
    types = tuple(type_of(w, child, depth + 1) for child in parts[1].named_children)
    return ("item", base, types[0] if len(types) == 1 else ("tuple", types))


def qualified(w: Walker, text: str) -> Term:
    """Return the term of a dotted name; one that begins with a package is imported on the way."""
    names = "".join(text.split()).split(".")
    size = next((n for n, name in enumerate(names) if name[:1].isupper()), 0)
    if size and size < len(names):
        term = brought(w, names[:size], names[size])
        names = names[size + 1 :]
    else:
        term, names = ("name", names[0]), names[1:]
    for name in names:
        term = ("attr", term, name)
    return term


def brought(w: Walker, package: list[str], name: str) -> Term:
    """Return what reads a class that is named with its package: an import without a statement."""
    local = f"<{'.'.join(package)}.{name}>"
    if local not in w.known:
        w.statements[0].append(("import", local, ".".join(package), name, 0, 0))
        w.known.add(local)
    return ("name", local)


def parameters(w: Walker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method, a record or a lambda."""
    if node is None:
        return ()
    if node.type == "identifier":
        return (Param(w.name(node), None, None, ""),)
    params = []
    for child in node.named_children:
        if child.type == "identifier":
            params.append(Param(w.name(child), None, None, ""))
        elif child.type == "formal_parameter":
            named = child.child_by_field_name("name")
            if named is not None:
                kind = type_of(w, child.child_by_field_name("type"))
                params.append(Param(w.name(named), kind, None, ""))
        elif child.type == "spread_parameter":
            params += _spread(w, child)
    return tuple(params)


def _spread(w: Walker, node: Node) -> list[Param]:
    kind: Term = None
    for child in node.named_children:
        if child.type == "variable_declarator":
            named = child.child_by_field_name("name")
            return [Param(w.name(named), kind, None, "*")] if named is not None else []
        if child.type != "modifiers":
            kind = type_of(w, child)
    return []


# --- Java's patterns and switches: what they bind, and which values a switch gives.

W = JavaWalker


def _held(w: W, node: Node | None) -> Term:
    """Return the term of a value that patterns take apart; it is evaluated once."""
    value = w.term(node)
    if is_simple(value):
        w.do(value)
    return held(w, value, node) if node is not None else None


def _match(w: W, node: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what it compares with is read."""
    kind = node.type
    if depth > DEEPEST:
        w.later(w.at, node)
    elif kind in ("type_pattern", "record_pattern_component"):
        _typed(w, node, value)
    elif kind == "record_pattern":
        _record(w, node, depth + 1)
    elif kind in ("pattern", "switch_label"):
        for child in node.named_children:
            _match(w, child, value, depth + 1)
    elif kind != "underscore_pattern":
        w.run(node)


def _typed(w: W, node: Node, value: Term) -> None:
    """`T x`, and `var x`, which is what stands there."""
    parts = [child for child in node.named_children if child.type != "modifiers"]
    if len(parts) < 2:
        return
    kind = type_of(w, parts[-2])
    w.do(kind)
    if kind is not None:
        bind_typed(w, parts[-1], kind)
    elif parts[-1].type == "identifier":
        w.bind(("name", w.name(parts[-1])), value)


def _record(w: W, node: Node, depth: int) -> None:
    """`T(A a, var b)`: a record has its components under the numbers of their places, too."""
    kind = type_of(w, node.named_children[0] if node.named_child_count else None)
    w.do(kind)
    whole: Term = ("typed", kind) if kind is not None else None
    for body in node.named_children[1:]:
        for place, part in enumerate(body.named_children):
            _match(w, part, ("attr", whole, str(place)), depth)


def _instanceof(w: W, node: Node) -> Term:
    parts = fields(node)
    value = _held(w, parts.get("left"))
    kind = type_of(w, parts.get("right"))
    w.do(kind)
    if "name" in parts:
        bind_typed(w, parts["name"], kind)
    elif "left" in parts and parts["left"].type == "identifier":
        w.narrow(w.name(parts["left"]), kind)
    if "pattern" in parts:
        _match(w, parts["pattern"], value)
    return None


def compared(w: Walker, sides: Sequence[Node]) -> None:
    """`x.getClass() == T.class`: x is checked to be a T."""
    for literal, other in zip(sides, reversed(sides), strict=True):
        if literal.type == "class_literal":
            _checked(w, literal, _get_class_receiver(w, other))


def checked(w: Walker, literal: Node | None, argument_list: Node | None) -> None:
    """`T.class.isInstance(x)`, `T.class.isAssignableFrom(x.getClass())`: the same."""
    if literal is None or literal.type != "class_literal" or argument_list is None:
        return
    for child in argument_list.named_children[:1]:
        _checked(w, literal, child if child.type == "identifier" else _get_class_receiver(w, child))


def _get_class_receiver(w: Walker, node: Node) -> Node | None:
    """Return the name whose class a call asks for."""
    named, inner = node.child_by_field_name("name"), node.child_by_field_name("object")
    is_name = named is not None and inner is not None and inner.type == "identifier"
    return inner if is_name and named is not None and w.name(named) == "getClass" else None


def _checked(w: Walker, literal: Node, named: Node | None) -> None:
    if named is not None and literal.named_child_count:
        w.narrow(w.name(named), type_of(w, literal.named_children[0]))


def _switch(w: W, node: Node) -> Term:
    """A switch: the values of its arms where it is an expression."""
    parts = fields(node)
    value = _held(w, parts.get("condition"))
    values: list[Term] = []
    outer, w.yielded = w.yielded, values
    body = parts.get("body")
    for arm in body.named_children if body is not None else ():
        around = w.at
        if _binds(arm):
            w.at = w.open("block", around)
        _arm(w, arm, value, around)
        w.at = around
    w.yielded = outer
    known = tuple(term for term in values if term is not None)
    return ("either", known) if known else None


def _arm(w: W, arm: Node, value: Term, around: int) -> None:
    for child in arm.named_children:
        if child.type == "switch_label":
            _match(w, child, value)
        elif arm.type == "switch_rule" and child.type == "expression_statement":
            inner = [part for part in child.named_children if "comment" not in part.type]
            _give(w, w.term(inner[-1]) if inner else None, around)
        elif "comment" not in child.type:
            w.run(child)


def _give(w: W, value: Term, around: int) -> None:
    """Take a value for one of those that a switch gives."""
    if value is not None and w.at != around:
        value = ("in", w.at, value)
    w.yielded.append(value)


def _yield(w: W, node: Node) -> None:
    for child in node.named_children:
        if "comment" not in child.type:
            _give(w, w.term(child), -1)


def _binds(arm: Node) -> bool:
    label = arm.named_children[0] if arm.named_child_count else None
    if label is None or label.type != "switch_label":
        return False
    is_group = arm.type == "switch_block_statement_group"
    return any(child.type == "pattern" for child in label.named_children) or (
        is_group and any(child.type in _DECLARING for child in arm.named_children)
    )


# Methods of a class that check whether something is of it.
CLASS_CHECKS = frozenset({"isInstance", "isAssignableFrom"})
PATTERN_TERMS: Terms = {
    "instanceof_expression": _instanceof,
    "switch_expression": _switch,
}
PATTERN_STATEMENTS: Statements = {
    "yield_statement": _yield,
}


# --- Java's expressions as terms; what an expression evaluates on its way is said at once.

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


def arguments(w: Walker, node: Node | None) -> tuple[Term, ...]:
    """Return the arguments of a call."""
    if node is None:
        return ()
    return tuple(w.term(child) for child in node.named_children if "comment" not in child.type)


def lambda_term(w: Walker, node: Node) -> Term:
    """`x -> …`: what it gives back is what its expression is."""
    parts = fields(node)
    taken, body = parameters(w, parts.get("parameters")), parts.get("body")
    number = w.define(
        "function", "<lambda>", node, scope=w.at, body="function", params=taken,
        header=node.end_byte if body is None else body.start_byte,
    )  # fmt: skip
    if body is not None and body.type == "block":
        w.within(w.body(number), body.named_children, taken)
    elif body is not None:
        returned(w, number, body, taken)
    return ("def", number)


def returned(w: Walker, number: int, body: Node, taken: tuple[Param, ...]) -> None:
    """Walk an expression that is the whole body of a function."""
    around, known = w.at, w.known
    w.at = w.body(number)
    w.known = known | {param.name for param in taken}
    value = w.term(body)
    if value is not None:
        w.say("return", value)
    w.at, w.known = around, known


def assign_to(w: Walker, target: Term, value: Term) -> None:
    """Bind a target; a name that no local variable has is a field of this object."""
    if target is not None and target[0] == "name" and target[1] not in w.known:
        target = ("attr", ("self",), target[1])
    if target is None or target[0] not in ("name", "attr", "item"):
        w.do(value)
    else:
        w.assign(target, value)


def _name(w: Walker, node: Node) -> Term:
    return ("name", w.name(node))


def _literal(w: Walker, node: Node) -> Term:
    kind = _LITERALS[node.type]
    return ("const", _SUFFIXES.get((w.source[node.end_byte - 1], kind), kind), None)


def _string(w: Walker, node: Node) -> Term:
    for child in node.named_children:
        if child.type == "string_interpolation":
            w.run(child)
    text = w.text(node).strip('"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _field(w: Walker, node: Node) -> Term:
    inner, named = node.child_by_field_name("object"), node.child_by_field_name("field")
    if inner is None or named is None:
        return None
    if named.type == "this":
        return ("typed", type_of(w, inner))
    name = w.name(named)
    if inner.type in ("field_access", "identifier") and _CLASS.match(name):
        names = "".join(w.text(inner).split()).split(".")
        is_package = all(part.islower() for part in names) and names[0] not in w.known
        if is_package and len(names) > 1:
            return brought(w, names, name)
    return ("attr", w.term(inner), name)


def _call(w: Walker, node: Node) -> Term:
    parts = fields(node)
    named, inner = parts.get("name"), parts.get("object")
    if named is None:
        return None
    name = w.name(named)
    # A local variable of the same name does not hide a method.
    callee: Term = ("attr", ("self",), name) if name in w.known else ("name", name)
    if inner is not None:
        through_super = any(child.type == "super" for child in node.children[1:4])
        value: Term = ("typed", type_of(w, inner)) if through_super else w.term(inner)
        callee = ("attr", value, name)
    args, site = arguments(w, parts.get("arguments")), w.site(named)
    if name in CLASS_CHECKS:
        checked(w, inner, parts.get("arguments"))
    if name in _RUNNING and inner is not None:
        return run_by(w, callee, args, site)
    return ("call", callee, args, (), site)


def _new(w: Walker, node: Node) -> Term:
    kind = node.child_by_field_name("type")
    args = arguments(w, node.child_by_field_name("arguments"))
    made = type_of(w, kind)
    first = node.named_children[0] if node.named_child_count else None
    if first is not None and kind is not None and first.start_byte < kind.start_byte:
        w.run(first)
    body = node.named_children[-1]
    if body.type == "class_body":
        number = w.define(
            "class", "<anonymous>", node, scope=w.at, body="class", header=body.start_byte,
            bases=[made] if made is not None else [],
        )  # fmt: skip
        w.within(w.body(number), body.named_children)
        made = ("def", number)
    return ("new", made, args, (), w.site(kind or node))


def _array(w: Walker, node: Node) -> Term:
    return ("list", tuple(w.term(c) for c in node.named_children if "comment" not in c.type))


def _new_array(w: Walker, node: Node) -> Term:
    value = node.child_by_field_name("value")
    if value is not None:
        return w.term(value)
    for child in node.named_children:
        if child.type == "dimensions_expr":
            w.each(child.named_children)
    element = type_of(w, node.child_by_field_name("type"))
    return ("typed", ("item", ("name", "list"), element))


def _access(w: Walker, node: Node) -> Term:
    array, index = node.child_by_field_name("array"), node.child_by_field_name("index")
    return ("item", w.term(array), w.term(index))


def _inner(w: Walker, node: Node) -> Term:
    children = [child for child in node.named_children if "comment" not in child.type]
    return w.term(children[-1]) if children else None


def _cast(w: Walker, node: Node) -> Term:
    kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    return ("cast", type_of(w, kind), w.term(value))


ASSIGNMENTS = Assignments(("=",), assign_to)


def _binary(w: Walker, node: Node) -> Term:
    """Both sides are evaluated; names and texts that are joined may be the name of something."""
    sides, joins = operands(node, "+")
    if joins and {side.type for side in sides} in _JOINED:
        return ("join", tuple(w.term(side) for side in sides))
    if len(sides) == 2 and "class_literal" in (sides[0].type, sides[1].type):
        compared(w, sides)
    for side in sides:
        w.do(w.term(side))
    return None


def _reference(w: Walker, node: Node) -> Term:
    """`T::new` are the class's constructors, `x::f` is a member."""
    parts = node.named_children
    if not parts:
        return None
    first = parts[0]
    value = w.term(first) if "type" not in first.type else type_of(w, first)
    if node.children[-1].type == "new":
        return ("attr", value, "<init>")
    return ("attr", value, w.name(parts[-1]))


def _class_literal(w: Walker, node: Node) -> Term:
    """`T.class`, `int.class`; an array's class tells nothing."""
    named = node.named_children[0] if node.named_child_count else None
    kind = type_of(w, named)
    if kind is not None and kind[0] in ("name", "attr", "const"):
        return ("typeof", kind)
    w.do(kind)
    return None


TERMS: Terms = {
    "identifier": _name,
    "type_identifier": _name,
    "scoped_identifier": lambda w, node: qualified(w, w.text(node)),
    "this": lambda w, node: ("self",),
    "super": lambda w, node: ("super",),
    "string_literal": _string,
    "field_access": _field,
    "method_invocation": _call,
    "object_creation_expression": _new,
    "array_initializer": _array,
    "array_creation_expression": _new_array,
    "array_access": _access,
    "parenthesized_expression": _inner,
    "condition": _inner,
    "cast_expression": _cast,
    "ternary_expression": conditional,
    "assignment_expression": ASSIGNMENTS.term,
    "binary_expression": _binary,
    "lambda_expression": lambda_term,
    "method_reference": _reference,
    "class_literal": _class_literal,
    **PATTERN_TERMS,
    **dict.fromkeys(_LITERALS, _literal),
}


# --- Statements in the bodies of Java: locals, loops, resources, what is caught, patterns.

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
            argument_list = child.child_by_field_name("arguments")
            if argument_list is not None:
                w.each(argument_list.named_children)
    return flags


def _locals(w: Walker, node: Node) -> None:
    modifiers(w, node)
    kind = type_of(w, node.child_by_field_name("type"))
    for declarator in node.children_by_field_name("declarator"):
        named, value = (
            declarator.child_by_field_name("name"),
            declarator.child_by_field_name("value"),
        )
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
    parts = fields(node)
    over = w.term(parts.get("value"))
    around, w.at = w.at, w.open("block", w.at)
    bind_each(w, parts.get("name"), over, type_of(w, parts.get("type")))
    if "body" in parts:
        w.run(parts["body"])
    w.at = around


def _scoped(w: Walker, node: Node) -> None:
    """A statement that declares names for itself alone: `for (…;…;…)`, `try (…)`."""
    w.block(node.named_children)


def _resource(w: Walker, node: Node) -> None:
    parts = fields(node)
    named, value = parts.get("name"), parts.get("value")
    if named is None:
        w.each(node.named_children)
        return
    target, kind = ("name", w.name(named)), type_of(w, parts.get("type"))
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
    args = arguments(w, node.child_by_field_name("arguments"))
    callee: Term = ("super",) if which is not None and which.type == "super" else ("self",)
    w.do(("call", callee, args, (), w.site(which or node)))


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

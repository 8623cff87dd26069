"""Statements and expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import CONST_CHARS, Term
from ..walker import Statements, Terms, fields, held, is_simple
from .declarators import (
    CWalker,
    Declared,
    declared,
    declared_type,
    parameters,
    path_of,
    sizes,
    trailing,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Expressions of C and C++.

W = CWalker

_CASTS = frozenset({"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "bit_cast"})
_CASTS |= {"static_pointer_cast", "dynamic_pointer_cast"}
_MAKERS = frozenset({"make_unique", "make_shared", "make_optional", "allocate_shared"})
# Calls that give back the one thing they are given.
_SAME = frozenset({"move", "forward", "ref", "cref", "as_const", "addressof"})
_CONSTS = {
    "number_literal": "int",
    "char_literal": "int",
    "true": "bool",
    "false": "bool",
    "null": "none",
}


def _name(w: W, node: Node) -> Term:
    return ("name", w.name(node))


def _const(w: W, node: Node) -> Term:
    return ("const", _CONSTS[node.type], None)


def _string(w: W, node: Node) -> Term:
    text = w.text(node).strip('"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _arguments(w: W, node: Node | None) -> tuple[Term, ...]:
    listed = node.named_children if node is not None else ()
    return tuple(w.term(child) for child in listed if child.type != "comment")


def _call(w: W, node: Node) -> Term:
    found = fields(node)
    function = found.get("function")
    if function is None:
        return None
    args = _arguments(w, found.get("arguments"))
    special = _by_template(w, function, args)
    if special is not None:
        return special
    callee = w.term(function)
    if callee is not None and callee[-1] in _SAME and len(args) == 1 and w.is_cpp:
        return args[0]
    named = function
    while named.named_child_count and named.type not in ("template_function", "template_method"):
        named = named.named_children[-1]
    return ("call", callee, args, (), w.site(named))


def _by_template(w: W, function: Node, args: tuple[Term, ...]) -> Term:
    """`static_cast<T>(x)`, `make_unique<T>(…)`: the type stands in the brackets."""
    while function.type == "qualified_identifier" and function.named_child_count:
        function = function.named_children[-1]
    if function.type != "template_function" or function.named_child_count < 2:
        return None
    name = w.name(function.named_children[0])
    kinds = function.named_children[-1].named_children
    if not kinds:
        return None
    if name == "get" and args and kinds[0].type == "number_literal":
        place = w.text(kinds[0])
        return ("item", args[0], ("const", "int", int(place) if place.isdecimal() else None))
    if name in _CASTS and args:
        return ("cast", type_of(w, kinds[0]), args[0])
    if name in _MAKERS:
        return ("new", type_of(w, kinds[0]), args, (), w.site(function))
    return None


def _field(w: W, node: Node) -> Term:
    found = fields(node)
    named = found.get("field")
    if named is None:
        return w.term(found.get("argument"))
    while named.type not in ("field_identifier", "destructor_name") and named.named_child_count:
        named = named.named_children[0 if named.type == "template_method" else -1]
    return ("attr", w.term(found.get("argument")), w.name(named))


def _subscript(w: W, node: Node) -> Term:
    found = fields(node)
    indices = found.get("indices") or found.get("index")
    if indices is not None:
        w.run(indices)
    return ("item", w.term(found.get("argument")), None)


def inner(w: W, node: Node) -> Term:
    """Return the value of what stands in brackets, or behind an operator or a word."""
    parts = [child for child in node.named_children if child.type != "comment"]
    return w.term(parts[-1]) if parts else None


def _cast(w: W, node: Node) -> Term:
    found = fields(node)
    return ("cast", type_of(w, found.get("type")), w.term(found.get("value")))


def _conditional(w: W, node: Node) -> Term:
    found = fields(node)
    if "condition" in found:
        w.run(found["condition"])
    return ("either", (w.term(found.get("consequence")), w.term(found.get("alternative"))))


def _new(w: W, node: Node) -> Term:
    found = fields(node)
    if "placement" in found:
        w.run(found["placement"])
    kind, args = found.get("type"), _arguments(w, found.get("arguments"))
    meant = type_of(w, kind)
    if "declarator" in found:
        w.run(found["declarator"])
        return ("typed", ("item", ("name", "list"), meant))
    return ("new", meant, args, (), w.site(kind if kind is not None else node))


def _compound_literal(w: W, node: Node) -> Term:
    found = fields(node)
    kind = found.get("type")
    return initial(w, type_of(w, kind), kind, found.get("value"), _PLAIN)


_PLAIN = Declared(None, None, is_pointer=False, is_array=False, points_to_function=False, parts=[])


def initial(w: W, kind: Term, named: Node | None, value: Node | None, what: Declared) -> Term:
    """Return the value with which something of a type begins: `= x`, `(x)`, `{x}`."""
    if value is None or value.type not in ("initializer_list", "argument_list"):
        return w.term(value)
    args, pairs = _given(w, value)
    everything = (*args, *(one for _, one in pairs))
    if what.is_array or kind is None:
        return ("list", everything)
    if not w.is_cpp or what.is_pointer or kind[0] == "item":
        for one in everything:
            w.do(one)
        return ("typed", kind)
    return ("new", kind, tuple(args), tuple(pairs), w.site(named if named is not None else value))


def _given(w: W, node: Node) -> tuple[list[Term], list[tuple[str, Term]]]:
    """Return what stands in a list of initial values: without and with a name."""
    args: list[Term] = []
    pairs: list[tuple[str, Term]] = []
    for child in node.named_children:
        if child.type == "initializer_pair":
            found = fields(child)
            name = w.text(found["designator"]).strip(".[]") if "designator" in found else ""
            pairs.append((name, w.term(found.get("value"))))
        elif child.type != "comment":
            args.append(w.term(child))
    return args, pairs


def _listed(w: W, node: Node) -> Term:
    return initial(w, None, None, node, _PLAIN)


def _assigned(w: W, node: Node, *, is_asked: bool) -> Term:
    """Walk an assignment and return what it gives; if it is asked for, safely."""
    found = fields(node)
    right, operator = found.get("right"), found.get("operator")
    value = w.term(right)
    left = found.get("left")
    target = w.term(left)
    if operator is not None and operator.type != "=":
        w.do(target)
        w.do(value)
        return None
    if left is not None and left.type == "pointer_expression":
        w.do(target)
        target = None
    if is_asked and right is not None and (target is None or not is_simple(target)):
        value = held(w, value, right)
    w.assign(target, value)
    return target if is_simple(target) and target is not None else value


def assign(w: W, node: Node) -> None:
    """An assignment whose value nobody takes."""
    _assigned(w, node, is_asked=False)


def _assign(w: W, node: Node) -> Term:
    return _assigned(w, node, is_asked=True)


def _comma(w: W, node: Node) -> Term:
    """`a, b` evaluates a and gives b."""
    found = fields(node)
    if "left" in found:
        w.run(found["left"])
    return w.term(found.get("right"))


def _lambda(w: W, node: Node) -> Term:
    found = fields(node)
    body = found.get("body")
    captured = _captured(w, found["captures"]) if "captures" in found else []
    around = found.get("declarator")
    taken = parameters(w, around)
    number = w.define(
        "function", "<lambda>", node, scope=w.at, body="function",
        header=body.start_byte if body is not None else None, params=taken,
        returns=trailing(w, around),
    )  # fmt: skip
    for name, value in captured:
        w.add(w.body(number), ("bind", ("name", name), value))
    if body is not None:
        w.within(w.body(number), body.named_children, taken)
    return ("def", number)


def _captured(w: W, node: Node) -> list[tuple[str, Term]]:
    """Return the names that captures bind inside; their values are evaluated outside."""
    found: list[tuple[str, Term]] = []
    for child in node.named_children:
        parts = fields(child)
        if child.type != "lambda_capture_initializer" or "left" not in parts:
            w.run(child)
            continue
        value = w.term(parts.get("right"))
        if not is_simple(value):
            outer = ("name", f"<{child.start_byte}>")
            w.bind(outer, value)
            value = outer
        elif value == ("name", w.name(parts["left"])):
            continue
        found.append((w.name(parts["left"]), value))
    return found


TERMS: Terms = {
    "identifier": _name,
    "field_identifier": _name,
    "qualified_identifier": path_of,
    "template_function": path_of,
    "this": lambda w, node: ("self",),
    "string_literal": _string,
    "concatenated_string": lambda w, node: ("const", "str", None),
    "call_expression": _call,
    "field_expression": _field,
    "subscript_expression": _subscript,
    "parenthesized_expression": inner,
    "condition_clause": inner,
    "pointer_expression": inner,
    "co_await_expression": inner,
    "cast_expression": _cast,
    "conditional_expression": _conditional,
    "new_expression": _new,
    "compound_literal_expression": _compound_literal,
    "initializer_list": _listed,
    "assignment_expression": _assign,
    "comma_expression": _comma,
    "lambda_expression": _lambda,
    **dict.fromkeys(_CONSTS, _const),
}


# --- Blocks, branches and loops of C and C++, and what is declared in them.

_DECLARING = {"declaration", "type_definition", "alias_declaration", "using_declaration"}


def _compound(w: W, node: Node) -> None:
    inner = node.named_children
    if any(child.type in _DECLARING for child in inner):
        w.block(inner)
    else:
        w.each(inner)


def _for(w: W, node: Node) -> None:
    w.block(node.named_children)


def _condition(w: W, node: Node) -> None:
    """`if (auto x = f(); x)`: what is declared in brackets is known in the whole statement."""
    inner = node.named_children
    brackets = inner[0] if inner else None
    if brackets is not None and any(
        child.type in ("init_statement", "declaration") for child in brackets.named_children
    ):
        around = w.at
        w.at = w.open("block", around)
        for child in (*brackets.named_children, *inner[1:]):
            w.run(child)
        w.at = around
    else:
        w.each(inner)


def _range(w: W, node: Node) -> None:
    found = fields(node)
    around = w.at
    w.at = w.open("block", around)
    if "right" in found:
        what = declared(found.get("declarator"))
        kind = type_of(w, found.get("type"))
        over = w.term(found["right"])
        if what.parts:
            _pairs(w, what.parts, over, found["right"])
        elif what.name is None:
            w.say("do", ("iter", over, w.site(found["right"])))
        else:
            target: Term = ("name", w.name(what.name))
            if kind is not None:
                w.say("declare", target, kind)
            w.bind(target, ("iter", over, w.site(found["right"])))
    if "body" in found:
        w.run(found["body"])
    w.at = around


def _pairs(w: W, names: list[Node], over: Term, node: Node) -> None:
    """`for (auto [a, b] : x)`: parts of an element; of a mapping a key and its value."""
    held = ("name", f"<{node.start_byte}>")
    w.bind(held, over)
    element: Term = ("iter", held, w.site(node))
    if len(names) != 2:
        w.bind(_apart(w, names), element)
        return
    whole = ("name", f"<{names[0].start_byte}>")
    w.bind(whole, element)
    for place, (name, other) in enumerate(zip(names, (whole, ("item", held, None)), strict=True)):
        part: Term = ("item", whole, ("const", "int", place))
        w.bind(("name", w.name(name)), ("either", (part, other)))


def _apart(w: W, names: list[Node]) -> Term:
    return ("tuple", tuple(("name", w.name(name)) for name in names))


def _yield(w: W, node: Node) -> None:
    w.say("yield", inner(w, node))


def _return(w: W, node: Node) -> None:
    value = inner(w, node)
    if value is not None:
        w.say("return", value)


def _catch(w: W, node: Node) -> None:
    found = fields(node)
    before = [("declare", ("name", one.name), one.type) for one in parameters(w, node) if one.name]
    if "body" in found:
        w.block(found["body"].named_children, *before)


def local(w: W, node: Node) -> None:
    """Say what a declaration in a function declares."""
    found = fields(node)
    kind_node = found.get("type")
    kind = type_of(w, kind_node)
    for one in node.children_by_field_name("declarator"):
        what = declared(one)
        # `if (T x = v)`: the value belongs to the declaration.
        given = one if one.type == "init_declarator" else node
        value_node = given.child_by_field_name("value") or node.child_by_field_name("default_value")
        if what.parts:
            w.bind(_apart(w, what.parts), w.term(value_node))
        elif what.name is not None:
            sizes(w, one if what.is_array else None)
            _declare(w, ("name", w.name(what.name)), (kind, kind_node), value_node, what)


def _declare(
    w: W, target: Term, typed: tuple[Term, Node | None], given: Node | None, what: Declared
) -> None:
    kind, named = typed
    meant = declared_type(w, kind, what)
    w.know(target)
    if meant is not None:
        w.say("declare", target, meant)
    if given is not None:
        value = initial(w, kind, named, given, what)
        if value is not None or meant is None:
            w.bind(target, value)


def _nothing(w: W, node: Node) -> None:
    """Nothing that has a name is evaluated here."""


STATEMENTS: Statements = {
    "compound_statement": _compound,
    "for_statement": _for,
    "for_range_loop": _range,
    "if_statement": _condition,
    "while_statement": _condition,
    "switch_statement": _condition,
    "return_statement": _return,
    "co_return_statement": _return,
    "co_yield_statement": _yield,
    "assignment_expression": assign,
    "catch_clause": _catch,
    **dict.fromkeys(
        """
        access_specifier attribute_declaration attribute_specifier break_statement
        continue_statement goto_statement ms_declspec_modifier preproc_call
        primitive_type sized_type_specifier statement_identifier storage_class_specifier
        template_argument_list template_parameter_list type_identifier type_qualifier
        placeholder_type_specifier abstract_pointer_declarator sizeof_expression
        """.split(),
        _nothing,
    ),
}

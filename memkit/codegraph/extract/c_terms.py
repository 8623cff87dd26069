"""Expressions of C and C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import CONST_CHARS, Term
from .c_types import (
    CWalker,
    Declared,
    parameters,
    path_of,
    trailing,
    type_of,
)
from .temporaries import held, is_simple
from .walking import Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node

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

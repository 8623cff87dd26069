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


def _name(walker: CWalker, node: Node) -> Term:
    return ("name", walker.name(node))


def _const(walker: CWalker, node: Node) -> Term:
    return ("const", _CONSTS[node.type], None)


def _string(walker: CWalker, node: Node) -> Term:
    text = walker.text(node).strip('"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _arguments(walker: CWalker, node: Node | None) -> tuple[Term, ...]:
    listed = node.named_children if node is not None else ()
    return tuple(walker.term(child) for child in listed if child.type != "comment")


def _call(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    function = parts.get("function")
    if function is None:
        return None
    args = _arguments(walker, parts.get("arguments"))
    special = _by_template(walker, function, args)
    if special is not None:
        return special
    callee = walker.term(function)
    if callee is not None and callee[-1] in _SAME and len(args) == 1 and walker.is_cpp:
        return args[0]
    named = function
    while named.named_child_count and named.type not in ("template_function", "template_method"):
        named = named.named_children[-1]
    return ("call", callee, args, (), walker.site(named))


def _by_template(walker: CWalker, function: Node, args: tuple[Term, ...]) -> Term:
    """`static_cast<T>(x)`, `make_unique<T>(…)`: the type stands in the brackets."""
    while function.type == "qualified_identifier" and function.named_child_count:
        function = function.named_children[-1]
    if function.type != "template_function" or function.named_child_count < 2:
        return None
    name = walker.name(function.named_children[0])
    kinds = function.named_children[-1].named_children
    if not kinds:
        return None
    if name == "get" and args and kinds[0].type == "number_literal":
        place = walker.text(kinds[0])
        return ("item", args[0], ("const", "int", int(place) if place.isdecimal() else None))
    if name in _CASTS and args:
        return ("cast", type_of(walker, kinds[0]), args[0])
    if name in _MAKERS:
        return ("new", type_of(walker, kinds[0]), args, (), walker.site(function))
    return None


def _field(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    named = parts.get("field")
    if named is None:
        return walker.term(parts.get("argument"))
    while named.type not in ("field_identifier", "destructor_name") and named.named_child_count:
        named = named.named_children[0 if named.type == "template_method" else -1]
    return ("attr", walker.term(parts.get("argument")), walker.name(named))


def _subscript(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    indices = parts.get("indices") or parts.get("index")
    if indices is not None:
        walker.run(indices)
    return ("item", walker.term(parts.get("argument")), None)


def inner(walker: CWalker, node: Node) -> Term:
    """Return the value of what stands in brackets, or behind an operator or a word."""
    parts = [child for child in node.named_children if child.type != "comment"]
    return walker.term(parts[-1]) if parts else None


def _cast(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    return ("cast", type_of(walker, parts.get("type")), walker.term(parts.get("value")))


def _conditional(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    if "condition" in parts:
        walker.run(parts["condition"])
    return (
        "either",
        (walker.term(parts.get("consequence")), walker.term(parts.get("alternative"))),
    )


def _new(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    if "placement" in parts:
        walker.run(parts["placement"])
    kind, args = parts.get("type"), _arguments(walker, parts.get("arguments"))
    type_term = type_of(walker, kind)
    if "declarator" in parts:
        walker.run(parts["declarator"])
        return ("typed", ("item", ("name", "list"), type_term))
    return ("new", type_term, args, (), walker.site(kind if kind is not None else node))


def _compound_literal(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    kind = parts.get("type")
    return initial(walker, type_of(walker, kind), kind, parts.get("value"), _PLAIN)


_PLAIN = Declared(None, None, is_pointer=False, is_array=False, points_to_function=False, parts=[])


def initial(
    walker: CWalker, kind: Term, named: Node | None, value: Node | None, what: Declared
) -> Term:
    """Return the value with which something of a type begins: `= x`, `(x)`, `{x}`."""
    if value is None or value.type not in ("initializer_list", "argument_list"):
        return walker.term(value)
    args, pairs = _initial_values(walker, value)
    everything = (*args, *(term for _, term in pairs))
    if what.is_array or kind is None:
        return ("list", everything)
    if not walker.is_cpp or what.is_pointer or kind[0] == "item":
        for term in everything:
            walker.do(term)
        return ("typed", kind)
    return (
        "new",
        kind,
        tuple(args),
        tuple(pairs),
        walker.site(named if named is not None else value),
    )


def _initial_values(walker: CWalker, node: Node) -> tuple[list[Term], list[tuple[str, Term]]]:
    """Return what stands in a list of initial values: without and with a name."""
    args: list[Term] = []
    pairs: list[tuple[str, Term]] = []
    for child in node.named_children:
        if child.type == "initializer_pair":
            parts = fields(child)
            name = walker.text(parts["designator"]).strip(".[]") if "designator" in parts else ""
            pairs.append((name, walker.term(parts.get("value"))))
        elif child.type != "comment":
            args.append(walker.term(child))
    return args, pairs


def _listed(walker: CWalker, node: Node) -> Term:
    return initial(walker, None, None, node, _PLAIN)


def _assigned(walker: CWalker, node: Node, *, is_asked: bool) -> Term:
    """Walk an assignment and return what it gives; if it is asked for, safely."""
    parts = fields(node)
    right, operator = parts.get("right"), parts.get("operator")
    value = walker.term(right)
    left = parts.get("left")
    target = walker.term(left)
    if operator is not None and operator.type != "=":
        walker.do(target)
        walker.do(value)
        return None
    if left is not None and left.type == "pointer_expression":
        walker.do(target)
        target = None
    if is_asked and right is not None and (target is None or not is_simple(target)):
        value = held(walker, value, right)
    walker.assign(target, value)
    return target if is_simple(target) and target is not None else value


def assign(walker: CWalker, node: Node) -> None:
    """An assignment whose value nobody takes."""
    _assigned(walker, node, is_asked=False)


def _assign(walker: CWalker, node: Node) -> Term:
    return _assigned(walker, node, is_asked=True)


def _comma(walker: CWalker, node: Node) -> Term:
    """`a, b` evaluates a and gives b."""
    parts = fields(node)
    if "left" in parts:
        walker.run(parts["left"])
    return walker.term(parts.get("right"))


def _lambda(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    body = parts.get("body")
    captured = _captured(walker, parts["captures"]) if "captures" in parts else []
    around = parts.get("declarator")
    taken = parameters(walker, around)
    number = walker.define(
        "function", "<lambda>", node, scope=walker.at, body="function",
        header=body.start_byte if body is not None else None, params=taken,
        returns=trailing(walker, around),
    )  # fmt: skip
    for name, value in captured:
        walker.add(walker.body(number), ("bind", ("name", name), value))
    if body is not None:
        walker.within(walker.body(number), body.named_children, taken)
    return ("def", number)


def _captured(walker: CWalker, node: Node) -> list[tuple[str, Term]]:
    """Return the names that captures bind inside; their values are evaluated outside."""
    captures: list[tuple[str, Term]] = []
    for child in node.named_children:
        parts = fields(child)
        if child.type != "lambda_capture_initializer" or "left" not in parts:
            walker.run(child)
            continue
        value = walker.term(parts.get("right"))
        if not is_simple(value):
            outer = ("name", f"<{child.start_byte}>")
            walker.bind(outer, value)
            value = outer
        elif value == ("name", walker.name(parts["left"])):
            continue
        captures.append((walker.name(parts["left"]), value))
    return captures


TERMS: Terms = {
    "identifier": _name,
    "field_identifier": _name,
    "qualified_identifier": path_of,
    "template_function": path_of,
    "this": lambda walker, node: ("self",),
    "string_literal": _string,
    "concatenated_string": lambda walker, node: ("const", "str", None),
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


def _compound(walker: CWalker, node: Node) -> None:
    inner = node.named_children
    if any(child.type in _DECLARING for child in inner):
        walker.block(inner)
    else:
        walker.each(inner)


def _for(walker: CWalker, node: Node) -> None:
    walker.block(node.named_children)


def _condition(walker: CWalker, node: Node) -> None:
    """`if (auto x = f(); x)`: what is declared in brackets is known in the whole statement."""
    inner = node.named_children
    brackets = inner[0] if inner else None
    if brackets is not None and any(
        child.type in ("init_statement", "declaration") for child in brackets.named_children
    ):
        around = walker.at
        walker.at = walker.open("block", around)
        for child in (*brackets.named_children, *inner[1:]):
            walker.run(child)
        walker.at = around
    else:
        walker.each(inner)


def _range(walker: CWalker, node: Node) -> None:
    parts = fields(node)
    around = walker.at
    walker.at = walker.open("block", around)
    if "right" in parts:
        what = declared(parts.get("declarator"))
        kind = type_of(walker, parts.get("type"))
        over = walker.term(parts["right"])
        if what.parts:
            _pairs(walker, what.parts, over, parts["right"])
        elif what.name is None:
            walker.say("do", ("iter", over, walker.site(parts["right"])))
        else:
            target: Term = ("name", walker.name(what.name))
            if kind is not None:
                walker.say("declare", target, kind)
            walker.bind(target, ("iter", over, walker.site(parts["right"])))
    if "body" in parts:
        walker.run(parts["body"])
    walker.at = around


def _pairs(walker: CWalker, names: list[Node], over: Term, node: Node) -> None:
    """`for (auto [a, b] : x)`: parts of an element; of a mapping a key and its value."""
    held = ("name", f"<{node.start_byte}>")
    walker.bind(held, over)
    element: Term = ("iter", held, walker.site(node))
    if len(names) != 2:
        walker.bind(_apart(walker, names), element)
        return
    whole = ("name", f"<{names[0].start_byte}>")
    walker.bind(whole, element)
    for place, (name, other) in enumerate(zip(names, (whole, ("item", held, None)), strict=True)):
        part: Term = ("item", whole, ("const", "int", place))
        walker.bind(("name", walker.name(name)), ("either", (part, other)))


def _apart(walker: CWalker, names: list[Node]) -> Term:
    return ("tuple", tuple(("name", walker.name(name)) for name in names))


def _yield(walker: CWalker, node: Node) -> None:
    walker.say("yield", inner(walker, node))


def _return(walker: CWalker, node: Node) -> None:
    value = inner(walker, node)
    if value is not None:
        walker.say("return", value)


def _catch(walker: CWalker, node: Node) -> None:
    parts = fields(node)
    before = [
        ("declare", ("name", param.name), param.type)
        for param in parameters(walker, node)
        if param.name
    ]
    if "body" in parts:
        walker.block(parts["body"].named_children, *before)


def local(walker: CWalker, node: Node) -> None:
    """Say what a declaration in a function declares."""
    parts = fields(node)
    kind_node = parts.get("type")
    kind = type_of(walker, kind_node)
    for declarator in node.children_by_field_name("declarator"):
        what = declared(declarator)
        # `if (T x = v)`: the value belongs to the declaration.
        holder = declarator if declarator.type == "init_declarator" else node
        value_node = holder.child_by_field_name("value") or node.child_by_field_name(
            "default_value"
        )
        if what.parts:
            walker.bind(_apart(walker, what.parts), walker.term(value_node))
        elif what.name is not None:
            sizes(walker, declarator if what.is_array else None)
            _declare(walker, ("name", walker.name(what.name)), (kind, kind_node), value_node, what)


def _declare(
    walker: CWalker,
    target: Term,
    typed: tuple[Term, Node | None],
    initial_node: Node | None,
    what: Declared,
) -> None:
    kind, named = typed
    type_term = declared_type(walker, kind, what)
    walker.know(target)
    if type_term is not None:
        walker.say("declare", target, type_term)
    if initial_node is not None:
        value = initial(walker, kind, named, initial_node, what)
        if value is not None or type_term is None:
            walker.bind(target, value)


def _nothing(walker: CWalker, node: Node) -> None:
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

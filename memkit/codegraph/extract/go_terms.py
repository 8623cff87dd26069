"""Go's expressions as terms; what an expression evaluates on its way is said at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import CONST_CHARS, Term
from .go_types import (
    LISTS,
    TYPES,
    WRAPPED,
    GoWalker,
    bounds_of,
    parameters,
    results,
    type_of,
)
from .walking import Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node

# Conversions to types of the language, and its functions that nobody calls their own.
_BUILTIN = frozenset(
    """
    any append bool byte cap complex128 complex64
    float32 float64 int int16 int32 int64 int8 len make new
    panic recover rune string uint uint16 uint32 uint64 uint8 uintptr
    """.split()
)
# Operators whose sides are of one type, which is that of what they give; or the left side's is.
_ARITHMETIC = frozenset("+ - * / % & | ^ &^ << >>".split())
_CONSTS = {
    "int_literal": "int",
    "rune_literal": "int",
    "float_literal": "float",
    "imaginary_literal": "float",
    "true": "bool",
    "false": "bool",
    "nil": "none",
}


def literal(w: GoWalker, kind: Node | None, body: Node) -> Term:
    """Return the term of a literal in braces; an inner one may leave its type out."""
    while kind is not None and kind.type in WRAPPED and kind.named_child_count:
        kind = kind.named_children[0]
    items = [child for child in body.named_children if child.type != "comment"]
    if kind is not None and kind.type == "map_type":
        key, value = kind.named_children[0], kind.named_children[-1]
        pairs = tuple(_keyed(w, item, key, value) for item in items)
        return ("dict", pairs) if pairs else ("typed", type_of(w, kind))
    if kind is not None and kind.type in LISTS:
        element = kind.named_children[-1]
        found = tuple(_keyed(w, item, None, element)[1] for item in items)
        return ("list", found) if found else ("typed", type_of(w, kind))
    return _structure(w, kind, body, items)


def _structure(w: GoWalker, kind: Node | None, body: Node, items: list[Node]) -> Term:
    """Return the term of a literal of a structure, or of a mapping whose type has a name."""
    args: list[Term] = []
    named: list[tuple[str, Term]] = []
    for item in items:
        if item.type == "keyed_element" and item.named_child_count > 1:
            name, value = item.named_children[0], item.named_children[-1]
            if _is_name(name):
                named.append((w.name(name), _element(w, value, None)))
            else:  # a key of a mapping
                w.do(_element(w, name, None))
                args.append(_element(w, value, None))
        else:
            args.append(_element(w, item, None))
    meant = type_of(w, kind)
    if meant is None or meant[0] == "dict":
        # A structure without a name.
        for one in args:
            w.do(one)
        return ("dict", tuple((("const", "str", name), value) for name, value in named))
    return ("new", meant, tuple(args), tuple(named), w.site(kind or body))


def _is_name(node: Node) -> bool:
    if node.type == "literal_element" and node.named_child_count:
        node = node.named_children[0]
    return node.type in ("identifier", "field_identifier")


def _keyed(w: GoWalker, item: Node, key: Node | None, value: Node | None) -> tuple[Term, Term]:
    if item.type != "keyed_element" or item.named_child_count < 2:
        return None, _element(w, item, value)
    first, last = item.named_children[0], item.named_children[-1]
    return _element(w, first, key), _element(w, last, value)


def _element(w: GoWalker, node: Node, kind: Node | None) -> Term:
    if node.type == "literal_element" and node.named_child_count:
        node = node.named_children[0]
    return literal(w, kind, node) if node.type == "literal_value" else w.term(node)


def _name(w: GoWalker, node: Node) -> Term:
    return ("name", w.reads(w.name(node)))


def _const(w: GoWalker, node: Node) -> Term:
    return ("const", _CONSTS[node.type], None)


def _string(w: GoWalker, node: Node) -> Term:
    text = w.text(node)[1:-1]
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _selector(w: GoWalker, node: Node) -> Term:
    parts = node.named_children
    return ("attr", w.term(parts[0]), w.name(parts[-1]))


def _call(w: GoWalker, node: Node) -> Term:
    function = node.named_children[0]
    arguments = [c for c in node.named_children[-1].named_children if c.type != "comment"]
    name = w.name(function) if function.type == "identifier" else ""
    if name in _BUILTIN and name not in w.known and arguments:
        return _built_in(w, name, arguments)
    if function.type in TYPES and function.type != "identifier" and arguments:
        return ("cast", type_of(w, function), w.term(arguments[0]))
    callee = w.term(function)
    if callee is not None and callee[0] == "item" and function.type == "index_expression":
        # A function of a list, or one of a generic with its type.
        callee = ("either", (callee, ("seen", callee[1])))
    site = w.site(function.named_children[-1] if function.type != "identifier" else function)
    return ("call", callee, tuple(w.term(argument) for argument in arguments), (), site)


def _built_in(w: GoWalker, name: str, arguments: list[Node]) -> Term:
    """Return what a function or a conversion of the language gives."""
    if name == "append":
        first, *others = (w.term(argument) for argument in arguments)
        return ("either", (first, ("list", tuple(others)))) if others else first
    is_made = name in ("make", "new")
    for argument in arguments[1:] if is_made else arguments:
        w.run(argument)
    if is_made:
        return ("typed", type_of(w, arguments[0]))
    return ("const", "str" if name == "string" else "int", None)


def _composite(w: GoWalker, node: Node) -> Term:
    """Return what a literal holds and what its type says: `[]Level{Debug - 1}`."""
    kind = node.named_children[0]
    found = literal(w, kind, node.named_children[-1])
    held = kind.named_children[-1] if kind.named_child_count else kind
    is_plain = held.type == "function_type" or w.name(held) in _BUILTIN
    if found is None or found[0] not in ("list", "dict") or is_plain:
        return found
    return ("either", (("typed", type_of(w, kind)), found))


def _cast(w: GoWalker, node: Node) -> Term:
    """`x.(T)` and `[]T(x)`; `f[T](x)` may be a call as well."""
    found = fields(node)
    kind, value = found.get("type"), w.term(found.get("operand"))
    is_apart = node.type == "type_conversion_expression"
    if is_apart and kind is not None and kind.type == "generic_type":
        return ("call", type_of(w, kind.named_children[0]), (value,), (), w.site(kind))
    return ("cast", type_of(w, kind), value)


def _index(w: GoWalker, node: Node) -> Term:
    operand, *keys = node.named_children
    return ("item", w.term(operand), w.term(keys[0]) if keys else None)


def _slice(w: GoWalker, node: Node) -> Term:
    operand, *others = node.named_children
    for other in others:
        w.run(other)
    return w.term(operand)


def _unary(w: GoWalker, node: Node) -> Term:
    operator, term = node.children[0].type, w.term(node.children[-1])
    if operator in ("&", "*"):
        return term
    if operator == "<-":
        return ("iter", term)
    w.do(term)
    return None


def _binary(w: GoWalker, node: Node) -> Term:
    """Numbers of a named type stay of it: `Limit * 2`, `Read | Write`."""
    left, operator, *others = node.children
    if operator.type not in _ARITHMETIC:
        w.run(left)
        w.each(others)
        return None
    found = [term for side in (left, *others) if (term := w.term(side)) is not None]
    kept = [term for term in found if term[0] != "const"]
    if len(kept) > 1:
        return ("either", tuple(kept))
    return kept[0] if kept else found[0] if found else None


def _inner(w: GoWalker, node: Node) -> Term:
    return w.term(node.named_children[0]) if node.named_child_count else None


def _closure(w: GoWalker, node: Node) -> Term:
    return ("def", function(w, node, "function", "<lambda>"))


def function(
    w: GoWalker,
    node: Node,
    kind: str,
    name: str,
    *,
    named: Node | None = None,
    qualname: str | None = None,
    flags: tuple[str, ...] = (),
    owner: Term = None,
) -> int:
    """Define a function or closure with its body and return its number."""
    found = fields(node)
    body = found.get("body")
    doc, outer = w.above(), w.bounds
    w.bounds = {**outer, **bounds_of(w, found.get("type_parameters"))}
    taken = (*parameters(w, found.get("receiver")), *parameters(w, found.get("parameters")))
    number = w.define(
        kind,
        name,
        node,
        scope=w.at,
        body="function",
        named=named or node,
        header=body.start_byte if body else node.end_byte,
        qualname=qualname,
        flags=flags,
        params=taken,
        returns=results(w, found.get("result")),
        owner=owner,
        doc=doc,
    )
    scope = w.body(number)
    result = found.get("result")
    if result is not None and result.type == "parameter_list":
        for one in parameters(w, result):
            if one.name and one.type:
                w.add(scope, ("declare", ("name", one.name), one.type))
    if body is not None:
        w.within(scope, body.named_children, taken)
    w.bounds = outer
    return number


TERMS: Terms = {
    "identifier": _name,
    "field_identifier": _name,
    "type_identifier": _name,
    "interpreted_string_literal": _string,
    "raw_string_literal": _string,
    "selector_expression": _selector,
    "call_expression": _call,
    "composite_literal": _composite,
    "type_assertion_expression": _cast,
    "type_conversion_expression": _cast,
    "index_expression": _index,
    "type_instantiation_expression": _inner,
    "slice_expression": _slice,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "parenthesized_expression": _inner,
    "variadic_argument": lambda w, node: ("star", _inner(w, node)),
    "literal_element": _inner,
    "func_literal": _closure,
    "generic_type": _inner,
    **dict.fromkeys(_CONSTS, _const),
}

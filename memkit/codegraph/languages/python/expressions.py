"""Python: expressions, literals, comprehensions, calls, annotations."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ...facts import CONST_CHARS, Param, Term
from ..grammars import parse
from ..walker import (
    Expressions,
    SyntaxWalker,
    applied,
    children_of,
    constants,
    name_term,
    without_comments,
)
from .callbacks import DispatchCall, beginning

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Annotations and parameters.

_QUOTES = "\"'"
# Special forms of `typing` whose first argument is the type that is meant.
_TRANSPARENT = frozenset(
    """
    Annotated ClassVar Final InitVar NotRequired Optional ReadOnly Required TypeGuard TypeIs
    """.split()
)
_GENERIC = frozenset({"Generic", "Protocol"})
# A quoted annotation within a quoted annotation and so on.
_MAX_QUOTED = 3


def params_of(walker: PythonWalker, node: Node) -> tuple[Param, ...]:
    """Return parameters; defaults and annotations are read in the current scope."""
    params: list[Param] = []
    sort = ""
    for child in node.named_children:
        if child.type == "keyword_separator":
            sort = "name-only"
        elif (param := _param(walker, child, sort)) is not None:
            params.append(param)
            sort = "name-only" if param.sort == "*" else sort
    return tuple(params)


def _param(walker: PythonWalker, node: Node, sort: str) -> Param | None:
    kind: Term = None
    default: Term = None
    named = node
    if node.type in ("typed_parameter", "default_parameter", "typed_default_parameter"):
        named, *others = without_comments(node)
        for other in others:
            if other.type == "type":
                kind = type_of(walker, other)
            else:
                default = walker.evaluate(other)
    if named.type in ("list_splat_pattern", "dictionary_splat_pattern"):
        sort = "*" if named.type == "list_splat_pattern" else "**"
        named = named.named_children[0]
    if named.type != "identifier":
        return None
    return Param(walker.name(named), kind, default, sort)


def type_of(walker: PythonWalker, node: Node) -> Term:
    """Return the term of an annotation; what may be absent as well is that which is there."""
    kind = node.type
    if kind in ("type", "parenthesized_expression", "constrained_type"):
        return type_of(walker, node.named_children[0]) if node.named_child_count else None
    if kind == "string":
        return _quoted_type(walker, node)
    if kind in ("binary_operator", "union_type"):
        return ("either", tuple([type_of(walker, child) for child in node.named_children]))
    if kind in ("subscript", "generic_type"):
        return _generic(walker, node)
    if kind in ("list", "tuple"):
        return ("tuple", tuple([type_of(walker, child) for child in node.named_children]))
    return walker.evaluate(node) if kind in ("identifier", "attribute", "member_type") else None


def declared_result(walker: PythonWalker, node: Node) -> Term:
    """Return the declared result of a function; a type parameter of its class as such."""
    kind = type_of(walker, node)
    if kind is None or kind[0] != "name" or walker.scope_kind != "class":
        return kind
    bases = walker.builder.bases(walker.builder.enclosing(walker.scope))
    names = _listed(walker, node) or _parameters(bases)
    return ("parameter", names.index(kind[1]), kind) if kind[1] in names else kind


def _listed(walker: PythonWalker, node: Node) -> list[str]:
    """Return the type parameters behind the name of the enclosing class: `class Box[T: int]`."""
    outer: Node | None = node
    while outer is not None and outer.type != "class_definition":
        outer = outer.parent
    listed = outer.child_by_field_name("type_parameters") if outer is not None else None
    names = []
    for kind in children_of(listed):
        named = kind
        while named.named_child_count:
            named = named.named_children[0]
        names.append(walker.name(named))
    return names


def _parameters(bases: tuple[Term, ...]) -> list[str]:
    """Return the names of a class's parameters: those of Generic or Protocol, else of all bases."""
    generic = [base for base in bases if base is not None and base[0] == "item"]
    declaring = [base for base in generic if base[1] is not None and base[1][-1] in _GENERIC]
    keys = [
        key
        for base in declaring or generic
        for key in (base[2][1] if base[2] is not None and base[2][0] == "tuple" else (base[2],))
    ]
    names = [key[1] for key in keys if key is not None and key[0] == "name"]
    return list(dict.fromkeys(names))


def _generic(walker: PythonWalker, node: Node) -> Term:
    named, *others = node.named_children
    if others and others[0].type == "type_parameter":
        others = others[0].named_children
    base = walker.evaluate(named)
    name = base[-1] if base is not None and base[0] in ("name", "attr") else ""
    if name == "Literal":
        return _STR
    keys = tuple([type_of(walker, child) for child in others])
    if name in _TRANSPARENT and keys:
        return keys[0]
    return ("either", keys) if name == "Union" else applied(base, keys)


def _quoted_type(walker: PythonWalker, node: Node) -> Term:
    text, outer = walker.text(node).strip(_QUOTES).encode(), walker.source
    root = parse(text, "python").root_node
    if walker.quoted == _MAX_QUOTED or root.has_error or root.named_child_count != 1:
        return None
    walker.quoted += 1
    walker.source = walker.builder.source = text
    kind = type_of(walker, root.named_children[0])
    walker.source = walker.builder.source = outer
    walker.quoted -= 1
    return kind


def _narrowed(walker: PythonWalker, callee: Term, plain: list[Term]) -> None:
    """Emit what a check of a type tells of its object."""
    if callee == ("name", "isinstance") and len(plain) == 2:
        kind = plain[1]
        if kind is not None and kind[0] == "tuple":
            kind = ("either", kind[1])
        walker.emit("narrow", plain[0], kind)


# --- Calls.

_Arguments = tuple[list[Term], list[tuple[str, Term]]]


def _call(walker: PythonWalker, node: Node) -> Term:
    """Return a call with its arguments."""
    parts = node.named_children
    callee = walker.evaluate(parts[0])
    start = node.start_byte
    if callee is not None and callee[0] == "attr" and callee[2]:
        start = parts[0].end_byte - len(callee[2].encode())
    site = walker.site_at(start)
    if callee is not None and callee[0] == "call" and walker.dispatch_calls:
        _run(walker, callee, site)
    if parts[-1].type != "argument_list":
        return ("call", callee, (walker.evaluate(parts[-1]),), (), site)
    children = parts[-1].named_children
    if not children:
        return ("call", callee, (), (), site)
    plain, named = _arguments(walker, children, callee)
    _narrowed(walker, callee, plain)
    term = ("call", callee, tuple(plain), tuple(named), site)
    if callee == ("name", "getattr"):
        _ask(walker, term, children)
    elif callee is not None and callee[0] in ("name", "attr"):
        walker.calls.append((walker.scope, term))
    return term


def _arguments(walker: PythonWalker, nodes: list[Node], callee: Term) -> _Arguments:
    plain: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in nodes:
        kind = child.type
        if kind == "keyword_argument":
            name, *_, value = child.named_children
            named.append((walker.name(name), walker.evaluate(value)))
        elif kind == "dictionary_splat":
            named.append(("**", _inner(walker, child)))
        elif kind != "comment":
            plain.append(walker.evaluate(child))
            if kind == "lambda":
                _expect(walker, plain, callee)
    return plain, named


def _expect(walker: PythonWalker, plain: list[Term], callee: Term) -> None:
    """Bind the parameters of a lambda to what the callee says that it is called with."""
    function = plain[-1]
    if function is not None and function[0] == "def":
        read, position = ("in", walker.scope, callee), len(plain) - 1
        for parameter, name in enumerate(walker.parameters(function[1])):
            expected = ("given", read, position, parameter)
            walker.emit_in(walker.body(function[1]), "bind", ("name", name), expected)


def _ask(walker: PythonWalker, term: Any, nodes: list[Node]) -> None:
    """Note a call of getattr that asks a name for what begins in some way."""
    start = beginning(walker.source, nodes[1]) if len(term[2]) > 1 else ""
    receiver = term[2][0] if start else None
    if receiver is not None and receiver[0] == "name":
        walker.dispatch_calls.append(DispatchCall(walker.scope, term, receiver[1], start, None))


def _run(walker: PythonWalker, callee: Term, site: int) -> None:
    """Note that what was asked just before is called."""
    last = walker.dispatch_calls[-1]
    if last.term is callee:
        walker.dispatch_calls[-1] = last._replace(site=site)


# --- Comprehensions.


def _comprehension(walker: PythonWalker, node: Node) -> Term:
    """Return the elements of a comprehension; its loops bind in a scope of its own."""
    body, *clauses = without_comments(node)
    with walker.in_block() as outer:
        scope = walker.scope
        for clause in clauses:
            if clause.type == "for_in_clause":
                _clause(walker, clause, outer)
            else:
                walker.run_children(clause)
        if body.type == "pair":
            key, value = _pair(walker, body)
            return ("dict", ((("in", scope, key), ("in", scope, value)),))
        kind = "set" if node.type == "set_comprehension" else "list"
        return (kind, (("in", scope, walker.evaluate(body)),))


def _clause(walker: PythonWalker, node: Node, outer: int) -> None:
    target, *values = without_comments(node)
    if not values:
        return
    *others, value = values
    for other in others:
        walker.run(other)
    iterated = walker.evaluate(value)
    if iterated is not None and iterated[0] == "name":
        # `for x in x` reads the x outside.
        iterated = ("in", outer, iterated)
    walker.emit("bind", target_of(walker, target), ("iter", iterated, walker.site(value)))


# --- Plain terms: names, dotted names and short constants, from their text alone.
#
# They are the bulk of all expressions, and the same wherever the same text stands: neither their
# nodes nor new terms have to be made.

# Types of the nodes whose text may tell everything.
_PLAIN = frozenset({"identifier", "attribute", "string", "integer"})
_STR: Term = ("const", "str", None)

_DOTTED = re.compile(rb"(?!(?:None|True|False)\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_DIGITS = 10
# Longer ones are walked: a chain of thousands of dots would go too deep.
_MAX_TEXT = 300


def _by_text(text: bytes, known: dict[bytes, Term]) -> Term:
    """Return the term of an expression of a plain type, None if its node must be walked.

    `known` are those of the texts that were met before; it is put in there.
    """
    if len(text) > _MAX_TEXT:
        return None
    term: Term = None
    if text[:1] in (b'"', b"'") and text[:1] == text[-1:]:
        term = _quoted(text.decode("utf-8", "replace"))
    elif text.isdigit() and len(text) < _DIGITS:
        term = ("const", "int", int(text))
    elif _DOTTED.fullmatch(text):
        return _dotted(text, known)
    if term is not None:
        known[text] = term
    return term


def _quoted(text: str) -> Term:
    """Return the term of a string without a prefix, with what it says if that is short."""
    if len(text) > CONST_CHARS:
        return _STR
    size = 3 if text[:3] in ('"""', "'''") else 1
    return ("const", "str", text[size:-size])


def is_plain(term: Term, name: str) -> bool:
    """Return whether a term calls nothing and does not read a name."""
    while term is not None and term[0] == "attr":
        term = term[1]
    return term is None or term[0] == "const" or (term[0] == "name" and term[1] != name)


def _dotted(text: bytes, known: dict[bytes, Term]) -> Term:
    base, dot, last = text.rpartition(b".")
    name = sys.intern(last.decode())
    term: Term = ("attr", known.get(base) or _dotted(base, known), name) if dot else ("name", name)
    known[text] = term
    return term


# --- Texts.


def _string(walker: PythonWalker, node: Node) -> Term:
    """Return a string with its text if that is short; what an f-string holds is evaluated."""
    text = walker.text(node)
    stripped = text.lstrip("rRbBuUfFtT")
    prefix = text[: len(text) - len(stripped)].lower()
    if "f" in prefix or "t" in prefix:
        for child in node.named_children:
            if child.type == "interpolation":
                for part in child.named_children:
                    _interpolated(walker, part)
        return _STR
    if "b" in prefix:
        return ("const", "bytes", None)
    return _quoted(stripped)


def _interpolated(walker: PythonWalker, node: Node) -> None:
    if node.type == "format_specifier":
        for child in node.named_children:
            walker.run_children(child)
    elif node.type != "type_conversion":
        walker.run(node)


def _joined(walker: PythonWalker, node: Node) -> Term:
    """Return strings that stand side by side."""
    for child in node.named_children:
        if child.type == "string":
            _string(walker, child)
    return _STR


# --- Walker and expressions.
#
# What an expression does besides having a value (a walrus binds, an operand of a sum still calls)
# is emitted on the way, before the statement that the expression stands in.

_BOOL: Term = ("const", "bool", None)
_SEVERAL = ("list", "tuple", "set", "expression_list", "pattern_list")
_COMPREHENSIONS = [f"{kind}_comprehension" for kind in ("list", "set", "dictionary")]


class PythonWalker(SyntaxWalker):
    """Walker of Python: terms of plain expressions are made from their text, and found again.

    Attributes:
        quoted: how many quoted annotations deep the walk is.
        calls: calls with arguments, and their scopes.
        dispatch_calls: calls that ask the own object for what begins in some way.
        aliases: names or lambdas that are bound to other names, by scope and name.
        block: id of the node of the block that is being walked.
        last_bind: scope, block and position of the last assignment.
    """

    emits_every_read = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.quoted = 0
        self.calls: list[tuple[int, Term]] = []
        self.dispatch_calls: list[DispatchCall] = []
        self.aliases: dict[tuple[int, str], Term] = {}
        self.block = -1
        self.last_bind = (-1, -1, -1)
        self._plain: dict[bytes, Term] = {}

    def evaluate(self, node: Node | None) -> Term:
        """Return the term of an expression."""
        if node is not None and node.type in _PLAIN:
            text = self.source[node.start_byte : node.end_byte]
            value = self._plain.get(text) or _by_text(text, self._plain)
            if value is not None:
                return value
        return super().evaluate(node)

    def run_all(self, nodes: Iterable[Node], inherited: Node | None = None) -> None:
        """Walk siblings; comments say nothing."""
        for node in nodes:
            self.run(node)


def _attribute(walker: PythonWalker, node: Node) -> Term:
    parts = node.named_children
    if len(parts) != 2:
        parts = without_comments(node)
    return ("attr", walker.evaluate(parts[0]), walker.name(parts[-1]))


def _subscript(walker: PythonWalker, node: Node) -> Term:
    value, *keys = walker.evaluate_all(node.named_children)
    return applied(value, keys)


def _several(walker: PythonWalker, node: Node) -> Term:
    kind = node.type if node.type in ("list", "set") else "tuple"
    return (kind, walker.evaluate_all(node.named_children))


def _dictionary(walker: PythonWalker, node: Node) -> Term:
    pairs: list[tuple[Term, Term]] = []
    for child in node.named_children:
        if child.type == "pair":
            pairs.append(_pair(walker, child))
        elif child.type == "dictionary_splat":
            pairs.append((None, _inner(walker, child)))
    return ("dict", tuple(pairs))


def _pair(walker: PythonWalker, node: Node) -> tuple[Term, Term]:
    """Return key and value of an entry of a mapping."""
    key, *_, value = walker.evaluate_all(node.named_children)
    # None is the key of a splat.
    return (key or ("const", "any", None), value)


def _binary(walker: PythonWalker, node: Node) -> Term:
    """A sum of thousands leans to the left: its operands are found without going down."""
    kinds = set()
    while node.type == "binary_operator":
        left, *_, right = node.named_children
        kinds.add(_operand(walker, right))
        node = left
    kinds.add(_operand(walker, node))
    for kind in ("str", "list", "dict", "tuple", "bytes"):
        if kind in kinds:
            return ("const", kind, None)
    return None


def _operand(walker: PythonWalker, node: Node) -> str:
    value = walker.evaluate(node)
    walker.discard(value)
    return "" if value is None else str(value[1 if value[0] == "const" else 0])


def _boolean(walker: PythonWalker, node: Node) -> Term:
    operands = []
    while node.type == "boolean_operator":
        node, *_, right = node.named_children
        operands.append(right)
    operands.append(node)
    return ("either", walker.evaluate_all(operands[::-1]))


def _comparison(walker: PythonWalker, node: Node) -> Term:
    walker.run_children(node)
    return _BOOL


def _unary(walker: PythonWalker, node: Node) -> Term:
    walker.run_children(node)
    return _BOOL if node.type == "not_operator" else None


def _conditional(walker: PythonWalker, node: Node) -> Term:
    parts = without_comments(node)
    if len(parts) != 3:
        walker.run_children(node)
        return None
    value, condition, other = parts
    walker.run(condition)
    return ("either", (walker.evaluate(value), walker.evaluate(other)))


def _walrus(walker: PythonWalker, node: Node) -> Term:
    name, *_, value = node.named_children
    outer, scopes, read = walker.scope, walker.builder.scopes, name_term(walker, name)
    # A walrus in a comprehension binds in the function around it.
    while scopes[outer].kind == "block":
        outer = scopes[outer].parent
    bound = walker.evaluate(value)
    bound = bound if outer == walker.scope else ("in", walker.scope, bound)
    walker.emit_in(outer, "bind", read, bound)
    return read


def _inner(walker: PythonWalker, node: Node) -> Term:
    """Return the one expression in brackets (thousands of them, maybe) or behind a keyword."""
    while node.type in ("parenthesized_expression", "dictionary_splat", "type"):
        children = without_comments(node)
        if len(children) != 1:
            walker.run_children(node)
            return None
        node = children[0]
    return walker.evaluate(node)


def _tagged(walker: PythonWalker, node: Node) -> Term:
    children = without_comments(node)
    tag = "await" if node.type == "await" else "star"
    return (tag, walker.evaluate(children[0])) if children else None


def _yield(walker: PythonWalker, node: Node) -> Term:
    value = walker.evaluate(next(iter(without_comments(node)), None))
    if any(child.type == "from" for child in node.children):
        value = ("iter", value, walker.site(node))
    walker.emit("yield", value)
    return None


def _lambda(walker: PythonWalker, node: Node) -> Term:
    index = walker.define("function", "<lambda>", node, body="function")
    *listed, value = without_comments(node)
    if listed:
        walker.fill(index, params=params_of(walker, listed[0]))
    with walker.in_scope(walker.body(index)):
        walker.emit("return", walker.evaluate(value))
    return ("def", index)


def target_of(walker: PythonWalker, node: Node) -> Term:
    """Return the term of what is assigned to."""
    if node.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        return ("tuple", tuple([target_of(walker, child) for child in without_comments(node)]))
    if node.type in ("list_splat_pattern", "list_splat") and node.named_children:
        return ("star", target_of(walker, node.named_children[0]))
    return walker.evaluate(node)


EXPRESSIONS: Expressions = {
    "identifier": name_term,
    "attribute": _attribute,
    "call": _call,
    "subscript": _subscript,
    "string": _string,
    "concatenated_string": _joined,
    "true": lambda walker, node: ("const", "bool", True),
    "false": lambda walker, node: ("const", "bool", False),
    # Of short integers the text tells the value.
    **constants({"none": "none", "integer": "int", "float": "float"}),
    **dict.fromkeys(_SEVERAL, _several),
    "dictionary": _dictionary,
    "binary_operator": _binary,
    "boolean_operator": _boolean,
    "comparison_operator": _comparison,
    **dict.fromkeys(("not_operator", "unary_operator"), _unary),
    "conditional_expression": _conditional,
    "named_expression": _walrus,
    **dict.fromkeys(("parenthesized_expression", "type"), _inner),
    **dict.fromkeys(("await", "list_splat"), _tagged),
    "yield": _yield,
    "lambda": _lambda,
    **dict.fromkeys((*_COMPREHENSIONS, "generator_expression"), _comprehension),
}

"""Expressions, literals, comprehensions, calls, annotations."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...facts import CONST_CHARS, Param, Term
from ..facts_builder import DEEPEST, FactsBuilder
from ..grammars import parse
from .callbacks import DispatchCall, beginning

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Python's annotations and parameters as terms.

_STR: Term = ("const", "str", None)
_QUOTES = "\"'"
# Special forms of `typing` whose first argument is the type that is meant.
_TRANSPARENT = frozenset(
    """
    Annotated ClassVar Final InitVar NotRequired Optional ReadOnly Required TypeGuard TypeIs
    """.split()
)
_GENERIC = frozenset({"Generic", "Protocol"})
# A quoted annotation within a quoted annotation and so on.
_MOST_QUOTED = 3


def params_of(walker: PythonTerms, node: Node, scope: int) -> tuple[Param, ...]:
    """Return parameters; defaults and annotations are read in the scope around."""
    params: list[Param] = []
    sort = ""
    for child in node.named_children:
        if child.type == "keyword_separator":
            sort = "name-only"
        elif (param := _param(walker, child, scope, sort)) is not None:
            params.append(param)
            sort = "name-only" if param.sort == "*" else sort
    return tuple(params)


def _param(walker: PythonTerms, node: Node, scope: int, sort: str) -> Param | None:
    kind: Term = None
    default: Term = None
    named = node
    if node.type in ("typed_parameter", "default_parameter", "typed_default_parameter"):
        named, *others = [child for child in node.named_children if child.type != "comment"]
        for other in others:
            if other.type == "type":
                kind = type_of(walker, other, scope)
            else:
                default = walker.term(other, scope)
    if named.type in ("list_splat_pattern", "dictionary_splat_pattern"):
        sort = "*" if named.type == "list_splat_pattern" else "**"
        named = named.named_children[0]
    if named.type != "identifier":
        return None
    return Param(walker.facts.name(named), kind, default, sort)


def type_of(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return the term of an annotation; what may be absent as well is that which is there."""
    kind = node.type
    if kind in ("type", "parenthesized_expression", "constrained_type"):
        return type_of(walker, node.named_children[0], scope) if node.named_child_count else None
    if kind == "string":
        return _quoted_type(walker, node, scope)
    if kind in ("binary_operator", "union_type"):
        return ("either", tuple(type_of(walker, child, scope) for child in node.named_children))
    if kind in ("subscript", "generic_type"):
        return _generic(walker, node, scope)
    if kind in ("list", "tuple"):
        return ("tuple", tuple(type_of(walker, child, scope) for child in node.named_children))
    return walker.term(node, scope) if kind in ("identifier", "attribute", "member_type") else None


def given_back(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return what a function is said to give; a parameter of its class as such."""
    kind = type_of(walker, node, scope)
    if kind is None or kind[0] != "name" or walker.facts.scope(scope).kind != "class":
        return kind
    names = _listed(walker, node) or _parameters(walker.facts.bases(walker.facts.around(scope)))
    return ("parameter", names.index(kind[1]), kind) if kind[1] in names else kind


def _listed(walker: PythonTerms, node: Node) -> list[str]:
    """Return the parameters that the class around lists behind its name: `class Box[T: int]`."""
    around: Node | None = node
    while around is not None and around.type != "class_definition":
        around = around.parent
    listed = around.child_by_field_name("type_parameters") if around is not None else None
    names = []
    for kind in listed.named_children if listed is not None else ():
        named = kind
        while named.named_child_count:
            named = named.named_children[0]
        names.append(walker.facts.name(named))
    return names


def _parameters(bases: tuple[Term, ...]) -> list[str]:
    """Return the names of a class's parameters: those of Generic or Protocol, else of all bases."""
    generic = [base for base in bases if base is not None and base[0] == "item"]
    said = [base for base in generic if base[1] is not None and base[1][-1] in _GENERIC]
    keys = [
        key
        for base in said or generic
        for key in (base[2][1] if base[2] is not None and base[2][0] == "tuple" else (base[2],))
    ]
    names = [key[1] for key in keys if key is not None and key[0] == "name"]
    return list(dict.fromkeys(names))


def _generic(walker: PythonTerms, node: Node, scope: int) -> Term:
    named, *others = node.named_children
    if others and others[0].type == "type_parameter":
        others = others[0].named_children
    base = walker.term(named, scope)
    name = base[-1] if base is not None and base[0] in ("name", "attr") else ""
    if name == "Literal":
        return _STR
    keys = tuple(type_of(walker, child, scope) for child in others)
    if name in _TRANSPARENT and keys:
        return keys[0]
    if name == "Union":
        return ("either", keys)
    return ("item", base, keys[0] if len(keys) == 1 else ("tuple", keys))


def _quoted_type(walker: PythonTerms, node: Node, scope: int) -> Term:
    text = walker.facts.text(node).strip(_QUOTES).encode()
    root = parse(text, "python").root_node
    if walker.quoted == _MOST_QUOTED or root.has_error or root.named_child_count != 1:
        return None
    outer = walker.facts.source
    walker.facts.source = text
    walker.quoted += 1
    kind = type_of(walker, root.named_children[0], scope)
    walker.quoted -= 1
    walker.facts.source = outer
    return kind


def narrowed(walker: PythonTerms, callee: Term, plain: list[Term], scope: int) -> None:
    """Say what a check of a type tells of its object."""
    if callee == ("name", "isinstance") and len(plain) == 2:
        kind = plain[1]
        if kind is not None and kind[0] == "tuple":
            kind = ("either", kind[1])
        walker.facts.add(scope, ("narrow", plain[0], kind))


# --- Python's calls as terms.

_Arguments = tuple[list[Term], list[tuple[str, Term]]]


def call(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return a call with its arguments."""
    parts = node.named_children
    callee = walker.term(parts[0], scope)
    start = node.start_byte
    if callee is not None and callee[0] == "attr" and callee[2]:
        start = parts[0].end_byte - len(callee[2].encode())
    site = walker.facts.site_at(start)
    if callee is not None and callee[0] == "call" and walker.dispatch_calls:
        _run(walker, callee, site)
    if parts[-1].type != "argument_list":
        return ("call", callee, (walker.term(parts[-1], scope),), (), site)
    children = parts[-1].named_children
    if not children:
        return ("call", callee, (), (), site)
    plain, named = _arguments(walker, children, callee, scope)
    narrowed(walker, callee, plain, scope)
    term = ("call", callee, tuple(plain), tuple(named), site)
    if callee == ("name", "getattr"):
        _ask(walker, term, children, scope)
    elif callee is not None and callee[0] in ("name", "attr"):
        walker.handing.append((scope, term))
    return term


def _arguments(walker: PythonTerms, nodes: list[Node], callee: Term, scope: int) -> _Arguments:
    plain: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in nodes:
        kind = child.type
        if kind == "keyword_argument":
            name, *_, value = child.named_children
            named.append((walker.facts.name(name), walker.term(value, scope)))
        elif kind == "dictionary_splat":
            named.append(("**", walker.inner(child, scope)))
        elif kind != "comment":
            plain.append(walker.term(child, scope))
            if kind == "lambda":
                _expect(walker, plain, callee, scope)
    return plain, named


def _expect(walker: PythonTerms, plain: list[Term], callee: Term, scope: int) -> None:
    """Say that what a lambda is called with is as the function says that it is given to."""
    function = plain[-1]
    if function is not None and function[0] == "def":
        read, place = ("in", scope, callee), len(plain) - 1
        for number, name in enumerate(walker.facts.parameters(function[1])):
            expected = ("given", read, place, number)
            walker.facts.add(walker.facts.body(function[1]), ("bind", ("name", name), expected))


def _ask(walker: PythonTerms, call_term: Any, nodes: list[Node], scope: int) -> None:
    """Note a call of getattr that asks a name for what begins in some way."""
    start = beginning(walker.facts.source, nodes[1]) if len(call_term[2]) > 1 else ""
    receiver = call_term[2][0] if start else None
    if receiver is not None and receiver[0] == "name":
        walker.dispatch_calls.append(DispatchCall(scope, call_term, receiver[1], start, None))


def _run(walker: PythonTerms, callee: Term, site: int) -> None:
    """Note that what was asked just before is called."""
    last = walker.dispatch_calls[-1]
    if last.term is callee:
        walker.dispatch_calls[-1] = last._replace(site=site)


# --- Python's comprehensions as terms.


def comprehension(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return the elements of a comprehension; its loops bind in a scope of its own."""
    body, *clauses = [child for child in node.named_children if child.type != "comment"]
    inner = walker.facts.open("block", scope)
    for clause in clauses:
        if clause.type == "for_in_clause":
            _clause(walker, clause, scope, inner)
        else:
            walker.lost(clause, inner)
    if body.type == "pair":
        key, value = walker.pair(body, inner)
        return ("dict", ((("in", inner, key), ("in", inner, value)),))
    kind = "set" if node.type == "set_comprehension" else "list"
    return (kind, (("in", inner, walker.term(body, inner)),))


def _clause(walker: PythonTerms, node: Node, scope: int, inner: int) -> None:
    target, *values = [child for child in node.named_children if child.type != "comment"]
    if not values:
        return
    *others, value = values
    for other in others:
        walker.do(other, inner)
    iterated = walker.term(value, inner)
    if iterated is not None and iterated[0] == "name":
        # `for x in x` reads the x outside.
        iterated = ("in", scope, iterated)
    walker.facts.add(
        inner, ("bind", walker.target(target, inner), ("iter", iterated, walker.facts.site(value)))
    )


# --- Python's names, dotted names and short constants as terms, from their text alone.
#
# They are most of all expressions, and the same wherever the same text stands: neither their
# nodes nor new terms have to be made.

# Types of the nodes whose text may tell everything.
PLAIN = frozenset({"identifier", "attribute", "string", "integer"})
STR: Term = ("const", "str", None)

_DOTTED = re.compile(rb"(?!(?:None|True|False)\b)[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_DIGITS = 10
# Longer ones are walked: a chain of thousands of dots would go too deep.
_LONGEST = 300


def by_text(text: bytes, known: dict[bytes, Term]) -> Term:
    """Return the term of an expression of a plain type, None if its node must be walked.

    `known` are those of the texts that were met before; it is put in there.
    """
    if len(text) > _LONGEST:
        return None
    term: Term = None
    if text[:1] in (b'"', b"'") and text[:1] == text[-1:]:
        term = quoted(text.decode("utf-8", "replace"))
    elif text.isdigit() and len(text) < _DIGITS:
        term = ("const", "int", int(text))
    elif _DOTTED.fullmatch(text):
        return _dotted(text, known)
    if term is not None:
        known[text] = term
    return term


def quoted(text: str) -> Term:
    """Return the term of a string without a prefix, with what it says if that is short."""
    if len(text) > CONST_CHARS:
        return STR
    size = 3 if text[:3] in ('"""', "'''") else 1
    return ("const", "str", text[size:-size])


def is_plain(term: Term, name: str) -> bool:
    """Return whether a term calls nothing and does not read a name."""
    while term is not None and term[0] == "attr":
        term = term[1]
    return term is None or term[0] == "const" or (term[0] == "name" and term[1] != name)


def again(term: Term) -> Term:
    """Return what a value that was evaluated already is: its calls must not count twice."""
    return ("seen", term)


def _dotted(text: bytes, known: dict[bytes, Term]) -> Term:
    base, dot, last = text.rpartition(b".")
    name = sys.intern(last.decode())
    term: Term = ("attr", known.get(base) or _dotted(base, known), name) if dot else ("name", name)
    known[text] = term
    return term


# --- Python's literals as terms.

_NUMBERS = {"integer": "int", "float": "float"}


def string(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return a string with its text if that is short; what an f-string holds is evaluated."""
    text = walker.facts.text(node)
    stripped = text.lstrip("rRbBuUfFtT")
    prefix = text[: len(text) - len(stripped)].lower()
    if "f" in prefix or "t" in prefix:
        for child in node.named_children:
            if child.type == "interpolation":
                for part in child.named_children:
                    _interpolated(walker, part, scope)
        return STR
    if "b" in prefix:
        return ("const", "bytes", None)
    return quoted(stripped)


def _interpolated(walker: PythonTerms, node: Node, scope: int) -> None:
    if node.type == "format_specifier":
        for child in node.named_children:
            walker.lost(child, scope)
    elif node.type != "type_conversion":
        walker.do(node, scope)


def joined(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return strings that stand side by side."""
    for child in node.named_children:
        if child.type == "string":
            string(walker, child, scope)
    return STR


def number(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return a number, with its value if that is a short integer."""
    text = walker.facts.text(node)
    if node.type == "integer" and text.isdecimal() and len(text) < 10:
        return ("const", "int", int(text))
    return ("const", _NUMBERS[node.type], None)


def bool_of(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return True or False."""
    return ("const", "bool", node.type == "true")


def none_of(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return None."""
    return ("const", "none", None)


# --- Python's expressions and annotations as terms.
#
# What an expression does besides having a value (a walrus binds, an operand that is lost in a sum
# still calls) is said as a statement on the way, before the one that the expression stands in.

BOOL: Term = ("const", "bool", None)
_SEVERAL = ("list", "tuple", "set", "expression_list", "pattern_list")
_COMPREHENSIONS = [f"{kind}_comprehension" for kind in ("list", "set", "dictionary")]


class PythonTerms:
    """Turns expression nodes into terms; `statement` is the part that knows statements.

    Attributes:
        facts: what is being built.
        quoted: how many quoted annotations deep the walk is.
        handing: calls with arguments, and their scopes.
        asked: calls that ask the own object for what begins in some way.
        aliases: names or lambdas that are bound to other names, by scope and name.
    """

    def __init__(self, builder: FactsBuilder) -> None:
        self.facts = builder
        self._depth = 0
        self._plain: dict[bytes, Term] = {}
        self.quoted = 0
        self.handing: list[tuple[int, Term]] = []
        self.dispatch_calls: list[DispatchCall] = []
        self.aliases: dict[tuple[int, str], Term] = {}

    def statement(self, node: Node, scope: int) -> None:
        """Say what a statement does."""
        raise NotImplementedError

    def term(self, node: Node, scope: int) -> Term:
        """Return the term of an expression."""
        kind = node.type
        if kind in PLAIN:
            text = self.facts.source[node.start_byte : node.end_byte]
            value = self._plain.get(text) or by_text(text, self._plain)
            if value is not None:
                return value
        maker = TERMS.get(kind)
        if maker is None:
            self.lost(node, scope)
        elif self._depth >= DEEPEST:
            self.facts.later(scope, node)
        else:
            self._depth += 1
            value = maker(self, node, scope)
            self._depth -= 1
            return value
        return None

    def down(self, node: Node, scope: int) -> bool:
        """Go one level down, or put the node off for lying too deep and return False."""
        if self._depth >= DEEPEST:
            self.facts.later(scope, node)
            return False
        self._depth += 1
        return True

    def up(self) -> None:
        """Come back from the level to which `down` went."""
        self._depth -= 1

    def do(self, node: Node, scope: int) -> None:
        """Say that an expression is evaluated for what it does."""
        term = self.term(node, scope)
        if term is not None and term[0] != "const":
            self.facts.statements[scope].append(("do", term))

    def lost(self, node: Node, scope: int) -> None:
        """Evaluate the parts of what has no value that is known."""
        if self.down(node, scope):
            self.parts(node, scope)
            self.up()

    def parts(self, node: Node, scope: int) -> None:
        """Evaluate the parts of a node, one after the other."""
        for child in node.named_children:
            self.statement(child, scope)

    def terms(self, nodes: list[Node], scope: int) -> tuple[Term, ...]:
        """Return the terms of expressions, comments left out."""
        return tuple(self.term(node, scope) for node in nodes if node.type != "comment")

    def _name(self, node: Node, scope: int) -> Term:
        return ("name", self.facts.name(node))

    def _attribute(self, node: Node, scope: int) -> Term:
        parts = node.named_children
        if len(parts) != 2:
            parts = [child for child in parts if child.type != "comment"]
        return ("attr", self.term(parts[0], scope), self.facts.name(parts[-1]))

    def _subscript(self, node: Node, scope: int) -> Term:
        value, *keys = self.terms(node.named_children, scope)
        return ("item", value, keys[0] if len(keys) == 1 else ("tuple", tuple(keys)))

    def _several(self, node: Node, scope: int) -> Term:
        kind = node.type if node.type in ("list", "set") else "tuple"
        return (kind, self.terms(node.named_children, scope))

    def _dictionary(self, node: Node, scope: int) -> Term:
        pairs: list[tuple[Term, Term]] = []
        for child in node.named_children:
            if child.type == "pair":
                pairs.append(self.pair(child, scope))
            elif child.type == "dictionary_splat":
                pairs.append((None, self.inner(child, scope)))
        return ("dict", tuple(pairs))

    def pair(self, node: Node, scope: int) -> tuple[Term, Term]:
        """Return key and value of an entry of a mapping."""
        key, *_, value = self.terms(node.named_children, scope)
        # None is the key of a splat.
        return (key or ("const", "any", None), value)

    def _binary(self, node: Node, scope: int) -> Term:
        """A sum of thousands leans to the left: its operands are found without going down."""
        kinds = set()
        while node.type == "binary_operator":
            left, *_, right = node.named_children
            kinds.add(self._operand(right, scope))
            node = left
        kinds.add(self._operand(node, scope))
        for kind in ("str", "list", "dict", "tuple", "bytes"):
            if kind in kinds:
                return ("const", kind, None)
        return None

    def _operand(self, node: Node, scope: int) -> str:
        value = self.term(node, scope)
        if value is None:
            return ""
        if value[0] == "const":
            return str(value[1])
        self.facts.statements[scope].append(("do", value))
        return str(value[0])

    def _boolean(self, node: Node, scope: int) -> Term:
        operands = []
        while node.type == "boolean_operator":
            node, *_, right = node.named_children
            operands.append(right)
        operands.append(node)
        return ("either", self.terms(operands[::-1], scope))

    def _comparison(self, node: Node, scope: int) -> Term:
        for child in node.named_children:
            self.do(child, scope)
        return BOOL

    def _unary(self, node: Node, scope: int) -> Term:
        self.lost(node, scope)
        return BOOL if node.type == "not_operator" else None

    def _conditional(self, node: Node, scope: int) -> Term:
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) != 3:
            self.lost(node, scope)
            return None
        value, condition, other = parts
        self.do(condition, scope)
        return ("either", (self.term(value, scope), self.term(other, scope)))

    def _walrus(self, node: Node, scope: int) -> Term:
        name, *_, value = node.named_children
        outer, read = scope, ("name", self.facts.name(name))
        # A walrus in a comprehension binds in the function around it.
        while self.facts.scope(outer).kind == "block":
            outer = self.facts.scope(outer).parent
        bound = self.term(value, scope)
        inner = bound if outer == scope else ("in", scope, bound)
        self.facts.add(outer, ("bind", read, inner))
        return read

    def inner(self, node: Node, scope: int) -> Term:
        """The one expression in brackets (thousands of them, maybe) or behind a keyword."""
        while node.type in ("parenthesized_expression", "dictionary_splat", "type"):
            inner = [child for child in node.named_children if child.type != "comment"]
            if len(inner) != 1:
                self.lost(node, scope)
                return None
            node = inner[0]
        return self.term(node, scope)

    def _tagged(self, node: Node, scope: int) -> Term:
        inner = [child for child in node.named_children if child.type != "comment"]
        tag = "await" if node.type == "await" else "star"
        return (tag, self.term(inner[0], scope)) if inner else None

    def _yield(self, node: Node, scope: int) -> Term:
        inner = [child for child in node.named_children if child.type != "comment"]
        value = self.term(inner[0], scope) if inner else None
        if any(child.type == "from" for child in node.children):
            value = ("iter", value, self.facts.site(node))
        self.facts.add(scope, ("yield", value))
        return None

    def _lambda(self, node: Node, scope: int) -> Term:
        number = self.facts.define("function", "<lambda>", node, scope=scope, body="function")
        body = self.facts.body(number)
        *parameters, value = [child for child in node.named_children if child.type != "comment"]
        if parameters:
            self.facts.fill(number, params=params_of(self, parameters[0], scope))
        self.facts.add(body, ("return", self.term(value, body)))
        return ("def", number)

    def target(self, node: Node, scope: int) -> Term:
        """Return the term of what is assigned to."""
        if node.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            inner = [child for child in node.named_children if child.type != "comment"]
            return ("tuple", tuple(self.target(child, scope) for child in inner))
        if node.type in ("list_splat_pattern", "list_splat") and node.named_children:
            return ("star", self.target(node.named_children[0], scope))
        return self.term(node, scope)


_Maker = Callable[[PythonTerms, "Node", int], Term]

TERMS: dict[str, _Maker] = {
    "identifier": PythonTerms._name,
    "attribute": PythonTerms._attribute,
    "call": call,
    "subscript": PythonTerms._subscript,
    "string": string,
    "concatenated_string": joined,
    **dict.fromkeys(("integer", "float"), number),
    **dict.fromkeys(("true", "false"), bool_of),
    "none": none_of,
    **dict.fromkeys(_SEVERAL, PythonTerms._several),
    "dictionary": PythonTerms._dictionary,
    "binary_operator": PythonTerms._binary,
    "boolean_operator": PythonTerms._boolean,
    "comparison_operator": PythonTerms._comparison,
    **dict.fromkeys(("not_operator", "unary_operator"), PythonTerms._unary),
    "conditional_expression": PythonTerms._conditional,
    "named_expression": PythonTerms._walrus,
    **dict.fromkeys(("parenthesized_expression", "type"), PythonTerms.inner),
    **dict.fromkeys(("await", "list_splat"), PythonTerms._tagged),
    "yield": PythonTerms._yield,
    "lambda": PythonTerms._lambda,
    **dict.fromkeys((*_COMPREHENSIONS, "generator_expression"), comprehension),
}

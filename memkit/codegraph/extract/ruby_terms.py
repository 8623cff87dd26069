"""Ruby's expressions as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..dialect import Dialect
from ..facts import CONST_CHARS, MODULE_SCOPE, Term
from .walking import Statements, Terms, Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTS = {"integer": "int", "float": "float", "true": "bool", "false": "bool", "nil": "none"}


class RubyWalker(Walker):
    """Knows the class it is in, and what kind of methods come next.

    Attributes:
        is_private, is_static: of the methods that follow in a class body.
        method: name of the method it is in, which is what `super` calls.
        me: the class whose body it is in.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect, terms, runs)
        self.is_private = False
        self.is_static = False
        self.method = ""
        self.me: Term = None

    def rename(self, number: int, name: str, node: Node, named: Node, doc: str) -> None:
        """Make a method of a block."""
        line, column = self.place(named.start_byte)
        self.fill(
            number, kind="method", name=name, qualname=self.qualified(self.at, name),
            start=node.start_byte, end=node.end_byte, line=line, column=column, doc=doc,
        )  # fmt: skip

    def constant(self, node: Node, name: str) -> None:
        """Define a constant where it is first bound."""
        if self.first(self.at, name):
            self.define(
                "variable", name, node, scope=self.at, named=node, flags=("constant",),
                doc=self.above(),
            )  # fmt: skip


W = RubyWalker


def _identifier(w: W, node: Node) -> Term:
    """A name that nothing binds is a call without arguments."""
    name = w.name(node)
    if name in w.known or (w.at == MODULE_SCOPE and (w.at, name) in w.declared):
        return ("name", name)
    return ("call", ("name", name), (), (), w.site(node))


def _name(w: W, node: Node) -> Term:
    return ("name", w.name(node))


def _variable(w: W, node: Node) -> Term:
    """`@x` and `@@x` are members."""
    return ("attr", ("self",), w.name(node))


def _const(w: W, node: Node) -> Term:
    return ("const", _CONSTS[node.type], None)


def _string(w: W, node: Node) -> Term:
    content = None
    for child in node.named_children:
        if child.type == "interpolation":
            w.each(child.named_children)
            content = None
        elif child.type == "string_content":
            content = w.text(child)
    kept = content if content is not None and len(content) <= CONST_CHARS else None
    return ("const", "str", kept if node.named_child_count == 1 else None)


def _chained(w: W, node: Node) -> Term:
    """`"a" "b"`: each part may have code of its own in it."""
    for child in node.named_children:
        w.term(child)
    return ("const", "str", None)


def _symbol(w: W, node: Node) -> Term:
    return ("const", "str", w.name(node).strip(':"'))


def path_of(w: W, node: Node) -> Term:
    """Return the term of a constant: `A::B`."""
    names: list[str] = []
    first: Node | None = node
    while first is not None and first.type == "scope_resolution":
        found = fields(first)
        if "name" not in found:
            return None
        names.append(w.name(found["name"]))
        first = found.get("scope")
    term: Term = None
    if first is not None:
        term = ("name", w.name(first)) if first.type == "constant" else w.term(first)
    for name in reversed(names):
        term = ("attr", term, name) if first is not None or term is not None else ("name", name)
    return term


def inner(w: W, node: Node) -> Term:
    """The last of what stands in brackets; the others are evaluated before it."""
    parts = [child for child in node.named_children if child.type != "comment"]
    for part in parts[:-1]:
        w.run(part)
    return w.term(parts[-1]) if parts else None


def _either(w: W, node: Node) -> Term:
    """`if`, `case`, `begin`: one of the values of the branches."""
    found = fields(node)
    values = []
    for child in node.named_children:
        if child in (found.get("condition"), found.get("value"), found.get("pattern")):
            w.run(child)
        elif child.type != "comment":
            values.append(w.term(child))
    kept = tuple(one for one in values if one is not None and one[0] != "const")
    return kept[0] if len(kept) == 1 else ("either", kept) if kept else None


def _modified(w: W, node: Node) -> Term:
    """`x if y`."""
    found = fields(node)
    if "condition" in found:
        w.run(found["condition"])
    return w.term(found.get("body"))


def _rescued(w: W, node: Node) -> Term:
    """`x rescue y` is one of both."""
    found = fields(node)
    return ("either", (w.term(found.get("body")), w.term(found.get("handler"))))


def _binary(w: W, node: Node) -> Term:
    found = fields(node)
    left, right, operator = found.get("left"), found.get("right"), found.get("operator")
    if operator is not None and operator.type in ("||", "or", "&&", "and"):
        return ("either", (w.term(left), w.term(right)))
    value = w.term(left)
    plain = (w.term(right),)
    if value is None or value[0] == "const" or operator is None:
        w.do(value)
        w.do(plain[0])
        return None
    # Operators are methods.
    return ("call", ("attr", value, operator.type), plain, (), w.site(operator))


def _element(w: W, node: Node) -> Term:
    parts = node.named_children
    base = w.term(parts[0]) if parts else None
    keys = [w.term(part) for part in parts[1:]]
    if len(keys) == 1:
        return ("item", base, keys[0])
    for key in keys:
        w.do(key)
    return ("item", base, None)


def _array(w: W, node: Node) -> Term:
    return ("list", tuple(w.term(c) for c in node.named_children if c.type != "comment"))


def _words(w: W, node: Node) -> Term:
    """`%w[a b]`: texts, each of which may have code in it."""
    return ("list", tuple(_string(w, child) for child in node.named_children))


def _hash(w: W, node: Node) -> Term:
    pairs = []
    for child in node.named_children:
        found = fields(child)
        if child.type == "pair" and "key" in found:
            key = found["key"]
            is_symbol = key.type == "hash_key_symbol"
            term: Term = ("const", "str", w.name(key)) if is_symbol else w.term(key)
            # `{a:}` is `{a: a}`.
            value = _identifier(w, key) if "value" not in found else w.term(found["value"])
            pairs.append((term, value))
        elif child.type == "hash_splat_argument":
            pairs.append((None, inner(w, child)))
    return ("dict", tuple(pairs))


TERMS: Terms = {
    "identifier": _identifier,
    "constant": _name,
    "global_variable": _name,
    "instance_variable": _variable,
    "class_variable": _variable,
    "self": lambda w, node: ("self",),
    "scope_resolution": path_of,
    "string": _string,
    "chained_string": _chained,
    "simple_symbol": _symbol,
    "delimited_symbol": _string,
    "parenthesized_statements": inner,
    "splat_argument": lambda w, node: ("star", inner(w, node)),
    "then": inner,
    "else": inner,
    "body_statement": inner,
    "block_body": inner,
    "argument_list": inner,
    "if": _either,
    "elsif": _either,
    "unless": _either,
    "conditional": _either,
    "case": _either,
    "when": _either,
    "begin": _either,
    "if_modifier": _modified,
    "unless_modifier": _modified,
    "rescue_modifier": _rescued,
    "binary": _binary,
    "element_reference": _element,
    "array": _array,
    "string_array": _words,
    "symbol_array": _words,
    "hash": _hash,
    **dict.fromkeys(_CONSTS, _const),
}

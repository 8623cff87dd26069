"""Ruby's calls, blocks and what they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param, Term
from .ruby_terms import RubyWalker, inner
from .walking import Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RubyWalker
# Plain arguments, and those with a name.
Given = tuple[tuple[Term, ...], tuple[tuple[str, Term], ...]]


_SORTS = {
    "splat_parameter": "*",
    "hash_splat_parameter": "**",
    "keyword_parameter": "name-only",
    "block_parameter": "",
}


def arguments(w: W, node: Node | None) -> Given:
    """Return the plain and the named arguments of a call; a block is the last plain one."""
    plain: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in node.named_children if node is not None else ():
        kind = child.type
        if kind == "pair":
            found = fields(child)
            key = w.name(found["key"]).strip(':"') if "key" in found else ""
            named.append((key, w.term(found["value"]) if "value" in found else ("name", key)))
        elif kind == "hash_splat_argument":
            named.append(("**", inner(w, child)))
        elif kind == "block_argument":
            w.do(inner(w, child))
        elif kind != "comment":
            plain.append(w.term(child))
    return tuple(plain), tuple(named)


def call(w: W, node: Node) -> Term:
    """`f(x)`, `a.b x`, `a.(x)`, each with a block or without one."""
    found = fields(node)
    method, receiver, block = found.get("method"), found.get("receiver"), found.get("block")
    held = w.term(receiver)
    plain, named = arguments(w, found.get("arguments"))
    if block is not None:
        plain = (*plain, ("def", closure(w, block)))
    if method is None or method.type == "super":
        callee: Term = ("attr", ("super",), w.method) if method is not None else held
        return ("call", callee, plain, named, w.site(node))
    name = w.name(method)
    if name in ("lambda", "proc") and receiver is None and plain:
        return plain[-1]
    if receiver is None:
        if method.type == "constant" and "arguments" not in found and not plain:
            return ("name", name)
        return ("call", ("name", name), plain, named, w.site(method))
    return _on_receiver(w, method, name, held, (plain, named))


def _on_receiver(w: W, method: Node, name: str, held: Term, given: Given) -> Term:
    plain, named = given
    if name == "new" and held is not None and held[0] in ("name", "attr") and held[-1] != "Class":
        return ("new", held, plain, named, w.site(method))
    first = plain[0] if plain else None
    if first is not None and first[:2] == ("const", "str") and first[2]:
        if name in ("method", "instance_method", "public_method"):
            return ("attr", held, first[2])
        if name in ("send", "public_send", "__send__"):
            return ("call", ("attr", held, first[2]), plain[1:], named, w.site(method))
    if name == "call":
        return ("call", held, plain, named, w.site(method))
    return ("call", ("attr", held, name), plain, named, w.site(method))


def closure(w: W, node: Node) -> int:
    """Define a block or lambda and return its number."""
    found = fields(node)
    body, listed = found.get("body"), found.get("parameters")
    if body is not None and body.type in ("block", "do_block"):
        body = body.child_by_field_name("body")
    taken = parameters(w, listed)
    number = w.define(
        "function", "<lambda>", node, scope=w.at, body="function",
        header=body.start_byte if body is not None else None, params=taken,
    )  # fmt: skip
    walk_body(w, number, body, taken, listed)
    return number


def walk_body(
    w: W, number: int, body: Node | None, taken: tuple[Param, ...], listed: Node | None = None
) -> None:
    """Walk the body of a method or block; its last expression is what it returns."""
    if body is None:
        return
    nodes = [body]
    if body.type in ("body_statement", "block_body", "then"):
        nodes = [child for child in body.named_children if child.type != "heredoc_body"]
    heredocs = [child for child in body.named_children if child.type == "heredoc_body"]
    while nodes and nodes[-1].type == "comment":
        nodes.pop()
    tail = nodes.pop() if nodes and nodes[-1].type not in _NO_VALUE else None

    def last() -> None:
        value = w.term(tail)
        if value is not None:
            w.say("return", value)

    for one in listed.named_children if listed is not None else ():
        if one.type == "destructured_parameter":
            w.known.update(w.name(name) for name in one.named_children)
    w.within(w.body(number), [*nodes, *heredocs], taken, last)


_NO_VALUE = frozenset(
    """
    method singleton_method class module while until for ensure rescue else return alias
    """.split()
)


def parameters(w: W, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method or block."""
    found = []
    for child in node.named_children if node is not None else ():
        if child.type == "identifier":
            found.append(Param(w.name(child), None, None, ""))
        elif child.type.endswith("_parameter"):
            parts = fields(child)
            name = w.name(parts["name"]) if "name" in parts else ""
            default = w.term(parts["value"]) if "value" in parts else None
            found.append(Param(name, None, default, _SORTS.get(child.type, "")))
    return tuple(found)


CALLS: Terms = {
    "call": call,
    "super": lambda w, node: ("call", ("attr", ("super",), w.method), (), (), w.site(node)),
    "lambda": lambda w, node: ("def", closure(w, node)),
}

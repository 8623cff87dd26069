"""Ruby's calls, blocks and what they take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param, Term
from .builder import DEEPEST
from .callbacks import run_by
from .ruby_terms import RubyWalker, inner
from .temporaries import held
from .walking import Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RubyWalker
# Plain arguments, and those with a name.
Given = tuple[tuple[Term, ...], tuple[tuple[str, Term], ...]]


# Methods that run their block with each element, with a key and a value, with the object itself.
_PAIRED = frozenset(
    """
    all? any? collect count each each_pair find find_all flat_map group_by map max_by min_by none?
    partition reject select sort_by sum filter filter_map detect
    """.split()
)
_RUNNING = _PAIRED | frozenset(
    """
    delete_if drop_while each_entry each_with_index each_with_object find_index index_by keep_if
    reverse_each take_while uniq
    """.split()
)
_GIVEN_WHOLE = frozenset({"tap", "then", "yield_self"})
# Methods that give a method by its name, and those that call one.
_METHODS = frozenset({"method", "instance_method", "public_method"})
_SENDING = frozenset({"send", "public_send", "__send__"})
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
    holder = w.term(receiver)
    plain, named = arguments(w, found.get("arguments"))
    if block is not None:
        plain = (*plain, ("def", closure(w, block)))
    if method is None or method.type == "super":
        callee: Term = ("attr", ("super",), w.method) if method is not None else holder
        return ("call", callee, plain, named, w.site(node))
    name = w.name(method)
    if name in ("lambda", "proc") and receiver is None and plain:
        return plain[-1]
    if receiver is None:
        if method.type == "constant" and "arguments" not in found and not plain:
            return ("name", name)
        asked = _asked(plain)
        if asked and name in _METHODS:
            return ("attr", ("self",), asked)
        if asked and name in _SENDING:
            name, plain = asked, plain[1:]
        return ("call", ("name", name), plain, named, w.site(method))
    return _on_receiver(w, method, name, holder, (plain, named))


def _on_receiver(w: W, method: Node, name: str, holder: Term, given: Given) -> Term:
    plain, named = given
    if (
        name == "new"
        and holder is not None
        and holder[0] in ("name", "attr")
        and holder[-1] != "Class"
    ):
        return ("new", holder, plain, named, w.site(method))
    asked = _asked(plain)
    if asked and name in _METHODS:
        return ("attr", holder, asked)
    if asked and name in _SENDING:
        return ("call", ("attr", holder, asked), plain[1:], named, w.site(method))
    if name == "call":
        return ("call", holder, plain, named, w.site(method))
    has_block = bool(plain) and plain[-1] is not None and plain[-1][0] == "def"
    if has_block and not named and name in _RUNNING | _GIVEN_WHOLE:
        return _run(w, method, name, holder, plain)
    return ("call", ("attr", holder, name), plain, named, w.site(method))


def _asked(plain: tuple[Term, ...]) -> str:
    """Return the name that is given first: a symbol or a text; "" if there is none."""
    first = plain[0] if plain else None
    return str(first[2] or "") if first is not None and first[:2] == ("const", "str") else ""


def _run(w: W, method: Node, name: str, value: Term, plain: tuple[Term, ...]) -> Term:
    """Return a call of a method that runs its block with an element of the receiver, or with it.

    A second parameter is the value of a mapping, if it is one.
    """
    receiver = held(w, value, method)
    block = plain[-1][1] if plain[-1] is not None else -1
    whole = name in _GIVEN_WHOLE
    second = w.parameters(block)[1:2] if name in _PAIRED else ()
    part: Term = ("item", ("iter", receiver), ("const", "int", 1))
    for other in second:
        either: Term = ("either", (part, ("item", receiver, None)))
        w.add(w.body(block), ("bind", ("name", other), ("in", w.at, either)))
    element: Term = receiver if whole else ("iter", receiver)
    return run_by(w, ("attr", receiver, name), plain, w.site(method), element=lambda _: element)


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

    known, w.known = w.known, set(w.known)
    if listed is not None:
        _bind_apart(w, w.body(number), listed)
    w.within(w.body(number), [*nodes, *heredocs], taken, last)
    w.known = known


def _bind_apart(w: W, scope: int, listed: Node) -> None:
    """Bind, in the scope of a body, names of its own and what parameters take apart."""
    around, w.at = w.at, scope
    for own in listed.children_by_field_name("locals"):
        w.know(("name", w.name(own)))
    for one in listed.named_children:
        if one.type == "destructured_parameter":
            w.bind(_apart(w, one), ("name", f"<{one.start_byte}>"))
    w.at = around


def _apart(w: W, node: Node, depth: int = 0) -> Term:
    """Return the target of `(a, (b, *c))` among parameters."""
    targets: list[Term] = []
    for child in node.named_children if depth < DEEPEST else ():
        named = child.child_by_field_name("name")
        if child.type == "destructured_parameter":
            targets.append(_apart(w, child, depth + 1))
        elif child.type == "splat_parameter":
            targets.append(("star", ("name", w.name(named))) if named is not None else None)
        else:
            targets.append(("name", w.name(child)))
    return ("tuple", tuple(targets))


_NO_VALUE = frozenset(
    """
    method singleton_method class module while until for ensure rescue else return alias
    """.split()
)


def parameters(w: W, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method or block."""
    found = []
    own = node.children_by_field_name("locals") if node is not None else []
    for child in node.named_children if node is not None else ():
        if child in own:
            continue
        if child.type == "identifier":
            found.append(Param(w.name(child), None, None, ""))
        elif child.type == "destructured_parameter":
            found.append(Param(f"<{child.start_byte}>", None, None, ""))
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

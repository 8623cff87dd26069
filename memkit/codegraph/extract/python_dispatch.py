"""Methods of the own class that are asked by the beginning of their name.

`getattr(self, f"parse_{kind}")` is any of the class's methods that begin so: they are said to be
what it is bound to, what is given back, what is called.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..facts import Facts, Statement, Term

if TYPE_CHECKING:
    from tree_sitter import Node

# The beginning of a text that goes on with what is not known: f"on_{x}", "on_" + x, "on_%s" % x,
# "on_{}".format(x).
_BEGINNING = re.compile(
    rb"""[fF]["'](?P<f>[A-Za-z_]\w*)\{|["'](?P<a>[A-Za-z_]\w*)["']\s*\+|["'](?P<p>[A-Za-z_]\w*)%s
    |["'](?P<b>[A-Za-z_]\w*)\{[^"'\n]*["']\.format\(""",
    re.VERBOSE,
)
_VARIABLE = re.compile(rb"([A-Za-z_]\w*)(?:\.(?:lower|upper)\(\))?")
# Bytes before a name in which it is looked for what it was bound to.
_BEFORE = 1000
# More methods than this are no choice that anybody would read.
_MOST = 30


class Asked(NamedTuple):
    """A call of getattr: its scope, its term, what it asks, how the name begins, its place."""

    scope: int
    term: Term
    receiver: str
    beginning: str
    site: int | None


def beginning(source: bytes, node: Node) -> str:
    """Return how the text begins that an expression makes, or that a name was bound to just
    before; "" if that is not known."""
    start, end = node.start_byte, node.end_byte
    found = _BEGINNING.match(source, start, end)
    if found is None and (variable := _VARIABLE.fullmatch(source, start, end)):
        bound = re.compile(rb"[\s;]" + variable[1] + rb"\s*=\s*")
        for place in bound.finditer(source, max(0, start - _BEFORE), start):
            found = _BEGINNING.match(source, place.end(), start)
    return next(filter(None, found.groups())).decode() if found else ""


def with_members(facts: Facts, asked: Iterable[Asked]) -> Facts:
    """Return facts in which the methods stand beside the calls of getattr that mean them."""
    statements = list(facts.statements)
    for one in asked:
        names = _members(facts, one)
        members = [("attr", ("name", one.receiver), name) for name in names]
        held = facts.statements[one.scope]
        more = [said for member in members for said in _said(held, one, member)]
        statements[one.scope] = (*statements[one.scope], *more)
    return facts._replace(statements=tuple(statements))


def own_class(facts: Facts, scope: int, receiver: str) -> int:
    """Return the scope of the class whose object a name is in a method and the functions inside it;
    -1 if it is none."""
    while scope >= 0:
        _, parent, number = facts.scopes[scope]
        if number >= 0 and facts.definitions[number].kind == "method":
            around = facts.definitions[number]
            is_own = around.params and around.params[0][0] == receiver
            return around.scope if is_own else -1
        scope = parent
    return -1


def _members(facts: Facts, asked: Asked) -> list[str]:
    """Return the methods of the class around that begin as asked; none if they are too many."""
    own = own_class(facts, asked.scope, asked.receiver)
    found = {
        one.name: None
        for one in facts.definitions
        if one.scope == own and one.kind == "method" and one.name.startswith(asked.beginning)
    }
    return list(found) if len(found) <= _MOST else []


def _said(statements: Iterable[Statement], asked: Asked, member: Term) -> Iterator[Statement]:
    """Yield what is said of a member where the same is said of the call."""
    if asked.site is not None:
        yield ("do", ("call", member, (), (), asked.site))
        return
    for statement in statements:
        if statement[-1] is asked.term and statement[0] in ("bind", "return"):
            yield (*statement[:-1], member)

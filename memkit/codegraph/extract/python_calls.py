"""Python's calls as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..facts import Term
from .python_dispatch import Asked, beginning
from .python_types import narrowed

if TYPE_CHECKING:
    from tree_sitter import Node

    from .python_terms import PythonTerms

_Arguments = tuple[list[Term], list[tuple[str, Term]]]


def call(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return a call with its arguments."""
    parts = node.named_children
    callee = walker.term(parts[0], scope)
    start = node.start_byte
    if callee is not None and callee[0] == "attr" and callee[2]:
        start = parts[0].end_byte - len(callee[2].encode())
    site = walker.facts.site_at(start)
    if callee is not None and callee[0] == "call" and walker.asked:
        _run(walker, callee, site)
    if parts[-1].type != "argument_list":
        return ("call", callee, (walker.term(parts[-1], scope),), (), site)
    children = parts[-1].named_children
    if not children:
        return ("call", callee, (), (), site)
    plain, named = _arguments(walker, children, callee, scope)
    narrowed(walker, callee, plain, scope)
    found = ("call", callee, tuple(plain), tuple(named), site)
    if callee == ("name", "getattr"):
        _ask(walker, found, children, scope)
    elif callee is not None and callee[0] in ("name", "attr"):
        walker.handing.append((scope, found))
    return found


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
    given = plain[-1]
    if given is not None and given[0] == "def":
        read, place = ("in", scope, callee), len(plain) - 1
        for number, name in enumerate(walker.facts.parameters(given[1])):
            expected = ("given", read, place, number)
            walker.facts.add(walker.facts.body(given[1]), ("bind", ("name", name), expected))


def _ask(walker: PythonTerms, found: Any, nodes: list[Node], scope: int) -> None:
    """Note a call of getattr that asks a name for what begins in some way."""
    start = beginning(walker.facts.source, nodes[1]) if len(found[2]) > 1 else ""
    receiver = found[2][0] if start else None
    if receiver is not None and receiver[0] == "name":
        walker.asked.append(Asked(scope, found, receiver[1], start, None))


def _run(walker: PythonTerms, callee: Term, site: int) -> None:
    """Note that what was asked just before is called."""
    last = walker.asked[-1]
    if last.term is callee:
        walker.asked[-1] = last._replace(site=site)

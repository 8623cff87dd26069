"""Which definitions are meant: by a call, by the read of a name, by a bare method name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..facts import Term
from ..link import family_of
from .memo import FUEL, Token
from .records import Place
from .scopes import Seen
from .terms import Terms
from .views import View

# Tokens that something in the tree may run for.
RUNNING = frozenset({"function", "bound", "class", "instance"})


def of_call(
    terms: Terms, view: View, scope: int, token: Token, term: Any
) -> Iterator[tuple[str, Place]]:
    """Yield kind of edge and place of everything in the tree that runs when a token is called."""
    tag = token[0]
    if tag in ("function", "bound"):
        yield "calls", with_body(terms, (token[1], token[2]))
        if term[0] == "new":
            yield "uses", (token[1], token[2])
    elif tag == "class":
        yield "uses", (token[1], token[2])
        for place in constructors(terms, view, scope, (token[1], token[2]), term):
            yield "calls", with_body(terms, place)
    elif tag == "instance":
        for found in terms.attribute(token, "__call__", FUEL):
            if found[0] == "bound":
                yield "calls", (found[1], found[2])


def with_body(terms: Terms, place: Place) -> Place:
    """Return the definition that a declaration without a body announces, if there is just one."""
    view = terms.views[place[0]]
    declared = view.definitions[place[1]]
    if "abstract" not in declared.flags or family_of(view.facts.language) != "c":
        return place
    terms.read(f"u:{declared.name}")
    found = []
    for path, number, _ in terms.tree.named(declared.name):
        there = terms.views[path]
        other = there.definitions[number]
        if family_of(there.facts.language) != "c" or other.qualname != declared.qualname:
            continue
        is_seen = path == place[0] or other.kind == "method" or "private" not in other.flags
        if other.kind in ("function", "method") and is_seen and "abstract" not in other.flags:
            found.append((path, number))
    return found[0] if len(found) == 1 else place


def constructors(terms: Terms, view: View, scope: int, place: Place, term: Any) -> list[Place]:
    """Return what runs when an object of a class is made: its own or inherited initialisers."""
    return [
        (token[1], token[2])
        for tokens in terms.makers(*place)
        for token in (terms.fitting(tokens, view, scope, term, FUEL) if len(tokens) > 1 else tokens)
    ]


def read(terms: Terms, view: View, seen: Seen, name: str) -> tuple[str, int] | None:
    """Return the definition that the read of a name means, None for what has none."""
    binder, bindings = seen.binder, seen.bindings
    tag = bindings[0][0] if bindings else ""
    if tag == "define":
        return (view.path, [one[1] for one in bindings if one[0] == "define"][-1])
    if tag == "import":
        for token in terms.bound(view, binder, name, FUEL):
            if token[0] in ("class", "function"):
                return (token[1], token[2])
    elif tag:
        number = view.variable(name)
        return (view.path, number) if number >= 0 else None
    return None


def properties(terms: Terms, view: View, scope: int, term: Any) -> Iterator[Place]:
    """Yield the methods that the read of a member runs."""
    # Who knows the classes of an object has made their views: nothing is missing here.
    if term[2] not in terms.views.properties:
        return
    for token in terms.eval(view, scope, term[1], FUEL):
        if token[0] in ("instance", "bases"):
            own = terms.order(token[1], token[2])[token[0] == "bases" :][:1]
            held = terms.attribute(own[0], term[2], FUEL) if own else ()
        elif token[0] == "class":
            own = terms.attribute(token, term[2], FUEL)
            held = tuple(one for one in own if _is_flagged(terms, one, "static"))
        elif token[0] == "literal":
            held = terms.held_at(token, term[2], FUEL, exact=True)
        else:
            continue
        for found in held:
            if _is_flagged(terms, found, "property"):
                yield found[1], found[2]


def _is_flagged(terms: Terms, token: Token, flag: str) -> bool:
    is_function = token[0] == "function"
    return is_function and flag in terms.views[token[1]].definitions[token[2]].flags


def is_static(terms: Terms, view: View, scope: int, term: Term) -> bool:
    """Return whether scopes, imports and classes alone say what a term means."""
    if term is None:
        return False
    tag = term[0]
    if tag == "name":
        return view.look(scope, term[1]).is_plain
    if tag != "attr":
        return tag in ("self", "super", "def")
    base = term[1]
    if base is None:
        return False
    if base[0] == "name":
        seen = view.look(scope, base[1])
        return seen.is_plain or seen.receiver >= 0
    if base[0] == "call":
        return bool(base[1] == ("name", "super"))
    if base[0] != "attr":
        return base[0] in ("self", "super")
    tokens = terms.eval(view, scope, base, FUEL)
    return all(token[0] in ("module", "class") for token in tokens)

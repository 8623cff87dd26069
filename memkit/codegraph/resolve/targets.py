"""Which definitions are meant: by a call, by the read of a name, by a bare method name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..facts import MODULE_SCOPE, Term
from ..link import family_of
from .memo import FUEL, Token
from .records import Place
from .terms import Terms
from .views import View

# More methods of one name than this tell nothing.
MOST_CANDIDATES = 5


def of_call(terms: Terms, token: Token, term: Any) -> Iterator[tuple[str, Place]]:
    """Yield kind of edge and place of everything in the tree that runs when a token is called."""
    tag = token[0]
    if tag in ("function", "bound"):
        yield "calls", with_body(terms, (token[1], token[2]))
        if term[0] == "new":
            yield "uses", (token[1], token[2])
    elif tag == "class":
        yield "uses", (token[1], token[2])
        for place in constructors(terms, (token[1], token[2]), term):
            yield "calls", with_body(terms, place)
    elif tag == "instance":
        for found in terms.attribute(token, "__call__", FUEL):
            if found[0] == "bound":
                yield "calls", (found[1], found[2])


def with_body(terms: Terms, place: Place) -> Place:
    """Return the definition that a declaration without a body announces, if there is just one."""
    view = terms.view(place[0])
    declared = view.definition(place[1])
    if "abstract" not in declared.flags or family_of(view.facts.language) != "c":
        return place
    terms.read(f"u:{declared.name}")
    found = []
    for path, number in terms.tree.named(declared.name):
        there = terms.view(path)
        other = there.definition(number)
        if family_of(there.facts.language) != "c" or other.qualname != declared.qualname:
            continue
        is_seen = path == place[0] or other.kind == "method" or "private" not in other.flags
        if other.kind in ("function", "method") and is_seen and "abstract" not in other.flags:
            found.append((path, number))
    return found[0] if len(found) == 1 else place


def constructors(terms: Terms, place: Place, term: Any) -> list[Place]:
    """Return what runs when an object of a class is made: its own or inherited initialisers."""
    found: dict[str, list[Token]] = {}
    for one in terms.order(*place):
        if one[0] == "outside":
            break
        view = terms.view(one[1])
        inherited = one[1:] != place
        terms.read(f"a:{one[1]}:{view.definition(one[2]).qualname}.<init>")
        own: dict[str, list[Token]] = {}
        for number in _constructors(view, one[2]):
            name = view.definition(number).name
            if not inherited or name in view.dialect.constructors:
                own.setdefault(name, []).append(("bound", one[1], number))
        for name, tokens in own.items():
            found.setdefault(name, tokens)
    chosen = [token for tokens in found.values() for token in terms.fitting(tuple(tokens), term)]
    return [(token[1], token[2]) for token in chosen]


def _constructors(view: View, number: int) -> list[int]:
    definition = view.definition(number)
    if definition.body < 0 or definition.kind != "class":
        return []
    return [
        binding[1]
        for bindings in view.names[definition.body].values()
        for binding in bindings
        if binding[0] == "define" and "constructor" in view.definition(binding[1]).flags
    ]


def read(terms: Terms, view: View, scope: int, name: str) -> tuple[str, int] | None:
    """Return the definition that the read of a name means, None for locals and what is outside."""
    binder = view.binder(scope, name)
    if binder < 0:
        return None
    bindings = view.names[binder][name]
    tag = bindings[0][0]
    if tag == "define":
        return (view.path, [one[1] for one in bindings if one[0] == "define"][-1])
    if tag == "import":
        for token in terms.bound(view, binder, name, FUEL):
            if token[0] in ("class", "function"):
                return (token[1], token[2])
    elif binder == MODULE_SCOPE:
        number = view.variable(name)
        return (view.path, number) if number >= 0 else None
    return None


def methods(terms: Terms, view: View, name: str) -> list[Place]:
    """Return the methods of that name in the tree; none if they are too many or too common."""
    if name in view.dialect.builtin_methods or name.startswith("__"):
        return []
    terms.read(f"u:{name}")
    family = family_of(view.facts.language)
    found: dict[tuple[str, str], Place] = {}
    for path, number in terms.tree.named(name):
        there = terms.view(path)
        definition = there.definition(number)
        if definition.kind != "method" or family_of(there.facts.language) != family:
            continue
        if family == "c":
            path, number = with_body(terms, (path, number))
        found.setdefault((path, definition.qualname), (path, number))
        if len(found) > MOST_CANDIDATES:
            return []
    return list(found.values())


def is_static(terms: Terms, view: View, scope: int, term: Term) -> bool:
    """Return whether scopes, imports and classes alone say what a term means."""
    if term is None:
        return False
    tag = term[0]
    if tag == "name":
        return _is_plain(view, scope, term[1])
    if tag != "attr":
        return tag in ("self", "super", "def")
    base = term[1]
    if base is None:
        return False
    if base[0] == "name":
        return view.receiver(scope, base[1]) >= 0 or _is_plain(view, scope, base[1])
    if base[0] == "call":
        return bool(base[1] == ("name", "super"))
    if base[0] != "attr":
        return base[0] in ("self", "super")
    tokens = terms.eval(view, scope, base, FUEL)
    return all(token[0] in ("module", "class") for token in tokens)


def _is_plain(view: View, scope: int, name: str) -> bool:
    binder = view.binder(scope, name)
    return binder < 0 or all(one[0] in ("define", "import") for one in view.names[binder][name])

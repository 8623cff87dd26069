"""Definitions meant by a call or read; candidate methods by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from ..dialect import of_tests
from ..facts import Definition, Term
from ..languages import family_of
from .engine import FUEL, Place, Token, Tokens
from .evaluator import Terms
from .extensions import on_receiver
from .file_scopes import Seen, View, arity

# --- Definitions that a call runs, or that the read of a name or member means.

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
        for method in terms.attribute(token, "__call__", FUEL):
            if method[0] == "bound":
                yield "calls", (method[1], method[2])


def with_body(terms: Terms, place: Place) -> Place:
    """Return the definition that a declaration without a body announces, if there is just one."""
    view = terms.views[place[0]]
    declared = view.definitions[place[1]]
    if "abstract" not in declared.flags or not view.dialect.declares_apart:
        return place
    terms.read(f"u:{declared.name}")
    bodies = []
    for path, number, _ in terms.tree.named(declared.name):
        there = terms.views[path]
        other = there.definitions[number]
        if not there.dialect.declares_apart or other.qualname != declared.qualname:
            continue
        is_seen = path == place[0] or other.kind == "method" or "private" not in other.flags
        if other.kind in ("function", "method") and is_seen and "abstract" not in other.flags:
            bodies.append((path, number))
    return bodies[0] if len(bodies) == 1 else place


def constructors(terms: Terms, view: View, scope: int, place: Place, term: Any) -> list[Place]:
    """Return what runs when an object of a class is made: its own or inherited initialisers; one
    that calls another is not that one."""
    own = (view.path, view.around[scope]) if term[1] == ("self",) else None
    return [
        (token[1], token[2])
        for tokens in terms.makers(*place)
        for token in (terms.fitting(tokens, view, scope, term, FUEL) if len(tokens) > 1 else tokens)
        if (token[1], token[2]) != own
    ]


def read(terms: Terms, view: View, seen: Seen, name: str) -> tuple[str, int] | None:
    """Return the definition that the read of a name means, None for what has none."""
    binder, bindings = seen.binder, seen.bindings
    tag = bindings[0][0] if bindings else ""
    if tag == "define":
        return (view.path, [binding[1] for binding in bindings if binding[0] == "define"][-1])
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
            held = _of_class(terms, token, term[2])
        elif token[0] == "literal":
            held = terms.held_at(token, term[2], FUEL, exact=True)
        else:
            held = ()
        held = held or extension_properties(terms, view, scope, term, token)
        for method in held:
            if _is_flagged(terms, method, "property"):
                yield method[1], method[2]


def _of_class(terms: Terms, token: Token, name: str) -> Tokens:
    """Return the members of a class itself, or of an object that is declared as such."""
    view = terms.views[token[1]]
    definition = view.definitions[token[2]]
    if "object" in definition.flags:
        bindings = view.names[definition.body].get(name, ())
        return tuple(
            ("function", view.path, binding[1]) for binding in bindings if binding[0] == "define"
        )
    members = terms.attribute(token, name, FUEL)
    return tuple(member for member in members if _is_flagged(terms, member, "static"))


def extension_properties(terms: Terms, view: View, scope: int, term: Any, token: Token) -> Tokens:
    """Return the extensions of a name in sight that are for the value of a term."""
    if not view.dialect.extension_functions:
        return ()
    tokens = on_receiver(terms, view, scope, term[2], (token,), FUEL)
    return tuple(("function", *token[1:]) for token in tokens if token[0] == "bound")


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


# --- Candidate methods of a call whose receiver is unknown: those of its name.
#
# A name alone is little. What the language would not let through, or hardly anybody would write,
# is left out first, so that the only method that is left is the one that is meant.

# More methods of one name than this tell nothing.
MOST_CANDIDATES = 5
_NAMED = frozenset({"name", "attr"})
# Shorter names of classes are those of much else.
_SHORTEST = 4


def methods(terms: Terms, view: View, term: Any) -> list[Place]:
    """Return the methods in the tree that a call may mean; none if they are too many, or if their
    name is too common."""
    name = term[1][2]
    if name in view.dialect.builtin_methods or name.startswith("__"):
        return []
    dialect = view.dialect
    query = (name, dialect.family, of_tests(view.path))
    named: Sequence[Place] = terms.keep(
        terms.candidates, query, lambda query: _named(terms, query, dialect.candidate_filter)
    )
    if dialect.candidate_filter == "test_folder":
        named = _few([place for place in named if _is_in_reach(place[0], view)])
    places: dict[tuple[str, str], Place] = {}
    for path, number in named:
        there = terms.views[path]
        if _can_be(there, there.definitions[number], view, term):
            place = with_body(terms, (path, number))
            places.setdefault((place[0], there.definitions[number].qualname), place)
    return list(places.values()) if len(places) <= MOST_CANDIDATES else []


def by_class(terms: Terms, view: View, term: Any) -> list[Place]:
    """Return the method that a call means whose receiver is named as the only class of that name:
    `token.match()` where the tree has a `Token` with such a method."""
    receiver, name = term[1][1], term[1][2]
    if not view.dialect.dynamically_typed or receiver is None or receiver[0] not in _NAMED:
        return []
    query = (receiver[-1], view.dialect.family, of_tests(view.path))
    for place in terms.keep(terms.candidates, ("class", *query), lambda _: _classes(terms, query)):
        if name in view.dialect.builtin_methods and not _is_in_sight(terms, view, place[0]):
            continue
        tokens = terms.attribute(("instance", *place), name, FUEL)
        return [(token[1], token[2]) for token in tokens if token[0] in ("bound", "function")][:1]
    return []


def _is_in_sight(terms: Terms, view: View, path: str) -> bool:
    """Return whether a file imports another, or something of it."""
    for name, bindings in view.names[0].items():
        if bindings[0][0] == "import":
            for token in terms.bound(view, 0, name, FUEL):
                if token[0] == "module":
                    if path in terms.links.of_family(token[1]).members(token[2]):
                        return True
                elif path in token:
                    return True
    return path == view.path


def _classes(terms: Terms, query: tuple[str, str, bool]) -> Sequence[Place]:
    """Return the only class that is called as a variable is, if there is just one."""
    word, family, is_test = query
    name = "".join([part[:1].upper() + part[1:] for part in word.split("_")])
    if name == word or len(name) < _SHORTEST:
        return ()
    places = _declared(terms, "class", (name, family, is_test))
    return places if len(places) == 1 else ()


def _named(terms: Terms, query: tuple[str, str, bool], candidate_filter: str) -> Sequence[Place]:
    """Return the methods of a name that files of a family may call; none if they are too many,
    before their files are looked at, unless more than the name is known of them."""
    places = _declared(terms, "method", query)
    return places if candidate_filter else _few(places)


def _declared(terms: Terms, kind: str, query: tuple[str, str, bool]) -> list[Place]:
    """Return what of a kind and name files of a family may mean: nothing of tests, unless they are
    tests themselves."""
    name, family, is_test = query
    terms.read(f"u:{name}")
    return [
        (definition.path, definition.number)
        for definition in terms.tree.named(name)
        if definition.kind == kind
        and family_of(terms.languages[definition.path]) == family
        and (is_test or not of_tests(definition.path))
    ]


def _few(named: Sequence[Place]) -> Sequence[Place]:
    return named if len({path for path, _ in named}) <= MOST_CANDIDATES else ()


@lru_cache(maxsize=20_000)
def _is_in_reach(path: str, view: View) -> bool:
    """Whether a file sees another that is a test: those are seen by their own folder alone."""
    return not of_tests(path) or path.rpartition("/")[0] == view.path.rpartition("/")[0]


def _can_be(there: View, definition: Definition, view: View, term: Any) -> bool:
    """Whether a method may be called from a file, with such arguments."""
    dialect = view.dialect
    if dialect.private_is_file_wide and "private" in definition.flags and there.path != view.path:
        return False
    if not dialect.checks_arity or "property" in definition.flags:
        return True
    if "static" in definition.flags and dialect.extension_methods:
        return True  # an extension: its object is an argument
    return _takes(there, definition, term)


def _takes(there: View, definition: Definition, term: Any) -> bool:
    """Whether a method takes so many arguments; where a call may give several, of one any."""
    arguments, named = term[2], term[3]
    if any(argument is not None and argument[0] == "star" for argument in arguments):
        return True
    if any(name == "**" for name, _ in named):
        return True
    if (
        len(arguments) == 1
        and there.dialect.spreads_multiple_results
        and (arguments[0] or ("call",))[0] == "call"
    ):
        return True
    has_receiver = there.dialect.receiver and "static" not in definition.flags
    min_count, max_count = arity(definition, skip=int(has_receiver))
    return min_count <= len(arguments) + len(named) <= max_count

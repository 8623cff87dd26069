"""Definitions meant by a call or read; candidate methods by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeGuard

from ..dialect import of_tests
from ..facts import Definition, Expression, Term
from ..languages import family_of
from .container_values import LiteralValue
from .engine import InferenceEngine
from .file_scopes import FileScopes, Lookup, arity
from .values import (
    FUEL,
    ClassValue,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    Place,
    SuperValue,
    Value,
    ValueSet,
    is_itself,
    union,
)

# --- Definitions that a call runs, or that the read of a name or member means.


def of_call(
    engine: InferenceEngine, file: FileScopes, scope: int, callee: Value, term: Expression
) -> Iterator[tuple[str, Place]]:
    """Yield kind of edge and place of everything in the tree that runs when a value is called."""
    if isinstance(callee, FunctionValue):
        yield "calls", with_body(engine, callee.place)
        if term[0] == "new":
            yield "uses", callee.place
    elif isinstance(callee, ClassValue):
        yield "uses", callee.place
        for method in constructors(engine, file, scope, callee, term):
            yield "calls", with_body(engine, method.place)
    elif isinstance(callee, InstanceValue):
        for member in callee.get_member("__call__", FUEL):
            if isinstance(member, FunctionValue) and member.is_bound:
                yield "calls", member.place


def with_body(engine: InferenceEngine, place: Place) -> Place:
    """Return the definition that a declaration without a body announces, if there is just one."""
    file = engine.files[place[0]]
    declared = file.definitions[place[1]]
    if "abstract" not in declared.flags or not file.dialect.declares_apart:
        return place
    engine.depend_on(f"u:{declared.name}")
    bodies = []
    for path, number, _ in engine.tree.named(declared.name):
        there = engine.files[path]
        other = there.definitions[number]
        if not there.dialect.declares_apart or other.qualname != declared.qualname:
            continue
        is_seen = path == place[0] or other.kind == "method" or "private" not in other.flags
        if other.kind in ("function", "method") and is_seen and "abstract" not in other.flags:
            bodies.append((path, number))
    if len(bodies) > 1:
        # Overloads: that which takes as much, or the same.
        types = _types(declared)
        like = [_types(engine.files[path].definitions[number]) for path, number in bodies]
        fits = [len(other) == len(types) for other in like]
        if sum(fits) > 1:
            fits = [other == types for other in like]
        bodies = [body for body, is_fit in zip(bodies, fits, strict=True) if is_fit]
    return bodies[0] if len(bodies) == 1 else place


def _types(definition: Definition) -> list[Term]:
    """Return the types of what a definition takes."""
    return [param.type for param in definition.params]


def constructors(
    engine: InferenceEngine, file: FileScopes, scope: int, kind: ClassValue, term: Expression
) -> list[FunctionValue]:
    """Return what runs when an object of a class is made: its own or inherited initialisers; one
    that calls another is not that one, where types tell which."""
    fitting = engine.overloads.fitting
    is_own = file.dialect.extension_functions is not None and term[1] == ("self",)
    own = file.around[scope] if is_own else -1
    return [
        function
        for functions in engine.calls.initialisers(*kind.place)
        for function in (
            fitting(functions, file, scope, term, FUEL) if len(functions) > 1 else functions
        )
        if isinstance(function, FunctionValue) and function.place != (file.path, own)
    ]


def read(engine: InferenceEngine, file: FileScopes, lookup: Lookup, name: str) -> Place | None:
    """Return the definition that the read of a name means, None for what has none."""
    binder, bindings = lookup.binder, lookup.bindings
    tag = bindings[0][0] if bindings else ""
    if tag == "define":
        return (file.path, [binding[1] for binding in bindings if binding[0] == "define"][-1])
    for value in engine.names.bound(file, binder, name, FUEL) if tag else ():
        if is_itself(value):
            return value.place
    return None


def properties(
    engine: InferenceEngine, file: FileScopes, scope: int, term: Expression
) -> Iterator[Place]:
    """Yield the methods that the read of a member runs."""
    name = term[2]
    # Who knows the classes of an object has loaded their files: nothing is missing here.
    if name not in engine.files.properties:
        return
    for value in engine.evaluate(file, scope, term[1], FUEL):
        members = _held(engine, value, name)
        if not members and file.dialect.extension_functions:
            functions = engine.extensions.on_receiver(file, scope, name, (value,), FUEL)
            members = union([function.file.defined(function.number) for function in functions])
        for member in members:
            if _is_flagged(member, "property"):
                yield member.place


def _held(engine: InferenceEngine, value: Value, name: str) -> ValueSet:
    """Return what a value has under a name, before it is read."""
    if isinstance(value, InstanceValue | SuperValue):
        order = engine.members.order(*value.place)
        own = order[isinstance(value, SuperValue) :][:1]
        return own[0].get_member(name, FUEL) if own else ()
    if isinstance(value, ClassValue) and "object" in value.definition.flags:
        return engine.members.own(value.path, value.number, name, FUEL) or ()
    if isinstance(value, ClassValue):
        members = value.get_member(name, FUEL)
        return tuple([member for member in members if _is_flagged(member, "static")])
    return value.at(name, FUEL, exact=True) if isinstance(value, LiteralValue) else ()


def _is_flagged(value: Value, flag: str) -> TypeGuard[FunctionValue]:
    return isinstance(value, FunctionValue) and not value.is_bound and value.has_flag(flag)


def is_static(engine: InferenceEngine, file: FileScopes, scope: int, term: Term) -> bool:
    """Return whether scopes, imports and classes alone say what a term means."""
    if term is None:
        return False
    tag = term[0]
    if tag == "name":
        return file.lookup(scope, term[1]).is_plain
    if tag != "attr":
        return tag in ("self", "super", "def")
    base = term[1]
    if base is None:
        return False
    if base[0] == "name":
        lookup = file.lookup(scope, base[1])
        return lookup.is_plain or lookup.receiver >= 0
    if base[0] == "call":
        return bool(base[1] == ("name", "super"))
    if base[0] != "attr":
        return base[0] in ("self", "super")
    values = engine.evaluate(file, scope, base, FUEL)
    return all(isinstance(value, ModuleValue | ClassValue) for value in values)


# --- Candidate methods of a call whose receiver is unknown: those of its name.
#
# A name alone is little. What the language would not let through, or hardly anybody would write,
# is left out first, so that the only method that is left is the one that is meant.

# More methods of one name than this tell nothing.
MAX_CANDIDATES = 5
_NAMED = frozenset({"name", "attr"})
# Shorter names of classes are those of much else.
_MIN_LETTERS = 4


def methods(engine: InferenceEngine, file: FileScopes, term: Expression) -> list[Place]:
    """Return the methods in the tree that a call may mean; none if they are too many, or if their
    name is too common."""
    name = term[1][2]
    if name in file.dialect.builtin_methods or name.startswith("__"):
        return []
    dialect = file.dialect
    query = (name, dialect.family, of_tests(file.path))
    named: Sequence[Place] = engine.cached_once(
        engine.candidates, query, lambda query: _named(engine, query, dialect.candidate_filter)
    )
    if dialect.candidate_filter == "test_folder":
        named = _few([place for place in named if _is_in_reach(place[0], file)])
    places: dict[tuple[str, str], Place] = {}
    for path, number in named:
        there = engine.files[path]
        if _can_be(there, there.definitions[number], file, term):
            place = with_body(engine, (path, number))
            places.setdefault((place[0], there.definitions[number].qualname), place)
    return list(places.values()) if len(places) <= MAX_CANDIDATES else []


def known_everywhere(
    engine: InferenceEngine, file: FileScopes, scope: int, term: Expression
) -> list[Place]:
    """Return the macro or function of the tree that a call means which nothing in scope is, if just
    one has that name: by itself or, a macro, behind the path of a module."""
    callee, sort = term[1], file.dialect.known_everywhere
    if not sort or callee is None or callee[0] not in _NAMED:
        return []
    base = engine.evaluate(file, scope, callee[1], FUEL) if callee[0] == "attr" else ()
    is_behind_module = sort == "macros" and any(isinstance(value, ModuleValue) for value in base)
    if callee[0] == "attr" and not is_behind_module:
        return []
    query = (callee[-1], file.dialect.family, True)
    places: Sequence[Place] = engine.cached_once(
        engine.candidates, ("function", *query), lambda _: _declared(engine, "function", query)
    )
    fits = _is_macro if sort == "macros" else _is_linked
    places = [place for place in places if fits(engine.files[place[0]], place[1], term)]
    return places if len(places) == 1 else []


def _is_macro(there: FileScopes, number: int, _: Expression) -> bool:
    return "macro" in there.definitions[number].flags


def _is_linked(there: FileScopes, number: int, term: Expression) -> bool:
    """Return whether a function has a body and a name for the whole program, or stands in a header,
    and takes what a call gives it."""
    definition = there.definitions[number]
    if definition.body < 0 or definition.qualname != definition.name:
        return False
    if "private" in definition.flags and not there.path.endswith(".h"):
        return False
    return _UNLINKED.isdisjoint(definition.flags) and _takes(there, definition, term)


_UNLINKED = frozenset({"macro", "test", "abstract"})


def by_class(engine: InferenceEngine, file: FileScopes, term: Expression) -> list[Place]:
    """Return the method that a call means whose receiver is named as the only class of that name:
    `token.match()` where the tree has a `Token` with such a method."""
    receiver, name = term[1][1], term[1][2]
    if not file.dialect.dynamically_typed or receiver is None or receiver[0] not in _NAMED:
        return []
    query = (receiver[-1], file.dialect.family, of_tests(file.path))
    for place in engine.cached_once(
        engine.candidates, ("class", *query), lambda _: _classes(engine, query)
    ):
        if name in file.dialect.builtin_methods and not _is_in_sight(engine, file, place[0]):
            continue
        members = engine.value(InstanceValue, *place).get_member(name, FUEL)
        return [member.place for member in members if isinstance(member, FunctionValue)][:1]
    return []


def _is_in_sight(engine: InferenceEngine, file: FileScopes, path: str) -> bool:
    """Return whether a file imports another, or something of it."""
    for name, bindings in file.names[0].items():
        if bindings[0][0] == "import":
            for value in engine.names.bound(file, 0, name, FUEL):
                if isinstance(value, ModuleValue):
                    if path in engine.modules.of_family(value.family).members(value.key):
                        return True
                elif value.path == path:
                    return True
    return path == file.path


def _classes(engine: InferenceEngine, query: tuple[str, str, bool]) -> Sequence[Place]:
    """Return the only class that is called as a variable is, if there is just one."""
    word, family, is_test = query
    name = "".join([part[:1].upper() + part[1:] for part in word.split("_")])
    if name == word or len(name) < _MIN_LETTERS:
        return ()
    places = _declared(engine, "class", (name, family, is_test))
    return places if len(places) == 1 else ()


def _named(
    engine: InferenceEngine, query: tuple[str, str, bool], candidate_filter: str
) -> Sequence[Place]:
    """Return the methods of a name that files of a family may call; none if they are too many,
    before their files are looked at, unless more than the name is known of them."""
    places = _declared(engine, "method", query)
    return places if candidate_filter else _few(places)


def _declared(engine: InferenceEngine, kind: str, query: tuple[str, str, bool]) -> list[Place]:
    """Return what of a kind and name files of a family may mean: nothing of tests, unless they are
    tests themselves."""
    name, family, is_test = query
    engine.depend_on(f"u:{name}")
    return [
        (definition.path, definition.number)
        for definition in engine.tree.named(name)
        if definition.kind == kind
        and family_of(engine.languages[definition.path]) == family
        and (is_test or not of_tests(definition.path))
    ]


def _few(named: Sequence[Place]) -> Sequence[Place]:
    return named if len({path for path, _ in named}) <= MAX_CANDIDATES else ()


@lru_cache(maxsize=20_000)
def _is_in_reach(path: str, file: FileScopes) -> bool:
    """Whether a file sees another that is a test: those are seen by their own folder alone."""
    return not of_tests(path) or path.rpartition("/")[0] == file.path.rpartition("/")[0]


def _can_be(there: FileScopes, definition: Definition, file: FileScopes, term: Expression) -> bool:
    """Whether a method may be called from a file, with such arguments."""
    dialect = file.dialect
    if dialect.private_is_file_wide and "private" in definition.flags and there.path != file.path:
        return False
    if not dialect.checks_arity or "property" in definition.flags:
        return True
    if "static" in definition.flags and dialect.extension_methods:
        return True  # an extension: its object is an argument
    return _takes(there, definition, term)


def _takes(there: FileScopes, definition: Definition, term: Expression) -> bool:
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

"""Which methods a call may mean of whose receiver nothing is known: those of its name that it can.

A name alone is little. What the language would not let through, or hardly anybody would write, is
left out first, so that the only method that is left is the one that is meant.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ..facts import Definition
from ..link import family_of
from ..purpose import of_tests
from .memo import FUEL
from .records import Place
from .targets import with_body
from .terms import Terms
from .views import View, arity

# More methods of one name than this tell nothing.
MOST_CANDIDATES = 5
# Languages whose compiler counts the arguments of a method that is called.
_COUNTING = frozenset({"go", "rust", "java", "csharp"})
# Languages whose private members are those of one file.
_HIDING = frozenset({"java", "csharp"})
# Families that know more of a method than its name: its folder, the body of what is announced.
_LOOKED_AT = frozenset({"go", "c"})
# Languages in which nothing says what most variables are.
_UNTYPED = frozenset({"python", "ruby", "javascript"})
_NAMED = frozenset({"name", "attr"})
# Shorter names of classes are those of much else.
_SHORTEST = 4


def methods(terms: Terms, view: View, term: Any) -> list[Place]:
    """Return the methods in the tree that a call may mean; none if they are too many, or if their
    name is too common."""
    name = term[1][2]
    if name in view.dialect.builtin_methods or name.startswith("__"):
        return []
    asked = (name, family_of(view.facts.language), of_tests(view.path))
    named: Sequence[Place] = terms.keep(terms.candidates, asked, lambda asked: _named(terms, asked))
    family = asked[1]
    if family == "go":
        named = _few([place for place in named if _is_in_reach(place[0], view)])
    found: dict[tuple[str, str], Place] = {}
    for path, number in named:
        there = terms.views[path]
        if _can_be(there, there.definitions[number], view, term):
            place = with_body(terms, (path, number)) if family == "c" else (path, number)
            found.setdefault((place[0], there.definitions[number].qualname), place)
    return list(found.values()) if len(found) <= MOST_CANDIDATES else []


def by_class(terms: Terms, view: View, term: Any) -> list[Place]:
    """Return the method that a call means whose receiver is named as the only class of that name:
    `token.match()` where the tree has a `Token` with such a method."""
    receiver, name = term[1][1], term[1][2]
    if view.facts.language not in _UNTYPED or receiver is None or receiver[0] not in _NAMED:
        return []
    asked = (receiver[-1], family_of(view.facts.language), of_tests(view.path))
    for place in terms.keep(terms.candidates, ("class", *asked), lambda _: _classes(terms, asked)):
        if name in view.dialect.builtin_methods and not _is_in_sight(terms, view, place[0]):
            continue
        found = terms.attribute(("instance", *place), name, FUEL)
        return [(one[1], one[2]) for one in found if one[0] in ("bound", "function")][:1]
    return []


def _is_in_sight(terms: Terms, view: View, path: str) -> bool:
    """Return whether a file imports another, or something of it."""
    for name, bindings in view.names[0].items():
        if bindings[0][0] == "import":
            for token in terms.bound(view, 0, name, FUEL):
                if token[0] == "module":
                    if path in terms.links.linker(token[1]).members(token[2]):
                        return True
                elif path in token:
                    return True
    return path == view.path


def _classes(terms: Terms, asked: tuple[str, str, bool]) -> Sequence[Place]:
    """Return the only class that is called as a variable is, if there is just one."""
    word, family, is_test = asked
    name = "".join([part[:1].upper() + part[1:] for part in word.split("_")])
    if name == word or len(name) < _SHORTEST:
        return ()
    found = _declared(terms, "class", (name, family, is_test))
    return found if len(found) == 1 else ()


def _named(terms: Terms, asked: tuple[str, str, bool]) -> Sequence[Place]:
    """Return the methods of a name that files of a family may call; none if they are too many,
    before their files are looked at."""
    found = _declared(terms, "method", asked)
    return found if asked[1] in _LOOKED_AT else _few(found)


def _declared(terms: Terms, kind: str, asked: tuple[str, str, bool]) -> list[Place]:
    """Return what of a kind and name files of a family may mean: nothing of tests, unless they are
    tests themselves."""
    name, family, is_test = asked
    terms.read(f"u:{name}")
    return [
        (one.path, one.number)
        for one in terms.tree.named(name)
        if one.kind == kind
        and family_of(terms.languages[one.path]) == family
        and (is_test or not of_tests(one.path))
    ]


def _few(named: Sequence[Place]) -> Sequence[Place]:
    return named if len({path for path, _ in named}) <= MOST_CANDIDATES else ()


@lru_cache(maxsize=20_000)
def _is_in_reach(path: str, view: View) -> bool:
    """Whether a test of Go may be called from a file: tests are seen by their own folder alone."""
    return not of_tests(path) or path.rpartition("/")[0] == view.path.rpartition("/")[0]


def _can_be(there: View, definition: Definition, view: View, term: Any) -> bool:
    """Whether a method may be called from a file, with such arguments."""
    language = view.facts.language
    if language in _HIDING and "private" in definition.flags and there.path != view.path:
        return False
    if language not in _COUNTING or "property" in definition.flags:
        return True
    if "static" in definition.flags and language == "csharp":
        return True  # an extension: its object is an argument
    return _takes(there, definition, term)


def _takes(there: View, definition: Definition, term: Any) -> bool:
    """Whether a method takes so many arguments; a call may give several in Go."""
    given, named = term[2], term[3]
    if any(one is not None and one[0] == "star" for one in given):
        return True
    if any(name == "**" for name, _ in named):
        return True
    if len(given) == 1 and there.facts.language == "go" and (given[0] or ("call",))[0] == "call":
        return True
    has_receiver = there.dialect.receiver and "static" not in definition.flags
    least, most = arity(definition, skip=int(has_receiver))
    return least <= len(given) + len(named) <= most

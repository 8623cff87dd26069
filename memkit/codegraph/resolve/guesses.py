"""Which methods a call may mean of whose receiver nothing is known: those of its name that it can.

A name alone is little. What the language would not let through, or hardly anybody would write, is
left out first, so that the only method that is left is the one that is meant.
"""

from __future__ import annotations

import re
from typing import Any

from ..facts import Definition
from ..link import family_of
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
_TEST = re.compile(
    r"(?:^|/)(?:[\w.]+-)?(?:tests?|specs?|__tests__|testdata)/"
    r"|(?:^|/)(?:test_|conftest\b)[^/]*$"
    r"|[._-](?:tests?|spec)\.\w+$"
    r"|(?:Tests?|Spec)\.(?:java|kt|scala|groovy|cs)$"
)


def methods(terms: Terms, view: View, term: Any) -> list[Place]:
    """Return the methods in the tree that a call may mean; none if they are too many, or if their
    name is too common."""
    name = term[1][2]
    if name in view.dialect.builtin_methods or name.startswith("__"):
        return []
    terms.read(f"u:{name}")
    family = family_of(view.facts.language)
    named = [
        (one.path, one.number)
        for one in terms.tree.named(name)
        if one.kind == "method"
        and family_of(terms.languages[one.path]) == family
        and _is_in_reach(one.path, view)
    ]
    if len({path for path, _ in named}) > MOST_CANDIDATES and family != "c":
        return []  # before their files are looked at
    found: dict[tuple[str, str], Place] = {}
    for path, number in named:
        there = terms.views[path]
        if _can_be(there, there.definitions[number], view, term):
            place = with_body(terms, (path, number)) if family == "c" else (path, number)
            found.setdefault((place[0], there.definitions[number].qualname), place)
    return list(found.values()) if len(found) <= MOST_CANDIDATES else []


def _is_in_reach(path: str, view: View) -> bool:
    """Whether code of a file may call methods of another: not of tests, unless it is one itself; in
    Go these are seen by their own folder alone."""
    if path == view.path or not _TEST.search(path):
        return True
    is_beside = path.rpartition("/")[0] == view.path.rpartition("/")[0]
    return bool(_TEST.search(view.path)) and (is_beside or view.facts.language != "go")


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

"""What parameters of Python's tests are that pytest fills in: what the fixture of that name gives.

A fixture is looked for where pytest does: beside the test in its class, in its file, and in the
`conftest.py` of its folder and of those around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..facts import MODULE_SCOPE, Definition
from .calls import Calls
from .memo import Tokens, joined
from .views import View


def given(terms: Calls, view: View, number: int, name: str, fuel: int) -> Tokens:
    """Return what a parameter of a test or a fixture is; nothing for any other function."""
    asking = view.definitions[number]
    if view.facts.language != "python" or not ("test" in asking.flags or _is_fixture(asking)):
        return ()
    for found in _named(terms, view, asking, name, fuel):
        parts = [
            _value(terms, terms.views[token[1]], token[2], fuel)
            for token in found
            if token[0] == "function" and token[1:] != (view.path, number)
        ]
        if parts:
            return joined(parts)
    return ()


def _named(terms: Calls, view: View, asking: Definition, name: str, fuel: int) -> Iterator[Tokens]:
    """Yield what has a name around a function, the nearest first."""
    for scope in dict.fromkeys((asking.scope, MODULE_SCOPE)):
        if name in view.names[scope]:
            yield terms.bound(view, scope, name, fuel)
    for level in range(1, view.path.count("/") + 2):
        for key in terms.found(view, "conftest", level):
            yield terms.member(terms.family(view), key, name, fuel)


def _value(terms: Calls, view: View, number: int, fuel: int) -> Tokens:
    """Return what a fixture gives: if it yields, that."""
    if not _is_fixture(view.definitions[number]):
        return ()
    found = terms.returns(view.path, number, fuel)
    return terms.elements_of(found, fuel) if number in view.yields else found


def _is_fixture(definition: Definition) -> bool:
    for term in definition.decorators:
        named = term[1] if term is not None and term[0] == "call" else term
        if named is not None and named[-1] == "fixture":
            return True
    return False

"""Types that have an interface's methods without saying so: Go."""

from __future__ import annotations

from .memo import FUEL, Token
from .records import Place
from .terms import Terms
from .views import View

_LANGUAGES = frozenset({"go"})
# Interfaces with this many methods or more are compared by so many of them.
_MOST_METHODS = 40


def implemented(terms: Terms, view: View, number: int) -> list[Place]:
    """Return the methods of interfaces that a method is, where its type has all their methods."""
    definition = view.definitions[number]
    if view.facts.language not in _LANGUAGES or definition.owner is None:
        return []
    terms.read(f"u:{definition.name}")
    holders = terms.typed(view, definition.scope, definition.owner, FUEL)
    found = []
    for path, other, _ in terms.tree.named(definition.name):
        there = terms.views[path]
        asked = there.definitions[other]
        if "abstract" not in asked.flags or there.facts.language != view.facts.language:
            continue
        interface = there.class_of(other)
        if interface >= 0 and any(_has_all(terms, one, there, interface) for one in holders):
            found.append((path, other))
    return found


def _has_all(terms: Terms, holder: Token, view: View, interface: int) -> bool:
    """Return whether a type has every method of an interface and of those embedded in it."""
    if holder[0] != "instance":
        return False
    for token in terms.order(view.path, interface):
        if token[0] != "class":
            continue
        there = terms.views[token[1]]
        names = there.names[there.definitions[token[2]].body]
        for name in list(names)[:_MOST_METHODS]:
            members = terms.attribute(holder, name, FUEL)
            if not any(one[0] in ("bound", "function") for one in members):
                return False
    return True

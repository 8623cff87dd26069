"""Types that have an interface's methods without saying so, or another type's fields: Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .memo import FUEL, Token, Tokens, joined
from .records import Place
from .views import View

if TYPE_CHECKING:
    from .containers import Containers
    from .members import Members
    from .terms import Terms

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


def of_plain(terms: Containers, kind: str, name: str) -> Tokens:
    """Return the methods of a name that the tree gives to a type of the language (`&char`): Rust
    traits do so."""
    terms.read(f"u:{name}")
    found: list[Token] = []
    for path, number, _ in terms.tree.named(name):
        there = terms.views[path]
        owner = there.definitions[number].owner
        # What the language itself has under that name comes first.
        is_common = name in there.dialect.builtin_methods
        if owner is not None and not is_common and owner[0] == "const" and owner[1] == kind:
            found.append(("bound", path, number))
    return tuple(found)


def field_of(terms: Members, path: str, number: int, name: str, fuel: int) -> Tokens:
    """Return what a named type has from the one it is made of: `type decoder coder` has all its
    fields, or what an interface asks for, but none of the methods it has been given."""
    view = terms.views[path]
    definition = view.definitions[number]
    if definition.kind != "class" or definition.returns is None:
        return ()
    terms.read(f"b:{path}:{definition.qualname}")
    made = terms.typed(view, definition.scope, definition.returns, fuel)
    found = joined([terms.attribute(one, name, fuel) for one in made if one[0] == "instance"])
    return tuple(
        one
        for one in found
        if one[0] not in ("function", "bound")
        or terms.views[one[1]].definitions[one[2]].owner is None
    )

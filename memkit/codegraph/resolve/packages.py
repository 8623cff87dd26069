"""Names of packages: what a plain name means among files that share their functions.

Definitions of one name may stand for each other on several platforms: the nearest one is meant.

For languages with `Dialect.extension_functions`. Scopes are asked from the inside out, with the
members of what `this` is in each; then imports by name, the package, and imports of everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from os.path import commonprefix
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE
from .engine import FUEL, Token, Tokens, joined
from .file_scopes import View

if TYPE_CHECKING:
    from .names import Names, Spaces

# Members that are only supposed to be there.
SUPPOSED = frozenset({"outside", "method"})
# Flags of definitions that stand for each other on several platforms.
_PLATFORM = frozenset({"expect", "actual"})


def read(terms: Names, view: View, scope: int, name: str, fuel: int) -> Tokens:
    """Return what a name that is read can be: of a property that runs code, what it gives."""
    inherited: Tokens = ()
    while scope > MODULE_SCOPE:
        kind, parent, number = view.facts.scopes[scope]
        if kind != "class" and name in view.names[scope]:
            return terms.bound(view, scope, name, fuel)
        if number >= 0:
            tokens = of_receiver(terms, view, kind, number, name, fuel)
            if any(token[0] not in SUPPOSED for token in tokens):
                return tokens
            inherited = inherited or tokens
        terms.read(terms.name_key(view, scope, name))
        scope = parent
    tokens = next(levels(terms, view, name, fuel), ())
    return _values(terms, tokens, fuel) or tokens or terms.builtin(view, name) or inherited


def levels(terms: Names, view: View, name: str, fuel: int) -> Iterator[Tokens]:
    """Yield what a file has under a name: by an import of its own, as one of the package, by an
    import of everything."""
    bindings = view.names[MODULE_SCOPE].get(name, ())
    tokens: Tokens = ()
    if any(binding[0] == "import" for binding in bindings):
        tokens = nearest(terms, view, terms.bound(view, MODULE_SCOPE, name, fuel))
    if tokens:
        yield tokens
    terms.read(terms.name_key(view, MODULE_SCOPE, name))
    terms.read(terms.name_key(view, MODULE_SCOPE, "*"))
    if tokens := nearest(terms, view, terms.own_namespace(view, name, fuel)):
        yield tokens
    stars = view.stars.get(MODULE_SCOPE, ())
    if tokens := nearest(terms, view, terms.starred(view, stars, name, fuel)):
        yield tokens


def own(terms: Spaces, view: View, name: str, fuel: int) -> Tokens:
    """Return what a file itself has under a name: what it imports is no part of its package."""
    bindings = view.names[MODULE_SCOPE].get(name, ())
    if not bindings or bindings[0][0] == "import":
        return ()
    return terms.bound(view, MODULE_SCOPE, name, fuel)


def of_receiver(terms: Names, view: View, kind: str, number: int, name: str, fuel: int) -> Tokens:
    """Return a member of the object that a class or an extension has for its `this`."""
    if kind == "class":
        return terms.attribute(("instance", view.path, number), name, fuel)
    definition = view.definitions[number]
    holders = terms.typed(view, definition.scope, definition.owner, fuel)
    return joined([terms.attribute(holder, name, fuel) for holder in holders] or [()])


def of_classes(terms: Spaces, view: View, module: str, name: str, fuel: int) -> Tokens:
    """Return a member of a class that an import names with its package."""
    parts = module.split(".")
    for size in range(len(parts) - 1, 0, -1):
        for key in terms.namespaces(view, ".".join(parts[:size]), 0):
            tokens = terms.member(view.dialect.family, key, parts[size], fuel)
            tokens = nearest(terms, view, tokens)
            for part in (*parts[size + 1 :], name):
                classes = [token for token in tokens if token[0] == "class"]
                members = [terms.attribute(token, part, fuel) for token in classes]
                tokens = joined(members or [()])
            return tokens
    return ()


def nearest(terms: Spaces, view: View, tokens: Tokens) -> Tokens:
    """Return definitions that a file sees: no private ones of others, and of those that stand for
    each other on several platforms the one in the nearest folder, or what all expect."""
    groups: dict[object, Token] = {}
    for token in tokens:
        key: object = token
        if token[0] in ("function", "class"):
            there = terms.views[token[1]]
            definition = there.definitions[token[2]]
            if "private" in definition.flags and there is not view:
                continue
            if not _PLATFORM.isdisjoint(definition.flags):
                kinds = repr([param[1] for param in definition.params])
                key = (definition.qualname, kinds, repr(definition.owner))
        other = groups.get(key)
        if other is None or _is_nearer(terms, view, token, other):
            groups[key] = token
    return joined([_unaliased(terms, token) for token in _own_first(view, groups)] or [()])


def _own_first(view: View, groups: dict[object, Token]) -> list[Token]:
    """Return definitions; a class of the file itself comes before those of others."""
    tokens = list(groups.values())
    has_own = any(token[0] == "class" and token[1] == view.path for token in tokens)
    return [
        token for token in tokens if token[0] != "class" or token[1] == view.path or not has_own
    ]


def _is_nearer(terms: Spaces, view: View, token: Token, other: Token) -> bool:
    """Return whether one definition is nearer to a file than another of the same name: by folders
    of the same names, then by letters, as `jvmTest` is nearer to `jvmMain` than to `commonMain`."""
    folders = set(view.path.split("/"))
    shared = [
        # Letters are meant, not folders.
        (len(folders.intersection(path.split("/"))), len(commonprefix((view.path, path))))  # noqa: RUF071
        for path in (token[1], other[1])
    ]
    if shared[0] != shared[1]:
        return shared[0] > shared[1]
    return "expect" in terms.views[token[1]].definitions[token[2]].flags


def _unaliased(terms: Spaces, token: Token) -> Tokens:
    """Return the class that another name for a type means."""
    if token[0] != "class":
        return (token,)
    there = terms.views[token[1]]
    definition = there.definitions[token[2]]
    if "alias" not in definition.flags or definition.returns is None:
        return (token,)
    terms.read(f"b:{there.path}:{definition.qualname}")
    return terms.eval(there, definition.scope, definition.returns, FUEL - 2)


def _values(terms: Names, tokens: Tokens, fuel: int) -> Tokens:
    """Return what properties that run code give when they are read by their names."""
    return joined([
        terms.returns(token[1], token[2], fuel)
        for token in tokens
        if token[0] == "function"
        and "property" in terms.views[token[1]].definitions[token[2]].flags
    ] or [()])  # fmt: skip

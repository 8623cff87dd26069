"""Extension functions: which of the functions in sight a call means.

For languages with `Dialect.extension_functions`. Of the levels at which a name is looked for (see
`packages`) the first one with a function that is for such a receiver and takes such arguments is
meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..facts import MODULE_SCOPE, Term
from . import packages
from .calls import CALLABLE, name_of
from .engine import FUEL, Token, Tokens, Variable
from .file_scopes import View, arity

if TYPE_CHECKING:
    from .calls import Calls
    from .evaluator import Terms

# How well a receiver fits what an extension is for: not at all, for all that is known, by name.
_NEVER, _PERHAPS, _SURELY = -1, 0, 10_000
_ANYTHING = "any"
# Types outside below which there are no others, by the names that they have as values.
_FINAL = {
    "str": "String", "String": "String", "boolean": "Boolean", "byte": "Byte", "char": "Char",
    "double": "Double", "float": "Float", "int": "Int", "long": "Long", "short": "Short",
    "literal": "Int", "uint": "UInt", "ulong": "ULong",
}  # fmt: skip
_ABOVE_FINAL = frozenset({"Comparable", "Number", "CharSequence", "Serializable"})
# Methods of numbers that take numbers of other types as well.
_OF_ANY_NUMBER = frozenset({"plus", "minus", "times", "div", "rem"})
_LISTS = frozenset({"List", "Collection", "Iterable", "MutableList", "Set", "MutableCollection"})


def callees(terms: Terms, view: View, scope: int, term: Any, fuel: int) -> Tokens:
    """Return what a call means: a member of its receiver that takes its arguments, else an
    extension that does; of a plain name, what the nearest level has."""
    callee, outer = term[1], scope
    while callee is not None and callee[0] == "in":
        _, outer, callee = callee
    if callee is None or callee[0] not in ("name", "attr"):
        return terms.eval(view, outer, callee, fuel)
    if callee[0] == "name":
        # Where nothing further out is called so, the local variable of that name is meant.
        tokens = _named(terms, view, outer, callee[1], term, fuel)
        return tokens or (
            _named(terms, view, scope, callee[1], term, fuel) if outer != scope else ()
        )
    scope = outer
    receivers = terms.eval(view, scope, callee[1], fuel)
    members = terms.members(receivers, callee[2], fuel)
    known = tuple(token for token in members if _is_member(terms, token, receivers))
    taking = _taking(terms, known, term)
    if typed := _typed(terms, taking, view, scope, term, fuel):
        return typed
    if _is_calculated(terms, view, scope, term, receivers, fuel):
        return members
    fitting = _taking(terms, on_receiver(terms, view, scope, callee[2], receivers, fuel), term)
    return _typed(terms, fitting, view, scope, term, fuel) or tuple(
        token for token in members if token[0] not in CALLABLE
    )


def _is_calculated(
    terms: Calls, view: View, scope: int, term: Any, receivers: Tokens, fuel: int
) -> bool:
    """Return whether the language itself has a method of numbers for these."""
    if term[1][2] not in view.dialect.library.arithmetic_methods or not receivers:
        return False
    others = [token for argument in term[2] for token in terms.eval(view, scope, argument, fuel)]
    kinds = {token[1] for token in (*receivers, *others) if token[0] == "thing"} - {"literal"}
    if term[1][2] in _OF_ANY_NUMBER:
        return kinds <= {"byte", "int", "long"}
    return len(others) == len(term[2]) and kinds <= {"int", "long"} and len(kinds) < 2


def _is_member(terms: Calls, token: Token, receivers: Tokens) -> bool:
    """Return whether a member is one that its receiver has: no extension, none of the companion of
    an object's class."""
    if token[0] not in CALLABLE:
        return _is_callable(terms, token)
    definition = terms.views[token[1]].definitions[token[2]]
    is_object = all(receiver[0] == "instance" for receiver in receivers)
    return definition.owner is None and not (is_object and "static" in definition.flags)


def _is_callable(terms: Calls, token: Token) -> bool:
    """Return whether a value can be called: a property of the name of a function hides it not."""
    if token[0] == "generic":
        return terms.is_function(token)
    if token[0] == "instance":
        return bool(terms.attribute(token, "__call__", FUEL))
    return token[0] in CALLABLE or token[0] == "class"


def _typed(terms: Calls, tokens: Tokens, view: View, scope: int, term: Any, fuel: int) -> Tokens:
    """Return what is called, without functions that do not take such arguments."""
    return tuple(token for token in tokens if _may_take(terms, token, view, scope, term, fuel))


def _may_take(terms: Calls, token: Token, view: View, scope: int, term: Any, fuel: int) -> bool:
    if token[0] in CALLABLE:
        return terms.may_take(token, view, scope, term, fuel)
    if token[0] != "class":
        return True
    size, names = len(term[2]) + len(term[3]), {name for name, _ in term[3] if name}
    makers = [maker for tokens in terms.makers(token[1], token[2]) for maker in tokens]
    return not makers or any(
        _takes(terms, maker, size, names, is_making=True)
        and terms.may_take(maker, view, scope, term, fuel)
        for maker in makers
    )


def on_receiver(
    terms: Calls, view: View, scope: int, name: str, receivers: Tokens, fuel: int
) -> Tokens:
    """Return the extensions of a name in sight that are for some value."""
    for tokens in _levels(terms, view, scope, name, fuel):
        if any(token[0] == "outside" for token in tokens):
            return ()  # imported by its name from another library
        extensions = [token for token in tokens if _owner(terms, token) is not None]
        if fitting := _best(terms, extensions, receivers, fuel):
            return fitting
    return ()


def _named(terms: Calls, view: View, scope: int, name: str, term: Any, fuel: int) -> Tokens:
    """Return what a plain name that is called means."""
    first: Tokens = ()
    implicit: list[Tokens] | None = None
    for tokens in _levels(terms, view, scope, name, fuel):
        plain = [
            token
            for token in tokens
            if _owner(terms, token) is None
            and (token[0] == "outside" or _is_callable(terms, token))
        ]
        extensions = [token for token in tokens if _owner(terms, token) is not None]
        if extensions and implicit is None:
            implicit = list(_implicit(terms, view, scope, fuel))
        for receivers in implicit or () if extensions else ():
            if fitting := _best(terms, extensions, receivers, fuel, known=True):
                plain += fitting
                break
        taking = _taking(terms, tuple(plain), term)
        if typed := _typed(terms, taking, view, scope, term, fuel):
            return typed
        if len(tokens) == 1 and extensions and not plain:
            first = first or _taking(terms, tokens, term)
    return first


def _levels(terms: Calls, view: View, scope: int, name: str, fuel: int) -> Iterator[Tokens]:
    """Yield what has a name, the nearest first."""
    scopes = view.facts.scopes
    while scope > MODULE_SCOPE:
        kind, parent, number = scopes[scope]
        if name in view.names[scope] and kind != "class":
            yield terms.bound(view, scope, name, fuel)
        elif number >= 0:
            tokens = packages.of_receiver(terms, view, kind, number, name, fuel)
            if members := tuple(token for token in tokens if token[0] not in packages.SUPPOSED):
                yield members
        scope = parent
    yield from packages.levels(terms, view, name, fuel)


def _implicit(terms: Calls, view: View, scope: int, fuel: int) -> Iterator[Tokens]:
    """Yield what `this` may be in a scope, the innermost first."""
    while scope > MODULE_SCOPE:
        kind, parent, number = view.facts.scopes[scope]
        if kind == "class" and number >= 0:
            yield (("instance", view.path, number),)
        elif number >= 0 and view.definitions[number].owner is not None:
            definition = view.definitions[number]
            yield terms.typed(view, definition.scope, definition.owner, fuel)
        scope = parent


def _owner(terms: Calls, token: Token) -> Term:
    """Return the type that a function is an extension of, None if it is none."""
    if token[0] not in CALLABLE:
        return None
    return terms.views[token[1]].definitions[token[2]].owner


def _taking(terms: Calls, tokens: Tokens, term: Any) -> Tokens:
    """Return what is called, without functions that do not take so many arguments."""
    if any(argument is not None and argument[0] == "star" for argument in term[2]):
        return tokens
    size = len(term[2]) + len(term[3])
    names = {name for name, _ in term[3] if name}
    return tuple(token for token in tokens if _takes(terms, token, size, names))


def _takes(
    terms: Calls, token: Token, size: int, names: set[str], *, is_making: bool = False
) -> bool:
    """Return whether a function, or a class by one of its constructors, takes so many arguments,
    and those that are given by name."""
    if token[0] == "class":
        makers = [maker for tokens in terms.makers(token[1], token[2]) for maker in tokens]
        return not makers or any(
            _takes(terms, maker, size, names, is_making=True) for maker in makers
        )
    if token[0] not in CALLABLE:
        return True
    definition = terms.views[token[1]].definitions[token[2]]
    if "property" in definition.flags:
        return True
    if names and not names <= {param[0] for param in definition.params}:
        return False
    min_count, max_count = arity(definition, skip=0)
    if "constructor" in definition.flags and not is_making:
        min_count = 0  # a copy takes what is not given from the object
    if "actual" in definition.flags:
        min_count = _expected_arity(terms, token, min_count)
    return min_count <= size <= max_count


def _expected_arity(terms: Calls, token: Token, min_count: int) -> int:
    """Return how many arguments an `actual` function needs: its defaults stand where it is
    expected."""
    own = terms.views[token[1]].definitions[token[2]]
    terms.read(f"u:{own.name}")
    for path, number, _ in terms.tree.named(own.name):
        other = terms.views[path].definitions[number]
        is_twin = other.qualname == own.qualname and len(other.params) == len(own.params)
        if is_twin and "actual" not in other.flags:
            min_count = min(min_count, arity(other, skip=0)[0])
    return min_count


def _best(
    terms: Calls, tokens: list[Token], receivers: Tokens, fuel: int, *, known: bool = False
) -> Tokens:
    """Return the extensions that fit a receiver the best, as its members.

    Of a receiver that is not known the only one of them is taken, unless it has to be `known`.
    """
    ranked: list[tuple[int, Token]] = []
    for token in tokens:
        owners = terms.recall(
            ("owner", token[1], token[2]), fuel, lambda v, f: _owners(terms, v, f)
        )
        there = terms.views[token[1]]
        is_common = there.definitions[token[2]].name in there.dialect.builtin_methods
        ranks = [
            _rank(terms, receiver, owner, is_common=is_common)
            for receiver in receivers
            for owner in owners
        ]
        if not ranks:
            ranks = [_NEVER if known or len(tokens) > 1 else _PERHAPS]
        ranked.append((max(ranks), token))
    best = max((rank for rank, _ in ranked), default=_NEVER)
    rivals = {repr(_owner(terms, token)) for rank, token in ranked if rank == best}
    if best == _NEVER or (best == _PERHAPS and len(rivals) > 1):
        return ()
    return tuple(("bound", token[1], token[2]) for rank, token in ranked if rank == best)


def _owners(terms: Calls, variable: Variable, fuel: int) -> Tokens:
    """Return what values of the type are that an extension is for."""
    _, path, number = variable
    view = terms.views[path]
    definition = view.definitions[number]
    terms.read(view.unit(definition.body))
    return terms.typed(view, definition.scope, definition.owner, fuel)


def _rank(terms: Calls, receiver: Token, owner: Token, *, is_common: bool) -> int:
    """Return how well a receiver fits what an extension is for."""
    name = _outside_name(terms, owner)
    if name == _ANYTHING:
        return 1
    if receiver[0] in ("instance", "class"):
        return _rank_of_object(terms, receiver, owner)
    if owner[0] == "instance":
        return _NEVER
    own = _outside_name(terms, receiver)
    if not own or not name:
        return _PERHAPS
    own, name = _FINAL.get(own, own), _FINAL.get(name, name)
    if own == name:
        return _SURELY
    if own in _FINAL.values() or name in _FINAL.values() or own[-2:] == "[]" or name[-2:] == "[]":
        return 2 if name in _ABOVE_FINAL else _NEVER
    is_list = name in _LISTS
    return _PERHAPS if is_list == (own in _LISTS) and (is_list or not is_common) else _NEVER


def _rank_of_object(terms: Calls, receiver: Token, owner: Token) -> int:
    above = terms.order(receiver[1], receiver[2])
    if owner[0] != "instance":
        is_open = any(base[0] == "outside" for base in above)
        return _PERHAPS if is_open and _outside_name(terms, owner) not in _FINAL else _NEVER
    full = terms.full_name(owner)
    for place, base in enumerate(above):
        if base[0] == "class" and terms.full_name(base) == full:
            return _SURELY - place
    # What is expected may be a class outside on the platform of the receiver.
    is_expected = "expect" in terms.views[owner[1]].definitions[owner[2]].flags
    return _PERHAPS if is_expected and above[-1][0] == "outside" else _NEVER


def _outside_name(terms: Calls, token: Token) -> str:
    """Return the name of a type outside of the tree, "" if it is none or not known."""
    if token[0] == "thing":
        return str(token[1]).rpartition(".")[2]
    if token[0] == "generic":
        term = terms.terms[token[3]]
        name = name_of(term[1]) if term is not None else ""
        return name_of(term) if name == "list" else name
    if token[0] in ("literal", "many", "row"):
        return "List"
    return "Function" if token[0] in CALLABLE else ""

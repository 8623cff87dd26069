"""Declared types, type arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..facts import Term
from .engine import Token, Tokens, joined
from .file_scopes import View
from .reflection_values import Reflection

if TYPE_CHECKING:
    from .calls import Calls


# --- Values of declared types.

# At the end of the token of a function's type: an object would do as well.
OR_OBJECT = "or object"


class Declared(Reflection):
    """Values of declared types."""

    def receiver(self, view: View, scope: int, fuel: int) -> Tokens:
        """Return what `this` is in a scope."""
        raise NotImplementedError

    def instance(self, token: Token) -> Tokens:
        """Return an object of a class, or of a function that is used as one."""
        return (("instance", token[1], token[2]),)

    def typed(self, view: View, scope: int, kind: Term, fuel: int) -> Tokens:
        """Return what a value of a type can be."""
        if kind is None:
            return ()
        tag = kind[0]
        if tag == "either":
            return self._either_of([self.typed(view, scope, part, fuel) for part in kind[1]])
        if tag == "item":
            return self._generic_value(view, scope, kind, fuel)
        if tag not in ("name", "attr"):
            return self._said(view, scope, kind, fuel)
        scope = self.type_scope(view, scope, kind)
        parts = [
            self._value_of(view, scope, token, fuel) for token in self.eval(view, scope, kind, fuel)
        ]
        return joined(parts or [()])

    def _either_of(self, parts: list[Tokens]) -> Tokens:
        """Return values of one of several types; a function that may be an object says so."""
        tokens = joined(parts or [()])
        if len(tokens) < 2 or all(token[0] != "instance" for token in tokens):
            return tokens
        return tuple(
            (*token[:4], OR_OBJECT) if token[0] == "generic" and self.is_function(token) else token
            for token in tokens
        )

    def is_function(self, token: Token) -> bool:
        """Return whether a generic type is that of functions."""
        term, types = self.terms[token[3]], self.views[token[1]].dialect.library.callable_types
        return term is not None and term[1] is not None and term[1][-1] in types

    def _said(self, view: View, scope: int, kind: Any, fuel: int) -> Tokens:
        """Return what a value of a type can be that is no name."""
        tag = kind[0]
        if tag == "const":
            # In what is no annotation (`Hook = Callable[["Task"], None]`) a quoted type is a text.
            if kind[1] == "str" and kind[2] and view.dialect.quoted_annotations:
                return self.typed(view, scope, ("name", kind[2]), fuel)
            return (("thing", kind[1]),)
        if tag == "same":
            return self.eval(view, scope, kind[1], fuel)
        if tag in ("parameter", "like"):
            return self.typed(view, scope, kind[2], fuel)
        if tag == "argument":
            return (("argument", kind[1]), *self.typed(view, scope, kind[2], fuel))
        # A structure without a name has its members as a mapping does.
        return self.eval(view, scope, kind, fuel) if tag == "dict" else ()

    def type_scope(self, view: View, scope: int, kind: Term) -> int:
        """Return the scope from which a type is looked up: a member that is named as its type
        (`public Color Color`, an embedded `A` in Go) does not hide it."""
        if kind is None or kind[0] != "name" or view.dialect.type_may_be_member:
            return scope
        while (seen := view.look(scope, kind[1])).binder >= 0:
            around = view.facts.scopes[seen.binder]
            if around[0] != "class" or any(map(view.may_be_type, seen.bindings)):
                return scope
            scope = around[1]
        return scope

    def _generic_value(self, view: View, scope: int, kind: Term, fuel: int) -> Tokens:
        """Return a value of a type with arguments."""
        assert kind is not None
        base = self.eval(view, self.type_scope(view, scope, kind[1]), kind[1], fuel)
        inside = [token for token in base if token[0] in ("class", "instance")]
        if inside:
            return tuple(("instance", token[1], token[2]) for token in inside)
        name = kind[1][-1] if kind[1] is not None else ""
        if name in ("type", "Type"):
            values = self.typed(view, scope, kind[2], fuel)
            return tuple(("class", *token[1:]) for token in values if token[0] == "instance")
        if name == "Class":
            values = self.typed(view, scope, kind[2], fuel)
            if classes := [("class", *token[1:]) for token in values if token[0] == "instance"]:
                return tuple(("reflected", token) for token in classes)
        self.terms[id(kind)] = kind
        return (("generic", view.path, scope, id(kind)),)

    def _value_of(self, view: View, scope: int, token: Token, fuel: int) -> Tokens:
        """Return a value of what a type's name means."""
        tag = token[0]
        if tag in ("class", "function"):
            return self.instance(token)
        if tag in ("generic", "instance"):
            return (token,)
        if tag == "outside":
            if token[1].rpartition(".")[2] == "Self":
                return self.receiver(view, scope, fuel)
            return (("thing", token[1]),)
        return ()


# --- Return values typed by a parameter of the class: `Box[User]().get()`.
#
# An object does not know the arguments of its type. They are looked for where it comes from: in
# the declared type of a name, a member, a parameter or a function, in the call that made it, or
# in the bases of its class.

# A type as it is written: the file and scope in which it stands, its term.
_Written = tuple[View, int, Any]
# Names and members that are followed to where a type is written.
_MOST_HOPS = 4
# Terms that say of what type they are, and those that are what is in them.
_SAYING = frozenset({"cast", "new", "typed"})
_AROUND = frozenset({"await", "seen"})


def given_back(
    terms: Calls, view: View, scope: int, receiver: Term, callees: Tokens, fuel: int
) -> Tokens:
    """Return what methods of an object give that are said to give a parameter of its class."""
    parts: list[Tokens] = []
    for token in callees:
        if token[0] != "bound":
            continue
        there = terms.views[token[1]]
        returns = there.definitions[token[2]].returns
        if returns is None or returns[0] != "parameter":
            continue
        owner: Token = ("class", token[1], there.class_of(token[2]))
        parts += [
            _argument(terms, written, owner, returns[1], fuel)
            for written in _types(terms, view, scope, receiver, fuel, _MOST_HOPS)
        ]
    return joined(parts or [()])


def _argument(terms: Calls, written: _Written, owner: Token, place: int, fuel: int) -> Tokens:
    """Return a value of an argument that a type gives to a class: itself, or by its bases."""
    view, scope, kind = written
    if kind is None or kind[0] not in ("item", "name", "attr"):
        return ()
    named = kind[1] if kind[0] == "item" else kind
    tokens = terms.eval(view, terms.type_scope(view, scope, named), named, fuel)
    if kind[0] == "item" and owner in tokens:
        keys = kind[2][1] if kind[2] is not None and kind[2][0] == "tuple" else (kind[2],)
        return terms.typed(view, scope, keys[place], fuel) if place < len(keys) else ()
    parts = [
        _argument(
            terms, (terms.views[ancestor[1]], _scope(terms, ancestor), base), owner, place, fuel
        )
        for token in tokens
        if token[0] == "class" and token != owner
        for ancestor in terms.order(token[1], token[2])
        if ancestor[0] == "class"
        for base in terms.views[ancestor[1]].definitions[ancestor[2]].bases
        if base is not None and base[0] == "item"
    ]
    return joined(parts or [()])


def _scope(terms: Calls, token: Token) -> int:
    return terms.views[token[1]].definitions[token[2]].scope


def _types(
    terms: Calls, view: View, scope: int, term: Any, fuel: int, hops: int
) -> Iterator[_Written]:
    """Yield the types that are written where a value comes from."""
    tag = term[0] if term is not None and hops else ""
    if tag in _SAYING:
        yield view, scope, term[1]
    elif tag in _AROUND:
        yield from _types(terms, view, scope, term[1], fuel, hops)
    elif tag == "name":
        for binding in view.look(scope, term[1]).bindings:
            yield from _bound(terms, view, binding, fuel, hops - 1)
    elif tag == "attr":
        for token in terms.eval(view, scope, term[1], fuel):
            yield from _of_member(terms, token, term[2], fuel, hops - 1)
    elif tag == "call":
        yield from _of_call(terms, view, scope, term, fuel)


def _of_call(terms: Calls, view: View, scope: int, term: Any, fuel: int) -> Iterator[_Written]:
    """Yield the class that is called, with its arguments, or the declared type of what is given."""
    if term[1] is not None and term[1][0] in ("item", "name"):
        yield view, scope, term[1]
    for token in terms.eval(view, scope, term[1], fuel):
        if token[0] in ("function", "bound"):
            there = terms.views[token[1]]
            definition = there.definitions[token[2]]
            terms.read(there.unit(definition.body))
            yield there, definition.scope, definition.returns


def _bound(terms: Calls, view: View, binding: Any, fuel: int, hops: int) -> Iterator[_Written]:
    tag = binding[0]
    if tag in ("type", "narrow"):
        yield view, binding[1], binding[2]
    elif tag == "value":
        yield from _types(terms, view, binding[1], binding[2], fuel, hops)
    elif tag == "param":
        definition = view.definitions[binding[1]]
        yield view, definition.scope, definition.params[binding[2]][1]


def _of_member(terms: Calls, token: Token, name: str, fuel: int, hops: int) -> Iterator[_Written]:
    if token[0] != "instance":
        return
    for holder in terms.order(token[1], token[2]):
        if holder[0] != "class":
            return
        view = terms.views[holder[1]]
        definition = view.definitions[holder[2]]
        terms.read(f"a:{view.path}:{definition.qualname}.{name}")
        inside = view.names[definition.body] if definition.body >= 0 else {}
        bindings = [*inside.get(name, ()), *view.attrs.get(holder[2], {}).get(name, ())]
        for binding in bindings:
            yield from _bound(terms, view, binding, fuel, hops)
        if bindings:
            return

"""What a value of a declared type can be."""

from __future__ import annotations

from typing import Any

from ..facts import Term
from .known import CALLABLE_TYPES
from .memo import Token, Tokens, joined
from .reflection import Reflection
from .views import View

# Languages in which a type in a class's body may be any name that the body binds.
_MEMBERS_ARE_NAMES = frozenset({"python", "ruby"})

# At the end of the token of a function's type: an object would do as well.
OR_OBJECT = "or object"


class Declared(Reflection):
    """Works types out."""

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
            return self._either_of([self.typed(view, scope, one, fuel) for one in kind[1]])
        if tag == "item":
            return self._generic_value(view, scope, kind, fuel)
        if tag not in ("name", "attr"):
            return self._said(view, scope, kind, fuel)
        scope = self.type_scope(view, scope, kind)
        parts = [
            self._value_of(view, scope, one, fuel) for one in self.eval(view, scope, kind, fuel)
        ]
        return joined(parts or [()])

    def _either_of(self, parts: list[Tokens]) -> Tokens:
        """Return values of one of several types; a function that may be an object says so."""
        found = joined(parts or [()])
        if len(found) < 2 or all(one[0] != "instance" for one in found):
            return found
        return tuple(
            (*one[:4], OR_OBJECT) if one[0] == "generic" and self.is_function(one) else one
            for one in found
        )

    def is_function(self, token: Token) -> bool:
        """Return whether a generic type is that of functions."""
        term = self.terms[token[3]]
        return term is not None and term[1] is not None and term[1][-1] in CALLABLE_TYPES

    def _said(self, view: View, scope: int, kind: Any, fuel: int) -> Tokens:
        """Return what a value of a type can be that is no name."""
        tag = kind[0]
        if tag == "const":
            # In what is no annotation (`Hook = Callable[["Task"], None]`) a quoted type is a text.
            if kind[1] == "str" and kind[2] and view.facts.language == "python":
                return self.typed(view, scope, ("name", kind[2]), fuel)
            return (("thing", kind[1]),)
        if tag == "same":
            return self.eval(view, scope, kind[1], fuel)
        if tag == "parameter":
            return self.typed(view, scope, kind[2], fuel)
        if tag == "argument":
            return (("argument", kind[1]), *self.typed(view, scope, kind[2], fuel))
        # A structure without a name has its members as a mapping does.
        return self.eval(view, scope, kind, fuel) if tag == "dict" else ()

    def type_scope(self, view: View, scope: int, kind: Term) -> int:
        """Return the scope from which a type is looked up: a member that is named as its type
        (`public Color Color`, an embedded `A` in Go) does not hide it."""
        if kind is None or kind[0] != "name" or view.facts.language in _MEMBERS_ARE_NAMES:
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
        inside = [one for one in base if one[0] in ("class", "instance")]
        if inside:
            return tuple(("instance", one[1], one[2]) for one in inside)
        name = kind[1][-1] if kind[1] is not None else ""
        if name in ("type", "Type"):
            values = self.typed(view, scope, kind[2], fuel)
            return tuple(("class", *one[1:]) for one in values if one[0] == "instance")
        if name == "Class":
            values = self.typed(view, scope, kind[2], fuel)
            if found := [("class", *one[1:]) for one in values if one[0] == "instance"]:
                return tuple(("reflected", one) for one in found)
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

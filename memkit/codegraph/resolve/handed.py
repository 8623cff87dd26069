"""Functions that are handed to others: who runs them, and what they are called with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..facts import Term
from .calls import Calls
from .memo import Token, Tokens, Variable, joined
from .views import View

_OWN = frozenset({"function", "bound", "class"})


class Handed(Calls):
    """Works out what functions are called with that are given to others."""

    def handed_to(self, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what a callee says that a function is called with which is given to it."""
        parts = []
        for one in self._run_for(self.eval(view, scope, term[1], fuel)):
            place = term[2] + (one[0] == "bound" and view.dialect.receiver)
            asked = ("given", one[1], one[2], place, term[3])
            parts.append(self.recall(asked, fuel, self._expected))
        return joined(parts or [()])

    def _run_for(self, tokens: Tokens) -> Iterator[Token]:
        """Yield the functions that run when tokens are called, initialisers of classes too."""
        for one in tokens:
            if one[0] in ("function", "bound"):
                yield one
            elif one[0] == "class":
                for found in self.makers(one[1], one[2]):
                    yield from found

    def _expected(self, variable: Variable, fuel: int) -> Tokens:
        """Return what a parameter's type says that a function given for it is called with."""
        _, path, number, place, index = variable
        view = self.views[path]
        definition = view.definitions[number]
        self.read(view.unit(definition.body))
        if place >= len(definition.params):
            return ()
        parts: list[Tokens] = []
        for token in self.typed(view, definition.scope, definition.params[place][1], fuel):
            made = self.underlying(token, fuel) if token[0] == "instance" else (token,)
            parts += [self.taken(one, index, fuel) for one in made if one[0] == "generic"]
        return joined(parts or [()])

    def ran(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return (
            () if self.is_own(view, scope, term[1], fuel) else self.eval(view, scope, term[2], fuel)
        )

    def is_own(self, view: View, scope: int, callee: Term, fuel: int) -> bool:
        """Return whether what is called is a function of the tree."""
        return any(one[0] in _OWN for one in self.eval(view, scope, callee, fuel))

    def taken_by(self, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what a function is called with as one of its parameters, by what it says."""
        found = self.eval(view, scope, term[1], fuel)
        parts = [self.taken(one, term[2], fuel) for one in found if one[0] == "generic"]
        for one in self._run_for(found):
            there = self.views[one[1]]
            definition = there.definitions[one[2]]
            self.read(there.unit(definition.body))
            if term[2] < len(definition.params):
                kind = definition.params[term[2]][1]
                parts.append(self.typed(there, definition.scope, kind, fuel))
        return joined(parts or [()])

"""Terms with what is known to flow into them: arguments, decorators, what containers are given."""

from __future__ import annotations

from typing import Any

from ..facts import Term
from . import known
from .memo import FUEL, Token, Tokens, joined
from .records import Tree
from .scopes import Binding
from .terms import Terms
from .views import View

# Values of one variable, and containers in containers, that are followed.
_MOST_VALUES = 40
_DEEPEST = 4
# A key that is not known.
ANY = ("any",)
_RUN_FIRST = frozenset({known.MAPPED, known.FILTERED})


class FlowTerms(Terms):
    """Works terms out with what is known to flow into variables."""

    is_flowing = True

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._table: dict[Token, dict[Token, None]] = {}
        self.changed = False

    def forget(self) -> None:
        """Forget values, but not what flows: it may give more of them now."""
        self._done.clear()
        self._dry.clear()
        self.changed = False

    def push(self, variable: Token, tokens: Tokens) -> None:
        """Let values flow into a variable."""
        held = self._table.setdefault(variable, {})
        for token in tokens:
            if token not in held and len(held) < _MOST_VALUES and _depth(token) < _DEEPEST:
                held[token] = None
                self.changed = True

    def pushed(self, variable: Token) -> Tokens:
        """Return what flows into a variable; under any key, into a container, too."""
        found = tuple(self._table.get(variable, ()))
        if variable[0] != "held" or len(variable) == 2:
            return found
        if variable[2] is None:
            return self.pushed(variable[:2])
        return joined([found, tuple(self._table.get(("held", variable[1], ANY), ()))])

    def put(self, token: Token, key: object, tokens: Tokens) -> None:
        """Let values flow into a container, under a key if that is known."""
        self.push(("held", token), tokens)
        self.push(("held", token, ANY if key is None else key), tokens)

    def eval(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what a term can be; short texts and numbers, which may be keys, are themselves."""
        if term is not None and term[0] == "const" and term[2] is not None:
            return (("value", term[1], term[2]),)
        return super().eval(view, scope, term, fuel)

    def key_of(self, view: View, scope: int, key: Term, fuel: int) -> object:
        """Return the value of a key if it is the same wherever it comes from, else None."""
        found = self.eval(view, scope, key, fuel)
        is_one = len(found) == 1 and found[0][0] == "value"
        return found[0][2] if is_one else None

    def binding(self, view: View, binding: Binding, fuel: int) -> Tokens:
        """Return what a binding gives: a decorated definition is what the decorators make of it."""
        if binding[0] == "define":
            return self.decorated(view, binding[1], fuel)
        return super().binding(view, binding, fuel)

    def decorated(self, view: View, number: int, fuel: int) -> Tokens:
        """Return a definition after its decorators, innermost first."""
        found = view.defined(number)
        definition = view.definitions[number]
        for term in reversed(definition.decorators if not self.is_static else ()):
            given = []
            for token in self.eval(view, definition.scope, term, fuel):
                if token[0] == "function":
                    self.push(("param", token[1], token[2], 0), found)
                    given.append(self.returns(token[1], token[2], fuel))
                elif token[0] == "class" and definition.kind != "class":
                    given.append(self.instance(token))
            made = joined(given or [()])
            found = made or found
        return found

    def param(self, view: View, number: int, place: int, fuel: int) -> Tokens:
        """Return what a parameter can be; the object itself is what the method was called on."""
        is_object = place == 0 and view.dialect.receiver
        own = self.pushed(("this", view.path, number)) if is_object else ()
        return own or super().param(view, number, place, fuel)

    def is_changed(self, view: View, term: Term) -> bool:
        """Return False: changes are followed."""
        return False

    def receiver(self, view: View, scope: int, fuel: int) -> Tokens:
        """Return what `this` is in a scope: what the method around it was called on."""
        method = view.method_around(scope)
        own = self.pushed(("this", view.path, method)) if method >= 0 else ()
        return own or super().receiver(view, scope, fuel)

    def item(self, token: Token, view: View, scope: int, key: Term, fuel: int) -> Tokens:
        """Return what a subscript gives, of named arguments as well."""
        if token[0] != "fields":
            return super().item(token, view, scope, key, fuel)
        known_key = self.key_of(view, scope, key, fuel)
        parts = [tokens for name, tokens in token[1] if known_key in (None, name)]
        return joined(parts or [()])

    def handed(self, view: View, scope: int, term: Any, tokens: Tokens) -> Tokens:
        """Return the functions that something outside runs because they are given to it."""
        found: list[Tokens] = []
        for token in tokens:
            if token[0] != "outside" or not term[2]:
                continue
            if known.CALLS.get(token[1].rpartition(".")[2]) in _RUN_FIRST:
                first = self.eval(view, scope, term[2][0], FUEL)
                found.append(tuple(one for one in first if one[0] in ("function", "bound")))
                for other in found[-1] if len(term[2]) > 1 else ():
                    inside = self.eval(view, scope, ("iter", term[2][1]), FUEL)
                    place = int(other[0] == "bound" and self.views[other[1]].dialect.receiver)
                    self.push(("param", other[1], other[2], place), inside)
        return joined(found or [()])


def _depth(token: Any) -> int:
    """Return how deep containers lie in a token."""
    if not isinstance(token, tuple) or not token:
        return 0
    inside = max((_depth(one) for one in token if isinstance(one, tuple)), default=0)
    return inside + (token[0] in ("many", "row", "fields", "method"))

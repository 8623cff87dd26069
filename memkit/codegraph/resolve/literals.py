"""What lists and mappings hold that are written out."""

from __future__ import annotations

from ..facts import Term
from .constants import Constants
from .memo import Token, Tokens, Variable, joined
from .views import View


class Literals(Constants):
    """Looks into literals."""

    def elements_of(self, tokens: Tokens, fuel: int) -> Tokens:
        """Return what walking through something gives, one after the other."""
        raise NotImplementedError

    def values(self, token: Token, fuel: int) -> Tokens:
        """Return the values of a mapping."""
        raise NotImplementedError

    def read_of(self, found: Tokens, fuel: int) -> Tokens:
        """Return members of a literal as they are read: of accessors what they give."""
        return joined([
            self.returns(one[1], one[2], fuel)
            if one[0] == "function" and "property" in self.views[one[1]].definitions[one[2]].flags
            else (one,)
            for one in found
        ] or [()])  # fmt: skip

    def listed(self, token: Token, fuel: int) -> Tokens:
        """Return the elements of a literal; the keys of a mapping."""
        found: Tokens = self.recall(("listed", token), fuel, self._work_listed)
        return found

    def _work_listed(self, variable: Variable, fuel: int) -> Tokens:
        """Return the elements of a literal; the keys of a mapping."""
        token = variable[1]
        view, scope, term = self.views[token[1]], token[2], self.terms[token[3]]
        assert term is not None
        if term[0] == "dict":
            keys = [key for key, _ in term[1] if key is not None and key[0] != "const"]
            return joined([self.eval(view, scope, key, fuel) for key in keys] or [()])
        return joined([self._spread(view, scope, one, fuel) for one in term[1]] or [()])

    def _spread(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        if term is not None and term[0] == "star":
            return self.elements_of(self.eval(view, scope, term[1], fuel), fuel)
        return self.eval(view, scope, term, fuel)

    def held_at(self, token: Token, key: object, fuel: int, *, exact: bool = False) -> Tokens:
        """Return what a literal holds under a key."""
        found: Tokens = self.recall(("at", token, key, exact), fuel, self._work_at)
        return found

    def _work_at(self, variable: Variable, fuel: int) -> Tokens:
        """Return what a literal holds under a key; under any, if the key is not known."""
        _, token, key, exact = variable
        view, scope, term = self.views[token[1]], token[2], self.terms[token[3]]
        assert term is not None
        if term[0] != "dict":
            if isinstance(key, int) and key >= 0 and not _has_star(term):
                return self.eval(view, scope, term[1][key], fuel) if key < len(term[1]) else ()
            return () if exact or isinstance(key, str) else self.listed(token, fuel)
        parts: list[Tokens] = []
        for one, value in reversed(term[1]):
            is_last = False
            if one is None:
                inside = self.eval(view, scope, value, fuel)
                parts += [self._spread_at(other, key, fuel) for other in inside]
                is_last = any(parts) and all(other[0] == "module" for other in inside)
            elif one[0] != "const" or key is None or one[2] is None or one[2] == key:
                parts.append(self.eval(view, scope, value, fuel))
                is_last = one[0] == "const" and one[2] is not None
            if is_last and key is not None:
                break  # what stands before is overwritten
        return joined(parts[::-1] or [()])

    def _spread_at(self, token: Token, key: object, fuel: int) -> Tokens:
        if token[0] == "literal":
            return self.held_at(token, key, fuel)
        if token[0] == "module" and isinstance(key, str):
            return self.below(token[1], token[2], key, fuel)
        if token[0] == "instance" and isinstance(key, str):
            return self.attribute(token, key, fuel)
        return self.values(token, fuel)


def _has_star(term: Term) -> bool:
    return any(one is not None and one[0] == "star" for one in term[1]) if term else False

"""What evaluating a term calls and reads: the walk through expressions, and the edges it adds."""

from __future__ import annotations

from typing import Any

from ..facts import Term
from . import guesses, known, targets
from .collected import Collected, Count
from .memo import FUEL, Token, Tokens

_WALKED = (
    ("__iter__", "__next__"), ("__aiter__", "__anext__"),
    ("[Symbol.iterator]", "next"), ("[Symbol.asyncIterator]", "next"),
    ("iterator", "next"), ("GetEnumerator", "MoveNext"),
)  # fmt: skip
_ENTERED = ("__enter__", "__exit__", "__aenter__", "__aexit__")
# What is called in the same way whatever its arguments are.
_BY_ARGUMENT = frozenset({"super", *known.RUNS})
_ANYWAY = frozenset({"function", "bound", "instance", "method", "thing", "module"})


class Visits(Collected):
    """Walks terms and collects edges."""

    def flows(self, scope: int, target: Any, value: Term) -> None:
        """Follow a value into what it is assigned to: nothing, unless values are followed."""

    def _type(self, scope: int, kind: Term) -> None:
        """Names in a type are used."""
        if kind is None:
            return
        if kind[0] in ("name", "attr"):
            scope = self.terms.type_scope(self.view, scope, kind)
            for token in self.terms.eval(self.view, scope, kind, FUEL):
                if token[0] == "class":
                    self.add("uses", token[1], token[2], "scope", word=kind[-1])
        elif kind[0] in ("item", "either", "tuple"):
            for part in kind[1:] if kind[0] == "item" else kind[1]:
                self._type(scope, part)
        elif kind[0] == "dict":
            self._pairs(scope, kind)

    def _visit(self, scope: int, term: Term) -> None:
        """Look up everything that evaluating a term calls and reads."""
        if term is not None and (step := _VISITS.get(term[0])) is not None:
            step(self, scope, term)

    def _each(self, scope: int, terms: Any) -> None:
        """Visit several terms: many are constants, in which there is nothing."""
        for term in terms:
            if term is not None and (step := _VISITS.get(term[0])) is not None:
                step(self, scope, term)

    def _name(self, scope: int, term: Any) -> None:
        place = (self._source, scope, term[1])
        if place in self._read:
            return
        self._read.add(place)
        seen = self.view.look(scope, term[1])
        if not seen.is_local and (found := targets.read(self.terms, self.view, seen, term[1])):
            self.add("references", *found, "scope", word=term[1])

    def _attr(self, scope: int, term: Any) -> None:
        self._visit(scope, term[1])
        for token in self.terms.eval(self.view, scope, term, FUEL):
            if token[0] in ("function", "bound", "class"):
                how = self._how(scope, term)
                self.add("references", token[1], token[2], how, word=term[2])
        for path, number in targets.properties(self.terms, self.view, scope, term):
            self.add("calls", path, number, self._how(scope, term), word=term[2])

    def _called(self, scope: int, term: Any) -> None:
        _, callee, arguments, named, _ = term
        if callee is not None and callee[0] == "attr":
            self._visit(scope, callee[1])
        elif callee is not None and callee[0] != "name":
            self._visit(scope, callee)
        if arguments:
            self._each(scope, arguments)
        if named:
            self._each(scope, [one for _, one in named])
        self._call(scope, term)

    def _call(self, scope: int, term: Any) -> None:
        """Add the edges of one call, and count it."""
        if term[4] is not None:
            self._line = self._sites[term[4]]
        place = self._place(scope, term)
        count = self._called_before.get(place)
        if count is None:
            tokens = self.terms.eval(self.view, scope, term[1], FUEL)
            is_same = place is not None and _runs_the_same(tokens)
            if not is_same and term[0] != "new":
                tokens = self.terms.callees(self.view, scope, term, FUEL)
            count = self._callees(scope, tokens, term) or self._guess(scope, term, tokens)
            if is_same:
                self._called_before[place] = count
        self.counts[count] += 1

    def _place(self, scope: int, term: Any) -> tuple[Any, ...] | None:
        """Return where a name or a member of a name is called, None for what else is called."""
        callee = term[1]
        if callee is None or term[0] == "new":
            return None
        if callee[0] == "name":
            return (self._source, scope, callee[1])
        if callee[0] == "attr" and (base := callee[1]) is not None and base[0] == "name":
            return (self._source, scope, base[1], callee[2])
        return None

    def _callees(self, scope: int, tokens: Tokens, term: Any) -> Count | None:
        """Add edges to what is called; return as what it counts if it is in the tree."""
        how = ""
        if len(tokens) > 1:
            tokens = self.terms.functions_first(tokens)
        for token in tokens:
            if token[0] == "outside" and token[1] in known.RUNS:
                self._run_by(scope, known.RUNS[token[1]], term)
            if token[0] in targets.RUNNING:
                for kind, (path, target) in targets.of_call(
                    self.terms, self.view, scope, token, term
                ):
                    how = how or self._how(scope, term[1])
                    self.add(kind, path, target, how)
        return ("calls", "resolved", how) if how else None

    def _run_by(self, scope: int, method: str, term: Any) -> None:
        """Add edges to the method of its argument that a built-in function runs."""
        if self.view.facts.language != "python" or not term[2]:
            return
        for found in self._implied(self.terms.eval(self.view, scope, term[2][0], FUEL), method):
            if method == "__iter__":
                self._implied(self.terms.returns(found[1], found[2], FUEL), "__next__")

    def _guess(self, scope: int, term: Any, tokens: Tokens) -> Count:
        """Add edges to the methods of that name, if nothing else is known of the receiver."""
        callee = term[1]
        if tokens:
            is_known = any(token[0] != "instance" for token in tokens)
            return "calls", "outside" if is_known else "unresolved", "local"
        if callee is None or callee[0] != "attr":
            return "calls", "unresolved", "name" if callee else "expression"
        if self.terms.eval(self.view, scope, callee[1], FUEL):
            return "calls", "unresolved", "member"
        found = guesses.by_class(self.terms, self.view, term)
        found = found or guesses.methods(self.terms, self.view, term)
        state, how = ("resolved", "only") if len(found) == 1 else ("ambiguous", "candidate")
        for path, target in found:
            self.add("calls", path, target, how, state)
        return "calls", state if found else "unresolved", how if found else "receiver"

    def _iter(self, scope: int, term: Any) -> None:
        self._visit(scope, term[1])
        if len(term) > 2:
            self._at(term[2])
            for walk, step in _WALKED:
                for token in self._implied(self.terms.eval(self.view, scope, term[1], FUEL), walk):
                    given = self.terms.returns(token[1], token[2], FUEL)
                    self._implied(given, step)

    def _enter(self, scope: int, term: Any) -> None:
        self._visit(scope, term[1])
        if len(term) > 2:
            self._at(term[2])
            tokens = self.terms.eval(self.view, scope, term[1], FUEL)
            for name in _ENTERED:
                self._implied(tokens, name)

    def _implied(self, tokens: Tokens, name: str) -> list[Token]:
        """Add calls of a method that the language makes, and return those methods."""
        found = [
            method
            for token in tokens
            if token[0] == "instance"
            for method in self.terms.attribute(token, name, FUEL)
            if method[0] == "bound"
        ]
        for method in found:
            self.add("calls", method[1], method[2], "local")
        return found

    def _several(self, scope: int, term: Any) -> None:
        self._each(scope, term[1])

    def _pairs(self, scope: int, term: Any) -> None:
        for key, value in term[1]:
            self._visit(scope, key)
            self._visit(scope, value)

    def _inside(self, scope: int, term: Any) -> None:
        self._visit(scope, term[1])

    def _subscript(self, scope: int, term: Any) -> None:
        self._visit(scope, term[1])
        self._visit(scope, term[2])

    def _other_scope(self, scope: int, term: Any) -> None:
        self._visit(term[1], term[2])

    def _cast(self, scope: int, term: Any) -> None:
        self._type(scope, term[1])
        self._visit(scope, term[2])

    def _typed(self, scope: int, term: Any) -> None:
        self._type(scope, term[1])

    def _ran(self, scope: int, term: Any) -> None:
        """A method of something outside runs what it is given; one of the tree has calls itself."""
        if not self.terms.is_own(self.view, scope, term[1], FUEL):
            self._visit(scope, term[2])

    def _how(self, scope: int, term: Term) -> str:
        return "scope" if targets.is_static(self.terms, self.view, scope, term) else "local"


def _runs_the_same(tokens: Tokens) -> bool:
    """Return whether a call of a name runs the same whatever its arguments are."""
    if len(tokens) != 1:
        return not tokens
    tag = tokens[0][0]
    return tag in _ANYWAY or (tag == "outside" and tokens[0][1] not in _BY_ARGUMENT)


_VISITS = {
    "name": Visits._name,
    "attr": Visits._attr,
    "call": Visits._called,
    "new": Visits._called,
    "item": Visits._subscript,
    "list": Visits._several,
    "tuple": Visits._several,
    "set": Visits._several,
    "either": Visits._several,
    "join": Visits._several,
    "dict": Visits._pairs,
    "iter": Visits._iter,
    "enter": Visits._enter,
    "await": Visits._inside,
    "star": Visits._inside,
    "typeof": Visits._inside,
    "yield": Visits._inside,
    "in": Visits._other_scope,
    "cast": Visits._cast,
    "ran": Visits._ran,
    "typed": Visits._typed,
}

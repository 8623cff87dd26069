"""What evaluating a term calls and reads: the walk through expressions, and the edges it adds."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..facts import Term
from . import targets
from .memo import FUEL, Token, Tokens
from .records import Edge
from .terms import Terms
from .views import View

# The surer one first.
_HOWS = {"scope": 0, "local": 1, "only": 2, "candidate": 3, "flow": 4}
_WALKED = (
    ("__iter__", "__next__"), ("__aiter__", "__anext__"),
    ("[Symbol.iterator]", "next"), ("[Symbol.asyncIterator]", "next"),
    ("iterator", "next"), ("GetEnumerator", "MoveNext"),
)  # fmt: skip
_ENTERED = ("__enter__", "__exit__", "__aenter__", "__aexit__")


class Visits:
    """Walks terms and collects edges.

    Attributes:
        terms, view: what terms mean; the file.
        counts: number of references by kind, state and how.
    """

    def __init__(self, terms: Terms, path: str) -> None:
        self.terms = terms
        self.view: View = terms.view(path)
        self._edges: dict[tuple[int, str, str, int], Edge] = {}
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self._read: set[tuple[int, int, str]] = set()
        self._source = -1
        self._line = 1

    def add(self, kind: str, path: str, target: int, how: str, state: str = "resolved") -> None:
        """Add an edge from where the walk is; of several of a kind the surest is kept."""
        key = (self._source, kind, path, target)
        if key == (target, kind, self.view.path, self._source) and kind != "calls":
            return
        old = self._edges.get(key)
        if old is None:
            self._edges[key] = Edge(self._source, kind, path, target, how, state, self._line)
        elif (state, _HOWS[how]) > (old.state, -1) and _HOWS[how] < _HOWS[old.how]:
            self._edges[key] = old._replace(how=how, state=state)

    def flows(self, scope: int, target: Any, value: Term) -> None:
        """Follow a value into what it is assigned to: nothing, unless values are followed."""

    def _type(self, scope: int, kind: Term) -> None:
        """Names in a type are used."""
        if kind is None:
            return
        if kind[0] in ("name", "attr"):
            for token in self.terms.eval(self.view, scope, kind, FUEL):
                if token[0] == "class":
                    self.add("uses", token[1], token[2], "scope")
        elif kind[0] == "item":
            self._type(scope, kind[1])
            self._type(scope, kind[2])
        elif kind[0] in ("either", "tuple"):
            for part in kind[1]:
                self._type(scope, part)

    def _visit(self, scope: int, term: Term) -> None:
        """Look up everything that evaluating a term calls and reads."""
        if term is not None and (step := _VISITS.get(term[0])) is not None:
            step(self, scope, term)

    def _name(self, scope: int, term: Any) -> None:
        place = (self._source, scope, term[1])
        if place in self._read:
            return
        self._read.add(place)
        found = targets.read(self.terms, self.view, scope, term[1])
        if found:
            self.add("references", *found, "scope")

    def _attr(self, scope: int, term: Any) -> None:
        self._visit(scope, term[1])
        for token in self.terms.eval(self.view, scope, term, FUEL):
            if token[0] in ("function", "bound", "class"):
                self.add("references", token[1], token[2], self._how(scope, term))

    def _called(self, scope: int, term: Any) -> None:
        callee = term[1]
        if callee is not None and callee[0] == "attr":
            self._visit(scope, callee[1])
        elif callee is not None and callee[0] != "name":
            self._visit(scope, callee)
        for one in term[2]:
            self._visit(scope, one)
        for _, one in term[3]:
            self._visit(scope, one)
        self._call(scope, term)

    def _call(self, scope: int, term: Any) -> None:
        """Add the edges of one call."""
        self._at(term[4])
        callee = term[1]
        if term[0] == "new":
            tokens = self.terms.eval(self.view, scope, callee, FUEL)
        else:
            tokens = self.terms.callees(self.view, scope, term, FUEL)
        how = self._how(scope, callee) if tokens else ""
        if not self._callees(tokens, term, how):
            self._guess(scope, callee, tokens)

    def _callees(self, tokens: Tokens, term: Any, how: str) -> bool:
        """Add edges to what is called; return whether there was something in the tree."""
        hit = False
        for token in tokens:
            for kind, (path, target) in targets.of_call(self.terms, token, term):
                self.add(kind, path, target, how)
                hit = True
        if hit:
            self.counts["calls", "resolved", how] += 1
        return hit

    def _guess(self, scope: int, callee: Term, tokens: Tokens) -> None:
        """Add edges to the methods of that name, if nothing else is known of the receiver."""
        if tokens:
            is_known = any(token[0] != "instance" for token in tokens)
            self.counts["calls", "outside" if is_known else "unresolved", "local"] += 1
            return
        if callee is None or callee[0] != "attr":
            self.counts["calls", "unresolved", "name" if callee else "expression"] += 1
            return
        if self.terms.eval(self.view, scope, callee[1], FUEL):
            self.counts["calls", "unresolved", "member"] += 1
            return
        found = targets.methods(self.terms, self.view, callee[2])
        state, how = ("resolved", "only") if len(found) == 1 else ("ambiguous", "candidate")
        for path, target in found:
            self.add("calls", path, target, how, state)
        self.counts["calls", state if found else "unresolved", how if found else "receiver"] += 1

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
        for one in term[1]:
            self._visit(scope, one)

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

    def _at(self, site: int | None) -> None:
        if site is not None:
            self._line = self.view.facts.sites[site][0]

    def _how(self, scope: int, term: Term) -> str:
        return "scope" if targets.is_static(self.terms, self.view, scope, term) else "local"


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
    "dict": Visits._pairs,
    "iter": Visits._iter,
    "enter": Visits._enter,
    "await": Visits._inside,
    "star": Visits._inside,
    "yield": Visits._inside,
    "in": Visits._other_scope,
    "cast": Visits._cast,
    "typed": Visits._typed,
}

"""The edges of one file: every statement is walked once, and every call, read and import looked up."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..facts import Term
from . import targets
from .memo import FUEL, Token, Tokens
from .records import Edge, Resolved
from .structural import implemented
from .terms import Terms
from .views import View

# The surer one first.
_HOWS = {"scope": 0, "local": 1, "only": 2, "candidate": 3, "flow": 4}
# Of a namespace with many files an import means none of them in particular.
_MOST_MEMBERS = 8
_WALKED = (
    ("__iter__", "__next__"), ("__aiter__", "__anext__"),
    ("[Symbol.iterator]", "next"), ("[Symbol.asyncIterator]", "next"),
    ("iterator", "next"), ("GetEnumerator", "MoveNext"),
)  # fmt: skip
_ENTERED = ("__enter__", "__exit__", "__aenter__", "__aexit__")


class Edges:
    """Collects the edges of one file."""

    def __init__(self, terms: Terms, path: str) -> None:
        self.terms = terms
        self.view: View = terms.view(path)
        self._edges: dict[tuple[int, str, str, int], Edge] = {}
        self.counts: Counter[tuple[str, str, str]] = Counter()
        self._source = -1
        self._line = 1

    def found(self) -> Resolved:
        """Return edges and counts; what was read is known to the memo."""
        facts = self.view.facts
        for number in range(len(facts.definitions)):
            self._definition(number)
        for scope, statements in enumerate(facts.statements):
            self._source = self.view.around(scope)
            for statement in statements:
                step = _STATEMENTS.get(statement[0])
                if step is not None:
                    step(self, scope, statement)
        return Resolved(tuple(self._edges.values()), frozenset(), dict(self.counts))

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

    def _definition(self, number: int) -> None:
        """Decorators, bases and defaults are read where the definition is bound."""
        definition = self.view.definition(number)
        scope = definition.scope
        self._source, self._line = self.view.around(scope), definition.line
        for term in definition.decorators:
            self._visit(scope, term)
            if term is not None:
                self._call(scope, ("call", term, (("def", number),), (), None))
        for param in definition.params:
            self._visit(scope, param[2])
        for term in definition.bases:
            if term is not None and term[0] not in ("name", "attr"):
                self._visit(scope, term)
        self._source = number
        for param in definition.params:
            self._type(scope, param[1])
        self._type(scope, definition.returns)
        if definition.kind == "class":
            self._inherits(number)
        elif definition.kind == "method":
            self._overrides(number)

    def _inherits(self, number: int) -> None:
        for base in self.terms.bases(self.view.path, number):
            if base[0] == "class" and self._is_same_class(number, base):
                continue
            if base[0] in ("class", "function"):
                self.add("inherits", base[1], base[2], "scope")
                self.counts["inherits", "resolved", "scope"] += 1
            elif base[0] == "outside":
                self.counts["inherits", "outside", "scope"] += 1

    def _is_same_class(self, number: int, base: Token) -> bool:
        """Return whether a base is another part of a class that is written in several."""
        own, other = self.view.definition(number), self.terms.view(base[1]).definition(base[2])
        return "partial" in own.flags and own.qualname == other.qualname

    def _overrides(self, number: int) -> None:
        definition = self.view.definition(number)
        if "constructor" in definition.flags:
            return
        for _, path, owner in self._owners(number):
            for token in self.terms.attribute(("bases", path, owner), definition.name, FUEL):
                if token[0] in ("bound", "function"):
                    self.add("overrides", token[1], token[2], "scope")
        for path, target in implemented(self.terms, self.view, number):
            self.add("overrides", path, target, "scope")

    def _owners(self, number: int) -> list[Token]:
        """Return the class of a method, also of one that is written apart from it."""
        owner = self.view.class_of(number)
        if owner >= 0:
            return [("class", self.view.path, owner)]
        definition = self.view.definition(number)
        found = self.terms.eval(self.view, definition.scope, definition.owner, FUEL)
        return [token for token in found if token[0] == "class"]

    def _bind(self, scope: int, statement: Any) -> None:
        self._visit(scope, statement[2])
        self._target(scope, statement[1])

    def _target(self, scope: int, target: Term) -> None:
        if target is None or target[0] == "name":
            return
        if target[0] in ("tuple", "list"):
            for part in target[1]:
                self._target(scope, part)
        elif target[0] == "star":
            self._target(scope, target[1])
        else:
            self._visit(scope, target[1])
            if target[0] == "item":
                self._visit(scope, target[2])

    def _declare(self, scope: int, statement: Any) -> None:
        self._type(scope, statement[2])

    def _do(self, scope: int, statement: Any) -> None:
        self._visit(scope, statement[1])

    def _mixin(self, scope: int, statement: Any) -> None:
        bases = self.terms.eval(self.view, scope, statement[2], FUEL)
        source = self._source
        for token in self.terms.eval(self.view, scope, statement[1], FUEL):
            if token[0] in ("class", "function") and token[1] == self.view.path:
                self._source = token[2]
                for base in bases:
                    if base[0] in ("class", "function"):
                        self.add("inherits", base[1], base[2], "scope")
        self._source = source

    def _import(self, scope: int, statement: Any) -> None:
        _, _, module, name, level, site = statement
        self._at(site)
        keys = self.terms.found(self.view, module, level)
        self._modules(keys)
        if keys and name not in (None, "*"):
            self._taken(self.terms.imported(self.view, module, name, level, FUEL))
        self.counts["imports", "resolved" if keys else "outside", "scope"] += 1

    def _export(self, scope: int, statement: Any) -> None:
        _, _, local, module, site = statement
        if module is None:
            return
        self._at(site)
        self._modules(self.terms.found(self.view, module, 0))
        if local not in (None, "*"):
            self._taken(self.terms.imported(self.view, module, local, 0, FUEL))

    def _modules(self, keys: tuple[str, ...]) -> None:
        linker = self.terms.links.of(self.view.path)
        for key in keys:
            members = linker.members(key)
            for path in members if len(members) <= _MOST_MEMBERS else members[:1]:
                if path != self.view.path:
                    self.add("imports", path, -1, "scope")

    def _taken(self, tokens: Tokens) -> None:
        for token in tokens:
            if token[0] in ("class", "function"):
                self.add("imports", token[1], token[2], "scope")
            elif token[0] == "module":
                self._modules((token[2],))

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


_STATEMENTS = {
    "bind": Edges._bind,
    "declare": Edges._declare,
    "do": Edges._do,
    "return": Edges._do,
    "yield": Edges._do,
    "import": Edges._import,
    "export": Edges._export,
    "mixin": Edges._mixin,
}
_VISITS = {
    "name": Edges._name,
    "attr": Edges._attr,
    "call": Edges._called,
    "new": Edges._called,
    "item": Edges._subscript,
    "list": Edges._several,
    "tuple": Edges._several,
    "set": Edges._several,
    "either": Edges._several,
    "dict": Edges._pairs,
    "iter": Edges._iter,
    "enter": Edges._enter,
    "await": Edges._inside,
    "star": Edges._inside,
    "yield": Edges._inside,
    "in": Edges._other_scope,
    "cast": Edges._cast,
    "typed": Edges._typed,
}

"""The edges of one file: every statement is walked once, every call, read and import looked up."""

from __future__ import annotations

from typing import Any

from ..facts import Term
from .memo import FUEL, Token, Tokens
from .records import Resolved
from .structural import implemented
from .visits import Visits

# Of a namespace with many files an import means none of them in particular.
_MOST_MEMBERS = 8


class Edges(Visits):
    """Collects the edges of one file."""

    def found(self) -> Resolved:
        """Return edges and counts; what was read is known to the memo."""
        facts = self.view.facts
        for number in range(len(facts.definitions)):
            self._definition(number)
        for scope, statements in enumerate(facts.statements):
            self._source = self.view.around[scope]
            for statement in statements:
                if statement[0] in _EVALUATED:
                    self._visit(scope, statement[1])
                elif (step := _STATEMENTS.get(statement[0])) is not None:
                    step(self, scope, statement)
        return Resolved(tuple(self._edges.values()), frozenset(), dict(self.counts))

    def _definition(self, number: int) -> None:
        """Decorators, bases and defaults are read where the definition is bound."""
        definition = self.view.definitions[number]
        scope = definition.scope
        self._source, self._line = self.view.around[scope], definition.line
        for term in definition.decorators:
            self._visit(scope, term)
            if term is not None:
                self._word = str(term[-1]) if term[0] in ("name", "attr") else ""
                self._call(scope, ("call", term, (("def", number),), (), None))
        self._word = ""
        bases = [term for term in definition.bases if term and term[0] not in ("name", "attr")]
        self._each(scope, [param[2] for param in definition.params])
        self._each(scope, bases)
        self._source = number
        self._line = definition.line
        for param in definition.params:
            self._type(scope, param[1])
        given = definition.returns
        self._type(scope, given[2] if given and given[0] in ("argument", "parameter") else given)
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
        own, other = self.view.definitions[number], self.terms.views[base[1]].definitions[base[2]]
        return "partial" in own.flags and own.qualname == other.qualname

    def _overrides(self, number: int) -> None:
        definition = self.view.definitions[number]
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
        definition = self.view.definitions[number]
        found = self.terms.eval(self.view, definition.scope, definition.owner, FUEL)
        return [token for token in found if token[0] == "class"]

    def _bind(self, scope: int, statement: Any) -> None:
        self._visit(scope, statement[2])
        self._target(scope, statement[1])
        self.flows(scope, statement[1], statement[2])

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


# Statements that only evaluate a term.
_EVALUATED = frozenset({"do", "return", "yield"})
_STATEMENTS = {
    "bind": Edges._bind,
    "declare": Edges._declare,
    "import": Edges._import,
    "export": Edges._export,
    "mixin": Edges._mixin,
}

"""Dataflow: values propagated through the whole program to a fixed point."""

from __future__ import annotations

from typing import Any

from ..dialect import LibraryRule
from ..facts import Term
from .call_targets import constructors
from .edge_collector import Edges
from .engine import FUEL, Edge, Token, Tokens, Tree, joined
from .evaluator import Terms
from .file_scopes import Binding, View

# --- Values of terms with what flows in: arguments, decorators, contents of containers.

# Values of one variable, and containers in containers, that are followed.
_MOST_VALUES = 40
_DEEPEST = 4
# A key that is not known.
ANY = ("any",)
_RUN_FIRST = frozenset({LibraryRule.MAPPED, LibraryRule.FILTERED})


class FlowTerms(Terms):
    """The values of terms, with what is known to flow into variables."""

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
        tokens = tuple(self._table.get(variable, ()))
        if variable[0] != "held" or len(variable) == 2:
            return tokens
        if variable[2] is None:
            return self.pushed(variable[:2])
        return joined([tokens, tuple(self._table.get(("held", variable[1], ANY), ()))])

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
        tokens = self.eval(view, scope, key, fuel)
        is_one = len(tokens) == 1 and tokens[0][0] == "value"
        return tokens[0][2] if is_one else None

    def binding(self, view: View, binding: Binding, fuel: int) -> Tokens:
        """Return what a binding gives: a decorated definition is what the decorators make of it."""
        if binding[0] == "define":
            return self.decorated(view, binding[1], fuel)
        return super().binding(view, binding, fuel)

    def decorated(self, view: View, number: int, fuel: int) -> Tokens:
        """Return a definition after its decorators, innermost first."""
        tokens = view.defined(number)
        definition = view.definitions[number]
        for term in reversed(definition.decorators if not self.is_static else ()):
            results = []
            for token in self.eval(view, definition.scope, term, fuel):
                if token[0] == "function":
                    self.push(("param", token[1], token[2], 0), tokens)
                    results.append(self.returns(token[1], token[2], fuel))
                elif token[0] == "class" and definition.kind != "class":
                    results.append(self.instance(token))
            made = joined(results or [()])
            tokens = made or tokens
        return tokens

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
        callbacks: list[Tokens] = []
        for token in tokens:
            if token[0] != "outside" or not term[2]:
                continue
            if view.dialect.library.results.get(token[1].rpartition(".")[2]) in _RUN_FIRST:
                first = self.eval(view, scope, term[2][0], FUEL)
                callbacks.append(
                    tuple(callback for callback in first if callback[0] in ("function", "bound"))
                )
                for other in callbacks[-1] if len(term[2]) > 1 else ():
                    inside = self.eval(view, scope, ("iter", term[2][1]), FUEL)
                    place = int(other[0] == "bound" and self.views[other[1]].dialect.receiver)
                    self.push(("param", other[1], other[2], place), inside)
        return joined(callbacks or [()])


def _depth(token: Any) -> int:
    """Return how deep containers lie in a token."""
    if not isinstance(token, tuple) or not token:
        return 0
    inside = max((_depth(part) for part in token if isinstance(part, tuple)), default=0)
    return inside + (token[0] in ("many", "row", "fields", "method"))


# --- The walk of a file that lets arguments flow into parameters.


class FlowEdges(Edges):
    """The walk of a file as in `Edges`, with values flowing on the way."""

    terms: FlowTerms

    def _call(self, scope: int, term: Any) -> None:
        super()._call(scope, term)
        callee = term[1]
        if term[0] == "new":
            tokens = self.terms.eval(self.view, scope, callee, FUEL)
        else:
            tokens = self.terms.callees(self.view, scope, term, FUEL)
        base: Tokens = ()
        if callee is not None and callee[0] == "attr":
            base = self.terms.eval(self.view, scope, callee[1], FUEL)
            self._store(scope, callee[2], base, term)
        for token in tokens:
            self._give(scope, token, base, term)
        for token in self.terms.handed(self.view, scope, term, tokens):
            self.add("calls", token[1], token[2], "local")

    def flows(self, scope: int, target: Any, value: Term) -> None:
        """Let a value flow into a member or under a key."""
        if target is None or target[0] not in ("item", "attr"):
            return
        tokens = self.terms.eval(self.view, scope, value, FUEL)
        for token in self.terms.eval(self.view, scope, target[1], FUEL):
            if target[0] == "attr" and token[0] in ("instance", "class"):
                self.terms.push(("member", token[1], token[2], target[2]), tokens)
            elif target[0] == "item" and token[0] == "literal":
                key = self.terms.key_of(self.view, scope, target[2], FUEL)
                self.terms.put(token, key, tokens)

    def _store(self, scope: int, name: str, base: Tokens, term: Any) -> None:
        """What methods of containers put into them."""
        arguments = [self.terms.eval(self.view, scope, argument, FUEL) for argument in term[2]]
        library = self.view.dialect.library
        is_adding = name in library.adding_methods
        if not arguments or not (is_adding or name in library.extending_methods):
            return
        for token in base:
            if token[0] != "literal":
                continue
            if is_adding:
                self.terms.put(token, None, arguments[-1])
                continue
            for other in arguments[0]:
                self._copy(token, other)

    def _copy(self, token: Token, other: Token) -> None:
        source = self.terms.terms[other[3]] if other[0] == "literal" else None
        if source is None or source[0] != "dict":
            self.terms.put(token, None, self.terms.elements(other, FUEL))
            return
        view = self.terms.views[other[1]]
        for key, value in source[1]:
            tokens = self.terms.eval(view, other[2], value, FUEL)
            self.terms.put(token, self.terms.key_of(view, other[2], key, FUEL), tokens)

    def _give(self, scope: int, token: Token, base: Tokens, term: Any) -> None:
        """Hand the arguments of a call, and its object, to what is called."""
        if token[0] == "class":
            self._make(scope, token, term)
        elif token[0] == "instance":
            for method in self.terms.attribute(token, "__call__", FUEL):
                if method[0] == "bound":
                    self.terms.push(("this", method[1], method[2]), (token,))
                    self._arguments(scope, method[1], method[2], 1, term)
        elif token[0] in ("function", "bound"):
            if token[0] == "bound":
                self._object(scope, token, base)
            self._arguments(scope, token[1], token[2], int(token[0] == "bound"), term)

    def _make(self, scope: int, token: Token, term: Any) -> None:
        """Hand the arguments of a call to the initialisers of a class."""
        made = self.terms.instance(token)
        for path, number in constructors(self.terms, self.view, scope, (token[1], token[2]), term):
            self.terms.push(("this", path, number), made)
            self._arguments(scope, path, number, 1, term)
        if term[0] == "new":
            self._fill(scope, token, term)

    def _fill(self, scope: int, token: Token, term: Any) -> None:
        """Hand what stands in a literal of a type to its members: `T{A: x}`, `T{x}`."""
        view = self.terms.views[token[1]]
        body = view.definitions[token[2]].body
        members = list(term[3])
        if not self.terms.makers(token[1], token[2]):
            fields = [
                definition.name
                for definition in view.definitions
                if definition.scope == body and definition.kind == "variable"
            ]
            members += zip(fields, term[2], strict=False)
        for name, argument in members:
            tokens = self.terms.eval(self.view, scope, argument, FUEL)
            self.terms.push(("member", token[1], token[2], name), tokens)

    def _object(self, scope: int, token: Token, base: Tokens) -> None:
        """The object of a method: those on which it is found; behind super() the present one."""
        view = self.terms.views[token[1]]
        if view.class_of(token[2]) < 0:
            return
        name = view.definitions[token[2]].name
        for receiver in base:
            if receiver[0] == "bases":
                own = self.terms.receiver(self.view, scope, FUEL)
                method = self.view.method_around(scope)
                held = self.terms.pushed(("this", self.view.path, method)) or own
                self.terms.push(("this", token[1], token[2]), held)
            elif receiver[0] == "instance" and token in self.terms.attribute(receiver, name, FUEL):
                self.terms.push(("this", token[1], token[2]), (receiver,))

    def _arguments(self, scope: int, path: str, number: int, skip: int, term: Any) -> None:
        view = self.terms.views[path]
        params = view.definitions[number].params
        skip = skip if view.dialect.receiver else 0
        rest: list[Tokens] = []
        place = skip
        for argument in term[2]:
            is_star = argument is not None and argument[0] == "star"
            tokens = self.terms.eval(self.view, scope, argument, FUEL)
            if is_star:
                for spread in self._spread(tokens, len(params) - place):
                    place = self._positional(path, number, place, spread, rest)
            else:
                place = self._positional(path, number, place, tokens, rest)
        self._finish(scope, path, number, rest, term)

    def _spread(self, tokens: Tokens, room: int) -> list[Tokens]:
        """Return what each place gets of spread arguments: one by one if they are known."""
        if len(tokens) == 1 and tokens[0][0] == "row":
            return list(tokens[0][1])
        inside = self.terms.elements_of(tokens, FUEL)
        return [inside] * max(room, 1)

    def _positional(
        self, path: str, number: int, place: int, tokens: Tokens, rest: list[Tokens]
    ) -> int:
        params = self.terms.views[path].definitions[number].params
        if place < len(params) and params[place][3] == "":
            self.terms.push(("param", path, number, place), tokens)
            return place + 1
        rest.append(tokens)
        return place

    def _finish(self, scope: int, path: str, number: int, rest: list[Tokens], term: Any) -> None:
        """Hand over what goes by name, and what rest parameters take."""
        params = self.terms.views[path].definitions[number].params
        places = {param[0]: place for place, param in enumerate(params) if param[3][:1] != "*"}
        fields: list[tuple[str, Tokens]] = []
        for name, argument in term[3]:
            tokens = self.terms.eval(self.view, scope, argument, FUEL)
            if name == "**":
                self._splat(path, number, places, tokens)
            elif name in places:
                self.terms.push(("param", path, number, places[name]), tokens)
            else:
                fields.append((name, tokens))
        for place, param in enumerate(params):
            if param[3] == "*" and rest:
                self.terms.push(("param", path, number, place), (("row", tuple(rest)),))
            elif param[3] == "**" and fields:
                self.terms.push(("param", path, number, place), (("fields", tuple(fields)),))

    def _splat(self, path: str, number: int, places: dict[str, int], tokens: Tokens) -> None:
        for token in tokens:
            for name, place in places.items():
                values: Tokens = ()
                if token[0] == "fields":
                    values = joined([held for key, held in token[1] if key == name] or [()])
                elif token[0] == "literal":
                    values = self.terms.held_at(token, name, FUEL)
                self.terms.push(("param", path, number, place), values)


# --- Calls found by data flow: arguments, decorators, contents of containers.
#
# Every call of the program hands its arguments to the parameters of what it calls; with more
# values there, more calls are found, until a round brings nothing new. What flows is never taken
# back, so the end does not depend on the order in which files are walked.

# Rounds until nothing changes; chains of higher-order calls are short.
_MOST_ROUNDS = 24


def flow(tree: Tree) -> dict[str, tuple[Edge, ...]]:
    """Return the calls of every file, those found by following values with how "flow"."""
    terms, plain = FlowTerms(tree), Terms(tree)
    paths = [path for path, _, _ in tree.files]
    for _ in range(_MOST_ROUNDS):
        terms.forget()
        for path in paths:
            terms.begin()
            FlowEdges(terms, path).collect()
        if not terms.changed:
            break
    terms.forget()
    return {path: _calls(terms, plain, path) for path in paths}


def _calls(terms: FlowTerms, plain: Terms, path: str) -> tuple[Edge, ...]:
    plain.begin(path)
    before = {
        (edge.source, edge.path, edge.target): edge.how
        for edge in Edges(plain, path).collect().edges
        if edge.kind == "calls"
    }
    terms.begin()
    return tuple(
        edge._replace(how=before.get((edge.source, edge.path, edge.target), "flow"))
        for edge in FlowEdges(terms, path).collect().edges
        if edge.kind == "calls" and edge.state == "resolved"
    )

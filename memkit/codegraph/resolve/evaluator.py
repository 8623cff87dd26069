"""Evaluation of terms to values; parameters of callbacks, fixtures of pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..facts import MODULE_SCOPE, Definition, Term
from . import extensions
from .calls import Calls
from .engine import FUEL, Token, Tokens, Variable, joined
from .file_scopes import View

# --- Callbacks: arguments of functions that are handed to others.

_OWN = frozenset({"function", "bound", "class"})


class Handed(Calls):
    """Arguments of functions that are handed to others."""

    def handed_to(self, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what a callee says that a function is called with which is given to it."""
        parts = []
        for token in self._run_for(self._callees_of(view, scope, term[1], fuel)):
            if (tokens := self._like(view, scope, term, token, fuel)) is not None:
                parts.append(tokens)
                continue
            place = term[2] + (token[0] == "bound" and view.dialect.receiver)
            variable = ("given", token[1], token[2], place, term[3])
            parts.append(self.recall(variable, fuel, self._expected))
        return joined(parts or [()])

    def _callees_of(self, view: View, scope: int, callee: Term, fuel: int) -> Tokens:
        """Return what is called by a callee whose arguments are not known yet."""
        tokens = self.eval(view, scope, callee, fuel)
        is_attr = callee is not None and callee[0] == "attr"
        if not (view.dialect.extension_functions and is_attr and callee is not None):
            return tokens
        if any(token[0] in ("function", "bound", "class") for token in tokens):
            return tokens
        receivers = self.eval(view, scope, callee[1], fuel)
        return extensions.on_receiver(self, view, scope, callee[2], receivers, fuel)

    def _like(self, view: View, scope: int, term: Any, token: Token, fuel: int) -> Tokens | None:
        """Return what a function is called with that is of the type of its callee's receiver; None
        if it is not said to be that."""
        params = self.views[token[1]].definitions[token[2]].params
        kind = params[term[2]][1] if -len(params) <= term[2] < len(params) else None
        if kind is None or kind[0] != "item" or kind[2] is None or kind[2][0] != "tuple":
            return None
        inner = kind[2][1][0]
        taken = inner[1] if inner is not None and inner[0] == "tuple" else ()
        expected = taken[term[3]] if term[3] < len(taken) else None
        if expected is None or expected[0] != "like" or expected[1] >= 0:
            return None
        return self.at_place(view, scope, ("call", term[1], (), (), None), expected[1], fuel)

    def _run_for(self, tokens: Tokens) -> Iterator[Token]:
        """Yield the functions that run when tokens are called, initialisers of classes too."""
        for token in tokens:
            if token[0] in ("function", "bound"):
                yield token
            elif token[0] == "class":
                for initialisers in self.makers(token[1], token[2]):
                    yield from initialisers

    def _expected(self, variable: Variable, fuel: int) -> Tokens:
        """Return what a parameter's type says that a function given for it is called with."""
        _, path, number, place, index = variable
        view = self.views[path]
        definition = view.definitions[number]
        self.read(view.unit(definition.body))
        if place >= len(definition.params) or -place > len(definition.params):
            return ()
        parts: list[Tokens] = []
        for token in self.typed(view, definition.scope, definition.params[place][1], fuel):
            made = self.underlying(token, fuel) if token[0] == "instance" else (token,)
            parts += [self.taken(kind, index, fuel) for kind in made if kind[0] == "generic"]
        return joined(parts or [()])

    def ran(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return (
            () if self.is_own(view, scope, term[1], fuel) else self.eval(view, scope, term[2], fuel)
        )

    def is_own(self, view: View, scope: int, callee: Term, fuel: int) -> bool:
        """Return whether what is called is a function of the tree."""
        return any(token[0] in _OWN for token in self.eval(view, scope, callee, fuel))

    def taken_by(self, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what a function is called with as one of its parameters, by what it says."""
        tokens = self.eval(view, scope, term[1], fuel)
        parts = [self.taken(token, term[2], fuel) for token in tokens if token[0] == "generic"]
        for token in self._run_for(tokens):
            there = self.views[token[1]]
            definition = there.definitions[token[2]]
            self.read(there.unit(definition.body))
            if term[2] < len(definition.params):
                kind = definition.params[term[2]][1]
                parts.append(self.typed(there, definition.scope, kind, fuel))
        return joined(parts or [()])


# --- Values of pytest fixtures, which fill the parameters of Python's tests.
#
# A fixture is looked for where pytest does: beside the test in its class, in its file, and in the
# `conftest.py` of its folder and of those around it.


def fixture_values(terms: Calls, view: View, number: int, name: str, fuel: int) -> Tokens:
    """Return what a parameter of a test or a fixture is; nothing for any other function."""
    asking = view.definitions[number]
    if not view.dialect.fixtures or not ("test" in asking.flags or _is_fixture(asking)):
        return ()
    for tokens in _named(terms, view, asking, name, fuel):
        parts = [
            _value(terms, terms.views[token[1]], token[2], fuel)
            for token in tokens
            if token[0] == "function" and token[1:] != (view.path, number)
        ]
        if parts:
            return joined(parts)
    return ()


def _named(terms: Calls, view: View, asking: Definition, name: str, fuel: int) -> Iterator[Tokens]:
    """Yield what has a name around a function, the nearest first."""
    for scope in dict.fromkeys((asking.scope, MODULE_SCOPE)):
        if name in view.names[scope]:
            yield terms.bound(view, scope, name, fuel)
    for level in range(1, view.path.count("/") + 2):
        for key in terms.namespaces(view, "conftest", level):
            yield terms.member(view.dialect.family, key, name, fuel)


def _value(terms: Calls, view: View, number: int, fuel: int) -> Tokens:
    """Return what a fixture gives: if it yields, that."""
    if not _is_fixture(view.definitions[number]):
        return ()
    tokens = terms.returns(view.path, number, fuel)
    return terms.elements_of(tokens, fuel) if number in view.yields else tokens


def _is_fixture(definition: Definition) -> bool:
    for term in definition.decorators:
        named = term[1] if term is not None and term[0] == "call" else term
        if named is not None and named[-1] == "fixture":
            return True
    return False


# --- The values of terms, as tokens: a rule for every tag of `facts.py`.

# Terms within terms that are followed; the rest is nothing known.
_DEEPEST = 60
# Values that a cast does not change.
_KEPT = frozenset({"function", "bound", "class", "proxy"})
_ASKED_AGAIN = frozenset({"name", "attr", "call"})


class Terms(Handed):
    """The values of terms."""

    def extended_callees(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what is called, extensions among it."""
        return extensions.callees(self, view, scope, term, fuel)

    def members(self, receivers: Tokens, name: str, fuel: int) -> Tokens:
        """Return what some values have under a name."""
        return joined([self.attribute(token, name, fuel) for token in receivers] or [()])

    def eval(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what a term of a scope can be; nothing known is the empty tuple."""
        if term is None:
            return ()
        tag, key = term[0], None
        if fuel == FUEL and tag in _ASKED_AGAIN and view is self.home and not self.is_static:
            # Names are written again and again, and of `a.b.c` each part is asked.
            key = (scope, term[1] if tag == "name" else id(term))
            tokens = self.term_values.get(key)
            if tokens is not None:
                return tokens
        maker = _MAKERS.get(tag)
        if maker is None or self.depth > _DEEPEST:
            return ()
        self.depth += 1
        tokens = maker(self, view, scope, term, fuel)
        self.depth -= 1
        if key is not None:
            self.term_values[key] = tokens
        return tokens

    def _name(self, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        return self.name(view, scope, term[1], fuel)

    def _attr(self, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        base = self.eval(view, scope, term[1], fuel)
        if view.dialect.extension_functions:
            return self._extended(view, scope, term[2], base, fuel)
        if term[2] == "__class__":
            return tuple(("class", *token[1:]) for token in base if token[0] == "instance")
        if len(base) == 1:
            return self.attribute(base[0], term[2], fuel)
        if len(base) > 1 and "*" in view.dialect.invokers:
            base = self._without_methods(view, scope, term[1], base)
        return joined([self.attribute(token, term[2], fuel) for token in base]) if base else ()

    def _extended(self, view: View, scope: int, name: str, base: Tokens, fuel: int) -> Tokens:
        """Return a member of something, else the extension of that name that is for it."""
        tokens = self.members(base, name, fuel)
        if any(token[0] not in ("method", "outside") for token in tokens):
            values = tuple(token for token in tokens if token[0] not in ("bound", "function"))
            return values or tokens
        own = extensions.on_receiver(self, view, scope, name, base, fuel)
        own = tuple(("function", *token[1:]) for token in own)
        return self.seen_from(own, is_class=False, fuel=fuel) or tokens

    def _without_methods(self, view: View, scope: int, term: Any, base: Tokens) -> Tokens:
        """Return what a name can be without methods of that name: no field is read as a method."""
        if term[0] not in ("name", "attr"):
            return base
        binder = view.binder(scope, term[1]) if term[0] == "name" else -1
        if binder >= 0 and all(binding[0] != "define" for binding in view.names[binder][term[1]]):
            return base
        return tuple(
            token
            for token in base
            if token[0] not in ("function", "bound")
            or self.views[token[1]].definitions[token[2]].name != term[-1]
        )

    def _call(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        if self.is_static:
            return ()
        return self.called(view, scope, term, fuel)

    def _new(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        parts: list[Tokens] = []
        for token in self.eval(view, scope, term[1], fuel):
            if token[0] in ("class", "function"):
                parts.append((("instance", token[1], token[2]),))
            elif token[0] == "outside":
                parts.append((("thing", token[1]),))
        return joined(parts) if parts else ()

    def _item(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        parts: list[Tokens] = []
        for token in self.eval(view, scope, term[1], fuel):
            if token[0] == "literal" and self.is_changed(view, term[1]):
                continue
            if token[0] == "outside":
                self.terms[id(term)] = term
                parts.append((("generic", view.path, scope, id(term)),))
            else:
                parts.append(self.item(token, view, scope, term[2], fuel))
        return joined(parts) if parts else ()

    def is_changed(self, view: View, term: Term) -> bool:
        """Return whether a container is changed after it was made: what it holds is not known."""
        while term is not None and term[0] in ("item", "attr", "seen"):
            term = term[1]
        if term is None or term[0] != "name":
            return False
        self.read(f"c:{view.path}:{term[1]}")
        return term[1] in view.changed

    def _literal(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        self.terms[id(term)] = term
        return (("literal", view.path, scope, id(term)),)

    def _const(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        # None says nothing of what else a name may hold.
        return () if term[1] in ("none", "any") else (("thing", term[1]),)

    def _def(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return view.defined(term[1])

    def _either(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return joined(
            [self.eval(view, scope, alternative, fuel) for alternative in term[1]] or [()]
        )

    def _iter(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return self.elements_of(self.eval(view, scope, term[1], fuel), fuel)

    def _enter(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        base = self.eval(view, scope, term[1], fuel)
        return joined([self.entered(token, fuel) for token in base] or [()])

    def _inner(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return self.eval(view, scope, term[1], fuel)

    def _in(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return self.eval(view, term[1], term[2], fuel)

    def _typed(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return self.typed(view, scope, term[1], fuel)

    def _cast(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return something of the type, and what is known to be of it: more than the type says."""
        assert term is not None
        kinds = self.typed(view, scope, term[1], fuel)
        held = self.eval(view, scope, term[2], fuel)
        values = tuple(
            token for token in held if token[0] in _KEPT or self._is_one_of(token, kinds)
        )
        return joined([kinds, values]) if values else kinds

    def _is_one_of(self, token: Token, kinds: Tokens) -> bool:
        """Return whether an object is of one of some types, or of one below it."""
        if token[0] != "instance" or token in kinds:
            return False
        above = self.order(token[1], token[2])
        return any(kind[0] == "instance" and ("class", *kind[1:]) in above for kind in kinds)

    def _typeof(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return a type as a value: what is asked for members by their names."""
        assert term is not None
        scope = self.type_scope(view, scope, term[1])
        tokens = self.eval(view, scope, term[1], fuel)
        named = [("outside", token[1]) if token[0] == "thing" else token for token in tokens]
        return tuple(("reflected", token) for token in named if token[0] in ("class", "outside"))

    def _join(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        return (("thing", "str"),)

    def _self(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        return self.receiver(view, scope, fuel)

    def _super(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        own = Terms.receiver(self, view, scope, fuel)
        return tuple(("bases", *token[1:]) for token in own if token[0] in ("instance", "class"))

    def receiver(self, view: View, scope: int, fuel: int) -> Tokens:
        """Return what `this` is in a scope: an object of the class whose method is around it."""
        method = view.method_around(scope)
        if method < 0:
            number = view.around[scope]
            if number < 0:
                return ()
            return (("instance", view.path, number),)
        definition = view.definitions[method]
        number = view.class_of(method)
        if number >= 0:
            return (("class" if "static" in definition.flags else "instance", view.path, number),)
        tokens = self.typed(view, definition.scope, definition.owner, fuel)
        if not tokens and view.dialect.extension_functions:
            # A function in place whose callee does not say that it has an object of its own.
            return self.receiver(view, definition.scope, fuel)
        # The object literal or function to which it was assigned.
        return tokens or self.eval(view, definition.scope, definition.owner, fuel)

    def param(self, view: View, number: int, place: int, fuel: int) -> Tokens:
        """Return what a parameter can be: the object itself, something of its type, its default."""
        definition = view.definitions[number]
        param = definition.params[place]
        if place == 0 and (own := self._own_object(view, number, fuel)) is not None:
            return own
        if param[3] in ("*", "**"):
            return self._rest(view, number, place, fuel)
        parts = [self.pushed(("param", view.path, number, place))]
        if param[1] is not None:
            parts.append(self.typed(view, definition.scope, param[1], fuel))
        if param[2] is not None:
            parts.append(self.eval(view, definition.scope, param[2], fuel))
        if param[1] is None and param[2] is None:
            parts.append(fixture_values(self, view, number, param[0], fuel))
        return joined(parts)

    def _rest(self, view: View, number: int, place: int, fuel: int) -> Tokens:
        """Return the tuple or mapping of a rest parameter."""
        param = view.definitions[number].params[place]
        inside = self.pushed(("param", view.path, number, place))
        if inside:
            return inside
        kind = "tuple" if param[3] == "*" else "dict"
        if param[1] is None:
            return (("thing", kind),)
        return (("many", self.typed(view, view.definitions[number].scope, param[1], fuel)),)

    def _own_object(self, view: View, number: int, fuel: int) -> Tokens | None:
        """Return what the first parameter of a method is, None if it is an ordinary one."""
        if (own := view.own_object(number)) is not None:
            return (own,)
        definition = view.definitions[number]
        if not view.dialect.receiver or definition.kind != "method":
            return None
        # Rust's `self`: the type stands at the `impl`.
        is_apart = definition.owner is not None and "static" not in definition.flags
        if is_apart and definition.params[0][1] is None:
            return self.typed(view, definition.scope, definition.owner, fuel)
        return None


_Maker = Callable[[Terms, View, int, Term, int], Tokens]

_MAKERS: dict[str, _Maker] = {
    "name": Terms._name,
    "attr": Terms._attr,
    "call": Terms._call,
    "new": Terms._new,
    "item": Terms._item,
    "const": Terms._const,
    "list": Terms._literal,
    "tuple": Terms._literal,
    "set": Terms._literal,
    "dict": Terms._literal,
    "def": Terms._def,
    "either": Terms._either,
    "iter": Terms._iter,
    "enter": Terms._enter,
    "await": Terms._inner,
    "star": Terms._inner,
    "seen": Terms._inner,
    "in": Terms._in,
    "given": Terms.handed_to,
    "cast": Terms._cast,
    "ran": Terms.ran,
    "taken": Terms.taken_by,
    "typeof": Terms._typeof,
    "join": Terms._join,
    "typed": Terms._typed,
    "self": Terms._self,
    "super": Terms._super,
}

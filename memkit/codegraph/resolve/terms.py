"""What a term can be: every tag of `facts.py`, as tokens."""

from __future__ import annotations

from collections.abc import Callable

from ..facts import Term
from .bindings import defined
from .calls import Calls
from .memo import FUEL, Tokens, joined
from .views import View

# Terms within terms that are followed; the rest is nothing known.
_DEEPEST = 60
_ASKED_AGAIN = frozenset({"attr", "call"})


class Terms(Calls):
    """Works terms out."""

    _depth = 0
    # Whether a term means the same whenever it is asked.
    asks_once = True

    def eval(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what a term of a scope can be; nothing known is the empty tuple."""
        if term is None or self._depth > _DEEPEST:
            return ()
        maker = _MAKERS.get(term[0])
        if maker is None:
            return ()
        if fuel == FUEL and self.asks_once and not self.is_static and term[0] in _ASKED_AGAIN:
            return self._once(maker, view, scope, term)
        self._depth += 1
        found = maker(self, view, scope, term, fuel)
        self._depth -= 1
        return found

    def _once(self, maker: _Maker, view: View, scope: int, term: Term) -> Tokens:
        """Return what a term of the file at hand can be: of `a.b.c` each part is asked again."""
        key = (scope, id(term))
        found = self.asked.get(key)
        if found is None:
            self._depth += 1
            found = self.asked[key] = maker(self, view, scope, term, FUEL)
            self._depth -= 1
        return found

    def _name(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return self.name(view, scope, term[1], fuel)

    def _attr(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        base = self.eval(view, scope, term[1], fuel)
        if not base:
            return ()
        return joined([self.attribute(token, term[2], fuel) for token in base])

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
        return defined(view, term[1])

    def _either(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        assert term is not None
        return joined([self.eval(view, scope, one, fuel) for one in term[1]] or [()])

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

    def _self(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        return self.receiver(view, scope, fuel)

    def _super(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        own = Terms.receiver(self, view, scope, fuel)
        return tuple(("bases", *one[1:]) for one in own if one[0] in ("instance", "class"))

    def receiver(self, view: View, scope: int, fuel: int) -> Tokens:
        """Return what `this` is in a scope: an object of the class whose method is around it."""
        method = view.method_around(scope)
        if method < 0:
            number = view.around(scope)
            if number < 0:
                return ()
            return (("instance", view.path, number),)
        definition = view.definition(method)
        number = view.class_of(method)
        if number >= 0:
            return (("class" if "static" in definition.flags else "instance", view.path, number),)
        found = self.typed(view, definition.scope, definition.owner, fuel)
        # The object literal or function to which it was assigned.
        return found or self.eval(view, definition.scope, definition.owner, fuel)

    def param(self, view: View, number: int, place: int, fuel: int) -> Tokens:
        """Return what a parameter can be: the object itself, something of its type, its default."""
        definition = view.definition(number)
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
        return joined(parts)

    def _rest(self, view: View, number: int, place: int, fuel: int) -> Tokens:
        """Return the tuple or mapping of a rest parameter."""
        param = view.definition(number).params[place]
        inside = self.pushed(("param", view.path, number, place))
        if inside:
            return inside
        kind = "tuple" if param[3] == "*" else "dict"
        if param[1] is None:
            return (("thing", kind),)
        return (("many", self.typed(view, view.definition(number).scope, param[1], fuel)),)

    def _own_object(self, view: View, number: int, fuel: int) -> Tokens | None:
        """Return what the first parameter of a method is, None if it is an ordinary one."""
        if not view.dialect.receiver:
            return None
        definition = view.definition(number)
        if "static" in definition.flags or definition.kind != "method":
            return None
        owner = view.class_of(number)
        if owner >= 0:
            tag = "class" if "classmethod" in definition.flags else "instance"
            return ((tag, view.path, owner),)
        # Rust's `self`: the type stands at the `impl`.
        if definition.owner is not None and definition.params[0][1] is None:
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
    "cast": Terms._typed,
    "typed": Terms._typed,
    "self": Terms._self,
    "super": Terms._super,
}

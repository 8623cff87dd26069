"""What containers hold: literals, generic types, generators, objects that can be walked through."""

from __future__ import annotations

from ..facts import Term
from .literals import Literals
from .memo import Token, Tokens, Variable, joined
from .structural import of_plain
from .views import View

# Generic types that map keys to values.
_MAPPINGS = frozenset(
    """
    dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict ChainMap Map map[] Record
    WeakMap ReadonlyMap Seq2 HashMap BTreeMap IndexMap TreeMap LinkedHashMap ConcurrentMap
    ConcurrentHashMap SortedMap Dictionary IDictionary IReadOnlyDictionary SortedDictionary
    ConcurrentDictionary
    """.split()
)
# Languages in which what a mapping holds is not a member of it.
_KEYS_APART = frozenset({"python", "ruby"})
# Languages in which what something outside gives is of types outside.
_CLOSED = frozenset({"go"})
# Languages in which a subscript of an object is a member of it.
_KEYED = frozenset({"javascript", "typescript"})
# Methods by what they give back.
_GIVE_ELEMENT = frozenset(
    """
    pop popleft popitem at find shift next __next__ __getitem__ get getFirst getLast peek poll
    element remove orElse orElseGet orElseThrow findFirst findAny First FirstOrDefault Last
    LastOrDefault Single SingleOrDefault ElementAt Find Pop Peek Dequeue
    """.split()
)
_GIVE_VALUE = frozenset("get setdefault pop getOrDefault computeIfAbsent put".split())
_GIVE_SAME = frozenset(
    """
    copy union intersection difference slice filter concat reversed stream iterator sorted distinct
    limit skip toList collect Where OrderBy OrderByDescending ToList ToArray Skip Take Distinct
    """.split()
)
_ASKED = frozenset({"reflected", "proxy", "argument"})
# Terms of keys that are no constants: most that are none.
_UNKEYED = frozenset({"call", "item", "tuple"})
_WALKERS = ("__iter__", "__aiter__", "[Symbol.iterator]", "iterator", "GetEnumerator")


class Containers(Literals):
    """Looks into containers."""

    def elements_of(self, tokens: Tokens, fuel: int) -> Tokens:
        """Return what walking through something gives, one after the other."""
        return joined([self.elements(token, fuel) for token in tokens] or [()])

    def elements(self, token: Token, fuel: int) -> Tokens:
        """Return what walking through one thing gives."""
        tag = token[0]
        if tag == "literal":
            return joined([self.listed(token, fuel), self.pushed(("held", token))])
        if tag == "many":
            return tuple(token[1])
        if tag == "row":
            return joined(list(token[1]) or [()])
        if tag == "generic":
            return self._argument(token, 0, fuel)
        if tag == "generator":
            found: Tokens = self.recall(("yields", token[1], token[2]), fuel, self._yields)
            return found
        if tag == "instance":
            return self._walked(token, fuel)
        return (("instance", token[1], token[2]),) if tag == "class" else ()

    def item(self, token: Token, view: View, scope: int, key: Term, fuel: int) -> Tokens:
        """Return what a subscript with a key gives; the key is a term of the scope."""
        tag = token[0]
        if tag == "class":
            # The arguments of a generic class do not change what it is.
            return (token,)
        if tag == "instance":
            name = self.key_of(view, scope, key, fuel) if self._is_keyed(token) else None
            named = self.attribute(token, name, fuel) if isinstance(name, str) else ()
            return named or self._got(token, fuel) or self._made_of(token, view, scope, key, fuel)
        if tag == "literal":
            known = self.key_of(view, scope, key, fuel)
            return joined([self.held_at(token, known, fuel), self.pushed(("held", token, known))])
        if tag == "row" and (place := _place(key)) is not None:
            return tuple(token[1][place]) if place < len(token[1]) else ()
        if tag == "generic":
            return self._generic_item(token, key, fuel)
        if tag == "thing" and view.facts.language in _CLOSED:
            return (("thing", ""),)
        return self.elements(token, fuel) if tag in ("many", "row") else ()

    def key_of(self, view: View, scope: int, key: Term, fuel: int) -> object:
        """Return the value of a key if it is a constant or the name of a text, else None."""
        if key is None or key[0] in _UNKEYED:
            return None
        return key[2] if key[0] == "const" else self.constant(view, scope, key, fuel)

    def _is_keyed(self, token: Token) -> bool:
        return self.views[token[1]].facts.language in _KEYED

    def _made_of(self, token: Token, view: View, scope: int, key: Term, fuel: int) -> Tokens:
        """Return what a subscript gives of a named type that is made of another."""
        inside = self.underlying(token, fuel)
        return joined([self.item(one, view, scope, key, fuel) for one in inside] or [()])

    def underlying(self, token: Token, fuel: int) -> Tokens:
        """Return what an object of a named type is made of: `type Names []string` in Go."""
        view = self.views[token[1]]
        definition = view.definitions[token[2]]
        if definition.kind != "class" or definition.returns is None:
            return ()
        self.read(f"b:{view.path}:{definition.qualname}")
        found = self.typed(view, definition.scope, definition.returns, fuel)
        return tuple(one for one in found if one[0] != "instance")

    def entered(self, token: Token, fuel: int) -> Tokens:
        """Return what `with` gives of something."""
        if token[0] in ("generator", "generic", "many"):
            return self.elements(token, fuel)
        if token[0] == "instance":
            for name in ("__enter__", "__aenter__"):
                found = self.attribute(token, name, fuel)
                if found and found[0][0] == "bound":
                    return joined([self.returns(one[1], one[2], fuel) for one in found])
        return (token,) if token[0] == "thing" else ()

    def inner(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return a member of a container or of something outside: as a rule a method."""
        if token[0] in _ASKED:
            return self.asked_of(token, name, fuel)
        if (
            token[0] == "thing"
            and token[1][:1] == "&"
            and (found := of_plain(self, token[1], name))
        ):
            return found
        if token[0] == "literal":
            term = self.terms[token[3]]
            language = self.views[token[1]].facts.language
            if term is not None and term[0] == "dict" and language not in _KEYS_APART:
                held = joined([
                    self.read_of(self.held_at(token, name, fuel, exact=True), fuel),
                    self.pushed(("held", token, name)),
                    self.loose(token, name, fuel),
                ])  # fmt: skip
                if held:
                    return held
        return (("method", token, name),) if token[0] != "method" else ()

    def asked_of(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return a member of something that is asked by name (see `reflection`)."""
        raise NotImplementedError

    def from_method(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return what a method of a container gives back."""
        mapping = self._is_mapping(token)
        if mapping and name in _GIVE_VALUE:
            return self.values(token, fuel)
        if mapping and name == "values":
            return (("many", self.values(token, fuel)),)
        if mapping and name == "items":
            row = ("row", (self.elements(token, fuel), self.values(token, fuel)))
            return (("many", (row,)),)
        if mapping and name == "keys":
            return (("many", self.elements(token, fuel)),)
        if name in _GIVE_ELEMENT:
            return self.elements(token, fuel)
        if name in _GIVE_SAME:
            return (token,)
        return (("thing", ""),) if token[0] == "thing" else ()

    def values(self, token: Token, fuel: int) -> Tokens:
        """Return the values of a mapping."""
        if token[0] == "generic":
            return self._argument(token, -1, fuel)
        if token[0] == "literal":
            return joined([self.held_at(token, None, fuel), self.pushed(("held", token))])
        return self.elements(token, fuel)

    def _is_mapping(self, token: Token) -> bool:
        term = self.terms[token[3]] if token[0] in ("literal", "generic") else None
        if term is None:
            return False
        if token[0] == "literal":
            return bool(term[0] == "dict")
        name = str(term[1][-1]) if term[1] is not None else ""
        return name.strip("<>").rpartition(".")[2] in _MAPPINGS

    def _argument(self, token: Token, place: int, fuel: int) -> Tokens:
        """Return values of an argument of a generic type: 0 what walking gives, -1 the last."""
        view, scope, term = self.views[token[1]], token[2], self.terms[token[3]]
        assert term is not None
        key = term[2]
        if key is None or key[0] != "tuple":
            return self.typed(view, scope, key, fuel)
        arguments = key[1]
        if not arguments:
            return ()
        if place == 0 and term[1] is not None and term[1][-1] in ("tuple", "Tuple"):
            return joined([self.typed(view, scope, one, fuel) for one in arguments])
        return self.typed(view, scope, arguments[place], fuel)

    def _generic_item(self, token: Token, key: Term, fuel: int) -> Tokens:
        term = self.terms[token[3]]
        assert term is not None
        place = _place(key)
        is_row = term[1] is not None and term[1][-1] in ("tuple", "Tuple")
        if is_row and place is not None and term[2] is not None and term[2][0] == "tuple":
            view, types = self.views[token[1]], term[2][1]
            return self.typed(view, token[2], types[place], fuel) if place < len(types) else ()
        return self.values(token, fuel) if self._is_mapping(token) else self.elements(token, fuel)

    def _yields(self, variable: Variable, fuel: int) -> Tokens:
        _, path, number = variable
        view = self.views[path]
        self.read(view.unit(view.definitions[number].body))
        given = view.yields.get(number, ())
        return joined([self.eval(view, scope, term, fuel) for scope, term in given] or [()])

    def _walked(self, token: Token, fuel: int) -> Tokens:
        for name in _WALKERS:
            found = self.attribute(token, name, fuel)
            if found and found[0][0] == "bound":
                given = joined([self.returns(one[1], one[2], fuel) for one in found])
                nexts = [self._next(one, fuel) for one in given]
                return joined(nexts or [()])
        inside = self._got(token, fuel)
        return inside or self.elements_of(self.underlying(token, fuel), fuel)

    def _next(self, token: Token, fuel: int) -> Tokens:
        if token[0] != "instance":
            return self.elements(token, fuel)
        for name in ("__next__", "__anext__", "next"):
            found = self.attribute(token, name, fuel)
            if found and found[0][0] == "bound":
                return joined([self.returns(one[1], one[2], fuel) for one in found])
        return ()

    def _got(self, token: Token, fuel: int) -> Tokens:
        found = self.attribute(token, "__getitem__", fuel)
        given = [self.returns(one[1], one[2], fuel) for one in found if one[0] == "bound"]
        return joined(given or [()])


def _place(key: Term) -> int | None:
    if key is not None and key[0] == "const" and isinstance(key[2], int) and key[2] >= 0:
        return int(key[2])
    return None

"""Literals, tuples, generics, generators, external containers; constants."""

from __future__ import annotations

from collections.abc import Iterable

from ..dialect import LibraryRules
from ..facts import Term
from .engine import Token, Tokens, Variable, joined
from .file_scopes import Binding, View
from .values import Members, of_plain

# --- Constants: names that stand for one text wherever they are read, as keys or names.
#
# A name is followed to its one binding, through imports and members of classes; one that is bound
# twice, or to anything but a constant, says nothing.

# Bindings that only say of what type a name is.
_DECLARING = frozenset({"type", "narrow"})


class Constants(Members):
    """Values of constants."""

    def constant(self, view: View, scope: int, term: Term, fuel: int) -> object:
        """Return the value of a constant, or the text that a name stands for, else None."""
        if term is None:
            return None
        tag = term[0]
        if tag == "const":
            return term[2]
        if tag == "join":
            parts = [self.constant(view, scope, part, fuel) for part in term[1]]
            texts = [part for part in parts if isinstance(part, str)]
            return "".join(texts) if len(texts) == len(parts) else None
        if tag == "name":
            return self._recalled(("constant", view.path, scope, term[1]), fuel)
        if tag != "attr":
            return None
        base = self.eval(view, scope, term[1], fuel)
        return self._recalled(("constant", base[0], term[2]), fuel) if len(base) == 1 else None

    def _recalled(self, variable: Variable, fuel: int) -> object:
        work = self._named if isinstance(variable[1], str) else self._held
        value = self.recall(variable, fuel, work)
        return value if isinstance(value, str) else None

    def _named(self, variable: Variable, fuel: int) -> object:
        """Return the text that a name of a scope stands for."""
        _, path, scope, name = variable
        view = self.views[path]
        binder = view.binder(scope, name)
        if binder < 0:
            return self._elsewhere_constant(view, scope, name, fuel)
        self._keys.append(self.name_key(view, binder, name))
        number = view.facts.scopes[binder][2]
        others = view.attrs.get(number, {}).get(name, ()) if number >= 0 else ()
        return self._bound_once(view, [*view.names[binder][name], *others], fuel)

    def _elsewhere_constant(self, view: View, scope: int, name: str, fuel: int) -> object:
        """Return what a name stands for that no scope binds: of a base, or of the own namespace."""
        if view.dialect.implicit_members and (method := view.method_around(scope)) >= 0:
            holder = ("class", view.path, view.class_of(method))
            return self._held(("constant", holder, name), fuel) if holder[2] >= 0 else None
        if not view.dialect.shares_namespace:
            return None
        key = self.links.of(view.path).namespace(view.path)
        return self._of_namespace(view.dialect.family, key, name, fuel)

    def _held(self, variable: Variable, fuel: int) -> object:
        """Return the text that a member of a class or a namespace stands for."""
        _, token, name = variable
        if token[0] == "module":
            return self._of_namespace(token[1], token[2], name, fuel)
        if token[0] not in ("class", "instance"):
            return None
        for holder in self.order(token[1], token[2]):
            if holder[0] == "class" and (bindings := self._bindings(holder, name)):
                return self._bound_once(self.views[holder[1]], bindings, fuel)
        return None

    def _bindings(self, token: Token, name: str) -> list[Binding]:
        """Return what is bound to a member of one class, in its body and elsewhere in its file."""
        view = self.views[token[1]]
        definition = view.definitions[token[2]]
        self.read(f"a:{view.path}:{definition.qualname}.{name}")
        own = view.names[definition.body].get(name, ()) if definition.body >= 0 else ()
        return [*own, *view.attrs.get(token[2], {}).get(name, ())]

    def _of_namespace(self, family: str, key: str, name: str, fuel: int) -> object:
        self.read(f"n:{key}:{name}")
        for view in self._holders(family, key, name):
            for local, _ in view.exports.get(name, [(name, None)]):
                if local in view.names[0]:
                    return self._bound_once(view, view.names[0][local], fuel)
        return None

    def _bound_once(self, view: View, bindings: Iterable[Binding], fuel: int) -> object:
        assignments = [binding for binding in bindings if binding[0] not in _DECLARING]
        if len(assignments) != 1:
            return None
        if assignments[0][0] == "value":
            return self.constant(view, assignments[0][1], assignments[0][2], fuel)
        if assignments[0][0] != "import" or assignments[0][2] in (None, "*"):
            return None
        _, module, name, level = assignments[0]
        for key in self.namespaces(view, module, level):
            if (text := self._of_namespace(view.dialect.family, key, name, fuel)) is not None:
                return text
        return None


# --- Elements of literal lists and mappings.


class Literals(Constants):
    """Elements of literals."""

    def elements_of(self, tokens: Tokens, fuel: int) -> Tokens:
        """Return what walking through something gives, one after the other."""
        raise NotImplementedError

    def values(self, token: Token, fuel: int) -> Tokens:
        """Return the values of a mapping."""
        raise NotImplementedError

    def read_of(self, members: Tokens, fuel: int) -> Tokens:
        """Return members of a literal as they are read: of accessors what they give."""
        return joined([
            self.returns(token[1], token[2], fuel)
            if token[0] == "function"
            and "property" in self.views[token[1]].definitions[token[2]].flags
            else (token,)
            for token in members
        ] or [()])  # fmt: skip

    def listed(self, token: Token, fuel: int) -> Tokens:
        """Return the elements of a literal; the keys of a mapping."""
        tokens: Tokens = self.recall(("listed", token), fuel, self._work_listed)
        return tokens

    def _work_listed(self, variable: Variable, fuel: int) -> Tokens:
        """Return the elements of a literal; the keys of a mapping."""
        token = variable[1]
        view, scope, term = self.views[token[1]], token[2], self.terms[token[3]]
        assert term is not None
        if term[0] == "dict":
            keys = [key for key, _ in term[1] if key is not None and key[0] != "const"]
            return joined([self.eval(view, scope, key, fuel) for key in keys] or [()])
        return joined([self._spread(view, scope, element, fuel) for element in term[1]] or [()])

    def _spread(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        if term is not None and term[0] == "star":
            return self.elements_of(self.eval(view, scope, term[1], fuel), fuel)
        return self.eval(view, scope, term, fuel)

    def held_at(self, token: Token, key: object, fuel: int, *, exact: bool = False) -> Tokens:
        """Return what a literal holds under a key."""
        tokens: Tokens = self.recall(("at", token, key, exact), fuel, self._work_at)
        return tokens

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
        for entry_key, value in reversed(term[1]):
            is_last = False
            if entry_key is None:
                inside = self.eval(view, scope, value, fuel)
                parts += [self._spread_at(other, key, fuel) for other in inside]
                is_last = any(parts) and all(other[0] == "module" for other in inside)
            elif (
                entry_key[0] != "const"
                or key is None
                or entry_key[2] is None
                or entry_key[2] == key
            ):
                parts.append(self.eval(view, scope, value, fuel))
                is_last = entry_key[0] == "const" and entry_key[2] is not None
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
    return (
        any(element is not None and element[0] == "star" for element in term[1]) if term else False
    )


# --- Elements of containers: literals, generic types, generators, iterable objects.

_ASKED = frozenset({"reflected", "proxy", "argument"})
# Terms of keys that are no constants: most that are none.
_UNKEYED = frozenset({"call", "item", "tuple"})


class Containers(Literals):
    """Elements of containers."""

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
            tokens: Tokens = self.recall(("yields", token[1], token[2]), fuel, self._yields)
            return tokens
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
        if tag == "thing" and view.dialect.external_items_are_external:
            return (("thing", ""),)
        return self.elements(token, fuel) if tag in ("many", "row") else ()

    def key_of(self, view: View, scope: int, key: Term, fuel: int) -> object:
        """Return the value of a key if it is a constant or the name of a text, else None."""
        if key is None or key[0] in _UNKEYED:
            return None
        return key[2] if key[0] == "const" else self.constant(view, scope, key, fuel)

    def _is_keyed(self, token: Token) -> bool:
        return self.views[token[1]].dialect.subscript_is_member

    def _made_of(self, token: Token, view: View, scope: int, key: Term, fuel: int) -> Tokens:
        """Return what a subscript gives of a named type that is made of another."""
        inside = self.underlying(token, fuel)
        return joined([self.item(base, view, scope, key, fuel) for base in inside] or [()])

    def underlying(self, token: Token, fuel: int) -> Tokens:
        """Return what an object of a named type is made of: `type Names []string` in Go."""
        view = self.views[token[1]]
        definition = view.definitions[token[2]]
        if definition.kind != "class" or definition.returns is None:
            return ()
        self.read(f"b:{view.path}:{definition.qualname}")
        values = self.typed(view, definition.scope, definition.returns, fuel)
        return tuple(value for value in values if value[0] != "instance")

    def entered(self, token: Token, fuel: int) -> Tokens:
        """Return what `with` gives of something."""
        if token[0] in ("generator", "generic", "many"):
            return self.elements(token, fuel)
        if token[0] == "instance":
            for name in ("__enter__", "__aenter__"):
                methods = self.attribute(token, name, fuel)
                if methods and methods[0][0] == "bound":
                    return joined([self.returns(method[1], method[2], fuel) for method in methods])
        return (token,) if token[0] == "thing" else ()

    def inner(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return a member of a container or of something outside: as a rule a method."""
        if token[0] in _ASKED:
            return self.asked_of(token, name, fuel)
        if (
            token[0] == "thing"
            and token[1][:1] == "&"
            and (methods := of_plain(self, token[1], name))
        ):
            return methods
        if token[0] == "literal":
            term = self.terms[token[3]]
            dialect = self.views[token[1]].dialect
            if term is not None and term[0] == "dict" and dialect.dict_keys_are_members:
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

    def from_method(self, library: LibraryRules, token: Token, name: str, fuel: int) -> Tokens:
        """Return what a method of a container gives back."""
        mapping = self._is_mapping(token)
        if mapping and name in library.value_methods:
            return self.values(token, fuel)
        if mapping and name == "values":
            return (("many", self.values(token, fuel)),)
        if mapping and name == "items":
            row = ("row", (self.elements(token, fuel), self.values(token, fuel)))
            return (("many", (row,)),)
        if mapping and name == "keys":
            return (("many", self.elements(token, fuel)),)
        if name in library.element_methods:
            return self.elements(token, fuel)
        if name in library.same_methods:
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
        types = self.views[token[1]].dialect.library.mapping_types
        return name.strip("<>").rpartition(".")[2] in types

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
            return joined([self.typed(view, scope, argument, fuel) for argument in arguments])
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
        yields = view.yields.get(number, ())
        return joined([self.eval(view, scope, term, fuel) for scope, term in yields] or [()])

    def _walked(self, token: Token, fuel: int) -> Tokens:
        for name, _ in self.views[token[1]].dialect.library.iteration:
            methods = self.attribute(token, name, fuel)
            if methods and methods[0][0] == "bound":
                iterators = joined([self.returns(method[1], method[2], fuel) for method in methods])
                nexts = [self._next(iterator, fuel) for iterator in iterators]
                return joined(nexts or [()])
        inside = self._got(token, fuel)
        return inside or self.elements_of(self.underlying(token, fuel), fuel)

    def _next(self, token: Token, fuel: int) -> Tokens:
        if token[0] != "instance":
            return self.elements(token, fuel)
        for name in ("__next__", "__anext__", "next"):
            methods = self.attribute(token, name, fuel)
            if methods and methods[0][0] == "bound":
                return joined([self.returns(method[1], method[2], fuel) for method in methods])
        return ()

    def _got(self, token: Token, fuel: int) -> Tokens:
        methods = self.attribute(token, "__getitem__", fuel)
        values = [
            self.returns(method[1], method[2], fuel) for method in methods if method[0] == "bound"
        ]
        return joined(values or [()])


def _place(key: Term) -> int | None:
    if key is not None and key[0] == "const" and isinstance(key[2], int) and key[2] >= 0:
        return int(key[2])
    return None

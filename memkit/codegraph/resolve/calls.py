"""What calls give back, and which of several functions they mean."""

from __future__ import annotations

from typing import Any

from ..facts import Term
from . import generics, known
from .declared import OR_OBJECT
from .memo import Token, Tokens, Variable, joined
from .overloads import CALLABLE, Overloads
from .records import Place, Tree
from .views import View

_NAMED = frozenset({"name", "attr"})
_NOTHING: Tokens = ()
# Bases whose classes have all their objects from the beginning.
_LOOKED_UP = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"})


class Calls(Overloads):
    """Works calls and types out."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._makers = self.table()

    def called(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what a call gives back."""
        assert term is not None
        callee = self.callees(view, scope, term, fuel)
        named, found = term[1], _NOTHING
        if named is not None and named[0] in _NAMED and named[-1] in known.REFLECTING:
            found = self.by_name(view, scope, term, callee, fuel)
        if found:
            return found
        parts = [self._given(token, view, scope, term, fuel) for token in callee]
        found = joined(parts) if parts else ()
        if not found and callee and named is not None and named[0] == "attr":
            found = generics.given_back(self, view, scope, named[1], callee, fuel)
        # Of a method of a container nothing may be known but its name.
        if found or any(token[0] != "method" for token in callee):
            return found
        return self._handed_back(view, scope, term[1], fuel)

    def _handed_back(self, view: View, scope: int, callee: Term, fuel: int) -> Tokens:
        """Return what a method that is not known gives by its name: the receiver, or one of it."""
        if callee is None or callee[0] != "attr":
            return ()
        if callee[2] in view.dialect.transparent:
            return self.eval(view, scope, callee[1], fuel)
        if callee[2] in view.dialect.elements:
            return self.elements_of(self.eval(view, scope, callee[1], fuel), fuel)
        return ()

    def callees(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what is called by a call; of overloads those that take the arguments."""
        assert term is not None
        callee = term[1]
        found = self.eval(view, scope, callee, fuel)
        if callee is not None and callee[0] in ("self", "super"):
            return self._own_constructors(found, fuel)
        if callee is not None and callee == ("name", "super") and found == (("outside", "super"),):
            return (("supers", *self._supers(view, scope, term, fuel)),)
        ran: Tokens = ()
        if callee is not None and callee[0] == "attr" and callee[2] in known.INVOKING:
            ran = self.invoked(view, scope, term, found, fuel)
        if ran or len(found) < 2:
            return ran or found
        return self.fitting(found, view, scope, term, fuel)

    def returns(self, path: str, number: int, fuel: int) -> Tokens:
        """Return what a call of a function gives: as declared, else what its body gives back."""
        found: Tokens = self.recall(("returns", path, number), fuel, self._returns)
        return found

    def _returns(self, variable: Variable, fuel: int) -> Tokens:
        _, path, number = variable
        view = self.views[path]
        self.read(view.unit(view.definitions[number].body))
        definition = view.definitions[number]
        if definition.returns is not None:
            found = self.typed(view, definition.scope, definition.returns, fuel)
            if found := tuple(one for one in found if one[0] != "outside"):
                return found + self._made_in_place(view, number)
        if number in view.yields:
            return (("generator", path, number),)
        given = view.returns.get(number)
        if not given:
            return ()
        return joined([self.eval(view, scope, term, fuel) for scope, term in given])

    def _made_in_place(self, view: View, number: int) -> Tokens:
        """Return the functions in place that a function gives back, whatever type it declares."""
        return tuple(
            ("function", view.path, term[1])
            for _, term in view.returns.get(number, ())
            if term is not None and term[0] == "def" and view.defined(term[1])[0][0] == "function"
        )

    def _given(self, token: Token, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        tag = token[0]
        if tag in CALLABLE:
            given = self.returns(token[1], token[2], fuel)
            if given and given[0][0] == "argument":
                return self._of_argument(given, view, scope, term, fuel)
            return given
        if tag == "class":
            return self.instance(token)
        if tag == "instance":
            found = self.attribute(token, "__call__", fuel)
            parts = [self.returns(one[1], one[2], fuel) for one in found if one[0] == "bound"]
            inside = self.underlying(token, fuel) if not parts else ()
            parts += [self._called_type(one, fuel) for one in inside if one[0] == "generic"]
            return joined(parts or [()])
        if tag == "supers":
            return tuple(token[1:])
        if tag == "method":
            return self._of_method(token, view, scope, term, fuel)
        if tag == "generic":
            return self._called_type(token, fuel)
        return self._outside(token, view, scope, term, fuel) if tag == "outside" else ()

    def _of_method(self, token: Token, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what a method of a container gives, or what stands for that: `d.get(key, C)`."""
        given = self.from_method(token[1], token[2], fuel)
        if token[2] not in view.dialect.defaulting or len(term[2]) != 2:
            return given
        return joined([given, self.eval(view, scope, term[2][1], fuel)])

    def _of_argument(self, given: Tokens, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return an object of the class that an argument is, for what a function says to give."""
        place, rest = given[0][1], given[1:]
        found = self.eval(view, scope, term[2][place], fuel) if len(term[2]) > place else ()
        classes = [one[1] if one[0] == "reflected" else one for one in found]
        return tuple(("instance", *one[1:]) for one in classes if one[0] == "class") or rest

    def _outside(self, token: Token, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what something outside gives: little is known, but some hand on what they get."""
        assert term is not None
        name = token[1].rpartition(".")[2]
        rule = known.CALLS.get(name)
        if rule is None:
            # A class outside of the tree, by its name.
            kind = token[1].rpartition(".")[0] if view.dialect.holders else token[1]
            word = kind.rpartition(".")[2]
            is_class = word[:1].isupper() and word not in view.dialect.holders
            return (("thing", kind),) if is_class else ()
        if rule == known.TYPE:
            given = (*term[2][:2], None, None)[:2]
            return self.eval(view, scope, ("cast", *given), fuel)
        if rule in known.NAMING:
            return self.named(rule, view, scope, term[2], fuel)
        arguments = [self.eval(view, scope, one, fuel) for one in term[2]]
        return self._handed_on(rule, name, arguments, fuel)

    def _handed_on(self, rule: str, name: str, arguments: list[Tokens], fuel: int) -> Tokens:
        first = arguments[0] if arguments else ()
        if rule in (known.SAME, known.ELEMENT):
            return first if rule == known.SAME else self.elements_of(first, fuel)
        if rule == known.ELEMENTS:
            inside = self.elements_of(first, fuel)
            return (("many", inside),) if inside else (("thing", name),)
        if rule == known.NUMBERED:
            return (("many", (("row", ((("thing", "int"),), self.elements_of(first, fuel))),)),)
        if rule == known.SIDE_BY_SIDE:
            row = tuple(self.elements_of(one, fuel) for one in arguments)
            return (("many", (("row", row),)),)
        if rule == known.MAPPED:
            given = [self.returns(one[1], one[2], fuel) for one in first if one[0] in CALLABLE]
            made = [self.instance(one) for one in first if one[0] == "class"]
            return (("many", joined([*given, *made] or [()])),)
        if rule == known.FILTERED:
            rest = arguments[1] if len(arguments) > 1 else ()
            return (("many", self.elements_of(rest, fuel)),)
        if rule == known.CLASS_OF:
            return tuple(("class", *one[1:]) for one in first if one[0] == "instance")
        return (("thing", name),)

    def _supers(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """super(): the class around as its bases see it, or the one that is named."""
        assert term is not None
        if term[2]:
            named = self.eval(view, scope, term[2][0], fuel)
            return tuple(("bases", *one[1:]) for one in named if one[0] == "class")
        method = view.method_around(scope)
        owner = view.class_of(method) if method >= 0 else -1
        return (("bases", view.path, owner),) if owner >= 0 else ()

    def _own_constructors(self, found: Tokens, fuel: int) -> Tokens:
        """this(…) and super(…): constructors of the class or of its bases."""
        tokens = []
        for one in found:
            if one[0] == "instance":
                tokens.append(("class", one[1], one[2]))
            elif one[0] == "bases":
                above = [base for base in self.order(one[1], one[2])[1:] if base[0] == "class"]
                makers = [base for base in above if self._has_constructor(base)]
                tokens += (makers or above)[:1]
        return tuple(tokens)

    def _has_constructor(self, token: Token) -> bool:
        return bool(self.views[token[1]].constructors(token[2]))

    def makers(self, path: str, number: int) -> tuple[Tokens, ...]:
        """Return what runs when an object of a class is made: by name, the initialisers of it."""
        found: tuple[Tokens, ...] = self.keep(self._makers, (path, number), self._work_makers)
        return found

    def _work_makers(self, place: Place) -> tuple[Tokens, ...]:
        """Return a class's own or inherited initialisers."""
        found: dict[str, Tokens] = {}
        for one in self.order(*place):
            if one[0] == "outside" or self._is_looked_up(one):
                break
            view = self.views[one[1]]
            inherited = one[1:] != place
            self.read(f"a:{one[1]}:{view.definitions[one[2]].qualname}.<init>")
            own: dict[str, Tokens] = {}
            for number in view.constructors(one[2]):
                name = view.definitions[number].name
                if not inherited or name in view.dialect.constructors:
                    own[name] = (*own.get(name, ()), ("bound", one[1], number))
            for name, tokens in own.items():
                found.setdefault(name, tokens)
        return tuple(found.values())

    def _is_looked_up(self, token: Token) -> bool:
        """Return whether calling a class looks one of its objects up and makes none."""
        return any(
            base[0] == "outside" and base[1].rpartition(".")[2] in _LOOKED_UP
            for base in self.bases(token[1], token[2])
        )

    def taken(self, token: Token, index: int, fuel: int) -> Tokens:
        """Return what a function of a type is called with: of Callable[[A, B], T] A and B."""
        term = self.terms[token[3]]
        if term is None or term[1] is None or term[1][-1] not in known.CALLABLE_TYPES:
            return ()
        given = term[2][1][0] if term[2] is not None and term[2][0] == "tuple" else None
        if given is None or given[0] not in ("tuple", "list") or index >= len(given[1]):
            return ()
        return self.typed(self.views[token[1]], token[2], given[1][index], fuel)

    def functions_first(self, tokens: Tokens) -> Tokens:
        """Return callees without the objects, where one may be a function instead by its type: who
        calls something that is `Callable[[…], T] | Task` does not mean `Task.__call__`."""
        if not any(one[0] == "generic" and one[-1] == OR_OBJECT for one in tokens):
            return tokens
        return tuple(one for one in tokens if one[0] != "instance")

    def _called_type(self, token: Token, fuel: int) -> Tokens:
        """Return what a value gives whose type says what calling it gives: Callable[[…], T]."""
        return self._argument(token, -1, fuel) if self.is_function(token) else ()

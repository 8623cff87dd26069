"""Calls: the values they return, and which overload is called."""

from __future__ import annotations

from typing import Any

from ..dialect import LibraryRule, OverloadTypes
from ..facts import Term
from .annotations import OR_OBJECT, Declared, given_back
from .engine import Place, Token, Tokens, Tree, Variable, joined
from .file_scopes import View, arity

# --- Overload resolution by the number and the types of arguments.
#
# Types decide only where both sides are known: of an argument that is not known any parameter
# takes it, and where no function takes the arguments all of them stay.

# Functions of one name, of which a call means those that take its arguments.
CALLABLE = ("function", "bound")
# A parameter: what a value of its type can be, and the name of the type as it is written.
_Taken = tuple[Tokens, str]

# What may be an array, which is given for the rest of the parameters as a whole.
_ARRAYS = frozenset({"literal", "generic", "many"})
# What an argument is to a parameter that may take it, but of which no more is known.
_PERHAPS = 0
_FURTHEST = 10_000
_NEVER = -1


class Overloads(Declared):
    """Overload resolution among functions of one name."""

    def fitting(self, callees: Tokens, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return callees without those of the same name that do not take the arguments."""
        groups: dict[tuple[str, str], list[Token]] = {}
        for token in callees:
            if token[0] in CALLABLE:
                there = self.views[token[1]]
                name = there.definitions[token[2]].qualname
                path = "" if there.dialect.extension_functions else token[1]
                groups.setdefault((path, name), []).append(token)
        unfit: set[Token] = set()
        for group in groups.values():
            if len(group) > 1:
                fit = self._fitting(group, view, scope, term, fuel)
                unfit.update([token for token in group if token not in fit])
        return tuple([token for token in callees if token not in unfit]) if unfit else callees

    def _fitting(
        self, group: list[Token], view: View, scope: int, term: Term, fuel: int
    ) -> list[Token]:
        assert term is not None
        fit = group
        if "star" not in [argument[0] for argument in term[2] if argument is not None]:
            size = len(term[2]) + len(term[3])
            fit = [token for token in group if self._takes(token, size)] or group
        types = view.dialect.overload_types
        if len(fit) > 1 and types is not None:
            return self._nearest(fit, types, view, scope, term, fuel)
        return fit

    def _takes(self, token: Token, size: int) -> bool:
        """Return whether a function takes so many arguments."""
        view = self.views[token[1]]
        is_bound = view.dialect.receiver and token[0] == "bound"
        min_count, max_count = arity(view.definitions[token[2]], skip=int(is_bound))
        return min_count <= size <= max_count

    def _nearest(
        self,
        group: list[Token],
        types: OverloadTypes,
        view: View,
        scope: int,
        term: Term,
        fuel: int,
    ) -> list[Token]:
        """Return those whose parameters are the nearest to the types of the arguments."""
        assert term is not None
        arguments = [self._said_of(types, view, scope, argument, fuel) for argument in term[2]]
        ranked = []
        for token in group:
            taken = self._taken(token, len(arguments), fuel)
            ranks = [
                self._rank(types, argument, param)
                for argument, param in zip(arguments, taken, strict=False)
            ]
            if _NEVER not in ranks:
                ranked.append((token, ranks, taken))
        if _ARRAYS.isdisjoint([token[0] for token in (arguments[-1] if arguments else ())]):
            ranked = [
                candidate for candidate in ranked if not self._is_open(candidate[0])
            ] or ranked
        if view.dialect.extension_functions:
            ranked = self._without_defaults(ranked, len(term[2]) + len(term[3]))
        nearest = [
            candidate[0]
            for candidate in ranked
            if not any(_is_nearer(other, candidate) for other in ranked if other is not candidate)
        ]
        return nearest or group

    def _without_defaults(self, ranked: list[_Ranked], size: int) -> list[_Ranked]:
        """Return of functions that take the same arguments those that need no defaults."""
        exact = [
            candidate
            for candidate in ranked
            if len(self.views[candidate[0][1]].definitions[candidate[0][2]].params) == size
        ]
        return [
            candidate
            for candidate in ranked
            if candidate in exact or not any(other[1] == candidate[1] for other in exact)
        ]

    def _said_of(
        self, types: OverloadTypes, view: View, scope: int, term: Term, fuel: int
    ) -> Tokens:
        """Return what an argument is by its declared type, if it has one, else by its value."""
        if term is None:
            return ()
        if term[0] == "name":
            binder = view.binder(scope, term[1])
            for binding in view.names[binder][term[1]] if binder >= 0 else ():
                if binding[0] == "type":
                    return self.typed(view, binding[1], binding[2], fuel)
        tokens = self.eval(view, scope, term, fuel)
        named = term[1] if term[0] == "call" else term
        kind = (
            types.method_results.get(named[2]) if named is not None and named[0] == "attr" else None
        )
        is_known = any(token[0] == "instance" or token[1:] not in ((), ("",)) for token in tokens)
        return tokens if is_known or kind is None else (("thing", kind),)

    def _is_open(self, token: Token) -> bool:
        """Return whether a function takes any number of arguments: it does so only if need be."""
        params = self.views[token[1]].definitions[token[2]].params
        return bool(params) and params[-1][3] == "*"

    def _taken(self, token: Token, size: int, fuel: int) -> list[_Taken]:
        """Return the parameters of a function, as many as there are arguments."""
        parameters: tuple[_Taken, ...] = self.recall(
            ("taken", token[1], token[2]), fuel, self._params
        )
        definition = self.views[token[1]].definitions[token[2]]
        params = list(parameters)
        if definition.params and definition.params[-1][3] == "*" and params:
            # An array may be given for the rest as well: of that nothing is said.
            params = [*params[:-1], *[((), "")] * (size - len(params) + 1)]
        return params[:size]

    def _params(self, variable: Variable, fuel: int) -> tuple[_Taken, ...]:
        _, path, number = variable
        view = self.views[path]
        definition = view.definitions[number]
        self.read(view.unit(definition.body))
        return tuple(
            (self.typed(view, definition.scope, param[1], fuel), name_of(param[1]))
            for param in definition.params
        )

    def may_take(self, token: Token, view: View, scope: int, term: Any, fuel: int) -> bool:
        """Return whether the types of arguments, as far as they are known, let a function be
        called with them."""
        types = view.dialect.overload_types
        if types is None:
            return True
        arguments = [self._said_of(types, view, scope, argument, fuel) for argument in term[2]]
        taken = self._taken(token, len(arguments), fuel)
        return all(
            self._rank(types, argument, param) != _NEVER
            for argument, param in zip(arguments, taken, strict=False)
        )

    def _rank(self, types: OverloadTypes, tokens: Tokens, taken: _Taken) -> int:
        """Return how near an argument is to a parameter; nothing is known of one without tokens."""
        if len(tokens) > 1:
            tokens = self._most_general(tokens)
        return max((self._rank_of(types, token, *taken) for token in tokens), default=_PERHAPS)

    def _most_general(self, tokens: Tokens) -> Tokens:
        """Return what is given without what is below another: what is declared decides."""
        return tuple(
            token
            for token in tokens
            if token[0] != "instance"
            or not any(
                other != token and ("class", *other[1:]) in self.order(token[1], token[2])
                for other in tokens
                if other[0] == "instance"
            )
        )

    def _rank_of(self, types: OverloadTypes, token: Token, kinds: Tokens, written: str) -> int:
        tag = token[0]
        if tag == "value":  # a constant, where values are followed
            tag, token = "thing", ("thing", token[1])
        if tag == "thing" and token[1] in types.nearness:
            near = types.nearness[token[1]].get(written, _NEVER)
            is_open = written in types.universal or not (kinds or written in types.primitive)
            return max(near, _PERHAPS) if is_open else near
        if tag == "instance":
            return self._rank_of_object(types, token, kinds, written)
        if tag in _ARRAYS and (array := self._array_of(token)):
            return _rank_of_array(types, array, kinds, written)
        if tag in ("thing", "generic", "reflected"):
            return self._rank_outside(types, token, kinds, written)
        if tag in CALLABLE:
            is_value = written in types.primitive or written in types.nearness["str"]
            return _NEVER if is_value else _PERHAPS
        return _PERHAPS

    def _rank_of_object(
        self, types: OverloadTypes, token: Token, kinds: Tokens, written: str
    ) -> int:
        view = self.views[token[1]]
        if written in types.primitive:
            return int(types.boxed.get(view.definitions[token[2]].name) == written) or _NEVER
        if written.endswith("[]"):
            return _NEVER
        above = self.order(token[1], token[2])
        inside = [("class", *kind[1:]) for kind in kinds if kind[0] == "instance"]
        if inside and view.dialect.extension_functions:
            names = [self.full_name(base) for base in above if base[0] == "class"]
            places = [names.index(name) for name in map(self.full_name, inside) if name in names]
            is_open = len(names) < len(above)
            return _FURTHEST - places[0] if places else _PERHAPS if is_open else _NEVER
        if inside:
            # The further above, the less near.
            places = [above.index(base) for base in inside if base in above]
            return max(_FURTHEST - place for place in places) if places else _NEVER
        is_open = (
            not kinds or written in types.universal or any(base[0] == "outside" for base in above)
        )
        return _PERHAPS if is_open else _NEVER

    def full_name(self, token: Token) -> tuple[str, str]:
        """Return the package and name of a class: several platforms may have one of the same."""
        view = self.views[token[1]]
        return view.facts.namespace, view.definitions[token[2]].qualname

    def _rank_outside(self, types: OverloadTypes, token: Token, kinds: Tokens, written: str) -> int:
        """Return how near an object of a class outside is: its bases are not known."""
        name = token[1] if token[0] == "thing" else self._name_of_generic(token)
        if token[0] == "reflected":
            name = "Class"
        name = name.rpartition(".")[2]
        if not name:
            return _PERHAPS
        if name == written:
            return 3
        if written in types.primitive:
            return int(types.boxed.get(name) == written) or _NEVER
        if written in types.final or written.endswith("[]"):
            return _NEVER
        return _NEVER if any(kind[0] == "instance" for kind in kinds) else _PERHAPS

    def _name_of_one(self, tokens: Tokens) -> str:
        """Return the name of a type, "?" if it is none or several."""
        tag, *rest = tokens[0] if len(tokens) == 1 else ("",)
        if tag == "thing":
            return str(rest[0]).rpartition(".")[2]
        return self.views[rest[0]].definitions[rest[1]].name if tag == "instance" else "?"

    def _name_of_generic(self, token: Token) -> str:
        if token[0] != "generic":
            return ""
        term = self.terms[token[3]]
        inner = term[1] if term is not None else None
        return str(inner[-1]).strip("<>") if inner is not None else ""

    def _array_of(self, token: Token) -> str:
        """Return an array's type as it is written, "" for what is none."""
        if token[0] == "many":  # what is given for the rest of the parameters
            return f"{self._name_of_one(token[1])}[]"
        if token[0] != "generic":
            return ""
        name = name_of(self.terms[token[3]])
        return name if name.endswith("[]") else ""


_Ranked = tuple[Token, list[int], list[_Taken]]


_WIDTHS = ("literal", "byte", "short", "char", "int", "uint", "long", "ulong", "float", "double")


def widest(first: Token, *others: Tokens) -> Token | None:
    """Return the number that calculating with some gives, None for what is no number."""
    kinds = [first[1], *[token[1] for tokens in others for token in tokens if token[0] == "thing"]]
    if first[1] not in _WIDTHS:
        return None
    places = [_WIDTHS.index(kind) for kind in kinds if kind in _WIDTHS]
    return ("thing", _WIDTHS[max(places)])


def _rank_of_array(types: OverloadTypes, array: str, kinds: Tokens, written: str) -> int:
    """Return how near an array is to a parameter: one of numbers is no array of anything else."""
    if array == written:
        return 9
    if not written.endswith("[]"):
        takes_any = written in types.universal or not kinds
        return _PERHAPS if takes_any and written not in types.primitive else _NEVER
    is_plain = array[:-2] in types.primitive or written[:-2] in types.primitive
    return _NEVER if is_plain else _PERHAPS


def _is_nearer(candidate: _Ranked, other: _Ranked) -> bool:
    """Return whether one function takes the arguments more exactly than another.

    Where an argument is not known well enough, the parameters must be the same: it might decide.
    """
    nearer = False
    for place, (rank, other_rank) in enumerate(zip(candidate[1], other[1], strict=False)):
        if rank < other_rank:
            return False
        if rank == other_rank == _PERHAPS and candidate[2][place] != other[2][place]:
            return False
        nearer = nearer or rank > other_rank
    return nearer


def name_of(kind: Term) -> str:
    """Return the name of a type without what it holds: `List`, `int`, `Shop[]`; "" for none."""
    if kind is None or kind[0] not in ("name", "attr", "const", "item"):
        return ""
    if kind[0] == "const":
        return str(kind[1])
    if kind[0] != "item":
        return str(kind[-1]).strip("<>").rpartition(".")[2]
    is_array = kind[1] is not None and kind[1][-1] == "list"
    return f"{name_of(kind[2]) or '?'}[]" if is_array else name_of(kind[1])


# --- Return values of calls, and their callees.

_NAMED = frozenset({"name", "attr"})
_NOTHING: Tokens = ()
# Rules of functions that are given a name.
_NAMING = frozenset({LibraryRule.MEMBER, LibraryRule.MODULE, LibraryRule.REFLECTED})


class Calls(Overloads):
    """Callees and return values of calls."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self._makers = self.table()

    def called(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what a call gives back."""
        assert term is not None
        callee = self.callees(view, scope, term, fuel)
        named, tokens = term[1], _NOTHING
        if (
            named is not None
            and named[0] in _NAMED
            and named[-1] in view.dialect.library.reflection
        ):
            tokens = self.by_name(view, scope, term, callee, fuel)
        if tokens:
            return tokens
        parts = [self._call_values(token, view, scope, term, fuel) for token in callee]
        tokens = joined(parts) if parts else ()
        if not tokens and callee and named is not None and named[0] == "attr":
            tokens = given_back(self, view, scope, named[1], callee, fuel)
        # Of a method of a container nothing may be known but its name.
        if tokens or any(token[0] != "method" for token in callee):
            return tokens
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
        if view.dialect.extension_functions:
            tokens = self.extended_callees(view, scope, term, fuel)
        else:
            tokens = self.eval(view, scope, callee, fuel)
        if callee is not None and callee[0] in ("self", "super"):
            return self._own_constructors(tokens, fuel)
        if callee is not None and callee == ("name", "super") and tokens == (("outside", "super"),):
            return (("supers", *self._supers(view, scope, term, fuel)),)
        ran: Tokens = ()
        if (
            callee is not None
            and callee[0] == "attr"
            and callee[2] in view.dialect.library.invoking
        ):
            ran = self.invoked(view, scope, term, tokens, fuel)
        if ran or len(tokens) < 2:
            return ran or tokens
        return self.fitting(tokens, view, scope, term, fuel)

    def extended_callees(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what is called, extensions among it."""
        raise NotImplementedError

    def returns(self, path: str, number: int, fuel: int) -> Tokens:
        """Return what a call of a function gives: as declared, else what its body gives back."""
        tokens: Tokens = self.recall(("returns", path, number), fuel, self._returns)
        return tokens

    def _returns(self, variable: Variable, fuel: int) -> Tokens:
        _, path, number = variable
        view = self.views[path]
        self.read(view.unit(view.definitions[number].body))
        definition = view.definitions[number]
        if definition.returns is not None:
            tokens = self.typed(view, definition.scope, definition.returns, fuel)
            if tokens := tuple(token for token in tokens if token[0] != "outside"):
                return tokens + self._made_in_place(view, number)
        if number in view.yields:
            return (("generator", path, number),)
        returns = view.returns.get(number)
        if not returns:
            return ()
        return joined([self.eval(view, scope, term, fuel) for scope, term in returns])

    def _made_in_place(self, view: View, number: int) -> Tokens:
        """Return the functions in place that a function gives back, whatever type it declares."""
        return tuple(
            ("function", view.path, term[1])
            for _, term in view.returns.get(number, ())
            if term is not None and term[0] == "def" and view.defined(term[1])[0][0] == "function"
        )

    def _call_values(self, token: Token, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        tag = token[0]
        if tag in CALLABLE:
            return self._result_of(token, view, scope, term, fuel)
        if tag == "class":
            return self.instance(token)
        if tag == "instance":
            methods = self.attribute(token, "__call__", fuel)
            parts = [
                self.returns(method[1], method[2], fuel)
                for method in methods
                if method[0] == "bound"
            ]
            inside = self.underlying(token, fuel) if not parts else ()
            parts += [self._called_type(kind, fuel) for kind in inside if kind[0] == "generic"]
            return joined(parts or [()])
        if tag == "supers":
            return tuple(token[1:])
        if tag == "method":
            return self._of_method(token, view, scope, term, fuel)
        if tag == "generic":
            return self._called_type(token, fuel)
        return self._outside(token, view, scope, term, fuel) if tag == "outside" else ()

    def _result_of(self, token: Token, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what a function gives back: as declared, of the type of an argument, or by what
        its body gives."""
        if values := self.of_place(token, view, scope, term, fuel):
            return values
        tokens = self.returns(token[1], token[2], fuel)
        if tokens and tokens[0][0] == "argument":
            return self._of_argument(tokens, view, scope, term, fuel)
        return tokens

    def of_place(self, token: Token, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what an argument or the receiver is, of whose type a function gives something."""
        returns = self.views[token[1]].definitions[token[2]].returns
        if returns is None or returns[0] != "like":
            return ()
        return self.at_place(view, scope, term, returns[1], fuel)

    def at_place(self, view: View, scope: int, term: Any, place: int, fuel: int) -> Tokens:
        """Return what is given to a call in some place; -1: what it is called on."""
        if place >= 0:
            return self.eval(view, scope, term[2][place], fuel) if place < len(term[2]) else ()
        callee = term[1]
        while callee is not None and callee[0] == "in":
            _, scope, callee = callee
        if callee is not None and callee[0] == "attr":
            return self.eval(view, scope, callee[1], fuel)
        return self.receiver(view, scope, fuel)

    def _of_method(self, token: Token, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return what a method of a container gives, or what stands for that: `d.get(key, C)`."""
        library = view.dialect.library
        if token[2] in library.text_methods:
            return (("thing", "str"),)
        if token[2] in library.arithmetic_methods and token[1][0] == "thing":
            arguments = [self.eval(view, scope, argument, fuel) for argument in term[2][:1]]
            if number := widest(token[1], *arguments):
                return (number,)
        tokens = self.from_method(library, token[1], token[2], fuel)
        if token[2] not in view.dialect.defaulting or len(term[2]) != 2:
            return tokens
        return joined([tokens, self.eval(view, scope, term[2][1], fuel)])

    def _of_argument(self, tokens: Tokens, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return an object of the class that an argument is, for what a function says to give."""
        place, rest = tokens[0][1], tokens[1:]
        values = self.eval(view, scope, term[2][place], fuel) if len(term[2]) > place else ()
        classes = [value[1] if value[0] == "reflected" else value for value in values]
        return tuple(("instance", *token[1:]) for token in classes if token[0] == "class") or rest

    def _outside(self, token: Token, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """Return what something outside gives: little is known, but some hand on what they get."""
        assert term is not None
        name = token[1].rpartition(".")[2]
        rule = view.dialect.library.results.get(name)
        if rule is None:
            # A class outside of the tree, by its name.
            kind = token[1].rpartition(".")[0] if view.dialect.holders else token[1]
            word = kind.rpartition(".")[2]
            is_class = word[:1].isupper() and word not in view.dialect.holders
            return (("thing", kind),) if is_class else ()
        if rule is LibraryRule.CAST:
            operands = (*term[2][:2], None, None)[:2]
            return self.eval(view, scope, ("cast", *operands), fuel)
        if rule in _NAMING:
            return self.named(rule, view, scope, term[2], fuel)
        arguments = [self.eval(view, scope, argument, fuel) for argument in term[2]]
        return self._handed_on(rule, name, arguments, fuel)

    def _handed_on(
        self, rule: LibraryRule, name: str, arguments: list[Tokens], fuel: int
    ) -> Tokens:
        first = arguments[0] if arguments else ()
        if rule in (LibraryRule.ARGUMENT, LibraryRule.ELEMENT):
            return first if rule is LibraryRule.ARGUMENT else self.elements_of(first, fuel)
        if rule is LibraryRule.CONTAINER:
            inside = self.elements_of(first, fuel)
            return (("many", inside),) if inside else (("thing", name),)
        if rule is LibraryRule.ENUMERATED:
            return (("many", (("row", ((("thing", "int"),), self.elements_of(first, fuel))),)),)
        if rule is LibraryRule.ZIPPED:
            row = tuple(self.elements_of(argument, fuel) for argument in arguments)
            return (("many", (("row", row),)),)
        if rule is LibraryRule.MAPPED:
            results = [
                self.returns(token[1], token[2], fuel) for token in first if token[0] in CALLABLE
            ]
            made = [self.instance(token) for token in first if token[0] == "class"]
            return (("many", joined([*results, *made] or [()])),)
        if rule is LibraryRule.FILTERED:
            rest = arguments[1] if len(arguments) > 1 else ()
            return (("many", self.elements_of(rest, fuel)),)
        if rule is LibraryRule.CLASS_OF:
            return tuple(("class", *token[1:]) for token in first if token[0] == "instance")
        return (("thing", name),)

    def _supers(self, view: View, scope: int, term: Term, fuel: int) -> Tokens:
        """super(): the class around as its bases see it, or the one that is named."""
        assert term is not None
        if term[2]:
            named = self.eval(view, scope, term[2][0], fuel)
            return tuple(("bases", *token[1:]) for token in named if token[0] == "class")
        method = view.method_around(scope)
        owner = view.class_of(method) if method >= 0 else -1
        return (("bases", view.path, owner),) if owner >= 0 else ()

    def _own_constructors(self, receivers: Tokens, fuel: int) -> Tokens:
        """this(…) and super(…): constructors of the class or of its bases."""
        tokens = []
        for receiver in receivers:
            if receiver[0] == "instance":
                tokens.append(("class", receiver[1], receiver[2]))
            elif receiver[0] == "bases":
                above = [
                    base for base in self.order(receiver[1], receiver[2])[1:] if base[0] == "class"
                ]
                makers = [base for base in above if self._has_constructor(base)]
                tokens += (makers or above)[:1]
        return tuple(tokens)

    def _has_constructor(self, token: Token) -> bool:
        return bool(self.views[token[1]].constructors(token[2]))

    def makers(self, path: str, number: int) -> tuple[Tokens, ...]:
        """Return what runs when an object of a class is made: by name, the initialisers of it."""
        initialisers: tuple[Tokens, ...] = self.keep(
            self._makers, (path, number), self._work_makers
        )
        return initialisers

    def _work_makers(self, place: Place) -> tuple[Tokens, ...]:
        """Return a class's own or inherited initialisers."""
        initialisers: dict[str, Tokens] = {}
        for holder in self.order(*place):
            if holder[0] == "outside" or self._is_looked_up(holder):
                break
            view = self.views[holder[1]]
            inherited = holder[1:] != place
            self.read(f"a:{holder[1]}:{view.definitions[holder[2]].qualname}.<init>")
            own: dict[str, Tokens] = {}
            for number in view.constructors(holder[2]):
                name = view.definitions[number].name
                if not inherited or name in view.dialect.constructors:
                    own[name] = (*own.get(name, ()), ("bound", holder[1], number))
            for name, tokens in own.items():
                initialisers.setdefault(name, tokens)
        return tuple(initialisers.values())

    def _is_looked_up(self, token: Token) -> bool:
        """Return whether calling a class looks one of its objects up and makes none."""
        enumerations = self.views[token[1]].dialect.library.enumerations
        return any(
            base[0] == "outside" and base[1].rpartition(".")[2] in enumerations
            for base in self.bases(token[1], token[2])
        )

    def taken(self, token: Token, index: int, fuel: int) -> Tokens:
        """Return what a function of a type is called with: of Callable[[A, B], T] A and B."""
        term = self.terms[token[3]]
        if term is None or not self.is_function(token):
            return ()
        parameters = term[2][1][0] if term[2] is not None and term[2][0] == "tuple" else None
        if (
            parameters is None
            or parameters[0] not in ("tuple", "list")
            or index >= len(parameters[1])
        ):
            return ()
        return self.typed(self.views[token[1]], token[2], parameters[1][index], fuel)

    def functions_first(self, tokens: Tokens) -> Tokens:
        """Return callees without the objects, where one may be a function instead by its type: who
        calls something that is `Callable[[…], T] | Task` does not mean `Task.__call__`."""
        if not any(token[0] == "generic" and token[-1] == OR_OBJECT for token in tokens):
            return tokens
        return tuple(token for token in tokens if token[0] != "instance")

    def _called_type(self, token: Token, fuel: int) -> Tokens:
        """Return what a value gives whose type says what calling it gives: Callable[[…], T]."""
        return self._argument(token, -1, fuel) if self.is_function(token) else ()

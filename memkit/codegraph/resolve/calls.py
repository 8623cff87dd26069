"""Calls: the values they return, and which overload is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..dialect import LibraryRule, OverloadTypes
from ..facts import Expression, Term
from .annotations import specialised
from .container_values import ConstantValue, ContainerValue, GenericValue, LiteralValue, TupleValue
from .file_scopes import arity
from .reflection_values import ReflectedValue
from .values import (
    BOUND,
    ClassValue,
    DefinedValue,
    ExternalInstance,
    ExternalMethod,
    ExternalValue,
    FunctionValue,
    GeneratorValue,
    InstanceValue,
    Place,
    SuperCall,
    SuperValue,
    Value,
    ValueSet,
    Variable,
    is_itself,
    union,
)

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import FileScopes

# --- Overload resolution by the number and the types of arguments.
#
# Types decide only where both sides are known: of an argument that is not known any parameter
# takes it, and where no function takes the arguments all of them stay.

# A parameter: what a value of its type can be, and the name of the type as it is written.
Parameter = tuple[ValueSet, str]
# The initialisers of one name.
Functions = tuple[FunctionValue, ...]
# A function with the nearness of each argument to its parameter, and those parameters.
Ranked = tuple[FunctionValue, list[int], list[Parameter]]

# What may be an array, which is given for the rest of the parameters as a whole.
_ARRAYS = (LiteralValue, GenericValue, ContainerValue)
# What an argument is to a parameter that may take it, but of which no more is known.
_PERHAPS = 0
FURTHEST = 10_000
_NEVER = -1


class OverloadResolver:
    """Overload resolution among functions of one name."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine

    def fitting(
        self, callees: ValueSet, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return callees without those of the same name that do not take the arguments."""
        groups: dict[tuple[str, str], list[FunctionValue]] = {}
        for callee in callees:
            if isinstance(callee, FunctionValue):
                name = callee.definition.qualname
                dialect = callee.file.dialect
                is_spread = dialect.extension_functions or dialect.declares_apart
                groups.setdefault(("" if is_spread else callee.path, name), []).append(callee)
        unfit: set[Value] = set()
        for group in groups.values():
            if len(group) > 1:
                fit = self._fitting(group, file, scope, term, fuel)
                unfit.update([function for function in group if function not in fit])
        return tuple([callee for callee in callees if callee not in unfit]) if unfit else callees

    def _fitting(
        self, group: list[FunctionValue], file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> list[FunctionValue]:
        fit = group
        if "star" not in [argument[0] for argument in term[2] if argument is not None]:
            size = len(term[2]) + len(term[3])
            fit = [function for function in group if _takes(function, size)] or group
        types = file.dialect.overload_types
        if len(fit) < 2 or types is None:
            return fit
        ranking = OverloadRanking(self.engine, types, fuel)
        return ranking.nearest(fit, file, scope, term)

    def may_take(
        self, function: FunctionValue, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> bool:
        """Return whether the types of arguments, as far as they are known, let a function be
        called with them."""
        types = file.dialect.overload_types
        if types is None:
            return True
        ranking = OverloadRanking(self.engine, types, fuel)
        return bool(ranking.ranked([function], file, scope, term))


def _takes(function: FunctionValue, size: int) -> bool:
    """Return whether a function takes so many arguments."""
    is_bound = function.is_bound and function.file.dialect.receiver
    min_count, max_count = arity(function.definition, skip=int(is_bound))
    return min_count <= size <= max_count


class OverloadRanking:
    """How near the arguments of a call are to the parameters of functions."""

    def __init__(self, engine: InferenceEngine, types: OverloadTypes, fuel: int) -> None:
        self.engine = engine
        self.types = types
        self.fuel = fuel

    def nearest(
        self, group: list[FunctionValue], file: FileScopes, scope: int, term: Expression
    ) -> list[FunctionValue]:
        """Return those whose parameters are the nearest to the types of the arguments."""
        ranked = self.ranked(group, file, scope, term)
        last = self.argument(file, scope, term[2][-1]) if term[2] else ()
        if not any(isinstance(value, _ARRAYS) for value in last):
            # One that takes any number of arguments is called only if need be.
            ranked = [candidate for candidate in ranked if not _is_open(candidate[0])] or ranked
        if file.dialect.extension_functions:
            ranked = _without_defaults(ranked, len(term[2]) + len(term[3]))
        nearest = [
            candidate[0]
            for candidate in ranked
            if not any(is_nearer(other, candidate) for other in ranked if other is not candidate)
        ]
        return nearest or group

    def ranked(
        self, group: list[FunctionValue], file: FileScopes, scope: int, term: Expression
    ) -> list[Ranked]:
        """Return the functions that may take the arguments of a call, with how near these are."""
        return self.ranked_by([self.argument(file, scope, each) for each in term[2]], group)

    def ranked_by(
        self, arguments: Sequence[ValueSet], group: Iterable[FunctionValue]
    ) -> list[Ranked]:
        """Return the functions that may take such arguments, with how near these are."""
        ranked: list[Ranked] = []
        for function in group:
            parameters = self.parameters(function, len(arguments))
            ranks = [
                self._rank(argument, parameter)
                for argument, parameter in zip(arguments, parameters, strict=False)
            ]
            if _NEVER not in ranks:
                ranked.append((function, ranks, parameters))
        return ranked

    def argument(self, file: FileScopes, scope: int, term: Term) -> ValueSet:
        """Return what an argument is by its declared type, if it has one, else by its value."""
        if term is None:
            return ()
        if term[0] == "name" and (said := self._said(file, scope, term[1])) is not None:
            return said
        values = self.engine.evaluate(file, scope, term, self.fuel)
        if not values and self.types.converts and term[0] in _NAMED:
            return self._variable(file, scope, term)
        named = term[1] if term[0] == "call" else term
        is_member = named is not None and named[0] == "attr"
        kind = self.types.method_results.get(named[2]) if is_member else None
        if kind is None or not all(_is_unknown(value) for value in values):
            return values
        return (self.engine.value(ExternalInstance, kind),)

    def _said(self, file: FileScopes, scope: int, name: str) -> ValueSet | None:
        """Return what a name is by the type that it is declared with, None for one without."""
        binder = file.binder(scope, name)
        for binding in file.names[binder][name] if binder >= 0 else ():
            if binding[0] == "type":
                return self._declared(file, binding[1], binding[2])
            if binding[0] == "param":
                definition = file.definitions[binding[1]]
                taken = definition.params[binding[2]].type
                if name_of(taken) in self.types.nearness:
                    return self._declared(file, definition.scope, taken)
        return None

    def _variable(self, file: FileScopes, scope: int, term: Expression) -> ValueSet:
        """Return what a variable or a constant of an enumeration is by its declared type."""
        variables = self.engine.variables
        if term[0] == "attr":
            places = variables.member_of(file, scope, term)
        else:
            places = variables.named(file, scope, file.lookup(scope, term[1]), term[1])
        if len(places) != 1 or places[0][1] < 0:
            return ()
        there = self.engine.files[places[0][0]]
        definition = there.definitions[places[0][1]]
        self.engine.depend_on(f"u:{definition.name}")
        return self._declared(there, definition.scope, definition.returns)

    def _declared(self, file: FileScopes, scope: int, kind: Term) -> ValueSet:
        """Return what something of a declared type is, outside of the tree by the type's name."""
        values = self.engine.annotations.instances_of(file, scope, kind, self.fuel)
        name = name_of(kind)
        if values or name not in self.types.nearness:
            return values
        return (self.engine.value(ExternalInstance, name),)

    def parameters(self, function: FunctionValue, size: int) -> list[Parameter]:
        """Return the parameters of a function, as many as there are arguments."""
        known: tuple[Parameter, ...] = self.engine.cached(
            ("taken", *function.place), self.fuel, self._params
        )
        parameters = list(known)
        if parameters and _is_open(function):
            # An array may be given for the rest as well: of that nothing is said.
            parameters = [*parameters[:-1], *[((), "")] * (size - len(parameters) + 1)]
        return parameters[:size]

    def _params(self, variable: Variable, fuel: int) -> tuple[Parameter, ...]:
        _, path, number = variable
        file = self.engine.files[path]
        definition = file.definitions[number]
        self.engine.depend_on(file.unit(definition.body))
        instances_of = self.engine.annotations.instances_of
        return tuple([
            (instances_of(file, definition.scope, param[1], fuel), name_of(param[1]))
            for param in definition.params
        ])  # fmt: skip

    def _rank(self, values: ValueSet, parameter: Parameter) -> int:
        """Return how near an argument is to a parameter; of one without values nothing is known."""
        if len(values) > 1:
            values = self._most_general(values)
        return max((self._rank_of(value, *parameter) for value in values), default=_PERHAPS)

    def _most_general(self, values: ValueSet) -> ValueSet:
        """Return what is given without what is below another: what is declared decides."""
        objects = [value for value in values if isinstance(value, InstanceValue)]
        return tuple([
            value
            for value in values
            if not isinstance(value, InstanceValue)
            or not any(
                other is not value and other.as_class() in self.engine.members.order(*value.place)
                for other in objects
            )
        ])  # fmt: skip

    def _rank_of(self, value: Value, kinds: ValueSet, written: str) -> int:
        types = self.types
        kind = _kind_of(value)
        if kind is not None and kind in types.nearness:
            near = types.nearness[kind].get(written, _NEVER)
            is_unknown = not kinds or types.converts
            is_open = written in types.universal or (is_unknown and written not in types.primitive)
            return max(near, _PERHAPS) if is_open else near
        if isinstance(value, InstanceValue):
            return self._rank_of_object(value, kinds, written)
        if array := _array_of(value):
            return self._rank_of_array(array, kinds, written)
        if kind is not None:
            return self._rank_of_external(kind.rpartition(".")[2], kinds, written)
        if isinstance(value, FunctionValue):
            is_value = written in types.primitive or written in types.nearness["str"]
            return _NEVER if is_value else _PERHAPS
        return _PERHAPS

    def _rank_of_object(self, value: InstanceValue, kinds: ValueSet, written: str) -> int:
        types = self.types
        if written in types.primitive:
            return int(types.boxed.get(value.definition.name) == written) or _NEVER
        if written.endswith("[]"):
            return _NEVER
        above = self.engine.members.order(*value.place)
        inside = [kind.as_class() for kind in kinds if isinstance(kind, InstanceValue)]
        if inside and value.file.dialect.extension_functions:
            return _rank_by_name(above, inside)
        if inside:
            # The further above, the less near.
            places = [above.index(base) for base in inside if base in above]
            further = _PERHAPS if types.converts else _NEVER
            return max(FURTHEST - place for place in places) if places else further
        is_universal = not kinds or written in types.universal
        is_open = is_universal or any(isinstance(base, ExternalValue) for base in above)
        return _PERHAPS if is_open else _NEVER

    def _rank_of_external(self, name: str, kinds: ValueSet, written: str) -> int:
        """Return how near an object of a class outside is: its bases are not known."""
        types = self.types
        if not name:
            return _PERHAPS
        if name == written:
            return 3
        if written in types.primitive:
            return int(types.boxed.get(name) == written) or _NEVER
        if written in types.final or written.endswith("[]"):
            return _NEVER
        is_other = any(isinstance(kind, InstanceValue) for kind in kinds)
        return _NEVER if is_other and not types.converts else _PERHAPS

    def _rank_of_array(self, array: str, kinds: ValueSet, written: str) -> int:
        """Return how near an array is to a parameter: one of numbers is none of anything else."""
        types = self.types
        if array == written:
            return 9
        if not written.endswith("[]"):
            takes_any = written in types.universal or not kinds
            return _PERHAPS if takes_any and written not in types.primitive else _NEVER
        is_plain = array[:-2] in types.primitive or written[:-2] in types.primitive
        return _NEVER if is_plain else _PERHAPS


def _rank_by_name(above: ValueSet, kinds: list[ClassValue]) -> int:
    """Return how near a class is to one of some, by their names: several platforms may have one of
    the same name."""
    names = [base.full_name for base in above if isinstance(base, ClassValue)]
    places = [names.index(name) for name in (kind.full_name for kind in kinds) if name in names]
    is_open = len(names) < len(above)
    return FURTHEST - places[0] if places else _PERHAPS if is_open else _NEVER


def _without_defaults(ranked: list[Ranked], size: int) -> list[Ranked]:
    """Return of functions that take the same arguments those that need no defaults."""
    exact = [candidate for candidate in ranked if len(candidate[0].definition.params) == size]
    return [
        candidate
        for candidate in ranked
        if candidate in exact or not any(other[1] == candidate[1] for other in exact)
    ]


def _is_unknown(value: Value) -> bool:
    """Return whether of something outside not even the name is known."""
    return isinstance(value, ExternalValue | ExternalInstance) and not value.name


def _kind_of(value: Value) -> str | None:
    """Return the name of the type of something outside; None for what is of the tree."""
    if isinstance(value, ExternalInstance):
        return value.name
    if isinstance(value, ConstantValue):
        return value.kind
    if isinstance(value, GenericValue):
        return value.type_name.strip("<>")
    return "Class" if isinstance(value, ReflectedValue) else None


def _array_of(value: Value) -> str:
    """Return an array's type as it is written, "" for what is none."""
    if isinstance(value, ContainerValue):  # what is given for the rest of the parameters
        element = value.elements[0] if len(value.elements) == 1 else None
        if isinstance(element, ExternalInstance):
            return f"{element.name.rpartition('.')[2]}[]"
        return f"{element.definition.name if isinstance(element, InstanceValue) else '?'}[]"
    name = name_of(value.term) if isinstance(value, GenericValue) else ""
    return name if name.endswith("[]") else ""


def _is_open(function: FunctionValue) -> bool:
    """Return whether a function takes any number of arguments."""
    params = function.definition.params
    return bool(params) and params[-1][3] == "*"


def is_nearer(candidate: Ranked, other: Ranked) -> bool:
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
# Rules of functions that are given a name.
_NAMING = frozenset({LibraryRule.MEMBER, LibraryRule.MODULE, LibraryRule.REFLECTED})


class CallResolver:
    """Callees and return values of calls."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        self._initialisers = engine.new_table()

    def results(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what a call gives back."""
        callees = self.callees(file, scope, term, fuel)
        named, rules = term[1], file.dialect.library.reflection
        values: ValueSet = ()
        if named is not None and named[0] in _NAMED and named[-1] in rules:
            values = self.engine.reflection.by_name(file, scope, term, callees, fuel)
        values = values or union([
            self._result(callee, file, scope, term, fuel) for callee in callees
        ])  # fmt: skip
        if values or named is None or named[0] != "attr":
            return values
        # Of a method of a container nothing may be known but its name.
        if not all(isinstance(callee, ExternalMethod) for callee in callees):
            return values
        if named[2] in file.dialect.transparent:
            return self.engine.evaluate(file, scope, named[1], fuel)
        if named[2] in file.dialect.elements:
            return self.engine.iterate(self.engine.evaluate(file, scope, named[1], fuel), fuel)
        return ()

    def _result(
        self, callee: Value, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return what a call of one value gives, as the object says on which it is called."""
        if isinstance(callee, FunctionValue) and callee.definition.returns is not None:
            definition, annotations = callee.definition, self.engine.annotations
            returns = definition.returns
            kind = specialised(self.engine, file, scope, term[1], callee.place, returns, fuel)
            if annotations.places_in(kind, "generic"):
                kinds = [param[1] for param in definition.params]
                types = annotations.own_types(file, scope, term, kinds, fuel)
                kind = annotations.substituted(kind, "generic", types)
            if kind is not returns:
                self.engine.depend_on(callee.file.unit(definition.body))
                values = annotations.instances_of(callee.file, definition.scope, kind, fuel)
                return (*values, *self._made_in_place(callee.file, callee.number))
        return callee.call(file, scope, term, fuel)

    def callees(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what is called by a call; of overloads those that take the arguments."""
        callee = term[1]
        if file.dialect.extension_functions:
            values = self.engine.extensions.callees(file, scope, term, fuel)
        else:
            values = self.engine.evaluate(file, scope, callee, fuel)
        if callee is None:
            return values
        if callee[0] in ("self", "super"):
            return self._own_constructors(values)
        if callee == ("name", "super") and values == (self.engine.value(ExternalValue, "super"),):
            supers = self._supers(file, scope, term, fuel)
            return (self.engine.value(SuperCall, supers),)
        if file.dialect.methods_apart and callee[0] in ("name", "attr"):
            values = self._methods(values, file, scope, term, fuel)
        invoked: ValueSet = ()
        if callee[0] == "attr" and callee[2] in file.dialect.library.invoking:
            invoked = self.engine.reflection.invoked(file, scope, term, values, fuel)
        if invoked or len(values) < 2:
            return invoked or values
        return self.engine.overloads.fitting(values, file, scope, term, fuel)

    def _methods(
        self, values: ValueSet, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return the methods that a call means: where none that is nearest takes so many arguments,
        or a field has the name, the nearest that do further up."""
        size = len(term[2])
        functions = [value for value in values if isinstance(value, FunctionValue)]
        if any(_takes(function, size) for function in functions) or not values:
            return values
        callee = term[1]
        holders: Sequence[Value] = functions
        if not functions and callee[0] == "attr":
            holders = self.engine.evaluate(file, scope, callee[1], fuel)
        members = self.engine.members
        for holder in holders:
            if not isinstance(holder, DefinedValue):
                continue
            is_function = isinstance(holder, FunctionValue)
            number = holder.file.class_of(holder.number) if is_function else holder.number
            for base in members.order(holder.path, number) if number >= 0 else ():
                own = (
                    members.own(base.path, base.number, callee[-1], fuel) if is_itself(base) else ()
                )
                methods = [value for value in own or () if isinstance(value, FunctionValue)]
                if fitting := [method for method in methods if _takes(method, size)]:
                    return tuple([method.bound() for method in fitting])
        return values

    def find_returns(self, variable: Variable, fuel: int) -> ValueSet:
        """Return what a call of a function gives: as declared, else what its body gives back."""
        _, path, number = variable
        file = self.engine.files[path]
        definition = file.definitions[number]
        self.engine.depend_on(file.unit(definition.body))
        if definition.returns is not None:
            instances_of = self.engine.annotations.instances_of
            declared = instances_of(file, definition.scope, definition.returns, fuel)
            if values := [value for value in declared if not isinstance(value, ExternalValue)]:
                return (*values, *self._made_in_place(file, number))
        if number in file.yields:
            return (self.engine.value(GeneratorValue, path, number),)
        evaluate = self.engine.evaluate
        returns = file.returns.get(number, ())
        return union([evaluate(file, scope, term, fuel) for scope, term in returns])

    def _made_in_place(self, file: FileScopes, number: int) -> ValueSet:
        """Return the functions in place that a function gives back, whatever type it declares."""
        return tuple([
            value
            for _, term in file.returns.get(number, ())
            if term is not None and term[0] == "def"
            for value in file.defined(term[1])
            if isinstance(value, FunctionValue)
        ])  # fmt: skip

    def external_result(
        self, callee: ExternalValue, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return what something outside gives: little is known, but some hand on what they get."""
        name, holders = callee.last_name, file.dialect.holders
        rule = file.dialect.library.results.get(name)
        if rule is None:
            # A class outside of the tree, by its name.
            kind = callee.name.rpartition(".")[0] if holders else callee.name
            word = kind.rpartition(".")[2]
            is_class = word[:1].isupper() and word not in holders
            return (self.engine.value(ExternalInstance, kind),) if is_class else ()
        if rule is LibraryRule.CAST:
            operands = (*term[2][:2], None, None)[:2]
            return self.engine.evaluate(file, scope, ("cast", *operands), fuel)
        if rule in _NAMING:
            return self.engine.reflection.named(rule, file, scope, term[2], fuel)
        arguments = [self.engine.evaluate(file, scope, argument, fuel) for argument in term[2]]
        return self._applied(rule, name, arguments, fuel)

    def _applied(
        self, rule: LibraryRule, name: str, arguments: Sequence[ValueSet], fuel: int
    ) -> ValueSet:
        """Return what a rule gives of arguments, or an object of the type that is called."""
        first = arguments[0] if arguments else ()
        if rule is LibraryRule.ARGUMENT:
            return first
        if rule is LibraryRule.ELEMENT:
            return self.engine.iterate(first, fuel)
        if rule is LibraryRule.CLASS_OF:
            return tuple([v.as_class() for v in first if isinstance(v, InstanceValue)])
        if rule is not LibraryRule.PLAIN:
            elements = self._elements(rule, arguments, fuel)
            if elements or rule is not LibraryRule.CONTAINER:
                return (self.engine.value(ContainerValue, elements),)
        return (self.engine.value(ExternalInstance, name),)

    def _elements(self, rule: LibraryRule, arguments: Sequence[ValueSet], fuel: int) -> ValueSet:
        """Return the elements of the container that a rule makes of arguments."""
        value, iterate = self.engine.value, self.engine.iterate
        first = arguments[0] if arguments else ()
        if rule is LibraryRule.CONTAINER:
            return iterate(first, fuel)
        if rule is LibraryRule.ENUMERATED:
            return (value(TupleValue, ((value(ExternalInstance, "int"),), iterate(first, fuel))),)
        if rule is LibraryRule.ZIPPED:
            return (value(TupleValue, tuple([iterate(each, fuel) for each in arguments])),)
        if rule is LibraryRule.FILTERED:
            return iterate(arguments[1] if len(arguments) > 1 else (), fuel)
        functions = [callee for callee in first if isinstance(callee, FunctionValue)]
        objects = [(callee.instance(),) for callee in first if isinstance(callee, ClassValue)]
        return union([*[function.returns(fuel) for function in functions], *objects])

    def _supers(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """super(): the class around as its bases see it, or the one that is named."""
        if term[2]:
            named = self.engine.evaluate(file, scope, term[2][0], fuel)
            return tuple([value.as_super() for value in named if isinstance(value, ClassValue)])
        method = file.method_around(scope)
        owner = file.class_of(method) if method >= 0 else -1
        return (self.engine.value(SuperValue, file.path, owner),) if owner >= 0 else ()

    def _own_constructors(self, receivers: ValueSet) -> ValueSet:
        """this(…) and super(…): constructors of the class or of its bases."""
        values: list[Value] = []
        for receiver in receivers:
            if isinstance(receiver, InstanceValue):
                values.append(receiver.as_class())
            elif isinstance(receiver, SuperValue):
                above = self.engine.members.order(*receiver.place)[1:]
                classes = [base for base in above if isinstance(base, ClassValue)]
                made = [base for base in classes if base.file.constructors(base.number)]
                values += (made or classes)[:1]
        return tuple(values)

    def initialisers(self, path: str, number: int) -> tuple[Functions, ...]:
        """Return what runs when an object of a class is made: by name, the initialisers of it."""
        initialisers: tuple[Functions, ...] = self.engine.cached_once(
            self._initialisers, (path, number), self._find_initialisers
        )
        return initialisers

    def _find_initialisers(self, place: Place) -> tuple[Functions, ...]:
        """Return a class's own or inherited initialisers."""
        initialisers: dict[str, Functions] = {}
        for holder in self.engine.members.order(*place):
            if not isinstance(holder, ClassValue) or self._is_enumeration(holder):
                break
            file = holder.file
            inherited = holder.place != place
            self.engine.depend_on(f"a:{file.path}:{holder.definition.qualname}.<init>")
            own: dict[str, Functions] = {}
            for number in file.constructors(holder.number):
                name = file.definitions[number].name
                if not inherited or name in file.dialect.constructors:
                    function = self.engine.value(FunctionValue, file.path, number, BOUND)
                    own[name] = (*own.get(name, ()), function)
            for name, values in own.items():
                initialisers.setdefault(name, values)
        return tuple(initialisers.values())

    def _is_enumeration(self, value: ClassValue) -> bool:
        """Return whether calling a class looks one of its objects up and makes none."""
        enumerations = value.file.dialect.library.enumerations
        return any(
            isinstance(base, ExternalValue) and base.last_name in enumerations
            for base in self.engine.members.bases(*value.place)
        )


def functions_first(callees: ValueSet) -> ValueSet:
    """Return callees without the objects, where one may be a function instead by its type: who
    calls something that is `Callable[[…], T] | Task` does not mean `Task.__call__`."""
    if not any(isinstance(callee, GenericValue) and callee.may_be_object for callee in callees):
        return callees
    return tuple([callee for callee in callees if not isinstance(callee, InstanceValue)])

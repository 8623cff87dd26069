"""Calls without a name: operators of a tree's classes, and constructors that convert."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ..facts import Definition, Expression, Term
from ..languages import family_of
from .calls import FURTHEST, OverloadRanking, Parameter, Ranked, is_nearer, name_of
from .container_values import ConstantValue
from .file_scopes import arity
from .values import (
    FUEL,
    ClassValue,
    ExternalInstance,
    ExternalMethod,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    Place,
    ValueSet,
)

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import FileScopes

Operands = tuple[Term, ...]
Functions = tuple[FunctionValue, ...]

_OUTSIDE = (ExternalInstance, ExternalMethod, ExternalValue)
# Methods of containers outside that give a place in one, and no element.
_PLACES = frozenset(
    "begin end cbegin cend rbegin rend crbegin crend find lower_bound upper_bound".split()
)


class OperatorResolver:
    """Operators: a method of the left operand, or a function that takes an object of the tree."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        # Of the file at hand: what its operators run, and which functions of a name it sees.
        self._known: dict[tuple[int, int], tuple[Expression, Functions]] = {}
        self._chosen_before: dict[tuple[str, tuple[ValueSet, ...]], Functions] = {}
        self._seen: dict[str, list[FunctionValue]] = {}

    def forget(self) -> None:
        """Forget what belongs to the file at hand."""
        self._known.clear()
        self._chosen_before.clear()
        self._seen.clear()

    def functions(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> Functions:
        """Return the functions of the tree that an operator runs: the nearest to its operands, of
        which one must be an object of the tree."""
        name, operands = term[1], term[2]
        if term[0] == "item":
            name, operands = "operator[]", (term[1], term[3])
        query = ("operator", name, file.dialect.family)
        named: list[tuple[Place, bool]] = self.engine.cached_once(
            self.engine.candidates, query, self._named
        )
        if not named:
            return ()
        if not self.engine.is_direct(file, fuel):
            return self._functions(file, scope, name, operands, named, fuel)
        known = self._known.get((scope, id(term)))
        if known is None:
            functions = self._functions(file, scope, name, operands, named, fuel)
            known = self._known[scope, id(term)] = (term, functions)
        return known[1]

    def _functions(
        self,
        file: FileScopes,
        scope: int,
        name: str,
        operands: Operands,
        named: list[tuple[Place, bool]],
        fuel: int,
    ) -> Functions:
        types = file.dialect.overload_types
        if types is None:
            return ()
        ranking = OverloadRanking(self.engine, types, fuel)
        left = self._operand(ranking, file, scope, operands[0])
        has_object = _has_object(left)
        # A method is run by an object on the left.
        if not has_object and not self._free(file, name, named):
            return ()
        others = [self._operand(ranking, file, scope, each) for each in operands[1:]]
        if not has_object and not any(map(_has_object, others)):
            return ()
        arguments = (left, *others)
        if not self.engine.is_direct(file, fuel):
            return self._chosen(ranking, file, name, arguments, named)
        chosen = self._chosen_before.get((name, arguments))
        if chosen is None:
            chosen = self._chosen(ranking, file, name, arguments, named)
            self._chosen_before[name, arguments] = chosen
        return chosen

    def _operand(
        self, ranking: OverloadRanking, file: FileScopes, scope: int, term: Term
    ) -> ValueSet:
        """Return what an operand can be; where it is the address of an object, nothing is known."""
        values = ranking.argument(file, scope, term)
        is_address = _has_object(values) and self._is_address(file, scope, term, ranking.fuel)
        return () if is_address else values

    def _chosen(
        self,
        ranking: OverloadRanking,
        file: FileScopes,
        name: str,
        arguments: tuple[ValueSet, ...],
        named: list[tuple[Place, bool]],
    ) -> Functions:
        members = dict.fromkeys(
            member
            for value in arguments[0]
            if isinstance(value, InstanceValue)
            for member in value.get_member(name, ranking.fuel)
            if isinstance(member, FunctionValue)
        )
        size = len(arguments)
        inner = ranking.ranked_by(arguments[1:], _taking(members, size - 1))
        ranked = [(own, [FURTHEST, *ranks], [((), ""), *params]) for own, ranks, params in inner]
        free = [
            function
            for function in _taking(self._free(file, name, named), size)
            if self._takes_object(ranking.parameters(function, size), arguments)
        ]
        return _nearest(ranked + ranking.ranked_by(arguments, free))

    def _free(
        self, file: FileScopes, name: str, named: list[tuple[Place, bool]]
    ) -> list[FunctionValue]:
        """Return the functions of a name that a file sees which are no methods."""
        if file is self.engine.home and name in self._seen:
            return self._seen[name]
        included = self.engine.names.included(file.path)
        functions = [
            self.engine.value(FunctionValue, *place)
            for place, is_method in named
            if not is_method and (place[0] == file.path or place[0] in included)
        ]
        if file is self.engine.home:
            self._seen[name] = functions
        return functions

    def _named(self, query: tuple[str, str, str]) -> list[tuple[Place, bool]]:
        """Return the functions and methods of a name in files of a family."""
        _, name, family = query
        self.engine.depend_on(f"u:{name}")
        return [
            ((path, number), kind == "method")
            for path, number, kind in self.engine.tree.named(name)
            if kind in ("function", "method") and family_of(self.engine.languages[path]) == family
        ]

    def _takes_object(self, params: list[Parameter], arguments: tuple[ValueSet, ...]) -> bool:
        """Return whether a function says of an operand that it is an object of its class; what is
        outside of the tree is no object of one of its classes on the left."""
        left = arguments[0]
        is_tree = any(isinstance(kind, InstanceValue) for kind in params[0][0])
        if is_tree and left and all(isinstance(value, _OUTSIDE) for value in left):
            return False
        return any(
            isinstance(kind, InstanceValue)
            and isinstance(value, InstanceValue)
            and kind.as_class() in self.engine.members.order(*value.place)
            for (kinds, _), values in zip(params, arguments, strict=False)
            for kind in kinds
            for value in values
        )

    def _is_address(self, file: FileScopes, scope: int, term: Term, fuel: int) -> bool:
        """Return whether a term is the address of what its value says, or a place in a container
        of such."""
        if term is None:
            return False
        tag = term[0]
        if tag in ("name", "attr"):
            return self._names_address(file, scope, term, fuel)
        if tag == "call":
            return self._gives_address(file, scope, term, fuel)
        if tag == "item":
            return self._is_address(file, scope, term[1], fuel)
        return False

    def _names_address(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> bool:
        if term[0] == "attr":
            places = self.engine.variables.member_of(file, scope, term)
        else:
            lookup = file.lookup(scope, term[1])
            for binding in lookup.bindings:
                if binding[0] == "value" and binding[2] is not None and binding[2][0] == "call":
                    return self._is_address(file, binding[1], binding[2], fuel)
            places = self.engine.variables.named(file, scope, lookup, term[1])
        return any(
            number >= 0 and "pointer" in self.engine.files[path].definitions[number].flags
            for path, number in places
        )

    def _gives_address(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> bool:
        callee = term[1]
        values = self.engine.evaluate(file, scope, callee, fuel)
        functions = [value for value in values if isinstance(value, FunctionValue)]
        if functions:
            return all("pointer" in function.definition.flags for function in functions)
        return callee is not None and callee[0] == "attr" and callee[2] in _PLACES


# Arguments whose type is told without working out what a call gives.
_TYPED = frozenset({"const", "name", "attr"})
_OF_OTHERS = (ConstantValue, ExternalInstance)


class ConversionResolver:
    """Conversions: the constructor that makes of an argument the object that a function takes."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        self._places = engine.new_table()

    def of_arguments(
        self, file: FileScopes, scope: int, place: Place, term: Expression
    ) -> list[FunctionValue]:
        """Return the constructors that a call of a function runs for its arguments."""
        converting: list[tuple[int, list[FunctionValue]]] = self.engine.cached_once(
            self._places, place, self._converting
        )
        types = file.dialect.overload_types
        made: list[FunctionValue] = []
        for position, constructors in converting if types is not None else ():
            argument = term[2][position] if position < len(term[2]) else None
            if types is None or argument is None or argument[0] not in _TYPED:
                continue
            ranking = OverloadRanking(self.engine, types, FUEL)
            values = ranking.argument(file, scope, argument)
            if values and all(isinstance(value, _OF_OTHERS) for value in values):
                ranked = ranking.ranked_by((values,), constructors)
                made += _nearest([candidate for candidate in ranked if candidate[1][0] > 0])
        return made

    def _constructors(self, callee: ClassValue) -> list[FunctionValue]:
        initialisers = self.engine.calls.initialisers(*callee.place)
        return [function for functions in initialisers for function in functions]

    def _converting(self, place: Place) -> list[tuple[int, list[FunctionValue]]]:
        """Return the parameters of a function that take an object of a class which one argument
        may make, with what makes it."""
        file = self.engine.files[place[0]]
        definition = file.definitions[place[1]]
        self.engine.depend_on(file.unit(definition.body))
        instances_of = self.engine.annotations.instances_of
        return [
            (number, constructors)
            for number, param in enumerate(definition.params)
            if self._may_be_made(param[1])
            for value in instances_of(file, definition.scope, param[1], FUEL)
            if isinstance(value, InstanceValue) and value.place != place
            if (constructors := self._taking_one(value.as_class()))
        ]

    def _may_be_made(self, kind: Term) -> bool:
        """Return whether the tree has constructors of the name of a type, without looking at it."""
        if kind is None or kind[0] not in ("name", "attr"):
            return False
        may: bool = self.engine.cached_once(
            self._places, ("made", kind[-1]), self._has_constructors
        )
        return may

    def _has_constructors(self, query: tuple[str, str]) -> bool:
        self.engine.depend_on(f"u:{query[1]}")
        return any(kind == "method" for _, _, kind in self.engine.tree.named(query[1]))

    def _taking_one(self, kind: ClassValue) -> list[FunctionValue]:
        return [
            function for function in self._constructors(kind) if _takes_another(function.definition)
        ]


def _takes_another(constructor: Definition) -> bool:
    """Return whether a constructor takes one argument that is not of its own class."""
    low, high = arity(constructor, skip=0)
    return low <= 1 <= high and name_of(constructor.params[0].type) != constructor.name


def _nearest(ranked: Sequence[Ranked]) -> Functions:
    """Return the functions than which none is nearer; there may be dozens."""
    nearest: list[Ranked] = []
    for candidate in ranked:
        if not any(is_nearer(other, candidate) for other in nearest):
            nearest = [other for other in nearest if not is_nearer(candidate, other)]
            nearest.append(candidate)
    return tuple([function for function, _, _ in nearest])


def _has_object(values: ValueSet) -> bool:
    return any([isinstance(value, InstanceValue) for value in values])


def _taking(functions: Iterable[FunctionValue], size: int) -> list[FunctionValue]:
    """Return the functions that take so many operands."""
    return [f for f in functions if len(f.definition.params) == size]

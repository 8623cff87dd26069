"""Extension functions: which of the functions in sight a call means.

For languages with `Dialect.extension_functions`. Of the levels at which a name is looked for (see
`names`) the first one with a function that is for such a receiver and takes such arguments is
meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE, Expression
from .calls import Functions, name_of
from .container_values import Container, GenericValue
from .file_scopes import arity
from .names import SUPPOSED
from .values import (
    FUEL,
    ClassValue,
    DefinedValue,
    ExternalInstance,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    Value,
    ValueSet,
    Variable,
    union,
)

if TYPE_CHECKING:
    from ..dialect import ExternalTypes
    from .engine import InferenceEngine
    from .file_scopes import FileScopes

# How well a receiver fits what an extension is for: not at all, for all that is known, by name.
_NEVER, _PERHAPS, _SURELY = -1, 0, 10_000


class ExtensionResolver:
    """Callees among members and extensions."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine

    def callees(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what a call means: a member of its receiver that takes its arguments, else an
        extension that does; of a plain name, what the nearest level has."""
        callee, outer = term[1], scope
        while callee is not None and callee[0] == "in":
            _, outer, callee = callee
        if callee is None or callee[0] not in ("name", "attr"):
            return self.engine.evaluate(file, outer, callee, fuel)
        if callee[0] == "attr":
            return self._of_receiver(file, outer, callee, term, fuel)
        # Where nothing further out is called so, the local variable of that name is meant.
        values = self._named(file, outer, callee[1], term, fuel)
        if values or outer == scope:
            return values
        return self._named(file, scope, callee[1], term, fuel)

    def member(
        self, file: FileScopes, scope: int, name: str, receivers: ValueSet, fuel: int
    ) -> ValueSet:
        """Return a member of something that is read, else the extension of that name for it."""
        values = union([value.get_member(name, fuel) for value in receivers])
        if not all(isinstance(value, SUPPOSED) for value in values):
            own = [value for value in values if not isinstance(value, FunctionValue)]
            return tuple(own) or values
        functions = self.on_receiver(file, scope, name, receivers, fuel)
        results = [
            function.returns(fuel) if function.has_flag("property") else (function,)
            for function in functions
        ]
        return union(results) or values

    def on_receiver(
        self, file: FileScopes, scope: int, name: str, receivers: ValueSet, fuel: int
    ) -> Functions:
        """Return the extensions of a name in sight that are for some value."""
        for values in self._levels(file, scope, name, fuel):
            if any(isinstance(value, ExternalValue) for value in values):
                return ()  # imported by its name from another library
            if fitting := self._best(_extensions(values), receivers, fuel):
                return fitting
        return ()

    def at_position(
        self, file: FileScopes, scope: int, term: Expression, position: int, fuel: int
    ) -> ValueSet:
        """Return what is given to a call in some position; -1: what it is called on."""
        if position >= 0:
            argument = term[2][position] if position < len(term[2]) else None
            return self.engine.evaluate(file, scope, argument, fuel)
        callee = term[1]
        while callee is not None and callee[0] == "in":
            _, scope, callee = callee
        if callee is None or callee[0] != "attr":
            return self.engine.evaluator.receiver(file, scope, fuel)
        evaluate, receiver = self.engine.evaluate, callee[1]
        if fuel == FUEL and file is self.engine.home:
            return evaluate(file, scope, receiver, fuel)
        # Cached, as the engine does by itself in the file at hand: in a chain of such calls the
        # same receivers are asked for at each of them.
        values: ValueSet = self.engine.cached(
            ("receiver", file.path, scope, id(receiver)),
            fuel,
            lambda _, fuel: evaluate(file, scope, receiver, fuel),
        )
        return values

    def calculated(
        self, number: ExternalInstance, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return what calculating with a number gives, nothing for what is none."""
        first = term[2][0] if term[2] else None
        types = file.dialect.extension_functions
        kind = widest(number.name, self.engine.evaluate(file, scope, first, fuel), types)
        return (self.engine.value(ExternalInstance, kind),) if kind else ()

    def _of_receiver(
        self, file: FileScopes, scope: int, callee: Expression, term: Expression, fuel: int
    ) -> ValueSet:
        receivers = self.engine.evaluate(file, scope, callee[1], fuel)
        members = union([value.get_member(callee[2], fuel) for value in receivers])
        own = tuple([value for value in members if _is_member(value, receivers)])
        if taking := self._taking(own, file, scope, term, fuel):
            return taking
        if self._is_calculation(file, scope, term, receivers, fuel):
            return members
        extensions = self.on_receiver(file, scope, callee[2], receivers, fuel)
        return self._taking(extensions, file, scope, term, fuel) or tuple([
            value for value in members if not isinstance(value, FunctionValue)
        ])  # fmt: skip

    def _is_calculation(
        self, file: FileScopes, scope: int, term: Expression, receivers: ValueSet, fuel: int
    ) -> bool:
        """Return whether the language itself has a method of numbers for these."""
        name = term[1][-1] if term[1][0] == "attr" else ""
        types = file.dialect.extension_functions
        is_arithmetic = name in file.dialect.library.arithmetic_methods
        if types is None or not is_arithmetic or not receivers:
            return False
        evaluate = self.engine.evaluate
        others = [value for argument in term[2] for value in evaluate(file, scope, argument, fuel)]
        kinds = {
            value.name for value in (*receivers, *others) if isinstance(value, ExternalInstance)
        } - {"literal"}
        if name in types.calculating:
            return kinds <= types.calculated
        return len(others) == len(term[2]) and kinds <= types.counted and len(kinds) < 2

    def _named(
        self, file: FileScopes, scope: int, name: str, term: Expression, fuel: int
    ) -> ValueSet:
        """Return what a plain name that is called means."""
        first: ValueSet = ()
        implicit: list[ValueSet] | None = None
        for values in self._levels(file, scope, name, fuel):
            extensions = _extensions(values)
            plain: list[Value] = [
                value
                for value in values
                if value not in extensions
                and (isinstance(value, ExternalValue) or _is_callable(value))
            ]
            if extensions and implicit is None:
                implicit = list(self._implicit(file, scope, fuel))
            plain += self._for_implicit(extensions, implicit or [], fuel)
            if taking := self._taking(tuple(plain), file, scope, term, fuel):
                return taking
            if len(values) == 1 and extensions and not plain:
                first = first or self._of_size(values, term)
        return first

    def _for_implicit(
        self, extensions: Functions, implicit: Sequence[ValueSet], fuel: int
    ) -> Functions:
        """Return the extensions that are for what `this` is, the innermost first."""
        for receivers in implicit if extensions else ():
            if fitting := self._best(extensions, receivers, fuel, known=True):
                return fitting
        return ()

    def _levels(self, file: FileScopes, scope: int, name: str, fuel: int) -> Iterator[ValueSet]:
        """Yield what has a name, the nearest first."""
        packages = self.engine.packages
        while scope > MODULE_SCOPE:
            kind, parent, number = file.facts.scopes[scope]
            if name in file.names[scope] and kind != "class":
                yield self.engine.names.bound(file, scope, name, fuel)
            elif number >= 0:
                values = packages.of_receiver(file, kind, number, name, fuel)
                if members := [value for value in values if not isinstance(value, SUPPOSED)]:
                    yield tuple(members)
            scope = parent
        yield from packages.levels(file, name, fuel)

    def _implicit(self, file: FileScopes, scope: int, fuel: int) -> Iterator[ValueSet]:
        """Yield what `this` may be in a scope, the innermost first."""
        instances_of = self.engine.annotations.instances_of
        while scope > MODULE_SCOPE:
            kind, parent, number = file.facts.scopes[scope]
            definition = file.definitions[number] if number >= 0 else None
            if kind == "class" and definition is not None:
                yield (self.engine.value(InstanceValue, file.path, number),)
            elif definition is not None and definition.owner is not None:
                yield instances_of(file, definition.scope, definition.owner, fuel)
            scope = parent

    def _taking(
        self, values: ValueSet, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return what is called, without functions that do not take such arguments."""
        of_size = self._of_size(values, term)
        return tuple([v for v in of_size if self._may_take(v, file, scope, term, fuel)])

    def _of_size(self, values: ValueSet, term: Expression) -> ValueSet:
        """Return what is called, without functions that do not take so many arguments."""
        if any(argument is not None and argument[0] == "star" for argument in term[2]):
            return values
        return tuple([value for value in values if self._takes(value, term)])

    def _takes(self, value: Value, term: Expression, *, is_making: bool = False) -> bool:
        """Return whether a function, or a class by one of its constructors, takes so many
        arguments, and those that are given by name."""
        if isinstance(value, ClassValue):
            makers = self._makers(value)
            return not makers or any(self._takes(maker, term, is_making=True) for maker in makers)
        if not isinstance(value, FunctionValue):
            return True
        definition = value.definition
        names = {name for name, _ in term[3] if name}
        if "property" in definition.flags:
            return True
        if not names <= {param[0] for param in definition.params}:
            return False
        min_count, max_count = arity(definition, skip=0)
        if "actual" in definition.flags:
            min_count = self._expected_arity(value, min_count)
        if "constructor" in definition.flags and not is_making:
            min_count = 0  # a copy takes what is not given from the object
        return min_count <= len(term[2]) + len(term[3]) <= max_count

    def _may_take(
        self, value: Value, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> bool:
        """Return whether the types of arguments let something be called with them."""
        may_take = self.engine.overloads.may_take
        if isinstance(value, FunctionValue):
            return may_take(value, file, scope, term, fuel)
        makers = self._makers(value) if isinstance(value, ClassValue) else []
        return not makers or any(
            self._takes(maker, term, is_making=True) and may_take(maker, file, scope, term, fuel)
            for maker in makers
        )

    def _makers(self, value: ClassValue) -> list[FunctionValue]:
        initialisers = self.engine.calls.initialisers(*value.place)
        return [maker for functions in initialisers for maker in functions]

    def _expected_arity(self, function: FunctionValue, min_count: int) -> int:
        """Return how many arguments an `actual` function needs: its defaults stand where it is
        expected."""
        own = function.definition
        self.engine.depend_on(f"u:{own.name}")
        for path, number, _ in self.engine.tree.named(own.name):
            other = self.engine.files[path].definitions[number]
            is_twin = other.qualname == own.qualname and len(other.params) == len(own.params)
            if is_twin and "actual" not in other.flags:
                min_count = min(min_count, arity(other, skip=0)[0])
        return min_count

    def _best(
        self, extensions: Functions, receivers: ValueSet, fuel: int, *, known: bool = False
    ) -> Functions:
        """Return the extensions that fit a receiver the best, as its members.

        Of a receiver that is not known the only one is taken, unless it has to be `known`; of
        several that are as good as each other for all that is known, none.
        """
        ranked: list[tuple[int, FunctionValue]] = []
        for function in extensions:
            owners: ValueSet = self.engine.cached(("owner", *function.place), fuel, self._owners)
            dialect = function.file.dialect
            is_common = function.definition.name in dialect.builtin_methods
            ranks = [
                self._rank(receiver, owner, dialect.extension_functions, is_common=is_common)
                for receiver in receivers
                for owner in owners
            ] or [_NEVER if known or len(extensions) > 1 else _PERHAPS]
            ranked.append((max(ranks), function))
        best = max((rank for rank, _ in ranked), default=_NEVER)
        fitting = [function for rank, function in ranked if rank == best]
        rivals = {repr(function.definition.owner) for function in fitting}
        if best == _NEVER or (best == _PERHAPS and len(rivals) > 1):
            return ()
        return tuple([function.bound() for function in fitting])

    def _owners(self, variable: Variable, fuel: int) -> ValueSet:
        """Return what values of the type are that an extension is for."""
        _, path, number = variable
        file = self.engine.files[path]
        definition = file.definitions[number]
        self.engine.depend_on(file.unit(definition.body))
        instances_of = self.engine.annotations.instances_of
        return instances_of(file, definition.scope, definition.owner, fuel)

    def _rank(
        self, receiver: Value, owner: Value, types: ExternalTypes | None, *, is_common: bool
    ) -> int:
        """Return how well a receiver fits what an extension is for."""
        name = _outside_name(owner)
        if types is None or name == types.universal:
            return 1
        if isinstance(receiver, InstanceValue | ClassValue):
            return self._rank_of_object(receiver, owner, types)
        own = _outside_name(receiver)
        if isinstance(owner, InstanceValue):
            return _NEVER
        return _rank_of_names(own, name, types, is_common=is_common) if own and name else _PERHAPS

    def _rank_of_object(self, receiver: DefinedValue, owner: Value, types: ExternalTypes) -> int:
        above = self.engine.members.order(*receiver.place)
        is_open = any(isinstance(base, ExternalValue) for base in above)
        if not isinstance(owner, InstanceValue):
            is_final = _outside_name(owner) in types.final
            return _PERHAPS if is_open and not is_final else _NEVER
        names = [base.full_name for base in above if isinstance(base, DefinedValue)]
        if owner.full_name in names:
            return _SURELY - names.index(owner.full_name)
        # What is expected may be a class outside on the platform of the receiver.
        return _PERHAPS if is_open and "expect" in owner.definition.flags else _NEVER


def widest(name: str, arguments: ValueSet, types: ExternalTypes | None) -> str:
    """Return the type of number that calculating gives, "" for what is no number."""
    widths = types.number_widths if types else ()
    if name not in widths:
        return ""
    kinds = [value.name for value in arguments if isinstance(value, ExternalInstance)]
    return widths[max(widths.index(kind) for kind in (name, *kinds) if kind in widths)]


def _extensions(values: ValueSet) -> Functions:
    """Return the functions that have a type which they are for."""
    return tuple([
        value
        for value in values
        if isinstance(value, FunctionValue) and value.definition.owner is not None
    ])  # fmt: skip


def _is_member(value: Value, receivers: ValueSet) -> bool:
    """Return whether a member is one that its receiver has: no extension, none of the companion of
    an object's class."""
    if not isinstance(value, FunctionValue):
        return _is_callable(value)
    is_object = all(isinstance(receiver, InstanceValue) for receiver in receivers)
    definition = value.definition
    return definition.owner is None and not (is_object and "static" in definition.flags)


def _is_callable(value: Value) -> bool:
    """Return whether a value can be called: a property does not hide a function of its name."""
    if isinstance(value, InstanceValue):
        types = [kind for kind in value.underlying(FUEL) if kind.is_function_type]
        return bool(types) or bool(value.get_member("__call__", FUEL))
    return value.is_function_type or isinstance(value, FunctionValue | ClassValue)


def _rank_of_names(own: str, name: str, types: ExternalTypes, *, is_common: bool) -> int:
    """Return how well a type outside fits another, by their names."""
    own, name = types.final.get(own, own), types.final.get(name, name)
    if own == name:
        return _SURELY
    if any(kind in types.final.values() or kind[-2:] == "[]" for kind in (own, name)):
        return 2 if name in types.above_final else _NEVER
    is_list = name in types.lists
    return _PERHAPS if is_list == (own in types.lists) and (is_list or not is_common) else _NEVER


def _outside_name(value: Value) -> str:
    """Return the name of a type outside of the tree, "" if it is none or not known."""
    if isinstance(value, ExternalInstance):
        return value.name.rpartition(".")[2]
    if isinstance(value, GenericValue):
        name = name_of(value.term[1])
        return name_of(value.term) if name == "list" else name
    if isinstance(value, Container):
        return "List"
    return "Function" if isinstance(value, FunctionValue) else ""

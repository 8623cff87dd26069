"""Evaluation of terms to values; parameters of callbacks, fixtures of pytest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE, Definition, Expression, Term
from .annotations import Types, Written, specialised
from .container_values import ConstantValue, ContainerValue, GenericValue, LiteralValue
from .reflection_values import ProxyValue, ReflectedValue
from .values import (
    ClassValue,
    DefinedValue,
    ExternalInstance,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    TypeVariable,
    Value,
    ValueSet,
    Variable,
    is_itself,
    union,
)

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import FileScopes

# --- Values of pytest fixtures, which fill the parameters of Python's tests.
#
# A fixture is looked for where pytest does: beside the test in its class, in its file, and in the
# `conftest.py` of its folder and of those around it.


def fixture_values(
    engine: InferenceEngine, file: FileScopes, number: int, name: str, fuel: int
) -> ValueSet:
    """Return what a parameter of a test or a fixture is; nothing for any other function."""
    test = file.definitions[number]
    if not file.dialect.fixtures or not ("test" in test.flags or _is_fixture(test)):
        return ()
    for values in _around(engine, file, test, name, fuel):
        fixtures = [
            _fixture_value(value, fuel)
            for value in values
            if isinstance(value, FunctionValue)
            and not value.is_bound
            and value.place != (file.path, number)
        ]
        if fixtures:
            return union(fixtures)
    return ()


def _around(
    engine: InferenceEngine, file: FileScopes, test: Definition, name: str, fuel: int
) -> Iterator[ValueSet]:
    """Yield what has a name around a function, the nearest first."""
    names = engine.names
    for scope in dict.fromkeys((test.scope, MODULE_SCOPE)):
        if name in file.names[scope]:
            yield names.bound(file, scope, name, fuel)
    for level in range(1, file.path.count("/") + 2):
        for key in names.namespaces(file, "conftest", level):
            yield names.member(file.dialect.family, key, name, fuel)


def _fixture_value(function: FunctionValue, fuel: int) -> ValueSet:
    """Return what a fixture gives: if it yields, that."""
    if not _is_fixture(function.definition):
        return ()
    values = function.returns(fuel)
    is_generator = function.number in function.file.yields
    return function.engine.iterate(values, fuel) if is_generator else values


def _is_fixture(definition: Definition) -> bool:
    for term in definition.decorators:
        named = term[1] if term is not None and term[0] == "call" else term
        if named is not None and named[-1] == "fixture":
            return True
    return False


# --- The values of terms: a rule for every tag of `facts.py`.

# Operators that give their left side, if they are none of the tree: of streams and numbers.
_STREAMING = frozenset({"operator<<", "operator>>"})


class Evaluator:
    """The values of terms, and of the parameters that they name."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine

    def _name(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return self.engine.names.lookup(file, scope, term[1], fuel)

    def _attr(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        values, name = self.engine.evaluate(file, scope, term[1], fuel), term[2]
        if file.dialect.extension_functions:
            return self.engine.extensions.member(file, scope, name, values, fuel)
        if name == "__class__":
            return tuple([v.as_class() for v in values if isinstance(v, InstanceValue)])
        if len(values) == 1:
            members = values[0].get_member(name, fuel)
            return members or self._of_parameter(file, scope, term, values[0], fuel)
        if len(values) > 1 and "*" in file.dialect.invokers:
            values = self._without_methods(file, scope, term[1], values)
        return union([value.get_member(name, fuel) for value in values])

    def _of_parameter(
        self, file: FileScopes, scope: int, term: Expression, holder: Value, fuel: int
    ) -> ValueSet:
        """Return what a field holds whose type says a parameter of its class."""
        is_field = term[2] in self.engine.files.variables and not self.engine.is_static
        if not is_field or not isinstance(holder, InstanceValue):
            return ()
        parts: list[ValueSet] = []
        for place in self.engine.variables.field_of(holder.place, term[2]):
            there = self.engine.files[place[0]]
            definition = there.definitions[place[1]]
            kind = specialised(self.engine, file, scope, term, place, definition.returns, fuel)
            if kind is not definition.returns:
                parts.append(
                    self.engine.annotations.instances_of(there, definition.scope, kind, fuel)
                )
        return union(parts)

    def _without_methods(
        self, file: FileScopes, scope: int, term: Expression, values: ValueSet
    ) -> ValueSet:
        """Return what a name can be without methods of that name: no field is read as a method."""
        if term[0] not in ("name", "attr"):
            return values
        name = term[1] if term[0] == "name" else term[2]
        binder = file.binder(scope, term[1]) if term[0] == "name" else -1
        if binder >= 0 and all(binding[0] != "define" for binding in file.names[binder][term[1]]):
            return values
        return tuple([
            value
            for value in values
            if not isinstance(value, FunctionValue) or value.definition.name != name
        ])  # fmt: skip

    def _call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return () if self.engine.is_static else self.engine.calls.results(file, scope, term, fuel)

    def _new(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        objects: list[Value] = []
        for value in self.engine.evaluate(file, scope, term[1], fuel):
            if is_itself(value):
                objects.append(value.instance())
            elif isinstance(value, ExternalValue):
                objects += value.as_instance(file, scope, fuel)
        return union([(value,) for value in objects])

    def _operate(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what an operator of the tree gives; others read what is pointed to, or a stream
        that goes on."""
        values = self._operated(file, scope, term, fuel)
        if not values and (len(term[2]) == 1 or term[1] in _STREAMING):
            values = self.engine.evaluate(file, scope, term[2][0], fuel)
        return values

    def _operated(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        if self.engine.is_static:
            return ()
        functions = self.engine.operators.functions(file, scope, term, fuel)
        return union([function.returns(fuel) for function in functions])

    def _item(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        if len(term) > 3:
            own = self._operated(file, scope, term, fuel)
            if own:
                return own
        parts: list[ValueSet] = []
        for value in self.engine.evaluate(file, scope, term[1], fuel):
            if isinstance(value, ExternalValue):
                parts.append((self.engine.term_value(GenericValue, file, scope, term),))
            elif not isinstance(value, LiteralValue) or not self._is_changed(file, term[1]):
                parts.append(value.get_item(file, scope, term[2], fuel))
            if isinstance(value, ClassValue) and value.has_flag("alias"):
                # What is said of another name of a type is said of the type it stands for.
                of_arguments = self.engine.annotations.of_arguments
                others = of_arguments(file, scope, term[2], (value,), fuel)
                parts.append(tuple([
                    other.as_class() if isinstance(other, InstanceValue) else other
                    for other in others
                ]))  # fmt: skip
        return union(parts)

    def _is_changed(self, file: FileScopes, term: Term) -> bool:
        """Return whether a container is changed after it was made: what it holds is not known,
        unless values are followed."""
        if self.engine.is_flowing:
            return False
        while term is not None and term[0] in ("item", "attr", "seen"):
            term = term[1]
        if term is None or term[0] != "name":
            return False
        self.engine.depend_on(f"c:{file.path}:{term[1]}")
        return term[1] in file.changed

    def _literal(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return (self.engine.term_value(LiteralValue, file, scope, term),)

    def _const(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        _, kind, value = term
        if self.engine.is_flowing and value is not None:
            # Short texts and numbers, which may be keys, are themselves.
            return (self.engine.value(ConstantValue, kind, value),)
        # None says nothing of what else a name may hold.
        return () if kind in ("none", "any") else (self.engine.value(ExternalInstance, kind),)

    def _def(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return file.defined(term[1])

    def _either(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return union([self.engine.evaluate(file, scope, part, fuel) for part in term[1]])

    def _iter(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return self.engine.iterate(self.engine.evaluate(file, scope, term[1], fuel), fuel)

    def _enter(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        values = self.engine.evaluate(file, scope, term[1], fuel)
        return union([value.enter(fuel) for value in values])

    def _inner(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return self.engine.evaluate(file, scope, term[1], fuel)

    def _in(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return self.engine.evaluate(file, term[1], term[2], fuel)

    def _variable(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what stands for an argument of a type, and the type that any such extends."""
        variable = self.engine.value(TypeVariable, term[1])
        return (variable, *self.engine.evaluate(file, scope, term[2], fuel))

    def _parameter(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return the type that what stands for a parameter extends at any rate."""
        return self.engine.evaluate(file, scope, term[2], fuel)

    def _typed(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return self.engine.annotations.instances_of(file, scope, term[1], fuel)

    def _cast(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return something of the type, and what is known to be of it: more than the type says."""
        kinds = self.engine.annotations.instances_of(file, scope, term[1], fuel)
        if not kinds and term[1] is not None and term[1][0] in ("parameter", "generic"):
            return self.engine.evaluate(file, scope, term[2], fuel)
        values = tuple([
            value
            for value in self.engine.evaluate(file, scope, term[2], fuel)
            if isinstance(value, FunctionValue | ClassValue | ProxyValue)
            or self._is_of(value, kinds)
        ])  # fmt: skip
        return union([kinds, values]) if values else kinds

    def _is_of(self, value: Value, kinds: ValueSet) -> bool:
        """Return whether an object is of a type below some, and of none of those itself."""
        if not isinstance(value, InstanceValue) or value in kinds:
            return False
        above = self.engine.members.order(*value.place)
        return any(isinstance(kind, InstanceValue) and kind.as_class() in above for kind in kinds)

    def _typeof(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return a type as a value: what is asked for members by their names."""
        scope = self.engine.annotations.type_scope(file, scope, term[1])
        types: list[Value] = []
        for value in self.engine.evaluate(file, scope, term[1], fuel):
            if isinstance(value, ExternalInstance):
                types.append(self.engine.value(ExternalValue, value.name))
            elif isinstance(value, ClassValue | ExternalValue):
                types.append(value)
        return tuple([self.engine.value(ReflectedValue, value) for value in types])

    def _join(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return (self.engine.value(ExternalInstance, "str"),)

    def _self(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        return self.receiver(file, scope, fuel)

    def _super(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        own = self._own_receiver(file, scope, fuel)
        return tuple([v.as_super() for v in own if isinstance(v, InstanceValue | ClassValue)])

    def receiver(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return what `this` is in a scope: what is known to be the object of the method around it,
        else an object of its class."""
        own: ValueSet = ()
        if self.engine.is_flowing and (method := file.method_around(scope)) >= 0:
            own = self.engine.extra_values(("this", file.path, method))
        return own or self._own_receiver(file, scope, fuel)

    def _own_receiver(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return an object of the class whose method is around a scope."""
        method = file.method_around(scope)
        if method < 0:
            number = file.around[scope]
            return (self.engine.value(InstanceValue, file.path, number),) if number >= 0 else ()
        definition = file.definitions[method]
        number = file.class_of(method)
        if number >= 0:
            make: type[DefinedValue] = ClassValue if "static" in definition.flags else InstanceValue
            return (self.engine.value(make, file.path, number),)
        instances_of = self.engine.annotations.instances_of
        values = instances_of(file, definition.scope, definition.owner, fuel)
        if not values and file.dialect.extension_functions:
            # A function in place whose callee does not say that it has an object of its own.
            return self.receiver(file, definition.scope, fuel)
        # The object literal or function to which it was assigned.
        return values or self.engine.evaluate(file, definition.scope, definition.owner, fuel)

    def param(self, file: FileScopes, number: int, position: int, fuel: int) -> ValueSet:
        """Return what a parameter can be: the object itself, something of its type, its default."""
        engine = self.engine
        is_object = position == 0 and engine.is_flowing and file.dialect.receiver
        if is_object and (objects := engine.extra_values(("this", file.path, number))):
            return objects
        if position == 0 and (own := self._own_object(file, number, fuel)) is not None:
            return own
        definition = file.definitions[number]
        name, kind, default, sort = definition.params[position]
        extra: ValueSet = ()
        if engine.is_flowing:
            extra = engine.extra_values(("param", file.path, number, position))
        if sort in ("*", "**"):
            return extra or self._rest(file, definition, position, fuel)
        parts = [extra]
        if kind is not None:
            parts.append(engine.annotations.instances_of(file, definition.scope, kind, fuel))
        if default is not None:
            parts.append(engine.evaluate(file, definition.scope, default, fuel))
        if kind is None and default is None:
            parts.append(fixture_values(engine, file, number, name, fuel))
        return union(parts)

    def _rest(self, file: FileScopes, definition: Definition, position: int, fuel: int) -> ValueSet:
        """Return the tuple or mapping of a rest parameter."""
        _, kind, _, sort = definition.params[position]
        if kind is None:
            return (self.engine.value(ExternalInstance, "tuple" if sort == "*" else "dict"),)
        elements = self.engine.annotations.instances_of(file, definition.scope, kind, fuel)
        return (self.engine.value(ContainerValue, elements),)

    def _own_object(self, file: FileScopes, number: int, fuel: int) -> ValueSet | None:
        """Return what the first parameter of a method is, None if it is an ordinary one."""
        if (own := file.own_object(number)) is not None:
            return (own,)
        definition = file.definitions[number]
        if not file.dialect.receiver or definition.kind != "method":
            return None
        # Rust's `self`: the type stands at the `impl`.
        is_apart = definition.owner is not None and "static" not in definition.flags
        if not is_apart or definition.params[0][1] is not None:
            return None
        instances_of = self.engine.annotations.instances_of
        return instances_of(file, definition.scope, definition.owner, fuel)

    # --- Callbacks: arguments of functions that are handed to others.

    def _argument_value(
        self, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return what a callee says that a function is called with which is given to it."""
        _, callee, position, index = term[:4]
        types = self._types_given(file, scope, term[4:], fuel)
        callees = self._callees(file, scope, callee, fuel)
        parts: list[ValueSet] = []
        for kind in self._taken_by(callees, position, types, fuel):
            signatures = self._signatures((kind,), fuel)
            parts += [function.parameter(index, fuel) for function in signatures]
        for function in self._run_for(callees):
            if _is_like_receiver(function.definition, position, index):
                call = ("call", callee, (), (), None)
                parts.append(self.engine.extensions.at_position(file, scope, call, -1, fuel))
                continue
            place = position + (function.is_bound and file.dialect.receiver)
            member = (file, scope, callee)
            parts.append(self._expected_of(member, function, place, index, types, fuel))
        return union(parts)

    def _expected_of(
        self,
        member: Written,
        function: FunctionValue,
        place: int,
        index: int,
        types: Types | None,
        fuel: int,
    ) -> ValueSet:
        """Return what a function is called with that is given to another in some place, as the
        object says whose method that is, or as the other says for all objects."""
        params = function.definition.params
        kind = params[place][1] if -len(params) <= place < len(params) else None
        there, definition = function.file, function.definition
        known = specialised(self.engine, *member, function.place, kind, fuel)
        if types is not None:
            known = self.engine.annotations.substituted(known, "generic", types)
        if known is not kind:
            values = self.engine.annotations.instances_of(there, definition.scope, known, fuel)
            return union([kind.parameter(index, fuel) for kind in self._signatures(values, fuel)])
        variable = ("given", *function.place, place, index)
        expected: ValueSet = self.engine.cached(variable, fuel, self._expected)
        return expected

    def _callees(self, file: FileScopes, scope: int, callee: Term, fuel: int) -> ValueSet:
        """Return what is called by a callee whose arguments are not known yet."""
        values = self.engine.evaluate(file, scope, callee, fuel)
        is_member = callee is not None and callee[0] == "attr"
        if callee is None or not is_member or not file.dialect.extension_functions:
            return values
        if any(isinstance(value, FunctionValue | ClassValue) for value in values):
            return values
        receivers = self.engine.evaluate(file, scope, callee[1], fuel)
        return self.engine.extensions.on_receiver(file, scope, callee[2], receivers, fuel)

    def _run_for(self, callees: ValueSet) -> Iterator[FunctionValue]:
        """Yield the functions that run when something is called, initialisers of classes too; of
        overloads those that callers see."""
        for callee in callees:
            if isinstance(callee, FunctionValue):
                yield from self._announced(callee) or (callee,)
            elif isinstance(callee, ClassValue):
                for initialisers in self.engine.calls.initialisers(*callee.place):
                    yield from initialisers

    def _announced(self, function: FunctionValue) -> list[FunctionValue]:
        """Return the overloads that stand for a function which has them: callers see them alone."""
        file, definition = function.file, function.definition
        same = file.names[definition.scope].get(definition.name, ())
        if len(same) < 2 or function.has_flag("overload"):
            return []
        return [
            self.engine.value(FunctionValue, function.path, binding[1], function.is_bound)
            for binding in same
            if binding[0] == "define" and "overload" in file.definitions[binding[1]].flags
        ]

    def _taken_by(
        self, callees: ValueSet, position: int, types: Types | None, fuel: int
    ) -> ValueSet:
        """Return what types of functions say that is taken in a place; of types that are given
        otherwise than at the call, always the same."""
        cached, with_values = self.engine.cached, self.engine.annotations.with_values
        if types is None:
            takes = self._takes
            return union([cached(("takes", c, position), fuel, takes) for c in callees])
        return union([
            with_values(kind, "generic", types).parameter(position, fuel)
            for kind in self._signatures(callees, fuel)
        ])  # fmt: skip

    def _takes(self, variable: Variable, fuel: int) -> ValueSet:
        _, callee, position = variable
        signatures = self._signatures((callee,), fuel)
        return union([kind.parameter(position, fuel) for kind in signatures])

    def _types_given(
        self, file: FileScopes, scope: int, types: tuple[Term, ...], fuel: int
    ) -> Types | None:
        """Return what gives values of the types that are given to a call, by their places; None
        where there are none."""
        if not types or types[0] is None:
            return None
        listed = types[0][1]

        def at_place(position: int) -> ValueSet:
            kind = listed[position] if position < len(listed) else None
            return self.engine.annotations.instances_of(file, scope, kind, fuel)

        return at_place

    @staticmethod
    def _signatures(callees: ValueSet, fuel: int) -> Iterator[GenericValue]:
        """Yield the types of functions that say what is called takes."""
        for callee in callees:
            types = callee.signatures(fuel) if isinstance(callee, InstanceValue) else (callee,)
            for kind in types:
                if isinstance(kind, GenericValue):
                    yield kind

    def _expected(self, variable: Variable, fuel: int) -> ValueSet:
        """Return what a parameter's type says that a function given for it is called with."""
        _, path, number, position, index = variable
        file = self.engine.files[path]
        definition = file.definitions[number]
        self.engine.depend_on(file.unit(definition.body))
        if not -len(definition.params) <= position < len(definition.params):
            return ()
        kind, instances_of = definition.params[position][1], self.engine.annotations.instances_of
        values = instances_of(file, definition.scope, kind, fuel)
        return union([kind.parameter(index, fuel) for kind in self._signatures(values, fuel)])

    def _ran(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        _, callee, call = term
        is_own = self.is_own(file, scope, callee, fuel)
        return () if is_own else self.engine.evaluate(file, scope, call, fuel)

    def is_own(self, file: FileScopes, scope: int, callee: Term, fuel: int) -> bool:
        """Return whether what is called is a function of the tree."""
        values = self.engine.evaluate(file, scope, callee, fuel)
        return any(isinstance(value, FunctionValue | ClassValue) for value in values)

    def _taken(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what a function is called with as one of its parameters, by what it says."""
        _, callee, position = term[:3]
        types = self._types_given(file, scope, term[3:], fuel)
        values = self.engine.evaluate(file, scope, callee, fuel)
        parts = [self._taken_by(values, position, types, fuel)]
        for function in self._run_for(values):
            there, definition = function.file, function.definition
            self.engine.depend_on(there.unit(definition.body))
            if position < len(definition.params):
                kind = definition.params[position][1]
                kind = specialised(self.engine, file, scope, callee, function.place, kind, fuel)
                if types is not None:
                    kind = self.engine.annotations.substituted(kind, "generic", types)
                instances_of = self.engine.annotations.instances_of
                parts.append(instances_of(there, definition.scope, kind, fuel))
        return union(parts)


def _is_like_receiver(definition: Definition, position: int, index: int) -> bool:
    """Return whether what a function calls its argument with is of the type of its receiver."""
    params = definition.params
    kind = params[position][1] if -len(params) <= position < len(params) else None
    if kind is None or kind[0] != "item" or kind[2] is None or kind[2][0] != "tuple":
        return False
    inner = kind[2][1][0]
    taken = inner[1] if inner is not None and inner[0] == "tuple" else ()
    expected = taken[index] if index < len(taken) else None
    return expected is not None and expected[0] == "like" and expected[1] < 0


_Step = Callable[[Evaluator, "FileScopes", int, Expression, int], ValueSet]

STEPS: dict[str, _Step] = {
    "name": Evaluator._name,
    "attr": Evaluator._attr,
    "call": Evaluator._call,
    "new": Evaluator._new,
    "item": Evaluator._item,
    "operate": Evaluator._operate,
    "const": Evaluator._const,
    "list": Evaluator._literal,
    "tuple": Evaluator._literal,
    "set": Evaluator._literal,
    "dict": Evaluator._literal,
    "def": Evaluator._def,
    "either": Evaluator._either,
    "iter": Evaluator._iter,
    "enter": Evaluator._enter,
    "await": Evaluator._inner,
    "star": Evaluator._inner,
    "seen": Evaluator._inner,
    "same": Evaluator._inner,
    "means": Evaluator._inner,
    "in": Evaluator._in,
    "given": Evaluator._argument_value,
    "cast": Evaluator._cast,
    "ran": Evaluator._ran,
    "taken": Evaluator._taken,
    "typeof": Evaluator._typeof,
    "join": Evaluator._join,
    "typed": Evaluator._typed,
    "variable": Evaluator._variable,
    "parameter": Evaluator._parameter,
    "generic": Evaluator._parameter,
    "self": Evaluator._self,
    "super": Evaluator._super,
}

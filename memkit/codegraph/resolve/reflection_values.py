"""Reflected members, method handles, proxies.

Only constant names are followed: what is put together while the program runs is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from ..dialect import LibraryRule
from ..facts import Expression, Term
from .container_values import LiteralValue, TupleValue
from .values import (
    ClassValue,
    DefinedValue,
    ExternalInstance,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    Value,
    ValueSet,
    union,
)

if TYPE_CHECKING:
    from ..dialect import LibraryRules
    from .engine import InferenceEngine
    from .file_scopes import FileScopes

# The method of its handler that every method of a proxy is.
_HANDLING = "invoke"
# What a handle gives its types in: those of the parameters, each as values.
_Types = tuple[ValueSet, ...]


@attrs.define(eq=False)
class ReflectedValue(Value):
    """A class, a function (bound: one that is not dispatched), a field or an object as a value
    that is asked by name."""

    inner: Value

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return a method; itself, if that is what runs it."""
        inner = self.inner
        if not isinstance(inner, FunctionValue | ClassValue):
            return super().get_member(name, fuel)
        is_run = name in inner.file.dialect.library.invoking
        return (self,) if is_run else super().get_member(name, fuel)

    def method_result(self, library: LibraryRules, name: str, fuel: int) -> ValueSet:
        """Return the value of a field, for a method that reads it."""
        is_read = isinstance(self.inner, FieldValue) and name in library.reading
        return self.inner.iterate(fuel) if is_read else ()

    def as_type(self) -> ClassValue | None:
        """Return the class that it reflects."""
        return self.inner.as_type()


@attrs.define(eq=False)
class FieldValue(Value):
    """A field of something, inside of a reflected value; to walk through it is to read it."""

    holder: Value
    name: str

    def iterate(self, fuel: int) -> ValueSet:
        """Return what the field of an object holds."""
        holder = self.holder
        if isinstance(holder, ClassValue):
            return holder.instance().get_member(self.name, fuel)
        return holder.get_member(self.name, fuel)


@attrs.define(eq=False)
class ProxyValue(Value):
    """An object of any interface whose methods are all one method of a handler."""

    handler: Value

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return that method."""
        return self.handler.get_member(_HANDLING, fuel)


class ReflectionResolver:
    """Members, classes and modules that are looked up by a constant name."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine

    def invoked(
        self, file: FileScopes, scope: int, term: Expression, callees: ValueSet, fuel: int
    ) -> ValueSet:
        """Return what runs when something reflected is invoked: methods as their object has them.

        `callees` is what the callee can be; nothing comes back if none of it is reflected.
        """
        if not any(isinstance(value, ReflectedValue) for value in callees):
            return ()
        parts: list[ValueSet] = []
        for value in callees:
            inner = value.inner if isinstance(value, ReflectedValue) else value
            if inner is value or not isinstance(inner, FunctionValue | ClassValue):
                parts.append((value,))
            else:
                parts.append(self._dispatched(inner, file, scope, term, fuel) or (inner,))
        return union(parts)

    def _dispatched(
        self, value: Value, file: FileScopes, scope: int, term: Expression, fuel: int
    ) -> ValueSet:
        """Return the methods of the object that is given first, if it is known."""
        if not isinstance(value, FunctionValue) or value.is_bound or not term[2]:
            return ()
        definition = value.definition
        if definition.kind != "method" or "static" in definition.flags:
            return ()
        methods = union([
            receiver.get_member(definition.name, fuel)
            for receiver in self.engine.evaluate(file, scope, term[2][0], fuel)
            if isinstance(receiver, InstanceValue)
        ])  # fmt: skip
        own = value.bound()
        if own in methods:
            return (own,)
        types = self._types_of(value, fuel)
        return tuple([
            method
            for method in methods
            if isinstance(method, FunctionValue)
            and method.is_bound
            and self.has_types(method, types, fuel)
        ])  # fmt: skip

    def _types_of(self, function: FunctionValue, fuel: int) -> _Types:
        file, definition = function.file, function.definition
        self.engine.depend_on(file.unit(definition.body))
        instances_of = self.engine.annotations.instances_of
        kinds = [param[1] for param in definition.params]
        return tuple([instances_of(file, definition.scope, kind, fuel) for kind in kinds])

    def by_name(
        self, file: FileScopes, scope: int, term: Expression, callees: ValueSet, fuel: int
    ) -> ValueSet:
        """Return what a call gives that asks for something by its name; nothing for any other.

        `callees` is what is called: nothing of the tree itself.
        """
        named = term[1]
        if any(isinstance(value, FunctionValue | ClassValue) for value in callees):
            return ()
        base: Term = named[1] if named[0] == "attr" else ("self",)
        rule = file.dialect.library.reflection[named[-1]]
        return _RULES[rule](ReflectiveCall(self.engine, file, scope, base, term[2], fuel))

    def named(
        self,
        rule: LibraryRule,
        file: FileScopes,
        scope: int,
        arguments: Sequence[Term],
        fuel: int,
    ) -> ValueSet:
        """Return what a function gives by a name: a member (getattr) or its default, a module."""
        evaluate = self.engine.evaluate
        if rule is LibraryRule.REFLECTED:
            values = evaluate(file, scope, arguments[0], fuel) if arguments else ()
            return _reflected([value for value in values if isinstance(value, InstanceValue)])
        position = int(rule is LibraryRule.MEMBER)
        name: object = None
        if len(arguments) > position:
            name = self.engine.constants.key_of(file, scope, arguments[position], fuel)
        if rule is LibraryRule.MODULE:
            is_known = isinstance(name, str) and len(arguments) == 1
            imported = self.engine.names.imported
            return imported(file, str(name), None, 0, fuel) if is_known else ()
        bases = evaluate(file, scope, arguments[0], fuel) if arguments else ()
        parts = [base.get_member(name, fuel) for base in bases] if isinstance(name, str) else []
        parts += [evaluate(file, scope, argument, fuel) for argument in arguments[2:]]
        return union(parts)

    def has_types(self, function: FunctionValue, types: _Types, fuel: int) -> bool:
        """Return whether a method has parameters of these types, as far as they are known."""
        own = self._types_of(function, fuel)
        if len(own) != len(types):
            return False
        for takes, argument in zip(own, types, strict=True):
            names, own_names = ({_named(kind) for kind in kinds} for kinds in (argument, takes))
            is_known = names and own_names and None not in own_names | names
            if is_known and own_names.isdisjoint(names):
                return False
        return True


def _reflected(values: Iterable[Value]) -> ValueSet:
    return tuple([value.engine.value(ReflectedValue, value) for value in values])


def _named(value: Value) -> object:
    """Return what a class and an object of it have in common; None for what is neither."""
    if isinstance(value, ReflectedValue):
        value = value.inner
    if isinstance(value, ExternalValue | ExternalInstance):
        return value.name.rpartition(".")[2]
    is_class = isinstance(value, ClassValue | InstanceValue)
    return value.place if is_class and isinstance(value, DefinedValue) else None


# --- What a call gives that asks for something by its name, by the rule of its method.


@attrs.frozen
class ReflectiveCall:
    """One such call in a scope of a file: what it is made on, and its arguments."""

    engine: InferenceEngine
    file: FileScopes
    scope: int
    base: Term
    arguments: Sequence[Term]
    fuel: int

    def evaluate(self, term: Term) -> ValueSet:
        """Return what a term of the call can be."""
        return self.engine.evaluate(self.file, self.scope, term, self.fuel)

    def of(self, base: int) -> ReflectiveCall:
        """Return the call as if it were made on one of its arguments, with those after it."""
        return attrs.evolve(self, base=self.arguments[base], arguments=self.arguments[base + 1 :])

    def name(self) -> str | None:
        """Return the name that is the first argument."""
        if not self.arguments:
            return None
        constant = self.engine.constants.constant
        name = constant(self.file, self.scope, self.arguments[0], self.fuel)
        return name if isinstance(name, str) else None

    def receivers(self) -> list[ReflectedValue]:
        """Return what is reflected by that on which it is made."""
        return [v for v in self.evaluate(self.base) if isinstance(v, ReflectedValue)]

    def methods(self, types: _Types | None) -> ValueSet:
        """Return the methods of the name, of several those with such parameters."""
        name, has_types = self.name(), self.engine.reflection.has_types
        if name is None:
            return ()
        members = union([v.inner.get_member(name, self.fuel) for v in self.receivers()])
        methods = [member for member in members if isinstance(member, FunctionValue)]
        if len(methods) > 1 and types is not None:
            fitting = [method for method in methods if has_types(method, types, self.fuel)]
            methods = fitting or methods
        return _reflected(methods)

    def types(self) -> _Types | None:
        """Return the types behind the first argument, listed one by one or in an array."""
        file, scope, kinds = self.file, self.scope, self.arguments[1:]
        if len(kinds) == 1:
            values = self.evaluate(kinds[0])
            if listed := [value for value in values if isinstance(value, LiteralValue)]:
                kinds, file, scope = listed[0].term[1], listed[0].file, listed[0].scope
        if any(kind is None for kind in kinds):
            return None
        return tuple([self.engine.evaluate(file, scope, kind, self.fuel) for kind in kinds])


def _method(call: ReflectiveCall) -> ValueSet:
    """`x.getMethod("name", types…)`."""
    return call.methods(call.types())


def _handle(call: ReflectiveCall) -> ValueSet:
    """`lookup.findVirtual(X.class, "name", type)`."""
    if len(call.arguments) < 2:
        return ()
    kinds = call.evaluate(call.arguments[2]) if len(call.arguments) > 2 else ()
    types = next((kind.items for kind in kinds if isinstance(kind, TupleValue)), None)
    return call.of(0).methods(types)


def _exact_handle(call: ReflectiveCall) -> ValueSet:
    """`lookup.findSpecial(X.class, "name", type, Y.class)`: X's, whatever the object is."""
    inner = [value.inner for value in _handle(call) if isinstance(value, ReflectedValue)]
    return _reflected(value.bound() for value in inner if isinstance(value, FunctionValue))


def _field(call: ReflectiveCall) -> ValueSet:
    """`x.getField("name")`."""
    name = call.name()
    if name is None:
        return ()
    holders = [value.inner for value in call.receivers()]
    return _reflected(call.engine.value(FieldValue, holder, name) for holder in holders)


def _field_handle(call: ReflectiveCall) -> ValueSet:
    """`lookup.findGetter(X.class, "name", T.class)`."""
    return _field(call.of(0)) if call.arguments else ()


def _receiver(call: ReflectiveCall) -> ValueSet:
    """`x.getConstructor(types…)`, `handle.bindTo(x)`: what is made or run stays the same."""
    return tuple(call.receivers())


def _argument(call: ReflectiveCall) -> ValueSet:
    """`lookup.findConstructor(X.class, type)`, `lookup.unreflect(method)`."""
    return tuple(call.of(0).receivers()) if call.arguments else ()


def _class_of(call: ReflectiveCall) -> ValueSet:
    """`x.getClass()`; with a name, the class of that name."""
    if call.arguments:
        return _class_named(call)
    values = call.evaluate(call.base)
    return _reflected(value.as_class() for value in values if isinstance(value, InstanceValue))


def _class_named(call: ReflectiveCall) -> ValueSet:
    """`Class.forName("a.b.Outer$Inner")`."""
    text = call.name() or ""
    outer, *inner = text.partition(",")[0].replace("+", "$").split("$")
    module, _, name = outer.rpartition(".")
    values: ValueSet = ()
    if module and name:
        values = call.engine.names.imported(call.file, module, name, 0, call.fuel)
    for part in inner:
        values = union([value.get_member(part, call.fuel) for value in values])
    return _reflected(value for value in values if isinstance(value, ClassValue))


def _object_of(call: ReflectiveCall) -> ValueSet:
    """`X.class.cast(value)`."""
    return tuple([kind.instance() for value in call.receivers() if (kind := value.as_type())])


def _parameter_types(call: ReflectiveCall) -> ValueSet:
    """`MethodType.methodType(result, types…)`: the types as a row."""
    types = call.types()
    return (call.engine.value(TupleValue, types),) if types is not None else ()


def _proxy(call: ReflectiveCall) -> ValueSet:
    """`Proxy.newProxyInstance(loader, interfaces, handler)`; a lambda may be the handler."""
    values = call.evaluate(call.arguments[-1]) if call.arguments else ()
    objects = [value for value in values if isinstance(value, InstanceValue)]
    handlers: list[Value] = [call.engine.value(ProxyValue, value) for value in objects]
    return (*handlers, *[value for value in values if isinstance(value, FunctionValue)])


_RULES: dict[LibraryRule, Callable[[ReflectiveCall], ValueSet]] = {
    LibraryRule.METHOD: _method,
    LibraryRule.METHOD_HANDLE: _handle,
    LibraryRule.EXACT_HANDLE: _exact_handle,
    LibraryRule.FIELD: _field,
    LibraryRule.FIELD_HANDLE: _field_handle,
    LibraryRule.RECEIVER: _receiver,
    LibraryRule.ARGUMENT: _argument,
    LibraryRule.CLASS_OF: _class_of,
    LibraryRule.CLASS: _class_named,
    LibraryRule.CAST: _object_of,
    LibraryRule.PARAMETER_TYPES: _parameter_types,
    LibraryRule.PROXY: _proxy,
}

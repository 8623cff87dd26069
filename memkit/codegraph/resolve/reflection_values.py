"""Reflected members, method handles, proxies.

Only constant names are followed: what is put together while the program runs is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

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


class ReflectedValue(Value):
    """A class, a function (bound: one that is not dispatched), a field or an object as a value
    that is asked by name."""

    __slots__ = ("inner", "nesting")

    def __init__(self, engine: InferenceEngine, inner: Value) -> None:
        self.engine = engine
        self.inner = inner
        self.nesting = inner.nesting

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


class FieldValue(Value):
    """A field of something, inside of a reflected value; to walk through it is to read it."""

    __slots__ = ("holder", "name", "nesting")

    def __init__(self, engine: InferenceEngine, holder: Value, name: str) -> None:
        self.engine = engine
        self.holder = holder
        self.name = name
        self.nesting = holder.nesting

    def iterate(self, fuel: int) -> ValueSet:
        """Return what the field of an object holds."""
        holder = self.holder
        if isinstance(holder, ClassValue):
            return holder.instance().get_member(self.name, fuel)
        return holder.get_member(self.name, fuel)


class ProxyValue(Value):
    """An object of any interface whose methods are all one method of a handler."""

    __slots__ = ("handler", "nesting")

    def __init__(self, engine: InferenceEngine, handler: Value) -> None:
        self.engine = engine
        self.handler = handler
        self.nesting = handler.nesting

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
            and self._has_types(method, types, fuel)
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
        return _RULES[rule](self, file, scope, base, term[2], fuel)

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
            return self._reflected([v for v in values if isinstance(v, InstanceValue)])
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

    def _reflected(self, values: Sequence[Value]) -> ValueSet:
        return tuple([self.engine.value(ReflectedValue, value) for value in values])

    def _method(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`x.getMethod("name", types…)`."""
        types = self._types(file, scope, arguments[1:], fuel)
        return self._members(file, scope, base, arguments[:1], types, fuel)

    def _handle(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`lookup.findVirtual(X.class, "name", type)`."""
        if len(arguments) < 2:
            return ()
        kinds: ValueSet = ()
        if len(arguments) > 2:
            kinds = self.engine.evaluate(file, scope, arguments[2], fuel)
        types = next((kind.items for kind in kinds if isinstance(kind, TupleValue)), None)
        return self._members(file, scope, arguments[0], arguments[1:2], types, fuel)

    def _exact_handle(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`lookup.findSpecial(X.class, "name", type, Y.class)`: X's, whatever the object is."""
        values = self._handle(file, scope, base, arguments, fuel)
        inner = [value.inner for value in values if isinstance(value, ReflectedValue)]
        return self._reflected([v.bound() for v in inner if isinstance(v, FunctionValue)])

    def _members(
        self,
        file: FileScopes,
        scope: int,
        base: Term,
        named: Sequence[Term],
        types: _Types | None,
        fuel: int,
    ) -> ValueSet:
        name = self.engine.constants.constant(file, scope, named[0], fuel) if named else None
        if not isinstance(name, str):
            return ()
        holders = self._holders(file, scope, base, fuel)
        members = union([holder.get_member(name, fuel) for holder in holders])
        methods = [member for member in members if isinstance(member, FunctionValue)]
        if len(methods) > 1 and types is not None:
            fitting = [method for method in methods if self._has_types(method, types, fuel)]
            methods = fitting or methods
        return self._reflected(methods)

    def _holders(self, file: FileScopes, scope: int, base: Term, fuel: int) -> list[Value]:
        """Return what is reflected by the values of a term."""
        values = self.engine.evaluate(file, scope, base, fuel)
        return [value.inner for value in values if isinstance(value, ReflectedValue)]

    def _types(
        self, file: FileScopes, scope: int, arguments: Sequence[Term], fuel: int
    ) -> _Types | None:
        """Return the types of parameters that are listed, one by one or in an array."""
        if len(arguments) == 1:
            values = self.engine.evaluate(file, scope, arguments[0], fuel)
            if listed := [value for value in values if isinstance(value, LiteralValue)]:
                arguments, file, scope = listed[0].term[1], listed[0].file, listed[0].scope
        if any(argument is None for argument in arguments):
            return None
        return tuple([self.engine.evaluate(file, scope, kind, fuel) for kind in arguments])

    def _has_types(self, function: FunctionValue, types: _Types, fuel: int) -> bool:
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

    def _field(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`x.getField("name")`."""
        constant = self.engine.constants.constant
        name = constant(file, scope, arguments[0], fuel) if arguments else None
        if not isinstance(name, str):
            return ()
        holders = self._holders(file, scope, base, fuel)
        return self._reflected([self.engine.value(FieldValue, h, name) for h in holders])

    def _field_handle(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`lookup.findGetter(X.class, "name", T.class)`."""
        return self._field(file, scope, arguments[0], arguments[1:], fuel) if arguments else ()

    def _receiver(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`x.getConstructor(types…)`, `handle.bindTo(x)`: what is made or run stays the same."""
        values = self.engine.evaluate(file, scope, base, fuel)
        return tuple([value for value in values if isinstance(value, ReflectedValue)])

    def _argument(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`lookup.findConstructor(X.class, type)`, `lookup.unreflect(method)`."""
        return self._receiver(file, scope, arguments[0], arguments, fuel) if arguments else ()

    def _class_of(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`x.getClass()`; with a name, the class of that name."""
        if arguments:
            return self._class_named(file, scope, base, arguments, fuel)
        values = self.engine.evaluate(file, scope, base, fuel)
        return self._reflected([v.as_class() for v in values if isinstance(v, InstanceValue)])

    def _class_named(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`Class.forName("a.b.Outer$Inner")`."""
        constant = self.engine.constants.constant
        text = constant(file, scope, arguments[0], fuel) if arguments else None
        if not isinstance(text, str):
            return ()
        outer, *inner = text.partition(",")[0].replace("+", "$").split("$")
        module, _, name = outer.rpartition(".")
        values: ValueSet = ()
        if module and name:
            values = self.engine.names.imported(file, module, name, 0, fuel)
        for part in inner:
            values = union([value.get_member(part, fuel) for value in values])
        return self._reflected([value for value in values if isinstance(value, ClassValue)])

    def _object_of(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`X.class.cast(value)`."""
        values = self._receiver(file, scope, base, arguments, fuel)
        return tuple([kind.instance() for value in values if (kind := value.as_type())])

    def _parameters(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`MethodType.methodType(result, types…)`: the types as a row."""
        types = self._types(file, scope, arguments[1:], fuel)
        return (self.engine.value(TupleValue, types),) if types is not None else ()

    def _proxy(
        self, file: FileScopes, scope: int, base: Term, arguments: Sequence[Term], fuel: int
    ) -> ValueSet:
        """`Proxy.newProxyInstance(loader, interfaces, handler)`; a lambda may be the handler."""
        values = self.engine.evaluate(file, scope, arguments[-1], fuel) if arguments else ()
        objects = [value for value in values if isinstance(value, InstanceValue)]
        handlers: list[Value] = [self.engine.value(ProxyValue, value) for value in objects]
        return (*handlers, *[value for value in values if isinstance(value, FunctionValue)])


def _named(value: Value) -> object:
    """Return what a class and an object of it have in common; None for what is neither."""
    if isinstance(value, ReflectedValue):
        value = value.inner
    if isinstance(value, ExternalValue | ExternalInstance):
        return value.name.rpartition(".")[2]
    is_class = isinstance(value, ClassValue | InstanceValue)
    return value.place if is_class and isinstance(value, DefinedValue) else None


_Rule = Callable[[ReflectionResolver, "FileScopes", int, Term, Sequence[Term], int], ValueSet]

_RULES: dict[LibraryRule, _Rule] = {
    LibraryRule.METHOD: ReflectionResolver._method,
    LibraryRule.METHOD_HANDLE: ReflectionResolver._handle,
    LibraryRule.EXACT_HANDLE: ReflectionResolver._exact_handle,
    LibraryRule.FIELD: ReflectionResolver._field,
    LibraryRule.FIELD_HANDLE: ReflectionResolver._field_handle,
    LibraryRule.RECEIVER: ReflectionResolver._receiver,
    LibraryRule.ARGUMENT: ReflectionResolver._argument,
    LibraryRule.CLASS_OF: ReflectionResolver._class_of,
    LibraryRule.CLASS: ReflectionResolver._class_named,
    LibraryRule.CAST: ReflectionResolver._object_of,
    LibraryRule.PARAMETER_TYPES: ReflectionResolver._parameters,
    LibraryRule.PROXY: ReflectionResolver._proxy,
}

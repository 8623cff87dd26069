"""Declared types, type arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..facts import Expression, Term
from .container_values import MAY_BE_OBJECT, GenericValue
from .reflection_values import ReflectedValue
from .values import (
    ClassValue,
    DefinedValue,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    TypeArgument,
    TypeVariable,
    Value,
    ValueSet,
    union,
)

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import Binding, FileScopes

# --- Values of declared types.


class AnnotationResolver:
    """Values of declared types."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine

    def instances_of(self, file: FileScopes, scope: int, kind: Term, fuel: int) -> ValueSet:
        """Return what a value of a type can be."""
        if kind is None:
            return ()
        tag = kind[0]
        if tag == "either":
            return self._either_of([self.instances_of(file, scope, part, fuel) for part in kind[1]])
        if tag == "item":
            return self._generic_value(file, scope, kind, fuel)
        if tag not in ("name", "attr"):
            return self._unnamed(file, scope, kind, fuel)
        scope = self.type_scope(file, scope, kind)
        values = self.engine.evaluate(file, scope, kind, fuel)
        return union([value.as_instance(file, scope, fuel) for value in values])

    def _either_of(self, parts: list[ValueSet]) -> ValueSet:
        """Return values of one of several types; a function that may be an object says so."""
        values = union(parts)
        if len(values) < 2 or not any(isinstance(value, InstanceValue) for value in values):
            return values
        return tuple([
            self.engine.term_value(GenericValue, value.file, value.scope, value.term, MAY_BE_OBJECT)
            if isinstance(value, GenericValue) and value.is_function_type
            else value
            for value in values
        ])  # fmt: skip

    def _unnamed(self, file: FileScopes, scope: int, kind: Expression, fuel: int) -> ValueSet:
        """Return what a value of a type can be that is no name."""
        tag = kind[0]
        if tag == "const":
            # In what is no annotation (`Hook = Callable[["Task"], None]`) a quoted type is a text.
            if kind[1] == "str" and kind[2] and file.dialect.quoted_annotations:
                return self.instances_of(file, scope, ("name", kind[2]), fuel)
            return (self.engine.value(ExternalInstance, kind[1]),)
        if tag == "same":
            return self.engine.evaluate(file, scope, kind[1], fuel)
        if tag in ("parameter", "like", "variable"):
            return self.instances_of(file, scope, kind[2], fuel)
        if tag == "argument":
            argument = self.engine.value(TypeArgument, kind[1])
            return (argument, *self.instances_of(file, scope, kind[2], fuel))
        # A structure without a name has its members as a mapping does.
        return self.engine.evaluate(file, scope, kind, fuel) if tag == "dict" else ()

    def type_scope(self, file: FileScopes, scope: int, kind: Term) -> int:
        """Return the scope from which a type is looked up: a member that is named as its type
        (`public Color Color`, an embedded `A` in Go) does not hide it."""
        if kind is None or kind[0] != "name" or file.dialect.type_may_be_member:
            return scope
        while (lookup := file.lookup(scope, kind[1])).binder >= 0:
            around = file.facts.scopes[lookup.binder]
            if around[0] != "class" or any(map(file.may_be_type, lookup.bindings)):
                return scope
            scope = around[1]
        return scope

    def _generic_value(self, file: FileScopes, scope: int, kind: Expression, fuel: int) -> ValueSet:
        """Return a value of a type with arguments; of one that only names others nothing."""
        if kind[1] is None:
            return ()
        type_scope = self.type_scope(file, scope, kind[1])
        bases = self.engine.evaluate(file, type_scope, kind[1], fuel)
        inside = [
            base.instance() if isinstance(base, ClassValue | InstanceValue) else base
            for base in bases
            if isinstance(base, ClassValue | InstanceValue)
            or base.is_function_type
            or (base.is_literal and base.is_mapping)
        ]
        arguments = self.of_arguments(file, scope, kind[2], bases, fuel)
        if inside or arguments:
            return union([tuple(inside), arguments])
        name = kind[1][-1]
        if name in ("type", "Type"):
            return tuple(self._classes(file, scope, kind[2], fuel))
        if name == "Class" and (classes := self._classes(file, scope, kind[2], fuel)):
            return tuple([self.engine.value(ReflectedValue, known) for known in classes])
        return (self.engine.term_value(GenericValue, file, scope, kind),)

    def of_arguments(
        self, file: FileScopes, scope: int, key: Term, bases: ValueSet, fuel: int
    ) -> ValueSet:
        """Return values of the arguments of a type that it stands for, or is that and more: `A<B>`
        where `type A<T> = T | C` or `type A<T> = T & { … }`."""
        variables = [base for base in bases if isinstance(base, TypeVariable)]
        for base in bases:
            if isinstance(base, ClassValue) and base.has_flag("alias"):
                variables += [
                    self.engine.value(TypeVariable, term[1])
                    for term in base.definition.bases
                    if term is not None and term[0] == "variable"
                ]
        return union([
            self.instances_of(file, scope, variable.argument(key), fuel)
            for variable in dict.fromkeys(variables)
        ])  # fmt: skip

    def _classes(self, file: FileScopes, scope: int, kind: Term, fuel: int) -> list[ClassValue]:
        """Return the classes that a type names."""
        values = self.instances_of(file, scope, kind, fuel)
        return [value.as_class() for value in values if isinstance(value, InstanceValue)]


# --- Return values typed by a parameter of the class: `Box[User]().get()`.
#
# An object does not know the arguments of its type. They are looked for where it comes from: in
# the declared type of a name, a member, a parameter or a function, in the call that made it, or
# in the bases of its class.

# A type as it is written: the file and scope in which it stands, its term.
_Written = tuple["FileScopes", int, Term]
# Names and members that are followed to where a type is written.
_MAX_HOPS = 4
# Terms that say of what type they are, and those that are what is in them.
_TYPED = frozenset({"cast", "new", "typed"})
_TRANSPARENT = frozenset({"await", "seen"})


def parameter_results(
    engine: InferenceEngine,
    file: FileScopes,
    scope: int,
    receiver: Term,
    callees: ValueSet,
    fuel: int,
) -> ValueSet:
    """Return what methods of an object give that are said to give a parameter of its class."""
    parts: list[ValueSet] = []
    for callee in callees:
        if not isinstance(callee, FunctionValue) or not callee.is_bound:
            continue
        there, returns = callee.file, callee.definition.returns
        if returns is None or returns[0] != "parameter":
            continue
        owner = engine.value(ClassValue, callee.path, there.class_of(callee.number))
        parts += [
            _argument(engine, written, owner, returns[1], fuel)
            for written in _types(engine, file, scope, receiver, fuel, _MAX_HOPS)
        ]
    return union(parts)


def _argument(
    engine: InferenceEngine, written: _Written, owner: Value, position: int, fuel: int
) -> ValueSet:
    """Return a value of an argument that a type gives to a class: itself, or by its bases."""
    file, scope, kind = written
    if kind is None or kind[0] not in ("item", "name", "attr"):
        return ()
    named = kind[1] if kind[0] == "item" else kind
    type_scope = engine.annotations.type_scope(file, scope, named)
    values = engine.evaluate(file, type_scope, named, fuel)
    if kind[0] == "item" and owner in values:
        keys = kind[2][1] if kind[2] is not None and kind[2][0] == "tuple" else (kind[2],)
        if position >= len(keys):
            return ()
        return engine.annotations.instances_of(file, scope, keys[position], fuel)
    return union([
        _argument(engine, (ancestor.file, ancestor.definition.scope, base), owner, position, fuel)
        for value in values
        if isinstance(value, ClassValue) and value is not owner
        for ancestor in engine.members.order(*value.place)
        if isinstance(ancestor, DefinedValue)
        for base in ancestor.definition.bases
        if base is not None and base[0] == "item"
    ])  # fmt: skip


def _types(
    engine: InferenceEngine, file: FileScopes, scope: int, term: Term, fuel: int, hops: int
) -> Iterator[_Written]:
    """Yield the types that are written where a value comes from."""
    if term is None or not hops:
        return
    tag = term[0]
    if tag in _TYPED:
        yield file, scope, term[1]
    elif tag in _TRANSPARENT:
        yield from _types(engine, file, scope, term[1], fuel, hops)
    elif tag == "call":
        yield from _of_call(engine, file, scope, term, fuel)
    elif tag in ("name", "attr"):
        yield from _of_variable(engine, file, scope, term, fuel, hops - 1)


def _of_variable(
    engine: InferenceEngine, file: FileScopes, scope: int, term: Expression, fuel: int, hops: int
) -> Iterator[_Written]:
    """Yield the types that are written where a name or a member is bound."""
    if term[0] == "name":
        for binding in file.lookup(scope, term[1]).bindings:
            yield from _of_binding(engine, file, binding, fuel, hops)
        return
    for value in engine.evaluate(file, scope, term[1], fuel):
        if isinstance(value, InstanceValue):
            yield from _of_member(engine, value, term[2], fuel, hops)


def _of_call(
    engine: InferenceEngine, file: FileScopes, scope: int, term: Expression, fuel: int
) -> Iterator[_Written]:
    """Yield the class that is called, with its arguments, or the declared type of what is given."""
    if term[1] is not None and term[1][0] in ("item", "name"):
        yield file, scope, term[1]
    for value in engine.evaluate(file, scope, term[1], fuel):
        if isinstance(value, FunctionValue):
            definition = value.definition
            engine.depend_on(value.file.unit(definition.body))
            yield value.file, definition.scope, definition.returns


def _of_binding(
    engine: InferenceEngine, file: FileScopes, binding: Binding, fuel: int, hops: int
) -> Iterator[_Written]:
    tag = binding[0]
    if tag in ("type", "narrow"):
        yield file, binding[1], binding[2]
    elif tag == "value":
        yield from _types(engine, file, binding[1], binding[2], fuel, hops)
    elif tag == "param":
        definition = file.definitions[binding[1]]
        yield file, definition.scope, definition.params[binding[2]][1]


def _of_member(
    engine: InferenceEngine, instance: InstanceValue, name: str, fuel: int, hops: int
) -> Iterator[_Written]:
    for holder in engine.members.order(*instance.place):
        if not isinstance(holder, DefinedValue):
            return
        file, definition = holder.file, holder.definition
        engine.depend_on(f"a:{file.path}:{definition.qualname}.{name}")
        inside = file.names[definition.body] if definition.body >= 0 else {}
        bindings = [*inside.get(name, ()), *file.attrs.get(holder.number, {}).get(name, ())]
        for binding in bindings:
            yield from _of_binding(engine, file, binding, fuel, hops)
        if bindings:
            return

"""Declared types, type arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ..facts import Expression, Term
from .container_values import MAY_BE_OBJECT, GenericValue
from .reflection_values import ReflectedValue
from .values import (
    FUEL,
    ClassValue,
    DefinedValue,
    ExternalInstance,
    FunctionValue,
    InstanceValue,
    Place,
    TypeArgument,
    TypeVariable,
    Value,
    ValueSet,
    union,
)

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import Binding, FileScopes

# What gives values of the parameters of a type, by their places.
Types = Callable[[int], ValueSet]
# A type as it is written: the file and scope in which it stands, its term.
Written = tuple["FileScopes", int, Term]

# Types of which it is kept which parameters they say.
_MAX_TYPES = 20_000

# --- Values of declared types.


class AnnotationResolver:
    """Values of declared types."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        # Types with something in place of parameters: each is made once, since values of types are
        # told by the identity of their terms; what it was made of stays with it for that.
        self._places: dict[tuple[int, str], tuple[Term, tuple[int, ...]]] = {}
        self._substituted: dict[tuple[int, tuple[ValueSet, ...]], tuple[Term, Term]] = {}

    def substituted(self, kind: Term, tag: str, argument: Types) -> Term:
        """Return a type with values in place of the parameters that it says."""
        places = self.places_in(kind, tag)
        if not places:
            return kind
        values = tuple([argument(place) for place in places])
        if not any(values):
            return kind
        key = (id(kind), values)
        if key not in self._substituted:
            made = _with_values(kind, tag, dict(zip(places, values, strict=True)))
            self._substituted[key] = (kind, made)
        return self._substituted[key][1]

    def places_in(self, kind: Term, tag: str) -> tuple[int, ...]:
        """Return the places of the parameters that a type says."""
        if kind is None or (kind[0] != tag and kind[0] not in _HOLDING):
            return ()
        key = (id(kind), tag)
        known = self._places.get(key)
        if known is None:
            known = self._places[key] = (kind, tuple(sorted(set(_places_in(kind, tag)))))
        return known[1]

    def forget(self) -> None:
        """Forget which parameters types say, once they are many."""
        if len(self._places) > _MAX_TYPES:
            self._places.clear()

    def instances_of(self, file: FileScopes, scope: int, kind: Term, fuel: int) -> ValueSet:
        """Return what a value of a type can be."""
        if kind is None:
            return ()
        tag = kind[0]
        if tag == "either":
            return self._either_of([self.instances_of(file, scope, part, fuel) for part in kind[1]])
        if tag == "item":
            return self._generic(file, scope, kind, fuel)
        if tag not in ("name", "attr"):
            return self._unnamed(file, scope, kind, fuel)
        scope = self.type_scope(file, scope, kind)
        values = self.engine.named_type(file, scope, kind, fuel)
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
        if tag in ("parameter", "generic", "like", "variable"):
            return self.instances_of(file, scope, kind[2], fuel)
        if tag == "known":
            values: ValueSet = kind[1]
            return values
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

    def _generic(self, file: FileScopes, scope: int, kind: Expression, fuel: int) -> ValueSet:
        """Return a value of a type with arguments: calls of one function ask for it again."""
        if fuel == FUEL:
            return self._generic_value(file, scope, kind, fuel)
        values: ValueSet = self.engine.cached(
            ("type", file.path, scope, id(kind)),
            fuel + 1,  # what it is made from is as many hops away as without a cache
            lambda _, fuel: self._generic_value(file, scope, kind, fuel),
        )
        return values

    def _generic_value(self, file: FileScopes, scope: int, kind: Expression, fuel: int) -> ValueSet:
        """Return a value of a type with arguments; of one that only names others nothing."""
        if kind[1] is None:
            return ()
        type_scope = self.type_scope(file, scope, kind[1])
        bases = self.engine.evaluate(file, type_scope, kind[1], fuel)

        def argument(position: int) -> ValueSet:
            keys = _keys(kind)
            key = keys[position] if position < len(keys) else None
            return self.instances_of(file, scope, key, fuel)

        inside = [value for base in bases for value in self._with_arguments(base, argument, fuel)]
        arguments = self.of_arguments(file, scope, kind[2], bases, fuel)
        if inside or arguments:
            return union([tuple(inside), arguments])
        name = str(kind[1][-1]).strip("<>")
        if name in ("type", "Type"):
            return tuple(self._classes(file, scope, kind[2], fuel))
        if name == "Class" and (classes := self._classes(file, scope, kind[2], fuel)):
            return tuple([self.engine.value(ReflectedValue, known) for known in classes])
        return (self.engine.term_value(GenericValue, file, scope, kind),)

    def _with_arguments(self, base: Value, argument: Types, fuel: int) -> Iterator[Value]:
        """Yield values of a type with arguments, which its other name or its class takes."""
        if isinstance(base, ClassValue | InstanceValue):
            yield base.instance()
            for signature in self._signatures(base, fuel):
                if isinstance(signature, GenericValue):
                    signature = self.with_values(signature, "parameter", argument)
                    yield self.with_values(signature, "variable", argument)
        elif isinstance(base, GenericValue) and self.places_in(base.term, "variable"):
            yield self.with_values(base, "variable", argument)
        elif base.is_function_type or (base.is_literal and base.is_mapping):
            yield base

    def _signatures(self, kind: ClassValue | InstanceValue, fuel: int) -> ValueSet:
        """Return what an interface says that calling one of its objects takes and gives."""
        body = kind.definition.body
        is_called = body >= 0 and "__call__" in kind.file.names[body]
        is_called = is_called or kind.has_flag("alias")
        return kind.instance().signatures(fuel) if is_called else ()

    def own_types(
        self, file: FileScopes, scope: int, call: Expression, kinds: Sequence[Term], fuel: int
    ) -> Types:
        """Return what gives values of the own type parameters of a function that takes some types,
        by their places: as a call says, else as its arguments show."""
        listed = call[5][1] if len(call) > 5 and call[5] is not None else ()
        said = [
            (self.places_in(kind, "generic"), kind, argument)
            for kind, argument in zip(kinds, call[2], strict=False)
            if argument is not None
        ]
        known: dict[int, ValueSet] = {}

        def own(position: int) -> ValueSet:
            if position < len(listed):
                return self.instances_of(file, scope, listed[position], fuel)
            for number, (places, kind, argument) in enumerate(said):
                if position in places:
                    if number not in known:
                        known[number] = self._shown(file, scope, kind, argument, fuel)
                    if known[number]:
                        return known[number]
            return ()

        return own

    def _shown(
        self, file: FileScopes, scope: int, kind: Term, argument: Term, fuel: int
    ) -> ValueSet:
        """Return values of a type parameter that an argument shows where it stands for a type: `T`,
        `T[]`, `() => T`, `new () => T` or another name of that."""
        if kind is not None and kind[0] == "either":
            parts = [self._shown(file, scope, part, argument, fuel) for part in kind[1]]
            return next(filter(None, parts), ())
        if kind is None or kind[0] not in ("generic", "item"):
            return ()
        values = self.engine.evaluate(file, scope, argument, fuel)
        if kind[0] == "generic":
            return values
        if written := self._written_alike(file, scope, kind, argument, fuel):
            return written
        if kind[2] is not None and kind[2][0] == "generic":
            if made := [value.instance() for value in values if isinstance(value, ClassValue)]:
                return tuple(made)
            return self.engine.iterate(values, fuel)
        is_function = kind[1] == ("name", "Callable")
        functions = [value for value in values if isinstance(value, FunctionValue)]
        return union([value.returns(fuel) for value in functions]) if is_function else ()

    def _written_alike(
        self, file: FileScopes, scope: int, kind: Expression, argument: Term, fuel: int
    ) -> ValueSet:
        """Return what stands for a type parameter in the type of an argument, where that is written
        as the one that is taken is: `Key<User>` for `Key<T>`."""
        places = [p for p, key in enumerate(_keys(kind)) if key is not None and key[0] == "generic"]
        if not places or kind[1] is None:
            return ()
        parts = [
            self.instances_of(there, inner, _keys(written)[places[0]], fuel)
            for there, inner, written in _types(self.engine, file, scope, argument, fuel, _MAX_HOPS)
            if written is not None
            and written[0] == "item"
            and written[1] is not None
            and written[1][-1] == kind[1][-1]
            and places[0] < len(_keys(written))
        ]
        return union(parts)

    def with_values(self, value: GenericValue, tag: str, argument: Types) -> GenericValue:
        """Return something of a type with values in place of the parameters that it says."""
        term = self.substituted(value.term, tag, argument)
        if term is value.term:
            return value
        make, file = self.engine.term_value, value.file
        return make(GenericValue, file, value.scope, term, *[True] * value.may_be_object)

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


# --- Types that say a parameter of the class: `Box[User]().get()`, `bus.subscribe((e) => …)`.
#
# An object does not know the arguments of its type. They are looked for where it comes from: in
# the declared type of a name, a member, a parameter or a function, in the call that made it, or
# in the bases of its class.

# Names and members that are followed to where a type is written.
_MAX_HOPS = 4
# Bases that are followed from a type to the class whose parameter is looked for.
_MAX_BASES = 6
# Terms that say of what type they are, and those that are what is in them.
_TYPED = frozenset({"cast", "new", "typed"})
_TRANSPARENT = frozenset({"await", "seen"})
# Terms of types that hold others, and where.
_HOLDING = frozenset({"item", "star", "tuple", "list", "either"})


def _keys(kind: Expression) -> Sequence[Term]:
    """Return the arguments of a type that has some."""
    keys: Sequence[Term] = kind[2][1] if kind[2] is not None and kind[2][0] == "tuple" else kind[2:]
    return keys


def _parts(kind: Expression) -> Sequence[Term]:
    """Return the types that stand in one."""
    parts: Sequence[Term] = kind[1:] if kind[0] in ("item", "star") else kind[1]
    return parts


def _places_in(kind: Term, tag: str) -> Iterator[int]:
    """Yield the places of the parameters that a type says."""
    if kind is not None and kind[0] == tag:
        yield kind[1]
        yield from _places_in(kind[2], tag)
    elif kind is not None and kind[0] in _HOLDING:
        for part in _parts(kind):
            yield from _places_in(part, tag)


def _with_values(kind: Term, tag: str, values: Mapping[int, ValueSet]) -> Term:
    if kind is None or (kind[0] != tag and kind[0] not in _HOLDING):
        return kind
    if kind[0] == tag:
        known = values[kind[1]]
        return ("known", known) if known else _with_values(kind[2], tag, values)
    if kind[0] in ("item", "star"):
        return (kind[0], *[_with_values(part, tag, values) for part in kind[1:]])
    return (kind[0], tuple([_with_values(part, tag, values) for part in kind[1]]))


def specialised(
    engine: InferenceEngine,
    file: FileScopes,
    scope: int,
    member: Term,
    place: Place,
    kind: Term,
    fuel: int,
) -> Term:
    """Return a type that a method or a field says, of which the place is given, with what its
    object makes of the parameters of its class; `member` is the term that reads it."""
    is_member = member is not None and member[0] == "attr"
    if member is None or not is_member or not engine.annotations.places_in(kind, "parameter"):
        return kind
    number = engine.files[place[0]].class_of(place[1])
    if number < 0:
        return kind
    owner = engine.value(ClassValue, place[0], number)

    def argument(position: int) -> ValueSet:
        return _argument_of(engine, file, scope, member[1], owner, position, fuel)

    return engine.annotations.substituted(kind, "parameter", argument)


def _argument_of(
    engine: InferenceEngine,
    file: FileScopes,
    scope: int,
    receiver: Term,
    owner: ClassValue,
    position: int,
    fuel: int,
) -> ValueSet:
    """Return values of a parameter of a class, as an object of it or of one below says."""
    written = _types(engine, file, scope, receiver, fuel, _MAX_HOPS)
    values = union([_argument(engine, kind, owner, position, fuel) for kind in written])
    return values or union([
        _argument_by_bases(engine, None, value.as_class(), owner, position, fuel)
        for value in engine.evaluate(file, scope, receiver, fuel)
        if isinstance(value, InstanceValue)
    ])  # fmt: skip


def _argument(
    engine: InferenceEngine,
    written: Written,
    owner: ClassValue,
    position: int,
    fuel: int,
    steps: int = _MAX_BASES,
) -> ValueSet:
    """Return a value of an argument that a type gives to a class: itself, or by its bases."""
    file, scope, kind = written
    if kind is None or kind[0] not in ("item", "name", "attr") or kind[1] is None or steps <= 0:
        return ()
    named = kind[1] if kind[0] == "item" else kind
    type_scope = engine.annotations.type_scope(file, scope, named)
    values = engine.evaluate(file, type_scope, named, fuel)
    if kind[0] == "item" and owner in values:
        keys = _keys(kind)
        if position >= len(keys):
            return ()
        return engine.annotations.instances_of(file, scope, keys[position], fuel)
    return union([
        _argument_by_bases(engine, written, value, owner, position, fuel, steps - 1)
        for value in values
        if isinstance(value, ClassValue) and value is not owner
    ])  # fmt: skip


def _argument_by_bases(
    engine: InferenceEngine,
    written: Written | None,
    kind: ClassValue,
    owner: ClassValue,
    position: int,
    fuel: int,
    steps: int = _MAX_BASES,
) -> ValueSet:
    """Return a value of an argument that the bases of a class give to one above it; `written` says
    the arguments of the class itself."""
    parts: list[ValueSet] = []
    for ancestor in engine.members.order(*kind.place):
        if not isinstance(ancestor, ClassValue) or ancestor is owner:
            continue
        if owner not in engine.members.order(*ancestor.place):
            continue

        def argument(place: int, ancestor: ClassValue = ancestor) -> ValueSet:
            if written is None:
                return ()
            return _argument(engine, written, ancestor, place, fuel, steps - 1)

        for base in ancestor.definition.bases:
            if base is not None and base[0] == "item":
                known = engine.annotations.substituted(base, "parameter", argument)
                there = (ancestor.file, ancestor.definition.scope, known)
                parts.append(_argument(engine, there, owner, position, fuel, steps - 1))
    return union(parts)


def _types(
    engine: InferenceEngine, file: FileScopes, scope: int, term: Term, fuel: int, hops: int
) -> Iterator[Written]:
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
) -> Iterator[Written]:
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
) -> Iterator[Written]:
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
) -> Iterator[Written]:
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
) -> Iterator[Written]:
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

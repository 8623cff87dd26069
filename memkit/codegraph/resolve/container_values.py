"""Literals, tuples, generics, containers of libraries; constants."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import attrs

from ..facts import Expression, Term
from .values import (
    ClassValue,
    DefinedValue,
    ExternalMethod,
    FunctionValue,
    InstanceValue,
    ModuleValue,
    Value,
    ValueSet,
    Variable,
    union,
)

if TYPE_CHECKING:
    from ..dialect import LibraryRules
    from .engine import InferenceEngine
    from .file_scopes import Binding, FileScopes

# --- Constants: names that stand for one text wherever they are read, as keys or names.
#
# A name is followed to its one binding, through imports and members of classes; one that is bound
# twice, or to anything but a constant, says nothing.

# Bindings that only say of what type a name is.
_DECLARING = frozenset({"type", "narrow"})
# What makes a generic value one of which an object would do as well.
MAY_BE_OBJECT = True
# Terms of keys that are no constants: most that are none.
_UNKEYED = frozenset({"call", "item", "tuple"})


@attrs.define(eq=False)
class ConstantValue(Value):
    """A short text or a number, where values are followed."""

    kind: str
    value: object


class ConstantEvaluator:
    """Values of constants."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine

    def constant(self, file: FileScopes, scope: int, term: Term, fuel: int) -> object:
        """Return the value of a constant, or the text that a name stands for, else None."""
        if term is None:
            return None
        tag = term[0]
        if tag == "const":
            return term[2]
        if tag == "join":
            parts = [self.constant(file, scope, part, fuel) for part in term[1]]
            texts = [part for part in parts if isinstance(part, str)]
            return "".join(texts) if len(texts) == len(parts) else None
        if tag == "name":
            return self._recalled(("constant", file.path, scope, term[1]), fuel)
        if tag != "attr":
            return None
        base = self.engine.evaluate(file, scope, term[1], fuel)
        return self._recalled(("constant", base[0], term[2]), fuel) if len(base) == 1 else None

    def _recalled(self, variable: Variable, fuel: int) -> object:
        work = self._named if isinstance(variable[1], str) else self._held
        value = self.engine.cached(variable, fuel, work)
        return value if isinstance(value, str) else None

    def _named(self, variable: Variable, fuel: int) -> object:
        """Return the text that a name of a scope stands for."""
        _, path, scope, name = variable
        file = self.engine.files[path]
        binder = file.binder(scope, name)
        if binder < 0:
            return self._elsewhere_constant(file, scope, name, fuel)
        self.engine.depend_on(self.engine.names.name_key(file, binder, name))
        number = file.facts.scopes[binder][2]
        others = file.attrs.get(number, {}).get(name, ()) if number >= 0 else ()
        return self._bound_once(file, [*file.names[binder][name], *others], fuel)

    def _elsewhere_constant(self, file: FileScopes, scope: int, name: str, fuel: int) -> object:
        """Return what a name stands for that no scope binds: of a base, or of the own namespace."""
        if file.dialect.implicit_members and (method := file.method_around(scope)) >= 0:
            number = file.class_of(method)
            holder = self.engine.value(ClassValue, file.path, number)
            return self._held(("constant", holder, name), fuel) if number >= 0 else None
        if not file.dialect.shares_namespace:
            return None
        key = self.engine.modules.of(file.path).namespace(file.path)
        return self._of_namespace(file.dialect.family, key, name, fuel)

    def _held(self, variable: Variable, fuel: int) -> object:
        """Return the text that a member of a class or a namespace stands for."""
        _, value, name = variable
        if isinstance(value, ModuleValue):
            return self._of_namespace(value.family, value.key, name, fuel)
        if not isinstance(value, ClassValue | InstanceValue):
            return None
        for holder in self.engine.members.order(*value.place):
            if isinstance(holder, DefinedValue) and (bindings := self._bindings(holder, name)):
                return self._bound_once(holder.file, bindings, fuel)
        return None

    def _bindings(self, value: DefinedValue, name: str) -> list[Binding]:
        """Return what is bound to a member of one class, in its body and elsewhere in its file."""
        file, definition = value.file, value.definition
        self.engine.depend_on(f"a:{value.path}:{definition.qualname}.{name}")
        own = file.names[definition.body].get(name, ()) if definition.body >= 0 else ()
        return [*own, *file.attrs.get(value.number, {}).get(name, ())]

    def _of_namespace(self, family: str, key: str, name: str, fuel: int) -> object:
        self.engine.depend_on(f"n:{key}:{name}")
        for file in self.engine.names.holders(family, key, name):
            for local, _ in file.exports.get(name, [(name, None)]):
                if local in file.names[0]:
                    return self._bound_once(file, file.names[0][local], fuel)
        return None

    def _bound_once(self, file: FileScopes, bindings: Iterable[Binding], fuel: int) -> object:
        assignments = [binding for binding in bindings if binding[0] not in _DECLARING]
        if len(assignments) != 1:
            return None
        if assignments[0][0] == "value":
            return self.constant(file, assignments[0][1], assignments[0][2], fuel)
        if assignments[0][0] != "import" or assignments[0][2] in (None, "*"):
            return None
        _, module, name, level = assignments[0]
        for key in self.engine.names.namespaces(file, module, level):
            if (text := self._of_namespace(file.dialect.family, key, name, fuel)) is not None:
                return text
        return None

    def key_of(self, file: FileScopes, scope: int, key: Term, fuel: int) -> object:
        """Return the value of a key if it is a constant or the name of a text, else None; where
        values are followed, if it is the same wherever it comes from."""
        if self.engine.is_flowing:
            values = self.engine.evaluate(file, scope, key, fuel)
            known = values[0] if len(values) == 1 else None
            return known.value if isinstance(known, ConstantValue) else None
        if key is None or key[0] in _UNKEYED:
            return None
        return key[2] if key[0] == "const" else self.constant(file, scope, key, fuel)


# --- Containers: literals as they are written, and what is known of others.


class Container(Value):
    """Something whose elements are known, or at least what it is called."""

    __slots__ = ()

    def method_result(self, library: LibraryRules, name: str, fuel: int) -> ValueSet:
        """Return what a method gives: of a mapping its keys and values."""
        if not self.is_mapping:
            return super().method_result(library, name, fuel)
        if name in library.value_methods:
            return self.mapped(fuel)
        if name == "values":
            return (self.engine.value(ContainerValue, self.mapped(fuel)),)
        if name == "items":
            row = self.engine.value(TupleValue, (self.iterate(fuel), self.mapped(fuel)))
            return (self.engine.value(ContainerValue, (row,)),)
        if name == "keys":
            return (self.engine.value(ContainerValue, self.iterate(fuel)),)
        return super().method_result(library, name, fuel)


@attrs.define(eq=False)
class LiteralValue(Container):
    """A list, tuple, set or mapping as it is written: a term of a scope of a file."""

    path: str
    scope: int
    term: Expression

    @property
    def is_literal(self) -> bool:
        """Yes."""
        return True

    @property
    def is_mapping(self) -> bool:
        """Whether it is a mapping or an object."""
        return bool(self.term[0] == "dict")

    @property
    def file(self) -> FileScopes:
        """The file in which it stands."""
        return self.engine.files[self.path]

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return what an object holds under a name, where that is a member; else a method."""
        if self.is_mapping and self.file.dialect.dict_keys_are_members:
            held = union([
                _read(self.at(name, fuel, exact=True), fuel),
                self.engine.extra_values(("held", self, name)),
                self.engine.members.loose(self, name, fuel),
            ])  # fmt: skip
            if held:
                return held
        return (self.engine.value(ExternalMethod, self, name),)

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return itself: another name of a structure stands for it."""
        return (self,) if self.is_mapping else ()

    def iterate(self, fuel: int) -> ValueSet:
        """Return its elements; the keys of a mapping."""
        return union([self.listed(fuel), self.engine.extra_values(("held", self))])

    def mapped(self, fuel: int) -> ValueSet:
        """Return what it holds under any key."""
        return union([self.at(None, fuel), self.engine.extra_values(("held", self))])

    def entry(self, key: object, fuel: int) -> ValueSet:
        """Return what it holds under a key."""
        return self.at(key, fuel)

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return what it holds under a key, if that is known, else all that it holds."""
        known = self.engine.constants.key_of(file, scope, key, fuel)
        return union([self.at(known, fuel), self.engine.extra_values(("held", self, known))])

    def listed(self, fuel: int) -> ValueSet:
        """Return the elements that are written in it; the keys of a mapping."""
        values: ValueSet = self.engine.cached(("listed", self), fuel, self._listed)
        return values

    def _listed(self, variable: Variable, fuel: int) -> ValueSet:
        file, scope, evaluate = self.file, self.scope, self.engine.evaluate
        if self.is_mapping:
            keys = [key for key, _ in self.term[1] if key is not None and key[0] != "const"]
            return union([evaluate(file, scope, key, fuel) for key in keys])
        return union([
            self.engine.iterate(evaluate(file, scope, element[1], fuel), fuel)
            if element is not None and element[0] == "star"
            else evaluate(file, scope, element, fuel)
            for element in self.term[1]
        ])  # fmt: skip

    def at(self, key: object, fuel: int, *, exact: bool = False) -> ValueSet:
        """Return what is written in it under a key, under any if that is None; `exact`: nothing
        that may be under the key without saying so."""
        values: ValueSet = self.engine.cached(("at", self, key, exact), fuel, self._at)
        return values

    def _at(self, variable: Variable, fuel: int) -> ValueSet:
        _, _, key, exact = variable
        if self.is_mapping:
            return self._mapped_at(key, fuel)
        elements = self.term[1]
        is_spread = any(element is not None and element[0] == "star" for element in elements)
        if isinstance(key, int) and key >= 0 and not is_spread:
            if key >= len(elements):
                return ()
            return self.engine.evaluate(self.file, self.scope, elements[key], fuel)
        return () if exact or isinstance(key, str) else self.listed(fuel)

    def _mapped_at(self, key: object, fuel: int) -> ValueSet:
        """Return what a mapping holds under a key: what stands last overwrites what is before."""
        file, evaluate = self.file, self.engine.evaluate
        parts: list[ValueSet] = []
        for entry_key, term in reversed(self.term[1]):
            is_last = False
            if entry_key is None:
                spread = evaluate(file, self.scope, term, fuel)
                parts += [value.entry(key, fuel) for value in spread]
                is_last = any(parts) and all(isinstance(value, ModuleValue) for value in spread)
            elif entry_key[0] != "const" or key is None or entry_key[2] in (None, key):
                parts.append(evaluate(file, self.scope, term, fuel))
                is_last = entry_key[0] == "const" and entry_key[2] is not None
            if is_last and key is not None:
                break
        return union(parts[::-1])


def _read(members: ValueSet, fuel: int) -> ValueSet:
    """Return members of a literal as they are read: of accessors what they give."""
    return union([
        member.returns(fuel)
        if isinstance(member, FunctionValue)
        and not member.is_bound
        and member.has_flag("property")
        else (member,)
        for member in members
    ])  # fmt: skip


@attrs.define(eq=False)
class ContainerValue(Container):
    """A container of which the elements are known."""

    elements: ValueSet

    def iterate(self, fuel: int) -> ValueSet:
        """Return its elements."""
        return self.elements

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return its elements: any of them."""
        return self.elements

    def enter(self, fuel: int) -> ValueSet:
        """Return its elements: a generator of a library is among such containers."""
        return self.elements


@attrs.define(eq=False)
class TupleValue(Container):
    """A tuple of which each element is known."""

    items: tuple[ValueSet, ...]

    def iterate(self, fuel: int) -> ValueSet:
        """Return all elements."""
        return union(self.items)

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return the element at a position; any of them if that is not known."""
        position = _position(key)
        if position is None:
            return self.iterate(fuel)
        return self.items[position] if position < len(self.items) else ()


@attrs.define(eq=False)
class ArgumentsValue(Container):
    """What is given by name for the rest of the parameters, where values are followed."""

    fields: tuple[tuple[str, ValueSet], ...]

    def named(self, key: object) -> ValueSet:
        """Return what is given by a name; by any if that is None."""
        return union([values for name, values in self.fields if key in (None, name)])

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return what is given by a name."""
        return self.named(self.engine.constants.key_of(file, scope, key, fuel))


@attrs.define(eq=False)
class GenericValue(Container):
    """Something of a type with arguments, as it is written; `may_be_object`: of a type of
    functions, where an object would do as well."""

    path: str
    scope: int
    term: Expression
    may_be_object: bool = False

    @property
    def file(self) -> FileScopes:
        """The file in which the type is written."""
        return self.engine.files[self.path]

    @property
    def type_name(self) -> str:
        """The name of the type without its arguments."""
        return str(self.term[1][-1]) if self.term[1] is not None else ""

    @property
    def is_mapping(self) -> bool:
        """Whether it is of a type that maps keys to values."""
        types = self.file.dialect.library.mapping_types
        return self.type_name.strip("<>").rpartition(".")[2] in types

    @property
    def is_function_type(self) -> bool:
        """Whether it is of a type of functions."""
        return self.type_name in self.file.dialect.library.callable_types

    @property
    def _is_tuple(self) -> bool:
        return self.type_name in ("tuple", "Tuple")

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what its type says that a call gives: Callable[[…], T]."""
        if not self.is_function_type:
            return ()
        key, annotations = self.term[2], self.engine.annotations
        if key is None or key[0] != "tuple" or not annotations.places_in(key, "generic"):
            return self.argument(-1, fuel)
        taken = key[1][0]
        kinds = taken[1] if taken is not None and taken[0] in ("tuple", "list") else ()
        types = annotations.own_types(file, scope, term, kinds, fuel)
        return self._instances_of(annotations.substituted(key[1][-1], "generic", types), fuel)

    def parameter(self, position: int, fuel: int) -> ValueSet:
        """Return what a function of its type is called with: of Callable[[A, B], T] A and B."""
        key = self.term[2]
        parameters = key[1][0] if key is not None and key[0] == "tuple" else None
        if not self.is_function_type or parameters is None:
            return ()
        kinds = parameters[1] if parameters[0] in ("tuple", "list") else ()
        kind = kinds[min(position, len(kinds) - 1)] if kinds else None
        if kind is not None and kind[0] == "star":
            return self._instances_of(kind[1], fuel)
        return self._instances_of(kind, fuel) if position < len(kinds) else ()

    def iterate(self, fuel: int) -> ValueSet:
        """Return something of the first argument of the type."""
        return self.argument(0, fuel)

    def mapped(self, fuel: int) -> ValueSet:
        """Return something of the last argument of the type."""
        return self.argument(-1, fuel)

    def enter(self, fuel: int) -> ValueSet:
        """Return something of the first argument of the type: that of a context manager."""
        return self.argument(0, fuel)

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return an element; of a tuple that of the position; of a type of functions itself: its
        other name has arguments."""
        if self.is_function_type:
            return (self,)
        position, types = _position(key), self.term[2]
        is_row = self._is_tuple and types is not None and types[0] == "tuple"
        if is_row and position is not None:
            known = types[1]
            return self._instances_of(known[position], fuel) if position < len(known) else ()
        return self.mapped(fuel) if self.is_mapping else self.iterate(fuel)

    def argument(self, position: int, fuel: int) -> ValueSet:
        """Return values of an argument of the type: 0 what walking gives, -1 the last."""
        key = self.term[2]
        if key is None or key[0] != "tuple":
            return self._instances_of(key, fuel)
        arguments = key[1]
        if not arguments:
            return ()
        if position == 0 and self._is_tuple:
            return union([self._instances_of(argument, fuel) for argument in arguments])
        return self._instances_of(arguments[position], fuel)

    def _instances_of(self, kind: Term, fuel: int) -> ValueSet:
        return self.engine.annotations.instances_of(self.file, self.scope, kind, fuel)

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return itself: another name of such a type stands for it."""
        return (self,)


def _position(key: Term) -> int | None:
    """Return the number that a key is written as."""
    if key is not None and key[0] == "const" and isinstance(key[2], int) and key[2] >= 0:
        return int(key[2])
    return None

"""Values: classes, instances, functions, modules, and what lies outside of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import attrs

from ..facts import Definition, Expression, Term

if TYPE_CHECKING:
    from ..dialect import LibraryRules
    from .engine import InferenceEngine
    from .file_scopes import FileScopes

# --- Values, and how many of them are followed.

# What a cached value is of: a value and the name of its member, or a tag and more.
Variable = tuple[Any, ...]
# Path and number of a definition; number -1 is the file itself.
Place = tuple[str, int]

# Hops from a question to what answers it. Twelve give no edge more than eight on Django.
FUEL = 8
# Values of one variable that are followed: a registry of hundreds of classes is no answer.
MAX_VALUES = 12
# The same of functions of one name in one file, where they are that.
_MAX_OVERLOADS = 40
# Names of things outside that are followed: a.b.c.d.
_MAX_DOTS = 5
# What makes a function a method of an object.
BOUND = True
# Methods of iterators that give the next element.
_NEXT = ("__next__", "__anext__", "next")


@attrs.define(eq=False)
class Value:
    """Something that a term can be. An engine makes each value once: equal ones are the same.

    Attributes:
        path: file in which it is defined or written, "" for what is outside of the tree.
    """

    engine: InferenceEngine
    path = ""

    @property
    def is_mapping(self) -> bool:
        """Whether it holds values by key."""
        return False

    @property
    def is_literal(self) -> bool:
        """Whether it is a list, tuple, set or mapping as it is written."""
        return False

    @property
    def is_function_type(self) -> bool:
        """Whether it is of a type that says what calling it gives."""
        return False

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return what a member can be: as a rule a method of which nothing is known."""
        return (self.engine.value(ExternalMethod, self, name),)

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what a call gives; the term is one of a scope of a file."""
        return ()

    def iterate(self, fuel: int) -> ValueSet:
        """Return what walking through it gives."""
        return ()

    def advance(self, fuel: int) -> ValueSet:
        """Return what one step of it gives, as an iterator."""
        return self.iterate(fuel)

    def mapped(self, fuel: int) -> ValueSet:
        """Return the values that it holds by key."""
        return self.iterate(fuel)

    def entry(self, key: object, fuel: int) -> ValueSet:
        """Return what it holds under a key, spread into a mapping; under any if that is None."""
        return self.mapped(fuel)

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return what a subscript gives; the key is a term of a scope of a file."""
        return ()

    def enter(self, fuel: int) -> ValueSet:
        """Return what `with` gives."""
        return ()

    def method_result(self, library: LibraryRules, name: str, fuel: int) -> ValueSet:
        """Return what a method gives of which only the name is known."""
        if name in library.element_methods:
            return self.iterate(fuel)
        return (self,) if name in library.same_methods else ()

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return what something of this type is, named in a scope of a file."""
        return ()

    def as_type(self) -> ClassValue | None:
        """Return the class that it stands for as a value."""
        return None


# Values in the order in which they were met, each once; nothing known is the empty tuple.
ValueSet = tuple[Value, ...]


def union(sets: Sequence[ValueSet]) -> ValueSet:
    """Return the values of several sets, each once, in the order in which they came."""
    if len(sets) == 1:
        return sets[0]
    values = [value for part in sets for value in part]
    if len(values) < 2:
        return tuple(values)
    unique = tuple(dict.fromkeys(values))
    if len(unique) <= MAX_VALUES:
        return unique
    return unique[: _MAX_OVERLOADS if _are_overloads(unique) else MAX_VALUES]


def _are_overloads(values: ValueSet) -> bool:
    """Return whether all of these are functions of one file: overloads, of which one is meant."""
    path = values[0].path
    return all(isinstance(value, FunctionValue) and value.path == path for value in values)


@attrs.define(eq=False)
class DefinedValue(Value):
    """Something of a definition in the tree: `path` and `number` of it.

    Attributes:
        place: both of them.
    """

    path: str
    number: int

    @property
    def place(self) -> Place:
        """The file and the number of the definition."""
        return self.path, self.number

    @property
    def file(self) -> FileScopes:
        """The file of the definition."""
        return self.engine.files[self.path]

    @property
    def definition(self) -> Definition:
        """The definition itself."""
        return self.engine.files[self.path].definitions[self.number]

    @property
    def full_name(self) -> tuple[str, str]:
        """Namespace and name of the definition: several platforms may have one of the same."""
        return self.file.facts.namespace, self.definition.qualname

    def declared(self, fuel: int) -> ValueSet:
        """Return what values of a named type are made of, `type Names []string` in Go; nothing for
        what is no such type."""
        definition = self.definition
        if definition.kind != "class" or definition.returns is None:
            return ()
        self.engine.depend_on(f"b:{self.path}:{definition.qualname}")
        return self.engine.annotations.instances_of(
            self.file, definition.scope, definition.returns, fuel
        )

    def has_flag(self, flag: str) -> bool:
        """Return whether its definition says something of it."""
        return flag in self.definition.flags

    def instance(self) -> InstanceValue:
        """Return an object of it, as a class or a function that is used as one."""
        return self.engine.value(InstanceValue, self.path, self.number)

    def as_class(self) -> ClassValue:
        """Return the class itself of which this is an object."""
        return self.engine.value(ClassValue, self.path, self.number)

    def as_super(self) -> SuperValue:
        """Return it as its bases see it."""
        return self.engine.value(SuperValue, self.path, self.number)

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return what a class, an object of it or its bases have under a name."""
        values: ValueSet = self.engine.cached((self, name), fuel, self.engine.members.find_member)
        return values


class ClassValue(DefinedValue):
    """A class itself."""

    __slots__ = ()

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return an object of the class."""
        return (self.instance(),)

    def iterate(self, fuel: int) -> ValueSet:
        """Return its objects: those of an enumeration."""
        return (self.instance(),)

    def as_type(self) -> ClassValue | None:
        """Return itself."""
        return self

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return the class: the arguments of a generic one do not change what it is."""
        return (self,)

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return an object of the class."""
        return (self.instance(),)


class InstanceValue(DefinedValue):
    """An object of a class, or of a function that is used as one."""

    __slots__ = ()

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what its method for that gives, or the functions that it is made of."""
        if results := self._results("__call__", fuel):
            return union(results)
        types = self.signatures(fuel)
        return union([kind.call(file, scope, term, fuel) for kind in types])

    def iterate(self, fuel: int) -> ValueSet:
        """Return what its iterator gives, what it has by key, or what it is made of holds."""
        for name, _ in self.file.dialect.library.iteration:
            if methods := self._bound(name, fuel):
                iterators = union([method.returns(fuel) for method in methods])
                return union([iterator.advance(fuel) for iterator in iterators])
        inside = union(self._results("__getitem__", fuel))
        return inside or self.engine.iterate(self.underlying(fuel), fuel)

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return a member by its name, what its method for that gives, or what it is made of."""
        if self.file.dialect.subscript_is_member:
            name = self.engine.constants.key_of(file, scope, key, fuel)
            if isinstance(name, str) and (members := self.get_member(name, fuel)):
                return members
        if results := union(self._results("__getitem__", fuel)):
            return results
        inside = self.underlying(fuel)
        return union([value.get_item(file, scope, key, fuel) for value in inside])

    def entry(self, key: object, fuel: int) -> ValueSet:
        """Return its member of that name."""
        return self.get_member(key, fuel) if isinstance(key, str) else self.mapped(fuel)

    def signatures(self, fuel: int) -> ValueSet:
        """Return the types of functions that it is of: what its type is made of, or says that
        calling an object of it takes and gives."""
        own = self.get_member("__call__", fuel)
        others = self.engine.members.bases(*self.place) if self.has_flag("alias") else ()
        types = (*self.underlying(fuel), *own, *others)
        return tuple([value for value in types if value.is_function_type])

    def underlying(self, fuel: int) -> ValueSet:
        """Return what an object of a named type is made of, if that is no object itself."""
        values = self.declared(fuel)
        return tuple([value for value in values if not isinstance(value, InstanceValue)])

    def enter(self, fuel: int) -> ValueSet:
        """Return what its method for that gives."""
        for name in ("__enter__", "__aenter__"):
            if methods := self._bound(name, fuel):
                return union([method.returns(fuel) for method in methods])
        return ()

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return itself: a constant of a type stands for it."""
        return (self,)

    def advance(self, fuel: int) -> ValueSet:
        """Return what one step of it gives, as an iterator."""
        for name in _NEXT:
            if methods := self._bound(name, fuel):
                return union([method.returns(fuel) for method in methods])
        return ()

    def _bound(self, name: str, fuel: int) -> list[FunctionValue]:
        """Return its functions of a name, if the first that it has under that is its method."""
        members = self.get_member(name, fuel)
        functions = [member for member in members if isinstance(member, FunctionValue)]
        return functions if functions and functions[0].is_bound else []

    def _results(self, name: str, fuel: int) -> list[ValueSet]:
        """Return what its methods of a name give."""
        members = self.get_member(name, fuel)
        return [
            member.returns(fuel)
            for member in members
            if isinstance(member, FunctionValue) and member.is_bound
        ]


class SuperValue(DefinedValue):
    """The class or object around as its bases see it: `super()`."""

    __slots__ = ()


@attrs.define(eq=False)
class FunctionValue(DefinedValue):
    """A function; `is_bound`: as a method of an object."""

    is_bound: bool = False

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return what its file binds to a member of it, or itself for methods that call it."""
        members = self.engine.members
        own = None if self.is_bound else members.own(self.path, self.number, name, fuel)
        return own or members.loose(self, name, fuel) or self._run_by(name)

    def _run_by(self, name: str) -> ValueSet:
        dialect = self.file.dialect
        runs = "*" in dialect.invokers and name not in dialect.composing
        return (self,) if runs or name in dialect.invokers else ()

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what it gives; of a class that is an argument an object."""
        kind = self.definition.returns
        if kind is not None and kind[0] == "like":
            values = self.engine.extensions.at_position(file, scope, term, kind[1], fuel)
            if self.file.class_of(self.number) >= 0:
                # A method that is called on a class gives an object of it.
                values = tuple([v.instance() if isinstance(v, ClassValue) else v for v in values])
            if values:
                return values
        values = self.returns(fuel)
        if values and isinstance(values[0], TypeArgument):
            return values[0].instances(file, scope, term, fuel) or values[1:]
        return values

    def returns(self, fuel: int) -> ValueSet:
        """Return what a call gives: as declared, else what its body gives back."""
        variable = ("returns", self.path, self.number)
        values: ValueSet = self.engine.cached(variable, fuel, self.engine.calls.find_returns)
        return values

    def bound(self) -> FunctionValue:
        """Return it as a method of an object."""
        return self.engine.value(FunctionValue, self.path, self.number, BOUND)

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return an object of the function as a class."""
        return () if self.is_bound else (self.instance(),)


def is_itself(value: Value) -> TypeGuard[ClassValue | FunctionValue]:
    """Return whether a value is a class or a function itself, not as a method of an object."""
    return isinstance(value, ClassValue) or (
        isinstance(value, FunctionValue) and not value.is_bound
    )


class GeneratorValue(DefinedValue):
    """What a generator function gives."""

    __slots__ = ()

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return a method of which nothing is known."""
        return Value.get_member(self, name, fuel)

    def iterate(self, fuel: int) -> ValueSet:
        """Return what the function yields."""
        values: ValueSet = self.engine.cached(("yields", *self.place), fuel, self._yields)
        return values

    def enter(self, fuel: int) -> ValueSet:
        """Return what it yields: that of a context manager."""
        return self.iterate(fuel)

    def _yields(self, variable: Variable, fuel: int) -> ValueSet:
        file = self.file
        self.engine.depend_on(file.unit(self.definition.body))
        evaluate = self.engine.evaluate
        yields = file.yields.get(self.number, ())
        return union([evaluate(file, scope, term, fuel) for scope, term in yields])


@attrs.define(eq=False)
class ModuleValue(Value):
    """A namespace, of the files of a family."""

    family: str
    key: str

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return one of its names, or a namespace in it."""
        return self.engine.names.below(self.family, self.key, name, fuel)

    def entry(self, key: object, fuel: int) -> ValueSet:
        """Return its member of that name."""
        return self.get_member(key, fuel) if isinstance(key, str) else self.mapped(fuel)


@attrs.define(eq=False)
class ExternalValue(Value):
    """Something defined outside of the tree, by its dotted name."""

    name: str

    @property
    def last_name(self) -> str:
        """The last part of its name."""
        return self.name.rpartition(".")[2]

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return its member, which is outside as well."""
        if self.name.count(".") >= _MAX_DOTS:
            return (self,)
        return (self.engine.value(ExternalValue, f"{self.name}.{name}"),)

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what a rule says that it gives, or an object if it is named as a class."""
        return self.engine.calls.external_result(self, file, scope, term, fuel)

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return an object of the class; `Self` is the class of the method around."""
        if self.last_name == "Self":
            return self.engine.evaluator.receiver(file, scope, fuel)
        return (self.engine.value(ExternalInstance, self.name),)


@attrs.define(eq=False)
class UnplacedValue(ExternalValue):
    """Something of the tree by its dotted name, as an import writes it, where no file is."""

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return its member, which could not be placed either."""
        if self.name.count(".") >= _MAX_DOTS:
            return (self,)
        return (self.engine.value(UnplacedValue, f"{self.name}.{name}"),)

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return nothing: what it gives may be of any class of the tree."""
        return ()

    def as_instance(self, file: FileScopes, scope: int, fuel: int) -> ValueSet:
        """Return nothing: its methods are any of the tree."""
        return ()


@attrs.define(eq=False)
class ExternalInstance(Value):
    """An object of a type defined outside of the tree, "" if that is not known."""

    name: str

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return a method: one that the tree gives to a type of the language, if there is any."""
        if self.name[:1] == "&" and (methods := self._methods_of_tree(name)):
            return methods
        return super().get_member(name, fuel)

    def _methods_of_tree(self, name: str) -> ValueSet:
        """Return the methods of a name that the tree gives to a type of the language (`&char`):
        Rust traits do so."""
        engine = self.engine
        engine.depend_on(f"u:{name}")
        methods: list[Value] = []
        for path, number, _ in engine.tree.named(name):
            there = engine.files[path]
            owner = there.definitions[number].owner
            # What the language itself has under that name comes first.
            is_common = name in there.dialect.builtin_methods
            if owner and not is_common and owner[0] == "const" and owner[1] == self.name:
                methods.append(engine.value(FunctionValue, path, number, BOUND))
        return tuple(methods)

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return something of a type outside, where a language has no others there."""
        return self._unknown() if file.dialect.external_items_are_external else ()

    def enter(self, fuel: int) -> ValueSet:
        """Return itself, as most such objects do."""
        return (self,)

    def method_result(self, library: LibraryRules, name: str, fuel: int) -> ValueSet:
        """Return something outside, of whatever type."""
        if name in library.element_methods:
            return ()
        return (self,) if name in library.same_methods else self._unknown()

    def _unknown(self) -> ValueSet:
        return (self.engine.value(ExternalInstance, ""),)


@attrs.define(eq=False)
class ExternalMethod(Value):
    """A method of something outside of the tree, or of a container."""

    owner: Value
    name: str

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return nothing: of its members nothing is known."""
        return ()

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return what it gives by its name, or what stands for that: `d.get(key, C)`."""
        library = file.dialect.library
        if self.name in library.text_methods:
            return (self.engine.value(ExternalInstance, "str"),)
        if self.name in library.arithmetic_methods and isinstance(self.owner, ExternalInstance):
            calculated = self.engine.extensions.calculated
            if number := calculated(self.owner, file, scope, term, fuel):
                return number
        values = self.owner.method_result(library, self.name, fuel)
        if self.name not in file.dialect.defaulting or len(term[2]) != 2:
            return values
        return union([values, self.engine.evaluate(file, scope, term[2][1], fuel)])


@attrs.define(eq=False)
class TypeArgument(Value):
    """An object of the class that is given to a function in some position, before it is."""

    position: int

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return nothing: it is never asked when the class is known."""
        return ()

    def instances(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return objects of the classes that a call gives in that position."""
        if len(term[2]) <= self.position:
            return ()
        values = self.engine.evaluate(file, scope, term[2][self.position], fuel)
        return tuple([kind.instance() for value in values if (kind := value.as_type())])


@attrs.define(eq=False)
class TypeVariable(Value):
    """What stands for an argument of a type that another name stands for: T in `type A<T> = …`."""

    position: int

    def get_member(self, name: str, fuel: int) -> ValueSet:
        """Return nothing: it is never asked when the argument is known."""
        return ()

    def get_item(self, file: FileScopes, scope: int, key: Term, fuel: int) -> ValueSet:
        """Return the type that is given for it: `A<B>`, the key being what stands in brackets."""
        return self.engine.evaluate(file, scope, self.argument(key), fuel)

    def argument(self, key: Term) -> Term:
        """Return the argument that is given for it."""
        arguments = key[1] if key is not None and key[0] == "tuple" else (key,)
        return arguments[self.position] if self.position < len(arguments) else None


@attrs.define(eq=False)
class SuperCall(Value):
    """`super` as what is called: a call gives the class around as its bases see it."""

    values: ValueSet

    def call(self, file: FileScopes, scope: int, term: Expression, fuel: int) -> ValueSet:
        """Return that class."""
        return self.values

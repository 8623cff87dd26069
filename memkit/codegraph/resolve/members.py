"""Members of classes: bases in method resolution order, methods and attributes."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..facts import Definition, Term
from .values import (
    FUEL,
    ClassValue,
    DefinedValue,
    ExternalMethod,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    Place,
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
    from .file_scopes import Names as Bound

# --- Method resolution order: C3 where a language has it, else depth first.
#
# A pure function of the direct bases. Circles, which no interpreter would accept but any file may
# hold, are cut where they close.

# Steps of one search: a lattice of diamonds has more ways than there is time.
_MAX_STEPS = 5000


class Orders:
    """The method resolution orders of classes."""

    def __init__(self, bases: Callable[[Place], Sequence[Place]], *, linearised: bool) -> None:
        """Take what gives a class's direct bases, and whether C3 holds."""
        self._bases = bases
        self._linearised = linearised
        self._done: dict[Place, list[Place]] = {}
        self._around: list[Place] = []
        self._steps = 0

    def order(self, place: Place) -> list[Place]:
        """Return a class and everything that it inherits from, in the order of their members."""
        return self._order(place)[0]

    def _order(self, place: Place) -> tuple[list[Place], bool]:
        """Return the order, and whether it holds wherever it is asked for (nothing was cut)."""
        self._steps += 1
        if place in self._done:
            return self._done[place], True
        if place in self._around or self._steps > _MAX_STEPS:
            return [], False
        self._around.append(place)
        direct = list(self._bases(place))
        lines, whole = [], True
        for base in direct:
            line, sound = self._order(base)
            lines.append(line)
            whole = whole and sound
        self._around.pop()
        order = list(dict.fromkeys([place, *self._joined([*lines, direct])]))
        if whole:
            self._done[place] = order
        return order, whole

    def _joined(self, lines: list[list[Place]]) -> list[Place]:
        if len(lines) == 2:  # one base: its own order, which begins with it
            return lines[0] or lines[1]
        return merged(lines) if self._linearised else [place for line in lines for place in line]


def merged(lines: Sequence[Sequence[Place]]) -> list[Place]:
    """Return the C3 merge of lines; where there is none, what is first stays first."""
    order: list[Place] = []
    left = [deque(line) for line in lines if line]
    behind = Counter(place for line in left for place in list(line)[1:])
    while left:
        head = next((line[0] for line in left if not behind[line[0]]), left[0][0])
        order.append(head)
        for line in left:
            if line[0] == head:
                line.popleft()
                if line:
                    behind[line[0]] -= 1
            elif behind[head] and head in line:  # lines that contradict each other
                behind[head] -= 1
                line.remove(head)
        left = [line for line in left if line]
    return order


# --- Structural types in Go: implemented interfaces, fields of the underlying type.

# Interfaces with this many methods or more are compared by so many of them.
_MAX_METHODS = 40


def implemented(
    engine: InferenceEngine, file: FileScopes, number: int
) -> list[tuple[InstanceValue, ClassValue, int]]:
    """Return the methods of interfaces that a method is, where its type has all their methods: the
    type, the interface, and the number of its method."""
    definition = file.definitions[number]
    if not file.dialect.structural_interfaces or definition.owner is None:
        return []
    engine.depend_on(f"u:{definition.name}")
    values = engine.annotations.instances_of(file, definition.scope, definition.owner, FUEL)
    holders = [value for value in values if isinstance(value, InstanceValue)]
    methods = []
    for path, other, _ in engine.tree.named(definition.name):
        there = engine.files[path]
        declaration = there.definitions[other]
        if "abstract" not in declaration.flags or there.facts.language != file.facts.language:
            continue
        interface = there.class_of(other)
        if interface >= 0:
            value = engine.value(ClassValue, path, interface)
            fitting = [holder for holder in holders if _has_all(engine, holder, there, interface)]
            methods += [(holder, value, other) for holder in fitting]
    return methods


def _has_all(engine: InferenceEngine, holder: Value, file: FileScopes, interface: int) -> bool:
    """Return whether a type has every method of an interface and of those embedded in it."""
    for base in engine.members.order(file.path, interface):
        if not isinstance(base, ClassValue):
            continue
        names = base.file.names[base.definition.body]
        for name in list(names)[:_MAX_METHODS]:
            members = holder.get_member(name, FUEL)
            if not any(isinstance(member, FunctionValue) for member in members):
                return False
    return True


# A name that more definitions have is not looked for in the users of a trait, and of more users
# none is meant.
_MAX_NAMED = 60
_MAX_USERS = 5

# --- Members: those of classes with their bases in order, their methods and attributes.


class Holder(NamedTuple):
    """One class that is asked for a member.

    Attributes:
        path, number: where it is; without a path it lies outside, and has any member.
        prefix: of the keys of its members.
        names, attrs: what is bound in its body, and to its members elsewhere in its file.
        is_open: whether other files may give it members.
    """

    path: str | None
    number: int
    prefix: str
    names: Bound
    attrs: Bound
    is_open: bool


_OUTSIDE = Holder(None, -1, "", {}, {}, is_open=False)


class MemberLookup:
    """Lookup of members in classes and their bases."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        self._orders = engine.new_table()
        self._lines = engine.new_table()

    def order(self, path: str, number: int) -> ValueSet:
        """Return the classes whose members a class has, itself first; what is outside last.

        C3 where the language has it, else depth first. Circles are cut where they close.
        """
        classes: ValueSet = self.engine.cached_once(self._orders, (path, number), self._work_order)
        return classes

    def _work_order(self, place: Place) -> ValueSet:
        linearised = self.engine.files[place[0]].dialect.linearised
        order = Orders(self._base_places, linearised=linearised).order(place)
        classes = tuple([self.engine.value(ClassValue, *known) for known in order])
        return (*classes, self._outside()) if self._has_outside(order) else classes

    def _base_places(self, place: Place) -> list[Place]:
        bases = self.bases(*place)
        return [base.place for base in bases if isinstance(base, ClassValue | FunctionValue)]

    def _has_outside(self, order: list[Place]) -> bool:
        """Return whether one of some classes has a base outside of the tree that has members."""
        for path, number in order:
            memberless = self.engine.files[path].dialect.library.memberless_bases
            for base in self.bases(path, number):
                if isinstance(base, ExternalValue) and base.last_name not in memberless:
                    return True
        return False

    def _outside(self, name: str = "") -> ExternalValue:
        return self.engine.value(ExternalValue, name)

    def bases(self, path: str, number: int) -> ValueSet:
        """Return the direct bases of a class, and what is outside of the tree among them."""
        values: ValueSet = self.engine.cached_statically(("bases", path, number), self._bases)
        return values

    def _bases(self, variable: Variable, fuel: int) -> ValueSet:
        _, path, number = variable
        file, evaluate = self.engine.files[path], self.engine.evaluate
        definition = file.definitions[number]
        self.engine.depend_on(f"b:{path}:{definition.qualname}")
        parts = [self._other_parts(file, definition)]
        for scope, kind, base in file.mixins:
            gaining = evaluate(file, scope, kind, fuel)
            if any(is_itself(value) and value.place == (path, number) for value in gaining):
                parts.append(evaluate(file, scope, base, fuel))
        for term in definition.bases:
            parts.append(evaluate(file, definition.scope, term, fuel))
            if file.dialect.implicit_members and not any(map(is_itself, parts[-1])):
                parts[-1] = self._inherited_type(file, number, term) or parts[-1]
        return tuple(dict.fromkeys([base for part in parts for base in part]))

    def _inherited_type(self, file: FileScopes, number: int, term: Term) -> ValueSet:
        """Return a type that is a member of what the classes around one inherit from."""
        outer = file.class_of(number)
        while term is not None and term[0] == "name" and outer >= 0:
            for holder in self.order(file.path, outer)[1:]:
                members = holder.get_member(term[1], FUEL) if is_itself(holder) else ()
                if types := tuple([value for value in members if isinstance(value, ClassValue)]):
                    return types
            outer = file.class_of(outer)
        return ()

    def _other_parts(self, file: FileScopes, definition: Definition) -> ValueSet:
        """Return the other parts of a class that is written in several (C# partial)."""
        if "partial" not in definition.flags:
            return ()
        linker = self.engine.modules.of(file.path)
        self.engine.depend_on(f"u:{definition.name}")
        parts: list[Value] = []
        for path, number, _ in self.engine.tree.named(definition.name):
            is_other = self.engine.languages[path] != file.facts.language
            if is_other or linker.namespace(path) != linker.namespace(file.path):
                continue
            other = self.engine.files[path].definitions[number]
            is_part = "partial" in other.flags and other.qualname == definition.qualname
            if is_part and other is not definition:
                parts.append(self.engine.value(ClassValue, path, number))
        return tuple(parts)

    def find_member(self, variable: Variable, fuel: int) -> ValueSet:
        """Return what a class, an object or the bases of one have under a name."""
        value, name = variable
        line, is_flowing = self._line(value.place), self.engine.is_flowing
        gives_way = value.file.dialect.abstract_gives_way
        announced: ValueSet = ()
        for holder in line[1:] if isinstance(value, SuperValue) else line:
            if holder.path is None:
                return announced or (self._outside(f".{name}"),)
            is_there = name in holder.names or name in holder.attrs or holder.is_open
            if not (is_there or is_flowing):
                # Nothing else can make it a member: most classes of most lines end here.
                self.engine.depend_on(holder.prefix + name)
                continue
            values = self.own(holder.path, holder.number, name, fuel)
            if values is None and holder.is_open and not self.engine.is_static:
                values = self._of_literals(holder, name, fuel)
            if values is None:
                continue
            values = self._seen_from(values, is_class=_is_plain_class(value), fuel=fuel)
            if not gives_way or not _are_abstract(values):
                return values
            announced = announced or values
        return announced or self._of_users(value, name, fuel)

    def _of_users(self, value: DefinedValue, name: str, fuel: int) -> ValueSet:
        """Return the methods of a name that the classes have which use a trait; of what is no
        trait that of the type it is made of."""
        engine, trait = self.engine, value.definition
        if not value.file.dialect.traits_see_users or "trait" not in trait.flags:
            return self._of_underlying(value, name, fuel)
        engine.depend_on(f"u:{name}")
        named = engine.tree.named(name)
        if engine.is_static or len(named) > _MAX_NAMED:
            return ()
        own = engine.value(ClassValue, *value.place)
        methods: list[Value] = []
        for path, number, kind in named:
            there = engine.files[path] if kind == "method" else value.file
            user = there.class_of(number) if kind == "method" else -1
            if user >= 0 and (path, user) != value.place and own in self.order(path, user):
                methods += there.defined(number)
        users = tuple(methods) if len(methods) <= _MAX_USERS else ()
        return self._seen_from(users, is_class=_is_plain_class(value), fuel=fuel)

    def _of_underlying(self, value: DefinedValue, name: str, fuel: int) -> ValueSet:
        """Return what a named type has from the one it is made of: `type decoder coder` has all its
        fields, or what an interface asks for, but none of the methods it has been given."""
        objects = [part for part in value.declared(fuel) if isinstance(part, InstanceValue)]
        members = union([instance.get_member(name, fuel) for instance in objects])
        return tuple([
            member
            for member in members
            if not isinstance(member, FunctionValue) or member.definition.owner is None
        ])  # fmt: skip

    def _line(self, place: Place) -> tuple[Holder, ...]:
        """Return the classes that are asked for a member of a class, in their order."""
        if self.engine.is_static:
            return (self._holder(place),)
        holders: tuple[Holder, ...] = self.engine.cached_once(self._lines, place, self._work_line)
        return holders

    def _work_line(self, place: Place) -> tuple[Holder, ...]:
        return tuple([
            self._holder(base.place) if isinstance(base, DefinedValue) else _OUTSIDE
            for base in self.order(*place)
        ])  # fmt: skip

    def _holder(self, place: Place) -> Holder:
        path, number = place
        file = self.engine.files[path]
        definition = file.definitions[number]
        is_class = definition.body >= 0 and definition.kind == "class"
        return Holder(
            path,
            number,
            f"a:{path}:{definition.qualname}.",
            file.names[definition.body] if is_class else {},
            file.attrs.get(number, {}),
            file.dialect.methods_outside_class,
        )

    def _of_literals(self, holder: Holder, name: str, fuel: int) -> ValueSet | None:
        """Return a member that a class has from an object literal (JavaScript prototypes)."""
        assert holder.path is not None
        if not self.engine.files[holder.path].dialect.prototype_members:
            return None
        for base in self.bases(holder.path, holder.number):
            if base.is_literal:
                members = base.get_member(name, fuel)
                if own := [value for value in members if not isinstance(value, ExternalMethod)]:
                    return tuple(own)
        return None

    def own(self, path: str, number: int, name: str, fuel: int) -> ValueSet | None:
        """Return what a class itself has under a name, None if it has none."""
        engine = self.engine
        file = engine.files[path]
        definition = file.definitions[number]
        engine.depend_on(f"a:{path}:{definition.qualname}.{name}")
        parts: list[ValueSet] = []
        is_class = definition.body >= 0 and definition.kind == "class"
        if is_class and name in file.names[definition.body]:
            parts.append(engine.names.bound(file, definition.body, name, fuel))
        if number in file.attrs:
            bindings = file.attrs[number].get(name, ())
            parts += [engine.names.binding(file, binding, fuel) for binding in bindings]
        if engine.is_flowing and (more := engine.extra_values(("member", path, number, name))):
            parts.append(more)
        owned: ValueSet = ()
        if file.dialect.methods_outside_class:
            elsewhere = self._elsewhere(file, definition, name)
            owned = union([self._owned(file, number, name, fuel), elsewhere])
        return union([*parts, owned]) if parts or owned else None

    def loose(self, value: Value, name: str, fuel: int) -> ValueSet:
        """Return what its file binds to a member of a value: `x.name = …`."""
        self.engine.depend_on(f"l:{value.path}:{name}")
        if name not in self.engine.files[value.path].loose_names:
            return ()
        values: ValueSet = self.engine.cached(("loose", value, name), fuel, self._loose)
        return values

    def _loose(self, variable: Variable, fuel: int) -> ValueSet:
        _, value, name = variable
        file, evaluate = self.engine.files[value.path], self.engine.evaluate
        self.engine.depend_on(f"l:{file.path}:{name}")
        parts = [
            evaluate(file, scope, term, fuel)
            for scope, base, bound, term in file.loose
            if bound == name and value in evaluate(file, scope, base, fuel)
        ]
        return union(parts)

    def _elsewhere(self, file: FileScopes, definition: Definition, name: str) -> ValueSet:
        """Return members of a namespace or class that stand in its other parts, in any file."""
        reopened = file.dialect.reopened
        if not reopened or (reopened == "namespaces" and "namespace" not in definition.flags):
            return ()
        self.engine.depend_on(f"u:{name}")
        members: list[Value] = []
        for path, other, _ in self.engine.tree.named(name):
            there = self.engine.files[path]
            around = there.around[there.definitions[other].scope]
            if there.facts.language != file.facts.language or around < 0:
                continue
            holder = there.definitions[around]
            if holder is not definition and holder.qualname == definition.qualname:
                members += there.defined(other) if holder.kind == "class" else ()
        return tuple(members)

    def _owned(self, file: FileScopes, number: int, name: str, fuel: int) -> ValueSet:
        """Return methods that are written elsewhere but say that a class is their owner; not those
        that make its objects, whose name is that of the class in it."""
        self.engine.depend_on(f"u:{name}")
        if name == file.definitions[number].name and file.dialect.implicit_members:
            return ()
        methods: list[Value] = []
        for path, other, _ in self.engine.tree.named(name):
            there = self.engine.files[path]
            owner = there.definitions[other].owner
            if owner is None or there.facts.language != file.facts.language:
                continue
            if owner[-1] != file.definitions[number].name:
                continue
            owners = self.engine.evaluate(there, there.definitions[other].scope, owner, fuel)
            if self.engine.value(ClassValue, file.path, number) in owners:
                methods += there.defined(other)
        return tuple(methods)

    def _seen_from(self, members: ValueSet, *, is_class: bool, fuel: int) -> ValueSet:
        """Return members as an object or a class gives them: methods with their object."""
        parts: list[ValueSet] = []
        for value in _of_one_side(members, is_class=is_class):
            if not isinstance(value, FunctionValue) or value.is_bound:
                parts.append((value,))
                continue
            flags = value.definition.flags
            if "property" in flags and not is_class:
                parts.append(value.returns(fuel))
            elif "static" in flags or (is_class and "classmethod" not in flags):
                parts.append((value,))
            else:
                parts.append((value.bound(),))
        return union(parts)


def _are_abstract(values: ValueSet) -> bool:
    """Return whether values are functions without a body."""
    return bool(values) and all(
        isinstance(value, FunctionValue) and value.has_flag("abstract") for value in values
    )


def _is_plain_class(value: DefinedValue) -> bool:
    """Return whether members are those of a class, not of its objects: an object that is declared
    as such is its own only one."""
    return isinstance(value, ClassValue) and "object" not in value.definition.flags


def _of_one_side(values: ValueSet, *, is_class: bool) -> ValueSet:
    """Return of several functions those of the class, or those of its objects; all of them where
    a language has overloads, which may be of either."""
    functions = [value for value in values if isinstance(value, FunctionValue)]
    if len(values) < 2 or len(functions) < len(values) or any(f.is_bound for f in functions):
        return values
    if not functions[0].file.dialect.static_side_apart:
        return values
    own = [function for function in functions if function.has_flag("static") == is_class]
    return tuple(own) or values

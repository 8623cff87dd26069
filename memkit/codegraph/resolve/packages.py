"""Names of packages: what a plain name means among files that share their functions.

For languages with `Dialect.extension_functions`. Scopes are asked from the inside out, with the
members of what `this` is in each; then imports by name, the package, and imports of everything.
Definitions of one name may stand for each other on several platforms: the nearest one is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from os.path import commonprefix
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE
from .values import (
    FUEL,
    ClassValue,
    DefinedValue,
    ExternalMethod,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    Value,
    ValueSet,
    is_itself,
    union,
)

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import FileScopes

# Members that are only supposed to be there.
SUPPOSED = (ExternalValue, ExternalMethod)
# Flags of definitions that stand for each other on several platforms.
_PLATFORM = frozenset({"expect", "actual"})


class PackageResolver:
    """Lookup of plain names in scopes and packages."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine

    def lookup(self, file: FileScopes, scope: int, name: str, fuel: int) -> ValueSet:
        """Return what a name that is read can be: of a property that runs code, what it gives."""
        names = self.engine.names
        inherited: ValueSet = ()
        while scope > MODULE_SCOPE:
            kind, parent, number = file.facts.scopes[scope]
            if kind != "class" and name in file.names[scope]:
                return names.bound(file, scope, name, fuel)
            if number >= 0:
                values = self.of_receiver(file, kind, number, name, fuel)
                if not all(isinstance(value, SUPPOSED) for value in values):
                    return values
                inherited = inherited or values
            self.engine.depend_on(names.name_key(file, scope, name))
            scope = parent
        values = next(self.levels(file, name, fuel), ())
        return _results(values, fuel) or values or names.builtin(file, name) or inherited

    def levels(self, file: FileScopes, name: str, fuel: int) -> Iterator[ValueSet]:
        """Yield what a file has under a name: by an import of its own, as one of the package, by
        an import of everything."""
        names = self.engine.names
        bindings = file.names[MODULE_SCOPE].get(name, ())
        if any(binding[0] == "import" for binding in bindings):
            imported = names.bound(file, MODULE_SCOPE, name, fuel)
            if values := self.nearest(file, imported):
                yield values
        self.engine.depend_on(names.name_key(file, MODULE_SCOPE, name))
        self.engine.depend_on(names.name_key(file, MODULE_SCOPE, "*"))
        if values := self.nearest(file, names.own_namespace(file, name, fuel)):
            yield values
        stars = file.stars.get(MODULE_SCOPE, ())
        if values := self.nearest(file, names.starred(file, stars, name, fuel)):
            yield values

    def of_file(self, file: FileScopes, name: str, fuel: int) -> ValueSet:
        """Return what a file itself has under a name: what it imports is none of its package."""
        bindings = file.names[MODULE_SCOPE].get(name, ())
        if not bindings or bindings[0][0] == "import":
            return ()
        return self.engine.names.bound(file, MODULE_SCOPE, name, fuel)

    def of_receiver(
        self, file: FileScopes, kind: str, number: int, name: str, fuel: int
    ) -> ValueSet:
        """Return a member of the object that a class or an extension has for its `this`."""
        if kind == "class":
            return self.engine.value(InstanceValue, file.path, number).get_member(name, fuel)
        definition = file.definitions[number]
        instances_of = self.engine.annotations.instances_of
        holders = instances_of(file, definition.scope, definition.owner, fuel)
        return union([holder.get_member(name, fuel) for holder in holders])

    def of_classes(self, file: FileScopes, module: str, name: str, fuel: int) -> ValueSet:
        """Return a member of a class that an import names with its package."""
        names, parts = self.engine.names, module.split(".")
        for size in range(len(parts) - 1, 0, -1):
            for key in names.namespaces(file, ".".join(parts[:size]), 0):
                members = names.member(file.dialect.family, key, parts[size], fuel)
                values = self.nearest(file, members)
                for part in (*parts[size + 1 :], name):
                    classes = [value for value in values if isinstance(value, ClassValue)]
                    values = union([value.get_member(part, fuel) for value in classes])
                return values
        return ()

    def nearest(self, file: FileScopes, values: ValueSet) -> ValueSet:
        """Return definitions that a file sees: no private ones of others, and of those that stand
        for each other on several platforms the one in the nearest folder, or what all expect."""
        groups: dict[object, Value] = {}
        for value in values:
            key: object = value
            if is_itself(value):
                definition = value.definition
                if "private" in definition.flags and value.file is not file:
                    continue
                if not _PLATFORM.isdisjoint(definition.flags):
                    kinds = repr([param[1] for param in definition.params])
                    key = (definition.qualname, kinds, repr(definition.owner))
            other = groups.get(key)
            if other is None or _is_nearer(file, value, other):
                groups[key] = value
        return union([self._unaliased(value) for value in _own_first(file, groups)])

    def _unaliased(self, value: Value) -> ValueSet:
        """Return the class that another name for a type means."""
        if not isinstance(value, ClassValue):
            return (value,)
        file, definition = value.file, value.definition
        if "alias" not in definition.flags or definition.returns is None:
            return (value,)
        self.engine.depend_on(f"b:{file.path}:{definition.qualname}")
        return self.engine.evaluate(file, definition.scope, definition.returns, FUEL - 2)


def _own_first(file: FileScopes, groups: dict[object, Value]) -> list[Value]:
    """Return definitions; a class of the file itself comes before those of others."""
    values = list(groups.values())
    classes = [value for value in values if isinstance(value, ClassValue)]
    if not any(value.path == file.path for value in classes):
        return values
    return [value for value in values if value not in classes or value.path == file.path]


def _is_nearer(file: FileScopes, value: Value, other: Value) -> bool:
    """Return whether one definition is nearer to a file than another of the same name: by folders
    of the same names, then by letters, as `jvmTest` is nearer to `jvmMain` than to `commonMain`."""
    folders = set(file.path.split("/"))
    shared = [
        # Letters are meant, not folders.
        (len(folders.intersection(path.split("/"))), len(commonprefix((file.path, path))))  # noqa: RUF071
        for path in (value.path, other.path)
    ]
    if shared[0] != shared[1]:
        return shared[0] > shared[1]
    return isinstance(value, DefinedValue) and "expect" in value.definition.flags


def _results(values: ValueSet, fuel: int) -> ValueSet:
    """Return what properties that run code give when they are read by their names."""
    functions = [value for value in values if isinstance(value, FunctionValue)]
    return union(
        [function.returns(fuel) for function in functions if function.has_flag("property")]
    )

"""Name resolution: scopes, imports, namespaces, includes, built-ins, packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    ModuleValue,
    UnplacedValue,
    Value,
    ValueSet,
    Variable,
    is_itself,
    union,
)

if TYPE_CHECKING:
    from .engine import Entry, InferenceEngine
    from .file_scopes import Binding, FileScopes, Lookup


# --- Includes of C and C++ files, followed to all that they include, and namespaces used.

# Level of an import that is `using namespace`, not a file.
USING = 2
# Files that one file takes in; what lies behind them is no longer seen.
_MAX_FILES = 5000


class NameResolver:
    """Lookup of names: in scopes, imports, namespaces and included files.

    A name that files include is looked up among the definitions of that name, not file by file:
    with some hundred headers behind each other a name that none of them has would cost a walk
    through all.
    """

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        self._included: dict[str, Entry] = {}
        self._namespaces = engine.new_table()
        self._prefixes: dict[str, str] = {}

    def from_includes(self, file: FileScopes, scope: int, name: str, fuel: int) -> ValueSet:
        """Return what a name is in the files that a scope includes, or in namespaces it uses."""
        stars = file.stars.get(scope, ())
        parts: list[ValueSet] = []
        if any(level != USING for _, level in stars):
            inside = self.included(file.path)
            self.engine.depend_on(f"u:{name}")
            paths = dict.fromkeys(
                definition.path
                for definition in self.engine.tree.named(name)
                if definition.path in inside
            )
            files = [self.engine.files[path] for path in paths]
            parts = [
                self.bound(there, MODULE_SCOPE, name, fuel)
                for there in files
                if name in there.names[MODULE_SCOPE]
            ]
        for module, level in stars:
            if level == USING and not any(parts):
                parts.append(
                    self.engine.cached(("using", file.path, module, name), fuel, self._using)
                )
        return union(parts or [()])

    def included(self, path: str) -> frozenset[str]:
        """Return the files that a file includes, and all that those include."""
        paths: frozenset[str] = self.engine.cached_once(self._included, path, self._reached)
        return paths

    def _reached(self, path: str) -> frozenset[str]:
        paths, left = {path}, [path]
        while left and len(paths) < _MAX_FILES:
            file = self.engine.files[left.pop()]
            linker = self.engine.modules.of(file.path)
            self.engine.depend_on(f"n:{linker.namespace(file.path)}:*")
            for module, level in file.stars.get(MODULE_SCOPE, ()):
                for key in linker.dependency_keys(file.path, module, level):
                    self.engine.depend_on(key)
                new = [
                    other for other in linker.find(file.path, module, level) if other not in paths
                ]
                paths.update(new)
                left += new
        return frozenset(paths - {path})

    def _using(self, variable: Variable, fuel: int) -> ValueSet:
        """Return a member of a namespace that is used whole."""
        _, path, module, name = variable
        if name == module.partition(".")[0]:
            return ()
        namespaces = self.used(self.engine.files[path], module, fuel)
        return union([value.get_member(name, fuel) for value in namespaces])

    def used(self, file: FileScopes, module: str, fuel: int = FUEL) -> ValueSet:
        """Return the namespaces that a dotted name means in a file."""
        first, *others = module.split(".")
        values = self.lookup(file, MODULE_SCOPE, first, fuel)
        for part in others:
            values = union([value.get_member(part, fuel) for value in values])
        return values

    # --- Imports and namespaces: the names of the files of one namespace.

    def imported(
        self, file: FileScopes, module: str, name: str | None, level: int, fuel: int
    ) -> ValueSet:
        """Return what an import gives: a module, or a name of one, or something outside."""
        family = file.dialect.family
        keys = self.namespaces(file, module, level)
        if name is None:
            modules = tuple(self.engine.value(ModuleValue, family, key) for key in keys)
            default = self._replaced(file, keys, fuel)
            return (*default, *modules) or (self._not_there(file, module, module, level),)
        for key in keys:
            if taken := self.below(family, key, name, fuel):
                return taken
        if keys:
            return ()
        members: ValueSet = ()
        if file.dialect.extension_functions:
            members = self.engine.packages.of_classes(file, module, name, fuel)
        return members or (self._not_there(file, f"{module}.{name}", module, level),)

    def _not_there(self, file: FileScopes, name: str, module: str, level: int) -> ExternalValue:
        """Return a name of a module that no file is: one outside, or one that was not placed."""
        is_unplaced = self.is_unplaced(file, module, level)
        return self.engine.value(UnplacedValue if is_unplaced else ExternalValue, name)

    def is_unplaced(self, file: FileScopes, module: str, level: int) -> bool:
        """Return whether a module that no file is must be one of the tree."""
        return self.engine.modules.of(file.path).is_inside(file.path, module, level)

    def namespaces(self, file: FileScopes, module: str, level: int) -> tuple[str, ...]:
        """Return the namespaces that a module name means in a file, and note that it was asked."""
        place = (file.path, module, level)
        keys: tuple[str, ...] = self.engine.cached_once(
            self._namespaces, place, self._work_namespaces
        )
        return keys

    def _work_namespaces(self, place: tuple[str, str, int]) -> tuple[str, ...]:
        linker = self.engine.modules.of(place[0])
        self.engine.depend_on_all(linker.dependency_keys(*place))
        return linker.find(*place)

    def below(self, family: str, key: str, name: str, fuel: int) -> ValueSet:
        """Return what a namespace has under a name: one of its names, or a namespace in it."""
        if values := self.member(family, key, name, fuel):
            return values
        linker = self.engine.modules.of_family(family)
        for read_key in (
            linker.dependency_keys(key, name, 1) if linker.members(key) or key == "/" else ()
        ):
            self.engine.depend_on(read_key)
        inside = linker.nested(key, name)
        return tuple([self.engine.value(ModuleValue, family, inner) for inner in inside])

    def member(self, family: str, key: str, name: str, fuel: int) -> ValueSet:
        """Return what a namespace's own names give."""
        values: ValueSet = self.engine.cached(("member", family, key, name), fuel, self._member)
        return values

    def name_key(self, file: FileScopes, scope: int, name: str) -> str:
        """Return the key under which the bindings of a name in a scope are read (see `keys`)."""
        if scope == 0:
            prefix = self._prefixes.get(file.path)
            if prefix is None:
                own = self.engine.modules.of(file.path).namespace(file.path)
                prefix = self._prefixes[file.path] = f"n:{own}:"
            return prefix + name
        kind, _, number = file.facts.scopes[scope]
        if kind == "class":
            return f"a:{file.path}:{file.definitions[number].qualname}.{name}"
        return file.unit(scope)

    def _member(self, variable: Variable, fuel: int) -> ValueSet:
        _, family, key, name = variable
        self.engine.depend_on(f"n:{key}:{name}")
        parts = [self._of_file(file, name, fuel) for file in self.holders(family, key, name)]
        return union([values for values in parts if values])

    def holders(self, family: str, key: str, name: str) -> Iterable[FileScopes]:
        """Return the files of a namespace that may have a name: of many, few are loaded."""
        members = self.engine.modules.of_family(family).members(key)
        if len(members) > 1:
            inside = frozenset(members)
            members = tuple(
                dict.fromkeys(
                    definition.path
                    for definition in self.engine.tree.named(name)
                    if definition.path in inside
                )
            )
        return [self.engine.files[path] for path in members if path in self.engine.languages]

    def _of_file(self, file: FileScopes, name: str, fuel: int) -> ValueSet:
        if file.exports or file.export_stars:
            return self._exported(file, name, fuel)
        if file.dialect.extension_functions:
            return self.engine.packages.of_file(file, name, fuel)
        if name in file.names[0]:
            return self.bound(file, 0, name, fuel)
        self.engine.depend_on(self.name_key(file, 0, "*"))
        stars = file.stars.get(0, ())
        if name.startswith("_") and file.dialect.star_excludes == "underscore":
            stars = [star for star in stars if self._is_listed(file, star, name)]
        # What a C file includes is asked of all files behind it at once.
        if file.dialect.includes_transitively:
            return ()
        return self.starred(file, stars, name, fuel)

    def _is_listed(self, file: FileScopes, star: tuple[str, int], name: str) -> bool:
        """Return whether a module says that its private name is for others (Python's `__all__`)."""
        for key in self.namespaces(file, *star):
            for there in self.holders(file.dialect.family, key, "__all__"):
                self.engine.depend_on(self.name_key(there, 0, "__all__"))
                if any(_lists(binding, name) for binding in there.names[0].get("__all__", ())):
                    return True
        return False

    def _from_stars(self, file: FileScopes, scope: int, name: str, fuel: int) -> ValueSet:
        if file.dialect.includes_transitively:
            return self.from_includes(file, scope, name, fuel)
        return self.starred(file, file.stars[scope], name, fuel)

    def starred(
        self, file: FileScopes, stars: Iterable[tuple[str, int]], name: str, fuel: int
    ) -> ValueSet:
        if file.dialect.star_excludes == "lowercase" and not name[:1].isupper():
            return ()
        for module, level in stars:
            keys = self.namespaces(file, module, level)
            for key in keys:
                if values := self.member(file.dialect.family, key, name, fuel):
                    return values
            if not keys and (values := self._of_class(file, module, name, fuel)):
                return values
        return ()

    def _of_class(self, file: FileScopes, module: str, name: str, fuel: int) -> ValueSet:
        """Return a member of a class whose members are imported whole (Java, C#: static)."""
        return union([kind.get_member(name, fuel) for kind in self.classes(file, module, fuel)])

    def classes(self, file: FileScopes, module: str, fuel: int) -> list[ClassValue]:
        """Return the class of a dotted name, where a language imports the members of one whole."""
        outer, _, last = module.rpartition(".")
        dialect = file.dialect
        has_classes = dialect.implicit_members or dialect.imports_class_members
        if not outer or not has_classes or dialect.includes_transitively:
            return []
        values = [
            value
            for key in self.namespaces(file, outer, 0)
            for value in self.member(file.dialect.family, key, last, fuel)
        ] or [
            value
            for kind in self.classes(file, outer, fuel)
            for value in kind.get_member(last, fuel)
        ]
        return [value for value in values if isinstance(value, ClassValue)]

    def _from_outside(self, file: FileScopes, name: str) -> ValueSet:
        """Return a name as one of a module outside that a file exports whole, if there is one."""
        outside = [module for module in file.export_stars if not self.namespaces(file, module, 0)]
        if not outside:
            return ()
        return (self.engine.value(ExternalValue, f"{outside[0]}.{name}"),)

    def _exported(self, file: FileScopes, name: str, fuel: int) -> ValueSet:
        self.engine.depend_on(self.name_key(file, 0, "*"))
        parts = []
        for local, module in file.exports.get(name, ()):
            if module is None:
                parts.append(self.lookup(file, 0, local, fuel))
            else:
                parts.append(self.imported(file, module, None if local == "*" else local, 0, fuel))
        if not parts and name != "default":
            stars = [(module, 0) for module in file.export_stars]
            parts.append(self.starred(file, stars, name, fuel))
        if not any(parts) and name not in ("=", "default") and "=" in file.exports:
            whole = self._exported(file, "=", fuel)
            parts += [value.get_member(name, fuel) for value in whole]
        is_passed_on = name not in file.exports and name != "default"
        return union(parts) or (self._from_outside(file, name) if is_passed_on else ())

    def _replaced(self, file: FileScopes, keys: Iterable[str], fuel: int) -> ValueSet:
        """Return what stands for a whole module, where a language lets one say so."""
        if not file.dialect.module_replaceable:
            return ()
        return union([self.member(file.dialect.family, key, "=", fuel) for key in keys])

    # --- Name lookup: scopes from the inside out, the namespace around, built-ins.

    def lookup(self, file: FileScopes, scope: int, name: str, fuel: int) -> ValueSet:
        """Return what a name can be in a scope; nothing known is the empty tuple."""
        if file.dialect.extension_functions:
            return self.engine.packages.lookup(file, scope, name, fuel)
        if not file.is_implying:
            lookup = file.lookup(scope, name)
            if scope != lookup.binder and not self.engine.is_direct(file, fuel):
                self._pass_by(file, scope, lookup.binder, name)
            return self._looked_up(file, lookup, name, fuel)
        return self._outward(file, scope, name, fuel)

    def _outward(self, file: FileScopes, scope: int, name: str, fuel: int) -> ValueSet:
        """Return what a name is in the innermost of the scopes around that have it or imply it."""
        inner, names, scopes = scope, file.names, file.facts.scopes
        inherited: ValueSet = ()
        while inner >= 0:
            if name in names[inner] and file.is_seen(inner, scope):
                return self.bound(file, inner, name, fuel)
            if file.globals and name in file.globals.get(inner, ()):
                inner = 0
                continue
            if (values := self._implied(file, inner, name, fuel)) is not None:
                if not self._may_be_outer(file, values, name):
                    return values
                inherited = inherited or values
            if inner != MODULE_SCOPE and not self.engine.is_direct(file, fuel):
                self.engine.depend_on(self.name_key(file, inner, name))
            inner = scopes[inner][1]
        return self._around(file, name, fuel) or inherited

    def _may_be_outer(self, file: FileScopes, values: ValueSet, name: str) -> bool:
        """Return whether a member is only supposed, of a base outside of the tree: what is further
        out and has that name is likelier, but for methods that about everything has."""
        is_supposed = values == (self.engine.value(ExternalValue, f".{name}"),)
        return is_supposed and name not in file.dialect.builtin_methods

    def _pass_by(self, file: FileScopes, scope: int, binder: int, name: str) -> None:
        """Note that scopes do not bind a name: were one of them to do so, it would mean that."""
        inner, scopes = scope, file.facts.scopes
        while inner not in (binder, MODULE_SCOPE, -1):
            if scopes[inner][0] != "class" or file.is_seen(inner, scope):
                self.engine.depend_on(self.name_key(file, inner, name))
            inner = scopes[inner][1]

    def _looked_up(self, file: FileScopes, lookup: Lookup, name: str, fuel: int) -> ValueSet:
        if lookup.binder < 0:
            return self._around(file, name, fuel)
        if lookup.fixed is None or fuel <= 0 or self.engine.is_flowing:
            return self.bound(file, lookup.binder, name, fuel)
        self.engine.depend_on_fixed(self.name_key(file, lookup.binder, name), fuel)
        return lookup.fixed

    def _around(self, file: FileScopes, name: str, fuel: int) -> ValueSet:
        """Return what a name is that the file itself does not bind."""
        self.engine.depend_on(self.name_key(file, 0, name))
        self.engine.depend_on(self.name_key(file, 0, "*"))
        if file.dialect.shares_namespace and (values := self.own_namespace(file, name, fuel)):
            return values
        key = file.dialect.global_namespace
        if key and (values := self.member(file.dialect.family, key, name, fuel)):
            return values
        if file.dialect.ambient_suffixes and (values := self.ambient(file, name, fuel)):
            return values
        return self.builtin(file, name)

    def ambient(self, file: FileScopes, name: str, fuel: int) -> ValueSet:
        """Return what files that only declare say that every file has under a name."""
        suffixes = file.dialect.ambient_suffixes
        values: ValueSet = self.engine.cached(("ambient", suffixes, name), fuel, self._ambient)
        return values

    def _ambient(self, variable: Variable, fuel: int) -> ValueSet:
        _, suffixes, name = variable
        parts: list[ValueSet] = []
        self.engine.depend_on(f"u:{name}")
        for path in dict.fromkeys(named.path for named in self.engine.tree.named(name)):
            if not path.endswith(suffixes):
                continue
            there = self.engine.files[path]
            self.engine.depend_on(self.name_key(there, MODULE_SCOPE, "*"))
            is_module = there.exports or there.export_stars or there.has_imports
            if not is_module and name in there.names[MODULE_SCOPE]:
                parts.append(self.bound(there, MODULE_SCOPE, name, fuel))
        return union(parts)

    def own_namespace(self, file: FileScopes, name: str, fuel: int) -> ValueSet:
        """Return what the files of a file's namespace have under a name."""
        key = self.engine.modules.of(file.path).namespace(file.path)
        return self.member(file.dialect.family, key, name, fuel)

    def bound(self, file: FileScopes, scope: int, name: str, fuel: int) -> ValueSet:
        """Return what the bindings of a name in a scope give."""
        values: ValueSet = self.engine.cached(("name", file.path, scope, name), fuel, self._bound)
        return values

    def binding(self, file: FileScopes, binding: Binding, fuel: int) -> ValueSet:
        """Return what one binding gives."""
        tag = binding[0]
        if tag == "value":
            return self.engine.evaluate(file, binding[1], binding[2], fuel)
        if tag == "define":
            return self.engine.decorated(file, binding[1], fuel)
        if tag == "import":
            return self.imported(file, binding[1], binding[2], binding[3], fuel)
        if tag == "param":
            return self.engine.evaluator.param(file, binding[1], binding[2], fuel)
        return self.engine.annotations.instances_of(file, binding[1], binding[2], fuel)

    def _bound(self, variable: Variable, fuel: int) -> ValueSet:
        _, path, scope, name = variable
        file = self.engine.files[path]
        self.engine.depend_on(self.name_key(file, scope, name))
        bindings = file.names[scope][name]
        if len(bindings) == 1:
            return self.binding(file, bindings[0], fuel)
        return union([self.binding(file, binding, fuel) for binding in _effective(file, bindings)])

    def _implied(self, file: FileScopes, scope: int, name: str, fuel: int) -> ValueSet | None:
        """Return what a scope has without binding it: whole imports, members of the class."""
        has_own = not scope and file.dialect.package_before_wildcard
        if has_own and (values := self.own_namespace(file, name, fuel)):
            return values
        if scope in file.stars and (values := self._from_stars(file, scope, name, fuel)):
            return values
        if not file.dialect.implicit_members:
            return None
        kind, _, number = file.facts.scopes[scope]
        if number < 0:
            return None
        if kind == "class":
            return (
                self.engine.value(InstanceValue, file.path, number).get_member(name, fuel) or None
            )
        within = file.definitions[number]
        if "static" in within.flags:
            return None
        holders = self.engine.annotations.instances_of(file, within.scope, within.owner, fuel)
        parts = [holder.get_member(name, fuel) for holder in holders]
        return union(parts) or None

    def builtin(self, file: FileScopes, name: str) -> ValueSet:
        dialect = file.dialect
        if name in dialect.builtin_names:
            return (self.engine.value(ExternalValue, name),)
        # A module has no names but its own, what it imports, and those of the language.
        is_module = file.exports or file.export_stars or file.has_imports
        if dialect.module_globals_only and is_module:
            return (self.engine.value(ExternalValue, name),)
        # What begins like a class, and is none of those in sight, is one of another library.
        if dialect.capitalised_is_external and name[:1].isupper():
            return (self.engine.value(ExternalValue, name),)
        return ()


def _effective(file: FileScopes, bindings: list[Binding]) -> list[Binding]:
    """Return bindings without the declarations of overloads whose body stands beside them."""
    implementations = [
        binding
        for binding in bindings
        if binding[0] != "define" or "overload" not in file.definitions[binding[1]].flags
    ]
    return implementations or bindings


def _lists(binding: Binding, name: str) -> bool:
    """Return whether a binding is to a list that holds a text."""
    term = binding[2] if binding[0] == "value" else None
    if term is None or term[0] not in ("list", "tuple"):
        return False
    return any(
        element is not None and element[0] == "const" and element[2] == name for element in term[1]
    )


# --- Names of packages: what a plain name means among files that share their functions.
#
# For languages with `Dialect.extension_functions`. Scopes are asked from the inside out, with the
# members of what `this` is in each; then imports by name, the package, and imports of everything.
# Definitions of one name may stand for each other on several platforms: the nearest one is meant.

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

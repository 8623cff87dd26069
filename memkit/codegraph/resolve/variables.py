"""Definitions of variables, constants, fields and aliases that names and members mean.

Values say what something is; a variable is the name that holds it, which no value tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE, Definition, Expression, Term
from .container_values import LiteralValue
from .names import USING
from .values import FUEL, ClassValue, DefinedValue, ModuleValue, Place

if TYPE_CHECKING:
    from .engine import InferenceEngine
    from .file_scopes import FileScopes, Lookup

Places = tuple[Place, ...]


class VariableResolver:
    """Lookup of variables by the names and members that mean them, through imports and bases."""

    def __init__(self, engine: InferenceEngine) -> None:
        self.engine = engine
        self._members = engine.new_table()
        self._fields = engine.new_table()
        # Names that are being looked up: modules may take theirs from each other in a circle.
        self._pending: set[tuple[str, str, str]] = set()
        # The same of literals: `o = { ...o, x: 1 }`.
        self._spreads: set[tuple[LiteralValue, str]] = set()

    def named(self, file: FileScopes, scope: int, lookup: Lookup, name: str) -> Places:
        """Return the variables that a name means where a scope sees it as `lookup` says."""
        if lookup.binder < 0:
            return self._implied(file, scope, name)
        if lookup.part is not None:
            inner, term = lookup.part
            self.engine.evaluate(file, inner, term, FUEL)
            return self.member_of(file, inner, term)
        return self._bound(file, lookup.binder, name)

    def member_of(self, file: FileScopes, scope: int, term: Expression) -> Places:
        """Return the variables that a member means: of a module, a class or an object; asked when
        the member has been evaluated, so that all files that may have it are loaded."""
        if term[2] not in self.engine.files.variables:
            return ()
        parts: list[Places] = []
        for value in self.engine.evaluate(file, scope, term[1], FUEL):
            if isinstance(value, ModuleValue):
                parts.append(self._of_module(value.family, value.key, term[2]))
            elif isinstance(value, DefinedValue):
                parts.append(self.field_of(value.place, term[2]))
            elif isinstance(value, LiteralValue) and value.is_mapping:
                parts.append(self._spread(value, term[2]))
        return (
            parts[0] if len(parts) == 1 else tuple(dict.fromkeys(p for part in parts for p in part))
        )

    def _spread(self, literal: LiteralValue, name: str) -> Places:
        """Return the fields of a name that an object literal has from what is spread into it."""
        if (literal, name) in self._spreads:
            return ()
        self._spreads.add((literal, name))
        try:
            for key, term in reversed(literal.term[1]):
                if key is not None and key[0] == "const" and key[2] == name:
                    return ()
                spread = ("attr", term, name)
                if key is None and (p := self.member_of(literal.file, literal.scope, spread)):
                    return p
            return ()
        finally:
            self._spreads.discard((literal, name))

    def imported(self, file: FileScopes, module: str, name: str | None, level: int) -> Places:
        """Return the variables that an import takes."""
        if name in (None, "*"):
            return ()
        keys = self.engine.names.namespaces(file, module, level)
        for key in keys:
            if places := self._of_module(file.dialect.family, key, str(name)):
                return places
        return () if keys else self._static(file, module, str(name))

    def _bound(self, file: FileScopes, scope: int, name: str) -> Places:
        """Return the variables that the bindings of a name in a scope mean."""
        binding = file.names[scope][name][0]
        if binding[0] == "import":
            return self.imported(file, binding[1], binding[2], binding[3])
        number = file.variable(name, scope)
        if number >= 0:
            return ((file.path, number),)
        is_alias = scope == MODULE_SCOPE and binding[0] == "value"
        return self._aliased(file, binding[2]) if is_alias else ()

    def _aliased(self, file: FileScopes, term: Term) -> Places:
        """Return the variables for which a file has another name: `exports.name = name`, or one of
        a module, `use crate::module::name`."""
        if term is None:
            return ()
        if term[0] == "attr":
            return self.member_of(file, MODULE_SCOPE, term)
        number = file.variable(term[1]) if term[0] == "name" else -1
        return ((file.path, number),) if number >= 0 else ()

    def _of_module(self, family: str, key: str, name: str) -> Places:
        """Return the variables of a name in the files of a namespace."""
        place = (family, key, name)
        if place in self._pending:
            return ()
        places: Places = self.engine.cached_once(self._members, place, self._work_module)
        return places

    def _work_module(self, place: tuple[str, str, str]) -> Places:
        family, key, name = place
        self.engine.depend_on(f"n:{key}:{name}")
        self._pending.add(place)
        try:
            files = self.engine.names.holders(family, key, name)
            return tuple(dict.fromkeys(p for file in files for p in self._of_file(file, name)))
        finally:
            self._pending.discard(place)

    def _of_file(self, file: FileScopes, name: str) -> Places:
        """Return the variables that a file has for others under a name."""
        if file.exports or file.export_stars:
            return self._exported(file, name)
        if name in file.names[MODULE_SCOPE]:
            return self._bound(file, MODULE_SCOPE, name)
        return self._starred(file, MODULE_SCOPE, name)

    def _exported(self, file: FileScopes, name: str) -> Places:
        self.engine.depend_on(self.engine.names.name_key(file, MODULE_SCOPE, "*"))
        for local, module in file.exports.get(name, ()):
            if module is not None:
                return self.imported(file, module, local, 0)
            self.engine.depend_on(self.engine.names.name_key(file, MODULE_SCOPE, local))
            if local in file.names[MODULE_SCOPE]:
                return self._bound(file, MODULE_SCOPE, local)
        if name in file.exports or name == "default":
            return ()
        for module in file.export_stars:
            if places := self.imported(file, module, name, 0):
                return places
        return ()

    def _starred(self, file: FileScopes, scope: int, name: str) -> Places:
        """Return the variables of what a scope imports whole."""
        self.engine.depend_on(self.engine.names.name_key(file, MODULE_SCOPE, "*"))
        if file.dialect.includes_transitively:
            stars = file.stars.get(scope)
            return (self._included(file, name) or self._using(file, scope, name)) if stars else ()
        if name.startswith("_") and file.dialect.star_excludes == "underscore":
            return ()
        for module, level in file.stars.get(scope, ()):
            if places := self.imported(file, module, name, level):
                return places
            for kind in self.engine.names.classes(file, module, FUEL):
                if places := self.field_of(kind.place, name):
                    return places
        return ()

    def _included(self, file: FileScopes, name: str) -> Places:
        """Return the variables, and other names of types, of a name in the files that a file
        includes."""
        self.engine.depend_on(f"u:{name}")
        inside = self.engine.names.included(file.path)
        return tuple(
            (path, number)
            for path, number, kind in self.engine.tree.named(name)
            if kind in ("variable", "class")
            and path in inside
            and _is_held(self.engine.files[path].definitions[number], kind)
        )

    def _using(self, file: FileScopes, scope: int, name: str) -> Places:
        """Return the variables of a name in the namespaces that a scope uses whole."""
        for module, level in file.stars.get(scope, ()):
            if level == USING:
                for value in self.engine.names.used(file, module):
                    if isinstance(value, ClassValue) and (p := self.field_of(value.place, name)):
                        return p
        return ()

    def _implied(self, file: FileScopes, scope: int, name: str) -> Places:
        """Return the variables of a name that no scope binds: of whole imports, of the bases of the
        class around, of the namespace."""
        dialect, inner = file.dialect, scope
        if dialect.includes_transitively and (own := file.variable(name)) >= 0:
            return ((file.path, own),)  # `typedef struct x x` binds nothing
        while inner >= 0:
            _, parent, number = file.facts.scopes[inner]
            if (places := self._inherited(file, number, name)) or (
                inner in file.stars and (places := self._starred(file, inner, name))
            ):
                return places
            inner = parent
        if dialect.shares_namespace:
            key = self.engine.modules.of(file.path).namespace(file.path)
            return self._of_module(dialect.family, key, name)
        return ()

    def _inherited(self, file: FileScopes, number: int, name: str) -> Places:
        """Return the field that is seen bare inside of a class or of a method that is written
        apart from it, if a definition is one and the language has such."""
        if number < 0 or not file.dialect.implicit_members:
            return ()
        definition = file.definitions[number]
        if definition.kind == "class":
            return self.field_of((file.path, number), name)
        if definition.owner is None or name not in self.engine.files.variables:
            return ()
        holders = self.engine.evaluate(file, definition.scope, definition.owner, FUEL)
        fields = (self.field_of(h.place, name) for h in holders if isinstance(h, ClassValue))
        return next(filter(None, fields), ())

    def field_of(self, place: Place, name: str) -> Places:
        """Return the field of a name that a class or the nearest of its bases has."""
        key = (*place, name)
        places: Places = self.engine.cached_once(self._fields, key, self._work_class)
        return places

    def _work_class(self, key: tuple[str, int, str]) -> Places:
        path, number, name = key
        for base in self.engine.members.order(path, number):
            if not isinstance(base, ClassValue):
                continue
            definition = base.definition
            self.engine.depend_on(f"a:{base.path}:{definition.qualname}.{name}")
            if definition.body >= 0:
                field = base.file.variable(name, definition.body)
                if field >= 0:
                    return ((base.path, field),)
                if name in base.file.names[definition.body]:
                    return ()
            if parts := self._parts(base, name):
                return parts
            if base.file.dialect.methods_outside_class and (apart := self._apart(base, name)):
                return apart
        return ()

    def _parts(self, holder: ClassValue, name: str) -> Places:
        """Return the variables of a name that stand in other parts of a namespace, in any file."""
        if not holder.file.dialect.reopened or not holder.has_flag("namespace"):
            return ()
        self.engine.depend_on(f"u:{name}")
        places: list[Place] = []
        for path, number, kind in self.engine.tree.named(name):
            if kind != "variable" or path == holder.path:
                continue
            there = self.engine.files[path]
            around = there.around[there.definitions[number].scope]
            if around >= 0 and there.definitions[around].qualname == holder.definition.qualname:
                places.append((path, number))
        return tuple(places)

    def _apart(self, holder: ClassValue, name: str) -> Places:
        """Return the constants of a name that say elsewhere that a class is their owner."""
        self.engine.depend_on(f"u:{name}")
        for path, number, kind in self.engine.tree.named(name):
            there = self.engine.files[path] if kind == "variable" else holder.file
            owner = there.definitions[number].owner if kind == "variable" else None
            if owner is None or owner[-1] != holder.definition.name:
                continue
            scope = there.definitions[number].scope
            if holder in self.engine.evaluate(there, scope, owner, FUEL):
                return ((path, number),)
        return ()

    def _static(self, file: FileScopes, module: str, name: str) -> Places:
        """Return the field that is taken from a class by its full name."""
        outer, _, last = module.rpartition(".")
        if not outer or not file.dialect.implicit_members:
            return ()
        for key in self.engine.names.namespaces(file, outer, 0):
            for value in self.engine.names.member(file.dialect.family, key, last, FUEL):
                if isinstance(value, ClassValue) and (places := self.field_of(value.place, name)):
                    return places
        return ()


def _is_held(definition: Definition, kind: str) -> bool:
    """Return whether a definition of a file is a variable, or another name of a type."""
    return definition.scope == MODULE_SCOPE and (kind == "variable" or "alias" in definition.flags)

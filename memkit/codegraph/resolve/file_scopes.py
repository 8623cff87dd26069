"""Scopes of one file: bindings by scope and name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..dialect import Dialect
from ..facts import MODULE_SCOPE, Definition, Expression, Facts, Statement, Term
from ..languages import dialect as dialect_of
from .values import ClassValue, DefinedValue, FunctionValue, InstanceValue, ValueSet

if TYPE_CHECKING:
    from .engine import InferenceEngine

# --- The scopes of one file, and the lookup of names in them.

Binding = tuple[Any, ...]
Names = dict[str, list[Binding]]


class Lookup(NamedTuple):
    """The bindings of a name as a scope sees them.

    Attributes:
        binder: the scope whose bindings count, -1 if no scope has any.
        bindings: those bindings.
        receiver: class whose object it is, as the first parameter of a method; else -1.
        is_plain: whether it is only defined or imported, or lies outside.
        is_local: whether it is a variable of a function, or lies outside.
        fixed: what it means where nothing else decides: one definition, or the receiver.
        part: scope and term of the member that it is, taken out of a value under its own name.
    """

    binder: int
    bindings: list[Binding]
    receiver: int
    is_plain: bool
    is_local: bool
    fixed: ValueSet | None
    part: tuple[int, Expression] | None = None


def _part(binding: Binding, name: str) -> tuple[int, Expression] | None:
    """Return the member of its own name that a pattern binds a name to, None for any other."""
    if binding[0] != "value" or (term := binding[2]) is None:
        return None
    if term[0] == "either" and term[1][0] is not None:  # with a default
        term = term[1][0]
    is_part = term[0] == "attr" and len(term) > 3 and term[2] == name
    return (binding[1], term) if is_part else None


_UNBOUND = Lookup(-1, [], -1, is_plain=True, is_local=True, fixed=None)
# Bindings by which a name means one thing, whatever runs.
_PLAIN = frozenset({"define", "import"})


class FileBindings:
    """Facts of one file, with an index of everything that binds a name.

    A *binding* is a tuple, its tag first:

        ("value", scope, term)       the value of a term of a scope
        ("type", scope, type)        something of a declared type
        ("narrow", scope, type)      something that was checked to be of a type
        ("define", n)                a definition
        ("import", module, name, level)
        ("param", n, place)          a parameter of definition n

    Attributes:
        path, facts, dialect: of the file.
        definitions: of the file, by number.
        around: for each scope the number of the definition whose body holds it, -1 for the file.
            One more stands at the end, for scope -1: a definition without a body.
        names: for each scope, the bindings of each name.
        globals: names that a scope takes from the module.
        nonlocals: scope of what a scope gives a value without declaring it, by scope and name; -1
            for what no scope of the file declares.
        attrs: for each class (or function used as one), what is bound to members from outside of
            its body: name to bindings.
        loose: bindings of members of something that must be evaluated: (scope, term, name, value);
            loose_names: their names.
        changed: names of what is changed after it was made, by a key or a method.
        returns, yields: for each function, (scope, term) of what it gives back.
        stars: module and level of what is imported as a whole, by scope.
        exports: other files' names for things of this file: (local, module) by name.
        export_stars: modules whose names are this file's as well.
        mixins: (scope, type, base) of what types gain from elsewhere.
        has_imports: whether anything is imported.
        is_implying: whether a scope may have names that it does not bind.
    """

    __slots__ = (
        "_constructors", "_units", "_variables", "_visible", "around", "attrs", "changed",
        "definitions", "dialect", "export_stars", "exports", "facts", "globals", "has_imports",
        "is_implying", "loose", "loose_names", "mixins", "names", "nonlocals", "path", "returns",
        "stars", "yields",
    )  # fmt: skip

    def __init__(self, facts: Facts, dialect: Dialect) -> None:
        self.path = facts.path
        self.facts = facts
        self.dialect = dialect
        self.definitions = facts.definitions
        self.names: list[Names] = [{} for _ in facts.scopes]
        self.globals: dict[int, set[str]] = {}
        self.nonlocals: dict[tuple[int, str], int] = {}
        self.around = self._around()
        self._units: dict[int, str] = {}
        self._visible = [
            kind != "class" or dialect.implicit_members or self._is_namespace(number)
            for kind, _, number in facts.scopes
        ]
        self.attrs: dict[int, Names] = {}
        self.loose: list[tuple[int, Term, str, Term]] = []
        self.loose_names: set[str] = set()
        self.changed: set[str] = set()
        self.returns: dict[int, list[tuple[int, Term]]] = {}
        self.yields: dict[int, list[tuple[int, Term]]] = {}
        self.stars: dict[int, list[tuple[str, int]]] = {}
        self.exports: dict[str, list[tuple[str, str | None]]] = {}
        self.export_stars: list[str] = []
        self.mixins: list[tuple[int, Term, Term]] = []
        self.has_imports = False
        self._variables: dict[tuple[int, str], int] | None = None
        self._constructors: dict[int, tuple[int, ...]] = {}
        for number, definition in enumerate(facts.definitions):
            if definition.params and definition.body >= 0:
                names = self.names[definition.body]
                for place, param in enumerate(definition.params):
                    names.setdefault(param[0], []).append(("param", number, place))
        for scope, statements in enumerate(facts.statements):
            for statement in statements:
                if (index := _INDEX.get(statement[0])) is not None:
                    index(self, scope, statement)
        self.is_implying = bool(self.stars) or dialect.implicit_members

    def unit(self, scope: int) -> str:
        """Return the key of a scope's values (see `keys`): its outermost function, or class."""
        unit = self._units.get(scope)
        if unit is None:
            number = self.around[scope]
            while number >= 0:
                outer = self.around[self.definitions[number].scope]
                if outer < 0 or self.definitions[outer].kind == "class":
                    break
                number = outer
            name = self.definitions[number].qualname if number >= 0 else ""
            unit = self._units[scope] = f"d:{self.path}:{name}"
        return unit

    def class_of(self, number: int) -> int:
        """Return the class in whose body a definition is bound, -1 if it is no member."""
        definition = self.definitions[number]
        if definition.owner is not None:
            return -1
        scope = self.facts.scopes[definition.scope]
        while scope[0] == "block" and scope[1] >= 0:
            scope = self.facts.scopes[scope[1]]
        return int(scope[2]) if scope[0] == "class" else -1

    def method_around(self, scope: int) -> int:
        """Return the nearest method (or function with an owner) around a scope, -1 for none."""
        number = self.around[scope]
        while number >= 0:
            definition = self.definitions[number]
            if definition.owner is not None or self.class_of(number) >= 0:
                return number
            number = self.around[definition.scope]
        return -1

    def binder(self, scope: int, name: str) -> int:
        """Return the scope whose binding of a name counts in a scope, -1 if no scope has one."""
        if name in self.names[scope] and self.dialect.bare_in_class:
            return scope
        scopes, names, visible = self.facts.scopes, self.names, self._visible
        while scope >= 0:
            if name in names[scope] and visible[scope]:
                return scope
            if self.globals and name in self.globals.get(scope, ()):
                return MODULE_SCOPE if name in names[MODULE_SCOPE] else -1
            scope = scopes[scope][1]
        return -1

    def is_seen(self, scope: int, start: int) -> bool:
        """Return whether names of a scope are seen, as names, from one that is or lies in it."""
        return (scope == start and self.dialect.bare_in_class) or self._visible[scope]

    def _is_namespace(self, number: int) -> bool:
        """Return whether names of a class are seen, as names, from the scopes in it."""
        return number >= 0 and "namespace" in self.definitions[number].flags

    def receiver(self, scope: int, name: str) -> int:
        """Return the class whose object a name is: the first parameter of a method; else -1."""
        binder = self.binder(scope, name) if self.dialect.receiver else -1
        return self.own_class(self.names[binder][name][0]) if binder >= 0 else -1

    def own_class(self, binding: Binding) -> int:
        """Return the class whose object or which itself is the first parameter of a method, -1
        where the class around does not say."""
        if binding[0] != "param" or binding[2] != 0 or not self.dialect.receiver:
            return -1
        definition = self.definitions[binding[1]]
        is_method = definition.kind == "method" and "static" not in definition.flags
        return self.class_of(binding[1]) if is_method else -1

    def _around(self) -> list[int]:
        numbers = [-1]  # of scope -1, which stays last
        for scope, (_, parent, definition) in enumerate(self.facts.scopes):
            numbers.insert(scope, definition if definition >= 0 else numbers[parent])
        return numbers

    def variable(self, name: str, scope: int = MODULE_SCOPE) -> int:
        """Return the definition of a variable of a module or a class, also of another name for a
        type; -1 if there is none."""
        if self._variables is None:
            self._variables = {
                (definition.scope, definition.name): number
                for number, definition in reversed(list(enumerate(self.facts.definitions)))
                if definition.kind == "variable" or "alias" in definition.flags
            }
        return self._variables.get((scope, name), -1)

    def constructors(self, number: int) -> tuple[int, ...]:
        """Return the initialisers that a class itself has."""
        constructors = self._constructors.get(number)
        if constructors is None:
            definition = self.definitions[number]
            is_class = definition.body >= 0 and definition.kind == "class"
            names = self.names[definition.body] if is_class else {}
            constructors = self._constructors[number] = tuple(
                binding[1]
                for bindings in names.values()
                for binding in bindings
                if binding[0] == "define" and "constructor" in self.definitions[binding[1]].flags
            )
        return constructors

    def may_be_type(self, binding: Binding) -> bool:
        """Whether a binding may be a type: a class, or another name for one."""
        if binding[0] == "define":
            return self.definitions[binding[1]].kind == "class"
        return binding[0] in ("value", "import")

    def _bind(self, scope: int, statement: Statement) -> None:
        self._assign(scope, statement[1], "value", statement[2])

    def _declare(self, scope: int, statement: Statement) -> None:
        self._assign(scope, statement[1], "type", statement[2])

    def _narrow(self, scope: int, statement: Statement) -> None:
        """A check binds nothing: it adds to what is bound in this very scope."""
        target = statement[1]
        if target is not None and target[0] == "name":
            if bound := self.names[scope].get(target[1]):
                bound.append(("narrow", scope, statement[2]))
        elif target is not None and target[0] == "attr":
            self._assign(scope, target, "narrow", statement[2])

    def _assign(self, scope: int, target: Term, tag: str, value: Term) -> None:
        if target is None:
            return
        kind = target[0]
        if kind == "name":
            self._home(scope, target[1]).setdefault(target[1], []).append((tag, scope, value))
        elif kind == "attr":
            self._member(scope, target, (tag, scope, value))
        elif kind in ("tuple", "list"):
            self._apart(scope, target[1], value)
        elif kind == "star":
            self._assign(scope, target[1], "value", ("list", (("star", value),)))
        elif kind == "item":
            self._change(target[1])

    def _apart(self, scope: int, targets: Any, value: Term) -> None:
        """A value is taken apart."""
        for place, part in enumerate(targets):
            if part is not None and part[0] == "star":
                self._assign(scope, part[1], "value", ("list", (("star", ("seen", value)),)))
            else:
                key = ("const", "int", place)
                self._assign(scope, part, "value", ("item", ("seen", value), key))

    def _do(self, scope: int, statement: Statement) -> None:
        """A method that changes a container, called for that."""
        term = statement[1]
        if term is not None and term[0] == "call" and term[1] is not None:
            callee = term[1]
            if callee[0] == "attr" and callee[2] in self.dialect.library.mutating_methods:
                self._change(callee[1])

    def _change(self, term: Term) -> None:
        while term is not None and term[0] in ("item", "attr", "seen"):
            term = term[1]
        if term is not None and term[0] == "name":
            self.changed.add(term[1])

    def _home(self, scope: int, name: str) -> Names:
        if self.globals and name in self.globals.get(scope, ()):
            return self.names[MODULE_SCOPE]
        outer = self.nonlocals.get((scope, name), scope)
        return self.names[outer] if outer >= 0 else {}

    def _member(self, scope: int, target: Any, binding: Binding) -> None:
        base, name = target[1], target[2]
        number = -1
        if base is not None and base[0] == "in":
            _, scope, base = base
        if base is not None and base[0] == "name":
            number = self.receiver(scope, base[1])
            if number < 0:
                number = self._defined(scope, base[1])
        elif base is not None and base[0] == "self":
            method = self.method_around(scope)
            number = self.class_of(method) if method >= 0 else self.around[scope]
        if number >= 0:
            self.attrs.setdefault(number, {}).setdefault(name, []).append(binding)
        elif binding[0] == "value":
            self.loose.append((scope, base, name, binding[2]))
            self.loose_names.add(name)

    def _defined(self, scope: int, name: str) -> int:
        """Return the class or function of this file that a name means, -1 if it is none."""
        binder = self.binder(scope, name)
        first = self.names[binder][name][0] if binder >= 0 else ("",)
        return int(first[1]) if first[0] == "define" else -1

    def _define(self, scope: int, statement: Statement) -> None:
        definition = self.definitions[statement[1]]
        name = definition.name
        if self.dialect.implicit_members and "constructor" in definition.flags:
            # Named as its class, which the name still means inside.
            name = "<init>"
        self._home(scope, name).setdefault(name, []).append(("define", statement[1]))

    def _import(self, scope: int, statement: Statement) -> None:
        _, local, module, name, level, _ = statement
        self.has_imports = True
        if name == "*":
            self.stars.setdefault(scope, []).append((module, level))
        elif local:
            binding = ("import", module, name, level)
            self._home(scope, local).setdefault(local, []).append(binding)

    def _export(self, scope: int, statement: Statement) -> None:
        _, name, local, module, _ = statement
        if name == "*":
            self.export_stars.append(module)
        else:
            self.exports.setdefault(name, []).append((local, module))

    def _return(self, scope: int, statement: Statement) -> None:
        self.returns.setdefault(self.around[scope], []).append((scope, statement[1]))

    def _yield(self, scope: int, statement: Statement) -> None:
        self.yields.setdefault(self.around[scope], []).append((scope, statement[1]))

    def _global(self, scope: int, statement: Statement) -> None:
        self.globals.setdefault(scope, set()).update(statement[1])

    def _nonlocal(self, scope: int, statement: Statement) -> None:
        """Names of an outer scope are bound there; one that this file does not declare is not bound
        at all where variables are declared: it is one of another file, or of a base."""
        for name in statement[1]:
            binder = self.binder(self.facts.scopes[scope][1], name)
            if name not in self.names[scope] and (
                binder >= 0 or not self.dialect.dynamically_typed
            ):
                self.nonlocals[scope, name] = binder

    def _mixin(self, scope: int, statement: Statement) -> None:
        self.mixins.append((scope, statement[1], statement[2]))


class FileScopes(FileBindings):
    """Bindings of one file as an engine sees them: names looked up, values of definitions."""

    __slots__ = ("_lookups", "_values", "engine")

    def __init__(self, facts: Facts, dialect: Dialect, engine: InferenceEngine) -> None:
        super().__init__(facts, dialect)
        self.engine = engine
        self._lookups: list[dict[str, Lookup]] = [{} for _ in facts.scopes]
        self._values: list[ValueSet | None] = [None] * len(facts.definitions)

    def lookup(self, scope: int, name: str) -> Lookup:
        """Return what a name is in a scope; only for a file that is indexed whole."""
        lookups = self._lookups[scope]
        lookup = lookups.get(name)
        if lookup is None:
            binder = self.binder(scope, name)
            if binder == scope:
                lookup = self._look_up(scope, name, self.names[scope][name])
            else:
                lookup = self.lookup(binder, name) if binder >= 0 else _UNBOUND
            lookups[name] = lookup
        return lookup

    def forget(self) -> None:
        """Forget what names were looked up: few of them are asked for by other files."""
        for lookups in self._lookups:
            lookups.clear()

    def _look_up(self, scope: int, name: str, bindings: list[Binding]) -> Lookup:
        first = bindings[0]
        is_plain = first[0] in _PLAIN and all([binding[0] in _PLAIN for binding in bindings])
        receiver = self.own_class(first)
        fixed: ValueSet | None = None
        if len(bindings) == 1 and first[0] == "define":
            fixed = self.defined(first[1])
        elif len(bindings) == 1 and receiver >= 0:
            fixed = (self._own_value(first[1], receiver),)
        is_inner = self.facts.scopes[scope][0] not in ("module", "class")
        is_local = is_inner and first[0] not in _PLAIN and not self._is_own_name(scope, first)
        part = _part(first, name) if is_local else None
        return Lookup(scope, bindings, receiver, is_plain, is_local, fixed, part)

    def _is_own_name(self, scope: int, binding: Binding) -> bool:
        """Return whether a scope binds the function that it is the body of to a name."""
        term = binding[2] if binding[0] == "value" else None
        return term is not None and term[0] == "def" and self.definitions[term[1]].body == scope

    def defined(self, number: int) -> ValueSet:
        """Return what a definition is."""
        values = self._values[number]
        if values is None:
            values, kind = (), self.definitions[number].kind
            if kind != "variable":
                make: type[DefinedValue] = ClassValue if kind == "class" else FunctionValue
                values = (self.engine.value(make, self.path, number),)
            self._values[number] = values
        return values

    def own_object(self, number: int) -> DefinedValue | None:
        """Return what the first parameter of a method is; None where its class does not say."""
        owner = self.own_class(("param", number, 0))
        return self._own_value(number, owner) if owner >= 0 else None

    def _own_value(self, number: int, owner: int) -> DefinedValue:
        is_class = "classmethod" in self.definitions[number].flags
        make: type[DefinedValue] = ClassValue if is_class else InstanceValue
        return self.engine.value(make, self.path, owner)


class Files(dict[str, FileScopes]):
    """Scopes of files by path, each made when it is first asked for.

    Asking for a file without facts raises KeyError.

    Attributes:
        properties: names of methods that reading a member runs, of all that were made.
        variables: names of variables of modules and classes in the same way, also those under which
            other files know them.
    """

    def __init__(self, engine: InferenceEngine, facts_of: Callable[[str], Facts | None]) -> None:
        super().__init__()
        self._engine = engine
        self._facts_of = facts_of
        self.properties: set[str] = set()
        self.variables: set[str] = set()

    def __missing__(self, path: str) -> FileScopes:
        facts = self._facts_of(path)
        if facts is None:
            raise KeyError(path)
        file = self[path] = FileScopes(facts, dialect_of(facts.language), self._engine)
        self.properties.update(
            definition.name for definition in facts.definitions if "property" in definition.flags
        )
        self.variables.update(
            definition.name
            for definition in facts.definitions
            if definition.kind == "variable" or "alias" in definition.flags
        )
        self.variables.update(
            name
            for name, targets in file.exports.items()
            if any(local != name for local, _ in targets)
        )
        return file


_INDEX = {
    "do": FileBindings._do,
    "bind": FileBindings._bind,
    "declare": FileBindings._declare,
    "narrow": FileBindings._narrow,
    "define": FileBindings._define,
    "import": FileBindings._import,
    "export": FileBindings._export,
    "return": FileBindings._return,
    "yield": FileBindings._yield,
    "global": FileBindings._global,
    "nonlocal": FileBindings._nonlocal,
    "mixin": FileBindings._mixin,
}


def arity(definition: Definition, *, skip: int) -> tuple[int, float]:
    """Return the smallest and the largest number of arguments that a function takes."""
    min_count, max_count = 0, 0.0
    for param in definition.params[skip:]:
        if param[3] in ("*", "**"):
            max_count = float("inf")
        else:
            max_count += 1
            min_count += param[2] is None
    return min_count, max_count

"""One file's facts, arranged for looking names up: who binds what, in which scope.

A *binding* is a tuple, its tag first:

    ("value", scope, term)       the value of a term of a scope
    ("type", scope, type)        something of a declared type
    ("narrow", scope, type)      something that was checked to be of a type
    ("define", n)                a definition
    ("import", module, name, level)
    ("param", n, place)          a parameter of definition n
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dialect import Dialect
from ..extract import dialect as dialect_of
from ..facts import MODULE_SCOPE, Definition, Facts, Term
from .scopes import Binding, Names, Scopes


class View(Scopes):
    """Facts of one file, with an index of everything that binds a name.

    Attributes:
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
        "_constructors", "_variables", "attrs", "changed", "export_stars", "exports",
        "has_imports", "is_implying", "loose", "loose_names", "mixins", "returns", "stars",
        "yields",
    )  # fmt: skip

    def __init__(self, facts: Facts, dialect: Dialect) -> None:
        super().__init__(facts, dialect)
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
        self._variables: dict[str, int] | None = None
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

    def variable(self, name: str) -> int:
        """Return the definition of a variable of the module, -1 if there is none."""
        if self._variables is None:
            self._variables = {
                one.name: number
                for number, one in reversed(list(enumerate(self.facts.definitions)))
                if one.kind == "variable" and one.scope == MODULE_SCOPE
            }
        return self._variables.get(name, -1)

    def constructors(self, number: int) -> tuple[int, ...]:
        """Return the initialisers that a class itself has."""
        found = self._constructors.get(number)
        if found is None:
            definition = self.definitions[number]
            is_class = definition.body >= 0 and definition.kind == "class"
            names = self.names[definition.body] if is_class else {}
            found = self._constructors[number] = tuple(
                binding[1]
                for bindings in names.values()
                for binding in bindings
                if binding[0] == "define" and "constructor" in self.definitions[binding[1]].flags
            )
        return found

    def may_be_type(self, binding: Binding) -> bool:
        """Whether a binding may be a type: a class, or another name for one."""
        if binding[0] == "define":
            return self.definitions[binding[1]].kind == "class"
        return binding[0] in ("value", "import")

    def _bind(self, scope: int, statement: Any) -> None:
        self._assign(scope, statement[1], "value", statement[2])

    def _declare(self, scope: int, statement: Any) -> None:
        self._assign(scope, statement[1], "type", statement[2])

    def _narrow(self, scope: int, statement: Any) -> None:
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

    def _do(self, scope: int, statement: Any) -> None:
        """A method that changes a container, called for that."""
        term = statement[1]
        if term is not None and term[0] == "call" and term[1] is not None:
            callee = term[1]
            if callee[0] == "attr" and callee[2] in _CHANGING:
                self._change(callee[1])

    def _change(self, term: Term) -> None:
        while term is not None and term[0] in ("item", "attr", "seen"):
            term = term[1]
        if term is not None and term[0] == "name":
            self.changed.add(term[1])

    def _home(self, scope: int, name: str) -> Names:
        if self.globals and name in self.globals.get(scope, ()):
            return self.names[MODULE_SCOPE]
        return self.names[scope]

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

    def _define(self, scope: int, statement: Any) -> None:
        definition = self.definitions[statement[1]]
        name = definition.name
        if self.dialect.implicit_members and "constructor" in definition.flags:
            # Named as its class, which the name still means inside.
            name = "<init>"
        self._home(scope, name).setdefault(name, []).append(("define", statement[1]))

    def _import(self, scope: int, statement: Any) -> None:
        _, local, module, name, level, _ = statement
        self.has_imports = True
        if name == "*":
            self.stars.setdefault(scope, []).append((module, level))
        elif local:
            binding = ("import", module, name, level)
            self._home(scope, local).setdefault(local, []).append(binding)

    def _export(self, scope: int, statement: Any) -> None:
        _, name, local, module, _ = statement
        if name == "*":
            self.export_stars.append(module)
        else:
            self.exports.setdefault(name, []).append((local, module))

    def _return(self, scope: int, statement: Any) -> None:
        self.returns.setdefault(self.around[scope], []).append((scope, statement[1]))

    def _yield(self, scope: int, statement: Any) -> None:
        self.yields.setdefault(self.around[scope], []).append((scope, statement[1]))

    def _global(self, scope: int, statement: Any) -> None:
        self.globals.setdefault(scope, set()).update(statement[1])

    def _nonlocal(self, scope: int, statement: Any) -> None:
        """Names of an outer scope are bound there: this scope shares its lists."""
        for name in statement[1]:
            binder = self.binder(self.facts.scopes[scope][1], name)
            if binder >= 0:
                self.names[scope][name] = self.names[binder][name]

    def _mixin(self, scope: int, statement: Any) -> None:
        self.mixins.append((scope, statement[1], statement[2]))


class Views(dict[str, View]):
    """Views of files by path, each made when it is first asked for.

    Asking for a file without facts raises KeyError.

    Attributes:
        properties: names of methods that reading a member runs, of all that were made.
    """

    def __init__(self, facts_of: Callable[[str], Facts | None]) -> None:
        super().__init__()
        self._facts_of = facts_of
        self.properties: set[str] = set()

    def __missing__(self, path: str) -> View:
        facts = self._facts_of(path)
        if facts is None:
            raise KeyError(path)
        view = self[path] = View(facts, dialect_of(facts.language))
        self.properties.update(one.name for one in facts.definitions if "property" in one.flags)
        return view


# Methods that change what a container holds.
_CHANGING = frozenset("update pop clear popitem insert remove splice".split())
_INDEX = {
    "do": View._do,
    "bind": View._bind,
    "declare": View._declare,
    "narrow": View._narrow,
    "define": View._define,
    "import": View._import,
    "export": View._export,
    "return": View._return,
    "yield": View._yield,
    "global": View._global,
    "nonlocal": View._nonlocal,
    "mixin": View._mixin,
}


def arity(definition: Definition, *, skip: int) -> tuple[int, float]:
    """Return the least and the most arguments that a function takes."""
    least, most = 0, 0.0
    for param in definition.params[skip:]:
        if param[3] in ("*", "**"):
            most = float("inf")
        else:
            most += 1
            least += param[2] is None
    return least, most

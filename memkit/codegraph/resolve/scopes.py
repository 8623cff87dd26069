"""The scopes of one file: which of them a name is looked up in, and what is around them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..dialect import Dialect
from ..facts import MODULE_SCOPE, Facts
from .memo import Token, Tokens

Binding = tuple[Any, ...]
Names = dict[str, list[Binding]]


class Seen(NamedTuple):
    """What a name is in a scope.

    Attributes:
        binder: the scope whose bindings count, -1 if no scope has any.
        bindings: those bindings.
        receiver: class whose object it is, as the first parameter of a method; else -1.
        is_plain: whether it is only defined or imported, or lies outside.
        is_local: whether it is a variable of a function or a class, or lies outside.
        fixed: what it means where nothing else decides: one definition, or the receiver.
    """

    binder: int
    bindings: list[Binding]
    receiver: int
    is_plain: bool
    is_local: bool
    fixed: Tokens | None


_UNBOUND = Seen(-1, [], -1, is_plain=True, is_local=True, fixed=None)
# Bindings by which a name means one thing, whatever runs.
_PLAIN = frozenset({"define", "import"})


class Scopes:
    """Scopes and definitions of one file.

    Attributes:
        path, facts, dialect: of the file.
        definitions: of the file, by number.
        around: for each scope the number of the definition whose body holds it, -1 for the file.
            One more stands at the end, for scope -1: a definition without a body.
        names: for each scope, the bindings of each name.
        globals: names that a scope takes from the module.
    """

    __slots__ = (
        "_looked", "_units", "_visible", "around", "definitions", "dialect", "facts", "globals",
        "names", "path",
    )  # fmt: skip

    def __init__(self, facts: Facts, dialect: Dialect) -> None:
        self.path = facts.path
        self.facts = facts
        self.dialect = dialect
        self.definitions = facts.definitions
        self.names: list[Names] = [{} for _ in facts.scopes]
        self.globals: dict[int, set[str]] = {}
        self.around = self._around()
        self._looked: list[dict[str, Seen]] = [{} for _ in facts.scopes]
        self._units: dict[int, str] = {}
        self._visible = [
            kind != "class" or dialect.implicit_members or self._is_namespace(number)
            for kind, _, number in facts.scopes
        ]

    def look(self, scope: int, name: str) -> Seen:
        """Return what a name is in a scope; only for a view that is whole, as it is kept."""
        looked = self._looked[scope]
        seen = looked.get(name)
        if seen is None:
            binder = self.binder(scope, name)
            if binder == scope:
                seen = self._seen(scope, self.names[scope][name])
            else:
                seen = self.look(binder, name) if binder >= 0 else _UNBOUND
            looked[name] = seen
        return seen

    def forget(self) -> None:
        """Forget what names were looked up: few of them are asked for by other files."""
        for looked in self._looked:
            looked.clear()

    def _seen(self, scope: int, bindings: list[Binding]) -> Seen:
        first = bindings[0]
        is_plain = first[0] in _PLAIN and all([one[0] in _PLAIN for one in bindings])
        own = self._object(first)
        receiver = own[2] if own else -1
        fixed: Tokens | None = None
        if len(bindings) == 1:
            fixed = (own,) if own else self.defined(first[1]) if first[0] == "define" else None
        is_local = scope != MODULE_SCOPE and first[0] not in _PLAIN
        return Seen(scope, bindings, receiver, is_plain, is_local, fixed)

    def defined(self, number: int) -> Tokens:
        """Return what a definition is."""
        kind = self.definitions[number].kind
        if kind == "variable":
            return ()
        return (("class" if kind == "class" else "function", self.path, number),)

    def own_object(self, number: int) -> Token | None:
        """Return what the first parameter of a method is; None where its class does not say."""
        definition = self.definitions[number]
        if definition.kind != "method" or "static" in definition.flags:
            return None
        owner = self.class_of(number) if self.dialect.receiver else -1
        tag = "class" if "classmethod" in definition.flags else "instance"
        return (tag, self.path, owner) if owner >= 0 else None

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
        own = self._object(self.names[binder][name][0]) if binder >= 0 else None
        return own[2] if own else -1

    def _object(self, binding: Binding) -> Token | None:
        is_first = binding[0] == "param" and binding[2] == 0
        return self.own_object(binding[1]) if is_first else None

    def _around(self) -> list[int]:
        found = [-1]  # of scope -1, which stays last
        for scope, (_, parent, definition) in enumerate(self.facts.scopes):
            found.insert(scope, definition if definition >= 0 else found[parent])
        return found

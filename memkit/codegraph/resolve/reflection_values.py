"""Reflected members, method handles, proxies.

    ("reflected", token)    a class, a method (bound: one that is not dispatched) or an object as a
                            value that is asked by name; ("field", token, name) is one of its fields
    ("proxy", token)        an object of any interface whose methods are all one method of a handler

Only constant names are followed: what is put together while the program runs is not known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dialect import LibraryRule, LibraryRules
from ..facts import Term
from .container_values import Containers
from .engine import Token, Tokens, joined
from .file_scopes import View

_RUNNING = frozenset({"function", "bound", "class"})
# The method of its handler that every method of a proxy is.
_HANDLING = "invoke"
# What a handle gives its types in: those of the parameters, each as tokens.
_Types = tuple[Tokens, ...]


class Reflection(Containers):
    """Members, classes and modules that are looked up by a constant name."""

    def asked_of(self, token: Token, name: str, fuel: int) -> Tokens:
        """Return a member of something reflected: itself, if that is what runs it."""
        if token[0] == "proxy":
            return self.attribute(token[1], _HANDLING, fuel)
        if token[0] == "argument":
            return ()
        inner = token[1]
        if inner[0] in _RUNNING and name in self.views[inner[1]].dialect.library.invoking:
            return (token,)
        return (("method", token, name),)

    def from_method(self, library: LibraryRules, token: Token, name: str, fuel: int) -> Tokens:
        """Return what a method of something gives: of a field its value."""
        if token[0] != "reflected":
            return super().from_method(library, token, name, fuel)
        field = token[1]
        if field[0] != "field" or name not in library.reading:
            return ()
        kind = "instance" if field[1][0] == "class" else field[1][0]
        return self.attribute((kind, *field[1][1:]), field[2], fuel)

    def invoked(self, view: View, scope: int, term: Any, callees: Tokens, fuel: int) -> Tokens:
        """Return what runs when something reflected is invoked: methods as their object has them.

        `callees` is what the callee can be; nothing comes back if none of it is reflected.
        """
        if not any(token[0] == "reflected" for token in callees):
            return ()
        parts: list[Tokens] = []
        for token in callees:
            inner = token[1] if token[0] == "reflected" else token
            if inner is token or inner[0] not in _RUNNING:
                parts.append((token,))
            else:
                parts.append(self._dispatched(inner, view, scope, term, fuel) or (inner,))
        return joined(parts or [()])

    def _dispatched(self, token: Token, view: View, scope: int, term: Any, fuel: int) -> Tokens:
        """Return the methods of the object that is given first, if it is known."""
        if token[0] != "function" or not term[2]:
            return ()
        definition = self.views[token[1]].definitions[token[2]]
        if definition.kind != "method" or "static" in definition.flags:
            return ()
        objects = self.eval(view, scope, term[2][0], fuel)
        parts = [
            self.attribute(value, definition.name, fuel)
            for value in objects
            if value[0] == "instance"
        ]
        methods = joined(parts or [()])
        own = ("bound", *token[1:])
        if own in methods:
            return (own,)
        types = self._types_of(token, fuel)
        return tuple(
            method
            for method in methods
            if method[0] == "bound" and self._has_types(method, types, fuel)
        )

    def _types_of(self, token: Token, fuel: int) -> _Types:
        view = self.views[token[1]]
        definition = view.definitions[token[2]]
        self.read(view.unit(definition.body))
        kinds = [param[1] for param in definition.params]
        return tuple(self.typed(view, definition.scope, kind, fuel) for kind in kinds)

    def by_name(self, view: View, scope: int, term: Any, callee: Tokens, fuel: int) -> Tokens:
        """Return what a call gives that asks for something by its name; nothing for any other.

        `callee` is what is called: nothing of the tree itself.
        """
        named = term[1]
        if any(token[0] in _RUNNING for token in callee):
            return ()
        base: Term = named[1] if named[0] == "attr" else ("self",)
        rule = view.dialect.library.reflection[named[-1]]
        return _RULES[rule](self, view, scope, base, term[2], fuel)

    def named(self, rule: LibraryRule, view: View, scope: int, arguments: Any, fuel: int) -> Tokens:
        """Return what a function gives by a name: a member (getattr) or its default, a module."""
        if rule is LibraryRule.REFLECTED:
            tokens = self.eval(view, scope, arguments[0], fuel) if arguments else ()
            return tuple(("reflected", token) for token in tokens if token[0] == "instance")
        place = int(rule is LibraryRule.MEMBER)
        name = self.key_of(view, scope, arguments[place], fuel) if len(arguments) > place else None
        if rule is LibraryRule.MODULE:
            is_known = isinstance(name, str) and len(arguments) == 1
            return self.imported(view, str(name), None, 0, fuel) if is_known else ()
        base = self.eval(view, scope, arguments[0], fuel) if arguments else ()
        parts = (
            [self.attribute(token, name, fuel) for token in base] if isinstance(name, str) else []
        )
        parts += [self.eval(view, scope, argument, fuel) for argument in arguments[2:]]
        return joined(parts or [()])

    def _method(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`x.getMethod("name", types…)`."""
        types = self._types(view, scope, arguments[1:], fuel)
        return self._members(view, scope, base, arguments[:1], types, fuel)

    def _handle(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`lookup.findVirtual(X.class, "name", type)`."""
        if len(arguments) < 2:
            return ()
        made = self.eval(view, scope, arguments[2], fuel) if len(arguments) > 2 else ()
        types = next((token[1] for token in made if token[0] == "row"), None)
        return self._members(view, scope, arguments[0], arguments[1:2], types, fuel)

    def _exact_handle(
        self, view: View, scope: int, base: Term, arguments: Any, fuel: int
    ) -> Tokens:
        """`lookup.findSpecial(X.class, "name", type, Y.class)`: X's, whatever the object is."""
        tokens = self._handle(view, scope, base, arguments, fuel)
        return tuple(("reflected", ("bound", *token[1][1:])) for token in tokens)

    def _members(
        self, view: View, scope: int, base: Term, named: Any, types: _Types | None, fuel: int
    ) -> Tokens:
        name = self.constant(view, scope, named[0], fuel) if named else None
        if not isinstance(name, str):
            return ()
        holders = [
            token[1] for token in self.eval(view, scope, base, fuel) if token[0] == "reflected"
        ]
        members = joined([self.attribute(holder, name, fuel) for holder in holders] or [()])
        members = tuple(member for member in members if member[0] in ("function", "bound"))
        if len(members) > 1 and types is not None:
            members = (
                tuple(member for member in members if self._has_types(member, types, fuel))
                or members
            )
        return tuple(("reflected", member) for member in members)

    def _types(self, view: View, scope: int, arguments: Any, fuel: int) -> _Types | None:
        """Return the types of parameters that are listed, one by one or in an array."""
        if len(arguments) == 1:
            listed = [
                token
                for token in self.eval(view, scope, arguments[0], fuel)
                if token[0] == "literal"
            ]
            if listed:
                term = self.terms[listed[0][3]]
                arguments = term[1] if term is not None else ()
                view, scope = self.views[listed[0][1]], listed[0][2]
        if any(argument is None for argument in arguments):
            return None
        return tuple(self.eval(view, scope, argument, fuel) for argument in arguments)

    def _has_types(self, token: Token, types: _Types, fuel: int) -> bool:
        """Return whether a method has parameters of these types, as far as they are known."""
        own = self._types_of(token, fuel)
        if len(own) != len(types):
            return False
        for takes, argument in zip(own, types, strict=True):
            names, own_names = ({_named(kind) for kind in kinds} for kinds in (argument, takes))
            if (
                names
                and own_names
                and None not in own_names | names
                and own_names.isdisjoint(names)
            ):
                return False
        return True

    def _field(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`x.getField("name")`."""
        name = self.constant(view, scope, arguments[0], fuel) if arguments else None
        if not isinstance(name, str):
            return ()
        holders = [
            token[1] for token in self.eval(view, scope, base, fuel) if token[0] == "reflected"
        ]
        return tuple(("reflected", ("field", holder, name)) for holder in holders)

    def _field_handle(
        self, view: View, scope: int, base: Term, arguments: Any, fuel: int
    ) -> Tokens:
        """`lookup.findGetter(X.class, "name", T.class)`."""
        return self._field(view, scope, arguments[0], arguments[1:], fuel) if arguments else ()

    def _same(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`x.getConstructor(types…)`, `handle.bindTo(x)`: what is made or run stays the same."""
        return tuple(
            token for token in self.eval(view, scope, base, fuel) if token[0] == "reflected"
        )

    def _given_first(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`lookup.findConstructor(X.class, type)`, `lookup.unreflect(method)`."""
        return self._same(view, scope, arguments[0], arguments, fuel) if arguments else ()

    def _class_of(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`x.getClass()`; with a name, the class of that name."""
        if arguments:
            return self._class_named(view, scope, base, arguments, fuel)
        tokens = self.eval(view, scope, base, fuel)
        return tuple(
            ("reflected", ("class", *token[1:])) for token in tokens if token[0] == "instance"
        )

    def _class_named(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`Class.forName("a.b.Outer$Inner")`."""
        text = self.constant(view, scope, arguments[0], fuel) if arguments else None
        if not isinstance(text, str):
            return ()
        outer, *inner = text.partition(",")[0].replace("+", "$").split("$")
        module, _, name = outer.rpartition(".")
        tokens = self.imported(view, module, name, 0, fuel) if module and name else ()
        for part in inner:
            tokens = joined([self.attribute(token, part, fuel) for token in tokens] or [()])
        return tuple(("reflected", token) for token in tokens if token[0] == "class")

    def _object_of(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`X.class.cast(value)`."""
        tokens = self._same(view, scope, base, arguments, fuel)
        return tuple(("instance", *token[1][1:]) for token in tokens if token[1][0] == "class")

    def _parameters(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`MethodType.methodType(result, types…)`: the types as a row."""
        types = self._types(view, scope, arguments[1:], fuel)
        return (("row", types),) if types is not None else ()

    def _proxy(self, view: View, scope: int, base: Term, arguments: Any, fuel: int) -> Tokens:
        """`Proxy.newProxyInstance(loader, interfaces, handler)`; a lambda may be the handler."""
        tokens = self.eval(view, scope, arguments[-1], fuel) if arguments else ()
        handlers = tuple(("proxy", token) for token in tokens if token[0] == "instance")
        return handlers + tuple(token for token in tokens if token[0] in ("function", "bound"))


def _named(token: Token) -> Any:
    """Return what a class and an object of it have in common; None for what is neither."""
    if token[0] == "reflected":
        token = token[1]
    if token[0] in ("outside", "thing"):
        return token[1].rpartition(".")[2]
    return token[1:] if token[0] in ("class", "instance") else None


_Rule = Callable[[Reflection, View, int, Term, Any, int], Tokens]

_RULES: dict[LibraryRule, _Rule] = {
    LibraryRule.METHOD: Reflection._method,
    LibraryRule.METHOD_HANDLE: Reflection._handle,
    LibraryRule.EXACT_HANDLE: Reflection._exact_handle,
    LibraryRule.FIELD: Reflection._field,
    LibraryRule.FIELD_HANDLE: Reflection._field_handle,
    LibraryRule.RECEIVER: Reflection._same,
    LibraryRule.ARGUMENT: Reflection._given_first,
    LibraryRule.CLASS_OF: Reflection._class_of,
    LibraryRule.CLASS: Reflection._class_named,
    LibraryRule.CAST: Reflection._object_of,
    LibraryRule.PARAMETER_TYPES: Reflection._parameters,
    LibraryRule.PROXY: Reflection._proxy,
}

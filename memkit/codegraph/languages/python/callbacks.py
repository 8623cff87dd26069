"""Python: functions passed to the file's own functions; getattr dispatch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ...facts import Definition, Facts, Statement, Term

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Dispatch by getattr.
#
# `getattr(self, f"parse_{kind}")` is any of the class's methods that begin so: they are added to
# what it is bound to, returned or called as.

# The beginning of a text that goes on with what is not known: f"on_{x}", "on_" + x, "on_%s" % x,
# "on_{}".format(x).
_BEGINNING = re.compile(
    rb"""[fF]["'](?P<f>[A-Za-z_]\w*)\{|["'](?P<a>[A-Za-z_]\w*)["']\s*\+|["'](?P<p>[A-Za-z_]\w*)%s
    |["'](?P<b>[A-Za-z_]\w*)\{[^"'\n]*["']\.format\(""",
    re.VERBOSE,
)
_VARIABLE = re.compile(rb"([A-Za-z_]\w*)(?:\.(?:lower|upper)\(\))?")
# Bytes before a name in which it is looked for what it was bound to.
_BEFORE = 1000
# More methods than this are no choice that anybody would read.
_MAX_DISPATCHED = 30


class DispatchCall(NamedTuple):
    """A call of getattr: its scope, its term, what it asks, how the name begins, its place."""

    scope: int
    term: Term
    receiver: str
    beginning: str
    site: int | None


def beginning(source: bytes, node: Node) -> str:
    """Return how the text begins that an expression makes, or that a name was bound to just
    before; "" if that is not known."""
    start, end = node.start_byte, node.end_byte
    match = _BEGINNING.match(source, start, end)
    if match is None and (variable := _VARIABLE.fullmatch(source, start, end)):
        bound = re.compile(rb"[\s;]" + variable[1] + rb"\s*=\s*")
        for assignment in bound.finditer(source, max(0, start - _BEFORE), start):
            match = _BEGINNING.match(source, assignment.end(), start)
    return next(filter(None, match.groups())).decode() if match else ""


def with_dispatched_methods(facts: Facts, calls: Iterable[DispatchCall]) -> Facts:
    """Return facts in which the methods stand beside the calls of getattr that mean them."""
    statements = list(facts.statements)
    for call in calls:
        names = _members(facts, call)
        members = [("attr", ("name", call.receiver), name) for name in names]
        existing = facts.statements[call.scope]
        added = [
            statement
            for member in members
            for statement in _repeated_statements(existing, call, member)
        ]
        statements[call.scope] = (*statements[call.scope], *added)
    return facts._replace(statements=tuple(statements))


def _own_class(facts: Facts, scope: int, receiver: str) -> int:
    """Return the scope of the class whose object a name is in a method and the functions inside it;
    -1 if it is none."""
    while scope >= 0:
        _, parent, index = facts.scopes[scope]
        if index >= 0 and facts.definitions[index].kind == "method":
            method = facts.definitions[index]
            is_own = method.params and method.params[0][0] == receiver
            return method.scope if is_own else -1
        scope = parent
    return -1


def _members(facts: Facts, call: DispatchCall) -> list[str]:
    """Return the methods of the class around that begin as asked; none if they are too many."""
    own = _own_class(facts, call.scope, call.receiver)
    names = {
        definition.name: None
        for definition in facts.definitions
        if definition.scope == own
        and definition.kind == "method"
        and definition.name.startswith(call.beginning)
    }
    return list(names) if len(names) <= _MAX_DISPATCHED else []


def _repeated_statements(
    statements: Iterable[Statement], call: DispatchCall, member: Term
) -> Iterator[Statement]:
    """Yield what is said of a member where the same is said of the call."""
    if call.site is not None:
        yield ("do", ("call", member, (), (), call.site))
        return
    for statement in statements:
        if statement[-1] is call.term and statement[0] in ("bind", "return"):
            yield (*statement[:-1], member)


# --- Callbacks: functions and classes that a file passes to its own functions.
#
# Only what the file itself says without a doubt is followed: a name, a method of the own object
# or a lambda that is an argument of a call by name, and what is decorated by a function of the
# file.

# Functions handed to one parameter that are followed: more are a registry.
_MAX_CALLBACKS = 12

_NAMED = ("name", "attr")

Call = tuple[int, Any]
# What a name of a scope is bound to; None if that is several.
_Aliases = Mapping[tuple[int, str], Term]
# Scope and name of a parameter, and the definition that is handed to it.
_PassedCallback = tuple[tuple[int, str], int]


class _File:
    """The functions and classes of a file by scope and name.

    Attributes:
        aliases: what is bound to a name of a scope that is another name or a lambda.
        names: of the functions and classes; likely: those and the names that may stand for them.
    """

    def __init__(self, facts: Facts, aliases: _Aliases) -> None:
        self.facts = facts
        self.defined: dict[tuple[int, str], int] = {}
        self.names: set[str] = set()
        for index, definition in enumerate(facts.definitions):
            if definition[0] != "variable":
                self.defined[definition[3], definition[1]] = index
                self.names.add(definition[1])
        self.aliases = aliases
        self.likely = self.names.union([name for _, name in aliases])

    def definition_of(self, scope: int, term: Any) -> int:
        """Return the function or class that a term is, -1 for anything else."""
        tag = term[0] if term is not None else ""
        if tag == "def":
            return int(term[1])
        if tag not in _NAMED or term[-1] not in self.names:
            return -1
        if tag == "name":
            return self._name(scope, term[1])
        if term[1] is None or term[1][0] != "name":
            return -1
        # A method of the class around, if the receiver is its object.
        return self.defined.get((_own_class(self.facts, scope, term[1][1]), term[2]), -1)

    def may_hand(self, term: Term) -> bool:
        """Return whether an argument is likely to be a function or a class of the file."""
        tag = term[0] if term is not None else ""
        return tag == "def" or (tag in _NAMED and term is not None and term[-1] in self.likely)

    def callback_of(self, scope: int, term: Term) -> int:
        """Return the function that an argument is, which may be another name for it."""
        index = self.definition_of(scope, term)
        if index < 0 and term is not None and term[0] == "name":
            return self.definition_of(scope, self.aliases.get((scope, term[1])))
        return index

    def _name(self, scope: int, name: str) -> int:
        start, scopes = scope, self.facts.scopes
        while scope >= 0:
            kind, parent, definition = scopes[scope]
            if kind != "class" or scope == start:
                if (index := self.defined.get((scope, name), -1)) >= 0:
                    return index
                if self._is_bound(scope, definition, name):
                    return -1
            scope = parent
        return -1

    def _is_bound(self, scope: int, definition: int, name: str) -> bool:
        """Return whether a scope binds a name to anything else."""
        params = self.facts.definitions[definition].params if definition >= 0 else ()
        read = ("name", name)
        return any(param[0] == name for param in params) or any(
            statement[1] == (read if statement[0] == "bind" else name)
            for statement in self.facts.statements[scope]
            if statement[0] in ("bind", "import")
        )


def with_callbacks(facts: Facts, calls: Iterable[Call], aliases: _Aliases) -> Facts:
    """Return facts in which parameters are bound to the functions that are handed to them."""
    if not facts.definitions:
        return facts
    file = _File(facts, aliases)
    callbacks: dict[tuple[int, str], list[int]] = {}
    for parameter, index in (*_of_calls(file, calls), *_of_decorators(file)):
        functions = callbacks.setdefault(parameter, [])
        if index not in functions and len(functions) < _MAX_CALLBACKS:
            functions.append(index)
    if not callbacks:
        return facts
    statements = list(facts.statements)
    for (scope, name), numbers in callbacks.items():
        bound = (("bind", ("name", name), ("def", index)) for index in numbers)
        statements[scope] = (*statements[scope], *bound)
    return facts._replace(statements=tuple(statements))


def _of_calls(file: _File, calls: Iterable[Call]) -> Iterator[_PassedCallback]:
    names, may_hand = file.names, file.may_hand
    for scope, (_, callee, plain, named, _) in calls:
        if callee[-1] not in names:
            continue
        arguments = [pair for pair in (*enumerate(plain), *named) if may_hand(pair[1])]
        called = file.definition_of(scope, callee) if arguments else -1
        definition = file.facts.definitions[called]
        # What an object keeps may be another one later.
        if called < 0 or definition.kind == "class":
            continue
        skip = int(definition.kind == "method" and "static" not in definition.flags)
        for key, term in arguments:
            index = file.callback_of(scope, term)
            name = _param(definition, key, skip) if index >= 0 else None
            if name is not None:
                yield (definition.body, name), index


def _of_decorators(file: _File) -> Iterator[_PassedCallback]:
    for index, definition in enumerate(file.facts.definitions):
        # The others are handed what the innermost one makes of it.
        for term in definition.decorators[-1:]:
            is_call = term is not None and term[0] == "call"
            called = file.definition_of(definition.scope, term[1] if is_call and term else term)
            if called >= 0 and is_call:
                called = _returned_function(file, called)
            decorator = file.facts.definitions[called]
            is_run = called >= 0 and decorator.kind == "function"
            name = _param(decorator, 0, 0) if is_run else None
            if name is not None:
                yield (decorator.body, name), index


def _returned_function(file: _File, index: int) -> int:
    """Return the function that a function gives back by its name."""
    body = file.facts.definitions[index].body
    for statement in file.facts.statements[body] if body >= 0 else ():
        if statement[0] == "return":
            return file.definition_of(body, statement[1])
    return -1


def _param(definition: Definition, key: int | str, skip: int) -> str | None:
    """Return the name of the parameter that takes an argument, by its place or name."""
    params = definition.params
    if isinstance(key, str):
        is_named = any(param[0] == key and param[3] in ("", "name-only") for param in params)
        return key if is_named else None
    before = params[: key + skip + 1]
    is_plain = len(before) == key + skip + 1 and all(param[3] == "" for param in before)
    return before[-1][0] if is_plain else None

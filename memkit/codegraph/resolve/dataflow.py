"""Dataflow: values propagated through the whole program to a fixed point."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from ..dialect import LibraryRule
from ..facts import Expression, Term
from .call_targets import constructors
from .container_values import ArgumentsValue, ContainerValue, LiteralValue, TupleValue
from .edge_collector import EdgeCollector
from .engine import Edge, InferenceEngine, SourceTree
from .file_scopes import FileScopes
from .values import (
    FUEL,
    ClassValue,
    ExternalMethod,
    ExternalValue,
    FunctionValue,
    InstanceValue,
    SuperValue,
    Value,
    ValueSet,
    Variable,
    union,
)

# --- Values of terms with what flows in: arguments, decorators, contents of containers.

# Values of one variable, and containers in containers, that are followed.
_MAX_VALUES = 40
_MAX_DEPTH = 4
# A key that is not known.
ANY = ("any",)
_RUN_FIRST = frozenset({LibraryRule.MAPPED, LibraryRule.FILTERED})


class DataflowEngine(InferenceEngine):
    """Inference with what is known to flow into variables."""

    is_flowing = True

    def __init__(self, tree: SourceTree) -> None:
        super().__init__(tree)
        self._incoming: dict[Variable, dict[Value, None]] = {}
        self.changed = False

    def forget(self) -> None:
        """Forget values, but not what flows: it may give more of them now."""
        self._done.clear()
        self._dry.clear()
        self.changed = False

    def push(self, variable: Variable, values: ValueSet) -> None:
        """Let values flow into a variable."""
        held = self._incoming.setdefault(variable, {})
        for value in values:
            if value not in held and len(held) < _MAX_VALUES and _depth(value) < _MAX_DEPTH:
                held[value] = None
                self.changed = True

    def extra_values(self, variable: Variable) -> ValueSet:
        """Return what flows into a variable; under any key, into a container, too."""
        values = tuple(self._incoming.get(variable, ()))
        if variable[0] != "held" or len(variable) == 2:
            return values
        if variable[2] is None:
            return self.extra_values(variable[:2])
        return union([values, tuple(self._incoming.get(("held", variable[1], ANY), ()))])

    def put(self, container: Value, key: object, values: ValueSet) -> None:
        """Let values flow into a container, under a key if that is known."""
        self.push(("held", container), values)
        self.push(("held", container, ANY if key is None else key), values)

    def decorated(self, file: FileScopes, number: int, fuel: int) -> ValueSet:
        """Return a definition after its decorators, innermost first."""
        values = file.defined(number)
        definition = file.definitions[number]
        for term in reversed(definition.decorators if not self.is_static else ()):
            results: list[ValueSet] = []
            for decorator in self.evaluate(file, definition.scope, term, fuel):
                if isinstance(decorator, FunctionValue) and not decorator.is_bound:
                    self.push(("param", *decorator.place, 0), values)
                    results.append(decorator.returns(fuel))
                elif isinstance(decorator, ClassValue) and definition.kind != "class":
                    results.append((decorator.instance(),))
            values = union(results) or values
        return values

    def handed(
        self, file: FileScopes, scope: int, term: Expression, callees: ValueSet
    ) -> list[FunctionValue]:
        """Return the functions that something outside runs because they are given to it."""
        callbacks: dict[FunctionValue, None] = {}
        for callee in callees:
            if not isinstance(callee, ExternalValue) or not term[2]:
                continue
            if file.dialect.library.results.get(callee.last_name) in _RUN_FIRST:
                first = self.evaluate(file, scope, term[2][0], FUEL)
                functions = [value for value in first if isinstance(value, FunctionValue)]
                callbacks.update(dict.fromkeys(functions))
                for function in functions if len(term[2]) > 1 else ():
                    inside = self.evaluate(file, scope, ("iter", term[2][1]), FUEL)
                    is_method = function.is_bound and function.file.dialect.receiver
                    self.push(("param", *function.place, int(is_method)), inside)
        return list(callbacks)


def _depth(value: Value) -> int:
    """Return how deep containers lie in a value."""
    inside: Iterable[Value]
    if isinstance(value, ContainerValue):
        inside = value.elements
    elif isinstance(value, TupleValue):
        inside = chain(*value.items)
    elif isinstance(value, ArgumentsValue):
        inside = value.named(None)
    elif isinstance(value, ExternalMethod):
        inside = (value.owner,)
    else:
        return 0
    return 1 + max(map(_depth, inside), default=0)


# --- The walk of a file that lets arguments flow into parameters.


class DataflowCollector(EdgeCollector):
    """The walk of a file as in `EdgeCollector`, with values flowing on the way."""

    engine: DataflowEngine

    def _call(self, scope: int, term: Expression) -> None:
        super()._call(scope, term)
        callee = term[1]
        if term[0] == "new":
            callees = self.engine.evaluate(self.file, scope, callee, FUEL)
        else:
            callees = self.engine.calls.callees(self.file, scope, term, FUEL)
        objects: ValueSet = ()
        if callee is not None and callee[0] == "attr":
            objects = self.engine.evaluate(self.file, scope, callee[1], FUEL)
            self._store(scope, callee[2], objects, term)
        for value in callees:
            self._give(scope, value, objects, term)
        for function in self.engine.handed(self.file, scope, term, callees):
            self.add("calls", *function.place, "local")

    def flows(self, scope: int, target: Term, value: Term) -> None:
        """Let a value flow into a member or under a key."""
        if target is None or target[0] not in ("item", "attr"):
            return
        values = self.engine.evaluate(self.file, scope, value, FUEL)
        for holder in self.engine.evaluate(self.file, scope, target[1], FUEL):
            if target[0] == "attr" and isinstance(holder, InstanceValue | ClassValue):
                self.engine.push(("member", *holder.place, target[2]), values)
            elif target[0] == "item" and isinstance(holder, LiteralValue):
                key = self.engine.constants.key_of(self.file, scope, target[2], FUEL)
                self.engine.put(holder, key, values)

    def _store(self, scope: int, name: str, objects: ValueSet, term: Expression) -> None:
        """What methods of containers put into them."""
        arguments = [self.engine.evaluate(self.file, scope, argument, FUEL) for argument in term[2]]
        library = self.file.dialect.library
        is_adding = name in library.adding_methods
        if not arguments or not (is_adding or name in library.extending_methods):
            return
        for container in objects:
            if not isinstance(container, LiteralValue):
                continue
            if is_adding:
                self.engine.put(container, None, arguments[-1])
                continue
            for other in arguments[0]:
                self._copy(container, other)

    def _copy(self, container: LiteralValue, other: Value) -> None:
        if not isinstance(other, LiteralValue) or not other.is_mapping:
            self.engine.put(container, None, other.iterate(FUEL))
            return
        for key, term in other.term[1]:
            values = self.engine.evaluate(other.file, other.scope, term, FUEL)
            known = self.engine.constants.key_of(other.file, other.scope, key, FUEL)
            self.engine.put(container, known, values)

    def _give(self, scope: int, callee: Value, objects: ValueSet, term: Expression) -> None:
        """Hand the arguments of a call, and its object, to what is called."""
        if isinstance(callee, ClassValue):
            self._make(scope, callee, term)
        elif isinstance(callee, InstanceValue):
            for method in callee.get_member("__call__", FUEL):
                if isinstance(method, FunctionValue) and method.is_bound:
                    self.engine.push(("this", *method.place), (callee,))
                    self._arguments(scope, method, 1, term)
        elif isinstance(callee, FunctionValue):
            if callee.is_bound:
                self._object(scope, callee, objects)
            self._arguments(scope, callee, int(callee.is_bound), term)

    def _make(self, scope: int, kind: ClassValue, term: Expression) -> None:
        """Hand the arguments of a call to the initialisers of a class."""
        for method in constructors(self.engine, self.file, scope, kind, term):
            self.engine.push(("this", *method.place), (kind.instance(),))
            self._arguments(scope, method, 1, term)
        if term[0] == "new":
            self._fill(scope, kind, term)

    def _fill(self, scope: int, kind: ClassValue, term: Expression) -> None:
        """Hand what stands in a literal of a type to its members: `T{A: x}`, `T{x}`."""
        members = list(term[3])
        if not self.engine.calls.initialisers(*kind.place):
            fields = [
                definition.name
                for definition in kind.file.definitions
                if definition.scope == kind.definition.body and definition.kind == "variable"
            ]
            members += zip(fields, term[2], strict=False)
        for name, argument in members:
            values = self.engine.evaluate(self.file, scope, argument, FUEL)
            self.engine.push(("member", *kind.place, name), values)

    def _object(self, scope: int, method: FunctionValue, objects: ValueSet) -> None:
        """The object of a method: those on which it is found; behind super() the present one."""
        if method.file.class_of(method.number) < 0:
            return
        name = method.definition.name
        for receiver in objects:
            if isinstance(receiver, SuperValue):
                around = self.file.method_around(scope)
                own = self.engine.evaluator.receiver(self.file, scope, FUEL)
                held = self.engine.extra_values(("this", self.file.path, around)) or own
                self.engine.push(("this", *method.place), held)
            elif isinstance(receiver, InstanceValue) and method in receiver.get_member(name, FUEL):
                self.engine.push(("this", *method.place), (receiver,))

    def _arguments(self, scope: int, function: FunctionValue, skip: int, term: Expression) -> None:
        place = skip if function.file.dialect.receiver else 0
        room = len(function.definition.params)
        rest: list[ValueSet] = []
        for argument in term[2]:
            values = self.engine.evaluate(self.file, scope, argument, FUEL)
            if argument is not None and argument[0] == "star":
                for spread in self._spread(values, room - place):
                    place = self._positional(function, place, spread, rest)
            else:
                place = self._positional(function, place, values, rest)
        self._finish(scope, function, rest, term)

    def _spread(self, values: ValueSet, room: int) -> list[ValueSet]:
        """Return what each place gets of spread arguments: one by one if they are known."""
        known = values[0] if len(values) == 1 else None
        if isinstance(known, TupleValue):
            return list(known.items)
        return [self.engine.iterate(values, FUEL)] * max(room, 1)

    def _positional(
        self, function: FunctionValue, place: int, values: ValueSet, rest: list[ValueSet]
    ) -> int:
        params = function.definition.params
        if place < len(params) and params[place][3] == "":
            self.engine.push(("param", *function.place, place), values)
            return place + 1
        rest.append(values)
        return place

    def _finish(
        self, scope: int, function: FunctionValue, rest: list[ValueSet], term: Expression
    ) -> None:
        """Hand over what goes by name, and what rest parameters take."""
        params = function.definition.params
        places = {param[0]: place for place, param in enumerate(params) if param[3][:1] != "*"}
        fields: list[tuple[str, ValueSet]] = []
        for name, argument in term[3]:
            values = self.engine.evaluate(self.file, scope, argument, FUEL)
            if name == "**":
                self._splat(function, places, values)
            elif name in places:
                self.engine.push(("param", *function.place, places[name]), values)
            else:
                fields.append((name, values))
        for place, param in enumerate(params):
            taken: Value | None = None
            if param[3] == "*" and rest:
                taken = self.engine.value(TupleValue, tuple(rest))
            elif param[3] == "**" and fields:
                taken = self.engine.value(ArgumentsValue, tuple(fields))
            if taken is not None:
                self.engine.push(("param", *function.place, place), (taken,))

    def _splat(self, function: FunctionValue, places: dict[str, int], values: ValueSet) -> None:
        for value in values:
            for name, place in places.items():
                held: ValueSet = ()
                if isinstance(value, ArgumentsValue):
                    held = value.named(name)
                elif isinstance(value, LiteralValue):
                    held = value.at(name, FUEL)
                self.engine.push(("param", *function.place, place), held)


# --- Calls found by data flow: arguments, decorators, contents of containers.
#
# Every call of the program hands its arguments to the parameters of what it calls; with more
# values there, more calls are found, until a round brings nothing new. What flows is never taken
# back, so the end does not depend on the order in which files are walked.

# Rounds until nothing changes; chains of higher-order calls are short.
_MAX_ROUNDS = 24


def flow(tree: SourceTree) -> dict[str, tuple[Edge, ...]]:
    """Return the calls of every file, those found by following values with tier "flow"."""
    engine, plain = DataflowEngine(tree), InferenceEngine(tree)
    paths = [path for path, _, _ in tree.files]
    for _ in range(_MAX_ROUNDS):
        engine.forget()
        for path in paths:
            engine.begin_file()
            DataflowCollector(engine, path).collect()
        if not engine.changed:
            break
    engine.forget()
    edges = {path: _calls(engine, plain, path) for path in paths}
    engine.close()
    plain.close()
    return edges


def _calls(engine: DataflowEngine, plain: InferenceEngine, path: str) -> tuple[Edge, ...]:
    plain.begin_file(path)
    before = {
        (edge.source, edge.path, edge.target): edge.tier
        for edge in EdgeCollector(plain, path).collect().edges
        if edge.kind == "calls"
    }
    engine.begin_file()
    return tuple(
        edge._replace(tier=before.get((edge.source, edge.path, edge.target), "flow"))
        for edge in DataflowCollector(engine, path).collect().edges
        if edge.kind == "calls" and edge.state == "resolved"
    )

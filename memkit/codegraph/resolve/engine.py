"""Inference engine: cached inference with a fuel budget; input and output of the resolver."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from ..facts import Expression, Facts, Named, Term
from ..languages import ModuleResolvers
from .annotations import AnnotationResolver
from .calls import CallResolver, OverloadResolver
from .container_values import ConstantEvaluator
from .evaluator import STEPS, Evaluator
from .extensions import ExtensionResolver
from .file_scopes import Files, FileScopes
from .members import MemberLookup
from .names import NameResolver, PackageResolver
from .operators import ConversionResolver, OperatorResolver
from .reflection_values import ReflectionResolver
from .values import FUEL, SuperValue, Value, ValueSet, Variable, union
from .variables import VariableResolver

# --- The cache of values, with fuel and dependency keys.
#
# Values are worked out once, on demand, and in a way that does not depend on who asks first.
#
# What a name, a member or a call gives is the value of a *variable*. Working one out asks for
# others, and code is full of circles. So every question carries *fuel*: a variable that is asked
# with fuel f asks others with f - 1, and with none left nothing is known. The value with fuel f
# is thus a pure function of the facts, whatever was asked before. One that never ran dry is the
# same with any more fuel; it is kept with the fuel that it needs.
#
# Each value also remembers which keys of files it was made from, and from which other values.

P = TypeVar("P")
V = TypeVar("V", bound=Value)
# Fuel for bases of classes: those are names and members of modules, so no more hops than a chain
# of re-exports has.
_BASES_FUEL = 12
_INNER = frozenset({"function", "block"})
# Terms within terms that are followed; the rest is nothing known.
_MAX_DEPTH = 60
# Terms that are written again and again, and asked as parts of others.
_ASKED_AGAIN = frozenset({"name", "attr", "call", "operate", "taken"})


class Entry:
    """A value, the fuel that it needs (0: it ran dry), and what it was made from."""

    __slots__ = ("deps", "keys", "need", "value")

    def __init__(self, value: Any, need: int, keys: Sequence[str], deps: Sequence[Entry]) -> None:
        self.value = value
        self.need = need
        # Tuples in all that is kept: most have one or none, and there are very many values.
        self.keys = keys
        self.deps = deps


class InferenceEngine:
    """What the code of a tree means: its files, cached values, and what works them out.

    Attributes:
        tree, modules, files: as given; which module names mean which files; scopes by path.
        languages: of parsed files, by path.
        candidates: methods of a name that files of a family may call.
        home: the file whose edges are looked for; None if terms may mean more when asked again.
        is_static: whether scopes, imports and classes alone are asked, not what runs.
        is_flowing: whether values are followed into variables.
        names, members, constants, reflection, annotations, overloads, calls, evaluator, packages,
            extensions, variables: the components.
    """

    is_flowing = False

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree
        self.files = Files(self, tree.facts_of)
        self.modules = ModuleResolvers(tree.files, tree.texts)
        self.languages = {path: language for path, language, _ in tree.files}
        self._values: dict[Variable, Any] = {}
        self.home: FileScopes | None = None
        self._is_alone = False
        self._depth = 0
        self.is_static = False
        self._done: dict[Variable, Entry] = {}
        self._dry: dict[tuple[Variable, int], Entry] = {}
        # What the value at hand was made from so far.
        self._keys: list[str] = []
        self._deps: list[Entry] = []
        self._low = FUEL
        # All that is kept, and how much of it there was when the file at hand was begun.
        self._tables: list[dict[Any, Entry]] = [self._done, self._dry]
        self._before: list[int] = []
        # Terms of the file at hand that were asked with all fuel, by scope and name or identity:
        # what they were made from is noted at its root already. A term stays with its values: one
        # that is made on the way would leave its identity to another.
        self._term_values: dict[tuple[int, object], tuple[Term, ValueSet]] = {}
        # What bases are worked out from: without following members into bases.
        self._apart: tuple[dict[Variable, Entry], dict[tuple[Variable, int], Entry]] = ({}, {})
        self.candidates = self.new_table()
        self.names = NameResolver(self)
        self.members = MemberLookup(self)
        self.constants = ConstantEvaluator(self)
        self.reflection = ReflectionResolver(self)
        self.annotations = AnnotationResolver(self)
        self.overloads = OverloadResolver(self)
        self.calls = CallResolver(self)
        self.evaluator = Evaluator(self)
        self.packages = PackageResolver(self)
        self.extensions = ExtensionResolver(self)
        self.operators = OperatorResolver(self)
        self.conversions = ConversionResolver(self)
        self.variables = VariableResolver(self)

    def value(self, make: Callable[..., V], *state: object) -> V:
        """Return the value of a class and a state, made once."""
        key = (make, *state)
        value: V | None = self._values.get(key)
        if value is None:
            value = self._values[key] = make(self, *state)
        return value

    def term_value(
        self, make: Callable[..., V], file: FileScopes, scope: int, term: Term, *state: object
    ) -> V:
        """Return the value of a class for a term of a scope, which is told by its identity."""
        key = (make, file.path, scope, id(term), *state)
        value: V | None = self._values.get(key)
        if value is None:
            value = self._values[key] = make(self, file.path, scope, term, *state)
        return value

    def evaluate(self, file: FileScopes, scope: int, term: Term, fuel: int) -> ValueSet:
        """Return what a term of a scope can be; nothing known is the empty tuple."""
        if term is None:
            return ()
        tag, key = term[0], None
        if fuel == FUEL and tag in _ASKED_AGAIN and file is self.home and not self.is_static:
            key = (scope, term[1] if tag == "name" else id(term))
            known = self._term_values.get(key)
            if known is not None:
                return known[1]
        step = STEPS.get(tag)
        if step is None or self._depth > _MAX_DEPTH:
            return ()
        self._depth += 1
        values = step(self.evaluator, file, scope, term, fuel)
        self._depth -= 1
        if key is not None:
            self._term_values[key] = (term, values)
        return values

    def iterate(self, values: ValueSet, fuel: int) -> ValueSet:
        """Return what walking through values gives."""
        return union([value.iterate(fuel) for value in values])

    def cached(self, variable: Variable, fuel: int, compute: Callable[[Variable, int], Any]) -> Any:
        """Return the value of a variable; `compute` makes it of that and the fuel left."""
        entry = self._done.get(variable)
        if entry is not None and entry.need <= fuel:
            if fuel - entry.need < self._low:
                self._low = fuel - entry.need
            self._deps.append(entry)
            return entry.value
        if fuel <= 0:
            self._low = -1
            return ()
        dry = self._dry.get((variable, fuel))
        if dry is not None:
            self._low = -1
            self._deps.append(dry)
            return dry.value
        return self._compute(variable, fuel, compute)

    def _compute(
        self, variable: Variable, fuel: int, compute: Callable[[Variable, int], Any]
    ) -> Any:
        outer, low = (self._keys, self._deps), self._low
        keys: list[str] = []
        deps: list[Entry] = []
        self._keys, self._deps, self._low = keys, deps, fuel - 1
        value = compute(variable, fuel - 1)
        entry = Entry(value, fuel - self._low, tuple(keys), tuple(deps))
        if self._low >= 0:
            self._done[variable] = entry
        else:
            entry.need = 0
            self._dry[variable, fuel] = entry
        self._low = min(low, self._low)
        self._keys, self._deps = outer
        self._deps.append(entry)
        return value

    def cached_once(self, table: dict[P, Entry], place: P, compute: Callable[[P], Any]) -> Any:
        """Return what is the same with any fuel; `compute` makes it once for each place."""
        entry = table.get(place)
        if entry is None:
            outer, low = (self._keys, self._deps), self._low
            keys: list[str] = []
            deps: list[Entry] = []
            self._keys, self._deps = keys, deps
            entry = table[place] = Entry(compute(place), 0, tuple(keys), tuple(deps))
            (self._keys, self._deps), self._low = outer, low
        self._deps.append(entry)
        return entry.value

    def depend_on(self, key: str) -> None:
        """Note that something under a key was looked at, there or not."""
        self._keys.append(key)

    def depend_on_all(self, keys: Iterable[str]) -> None:
        """Note that something under each of these keys was looked at."""
        self._keys.extend(keys)

    def cached_statically(self, variable: Variable, compute: Callable[[Variable, int], Any]) -> Any:
        """Return the value of a variable that scopes, imports and classes alone decide."""
        outer = (self._done, self._dry, self._low, self.is_static)
        (self._done, self._dry), self.is_static = self._apart, True
        try:
            return self.cached(variable, _BASES_FUEL, compute)
        finally:
            self._done, self._dry, self._low, self.is_static = outer

    def named_type(self, file: FileScopes, scope: int, kind: Expression, fuel: int) -> ValueSet:
        """Return what a type that is named can be. What says so are imports alone, over as many
        files as it may be: where no fuel is left for them, they are followed without."""
        low = self._low
        values = self.evaluate(file, scope, kind, fuel)
        if values or fuel == FUEL or kind[0] != "name" or self.is_static or self._low >= 0:
            return values
        fixed: ValueSet = self.cached_statically(
            ("named", file.path, scope, kind[1]),
            lambda _, fuel: self.evaluate(file, scope, kind, fuel),
        )
        if fixed:
            self._low = low
        return fixed

    def depend_on_fixed(self, key: str, fuel: int) -> None:
        """Note what needs no working out as if it were cached: it takes one hop."""
        self._low = min(self._low, fuel - 1)
        self._keys.append(key)

    def extra_values(self, variable: Variable) -> ValueSet:
        """Return what is known to flow into a variable: nothing, unless values are followed."""
        return ()

    def decorated(self, file: FileScopes, number: int, fuel: int) -> ValueSet:
        """Return a definition after its decorators: itself, unless values are followed."""
        return file.defined(number)

    def begin_file(self, path: str | None = None) -> Entry:
        """Start to collect what a file reads, and return the root of it.

        With its path, terms of it mean the same whenever they are asked.
        """
        if self.home:
            self._release(self._is_passing)
            if self._is_alone:
                del self.files[self.home.path]
            else:
                self.home.forget()
        self._is_alone = path is not None and path not in self.files
        self.home = self.files[path] if path else None
        self._depth = 0
        self._keys, self._deps = [], []
        self._low = FUEL
        self._term_values.clear()
        self.annotations.forget()
        self.operators.forget()
        self._before = list(map(len, self._tables))
        return Entry((), 0, self._keys, self._deps)

    def is_direct(self, file: FileScopes, fuel: int) -> bool:
        """Return whether the file at hand asks for itself, and what it reads of itself is moot."""
        return fuel == FUEL and file is self.home and not self.is_static

    def _is_passing(self, variable: Variable) -> bool:
        """Return whether only the file at hand asks for a variable: locals, what methods hide; all
        of a file that no other asked for before: most are tests, and nobody will."""
        assert self.home is not None
        path = self.home.path
        if self._is_alone:
            return path in variable or any(
                isinstance(part, Value) and part.path == path for part in variable[:2]
            )
        first = variable[0]
        if first == "name":
            scopes = self.home.facts.scopes
            return bool(variable[1] == path) and scopes[variable[2]][0] in _INNER
        return isinstance(first, SuperValue) and first.path == path

    def close(self) -> None:
        """Let go of everything: an engine and what it makes refer to each other, and nobody looks
        for such circles while a tree is indexed."""
        vars(self).clear()

    def size(self) -> int:
        """Return the number of values that are kept."""
        # A value takes a part of what is noted of a cached one.
        return len(self._done) + len(self._dry) + len(self._values) // 4

    def new_table(self) -> dict[Any, Entry]:
        """Return a new table for `cached_once`."""
        made: dict[Any, Entry] = {}
        self._tables.append(made)
        return made

    def _release(self, is_passing: Callable[[Variable], bool]) -> None:
        """Keep no more of what was worked out since the beginning than others may ask for."""
        for table, before in zip(self._tables, self._before, strict=True):
            for place in list(islice(reversed(table), len(table) - before)):
                if is_passing(place[0] if table is self._dry else place):
                    del table[place]


def keys_below(root: Entry) -> frozenset[str]:
    """Return the keys of an entry and of everything that it was made from."""
    keys: set[str] = set()
    seen: set[Entry] = set()
    layer = {root}
    while layer:
        seen |= layer
        keys.update(*[entry.keys for entry in layer])
        layer = set().union(*[entry.deps for entry in layer]) - seen
    return frozenset(keys)


# --- Input and output of the resolver: the tree, edges, a resolved file.

# Path, language, namespace of a parsed file.
Listed = tuple[str, str, str]


class Edge(NamedTuple):
    """One relation from a definition of the file that is resolved.

    Attributes:
        source: number of the definition in that file, -1 for the file's top level.
        kind: calls, imports, uses, inherits, references, overrides.
        path, target: file and number of the definition that is meant, -1 for the file itself.
        tier: which rule found it: scope, local, only, candidate, flow.
        state: resolved or ambiguous (one of several candidates).
        line: where it first stands; 0 if only words for it are known.
        lines: everywhere it stands, if that is known and more than the first line.
        words: as which it is written, where its place is not known: what is only read has none. A
            member stands behind what is written before it, if that is a name: `base.name`, `.name`.
    """

    source: int
    kind: str
    path: str
    target: int
    tier: str
    state: str
    line: int
    lines: tuple[int, ...] = ()
    words: tuple[str, ...] = ()


class ResolvedFile(NamedTuple):
    """The edges of one file, and what they were made from.

    Attributes:
        edges: without repetition (line apart), in the order of the source.
        reads: keys of everything outside of the file that was looked at, found or not.
        counts: number of references by (kind, state, tier); state resolved, ambiguous, unresolved
            or outside (known to lie outside of the tree); tier: as in Edge, or why it failed.
    """

    edges: tuple[Edge, ...]
    reads: frozenset[str]
    counts: Mapping[tuple[str, str, str], int]


class SourceTree(NamedTuple):
    """The input of a program; everything that is dear comes by a call.

    Attributes:
        files: every parsed file, sorted by path.
        facts_of: facts of a file, None if it has none; called once a file at most.
        named: every definition of a name, of any kind, sorted by path and number.
        texts: texts of settings, by path (`languages.is_setting`).
    """

    files: Sequence[Listed]
    facts_of: Callable[[str], Facts | None]
    named: Callable[[str], Sequence[Named]]
    texts: Mapping[str, str]

    @classmethod
    def of(cls, facts: Mapping[str, Facts], texts: Mapping[str, str]) -> SourceTree:
        """Return the tree of files whose facts are all at hand, by path."""
        named: dict[str, list[Named]] = {}
        for path in sorted(facts):
            for number, definition in enumerate(facts[path].definitions):
                named.setdefault(definition.name, []).append(Named(path, number, definition.kind))
        listed = [(path, facts[path].language, facts[path].namespace) for path in sorted(facts)]
        return cls(listed, facts.get, lambda name: named.get(name, ()), texts)

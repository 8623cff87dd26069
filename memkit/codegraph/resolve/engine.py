"""Cached inference with a fuel budget, and the records that the resolver takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from ..facts import Facts, Named

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

Token = tuple[Any, ...]
Tokens = tuple[Token, ...]
Variable = tuple[Any, ...]
P = TypeVar("P")

# Hops from a question to what answers it. Twelve give no edge more than eight on Django.
FUEL = 8
# Values of one variable that are followed: a registry of hundreds of classes is no answer.
MOST_TOKENS = 12
# The same of functions of one name in one file, where they are that.
_MOST_OVERLOADS = {False: MOST_TOKENS, True: 40}


class Entry:
    """A value, the fuel that it needs (0: it ran dry), and what it was made from."""

    __slots__ = ("deps", "keys", "need", "value")

    def __init__(self, value: Any, need: int, keys: Sequence[str], deps: Sequence[Entry]) -> None:
        self.value = value
        self.need = need
        # Tuples in all that is kept: most have one or none, and there are very many values.
        self.keys = keys
        self.deps = deps


class Memo:
    """The cache of values by variable, with what each was made from."""

    def __init__(self) -> None:
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
        # what they were made from is noted at its root already.
        self.term_values: dict[tuple[int, object], Tokens] = {}

    def recall(self, variable: Variable, fuel: int, work: Callable[[Variable, int], Any]) -> Any:
        """Return the value of a variable; `work` makes it from the variable and the fuel left."""
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
        return self._work(variable, fuel, work)

    def _work(self, variable: Variable, fuel: int, work: Callable[[Variable, int], Any]) -> Any:
        outer, low = (self._keys, self._deps), self._low
        keys: list[str] = []
        deps: list[Entry] = []
        self._keys, self._deps, self._low = keys, deps, fuel - 1
        value = work(variable, fuel - 1)
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

    def keep(self, table: dict[P, Entry], place: P, work: Callable[[P], Any]) -> Any:
        """Return what is the same with any fuel; `work` makes it once for each place."""
        entry = table.get(place)
        if entry is None:
            outer, low = (self._keys, self._deps), self._low
            keys: list[str] = []
            deps: list[Entry] = []
            self._keys, self._deps = keys, deps
            entry = table[place] = Entry(work(place), 0, tuple(keys), tuple(deps))
            (self._keys, self._deps), self._low = outer, low
        self._deps.append(entry)
        return entry.value

    def read(self, key: str) -> None:
        """Note that something under a key was looked at, there or not."""
        self._keys.append(key)

    def read_all(self, keys: Iterable[str]) -> None:
        """Note that something under each of these keys was looked at."""
        self._keys.extend(keys)

    def begin(self) -> Entry:
        """Start to collect what a file reads, and return the root of it."""
        self._keys, self._deps = [], []
        self._low = FUEL
        self.term_values.clear()
        self._before = list(map(len, self._tables))
        return Entry((), 0, self._keys, self._deps)

    def size(self) -> int:
        """Return the number of values that are kept."""
        return len(self._done) + len(self._dry)

    def table(self) -> dict[Any, Entry]:
        """Return a new table for `keep`."""
        made: dict[Any, Entry] = {}
        self._tables.append(made)
        return made

    def let_go(self, is_passing: Callable[[Variable], bool]) -> None:
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


def joined(parts: list[Tokens]) -> Tokens:
    """Return the tokens of several values, each once, in the order in which they came."""
    if len(parts) == 1:
        return parts[0]
    tokens = [token for part in parts for token in part]
    if len(tokens) < 2:
        return tuple(tokens)
    unique = tuple(dict.fromkeys(tokens))
    return unique if len(unique) <= MOST_TOKENS else unique[: _MOST_OVERLOADS[_is_one(unique)]]


def _is_one(tokens: Tokens) -> bool:
    """Return whether all of these are functions of one file: overloads, of which one is meant."""
    return all(token[0] in ("function", "bound") and token[1] == tokens[0][1] for token in tokens)


# --- Input and output of the resolver: the tree, edges, a resolved file.

# Path, language, namespace of a parsed file.
Listed = tuple[str, str, str]
# Path and number of a definition; number -1 is the file itself.
Place = tuple[str, int]


class Edge(NamedTuple):
    """One relation from a definition of the file that is resolved.

    Attributes:
        source: number of the definition in that file, -1 for the file's top level.
        kind: calls, imports, uses, inherits, references, overrides.
        path, target: file and number of the definition that is meant, -1 for the file itself.
        how: tier that found it: scope, local, only, candidate, flow.
        state: resolved or ambiguous (one of several candidates).
        line: where it first stands; 0 if only the word for it is known.
        word: as which it is written, where its place is not known: what is only read has none.
    """

    source: int
    kind: str
    path: str
    target: int
    how: str
    state: str
    line: int
    word: str = ""


class Resolved(NamedTuple):
    """The edges of one file, and what they were made from.

    Attributes:
        edges: without repetition (line apart), in the order of the source.
        reads: keys of everything outside of the file that was looked at, found or not.
        counts: number of references by (kind, state, how); state resolved, ambiguous, unresolved
            or outside (known to lie outside of the tree); how: as in Edge, or why it failed.
    """

    edges: tuple[Edge, ...]
    reads: frozenset[str]
    counts: Mapping[tuple[str, str, str], int]


class Tree(NamedTuple):
    """The input of a program; everything that is dear comes by a call.

    Attributes:
        files: every parsed file, sorted by path.
        facts_of: facts of a file, None if it has none; called once a file at most.
        named: every definition of a name, of any kind, sorted by path and number.
        texts: texts of the settings in `languages.CONFIG_FILES`, by path.
    """

    files: Sequence[Listed]
    facts_of: Callable[[str], Facts | None]
    named: Callable[[str], Sequence[Named]]
    texts: Mapping[str, str]

    @classmethod
    def of(cls, facts: Mapping[str, Facts], texts: Mapping[str, str]) -> Tree:
        """Return the tree of files whose facts are all at hand, by path."""
        named: dict[str, list[Named]] = {}
        for path in sorted(facts):
            for number, definition in enumerate(facts[path].definitions):
                named.setdefault(definition.name, []).append(Named(path, number, definition.kind))
        listed = [(path, facts[path].language, facts[path].namespace) for path in sorted(facts)]
        return cls(listed, facts.get, lambda name: named.get(name, ()), texts)

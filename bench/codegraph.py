"""Call edges of snippets whose calls somebody wrote down: precision and recall, suite by suite.

Default mode looks names up, flow mode follows values through the whole snippet. The floor joins
each call to every function of that name, in the same run.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from memkit.codegraph.facts import Facts
from memkit.codegraph.languages import dialect_of, extract, settings_among
from memkit.codegraph.resolve import Edge, Place, Program, SourceTree

from . import symbols
from .callnames import NAMERS, Namer, clean
from .results import Options, Row
from .systemnames import DISPATCHED, REWRITTEN, definition_around

Pair = tuple[str, str]


@attrs.frozen
class Snippet:
    """One program with the calls in it; `complete`: those that are not listed are not there."""

    id: str
    suite: str
    files: dict[str, str]
    edges: frozenset[Pair]
    complete: bool


@attrs.define
class Tally:
    """Edges right, wrong and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, found: set[Pair], gold: frozenset[Pair], *, complete: bool) -> None:
        """Count the edges of one snippet."""
        self.right += len(found & gold)
        self.missed += len(gold - found)
        self.wrong += len(found - gold) if complete else 0

    @property
    def precision(self) -> float:
        """Share of the edges found that are right."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the edges there that were found."""
        return self.right / max(1, self.right + self.missed)


def run(options: Options) -> Iterable[Row]:
    """Measure every suite, then symbols; without a complete list there is recall only."""
    folder = options.folder("codegraph", "codegraph")
    if folder is None:
        return []
    rows = [row for suite in sorted(NAMERS) for row in measure(folder, suite, options)]
    return [*rows, *symbols.run(options)]


def measure(folder: Path, suite: str, options: Options) -> Iterator[Row]:
    """Yield the rows of one suite."""
    snippets = list(read_suite(folder / f"{suite}.jsonl"))[: options.limit]
    if not snippets:
        options.say(f"skipped {suite}: there is no {folder / suite}.jsonl")
        return
    namer = NAMERS[suite]
    tallies = {name: Tally() for name in ("default", "flow", "floor")}
    for snippet in snippets:
        code = Code(snippet.files)
        for name, tally in tallies.items():
            code.is_dispatched = suite in DISPATCHED
            cleaned = (clean(suite, pair) for pair in getattr(code, name)(namer))
            found = {pair for pair in cleaned if pair is not None}
            tally.add(found, snippet.edges, complete=snippet.complete)
    complete = any(snippet.complete for snippet in snippets)
    floor = tallies["floor"]
    for name, called in (("default", suite), ("flow", f"{suite}_flow".replace("-", "_"))):
        tally = tallies[name]
        if complete:
            yield Row(called, "precision", tally.precision, floor.precision)
        yield Row(called, "recall", tally.recall, floor.recall)


def read_suite(path: Path) -> Iterator[Snippet]:
    """Yield snippets; calls of what is built in are left out."""
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row: dict[str, Any] = json.loads(line)
            edges = (tuple(edge) for edge in row["edges"] if not edge[1].startswith("<builtin>"))
            known = (clean(path.stem, edge) for edge in edges)
            calls = (edge for edge in known if edge is not None)
            pairs = frozenset(REWRITTEN.get(path.stem, frozenset)(calls))
            yield Snippet(row["id"], row["suite"], row["files"], pairs, row["complete"])


class Code:
    """A snippet's files as facts, and its calls in three ways.

    `is_dispatched`: a call of a method stands for those of the methods that override it as well,
    and a call of a lambda for those of what it calls.
    """

    def __init__(self, files: dict[str, str]) -> None:
        self.is_dispatched = False
        self.facts: dict[str, Facts] = {}
        for path, text in sorted(files.items()):
            data = text.encode("utf-8")
            if (dialect := dialect_of(path, data[:4096])) is not None:
                self.facts[path] = extract(data, path, dialect.name)
        texts = settings_among(files)
        self._tree = SourceTree.of(self.facts, texts)

    def default(self, namer: Namer) -> Iterator[Pair]:
        """Yield the calls that looking names up finds."""
        edges = self.looked_up()
        found = [one for one in edges if is_found(one[1])]
        return self._paired(found, self._below(edges), namer)

    def flow(self, namer: Namer) -> Iterator[Pair]:
        """Yield the calls that following values finds."""
        found = [
            (path, edge) for path, edges in Program(self._tree).flow().items() for edge in edges
        ]
        return self._paired(found, self._below(self.looked_up()), namer)

    def looked_up(self) -> list[tuple[str, Edge]]:
        """Return the edges that looking names up finds, with the file of each."""
        program = Program(self._tree)
        return [(path, edge) for path in self.facts for edge in program.resolve(path).edges]

    def _below(self, edges: list[tuple[str, Edge]]) -> dict[Place, list[Place]]:
        """Return what may run for a method or a lambda, where the suite lists what runs."""
        below: dict[Place, list[Place]] = defaultdict(list)
        for path, edge in edges if self.is_dispatched else ():
            if edge.kind == "overrides":
                below[edge.path, edge.target].append((path, edge.source))
            elif is_found(edge) and self._is_unnamed(path, edge.source):
                below[path, edge.source].append((edge.path, edge.target))
        return below

    def _is_unnamed(self, path: str, number: int) -> bool:
        facts = self.facts[path]
        is_java = facts.language == "java"
        return is_java and number >= 0 and facts.definitions[number].name == "<lambda>"

    def _paired(
        self, edges: list[tuple[str, Edge]], below: dict[Place, list[Place]], namer: Namer
    ) -> Iterator[Pair]:
        for path, edge in edges:
            for one in self._run((edge.path, edge.target), below):
                yield from self._pair((path, edge.source), one, namer)

    def _run(self, target: Place, below: dict[Place, list[Place]]) -> list[Place]:
        """Return everything that may run for what is called."""
        found, left = [], [target]
        seen = {target}
        while left:
            place = left.pop()
            further = [one for one in below.get(place, ()) if one not in seen]
            seen.update(further)
            left += further
            if not further or "abstract" not in self.facts[place[0]].definitions[place[1]].flags:
                found.append(place)
        return found

    def floor(self, namer: Namer) -> Iterator[Pair]:
        """Yield each call joined to every function of that name, a class to its initialisers."""
        for source, target in self.by_name():
            yield from self._pair(source, target, namer)

    def by_name(self) -> Iterator[tuple[Place, Place]]:
        """Yield each call with every function of that name, a class with its initialisers."""
        for path, facts in self.facts.items():
            for scope, name in _called_names(facts):
                for target in self._by_name(name):
                    yield (path, definition_around(facts, scope)), target

    def _by_name(self, name: str) -> Iterator[Place]:
        for path, number, kind in self._tree.named(name):
            if kind in ("function", "method"):
                yield path, number
            elif kind == "class":
                body = self.facts[path].definitions[number].body
                yield from (
                    (path, other)
                    for other, inner in enumerate(self.facts[path].definitions)
                    if "constructor" in inner.flags and inner.scope == body
                )

    def _pair(self, source: Place, target: Place, namer: Namer) -> Iterator[Pair]:
        names = [namer(self.facts[path], number) for path, number in (source, target)]
        if names[0] is not None and names[1] is not None:
            yield names[0], names[1]


def is_found(edge: Edge) -> bool:
    """Return whether an edge is a call that is resolved."""
    return edge.kind == "calls" and edge.state == "resolved"


def _called_names(facts: Facts) -> Iterator[tuple[int, str]]:
    """Yield scope and bare name of every call in a file."""
    for definition in facts.definitions:
        for term in (*definition.decorators, *definition.bases):
            yield from _calls_in(term, definition.scope)
            if term and term[0] in ("name", "attr"):
                yield definition.scope, term[-1]
    for scope, statements in enumerate(facts.statements):
        for statement in statements:
            for part in statement[1:]:
                yield from _calls_in(part, scope)


def _calls_in(term: Any, scope: int) -> Iterator[tuple[int, str]]:
    if not isinstance(term, tuple | list) or not term:
        return
    if term[0] in ("call", "new") and term[1] and term[1][0] in ("name", "attr"):
        yield scope, term[1][-1]
    scope = term[1] if term[0] == "in" else scope
    for part in term:
        yield from _calls_in(part, scope)

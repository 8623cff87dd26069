"""Callers, references, hierarchy, dependencies, impact.

Wherever edges are followed over several steps, a set of ids remembers what was met, so cycles end
and several beginnings share one walk.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from ... import validation
from ...errors import InvalidInput, NotFound
from ..facts import Facts
from ..index.workspace import FileRow
from ..languages import LANGUAGES, dialect, family_of
from ..languages.generic import UNNAMED
from ..records import (
    CodeNode,
    CodeResult,
    Coverage,
    EdgePath,
    FileStatus,
    NodeKind,
    RelationKind,
    RelationState,
)
from . import nodes as nodes_
from . import symbol_lookup

if TYPE_CHECKING:
    from ...store.store import Store
    from ..dialect import Dialect

# The node at the other end of an edge, the one that was asked for, kind, tier, state and lines.
Edge = tuple[int, int, str, str, str, int | str]
# Kind, tier and state of an edge, its line, the node at its other end, and the step.
EdgeStep = tuple[str, str, str, int, int, int]

# Nodes that one answer holds at most; the rest is counted in a note.
MAX_NODES = 1000

CALLS = (RelationKind.CALLS,)
# A class is called where its initialiser is, and used where it is made without one; a variable is
# used where what it holds is called.
_HOLDERS = (NodeKind.CLASS, NodeKind.VARIABLE)
_MAKES = (RelationKind.CALLS, RelationKind.USES)
# What breaks if a symbol changes, too: everything that was made with it in mind.
ALL_KINDS = tuple(RelationKind)
# What a symbol does besides calling; that a method overrides another is no use of it.
USES = (
    RelationKind.USES, RelationKind.REFERENCES, RelationKind.INHERITS, RelationKind.IMPORTS,
)  # fmt: skip
# What a line is said to be of which there are several edges: the first of these.
_ORDER = (RelationKind.CALLS, RelationKind.USES, *ALL_KINDS)
_CALLED = (NodeKind.FUNCTION, NodeKind.METHOD, NodeKind.CLASS)
# Places that a note names.
_SHOWN = 5
_UNSEEN = "what decorators, reflection, templates and other programs use is not seen"
# Seconds after which the search for unresolved calls is broken off: an answer is to stay one of
# milliseconds.
_SECONDS = 0.1
# The same where there is an answer, which is not to wait for it.
_SHORT_SECONDS = 0.01
# Of a file that are parsed and gone through: one that takes longer than what is left is not begun.
_BYTES_A_SECOND = 2_000_000
_OVERRIDES = (RelationKind.OVERRIDES,)
_INHERITS = (RelationKind.INHERITS,)


class GraphQueries:
    """Answers questions about one store's graph as it is stored."""

    def __init__(self, store: Store, source: nodes_.Source, text: nodes_.Text) -> None:
        """`source` parses a file of the tree anew, `text` reads it."""
        self._store = store
        self._source = source
        self._text = text
        self._covered: tuple[object, Coverage] | None = None

    # -- names

    def find(self, name: str, *, kind: str | None, limit: int) -> CodeResult:
        """Return the symbols and files that a name means; if none does, those that are near."""
        limit = validation.integer(limit, name="limit")
        known = symbol_lookup.code_first(symbol_lookup.exact_matches(self._store, name))
        nodes = [node for node in known if kind in (None, node.kind, node.form)]
        if nodes:
            return self._answer(self._details(nodes[:limit]), (), len(nodes))
        near = symbol_lookup.suggest(self._store, name, limit=limit)
        nodes = [node for node in near if kind in (None, node.kind, node.form)]
        what = kind or "symbol or file"
        more = "these names are near" if nodes else "no name is near"
        notes = (f"no {what} is called {validation.shown(name)}; {more}",)
        answer = self._answer(self._details(nodes[:limit]), notes, len(nodes))
        return attrs.evolve(answer, is_near=True)

    def contents(self, path: str, *, outline: bool) -> CodeResult:
        """Return what a file holds in the order of its text; an outline leaves imports and
        variables out."""
        file = self._file(path)
        ids = [number for (number,) in self._store.all("codegraph.symbol_ids", file=file.id)]
        nodes = nodes_.nodes(self._store, ids)
        row = nodes_.file_row(self._store, file.path)
        facts = self._source(row, bytes) if row and row.status == FileStatus.PARSED else None
        if row is not None and facts is not None:
            nodes = nodes_.detailed(self._store, row, facts, nodes)
        if outline:
            nodes = [node for node in nodes if node.kind != NodeKind.VARIABLE]
        elif facts is not None:
            nodes = sorted([*nodes, *nodes_.imports(facts)], key=lambda node: node.line)
        return self._answer(nodes, _condition(row, read=facts is not None), len(nodes))

    # -- one step

    def incoming(
        self,
        name: str,
        kinds: Sequence[str],
        *,
        candidates: bool,
        overrides: bool,
    ) -> CodeResult:
        """Return what has an edge to what a name means, one node for each line where it stands.

        `candidates` are edges to one of several of a name; with `overrides` a method also stands
        for those that it overrides: whoever calls them may mean it. Of all kinds of edges it stands
        for those that override it as well: they have one name together.
        """
        validation.boolean(candidates, name="candidates")
        targets = symbol_lookup.resolve_name(self._store, name)
        own = ids = self._ids(targets)
        if kinds == CALLS:
            ids = self._with_macros("codegraph.macros_calling", ids)
            kinds = _MAKES if any(node.kind in _HOLDERS for node in targets) else CALLS
        is_family = RelationKind.OVERRIDES in kinds
        if validation.boolean(overrides, name="overrides"):
            ids = self._joined(ids, both_ways=is_family)
        edges = self._edges(ids, kinds, into=True, candidates=True)
        edges.sort(key=lambda edge: _ORDER.index(edge[2]))
        sites: dict[tuple[int, int], EdgeStep] = {}
        for end, at, kind, tier, state, lines in edges:
            if candidates or state == RelationState.RESOLVED:
                for line in map(int, str(lines).split(",")):
                    sites.setdefault((end, line), (kind, tier, state, line, at, 1))
        if overrides and is_family:
            how = (RelationKind.OVERRIDES, "scope", RelationState.RESOLVED)
            others = set(ids) - {node.id for node in targets}
            for node in nodes_.nodes(self._store, others):
                sites.setdefault((node.id, node.line), (*how, node.line, ids[0], 1))
        notes = (
            *symbol_lookup.ambiguity(name, targets),
            *_hidden({end for end, *_ in edges} - {end for end, _ in sites}),
            *(self._lacking(targets) if sites else self._nothing_known(targets, own, kinds)),
        )
        return self._answer_from(
            [(end, s) for (end, _), s in sites.items()], into=True, notes=notes
        )

    def callees(self, name: str, *, candidates: bool) -> CodeResult:
        """Return what that which a name means calls, each node once."""
        validation.boolean(candidates, name="candidates")
        targets = symbol_lookup.resolve_name(self._store, name)
        ids = self._with_macros("codegraph.macros_called", self._ids(targets))
        edges = self._edges(ids, CALLS, into=False, candidates=True)
        steps = _first_steps(
            edge for edge in edges if candidates or edge[4] == RelationState.RESOLVED
        )
        notes = (
            *symbol_lookup.ambiguity(name, targets),
            *_hidden({end for end, *_ in edges} - steps.keys()),
        )
        return self._answer_from(list(steps.items()), into=False, notes=notes)

    def uses(self, name: str) -> CodeResult:
        """Return what a symbol and all that is inside of it refer to outside of it, calls apart."""
        targets = symbol_lookup.resolve_name(self._store, name)
        rows = self._store.all("codegraph.inside", ids=json.dumps(self._ids(targets)))
        inside = [number for (number,) in rows]
        edges = self._edges(inside, USES, into=False)
        steps = _first_steps(edge for edge in edges if edge[0] not in inside)
        notes = symbol_lookup.ambiguity(name, targets)
        return self._answer_from(list(steps.items()), into=False, notes=notes)

    def members(self, name: str) -> CodeResult:
        """Return what a class itself has: what stands in it, and what says that it is its own."""
        classes = self._classes(name)
        rows = self._store.all("codegraph.members", ids=json.dumps([node.id for node in classes]))
        nodes = self._details(nodes_.nodes(self._store, [number for (number,) in rows]))
        notes = symbol_lookup.ambiguity(name, classes)
        return self._answer(nodes[:MAX_NODES], notes, len(nodes))

    def unused(self, path: str, *, kind: str | None, limit: int) -> CodeResult:
        """Return the symbols below a path to which nothing else refers."""
        below = symbol_lookup.in_graph(self._store, path).removeprefix("./").rstrip("/")
        if below not in ("", ".") and not self._store.first("codegraph.is_there", path=below):
            raise NotFound(f"path {validation.shown(path)}: nothing of the code graph lies there")
        rows = self._store.all(
            "codegraph.unused",
            path=below,
            kind=kind,
            apart=self._languages(lambda dialect: dialect.declares_apart),
            data=json.dumps(list(UNNAMED)),
        )
        ids = [number for (number,) in rows]
        nodes = nodes_.nodes(self._store, ids[: validation.integer(limit, name="limit")])
        return self._answer(nodes, (_UNSEEN,) if nodes else (), len(ids))

    def _with_macros(self, query: str, ids: Sequence[int]) -> list[int]:
        """Return functions with the macros that stand between them and other functions."""
        return [number for (number,) in self._store.all(query, ids=json.dumps(list(ids)))]

    def _joined(self, ids: Sequence[int], *, both_ways: bool) -> list[int]:
        """Return methods and those that they override, with `both_ways` all that are joined so."""
        joined = dict.fromkeys(ids)
        border = list(joined)
        while border:
            edges = self._edges(border, _OVERRIDES, into=False)
            if both_ways:
                edges += self._edges(border, _OVERRIDES, into=True)
            border = [end for end, *_ in edges if end not in joined]
            joined.update(dict.fromkeys(border))
        return list(joined)

    def _nothing_known(
        self, targets: Sequence[CodeNode], ids: Sequence[int], kinds: Sequence[str]
    ) -> tuple[str, ...]:
        """Return what is known of symbols (and of the ids of what announces them) that nothing is
        known to call, or to refer to."""
        others = self._edges(ids, [kind for kind in ALL_KINDS if kind not in kinds], into=True)
        names = {node.name for node in targets}
        lines, is_whole = self._unresolved_calls(names, {node.language for node in targets})
        what = "reference" if len(kinds) > len(_MAKES) else "call"
        notes = [f"no {what} is known"]
        if others:
            notes[0] += f"; referenced without a call {len(others)} times: see references"
        if lines:
            notes.append(_unresolved(lines, is_whole=is_whole))
        elif not is_whole:
            notes.append("not all files were looked at for calls that could not be resolved")
        return tuple(notes)

    def _lacking(self, targets: Sequence[CodeNode]) -> tuple[str, ...]:
        """Return what an answer may lack: calls by the names of what was asked for, but for names
        that methods of any library have, or that are called without being written."""
        nodes = [node for node in targets if node.kind in _CALLED and not _is_common(node)]
        if not nodes:
            return ()
        lines, is_whole = self._unresolved_calls(
            {node.name for node in nodes},
            {node.language for node in nodes},
            seconds=_SHORT_SECONDS,
        )
        return (_unresolved(lines, is_whole=is_whole),) if lines else ()

    # -- calls by a name that lead to nothing of that name in the graph
    #
    # They are counted beside every answer, so that what cannot be told is not taken for dead code,
    # nor what is told for all there is.

    def _unresolved_calls(
        self, names: Collection[str], languages: Collection[str], *, seconds: float = _SECONDS
    ) -> tuple[list[str], bool]:
        """Return path:line of calls by one of these names that have no edge to what is called so,
        the first in the order of paths, and whether all files were looked at in the time."""
        end = time.monotonic() + seconds
        families = {family_of(language) for language in languages}
        word = re.compile(rb"(?<!\w)(?:%s)(?!\w)" % b"|".join(re.escape(n.encode()) for n in names))
        rows = self._store.all("codegraph.lines_to_named", names=json.dumps(list(names)))
        known = {f"{path}:{line}" for path, lines in rows for line in str(lines).split(",")}
        calls: list[str] = []
        is_whole = True
        for values in self._store.all("codegraph.unresolved_files"):
            left = end - time.monotonic()
            row = FileRow(*values)
            if family_of(row.language) not in families:
                continue
            data = self._text(row) if left > 0 else b""
            if left <= 0 or (data is not None and len(data) > left * _BYTES_A_SECOND):
                is_whole = False
            # Parsed only where the name stands on a line that no edge explains.
            elif data is not None and any(
                f"{row.path}:{line}" not in known for line in _lines_of(word, data)
            ):
                calls += [place for place in self._call_places(row, names) if place not in known]
        return calls, is_whole

    def _call_places(self, row: FileRow, names: Collection[str]) -> list[str]:
        """Return path:line of each call by one of these names in a file."""
        facts = self._source(row, bytes)
        if facts is None:
            return []
        rows = self._store.all("codegraph.import_lines", file=row.id)
        inside = {int(line) for (lines,) in rows for line in str(lines).split(",")}
        outside = {
            statement[1]
            for scope in facts.statements
            for statement in scope
            if statement[0] == "import" and facts.sites[statement[5]] not in inside
        }
        lines = {facts.sites[site] for site in _calls(facts, names, outside)}
        return [f"{row.path}:{line}" for line in sorted(lines)]

    # -- many steps

    def impact(self, name: str, *, depth: int, candidates: bool) -> CodeResult:
        """Return everything that leans on what a name means, nearest first."""
        targets = symbol_lookup.resolve_name(self._store, name)
        ids = self._ids(targets)
        validation.boolean(candidates, name="candidates")
        steps = _spread(
            ids,
            lambda border: self._edges(border, ALL_KINDS, into=True, candidates=candidates),
            depth,
        )
        notes = symbol_lookup.ambiguity(name, targets)
        return self._answer_from(list(steps.items()), into=True, notes=notes)

    def hierarchy(self, name: str, *, depth: int, down: bool) -> CodeResult:
        """Return the classes that a class inherits from; with `down` those that inherit from it."""
        classes = self._classes(name)
        ids = [node.id for node in classes]
        steps = _spread(ids, lambda border: self._edges(border, _INHERITS, into=down), depth)
        notes = symbol_lookup.ambiguity(name, classes)
        return self._answer_from(list(steps.items()), into=down, notes=notes)

    def files(self, path: str, *, depth: int, into: bool) -> CodeResult:
        """Return the files that a file leans on, or with `into` those that lean on it."""
        file = self._file(path)
        query, params = "codegraph.files_used", {}
        if into:
            folders = self._languages(lambda dialect: dialect.imports_folders)
            query, params = "codegraph.files_using", {"folders": folders}

        def linked(border: Sequence[int]) -> list[Edge]:
            rows = self._store.all(query, files=json.dumps(border), **params)
            return [(end, at, *relation) for at, end, *relation in rows]

        steps = _spread([file.id], linked, depth)
        return self._answer_from(list(steps.items()), into=into)

    # -- inside

    def _languages(self, has: Callable[[Dialect], bool]) -> str:
        """Return as JSON those languages of the graph whose dialect has something: no other is
        loaded for a question."""
        known = (name for name, _ in self._store.all("codegraph.by_language") if name in LANGUAGES)
        return json.dumps([name for name in known if has(dialect(name))])

    def _ids(self, targets: Sequence[CodeNode]) -> list[int]:
        """Return symbols by id, with what announces them and what they announce."""
        return [node.id for node in symbol_lookup.with_declarations(self._store, targets)]

    def _details(self, nodes: Iterable[CodeNode]) -> list[CodeNode]:
        """Return nodes with what only the code itself tells."""
        return nodes_.with_details(self._store, self._source, nodes)

    def _file(self, path: str) -> CodeNode:
        matches = symbol_lookup.files(self._store, validation.text(path, name="file"))
        if len(matches) == 1:
            return matches[0]
        if not matches:
            raise symbol_lookup.file_not_found(self._store, path)
        listed = ", ".join(node.path for node in matches)
        raise InvalidInput(f"file {path!r}: means {listed}; give one of them")

    def _classes(self, name: str) -> list[CodeNode]:
        classes = [
            n for n in symbol_lookup.resolve_name(self._store, name) if n.kind == NodeKind.CLASS
        ]
        if not classes:
            raise InvalidInput(f"symbol {name!r}: is no class; give the name of one")
        return classes

    def _edges(
        self,
        ids: Sequence[int],
        kinds: Iterable[str],
        *,
        into: bool,
        candidates: bool = False,
    ) -> list[Edge]:
        parameters = {
            "ids": json.dumps(list(ids)),
            "kinds": json.dumps(list(kinds)),
            "candidates": candidates,
        }
        if into:
            return self._store.all("codegraph.edges_to", **parameters)
        return self._store.all("codegraph.edges_from", **parameters)

    def _answer_from(
        self, steps: Sequence[tuple[int, EdgeStep]], *, into: bool, notes: tuple[str, ...] = ()
    ) -> CodeResult:
        """Return the nodes that edges led to, nearest first, each with how it was reached."""
        shown = steps[:MAX_NODES]
        ids = {end for end, _ in shown}
        reached = {node.id: node for node in nodes_.nodes(self._store, ids)}
        others = {step[4] for _, step in shown} - ids if not into else set()
        paths = {n: node.path for n, node in reached.items()}
        paths |= {node.id: node.path for node in nodes_.nodes(self._store, others)}
        nodes = []
        for end, (kind, tier, state, line, at, step) in shown:
            via = EdgePath(kind, tier, state, paths.get(end if into else at, ""), line, at, step)
            if end in reached:
                nodes.append(attrs.evolve(reached[end], via=via))
        nodes.sort(key=_nearest)
        return self._answer(self._with_lines(nodes), notes, len(steps))

    def _with_lines(self, nodes: Sequence[CodeNode]) -> list[CodeNode]:
        """Return nodes with the source line at which their edges stand."""
        edges = [node.via for node in nodes if node.via]
        places = [(via.path, via.line) for via in edges]
        texts = nodes_.line_texts(self._store, self._text, places)
        shown = [attrs.evolve(via, text=texts[via.path, via.line]) for via in edges]
        return [attrs.evolve(node, via=via) for node, via in zip(nodes, shown, strict=True)]

    def _answer(self, nodes: Sequence[CodeNode], notes: tuple[str, ...], whole: int) -> CodeResult:
        if whole > len(nodes):
            notes = (*notes, f"{whole - len(nodes)} more are not shown")
        return CodeResult(tuple(nodes), self.coverage(), notes)

    def coverage(self) -> Coverage:
        """Return how much of the tree the graph holds; counted once for each state of the file."""
        state = self._store.state()
        known = self._covered  # read once: another thread may set it anew
        if known is None or known[0] != state:
            self._covered = known = (state, nodes_.coverage(self._store))
        return known[1]


def _nearest(node: CodeNode) -> tuple[int, str, int, int]:
    """Return by what answers are sorted: steps, place of the node, place of the edge."""
    via = node.via
    return (via.depth, node.path, node.line, via.line) if via else (0, node.path, node.line, 0)


def _first_steps(edges: Iterable[Edge]) -> dict[int, EdgeStep]:
    """Return the first edge that leads to each node."""
    steps: dict[int, EdgeStep] = {}
    for end, at, kind, tier, state, lines in edges:
        steps.setdefault(end, (kind, tier, state, _first_line(lines), at, 1))
    return steps


def _spread(
    roots: Sequence[int], reached: Callable[[Sequence[int]], Iterable[Edge]], depth: int
) -> dict[int, EdgeStep]:
    """Return the edge by which each node is first met that the edges of `reached` lead to from some
    nodes, over up to `depth` steps."""
    seen = set(roots)
    # Of several of a name one may lean on another, but none on itself.
    others = set(seen) if len(seen) > 1 else set()
    border = sorted(seen)
    steps: dict[int, EdgeStep] = {}
    for step in range(1, validation.integer(depth, name="depth", maximum=validation.MAX_DEPTH) + 1):
        edges = reached(border)
        border = []
        for end, at, kind, tier, state, lines in edges:
            if end not in seen:
                seen.add(end)
                border.append(end)
                steps[end] = (kind, tier, state, _first_line(lines), at, step)
            elif end in others and end != at:
                steps.setdefault(end, (kind, tier, state, _first_line(lines), at, step))
        if not border:
            break
    return steps


def _first_line(lines: int | str) -> int:
    """Return the first of the lines of an edge, as they are stored."""
    return int(str(lines).partition(",")[0])


def _condition(row: FileRow | None, *, read: bool) -> tuple[str, ...]:
    """Return notes on a file that is not wholly there."""
    if row is None or row.status != FileStatus.PARSED:
        return (f"{row.path}: {row.reason or 'of no known language'}",) if row else ()
    errors = f"{row.path}: {row.errors} places that the grammar does not know; the rest is here"
    changed = f"{row.path}: differs from what was indexed; signatures and imports are not shown"
    return (*([errors] if row.errors else []), *([] if read else [changed]))


def _hidden(ends: Collection[int]) -> tuple[str, ...]:
    """Return the note on what is left out because it is not sure, if anything is."""
    if not ends:
        return ()
    return (f"{len(ends)} more through calls that may mean another of the name: see candidates",)


def _is_common(node: CodeNode) -> bool:
    """Whether calls by the name of a symbol tell nothing of it."""
    if "constructor" in node.flags or node.language not in LANGUAGES:
        return True
    return node.kind == NodeKind.METHOD and node.name in dialect(node.language).builtin_methods


def _lines_of(word: re.Pattern[bytes], data: bytes) -> Iterator[int]:
    """Yield the lines on which a word stands, counted from 1."""
    line, before = 1, 0
    for match in word.finditer(data):
        line += data.count(b"\n", before, match.start())
        before = match.start()
        yield line


def _unresolved(lines: Sequence[str], *, is_whole: bool) -> str:
    """Return the note on calls that could not be resolved."""
    shown = ", ".join(lines[:_SHOWN]) + (", …" if len(lines) > _SHOWN else "")
    count = f"{len(lines)}" if is_whole else f"at least {len(lines)}"
    return f"calls by that name that could not be resolved: {count} ({shown})"


def _root(term: Any) -> str:
    """Return the name that a chain of members begins with, "" for another term."""
    while term is not None and term[0] == "attr":
        term = term[1]
    return str(term[1]) if term is not None and term[0] == "name" else ""


def _calls(facts: Facts, names: Collection[str], outside: Collection[str]) -> Iterator[int]:
    """Yield the site of each call of something of these names that is not of what is `outside`."""
    waiting: list[Any] = [facts.statements, facts.definitions]
    while waiting:
        part = waiting.pop()
        if len(part) in (5, 6) and part[0] in ("call", "new") and part[4] is not None:
            callee = part[1]
            if (
                callee is not None
                and callee[0] in ("name", "attr")
                and callee[2 if callee[0] == "attr" else 1] in names
                and _root(callee) not in outside
            ):
                yield part[4]
        waiting += (inner for inner in part if isinstance(inner, tuple | list))

"""Edges of files: the resolver's answers, from names to nodes."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from .facts import Facts
from .kinds import FileStatus, RelationState
from .packing import pack_keys, unpack
from .parsing import Parsed
from .survey import FileRow

if TYPE_CHECKING:
    from ..store.connection import Store

# Bytes of stored facts whose unpacked form (some forty times as large) is kept at hand.
_KEPT = 2_000_000

Relation = tuple[str, str, str]
Place = tuple[str, int]


@attrs.frozen
class Linked:
    """What a file refers to.

    Attributes:
        edges: (source, target, (kind, how, state)) to the first line where it stands.
        reads: keys of other files' names that this depends on, as stored.
        resolved, ambiguous, unresolved: numbers of references.
    """

    edges: Mapping[tuple[int, int, Relation], int]
    reads: bytes
    resolved: int = 0
    ambiguous: int = 0
    unresolved: int = 0


class Forest:
    """The parsed files of a tree as they are after an update; what is stored is read when asked."""

    def __init__(self, store: Store, rows: Mapping[str, FileRow]) -> None:
        """Take every file by path; those that changed are put in later."""
        self._store = store
        self._rows = rows
        self._fresh: dict[str, Parsed] = {}
        self._nodes: dict[str, Sequence[int]] = {}
        self._kept: OrderedDict[str, tuple[Facts, int]] = OrderedDict()
        self._room = _KEPT
        self._names: dict[str, list[Place]] = {}

    def put(self, path: str, parsed: Parsed, nodes: Sequence[int]) -> None:
        """Take what a file says now, and the node of each of its definitions."""
        if parsed.facts is not None:
            self._keep(path, parsed.facts, len(parsed.blob))
        self._fresh[path] = attrs.evolve(parsed, facts=None)
        self._nodes[path] = nodes
        for number, symbol in enumerate(parsed.symbols):
            self._names.setdefault(symbol.name, []).append((path, number))

    def facts(self, path: str) -> Facts | None:
        """Return what a file says, or None if it is not parsed."""
        if path in self._kept:
            self._kept.move_to_end(path)
            return self._kept[path][0]
        row = self._rows.get(path)
        if row is None or row.status != FileStatus.PARSED:
            return None
        blob = self._fresh[path].blob if path in self._fresh else self._load(path)
        facts = unpack(
            blob,
            path=path,
            language=row.language,
            namespace=row.namespace,
            errors=row.errors,
            lines=row.lines,
        )
        self._keep(path, facts, len(blob))
        return facts

    def named(self, name: str) -> list[Place]:
        """Return every definition of a name, sorted by path and number."""
        found = list(self._names.get(name, ()))
        if len(self._fresh) < len(self._rows):
            for path, node, runs in self._store.all("codegraph.named", name=name):
                if path in self._rows and path not in self._fresh:
                    nodes = self._nodes.setdefault(path, unpack_runs(runs))
                    found.append((path, nodes.index(node)))
        return sorted(found)

    def node(self, path: str, number: int) -> int:
        """Return the node of a definition, of the file itself for -1."""
        if number < 0:
            return self._rows[path].id
        if path not in self._nodes:
            self._load(path)
        return self._nodes[path][number]

    def number(self, path: str, node: int) -> int:
        """Return the number of a node's definition in its file; raises ValueError."""
        if path not in self._nodes:
            self._load(path)
        return self._nodes[path].index(node)

    def linked(self, path: str, resolved: Any, more: Iterable[Any] = ()) -> Linked:
        """Return the resolver's answer for a file, and more edges of it, by nodes."""
        edges: dict[tuple[int, int, Relation], int] = {}
        for edge in (*resolved.edges, *more):
            target = self.node(edge.path, edge.target)
            relation = (edge.kind, edge.how, edge.state)
            edges.setdefault((self.node(path, edge.source), target, relation), edge.line)
        counts = dict.fromkeys(("resolved", "ambiguous", "unresolved"), 0)
        for (_, state, _), count in resolved.counts.items():
            counts[state if state in counts else RelationState.RESOLVED] += count
        return Linked(edges, pack_keys(resolved.reads), **counts)

    def _load(self, path: str) -> bytes:
        runs, blob = self._store.one("codegraph.facts", file=self._rows[path].id) or ("[]", b"")
        self._nodes.setdefault(path, unpack_runs(runs))
        return bytes(blob)

    def _keep(self, path: str, facts: Facts, size: int) -> None:
        self._kept[path] = (facts, size)
        self._room -= size
        while self._room < 0 and len(self._kept) > 1:
            _, (_, freed) = self._kept.popitem(last=False)
            self._room += freed


def pack_runs(nodes: Sequence[int]) -> str:
    """Return nodes as JSON runs [first, how many]; most files have one."""
    runs: list[list[int]] = []
    for node in nodes:
        if runs and node == sum(runs[-1]):
            runs[-1][1] += 1
        else:
            runs.append([node, 1])
    return json.dumps(runs, separators=(",", ":"))


def unpack_runs(text: str) -> list[int]:
    """Return nodes from their stored form."""
    return list(_spread(json.loads(text)))


def _spread(runs: Sequence[Sequence[int]]) -> Iterator[int]:
    for first, count in runs:
        yield from range(first, first + count)

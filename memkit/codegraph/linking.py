"""Edges of files: the resolver's answers, from names to nodes."""

from __future__ import annotations

import json
import os
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from .facts import Facts, Named
from .kinds import FileStatus, RelationState
from .packing import pack, unpack
from .parsing import SymbolDraft
from .reads import owner_and_hash
from .scanning import Content, read
from .standing import lines
from .survey import FileRow

if TYPE_CHECKING:
    from ..store.store import Store

# Bytes of code whose facts (some ten times as large) are kept at hand. Those of other files that
# were parsed are put aside as bytes, no more than their code: a quarter of the time of parsing.
_KEPT = 20_000_000
# Relations of which a place in code_edges may be made: six kinds, found in one of five ways.
_RELATIONS = 32

Relation = tuple[str, str, str]
Extract = Callable[[bytes, str, str], Facts]


class Outdated(Exception):
    """A file is no longer what it was when the tree was looked at."""


@attrs.frozen
class Linked:
    """What a file refers to.

    Attributes:
        edges: (source, target, place) as they are stored: the place is made of the relation and of
            where it stands first, in lines below the first line of the source.
        reads: keys of other files' names that this depends on, as stored.
        owners: the files and namespaces that those keys are of.
        resolved, ambiguous, unresolved: numbers of references.
    """

    edges: Set[tuple[int, int, int]]
    reads: bytes
    owners: frozenset[str] = frozenset()
    resolved: int = 0
    ambiguous: int = 0
    unresolved: int = 0


class Forest:
    """The parsed files of a tree as they are after an update; what is stored is read when asked.

    Attributes:
        own: paths of files whose facts are wanted as a whole; of others only what may be read.
    """

    def __init__(
        self, store: Store, rows: Mapping[str, FileRow], base: Path, extract: Extract
    ) -> None:
        """Take every file by path; those that changed are put in later."""
        self._store = store
        self._rows = rows
        self._base = base
        self._extract = extract
        self._fresh: dict[str, Sequence[SymbolDraft]] = {}
        self._texts: dict[str, bytes] = {}
        self._aside: dict[str, bytes] = {}
        self._packed: dict[str, bytes] = {}
        self._nodes: dict[str, Sequence[int]] = {}
        self._kept: OrderedDict[str, Facts] = OrderedDict()
        self._room = _KEPT
        self._names: dict[str, list[Named]] = {}
        self.own: frozenset[str] = frozenset()

    def put(
        self,
        facts: Facts,
        data: bytes,
        nodes: Sequence[int],
        symbols: Sequence[SymbolDraft] = (),
    ) -> None:
        """Take what a file says now, its text, the node of each of its definitions, and their
        drafts if they are to be compared with what there was."""
        path = facts.path
        self._texts[path] = data
        self._fresh[path] = symbols
        self._keep(path, facts)
        self._nodes[path] = [*nodes, self._rows[path].id]
        for number, found in enumerate(facts.definitions):
            self._names.setdefault(found.name, []).append(Named(path, number, found.kind))

    def facts(self, path: str) -> Facts | None:
        """Return what a file says, or None if it is not parsed. Raises Outdated."""
        if path in self._kept:
            self._kept.move_to_end(path)
            return self._kept[path]
        row = self._rows.get(path)
        if row is None or row.status != FileStatus.PARSED:
            return None
        facts = (None if path in self.own else self.essence(path)) or self.whole(path)
        self._keep(path, facts)
        return facts

    def essence(self, path: str) -> Facts | None:
        """Return what others read of a file, or None if nobody has read it yet."""
        if path not in self._fresh:
            return stored_facts(self._store, self._rows[path])
        names = [one.name for one in self.whole(path).definitions]
        return _unpacked(self._rows[path], self.packed(path), names)

    def packed(self, path: str) -> bytes:
        """Return the stored form of what others read of a file, made anew. Raises Outdated."""
        if path not in self._packed:
            self._packed[path] = pack(self.whole(path), self.data(path))
        return self._packed[path]

    def whole(self, path: str) -> Facts:
        """Return all that a file says, if need be from the file itself. Raises Outdated."""
        if path in self._fresh and (kept := self._kept.get(path) or self._put_aside(path)):
            return kept
        return self._extract(self.data(path), path, self._rows[path].language)

    def data(self, path: str) -> bytes:
        """Return the text of a file. Raises Outdated if it is not the one that was indexed."""
        if path in self._texts:
            return self._texts[path]
        content = read(os.path.join(self._base, path))  # noqa: PTH118 - for many files
        if not isinstance(content, Content) or content.hash != self._rows[path].hash:
            raise Outdated(path)
        return content.data

    def named(self, name: str) -> list[Named]:
        """Return every definition of a name, sorted by path and number."""
        found = list(self._names.get(name, ()))
        if not self._is_anew:
            for path, node, kind in self._store.all("codegraph.named", name=name):
                row = self._rows.get(path)
                if row and row.status == FileStatus.PARSED and path not in self._fresh:
                    found.append(Named(path, self.number(path, node), kind))
        return sorted(found)

    def symbols(self, path: str) -> Sequence[SymbolDraft]:
        """Return the symbols of a file that has been put in."""
        return self._fresh.get(path, ())

    def number(self, path: str, node: int) -> int:
        """Return the number of a node's definition in its file; raises ValueError."""
        return self._nodes_of(path).index(node)

    def linked(
        self,
        path: str,
        resolved: Any,
        more: Iterable[Any],
        number_of: Callable[[Relation], int],
    ) -> Linked:
        """Return the resolver's answer for a file, and more edges of it, by nodes; `number_of`
        gives the number of a relation."""
        places: dict[tuple[int, int, int], int] = {}
        facts = self.facts(path) or self.whole(path)
        first = [*(one.line for one in facts.definitions), 1]
        nodes = self._nodes_of(path)
        found: Sequence[Any] = (*resolved.edges, *more)
        at = [edge.line for edge in found]
        if 0 in at:  # of what is only read
            at = lines(found, facts, self.data(path))
        for (source, kind, other, target, how, state, _, _), line in zip(found, at, strict=True):
            relation = number_of((kind, how, state))
            key = (nodes[source], self._nodes_of(other)[target], relation)
            places.setdefault(key, (line - first[source]) * _RELATIONS + relation)
        edges = frozenset((source, target, at) for (source, target, _), at in places.items())
        counts = dict.fromkeys(("resolved", "ambiguous", "unresolved"), 0)
        for (_, state, _), count in resolved.counts.items():
            counts[state if state in counts else RelationState.RESOLVED] += count
        keys = list(map(owner_and_hash, resolved.reads))
        reads = b"".join(sorted({one for _, one in keys}))
        if path in self._kept:  # the first that others make room for
            self._kept.move_to_end(path, last=False)
        return Linked(edges, reads, frozenset(owner for owner, _ in keys), **counts)

    @cached_property
    def _is_anew(self) -> bool:
        """Whether every file has been put in, so that nothing that is stored counts; asked when all
        are."""
        parsed = (path for path, row in self._rows.items() if row.status == FileStatus.PARSED)
        return all(path in self._fresh for path in parsed)

    def _nodes_of(self, path: str) -> Sequence[int]:
        """Return the node of each definition of a file, and last (-1) of the file itself."""
        if path not in self._nodes:
            row = self._rows[path]
            self._nodes[path] = [*unpack_runs(row.nodes), row.id]
        return self._nodes[path]

    def _put_aside(self, path: str) -> Facts | None:
        """Return what was put aside of a file, or None."""
        if path not in self._aside:
            return None
        found: Facts = pickle.loads(self._aside[path])
        return found

    def _keep(self, path: str, facts: Facts) -> None:
        self._kept[path] = facts
        self._room -= self._rows[path].size
        while self._room < 0 and len(self._kept) > 1:
            freed, facts = self._kept.popitem(last=False)
            self._room += self._rows[freed].size
            self._texts.pop(freed, None)
            if freed in self._fresh and freed not in self._aside:
                self._aside[freed] = pickle.dumps(facts, pickle.HIGHEST_PROTOCOL)


def stored_facts(store: Store, row: FileRow) -> Facts | None:
    """Return what others read of a file, or None if nothing is stored. Raises StoreDamaged."""
    rows = store.all("codegraph.facts", file=row.id)
    if not rows:
        return None
    return _unpacked(row, b"".join(piece for piece, _ in rows), json.loads(rows[0][1]))


def _unpacked(row: FileRow, blob: bytes, names: Sequence[str]) -> Facts:
    return unpack(
        blob,
        names,
        path=row.path,
        language=row.language,
        namespace=row.namespace,
        errors=row.errors,
        lines=row.lines,
    )


def pack_runs(nodes: Sequence[int]) -> str:
    """Return nodes as JSON runs [first, last]; most files have one."""
    runs: list[list[int]] = []
    for node in nodes:
        if runs and node == runs[-1][1] + 1:
            runs[-1][1] = node
        else:
            runs.append([node, node])
    return json.dumps(runs, separators=(",", ":"))


def unpack_runs(text: str) -> list[int]:
    """Return nodes from their stored form."""
    return list(_spread(json.loads(text)))


def _spread(runs: Sequence[Sequence[int]]) -> Iterator[int]:
    for first, last in runs:
        yield from range(first, last + 1)

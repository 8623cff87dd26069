"""Rows of the code graph: what an update changes, written in one transaction.

Nothing that is as it was is written again, so that the update of one file touches few pages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from .linking import Linked, Relation
from .parsing import SymbolDraft
from .survey import FileRow

if TYPE_CHECKING:
    from ..store.connection import Store

Row = dict[str, object]
# A row of `codegraph.symbols_of`: file, node, parent, sort, name, line, end_line, digest.
_SYMBOL = ("file", "id", "parent", "sort", "name", "line", "end_line", "digest")


@attrs.define
class Changes:
    """What an update does to the rows, gathered before the transaction begins."""

    files: list[FileRow] = attrs.field(factory=list)
    facts: list[Row] = attrs.field(factory=list)
    symbols: list[Row] = attrs.field(factory=list)
    dropped_files: list[int] = attrs.field(factory=list)
    emptied_files: list[int] = attrs.field(factory=list)
    dropped_symbols: list[int] = attrs.field(factory=list)
    linked: dict[int, Linked] = attrs.field(factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not any(attrs.astuple(self, recurse=False))


class Words:
    """Small numbers for what few rows say: sorts of symbols, relations of edges."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sorts = {(kind, flags): n for n, kind, flags in store.all("codegraph.sorts")}
        rows = store.all("codegraph.relations")
        self._relations = {(kind, how, state): n for n, kind, how, state in rows}
        self._new_sorts: list[Row] = []
        self._new_relations: list[Row] = []

    def sort(self, kind: str, flags: str) -> int:
        """Return the number of a kind of symbol with its flags."""
        number = self._sorts.get((kind, flags))
        if number is None:
            number = self._sorts[(kind, flags)] = len(self._sorts)
            self._new_sorts.append({"id": number, "kind": kind, "flags": flags})
        return number

    def relation(self, relation: Relation) -> int:
        """Return the number of a kind of edge, how it was found and how sure it is."""
        number = self._relations.get(relation)
        if number is None:
            number = self._relations[relation] = len(self._relations)
            kind, how, state = relation
            self._new_relations.append({"id": number, "kind": kind, "how": how, "state": state})
        return number

    def write(self) -> None:
        """Store the numbers that are new; inside `write`."""
        self._store.run_many("codegraph.add_sort", self._new_sorts)
        self._store.run_many("codegraph.add_relation", self._new_relations)


class Numbering:
    """Gives nodes to what is new, and keeps those of what was there."""

    def __init__(self, store: Store, first: int) -> None:
        self._store = store
        self.next = first

    def file(self, row: FileRow) -> FileRow:
        """Return the row with its node."""
        return row if row.id else attrs.evolve(row, id=self._new())

    def symbols(
        self, file: int, drafts: Sequence[SymbolDraft], words: Words, changes: Changes, *, new: bool
    ) -> list[int]:
        """Return the node of each symbol of a file; put into `changes` what differs."""
        old = {} if new else stored_symbols(self._store, file)
        nodes: list[int] = []
        for draft in drafts:
            before = old.pop(draft.identity, None)
            node = before[1] if before else self._new()
            nodes.append(node)
            parent = nodes[draft.parent] if draft.parent >= 0 else file
            sort = words.sort(draft.kind, draft.flags)
            row = (
                file, node, parent, sort, draft.name, draft.line, draft.end_line, draft.digest
            )  # fmt: skip
            if row != before:
                changes.symbols.append(dict(zip(_SYMBOL, row, strict=True)))
        changes.dropped_symbols += [row[1] for row in old.values()]
        return nodes

    def _new(self) -> int:
        self.next += 1
        return self.next - 1


def stored_symbols(store: Store, file: int) -> dict[tuple[str, int], tuple[Any, ...]]:
    """Return the rows of a file's symbols by name after those of their parents, and ordinal."""
    rows = store.all("codegraph.symbols_of", files=json.dumps([file]))
    by_id = {row[1]: row for row in rows}
    names: dict[int, str] = {}
    seen: Counter[str] = Counter()
    found = {}
    for row in rows:
        name = _chain(row[1], by_id, names)
        found[(name, seen[name])] = row
        seen[name] += 1
    return found


def write(store: Store, changes: Changes, words: Words) -> None:
    """Store an update; inside `write`."""
    for relation in {key[2] for linked in changes.linked.values() for key in linked.edges}:
        words.relation(relation)
    words.write()
    _drop(store, changes)
    store.run_many("codegraph.put_file", (attrs.asdict(row) for row in changes.files))
    store.run_many("codegraph.put_symbol", changes.symbols)
    store.run_many("codegraph.put_facts", changes.facts)
    for file, linked in changes.linked.items():
        _relink(store, file, linked, words)


def _drop(store: Store, changes: Changes) -> None:
    """Remove files, what stands in files that are no longer parsed, and single symbols."""
    empty = json.dumps([*changes.dropped_files, *changes.emptied_files])
    inner = [row[1] for row in store.all("codegraph.symbols_of", files=empty)]
    nodes = json.dumps([*json.loads(empty), *changes.dropped_symbols, *inner])
    if nodes == "[]":
        return
    store.run("codegraph.drop_edges_from", ids=nodes)
    store.run("codegraph.drop_edges_to", ids=nodes)
    store.run("codegraph.drop_symbols", ids=nodes)
    store.run("codegraph.drop_facts", ids=empty)
    store.run("codegraph.drop_reads", ids=empty)
    store.run("codegraph.drop_files", ids=json.dumps(changes.dropped_files))
    nothing = {"resolved": 0, "ambiguous": 0, "unresolved": 0}
    store.run_many("codegraph.set_counts", ({"id": n, **nothing} for n in changes.emptied_files))


def _relink(store: Store, file: int, linked: Linked, words: Words) -> None:
    """Bring the edges that leave a file to what they are now."""
    rows = store.all("codegraph.symbols_of", files=json.dumps([file]))
    sources = json.dumps([file, *(row[1] for row in rows)])
    before = {row[:3]: row[3] for row in store.all("codegraph.edges_from", ids=sources)}
    now = {
        (source, target, words.relation(relation)): line
        for (source, target, relation), line in linked.edges.items()
    }
    names = ("source", "target", "relation")
    store.run_many(
        "codegraph.drop_edge",
        (dict(zip(names, key, strict=True)) for key in before.keys() - now.keys()),
    )
    store.run_many(
        "codegraph.add_edge",
        (
            dict(zip(names, key, strict=True)) | {"line": line}
            for key, line in sorted(now.items())
            if before.get(key) != line
        ),
    )
    store.run("codegraph.put_reads", file=file, keys=linked.reads)
    store.run(
        "codegraph.set_counts",
        id=file,
        resolved=linked.resolved,
        ambiguous=linked.ambiguous,
        unresolved=linked.unresolved,
    )


def _chain(number: int, by_id: Mapping[int, tuple[Any, ...]], names: dict[int, str]) -> str:
    """Return a symbol's name after those of its parents."""
    way = [number]
    while way[-1] not in names and by_id[way[-1]][2] in by_id:
        way.append(by_id[way[-1]][2])
    for node in reversed(way):
        if node not in names:
            parent, name = by_id[node][2], by_id[node][4]
            names[node] = f"{names[parent]}.{name}" if parent in names else name
    return names[number]

"""Rows of the code graph: what an update changes, written in one transaction.

Nothing that is as it was is written again, so that the update of one file touches few pages.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from .linking import Linked, Relation
from .packing import pieces
from .parsing import SymbolDraft, spelled
from .registers import Entry, Register, middle, named, used
from .survey import FileRow

if TYPE_CHECKING:
    from ..store.store import Store

Row = dict[str, object]
# A symbol as `codegraph.symbols_of` gives it.
Symbol = tuple[Any, ...]
# Source, target and place.
Edge = tuple[int, int, int]
# Two of each that are common everywhere have the numbers 0 and 1, which take no byte in a row.
_COMMON_SORTS = (("variable", ""), ("method", ""))
_COMMON_RELATIONS = (("calls", "scope", "resolved"), ("imports", "scope", "resolved"))
_COUNTS = ("resolved", "ambiguous", "unresolved")
_FILE = tuple(field.name for field in attrs.fields(FileRow))
_values = attrgetter(*_FILE)


@attrs.define
class Changes:
    """What an update does to the rows, gathered before the transaction begins."""

    files: list[FileRow] = attrs.field(factory=list)
    facts: list[tuple[int, bytes]] = attrs.field(factory=list)
    symbols: list[Symbol] = attrs.field(factory=list)
    former_symbols: list[Symbol] = attrs.field(factory=list)  # as those were that differ or go
    dropped_files: list[int] = attrs.field(factory=list)
    emptied_files: list[int] = attrs.field(factory=list)
    linked: dict[int, Linked] = attrs.field(factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not any(attrs.astuple(self, recurse=False))

    def tell(self, known: Mapping[str, FileRow], *, stamps: bool) -> bool:
        """Whether there is something to write; times of `known` files count only with `stamps`."""
        if stamps or not attrs.evolve(self, files=[]).is_empty:
            return not self.is_empty
        rows = ((row, known.get(row.path)) for row in self.files)
        return any(old is None or attrs.evolve(row, stamp=old.stamp) != old for row, old in rows)


class Words:
    """Small numbers for what few rows say: sorts of symbols, relations of edges."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._sorts = {(kind, flags): n for n, kind, flags in store.all("codegraph.sorts")}
        rows = store.all("codegraph.relations")
        self._relations = {(kind, how, state): n for n, kind, how, state in rows}
        self._new_sorts: list[Row] = []
        self._new_relations: list[Row] = []
        for kind, flags in _COMMON_SORTS:
            self.sort(kind, flags)
        for relation in _COMMON_RELATIONS:
            self.relation(relation)

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
                file, node, parent, sort, draft.name, draft.line, draft.end_line, draft.digest,
                draft.owner,
            )  # fmt: skip
            if row != before:
                changes.symbols.append(row)
                changes.former_symbols += [before] if before else []
        changes.former_symbols += old.values()
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


def write(store: Store, changes: Changes, words: Words, first_new: int) -> None:
    """Store an update; inside `write`. Nodes from `first_new` on are not stored yet."""
    words.write()
    users, names = used(), named()
    _drop(store, changes, users, names)
    names.change(set(map(_entry, changes.former_symbols)), set(map(_entry, changes.symbols)))
    store.run_many(
        "codegraph.put_file",
        (
            dict(zip(_FILE, _values(row), strict=True)) | _counts(changes.linked.get(row.id))
            for row in changes.files
        ),
    )
    symbols = ((node, file, *rest) for file, node, *rest in changes.symbols)
    store.run_many("codegraph.put_symbol", symbols)
    store.run("codegraph.drop_facts", ids=json.dumps([file for file, _ in changes.facts]))
    store.run_many("codegraph.add_facts", _in_pieces(changes.facts))
    linked_files = sorted(changes.linked.items())
    _relink(store, linked_files, users, known=first_new)
    users.write(store)
    names.write(store)
    store.run_many(
        "codegraph.put_reads",
        ({"file": file, "keys": linked.reads} for file, linked in linked_files),
    )
    written = {row.id for row in changes.files}
    store.run_many(
        "codegraph.set_counts",
        ({"id": file, **_counts(one)} for file, one in linked_files if file not in written),
    )


def pack(store: Store) -> None:
    """Build trees anew that were not written in their order, which fills their pages; inside
    `write`."""
    for query in (
        "codegraph.pack_files", "codegraph.pack_names", "codegraph.pack_edges",
        "codegraph.pack_facts",
    ):  # fmt: skip
        store.run(query)


def _counts(linked: Linked | None) -> Row:
    """Return what the references in a file came to, None each if it is not linked now."""
    return {name: getattr(linked, name, None) for name in _COUNTS}


def _in_pieces(facts: Iterable[tuple[int, bytes]]) -> Iterator[Row]:
    """Yield the rows of files' facts, in the order in which they lie in the file."""
    for file, blob in sorted(facts):
        for part, piece in enumerate(pieces(blob)):
            yield {"file": file, "part": part, "facts": piece}


def _entry(symbol: Symbol) -> Entry:
    """Return under which key a symbol is found by its name."""
    return middle(symbol[4]), symbol[1]


def _drop(store: Store, changes: Changes, users: Register, names: Register) -> None:
    """Remove files, what stands in files that are no longer parsed, and single symbols."""
    files = [*changes.dropped_files, *changes.emptied_files]
    empty = json.dumps(files)
    inner = store.all("codegraph.symbols_of", files=empty)
    kept = {symbol[1] for symbol in changes.symbols}
    single = [symbol[1] for symbol in changes.former_symbols if symbol[1] not in kept]
    nodes = json.dumps([*files, *single, *(symbol[1] for symbol in inner)])
    if nodes == "[]":
        return
    names.change(set(map(_entry, inner)), set())
    pairs = set(store.all("codegraph.pairs_with", ids=nodes))
    users.change({(target, source) for source, target in pairs}, set())
    store.run_many(
        "codegraph.drop_edges", ({"source": source, "target": target} for source, target in pairs)
    )
    store.run("codegraph.drop_symbols", ids=nodes)
    store.run("codegraph.drop_facts", ids=empty)
    store.run("codegraph.drop_reads", ids=empty)
    store.run("codegraph.drop_files", ids=json.dumps(changes.dropped_files))
    nothing = dict.fromkeys(_COUNTS, 0)
    store.run_many("codegraph.set_counts", ({"id": n, **nothing} for n in changes.emptied_files))


def _relink(
    store: Store, linked: Iterable[tuple[int, Linked]], users: Register, *, known: int
) -> None:
    """Bring the edges that leave files to what they are now; those up to `known` may have some."""
    gone: list[Edge] = []
    new: list[Edge] = []
    for file, one in linked:
        before = set(store.all("codegraph.edges_of", file=file)) if file < known else set()
        users.change({(b, a) for a, b, _ in before}, {(b, a) for a, b, _ in one.edges})
        gone += before - one.edges
        new += one.edges - before
    for query, edges in (("codegraph.drop_edge", gone), ("codegraph.add_edge", new)):
        store.run_many(query, sorted(edges))


def _chain(number: int, by_id: Mapping[int, tuple[Any, ...]], names: dict[int, str]) -> str:
    """Return a symbol's name after those of its parents."""
    way = [number]
    while way[-1] not in names and by_id[way[-1]][2] in by_id:
        way.append(by_id[way[-1]][2])
    for node in reversed(way):
        if node not in names:
            parent, name = by_id[node][2], spelled(by_id[node][4], by_id[node][-1])
            names[node] = f"{names[parent]}.{name}" if parent in names else name
    return names[number]

"""Rows of the graph, ids, integrity check."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, NamedTuple

import attrs

from ...errors import StoreDamaged
from ...store.integrity import Problem
from ..analysis import SymbolDraft, spelled
from ..facts_codec import pieces
from .edge_builder import EdgeKey, FileEdges, Lines, Relation, stored_facts
from .workspace import FileRow, known_files

if TYPE_CHECKING:
    from ...store.store import Store


# --- Row changes of an update, written in one transaction.
#
# Nothing that is as it was is written again, so that the update of one file touches few pages.

Row = dict[str, object]
# Relations that are common everywhere have the ids 0 and 1, which take no byte in a row.
_COMMON_RELATIONS = (("calls", "scope", "resolved"), ("references", "scope", "resolved"))
_COUNTS = ("resolved", "ambiguous", "unresolved")
_FILE = tuple(field.name for field in attrs.fields(FileRow))
_values = attrgetter(*_FILE)


class SymbolRow(NamedTuple):
    """A symbol as it stands in code_symbols."""

    id: int
    file: int
    parent: int
    position: int
    kind: str
    flags: str
    name: str
    owner: str | None
    line: int
    end_line: int
    digest: int


@attrs.define
class Changes:
    """What an update does to the rows, gathered before the transaction begins."""

    files: list[FileRow] = attrs.field(factory=list)
    facts: list[tuple[int, bytes]] = attrs.field(factory=list)
    symbols: list[SymbolRow] = attrs.field(factory=list)
    dropped_symbols: list[int] = attrs.field(factory=list)
    dropped_files: list[int] = attrs.field(factory=list)
    emptied_files: list[int] = attrs.field(factory=list)
    file_edges: dict[int, FileEdges] = attrs.field(factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not any(attrs.astuple(self, recurse=False))

    def is_worth_writing(self, known: Mapping[str, FileRow], *, stamps: bool) -> bool:
        """Whether there is something to write; times of `known` files count only with `stamps`."""
        if stamps or not attrs.evolve(self, files=[]).is_empty:
            return not self.is_empty
        rows = ((row, known.get(row.path)) for row in self.files)
        return any(old is None or attrs.evolve(row, stamp=old.stamp) != old for row, old in rows)


class RelationIds:
    """Ids of relations: those that are stored, and new ones."""

    def __init__(self, store: Store) -> None:
        self._store = store
        rows = store.all("codegraph.relations")
        self._ids = {(kind, tier, state): id_ for id_, kind, tier, state in rows}
        self._new: list[Row] = []
        for relation in _COMMON_RELATIONS:
            self.id(relation)

    def id(self, relation: Relation) -> int:
        """Return the id of a kind, tier and state of edges."""
        relation_id = self._ids.get(relation)
        if relation_id is None:
            relation_id = self._ids[relation] = len(self._ids)
            kind, tier, state = relation
            self._new.append({"id": relation_id, "kind": kind, "tier": tier, "state": state})
        return relation_id

    def write(self) -> None:
        """Store the new ones; inside `write`."""
        self._store.run_many("codegraph.add_relation", self._new)


class NodeIds:
    """Ids of nodes: new ones for what is new, the same ones for what was there."""

    def __init__(self, store: Store, first: int) -> None:
        self._store = store
        self.next = first

    def file(self, row: FileRow) -> FileRow:
        """Return the row with its node."""
        return row if row.id else attrs.evolve(row, id=self._new())

    def symbols(
        self, file: int, drafts: Sequence[SymbolDraft], changes: Changes, *, new: bool
    ) -> list[int]:
        """Return the node of each symbol of a file; put into `changes` what differs."""
        old = {} if new else stored_symbols(self._store, file)
        nodes: list[int] = []
        for position, draft in enumerate(drafts):
            before = old.get(draft.identity)
            if before is not None and before.name == draft.name:
                del old[draft.identity]
            else:
                before = None
            node = self._new() if before is None else before.id
            nodes.append(node)
            row = SymbolRow(
                node, file, nodes[draft.parent] if draft.parent >= 0 else file, position,
                draft.kind, draft.flags, draft.name, draft.owner, draft.line, draft.end_line,
                draft.digest,
            )  # fmt: skip
            if row != before:
                changes.symbols.append(row)
        changes.dropped_symbols += (row.id for row in old.values())
        return nodes

    def _new(self) -> int:
        self.next += 1
        return self.next - 1


def stored_symbols(store: Store, file: int) -> dict[tuple[str, int], SymbolRow]:
    """Return the rows of a file's symbols by name after those of their parents, and ordinal."""
    rows = [SymbolRow(*row) for row in store.all("codegraph.symbols_of", files=json.dumps([file]))]
    by_id = {row.id: row for row in rows}
    names: dict[int, str] = {}
    seen: Counter[str] = Counter()
    symbols = {}
    for row in rows:
        name = _qualified(row.id, by_id, names)
        symbols[(name, seen[name])] = row
        seen[name] += 1
    return symbols


def write(store: Store, changes: Changes, relation_ids: RelationIds, first_new: int) -> None:
    """Store an update; inside `write`. Nodes from `first_new` on are not stored yet."""
    relation_ids.write()
    _drop(store, changes)
    store.run_many(
        "codegraph.put_file",
        (
            dict(zip(_FILE, _values(row), strict=True)) | _counts(changes.file_edges.get(row.id))
            for row in changes.files
        ),
    )
    store.run_many("codegraph.put_symbol", changes.symbols)
    store.run("codegraph.drop_facts", ids=json.dumps([file for file, _ in changes.facts]))
    store.run_many("codegraph.add_facts", _in_pieces(changes.facts))
    linked_files = sorted(changes.file_edges.items())
    _write_edges(store, linked_files, known=first_new)
    store.run_many(
        "codegraph.put_dependency_keys",
        ({"file": file, "keys": edges.dependency_keys} for file, edges in linked_files),
    )
    written = {row.id for row in changes.files}
    store.run_many(
        "codegraph.set_counts",
        ({"id": file, **_counts(edges)} for file, edges in linked_files if file not in written),
    )


def pack(store: Store) -> None:
    """Build trees anew that were not written in their order, which fills their pages; inside
    `write`."""
    for query in (
        "codegraph.pack_files", "codegraph.pack_symbols", "codegraph.pack_edges",
        "codegraph.pack_facts",
    ):  # fmt: skip
        store.run(query)


def _counts(edges: FileEdges | None) -> Row:
    """Return what the references in a file came to, None each if it is not linked now."""
    return {name: getattr(edges, name, None) for name in _COUNTS}


def _in_pieces(facts: Iterable[tuple[int, bytes]]) -> Iterator[Row]:
    """Yield the rows of files' facts, in the order in which they lie in the file."""
    for file, blob in sorted(facts):
        for part, piece in enumerate(pieces(blob)):
            yield {"file": file, "part": part, "facts": piece}


def _drop(store: Store, changes: Changes) -> None:
    """Remove files, what stands in files that are no longer parsed, and single symbols."""
    files = [*changes.dropped_files, *changes.emptied_files]
    empty = json.dumps(files)
    inner = [row[0] for row in store.all("codegraph.symbols_of", files=empty)]
    nodes = json.dumps([*files, *changes.dropped_symbols, *inner])
    if nodes == "[]":
        return
    store.run("codegraph.drop_edges_from", ids=nodes)
    store.run("codegraph.drop_edges_to", ids=nodes)
    store.run("codegraph.drop_symbols", ids=nodes)
    store.run("codegraph.drop_facts", ids=empty)
    store.run("codegraph.drop_dependency_keys", ids=empty)
    store.run("codegraph.drop_files", ids=json.dumps(changes.dropped_files))
    nothing = dict.fromkeys(_COUNTS, 0)
    store.run_many("codegraph.set_counts", ({"id": n, **nothing} for n in changes.emptied_files))


def _write_edges(
    store: Store, linked_files: Iterable[tuple[int, FileEdges]], *, known: int
) -> None:
    """Bring the edges that leave files to what they are now; files up to `known` may have some."""
    gone: list[EdgeKey] = []
    new: list[tuple[int, int, int, int | str]] = []
    for file, file_edges in linked_files:
        rows = store.all("codegraph.edges_of", file=file) if file < known else ()
        before = {(source, target, relation): lines for source, target, relation, lines in rows}
        now = {key: _stored_lines(lines) for key, lines in file_edges.edges.items()}
        gone += before.keys() - now.keys()
        new += ((*key, lines) for key, lines in now.items() if before.get(key) != lines)
    store.run_many("codegraph.drop_edge", sorted(gone))
    store.run_many("codegraph.put_edge", sorted(new, key=itemgetter(0, 1, 2)))


def _stored_lines(lines: Lines) -> int | str:
    """Return lines as the column `lines` has them."""
    return lines[0] if len(lines) == 1 else ",".join(map(str, lines))


def _qualified(node: int, by_id: Mapping[int, SymbolRow], names: dict[int, str]) -> str:
    """Return a symbol's name after those of its parents."""
    chain = [node]
    while chain[-1] not in names and by_id[chain[-1]].parent in by_id:
        chain.append(by_id[chain[-1]].parent)
    for inner in reversed(chain):
        if inner not in names:
            row = by_id[inner]
            name = spelled(row.name, row.owner)
            names[inner] = f"{names[row.parent]}.{name}" if row.parent in names else name
    return names[node]


# --- Integrity check: edges with both ends, symbols with their files.


def check(store: Store, *, repair: bool) -> list[Problem]:
    """Return what is wrong with the code graph; with `repair` a graph that is not whole is dropped
    (the next `index` makes it anew, from the code alone)."""
    problems = list(_problems(store))
    if problems and repair and not store.readonly:
        store.write(lambda: forget(store), derived=True)
        return [
            Problem(problem.name, f"{problem.detail}; run 'memkit index'", mended=True)
            for problem in problems
        ]
    return problems


def forget(store: Store) -> None:
    """Empty the code graph; inside `write`."""
    for query in (
        "codegraph.forget_edges", "codegraph.forget_symbols", "codegraph.forget_facts",
        "codegraph.forget_dependency_keys", "codegraph.forget_files", "codegraph.forget_state",
    ):  # fmt: skip
        store.run(query)


def _problems(store: Store) -> Iterator[Problem]:
    symbols, edges = store.first("codegraph.inconsistent_rows") or (0, 0)
    if symbols:
        yield Problem("code_symbols", f"{symbols} lie in no parsed file, or in nothing of theirs")
    if edges:
        yield Problem("code_edges", f"{edges} lead from or to nothing, or are of no known relation")
    wrong = [path for (path,) in store.all("codegraph.files_out_of_order")]
    if wrong:
        yield Problem(
            "code_symbols", f"those of {len(wrong)} files are not in order, first {wrong[0]}"
        )
    damaged = list(_damaged(store))
    if damaged:
        yield Problem("code_facts", f"{len(damaged)} cannot be read, first that of {damaged[0]}")


def _damaged(store: Store) -> Iterator[str]:
    """Yield the files of which what others read is not as memkit makes it."""
    stored = {file for (file,) in store.all("codegraph.files_with_facts")}
    for path, row in known_files(store).items():
        if row.id in stored:
            try:
                stored_facts(store, row)
            except StoreDamaged:
                yield path

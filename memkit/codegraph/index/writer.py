"""Rows of the graph, ids, integrity check."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from ...errors import StoreDamaged
from ...store.integrity import Problem
from ..analysis import SymbolDraft, spelled
from ..facts_codec import pieces
from .edge_builder import FileEdges, Relation, stored_facts, unpack_runs
from .workspace import FileRow, known_files

if TYPE_CHECKING:
    from ...store.store import Store


# --- Lists of nodes by key: who has an edge to a node, what has a name.
#
# A list is sorted and stored as a JSON list of steps, from nothing to the first node and from
# each to the next; a query adds them up with `sum(value) over (order by key)`. This takes half of
# what an index with a row for every entry does.

Entry = tuple[int | str, int]


class Register:
    """The lists of one table, and what an update does to them."""

    def __init__(self, read: str, put: str, drop: str) -> None:
        """Take the names of the queries that read and forget lists by their keys, and store one."""
        self._read, self._put, self._drop = read, put, drop
        self._new: defaultdict[int | str, set[int]] = defaultdict(set)
        self._gone: defaultdict[int | str, set[int]] = defaultdict(set)

    def change(self, before: Set[Entry], now: Set[Entry]) -> None:
        """Note the entries (key and node) that there were, and that there are instead; an entry
        comes once as being before, and after that as now."""
        for key, node in now - before:
            self._new[key].add(node)
        for key, node in before - now:
            self._gone[key].add(node)

    def write(self, store: Store) -> None:
        """Bring the lists up to date; inside `write`."""
        keys = sorted({*self._new, *self._gone})
        rows = store.all(self._read, keys=json.dumps(keys))
        stored = {key: set(unpack_steps(nodes)) for key, nodes in rows}
        nothing: set[int] = set()
        found = {
            key: stored.get(key, nothing) - self._gone.get(key, nothing)
            | self._new.get(key, nothing)
            for key in keys
        }
        empty = [key for key, nodes in found.items() if not nodes]
        store.run(self._drop, keys=json.dumps(empty))
        store.run_many(
            self._put,
            (
                {"key": key, "nodes": pack_steps(sorted(nodes))}
                for key, nodes in found.items()
                if nodes and nodes != stored.get(key)
            ),
        )


def used() -> Register:
    """Return the register of who has an edge to a node: entries of target and source."""
    return Register("codegraph.used", "codegraph.put_used", "codegraph.drop_used")


def named() -> Register:
    """Return the register of what has a name: entries of a name's middle and a symbol."""
    return Register("codegraph.alike", "codegraph.put_alike", "codegraph.drop_alike")


def middle(name: str) -> str:
    """Return the piece of a name by which it is found: substr(name, length(name) / 2, 3) of SQL."""
    start = len(name) // 2 - 1
    return name[max(start, 0) : start + 3]


def pack_steps(nodes: Sequence[int]) -> str:
    """Return sorted nodes as a JSON list of steps."""
    steps = [*nodes[:1], *[after - before for before, after in pairwise(nodes)]]
    return f"[{','.join(map(str, steps))}]"


def unpack_steps(text: str) -> list[int]:
    """Return nodes from their stored form."""
    return list(accumulate(json.loads(text)))


# --- Row changes of an update, written in one transaction.
#
# Nothing that is as it was is written again, so that the update of one file touches few pages.

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
    linked: dict[int, FileEdges] = attrs.field(factory=dict)

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


class NodeIds:
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
    symbols = {}
    for row in rows:
        name = _chain(row[1], by_id, names)
        symbols[(name, seen[name])] = row
        seen[name] += 1
    return symbols


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
        ({"id": file, **_counts(edges)} for file, edges in linked_files if file not in written),
    )


def pack(store: Store) -> None:
    """Build trees anew that were not written in their order, which fills their pages; inside
    `write`."""
    for query in (
        "codegraph.pack_files", "codegraph.pack_names", "codegraph.pack_edges",
        "codegraph.pack_facts",
    ):  # fmt: skip
        store.run(query)


def _counts(linked: FileEdges | None) -> Row:
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
    rewritten = {symbol[1] for symbol in changes.symbols}
    single = [symbol[1] for symbol in changes.former_symbols if symbol[1] not in rewritten]
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
    store: Store, linked: Iterable[tuple[int, FileEdges]], users: Register, *, known: int
) -> None:
    """Bring the edges that leave files to what they are now; those up to `known` may have some."""
    gone: list[Edge] = []
    new: list[Edge] = []
    for file, file_edges in linked:
        before = set(store.all("codegraph.edges_of", file=file)) if file < known else set()
        users.change({(b, a) for a, b, _ in before}, {(b, a) for a, b, _ in file_edges.edges})
        gone += before - file_edges.edges
        new += file_edges.edges - before
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
        "codegraph.forget_edges", "codegraph.forget_used", "codegraph.forget_symbols",
        "codegraph.forget_alike", "codegraph.forget_facts", "codegraph.forget_reads",
        "codegraph.forget_files", "codegraph.forget_state",
    ):  # fmt: skip
        store.run(query)


def _problems(store: Store) -> Iterator[Problem]:
    symbols, edges, words = store.one("codegraph.odd_rows") or (0, 0, 0)
    if symbols:
        yield Problem("code_symbols", f"{symbols} lie in no parsed file or go by no name")
    if edges:
        yield Problem("code_edges", f"{edges} lead from or to nothing, or one way only")
    if words:
        yield Problem("code_words", f"{words} rows are of no known sort or relation")
    wrong = [
        path for path, runs, ids in store.all("codegraph.files_with_nodes") if not _agree(runs, ids)
    ]
    if wrong:
        yield Problem(
            "code_facts", f"{len(wrong)} files differ from their symbols, first {wrong[0]}"
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


def _agree(runs: str | None, ids: str) -> bool:
    try:
        return sorted(unpack_runs(runs or "[]")) == sorted(json.loads(ids))
    except (ValueError, TypeError, StoreDamaged):
        return False

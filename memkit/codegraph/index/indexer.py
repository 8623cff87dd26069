"""Indexer: full and incremental update within a time budget, and what to resolve again."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ... import gc_pause
from ...errors import StoreBusy, StoreError
from ...validation import Progress
from ..analysis import MIN_PARALLEL, Analysis, Job, Parsed, default_analysis, parse_all
from ..facts import Facts, Scope
from ..query.anchor_check import anchor_late
from ..records import FileStatus
from .edge_builder import EdgeBuilder, FileChanged, dependents, owner_and_hash
from .workspace import (
    FileRow,
    Namespaces,
    Reader,
    TreeDifferences,
    Workspace,
    WorkspaceCache,
    definition,
    find_differences,
    indexed_text,
    known_files,
    load_state,
    relative,
)
from .writer import Changes, NodeIds, RelationIds, pack, stored_symbols, write

if TYPE_CHECKING:
    from ...store.store import Store


# --- Time budget of an update.


class BudgetExceeded(Exception):
    """The time allowed is over; nothing was written. Its argument: files that have changed."""


@attrs.frozen
class TimeBudget:
    """Limits of an update and how it works.

    Attributes:
        progress: called with the steps done and their number.
        seconds: after which it gives up, counted from the first file on: before it modules and
            grammars are loaded, once in a process. None: never.
        max_files: changed files above which it gives up; None: any number. Files that only look
            changed (a fresh clone) do not count.
        processes: how many may parse side by side.
        stamps: whether the file is also written when all that has changed are times of files: a
            question leaves a committed file as it is, an index spares the next one work.
    """

    progress: Progress | None = None
    seconds: float | None = None
    max_files: int | None = None
    processes: int = 1
    stamps: bool = True


class Steps:
    """Counts what one update does, tells of it, and ends it when its budget is spent.

    Attributes:
        expected: steps that there will be, as far as that is known.
        different: files that have changed, for the error.
    """

    def __init__(self, budget: TimeBudget) -> None:
        self.expected = self.different = 0
        self._budget = budget
        self._done = self._changed = 0
        self._begun = 0.0

    def ahead(self, count: int) -> None:
        """Expect so many steps more, if that is more than was expected."""
        self.expected = max(self.expected, self._done + count)

    def step(self) -> None:
        """Count one step; raises BudgetExceeded."""
        self._done += 1
        self.in_time()
        if self._budget.progress:
            self._budget.progress(self._done, max(self.expected, self._done))

    def changed(self) -> None:
        """Count one file that is to be parsed; raises BudgetExceeded."""
        self._changed += 1
        if self._budget.max_files is not None and self._changed > self._budget.max_files:
            raise BudgetExceeded(self.different)

    def in_time(self) -> None:
        """Raise BudgetExceeded when the time allowed is over."""
        if self._budget.seconds is None:
            return
        if not self._begun:
            self._begun = time.monotonic()
        elif time.monotonic() - self._begun > self._budget.seconds:
            raise BudgetExceeded(self.different)


# --- Invalidation: the files to link anew, which depend on what has changed.

Rows = Mapping[str, FileRow]


@attrs.frozen
class TreeState:
    """A tree before or after an update: its files, what they say, and their namespaces."""

    rows: Rows
    edge_builder: EdgeBuilder
    own: Namespaces


def invalidated(
    store: Store, analysis: Analysis, before: TreeState, after: TreeState, parsed: Iterable[str]
) -> set[str]:
    """Return the files whose edges may differ, those that were parsed in between included."""
    now = after.rows
    lost = (
        path for path, row in before.rows.items() if is_parsed(row) and not is_parsed(now.get(path))
    )
    touched = {*parsed, *lost}
    keys: set[str] = set()
    for path in touched:
        keys |= _changed_keys(store, analysis, before, after, path)
    hashes = frozenset(owner_and_hash(key)[1] for key in keys)
    files = dependents(store.all("codegraph.dependency_keys"), hashes)
    touched.update(path for path, row in now.items() if row.id in files)
    return {path for path in touched if is_parsed(now.get(path))}


def settings_texts(analysis: Analysis, rows: Rows, base: Path) -> dict[str, str]:
    """Return the texts of the files that decide what imports mean, by path: by their names, and
    because one of those names them."""
    texts: dict[str, str] = {}
    missing: set[str] = set()
    paths = [path for path in rows if analysis.is_setting(path)]
    while paths:
        for path in paths:
            try:
                texts[path] = (base / path).read_text("utf-8", "replace")
            except OSError:
                missing.add(path)  # gone since it was listed; the next update notices
        named = analysis.named_settings(texts)
        paths = sorted(
            path for path in named if path in rows and path not in texts.keys() | missing
        )
    return texts


def listed(rows: Rows) -> list[tuple[str, str, str]]:
    """Return path, language and namespace of every parsed file, sorted."""
    parsed = FileStatus.PARSED
    parsed_rows = [row for row in rows.values() if row.status == parsed]
    return sorted((row.path, row.language, row.namespace) for row in parsed_rows)


def is_parsed(row: FileRow | None) -> bool:
    """Whether a file takes part in the graph."""
    return row is not None and row.status == FileStatus.PARSED


def _changed_keys(
    store: Store, analysis: Analysis, before: TreeState, after: TreeState, path: str
) -> set[str]:
    """Return the keys under which something else is read of a file than before."""
    new = _keys(analysis, after, path)
    if not is_parsed(before.rows.get(path)):
        return set(new)
    old = _keys(analysis, before, path)
    if not old:
        return _unread_keys(store, analysis, before, after, path)
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _unread_keys(
    store: Store, analysis: Analysis, before: TreeState, after: TreeState, path: str
) -> set[str]:
    """Return the keys of a file that changed but that nobody has read.

    Others know at most that it is there, and its names, where one was looked for in the whole tree
    (keys as in resolve/dependency_keys.py).
    """
    there_before = set(_keys_of_nothing(analysis, before, path))
    there = (
        set(_keys_of_nothing(analysis, after, path)) if is_parsed(after.rows.get(path)) else set()
    )
    stored = stored_symbols(store, before.rows[path].id).items()
    old = {(row.name, identity, row.kind, row.flags, row.digest) for identity, row in stored}
    new = {
        (draft.name, draft.identity, draft.kind, draft.flags, draft.digest)
        for draft in after.edge_builder.symbols(path)
    }
    names = {symbol[0] for symbol in old ^ new}
    keys = {f"u:{name}" for name in names}
    for side in (before, after):
        # Where several files are one namespace, a name that nobody had was looked for in all.
        if is_parsed(side.rows.get(path)) and (own := side.own(path)) != path:
            keys |= {f"n:{own}:{name}" for name in names}
    return keys | (there_before ^ there)


def _keys(analysis: Analysis, side: TreeState, path: str) -> Mapping[str, str]:
    """Return the keys of what is stored of a file; none if nothing is."""
    if not is_parsed(side.rows.get(path)):
        return {}
    facts = side.edge_builder.essence(path)
    return {} if facts is None else analysis.keys_of(facts, side.own(path))


def _keys_of_nothing(analysis: Analysis, side: TreeState, path: str) -> Iterable[str]:
    """Return the keys that a file has by its path and namespace alone."""
    row = side.rows[path]
    module = Scope("module", -1, -1)
    empty = Facts(path, row.language, row.namespace, (), (module,), (), ((),), 0, "", 0)
    return analysis.keys_of(empty, side.own(path))


# --- Update: one attempt to bring the graph to what the tree is now.
#
# Everything is worked out first and written in one transaction: a kill at any moment leaves the
# graph as it was, and a reader never sees half of it.

_FIRST_NODE = 1
# Bytes of code that one program links: it keeps what files that others ask for mean, which takes
# some five times as much.
_LINKED_TOGETHER = 10_000_000


@attrs.frozen
class Updated:
    """What an update did: what was different, and the files that were parsed and linked."""

    differences: TreeDifferences
    rows: Mapping[str, FileRow]
    parsed: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()


class Update:
    """Compares the tree with the graph and writes the difference."""

    def __init__(
        self,
        store: Store,
        analysis: Analysis,
        workspace: Workspace,
        budget: TimeBudget,
        cache: WorkspaceCache,
    ) -> None:
        self._store = store
        self._analysis = analysis
        self._workspace = workspace
        self._budget = budget
        self._cache = cache
        with store.snapshot():
            self._state = load_state(store)
            self._known = cache.known(store, self._state)
            self._relation_ids = RelationIds(store)
        self._node_ids = NodeIds(store, self._state.get("next_node", _FIRST_NODE))
        self._definition = definition(analysis, workspace)
        self._is_anew = self._state.get("definition") != self._definition
        self._rows = dict(self._known)
        self._changes = Changes()
        self._faults: list[tuple[str, str]] = []
        self._steps = Steps(budget)

    def run(self) -> Updated | None:
        """Return what was done, or None if another process has written meanwhile.

        Raises BudgetExceeded.
        """
        differences = find_differences(
            self._store, self._workspace, self._known, self._cache.folders
        )
        suspects = differences.suspects
        if self._is_anew:
            suspects = tuple(sorted({*suspects, *self._still_watched(differences)}))
        self._steps.expected = 2 * len(suspects)
        self._steps.different = len(suspects) + len(differences.gone)
        self._gone = differences.gone
        if not (suspects or self._gone or self._is_anew):  # nothing to parse, nothing to link
            self._cache.keep(self._store, self._state, self._rows)
            return Updated(differences, self._rows)
        for row in differences.gone:
            del self._rows[row.path]
            self._changes.dropped_files.append(row.id)
        try:
            parsed, linked = self._work_out(self._look_into(differences, suspects))
        except FileChanged:
            return None
        is_changed = self._changes.is_worth_writing(self._known, stamps=self._budget.stamps)
        if is_changed or self._is_anew:
            if not self._store.write(self._write, derived=True):
                return None
            self._state = self._new_state()
        self._cache.keep(self._store, self._state, self._rows)
        return Updated(differences, self._rows, parsed, linked, tuple(self._faults))

    def _work_out(self, jobs: Iterable[Job]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the files that were parsed and those that were linked; note what is to be written.

        All facts are let go of with this: what is written needs as much memory again.
        """
        edge_builder = self._edge_builder(self._rows)
        parsed = tuple(self._parse(edge_builder, jobs))
        linked = self._link(edge_builder, sorted(self._to_link(edge_builder, parsed)))
        self._store_facts(edge_builder, frozenset(parsed))
        return parsed, linked

    def _edge_builder(self, rows: Mapping[str, FileRow]) -> EdgeBuilder:
        return EdgeBuilder(self._store, rows, self._workspace.base, self._analysis.extract)

    # -- files

    def _still_watched(self, differences: TreeDifferences) -> Iterator[str]:
        there = set(differences.listing.paths)
        return (path for path, row in self._known.items() if row.is_watched and path in there)

    def _look_into(self, differences: TreeDifferences, suspects: Iterable[str]) -> Iterator[Job]:
        """Yield what is to be parsed; note what became of the rest."""
        reader = Reader(self._workspace, differences.listing, self._analysis)
        for path in suspects:
            known = self._known.get(path)
            if known and self._is_anew:
                known = attrs.evolve(known, hash=None)
            seen = reader.read(path, known)
            self._steps.in_time()
            row = self._rows[path] = self._node_ids.file(seen.row)
            if seen.data is not None:
                self._steps.changed()
                yield seen.data, path, row.language
            else:
                self._keep(row)

    def _keep(self, row: FileRow) -> None:
        """Note a row of a file that has nothing new to say."""
        self._rows[row.path] = row
        known = self._known.get(row.path)
        if row != known:
            self._changes.files.append(row)
        if is_parsed(known) and not is_parsed(row):
            self._changes.emptied_files.append(row.id)

    def _parse(self, edge_builder: EdgeBuilder, jobs: Iterable[Job]) -> Iterator[str]:
        """Parse files, give their symbols nodes, and yield their paths."""
        processes = self._budget.processes if self._steps.expected > 2 * MIN_PARALLEL else 1
        for (data, path, _), parsed in parse_all(jobs, self._analysis.extract, processes=processes):
            self._steps.step()
            if parsed.facts is not None:
                self._take(edge_builder, data, parsed, parsed.facts)
                yield path
            else:
                row, why = self._rows[path], parsed.failure
                self._keep(attrs.evolve(row, status=FileStatus.FAILED, reason=why))

    def _take(self, edge_builder: EdgeBuilder, data: bytes, parsed: Parsed, facts: Facts) -> None:
        row = self._rows[facts.path]
        is_known = is_parsed(self._known.get(row.path))
        nodes = self._node_ids.symbols(row.id, parsed.symbols, self._changes, new=not is_known)
        row = self._rows[row.path] = attrs.evolve(
            row,
            namespace=parsed.namespace,
            lines=parsed.lines,
            errors=parsed.errors,
        )
        self._changes.files.append(row)
        edge_builder.put(facts, data, nodes, parsed.symbols if is_known else ())

    # -- edges

    def _to_link(self, edge_builder: EdgeBuilder, parsed: tuple[str, ...]) -> Iterable[str]:
        """Return the files whose edges may differ."""
        everything = (path for path, row in self._rows.items() if is_parsed(row))
        # A row alone may differ by the time of its file.
        touched = [row for row in self._changes.files if row.hash != self._hash_before(row)]
        touched += self._gone
        if self._is_anew or any(self._is_setting(row.path) for row in touched):
            return everything
        if self._workspace.flow:
            return () if self._changes.is_empty else everything
        after = TreeState(self._rows, edge_builder, self._own)
        before = TreeState(self._known, self._edge_builder(self._known), self._own)
        if (known := listed(self._known)) != self._listed:
            own = self._analysis.namespaces(known, self._texts)
            before = attrs.evolve(before, own=own)
        return invalidated(self._store, self._analysis, before, after, parsed)

    def _hash_before(self, row: FileRow) -> bytes | None:
        known = self._known.get(row.path)
        return known.hash if known else None

    def _is_setting(self, path: str) -> bool:
        return self._analysis.is_setting(path) or path in self._named_settings

    @cached_property
    def _named_settings(self) -> Collection[str]:
        return self._analysis.named_settings(self._texts)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return settings_texts(self._analysis, self._rows, self._workspace.base)

    @cached_property
    def _listed(self) -> list[tuple[str, str, str]]:
        return listed(self._rows)

    @cached_property
    def _own(self) -> Namespaces:
        """Return the namespace of each file as it is now; asked when all files are parsed."""
        return self._cache.namespaces(self._analysis, self._listed, self._texts)

    def _store_facts(self, edge_builder: EdgeBuilder, parsed: frozenset[str]) -> None:
        """Keep what others read of files: of those that are read now, or were before."""
        linked = self._changes.file_edges
        if not linked:
            return
        stored = {file for (file,) in self._store.all("codegraph.files_with_facts")}
        read: dict[str, int] = {}  # path or namespace to a file that reads it, 0 for several
        for file, file_edges in linked.items():
            for owner in file_edges.owners:
                read[owner] = file if read.get(owner, file) == file else 0
        for path in self._read_of(read, parsed):
            row = self._rows[path]
            by_others = any(read.get(name, row.id) != row.id for name in (path, self._own(path)))
            if path in parsed if row.id in stored else by_others:
                self._changes.facts.append((row.id, edge_builder.packed(path)))

    def _read_of(self, read: Iterable[str], fresh: Iterable[str]) -> set[str]:
        """Return the parsed files that are meant by paths and namespaces, and those in `fresh`."""
        rows = self._rows
        paths = {name for name in read if is_parsed(rows.get(name))}
        if spaces := {name for name in read if name and name not in rows}:
            shared = self._cache.shared(self._analysis, self._listed, self._texts)
            paths.update(path for path, space in shared if space in spaces)
        return {*paths, *fresh}

    def _link(self, edge_builder: EdgeBuilder, paths: list[str]) -> tuple[str, ...]:
        """Link files; return their paths."""
        if not paths:
            return ()
        self._steps.ahead(len(paths))
        edge_builder.own = frozenset(paths)
        parts = (self._listed, edge_builder.facts, edge_builder.named, self._texts)
        program = self._analysis.program(*parts)
        flow = program.flow() if self._workspace.flow else {}
        size = 0
        # What was parsed last is still at hand.
        for path in reversed(paths):
            self._steps.step()
            if size > _LINKED_TOGETHER:
                program.close()
                program, size = self._analysis.program(*parts), 0
            size += self._rows[path].size
            try:
                resolved = program.resolve(path)
                more = flow.get(path, ())
                edges = edge_builder.file_edges(path, resolved, more, self._relation_ids.id)
            except (FileChanged, StoreError):
                raise
            except Exception as error:  # noqa: BLE001 - one file must not cost all others
                self._faults.append((path, f"not linked: {type(error).__name__}: {error}"[:200]))
                continue
            self._changes.file_edges[self._rows[path].id] = edges
        program.close()
        return tuple(paths)

    # -- writing

    def _write(self) -> bool:
        """Write the difference, unless another process has been faster."""
        if load_state(self._store) != self._state:
            return False
        first_new = self._state.get("next_node", _FIRST_NODE)
        write(self._store, self._changes, self._relation_ids, first_new)
        if first_new == _FIRST_NODE or len(self._changes.file_edges) > MIN_PARALLEL:
            pack(self._store)
        self._store.run_many(
            "codegraph.set_state",
            (
                {"name": name, "value": json.dumps(value)}
                for name, value in self._new_state().items()
            ),
        )
        return True

    def _new_state(self) -> dict[str, object]:
        workspace = self._workspace
        return {
            "root": relative(workspace.base, self._store.path.parent),
            "prefix": workspace.prefix,
            "languages": None if workspace.languages is None else sorted(workspace.languages),
            "flow": workspace.flow,
            "definition": self._definition,
            "next_node": self._node_ids.next,
            "generation": self._state.get("generation", 0) + 1,
        }


# --- Indexer: full and incremental updates of one store's graph.
#
# What others can read of a file has keys; each file's edges are kept with the keys they were made
# from. After an edit exactly the files that read a changed key are linked anew, so the result is
# that of a full index.

# How often an update begins anew because another process was faster.
_ATTEMPTS = 4


@attrs.frozen
class IndexReport:
    """What an update did.

    Attributes:
        files: files in the graph.
        parsed, linked, dropped: files that were parsed, linked anew, and are no longer there.
        symbols, edges: how many the graph holds.
        left_out: number of files and folders by the reason why they are not read, the commonest
            first.
        failed: path and reason of each file that should have been read and could not be.
        notes: what else a reader should know.
    """

    files: int
    parsed: int = 0
    linked: int = 0
    dropped: int = 0
    symbols: int = 0
    edges: int = 0
    left_out: Mapping[str, int] = attrs.field(factory=dict)
    failed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


class Indexer:
    """Writes the code graph of one store."""

    def __init__(self, store: Store, analysis: Callable[[], Analysis] = default_analysis) -> None:
        self._store = store
        self._analysis = analysis
        self._cache = WorkspaceCache()

    def update(self, workspace: Workspace, budget: TimeBudget) -> IndexReport:
        """Bring the graph to what the tree is now, whatever was seen before; return what was done.

        Raises BudgetExceeded when the time allowed is over; then nothing is written.
        """
        self._cache = WorkspaceCache()
        done = self._followed(workspace, budget)
        anchor_late(self._store)
        return self._report(done)

    def follow(self, workspace: Workspace, budget: TimeBudget) -> Updated:
        """Do the same without counting what the graph holds then."""
        done = self._followed(workspace, budget)
        if done.parsed:
            anchor_late(self._store, done.parsed)
        return done

    def _followed(self, workspace: Workspace, budget: TimeBudget) -> Updated:
        with gc_pause.paused():
            for _ in range(_ATTEMPTS):
                done = Update(self._store, self._analysis(), workspace, budget, self._cache).run()
                if done is not None:
                    return done
        raise StoreBusy(f"{self._store.path}: others keep indexing it; try again later")

    def differing(self, workspace: Workspace) -> TreeDifferences:
        """Return what differs from the graph; files that one look leaves open are read."""
        known = known_files(self._store)
        differences = find_differences(self._store, workspace, known)
        base = workspace.base
        changed = (
            path
            for path in differences.suspects
            if path not in known or indexed_text(base, known[path]) is None
        )
        return attrs.evolve(differences, suspects=tuple(changed))

    def _report(self, done: Updated) -> IndexReport:
        rows = done.rows.values()
        symbols, edges = self._store.first("codegraph.sizes") or (0, 0)
        failed = [(row.path, row.reason or "") for row in rows if row.status == FileStatus.FAILED]
        skipped = Counter(row.reason or "" for row in rows if row.status == FileStatus.SKIPPED)
        return IndexReport(
            files=len(done.rows),
            parsed=len(done.parsed),
            linked=len(done.linked),
            dropped=len(done.differences.gone),
            symbols=symbols,
            edges=edges,
            left_out=dict(skipped.most_common()),
            failed=tuple(sorted(failed)) + done.faults,
            notes=tuple(note for note in (done.differences.listing.note,) if note),
        )

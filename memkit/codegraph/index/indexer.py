"""Indexer: full and incremental update within a time budget, and what to resolve again."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ... import gc_pause
from ...errors import StoreBusy, StoreError
from ...validation import Progress
from ..analysis import FEW, Analysis, Job, Parsed, default_analysis, parse_all
from ..facts import Facts, Scope
from ..query.anchor_check import settle
from ..records import FileStatus
from .edge_builder import Forest, Outdated, key_hash, pack_runs, readers
from .files import Content, read
from .workspace import (
    Extent,
    FileRow,
    Memory,
    Namespaces,
    Reader,
    Survey,
    definition,
    known_files,
    load_state,
    look_around,
    relative,
)
from .writer import Changes, Numbering, Words, pack, stored_symbols, write

if TYPE_CHECKING:
    from ...store.store import Store


# --- How an update goes about its work, and when it gives up.


class TooLate(Exception):
    """The time allowed is over; nothing was written. Its argument: files that have changed."""


@attrs.frozen
class Pace:
    """How an update goes about its work.

    Attributes:
        progress: called with the steps done and their number.
        seconds: after which it gives up, counted from the first file on: before it modules and
            grammars are loaded, once in a process. None: never.
        most: changed files above which it gives up; None: any number. Files that only look changed
            (a fresh clone) do not count.
        processes: how many may parse side by side.
        stamps: whether the file is also written when all that has changed are times of files: a
            question leaves a committed file as it is, an index spares the next one work.
    """

    progress: Progress | None = None
    seconds: float | None = None
    most: int | None = None
    processes: int = 1
    stamps: bool = True


class Steps:
    """Counts what one update does, tells of it, and ends it when its pace is not kept.

    Attributes:
        expected: steps that there will be, as far as that is known.
        different: files that have changed, for the error.
    """

    def __init__(self, pace: Pace) -> None:
        self.expected = self.different = 0
        self._pace = pace
        self._done = self._changed = 0
        self._begun = 0.0

    def ahead(self, count: int) -> None:
        """Expect so many steps more, if that is more than was expected."""
        self.expected = max(self.expected, self._done + count)

    def step(self) -> None:
        """Count one step; raises TooLate."""
        self._done += 1
        self.in_time()
        if self._pace.progress:
            self._pace.progress(self._done, max(self.expected, self._done))

    def changed(self) -> None:
        """Count one file that is to be parsed; raises TooLate."""
        self._changed += 1
        if self._pace.most is not None and self._changed > self._pace.most:
            raise TooLate(self.different)

    def in_time(self) -> None:
        """Raise TooLate when the time allowed is over."""
        if self._pace.seconds is None:
            return
        if not self._begun:
            self._begun = time.monotonic()
        elif time.monotonic() - self._begun > self._pace.seconds:
            raise TooLate(self.different)


# --- Which files have to be linked anew after an update: those that read what has changed.

Rows = Mapping[str, FileRow]


@attrs.frozen
class Side:
    """A tree before or after an update: its files, what they say, and their namespaces."""

    rows: Rows
    forest: Forest
    own: Namespaces


def affected(
    store: Store, analysis: Analysis, before: Side, after: Side, parsed: Iterable[str]
) -> set[str]:
    """Return the files whose edges may differ, those that were parsed in between included."""
    now = after.rows
    touched = {*parsed, *(p for p, row in before.rows.items() if _is_lost(row, now.get(p)))}
    keys: set[str] = set()
    for path in touched:
        keys |= _changed_keys(store, analysis, before, after, path)
    hashes = frozenset(map(key_hash, keys))
    files = readers(store.all("codegraph.reads"), hashes)
    touched.update(path for path, row in now.items() if row.id in files)
    return {path for path in touched if is_parsed(now.get(path))}


def is_setting(analysis: Analysis, path: str) -> bool:
    """Whether a file decides what imports mean."""
    return path.rpartition("/")[2] in analysis.config_files


def settings_texts(analysis: Analysis, rows: Rows, base: Path) -> dict[str, str]:
    """Return the texts of the files that decide what imports mean, by path."""
    texts = {}
    names = tuple(analysis.config_files)
    for path in [path for path in rows if path.endswith(names) and is_setting(analysis, path)]:
        try:
            texts[path] = (base / path).read_text("utf-8", "replace")
        except OSError:
            continue  # gone since it was listed; the next survey notices
    return texts


def listed(rows: Rows) -> list[tuple[str, str, str]]:
    """Return path, language and namespace of every parsed file, sorted."""
    parsed = FileStatus.PARSED
    found = [row for row in rows.values() if row.status == parsed]
    return sorted((row.path, row.language, row.namespace) for row in found)


def is_parsed(row: FileRow | None) -> bool:
    """Whether a file takes part in the graph."""
    return row is not None and row.status == FileStatus.PARSED


def _is_lost(before: FileRow, after: FileRow | None) -> bool:
    return before is not after and is_parsed(before) and not is_parsed(after)


def _changed_keys(
    store: Store, analysis: Analysis, before: Side, after: Side, path: str
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
    store: Store, analysis: Analysis, before: Side, after: Side, path: str
) -> set[str]:
    """Return the keys of a file that changed but that nobody has read.

    Others know at most that it is there, and its names, where one was looked for in the whole tree.
    """
    there_before = set(_keys_of_nothing(analysis, before, path))
    there = (
        set(_keys_of_nothing(analysis, after, path)) if is_parsed(after.rows.get(path)) else set()
    )
    sorts = {number: (kind, flags) for number, kind, flags in store.all("codegraph.sorts")}
    old = {
        (row[4], identity, *sorts[row[3]], row[7])
        for identity, row in stored_symbols(store, before.rows[path].id).items()
    }
    new = {
        (draft.name, draft.identity, draft.kind, draft.flags, draft.digest)
        for draft in after.forest.symbols(path)
    }
    names = {found[0] for found in old ^ new}
    keys = {analysis.name_key(name) for name in names}
    for side in (before, after):
        # Where several files are one namespace, a name that nobody had was looked for in all.
        if is_parsed(side.rows.get(path)) and (own := side.own(path)) != path:
            keys |= {analysis.member_key(own, name) for name in names}
    return keys | (there_before ^ there)


def _keys(analysis: Analysis, side: Side, path: str) -> Mapping[str, str]:
    """Return the keys of what is stored of a file; none if nothing is."""
    if not is_parsed(side.rows.get(path)):
        return {}
    facts = side.forest.essence(path)
    return {} if facts is None else analysis.keys_of(facts, side.own(path))


def _keys_of_nothing(analysis: Analysis, side: Side, path: str) -> Iterable[str]:
    """Return the keys that a file has by its path and namespace alone."""
    row = side.rows[path]
    module = Scope("module", -1, -1)
    empty = Facts(path, row.language, row.namespace, (), (module,), (), ((),), 0, "", 0)
    return analysis.keys_of(empty, side.own(path))


# --- One attempt to bring the graph to what the tree is now.
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

    survey: Survey
    rows: Mapping[str, FileRow]
    parsed: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()
    faults: tuple[tuple[str, str], ...] = ()


class Update:
    """Compares the tree with the graph and writes the difference."""

    def __init__(
        self, store: Store, analysis: Analysis, extent: Extent, pace: Pace, memory: Memory
    ) -> None:
        self._store = store
        self._analysis = analysis
        self._extent = extent
        self._pace = pace
        self._memory = memory
        with store.snapshot():
            self._state = load_state(store)
            self._known = memory.known(store, self._state)
            self._words = Words(store)
        self._numbering = Numbering(store, self._state.get("next_node", _FIRST_NODE))
        self._definition = definition(analysis, extent)
        self._is_anew = self._state.get("definition") != self._definition
        self._rows = dict(self._known)
        self._changes = Changes()
        self._faults: list[tuple[str, str]] = []
        self._steps = Steps(pace)

    def run(self) -> Updated | None:
        """Return what was done, or None if another process has written meanwhile.

        Raises TooLate.
        """
        found = look_around(self._store, self._extent, self._known, self._memory.folders)
        suspects = found.suspects
        if self._is_anew:
            suspects = tuple(sorted({*suspects, *self._still_watched(found)}))
        self._steps.expected = 2 * len(suspects)
        self._steps.different = len(suspects) + len(found.gone)
        self._gone = found.gone
        for row in found.gone:
            del self._rows[row.path]
            self._changes.dropped_files.append(row.id)
        try:
            parsed, linked = self._work_out(self._look_into(found, suspects))
        except Outdated:
            return None
        wanted = self._changes.tell(self._known, stamps=self._pace.stamps)
        if wanted or self._is_anew:
            if not self._store.write(self._write, derived=True):
                return None
            self._state = self._new_state()
        self._memory.keep(self._store, self._state, self._rows)
        return Updated(found, self._rows, parsed, linked, tuple(self._faults))

    def _work_out(self, jobs: Iterable[Job]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the files that were parsed and those that were linked; note what is to be written.

        All facts are let go of with this: what is written needs as much memory again.
        """
        forest = self._forest(self._rows)
        parsed = tuple(self._parse(forest, jobs))
        linked = self._link(forest, sorted(self._to_link(forest, parsed)))
        self._store_facts(forest, frozenset(parsed))
        return parsed, linked

    def _forest(self, rows: Mapping[str, FileRow]) -> Forest:
        return Forest(self._store, rows, self._extent.base, self._analysis.extract)

    # -- files

    def _still_watched(self, found: Survey) -> Iterator[str]:
        there = set(found.listing.paths)
        return (path for path, row in self._known.items() if row.is_watched and path in there)

    def _look_into(self, found: Survey, suspects: Iterable[str]) -> Iterator[Job]:
        """Yield what is to be parsed; note what became of the rest."""
        reader = Reader(
            self._extent.base,
            found.listing,
            self._analysis.dialect_of,
            languages=self._extent.languages,
            settings=self._analysis.config_files,
        )
        for path in suspects:
            known = self._known.get(path)
            if known and self._is_anew:
                known = attrs.evolve(known, hash=None)
            seen = reader.read(path, known)
            self._steps.in_time()
            row = self._rows[path] = self._numbering.file(seen.row)
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

    def _parse(self, forest: Forest, jobs: Iterable[Job]) -> Iterator[str]:
        """Parse files, give their symbols nodes, and yield their paths."""
        processes = self._pace.processes if self._steps.expected > 2 * FEW else 1
        for (data, path, _), parsed in parse_all(jobs, self._analysis.extract, processes=processes):
            self._steps.step()
            if parsed.facts is not None:
                self._take(forest, data, parsed, parsed.facts)
                yield path
            else:
                row, why = self._rows[path], parsed.failure
                self._keep(attrs.evolve(row, status=FileStatus.FAILED, reason=why))

    def _take(self, forest: Forest, data: bytes, parsed: Parsed, facts: Facts) -> None:
        row = self._rows[facts.path]
        is_known = is_parsed(self._known.get(row.path))
        nodes = self._numbering.symbols(
            row.id, parsed.symbols, self._words, self._changes, new=not is_known
        )
        row = self._rows[row.path] = attrs.evolve(
            row,
            namespace=parsed.namespace,
            lines=parsed.lines,
            errors=parsed.errors,
            nodes=pack_runs(nodes),
        )
        self._changes.files.append(row)
        forest.put(facts, data, nodes, parsed.symbols if is_known else ())

    # -- edges

    def _to_link(self, forest: Forest, parsed: tuple[str, ...]) -> Iterable[str]:
        """Return the files whose edges may differ."""
        everything = (path for path, row in self._rows.items() if is_parsed(row))
        touched = (*self._changes.files, *self._gone)
        if self._is_anew or any(is_setting(self._analysis, row.path) for row in touched):
            return everything
        if self._extent.flow:
            return () if self._changes.is_empty else everything
        after = Side(self._rows, forest, self._own)
        before = Side(self._known, self._forest(self._known), self._own)
        if (known := listed(self._known)) != self._listed:
            own = self._analysis.namespaces(known, self._texts)
            before = attrs.evolve(before, own=own)
        return affected(self._store, self._analysis, before, after, parsed)

    @cached_property
    def _texts(self) -> dict[str, str]:
        return settings_texts(self._analysis, self._rows, self._extent.base)

    @cached_property
    def _listed(self) -> list[tuple[str, str, str]]:
        return listed(self._rows)

    @cached_property
    def _own(self) -> Namespaces:
        """Return the namespace of each file as it is now; asked when all files are parsed."""
        return self._memory.namespaces(self._analysis, self._listed, self._texts)

    def _store_facts(self, forest: Forest, parsed: frozenset[str]) -> None:
        """Keep what others read of files: of those that are read now, or were before."""
        linked = self._changes.linked
        if not linked:
            return
        stored = {file for (file,) in self._store.all("codegraph.files_with_facts")}
        read: dict[str, int] = {}  # path or namespace to a file that reads it, 0 for several
        for file, found in linked.items():
            for owner in found.owners:
                read[owner] = file if read.get(owner, file) == file else 0
        for path in self._read_of(read, parsed):
            row = self._rows[path]
            by_others = any(read.get(name, row.id) != row.id for name in (path, self._own(path)))
            if path in parsed if row.id in stored else by_others:
                self._changes.facts.append((row.id, forest.packed(path)))

    def _read_of(self, read: Iterable[str], fresh: Iterable[str]) -> set[str]:
        """Return the parsed files that are meant by paths and namespaces, and those in `fresh`."""
        rows = self._rows
        paths = {name for name in read if is_parsed(rows.get(name))}
        if spaces := {name for name in read if name and name not in rows}:
            shared = self._memory.shared(self._analysis, self._listed, self._texts)
            paths.update(path for path, space in shared if space in spaces)
        return {*paths, *fresh}

    def _link(self, forest: Forest, paths: list[str]) -> tuple[str, ...]:
        """Link files; return their paths."""
        if not paths:
            return ()
        self._steps.ahead(len(paths))
        forest.own = frozenset(paths)
        parts = (self._listed, forest.facts, forest.named, self._texts)
        program = self._analysis.program(*parts)
        flow = program.flow() if self._extent.flow else {}
        size = 0
        # What was parsed last is still at hand.
        for path in reversed(paths):
            self._steps.step()
            if size > _LINKED_TOGETHER:
                del program
                program, size = self._analysis.program(*parts), 0
            size += self._rows[path].size
            try:
                resolved = program.resolve(path)
                more = flow.get(path, ())
                linked = forest.linked(path, resolved, more, self._words.relation)
            except (Outdated, StoreError):
                raise
            except Exception as error:  # noqa: BLE001 - one file must not cost all others
                self._faults.append((path, f"not linked: {type(error).__name__}: {error}"[:200]))
                continue
            self._changes.linked[self._rows[path].id] = linked
        return tuple(paths)

    # -- writing

    def _write(self) -> bool:
        """Write the difference, unless another process has been faster."""
        if load_state(self._store) != self._state:
            return False
        write(self._store, self._changes, self._words, self._state.get("next_node", _FIRST_NODE))
        if len(self._changes.linked) > FEW:
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
        extent = self._extent
        return {
            "root": relative(extent.base, self._store.path.parent),
            "prefix": extent.prefix,
            "languages": None if extent.languages is None else sorted(extent.languages),
            "flow": extent.flow,
            "definition": self._definition,
            "next_node": self._numbering.next,
            "generation": self._state.get("generation", 0) + 1,
        }


# --- Keeping the graph in step with the tree: all of it, or what has changed since.
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
        left_out: number of files and folders by the reason why they are not read.
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
        self._memory = Memory()

    def update(self, extent: Extent, pace: Pace) -> IndexReport:
        """Bring the graph to what the tree is now, whatever was seen before; return what was done.

        Raises TooLate when the time allowed is over; then nothing is written.
        """
        self._memory = Memory()
        done = self._followed(extent, pace)
        settle(self._store)
        return self._report(done)

    def follow(self, extent: Extent, pace: Pace) -> Updated:
        """Do the same without counting what the graph holds then."""
        done = self._followed(extent, pace)
        if done.parsed:
            settle(self._store, done.parsed)
        return done

    def _followed(self, extent: Extent, pace: Pace) -> Updated:
        with gc_pause.paused():
            for _ in range(_ATTEMPTS):
                done = Update(self._store, self._analysis(), extent, pace, self._memory).run()
                if done is not None:
                    return done
        raise StoreBusy(f"{self._store.path}: others keep indexing it; try again later")

    def differing(self, extent: Extent) -> Survey:
        """Return what differs from the graph; files that one look leaves open are read."""
        known = known_files(self._store)
        found = look_around(self._store, extent, known)
        changed = (path for path in found.suspects if not _is_same(extent, known.get(path)))
        return attrs.evolve(found, suspects=tuple(changed))

    def _report(self, done: Updated) -> IndexReport:
        rows = done.rows.values()
        symbols, edges = self._store.first("codegraph.sizes") or (0, 0)
        failed = [(row.path, row.reason or "") for row in rows if row.status == FileStatus.FAILED]
        return IndexReport(
            files=len(done.rows),
            parsed=len(done.parsed),
            linked=len(done.linked),
            dropped=len(done.survey.gone),
            symbols=symbols,
            edges=edges,
            left_out=reasons(row.reason for row in rows if row.status == FileStatus.SKIPPED),
            failed=tuple(sorted(failed)) + done.faults,
            notes=tuple(note for note in (done.survey.listing.note,) if note),
        )


def _is_same(extent: Extent, row: FileRow | None) -> bool:
    if row is None or row.hash is None:
        return False
    content = read(os.path.join(extent.base, row.path))  # noqa: PTH118 - as everywhere here
    return isinstance(content, Content) and content.hash == row.hash


def reasons(found: Iterable[str | None]) -> dict[str, int]:
    """Return how often each reason occurs, the commonest first."""
    return dict(Counter(reason or "" for reason in found).most_common())

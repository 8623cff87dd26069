"""One attempt to bring the graph to what the tree is now.

Everything is worked out first and written in one transaction: a kill at any moment leaves the
graph as it was, and a reader never sees half of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import attrs

from ..errors import StoreError
from .analysis import Analysis
from .extent import (
    Extent,
    Memory,
    Namespaces,
    definition,
    load_state,
    look_around,
    relative,
)
from .facts import Facts
from .kinds import FileStatus
from .linking import Forest, Outdated, pack_runs
from .pacing import Pace, Steps
from .parsing import FEW, Job, Parsed, parse_all
from .relinking import Side, affected, is_parsed, is_setting, listed, settings_texts
from .survey import FileRow, Reader, Survey
from .writing import Changes, Numbering, Words, pack, write

if TYPE_CHECKING:
    from ..store.store import Store

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

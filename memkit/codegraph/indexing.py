"""Keeping the graph in step with the tree: all of it, or what has changed since.

What others can read of a file has keys; each file's edges are kept with the keys they were made
from. After an edit exactly the files that read a changed key are linked anew, so the result is
that of a full index.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from .. import gc_pause
from ..errors import StoreBusy
from .analysis import Analysis, default_analysis
from .extent import Extent, Memory, known_files, look_around
from .kinds import FileStatus
from .pacing import Pace
from .scanning import Content, read
from .settling import settle
from .survey import FileRow, Survey
from .updating import Update, Updated

if TYPE_CHECKING:
    from ..store.store import Store

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
        symbols, edges = self._store.one("codegraph.sizes") or (0, 0)
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

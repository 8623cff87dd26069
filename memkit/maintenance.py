"""Integrity check, retention (trim), statistics over all packages."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from . import validation
from .errors import InvalidInput, StoreError
from .frozen import frozen
from .store import schema, timestamps
from .store.ids import first_id
from .store.store import TIDIED, TIDY_SECONDS, set_local_setting, was_noted

if TYPE_CHECKING:
    from .episodes.results import EpisodeStats
    from .memories.search_index import Index, VectorState
    from .store.integrity import CheckReport
    from .store.store import Store


# --- Integrity check and retention over all parts of the file.

# Days after which what was done goes: co-edits are weighed with a half-life of half a year, and
# what is older than that tells next to nothing of how one works today.
DAYS = 180
# Rows removed in one transaction, so that nobody waits long.
BATCH = 2_000
# How often a kit that closes removes so many: one that was open for weeks has recorded more than
# a batch, and the next one as well.
_ROUNDS = 10


class RetentionLimit(NamedTuple):
    """Limit of a table of this machine: its newest rows stay.

    Attributes:
        query: removes the rest. rows: so many. days: no longer than this, whatever is asked for;
            None: of any age. by_id: whether a row's age is that of its id, when it came into this
            file; else it is the time that it holds.
    """

    query: str
    rows: int
    days: float | None = math.inf
    by_id: bool = True


# At half a kilobyte a row (seed 000) 25 MB of calls; 1,000 snapshots are 10 MB. A session that
# goes on after a month may be told again. Shared rows are never trimmed, other local ones are few.
RETENTION: Mapping[str, RetentionLimit] = {
    "tool_executions": RetentionLimit("maintenance.trim_tool_executions", 50_000),
    "file_interactions": RetentionLimit("maintenance.trim_file_interactions", 50_000),
    "context_snapshots": RetentionLimit("maintenance.trim_context_snapshots", 1_000),
    "predictions": RetentionLimit("maintenance.trim_predictions", 20_000),
    "surfaced": RetentionLimit("maintenance.trim_surfaced", 50_000, days=30, by_id=False),
    "surfaced_global": RetentionLimit(
        "maintenance.trim_surfaced_global", 50_000, days=30, by_id=False
    ),
    "surfaced_items": RetentionLimit(
        "maintenance.trim_surfaced_items", 50_000, days=30, by_id=False
    ),
    "removed_spans": RetentionLimit("maintenance.trim_removed_spans", 5_000, by_id=False),
    "session_contexts": RetentionLimit("maintenance.trim_session_contexts", 1_000, by_id=False),
    "context_items": RetentionLimit("maintenance.trim_context_items", 20_000, by_id=False),
    "transcript_entries": RetentionLimit(
        "maintenance.trim_transcript_entries", 50_000, by_id=False
    ),
    "gaps": RetentionLimit("maintenance.trim_gaps", 1_000, by_id=False),
    "audit": RetentionLimit("maintenance.trim_audit", 50_000, days=None),
    # With its changeset a run over 10,000 memories is some megabytes at most.
    "consolidation_runs": RetentionLimit("maintenance.trim_consolidation_runs", 50),
}


@frozen
class TrimReport:
    """Result of a trim: rows removed, by table."""

    rows: Mapping[str, int]


def check(
    store: Store, index: Index, *, repair: bool, progress: validation.Progress | None = None
) -> CheckReport:
    """Return what is wrong in any part of the file; see Memkit.check."""
    # Imported here: hooks tidy up, and need nothing of it.
    from .codegraph.index import writer as codegraph
    from .consolidation import clusters
    from .context import backend as context
    from .episodes import integrity as episodes
    from .memories import integrity as memories
    from .store.integrity import CheckReport

    validation.boolean(repair, name="repair")
    step = validation.callback(progress, name="progress")
    report = memories.check(store, index, repair=repair, progress=step)
    if any(problem.name == "integrity" for problem in report.problems):
        return report
    others = (part.check(store, repair=repair) for part in (codegraph, episodes, context, clusters))
    return CheckReport((*report.problems, *(problem for part in others for problem in part)))


def trim(
    store: Store, *, days: float = DAYS, max_rows: Mapping[str, int] | None = None
) -> TrimReport:
    """Remove rows of this machine alone that are old or too many; see Memkit.trim."""
    own_limits = validation.optional(validation.mapping, max_rows, name="max_rows") or {}
    limits = {table: bound.rows for table, bound in RETENTION.items()}
    for table, rows in own_limits.items():
        if table not in RETENTION:
            raise InvalidInput(
                f"max_rows: {validation.shown(table)} is no table that is trimmed; give one of "
                f"{', '.join(RETENTION)}"
            )
        limits[table] = validation.integer(rows, name=f"max_rows: {table}", minimum=0)
    is_number = isinstance(days, int | float) and not isinstance(days, bool)
    if not (is_number and days > 0):
        raise InvalidInput(f"days: found {validation.shown(days)}, expected a number above 0")
    _close_silent_sessions(store)
    _learn_from_what_goes(store, days, limits)
    store.write(lambda: _count_tasks(store, days, limits))
    return TrimReport({table: _trim(store, table, days, rows) for table, rows in limits.items()})


def tidy(store: Store) -> None:
    """Remove what is old or too many, unless another process is writing or it is very much."""
    limits = {table: bound.rows for table, bound in RETENTION.items()}

    def once() -> int:
        if not was_noted(store, TIDIED, within=TIDY_SECONDS):
            set_local_setting(store, TIDIED, store.now())
        _count_tasks(store, DAYS, limits)
        return max(_remove(store, table, DAYS, rows) for table, rows in limits.items())

    if not store.readonly:
        with suppress(StoreError), store.hurried():
            _close_silent_sessions(store)
            _learn_from_what_goes(store, DAYS, limits)
            for _ in range(_ROUNDS):
                if store.write(once) < BATCH:
                    break


def _trim(store: Store, table: str, days: float, rows: int) -> int:
    removed = 0
    while True:
        count = store.write(lambda: _remove(store, table, days, rows))
        removed += count
        if count < BATCH:
            return removed


def _remove(store: Store, table: str, days: float, rows: int) -> int:
    """Remove a batch of a table; inside `write`."""
    bound = RETENTION[table]
    oldest = 0.0 if bound.days is None else _second_before(store, min(days, bound.days))
    before = first_id(oldest) if bound.by_id else timestamps.from_epoch(oldest)
    return store.run(bound.query, before=before, max_rows=rows, batch=BATCH)


def _count_tasks(store: Store, days: float, limits: Mapping[str, int]) -> None:
    """Let tasks keep the files and tools of what goes now; inside `write`."""
    if _is_due(store, days, limits):
        store.run("episodes.count_tasks")


def _close_silent_sessions(store: Store) -> None:
    """Close sessions that were killed."""
    from .episodes.recording.writer import SILENCE, Writer

    before = timestamps.from_epoch(max(store.clock() - SILENCE, 0))
    if store.all("episodes.silent_sessions", before=before):
        store.write(lambda: Writer(store).close_silent(store.clock()))


def _learn_from_what_goes(store: Store, days: float, limits: Mapping[str, int]) -> None:
    """Learn from the tasks that ended before calls of theirs are removed."""
    if not _is_due(store, days, limits):
        return
    from .episodes.pattern_mining import Learner
    from .episodes.patterns import Patterns

    for (project,) in store.all("maintenance.session_projects"):
        Learner(store, Patterns(store, project=project), project=project).learn()


def _is_due(store: Store, days: float, limits: Mapping[str, int]) -> bool:
    before = first_id(_second_before(store, days))
    calls, files = limits["tool_executions"], limits["file_interactions"]
    return bool(store.value("maintenance.is_due", before=before, calls=calls, files=files))


def _second_before(store: Store, days: float) -> float:
    return max(store.clock() - days * 86400, 0)


# --- `kit.stats()`: figures of all parts of the file.


@frozen
class MemoryStats:
    """Number of memories, and the tokens of all of them."""

    total: int
    active: int
    superseded: int
    pinned: int
    tokens: int


@frozen
class CodeStats:
    """Size of the code graph."""

    symbols: int
    edges: int


@frozen
class Stats:
    """Numbers about a file.

    Attributes:
        path: its name. bytes: its size. schema: number of its last permanent step.
        kinds: memories of each. tags: how many there are.
        token_counter: what tokens are counted by. last_scrub: UTC text; None if there was none.
    """

    path: str
    bytes: int
    schema: int
    memories: MemoryStats
    kinds: Mapping[str, int]
    tags: int
    open_contradictions: int
    code: CodeStats
    token_counter: str
    last_scrub: str | None
    vectors: VectorState
    episodes: EpisodeStats


def stats(store: Store, index: Index, episodes: EpisodeStats) -> Stats:
    """Return numbers about the file; `episodes` are those of what was done."""
    # Imported here: hooks tidy up, and need nothing of it.
    from . import tokens
    from .memories import scrub

    return Stats(
        path=store.path.name,
        bytes=os.stat(store.path).st_size,
        schema=schema.reference().version,
        memories=MemoryStats(**store.records("memories.counts")[0]),
        kinds=dict(store.all("memories.counts_by_kind")),
        tags=store.value("memories.count_tags"),
        open_contradictions=store.value("memories.count_open_contradictions"),
        code=CodeStats(**store.records("codegraph.sizes")[0]),
        token_counter=tokens.TokenCounter().name,
        last_scrub=scrub.last_success(store),
        vectors=index.vector_state(),
        episodes=episodes,
    )

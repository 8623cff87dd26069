"""Stores of a given size, filled as an agent would, and what filling them costs beside bare SQL."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import attrs

import memkit

from . import texts
from .scoring import middle

# Statements that are remembered together in one call.
_CALL = 10_000
# Relations between memories that nothing else makes, so that there are about three edges a memory:
# one `next`, one tag on average, one of these.
_RELATED = 1.0
_SINGLES = 40
_BARE = "bare.db"

_TABLE = """
create table bare (
    id integer primary key, text text, kind text, scope text, project text, source text,
    created_at text, updated_at text, tokens integer, content_hash text
)
"""
_PICK = """
select id, text, kind, scope, project, source, created_at, updated_at, tokens, content_hash
from memories order by id desc limit ?
"""
_ROW = "insert into bare values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


@attrs.frozen
class Filled:
    """A store that was filled.

    Attributes:
        path: the file. texts: what was remembered.
        ops_s: memories a second by `remember_many`; cpu_ops_s: the same by processor time, which
            other programs on the machine disturb less.
        bare_ops_s: rows a second of a plain table. bare_bytes: the size of its file.
    """

    path: Path
    texts: Sequence[str]
    ops_s: float
    cpu_ops_s: float
    bare_ops_s: float
    bare_bytes: int


@attrs.frozen
class Singles:
    """Seconds of one durable write: by `remember`, and bare."""

    own: float
    bare: float


def fill(path: Path, count: int, *, source: texts.Source) -> Filled:
    """Fill a new store with `count` made-up memories and about three edges each."""
    made = list(texts.memories(source, count, seed=1))
    drafts = [memkit.Draft(item.text, tags=item.tags) for item in made]
    ids: list[int] = []
    spent = busy = 0.0
    with memkit.open(path, global_store=False) as kit:
        # The model is loaded once per process; that belongs to the first recall, not to this.
        kit.memories.remember("Warm.")
        for start in range(0, count, _CALL):
            before, busy_before = time.perf_counter(), time.process_time()
            stored = kit.memories.remember_many(drafts[start : start + _CALL], chain=True)
            spent += time.perf_counter() - before
            busy += time.process_time() - busy_before
            ids += [done.id for done in stored]
        _relate(kit, ids)
    bare_ops_s, bare_bytes = _bare_bulk(path)
    return Filled(
        path=path,
        texts=[item.text for item in made],
        ops_s=count / spent,
        cpu_ops_s=count / busy,
        bare_ops_s=bare_ops_s,
        bare_bytes=bare_bytes,
    )


def singles(filled: Filled, *, source: texts.Source) -> Singles:
    """Return what one `remember` takes, and one durable insert of the same row; medians.

    The two take turns, so that both see the same disk.
    """
    own: list[float] = []
    bare: list[float] = []
    beside = _bare_table(filled.path)
    with memkit.open(filled.path, global_store=False) as kit:
        kit.memories.remember("Warm again.")
        for number, item in enumerate(texts.memories(source, _SINGLES, seed=9)):
            draft = memkit.Draft(f"{item.text} ({number})", tags=item.tags)
            own.append(_seconds(partial(kit.memories.remember_many, [draft])))
            rows = _rows(filled.path, limit=1)
            bare.append(_seconds(partial(_insert, beside, rows)))
    beside.close()
    return Singles(middle(own), middle(bare))


def _relate(kit: memkit.Memkit, ids: Sequence[int]) -> None:
    """Relate memories to earlier ones at random, nearer ones more often."""
    rng = random.Random(3)
    at = kit._store.now()

    def rows() -> Iterator[dict[str, object]]:
        for place in range(1, len(ids)):
            if rng.random() < _RELATED:
                back = min(place, int(rng.paretovariate(0.5)))
                ends = {"src": ids[place], "dst": ids[place - back]}
                yield {**ends, "kind": "relates_to", "weight": round(rng.random(), 2), "at": at}

    kit._store.write(lambda: kit._store.run_many("memories.add_edge", rows()))


def _bare_bulk(path: Path) -> tuple[float, int]:
    """Return rows a second of inserting the store's own rows, a thousand to a transaction, and
    the size of the file in bytes."""
    rows = _rows(path)
    connection = _bare_table(path)

    def insert() -> None:
        for start in range(0, len(rows), 1000):
            _insert(connection, rows[start : start + 1000])

    spent = _seconds(insert)
    connection.close()
    return len(rows) / spent, path.with_name(_BARE).stat().st_size


def _rows(path: Path, *, limit: int = -1) -> list[tuple[Any, ...]]:
    """Return what a bare table would hold of the newest memories."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    rows = list(connection.execute(_PICK, (limit,)))
    connection.close()
    return rows


def _bare_table(path: Path) -> apsw.Connection:
    """Return a new file beside the store with one plain table, as durable as the store."""
    beside = path.with_name(_BARE)
    beside.unlink(missing_ok=True)
    connection = apsw.Connection(str(beside))
    connection.execute("pragma journal_mode = delete; pragma synchronous = full")
    connection.execute(_TABLE)
    return connection


def _insert(connection: apsw.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows in one durable transaction."""
    connection.execute("begin immediate")
    connection.executemany(_ROW, rows)
    connection.execute("commit")


def _seconds(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before

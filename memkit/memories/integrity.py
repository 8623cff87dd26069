"""Integrity of memory tables: checks and repair.

SQLite's own integrity check calls a full-text index sound that no longer agrees with its text;
this one does not. Nothing here ever changes a statement: repair rebuilds what is derived and
removes edges and rows that lead to nothing.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, StoreDamaged
from ..redaction import redact
from ..store import changesets
from ..store.integrity import CheckReport, Problem
from ..store.tables import cell_faults, mend_cell, tables
from ..validation import Progress
from . import external_edits, ingest, scrub
from .ingest import hash_of
from .search_document import MAX_SEARCHED, MAX_TEXT
from .search_index import BATCH
from .supersession import Supersession

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..store.store import Store
    from .search_index import Index

# How SQLite begins what it has to say about a full-text index; that can be made anew.
_FULL_TEXT = ("fts5:", "malformed inverted index")
# Members of a circle that are named.
_SHOWN = 10
# Change counter that a step of the schema leaves after which rows are looked at again.
_UPGRADED = -2


def check(
    store: Store, index: Index, *, repair: bool, progress: Progress | None = None
) -> CheckReport:
    """Return every problem found; with `repair` what can be mended without loss is mended."""
    problems = list(_pages(store))
    if problems:
        return CheckReport(tuple(problems))
    _fill_what_was_remade(store, index)
    problems += _cells(store, repair=repair)
    problems += _forms(store, repair=repair)
    problems += _giants(store)
    problems += _references(store, repair=repair)
    problems += _hashes(store, repair=repair)
    problems += _derived(store, index, repair=repair, progress=progress)
    problems += _secrets(store)
    problems += _changesets(store)
    problems += _spare_pages(store) if repair else []
    return CheckReport(tuple(problems))


def _fill_what_was_remade(store: Store, index: Index) -> None:
    """Index anew what an older memkit indexed in its own way, and compute what it computed in its
    own way: no fault of the file."""
    memories, documents, pieces = store.first("memories_search.document_counts") or (0, 0, 0)
    is_upgraded = store.value("store.change_counter") == _UPGRADED
    if memories and (is_upgraded or not (documents and pieces)):
        index.ensure()


def _spare_pages(store: Store) -> Iterator[Problem]:
    """Give pages back that nothing lies in any more, if they are many: no fault of the file."""
    if (given_back := store.give_back_space()) is not None:
        free, pages = given_back
        yield Problem("space", f"{free} of {pages} pages were empty: given back", mended=True)


def _pages(store: Store) -> Iterator[Problem]:
    # SQLite's check asks FTS5 with what this connection remembers of the index: after another
    # process has rebuilt it, a sound index is called corrupt, unless something was read before.
    with store.snapshot(), suppress(StoreDamaged):
        store.all("memories_search.touch_index")
    try:
        for (message,) in store.all("store.integrity"):
            if message != "ok" and not str(message).startswith(_FULL_TEXT):
                yield Problem("integrity", str(message))
    except StoreDamaged as error:
        yield Problem("integrity", str(error))


def _cells(store: Store, *, repair: bool) -> Iterator[Problem]:
    """Values that memkit cannot have written, whatever their table."""
    faults = list(cell_faults(store))
    for fault in faults[:_SHOWN]:
        is_mended = repair and store.write(partial(mend_cell, store, fault))
        put = "null" if fault.value is None else repr(fault.value)[:60]
        remedy = f"a repair puts {put} there" if not repair else f"{put} was put there"
        if repair and not is_mended:
            remedy = "another row bears the right name: delete this one with sqlite3"
        detail = redact(f"{fault.where} {fault.reason}; {remedy}").text
        yield Problem("cell", detail, is_mended)
    if rest := faults[_SHOWN:]:
        are_mended = [repair and store.write(partial(mend_cell, store, fault)) for fault in rest]
        yield Problem("cell", f"{len(rest)} more, last {rest[-1].where}", all(are_mended))


def _giants(store: Store) -> Iterator[Problem]:
    for number, letters in store.all("memories.giants", max_letters=MAX_TEXT):
        detail = f"memory {number} has {letters:,} letters, {MAX_SEARCHED:,} of them are searched"
        yield Problem("size", f"{detail}; remember it in parts, then: memkit purge {number}")


def _references(store: Store, *, repair: bool) -> Iterator[Problem]:
    if store.all("store.foreign_keys"):
        yield from _orphans(store, repair=repair)
    odd = store.all("memories.odd_edges")
    if odd:
        if repair:
            store.write(lambda: store.run_many("memories.delete_edge", map(_edge, odd)))
        yield Problem("orphan_edges", f"{len(odd)} edges lead to nothing, first {odd[0]}", repair)
    yield from _replacements(store, repair=repair)
    for (number,) in store.all("memories.resurrected"):
        yield Problem("resurrected", f"memory {number} was purged and stands here again")


def _replacements(store: Store, *, repair: bool) -> Iterator[Problem]:
    """Memories that are superseded by what can never stand for them."""
    for (number,) in store.all("memories.odd_replacements"):
        if repair:
            store.write(partial(_revive, store, number))
        detail = f"memory {number} was superseded by a missing one, or by itself"
        yield Problem("superseded_by", detail, repair)
    for circle in _circles(dict(store.all("memories.replacements"))):
        if repair:
            store.write(partial(_revive, store, max(circle)))
        listed = ", ".join(map(str, circle[:_SHOWN]))
        more = f" and {len(circle) - _SHOWN} more" if len(circle) > _SHOWN else ""
        detail = f"memories {listed}{more} supersede each other in a circle: none is ever answered"
        yield Problem("superseded_by", detail, repair)


def _circles(replaced_by: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield the memories of each circle of two or more, the oldest first."""
    visited: set[int] = set()
    for start in replaced_by:
        way: dict[int, None] = {}
        number: int | None = start
        while number is not None and number not in visited:
            visited.add(number)
            way[number] = None
            number = replaced_by.get(number)
        if number in way:
            circle = list(way)[list(way).index(number) :]
            if len(circle) > 1:
                yield sorted(circle)


def _orphans(store: Store, *, repair: bool) -> Iterator[Problem]:
    """Rows that hang on a memory which was deleted by another program."""
    for table in tables().values():
        lost = store.records(f"tables.{table.name}_orphans") if table.hangs_on else []
        if not lost:
            continue
        if repair:
            store.write(partial(_drop, store, table.name, lost))
        first = ", ".join(f"{name} {value}" for name, value in lost[0].items())
        detail = f"{len(lost)} rows of {table.name} hang on a memory that is gone, first {first}"
        yield Problem("foreign_key", redact(detail).text, repair)


def _secrets(store: Store) -> Iterator[Problem]:
    count = scrub.count_rows(store)
    if count:
        detail = f"{count} stored rows hold what looks like a secret; next: memkit scrub"
        yield Problem("secrets", detail)


def _changesets(store: Store) -> Iterator[Problem]:
    if runs := changesets.unreadable(store):
        detail = (
            f"{len(runs)} runs of consolidation, first {runs[0]}, cannot be undone: another "
            "program wrote what would undo them; next: memkit scrub removes that"
        )
        yield Problem("changesets", detail)


def _forms(store: Store, *, repair: bool) -> Iterator[Problem]:
    tags, odd, keys = (
        external_edits.odd_tags(store),
        external_edits.odd_times(store),
        external_edits.odd_keys(store),
    )
    for row in store.records("memories.json_columns"):
        try:
            ingest.check_shape(row)
        except InvalidInput as error:
            name = str(error).partition(":")[0]
            empty = "null" if name == "procedure" else "'[]'"
            remedy = f"set {name} to {empty} there"
            yield Problem(
                "shape", f"memory {row['id']}: {error}; put it right with sqlite3: {remedy}"
            )
    if tags:
        yield Problem("tags", f"{len(tags)} do not go by their name, first {tags[0][1]!r}", repair)
    if odd:
        detail = f"{len(odd)} memories have times of another form, first memory {odd[0]['id']}"
        yield Problem("times", detail, repair)
    if keys:
        detail = f"{len(keys)} memories spell key or qualifier as memkit does not, first memory "
        yield Problem("keys", f"{detail}{keys[0]['id']}", repair)
    for number, fields in external_edits.disagreements(store):
        detail = f"memory {number} was edited: its text does not say its {' and '.join(fields)}"
        yield Problem("facts", f"{detail}; next: memkit update {number} TEXT")
    if repair and (tags or odd or keys):
        store.write(lambda: external_edits.mend_names_and_times(store))


def _hashes(store: Store, *, repair: bool) -> Iterator[Problem]:
    wrong: list[dict[str, Any]] = []
    after = -(1 << 62)
    while rows := store.records("memories.identities", after=after, limit=BATCH):
        after = rows[-1]["id"]
        wrong += [row for row in rows if hash_of(row) != row["content_hash"]]
    if wrong:
        if repair:
            store.write(lambda: external_edits.mend(store, wrong))
        yield Problem(
            "content_hash", f"{len(wrong)} differ, first of memory {wrong[0]['id']}", repair
        )


def _derived(
    store: Store, index: Index, *, repair: bool, progress: Progress | None
) -> Iterator[Problem]:
    memories, documents, pieces = store.first("memories_search.document_counts") or (0, 0, 0)
    if memories != documents:
        yield Problem("documents", f"{documents} for {memories} memories", repair)
    behind = index.behind()
    if behind:
        yield Problem("stale", f"{behind} memories differ from what is indexed", repair)
    orphans = store.all("memories_search.orphan_embeddings")
    if orphans:
        yield Problem("vectors", f"{len(orphans)} do not belong to their memory", repair)
    if pieces != documents and index.encoder() is not None:
        yield Problem("vectors", f"{documents - pieces} memories wait for theirs", repair)
    if repair and not store.readonly:
        index.repair(progress)
    if (damage := index.full_text_damage()) is not None:
        if repair:
            index.rebuild_full_text()
        yield Problem("full_text", damage, repair)


def _edge(row: tuple[Any, ...]) -> dict[str, object]:
    return {"src": row[0], "dst": row[1], "kind": row[2]}


def _drop(store: Store, table: str, keys: list[dict[str, Any]]) -> None:
    store.run_many(f"tables.{table}_drop", keys)
    store.audit("repair", table=table, rows=len(keys), reason="of missing memories")


def _revive(store: Store, number: int) -> None:
    Supersession(store).release(number)
    store.audit("repair", number, reason="superseded by a missing memory, itself, or in a circle")

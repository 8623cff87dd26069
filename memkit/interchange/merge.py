"""Row-wise merge of two stores.

Rows are matched by id; a memory also by its source or by saying the same. The newer of two wins
(merge_conflicts.py tells of edits), counters keep the greater value, what was purged here
stays away. Everything happens in one transaction: an archive is taken as a whole or not at all,
since half of one would leave edges to nothing, and a derived index without its text. Importing the
same archive again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..episodes.integrity import purge_unless_later
from ..errors import InvalidInput, StoreError
from ..memories.global_relations import renumbered
from ..memories.identity import aliases_of, keep_paraphrase, tag_id, tag_name, text_hash
from ..store.tables import tables
from ..validation import Progress
from .archive import Archive, Line, clean_row, in_order, memory_columns
from .merge_conflicts import Conflicts, Duplicates
from .notes_importer import ImportReport
from .precedence import NAMED, Namesakes, Row, as_one_tag, stands

if TYPE_CHECKING:
    from ..memories.memories import Memories
    from ..memories.search_index import Index
    from ..store.store import Store

# Memories whose derived rows are written together.
_PAGE = 500
_FIRST = ("tombstones", "tags", "memories")


def import_archive(
    store: Store,
    index: Index,
    memories: Memories,
    archive: Archive,
    *,
    revive: bool,
    progress: Progress | None,
) -> ImportReport:
    """Merge an archive into the store and return what changed.

    With `revive` memories that were purged here come back. Raises InvalidInput naming the line that
    cannot be stored; then nothing is.
    """
    report = store.write(
        lambda: _Merge(store, index, memories, archive, revive=revive).run(progress)
    )
    index.catch_up()
    return report


class _Merge:
    """One merge, inside one transaction."""

    def __init__(
        self, store: Store, index: Index, memories: Memories, archive: Archive, *, revive: bool
    ) -> None:
        self._store = store
        self._index = index
        self._memories = memories
        self._archive = archive
        self._revive = revive
        self._ids: dict[int, int | None] = {}  # id in the archive → id here; None: left out
        self._touched: set[int] = set()
        self._left_out: Counter[str] = Counter()
        self._redacted: Counter[str] = Counter()
        self._outcomes: Counter[str] = Counter()

    def run(self, progress: Progress | None) -> ImportReport:
        self._tombstones()
        self._tags()
        self._all_memories()
        ends = ("tables.tags_rows", "tables.memories_rows")
        nodes = {row["id"] for name in ends for row in self._store.records(name)}
        gone = {number for number, _ in self._store.all("store.tombstones")}
        for name in self._archive.lines:
            if name not in _FIRST:
                self._table(name, nodes, gone)
        self._duplicates.settle()
        self._outcomes["unchanged"] += self._conflicts.settle(n for n in self._touched if n > 0)
        self._derive(progress)
        changed = self._outcomes.total() - self._outcomes["unchanged"]
        if not self._archive.local and changed:
            self._store.audit("import", name=self._archive.name, rows=dict(self._outcomes))
        return ImportReport(
            read=len(self._archive.lines["memories"]),
            added=self._outcomes["added"],
            updated=self._outcomes["updated"],
            unchanged=self._outcomes["unchanged"],
            forgotten=self._outcomes["purged"],
            left_out=tuple((f"{n} rows", reason) for reason, n in self._left_out.items()),
            redacted=self._redacted,
            conflicts=self._conflicts.conflicts,
        )

    # -- the three tables that others refer to

    def _tombstones(self) -> None:
        """A purge elsewhere reaches here, whatever became of the memory here since: what was to
        be gone would otherwise come back or not by who imports whom."""
        here = {row["id"] for row in self._store.records("tables.memories_rows")}
        aliases = aliases_of(self._store)
        doomed: set[int] = set()
        for row in self._clean("tombstones"):
            # First the tombstone, with its own time: a purge keeps the one that is there.
            self._store.run("store.add_tombstone", id=row["id"], at=row["purged_at"])
            doomed.add(row["id"] if row["id"] in here else aliases.get(row["id"], 0))
            self._forget_episode(row)
        if doomed := doomed & here:
            # At once, since each purge merges the whole full-text index.
            self._outcomes["purged"] += len(self._memories.purge(sorted(doomed)))

    def _forget_episode(self, tombstone: Row) -> None:
        """A session or task that was purged elsewhere goes, unless it went on here since."""
        is_gone = purge_unless_later(self._store, tombstone["id"], tombstone["purged_at"])
        if is_gone:
            self._outcomes["purged"] += 1
        elif is_gone is not None:
            self._left_out["purged elsewhere, changed here since"] += 1

    def _tags(self) -> None:
        here = {row["id"]: row for row in self._store.records("tables.tags_rows")}
        for line, row in zip(self._archive.lines["tags"], self._clean("tags"), strict=True):
            with self._naming(line):
                name = tag_name(row["name"])
            number = tag_id(name)
            self._ids[row["id"]] = number
            tag = as_one_tag({**row, "id": number, "name": name}, here.get(number))
            if tag != here.get(number):
                self._store.run("tables.tags_put", **tag)

    def _all_memories(self) -> None:
        here = {row["id"]: row for row in self._store.records("tables.memories_rows")}
        gone = {number for number, _ in self._store.all("store.tombstones")}
        theirs = list(self._clean("memories"))
        coming = [row for row in theirs if self._revive or row["id"] not in gone]
        self._duplicates = Duplicates(self._store, self._archive, here, coming)
        if self._duplicates.moved:
            self._index.remove(self._duplicates.moved)
            here = self._duplicates.move()
            self._touched.update(self._duplicates.moved.values())
        self._ids |= self._duplicates.references() | {row["id"]: None for row in theirs}
        self._ids |= {row["id"]: self._duplicates.number_of(row["id"]) for row in coming}
        there = here.keys() | {number for number in self._ids.values() if number}
        self._conflicts = Conflicts(
            self._store,
            self._archive,
            here=frozenset(here),
            there=frozenset(self._ids[row["id"]] or 0 for row in theirs),
        )
        lines = self._archive.lines["memories"]
        for line, row in zip(lines, theirs, strict=True):
            number = self._ids[row["id"]]
            if number is None:
                self._left_out["purged here; reviving (--revive) brings it back"] += 1
                continue
            if number in gone:
                self._store.run("tables.tombstones_drop", id=number)
            replaced_by = self._place(row["superseded_by"])
            was = row["id"]
            row["id"] = number
            row["source"] = self._duplicates.source_of(row)
            row["superseded_by"] = replaced_by if replaced_by in there else None
            with self._naming(line):
                here[number] = self._memory(row, here.get(number), was)

    def _memory(self, row: Row, mine: Row | None, was: int) -> Row:
        """Write a memory if that changes it; return the row that stands."""
        stands = row
        if mine is not None:
            is_one = self._duplicates.is_one(was)
            said = self._conflicts.joined(row, mine, was=was, is_one=is_one)
            stands = self._duplicates.counted(said, row, mine, was=was)
        if mine is not None and stands == mine:
            if not self._conflicts.is_open(mine["id"]):
                self._outcomes["unchanged"] += 1
            self._keep_paraphrase(row, mine)
            return mine
        self._outcomes["added" if mine is None else "updated"] += 1
        self._store.run("tables.memories_put", **stands)
        self._touched.add(stands["id"])
        for other in (row, mine):
            if other is not None:
                self._keep_paraphrase(other, stands)
        return stands

    def _keep_paraphrase(self, loser: Row, winner: Row) -> None:
        """What says the same in other small words stays findable."""
        digest = text_hash(loser["text"])
        if loser["content_hash"] == winner["content_hash"] and digest != text_hash(winner["text"]):
            keep_paraphrase(self._store, winner["id"], loser["text"], at=loser["updated_at"])
            self._touched.add(winner["id"])

    # -- all others

    def _table(self, name: str, nodes: set[int], gone: set[int]) -> None:
        table = tables()[name]
        lines = self._archive.lines[name]
        if not lines:
            return
        here = {
            tuple(row[column] for column in table.key): row
            for row in self._store.records(f"tables.{name}_rows")
        }
        namesakes = Namesakes(name, here) if name in NAMED else None
        for line, row in zip(lines, self._clean(name), strict=True):
            if namesakes and row["id"] in gone and not self._revive:
                self._left_out["purged here; reviving (--revive) brings it back"] += 1
                continue
            if not self._placed(name, row, nodes):
                self._left_out[f"{name}: of a memory that is not here"] += 1
                continue
            if name == "settings":
                row = renumbered(row, lambda number: self._place(number) or number)
            if namesakes:
                self._renumber(name, here, namesakes.place(row), row["id"])
            key = tuple(row[column] for column in table.key)
            winner = stands(name, row, here.get(key))
            if winner == here.get(key):
                continue
            here[key] = winner
            with self._naming(line):
                self._store.run(f"tables.{name}_put", **winner)
            self._touched.update(row[c] for c in memory_columns(name)[:1] if row[c] is not None)

    def _renumber(
        self, name: str, here: dict[tuple[Any, ...], Row], old: int | None, new: int
    ) -> None:
        """Give a row here the number under which it goes from now on."""
        if old is not None and old != new:
            row = here[(new,)] = {**here.pop((old,)), "id": new}
            self._store.run(f"tables.{name}_drop", id=old)
            self._store.run(f"tables.{name}_put", **row)

    def _placed(self, name: str, row: Row, nodes: set[int]) -> bool:
        """Give a row the ids that memories and tags have here; False if one of them is missing."""
        columns = memory_columns(name)
        for column in columns:
            row[column] = self._place(row[column])
        ends = [row[column] for column in columns]
        if name == "audit":
            return True
        if None not in ends:
            row |= in_order(name, row)
        missing = [n for n in ends if n is None or (n not in nodes and not _is_elsewhere(row, n))]
        return not missing and (len(ends) == 1 or len(ends) == len(set(ends)))

    def _place(self, number: int | None) -> int | None:
        return None if number is None else self._ids.get(number, number)

    # -- inside

    def _clean(self, name: str) -> Iterator[Row]:
        for line in self._archive.lines[name]:
            with self._naming(line):
                yield clean_row(tables()[name], line.row, self._redacted)

    def _derive(self, progress: Progress | None) -> None:
        ids = sorted(n for n in self._touched if n > 0)
        for start in range(0, len(ids), _PAGE):
            self._index.put(ids[start : start + _PAGE])
            if progress:
                progress(min(start + _PAGE, len(ids)), len(ids))

    @contextmanager
    def _naming(self, line: Line) -> Iterator[None]:
        try:
            yield
        except (InvalidInput, StoreError) as error:
            # Its subclasses (busy, full, moved …) are not about the line.
            if type(error) not in (InvalidInput, StoreError):
                raise
            raise InvalidInput(
                f"{self._archive.name} line {line.number}: {error} (nothing was imported)"
            ) from error


def _is_elsewhere(row: Mapping[str, Any], number: int) -> bool:
    """Whether an edge leads to a cluster or to code, which are made anew from other things."""
    return number < 0 and row.get("kind") != "has_tag"

"""What two stores learnt apart and say alike: one memory, once they are joined.

It goes by the lower of its two numbers, so that it does not matter who joins whom, and its chain of
provenance tells the other one. The first time what was counted apart adds up; from then on the
greater count is the one that knows more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..memories.editions import SAID, edition
from ..memories.former import former_here, former_numbers, joined_with
from ..store.tables import tables
from .archive import Archive, archived_tables, in_order, memory_columns
from .precedence import Matcher, Row

if TYPE_CHECKING:
    from ..store.connection import Store


class Twins:
    """Which memory here each memory of an archive is, and by which number both go."""

    def __init__(
        self, store: Store, archive: Archive, here: Mapping[int, Row], theirs: Sequence[Row]
    ) -> None:
        self._store = store
        self._known_here = former_here(store)
        self._known_there = former_numbers(line.row for line in archive.lines["provenance"])
        self._here = here
        self._now_there = {now: old for old, now in self._known_there.items() if old in here}
        self._matcher = Matcher(here, {row["id"] for row in theirs})
        self._mine = {row["id"]: self._find(row["id"], row) for row in theirs}
        self.moved: dict[int, int] = {}
        for number, mine in self._mine.items():
            if number < self.moved.get(mine, mine) and mine in here and number not in here:
                self.moved[mine] = number
        self._notes: list[tuple[int, Row, str]] = []

    def number_of(self, theirs: int) -> int:
        """Return the number under which a memory of the archive goes here from now on."""
        return self._now(self._mine[theirs])

    def references(self) -> dict[int, int]:
        """Return the numbers of former times with those that stand for them now."""
        known = {old: self._now(now) for old, now in self._known_here.items()}
        return {**known, **self.moved}

    def source_of(self, row: Row) -> str | None:
        """Return a row's source, or None if another memory here has it already."""
        owner = self._matcher.owner_of(row)
        source: str | None = row["source"]
        return source if owner is None or self._now(owner) == row["id"] else None

    def is_one(self, was: int) -> bool:
        """Whether a memory of the archive and the one here were one before: not learnt apart."""
        return self._mine[was] == was or self._is_known(was)

    def counted(self, said: Row, theirs: Row, mine: Row, *, was: int) -> Row:
        """Return what stands of two rows of one memory, of which `said` has the right words."""
        strength = max(mine["strength"], theirs["strength"])
        if self._mine[was] == was:
            return {**said, "strength": strength}
        born = min(mine["created_at"], theirs["created_at"])
        if self._is_known(was):
            mine_knows = was in self._known_here
            knows, other = (mine, theirs) if mine_knows else (theirs, mine)
            base = other if other["updated_at"] > knows["updated_at"] else knows
            words = {name: said[name] for name in SAID}
            return {**base, **words, "strength": strength, "created_at": born}
        self._note(said, theirs, mine, was)
        return {
            **said,
            "created_at": born,
            "strength": mine["strength"] + theirs["strength"],
            "pinned": max(mine["pinned"], theirs["pinned"]),
            "private": max(mine["private"], theirs["private"]),
        }

    def settle(self) -> None:
        """Write down which memories were joined."""
        for number, row, reason in self._notes:
            self._store.run(
                "interchange.keep_edit",
                id=number,
                at=row["created_at"],
                source=row["provenance"],
                session=row["session_id"],
                snippet=None,
                reason=reason,
            )

    def move(self) -> dict[int, Row]:
        """Give memories here the numbers they go by from now on, with all that hangs on them;
        return every memory."""
        put, drop = "tables.memories_put", "tables.memories_drop"
        for old, new in self.moved.items():
            # Its source is that of one memory only, until the other one is gone.
            self._store.run(put, **{**self._here[old], "id": new, "source": None})
        for table in archived_tables(local=True):
            if table.name not in ("memories", "tombstones"):
                self._move_rows(table.name)
        self._store.run_many(drop, [{"id": old} for old in self.moved])
        found = {}
        for number, row in self._here.items():
            now = found[self._now(number)] = {
                **row,
                "id": self._now(number),
                "superseded_by": row["superseded_by"] and self._now(row["superseded_by"]),
            }
            if now != row:
                self._store.run(put, **now)
        return found

    # -- inside

    def _find(self, number: int, row: Row) -> int:
        if number not in self._here:
            for mine in (self._known_here.get(number), self._now_there.get(number)):
                if mine is not None and mine in self._here:
                    return mine
        return self._matcher.id_of(row)

    def _now(self, number: int) -> int:
        return self.moved.get(number, number)

    def _is_known(self, was: int) -> bool:
        return was in self._known_here or self._known_there.get(self._mine[was]) == was

    def _note(self, said: Row, theirs: Row, mine: Row, was: int) -> None:
        """Keep in mind by which number a memory went too, and what it said there."""
        number, other = said["id"], self._mine[was]
        former, row = (other, mine) if was == number else (was, theirs)
        if former in self._here and former != other:
            return  # a number that another memory bears by chance leads to that one
        stands = edition(said)
        editions = sorted({edition(mine), edition(theirs)} - {stands})
        reason = "; ".join([joined_with(former), *(f"edited; it was {one}" for one in editions)])
        self._notes.append((number, row, reason))

    def _move_rows(self, name: str) -> None:
        columns, key = memory_columns(name), tables()[name].key
        for row in self._store.records(f"tables.{name}_rows") if columns else ():
            if any(row[column] in self.moved for column in columns):
                self._store.run(f"tables.{name}_drop", **{column: row[column] for column in key})
                row |= {c: row[c] and self._now(row[c]) for c in columns}
                self._store.run(f"tables.{name}_put", **in_order(name, row))

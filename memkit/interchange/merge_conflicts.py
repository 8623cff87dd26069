"""Differing edits, duplicates learnt apart."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ..memories.global_relations import renumbered
from ..memories.identity import (
    READ,
    STATEMENT,
    add_alias,
    add_explanation,
    add_revision,
    aliases_of,
    has_revision,
    revision_of,
    short_hash,
    statement_of,
)
from ..memories.records import InactiveCode, Origin
from ..memories.supersession import Supersession
from ..store.tables import tables
from .archive import Archive, archived_tables, in_order, memory_columns
from .precedence import Matcher, Row, is_newer

if TYPE_CHECKING:
    from ..store.store import Store


# --- What two stores say differently of one thing, when they are joined.
#
# A statement that was edited on one side only is what that side says. Edited on both, the later
# edit stands; the other one is kept in the chain of provenance, and its hash among the revisions.
# Of two current values of one key the later one supersedes, as it would have in one store. Where
# nothing tells which is later, or where two memories took the place of one, a contradiction is
# opened. It does not matter who joins whom.
#
# What one side retired and the other changed, neither knowing of it: a replacement stands, since
# the other side has not seen it; an edit stands against a forgetting, since somebody means it.

# What tells whether a memory holds, and until when.
_END = ("active", "inactive_reason", "inactive_code", "superseded_by", "valid_to")

_OTHERWISE = "the other store's wording; the later edit stands"
_TWO = "both came to be current when two stores were joined"

# Former revisions of a memory, each with the moment of the edit that replaced it.
_Revisions = Mapping[str, str]


@attrs.frozen
class Conflict:
    """Something that two joined stores said differently.

    Attributes:
        id: the memory that stands. other: the memory that does not stand, or stands too; None if it
            is another wording of the same.
        what: what was found and what was done about it.
    """

    id: int
    what: str
    other: int | None = None


@attrs.frozen
class _Lost:
    """An edit that does not stand, and when it was made."""

    row: Row
    at: str
    is_unchanged: bool


@attrs.frozen
class _Alias:
    """A memory and the id by which it went in one of two stores, with its row there and the
    revisions that do not stand."""

    memory: int
    former: int
    row: Row
    revisions: tuple[str, ...]


class Conflicts:
    """The conflicts of one import, inside its transaction."""

    def __init__(
        self, store: Store, archive: Archive, *, here: Collection[int], there: Collection[int]
    ) -> None:
        """Begin with the ids, as they are here, of the memories that either store has."""
        self._store = store
        self._supersession = Supersession(store)
        self._ids_here, self._ids_there = here, there
        self._here = _revisions(store.records("tables.memory_revisions_rows"))
        self._there = _revisions(line.row for line in archive.lines["memory_revisions"])
        self._lost: list[_Lost] = []
        self._open: set[int] = set()
        self._pairs: set[tuple[int, int]] = set()
        self._conflicts: list[Conflict] = []

    def joined(self, theirs: Row, mine: Row, *, was: int, is_one: bool) -> Row:
        """Return what a memory is from now on; `was` is the id that theirs had there. With `is_one`
        both were one memory before, not learnt apart."""
        if theirs == mine:
            return mine
        newest = theirs if is_newer(theirs, mine, "updated_at") else mine
        if None not in (both := (mine["superseded_by"], theirs["superseded_by"])):
            self._pairs.add((min(both), max(both)))
        named = theirs["source"] is not None and theirs["source"] == mine["source"]
        is_read = named and newest["provenance"] in READ
        if is_read or not (named or is_one):
            return newest
        here, there = self._here.get(mine["id"], {}), self._there.get(was, {})
        row = self._worded((mine, here), (theirs, there), newest)
        return row | self._end((mine, here, self._ids_here), (theirs, there, self._ids_there))

    def _worded(
        self, my_side: tuple[Row, _Revisions], their_side: tuple[Row, _Revisions], newest: Row
    ) -> Row:
        """Return the newest of two rows with the words that stand."""
        (mine, here), (theirs, there) = my_side, their_side
        if _words_of(theirs) == _words_of(mine) or revision_of(theirs) == revision_of(mine):
            return newest
        is_behind = revision_of(theirs) in here
        if is_behind != (revision_of(mine) in there):  # edited on one side only
            return {**newest, **_words_of(mine if is_behind else theirs)}
        sides = sorted(((mine, here), (theirs, there)), key=_later)
        (other, revisions), (statement, _) = sides
        row = {**newest, **_words_of(statement)}
        self._lost.append(_Lost(other, _edited(other, revisions), is_unchanged=row == mine))
        self._open.add(mine["id"])
        return row

    def _end(self, *sides: tuple[Row, _Revisions, Collection[int]]) -> Row:
        """Return when and why a memory ceased to hold, if one side retired it and the other one,
        not knowing that, says something else of it; else nothing."""
        marks = frozenset[str]().union(*(revisions for _, revisions, _ in sides))
        for (retired, revisions, _), (other, _, ids) in (sides, sides[::-1]):
            is_edited = revision_of(other) not in {revision_of(retired), *revisions}
            successor = retired["superseded_by"]
            if successor is not None and other["superseded_by"] is None and successor not in ids:
                if is_edited or not other["active"]:
                    change = "edited" if other["active"] else "forgotten"
                    self._report(other, f"was {change} in one store, replaced in the other",
                                 marks, successor)  # fmt: skip
                return {name: retired[name] for name in _END}
            is_forgotten = retired["inactive_code"] == InactiveCode.FORGOTTEN
            if is_forgotten and other["active"] and is_edited:
                self._report(retired, "was edited in one store, forgotten in the other", marks)
                return {name: other[name] for name in _END}
        return {}

    def _report(
        self, row: Row, what: str, marks: Collection[str], successor: int | None = None
    ) -> None:
        """Report that what a side did to a memory does not stand, unless it was reported."""
        memory_id, reason = row["id"], row["inactive_reason"]
        mark = short_hash(json.dumps([what, reason, revision_of(row)]))
        if mark in marks:
            return
        # No former statement, so it is of no time at which one was replaced.
        add_revision(self._store, memory_id, mark, at=row["created_at"])
        because = f" ({reason})" if reason else ""
        stands = "the edit stands" if successor is None else f"{successor} stands"
        what = f"{what}{because}; {stands}"
        at, source = row["updated_at"], row["provenance"]
        add_explanation(self._store, memory_id, at=at, source=source, reason=what)
        self._conflicts.append(Conflict(memory_id, what, successor))

    def is_open(self, memory_id: int) -> bool:
        """Whether one side's edit of a memory does not stand: `settle` tells what became of it."""
        return memory_id in self._open

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """What was found, in the same order whoever imports whom."""
        return tuple(sorted(self._conflicts, key=lambda c: (c.id, c.other or 0)))

    def settle(self, numbers: Iterable[int]) -> int:
        """Keep what does not stand and settle what memories say under keys; return how many edits
        that do not stand were known and changed nothing."""
        known = sum(not self._keep(lost) and lost.is_unchanged for lost in self._lost)
        for (memory_id,) in self._store.all(
            "interchange.find_facts", ids=json.dumps(sorted(numbers))
        ):
            self._settle_key(memory_id)
        for memory, other in sorted(self._pairs):
            if memory != other and self._are_current(memory, other):
                self._doubt(memory, other, "took the place of the same memory")
        return known

    # -- inside

    def _keep(self, lost: _Lost) -> bool:
        """Keep an edit that does not stand, unless it is known; return whether it was not."""
        memory_id, row = lost.row["id"], lost.row
        revision = revision_of(row)
        if has_revision(self._store, memory_id, revision):
            return False
        stands = statement_of(self._store, memory_id)
        changed = [name for name in ("kind", "key", "value", "qualifier", "scope")
                   if row[name] != stands[name]]  # fmt: skip
        reason = "; ".join([_OTHERWISE, *(f"{name} {row[name]}" for name in changed)])
        add_revision(self._store, memory_id, revision, at=lost.at)
        add_explanation(
            self._store,
            memory_id,
            at=lost.at,
            source=row["provenance"],
            session=row["session_id"],
            snippet=row["text"] if row["text"] != stands["text"] else None,
            reason=reason,
        )
        what = "was edited here and there; the later edit stands, the other is in its history"
        self._conflicts.append(Conflict(memory_id, what))
        return True

    def _settle_key(self, memory_id: int) -> None:
        own = self._supersession.span(memory_id)
        for rival in self._supersession.rivals(memory_id):
            earlier, later = sorted((own, rival), key=lambda span: span["start"])
            is_over = earlier["valid_to"] is not None and earlier["valid_to"] <= later["start"]
            if is_over or not self._are_current(memory_id, rival["id"]):
                continue
            if own["start"] == rival["start"]:
                self._doubt(
                    memory_id, rival["id"], f"say what {own['key']!r} is from the same moment"
                )
                continue
            self._supersession.retire(earlier["id"], later["id"], since=later["start"])
            what = f"says what {own['key']!r} is from {later['start']} on; it supersedes "
            self._conflicts.append(Conflict(later["id"], f"{what}{earlier['id']}", earlier["id"]))

    def _doubt(self, memory: int, other: int, what: str) -> None:
        """Open a contradiction, unless it was noted before, settled or not."""
        a, b = sorted((memory, other))
        if self._store.value("interchange.has_contradiction", memory_a=a, memory_b=b):
            return
        self._supersession.contradict(a, b, origin=Origin.MERGED, note=_TWO)
        self._conflicts.append(Conflict(a, f"and {b} {what}: a contradiction was opened", b))

    def _are_current(self, *numbers: int) -> bool:
        spans = (self._supersession.span(memory_id) for memory_id in numbers)
        return all(span["active"] and span["superseded_by"] is None for span in spans)


def _revisions(rows: Iterable[Row]) -> dict[int, dict[str, str]]:
    """Return the former revisions of each memory."""
    revisions: dict[int, dict[str, str]] = {}
    for row in rows:
        revisions.setdefault(row["memory_id"], {})[row["revision"]] = str(row["replaced_at"])
    return revisions


def _words_of(statement: Row) -> Row:
    return {name: statement[name] for name in STATEMENT}


def _edited(row: Row, revisions: _Revisions) -> str:
    """Return when a statement got the words it has."""
    return max(revisions.values(), default=row["created_at"])


def _later(side: tuple[Row, _Revisions]) -> tuple[str, str, str]:
    row, revisions = side
    return _edited(row, revisions), row["updated_at"], repr(_words_of(row))


# --- Duplicates: what two stores learnt apart and say alike is one memory, once they are joined.
#
# It goes by the lower of its two numbers, so that it does not matter who joins whom, and the other
# one is an alias of it. The first time what was counted apart adds up; from
# then on the greater count is the one that knows more.


class Duplicates:
    """Which memory here each memory of an archive is, and by which number both go."""

    def __init__(
        self, store: Store, archive: Archive, here: Mapping[int, Row], theirs: Sequence[Row]
    ) -> None:
        self._store = store
        self._known_here = aliases_of(store)
        rows = [line.row for line in archive.lines["memory_aliases"]]
        self._known_there = {row["former_id"]: row["memory_id"] for row in rows}
        self._here = here
        self._now_there = {now: old for old, now in self._known_there.items() if old in here}
        self._matcher = Matcher(here, {row["id"] for row in theirs})
        self._mine = {row["id"]: self._find(row["id"], row) for row in theirs}
        self.moved: dict[int, int] = {}
        for memory_id, mine in self._mine.items():
            if memory_id < self.moved.get(mine, mine) and mine in here and memory_id not in here:
                self.moved[mine] = memory_id
        self._aliases: list[_Alias] = []

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
            words = {name: said[name] for name in (*STATEMENT, *_END)}
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
        for alias in self._aliases:
            memory_id, row, at = alias.memory, alias.row, alias.row["created_at"]
            add_alias(self._store, memory_id, alias.former, at=at)
            for revision in alias.revisions:
                add_revision(self._store, memory_id, revision, at=at)
            add_explanation(
                self._store,
                memory_id,
                at=at,
                source=row["provenance"],
                session=row["session_id"],
                reason=f"joined with memory {alias.former}, which says the same",
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
        self._move_relations()
        self._store.run_many(drop, [{"id": old} for old in self.moved])
        memories = {}
        for memory_id, row in self._here.items():
            now = memories[self._now(memory_id)] = {
                **row,
                "id": self._now(memory_id),
                "superseded_by": row["superseded_by"] and self._now(row["superseded_by"]),
            }
            if now != row:
                self._store.run(put, **now)
        return memories

    # -- inside

    def _find(self, memory_id: int, row: Row) -> int:
        if memory_id not in self._here:
            for mine in (self._known_here.get(memory_id), self._now_there.get(memory_id)):
                if mine is not None and mine in self._here:
                    return mine
        return self._matcher.id_of(row)

    def _now(self, memory_id: int) -> int:
        return self.moved.get(memory_id, memory_id)

    def _is_known(self, was: int) -> bool:
        return was in self._known_here or self._known_there.get(self._mine[was]) == was

    def _note(self, said: Row, theirs: Row, mine: Row, was: int) -> None:
        """Keep in mind by which number a memory went too, and what it said there."""
        memory_id, other = said["id"], self._mine[was]
        former, row = (other, mine) if was == memory_id else (was, theirs)
        if former in self._here and former != other:
            return  # a number that another memory bears by chance leads to that one
        revisions = sorted({revision_of(mine), revision_of(theirs)} - {revision_of(said)})
        self._aliases.append(_Alias(memory_id, former, row, tuple(revisions)))

    def _move_rows(self, name: str) -> None:
        columns, key = memory_columns(name), tables()[name].key
        for row in self._store.records(f"tables.{name}_rows") if columns else ():
            if any(row[column] in self.moved for column in columns):
                self._store.run(f"tables.{name}_drop", **{column: row[column] for column in key})
                row |= {c: row[c] and self._now(row[c]) for c in columns}
                self._store.run(f"tables.{name}_put", **in_order(name, row))

    def _move_relations(self) -> None:
        """Renumber the relations to global memories, which lie among the settings."""
        for row in self._store.records("tables.settings_rows"):
            if (now := renumbered(row, self._now)) != row:
                self._store.run("tables.settings_drop", name=row["name"])
                self._store.run("tables.settings_put", **now)

"""What two stores say differently of one thing, when they are joined.

A statement that was edited on one side only is what that side says. Edited on both, the later edit
stands and the other one is kept in the chain of provenance. Of two current values of one key the
later one supersedes, as it would have in one store. Where nothing tells which is later, or where
two memories took the place of one, a contradiction is opened. It does not matter who joins whom.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import attrs

from ..memories.editions import READ, SAID, edition, said
from ..memories.succession import Succession
from .archive import Archive
from .precedence import Row, is_newer

if TYPE_CHECKING:
    from ..store.connection import Store

_EDITED = re.compile(r"edited; it was (\w+)")
_OTHERWISE = "the other store's wording; the later edit stands"
_TWO = "both came to be current when two stores were joined"

# Former editions of a memory, each with the moment of the edit that replaced it.
_Former = Mapping[str, str]


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


class Conflicts:
    """The conflicts of one import, inside its transaction."""

    def __init__(self, store: Store, archive: Archive) -> None:
        self._store = store
        self._succession = Succession(store)
        self._here = _former(store.records("interchange.edits"))
        self._there = _former(line.row for line in archive.lines["provenance"])
        self._lost: list[_Lost] = []
        self._open: set[int] = set()
        self._pairs: set[tuple[int, int]] = set()
        self._found: list[Conflict] = []

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
        is_same = _words_of(theirs) == _words_of(mine) or edition(theirs) == edition(mine)
        if is_same or is_read or not (named or is_one):
            return newest
        here, there = self._here.get(mine["id"], {}), self._there.get(was, {})
        is_behind = edition(theirs) in here
        if is_behind != (edition(mine) in there):  # edited on one side only
            said = mine if is_behind else theirs
            return {**newest, **_words_of(said)}
        (said, _), (other, former) = sorted(((mine, here), (theirs, there)), key=_later)[::-1]
        row = {**newest, **_words_of(said)}
        self._lost.append(_Lost(other, _edited(other, former), is_unchanged=row == mine))
        self._open.add(mine["id"])
        return row

    def is_open(self, number: int) -> bool:
        """Whether one side's edit of a memory does not stand: `settle` tells what became of it."""
        return number in self._open

    @property
    def found(self) -> tuple[Conflict, ...]:
        """What was found, in the same order whoever imports whom."""
        return tuple(sorted(self._found, key=lambda one: (one.id, one.other or 0)))

    def settle(self, numbers: Iterable[int]) -> int:
        """Keep what does not stand and settle what memories say under keys; return how many edits
        that do not stand were known and changed nothing."""
        known = sum(not self._keep(lost) and lost.is_unchanged for lost in self._lost)
        for (number,) in self._store.all("interchange.keyed", ids=json.dumps(sorted(numbers))):
            self._settle_key(number)
        for one, other in sorted(self._pairs):
            if one != other and self._are_current(one, other):
                self._doubt(one, other, "took the place of the same memory")
        return known

    # -- inside

    def _keep(self, lost: _Lost) -> bool:
        """Keep an edit in the chain of provenance; return whether it was not there yet."""
        number, row = lost.row["id"], lost.row
        stands = said(self._store, number)
        changed = [name for name in ("kind", "key", "value", "qualifier", "scope")
                   if row[name] != stands[name]]  # fmt: skip
        reason = "; ".join([_OTHERWISE, *(f"{name} {row[name]}" for name in changed)])
        is_new = self._store.run(
            "interchange.keep_edit",
            id=number,
            at=lost.at,
            source=row["provenance"],
            session=row["session_id"],
            snippet=row["text"] if row["text"] != stands["text"] else None,
            reason=reason,
        )
        if is_new:
            what = "was edited here and there; the later edit stands, the other is in its history"
            self._found.append(Conflict(number, what))
        return bool(is_new)

    def _settle_key(self, number: int) -> None:
        own = self._succession.span(number)
        for rival in self._succession.rivals(number):
            earlier, later = sorted((own, rival), key=lambda one: one["start"])
            is_over = earlier["valid_to"] is not None and earlier["valid_to"] <= later["start"]
            if is_over or not self._are_current(number, rival["id"]):
                continue
            if own["start"] == rival["start"]:
                self._doubt(number, rival["id"], f"say what {own['key']!r} is from the same moment")
                continue
            self._succession.retire(earlier["id"], later["id"], since=later["start"])
            what = f"says what {own['key']!r} is from {later['start']} on; it supersedes "
            self._found.append(Conflict(later["id"], f"{what}{earlier['id']}", earlier["id"]))

    def _doubt(self, one: int, other: int, what: str) -> None:
        """Open a contradiction, unless it was noted before, settled or not."""
        a, b = sorted((one, other))
        if self._store.value("interchange.doubted", memory_a=a, memory_b=b):
            return
        self._succession.contradict(a, b, note=_TWO)
        self._found.append(Conflict(a, f"and {b} {what}: a contradiction was opened", b))

    def _are_current(self, *numbers: int) -> bool:
        spans = (self._succession.span(number) for number in numbers)
        return all(span["active"] and span["superseded_by"] is None for span in spans)


def _former(links: Iterable[Mapping[str, object]]) -> dict[int, dict[str, str]]:
    """Return the former editions that chains of provenance tell, by memory."""
    found: dict[int, dict[str, str]] = {}
    for link in links:
        for before in _EDITED.findall(str(link["reason"] or "")):
            found.setdefault(int(str(link["memory_id"])), {})[before] = str(link["noted_at"])
    return found


def _words_of(said: Row) -> Row:
    return {name: said[name] for name in SAID}


def _edited(row: Row, former: _Former) -> str:
    """Return when a statement got the words it has."""
    return max(former.values(), default=row["created_at"])


def _later(side: tuple[Row, _Former]) -> tuple[str, str, str]:
    row, former = side
    return _edited(row, former), row["updated_at"], repr(_words_of(row))

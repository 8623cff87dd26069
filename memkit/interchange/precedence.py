"""Which of two versions of a row stands.

The same pair gives the same result in either order, so that it does not matter who imports whom.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]

# The column that tells which of two rows is newer; edges, usage and provenance keep the greater of
# each value (a link that says more is greater), all other tables keep what they have.
_NEWEST = {
    "memories": "updated_at",
    "settings": "updated_at",
    "local_settings": "updated_at",
    "gaps": "last_at",
    "contradictions": "resolved_at",
    "pair_verdicts": "decided_at",
    "anchors": "noted_at",
    "memory_items": "updated_at",
    "memory_reviews": "noted_at",
    "named_documents": "updated_at",
    "discovered_links": "last_at",
    "procedure_outcomes": "noted_at",
    "gap_answers": "closed_at",
    "memory_aliases": "created_at",
    "memory_revisions": "replaced_at",
    "source_readings": "read_at",
    "surfaced": "shown_at",
    "surfaced_global": "shown_at",
    "sessions": "updated_at",
    "task_history": "updated_at",
    "learned_patterns": "updated_at",
    "session_learnings": "updated_at",
    "prediction_weights": "updated_at",
}
# Tables whose rows have a number, and are the same if they bear the same name.
NAMED = {
    "sessions": "session_id",
    "task_history": "task_id",
    "learned_patterns": "signature",
    "session_learnings": "signature",
}
_GREATEST = frozenset({"edges", "usage", "provenance"})


def stands(table: str, theirs: Row, mine: Row | None) -> Row:
    """Return the row that a table holds after theirs was brought to mine."""
    if mine is None:
        return theirs
    if table == "paraphrases":  # as old as the older
        return min(mine, theirs, key=lambda row: (row["said_at"], row["text"]))
    if table in _GREATEST:
        return {c: max(mine[c], theirs[c], key=lambda v: (v is not None, v)) for c in mine}
    column = _NEWEST.get(table)
    return theirs if column and is_newer(theirs, mine, column) else mine


def as_one_tag(theirs: Row, mine: Row | None) -> Row:
    """Return the tag that two of one name are: as old as the older, described if one is."""
    if mine is None:
        return theirs
    description = max(mine["description"] or "", theirs["description"] or "") or None
    born = min(mine["created_at"], theirs["created_at"])
    return {**mine, "description": description, "created_at": born}


def is_newer(theirs: Row, mine: Row, column: str) -> bool:
    """Whether theirs is newer; of two of one moment the same one wins everywhere."""

    def rank(row: Row) -> tuple[str, str]:
        return (row[column] or "", repr(sorted(row.items())))

    return rank(theirs) > rank(mine)


class Namesakes:
    """Finds the row here that a row from elsewhere is, by its name."""

    def __init__(self, table: str, here: Mapping[tuple[Any, ...], Row]) -> None:
        self._column = NAMED[table]
        self._numbers = {row[self._column]: row["id"] for row in here.values()}
        self._taken = set(self._numbers.values())

    def place(self, row: Row) -> int | None:
        """Give a row its number: the lower of its own and its namesake's, so that it does not
        matter who imports whom. Returns the number its namesake has here, or None."""
        mine: int | None = self._numbers.get(row[self._column])
        if mine is None:
            while row["id"] in self._taken:
                row["id"] += 1
        elif mine < row["id"] or row["id"] in self._taken:
            row["id"] = mine
        self._numbers[row[self._column]] = row["id"]
        self._taken.add(row["id"])
        return mine


class Matcher:
    """Finds the memory here that a memory from elsewhere is: by id, by source, by saying the
    same."""

    def __init__(self, here: Mapping[int, Row], named: set[int]) -> None:
        self._here = here
        self._named = named
        self._by_source = {(r["project"], r["source"]): n for n, r in here.items() if r["source"]}
        self._by_content = {
            r["content_hash"]: n
            for n, r in here.items()
            if r["superseded_by"] is None and r["source"] is None and n not in named
        }

    def id_of(self, row: Row) -> int:
        """Return the id that a row has here; a new one if another memory bears its own."""
        number: int = row["id"]
        mine = self._here.get(number)
        # What was joined with its twin from elsewhere may have got the other's birth.
        telling = ("created_at", "content_hash")
        if mine is not None and any(mine[name] == row[name] for name in telling):
            return number
        return self._twin(row) or self._free(number)

    def owner_of(self, row: Row) -> int | None:
        """Return the memory here that has the source of a row, or None."""
        return self._by_source.get((row["project"], row["source"]))

    def _twin(self, row: Row) -> int | None:
        # What was read somewhere is that place's, whoever else says it: pairs are found one way.
        if row["source"]:
            return self.owner_of(row)
        if row["superseded_by"] is not None:
            return None
        return self._by_content.get(row["content_hash"])

    def _free(self, number: int) -> int:
        """Return the id, or the next one that neither the store nor the archive has."""
        free = number
        while free in self._here or (free != number and free in self._named):
            free += 1
        return free

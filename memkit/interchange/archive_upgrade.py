"""Archives of older schemas: their rows as the tables of today hold them.

Up to schema 4 some tables had other names, and state stood in texts. What the upgrade of a file
makes of that is made of an archive too, by the same SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..store.table_queries import upgraded_rows
from .precedence import Row

LAST_WITH_PROSE = 4
"""The last schema whose state stood in texts."""
# Tables by their former names, and what their columns were called.
_RENAMED: dict[str, tuple[str, dict[str, str]]] = {
    "wordings": ("paraphrases", {"wording_hash": "text_hash"}),
    "surfaced_beside": ("surfaced_global", {}),
    "mentions": ("mentions", {"place": "position"}),
}
# Tables whose texts are read, those that are filled from them, and the columns that are.
_READ = ("memories", "provenance", "contradictions")
_FILLED = ("memory_aliases", "memory_revisions", "source_readings")
_COLUMNS = {
    "memories": (("id",), "inactive_code"),
    "contradictions": (("memory_a", "memory_b"), "origin"),
}


def renamed(record: dict[str, Any]) -> dict[str, Any]:
    """Return a line of an archive with today's names of its table and its columns."""
    name, row = record.get("table"), record.get("row")
    if not isinstance(name, str) or not isinstance(row, dict) or name not in _RENAMED:
        return record
    table, columns = _RENAMED[name]
    return {"table": table, "row": {columns.get(column, column): row[column] for column in row}}


def state_of_prose(rows: Mapping[str, Sequence[Row]]) -> dict[str, list[Row]]:
    """Return the rows that tables of state hold after an upgrade, by table; those of `memories`
    and `contradictions` are set on the given rows."""
    upgraded = upgraded_rows(LAST_WITH_PROSE, {name: rows[name] for name in _READ})
    for name, (key, column) in _COLUMNS.items():
        states = {tuple(row[k] for k in key): row[column] for row in upgraded[name]}
        for row in rows[name]:
            row[column] = states.get(tuple(row[k] for k in key), row[column])
    return {name: upgraded[name] for name in _FILLED}

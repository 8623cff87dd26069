"""Rows of the memories table as records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..arguments import shown
from ..errors import InvalidInput, StoreDamaged
from .admissible import check_procedure
from .records import Anchor, Memory, Procedure

if TYPE_CHECKING:
    from ..store.connection import Store

_SAME = (
    "id", "text", "kind", "form", "key", "value", "qualifier", "scope", "project", "source",
    "summary", "compressed", "index_entry", "tokens", "created_at", "updated_at", "valid_from",
    "valid_to", "season", "strength", "confidence", "trust", "importance", "provenance", "author",
    "inactive_reason", "superseded_by", "accessed_at", "access_count",
)  # fmt: skip


def load(store: Store, ids: Iterable[int]) -> list[Memory]:
    """Return the memories of these ids in the order given; ids without a row are left out.

    Raises StoreDamaged for a row that memkit cannot have written, such as JSON of another shape.
    """
    return [
        _read(store, row) for row in store.records("memories.by_ids", ids=json.dumps(list(ids)))
    ]


def _read(store: Store, row: Mapping[str, Any]) -> Memory:
    try:
        return from_row(row)
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreDamaged(
            f"{store.path}: memory {row['id']} is not as memkit writes it ({error}); put the row "
            "right with sqlite3 or restore the file from git"
        ) from error


def from_row(row: Mapping[str, Any]) -> Memory:
    """Return one row as a record."""
    procedure = row["procedure"]
    first, last = row["message_first"], row["message_last"]
    return Memory(
        **{name: row[name] for name in _SAME},
        session=row["session_id"],
        task=row["task_id"],
        messages=None if first is None else (first, last),
        file_paths=texts_of(row["file_paths"]),
        active=bool(row["active"]),
        pinned=bool(row["pinned"]),
        private=bool(row["private"]),
        trigger_patterns=texts_of(row["trigger_patterns"]),
        procedure=None if procedure is None else _procedure(procedure),
        tags=texts_of(row["tags"]),
        about=()
        if row["about"] == "[]"
        else tuple(Anchor(*one) for one in json.loads(row["about"])),
    )


def check_shape(row: Mapping[str, Any]) -> None:
    """Raise InvalidInput if JSON in a row of the memories table is not what a memory holds."""
    for name in ("file_paths", "trigger_patterns"):
        try:
            texts_of(row[name])
        except ValueError as error:
            raise InvalidInput(f"{name}: {error}") from None
    if row["procedure"] is not None:
        try:
            _procedure(row["procedure"])
        except (ValueError, TypeError) as error:
            raise InvalidInput(f"procedure: {error}") from None


def texts_of(stored: str) -> tuple[str, ...]:
    """Return the texts of a JSON list; raises ValueError for anything else."""
    found = [] if stored == "[]" else json.loads(stored)
    if isinstance(found, list) and all(isinstance(item, str) for item in found):
        return tuple(found)
    raise ValueError(f"found {shown(stored)}, expected a JSON list of texts")


def _procedure(stored: str) -> Procedure:
    found = json.loads(stored)
    if not isinstance(found, dict):
        raise ValueError(f"found {shown(stored)}, expected a JSON object with steps")
    procedure = Procedure(**found)
    check_procedure(procedure)
    return procedure

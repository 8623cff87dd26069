"""Scrub: removal of stored secrets.

Rules get better; a text that passed last year may hold what is known as a secret today. Every
stored text goes through today's filter again. What changes is written, the index is rebuilt and
the file rewritten, so the old bytes are nowhere in it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from .. import redaction
from ..store import changesets
from ..store.store import local_setting, set_local_setting
from ..store.tables import Table, tables
from . import ingest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..store.store import Store
    from .search_index import Index

# Stored times, hashes and single words hold no secret, and most columns of most rows are such.
_HARMLESS = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z|[0-9a-f]{16}|[a-z_-]{1,20}|\[\]|\{\}", re.ASCII
)
Key = tuple[Any, ...]
# Texts that are kept in mind as harmless while the file is read: of so many letters, so many.
_SHORT, _MOST_KNOWN = 300, 20_000
# Where this machine keeps when it last scrubbed the file.
_LAST = "scrub.last"


@attrs.frozen
class ScrubReport:
    """Result of a scrub: rows changed, and removed secrets by kind."""

    rows: int
    kinds: Mapping[str, int]


def scrub(store: Store, index: Index) -> ScrubReport:
    """Remove every secret from the file and return what was found."""
    kinds: Counter[str] = Counter()
    # All texts are read before the file is held: that takes a minute where much was recorded, and
    # what is written meanwhile has gone through today's filter.
    keys = _rows_with_secrets(store)
    changed = store.write(lambda: _clean_rows(store, index, keys, kinds)) if keys else 0
    if changesets.count_rows(store, _has_secret) or changesets.unreadable(store):
        changed += store.write(lambda: changesets.drop_rows(store, _has_secret))
    if changed:
        index.rebuild_full_text()
        store.maintenance("vacuum")
    store.write(lambda: set_local_setting(store, _LAST, store.now()))
    return ScrubReport(changed, dict(kinds))


def last_success(store: Store) -> str | None:
    """Return when the last scrub on this machine came to its end, or None if none ever did."""
    return local_setting(store, _LAST, "") or None


def count_rows(store: Store) -> int:
    """Return how many stored rows hold what a scrub would remove."""
    rows = sum(map(len, _rows_with_secrets(store).values()))
    return rows + changesets.count_rows(store, _has_secret)


def _rows_with_secrets(store: Store) -> dict[str, set[Key]]:
    """Return the keys of the rows that hold what a scrub removes, by table."""
    keys: dict[str, set[Key]] = {}
    harmless: set[tuple[bool, str]] = set()
    for table in tables().values():
        for row in store.records(f"tables.{table.name}_rows"):
            if not _is_clean(table, row, harmless):
                keys.setdefault(table.name, set()).add(_key(table, row))
    return keys


def _has_secret(name: str, row: Mapping[str, Any]) -> bool:
    """Whether a row of a changeset holds what a scrub removes; it may have some columns only."""
    if (table := tables().get(name)) is None:
        return True
    return any(_clean(table, column, value, Counter()) != value for column, value in row.items())


def _is_clean(table: Table, row: Mapping[str, Any], harmless: set[tuple[bool, str]]) -> bool:
    """Whether a row holds nothing that a scrub removes; what it holds is `harmless` from then on,
    as JSON or as text: sessions, paths and commands come again in thousands of rows."""
    if table.name == "memories":  # a key tells what a value is
        return _clean_row(table, row, Counter()) == row
    texts = {
        name: value
        for name, value in row.items()
        if isinstance(value, str) and (name in table.json_columns, value) not in harmless
    }
    if any(_clean(table, name, value, Counter()) != value for name, value in texts.items()):
        return False
    short = ((n in table.json_columns, v) for n, v in texts.items() if len(v) <= _SHORT)
    harmless.update(islice(short, max(0, _MOST_KNOWN - len(harmless))))
    return True


def _key(table: Table, row: Mapping[str, Any]) -> Key:
    return tuple(row[name] for name in table.key)


def _clean_rows(
    store: Store, index: Index, keys: Mapping[str, set[Key]], kinds: Counter[str]
) -> int:
    kinds.clear()
    changed = 0
    for name, row_keys in keys.items():
        table = tables()[name]
        for row in store.records(f"tables.{name}_rows"):
            clean = _clean_row(table, row, kinds) if _key(table, row) in row_keys else row
            if clean != row:
                changed += 1
                touched = _memories_of(store, table, row)
                _replace(store, table, row, clean)
                index.put(touched)
    if changed:
        store.audit("scrub", rows=changed, kinds=dict(kinds))
    return changed


def _memories_of(store: Store, table: Table, row: Mapping[str, Any]) -> list[int]:
    """Return the memories in whose searchable text the row has a part."""
    if table.name == "tags":
        return [e["src"] for e in store.records("memories.edges_of", id=row["id"])]
    number = row["id"] if table.name == "memories" else row.get("memory_id")
    return [] if number is None else [number]


def _clean_row(table: Table, row: Mapping[str, Any], kinds: Counter[str]) -> dict[str, Any]:
    clean = {name: _clean(table, name, value, kinds) for name, value in row.items()}
    if table.name == "memories" and clean["key"] and clean["value"]:
        secrets: list[str] = []
        clean["value"] = ingest.value_without_secret(clean["key"], clean["value"], secrets)
        kinds.update(secrets)
    return clean


def _clean(table: Table, name: str, value: Any, kinds: Counter[str]) -> Any:
    if not isinstance(value, str) or _HARMLESS.fullmatch(value):
        return value
    if name in table.json_columns:
        stored = json.loads(value)
        clean = _clean_json(stored, kinds)
        return value if clean == stored else ingest.json_text(clean)
    return _clean_text(value, kinds)


def _clean_json(value: Any, kinds: Counter[str]) -> Any:
    clean = redaction.redact_json(value)
    if clean != value:
        before = json.dumps(value, ensure_ascii=False)
        kinds.update(finding.kind for finding in redaction.scan(before))
    return clean


def _clean_text(text: str, kinds: Counter[str]) -> str:
    redacted = redaction.redact(text)
    kinds.update(finding.kind for finding in redacted.findings)
    return redacted.text


def _replace(store: Store, table: Table, row: Mapping[str, Any], clean: dict[str, Any]) -> None:
    if table.name == "tags":
        # A tag's id is made from its name: a secret one goes altogether.
        store.run("memories.delete_edges", id=row["id"])
        store.run("tables.tags_drop", id=row["id"])
        return
    if table.name == "memories":
        clean["content_hash"] = ingest.hash_of(clean)
    if _key(table, clean) != _key(table, row):
        store.run(f"tables.{table.name}_drop", **{name: row[name] for name in table.key})
    store.run(f"tables.{table.name}_put", **clean)

"""Rows that come from outside, made such as `remember` would have written them.

Secrets become markers, times get the stored form, and what is computed from a text (hashes, token
counts) is computed anew, never believed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from .. import safety, tokens
from ..arguments import shown
from ..errors import InvalidInput
from ..memories import rows
from ..memories.admissible import kind_with_triggers
from ..memories.drafts import beside, hash_of, json_text
from ..memories.identity import fact_name, known_by, wording_hash
from ..memories.safe import safe_text
from ..store import times
from ..store.tables import Table

_SORTS: Mapping[str, tuple[Any, str]] = {
    "text": (str, "a text"),
    "integer": (int, "a whole number"),
    "real": (int | float, "a number"),
}
_BEYOND = 1 << 63
_TIMES = frozenset({"at", "valid_from", "valid_to", "timestamp", "first_seen", "last_seen"})
# Compared letter by letter, so kept in one normal form.
_NAMES = frozenset({"project", "session_id", "task_id", "source"})
_COUNTED = {
    "text": "tokens",
    "summary": "summary_tokens",
    "compressed": "compressed_tokens",
    "index_entry": "index_tokens",
}


def clean_row(table: Table, row: dict[str, Any], redacted: Counter[str]) -> dict[str, Any]:
    """Return a row as it may be stored; the kinds of secrets found are added to `redacted`.

    Raises InvalidInput for a value of another sort than its column, a time or JSON that cannot be
    read, or an id that is none.
    """
    sorted_ = {name: _of_its_sort(table, name, value) for name, value in row.items()}
    clean = {name: _value(table, name, value, redacted) for name, value in sorted_.items()}
    if clean.get("key") and isinstance(clean.get("value"), str) and table.name == "memories":
        found: list[str] = []
        clean["value"] = beside(str(clean["key"]), clean["value"], found)
        redacted.update(found)
    for name in table.key:
        if name in ("id", "memory_id") and not _is_id(clean[name], table.name):
            raise InvalidInput(f"{name}: {clean[name]!r} is no id")
    if table.name == "memories":
        for text, count in _COUNTED.items():
            clean[count] = None if clean[text] is None else tokens.count(str(clean[text]))
        rows.check_shape(clean)
        if json.loads(clean["trigger_patterns"]):
            clean["kind"] = kind_with_triggers(str(clean["kind"]))
        clean["content_hash"] = hash_of(clean)
    elif table.name == "wordings":
        clean["wording_hash"] = wording_hash(str(clean["text"]))
    return clean


def _of_its_sort(table: Table, name: str, value: Any) -> Any:
    """Return a value as its column holds it: SQLite would turn a number into text unasked."""
    if value is None:
        if name in table.needed:
            raise InvalidInput(f"{name}: is missing")
        return None
    if name.endswith("_at") or name in _TIMES:  # of many forms; put right in `_value`
        return value
    sorts, words = _SORTS[table.types[name]]
    if isinstance(value, float) and sorts is int and value.is_integer():
        value = int(value)
    if not isinstance(value, sorts) or (isinstance(value, int) and abs(value) >= _BEYOND):
        raise InvalidInput(f"{name}: found {shown(value)}, expected {words}")
    return value


def _value(table: Table, name: str, value: Any, redacted: Counter[str]) -> Any:
    if value is None:
        return None
    if name.endswith("_at") or name in _TIMES:
        return times.normalise(value, name=name)
    if not isinstance(value, str):
        return value
    if name in table.json_columns:
        return _json(name, value, redacted)
    text = _text(name, value, redacted)
    if table.name == "memories" and name in ("key", "qualifier"):
        return fact_name(text) or None
    if table.name == "memories" and name in _NAMES:
        return known_by(text, name)
    return text


def _text(name: str, text: str, redacted: Counter[str]) -> str:
    found = safe_text(text, name=name)
    redacted.update(finding.kind for finding in found.findings)
    return found.text


def _json(name: str, text: str, redacted: Counter[str]) -> str:
    try:
        value = json.loads(safety.clean_text(text))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{name}: is no JSON ({error})") from None
    safe = safety.redact_json(value)
    if safe == value:
        return safety.clean_text(text)
    redacted["secret"] += 1
    return json_text(safe)


def _is_id(value: object, table: str) -> bool:
    """Whether a value is an id; what is known by its name (tags, purged sessions and tasks) has a
    negative one."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    signs = {"tags": (-1,), "tombstones": (-1, 1)}.get(table, (1,))
    return 0 < abs(value) < 1 << 62 and (1 if value > 0 else -1) in signs

"""MCP memory server files.

Pure functions. The same text gives the same drafts with the same `source`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InvalidInput
from ..memories.identity import is_blank, short_hash
from ..memories.records import Draft, Provenance
from ..redaction import quoted
from .notes_parser import Reading, Relation

# Letters of an entity's type that become its tag.
_MAX_TAG = 100
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "entity": ("name",),
    "relation": ("from", "to", "relationType"),
}


def read_graph(text: str, *, name: str) -> Reading:
    """Return what a file of the MCP memory server holds: JSON Lines of entities and relations.

    Each observation is a memory tagged with the type of its entity; a relation is a memory that
    relates to the first memory of both its ends. One JSON document with both lists is read too.
    Raises InvalidInput that names the line.
    """
    records = list(_graph_records(text, name))
    drafts: list[Draft] = []
    first: dict[str, int] = {}
    for entity in (item for item in records if item["type"] == "entity"):
        first.setdefault(entity["name"], len(drafts))
        drafts += _entity(entity)
    relations: list[Relation] = []
    for item in (item for item in records if item["type"] == "relation"):
        ends = [first[item[end]] for end in ("from", "to") if item[end] in first]
        relations += [Relation(len(drafts), end) for end in dict.fromkeys(ends)]
        drafts.append(
            _graph_draft(f"{item['from']} {item['relationType']} {item['to']}", "relation", "")
        )
    return Reading(tuple(drafts), tuple(relations))


def is_graph(text: str) -> bool:
    """Whether a text looks like a file of the MCP memory server."""
    start = text.lstrip()[:2000]
    first, _, _ = start.partition("\n")
    return start.startswith("{") and (
        bool(re.search(r'"type"\s*:\s*"(entity|relation)"', first)) or '"entities"' in start
    )


# -- inside


def _graph_records(text: str, name: str) -> Iterator[dict[str, Any]]:
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if isinstance(whole, dict) and whole.keys() & {"entities", "relations"}:
        for kind, plural in (("entity", "entities"), ("relation", "relations")):
            listed = whole.get(plural, [])
            for number, item in enumerate(listed if isinstance(listed, list) else [listed], 1):
                yield _checked(item, f"{name}: {plural} {number}", kind)
        return
    if whole is not None:
        yield _checked(whole, f"{name} line 1", None)
        return
    yield from _graph_lines(text, name)


def _graph_lines(text: str, name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                item = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InvalidInput(
                    f"{name} line {number}: is no JSON ({error}); restore the line or remove it"
                ) from None
            yield _checked(item, f"{name} line {number}", None)


def _checked(item: object, place: str, kind: str | None) -> dict[str, Any]:
    if isinstance(item, dict):
        record_type = kind or item.get("type")
        needed = _NEEDED.get(record_type) if isinstance(record_type, str) else None
        if needed and all(_is_told(item.get(key)) for key in needed):
            return {**item, "type": record_type}
    raise InvalidInput(
        f"{place}: found {quoted(item, limit=60)}, expected a line of 'memkit export', or of MCP "
        "memory an entity (name, entityType, observations) or a relation (from, to, relationType)"
    )


def _is_told(value: object) -> bool:
    return isinstance(value, str) and not is_blank(value)


def _entity(entity: Mapping[str, Any]) -> Iterator[Draft]:
    name, sort = entity["name"], entity.get("entityType")
    sort = sort if isinstance(sort, str) else ""
    listed = entity.get("observations")
    said = [str(text) for text in listed if str(text).strip()] if isinstance(listed, list) else []
    for text in dict.fromkeys(said):
        yield _graph_draft(f"{name}: {text}", "entity", sort)
    if not said:
        yield _graph_draft(f"{name} ({sort})" if sort else name, "entity", sort)


def _graph_draft(text: str, part: str, tag: str) -> Draft:
    return Draft(
        text,
        tags=(tag[:_MAX_TAG],) if tag.strip(" #") else (),
        source=f"mcp-memory:{part}/{short_hash(text)}",
        provenance=Provenance.EXTRACTED,
    )

"""Memories of other tools: the graph of the MCP memory server, the issues of beads.

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


def _parsed(text: str) -> Any:
    """Return the value of a JSON text; None if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _json_lines(text: str, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each line; raises InvalidInput for one that is no JSON."""
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InvalidInput(
                    f"{name} line {number}: is no JSON ({error}); restore the line or remove it"
                ) from None
            yield number, value


# --- The MCP memory server: JSON Lines of entities and relations, or one document.

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


def _graph_records(text: str, name: str) -> Iterator[dict[str, Any]]:
    whole = _parsed(text)
    if isinstance(whole, dict) and whole.keys() & {"entities", "relations"}:
        for kind, plural in (("entity", "entities"), ("relation", "relations")):
            listed = whole.get(plural, [])
            for number, item in enumerate(listed if isinstance(listed, list) else [listed], 1):
                yield _checked(item, f"{name}: {plural} {number}", kind)
        return
    for number, item in [(1, whole)] if whole is not None else _json_lines(text, name):
        yield _checked(item, f"{name} line {number}", None)


def _checked(item: object, place: str, kind: str | None) -> dict[str, Any]:
    if isinstance(item, dict):
        record_type = kind or item.get("type")
        needed = _NEEDED.get(record_type) if isinstance(record_type, str) else None
        values = [item.get(key) for key in needed or ()]
        if values and all(isinstance(value, str) and not is_blank(value) for value in values):
            return {**item, "type": record_type}
    raise InvalidInput(
        f"{place}: found {quoted(item, limit=60)}, expected a line of 'memkit export', or of MCP "
        "memory an entity (name, entityType, observations) or a relation (from, to, relationType)"
    )


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


# --- Beads: the lines of `.beads/issues.jsonl`, one issue each.

_ISSUE_SOURCE = "beads:"
_ISSUE_TAG = "notes:issue"
# What an issue has of its own beside a title and a description.
_TELLING = ("status", "issue_type")
_DELETED = "tombstone"


def is_issues(text: str) -> bool:
    """Whether a text looks like the issues of beads."""
    first = _parsed(text.lstrip("\ufeff \r\n\t").partition("\n")[0])
    return isinstance(first, dict) and {"id", "title", *_TELLING} <= first.keys()


def read_issues(text: str, *, name: str) -> Reading:
    """Return a fact for each issue: title, what it is and how it stands, description, and why it
    was closed. Raises InvalidInput that names the line."""
    issues = (issue for issue in _issues(text, name) if issue.get("status") != _DELETED)
    return Reading(tuple(map(_draft, issues)))


def why_deleted(text: str, *, name: str) -> Mapping[str, str]:
    """Return, by the source of each issue that was deleted, why its memory must go."""
    issues = _issues(text, name)
    deleted = [issue for issue in issues if issue.get("status") == _DELETED]
    return {f"{_ISSUE_SOURCE}{issue['id']}": f"{issue['id']} was deleted" for issue in deleted}


def _issues(text: str, name: str) -> Iterator[dict[str, Any]]:
    for number, issue in _json_lines(text, name):
        if not isinstance(issue, dict) or not all(_text(issue, key) for key in ("id", "title")):
            raise InvalidInput(f"{name} line {number}: is no issue with an id and a title")
        yield issue


def _draft(issue: Mapping[str, Any]) -> Draft:
    standing = ", ".join(filter(None, (_text(issue, key) for key in _TELLING)))
    parts = [f"{_text(issue, 'title')} ({issue['id']}{', ' if standing else ''}{standing})"]
    parts += filter(None, (_text(issue, key) for key in ("description", "notes")))
    if reason := _text(issue, "close_reason"):
        parts.append(f"Closed: {reason}")
    labels = issue.get("labels")
    tags = [label for label in labels if isinstance(label, str)] if isinstance(labels, list) else []
    return Draft(
        "\n\n".join(parts),
        tags=(_ISSUE_TAG, *(label for label in tags if label.strip(" #"))),
        source=f"{_ISSUE_SOURCE}{issue['id']}",
        provenance=Provenance.EXTRACTED,
    )


def _text(issue: Mapping[str, Any], key: str) -> str:
    value = issue.get(key)
    return value.strip() if isinstance(value, str) else ""

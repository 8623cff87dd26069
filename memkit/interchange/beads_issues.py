"""Issues of beads: the lines of `.beads/issues.jsonl` read into drafts, one issue each.

Pure functions. The same text gives the same drafts with the same `source`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import InvalidInput
from ..memories.records import Draft, Provenance
from .notes_parser import Reading

_SOURCE = "beads:"
_TAG = "notes:issue"
# What an issue has of its own beside a title and a description.
_TELLING = ("status", "issue_type")
_DELETED = "tombstone"


def is_issues(text: str) -> bool:
    """Whether a text looks like the issues of beads."""
    try:
        first = json.loads(text.lstrip("\ufeff \r\n\t").partition("\n")[0])
    except (ValueError, RecursionError):
        return False
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
    return {f"{_SOURCE}{issue['id']}": f"{issue['id']} was deleted" for issue in deleted}


# -- inside


def _issues(text: str, name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            issue = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(
                f"{name} line {number}: is no JSON ({error}); restore the line or remove it"
            ) from None
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
        tags=(_TAG, *(label for label in tags if label.strip(" #"))),
        source=f"{_SOURCE}{issue['id']}",
        provenance=Provenance.EXTRACTED,
    )


def _text(issue: Mapping[str, Any], key: str) -> str:
    value = issue.get(key)
    return value.strip() if isinstance(value, str) else ""

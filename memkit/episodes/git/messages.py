"""What a commit's message says of it: a fix, a revert and of what, or any change."""

from __future__ import annotations

import re

from ..kinds import CommitKind

_CONVENTIONAL = re.compile(r"(\w+)(?:\([^)]*\))?!?:\s")
_FIXING = re.compile(r"\b(?:fix(?:e[sd]|ing)?|bug ?-?fix(?:e[sd])?|hot-?fix)\b", re.I)
_CLOSING = re.compile(
    r"^\W*(?:fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w./-]*#\d+|https?://\S+/\d+|[0-9a-f]{7,40}\b)",
    re.I | re.M,
)
_REVERTING = re.compile(r"revert(?:s|ed|ing)?\b", re.I)
_REVERTED = re.compile(r"(?:reverts? (?:commit )?|refs?:? )([0-9a-f]{7,64})\b", re.I)
# The other types of conventionalcommits.org: "docs: fix a typo" mends no fault.
_OTHER_TYPES = frozenset("build chore ci docs feat perf refactor style test tests".split())


def kind_of(message: str, parents: int = 1) -> CommitKind:
    """Return what a commit's message says of it: a revert, a fix, or any change.

    By the conventional type if it has one; else by the verb, or an issue or commit named as fixed.
    """
    if parents > 1:
        return CommitKind.MERGE
    subject = message.lstrip().partition("\n")[0]
    if _REVERTING.match(subject):
        return CommitKind.REVERT
    typed = _CONVENTIONAL.match(subject)
    if typed and typed[1].lower() in _OTHER_TYPES:
        return CommitKind.CHANGE
    fixes = _FIXING.search(subject) or _CLOSING.search(message)
    return CommitKind.FIX if fixes else CommitKind.CHANGE


def reverted(message: str) -> str | None:
    """Return the hash (or its beginning) of the commit that a revert takes back, if it says so."""
    found = _REVERTED.search(message)
    return found[1].lower() if found else None

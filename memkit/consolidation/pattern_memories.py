"""Pattern memories: code patterns as memories, which end when the code shows them no more."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..memories.records import Form, InactiveCode, Provenance
from .code_patterns import CodePattern, Reading, find_code_patterns

if TYPE_CHECKING:
    from ..context.ports import OpenKit

# Functions that a memory is anchored to.
_ANCHORS = 3


def find_patterns(
    kit: OpenKit, *, limit: int, seconds: float, dry_run: bool = False
) -> list[CodePattern]:
    """Return the best patterns of the indexed code, remembered unless it is a `dry_run`."""
    reading = Reading(time.monotonic() + seconds)
    patterns = find_code_patterns(kit.codegraph._each_file(), reading)
    best = patterns[:limit]
    if not dry_run:
        rows = kit._store.records("consolidation_levels.code_patterns", project=kit.project)
        stored = {row["source"]: row for row in rows}
        for pattern in best:
            _settle(kit, stored.get(pattern.source), pattern)
        # Of a tree that was not read to its end nothing is known to be gone.
        if reading.files and not reading.is_over:
            _end(kit, stored, {pattern.source for pattern in patterns})
    return best


def _settle(kit: OpenKit, row: Mapping[str, Any] | None, pattern: CodePattern) -> None:
    """Remember a pattern as it is now, unless somebody wants to hear no more of it."""
    if row is not None and not row["active"]:
        if row["inactive_code"] != InactiveCode.SOURCE_GONE:
            return
        kit.memories.restore([row["id"]])
    if row is None or row["text"] != pattern.text:
        _remember(kit, pattern)


def _remember(kit: OpenKit, pattern: CodePattern) -> None:
    kit.memories.remember(
        pattern.text,
        form=Form.PATTERN,
        provenance=Provenance.OBSERVED,
        source=pattern.source,
        about=[f"{shape.path}::{shape.qualname}" for shape in pattern.examples[:_ANCHORS]],
        compressed=pattern.hint,
        index_entry=pattern.name,
    )


def _end(kit: OpenKit, stored: Mapping[str, Mapping[str, Any]], there: Collection[str]) -> None:
    gone = [row["id"] for source, row in stored.items() if row["active"] and source not in there]
    if gone:
        reason = "the code shows this pattern no more"
        kit.memories._forget(gone, reason, InactiveCode.SOURCE_GONE)

"""Cluster commands: groups of memories close in meaning, and what is like one memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from ..consolidation.clusters import Cluster
from ..consolidation.similarity import SimilarMemory
from . import output
from .commands import (
    ID,
    CommandOutput,
    Invocation,
    Opening,
    command,
    count,
    option,
    switch,
)
from .output import marked_output, one_line


@command(
    switch("refresh", "Find them anew first."),
    option("limit", "How many members of each to show.", type=count, default=5),
    opening=Opening.CHANGE,
)
def clusters(invocation: Invocation, *, refresh: bool, limit: int) -> CommandOutput:
    """List the groups of memories that are close in meaning, named by the words that tell them from
    the others."""
    kit = invocation.kit
    report = kit.consolidation.refresh_clusters() if refresh else None
    groups = kit.consolidation.clusters()
    notes: tuple[str, ...] = ()
    if not groups:
        why = report.note if report is not None and report.note else "too few memories are alike"
        notes = (f"no clusters: {why}",)
    lines = _cluster_lines(groups, invocation, limit=limit)
    document = [{**attrs.asdict(group), "size": group.size} for group in groups]
    return marked_output(invocation, document, lines, notes)


@command(
    ID,
    option("limit", "How many to show.", type=count, default=10),
    opening=Opening.CHANGE,
)
def similar(invocation: Invocation, *, id: int, limit: int) -> CommandOutput:
    """List the memories that are most like memory ID: nearest in meaning, or by shared words where
    there are no vectors."""
    alike = invocation.kit.consolidation.similar(id, limit)
    lines = (_similar_line(memory, invocation) for memory in alike)
    notes: tuple[str, ...] = () if alike else ("nothing is like it",)
    if any(memory.by_words for memory in alike):
        notes = ("by shared words and tags: it has no vector",)
    document = [
        {"score": item.score, "by_words": item.by_words, "cluster": item.cluster,
         "memory": item.memory}
        for item in alike
    ]  # fmt: skip
    return marked_output(invocation, document, lines, notes)


def _cluster_lines(
    groups: Sequence[Cluster], invocation: Invocation, *, limit: int
) -> Iterator[str]:
    for group in groups:
        label = invocation.style(one_line(group.label), bold=True)
        yield f"{label}  ({group.size})"
        for memory in invocation.kit.memories.get_many(group.members[:limit]):
            yield f"  {output.memory_line(memory, invocation)}"


def _similar_line(item: SimilarMemory, invocation: Invocation) -> str:
    cluster = f"  [{one_line(item.cluster)}]" if item.cluster else ""
    return f"{item.score:.2f}  {output.memory_line(item.memory, invocation)}{cluster}"

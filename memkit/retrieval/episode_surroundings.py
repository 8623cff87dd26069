"""Surroundings of episodes: what predictions ask of others, and what keeps workflows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..episodes.predictions import Standing, Surroundings
from ..memories.records import Form, Kind, Procedure, Provenance

if TYPE_CHECKING:
    from ..episodes.patterns import Workflow
    from ..memories.memories import Memories
    from ..store.store import Store
    from .records import RecallResult

# As many as any prediction takes.
_MEMORIES = 5
_SYMBOLS = 50


def surroundings(
    store: Store, recall: Callable[..., RecallResult], memories: Memories
) -> Surroundings:
    """Return what predictions and summaries may ask: links and symbols of the code graph (none
    where there is no graph), memories by `recall`, and those that hold for every task."""

    def links(path: str) -> Mapping[str, float]:
        from ..codegraph.query.nodes import linked_files

        return linked_files(store, path)

    def symbols(paths: Sequence[str]) -> list[tuple[str, str]]:
        from ..codegraph.query.nodes import most_used_symbols

        return most_used_symbols(store, paths, limit=_SYMBOLS)

    def about(question: str, paths: Sequence[str]) -> Iterable[tuple[int, str, float]]:
        query = " ".join([question, *paths[:1]]).strip()
        if not query:
            return
        for hit in recall(query, limit=_MEMORIES):
            yield hit.memory.id, hit.memory.text, hit.score

    def standing(limit: int) -> Standing:
        pinned = memories.find(pinned=True, limit=limit)
        shown = {memory.id for memory in pinned}
        rules, preferences = (
            [m for m in memories.find(kind=kinds, limit=2 * limit) if m.id not in shown][:limit]
            for kinds in ((Kind.NEGATIVE, Kind.CORRECTION), (Kind.PREFERENCE,))
        )
        texts = (tuple(m.text for m in group) for group in (pinned, rules, preferences))
        return Standing(*texts)

    return Surroundings(links, symbols, about, standing)


def keeping(memories: Memories) -> Callable[[Workflow], object]:
    """Return what makes a procedural memory of a workflow, and brings it up to date when it is
    learnt again."""

    def keep(workflow: Workflow) -> object:
        known = hashlib.sha256(workflow.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        ended = workflow.completed + workflow.failed
        outcome = f"; {workflow.completed} of {ended} such tasks were completed" if ended else ""
        return memories.remember(
            f"Usual way of working: {workflow.name}{outcome}",
            kind=Kind.PROCEDURE,
            form=Form.WORKFLOW,
            provenance=Provenance.OBSERVED,
            source=f"workflow:{known}",
            compressed="→".join(workflow.steps),
            procedure=Procedure(
                steps=workflow.steps,
                name=workflow.name,
                warnings=(f"{workflow.failed} of {ended} such tasks failed",)
                if workflow.failed
                else (),
            ),
        )

    return keep

"""What predictions ask of the code and the memories, and how a way of working is remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..codegraph import around
from ..episodes.patterns.records import Workflow
from ..episodes.predictions.signals import Surroundings
from ..memories.kinds import Form, Kind, Provenance
from ..memories.records import Procedure

if TYPE_CHECKING:
    from ..memories.memories import Memories
    from ..store.connection import Store
    from .records import Recall

# As many as any prediction takes.
_MEMORIES = 5
_SYMBOLS = 50


def surroundings(store: Store, recall: Callable[..., Recall]) -> Surroundings:
    """Return what predictions may ask: links and symbols of the code graph (none where there is no
    graph), memories by `recall`."""

    def links(path: str) -> Mapping[str, float]:
        return around.linked(store, path)

    def symbols(paths: Sequence[str]) -> list[tuple[str, str]]:
        return around.most_used(store, paths, limit=_SYMBOLS)

    def memories(question: str, paths: Sequence[str]) -> Iterable[tuple[int, str, float]]:
        asked = " ".join([question, *paths[:1]]).strip()
        if not asked:
            return
        for hit in recall(asked, limit=_MEMORIES):
            yield hit.memory.id, hit.memory.text, hit.score

    return Surroundings(links, symbols, memories)


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
            procedure=Procedure(
                steps=workflow.steps,
                name=workflow.name,
                warnings=(f"{workflow.failed} of {ended} such tasks failed",)
                if workflow.failed
                else (),
            ),
        )

    return keep

"""Surroundings of episodes: what predictions and summaries ask of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..episodes.predictions import Standing, Surroundings
from ..memories.records import LESSONS, Kind

if TYPE_CHECKING:
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
            for kinds in (LESSONS, (Kind.PREFERENCE,))
        )
        texts = (tuple(m.text for m in group) for group in (pinned, rules, preferences))
        return Standing(*texts)

    return Surroundings(links, symbols, about, standing)

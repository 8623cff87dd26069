"""Neighbouring files: which files a file uses and which use it, as long as the graph stays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...store.store import Store
    from .term_index import Corpus, Numbers

    # Places in a corpus of the files that a file uses, and of those that use it.
    Adjacent = tuple[Numbers, Numbers]

# Neighbours of one file that are read; what has more is a hub, which tells nothing.
MAX_NEIGHBOURS = 1_000


class FileNeighbours:
    """Files beside each other in one store's graph. What was read is kept until the graph is
    written anew."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._corpus: Corpus | None = None
        self._graph: object = None
        self._known: dict[int, Adjacent] = {}

    def adjacent(self, corpus: Corpus, files: Iterable[int]) -> Mapping[int, Adjacent]:
        """Return the neighbours of files, all by their places in the corpus."""
        graph = self._store.state()[0], self._store.value("codegraph_search.generation")
        if self._corpus is not corpus or self._graph != graph:
            self._corpus, self._graph, self._known = corpus, graph, {}
        known = self._known
        for at in files:
            if at not in known:
                known[at] = self._read(corpus, at)
        return known

    def _read(self, corpus: Corpus, at: int) -> Adjacent:
        import numpy as np

        rows = self._store.all(
            "codegraph_search.adjacent_files", file=corpus.ids[at], limit=MAX_NEIGHBOURS
        )
        place = corpus.positions
        used, users = (
            [place[other] for other, is_used in rows if is_used == way and other in place]
            for way in (1, 0)
        )
        return np.array(used, dtype=np.int32), np.array(users, dtype=np.int32)

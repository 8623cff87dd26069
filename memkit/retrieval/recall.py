"""The way of a question: filters → legs → fusion → decision → hits."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from ..memories import rows
from ..memories.documents import split_words
from . import legs
from .records import CascadeLimits, Facts, Filters, Hit, Recall, Recipe, Why
from .visibility import hidden_by

if TYPE_CHECKING:
    from ..memories.indexing import Index
    from ..store.connection import Store


class Recaller:
    """Answers questions from one store."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index

    def recall(
        self,
        question: str,
        *,
        filters: Filters,
        limit: int,
        limits: CascadeLimits,
        recipe: Recipe,
        min_score: float | None = None,
    ) -> Recall:
        """Return the hits for a question, best first."""
        self._index.ensure()
        with self._store.snapshot():
            words = [*question.split(), *split_words(question)]
            match = " OR ".join('"' + w.replace('"', '""').replace("\0", "") + '"' for w in words)
            found = dict(legs.lexical(self._store, match, limit=limit * 5))
            facts = {
                row[0]: Facts(*row)
                for row in self._store.all("retrieval.facts", ids=json.dumps(list(found)))
            }
            now = self._store.now()
            ids = [i for i in found if hidden_by(facts[i], filters, now=now) is None][:limit]
            hits = []
            for memory in rows.load(self._store, ids):
                evidence = math.log1p(-found[memory.id])
                hits.append(Hit(memory, 1 / (1 + math.exp(-evidence)), {"lexical": evidence}))
            return Recall(tuple(hits))

    def flush(self) -> None:
        """Write what was counted while reading; best effort, never waits for another process."""

    def why(
        self,
        question: str,
        number: int,
        *,
        filters: Filters,
        limit: int,
        limits: CascadeLimits,
        recipe: Recipe,
        min_score: float | None = None,
    ) -> Why:
        """Return why a memory is among the hits of a question, or why not."""
        recall = self.recall(
            question,
            filters=filters,
            limit=limit,
            limits=limits,
            recipe=recipe,
            min_score=min_score,
        )
        hit = next((hit for hit in recall if hit.id == number), None)
        return Why(number, hit is not None, "hit" if hit else "unmatched", "", hit)

"""Recall by parts: the full-text index alone, or without some stages."""

from __future__ import annotations

from typing import Any

import memkit
from memkit.memories.search_document import split_words
from memkit.retrieval.records import RetrievalConfig


def by_words(kit: memkit.Memkit, question: str) -> list[str]:
    """Return the texts of current memories in which any word of the question is indexed.

    Best match first. Takes up edits from outside before, as every question does.
    """
    kit._index.ensure()
    words = [*question.split(), *split_words(question)]
    match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    ids = [row[0] for row in kit._store.all("retrieval.lexical", match=match, limit=1000)]
    return [memory.text for memory in kit.memories.get_many(ids) if memory.is_current]


def recall_with(
    kit: memkit.Memkit, config: RetrievalConfig, question: str, **options: Any
) -> memkit.RecallResult:
    """Return what a recall brings with some of its stages left out."""
    kit._config = config
    try:
        return kit.recall(question, **options)
    finally:
        kit._config = None

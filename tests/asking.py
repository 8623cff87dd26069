"""Asking the full-text index alone: what it holds, whatever ranking makes of it."""

from __future__ import annotations

import memkit
from memkit.memories.search_document import split_words


def by_words(kit: memkit.Memkit, question: str) -> list[str]:
    """Return the texts of current memories in which any word of the question is indexed.

    Best match first. Takes up edits from outside before, as every question does.
    """
    kit._index.ensure()
    words = [*question.split(), *split_words(question)]
    match = " OR ".join('"' + word.replace('"', '""') + '"' for word in words)
    ids = [row[0] for row in kit.store.all("retrieval.lexical", match=match, limit=1000)]
    return [memory.text for memory in kit.memories.get_many(ids) if memory.is_current]

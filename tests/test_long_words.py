"""What reads a text for names in it takes no more than a few times as long for a longer word."""

from __future__ import annotations

import re
import time

from memkit.codegraph.query import symbol_lookup
from memkit.episodes.recording import named_paths
from memkit.memories import search_document
from memkit.retrieval import query
from tests.tables import each_row

PATTERNS = {
    "compound": query._COMPOUND,
    "question": query._PATH,
    "asked": query._ASKED_WORD,
    "signs": search_document._SIGNS,
    "path": symbol_lookup._PATH,
    "qualified": symbol_lookup._QUALIFIED,
    "located": symbol_lookup._LOCATED,
    "mentions": named_paths.TOKEN,
}


@each_row("pattern", PATTERNS.values())
@each_row("letters", ["a", "f0", "_a", "a.", "a/", "a:", "日", "-", "aB"])
def test_patterns_read_a_long_word_in_linear_time(pattern: re.Pattern[str], letters: str) -> None:
    """A word of four times the length takes no more than ten times as long: begun at each of its
    letters, a search takes sixteen times as long."""

    def spent(size: int) -> float:
        text = letters * (size // len(letters))
        times = []
        for _ in range(3):
            before = time.process_time()
            pattern.findall(text)
            times.append(time.process_time() - before)
        return min(times)

    assert spent(16_000) < 10 * max(spent(4_000), 0.001)

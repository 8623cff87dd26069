"""Seasons: recurring moments that memories belong to, such as release-week or end-of-sprint.

A memory of a season that is on is lifted, one of another season lowered, and none is dropped: what
is good enough stays so. A season is on if the caller says so, or if the question names it.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..text.patterns import lazy_pattern
from .graph_expansion import Ranking

# Log-odds that a memory gains in its season, as one about the place asked at does, and loses in
# another, as one whose code has changed does. Ours: no set of questions has seasons.
ON_SEASON, OFF_SEASON = 2.0, 1.0
_WORD = lazy_pattern(r"[^\W_]+")
# Between the words of a name, where it is spoken: "end of the sprint".
_ARTICLES = frozenset({"the", "a", "an", "our"})


class SeasonsOn:
    """Seasons that are on, by their names and by the words of a question."""

    def __init__(self, names: Iterable[str], question: str) -> None:
        self._names = {_words(name) for name in names}
        self._question = f" {_words(question)} "

    def includes(self, season: str) -> bool:
        """Whether a season is on: its words stand in a row in what is asked, or it bears the same
        name as one that is given."""
        words = _words(season)
        return words in self._names or (bool(words) and f" {words} " in self._question)


def in_season(ranking: Ranking, memory_ids: Iterable[int]) -> Ranking:
    """Return the same with some memories lifted, by the part `season`."""
    ranked = dict(ranking.ranked)
    for memory_id in memory_ids:
        ranked[memory_id] = ranked[memory_id].with_part("season", ON_SEASON)
    return ranking._replace(ranked=ranked)


def _words(text: str) -> str:
    """Return the words of a text in a row, without articles: those of "end of the sprint" are
    those of end-of-sprint."""
    return " ".join(word for word in _WORD.findall(text.lower()) if word not in _ARTICLES)

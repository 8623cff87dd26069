"""What the walk through a file collects: edges, each once, and counts of references."""

from __future__ import annotations

from collections import Counter
from typing import Any

from .records import Edge
from .terms import Terms
from .views import View

# The surer one first.
_HOWS = {"scope": 0, "local": 1, "only": 2, "candidate": 3, "flow": 4}

# Kind, state and how: as what a reference counts.
Count = tuple[str, str, str]


class Collected:
    """Collects edges from where the walk is.

    Attributes:
        terms, view: what terms mean; the file.
        counts: number of references by kind, state and how.
    """

    def __init__(self, terms: Terms, path: str) -> None:
        self.terms = terms
        self.view: View = terms.views[path]
        self._edges: dict[tuple[int, str, str, int], Edge] = {}
        self.counts: Counter[Count] = Counter()
        self._called_before: dict[tuple[Any, ...] | None, Count] = {}
        self._read: set[tuple[int, int, str]] = set()
        self._sites = self.view.facts.sites
        self._source = -1
        self._line = 1
        self._word = ""

    def add(
        self,
        kind: str,
        path: str,
        target: int,
        how: str,
        state: str = "resolved",
        *,
        word: str = "",
    ) -> None:
        """Add an edge from where the walk is; of several of a kind the surest is kept.

        `word` is how what is only read is written: its place is not known.
        """
        if target == self._source and kind != "calls" and path == self.view.path:
            return
        key = (self._source, kind, path, target)
        old = self._edges.get(key)
        if old is None:
            word = word or self._word
            line = 0 if word else self._line
            self._edges[key] = Edge(self._source, kind, path, target, how, state, line, word)
        elif (state, _HOWS[how]) > (old.state, -1) and _HOWS[how] < _HOWS[old.how]:
            self._edges[key] = old._replace(how=how, state=state)

    def _at(self, site: int | None) -> None:
        if site is not None:
            self._line = self._sites[site]

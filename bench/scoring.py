"""Ranking measures, and the floor that every ranking is held against."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from statistics import median

import apsw

# Deepest rank that is looked at.
DEPTH = 20
STOP_WORDS = frozenset(
    "a an the is are was were be been do does did of in on at to for with and or what when where "
    "who whom which how why has have had it its his her their he she they that this from by as "
    "about would could should will can i you me my your s t".split()
)


class Ranking:
    """Averages over questions: share of the evidence in the first k, any hit, reciprocal rank."""

    def __init__(self) -> None:
        self._questions: list[tuple[Sequence[str], frozenset[str]]] = []

    def add(self, ranked: Iterable[str], gold: Iterable[str]) -> None:
        """Count one question: names in the order they came (repeats dropped), and what was due."""
        self._questions.append((list(dict.fromkeys(ranked)), frozenset(gold)))

    def __len__(self) -> int:
        return len(self._questions)

    def value(self, metric: str) -> float:
        """Return `R@k`, `hit@k` or `MRR`."""
        name, _, depth = metric.partition("@")
        each = {"R": self._shares, "hit": self._hits, "MRR": self._reciprocals}[name]
        found = list(each(int(depth or DEPTH)))
        return sum(found) / len(found) if found else 0.0

    def _shares(self, depth: int) -> Iterator[float]:
        for ranked, gold in self._questions:
            yield len(gold.intersection(ranked[:depth])) / len(gold)

    def _hits(self, depth: int) -> Iterator[float]:
        for ranked, gold in self._questions:
            yield float(not gold.isdisjoint(ranked[:depth]))

    def reciprocals(self) -> list[float]:
        """Return the reciprocal rank of each question, in the order in which they were added."""
        return list(self._reciprocals(DEPTH))

    def _reciprocals(self, depth: int) -> Iterator[float]:
        for ranked, gold in self._questions:
            places = (1 / place for place, name in enumerate(ranked[:depth], 1) if name in gold)
            yield next(places, 0.0)


class Overlap:
    """Precision and recall of whole answers, averaged over questions."""

    def __init__(self) -> None:
        self._answers: list[tuple[float, float]] = []

    def add(self, got: Collection[str], wanted: Collection[str]) -> None:
        """Count one answer; an empty answer has precision 0 where something was wanted."""
        right = len(set(got) & set(wanted))
        self._answers.append((right / len(got) if got else 0.0, right / len(wanted)))

    @property
    def precision(self) -> float:
        """Mean share of what came that was wanted."""
        return self._mean(0)

    @property
    def recall(self) -> float:
        """Mean share of what was wanted that came."""
        return self._mean(1)

    @property
    def f1(self) -> float:
        """Harmonic mean of the two."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    def _mean(self, place: int) -> float:
        values = [answer[place] for answer in self._answers]
        return sum(values) / len(values) if values else 0.0


class PlainSearch:
    """The floor: SQLite's FTS5 with porter stems, any of the question's words, ranked by BM25."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._db = apsw.Connection(":memory:")
        self._db.execute(
            "create virtual table plain using fts5(id unindexed, body, tokenize='porter unicode61')"
        )
        self._db.executemany("insert into plain values (?, ?)", texts)

    def ask(self, question: str, *, limit: int = 100, stop: bool = False) -> list[str]:
        """Return names, best first; with `stop`, common words of the question are left out."""
        match = any_word(question, stop=stop)
        return [name for name, _ in self.scored(match, limit=limit)] if match else []

    def scored(self, match: str, *, limit: int) -> list[tuple[str, float]]:
        """Return names with their BM25, larger is better, best first."""
        found = self._db.execute(
            "select id, -bm25(plain) from plain where plain match ? order by bm25(plain) limit ?",
            (match, limit),
        )
        return [(name, score) for name, score in found]


def any_word(question: str, *, stop: bool = False) -> str:
    """Return an FTS5 expression: the question's words joined by OR."""
    words = list(dict.fromkeys(re.findall(r"[A-Za-z0-9]+", question.lower())))
    if stop:
        words = [word for word in words if word not in STOP_WORDS] or words
    return " OR ".join(f'"{word}"' for word in words)


def at_share(values: Sequence[float], share: float) -> float:
    """Return the smallest value that a share of the values does not exceed; 0 for none."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)] if ordered else 0.0


def milliseconds(ask: Callable[[str], object], question: str) -> float:
    """Return how long an answer takes."""
    before = time.perf_counter()
    ask(question)
    return (time.perf_counter() - before) * 1000


def middle(values: Sequence[float]) -> float:
    """Return the median; 0 for no values."""
    return median(values) if values else 0.0

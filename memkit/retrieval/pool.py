"""What is known of the memories a question may be answered with, before they are ranked.

Frozen records and plain look-ups: ranking reads a `Pool` and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import attrs

from .question import Question
from .records import Facts

# Occurrences of a word from this on are neither counted nor looked up: such a word tells little.
MOST_OCCURRENCES = 1_000
# A store of fewer memories says nothing about how rare words are: it is taken for one of so many.
SMALLEST = 10


class Member(NamedTuple):
    """One memory of the pool (a tuple, as `Facts`).

    Attributes:
        bm25: of the whole question, 0 where full-text search did not return it; cosine likewise.
        terms: bit i is set if it contains the question's word i. phrases: how many it contains.
        named: 0 to 1, how telling the tag, key or path is by which the question names it.
        by_path: whether that is a path, whose words need not stand in the memory's text.
        before, after: its neighbours by `next` edges.
    """

    facts: Facts
    bm25: float = 0.0
    cosine: float = 0.0
    terms: int = 0
    phrases: int = 0
    named: float = 0.0
    by_path: bool = False
    before: int | None = None
    after: int | None = None

    @property
    def id(self) -> int:
        """The memory's id."""
        return self.facts.id


@attrs.frozen
class Pool:
    """Candidates and their neighbours, with how rare the question's words are in this store.

    Attributes:
        members: every memory that is looked at, by id. candidates: those that are ranked.
        rarity: weight of each of the question's words.
        phrases: how many of the question's phrases occur anywhere.
    """

    question: Question
    members: Mapping[int, Member]
    candidates: Sequence[int]
    rarity: tuple[float, ...]
    phrases: int = 0


@attrs.frozen
class Occurrences:
    """Where a word or phrase occurs.

    Attributes:
        count: in how many memories, at most MOST_OCCURRENCES.
        ids: in which, as text, since most are only counted, and numbers take three times as long
            to read; none of what is so frequent that it says next to nothing of any of them.
    """

    count: int
    ids: Sequence[str] = ()

    @classmethod
    def of(cls, joined: str | None) -> Occurrences:
        """Return what `retrieval.occurrences` found."""
        if joined is None:
            return cls(0)
        ids = joined.split(",") if joined else ()
        return cls(len(ids) or MOST_OCCURRENCES, ids)


def rarity(count: int, *, size: int) -> float:
    """Return how telling a word is that occurs in `count` of `size` memories.

    `ln(1 + (size - count + ½) / (2·(count + ½)))`: as BM25's, yet never 0 or less; at least
    SMALLEST memories are assumed.
    """
    size = max(size, SMALLEST)
    return math.log(1 + (max(size - count, 0) + 0.5) / (2 * (count + 0.5)))

"""The candidates with what stands around them: the turns before and after, the speakers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial, reduce
from operator import or_

from ..memories.traits import ASSISTANT, USER
from .pool import Member, Pool


class View:
    """A pool as the columns of evidence read it, candidate by candidate.

    Names of people who speak in the store say *whose* words are wanted, not *which*: they count as
    speakers and not as words of the question.
    """

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.members = [pool.members[number] for number in pool.candidates]
        self.marks = [m.facts.marks for m in self.members]
        self.any_marks = reduce(or_, self.marks, 0)
        self.before = [self._at(m.before) for m in self.members]
        self.after = [self._at(m.after) for m in self.members]
        self.sessions = [m.facts.session if m.before or m.after else None for m in self.members]
        self.best_bm25 = max((m.bm25 for m in self.members), default=0.0) or 1.0
        words = [term.word for term in pool.question.terms]
        self.speakers = self._speakers()
        self.named_speakers = list(dict.fromkeys(word for word in words if word in self.speakers))
        kept = [word not in self.speakers for word in words]
        if not any(kept):
            kept = [True] * len(words)
        self.rarity = [r if keep else 0.0 for r, keep in zip(pool.rarity, kept, strict=True)]
        self.words = sum(1 << place for place, keep in enumerate(kept) if keep)
        # Not of a method: a view that holds itself would wait for Python's search for cycles.
        self.coverage: Callable[[int], float] = lru_cache(maxsize=None)(
            partial(_coverage, self.rarity)
        )

    def _at(self, number: int | None) -> Member | None:
        return None if number is None else self.pool.members.get(number)

    def _speakers(self) -> set[str]:
        """Names of people who speak in more than one of the memories; roles are no names."""
        counted: dict[str, int] = {}
        for member in self.pool.members.values():
            if (speaker := member.facts.speaker) and not member.facts.marks & (USER | ASSISTANT):
                counted[speaker] = counted.get(speaker, 0) + 1
        return {name for name, count in counted.items() if count > 1}


def _coverage(rarity: Sequence[float], terms: int) -> float:
    """Share of the question's rarity that lies in these of its words (a set of bits)."""
    held = sum(r for place, r in enumerate(rarity) if terms >> place & 1)
    return held / (sum(rarity) or 1.0)

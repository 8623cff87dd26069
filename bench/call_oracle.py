"""Calls of the code graph compared with those of an oracle (a compiler, a tracer)."""

from __future__ import annotations

from collections.abc import Iterator

import attrs


class Missing(Exception):
    """There is nothing to compare with; says in one line what is missing."""


@attrs.frozen
class CallComparison:
    """What was found, and what of it is wrong or missed.

    Attributes:
        files, found, asked: number of files, of calls found that can be judged, of calls compiled.
        wrong, missed: calls as lines of text.
        floor: precision and recall of bare names, where they were joined in the same run.
    """

    files: int
    found: int
    asked: int
    wrong: list[str]
    missed: list[str]
    floor: tuple[float, float] | None = None

    @property
    def precision(self) -> float:
        """Share of the calls found that the compiler has as well."""
        return 1 - len(self.wrong) / max(1, self.found)

    @property
    def recall(self) -> float:
        """Share of the compiler's calls that were found."""
        return 1 - len(self.missed) / max(1, self.asked)

    def lines(self, *, listed: int = 0) -> Iterator[str]:
        """Yield figures, and about so many of the calls that are wrong and missed."""
        yield f"files {self.files}, calls found {self.found}, compiled {self.asked}"
        told = f"precision {self.precision:.3f}  recall {self.recall:.3f}"
        if self.floor is not None:
            told += f"  (bare names {self.floor[0]:.3f}  {self.floor[1]:.3f})"
        yield told
        for word, calls in (("wrong", self.wrong), ("missed", self.missed)):
            step = max(1, len(calls) // listed) if listed else 1
            for call in calls[::step] if listed else ():
                yield f"{word} {call}"

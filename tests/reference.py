"""Slow and obvious versions of what memkit does quickly; tests hold the quick ones to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

Edge = tuple[int, int, str, float]


def reach(edges: Iterable[Edge], seeds: Iterable[int], depth: int) -> dict[int, int]:
    """Return the least number of steps from any seed to each node within `depth` steps.

    Edges are walked in both directions.
    """
    pairs = [(src, dst) for src, dst, _, _ in edges]
    pairs += [(dst, src) for src, dst in pairs]
    steps = dict.fromkeys(seeds, 0)
    border = set(steps)
    for step in range(1, depth + 1):
        border = {dst for src, dst in pairs if src in border and dst not in steps}
        steps |= dict.fromkeys(border, step)
    return steps


def best_scores(
    edges: Iterable[Edge], seeds: Mapping[int, float], depth: int, decay: float
) -> dict[int, float]:
    """Return the score of each node's best path: seed score × weights × decay per step."""
    both = [(a, b, w) for a, b, _, w in edges] + [(b, a, w) for a, b, _, w in edges]
    best = dict(seeds)
    for _ in range(depth):
        before = dict(best)
        for src, dst, weight in both:
            if src in before:
                best[dst] = max(best.get(dst, 0.0), before[src] * weight * decay)
    return best


@attrs.define
class Row:
    """A memory as the model below knows it."""

    text: str
    active: bool = True
    strength: int = 1
    pinned: bool = False
    superseded_by: int | None = None
    tags: frozenset[str] = frozenset()


class Model:
    """What a store of plain statements should hold after any sequence of verbs."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.purged: set[int] = set()

    def same(self, text: str) -> int | None:
        """Return the memory that the same statement strengthens, if any: active ones first."""
        found = [n for n, r in self.rows.items() if r.text == text and r.superseded_by is None]
        return max(found, key=lambda n: (self.rows[n].active, n), default=None)

    def remember(self, number: int, text: str) -> None:
        """Store a new statement, or strengthen and revive the one that is there."""
        if number in self.rows:
            self.rows[number].strength += 1
            self.rows[number].active = True
        else:
            self.rows[number] = Row(text)

    def supersede(self, old: int, new: int) -> None:
        """Let one memory take the place of another."""
        self.rows[old].superseded_by = new
        self.rows[old].active = False

    def restore(self, number: int) -> None:
        """Bring a memory back."""
        self.rows[number].superseded_by = None
        self.rows[number].active = True

    def purge(self, number: int) -> None:
        """Forget that a memory ever was; what it superseded stays inactive."""
        del self.rows[number]
        self.purged.add(number)
        for row in self.rows.values():
            if row.superseded_by == number:
                row.superseded_by = None

    def successors(self, number: int) -> set[int]:
        """Return everything that superseded a memory, directly or not."""
        found: set[int] = set()
        after = self.rows[number].superseded_by
        while after is not None and after not in found:
            found.add(after)
            after = self.rows[after].superseded_by
        return found

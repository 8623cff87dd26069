"""Hits of two stores in one list."""

from __future__ import annotations

import attrs

from .records import Recall


def merged(own: Recall, other: Recall, *, limit: int) -> Recall:
    """Return the hits of both, best first, at most `limit`; equal texts come once, own first."""
    seen: set[str] = set()
    hits = []
    for hit in sorted((*own, *other), key=lambda hit: -hit.score):
        if hit.memory.text not in seen:
            seen.add(hit.memory.text)
            hits.append(hit)
    left_out = [score for score in (own.best_left_out, other.best_left_out) if score is not None]
    notes = tuple(dict.fromkeys((*own.notes, *other.notes)))
    shown = own.shown_before + other.shown_before
    return Recall(tuple(hits[:limit]), notes, max(left_out, default=None), shown)


def told_shown(found: Recall) -> Recall:
    """Return the same hits with a note of what was kept back because it was shown before."""
    shown = found.shown_before
    if not shown:
        return found
    were = "memory that matches was" if shown == 1 else "memories that match were"
    return noted(
        found,
        f"{shown} {were} shown to this session already; ask without a session to see them again",
    )


def noted(found: Recall, note: str) -> Recall:
    """Return the same hits with one more note."""
    return attrs.evolve(found, notes=(*found.notes, note))

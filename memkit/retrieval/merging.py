"""Hits of two stores in one list."""

from __future__ import annotations

import attrs

from .records import Recall, Why


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


def placed_among(found: Why, hits: Recall, *, limit: int) -> Why:
    """Return what became of a hit of one store among the hits of both."""
    ids = [hit.id for hit in hits]
    if found.id in ids[:limit]:
        return found
    if found.id in ids:
        place = ids.index(found.id) + 1
        text = (
            f"memory {found.id} is number {place} of both stores; a limit of {limit} returns fewer"
        )
        return attrs.evolve(found, present=False, stage="limit", explanation=text)
    said = None if found.hit is None else found.hit.memory.text
    twins = [hit.id for hit in hits if hit.memory.text == said]
    if not twins:
        return found
    text = f"memory {twins[0]} of the other store says the same"
    return attrs.evolve(found, present=False, stage="duplicate", explanation=text)


def told_shown(found: Recall) -> Recall:
    """Return the same hits with a note of what was kept back because it was shown before."""
    shown = found.shown_before
    if not shown:
        return found
    were = "memory that matches was" if shown == 1 else "memories that match were"
    return with_note(
        found,
        f"{shown} {were} shown to this session already; ask without a session to see them again",
    )


def with_note(found: Recall, note: str) -> Recall:
    """Return the same hits with one more note."""
    return attrs.evolve(found, notes=(*found.notes, note))

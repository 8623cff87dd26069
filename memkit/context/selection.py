"""Selection of memories for a prompt: which of the recalled come in, and how many."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from ..retrieval.records import EpisodeHit, Hit, RecallResult
from .assembled import LeftOut


@attrs.frozen
class Selection:
    """What is known that bears on a prompt, best first, and what was left out with the reason.

    Attributes:
        episodes: tasks, errors and failed attempts. notes: what was not possible.
    """

    hits: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    episodes: tuple[EpisodeHit, ...] = ()
    notes: tuple[str, ...] = ()


def select_memories(
    recall: Callable[..., RecallResult],
    prompt: str,
    *,
    limit: int,
    session: str | None = None,
    near: str | None = None,
    task: str | None = None,
) -> Selection:
    """Return the memories and episodes that come in for a prompt, at most `limit` memories."""
    answer = recall(prompt, limit=limit, session=session, near=near, task=task)
    left_out: tuple[LeftOut, ...] = ()
    if answer.shown_before:
        left_out = (LeftOut(f"{answer.shown_before} memories", "served to this session before"),)
    notes = tuple(note for note in answer.notes if "shown to this session" not in note)
    return Selection(answer.hits, left_out, answer.episodes, notes)

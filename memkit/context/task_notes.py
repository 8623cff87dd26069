"""Task notes as candidates: what the task under way noted for itself, within its share.

Notes that fit come whole, the most important first; what is left of the share (seed 003) goes
to the next one, shortened. A task is one that is named, or those that run in the session that asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..episodes.recording import normalizer
from ..text.analyzer import words_of
from ..text.extractive import summarize
from ..tokens import estimate
from .allocation import SPLIT, Share
from .assembled import Candidate, LeftOut, Level
from .backend import ContextItem, ItemKind, task_items, wall
from .selection import ITEM_TOKENS, SHORTEST_PART
from .tiers import Tier

if TYPE_CHECKING:
    from .ports import OpenKit
    from .sources import Moment


def task_notes(kit: OpenKit, moment: Moment) -> tuple[list[Candidate], list[LeftOut]]:
    """Return what the task of a moment noted, as far as its share goes, and the rest of it."""
    name = moment.signals.task
    items = task_items(
        kit._store,
        project=wall(kit.project),
        task=None if name is None else normalizer.name(name, what="signals.task"),
        session=moment.session,
    )
    ranked = sorted(items, key=lambda item: (-(item.importance or 0.0), item.timestamp, item.id))
    return _within(ranked, int(moment.budget * SPLIT[Share.TASK]), moment.question)


def _within(
    items: Sequence[ContextItem], share: int, question: str
) -> tuple[list[Candidate], list[LeftOut]]:
    taken: list[Candidate] = []
    waiting: list[ContextItem] = []
    for item in items:
        cost = _count(item.text) + ITEM_TOKENS
        if cost <= share:
            taken.append(_candidate(item, Level("full", item.text)))
            share -= cost
        else:
            waiting.append(item)
    if waiting and share >= SHORTEST_PART + ITEM_TOKENS:
        room, focus = share - ITEM_TOKENS, words_of(question)
        text = summarize(waiting[0].text, max_tokens=room, count=_count, focus=focus)
        if text:
            taken.append(_candidate(waiting.pop(0), Level("shortened", text)))
    reason = "no room in the share of the task's notes"
    return taken, [LeftOut(item.id, reason, item.text) for item in waiting]


def _count(text: str) -> int:
    """Return the tokens of a text as it is rendered, its lines indented."""
    return estimate(text.replace("\n", "\n  "))


def _candidate(item: ContextItem, level: Level) -> Candidate:
    tool = item.payload.get("tool")
    label = f"output of {tool}" if item.kind == ItemKind.TOOL_OUTPUT and tool else str(item.kind)
    reasons = ("noted by the task under way",)
    return Candidate(
        Tier.RELEVANT, "task notes", item.id, label, (level,), at=item.timestamp, reasons=reasons
    )

"""Levels of detail of a memory: index, compressed, summary, full; the way down to the full."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from .. import tokens
from ..errors import NotFound
from ..frozen import frozen
from ..memories import outcomes
from ..validation import member
from .spans import handle_number, read_span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..memories.records import Memory
    from .ports import OpenKit
    from .spans import RemovedSpan


class LevelName(StrEnum):
    """Level of detail (seed 004, Compression Strategies), the shortest first."""

    INDEX = "index"
    COMPRESSED = "compressed"
    SUMMARY = "summary"
    FULL = "full"


@frozen
class MemoryLevel:
    """A memory at one level of detail.

    Attributes:
        memory_id: the memory. text: what it says at this level. tokens: those of the text (o200k).
        fuller: levels that say more of it, the next one first; none of the full text.
    """

    memory_id: int
    level: LevelName
    text: str
    tokens: int
    fuller: tuple[LevelName, ...] = ()


def full_text(memory: Memory) -> str:
    """Return all that a memory says: its text, the parts of a procedure that are not in it, and how
    it fared."""
    if memory.procedure is None:
        return memory.text
    procedure = memory.procedure
    are_said = all(step in memory.text for step in procedure.steps)
    parts = (
        ("steps", "" if are_said else " → ".join(procedure.steps)),
        ("needs", "; ".join(procedure.prerequisites)),
        ("heed", "; ".join((*procedure.warnings, *outcomes.warnings(memory.outcomes)))),
        ("so far", outcomes.rates(memory.outcomes)),
    )
    return "\n".join([memory.text, *(f"{name}: {text}" for name, text in parts if text)])


def level_texts(memory: Memory) -> dict[LevelName, str]:
    """Return the levels that a memory has, the shortest first."""
    texts = {
        LevelName.INDEX: memory.index_entry,
        LevelName.COMPRESSED: memory.compressed,
        LevelName.SUMMARY: memory.summary,
        LevelName.FULL: full_text(memory),
    }
    return {level: text for level, text in texts.items() if text}


def next_level(memory: Memory, seen: LevelName) -> MemoryLevel:
    """Return the next level that says more than the one a reader has seen; the full text is the
    last."""
    texts = level_texts(memory)
    fuller = tuple(_fuller(seen, texts)) or (LevelName.FULL,)
    level, *rest = fuller
    text = texts[level]
    return MemoryLevel(memory.id, level, text, tokens.count(text), tuple(rest))


def _fuller(seen: LevelName, texts: dict[LevelName, str]) -> Iterator[LevelName]:
    order = list(LevelName)
    yield from (level for level in texts if order.index(level) > order.index(seen))


def expanded(kit: OpenKit, handle: int | str, seen: LevelName | str) -> RemovedSpan | MemoryLevel:
    """Return what was removed under a handle, or more of the memory of that id."""
    level = member(LevelName, seen, name="seen")
    try:
        return read_span(kit._store, handle)
    except NotFound as missing:
        [*memories] = kit.memories.get_many([handle_number(handle)])
        if not memories:
            raise missing
        return next_level(memories[0], level)

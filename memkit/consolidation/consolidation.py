"""Facade of living memory: what use, time and outcomes do to what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import feedback

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..memories.reader import MemoryRefs
    from ..memories.records import Memory


class Consolidation:
    """Facade of living memory; every verb is one transaction."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the open file."""
        self._kit = kit

    # -- feedback

    def used(self, references: MemoryRefs, *, helpful: bool = True) -> list[Memory]:
        """Note that memories were used and helped; return them as they now stand.

        They are believed more, and for longer, and stand a little higher for a day or two. Not
        `helpful`: they were acted on, and misled. What is plainly wrong is to be forgotten or
        superseded instead. How far belief moves is bounded, by day and in all.
        """
        return feedback.used(self._kit, references, helpful=helpful)

    def cited(self, references: MemoryRefs, action: str) -> list[Memory]:
        """Note that memories influenced an action, a use that helped; return them as they now
        stand. `action` says which: an edit, a command, an answer."""
        return feedback.cited(self._kit, references, action)

    def ignored(self, references: MemoryRefs) -> list[Memory]:
        """Note that memories were served and nothing was done with them; return them as they now
        stand. It is counted, and moves no belief: most of what is served is for another day."""
        return feedback.ignored(self._kit, references)

    def rejected(self, references: MemoryRefs) -> list[Memory]:
        """Note that memories came back and were of no use; return them as they now stand. They are
        believed a little less."""
        return feedback.rejected(self._kit, references)

    def undo_feedback(self, event: int) -> Memory:
        """Take back what was told of a memory once, as though it had never been told, whatever
        came after; return the memory as it now stands.

        `event` is the number of the entry in its audit (`memories.details(…).audit`). Raises
        NotFound for any other number, InvalidInput if it was undone already.
        """
        return feedback.undo(self._kit, event)

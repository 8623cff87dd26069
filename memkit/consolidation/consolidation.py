"""Consolidation facade."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..memories.records import RememberResult
    from .code_patterns import CodePattern


# --- `kit.consolidation`: what becomes of memories as they grow old. Wiring only.


class Consolidation:
    """What is made of memories, of recorded work and of code as a store grows old."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that is consolidated."""
        self._kit = kit

    def find_patterns(
        self, *, limit: int = 10, seconds: int = 20, dry_run: bool = False
    ) -> list[CodePattern]:
        """Return the shapes that functions of the indexed code repeat in at least three files, the
        most telling first, and remember each as a memory of form pattern, once; one that the code
        shows no more is forgotten. Reading takes `seconds` at most. With `dry_run` nothing is
        written. Raises InvalidInput."""
        from .. import validation
        from .pattern_memories import find_patterns

        return find_patterns(
            self._kit,
            limit=validation.integer(limit, name="limit"),
            seconds=validation.integer(seconds, name="seconds"),
            dry_run=validation.boolean(dry_run, name="dry_run"),
        )

    def remember_task(self, task: str) -> RememberResult:
        """Remember what a task that has ended came to, as a memory of form episode, with the files,
        commits, pull requests and decision records that belong to it; again brings it up to date.
        Raises NotFound, and InvalidInput for a task under way."""
        from .. import validation
        from .episode_memories import remember_task

        return remember_task(self._kit, validation.text(task, name="task"))

    def remember_session(self, session: str) -> RememberResult:
        """Remember what the ended tasks of a session came to, as one memory of form episode; again
        brings it up to date. Raises InvalidInput for a session without any."""
        from .. import validation
        from .episode_memories import remember_session

        return remember_session(self._kit, validation.text(session, name="session"))

"""Feedback: what is said of memories that were served, and what their use shows by itself.

The arithmetic is `memories/confidence.py`. Every change is logged in the audit, with what was
before and after, and can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .. import validation
from ..memories.confidence import (
    CITED,
    HELPED,
    IGNORED,
    MISLED,
    REJECTED,
    Feedback,
    has_feedback,
    undo_feedback,
    weigh,
)
from ..memories.ingest import safe_text
from ..memories.records import Memory

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..memories.memories import Memories
    from ..memories.reader import MemoryRefs

# Letters of an action that are noted.
MAX_ACTION = 500


def used(kit: OpenKit, references: MemoryRefs, *, helpful: bool = True) -> list[Memory]:
    """Note that memories were used, and helped or misled; return them as they now stand."""
    is_helpful = validation.boolean(helpful, name="helpful")
    return _tell(kit, references, HELPED if is_helpful else MISLED)


def cited(kit: OpenKit, references: MemoryRefs, action: str) -> list[Memory]:
    """Note that memories influenced an action, which is said; return them as they now stand."""
    said = safe_text(validation.named(action, name="action"), name="action").text[:MAX_ACTION]
    return _tell(kit, references, CITED, action=said)


def ignored(kit: OpenKit, references: MemoryRefs) -> list[Memory]:
    """Note that memories were served and not used, which moves no belief; return them."""
    return _tell(kit, references, IGNORED)


def rejected(kit: OpenKit, references: MemoryRefs) -> list[Memory]:
    """Note that memories came back and were of no use; return them as they now stand."""
    return _tell(kit, references, REJECTED)


def undo(kit: OpenKit, entry: int) -> Memory | None:
    """Take back what was told of a memory, by the number it has in the audit; return the memory,
    None if neither this store nor the global one has such an entry."""
    home: Memories | None = kit.memories
    if not has_feedback(kit.memories._store, entry):
        other = kit.memories._reachable()
        if other is None or not has_feedback(other._store, entry):
            return None
        home = kit.memories._global_store.memories(writes=True)
    store = (home or kit.memories)._store
    return kit.memories.get(store.write(lambda: undo_feedback(store, entry)))


def _tell(kit: OpenKit, references: MemoryRefs, feedback: Feedback, **noted: str) -> list[Memory]:
    ids: Iterable[int] = kit.memories._at_home(
        references, lambda home, some: weigh(home._store, some, feedback, **noted)
    )
    return kit.memories.get_many(ids)

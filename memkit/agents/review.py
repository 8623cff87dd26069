"""Review: candidates that wait for a confirmation, and their acceptance or rejection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import validation
from ..errors import NotFound
from ..memories import reviews
from ..memories.ingest import safe_text
from ..memories.reader import MemoryRefs, ids_of
from ..memories.records import Draft, InactiveCode, Memory, ReviewState

if TYPE_CHECKING:
    from ..context.ports import OpenKit

PER_SESSION = 5
"""Candidates that one session may leave: what it said most plainly first."""

MAX_PENDING = 200
"""Candidates that wait at once; beyond, those that have waited longest are forgotten."""

_REJECTED = "rejected in review"
_EXPIRED = "nobody confirmed it"


class Review:
    """Candidates that were extracted and wait: each is a memory, believed little, until it is
    confirmed by use (`consolidation.used`), said again, accepted, rejected, or too old."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that holds them."""
        self._memories, self._store, self._project = kit.memories, kit._store, kit.project

    def pending(self, *, limit: int = 50) -> list[Memory]:
        """Return the memories that wait, newest first."""
        count = validation.integer(limit, name="limit")
        return self._memories.get_many(reviews.pending(self._store, self._project, limit=count))

    def accept(self, references: MemoryRefs) -> list[Memory]:
        """Take memories that wait for what was told; return them as they now stand. They are
        believed as what a person said. Raises NotFound if one does not wait."""
        ids = self._waiting(references)
        self._store.write(lambda: reviews.accept(self._store, ids))
        return self._memories.get_many(ids)

    def reject(self, references: MemoryRefs, *, reason: str | None = None) -> list[Memory]:
        """Forget memories that wait; return them as they now stand. The same is not extracted
        again. Raises NotFound if one does not wait."""
        ids = self._waiting(references)
        safe = None if reason is None else safe_text(reason, name="reason").text
        self._settle(ids, ReviewState.REJECTED, f"{_REJECTED}: {safe}" if safe else _REJECTED)
        return self._memories.get_many(ids)

    # -- inside

    def _offer(
        self, drafts: Sequence[Draft], *, session: str | None
    ) -> tuple[list[int], list[Draft]]:
        """Remember candidates as memories that wait; return their ids, and those that were too many
        for their session. What is known is to be left out by the caller."""
        taken = reviews.session_count(self._store, self._project, session) if session else 0
        room = max(PER_SESSION - taken, 0)
        ranked = sorted(drafts, key=lambda draft: -draft.confidence)
        done = self._memories._remember_many(ranked[:room], note=self._note)
        if overdue := reviews.overdue(self._store, self._project, max_pending=MAX_PENDING):
            self._settle(overdue, ReviewState.EXPIRED, _EXPIRED)
        return [result.id for result in done], ranked[room:]

    def _waiting(self, references: MemoryRefs) -> list[int]:
        ids = ids_of(references)
        memories = {memory.id: memory for memory in self._memories.get_many(ids)}
        for memory_id in ids:
            if memory_id not in memories or not memories[memory_id].is_unconfirmed:
                raise NotFound(
                    f"memory {memory_id} does not wait for a review; 'memkit review' lists those "
                    "that do"
                )
        return ids

    def _note(self, drafts: Sequence[Draft], ids: list[int]) -> None:
        for draft, memory_id in zip(drafts, ids, strict=True):
            reviews.offer(self._store, memory_id, draft.reason)

    def _settle(self, ids: Sequence[int], state: ReviewState, reason: str) -> None:
        def write() -> None:
            reviews.settle(self._store, ids, state, reason)
            self._memories._forget(list(ids), reason, InactiveCode.FORGOTTEN)

        self._store.write(write)

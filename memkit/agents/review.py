"""Review: candidates that wait for a confirmation, and their acceptance or rejection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .. import validation
from ..errors import NotFound
from ..memories.ingest import safe_text
from ..memories.reader import MemoryRefs, ids_of
from ..memories.records import Draft, InactiveCode, Memory, Provenance, ReviewState
from .extraction import Dropped

if TYPE_CHECKING:
    from ..context.ports import OpenKit

PER_SESSION = 5
"""Candidates that one session may leave: what it said most plainly first."""

MAX_PENDING = 200
"""Candidates that wait at once; beyond, those that have waited longest are forgotten."""

ACCEPTED_CONFIDENCE = 0.9
"""Belief in what a person accepted: it was said, though not to be remembered."""

_REJECTED = "rejected in review"
_EXPIRED = "nobody confirmed it"
_LAST_ID = (1 << 63) - 1


class Review:
    """Candidates that were extracted and wait: each is a memory, believed little, until it is
    confirmed by use (`memories.confirm`), said again, accepted, rejected, or too old."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that holds them."""
        self._kit = kit

    def pending(self, *, limit: int = 50) -> list[Memory]:
        """Return the memories that wait, newest first."""
        count = validation.integer(limit, name="limit")
        rows = self._kit._store.all(
            "memories_reviews.pending", project=self._kit.project, before=_LAST_ID, limit=count
        )
        return self._kit.memories.get_many([number for (number,) in rows])

    def accept(self, references: MemoryRefs) -> list[Memory]:
        """Take memories that wait for what was told; return them as they now stand. They are
        believed as what a person said. Raises NotFound if one does not wait."""
        ids = self._waiting(references)
        self._kit._store.write(lambda: self._accept(ids))
        return self._kit.memories.get_many(ids)

    def reject(self, references: MemoryRefs, *, reason: str | None = None) -> list[Memory]:
        """Forget memories that wait; return them as they now stand. The same is not extracted
        again. Raises NotFound if one does not wait."""
        ids = self._waiting(references)
        why = (
            _REJECTED if reason is None else f"{_REJECTED}: {safe_text(reason, name='reason').text}"
        )
        self._kit._store.write(lambda: self._settle(ids, ReviewState.REJECTED, why))
        return self._kit.memories.get_many(ids)

    def offer(
        self, drafts: Sequence[Draft], *, session: str | None = None
    ) -> tuple[list[int], list[Dropped]]:
        """Remember candidates as memories that wait; return their ids, and what was one too many
        for its session. The same ones are to be left out by the caller."""
        store, project = self._kit._store, self._kit.project
        taken = store.value("memories_reviews.session_count", project=project, session=session)
        room = max(PER_SESSION - (taken if session else 0), 0)
        ranked = sorted(drafts, key=lambda draft: -draft.confidence)
        chosen, rest = ranked[:room], ranked[room:]
        ids = [result.id for result in self._kit.memories._remember_many(chosen, note=self._note)]
        why = f"is one more than the {PER_SESSION} of a session"
        self._let_go()
        return ids, [Dropped(draft.text, why) for draft in rest]

    # -- inside

    def _waiting(self, references: MemoryRefs) -> list[int]:
        ids = ids_of(references)
        for memory in (memories := self._kit.memories.get_many(ids)):
            if memory.review is not ReviewState.PENDING:
                raise NotFound(
                    f"memory {memory.id} does not wait for a review; see 'memkit review'"
                )
        if missing := set(ids) - {memory.id for memory in memories}:
            raise NotFound(f"memory {min(missing)}: there is none; see 'memkit review'")
        return ids

    def _note(self, drafts: Sequence[Draft], ids: list[int]) -> None:
        store, at = self._kit._store, self._kit._store.now()
        for draft, number in zip(drafts, ids, strict=True):
            store.run("memories_reviews.offer", id=number, reason=draft.reason, at=at)

    def _accept(self, ids: Sequence[int]) -> None:
        for number in ids:
            self._raise(number)

    def _raise(self, number: int) -> None:
        store, at = self._kit._store, self._kit._store.now()
        confidence = ACCEPTED_CONFIDENCE
        store.run("memories_reviews.accept", id=number, at=at)
        store.run("memories_reviews.raise_confidence", id=number, confidence=confidence, at=at)
        store.run(
            "memories.add_provenance", id=number, at=at, source=Provenance.STATED, session=None,
            snippet=None, reason="accepted in review",
        )  # fmt: skip
        store.audit("accept", number, confidence=confidence)

    def _settle(self, ids: Sequence[int], state: ReviewState, reason: str) -> None:
        store, at = self._kit._store, self._kit._store.now()
        for number in ids:
            store.run("memories_reviews.settle", id=number, state=state, reason=reason, at=at)
        self._kit.memories._forget(list(ids), reason, InactiveCode.FORGOTTEN)

    def _let_go(self) -> None:
        """Forget those that have waited longest, if too many wait."""
        store, project = self._kit._store, self._kit.project
        waiting = store.value("memories_reviews.pending_count", project=project)
        if waiting <= MAX_PENDING:
            return
        limit = waiting - MAX_PENDING
        rows = store.all("memories_reviews.oldest_pending", project=project, limit=limit)
        ids = [number for (number,) in rows]
        store.write(lambda: self._settle(ids, ReviewState.EXPIRED, _EXPIRED))

"""Facade of living memory: what use, time and outcomes do to what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import validation
from . import clusters as grouping
from . import feedback, gaps, implicit_use, procedure_outcomes, similarity

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..memories.outcomes import StepOutcome
    from ..memories.reader import MemoryRefs
    from ..memories.records import Memory, MemoryRef
    from ..retrieval.records import Gap
    from .clusters import Cluster, ClusterReport
    from .implicit_use import UseReport
    from .similarity import SimilarMemory

DEFAULT_LIMIT = 10


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

    def undo_feedback(self, entry: int) -> Memory:
        """Take back what was told of a memory once, as though it had never been told, whatever
        came after; return the memory as it now stands.

        `entry` is its number in the memory's audit (`memories.details(…).audit`). Raises
        NotFound for any other number, InvalidInput if it was undone already.
        """
        return feedback.undo(self._kit, entry)

    def notice_use(self, session: str) -> UseReport:
        """Count what a recorded session used of the memories that it was shown: those whose rare
        names turn up in its next edits and commands, told by nothing else, are cited, the others
        ignored. Once for each memory and session; hooks do it when a session ends."""
        return implicit_use.notice_use(self._kit, validation.named(session, name="session"))

    # -- procedures

    def note_outcome(
        self,
        reference: MemoryRef,
        outcome: StepOutcome | str,
        *,
        step: int | None = None,
        note: str | None = None,
        session: str | None = None,
    ) -> Memory:
        """Note what came of a procedure that was followed, or of one of its steps (`step`, from 1):
        succeeded, failed or skipped; return it as it now stands, its `outcomes` with the rates.

        A step that fails repeatedly is said as a warning. Raises InvalidInput for a memory that is
        no procedure, or a step that it has not.
        """
        return procedure_outcomes.note_outcome(
            self._kit, reference, outcome, step=step, note=note, session=session
        )

    def observe_outcomes(self, session: str) -> list[Memory]:
        """Note how the procedures fared whose steps a recorded session ran in their order, and
        return them; once for each procedure and session. Hooks do it when a session ends."""
        name = validation.named(session, name="session")
        ids = procedure_outcomes.observe_outcomes(self._kit, name)
        return self._kit.memories.get_many(ids)

    # -- gaps

    def close_gap(self, gap: str) -> Gap:
        """Close a question that was asked in vain and needs no answer, by one of its `ids`; return
        it. Asked in vain again, it is open again. Raises NotFound for an id that no gap has."""
        return gaps.close_gap(self._kit, gap)

    def close_answered_gaps(self) -> list[Gap]:
        """Close the questions asked in vain that what was remembered since answers; return them.
        One is open again if its answer is forgotten. Hooks do it when a session ends."""
        return gaps.close_answered(self._kit)

    # -- clusters

    def clusters(self) -> list[Cluster]:
        """Return the clusters of memories that are close in meaning, the largest first; they are
        looked for if nobody has yet, and what was remembered since is sorted in."""
        kit = self._kit
        kit._index.ensure()
        if not kit._store.readonly:
            if grouping.is_made(kit._store):
                grouping.keep_up(kit._store, kit._index)
            else:
                grouping.refresh(kit._store, kit._index)
        return grouping.shown(kit._store, kit.project)

    def refresh_clusters(self) -> ClusterReport:
        """Make the clusters anew from all vectors; those whose members are mostly the same keep
        their ids and labels. Raises StoreReadOnly."""
        self._kit._index.ensure()
        return grouping.refresh(self._kit._store, self._kit._index)

    def similar(self, reference: MemoryRef, limit: int = DEFAULT_LIMIT) -> list[SimilarMemory]:
        """Return the memories nearest to one by meaning, the likest first, with the cluster that
        both lie in; where there are no vectors, by shared words and tags. Raises NotFound for one
        that is not there."""
        count = validation.integer(limit, name="limit")
        kit = self._home(reference)
        kit._index.ensure()
        return similarity.similar(kit, kit.memories.get(reference), limit=count)

    # -- internals

    def _home(self, reference: MemoryRef) -> OpenKit:
        """Return the store in which a memory lies: this one, or the global one."""
        is_global = self._kit.memories._is_global(reference)
        home = self._kit._global.reader() if is_global else None
        return home or self._kit

"""Facade of living memory: what use, time and outcomes do to what is remembered.

The arithmetic of feedback is `memories/confidence.py`. What is told of a memory is logged in the
audit, with what was before and after, and can be undone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

import attrs

from .. import validation
from ..errors import InvalidInput, NotFound
from ..memories.confidence import (
    CITED,
    HELPED,
    IGNORED,
    MISLED,
    REJECTED,
    has_feedback,
    undo_feedback,
    weigh,
)
from ..memories.ingest import safe_text
from ..memories.records import memory_id
from . import clusters as grouping
from . import (
    contradiction_scan,
    feedback,
    forgetting,
    gaps,
    observed_memories,
)
from . import runs as running
from .plan import ChangeAction, RunEnvironment, Step
from .runs import STEPS, UndoReport

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..memories.confidence import Feedback
    from ..memories.memories import Memories
    from ..memories.outcomes import StepOutcome
    from ..memories.reader import MemoryRefs
    from ..memories.records import Memory, MemoryRef, RememberResult
    from ..retrieval.records import Gap
    from ..store.store import Store
    from .clusters import Cluster, ClusterReport, SimilarMemory
    from .code_patterns import CodePattern
    from .contradiction_scan import Judge, ScanReport
    from .feedback import UseReport
    from .runs import ConsolidationChange, ConsolidationReport, ConsolidationRun

# Letters of an action that are noted.
_MAX_ACTION = 500


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
        is_helpful = validation.boolean(helpful, name="helpful")
        return self._tell(references, HELPED if is_helpful else MISLED)

    def cited(self, references: MemoryRefs, action: str) -> list[Memory]:
        """Note that memories influenced an action, a use that helped; return them as they now
        stand. `action` says which: an edit, a command, an answer."""
        said = safe_text(validation.named(action, name="action"), name="action").text
        return self._tell(references, CITED, action=said[:_MAX_ACTION])

    def ignored(self, references: MemoryRefs) -> list[Memory]:
        """Note that memories were served and nothing was done with them; return them as they now
        stand. It is counted, and moves no belief: most of what is served is for another day."""
        return self._tell(references, IGNORED)

    def rejected(self, references: MemoryRefs) -> list[Memory]:
        """Note that memories came back and were of no use; return them as they now stand. They are
        believed a little less."""
        return self._tell(references, REJECTED)

    def notice_use(self, session: str) -> UseReport:
        """Count what a recorded session used of the memories that it was shown: those whose rare
        names turn up in its next edits and commands, told by nothing else, are cited, the others
        ignored. Once for each memory and session; hooks do it when a session ends."""
        return feedback.notice_use(self._kit, validation.named(session, name="session"))

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
        return feedback.note_outcome(
            self._kit, reference, outcome, step=step, note=note, session=session
        )

    def observe_outcomes(self, session: str) -> list[Memory]:
        """Note how the procedures fared whose steps a recorded session ran in their order, and
        return them; once for each procedure and session. Hooks do it when a session ends."""
        name = validation.named(session, name="session")
        ids = feedback.observe_outcomes(self._kit, name)
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

    # -- contradictions

    def scan_contradictions(
        self,
        *,
        judge: Judge | None = None,
        max_calls: int = contradiction_scan.MAX_CALLS,
        everything: bool = False,
        dry_run: bool = False,
    ) -> ScanReport:
        """Hold memories against the likeliest others, and note what contradicts, updates or repeats
        what; both sides stay. What was noted or decided before is not raised again. Compared are
        those that are new or were changed since the last scan, or `everything`.

        `judge` takes two memories, the older one first, and says how they stand to each other
        ("contradiction", "update", "duplicate", "distinct", or None); it is asked `max_calls` times
        at most, once for each pair of texts. It is asked about open contradictions first, but those
        that a caller stated, and closes those that are none. `dry_run` notes nothing.
        """
        store, index = self._kit._store, self._kit._index
        index.ensure()
        return contradiction_scan.scan(
            store,
            index,
            judge=judge,
            max_calls=max_calls,
            everything=everything,
            dry_run=dry_run,
        )

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

    def similar(self, reference: MemoryRef, limit: int = 10) -> list[SimilarMemory]:
        """Return the memories nearest to one by meaning, the likest first, with the cluster that
        both lie in; where there are no vectors, by shared words and tags. Raises NotFound for one
        that is not there."""
        count = validation.integer(limit, name="limit")
        kit = self._home(reference)
        kit._index.ensure()
        return grouping.similar(kit, kit.memories.get(reference), limit=count)

    # -- runs

    def _run(
        self,
        *,
        dry_run: bool = False,
        steps: Collection[str] | str | None = None,
        judge: Judge | None = None,
    ) -> ConsolidationReport:
        """Do the steps of consolidation; see `Memkit.consolidate`."""
        chosen = _steps(steps)
        is_dry = validation.boolean(dry_run, name="dry_run")
        names = [step.name for step in chosen]
        if judge is not None and "contradictions" not in names:
            raise InvalidInput("judge: none of the steps asks one; add contradictions, or leave it")
        self._kit._index.ensure()
        notes: tuple[str, ...] = ()
        if judge is not None and not is_dry:
            notes = contradiction_scan.ask_judge(self._kit._store, self._kit._index, judge)
        environment, options = self._environment, {"steps": names}
        report = running.consolidate(chosen, environment, options=options, dry_run=is_dry)
        return attrs.evolve(report, notes=(*report.notes, *notes))

    def undo(self, entry: int | Literal["last"]) -> UndoReport:
        """Take back a run, or what was told of a memory once, by its number in `runs` or in the
        memory's audit (`memories.details(…).audit`); "last" is the newest that stands of what
        somebody ran or told.

        What was changed since a run stays as it is, and is named; what was merged is not merged
        again. Feedback is taken back as though it had never been told, whatever came after. Raises
        NotFound for any other number, InvalidInput for what cannot be undone, or was already.
        """
        store = self._kit._store
        self._kit._index.ensure()
        number = _run_number(entry, name="entry") if entry != "last" else _last(store)
        # Both are times to the second with random digits behind; of two alike the run is meant.
        if store.first("consolidation.run_to_undo", id=number) is not None:
            return running.undo(self._environment, number)
        if (memory := self._undo_feedback(number)) is not None:
            return UndoReport(rows=1, memory=memory)
        raise NotFound(
            f"no run and no feedback has the number {number}; 'memkit audit' lists runs, and "
            "'memkit show ID' what was told of a memory"
        )

    def runs(self, *, limit: int = 20) -> list[ConsolidationRun]:
        """Return the runs that were made in this file, newest first."""
        count = validation.integer(limit, name="limit")
        return running.list_runs(self._environment, limit=count)

    def audit(
        self, *, memory: MemoryRef | None = None, run: int | None = None, limit: int = 100
    ) -> list[ConsolidationChange]:
        """Return what runs did, those of the newest first: to which memories, and why.

        `memory` and `run` narrow it to one of them."""
        number = None if memory is None else memory_id(memory)
        return running.list_changes(
            self._environment,
            memory=number,
            run=validation.optional(_run_number, run, name="run"),
            limit=validation.integer(limit, name="limit"),
        )

    def prune(
        self, *, max_items: int = forgetting.MAX_ITEMS, dry_run: bool = False
    ) -> ConsolidationReport:
        """Forget the least important memories of the project until no more than `max_items` are
        left, of equals the oldest; return which.

        At least a tenth goes. What is protected stays, and a note says if that keeps the project
        above the limit. A run like another: `undo` takes it back.
        """
        limit = validation.integer(max_items, name="max_items", minimum=0)
        is_dry = validation.boolean(dry_run, name="dry_run")
        environment = self._environment
        self._kit._index.ensure()
        eviction = forgetting.plan_eviction(environment, max_items=limit)

        def plan(_: RunEnvironment) -> tuple[forgetting.Forgetting, ...]:
            return forgetting.plan_eviction(environment, max_items=limit).forgettings

        step = Step("prune", ChangeAction.FORGET, plan, forgetting.apply_forgetting)
        options = {"max_items": limit}
        report = running.consolidate((step,), environment, options=options, dry_run=is_dry)
        if not eviction.above:
            return report
        note = (
            f"{eviction.above} more than {limit} stay: they are pinned, rules, or held by "
            "something else; unpin or forget what is not needed"
        )
        return attrs.evolve(report, notes=(*report.notes, note))

    # -- memories of what was done, and of code

    def find_patterns(
        self, *, limit: int = 10, seconds: int = 20, dry_run: bool = False
    ) -> list[CodePattern]:
        """Return the shapes that functions of the indexed code repeat in at least three files, the
        most telling first, and remember each as a memory of form pattern, once; one that the code
        shows no more is forgotten. Reading takes `seconds` at most. With `dry_run` nothing is
        written. Raises InvalidInput."""
        return observed_memories.find_patterns(
            self._kit,
            limit=validation.integer(limit, name="limit"),
            seconds=validation.integer(seconds, name="seconds"),
            dry_run=validation.boolean(dry_run, name="dry_run"),
        )

    def remember_task(self, task: str) -> RememberResult:
        """Remember what a task that has ended came to, as a memory of form episode, with the files,
        commits, pull requests and decision records that belong to it; again brings it up to date.
        Raises NotFound, and InvalidInput for a task under way."""
        return observed_memories.remember_task(self._kit, validation.text(task, name="task"))

    def remember_session(self, session: str) -> RememberResult:
        """Remember what the ended tasks of a session came to, as one memory of form episode; again
        brings it up to date. Raises InvalidInput for a session without any."""
        return observed_memories.remember_session(
            self._kit, validation.text(session, name="session")
        )

    # -- internals

    def _tell(self, references: MemoryRefs, feedback: Feedback, **noted: str) -> list[Memory]:
        """Count what is told of memories, in this store and the global one; return them."""
        memories = self._kit.memories
        ids: list[int] = memories._at_home(
            references, lambda home, some: weigh(home._store, some, feedback, **noted)
        )
        return memories.get_many(ids)

    def _undo_feedback(self, entry: int) -> Memory | None:
        """Take back what was told of a memory, by its number in the audit; return the memory, None
        if neither this store nor the global one has such an entry."""
        memories = self._kit.memories
        home: Memories | None = memories
        if not has_feedback(memories._store, entry):
            reachable = memories._reachable()
            if reachable is None or not has_feedback(reachable._store, entry):
                return None
            home = memories._global_store.memories(writes=True)
        store = (home or memories)._store
        return memories.get(store.write(lambda: undo_feedback(store, entry)))

    @property
    def _environment(self) -> RunEnvironment:
        kit = self._kit
        return RunEnvironment(kit._store, kit._index, kit.project)

    def _home(self, reference: MemoryRef) -> OpenKit:
        """Return the store in which a memory lies: this one, or the global one."""
        is_global = self._kit.memories._is_global(reference)
        home = self._kit._global.reader() if is_global else None
        return home or self._kit


def _steps(names: Collection[str] | str | None) -> tuple[Step, ...]:
    """Return the steps of these names in their own order; raises InvalidInput."""
    if names is None:
        return STEPS
    known = {step.name: step for step in STEPS}
    listed = [names] if isinstance(names, str) else validation.iterable(names, name="steps")
    chosen = {validation.text(name, name="steps") for name in listed}
    if unknown := sorted(chosen - known.keys()):
        raise InvalidInput(f"steps: {unknown[0]!r} is none; give of {', '.join(known)}")
    if not chosen:
        raise InvalidInput(f"steps: none is named; give of {', '.join(known)}, or leave it out")
    return tuple(step for name, step in known.items() if name in chosen)


def _last(store: Store) -> int:
    number: int | None = store.value("consolidation.last_undoable")
    if number is None:
        raise NotFound("nothing stands that could be undone: no run, and no feedback")
    return number


def _run_number(value: object, *, name: str) -> int:
    return validation.integer(value, name=name, minimum=0)

"""Facade of consolidation: run, undo, audit, prune."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..errors import InvalidInput
from ..memories.records import MemoryRef, memory_id
from . import forgetting, merging, runs
from .plan import ChangeAction, RunEnvironment, Step
from .runs import ConsolidationChange, ConsolidationReport, ConsolidationRun, UndoReport

if TYPE_CHECKING:
    from ..memories.search_index import Index
    from ..store.store import Store

# In the order in which they are planned and applied; plan.py says what a step is.
STEPS = (
    Step("merge", ChangeAction.MERGE, merging.plan_merges, merging.apply_merge),
    Step("forget", ChangeAction.FORGET, forgetting.plan_forgetting, forgetting.apply_forgetting),
)


class Consolidation:
    """Facade of consolidation: what is merged and forgotten, with its reasons, and taken back."""

    def __init__(self, store: Store, index: Index, *, project: str = "") -> None:
        """`project` is the wall behind which the caller stands."""
        self._environment = RunEnvironment(store, index, project)

    def run(
        self, *, dry_run: bool = False, steps: Collection[str] | str | None = None
    ) -> ConsolidationReport:
        """Merge what says the same and forget what nobody needs; return what was done and why.

        It is planned first, and applied in one transaction, which `undo` takes back. With `dry_run`
        nothing is changed. `steps` (merge, forget) are those to do, None is all. Raises
        InvalidInput for another one, StoreReadOnly, StoreBusy or StoreFull.
        """
        chosen = _steps(steps)
        is_dry = validation.boolean(dry_run, name="dry_run")
        self._environment.index.ensure()
        options = {"steps": [step.name for step in chosen]}
        return runs.consolidate(chosen, self._environment, options=options, dry_run=is_dry)

    def undo(self, run: int | None = None) -> UndoReport:
        """Take a run back, the newest that stands unless it is named; return what came of it.

        What was changed since stays as it is, and is named. What was merged is not merged again.
        Raises NotFound for a run that is not there, InvalidInput for one that cannot be undone.
        """
        number = validation.optional(_run_number, run, name="run")
        self._environment.index.ensure()
        return runs.undo(self._environment, number)

    def runs(self, *, limit: int = 20) -> list[ConsolidationRun]:
        """Return the runs that were made in this file, newest first."""
        count = validation.integer(limit, name="limit")
        return runs.list_runs(self._environment, limit=count)

    def audit(
        self, *, memory: MemoryRef | None = None, run: int | None = None, limit: int = 100
    ) -> list[ConsolidationChange]:
        """Return what runs did, those of the newest first: to which memories, and why.

        `memory` and `run` narrow it to one of them."""
        number = None if memory is None else memory_id(memory)
        return runs.list_changes(
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
        environment.index.ensure()
        eviction = forgetting.plan_eviction(environment, max_items=limit)

        def plan(_: RunEnvironment) -> tuple[forgetting.Forgetting, ...]:
            return forgetting.plan_eviction(environment, max_items=limit).forgettings

        step = Step("prune", ChangeAction.FORGET, plan, forgetting.apply_forgetting)
        options = {"max_items": limit}
        report = runs.consolidate((step,), environment, options=options, dry_run=is_dry)
        if not eviction.above:
            return report
        note = (
            f"{eviction.above} more than {limit} stay: they are pinned, rules, or held by "
            "something else; unpin or forget what is not needed"
        )
        return attrs.evolve(report, notes=(*report.notes, note))


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


def _run_number(value: object, *, name: str) -> int:
    return validation.integer(value, name=name, minimum=0)

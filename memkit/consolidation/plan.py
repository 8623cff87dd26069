"""Plan of a consolidation: changes with their reasons, made by steps that plan and apply.

A step is a line in `STEPS` of steps.py:

    Step("merge", ChangeAction.MERGE, plan_merges, apply_merge)

The second is what its records do to a memory, or a function that says so of a record.

`plan(environment)` reads and returns records that have at least `memory_id`, `other_id`, `score`
and `reason` (a sentence without texts of memories: those may be purged); whatever else a record
holds is the step's own. It changes nothing, and sees the store as it is before the run: what
earlier steps are going to do is in `environment.planned`, and what a later one says of a memory
that they retire is left out. `apply(environment, record)` does one of them inside the transaction
of the run. It changes permanent rows through the writers of memkit/memories; search rows of the
memories that the record names are made anew afterwards, and the session extension writes down what
undoes it. `finish(environment)`, if there is one, notes within the transaction that the plan was
done, also an empty one; that is not undone. After a run its steps must have nothing to plan: what
they do, or note, is what they go by the next time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import attrs

if TYPE_CHECKING:
    from ..memories.search_index import Index
    from ..store.store import Store


class ChangeAction(StrEnum):
    """What is done to a memory by a run of consolidation."""

    MERGE = "merge"
    SUMMARISE = "summarise"
    COMPRESS = "compress"
    CONTRADICT = "contradict"
    FORGET = "forget"
    LINK = "link"
    UNLINK = "unlink"
    TAG = "tag"


# Under which name a report counts each action; those of seed 004 (POST /consolidate) are its own.
COUNTED_AS: Mapping[ChangeAction, str] = {
    ChangeAction.MERGE: "deduped",
    ChangeAction.SUMMARISE: "summarised",
    ChangeAction.COMPRESS: "compressed",
    ChangeAction.CONTRADICT: "contradictions_found",
    ChangeAction.FORGET: "forgotten",
    ChangeAction.LINK: "linked",
    ChangeAction.UNLINK: "unlinked",
    ChangeAction.TAG: "tagged",
}
# After these a memory is not current any more.
RETIRING = frozenset({ChangeAction.MERGE, ChangeAction.FORGET})


class ChangeRecord(Protocol):
    """What a step plans: the least that the record of any step says."""

    @property
    def memory_id(self) -> int:
        """The memory that is changed."""
        ...

    @property
    def other_id(self) -> int | None:
        """The other memory, if there is one."""
        ...

    @property
    def score(self) -> float | None:
        """How sure it is, 0 to 1."""
        ...

    @property
    def reason(self) -> str:
        """Why, in plain words."""
        ...


@attrs.frozen
class PlannedChange:
    """One change of a run, planned or done.

    Attributes:
        memory_id: the memory that is changed. other_id: the other node, if there is one: the memory
            it is merged into, linked with or contradicted by, or the tag that it gets.
        score: how sure it is, 0 to 1; None if nothing was weighed. reason: why, in plain words.
    """

    action: ChangeAction = attrs.field(converter=ChangeAction)
    memory_id: int
    other_id: int | None = None
    score: float | None = None
    reason: str = ""


@attrs.frozen
class RunEnvironment:
    """What the steps of a run are given.

    Attributes:
        project: the wall behind which the caller stands; global memories of this file are in reach.
        planned: what earlier steps of the same plan are going to do.
    """

    store: Store
    index: Index
    project: str = ""
    planned: tuple[PlannedChange, ...] = ()

    @property
    def retired(self) -> frozenset[int]:
        """Memories that earlier steps of the same plan merge, replace or forget."""
        return frozenset(c.memory_id for c in self.planned if c.action in RETIRING)


@attrs.frozen
class Step:
    """One step of consolidation; see above for what its functions do."""

    name: str
    action: ChangeAction | Callable[[Any], ChangeAction]
    plan: Callable[[RunEnvironment], Iterable[Any]]
    apply: Callable[[RunEnvironment, Any], None]
    finish: Callable[[RunEnvironment], None] | None = None

    def action_of(self, record: ChangeRecord) -> ChangeAction:
        """Return what one of its records does to a memory."""
        return self.action if isinstance(self.action, ChangeAction) else self.action(record)


@attrs.frozen
class PlannedRecord:
    """A record with the step that planned it and that will apply it."""

    step: Step
    record: ChangeRecord

    @property
    def change(self) -> PlannedChange:
        """What a report says of it."""
        own = self.record
        return PlannedChange(
            self.step.action_of(own), own.memory_id, own.other_id, own.score, own.reason
        )


def plan_steps(steps: Sequence[Step], environment: RunEnvironment) -> list[PlannedRecord]:
    """Return what the steps would do, in the order in which it is to be done."""
    planned: list[PlannedRecord] = []
    for step in steps:
        before = attrs.evolve(environment, planned=tuple(item.change for item in planned))
        retired = before.retired
        planned += [
            PlannedRecord(step, record)
            for record in step.plan(before)
            if retired.isdisjoint({record.memory_id, record.other_id})
        ]
    return planned


def counts_of(changes: Iterable[PlannedChange]) -> dict[str, int]:
    """Return how many changes of each sort there are, those without any included."""
    counted = Counter(COUNTED_AS[change.action] for change in changes)
    return {name: counted[name] for name in COUNTED_AS.values()}

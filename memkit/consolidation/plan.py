"""Plan of a consolidation: changes with their reasons, made by steps that plan and apply.

A step is a line in `STEPS` of runs.py:

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

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from ..memories.records import DEFAULT_IMPORTANCE, LESSONS, InactiveCode, Kind, Provenance, Scope

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


# --- Statements as consolidation reads them, with what protects them from it.

_RULES = frozenset({Kind.PREFERENCE, Kind.PROCEDURE})
_SAID = frozenset({Provenance.STATED, Provenance.CORRECTED})
# From this importance on a caller says that a memory is not to be lost. Ours: no seed has a figure.
CRITICAL_IMPORTANCE = 0.9


@attrs.frozen
class Statement:
    """One memory, as far as merging and forgetting go by it; times are UTC text.

    Attributes:
        key, qualifier: in folded form. paths: files it is about.
        noted_at: newest link of its provenance. waits: for a review. is_held: by an item of a
            scope or a document of a framework.
    """

    id: int
    text: str
    kind: Kind = attrs.field(converter=Kind)
    form: str
    key: str | None
    value: str | None
    qualifier: str | None
    scope: Scope = attrs.field(converter=Scope)
    project: str
    session_id: str | None
    task_id: str | None
    source: str | None
    created_at: str
    updated_at: str
    valid_from: str | None
    valid_to: str | None
    season: str | None
    strength: int
    confidence: float
    trust: float
    importance: float
    provenance: Provenance = attrs.field(converter=Provenance)
    author: str | None
    pinned: bool = attrs.field(converter=bool)
    private: bool = attrs.field(converter=bool)
    trigger_patterns: str
    procedure: str | None
    superseded_by: int | None
    inactive_code: InactiveCode | None = attrs.field(
        converter=attrs.converters.optional(InactiveCode)
    )
    accessed_at: str | None
    access_count: int
    noted_at: str | None
    paths: frozenset[str]
    waits: bool = attrs.field(converter=bool)
    is_held: bool = attrs.field(converter=bool)

    @property
    def is_current(self) -> bool:
        """Whether it is neither superseded nor forgotten."""
        return self.superseded_by is None and self.inactive_code is None

    @property
    def is_document(self) -> bool:
        """Whether it was read at a place that is read again: it lives as long as that does."""
        return self.source is not None

    @property
    def is_protected(self) -> bool:
        """Whether no rule may retire it: what people insist on, what must not be done, and what
        something else holds."""
        return (
            self.pinned
            or self.kind in LESSONS
            or (self.kind in _RULES and self.provenance in _SAID)
            or self.importance >= CRITICAL_IMPORTANCE
            or self.waits
            or self.is_held
        )

    @property
    def is_worth_little(self) -> bool:
        """Whether it was never more than a guess, a note by the way, or of one session: what a
        person stated as a fact of the project does not fade by itself."""
        return (
            self.provenance not in _SAID
            or self.importance < DEFAULT_IMPORTANCE
            or self.confidence < DEFAULT_IMPORTANCE
            or self.scope in (Scope.SESSION, Scope.TASK)
        )

    @property
    def last_evidence(self) -> str:
        """When it was last said, noted or used."""
        times = (self.created_at, self.noted_at, self.accessed_at)
        return max(time for time in times if time is not None)

    def merged_with(self, other: Statement) -> Statement:
        """Return it as it is once another one was merged into it, as far as that tells here."""
        return attrs.evolve(
            self,
            strength=self.strength + other.strength,
            confidence=max(self.confidence, other.confidence),
            trust=max(self.trust, other.trust),
            importance=max(self.importance, other.importance),
            access_count=self.access_count + other.access_count,
            noted_at=max(self.last_evidence, other.last_evidence),
        )


def read_statements(environment: RunEnvironment) -> list[Statement]:
    """Return the statements within reach, in the order of their ids, as earlier steps of the plan
    are going to leave them: those that they retire are left out."""
    rows = environment.store.records("consolidation.statements", project=environment.project)
    statements = {
        row["id"]: Statement(**{**row, "paths": frozenset(json.loads(row["paths"]))})
        for row in rows
    }
    for change in environment.planned:
        if change.action is ChangeAction.MERGE and change.other_id in statements:
            duplicate = statements[change.memory_id]
            statements[change.other_id] = statements[change.other_id].merged_with(duplicate)
    retired = environment.retired
    return [statement for number, statement in statements.items() if number not in retired]

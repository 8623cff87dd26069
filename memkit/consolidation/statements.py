"""Statements as consolidation reads them, with what protects them from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs

from ..memories.records import DEFAULT_IMPORTANCE, LESSONS, InactiveCode, Kind, Provenance, Scope
from .plan import ChangeAction

if TYPE_CHECKING:
    from .plan import RunEnvironment

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

"""What may be given by keyword to `remember`, `update` and `find`, field by field.

Editors and type checkers read these; at run time a name that is not among them is refused with the
list of those there are. Tests hold them equal to the fields of `Draft` and `Memory`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TypedDict

from ..store.times import When
from .kinds import ArtifactKind, Form, Kind, Provenance, Scope
from .records import MemoryRef, Procedure

# What a field may be compared with: a value, any of several, or operators (memories/finding.py).
Operators = Mapping[str, object]
OfText = str | Collection[str] | Operators | None
OfNumber = float | Collection[float] | Operators | None
OfFlag = bool | Operators
OfTime = When | Collection[When] | Operators | None


class Changes(TypedDict, total=False):
    """What can be changed of a memory; see `Draft` for what each means."""

    kind: Kind | str
    form: Form | str
    key: str | None
    value: str | None
    qualifier: str | None
    scope: Scope | str
    project: str | None
    session: str | None
    task: str | None
    source: str | None
    tags: Iterable[str] | str
    about: Iterable[str] | str
    file_paths: Iterable[str] | str
    messages: tuple[int, int] | None
    valid_from: When | None
    valid_to: When | None
    season: str | None
    summary: str | None
    compressed: str | None
    index_entry: str | None
    provenance: Provenance | str
    confidence: float
    trust: float | None
    importance: float
    author: str | None
    pinned: bool
    private: bool
    trigger_patterns: Iterable[str] | str
    procedure: Procedure | None


class DraftFields(Changes, total=False):
    """What can be said of a statement; the fields here are given once, when it is remembered."""

    at: When | None
    snippet: str | None
    reason: str | None
    supersedes: Iterable[MemoryRef] | MemoryRef
    derived_from: Iterable[MemoryRef] | MemoryRef
    artifacts: Iterable[tuple[ArtifactKind | str, str]]


class MemoryFilters(TypedDict, total=False):
    """What memories can be found by: every field of `Memory`."""

    id: OfNumber
    text: OfText
    kind: OfText
    form: OfText
    key: OfText
    value: OfText
    qualifier: OfText
    scope: OfText
    project: OfText
    session: OfText
    task: OfText
    source: OfText
    messages: OfNumber
    file_paths: OfText
    summary: OfText
    compressed: OfText
    index_entry: OfText
    tokens: OfNumber
    created_at: OfTime
    updated_at: OfTime
    valid_from: OfTime
    valid_to: OfTime
    season: OfText
    strength: OfNumber
    confidence: OfNumber
    trust: OfNumber
    importance: OfNumber
    provenance: OfText
    author: OfText
    active: OfFlag
    inactive_reason: OfText
    pinned: OfFlag
    private: OfFlag
    superseded_by: OfNumber
    trigger_patterns: OfText
    procedure: Procedure | None
    tags: OfText
    accessed_at: OfTime
    access_count: OfNumber
    about: OfText

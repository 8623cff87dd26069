"""Records of memories: drafts, memories, edges, procedures; their enums and keywords."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol, TypedDict, cast, runtime_checkable

import attrs

from .. import validation
from ..anchors import AnchorState, CodeAnchor
from ..errors import InvalidInput
from ..frozen import RecordSequence, frozen
from ..store.timestamps import When
from ..text.patterns import lazy_pattern
from .outcomes import StepRecord

# --- Enums that memories are described with, and their weights.


class Kind(StrEnum):
    """Kind of statement that a memory is (seed 002, MemoryType).

    What else goes by it, and is to be told of another kind, stands in the README: Develop, "Where
    to change what".
    """

    FACT = "fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    CORRECTION = "correction"
    NEGATIVE = "negative"


LESSONS = (Kind.NEGATIVE, Kind.CORRECTION)
"""Kinds of what must not happen again and what was put right: a session begins with them, and no
rule retires them. The view `lessons` lists the same."""


class Form(StrEnum):
    """Form in which a memory is compressed and rendered (seed 004, Memory Types)."""

    FACT = "fact"
    EPISODE = "episode"
    PATTERN = "pattern"
    WORKFLOW = "workflow"


class Scope(StrEnum):
    """Range in which a memory is visible, nearest first."""

    SESSION = "session"
    TASK = "task"
    PROJECT = "project"
    GLOBAL = "global"


class Provenance(StrEnum):
    """Way in which a memory became known."""

    STATED = "stated"
    CORRECTED = "corrected"
    OBSERVED = "observed"
    INFERRED = "inferred"
    EXTRACTED = "extracted"


class EdgeKind(StrEnum):
    """Relations between memories, tags, clusters and code."""

    HAS_TAG = "has_tag"
    IN_CLUSTER = "in_cluster"
    RELATES_TO = "relates_to"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    DERIVED_FROM = "derived_from"
    ABOUT = "about"
    NEXT = "next"


class ArtifactKind(StrEnum):
    """Things outside that belong to a memory (seed 004, episode_artifacts)."""

    COMMIT = "commit"
    PR = "pr"
    ADR = "adr"
    FILE = "file"


class Resolution(StrEnum):
    """Settlement of a contradiction."""

    A_WINS = "a_wins"
    B_WINS = "b_wins"
    BOTH_VALID = "both_valid"
    MERGED = "merged"


class Origin(StrEnum):
    """Origin of a contradiction: a caller, pair detection, a statement made again after it was
    replaced, a merge of two stores."""

    STATED = "stated"
    DETECTED = "detected"
    RESTATED = "restated"
    MERGED = "merged"


class PairVerdict(StrEnum):
    """How two statements stand to each other (seed 004, contradiction scanner)."""

    CONTRADICTION = "contradiction"
    UPDATE = "update"
    DUPLICATE = "duplicate"
    DISTINCT = "distinct"


class Decider(StrEnum):
    """Who decided how two memories stand to each other: a person, a judge, the undoing of a run."""

    CALLER = "caller"
    JUDGE = "judge"
    UNDO = "undo"


class InactiveCode(StrEnum):
    """Cause of a memory's end: `forget`, a successor, or its source, which is gone."""

    FORGOTTEN = "forgotten"
    SUPERSEDED = "superseded"
    SOURCE_GONE = "source_gone"


class ReviewState(StrEnum):
    """State of a memory that was extracted: nobody told memkit to remember it."""

    PENDING = "pending"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    EXPIRED = "expired"


class Outcome(StrEnum):
    """Outcome of `remember`."""

    STORED = "stored"
    STRENGTHENED = "strengthened"
    FOLDED = "folded"
    UPDATED = "updated"


# Weight of an edge whose maker gives none (seed 002, cascade_retrieve; `about` and `next` are
# ours).
EDGE_WEIGHTS = {
    EdgeKind.HAS_TAG: 0.8,
    EdgeKind.IN_CLUSTER: 0.6,
    EdgeKind.RELATES_TO: 0.5,
    EdgeKind.SUPERSEDES: 0.9,
    EdgeKind.CONTRADICTS: 0.3,
    EdgeKind.DERIVED_FROM: 0.3,
    EdgeKind.ABOUT: 0.8,
    EdgeKind.NEXT: 0.5,
}

# Weight of a source. The seeds ask for one and give no figures: stated by a person counts in full,
# what was seen to happen a little less, what was read out of a text or concluded less still.
TRUST = {
    Provenance.STATED: 1.0,
    Provenance.CORRECTED: 1.0,
    Provenance.OBSERVED: 0.9,
    Provenance.EXTRACTED: 0.8,
    Provenance.INFERRED: 0.6,
}


# --- Frozen records: what goes in (`Draft`) and what comes back (`Memory`).


@runtime_checkable
class Identified(Protocol):
    """Anything that carries a memory's id."""

    @property
    def id(self) -> int: ...


MemoryRef = int | str | Identified
DEFAULT_IMPORTANCE = 0.5
# No id is so great: those of SQLite end there.
_BEYOND = 1 << 63
_DECIMAL = lazy_pattern(r"\s*#?([0-9]{1,19})\s*", re.ASCII)


def memory_id(reference: MemoryRef) -> int:
    """Return the id meant by a number, its decimal text, a Memory, RememberResult or Hit; raises
    InvalidInput."""
    if isinstance(reference, str) and (written := _DECIMAL.fullmatch(reference)):
        reference = int(written[1])
    # An id first: asking a protocol costs 10 µs.
    is_plain = isinstance(reference, int | str)
    number = reference if is_plain or not isinstance(reference, Identified) else reference.id
    if isinstance(number, int) and not isinstance(number, bool) and abs(number) < _BEYOND:
        return number
    raise InvalidInput(
        f"id: {validation.shown(reference)} names no memory; give its number or the memory itself"
    )


def _texts(values: Iterable[str] | str) -> tuple[str, ...]:
    """Return texts as a tuple. What is none, here and below, stays as it is: it is refused when the
    draft is checked, where the name of the field is known."""
    return (values,) if isinstance(values, str) else _items(values)


def _references(values: Iterable[MemoryRef] | MemoryRef) -> tuple[MemoryRef, ...]:
    if isinstance(values, tuple | list):  # first: asking a protocol costs 10 µs
        return tuple(values)
    return (values,) if isinstance(values, int | str | Identified) else _items(values)


def _items(values: Any) -> tuple[Any, ...]:
    if isinstance(values, Iterable) and not isinstance(values, str | bytes | Mapping):
        return tuple(values)
    return cast("tuple[Any, ...]", values)


@frozen
class Procedure:
    """How-to knowledge with its steps (seed 002, Procedural Memories; seed 004, Workflows)."""

    steps: tuple[str, ...] = attrs.field(converter=_texts)
    name: str = ""
    trigger: str = ""
    prerequisites: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    warnings: tuple[str, ...] = attrs.field(default=(), converter=_texts)


@frozen
class Draft:
    """A statement to be remembered. Only `text` is needed (or `key` and `value`).

    Attributes:
        text: the statement. Left empty, it is made of `key` and `value`.
        key, value, qualifier: a keyed fact; a new value for the same key and qualifier replaces
        the old. Key and qualifier are kept in lower case, NFC and single spaces, and compared with
        "-" and "_" as spaces; a text that is made of them keeps their spelling.
        scope: session, task, project or global; `session` or `task` must then be named.
        project: wall between projects that share one file; None is the project the store was
        opened for.
        source: stable name of the place it comes from; remembering the same source again updates
        it.
        about: files or symbols it is about: `path`, `path::qualified.name` or a qualified name that
        the code graph knows. Those that its text names are found without.
        at: when it was said or came about; None is now.
        messages: first and last message of the conversation it was taken from.
        supersedes: memories that this one replaces. derived_from: memories it was concluded from.
        trigger_patterns: texts at which a negative memory comes back, whatever is asked; with them
        a fact is of kind negative, and any other kind is refused.
        procedure: its steps, and what must be so before and be heeded; then it is of kind
        procedure, and all of it is searched.
        snippet, reason: what was being discussed, and why it is believed; the chain of provenance.
        artifacts: pairs of kind (commit, pr, adr, file) and reference.
    """

    text: str = ""
    kind: Kind | str = attrs.field(default=Kind.FACT, kw_only=True)
    form: Form | str = attrs.field(default=Form.FACT, kw_only=True)
    key: str | None = attrs.field(default=None, kw_only=True)
    value: str | None = attrs.field(default=None, kw_only=True)
    qualifier: str | None = attrs.field(default=None, kw_only=True)
    scope: Scope | str = attrs.field(default=Scope.PROJECT, kw_only=True)
    project: str | None = attrs.field(default=None, kw_only=True)
    session: str | None = attrs.field(default=None, kw_only=True)
    task: str | None = attrs.field(default=None, kw_only=True)
    source: str | None = attrs.field(default=None, kw_only=True)
    tags: tuple[str, ...] = attrs.field(default=(), converter=_texts, kw_only=True)
    about: tuple[str, ...] = attrs.field(default=(), converter=_texts, kw_only=True)
    file_paths: tuple[str, ...] = attrs.field(default=(), converter=_texts, kw_only=True)
    messages: tuple[int, int] | None = attrs.field(default=None, kw_only=True)
    at: When | None = attrs.field(default=None, kw_only=True)
    valid_from: When | None = attrs.field(default=None, kw_only=True)
    valid_to: When | None = attrs.field(default=None, kw_only=True)
    season: str | None = attrs.field(default=None, kw_only=True)
    summary: str | None = attrs.field(default=None, kw_only=True)
    compressed: str | None = attrs.field(default=None, kw_only=True)
    index_entry: str | None = attrs.field(default=None, kw_only=True)
    provenance: Provenance | str = attrs.field(default=Provenance.STATED, kw_only=True)
    confidence: float = attrs.field(default=1.0, kw_only=True)
    trust: float | None = attrs.field(default=None, kw_only=True)
    importance: float = attrs.field(default=DEFAULT_IMPORTANCE, kw_only=True)
    author: str | None = attrs.field(default=None, kw_only=True)
    pinned: bool = attrs.field(default=False, kw_only=True)
    private: bool = attrs.field(default=False, kw_only=True)
    trigger_patterns: tuple[str, ...] = attrs.field(default=(), converter=_texts, kw_only=True)
    procedure: Procedure | None = attrs.field(default=None, kw_only=True)
    snippet: str | None = attrs.field(default=None, kw_only=True)
    reason: str | None = attrs.field(default=None, kw_only=True)
    supersedes: tuple[MemoryRef, ...] = attrs.field(default=(), converter=_references, kw_only=True)
    derived_from: tuple[MemoryRef, ...] = attrs.field(
        default=(), converter=_references, kw_only=True
    )
    artifacts: tuple[tuple[ArtifactKind | str, str], ...] = attrs.field(
        default=(), converter=_items, kw_only=True
    )


@frozen
class Anchor:
    """A place in the code that a memory is about.

    Attributes:
        path, symbol: file and qualified name when it was noted; symbol "" is the file.
        hash: of the symbol's or file's text at that time; "" of a file of which only the name was
            meant, None if nothing was known there.
        state: what became of it; `unknown` without a code graph, or if it never was in one.
        change: what happened since, in words; "" if nothing. now: where it is, if it moved.
    """

    path: str
    symbol: str
    hash: str | None
    state: AnchorState = attrs.field(default=AnchorState.UNKNOWN, converter=AnchorState)
    change: str = ""
    now: str | None = None

    @property
    def noted(self) -> CodeAnchor:
        """The place alone, as it was noted."""
        return CodeAnchor(self.path, self.symbol, self.hash)


@frozen
class Memory:
    """One remembered statement as it stands in the file. Times are UTC text.

    `confidence` is the belief at the last change; recall weighs it by its age. `faults` are the
    columns of its row that cannot be read, since another program wrote them: they count as not set.
    `review` is the state of one that was extracted, None of any other. `outcomes` are those of a
    procedure, the whole first.
    """

    id: int
    text: str
    kind: Kind = attrs.field(converter=Kind)
    form: Form = attrs.field(converter=Form)
    key: str | None
    value: str | None
    qualifier: str | None
    scope: Scope = attrs.field(converter=Scope)
    project: str
    session: str | None
    task: str | None
    source: str | None
    messages: tuple[int, int] | None
    file_paths: tuple[str, ...]
    summary: str | None
    compressed: str | None
    index_entry: str | None
    tokens: int
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
    active: bool
    inactive_reason: str | None
    inactive_code: InactiveCode | None = attrs.field(
        converter=attrs.converters.optional(InactiveCode)
    )
    pinned: bool
    private: bool
    superseded_by: int | None
    trigger_patterns: tuple[str, ...]
    procedure: Procedure | None
    tags: tuple[str, ...]
    accessed_at: str | None = None
    access_count: int = 0
    about: tuple[Anchor, ...] = ()
    faults: tuple[str, ...] = ()
    review: ReviewState | None = None
    outcomes: tuple[StepRecord, ...] = ()

    @property
    def is_unconfirmed(self) -> bool:
        """Whether it was extracted and waits for somebody to confirm it."""
        return self.review is ReviewState.PENDING

    @property
    def has_changed(self) -> bool:
        """Whether anything it is about has changed, moved or gone since, or never was there."""
        return any(anchor.change for anchor in self.about)

    @property
    def is_stale(self) -> bool:
        """Whether something it is about has changed since, or is not there any more."""
        return any(anchor.state in (AnchorState.STALE, AnchorState.GONE) for anchor in self.about)

    @property
    def is_current(self) -> bool:
        """Whether it is neither forgotten nor superseded."""
        return self.active and self.superseded_by is None


@frozen
class RememberResult:
    """Result of `remember` for one draft.

    Attributes:
        memory: the memory as it now stands.
        outcome: stored, strengthened (the same statement was there), folded (another wording of one
            that was there) or updated (the same source said something else before).
        replaced: ids of memories that it superseded.
        redacted: kinds of secrets that were replaced by markers.
        notes: what else became of what was said: left out, or taken for another kind.
        file: the file that was written: this one, or that of global memories.
        contradicts: ids of memories that cannot be true as well; `resolve` says which holds.
        updates: those of them that it seems to replace, since it says that something changed.
        repeats: ids of memories that say the same in other words; they are linked, not merged.
        answers: questions that were asked in vain and that it answers; they are closed.
    """

    memory: Memory
    outcome: Outcome
    replaced: tuple[int, ...] = ()
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    file: Path | None = None
    contradicts: tuple[int, ...] = ()
    updates: tuple[int, ...] = ()
    repeats: tuple[int, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def id(self) -> int:
        """The memory's id."""
        return self.memory.id


@frozen
class MemoryList(RecordSequence[Memory]):
    """Memories in their order, and what a reader should know about them.

    Attributes:
        notes: what was not possible (global memories that cannot be read).
    """

    memories: tuple[Memory, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def _items(self) -> tuple[Memory, ...]:
        return self.memories


# --- Frozen records of edges, provenance, artifacts and audit entries.


@frozen
class Edge:
    """A relation of a memory; ids below zero are tags and clusters."""

    src: int
    dst: int
    kind: EdgeKind = attrs.field(converter=EdgeKind)
    weight: float
    created_at: str


@frozen
class Contradiction:
    """Two memories that cannot both be true.

    Attributes:
        origin: who noted it.
        proposed: which of them wins by what they say themselves: the newer one says that something
            changed. Nothing happens by it; `resolve` says so.
        decided_by: who decided about the two: a caller, a judge, the undoing of a run; None: nobody
            yet. One that a judge confirmed stays open.
    """

    memory_a: int
    memory_b: int
    detected_at: str
    resolved_at: str | None
    resolution: Resolution | None
    note: str | None
    origin: Origin = attrs.field(default=Origin.STATED, converter=Origin)
    proposed: Resolution | None = None
    decided_by: Decider | None = attrs.field(
        default=None, converter=attrs.converters.optional(Decider)
    )


@frozen
class ProvenanceLink:
    """One link of a provenance chain."""

    noted_at: str
    source: Provenance = attrs.field(converter=Provenance)
    session: str | None
    snippet: str | None
    reason: str | None


@frozen
class Artifact:
    """What belongs to a memory: a commit, a pull request, a decision record, a file."""

    kind: ArtifactKind = attrs.field(converter=ArtifactKind)
    reference: str


@frozen
class AuditEntry:
    """Audit entry: what was done to a memory, when (UTC text), with details (JSON); `id` is its
    number, by which feedback is undone."""

    id: int
    at: str
    verb: str
    detail: str | None


@frozen
class MemoryDetails:
    """What else is known of a memory.

    Attributes:
        paraphrases: other wordings that were folded into it, oldest first.
        provenance: where it came from, oldest first. artifacts: what belongs to it.
        audit: what was done to it, newest first.
        cited: times it influenced an action. ignored: times it was served and not used.
    """

    paraphrases: tuple[str, ...]
    provenance: tuple[ProvenanceLink, ...]
    artifacts: tuple[Artifact, ...]
    audit: tuple[AuditEntry, ...]
    cited: int = 0
    ignored: int = 0


# --- Keyword arguments of `remember`, `update` and `find`, field by field.
#
# Editors and type checkers read these; at run time a name that is not among them is refused with
# the list of those there are. Tests hold them equal to the fields of `Draft` and `Memory`.

# What a field may be compared with: a value, any of several, or operators (memories/filters.py).
Operators = Mapping[str, object]
OfText = str | Collection[str] | Operators | None
OfNumber = float | Collection[float] | Operators | None
OfFlag = bool | Operators
OfTime = When | Collection[When] | Operators | None


class Changes(TypedDict, total=False):
    """Fields of a memory that can be changed; see `Draft` for what each means."""

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
    """Fields of a statement; those named here are set once, when it is remembered."""

    at: When | None
    snippet: str | None
    reason: str | None
    supersedes: Iterable[MemoryRef] | MemoryRef
    derived_from: Iterable[MemoryRef] | MemoryRef
    artifacts: Iterable[tuple[ArtifactKind | str, str]]


class MemoryFilters(TypedDict, total=False):
    """Filters of memories: every field of `Memory`."""

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
    inactive_code: OfText
    pinned: OfFlag
    private: OfFlag
    superseded_by: OfNumber
    trigger_patterns: OfText
    procedure: Procedure | None
    tags: OfText
    accessed_at: OfTime
    access_count: OfNumber
    about: OfText
    faults: OfText
    review: OfText

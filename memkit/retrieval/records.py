"""Records of retrieval: hits, results, explanations, filters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypedDict

import attrs

from ..frozen import RecordSequence, frozen
from ..memories.records import Anchor, EdgeKind, Kind, Memory, Scope
from ..store.timestamps import When
from ..validation import DEFAULT_DEPTH

if TYPE_CHECKING:
    from ..episodes.records import TaskStatus
    from ..episodes.results import TaskRecord


class Source(StrEnum):
    """Where a recall looks: in what was remembered, and in what was done."""

    MEMORIES = "memories"
    TASKS = "tasks"
    ERRORS = "errors"
    ATTEMPTS = "attempts"


# Nodes of the code are numbered below, memories above.
CODE_NODES = 1 << 40


class CodeEdge(StrEnum):
    """Relations between files and symbols, as steps of a path."""

    CONTAINS = "contains"
    CALLS = "calls"
    IMPORTS = "imports"
    USES = "uses"
    INHERITS = "inherits"
    REFERENCES = "references"
    OVERRIDES = "overrides"


# Edges that the cascade follows. Clusters are none of them: no set that was measured is answered
# better with them (bench cascade).
WALKED: frozenset[EdgeKind | CodeEdge] = frozenset([*EdgeKind, *CodeEdge]) - {EdgeKind.IN_CLUSTER}


@frozen
class RetrievalConfig:
    """Which legs and steps a recall uses; all of them, unless one is left out to measure its
    worth. `walked` are the edges that the cascade follows; with `successors` a memory that was
    replaced passes its standing on."""

    lexical: bool = True
    vectors: bool = True
    anchors: bool = True
    neighbours: bool = True
    cascade: bool = True
    successors: bool = True
    walked: frozenset[EdgeKind | CodeEdge] = WALKED
    late_interaction: bool = True
    learned: bool = True


@frozen
class CascadeLimits:
    """Limits of following edges (seed 002, Retrieval Parameters; fan-out and budget are ours).

    Attributes:
        depth: steps along edges. decay: factor per step.
        seeds: first matches that are followed. fanout: strongest edges per node and direction.
        budget: nodes opened at most.
    """

    depth: int = DEFAULT_DEPTH
    decay: float = 0.7
    seeds: int = 10
    fanout: int = 50
    budget: int = 500


class RecallFilters(TypedDict, total=False):
    """What a caller may narrow a recall by.

    scope, kind, tags, project, task: one, or any of several. project: another than that the store
    was opened for. task: its own memories take part. since, until: when it was said.
    as_of: what was known and held true at that moment. history: superseded, forgotten and expired
    ones too. season: recurring moments that are on now, such as release-week; what belongs to one
    is lifted, and what belongs to another lowered.
    """

    scope: Scope | str | Collection[Scope | str] | None
    project: Collection[str] | str | None
    kind: Kind | str | Collection[Kind | str] | None
    tags: Collection[str] | str | None
    task: Collection[str] | str | None
    since: When | None
    until: When | None
    as_of: When | None
    history: bool
    season: Collection[str] | str | None


@frozen
class Filters:
    """What a recall may return; None and () mean any. Times are stored text.

    Attributes:
        scopes, kinds, tags: with one of these.
        projects: the memories of these projects and global ones, never another's.
        sessions, tasks: what is a session's or a task's own is shown to these alone; () to none.
        history: superseded, forgotten and expired ones too.
        as_of: what was known and held true at this moment.
        held_from: with as_of, what held at any moment from here on until then.
        shown: ids that these sessions were shown already.
        seasons: recurring moments that are on now; they filter nothing, and weigh.
    """

    projects: tuple[str, ...] = ()
    scopes: tuple[Scope, ...] = ()
    kinds: tuple[Kind, ...] = ()
    tags: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    as_of: str | None = None
    held_from: str | None = None
    history: bool = False
    shown: frozenset[int] = frozenset()
    seasons: tuple[str, ...] = ()


class Facts(NamedTuple):
    """The few columns of a memory that decide whether it may be shown and weigh in its ranking;
    `speaker` and `marks` are what its text shows (search_document.py). A tuple, since a frozen
    record of so many fields takes ten times as long to make, and each question makes hundreds.

    The fields stand in the order of the columns of the query `retrieval.facts`."""

    id: int
    kind: str
    scope: str
    project: str
    session: str | None
    task: str | None
    active: int
    superseded_by: int | None
    created_at: str
    valid_from: str | None
    valid_to: str | None
    confidence: float
    trust: float
    provenance: str
    pinned: int
    tokens: int
    accessed_at: str | None
    access_count: int
    speaker: str = ""
    marks: int = 0


def _relation(kind: str) -> EdgeKind | CodeEdge:
    return CodeEdge(kind) if kind in _CODE_EDGES else EdgeKind(kind)


_CODE_EDGES = frozenset(CodeEdge)


@frozen
class Step:
    """One step of the path to a hit: from a node along an edge to the next.

    Nodes are memories, tags (below 0) and files and symbols of the code. `forward` is whether the
    edge leads this way: back along `calls` one comes to a caller.
    """

    from_node: int
    kind: EdgeKind | CodeEdge = attrs.field(converter=_relation)
    to_node: int
    weight: float
    forward: bool = True


def warnings_of(about: Sequence[Anchor], contradicts: Sequence[int]) -> tuple[str, ...]:
    """Return in words what became of places that a memory is about, and what contradicts it."""
    changes = (f"{anchor.state}: {anchor.change}" for anchor in about if anchor.change)
    doubts = (f"contradicts memory {other}, which is not settled" for other in contradicts)
    return (*changes, *doubts)


@frozen
class Hit:
    """One recalled memory.

    Attributes:
        score: chance from 0 to 1 that it answers the question, as calibrated on real questions.
        parts: what each kind of evidence adds, in log-odds; they sum up to ln(score / (1 - score)).
        path: steps from the first match to the memory; empty if it matched by itself.
        reasons: the same in words, the weightiest first, then the warnings.
        contradicts: ids of memories that cannot be true together with it, which is not settled.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float]
    path: tuple[Step, ...] = ()
    reasons: tuple[str, ...] = ()
    contradicts: tuple[int, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know of it: what became of what it is about, and what contradicts it."""
        return warnings_of(self.memory.about, self.contradicts)

    @property
    def id(self) -> int:
        """The memory's id."""
        return self.memory.id

    @property
    def source(self) -> Source:
        """Memories."""
        return Source.MEMORIES

    @property
    def at(self) -> str:
        """When it was remembered, UTC text."""
        return self.memory.created_at

    @property
    def text(self) -> str:
        """The statement."""
        return self.memory.text


@frozen
class TaskHit:
    """One recalled task: unfinished work, or work like that which the question speaks of.

    Attributes:
        score: chance from 0 to 1 that it answers the question.
        reasons: why it came.
    """

    task: TaskRecord
    score: float
    reasons: tuple[str, ...] = ()
    source: Source = attrs.field(default=Source.TASKS, init=False)

    @property
    def status(self) -> TaskStatus:
        """Where the task stands."""
        return self.task.status

    @property
    def session(self) -> str:
        """The session in which it was begun."""
        return self.task.session

    @property
    def outcome(self) -> str:
        """What came of it, or what it failed with; "" if nothing is known."""
        return _line(self.task.outcome or self.task.error or "")

    @property
    def at(self) -> str:
        """When its state changed last, UTC text."""
        return self.task.completed_at or self.task.paused_at or self.task.started_at

    @property
    def text(self) -> str:
        """The task, where it stands and what came of it, on one line."""
        outcome = f" – {self.outcome}" if self.outcome else ""
        return f"{self.status}: {_line(self.task.description)}{outcome}"


@frozen
class ErrorFix:
    """What was done until a call that had failed came off.

    Attributes:
        command: the call that came off. failed_command: the one that had not.
        files: paths that were changed in between, in order.
        at: when it came off, UTC text. session: in which.
        commands: what was run in between, where no file was changed: an installation, say.
    """

    command: str
    failed_command: str
    files: tuple[str, ...]
    at: str
    session: str
    commands: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The same on one line."""
        command = _line(self.command)
        if self.files:
            return f"changed {', '.join(self.files)}; then {command} passed"
        instead = " instead" if self.command != self.failed_command else ""
        if self.commands:
            return f"{_line('; '.join(self.commands))}; then {command} passed{instead}"
        if instead:
            return f"{command} passed instead"
        return f"{command} passed later, with no change recorded in between"


@frozen
class ErrorHit:
    """One recalled error: when it occurred, how often, and what fixed it.

    Attributes:
        signature: the error without numbers, paths and addresses. message: as it came last.
        count: how often it occurred. first_at, at: first and last time, UTC text.
        fix: what made the same call come off, None if nothing did.
        score: chance from 0 to 1 that it is the error of the question. reasons: why it came.
        is_other_number: whether the question has other numbers.
    """

    signature: str
    message: str
    count: int
    first_at: str
    at: str
    fix: ErrorFix | None
    score: float
    reasons: tuple[str, ...] = ()
    is_other_number: bool = False
    source: Source = attrs.field(default=Source.ERRORS, init=False)

    @property
    def text(self) -> str:
        """The error and its fix on one line."""
        fix = f"fixed: {self.fix.text}" if self.fix else "unsolved"
        other = " (another number)" if self.is_other_number else ""
        return f"{_line(self.message)}{other} – {fix}"


@frozen
class AttemptHit:
    """One recalled attempt that failed: a change after which the next check failed, a task that
    failed, a commit that was taken back.

    Attributes:
        action: what was attempted. reason: why it failed.
        files: paths that were changed. task: name of the task, or commit:<hash>.
        at: when it failed, UTC text.
        score: chance from 0 to 1 that it answers the question. reasons: why it came.
    """

    action: str
    reason: str
    files: tuple[str, ...]
    task: str | None
    at: str
    score: float
    reasons: tuple[str, ...] = ()
    source: Source = attrs.field(default=Source.ATTEMPTS, init=False)

    @property
    def text(self) -> str:
        """The attempt and why it failed, on one line."""
        return f"{_line(self.action)} – failed: {_line(self.reason)}"


EpisodeHit: TypeAlias = TaskHit | ErrorHit | AttemptHit


# Characters of a text that a hit's line shows.
_LONGEST_LINE = 300


def _line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()}…"


@frozen
class RecallResult(RecordSequence[Hit]):
    """The hits, best first, and what a reader should know about them.

    As a sequence it is the memories; what was done stands in `episodes`, and `results` has both.

    Attributes:
        notes: what was not possible (vectors unavailable, filters that excluded much).
        best_left_out: score of the best memory that was not good enough, if any.
        shown_before: memories that match and were left out because the session was shown them.
        episodes: tasks, errors and failed attempts that answer, best first.
    """

    hits: tuple[Hit, ...] = ()
    notes: tuple[str, ...] = ()
    best_left_out: float | None = None
    shown_before: int = 0
    episodes: tuple[EpisodeHit, ...] = ()

    @property
    def results(self) -> tuple[Hit | EpisodeHit, ...]:
        """Hits of every form, best first: each has source, text, at, score and reasons."""
        return tuple(sorted((*self.episodes, *self.hits), key=lambda hit: -hit.score))

    @property
    def _items(self) -> tuple[Hit, ...]:
        return self.hits


@frozen
class Gap:
    """A question of sessions that found nothing good enough, with others that ask the same.

    Attributes:
        question: as asked, secrets replaced. asked_count: how often, all wordings together.
        first_at, last_at: UTC text. best_score: of what came nearest, None if nothing did.
        ids: of its wordings, each of which names it. others: its wordings besides `question`.
        closed_at: since when it is answered or closed, UTC text; None if it is open.
        answer: id of the memory that answers it, None if a person closed it.
    """

    question: str
    asked_count: int
    first_at: str
    last_at: str
    best_score: float | None
    ids: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    closed_at: str | None = None
    answer: int | None = None


@frozen
class Explanation:
    """Why a memory is among the hits of a question, or why not.

    Attributes:
        stage: where it ended: hit, or the step that dropped it (project, session, task, scope,
            kind, tag, time, history, superseded, forgotten, expired, shown, nearer, unmatched,
            floor, duplicate, limit).
        text: the same in a sentence.
        hit: its score and parts, where it was ranked at all.
    """

    id: int
    present: bool
    stage: str
    text: str
    hit: Hit | None = None

"""Records of what was done (tasks, sessions, tool calls, files) and the enums they use."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs

# --- The closed lists of words that episodes are described with.


class Status(StrEnum):
    """Where a task stands (seed 000, task_history; abandoned is ours)."""

    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    ABANDONED = "abandoned"  # its session died while it was under way


class Intent(StrEnum):
    """What a task is after (seed 000, task_history)."""

    CODE_READING = "code_reading"
    CODE_WRITING = "code_writing"
    PROJECT_FIXING = "project_fixing"
    PROJECT_EXPLORATION = "project_exploration"


class Operation(StrEnum):
    """What was done with a file (seed 000, file_interactions; delete and rename are ours)."""

    READ = "read"
    WRITE = "write"
    EDIT = "edit"
    SEARCH = "search"
    ANALYZE = "analyze"
    DELETE = "delete"
    RENAME = "rename"


class OutputType(StrEnum):
    """What a tool gave back."""

    TEXT = "text"
    JSON = "json"
    BASE64 = "base64"
    BINARY = "binary"


class SnapshotReason(StrEnum):
    """Why the context was noted down (seed 000, context_snapshots; compaction is ours)."""

    PRUNING = "pruning"
    TASK_SWITCH = "task_switch"
    MANUAL_SNAPSHOT = "manual_snapshot"
    COMPACTION = "compaction"


class PatternType(StrEnum):
    """What sort of pattern was learnt (seeds 000 and 004; sequence is ours)."""

    CO_EDIT = "co-edit"
    ERROR_FIX = "error-fix"
    REFACTOR = "refactor"
    SEQUENCE = "sequence"
    WORKFLOW = "workflow"


class LearningType(StrEnum):
    """What sort of learning a session left (seed 000, session_learnings)."""

    FILE_PURPOSE = "file_purpose"
    COMMON_ERROR = "common_error"
    WORKFLOW = "workflow"


class CommitKind(StrEnum):
    """What a commit's message says of it."""

    CHANGE = "change"
    FIX = "fix"
    REVERT = "revert"
    MERGE = "merge"


class CommitOperation(StrEnum):
    """What a commit did with a file."""

    EDIT = "edit"
    WRITE = "write"
    DELETE = "delete"
    RENAME = "rename"


class SignalKind(StrEnum):
    """What can happen that foretells something (seed 004, Predictive Context Engine)."""

    FILE = "file"
    BRANCH = "branch"
    ERROR = "error"
    TIME = "time"
    COLLABORATOR = "collaborator"


class PredictedKind(StrEnum):
    """What can be foretold."""

    FILE = "file"
    SYMBOL = "symbol"
    MEMORY = "memory"
    PATTERN = "pattern"
    WORKFLOW = "workflow"


# Operations that change a file.
CHANGING = (Operation.EDIT, Operation.WRITE, Operation.DELETE, Operation.RENAME)


# --- The words of episodes as frozen records: what was done, and what the questions answer.


class RecordStatus(StrEnum):
    """What became of something that was to be recorded."""

    STORED = "stored"  # it is in the file
    PENDING = "pending"  # it waits in memory and is written with the next batch
    KNOWN = "known"  # it was there already
    IGNORED = "ignored"  # there is nothing in it to record
    DROPPED = "dropped"  # it is lost, or was not wanted


@attrs.frozen
class RecordResult:
    """What became of one event.

    Attributes:
        reason: why it is pending, ignored or dropped, or None.
        id: the number of its row, once it has one.
        redacted: kinds of secrets that were replaced by markers.
    """

    status: RecordStatus
    reason: str | None = None
    id: int | None = None
    redacted: tuple[str, ...] = ()


@attrs.frozen
class SessionRecord:
    """One run of an agent. Times are UTC text; `ended_at` is None while it runs. One that died
    ends, some time later, at its last sign of life.

    Attributes:
        parent: name of the session that began it, as a subagent's; None if a user did.
        summary: what was said at its end, else what its tasks came to.
    """

    id: int
    name: str
    project: str
    agent: str | None
    source: str
    branch: str | None
    commit: str | None
    started_at: str
    ended_at: str | None
    summary: str | None
    parent: str | None


@attrs.frozen
class TaskRecord:
    """One task. Times are UTC text; `files` and `tools` are counted from what was recorded.

    Attributes:
        name: the task's name (task_id). session: the session it was begun in.
        parent: name of the task it is a part of.
        source: agent, or the format it was imported from.
        tools: calls by tool.
        outcome: what came of it. error: what it failed with.
    """

    id: int
    name: str
    session: str
    parent: str | None
    project: str
    description: str
    intent: Intent | None = attrs.field(converter=attrs.converters.optional(Intent))
    status: Status = attrs.field(converter=Status)
    source: str
    branch: str | None
    commit: str | None
    started_at: str
    paused_at: str | None
    completed_at: str | None
    files: tuple[str, ...]
    tools: Mapping[str, int]
    outcome: str | None
    error: str | None


@attrs.frozen
class Execution:
    """One call of a tool.

    `output` is a bounded preview; `original_bytes` and `output_hash` are of the whole output.
    """

    id: int
    timestamp: str
    session: str
    task: str | None
    tool: str
    parameters: Mapping[str, Any]
    result: Any
    success: bool
    error: str | None
    duration_ms: int | None
    context_tokens: int | None
    exit_code: int | None
    output: str | None
    original_bytes: int | None
    output_hash: str | None
    output_type: OutputType | None = attrs.field(converter=attrs.converters.optional(OutputType))
    error_signature: str | None
    call_id: str | None


@attrs.frozen
class Interaction:
    """One file that was read, searched or changed.

    Attributes:
        execution: id of the tool call that did it. lines: first and last line, if known.
        context: why this file. changes: what changed. content_hash: of the file after it.
    """

    id: int
    timestamp: str
    session: str
    task: str | None
    execution: int | None
    path: str
    operation: Operation = attrs.field(converter=Operation)
    previous_path: str | None
    lines: tuple[int, int] | None
    success: bool
    context: str | None
    changes: str | None
    content_hash: str | None

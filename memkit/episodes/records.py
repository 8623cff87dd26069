"""Words of recorded work: closed lists, and what became of an event."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

# --- The closed lists of words that episodes are described with.


# Commits of git's log that are read at most: with half a year's half-life, what is older tells
# next to nothing.
MAX_COMMITS = 20_000


class TaskStatus(StrEnum):
    """Where a task stands (seed 000, task_history; abandoned is ours)."""

    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    ABANDONED = "abandoned"  # its session died while it was under way


# What a task that is in any other state noted for itself is gone (seed 003, cleanup).
UNDER_WAY = (TaskStatus.ACTIVE, TaskStatus.PAUSED)


class Intent(StrEnum):
    """What a task is after (seed 000, task_history)."""

    CODE_READING = "code_reading"
    CODE_WRITING = "code_writing"
    PROJECT_FIXING = "project_fixing"
    PROJECT_EXPLORATION = "project_exploration"


class FileOperation(StrEnum):
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
CHANGING = (FileOperation.EDIT, FileOperation.WRITE, FileOperation.DELETE, FileOperation.RENAME)


# --- What became of an event.


class RecordStatus(StrEnum):
    """What became of something that was to be recorded."""

    STORED = "stored"  # it is in the file
    PENDING = "pending"  # it waits in memory and is written with the next batch
    KNOWN = "known"  # it was there already
    IGNORED = "ignored"  # there is nothing in it to record
    DROPPED = "dropped"  # it is lost, or was not wanted


class RecordResult(NamedTuple):
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

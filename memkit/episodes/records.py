"""The words of episodes as frozen records: what was done, and what the questions answer."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs

from .kinds import Intent, Operation, OutputType, Status


class Fate(StrEnum):
    """What became of something that was to be recorded."""

    STORED = "stored"  # it is in the file
    KEPT = "kept"  # it waits in memory and is written with the next batch
    KNOWN = "known"  # it was there already
    IGNORED = "ignored"  # there is nothing in it to record
    DROPPED = "dropped"  # it is lost, or was not wanted


@attrs.frozen
class Recorded:
    """What became of one event.

    Attributes:
        reason: why it was kept, ignored or dropped, or None.
        id: the number of its row, once it has one.
        redacted: kinds of secrets that were replaced by markers.
    """

    fate: Fate
    reason: str | None = None
    id: int | None = None
    redacted: tuple[str, ...] = ()


@attrs.frozen
class SessionRecord:
    """One run of an agent. Times are UTC text; `ended_at` is None while it runs or if it died.
    `summary` is what was said at its end, else what its tasks came to."""

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
    """One call of a tool. `output` is a bounded preview; `original_bytes` and `output_hash` are of
    the whole output."""

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


@attrs.frozen
class ToolStats:
    """How one tool fared. `mean_ms` is over the calls whose duration is known, else None."""

    tool: str
    calls: int
    successes: int
    success_rate: float
    mean_ms: float | None


@attrs.frozen
class CoEdit:
    """Two files that were changed within 300 seconds of each other in `count` tasks, and together
    by `commits` commits."""

    path: str
    other: str
    count: int
    last_at: str
    commits: int = 0


@attrs.frozen
class Fix:
    """A call that failed, the next one of the same command that did not, and what was changed in
    between.

    Attributes:
        signature: the error without numbers, paths and addresses.
        failed, passed: the two calls. edits: successful changes of files between them, in order.
    """

    signature: str
    failed: Execution
    passed: Execution
    edits: tuple[Interaction, ...]


@attrs.frozen
class SeenError:
    """One fault, however often it occurred, newest message first told; with what fixed it."""

    signature: str
    message: str
    count: int
    first_at: str
    last_at: str
    fixes: tuple[Fix, ...]


@attrs.frozen
class Attempt:
    """A change that did not work: the next check after it failed, or it was taken back.

    Attributes:
        edits: the changes that were tried together, in order (none if a commit was taken back).
        check: the call that failed afterwards, or None.
        path: the file that was asked for, or the first that was changed.
        reason: the error, or what took it back.
        task: name of the task, or commit:<hash>.
    """

    at: str
    path: str
    reason: str
    task: str | None
    edits: tuple[Interaction, ...] = ()
    check: Execution | None = None


@attrs.frozen
class FileEvent:
    """One line of a file's history.

    Attributes:
        what: the operation. name: task name, or commit:<hash>. text: why, what changed, or the
            subject of the commit.
    """

    at: str
    path: str
    what: str
    success: bool
    name: str | None
    text: str


@attrs.frozen
class Worked:
    """Whether a file was worked on before: how often it was read and changed, and the newest
    interactions with it."""

    path: str
    reads: int
    changes: int
    last_at: str | None
    recent: tuple[Interaction, ...]
    commits: int = 0

    def __bool__(self) -> bool:
        return bool(self.reads or self.changes or self.commits)


@attrs.frozen
class SimilarTask:
    """A task (or commit) like the one described, with its score from 0 to 1 and why it came."""

    name: str
    description: str
    outcome: str | None
    status: Status | None
    files: tuple[str, ...]
    at: str
    score: float
    reasons: tuple[str, ...]


@attrs.frozen
class Summary:
    """What a fresh start should know: what is unfinished, what was done last, what is broken."""

    unfinished: tuple[TaskRecord, ...]
    done: tuple[TaskRecord, ...]
    open_errors: tuple[SeenError, ...]
    hot_files: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        """The same in a few lines."""
        lines = [f"unfinished ({task.status}): {task.description}" for task in self.unfinished]
        lines += [_done(task) for task in self.done]
        lines += [f"unsolved error, {e.count} times: {e.message}" for e in self.open_errors]
        if self.hot_files:
            lines.append("files most worked on: " + ", ".join(path for path, _ in self.hot_files))
        return "\n".join(lines)


def _done(task: TaskRecord) -> str:
    came = task.outcome or task.error
    return f"{task.status}: {task.description}" + (f" – {came}" if came else "")

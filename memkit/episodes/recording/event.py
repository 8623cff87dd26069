"""Event: the one record of what an agent did, whoever tells of it.

An adapter makes events: the methods of `Session` and `Task` (session.py), hook payloads and plain
dictionaries (hooks.py), the readers of transcripts (../transcripts). The normaliser makes rows of
them. What a model answered or thought is no event: nothing of it is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from ...store.timestamps import When
from ..records import FileOperation, SnapshotReason, TaskStatus
from .tolerant_json import Line

Row = Mapping[str, Any]
# Where an event comes from that is told as it happens; an import names its format instead.
LIVE = "agent"
# What an event may have as a dictionary beside session, task and at. The README, `memkit record
# --help` and `Episodes.record` say the same.
EVENT_KEYS: Mapping[str, tuple[str, ...]] = {
    "session": ("agent", "branch", "commit", "parent"),
    "end": ("summary",),
    "task": ("description", "parent"),
    **dict.fromkeys(("finish", "fail", "pause", "resume"), ("outcome", "error")),
    "tool": (
        "tool", "parameters", "output", "result", "success", "error", "exit_code", "duration_ms",
        "context_tokens", "call_id", "files", "description",
    ),
    "file": (
        "path", "operation", "line_range", "success", "context", "changes", "previous_path",
        "content_hash",
    ),
    "snapshot": ("items", "total_tokens", "pruned", "reason"),
}  # fmt: skip


class EventKind(StrEnum):
    """What an event tells."""

    SESSION_START = "session_start"
    SESSION_END = "session_end"
    PROMPT = "prompt"  # what the user asked for: a task begins
    TASK_STATE = "task_state"  # a task goes on, rests (the user stopped it) or ends
    TOOL_CALL = "tool_call"
    FILE_ACCESS = "file_access"
    SNAPSHOT = "snapshot"
    SKIPPED = "skipped"  # nothing that is recorded; `text` is why


class FileAccess(NamedTuple):
    """A file that was read, searched or changed.

    Attributes:
        path: absolute, or relative to where the session began. operation: an `Operation`.
        lines: first and last line, if known. previous_path: of a rename.
        changes: what changed, in a few words. content_hash: of the whole file after it, if known.
        success: None is that of the call. context: why this file.
    """

    path: str
    operation: str = FileOperation.READ
    lines: tuple[int, int] | None = None
    previous_path: str | None = None
    changes: str | None = None
    content_hash: str | None = None
    success: bool | None = None
    context: str | None = None


class ToolCall(NamedTuple):
    """A call of a tool with its result.

    Attributes:
        call_id: the caller's own name of it.
        output: what came back, whole. has_result: whether anything did.
        success: False if it is said to have failed, True if not; None: its result tells.
        files: as `FileAccess`; an agent may give paths or dictionaries instead.
        shown: what of a file the model was shown; of it only the paths that it names are kept.
        description: what the call is for, in the caller's words; kept among its parameters.
    """

    tool: str
    parameters: Mapping[str, Any] = MappingProxyType({})
    call_id: str | None = None
    output: object = None
    shown: str | None = None
    result: object = None
    has_result: bool = True
    success: bool | None = None
    error: str | None = None
    exit_code: int | None = None
    duration_ms: float | None = None
    context_tokens: int | None = None
    files: Sequence[Any] = ()
    description: str | None = None


class Snapshot(NamedTuple):
    """What is in a model's context: id, type, tokens and relevance of each item."""

    items: Sequence[Mapping[str, Any]] = ()
    total_tokens: int | None = None
    pruned: Sequence[Mapping[str, Any]] | None = None
    reason: str = SnapshotReason.MANUAL_SNAPSHOT


class Event(NamedTuple):
    """One occurrence. What an agent reports stands in it unchecked; the normaliser checks it.

    Attributes:
        session: its name; None is the one before (transcripts), or the recorder's own.
        task: name of the task that it begins or belongs to; None is the last one of the session.
        parent: name of the task that a prompt is a part of.
        parent_session: name of the session that began this one, such as a subagent's.
        at: None is now, or just after the event before it (transcripts).
        cwd: the folder that paths count from.
        text: prompt, outcome of a task, summary of a session, or why the event is skipped.
        status, error: of a task; `status` may be a guess that later events correct.
    """

    kind: EventKind
    session: str | None = None
    task: str | None = None
    parent: str | None = None
    parent_session: str | None = None
    at: When | None = None
    source: str = LIVE
    agent: str | None = None
    branch: str | None = None
    commit: str | None = None
    cwd: str | None = None
    text: str | None = None
    status: TaskStatus | None = None
    error: str | None = None
    tool: ToolCall | None = None
    file: FileAccess | None = None
    snapshot: Snapshot | None = None

    @property
    def call(self) -> ToolCall:
        """The call that a TOOL_CALL tells of."""
        if self.tool is None:
            raise ValueError(f"{self.kind}: has no call of a tool")
        return self.tool


class WritePolicy(NamedTuple):
    """How an event is written.

    Nothing of it is read out of what was reported, which is an agent's.

    Attributes:
        finds_task: without a task it belongs to the session's task under way.
        finds_ended: if none is under way, to the one begun last: it may be late.
        ends_others: a prompt, or the end of a turn, that completes the session's task under way.
        is_reply: a prompt that only answers the agent: the session's last task goes on.
        opens_session: the session's own row is written with what is stored; nothing else leaves
            one.
        at_once: is written now, not when others are.
    """

    finds_task: bool = False
    finds_ended: bool = False
    ends_others: bool = False
    is_reply: bool = False
    opens_session: bool = False
    at_once: bool = True


DEFAULT_POLICY = WritePolicy()


def skipped(reason: str) -> Event:
    """Return what tells of no event, and why."""
    return Event(EventKind.SKIPPED, text=reason)


def of_lines(lines: Iterable[Line], read: Callable[[Row], Iterable[Event]]) -> Iterator[Event]:
    """Yield the events that `read` gives of each line's object; of a damaged line, that it is."""
    for line in lines:
        if line.row is None:
            yield skipped(line.reason or "damaged line")
        else:
            yield from read(line.row)

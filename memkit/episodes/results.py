"""Records of what was done, and the results of questions about it; rows read as records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from ..frozen import frozen
from .error_signatures import command_of, same_call
from .records import FileOperation, Intent, OutputType, TaskStatus

if TYPE_CHECKING:
    from ..store.store import Store


# --- What the questions about episodes return, beside the rows themselves.


@frozen
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


@frozen
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
    status: TaskStatus = attrs.field(converter=TaskStatus)
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


@frozen
class ToolExecution:
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


@frozen
class FileInteraction:
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
    operation: FileOperation = attrs.field(converter=FileOperation)
    previous_path: str | None
    lines: tuple[int, int] | None
    success: bool
    context: str | None
    changes: str | None
    content_hash: str | None


@frozen
class ToolStats:
    """How one tool fared. `mean_ms` is over the calls whose duration is known, else None."""

    tool: str
    calls: int
    successes: int
    success_rate: float
    mean_ms: float | None


@frozen
class CoEdit:
    """Two files that were changed together.

    Within 300 seconds of each other in `count` tasks, and by `commits` commits.
    """

    path: str
    other: str
    count: int
    last_at: str
    commits: int = 0


@frozen
class Fix:
    """A call that failed, the next one of the same command that did not, and what was changed in
    between.

    Attributes:
        signature: the error without numbers, paths and addresses.
        failed, passed: the two calls. edits: successful changes of files between them, in order.
        commands: what was run between them and does more than look, where no file was changed: an
            installation, say.
    """

    signature: str
    failed: ToolExecution
    passed: ToolExecution
    edits: tuple[FileInteraction, ...]
    commands: tuple[str, ...] = ()

    @property
    def means(self) -> str | None:
        """What was done: files that were changed, else commands, the call that passed if it is
        another one; None if nothing is known but that it passed."""
        if self.edits:
            return f"changing {', '.join(dict.fromkeys(edit.path for edit in self.edits))}"
        return "; ".join(self.deeds) or None

    @property
    def deeds(self) -> tuple[str, ...]:
        """Commands that got over the fault, each once: what was run between the two calls, and the
        call that passed if it is another one."""
        passed = command_of(self.passed.parameters)
        ways = (same_call(call.tool, call.parameters) for call in (self.failed, self.passed))
        if not passed or len({*ways}) == 1:
            return tuple(dict.fromkeys(self.commands))
        return tuple(dict.fromkeys((*self.commands, " ".join(passed.split()))))


@frozen
class ErrorOccurrence:
    """One fault, however often it occurred, newest message first told; with what fixed it."""

    signature: str
    message: str
    count: int
    first_at: str
    last_at: str
    fixes: tuple[Fix, ...]


@frozen
class FailedAttempt:
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
    edits: tuple[FileInteraction, ...] = ()
    check: ToolExecution | None = None


@frozen
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


@frozen
class FileHistory:
    """Whether a file was worked on before, and what happened to it.

    Attributes:
        reads, changes, commits: how often it was read, changed, and changed by a commit.
        recent: the newest interactions with it. events: what happened to it, under its former
            names too, newest first.
        similar: where there are none, files in folders that are called as this one.
    """

    path: str
    reads: int
    changes: int
    last_at: str | None
    recent: tuple[FileInteraction, ...]
    commits: int = 0
    events: tuple[FileEvent, ...] = ()
    similar: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.reads or self.changes or self.commits)


@frozen
class HotFile:
    """A file, and how often it was worked on."""

    path: str
    touches: int


@frozen
class FileOwner:
    """Somebody who changed a file, and the share of its changes, 0 to 1."""

    name: str
    share: float


@frozen
class SimilarTask:
    """A task (or commit) like the one described, with its score from 0 to 1 and why it came."""

    name: str
    description: str
    outcome: str | None
    status: TaskStatus | None
    files: tuple[str, ...]
    at: str
    score: float
    reasons: tuple[str, ...]


# Characters of a statement in a summary.
_SHOWN = 240


@frozen
class SessionSummary:
    """What a fresh start should know: what holds for every task (pinned memories, rules,
    preferences), what is unfinished, what was done last, what is broken."""

    unfinished: tuple[TaskRecord, ...]
    done: tuple[TaskRecord, ...]
    open_errors: tuple[ErrorOccurrence, ...]
    hot_files: tuple[HotFile, ...]
    pinned: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The same in a few lines."""
        lines = [
            f"{word}: {_first_line(text)}"
            for word, texts in (
                ("pinned", self.pinned),
                ("rule", self.rules),
                ("preferred", self.preferences),
            )
            for text in texts
        ]
        lines += [
            f"unfinished ({task.status} since {task.started_at[:10]}): {task.description}"
            for task in self.unfinished
        ]
        lines += [_done(task) for task in self.done]
        for seen in self.open_errors:
            often = "once" if seen.count == 1 else f"{seen.count} times"
            lines.append(f"unsolved error, {often}, last {seen.last_at[:10]}: {seen.message}")
        if self.hot_files:
            lines.append("files most worked on: " + ", ".join(file.path for file in self.hot_files))
        return "\n".join(lines)


def _first_line(text: str) -> str:
    """Return the beginning of a statement, which may be a page long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rstrip()}…"


def _done(task: TaskRecord) -> str:
    came = task.outcome or task.error
    day = (task.completed_at or task.started_at)[:10]
    return f"{task.status} {day}: {task.description}" + (f" – {came}" if came else "")


@frozen
class EpisodeStats:
    """How many rows of each sort there are.

    Attributes:
        first_at, last_at: when the oldest and the newest call were made, UTC text.
        waiting: events that wait to be written, and `trouble`: why. dropped: why others were lost.
    """

    sessions: int
    tasks: int
    open_tasks: int
    executions: int
    interactions: int
    snapshots: int
    patterns: int
    learnings: int
    commits: int
    first_at: str | None
    last_at: str | None
    waiting: int
    trouble: str | None
    dropped: Mapping[str, int]


# --- Rows of the episodes' tables as records. Rows that were edited by hand are read as far as
# they go.

Row = Mapping[str, Any]
# Calls and files of one session that are read.
_MAX_ROWS = 5_000


def session_calls(store: Store, session: str) -> list[ToolExecution]:
    """Return the calls of a session in their order."""
    rows = store.records("episodes.calls_of_session", session=session, limit=_MAX_ROWS)
    return [execution(row) for row in rows]


def session_files(store: Store, session: str) -> list[FileInteraction]:
    """Return what a session did with files, in its order."""
    rows = store.records("episodes.files_of_session", session=session, limit=_MAX_ROWS)
    return [interaction(row) for row in rows]


def tasks(store: Store, ids: Iterable[int]) -> list[TaskRecord]:
    """Return the tasks of these ids in the order given; ids without a row are left out."""
    return [task(row) for row in store.records("episodes.tasks_by", ids=json.dumps(list(ids)))]


# Fields of records and the columns that hold them, where those are called otherwise.
_COLUMNS = {
    "session": "session_id", "task": "task_id", "parent": "parent_task_id",
    "commit": "commit_hash", "error": "error_message", "tool": "tool_name",
    "execution": "execution_id", "path": "file_path", "changes": "changes_summary",
}  # fmt: skip
R = TypeVar("R", TaskRecord, SessionRecord, ToolExecution, FileInteraction)


def _record(kind: type[R], row: Row, **values: Any) -> R:
    """Return a row as a record; `values` are those that no column holds as they are."""
    names = [field.name for field in attrs.fields(kind) if field.name not in values]
    return kind(**{name: row[_COLUMNS.get(name, name)] for name in names}, **values)


def task(row: Row) -> TaskRecord:
    """Return one row of task_history as a record."""
    return _record(
        TaskRecord,
        row,
        name=row["task_id"],
        files=tuple(str(path) for path in listed(row["files_touched"])),
        tools={k: v for k, v in mapping(row["tools_used"]).items() if isinstance(v, int)},
    )


def session(row: Row) -> SessionRecord:
    """Return one row of sessions as a record."""
    return _record(SessionRecord, row, name=row["session_id"], parent=row["parent_session_id"])


def execution(row: Row) -> ToolExecution:
    """Return one row of tool_executions as a record."""
    return _record(
        ToolExecution,
        row,
        parameters=mapping(row["parameters"]),
        result=None if row["result"] is None else _json(row["result"]),
        success=bool(row["success"]),
    )


def interaction(row: Row) -> FileInteraction:
    """Return one row of file_interactions as a record."""
    lines = _lines(row["line_range"])
    return _record(FileInteraction, row, lines=lines, success=bool(row["success"]))


def _lines(stored: str | None) -> tuple[int, int] | None:
    span = {} if stored is None else mapping(stored)
    start, end = span.get("start"), span.get("end")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None


def _json(stored: str) -> Any:
    try:
        return json.loads(stored)
    except (ValueError, RecursionError):
        return stored


def listed(stored: str) -> list[Any]:
    """Return a stored JSON list; nothing if it is none."""
    values = _json(stored)
    return values if isinstance(values, list) else []


def mapping(stored: str) -> dict[str, Any]:
    """Return a stored JSON object; an empty one if it is none."""
    value = _json(stored)
    return value if isinstance(value, dict) else {}

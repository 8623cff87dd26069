"""Session, Task context managers; Recording, what a hook needs alone.

with kit.session() as session, session.task("fix the login") as task:
    task.tool("Bash", {"command": "pytest"}, success=False, error="AssertionError: 401")
    task.file("src/login.py", "edit", changes="compare in UTC")
    task.finish("logins work across midnight")
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ... import validation
from ...errors import StoreError
from ...store.store import Store
from ...store.timestamps import When
from ..paths import RepositoryPaths, branch_of
from ..records import FileOperation, RecordResult, SnapshotReason, TaskStatus
from .event import Event, EventKind, FileAccess, Snapshot, ToolCall, WritePolicy
from .normalizer import Normalizer
from .recorder import Recorder
from .tolerant_json import line_span
from .writer import BRIEFLY, Buffer

if TYPE_CHECKING:
    from ..results import TaskRecord

# --- `kit.session()`: what an agent does, recorded while it does it.
#
# Nothing here raises into the agent: each call returns what became of the event.

File = Mapping[str, Any] | str


class _Target:
    """Where events go: a session, or a task of it."""

    def __init__(self, recorder: Recorder, session: str, task: str | None, batch: int) -> None:
        self._recorder = recorder
        self._session = session
        self._task = task
        self._batch = batch

    def tool(
        self,
        name: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        success: bool | None = None,
        output: object = None,
        result: object = None,
        error: str | None = None,
        duration_ms: float | None = None,
        exit_code: int | None = None,
        context_tokens: int | None = None,
        call_id: str | None = None,
        files: Sequence[File] = (),
        description: str | None = None,
        at: When | None = None,
    ) -> RecordResult:
        """Record a call of a tool; `description` is what it is for.

        `output` is what it returned (text or bytes): head, error lines and tail are kept. `result`
        is a structured result; a text is taken for output. `success` None is told from error, exit
        code and output. `call_id` is the caller's own name of the call: the same one again is not
        recorded twice. `files` are paths, or mappings of `path`, `operation` and what `file` takes.
        `duration_ms` is in milliseconds.
        """
        if isinstance(result, str | bytes) and output is None:
            output, result = result, None
        call = ToolCall(
            name,
            {} if parameters is None else parameters,
            call_id,
            output=output,
            result=result,
            success=success,
            error=error,
            exit_code=exit_code,
            duration_ms=duration_ms,
            context_tokens=context_tokens,
            files=files,
            description=description,
        )
        return self._record(EventKind.TOOL_CALL, at, tool=call)

    def file(
        self,
        path: str,
        operation: FileOperation | str = FileOperation.READ,
        *,
        line_range: tuple[int, int] | Mapping[str, int] | None = None,
        context: str | None = None,
        reason: str | None = None,
        changes: str | None = None,
        success: bool = True,
        previous_path: str | None = None,
        content_hash: str | None = None,
        at: When | None = None,
    ) -> RecordResult:
        """Record that a file was read, written, edited, searched, analyzed, deleted or renamed.

        `context` (or `reason`) is why this file, `changes` what changed in it; neither is kept of a
        private file. `previous_path` is the name before a rename.
        """
        file = FileAccess(
            path,
            operation,
            line_span(line_range),
            previous_path,
            changes,
            content_hash,
            success,
            context if context is not None else reason,
        )
        return self._record(EventKind.FILE_ACCESS, at, file=file)

    def snapshot(
        self,
        items: Sequence[Mapping[str, Any]],
        *,
        total_tokens: int | None = None,
        pruned: Sequence[Mapping[str, Any]] | None = None,
        reason: SnapshotReason | str = SnapshotReason.MANUAL_SNAPSHOT,
        at: When | None = None,
    ) -> RecordResult:
        """Record what is in the model's context: id, type, tokens and relevance of each item, and
        of those just removed."""
        snapshot = Snapshot(items, total_tokens, pruned, reason)
        return self._record(EventKind.SNAPSHOT, at, snapshot=snapshot)

    def _record(self, kind: EventKind, at: When | None, **fields: Any) -> RecordResult:
        event = Event(kind, session=self._session, task=self._task, at=at, **fields)
        at_once = self._recorder.buffer.waiting + 1 >= self._batch
        return self._recorder.record(event, WritePolicy(at_once=at_once))


class Session(_Target):
    """One run of an agent; use it with `with`. Calls on it belong to no task."""

    def __init__(
        self,
        recorder: Recorder,
        name: str,
        *,
        batch: int = 1,
        agent: str | None = None,
        branch: str | None = None,
        commit: str | None = None,
        parent: str | None = None,
        at: When | None = None,
        unfinished: Callable[[str], list[TaskRecord]],
    ) -> None:
        """`unfinished` finds tasks of earlier sessions."""
        super().__init__(recorder, name, None, batch)
        self.name = name
        self.agent, self.branch, self.commit = agent, branch, commit
        started = self._event(EventKind.SESSION_START, at=at, agent=agent, parent_session=parent)
        self.started = recorder.record(started)
        self._find_unfinished = unfinished
        self._inner = threading.local()
        self._ended = False

    @property
    def unfinished(self) -> list[TaskRecord]:
        """Tasks of earlier sessions that are active or paused: left by a process that was killed,
        or laid aside. Newest first."""
        return self._find_unfinished(self.name)

    def task(
        self,
        description: str,
        *,
        name: str | None = None,
        parent: Task | str | None = None,
        at: When | None = None,
    ) -> Task:
        """Begin a task; use it with `with`.

        Inside another task's `with` block it is a part of that one. `name` is the task's own name;
        one is made if it is not given.
        """
        chosen = name or self._recorder.new_name("t")
        entered = self._entered()
        outer = parent if parent is not None else entered[-1] if entered else None
        event = self._event(
            EventKind.PROMPT,
            task=chosen,
            parent=outer.name if isinstance(outer, Task) else outer,
            at=at,
            text=description,
        )
        return Task(self, chosen, self._recorder.record(event))

    def resume(self, task: TaskRecord | str) -> Task:
        """Go on with a paused or unfinished task, of this session or an earlier one."""
        name = task if isinstance(task, str) else task.name
        event = self._event(EventKind.TASK_STATE, task=name, status=TaskStatus.ACTIVE)
        return Task(self, name, self._recorder.record(event))

    def close(self, summary: str | None = None, *, at: When | None = None) -> RecordResult:
        """End the session; `summary` is what a fresh start should know of it."""
        self._ended = True
        return self._recorder.record(self._event(EventKind.SESSION_END, at=at, text=summary))

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended:
            self.close()

    def _event(self, kind: EventKind, **fields: Any) -> Event:
        return Event(kind, session=self.name, branch=self.branch, commit=self.commit, **fields)

    def _entered(self) -> list[Task]:
        """Return this thread's tasks that were entered and not left, the innermost last."""
        if not hasattr(self._inner, "tasks"):
            self._inner.tasks = []
        tasks: list[Task] = self._inner.tasks
        return tasks


class Task(_Target):
    """One task of a session; use it with `with`: an exception marks it failed, otherwise it is
    completed when the block is left, unless it was paused or finished inside."""

    def __init__(self, session: Session, name: str, begun: RecordResult) -> None:
        super().__init__(session._recorder, session.name, name, session._batch)
        self.session = session
        self.name = name
        self.begun = begun
        self.status = TaskStatus.ACTIVE

    def task(self, description: str, *, name: str | None = None, at: When | None = None) -> Task:
        """Begin a task that is a part of this one."""
        return self.session.task(description, name=name, parent=self, at=at)

    def finish(self, outcome: str | None = None, *, at: When | None = None) -> RecordResult:
        """The task is completed; `outcome` is what came of it, in a sentence."""
        return self._change(TaskStatus.COMPLETED, text=outcome, at=at)

    def fail(self, error: str | BaseException, *, at: When | None = None) -> RecordResult:
        """The task failed."""
        if not isinstance(error, str):
            error = f"{type(error).__name__}: {error}".rstrip(": ")
        return self._change(TaskStatus.FAILED, error=error, at=at)

    def pause(self, outcome: str | None = None, *, at: When | None = None) -> RecordResult:
        """The task is laid aside; `outcome` is how far it came."""
        return self._change(TaskStatus.PAUSED, text=outcome, at=at)

    def resume(self, *, at: When | None = None) -> RecordResult:
        """The task goes on."""
        return self._change(TaskStatus.ACTIVE, at=at)

    def __enter__(self) -> Task:
        self.session._entered().append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        entered = self.session._entered()
        if self in entered:
            entered.remove(self)
        if error is not None and self.status in (TaskStatus.ACTIVE, TaskStatus.PAUSED):
            self.fail(error)
        elif self.status is TaskStatus.ACTIVE:
            self.finish()

    def _change(self, status: TaskStatus, **fields: Any) -> RecordResult:
        self.status = status
        event = self.session._event(EventKind.TASK_STATE, task=self.name, status=status, **fields)
        return self._recorder.record(event)


# --- Recording alone: what a hook needs, without the questions, so that it starts quickly.

# How long closing tries in vain once the file was free, in seconds: others may be quicker.
AT_THE_END = 2.0


class Recording:
    """Writes what an agent does into a store. Nothing here raises because of the file."""

    def __init__(
        self, store: Store, *, project: str = "", root: Path | None = None, wait: float = BRIEFLY
    ) -> None:
        """`root` is the folder that stored paths are relative to; None is that of the file. `wait`:
        seconds that one try waits for another process; who does nothing beside may wait long."""
        self._store = store
        self._wait = wait
        self._project = project
        self._buffer = Buffer(self._second)
        self._root = root or store.path.parent
        self._recorder = self._recorder_of(self._root)

    def session(
        self,
        name: str | None = None,
        *,
        agent: str | None = None,
        branch: str | None = None,
        commit: str | None = None,
        root: str | os.PathLike[str] | None = None,
        batch: int = 1,
        parent: Session | str | None = None,
        at: When | None = None,
    ) -> Session:
        """Begin a session, or go on with the one of that name; see `Memkit.session`."""
        folder = self._root if root is None else validation.path(root, name="root")
        revision = branch_of(folder) if branch is None and commit is None else (branch, commit)
        recorder = self._recorder_of(folder)
        return Session(
            recorder,
            name or recorder.new_name("s"),
            batch=max(validation.integer(batch, name="batch", minimum=0), 1),
            agent=agent,
            branch=revision[0],
            commit=revision[1],
            parent=parent.name if isinstance(parent, Session) else parent,
            at=at,
            unfinished=self._unfinished,
        )

    def record(self, event: Mapping[str, Any]) -> RecordResult:
        """Record one event given as a dictionary; see `Episodes.record`."""
        return self._recorder.record(event)

    def record_many(
        self, events: Iterable[Mapping[str, Any]], *, patience: float = 0.0
    ) -> list[RecordResult]:
        """Record events in few transactions; see `Episodes.record_many`."""
        validation.seconds(patience, name="patience")
        events = validation.iterable(events, name="events")
        return self._recorder.record_many(events, patience=patience)

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` in seconds."""
        validation.seconds(patience, name="patience")
        return self._buffer.flush(patience=patience) if self._buffer.waiting else 0

    @property
    def has_written(self) -> bool:
        """Whether any event was written."""
        return self._buffer.has_written

    @property
    def is_busy(self) -> bool:
        """Whether what waits waits for another process, and not for room on the disk."""
        return self._buffer.is_busy

    @property
    def has_ended(self) -> bool:
        """Whether an event ended a turn or session: whoever records has a moment now."""
        return self._recorder.has_ended

    def state(self) -> dict[str, Any]:
        """Return how many events wait to be written, why, and why others were lost."""
        return {
            "waiting": self._buffer.waiting,
            "trouble": self._buffer.trouble,
            "dropped": dict(self._buffer.dropped),
        }

    def close(self, *, patience: float | None = None) -> int:
        """Write what waits and let go of the file; return how many events are lost because it was
        not to be had for `patience` seconds (None: as long as the store waits for others)."""
        if patience is None:
            patience = self._waited() if self.flush(patience=BRIEFLY) else 0.0
        return self._buffer.close(patience=patience)

    # -- inside

    def _waited(self) -> float:
        """Wait until the store may be written; return for how many seconds to try then."""
        try:
            self._store.write(lambda: None)
        except StoreError:
            return 0.0
        return AT_THE_END

    def _recorder_of(self, root: Path) -> Recorder:
        clock = self._store.clock
        normalizer = Normalizer(RepositoryPaths(root), clock, project=self._project)
        return Recorder(self._buffer, normalizer, clock, refusal=self._refusal)

    def _refusal(self) -> str | None:
        """Return why nothing can be recorded now, or None."""
        if self._store.is_closed:
            return f"{self._store.path}: the store is closed; open it again"
        return str(self._store.refusal()) if self._store.readonly else None

    def _second(self) -> Store:
        """Open the file once more: recording must not wait for what else this process does."""
        return Store(self._store.path, clock=self._store.clock, busy_timeout=self._wait)

    def _unfinished(self, session: str) -> list[TaskRecord]:
        from ..history import EpisodeReader

        self.flush()
        reader = EpisodeReader(self._store, RepositoryPaths(self._root), project=self._project)
        return reader.unfinished_tasks(but_session=session)

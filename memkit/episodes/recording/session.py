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

import attrs

from ... import validation
from ...errors import StoreError
from ...store.store import Store
from ...store.timestamps import When
from ..paths import Places, branch_of
from ..records import Operation, Recorded, SnapshotReason, Status, TaskRecord
from .recorder import Recorder, Reporter
from .writer import BRIEFLY, Buffer, How

if TYPE_CHECKING:
    from .writer import Event


# --- `kit.session()`: what an agent does, recorded while it does it.
#
# Nothing here raises into the agent: each call returns what became of the event.

File = Mapping[str, Any] | str


class _Place:
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
        at: When | None = None,
    ) -> Recorded:
        """Record a call of a tool.

        `output` is what it returned (text or bytes): head, error lines and tail are kept. `result`
        is a structured result; a text is taken for output. `success` None is told from error, exit
        code and output. `call_id` is the caller's own name of the call: the same one again is not
        recorded twice. `files` are paths, or mappings of `path`, `operation` and what `file` takes.
        `duration_ms` is in milliseconds.
        """
        if isinstance(result, str | bytes) and output is None:
            output, result = result, None
        payload = {
            "parameters": parameters,
            "success": success,
            "output": output,
            "result": result,
            "error": error,
            "duration_ms": duration_ms,
            "exit_code": exit_code,
            "context_tokens": context_tokens,
            "call_id": call_id,
            "files": files,
            "at": at,
        }
        return self._recorder.tool(self._session, self._task, name, payload, how=self._how())

    def file(
        self,
        path: str,
        operation: Operation | str = Operation.READ,
        *,
        line_range: tuple[int, int] | Mapping[str, int] | None = None,
        context: str | None = None,
        reason: str | None = None,
        changes: str | None = None,
        success: bool = True,
        previous_path: str | None = None,
        content_hash: str | None = None,
        at: When | None = None,
    ) -> Recorded:
        """Record that a file was read, written, edited, searched, analyzed, deleted or renamed.

        `context` (or `reason`) is why this file, `changes` what changed in it; neither is kept of a
        private file. `previous_path` is the name before a rename.
        """
        payload = {
            "line_range": line_range,
            "context": context if context is not None else reason,
            "changes": changes,
            "success": success,
            "previous_path": previous_path,
            "content_hash": content_hash,
            "at": at,
        }
        how = self._how()
        return self._recorder.file(self._session, self._task, path, operation, payload, how=how)

    def snapshot(
        self,
        items: Sequence[Mapping[str, Any]],
        *,
        total_tokens: int | None = None,
        pruned: Sequence[Mapping[str, Any]] | None = None,
        reason: SnapshotReason | str = SnapshotReason.MANUAL_SNAPSHOT,
        at: When | None = None,
    ) -> Recorded:
        """Record what is in the model's context: id, type, tokens and relevance of each item, and
        of those just removed."""
        payload = {
            "items": items,
            "total_tokens": total_tokens,
            "pruned": pruned,
            "reason": reason,
            "at": at,
        }
        return self._recorder.snapshot(self._session, self._task, payload, how=self._how())

    def _how(self) -> How:
        return How(at_once=self._recorder.buffer.waiting + 1 >= self._batch)


class Session(_Place):
    """One run of an agent; use it with `with`. Calls on it belong to no task."""

    def __init__(
        self,
        recorder: Recorder,
        name: str,
        *,
        batch: int = 1,
        about: Mapping[str, Any] | None = None,
        unfinished: Callable[[str], list[TaskRecord]],
    ) -> None:
        """`about` is agent, branch, commit and at; `unfinished` finds tasks of earlier sessions."""
        super().__init__(recorder, name, None, batch)
        self.name = name
        self.about = dict(about or {})
        self.started = recorder.session(name, self.about)
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
        above = parent if parent is not None else self._innermost()
        payload = {
            **{key: self.about.get(key) for key in ("branch", "commit")},
            "parent": above.name if isinstance(above, Task) else above,
            "at": at,
        }
        begun = self._recorder.task(self.name, chosen, description, payload)
        return Task(self, chosen, begun)

    def resume(self, task: TaskRecord | str) -> Task:
        """Go on with a paused or unfinished task, of this session or an earlier one."""
        name = task.name if isinstance(task, TaskRecord) else task
        resumed = self._recorder.state(self.name, name, Status.ACTIVE, {})
        return Task(self, name, resumed)

    def close(self, summary: str | None = None, *, at: When | None = None) -> Recorded:
        """End the session; `summary` is what a fresh start should know of it."""
        self._ended = True
        return self._recorder.end(self.name, {"summary": summary, "at": at})

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended:
            self.close()

    def _innermost(self) -> Task | None:
        inner = self._entered()
        return inner[-1] if inner else None

    def _entered(self) -> list[Task]:
        """Return this thread's tasks that were entered and not left, the innermost last."""
        if not hasattr(self._inner, "tasks"):
            self._inner.tasks = []
        tasks: list[Task] = self._inner.tasks
        return tasks


class Task(_Place):
    """One task of a session; use it with `with`: an exception marks it failed, otherwise it is
    completed when the block is left, unless it was paused or finished inside."""

    def __init__(self, session: Session, name: str, begun: Recorded) -> None:
        super().__init__(session._recorder, session.name, name, session._batch)
        self.session = session
        self.name = name
        self.begun = begun
        self.status = Status.ACTIVE

    def task(self, description: str, *, name: str | None = None, at: When | None = None) -> Task:
        """Begin a task that is a part of this one."""
        return self.session.task(description, name=name, parent=self, at=at)

    def finish(self, outcome: str | None = None, *, at: When | None = None) -> Recorded:
        """The task is completed; `outcome` is what came of it, in a sentence."""
        return self._change(Status.COMPLETED, outcome=outcome, at=at)

    def fail(self, error: str | BaseException, *, at: When | None = None) -> Recorded:
        """The task failed."""
        return self._change(Status.FAILED, error=_message(error), at=at)

    def pause(self, outcome: str | None = None, *, at: When | None = None) -> Recorded:
        """The task is laid aside; `outcome` is how far it came."""
        return self._change(Status.PAUSED, outcome=outcome, at=at)

    def resume(self, *, at: When | None = None) -> Recorded:
        """The task goes on."""
        return self._change(Status.ACTIVE, at=at)

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
        if error is not None and self.status in (Status.ACTIVE, Status.PAUSED):
            self.fail(error)
        elif self.status is Status.ACTIVE:
            self.finish()

    def _change(self, status: Status, **payload: Any) -> Recorded:
        self.status = status
        return self._recorder.state(self.session.name, self.name, status, payload)


def _message(error: str | BaseException) -> str:
    return error if isinstance(error, str) else f"{type(error).__name__}: {error}".rstrip(": ")


# --- Recording alone: what a hook needs, without the questions, so that it starts quickly.

# How long closing tries in vain once the file was free, in seconds: others may be quicker.
AT_THE_END = 2.0


class Journal:
    """Writes what an agent does into a store. Nothing here raises because of the file."""

    def __init__(
        self,
        store: Store,
        *,
        project: str = "",
        root: Path | None = None,
        wait: float = BRIEFLY,
    ) -> None:
        """`root` is the folder that stored paths are relative to; None is that of the file. `wait`:
        seconds that one try waits for another process; who does nothing beside may wait long."""
        self._store = store
        self._wait = wait
        self._project = project
        self._buffer = Buffer(self._second)
        self._root = root or store.path.parent
        self._reporter = Reporter(self._recorder(self._root))

    def session(
        self,
        name: str | None = None,
        *,
        agent: str | None = None,
        branch: str | None = None,
        commit: str | None = None,
        root: str | os.PathLike[str] | None = None,
        batch: int = 1,
        at: When | None = None,
    ) -> Session:
        """Begin a session, or go on with the one of that name; see `Memkit.session`."""
        place = self._root if root is None else validation.path(root, name="root")
        revision = branch_of(place) if branch is None and commit is None else (branch, commit)
        recorder = self._recorder(place)
        return Session(
            recorder,
            name or recorder.new_name("s"),
            batch=max(validation.integer(batch, name="batch", minimum=0), 1),
            about={"agent": agent, "branch": revision[0], "commit": revision[1], "at": at},
            unfinished=self._unfinished,
        )

    def record(self, event: Mapping[str, Any]) -> Recorded:
        """Record one event given as a dictionary; see `Episodes.record`."""
        return self._reporter.record(event)

    def record_many(
        self, events: Iterable[Mapping[str, Any]], *, patience: float = 0.0
    ) -> list[Recorded]:
        """Record events in few transactions; see `Episodes.record_many`."""
        validation.seconds(patience, name="patience")
        reports = [self._report(event) for event in validation.iterable(events, name="events")]
        self._buffer.flush(patience=patience)
        return [self._became(first, made) for first, made in reports]

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` in seconds."""
        validation.seconds(patience, name="patience")
        return self._buffer.flush(patience=patience) if self._buffer.waiting else 0

    @property
    def has_written(self) -> bool:
        """Whether any event was written."""
        return self._buffer.has_written

    @property
    def has_ended(self) -> bool:
        """Whether an event ended a turn or session: whoever records has a moment now."""
        return self._reporter.has_ended

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

    def _report(self, event: Mapping[str, Any]) -> tuple[Recorded, list[Event]]:
        made: list[Event] = []
        return self._reporter.record(event, at_once=False, made=made), made

    def _became(self, first: Recorded, made: list[Event]) -> Recorded:
        """Return what became of an event by now, given what was said at first."""
        if not made:
            return first
        return made[0].result or attrs.evolve(first, reason=self._buffer.trouble or first.reason)

    def _waited(self) -> float:
        """Wait until the store may be written; return for how many seconds to try then."""
        try:
            self._store.write(lambda: None)
        except StoreError:
            return 0.0
        return AT_THE_END

    def _recorder(self, root: Path) -> Recorder:
        return Recorder(
            self._buffer,
            Places(root),
            self._store.clock,
            project=self._project,
            refusal=self._refusal,
        )

    def _refusal(self) -> str | None:
        """Return why nothing can be recorded now, or None."""
        if self._store.is_closed:
            return f"{self._store.path}: the store is closed; open it again"
        return f"{self._store.path}: opened read-only" if self._store.readonly else None

    def _second(self) -> Store:
        """Open the file once more: recording must not wait for what else this process does."""
        return Store(self._store.path, clock=self._store.clock, busy_timeout=self._wait)

    def _unfinished(self, session: str) -> list[TaskRecord]:
        from ..history import History

        self.flush()
        history = History(self._store, Places(self._root), project=self._project)
        return history.unfinished(but_session=session)

"""Buffer of events, and what writes them."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from posixpath import basename
from typing import TYPE_CHECKING

from ...errors import StoreBusy, StoreFull, StoreMoved
from ...store import connection, timestamps
from ..records import UNDER_WAY, RecordResult, RecordStatus, TaskStatus
from .event import LIVE, EventKind
from .named_paths import NamedPath, placed
from .normalizer import Entry, Row, infer

if TYPE_CHECKING:
    from ...store.store import Store


# --- The only place that writes what was done; every method runs inside the caller's transaction.

# What became of an event, and the ids given out.
Written = tuple[RecordResult, tuple[int, ...]]

# Outputs whose paths are remembered, and sessions.
_OUTPUTS, _SESSIONS = 60, 5
# Characters of output that are kept of one session; beyond it only the end of what failed. Seed 000
# gives a session 500 kB for 1,000 calls.
SESSION_OUTPUTS = 500_000
# Seconds after which a session that did not end was killed: nobody leaves an agent waiting so long,
# and one that goes on after all takes its task up again.
SILENCE = 86_400.0
_TAIL = 200


class Writer:
    """Puts events into the tables of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ids = store.ids("episodes.last_id")
        self._spent: dict[str, int] = {}
        self._writers: Mapping[EventKind, Callable[[Entry, Row], Written]] = {
            EventKind.SESSION_START: self._session_start,
            EventKind.SESSION_END: self._session_end,
            EventKind.PROMPT: self._task,
            EventKind.TASK_STATE: self._state,
            EventKind.TOOL_CALL: self._execution,
            EventKind.FILE_ACCESS: partial(self._numbered, "episodes.add_interaction"),
            EventKind.SNAPSHOT: partial(self._numbered, "episodes.add_snapshot"),
        }

    def write_all(self, entries: Iterable[Entry]) -> list[Written]:
        """Write entries in their order; return what became of each and the ids given out."""
        return [self._write(entry) for entry in entries]

    # -- inside

    def _write(self, entry: Entry) -> Written:
        row, policy = dict(entry.row), entry.policy
        if policy.finds_task and "task_id" in row and row["task_id"] is None:
            row["task_id"] = self._task_of(self._family(entry), ended=policy.finds_ended)
            at = row["timestamp"] if "timestamp" in row else row["at"]
            self._store.run("episodes.revive_task", task_id=row["task_id"], at=at)
        result, ids = self._writers[entry.kind](entry, row)
        if entry.opening is not None and result.status is RecordStatus.STORED:
            self._store.run("episodes.add_session", id=self._ids.new(), **entry.opening)
            self._close_silent(entry.opening)
        return result._replace(redacted=entry.redacted), ids

    def close_silent(self, now: float) -> int:
        """Close sessions of which nothing was heard for long, at their last sign of life: they were
        killed. Their tasks under way are given up. Return how many sessions that are."""
        before = timestamps.from_epoch(max(now - SILENCE, 0))
        silent = self._store.all("episodes.silent_sessions", before=before)
        for session, at in silent:
            for (task,) in self._store.all("episodes.active_tasks", session_id=session):
                self._change({"task_id": task, "status": TaskStatus.ABANDONED, "at": at})
            self._store.run("episodes.end_session", session_id=session, at=at, summary=None)
        return len(silent)

    def _close_silent(self, opening: Row) -> None:
        """A session begins: those that were killed before are over."""
        if opening["source"] == LIVE:
            self.close_silent(timestamps.to_epoch(opening["started_at"]))

    def _family(self, entry: Entry) -> tuple[str, ...]:
        """Return the session of an entry and the one that began it."""
        session = entry.row["session_id"]
        if entry.opening is not None and entry.opening["parent_session_id"]:
            return session, entry.opening["parent_session_id"]
        parent = self._store.value("episodes.parent_session", session_id=session)
        return (session, parent) if parent else (session,)

    def _session_start(self, entry: Entry, row: Row) -> Written:
        result = self._named("episodes.add_session", entry, row)
        self._close_silent(row)
        return result

    def _session_end(self, entry: Entry, row: Row) -> Written:
        if entry.policy.ends_others:
            self._end_task(row["session_id"], row["at"])
        if not self._store.run("episodes.end_session", **row):
            return RecordResult(
                RecordStatus.IGNORED, f"nothing is recorded of session {row['session_id']}"
            ), ()
        return RecordResult(RecordStatus.STORED), ()

    def _task(self, entry: Entry, row: Row) -> Written:
        if entry.policy.ends_others and not entry.ids:
            is_reply, session = entry.policy.is_reply, row["session_id"]
            before = self._task_of((session,), ended=True) if is_reply else None
            if before is not None:
                at = row["started_at"]
                self._change({"task_id": before, "status": TaskStatus.ACTIVE, "at": at})
                return RecordResult(RecordStatus.IGNORED, f"a reply: task {before} goes on"), ()
            self._end_task(session, row["started_at"], but=row["task_id"])
        result, ids = self._named("episodes.add_task", entry, row)
        if result.status is RecordStatus.KNOWN:
            result = result._replace(reason=self._why_known(row))
        return result, ids

    def _why_known(self, row: Row) -> str:
        """Return that a task was there already, and as what if it is another one by its words."""
        name = row["task_id"]
        state = self._store.first("episodes.task_state", task_id=name)
        if state is None or state[1] == row["description"]:
            return "it was there already"
        return (
            f"a task named {name} is there already ({state[1]!r}), and what follows is counted to"
            " it; give another name for another task"
        )

    def _state(self, entry: Entry, row: Row) -> Written:
        if row["task_id"] is None:
            return RecordResult(RecordStatus.DROPPED, "no task of this session is under way"), ()
        if not self._change(row):
            return RecordResult(
                RecordStatus.DROPPED, f"there is no task named {row['task_id']}"
            ), ()
        return RecordResult(RecordStatus.STORED), ()

    def _execution(self, entry: Entry, row: Row) -> Written:
        session, call = row["session_id"], row["call_id"]
        existing = call and self._store.first(
            "episodes.execution_named", session_id=session, call_id=call
        )
        if existing and not _completes(row, *existing[1:]):
            return RecordResult(
                RecordStatus.KNOWN, "the call was recorded before", existing[0]
            ), existing[:1]
        if existing:
            self._store.run("episodes.forget_call", id=existing[0])
            self._store.run("episodes.forget_files", session_id=session, execution_id=existing[0])
        row["output"] = self._within_session(row)
        first = existing[0] if existing else self._ids.new()
        ids = entry.ids or (first, *(self._ids.new() for _ in entry.files))
        self._store.run("episodes.add_execution", id=ids[0], **row)
        shared = {name: row[name] for name in ("timestamp", "session_id", "task_id")}
        for number, file in zip(ids[1:], entry.files, strict=True):
            self._store.run(
                "episodes.add_interaction",
                **{**file, **shared, "id": number, "execution_id": ids[0]},
            )
        if entry.named:
            self._note_mentions(session, entry.named)
        return RecordResult(RecordStatus.STORED, id=ids[0]), ids

    def _note_mentions(self, session: str, named: Iterable[NamedPath]) -> None:
        """Remember that one more output of a session named these paths."""
        known: defaultdict[str, list[str]] = defaultdict(list)
        for (path,) in self._store.all("episodes.session_paths", session=session):
            known[basename(path)].append(path)
        call = int(self._store.value("episodes.last_mention", session=session)) + 1
        row = {"session": session, "call": call}
        paths = enumerate(placed(named, known))
        self._store.run_many(
            "episodes.add_mention", ({**row, "path": path, "position": n} for n, path in paths)
        )
        if call == 1:
            self._store.run(
                "episodes.forget_sessions_mentions", session=session, sessions=_SESSIONS
            )
        elif call > _OUTPUTS:
            self._store.run("episodes.forget_mentions", session=session, oldest=call - _OUTPUTS)

    def _named(self, query: str, entry: Entry, row: Row) -> Written:
        """Write a row that is known by its name; one that is there stays as it is."""
        number = entry.ids[0] if entry.ids else self._ids.new()
        if self._store.run(query, id=number, **row):
            return RecordResult(RecordStatus.STORED, id=number), (number,)
        return RecordResult(RecordStatus.KNOWN, "it was there already"), (number,)

    def _numbered(self, query: str, entry: Entry, row: Row) -> Written:
        number = entry.ids[0] if entry.ids else self._ids.new()
        self._store.run(query, id=number, **row)
        return RecordResult(RecordStatus.STORED, id=number), (number,)

    def _task_of(self, sessions: Sequence[str], *, ended: bool) -> str | None:
        """Return the name of the first task under way of these sessions; with `ended` else the one
        begun last."""
        queries = ("episodes.open_task", "episodes.last_task")[: 1 + ended]
        for query in queries:
            for session in sessions:
                named: str | None = self._store.value(query, session_id=session)
                if named is not None:
                    return named
        return None

    def _end_task(self, session: str, at: str, *, but: str | None = None) -> None:
        """The session's task under way is completed, unless it is `but`."""
        named = self._task_of((session,), ended=False)
        if named is not None and named != but:
            self._change({"task_id": named, "status": TaskStatus.COMPLETED, "at": at})

    def _change(self, row: Row) -> bool:
        state = self._store.first("episodes.task_state", task_id=row["task_id"])
        if state is None:
            return False
        operations = self._store.all("episodes.task_operations", task_id=row["task_id"])
        aim = infer(state[1], dict(operations))
        self._store.run(
            "episodes.set_task",
            task_id=row["task_id"],
            status=row["status"],
            at=row["at"],
            outcome=row.get("outcome"),
            error_message=row.get("error_message"),
            intent=aim,
        )
        if row["status"] not in UNDER_WAY:
            self._store.run("episodes.drop_task_items", task_id=row["task_id"])
        return True

    def _within_session(self, row: Row) -> str | None:
        """Return the output, or only its end once the session has kept enough."""
        output: str | None = row["output"]
        session = row["session_id"]
        if output is None:
            return None
        if session not in self._spent:
            if len(self._spent) > 1000:
                self._spent.clear()
            spent = self._store.value("episodes.output_chars", session_id=session)
            self._spent[session] = int(spent)
        if self._spent[session] > SESSION_OUTPUTS and len(output) > _TAIL:
            output = f"[…]{output[-_TAIL:]}" if not row["success"] else None
        self._spent[session] += len(output or "")
        return output


def _completes(row: Row, success: int, is_open: int) -> bool:
    """Whether a call tells what came of it that is stored as one of which nothing was told."""
    facts = (row["output_hash"], row["error_message"], row["exit_code"], row["result"])
    tells = any(fact is not None for fact in facts) or row["success"] != success
    return bool(is_open) and tells


# --- Events on their way into the file: written at once if it is free, kept in mind if it is not.
#
# Whoever records never waits for another process and never sees an error. The file is tried once,
# briefly; what could not be written goes with the next event, in one transaction. What this
# process has written lately is kept too: if the file is replaced under it (a checkout), it is
# written again.

# How long one try waits for another process, in seconds: a commit takes one to ten milliseconds.
BRIEFLY = 0.02
# After a vain try the file is left alone for so long, in seconds, so that a file that is held for
# minutes costs each event nothing.
PAUSE = 0.25
# Events that wait at most: some 10 MB of memory. Beyond it the newest are dropped and counted.
MAX_WAITING = 5_000
# Events in one transaction, and events that are kept for a file that is replaced.
BATCH, MAX_WRITTEN = 500, 1_000


class Buffer:
    """Takes events and writes them. Safe to use from several threads and after a fork.

    Attributes:
        trouble: why the last try failed, or None.
        dropped: numbers of events that are lost, by reason.
    """

    def __init__(self, open_store: Callable[[], Store]) -> None:
        """`open_store` opens the file with a time-out of BRIEFLY; it is called when needed."""
        self._open_store = open_store
        self._store: Store | None = None
        self._writer: Writer | None = None
        self._begin_empty()
        connection.watch(self)

    def add(self, entry: Entry, *, at_once: bool = True) -> RecordResult:
        """Take an event; return what became of it. With `at_once` false it may wait for others."""
        with self._lock:
            if len(self._waiting) >= MAX_WAITING:
                why = self.trouble or "not written yet"
                return self.drop(entry, f"{len(self._waiting)} events wait already ({why})")
            self._waiting.append(entry)
            full = len(self._waiting) >= BATCH
        if not (at_once or full):
            return RecordResult(
                RecordStatus.PENDING, "waits for the end of its batch", redacted=entry.redacted
            )
        self.flush()
        return self.result_of(entry)

    def result_of(self, entry: Entry) -> RecordResult:
        """Return what became of an entry by now."""
        return entry.result or RecordResult(
            RecordStatus.PENDING, self.trouble, redacted=entry.redacted
        )

    def drop(self, entry: Entry | None, reason: str) -> RecordResult:
        """Count an event as lost; return that."""
        self.dropped[reason] += 1
        done = RecordResult(RecordStatus.DROPPED, reason, redacted=entry.redacted if entry else ())
        if entry is not None:
            entry.result = done
        return done

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` is the longest wait for
        another process, in seconds; without it the file is tried once."""
        deadline = time.monotonic() + patience
        while True:
            with self._writing:
                if patience or time.monotonic() >= self._not_before:
                    self._write_all()
            if not self._waiting or time.monotonic() >= deadline:
                return len(self._waiting)
            time.sleep(BRIEFLY)

    def close(self, *, patience: float) -> int:
        """Write what waits, with patience; what cannot be written is counted as dropped. Return how
        many events that are."""
        if self._waiting:
            self.flush(patience=patience)
        with self._writing:
            lost = len(self._waiting)
            while self._waiting:
                self.drop(self._waiting.popleft(), self.trouble or "the file was closed")
            self._let_go()
        return lost

    @property
    def waiting(self) -> int:
        """How many events wait to be written."""
        return len(self._waiting)

    @property
    def has_written(self) -> bool:
        """Whether any event was written."""
        return bool(self._written)

    @property
    def is_busy(self) -> bool:
        """Whether the last try failed because another process held the file."""
        return self._is_busy

    def leave_to_parent(self) -> object:
        """In a forked child: what waits is the parent's to write."""
        left = (self._waiting, self._written, self._store, self._writer)
        self._store = self._writer = None
        self._begin_empty()
        return left

    # -- inside

    def _begin_empty(self) -> None:
        self._lock = threading.Lock()
        self._writing = threading.RLock()
        self._waiting: deque[Entry] = deque()
        self._written: deque[Entry] = deque(maxlen=MAX_WRITTEN)
        self._generation: int | None = None
        self._not_before = 0.0
        self.trouble: str | None = None
        self._is_busy = False
        self.dropped: Counter[str] = Counter()

    def _write_all(self) -> None:
        while self._waiting:
            with self._lock:
                batch = [self._waiting[n] for n in range(min(BATCH, len(self._waiting)))]
            if not self._write(batch):
                return

    def _write(self, batch: Sequence[Entry]) -> bool:
        """Write the first events that wait; False if they must wait on."""
        try:
            self._put(batch)
        except (StoreBusy, StoreMoved, StoreFull, OSError) as error:
            self._not_before, self.trouble = time.monotonic() + PAUSE, str(error)
            self._is_busy = isinstance(error, StoreBusy)
            return False
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            if len(batch) > 1:  # one of them cannot be written: it must not hold up the others
                return all(self._write([entry]) for entry in batch)
            self.trouble = str(error)
            self._let_go()
            self.drop(batch[0], str(error))
        else:
            self.trouble = None
        with self._lock:
            for _ in batch:
                self._waiting.popleft()
        return True

    def _put(self, batch: Sequence[Entry]) -> None:
        store, writer = self._opened()

        def work() -> tuple[int, list[tuple[RecordResult, tuple[int, ...]]]]:
            generation = store.state()[0]
            if generation != self._generation:  # another file: it may lack what was written before
                writer.write_all(self._written)
            return generation, writer.write_all(batch)

        generation, done = store.write(work)
        self._generation = generation
        for entry, (result, ids) in zip(batch, done, strict=True):
            entry.result, entry.ids = result, ids
            if result.status is RecordStatus.STORED:
                self._written.append(entry)
            elif result.status is RecordStatus.DROPPED:
                self.dropped[str(result.reason)] += 1

    def _opened(self) -> tuple[Store, Writer]:
        if self._store is None or self._writer is None:
            self._store = self._open_store()
            self._writer = Writer(self._store)
            self._generation = None
        return self._store, self._writer

    def _let_go(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = self._writer = None

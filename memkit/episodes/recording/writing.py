"""The only place that writes what was done; every method runs inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import attrs

from ..kinds import Status
from ..records import Fate, Recorded
from . import intent

if TYPE_CHECKING:
    from ...store.connection import Store

Row = dict[str, Any]
# What became of an event, and the ids given out.
Written = tuple[Recorded, tuple[int, ...]]

# Characters of output that are kept of one session; beyond it only the end of what failed. Seed 000
# gives a session 500 kB for 1,000 calls.
SESSION_OUTPUTS = 500_000
_LEFT_OVER = 200


class What(StrEnum):
    """The sorts of things that are recorded."""

    SESSION = "session"
    SESSION_END = "session_end"
    TASK = "task"
    STATE = "state"
    EXECUTION = "execution"
    INTERACTION = "interaction"
    SNAPSHOT = "snapshot"


@attrs.frozen
class How:
    """How an event is taken. Nothing of it is read out of what was reported, which is an agent's.

    Attributes:
        finds_task: belongs to the session's task under way, whichever it is.
        finds_ended: if none is under way, belongs to the one begun last: it may be late.
        ends_others: a task, or the end of a turn, that ends the session's task under way.
        opens: the session's own row, written with what is stored; nothing else leaves one.
        at_once: is written now, not when others are.
        made: the list that gets the event.
    """

    finds_task: bool = False
    finds_ended: bool = False
    ends_others: bool = False
    opens: Row | None = None
    at_once: bool = True
    made: list[Event] | None = None


AS_IT_IS = How()


@attrs.define(eq=False)
class Event:
    """One thing to be written.

    Attributes:
        row: the columns, without ids. files: interactions that belong to an execution.
        ids: ids of the row and its files once they were written, for writing them again into a file
            that was replaced.
        result: what became of it.
    """

    what: What
    row: Row
    files: tuple[Row, ...] = ()
    how: How = AS_IT_IS
    ids: tuple[int, ...] = ()
    redacted: tuple[str, ...] = ()
    result: Recorded | None = None


class Writer:
    """Puts events into the tables of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ids = store.ids("episodes.last_id")
        self._spent: dict[str, int] = {}
        self._puts: Mapping[What, Callable[[Event, Row], Written]] = {
            What.SESSION: self._session,
            What.SESSION_END: self._session_end,
            What.TASK: self._task,
            What.STATE: self._state,
            What.EXECUTION: self._execution,
            What.INTERACTION: self._interaction,
            What.SNAPSHOT: self._snapshot,
        }

    def put_all(self, events: Iterable[Event]) -> list[Written]:
        """Write events in their order; return what became of each and the ids given out."""
        return [self._put(event) for event in events]

    # -- inside

    def _put(self, event: Event) -> Written:
        row = dict(event.row)
        if event.how.finds_task and "task_id" in row and row["task_id"] is None:
            row["task_id"] = self._task_of(row["session_id"], ended=event.how.finds_ended)
        done = self._puts[event.what](event, row)
        if event.how.opens is not None and done[0].fate is Fate.STORED:
            self._store.run("episodes.add_session", id=self._ids.new(), **event.how.opens)
        return attrs.evolve(done[0], redacted=event.redacted), done[1]

    def _session(self, event: Event, row: Row) -> Written:
        return self._named("episodes.add_session", event, row)

    def _session_end(self, event: Event, row: Row) -> Written:
        if event.how.ends_others:
            self._end_task(row["session_id"], row["at"])
        if not self._store.run("episodes.end_session", **row):
            return Recorded(Fate.IGNORED, f"nothing is recorded of session {row['session_id']}"), ()
        return Recorded(Fate.STORED), ()

    def _task(self, event: Event, row: Row) -> Written:
        if event.how.ends_others and not event.ids:
            self._end_task(row["session_id"], row["started_at"], but=row["task_id"])
        done, ids = self._named("episodes.add_task", event, row)
        if done.fate is Fate.KNOWN:
            done = attrs.evolve(done, reason=self._why_known(row))
        return done, ids

    def _why_known(self, row: Row) -> str:
        """Return that a task was there already, and as what if it is another one by its words."""
        name, found = row["task_id"], self._store.one("episodes.task_state", task_id=row["task_id"])
        if found is None or found[1] == row["description"]:
            return "it was there already"
        return (
            f"a task named {name} is there already ({found[1]!r}), and what follows is counted to"
            " it; give another name for another task"
        )

    def _state(self, event: Event, row: Row) -> Written:
        if row["task_id"] is None:
            return Recorded(Fate.DROPPED, "no task of this session is under way"), ()
        if not self._change(row):
            return Recorded(Fate.DROPPED, f"there is no task named {row['task_id']}"), ()
        return Recorded(Fate.STORED), ()

    def _execution(self, event: Event, row: Row) -> Written:
        session, call = row["session_id"], row["call_id"]
        known = call and self._store.one(
            "episodes.execution_named", session_id=session, call_id=call
        )
        if known and not _completes(row, *known[1:]):
            return Recorded(Fate.KNOWN, "the call was recorded before", known[0]), known[:1]
        if known:
            self._store.run("episodes.forget_call", id=known[0])
            self._store.run("episodes.forget_files", session_id=session, execution_id=known[0])
        row["output"] = self._within_session(row)
        first = known[0] if known else self._ids.new()
        ids = event.ids or (first, *(self._ids.new() for _ in event.files))
        self._store.run("episodes.add_execution", id=ids[0], **row)
        shared = {name: row[name] for name in ("timestamp", "session_id", "task_id")}
        for number, file in zip(ids[1:], event.files, strict=True):
            self._store.run(
                "episodes.add_interaction",
                **{**file, **shared, "id": number, "execution_id": ids[0]},
            )
        return Recorded(Fate.STORED, id=ids[0]), ids

    def _interaction(self, event: Event, row: Row) -> Written:
        return self._numbered("episodes.add_interaction", event, row)

    def _snapshot(self, event: Event, row: Row) -> Written:
        return self._numbered("episodes.add_snapshot", event, row)

    def _named(self, query: str, event: Event, row: Row) -> Written:
        """Write a row that is known by its name; one that is there stays as it is."""
        number = event.ids[0] if event.ids else self._ids.new()
        if self._store.run(query, id=number, **row):
            return Recorded(Fate.STORED, id=number), (number,)
        return Recorded(Fate.KNOWN, "it was there already"), (number,)

    def _numbered(self, query: str, event: Event, row: Row) -> Written:
        number = event.ids[0] if event.ids else self._ids.new()
        self._store.run(query, id=number, **row)
        return Recorded(Fate.STORED, id=number), (number,)

    def _task_of(self, session: str, *, ended: bool) -> str | None:
        """Return the name of a session's task under way; with `ended` else the one begun last."""
        named: str | None = self._store.value("episodes.open_task", session_id=session)
        if named is None and ended:
            named = self._store.value("episodes.last_task", session_id=session)
        return named

    def _end_task(self, session: str, at: str, *, but: str | None = None) -> None:
        """The session's task under way is completed, unless it is `but`."""
        named = self._task_of(session, ended=False)
        if named is not None and named != but:
            self._change({"task_id": named, "status": Status.COMPLETED, "at": at})

    def _change(self, row: Row) -> bool:
        found = self._store.one("episodes.task_state", task_id=row["task_id"])
        if found is None:
            return False
        operations = self._store.all("episodes.task_operations", task_id=row["task_id"])
        aim = intent.infer(found[1], dict(operations))
        self._store.run(
            "episodes.set_task",
            task_id=row["task_id"],
            status=row["status"],
            at=row["at"],
            outcome=row.get("outcome"),
            error_message=row.get("error_message"),
            intent=aim,
        )
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
        if self._spent[session] > SESSION_OUTPUTS and len(output) > _LEFT_OVER:
            output = f"[…]{output[-_LEFT_OVER:]}" if not row["success"] else None
        self._spent[session] += len(output or "")
        return output


def _completes(row: Row, success: int, is_open: int) -> bool:
    """Whether a call tells what came of it that is stored as one of which nothing was told."""
    facts = (row["output_hash"], row["error_message"], row["exit_code"], row["result"])
    tells = any(fact is not None for fact in facts) or row["success"] != success
    return bool(is_open) and tells

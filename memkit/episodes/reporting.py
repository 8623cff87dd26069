"""`kit.episodes.record(event)`: one plain dictionary an event, for hooks and importers.

    {"event": "tool", "session": "s-1", "tool": "Bash", "parameters": {…}, "output": "…"}

`event` is session, task, tool, file, snapshot, finish, fail, pause, resume or end; without it, it
is told from the keys. An event without a task belongs to the session's task under way. Nothing is
ever raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from ..errors import InvalidInput
from ..store import times
from .kinds import Status
from .recorder import Recorder, refused
from .records import Recorded

# Names under which tools and hooks give the same things.
_ALIASES = {
    "session_id": "session",
    "task_id": "task",
    "tool_name": "tool",
    "tool_input": "parameters",
    "args": "parameters",
    "tool_response": "output",
    "file_path": "path",
    "error_message": "error",
    "timestamp": "at",
    "ts": "at",
    "changes_summary": "changes",
    "reason_for_file": "context",
    "branch_name": "branch",
    "tool_use_id": "call_id",
}
_STATES = {
    "finish": Status.COMPLETED,
    "fail": Status.FAILED,
    "pause": Status.PAUSED,
    "resume": Status.ACTIVE,
}
_TOLD_BY = (("tool", "tool"), ("path", "file"), ("description", "task"), ("items", "snapshot"))
# What a model said is not recorded (seed 000, Don't Track).
_NOT_WANTED = frozenset("message response assistant thinking reasoning completion".split())
_MOST_SESSIONS = 10_000


class Reporter:
    """Takes events as dictionaries."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._seen: set[str] = set()
        self._own: str | None = None

    def record(self, event: Mapping[str, Any], *, at_once: bool = True) -> Recorded:
        """Record one event; return what became of it. Never raises, never waits."""
        if not isinstance(event, Mapping):
            reason = f"event: found {type(event).__name__}, expected a dictionary; give one"
            return refused(self._recorder.buffer, reason)
        try:
            given = {_ALIASES.get(str(key), str(key)): value for key, value in event.items()}
            return self._record(given, at_once=at_once)
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            return refused(self._recorder.buffer, f"{type(error).__name__}: {error}")

    def _record(self, given: dict[str, Any], *, at_once: bool) -> Recorded:
        what = str(given.pop("event", "") or _told(given)).lower()
        if what in _NOT_WANTED:
            return refused(self._recorder.buffer, f"{what}: what a model said is not recorded")
        take: Callable[[str, dict[str, Any]], Recorded] | None = getattr(self, f"_{what}", None)
        if what not in _KNOWN or (take is None and what not in _STATES):
            return refused(
                self._recorder.buffer,
                f"event: {what[:40]!r} is unknown; give one of {', '.join(sorted(_KNOWN))}",
            )
        session = str(given.get("session") or self._own_session())
        self._begin(session, given)
        given |= {"finds_task": True, "at_once": at_once}
        if take is not None:
            return take(session, given)
        return self._recorder.state(session, _task_of(given), _STATES[what], given)

    # -- the sorts of events

    def _session(self, session: str, given: dict[str, Any]) -> Recorded:
        self._recorder.buffer.flush()
        return self._recorder.session(session, given)

    def _task(self, session: str, given: dict[str, Any]) -> Recorded:
        """A new task ends the session's task before it, unless it is a part of one."""
        name = _task_of(given) or self._recorder.new_name("t")
        told = {**given, "ends_others": given.get("parent") is None}
        return self._recorder.task(session, name, given.get("description"), told)

    def _tool(self, session: str, given: dict[str, Any]) -> Recorded:
        return self._recorder.tool(session, _task_of(given), given.get("tool"), given)

    def _file(self, session: str, given: dict[str, Any]) -> Recorded:
        operation = given.get("operation", "read")
        return self._recorder.file(session, _task_of(given), given.get("path"), operation, given)

    def _snapshot(self, session: str, given: dict[str, Any]) -> Recorded:
        return self._recorder.snapshot(session, _task_of(given), given)

    def _end(self, session: str, given: dict[str, Any]) -> Recorded:
        self._seen.discard(session)
        return self._recorder.end(session, given)

    # -- inside

    def _begin(self, session: str, given: Mapping[str, Any]) -> None:
        """Write the session's own row with the first event of it that this process sees."""
        if session in self._seen:
            return
        if len(self._seen) >= _MOST_SESSIONS:
            self._seen.clear()
        self._seen.add(session)
        about = {key: given.get(key) for key in ("agent", "branch", "commit")}
        with suppress(InvalidInput):  # the event itself is refused for it
            about["at"] = times.normalise(given["at"]) if given.get("at") else None
        source = str(given.get("source") or "agent")
        self._recorder.session(session, {**about, "at_once": False}, source=source)

    def _own_session(self) -> str:
        if self._own is None:
            self._own = self._recorder.new_name("s")
        return self._own


def _task_of(given: Mapping[str, Any]) -> str | None:
    task = given.get("task")
    return None if task is None else str(task)


def _told(given: Mapping[str, Any]) -> str:
    return next((what for key, what in _TOLD_BY if key in given), "")


_KNOWN = frozenset({"session", "task", "tool", "file", "snapshot", "end", *_STATES})

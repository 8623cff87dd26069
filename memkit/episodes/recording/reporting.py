"""`kit.episodes.record(event)` and `memkit record`: one plain dictionary an event.

    {"event": "tool", "session": "s-1", "tool": "Bash", "parameters": {…}, "output": "…"}

What agents pass to their hooks is taken as it is (see hooks.py beside). Nothing is ever raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import attrs

from ...errors import InvalidInput
from ...safety import quoted
from ...store import times
from ..kinds import Status
from ..parameters import Redactions
from ..records import Fate, Recorded
from . import hooks
from .recorder import Recorder
from .writing import Event, How

Told = Mapping[str, Any]

# What an event may have beside session, task and at. The README, `memkit record --help` and
# `Episodes.record` say the same.
EVENT_KEYS: Mapping[str, tuple[str, ...]] = {
    "session": ("agent", "branch", "commit"),
    "end": ("summary",),
    "task": ("description", "parent"),
    **dict.fromkeys(("finish", "fail", "pause", "resume"), ("outcome", "error")),
    "tool": (
        "tool", "parameters", "output", "result", "success", "error", "exit_code", "duration_ms",
        "context_tokens", "call_id", "files",
    ),
    "file": (
        "path", "operation", "line_range", "success", "context", "changes", "previous_path",
        "content_hash",
    ),
    "snapshot": ("items", "total_tokens", "pruned", "reason"),
}  # fmt: skip
# Names under which tools and hooks give the same things.
_ALIASES = {
    "session_id": "session",
    "sessionId": "session",
    "conversation_id": "session",
    "thread-id": "session",
    "task_id": "task",
    "tool_name": "tool",
    "toolName": "tool",
    "tool_input": "parameters",
    "toolArgs": "parameters",
    "args": "parameters",
    "tool_response": "output",
    "tool_output": "output",
    "toolResult": "output",
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
# Keys that are named in a refusal.
_MOST_NAMED = 8


class Reporter:
    """Takes events as dictionaries."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._seen: set[str] = set()
        self._own: str | None = None
        self.has_ended = False  # whether a turn or session came to its end
        self._takes: Mapping[str, Callable[[str, Told, How], Recorded]] = {
            "session": self._session,
            "end": self._end,
            "task": self._task,
            "tool": self._tool,
            "file": self._file,
            "snapshot": self._snapshot,
        }

    def record(
        self, event: Mapping[str, Any], *, at_once: bool = True, made: list[Event] | None = None
    ) -> Recorded:
        """Record one event; return what became of it. Never raises, never waits.

        The list `made` gets what is to be written, if anything is.
        """
        if not isinstance(event, Mapping):
            reason = f"event: found {type(event).__name__}, expected a dictionary; give one"
            return self._refuse(reason)
        try:
            given = {_ALIASES.get(str(key), str(key)): value for key, value in event.items()}
            told = hooks.translated(given)
            if isinstance(told, hooks.Ignored):
                return Recorded(Fate.IGNORED, told.reason)
            how = attrs.evolve(told.how, at_once=at_once, made=made, finds_task=True)
            return self._record(dict(told.event), how)
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            return self._refuse(f"{type(error).__name__}: {error}")

    def _refuse(self, reason: str) -> Recorded:
        return self._recorder.buffer.drop(None, reason)

    def _record(self, given: dict[str, Any], how: How) -> Recorded:
        what = str(given.pop("event", "") or _told(given)).lower()
        if what in _NOT_WANTED:
            return self._refuse(f"{what}: what a model said is not recorded")
        if what not in EVENT_KEYS:
            return self._refuse(_unknown(what, given))
        session = str(given.get("session") or self._own_session())
        if what not in _OF_SESSIONS:
            how = attrs.evolve(how, opens=self._opening(session, given))
        if what in _STATES:
            done = self._recorder.state(session, _task_of(given), _STATES[what], given, how=how)
        else:
            done = self._takes[what](session, given, how)
        if done.fate in (Fate.STORED, Fate.KNOWN) and what != "end":
            self._seen.add(session)
        return done

    # -- the sorts of events

    def _session(self, session: str, given: Told, how: How) -> Recorded:
        return self._recorder.session(session, given, how=how)

    def _task(self, session: str, given: Told, how: How) -> Recorded:
        """A new task ends the session's task before it, unless it is a part of one."""
        name = _task_of(given) or self._recorder.new_name("t")
        how = attrs.evolve(how, ends_others=given.get("parent") is None)
        return self._recorder.task(session, name, given.get("description"), given, how=how)

    def _tool(self, session: str, given: Told, how: How) -> Recorded:
        return self._recorder.tool(session, _task_of(given), given.get("tool"), given, how=how)

    def _file(self, session: str, given: Told, how: How) -> Recorded:
        path, operation = given.get("path"), given.get("operation", "read")
        return self._recorder.file(session, _task_of(given), path, operation, given, how=how)

    def _snapshot(self, session: str, given: Told, how: How) -> Recorded:
        return self._recorder.snapshot(session, _task_of(given), given, how=how)

    def _end(self, session: str, given: Told, how: How) -> Recorded:
        self._seen.discard(session)
        self.has_ended = True
        return self._recorder.end(session, given, how=how)

    # -- inside

    def _opening(self, session: str, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the session's own row until this process has seen an event of it in the file."""
        if session in self._seen:
            return None
        if len(self._seen) >= _MOST_SESSIONS:
            self._seen.clear()
        about = {key: given.get(key) for key in ("agent", "branch", "commit")}
        with suppress(InvalidInput):  # the event itself is refused for it
            about["at"] = times.normalise(given["at"]) if given.get("at") else None
        return self._recorder.opening(session, about, Redactions())

    def _own_session(self) -> str:
        if self._own is None:
            self._own = self._recorder.new_name("s")
        return self._own


def _task_of(given: Mapping[str, Any]) -> str | None:
    task = given.get("task")
    return None if task is None else str(task)


def _told(given: Mapping[str, Any]) -> str:
    return next((what for key, what in _TOLD_BY if key in given), "")


def _unknown(what: str, given: Mapping[str, Any]) -> str:
    """Return why an event is refused: what was found in place of its kind, and what is expected."""
    kinds = ", ".join(sorted(EVENT_KEYS))
    if what:
        return f"event: {quoted(what)} is unknown; give one of {kinds}"
    misnamed = [key for key, value in given.items() if str(value).lower() in EVENT_KEYS]
    keys = ", ".join(quoted(key) for key in [*misnamed, *given][:_MOST_NAMED])
    found = f"{quoted(misnamed[0])} in its place" if misnamed else f"the keys {keys}"
    return (
        f"event: found {found if given else 'no key at all'}, expected 'event' (one of {kinds})"
        " or a hook's 'hook_event_name'; give one of these keys"
    )


# Events of a session itself: they open none beside it.
_OF_SESSIONS = ("session", "end")

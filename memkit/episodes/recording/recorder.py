"""Recorder: payloads to events to rows; it never raises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import attrs

from ...errors import InvalidInput, MemkitError
from ...redaction import quoted
from ...store import timestamps
from ..records import Fate, Operation, Recorded, Status
from . import hooks, normalizer
from .payloads import Redactions
from .writer import AS_IT_IS, Event, How, What

if TYPE_CHECKING:
    from ..paths import Places
    from .writer import Buffer


# --- Turns what is reported into events and hands them to the buffer. Nothing here ever raises.

Build = Callable[[Redactions], Event]
# Operations after which the file's hash is worth keeping: it tells later whether it is the same.
_HASHED = (Operation.READ, Operation.WRITE, Operation.EDIT)
# Where what is recorded comes from; an import names its format instead.
_AS_IT_HAPPENED = "agent"
# Six letters of chance beside the second keep names of two machines apart.
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Recorder:
    """Builds events; `refusal` returns why nothing can be recorded now, or None."""

    def __init__(
        self,
        buffer: Buffer,
        places: Places,
        clock: Callable[[], float],
        *,
        project: str = "",
        refusal: Callable[[], str | None] = lambda: None,
    ) -> None:
        self.buffer = buffer
        self.places = places
        self.project = project
        self._clock = clock
        self._refusal = refusal

    def session(self, name: str, payload: Mapping[str, Any], *, how: How = AS_IT_IS) -> Recorded:
        """Begin a session, or go on with it."""

        def build(redactions: Redactions) -> Event:
            return Event(What.SESSION, self.opening(name, payload, redactions))

        return self._add(build, how)

    def opening(
        self, name: str, payload: Mapping[str, Any], redactions: Redactions
    ) -> normalizer.Row:
        """Return the row of a session that begins."""
        return {
            "session_id": normalizer.name(name, what="session"),
            "project": self.project,
            "agent": redactions.optional(payload.get("agent"), normalizer.NAME),
            "source": _AS_IT_HAPPENED,
            "branch": redactions.optional(payload.get("branch"), normalizer.NAME),
            "commit_hash": redactions.optional(payload.get("commit"), normalizer.NAME),
            "started_at": self._at(payload),
        }

    def end(self, session: str, payload: Mapping[str, Any], *, how: How = AS_IT_IS) -> Recorded:
        """End a session; if `how` says so, its task under way is completed."""

        def build(redactions: Redactions) -> Event:
            summary = redactions.optional(payload.get("summary"), normalizer.DESCRIPTION)
            row = {"session_id": normalizer.name(session, what="session"), "at": self._at(payload)}
            return Event(What.SESSION_END, {**row, "summary": summary})

        return self._add(build, how)

    def task(
        self,
        session: str,
        name: str,
        description: object,
        payload: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
    ) -> Recorded:
        """Begin a task of a session."""

        def build(redactions: Redactions) -> Event:
            text = redactions.text(str(description or ""), normalizer.DESCRIPTION)
            parent = payload.get("parent")
            row = {
                "task_id": normalizer.name(name, what="task"),
                "session_id": normalizer.name(session, what="session"),
                "parent_task_id": None
                if parent is None
                else normalizer.name(parent, what="parent"),
                "project": self.project,
                "description": text or "(no description)",
                "intent": normalizer.infer(text, {}),
                "source": _AS_IT_HAPPENED,
                "branch": redactions.optional(payload.get("branch"), normalizer.NAME),
                "commit_hash": redactions.optional(payload.get("commit"), normalizer.NAME),
                "started_at": self._at(payload),
            }
            return Event(What.TASK, row)

        return self._add(build, how)

    def state(
        self,
        session: str,
        task: str | None,
        status: Status,
        payload: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
    ) -> Recorded:
        """Let a task go on, rest or end; None is the session's task under way."""

        def build(redactions: Redactions) -> Event:
            row = {
                "session_id": session,
                "task_id": None if task is None else normalizer.name(task, what="task"),
                "status": status,
                "at": self._at(payload),
                "outcome": redactions.optional(payload.get("outcome"), normalizer.DESCRIPTION),
                "error_message": redactions.optional(payload.get("error"), normalizer.MESSAGE),
            }
            return Event(What.STATE, row)

        return self._add(build, attrs.evolve(how, finds_task=task is None))

    def tool(
        self,
        session: str,
        task: str | None,
        tool: object,
        payload: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
    ) -> Recorded:
        """Record a call of a tool, and the files it touched (`files`: mappings with path and
        operation)."""

        def build(redactions: Redactions) -> Event:
            if not isinstance(payload.get("files") or (), list | tuple):
                kind = type(payload["files"]).__name__
                raise InvalidInput(f"files: found {kind}, expected a list of paths; give one")
            row = self._belongs(session, task, payload)
            row |= normalizer.execution(self.places, redactions, tool, payload)
            files = tuple(self._files(payload, redactions, success=bool(row["success"])))
            return Event(What.EXECUTION, row, files)

        return self._add(build, how)

    def file(
        self,
        session: str,
        task: str | None,
        path: object,
        operation: object,
        payload: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
    ) -> Recorded:
        """Record that a file was read, searched or changed."""

        def build(redactions: Redactions) -> Event:
            row = self._belongs(session, task, payload)
            row |= self._interaction(redactions, path, operation, payload, is_now=_is_now(payload))
            return Event(What.INTERACTION, row)

        return self._add(build, how)

    def snapshot(
        self, session: str, task: str | None, payload: Mapping[str, Any], *, how: How = AS_IT_IS
    ) -> Recorded:
        """Record what is in the model's context."""

        def build(redactions: Redactions) -> Event:
            row = self._belongs(session, task, payload) | normalizer.snapshot(redactions, payload)
            return Event(What.SNAPSHOT, row)

        return self._add(build, how)

    def new_name(self, letter: str) -> str:
        """Return a new name: a letter, the second in which it was made, and chance."""
        return f"{letter}-{_letters(int(self._clock()), 6)}-{_chance(6)}"

    # -- inside

    def _belongs(
        self, session: str, task: str | None, payload: Mapping[str, Any]
    ) -> normalizer.Row:
        return {
            "timestamp": self._at(payload),
            "session_id": normalizer.name(session, what="session"),
            "task_id": None if task is None else normalizer.name(task, what="task"),
        }

    def _at(self, payload: Mapping[str, Any]) -> str:
        at = payload.get("at")
        return (
            timestamps.from_epoch(self._clock())
            if at is None
            else timestamps.normalise(at, name="at")
        )

    def _files(
        self, payload: Mapping[str, Any], redactions: Redactions, *, success: bool
    ) -> Iterable[normalizer.Row]:
        for file in payload.get("files") or ():
            fields = file if isinstance(file, Mapping) else {"path": file}
            entry = {"success": success, **fields}
            path, operation = fields.get("path"), fields.get("operation", "read")
            if path and self.places.stored(str(path)) == ".":  # the root itself is no file
                continue
            yield self._interaction(redactions, path, operation, entry, is_now=_is_now(payload))

    def _interaction(
        self,
        redactions: Redactions,
        path: object,
        operation: object,
        payload: Mapping[str, Any],
        *,
        is_now: bool,
    ) -> normalizer.Row:
        """Return an interaction as a row, with the hash of the file if it happens just now."""
        row = normalizer.interaction(self.places, redactions, path, operation, payload)
        if row["content_hash"] is None and is_now and row["operation"] in _HASHED:
            row["content_hash"] = self.places.hash_of(row["file_path"])
        return row

    def _add(self, build: Build, how: How) -> Recorded:
        """Hand on what `build` makes."""
        refusal = self._refusal()
        if refusal is not None:
            return self.buffer.drop(None, refusal)
        try:
            redactions = Redactions()
            event = build(redactions)
            event.how = how
            event.redacted = tuple(dict.fromkeys(redactions.kinds))
            if how.made is not None:
                how.made.append(event)
            return self.buffer.add(event, at_once=how.at_once)
        except MemkitError as error:
            return self.buffer.drop(None, str(error))
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            return self.buffer.drop(None, f"{type(error).__name__}: {error}")


def _is_now(payload: Mapping[str, Any]) -> bool:
    return payload.get("at") is None


def _letters(number: int, length: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number, len(_LETTERS))
        letters = _LETTERS[rest] + letters
    return letters.rjust(length, "0")[-length:]


def _chance(length: int) -> str:
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(length))


# --- `kit.episodes.record(event)` and `memkit record`: one plain dictionary an event.
#
#     {"event": "tool", "session": "s-1", "tool": "Bash", "parameters": {…}, "output": "…"}
#
# What agents pass to their hooks is taken as it is (see hooks.py beside). Nothing is ever raised.

Payload = Mapping[str, Any]

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
        self._takes: Mapping[str, Callable[[str, Payload, How], Recorded]] = {
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
            payload = {_ALIASES.get(str(key), str(key)): value for key, value in event.items()}
            report = hooks.translated(payload)
            if isinstance(report, hooks.Ignored):
                return Recorded(Fate.IGNORED, report.reason)
            how = attrs.evolve(report.how, at_once=at_once, made=made, finds_task=True)
            return self._record(dict(report.event), how)
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            return self._refuse(f"{type(error).__name__}: {error}")

    def _refuse(self, reason: str) -> Recorded:
        return self._recorder.buffer.drop(None, reason)

    def _record(self, payload: dict[str, Any], how: How) -> Recorded:
        what = str(payload.pop("event", "") or _kind_of(payload)).lower()
        if what in _NOT_WANTED:
            return self._refuse(f"{what}: what a model said is not recorded")
        if what not in EVENT_KEYS:
            return self._refuse(_unknown(what, payload))
        session = str(payload.get("session") or self._own_session())
        if what not in _OF_SESSIONS:
            how = attrs.evolve(how, opens=self._opening(session, payload))
        if what in _STATES:
            done = self._recorder.state(session, _task_of(payload), _STATES[what], payload, how=how)
        else:
            done = self._takes[what](session, payload, how)
        if done.fate in (Fate.STORED, Fate.KNOWN) and what != "end":
            self._seen.add(session)
        return done

    # -- the sorts of events

    def _session(self, session: str, payload: Payload, how: How) -> Recorded:
        return self._recorder.session(session, payload, how=how)

    def _task(self, session: str, payload: Payload, how: How) -> Recorded:
        """A new task ends the session's task before it, unless it is a part of one."""
        name = _task_of(payload) or self._recorder.new_name("t")
        how = attrs.evolve(how, ends_others=payload.get("parent") is None)
        return self._recorder.task(session, name, payload.get("description"), payload, how=how)

    def _tool(self, session: str, payload: Payload, how: How) -> Recorded:
        return self._recorder.tool(
            session, _task_of(payload), payload.get("tool"), payload, how=how
        )

    def _file(self, session: str, payload: Payload, how: How) -> Recorded:
        path, operation = payload.get("path"), payload.get("operation", "read")
        return self._recorder.file(session, _task_of(payload), path, operation, payload, how=how)

    def _snapshot(self, session: str, payload: Payload, how: How) -> Recorded:
        return self._recorder.snapshot(session, _task_of(payload), payload, how=how)

    def _end(self, session: str, payload: Payload, how: How) -> Recorded:
        self._seen.discard(session)
        self.has_ended = True
        return self._recorder.end(session, payload, how=how)

    # -- inside

    def _opening(self, session: str, payload: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the session's own row until this process has seen an event of it in the file."""
        if session in self._seen:
            return None
        if len(self._seen) >= _MOST_SESSIONS:
            self._seen.clear()
        about = {key: payload.get(key) for key in ("agent", "branch", "commit")}
        with suppress(InvalidInput):  # the event itself is refused for it
            about["at"] = timestamps.normalise(payload["at"]) if payload.get("at") else None
        return self._recorder.opening(session, about, Redactions())

    def _own_session(self) -> str:
        if self._own is None:
            self._own = self._recorder.new_name("s")
        return self._own


def _task_of(payload: Mapping[str, Any]) -> str | None:
    task = payload.get("task")
    return None if task is None else str(task)


def _kind_of(payload: Mapping[str, Any]) -> str:
    return next((what for key, what in _TOLD_BY if key in payload), "")


def _unknown(what: str, payload: Mapping[str, Any]) -> str:
    """Return why an event is refused: what was found in place of its kind, and what is expected."""
    kinds = ", ".join(sorted(EVENT_KEYS))
    if what:
        return f"event: {quoted(what)} is unknown; give one of {kinds}"
    misnamed = [key for key, value in payload.items() if str(value).lower() in EVENT_KEYS]
    keys = ", ".join(quoted(key) for key in [*misnamed, *payload][:_MOST_NAMED])
    description = f"{quoted(misnamed[0])} in its place" if misnamed else f"the keys {keys}"
    return (
        f"event: found {description if payload else 'no key at all'}, "
        f"expected 'event' (one of {kinds}) or a hook's 'hook_event_name'; give one of these keys"
    )


# Events of a session itself: they open none beside it.
_OF_SESSIONS = ("session", "end")

"""Turns what is reported into events and hands them to the buffer. Nothing here ever raises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, MemkitError
from ..store import times
from . import drafts, intent
from .kinds import Operation, Status
from .parameters import Redactions
from .records import Recorded
from .writing import Event, What

if TYPE_CHECKING:
    from .buffer import Buffer
    from .places import Places

Build = Callable[[Redactions], Event]
# Operations after which the file's hash is worth keeping: it tells later whether it is the same.
_HASHED = (Operation.READ, Operation.WRITE, Operation.EDIT)
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

    def session(self, name: str, given: Mapping[str, Any], *, source: str = "agent") -> Recorded:
        """Begin a session, or go on with it."""

        def build(redactions: Redactions) -> Event:
            return Event(What.SESSION, self.opening(name, given, redactions, source=source))

        return self._add(build, given)

    def opening(
        self, name: str, given: Mapping[str, Any], redactions: Redactions, *, source: str
    ) -> drafts.Row:
        """Return the row of a session that begins."""
        return {
            "session_id": drafts.name(name, what="session"),
            "project": self.project,
            "agent": redactions.optional(given.get("agent"), drafts.NAME),
            "source": drafts.name(source, what="source"),
            "branch": redactions.optional(given.get("branch"), drafts.NAME),
            "commit_hash": redactions.optional(given.get("commit"), drafts.NAME),
            "started_at": self._at(given),
        }

    def end(self, session: str, given: Mapping[str, Any]) -> Recorded:
        """End a session; with `ends_others` its task under way is completed."""

        def build(redactions: Redactions) -> Event:
            summary = redactions.optional(given.get("summary"), drafts.DESCRIPTION)
            row = {"session_id": drafts.name(session, what="session"), "at": self._at(given)}
            ends = bool(given.get("ends_others"))
            return Event(What.SESSION_END, {**row, "summary": summary}, ends_others=ends)

        return self._add(build, given)

    def task(
        self, session: str, name: str, description: object, given: Mapping[str, Any]
    ) -> Recorded:
        """Begin a task of a session."""

        def build(redactions: Redactions) -> Event:
            text = redactions.text(str(description or ""), drafts.DESCRIPTION)
            parent = given.get("parent")
            row = {
                "task_id": drafts.name(name, what="task"),
                "session_id": drafts.name(session, what="session"),
                "parent_task_id": None if parent is None else drafts.name(parent, what="parent"),
                "project": self.project,
                "description": text or "(no description)",
                "intent": intent.infer(text, {}),
                "source": drafts.name(given.get("source", "agent"), what="source"),
                "branch": redactions.optional(given.get("branch"), drafts.NAME),
                "commit_hash": redactions.optional(given.get("commit"), drafts.NAME),
                "started_at": self._at(given),
            }
            return Event(What.TASK, row, ends_others=bool(given.get("ends_others")))

        return self._add(build, given)

    def state(
        self, session: str, task: str | None, status: Status, given: Mapping[str, Any]
    ) -> Recorded:
        """Let a task go on, rest or end; None is the session's task under way."""

        def build(redactions: Redactions) -> Event:
            row = {
                "session_id": session,
                "task_id": None if task is None else drafts.name(task, what="task"),
                "status": status,
                "at": self._at(given),
                "outcome": redactions.optional(given.get("outcome"), drafts.DESCRIPTION),
                "error_message": redactions.optional(given.get("error"), drafts.MESSAGE),
            }
            return Event(What.STATE, row, finds_task=task is None)

        return self._add(build, given)

    def tool(
        self, session: str, task: str | None, tool: object, given: Mapping[str, Any]
    ) -> Recorded:
        """Record a call of a tool, and the files it touched (`files`: mappings with path and
        operation)."""

        def build(redactions: Redactions) -> Event:
            if not isinstance(given.get("files") or (), list | tuple):
                kind = type(given["files"]).__name__
                raise InvalidInput(f"files: found {kind}, expected a list of paths; give one")
            row = self._belongs(session, task, given)
            row |= drafts.execution(self.places, redactions, tool, given)
            files = tuple(self._files(given, redactions, success=bool(row["success"])))
            event = Event(What.EXECUTION, row, files, finds_task=bool(given.get("finds_task")))
            event.finds_ended = bool(given.get("finds_ended"))
            return event

        return self._add(build, given)

    def file(
        self,
        session: str,
        task: str | None,
        path: object,
        operation: object,
        given: Mapping[str, Any],
    ) -> Recorded:
        """Record that a file was read, searched or changed."""

        def build(redactions: Redactions) -> Event:
            row = self._belongs(session, task, given)
            row |= self._interaction(redactions, path, operation, given, is_now=_is_now(given))
            return Event(What.INTERACTION, row, finds_task=bool(given.get("finds_task")))

        return self._add(build, given)

    def snapshot(self, session: str, task: str | None, given: Mapping[str, Any]) -> Recorded:
        """Record what is in the model's context."""

        def build(redactions: Redactions) -> Event:
            row = self._belongs(session, task, given) | drafts.snapshot(redactions, given)
            return Event(What.SNAPSHOT, row, finds_task=bool(given.get("finds_task")))

        return self._add(build, given)

    def new_name(self, letter: str) -> str:
        """Return a new name: a letter, the second in which it was made, and chance."""
        return f"{letter}-{_letters(int(self._clock()), 6)}-{_chance(6)}"

    # -- inside

    def _belongs(self, session: str, task: str | None, given: Mapping[str, Any]) -> drafts.Row:
        return {
            "timestamp": self._at(given),
            "session_id": drafts.name(session, what="session"),
            "task_id": None if task is None else drafts.name(task, what="task"),
        }

    def _at(self, given: Mapping[str, Any]) -> str:
        at = given.get("at")
        return times.from_epoch(self._clock()) if at is None else times.normalise(at, name="at")

    def _files(
        self, given: Mapping[str, Any], redactions: Redactions, *, success: bool
    ) -> Iterable[drafts.Row]:
        for file in given.get("files") or ():
            found = file if isinstance(file, Mapping) else {"path": file}
            told = {"success": success, **found}
            path, operation = found.get("path"), found.get("operation", "read")
            if path and self.places.stored(str(path)) == ".":  # the root itself is no file
                continue
            yield self._interaction(redactions, path, operation, told, is_now=_is_now(given))

    def _interaction(
        self,
        redactions: Redactions,
        path: object,
        operation: object,
        given: Mapping[str, Any],
        *,
        is_now: bool,
    ) -> drafts.Row:
        """Return an interaction as a row, with the hash of the file if it happens just now."""
        row = drafts.interaction(self.places, redactions, path, operation, given)
        if row["content_hash"] is None and is_now and row["operation"] in _HASHED:
            row["content_hash"] = self.places.hash_of(row["file_path"])
        return row

    def _add(self, build: Build, given: Mapping[str, Any]) -> Recorded:
        """Hand on what `build` makes. `given` says whether it is to be written `at_once`, and what
        `opens` its session; the list `made` gets the event."""
        refusal = self._refusal()
        if refusal is not None:
            return self.buffer.drop(None, refusal)
        try:
            redactions = Redactions()
            event = build(redactions)
            event.opens = given.get("opens")
            event.redacted = tuple(dict.fromkeys(redactions.kinds))
            if given.get("made") is not None:
                given["made"].append(event)
            return self.buffer.add(event, at_once=given.get("at_once", True))
        except MemkitError as error:
            return self.buffer.drop(None, str(error))
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            return self.buffer.drop(None, f"{type(error).__name__}: {error}")


def _is_now(given: Mapping[str, Any]) -> bool:
    return given.get("at") is None


def refused(buffer: Buffer, reason: str) -> Recorded:
    """Count a report that is not wanted; return that."""
    return buffer.drop(None, reason)


def _letters(number: int, length: int) -> str:
    found = ""
    while number:
        number, rest = divmod(number, len(_LETTERS))
        found = _LETTERS[rest] + found
    return found.rjust(length, "0")[-length:]


def _chance(length: int) -> str:
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(length))

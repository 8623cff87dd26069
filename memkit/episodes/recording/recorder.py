"""Turns what is reported into events and hands them to the buffer. Nothing here ever raises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from ...errors import InvalidInput, MemkitError
from ...store import times
from ..kinds import Operation, Status
from ..parameters import Redactions
from ..records import Recorded
from . import drafts, intent
from .writing import AS_IT_IS, Event, How, What

if TYPE_CHECKING:
    from ..places import Places
    from .buffer import Buffer

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

    def session(self, name: str, given: Mapping[str, Any], *, how: How = AS_IT_IS) -> Recorded:
        """Begin a session, or go on with it."""

        def build(redactions: Redactions) -> Event:
            return Event(What.SESSION, self.opening(name, given, redactions))

        return self._add(build, how)

    def opening(self, name: str, given: Mapping[str, Any], redactions: Redactions) -> drafts.Row:
        """Return the row of a session that begins."""
        return {
            "session_id": drafts.name(name, what="session"),
            "project": self.project,
            "agent": redactions.optional(given.get("agent"), drafts.NAME),
            "source": _AS_IT_HAPPENED,
            "branch": redactions.optional(given.get("branch"), drafts.NAME),
            "commit_hash": redactions.optional(given.get("commit"), drafts.NAME),
            "started_at": self._at(given),
        }

    def end(self, session: str, given: Mapping[str, Any], *, how: How = AS_IT_IS) -> Recorded:
        """End a session; if `how` says so, its task under way is completed."""

        def build(redactions: Redactions) -> Event:
            summary = redactions.optional(given.get("summary"), drafts.DESCRIPTION)
            row = {"session_id": drafts.name(session, what="session"), "at": self._at(given)}
            return Event(What.SESSION_END, {**row, "summary": summary})

        return self._add(build, how)

    def task(
        self,
        session: str,
        name: str,
        description: object,
        given: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
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
                "source": _AS_IT_HAPPENED,
                "branch": redactions.optional(given.get("branch"), drafts.NAME),
                "commit_hash": redactions.optional(given.get("commit"), drafts.NAME),
                "started_at": self._at(given),
            }
            return Event(What.TASK, row)

        return self._add(build, how)

    def state(
        self,
        session: str,
        task: str | None,
        status: Status,
        given: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
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
            return Event(What.STATE, row)

        return self._add(build, attrs.evolve(how, finds_task=task is None))

    def tool(
        self,
        session: str,
        task: str | None,
        tool: object,
        given: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
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
            return Event(What.EXECUTION, row, files)

        return self._add(build, how)

    def file(
        self,
        session: str,
        task: str | None,
        path: object,
        operation: object,
        given: Mapping[str, Any],
        *,
        how: How = AS_IT_IS,
    ) -> Recorded:
        """Record that a file was read, searched or changed."""

        def build(redactions: Redactions) -> Event:
            row = self._belongs(session, task, given)
            row |= self._interaction(redactions, path, operation, given, is_now=_is_now(given))
            return Event(What.INTERACTION, row)

        return self._add(build, how)

    def snapshot(
        self, session: str, task: str | None, given: Mapping[str, Any], *, how: How = AS_IT_IS
    ) -> Recorded:
        """Record what is in the model's context."""

        def build(redactions: Redactions) -> Event:
            row = self._belongs(session, task, given) | drafts.snapshot(redactions, given)
            return Event(What.SNAPSHOT, row)

        return self._add(build, how)

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


def _is_now(given: Mapping[str, Any]) -> bool:
    return given.get("at") is None


def _letters(number: int, length: int) -> str:
    found = ""
    while number:
        number, rest = divmod(number, len(_LETTERS))
        found = _LETTERS[rest] + found
    return found.rjust(length, "0")[-length:]


def _chance(length: int) -> str:
    return "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(length))

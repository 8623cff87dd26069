"""From the events of a transcript to rows that may be stored: bounded, without secrets, with paths
below the repository."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from posixpath import isabs, relpath
from typing import Any

import attrs

from ...store import times
from .. import signatures
from ..kinds import CHANGING
from ..parameters import Redactions
from ..places import Places
from ..recording import drafts, intent
from .events import Began, Call, Prompt, Touched
from .shell import only_looks

# Steps of a transcript without times lie so far apart that their order stays, in seconds.
_STEP = 0.001


@attrs.define
class Drafting:
    """Makes the rows of one transcript of a format (`source`).

    Attributes:
        now: the last time it told, in seconds since 1970, or a little later.
        is_timed: whether it tells times at all.
    """

    places: Places
    project: str
    source: str = ""
    now: float = 0.0
    is_timed: bool = False
    began: Began = attrs.Factory(lambda: Began(""))

    def at(self, told: str | None) -> str:
        """Return a time, or one just after the last if none is told."""
        if told is None:
            self.now += _STEP
            return times.from_epoch(self.now)
        self.now, self.is_timed = times.to_epoch(told), True
        return told

    def session(self, redactions: Redactions) -> drafts.Row:
        """Return the session that is read as a row."""
        return {
            "session_id": self.session_name,
            "project": self.project,
            "agent": redactions.optional(self.began.agent, drafts.NAME),
            "source": self.source,
            "branch": redactions.optional(self.began.branch, drafts.NAME),
            "commit_hash": redactions.optional(self.began.commit, drafts.NAME),
            "started_at": self.began.at or times.from_epoch(self.now),
        }

    @property
    def session_name(self) -> str:
        """The stored name of the session that is read."""
        return drafts.name(self.began.name or self.source, what="session")

    def task(self, prompt: Prompt, session: str, at: str, redactions: Redactions) -> drafts.Row:
        """Return a prompt as a task that begins."""
        text = redactions.text(prompt.text, drafts.DESCRIPTION)
        return {
            "task_id": drafts.name(prompt.name, what="task"),
            "session_id": session,
            "parent_task_id": None,
            "project": self.project,
            "description": text or "(no description)",
            "intent": intent.infer(text, {}),
            "source": self.source,
            "branch": redactions.optional(prompt.branch or self.began.branch, drafts.NAME),
            "commit_hash": redactions.optional(self.began.commit, drafts.NAME),
            "started_at": at,
        }

    def call(
        self, event: Call, at: str, redactions: Redactions
    ) -> tuple[drafts.Row, tuple[drafts.Row, ...]]:
        """Return a call as a row, without its session and task, and its files as rows."""
        given = {
            "parameters": event.parameters,
            "output": event.output,
            "success": _success(event),
            "error": event.error,
            "exit_code": event.exit_code,
            "duration_ms": event.duration_ms,
            "context_tokens": event.context_tokens,
            "call_id": event.call_id,
            "files": [{"path": self._place(file.path)} for file in event.files],
        }
        row = {"timestamp": at} | drafts.execution(
            self.places, redactions, event.tool, given, relative=self._relative
        )
        told = {"success": bool(row["success"])}
        found = (self._file(file, told, redactions) for file in event.files)
        return row, tuple(file for file in found if file is not None)

    def changed(self, event: Call) -> list[str]:
        """Return the paths that a call changes, as they are stored."""
        files = (file for file in event.files if file.operation in CHANGING)
        return [self.places.stored(self._place(file.path)) for file in files]

    # -- inside

    def _file(
        self, file: Touched, told: Mapping[str, Any], redactions: Redactions
    ) -> drafts.Row | None:
        place = self._place(file.path)
        if self.places.stored(place) in ("", "."):  # the root itself is no file
            return None
        given = {
            **told,
            "line_range": file.lines,
            "changes": file.changes,
            "content_hash": file.content_hash,
            "previous_path": self._place(file.previous_path) if file.previous_path else None,
        }
        return drafts.interaction(self.places, redactions, place, file.operation, given)

    def _relative(self, text: str) -> str:
        """Return a text with the paths in it as `_place` has them."""
        text, cwd = self.places.relative(text), self.began.cwd
        if cwd is None or not isabs(cwd) or _is_inside(cwd, self.places.root.as_posix()):
            return text
        return _elsewhere(cwd).relative(text)

    def _place(self, path: str) -> str:
        """Return a path as it is below the repository: below the store's folder as it is, below the
        folder of the session relative to that, since it may be a clone elsewhere."""
        cwd = self.began.cwd
        if cwd is None or not (isabs(cwd) and isabs(path)) or cwd == "/":
            return path
        if _is_inside(path, self.places.root.as_posix()) or not _is_inside(path, cwd):
            return path
        return relpath(path, cwd)


@lru_cache(maxsize=16)
def _elsewhere(folder: str) -> Places:
    return Places(Path(folder))


def _success(call: Call) -> bool | None:
    """Return whether a call did what it was called for: None if its output must tell."""
    if not call.has_result:
        return False
    command = signatures.command_of(call.parameters)
    found_nothing = call.exit_code == 1 and not (call.output or "").strip()
    return True if found_nothing and command and only_looks(command) else call.success


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")

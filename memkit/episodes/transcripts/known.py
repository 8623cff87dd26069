"""What the file holds already of a transcript: sessions, tasks and calls by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from ...store.ids import name_id
from ..kinds import Status

if TYPE_CHECKING:
    from ...store.connection import Store


# A hook tells of a prompt so many seconds before or after the transcript does, at most.
_AT_ONCE = 10.0


@attrs.frozen
class KnownCall:
    """A call; it is open if nothing has come back."""

    success: bool
    is_open: bool = False


@attrs.define
class KnownSession:
    """A session: its calls by name. `grew`: something was added to it by this import."""

    calls: dict[str, KnownCall]
    is_new: bool
    source: str | None
    ended_at: str | None
    grew: bool = False


@attrs.frozen
class KnownTask:
    """A task as it is stored."""

    session: str
    source: str
    status: Status = attrs.field(default=Status.ACTIVE, converter=Status)
    completed_at: str | None = None
    outcome: str | None = None
    error: str | None = None


class Known:
    """Asks the store; with `revive` nothing counts as purged."""

    def __init__(self, store: Store, *, revive: bool) -> None:
        self._store = store
        self._revive = revive
        self._sessions: dict[str, KnownSession] = {}

    def session(self, name: str) -> KnownSession:
        """Return a session, read once: its state goes on with what is added to it."""
        if name not in self._sessions:
            row = self._store.one("episodes_transcripts.session", session_id=name)
            calls = self._store.all("episodes_transcripts.calls", session_id=name)
            self._sessions[name] = KnownSession(
                {
                    call: KnownCall(success=bool(success), is_open=bool(is_open))
                    for call, success, is_open in calls
                },
                is_new=row is None,
                source=row[0] if row else None,
                ended_at=row[1] if row else None,
            )
        return self._sessions[name]

    def task(self, name: str) -> KnownTask | None:
        """Return a task, or None if there is none of this name."""
        row = self._store.one("episodes_transcripts.task", task_id=name)
        return KnownTask(*row) if row else None

    def recorded(self, session: str, description: str, at: str) -> str | None:
        """Return the name of the task that a hook made of the same prompt, if one did."""
        prompt = {"session_id": session, "description": description, "at": at}
        found: str | None = self._store.value(
            "episodes_transcripts.recorded_task", **prompt, within=_AT_ONCE
        )
        return found

    def task_at(self, session: str, at: str) -> str | None:
        """Return the name of the task that a session had begun last at a moment."""
        found: str | None = self._store.value(
            "episodes_transcripts.task_at", session_id=session, at=at
        )
        return found

    def is_purged(self, kind: str, name: str) -> bool:
        """Whether a session or task of this name was deleted for good."""
        if self._revive:
            return False
        return bool(self._store.value("episodes_transcripts.is_purged", id=name_id(kind, name)))

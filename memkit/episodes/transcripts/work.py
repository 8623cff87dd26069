"""One prompt while its transcript is read: where it stands, and what came of it.

The next prompt or a last answer completes it, an interruption pauses it if nothing follows and
fails it otherwise, and work that breaks off in the middle leaves it active.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from .. import signatures
from ..kinds import Status
from .events import Call
from .known import KnownTask
from .shell import only_looks

# Files that an outcome names, and characters of the command that it names.
_NAMED, _COMMAND = 4, 100
_BROKEN_OFF = "interrupted by the user"
UNFINISHED = (Status.ACTIVE, Status.PAUSED)


@attrs.define
class Work:
    """A task. `gained` counts the calls that were added to it since its state was written; with
    `is_aside` they tell nothing of where it stands."""

    name: str
    stored: KnownTask
    last: str
    status: Status = Status.ACTIVE
    error: str | None = None
    is_aside: bool = attrs.field(default=False, kw_only=True)
    gained: int = 0
    changed: dict[str, None] = attrs.Factory(dict)
    check: str | None = None

    def called(
        self, event: Call, at: str, changed: Iterable[str], *, success: bool, is_last: bool
    ) -> None:
        """A call was made for it that changed files; `is_last`: it is the newest task of the
        transcript."""
        if self.is_aside:
            return
        self.last = max(self.last, at)
        if is_last and self.status is not Status.PAUSED:
            self.status, self.error = Status.ACTIVE, None  # what ended it was not the end
        if success:
            self.changed |= dict.fromkeys(changed)
        command = signatures.command_of(event.parameters)
        if command is not None and event.has_result and not only_looks(command):
            asked = signatures.same_call(event.tool, event.parameters).removeprefix("$ ")
            verb = "passed" if success else "failed"
            self.check = f"last command {verb}: {' '.join(asked.split())[:_COMMAND]}"

    def interrupted(self, at: str) -> None:
        """The user stopped it."""
        self.status, self.last = Status.PAUSED, at

    def answered(self, at: str) -> None:
        """The model said what may be its last word on it."""
        self.status, self.error, self.last = Status.COMPLETED, None, at

    def ended(self, at: str, *, success: bool | None, reason: str | None) -> None:
        """The transcript says how it ended."""
        failed = success is False
        self.status = Status.FAILED if failed else Status.COMPLETED
        self.error = (reason or "it failed") if failed else None
        self.last = at

    def followed(self) -> None:
        """Another prompt came after it."""
        if self.status is Status.PAUSED:
            self.status, self.error = Status.FAILED, _BROKEN_OFF
        elif self.status is Status.ACTIVE:
            self.status = Status.COMPLETED

    @property
    def session(self) -> str:
        """The session it was begun in."""
        return self.stored.session

    @property
    def outcome(self) -> str | None:
        """What came of it, told from what was done: never in the words of a model."""
        named = list(self.changed)[:_NAMED]
        rest = len(self.changed) - len(named)
        more = f" and {rest} more" if rest else ""
        parts = [f"changed {', '.join(named)}{more}"] if named else []
        return "; ".join([*parts, self.check] if self.check else parts) or None

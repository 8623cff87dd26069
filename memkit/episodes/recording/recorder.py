"""Recorder: event to rows to buffer; it never raises."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import MemkitError
from ..records import RecordResult, RecordStatus
from . import hooks
from .event import DEFAULT_POLICY, Event, EventKind, WritePolicy
from .nested_calls import expanded
from .normalizer import Entry, Normalizer, name

if TYPE_CHECKING:
    from .writer import Buffer

# Six letters of chance beside the second keep names of two machines apart.
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Sessions that are known to have a row.
_MAX_SESSIONS = 10_000


class Recorder:
    """Takes events, as such or as dictionaries, and hands their rows on."""

    def __init__(
        self,
        buffer: Buffer,
        normalizer: Normalizer,
        clock: Callable[[], float],
        *,
        refusal: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`refusal` returns why nothing can be recorded now, or None."""
        self.buffer = buffer
        self.has_ended = False  # whether a turn or session came to its end
        self._normalizer = normalizer
        self._clock = clock
        self._refusal = refusal
        self._opened: set[str] = set()
        self._own_session: str | None = None

    def record(
        self, event: Event | Mapping[str, Any], policy: WritePolicy = DEFAULT_POLICY
    ) -> RecordResult:
        """Record one event; return what became of it. Never raises, never waits.

        A dictionary brings the policy of its kind with it; see hooks.py.
        """
        entries = self._entries(event, policy)
        if isinstance(entries, RecordResult):
            return entries
        for entry in entries:
            result = self.buffer.add(entry, at_once=entry.policy.at_once)
            if (
                result.status in (RecordStatus.STORED, RecordStatus.KNOWN)
                and entry.kind is not EventKind.SESSION_END
            ):
                self._opened.add(entry.row["session_id"])
        return result

    def record_many(
        self, events: Iterable[Mapping[str, Any]], *, patience: float = 0.0
    ) -> list[RecordResult]:
        """Record events together; return what became of each. A busy file is waited for `patience`
        seconds."""
        rows = [self._entries(event) for event in events]
        for entries in rows:
            if not isinstance(entries, RecordResult):
                for entry in entries:
                    self.buffer.add(entry, at_once=False)
        self.buffer.flush(patience=patience)
        return [
            entries if isinstance(entries, RecordResult) else self.buffer.result_of(entries[-1])
            for entries in rows
        ]

    def new_name(self, letter: str) -> str:
        """Return a new name: a letter, the second in which it was made, and chance."""
        chance = "".join(_LETTERS[byte % len(_LETTERS)] for byte in os.urandom(6))
        return f"{letter}-{_letters(int(self._clock()))}-{chance}"

    # -- inside

    def _entries(
        self, event: Event | Mapping[str, Any], policy: WritePolicy = DEFAULT_POLICY
    ) -> list[Entry] | RecordResult:
        """Return the rows of an event and of each call inside it, or why there are none."""
        try:
            if not isinstance(event, Event):
                event, policy = hooks.translate(event)
            if event.kind is EventKind.SKIPPED:
                return RecordResult(RecordStatus.IGNORED, event.text)
            refusal = self._refusal()
            if refusal is not None:
                return self.buffer.drop(None, refusal)
            return [self._prepared(call, policy) for call in expanded(event)]
        except MemkitError as error:
            return self.buffer.drop(None, str(error))
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            return self.buffer.drop(None, f"{type(error).__name__}: {error}")

    def _prepared(self, event: Event, policy: WritePolicy) -> Entry:
        """Return the rows of an event whose session, and task if it begins one, have names."""
        if event.session is None:
            if self._own_session is None:
                self._own_session = self.new_name("s")
            event = event._replace(session=self._own_session)
        if event.kind is EventKind.PROMPT and not event.task:
            event = event._replace(task=self.new_name("t"))
        session = name(event.session, what="session")
        if event.kind is EventKind.SESSION_END:
            self._opened.discard(session)
            self.has_ended = True
        opens = policy.opens_session and session not in self._opened
        if opens and len(self._opened) >= _MAX_SESSIONS:
            self._opened.clear()
        entry = self._normalizer.normalize(event, opens_session=opens)
        entry.policy = policy
        entry.redacted = tuple(dict.fromkeys(entry.redacted))
        return entry


def _letters(second: int) -> str:
    """Return the last six letters of a number to the base of 36."""
    letters = ""
    while second:
        second, rest = divmod(second, len(_LETTERS))
        letters = _LETTERS[rest] + letters
    return letters.rjust(6, "0")[-6:]

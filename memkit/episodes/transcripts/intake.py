"""The events of one transcript on their way into the tables: what is there is left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from ...errors import InvalidInput
from ..kinds import Status
from ..parameters import Redactions
from ..recording import drafts
from ..recording.writing import Event as Write
from ..recording.writing import What, Writer
from ..records import Fate
from .drafting import Drafting
from .events import Answered, Began, Call, Ended, Event, Interrupted, Prompt, Skipped
from .known import Known, KnownCall, KnownSession, KnownTask
from .work import UNFINISHED, Work

if TYPE_CHECKING:
    from ...store.connection import Store
    from ..places import Places


_PURGED = "of a task or session that was purged here"


class Intake:
    """Takes the events of one transcript; `begin` first, `end` last.

    `counts`, `skipped` and `redacted` tell what was added, what was no event, and which secrets
    were replaced.
    """

    def __init__(self, store: Store, places: Places, *, project: str, revive: bool = False) -> None:
        """With `revive` sessions and tasks come back that were purged here."""
        self._store = store
        self._known = Known(store, revive=revive)
        self._writer = Writer(store)
        self._rows = Drafting(places, project)
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self._works: dict[str, Work] = {}
        self._aside: dict[str, Work] = {}
        self._ends: dict[str, Work] = {}
        self._purged: set[str] = set()
        self._last: Work | None = None
        self._writes: list[Write] = []

    def begin(self, source: str, *, modified: float) -> None:
        """A transcript of the format `source` follows; what has no time counts from `modified`."""
        self._rows.source, self._rows.now = source, modified

    def take(self, events: Iterable[Event]) -> None:
        """Write events, in few transactions; raises StoreError if they cannot be written."""
        takes: Mapping[type[Event], Callable[[Any], None]] = {
            Skipped: self._on_skipped,
            Began: self._on_began,
            Prompt: self._on_prompt,
            Call: self._on_call,
            Interrupted: self._on_interrupted,
            Answered: self._on_answered,
            Ended: self._on_ended,
        }
        for event in events:
            try:
                takes[type(event)](event)
            except InvalidInput as error:  # it has no name, or another value means nothing
                self.skipped[str(error)[:200]] += 1
        self._write()

    def end(self) -> None:
        """Write how tasks and sessions ended: only the whole transcript tells it."""
        self._leave()
        for work in (*self._works.values(), *self._aside.values()):
            self._close(work)
        for work in self._ends.values():
            self._end_session(work)
        self._write()

    # -- events

    def _on_skipped(self, event: Skipped) -> None:
        self.skipped[event.reason] += 1

    def _on_began(self, event: Began) -> None:
        self._leave()
        self._rows.began = event
        self._rows.at(event.at)

    def _on_prompt(self, event: Prompt) -> None:
        at = self._rows.at(event.at)
        if self._last is not None:
            self._last.followed()
        name = drafts.name(event.name, what="task")
        known = self._works.get(name) or self._stored(name, event, at)
        if known:
            self._last = self._works[name] = known
            self.counts["known"] += 1
            return
        if self._known.is_purged("task", name) or self._is_session_purged():
            self._purged.add(name)
            self._last = None
            self.skipped[_PURGED] += 1
            return
        session = self._session()
        self._known.session(session).grew = True
        self._last = self._works[name] = Work(name, KnownTask(session, self._rows.source), at)
        redactions = Redactions()
        self._add(What.TASK, self._rows.task(event, session, at, redactions), redactions)
        self.counts["tasks"] += 1

    def _on_call(self, event: Call) -> None:
        at = self._rows.at(event.at)
        if self._is_of_purged(event):
            self.skipped[_PURGED] += 1
            return
        work = self._named(event.prompt) or self._last
        session = work.session if work else self._session()
        known = self._known.session(session)
        name = drafts.name(event.call_id, what="call_id")
        before = known.calls.get(name)
        if before is not None and not (before.is_open and event.has_result):
            self._note(work, event, at, success=before.success)
            self.counts["known"] += 1
            return
        work = work or self._under_way(session, at)
        redactions = Redactions()
        row, files = self._rows.call(event, at, redactions)
        self._note(work, event, at, success=bool(row["success"]))
        if before is not None and _looks_open(row):
            self.counts["known"] += 1
            return
        row |= {"session_id": session, "task_id": work.name if work else None}
        known.calls[name] = KnownCall(success=bool(row["success"]), is_open=_looks_open(row))
        known.grew = True
        if work is not None:
            work.gained += 1
        self._add(What.EXECUTION, row, redactions, files)
        self.counts["calls"] += 1
        self.counts["interactions"] += len(files)

    def _on_interrupted(self, event: Interrupted) -> None:
        if work := self._named(event.prompt) or self._last:
            work.interrupted(self._rows.at(event.at))

    def _on_answered(self, event: Answered) -> None:
        if self._last is not None:
            self._last.answered(self._rows.at(event.at))

    def _on_ended(self, event: Ended) -> None:
        if self._last is not None:
            at = self._rows.at(event.at)
            self._last.ended(at, success=event.success, reason=event.reason)

    # -- what was purged

    def _is_of_purged(self, event: Call) -> bool:
        """Whether a call belongs to a task that was purged, or to no task of a purged session."""
        if event.prompt is not None:
            return drafts.name(event.prompt, what="task") in self._purged
        return self._last is None and self._is_session_purged()

    def _is_session_purged(self) -> bool:
        return self._known.is_purged("session", self._rows.session_name)

    # -- sessions

    def _session(self) -> str:
        """Return the name of the session that is read; its row is added with the first that needs
        it, so that an empty session leaves none."""
        name = self._rows.session_name
        known = self._known.session(name)
        if known.is_new:
            known.is_new = False
            redactions = Redactions()
            self._add(What.SESSION, self._rows.session(redactions), redactions)
            self.counts["sessions"] += 1
        return name

    def _leave(self) -> None:
        """The session's last task is over, as far as this transcript goes."""
        if self._last is not None:
            self._ends[self._last.session] = self._last
        self._last = None

    def _end_session(self, last: Work) -> None:
        known = self._known.session(last.session)
        if known.ended_at is not None and (
            known.source == "agent" or not self._is_later(last, known)
        ):
            return
        redactions = Redactions()
        if last.status is not Status.ACTIVE:
            row = {"session_id": last.session, "at": last.last, "summary": None}
            self._add(What.SESSION_END, row, redactions)
        elif known.ended_at is not None:  # it had seemed to be over
            self._add(What.SESSION, self._rows.session(redactions), redactions)
        known.ended_at, known.grew = last.last, False

    def _is_later(self, last: Work, known: KnownSession) -> bool:
        """Whether a session went on after what is stored as its end."""
        return known.grew or (self._rows.is_timed and last.last > str(known.ended_at))

    # -- tasks

    def _stored(self, name: str, event: Prompt, at: str) -> Work | None:
        """Return the task that a prompt has made before: a session that was resumed or forked tells
        its past again, and a hook may have told of it as it happened. It stays where it was."""
        stored = self._known.task(name)
        if stored is None and event.at is not None:
            said = Redactions().text(event.text, drafts.DESCRIPTION)
            recorded = self._known.recorded(self._rows.session_name, said, at)
            name, stored = recorded or name, self._known.task(recorded) if recorded else None
        return Work(name, stored, at) if stored else None

    def _named(self, prompt: str | None) -> Work | None:
        return self._works.get(drafts.name(prompt, what="task")) if prompt else None

    def _under_way(self, session: str, at: str) -> Work | None:
        """Return the task that was under way: a subagent's own file tells only session and times.
        Such calls are added to the task, but tell nothing of what came of it."""
        name = self._known.task_at(session, at)
        stored = None if name is None else self._known.task(name)
        if name is None or stored is None:
            return None
        found = Work(name, stored, stored.completed_at or at, stored.status, is_aside=True)
        return self._aside.setdefault(name, found)

    def _note(self, work: Work | None, event: Call, at: str, *, success: bool) -> None:
        if work is not None:
            changed = self._rows.changed(event)
            work.called(event, at, changed, success=success, is_last=work is self._last)

    def _close(self, work: Work) -> None:
        """Write a task's state if it is another than the stored one, or if it gained calls."""
        stored, status = work.stored, work.status
        redactions = Redactions()
        came = redactions.optional(work.outcome, drafts.DESCRIPTION)
        fault = redactions.optional(work.error, drafts.MESSAGE)
        is_live = stored.source == "agent"
        if stored.status not in UNFINISHED and (is_live or status in UNFINISHED):
            # Recorded while it happened, or told to its end elsewhere: that knows better.
            status, came, fault = stored.status, None, None
        is_later = self._rows.is_timed and not is_live and work.last > (stored.completed_at or "~")
        ended = work.last if work.gained or is_later or status != stored.status else None
        state = attrs.evolve(
            stored,
            status=status,
            outcome=came or stored.outcome,
            error=fault or stored.error,
            completed_at=None if status in UNFINISHED else ended or stored.completed_at,
        )
        if state == stored and not work.gained:
            return
        work.gained, work.stored = 0, state
        row = {"session_id": work.session, "task_id": work.name, "status": status, "at": work.last}
        self._add(What.STATE, {**row, "outcome": came, "error_message": fault}, redactions)

    # -- writing

    def _add(
        self, what: What, row: drafts.Row, redactions: Redactions, files: Iterable[drafts.Row] = ()
    ) -> None:
        self._writes.append(Write(what, row, tuple(files)))
        self.redacted.update(redactions.kinds)

    def _write(self) -> None:
        batch, self._writes = self._writes, []
        if not batch:
            return
        for done, _ in self._store.write(partial(self._writer.put_all, batch)):
            if done.fate is Fate.DROPPED:
                self.skipped[done.reason or "not written"] += 1


def _looks_open(row: drafts.Row) -> bool:
    """Whether a call would be stored as one to which nothing came back."""
    facts = (row["output_hash"], row["error_message"], row["exit_code"])
    return not row["success"] and all(fact is None for fact in facts)

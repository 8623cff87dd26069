"""TranscriptImporter: idempotent import of Events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from posixpath import isabs, relpath
from typing import TYPE_CHECKING, Any

import attrs

from ...errors import InvalidInput, NotFound
from ...store import timestamps
from ...store.ids import name_id
from ...validation import Progress
from .. import error_signatures
from ..paths import Places
from ..recording import normalizer
from ..recording.event import (
    Answered,
    Began,
    Call,
    Ended,
    Event,
    Interrupted,
    Prompt,
    Skipped,
    Touched,
)
from ..recording.payloads import Redactions
from ..recording.tool_calls import only_looks
from ..recording.writer import Event as Write
from ..recording.writer import What, Writer
from ..records import CHANGING, Fate, Status
from . import formats
from .formats import TranscriptFormat

if TYPE_CHECKING:
    from ...store.store import Store


# --- What the file holds already of a transcript: sessions, tasks and calls by their names.

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
            row = self._store.first("episodes_transcripts.session", session_id=name)
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
        row = self._store.first("episodes_transcripts.task", task_id=name)
        return KnownTask(*row) if row else None

    def recorded(self, session: str, description: str, at: str) -> str | None:
        """Return the name of the task that a hook made of the same prompt, if one did."""
        prompt = {"session_id": session, "description": description, "at": at}
        task: str | None = self._store.value(
            "episodes_transcripts.recorded_task", **prompt, within=_AT_ONCE
        )
        return task

    def task_at(self, session: str, at: str) -> str | None:
        """Return the name of the task that a session had begun last at a moment."""
        task: str | None = self._store.value(
            "episodes_transcripts.task_at", session_id=session, at=at
        )
        return task

    def is_purged(self, kind: str, name: str) -> bool:
        """Whether a session or task of this name was deleted for good."""
        if self._revive:
            return False
        return bool(self._store.value("episodes_transcripts.is_purged", id=name_id(kind, name)))


# --- One prompt while its transcript is read: where it stands, and what came of it.
#
# The next prompt or a last answer completes it, an interruption pauses it if nothing follows and
# fails it otherwise, and work that breaks off in the middle leaves it active.

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
        command = error_signatures.command_of(event.parameters)
        if command is not None and event.has_result and not only_looks(command):
            call = error_signatures.same_call(event.tool, event.parameters).removeprefix("$ ")
            verb = "passed" if success else "failed"
            self.check = f"last command {verb}: {' '.join(call.split())[:_COMMAND]}"

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


# --- From the events of a transcript to rows that may be stored: bounded, without secrets, with
# paths below the repository.

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

    def at(self, moment: str | None) -> str:
        """Return a time, or one just after the last if there is none."""
        if moment is None:
            self.now += _STEP
            return timestamps.from_epoch(self.now)
        self.now, self.is_timed = timestamps.to_epoch(moment), True
        return moment

    def session(self, redactions: Redactions) -> normalizer.Row:
        """Return the session that is read as a row."""
        return {
            "session_id": self.session_name,
            "project": self.project,
            "agent": redactions.optional(self.began.agent, normalizer.NAME),
            "source": self.source,
            "branch": redactions.optional(self.began.branch, normalizer.NAME),
            "commit_hash": redactions.optional(self.began.commit, normalizer.NAME),
            "started_at": self.began.at or timestamps.from_epoch(self.now),
        }

    @property
    def session_name(self) -> str:
        """The stored name of the session that is read."""
        return normalizer.name(self.began.name or self.source, what="session")

    def task(self, prompt: Prompt, session: str, at: str, redactions: Redactions) -> normalizer.Row:
        """Return a prompt as a task that begins."""
        text = redactions.text(prompt.text, normalizer.DESCRIPTION)
        return {
            "task_id": normalizer.name(prompt.name, what="task"),
            "session_id": session,
            "parent_task_id": None,
            "project": self.project,
            "description": text or "(no description)",
            "intent": normalizer.infer(text, {}),
            "source": self.source,
            "branch": redactions.optional(prompt.branch or self.began.branch, normalizer.NAME),
            "commit_hash": redactions.optional(self.began.commit, normalizer.NAME),
            "started_at": at,
        }

    def call(
        self, event: Call, at: str, redactions: Redactions
    ) -> tuple[normalizer.Row, tuple[normalizer.Row, ...]]:
        """Return a call as a row, without its session and task, and its files as rows."""
        payload = {
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
        row = {"timestamp": at} | normalizer.execution(
            self.places, redactions, event.tool, payload, relative=self._relative
        )
        outcome = {"success": bool(row["success"])}
        files = (self._file(file, outcome, redactions) for file in event.files)
        return row, tuple(file for file in files if file is not None)

    def changed(self, event: Call) -> list[str]:
        """Return the paths that a call changes, as they are stored."""
        files = (file for file in event.files if file.operation in CHANGING)
        return [self.places.stored(self._place(file.path)) for file in files]

    # -- inside

    def _file(
        self, file: Touched, outcome: Mapping[str, Any], redactions: Redactions
    ) -> normalizer.Row | None:
        place = self._place(file.path)
        if self.places.stored(place) in ("", "."):  # the root itself is no file
            return None
        payload = {
            **outcome,
            "line_range": file.lines,
            "changes": file.changes,
            "content_hash": file.content_hash,
            "previous_path": self._place(file.previous_path) if file.previous_path else None,
        }
        return normalizer.interaction(self.places, redactions, place, file.operation, payload)

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
    command = error_signatures.command_of(call.parameters)
    found_nothing = call.exit_code == 1 and not (call.output or "").strip()
    return True if found_nothing and command and only_looks(command) else call.success


def _is_inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


# --- The events of one transcript on their way into the tables: what is there is left alone.

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
        name = normalizer.name(event.name, what="task")
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
        name = normalizer.name(event.call_id, what="call_id")
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
            return normalizer.name(event.prompt, what="task") in self._purged
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
            said = Redactions().text(event.text, normalizer.DESCRIPTION)
            recorded = self._known.recorded(self._rows.session_name, said, at)
            name, stored = recorded or name, self._known.task(recorded) if recorded else None
        return Work(name, stored, at) if stored else None

    def _named(self, prompt: str | None) -> Work | None:
        return self._works.get(normalizer.name(prompt, what="task")) if prompt else None

    def _under_way(self, session: str, at: str) -> Work | None:
        """Return the task that was under way: a subagent's own file tells only session and times.
        Such calls are added to the task, but tell nothing of what came of it."""
        name = self._known.task_at(session, at)
        stored = None if name is None else self._known.task(name)
        if name is None or stored is None:
            return None
        work = Work(name, stored, stored.completed_at or at, stored.status, is_aside=True)
        return self._aside.setdefault(name, work)

    def _note(self, work: Work | None, event: Call, at: str, *, success: bool) -> None:
        if work is not None:
            changed = self._rows.changed(event)
            work.called(event, at, changed, success=success, is_last=work is self._last)

    def _close(self, work: Work) -> None:
        """Write a task's state if it is another than the stored one, or if it gained calls."""
        stored, status = work.stored, work.status
        redactions = Redactions()
        came = redactions.optional(work.outcome, normalizer.DESCRIPTION)
        fault = redactions.optional(work.error, normalizer.MESSAGE)
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
        self,
        what: What,
        row: normalizer.Row,
        redactions: Redactions,
        files: Iterable[normalizer.Row] = (),
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


def _looks_open(row: normalizer.Row) -> bool:
    """Whether a call would be stored as one to which nothing came back."""
    facts = (row["output_hash"], row["error_message"], row["exit_code"])
    return not row["success"] and all(fact is None for fact in facts)


# --- Takes transcripts into the episodes, so that doing it again adds only what is new.
#
# A session is known by its own name, a task by its prompt's, a call by its id. Files are written
# in batches: an import that was killed is completed by the next one.

# Events between two calls of the progress, and in one transaction.
BATCH = 300


@attrs.frozen
class Imported:
    """What an import added.

    Attributes:
        files: transcripts read. sessions, tasks, calls, interactions: rows that are new.
        known: tasks and calls that were there already.
        skipped: rows that are no events, by reason. left_out: files that were not read, and why.
        redacted: kinds of secrets that were replaced by markers, with their number.
    """

    files: int = 0
    sessions: int = 0
    tasks: int = 0
    calls: int = 0
    interactions: int = 0
    known: int = 0
    skipped: Mapping[str, int] = attrs.field(factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    redacted: Mapping[str, int] = attrs.field(factory=dict)


class TranscriptImporter:
    """Imports transcripts into one project of a store."""

    def __init__(
        self, store: Store, places: Places, *, project: str = "", revive: bool = False
    ) -> None:
        """With `revive` sessions and tasks come back that were purged here."""
        self._begin = partial(Intake, store, places, project=project, revive=revive)

    def import_(
        self,
        path: Path,
        *,
        format: TranscriptFormat | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Import a transcript, or all transcripts of a folder and its subfolders.

        `progress` is called with the bytes done and the bytes in all. Raises NotFound, or
        InvalidInput if a file is no transcript (of `format`, if given) or a folder holds none.
        """
        if not path.is_dir():
            return self._files([path], format, progress, is_folder=False)
        # By name, so that the file of a session stands before the folder of its subagents.
        paths = sorted(_transcripts(path), key=str)
        done = self._files(paths, format, progress, is_folder=True)
        if not done.files:
            raise InvalidInput(
                f"{path}: holds no transcript among {len(paths)} files named "
                f"*{', *'.join(formats.ENDINGS)}; give a transcript, or its folder"
            )
        return done

    # -- inside

    def _files(
        self,
        paths: list[Path],
        format: TranscriptFormat | None,
        progress: Progress | None,
        *,
        is_folder: bool,
    ) -> Imported:
        sizes = [_size(path) for path in paths]
        counts: Counter[str] = Counter()
        skipped: Counter[str] = Counter()
        redacted: Counter[str] = Counter()
        left_out: list[tuple[str, str]] = []
        before = 0
        for path, size in zip(paths, sizes, strict=True):
            intake = self._begin()
            try:
                for done in self._file(path, format, intake):
                    if progress:
                        progress(before + min(done, size), max(sum(sizes), 1))
            except (InvalidInput, NotFound) as error:
                if not is_folder:
                    raise
                left_out.append((path.name, str(error).removeprefix(f"{path}: ")))
            else:
                counts["files"] += 1
            before += size
            counts += intake.counts
            skipped += intake.skipped
            redacted += intake.redacted
        return Imported(**counts, skipped=skipped, redacted=redacted, left_out=tuple(left_out))

    def _file(self, path: Path, format: TranscriptFormat | None, intake: Intake) -> Iterator[int]:
        """Import one file; yield the bytes that were read, from time to time."""
        with formats.opened(path) as file:
            transcript = formats.read(path, file, format)
            intake.begin(transcript.format, modified=path.stat().st_mtime)
            batch: list[Event] = []
            for event in transcript.events:
                batch.append(event)
                if len(batch) >= BATCH:
                    intake.take(batch)
                    batch = []
                    yield file.tell()
            intake.take(batch)
            intake.end()
            yield file.tell()


def _transcripts(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that may be transcripts; links are not followed."""
    for path in folder.rglob("*"):
        if path.suffix in formats.ENDINGS and path.is_file() and not path.is_symlink():
            yield path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

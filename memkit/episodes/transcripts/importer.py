"""TranscriptImporter: idempotent import of Events.

A session is known by its own name, a task by its prompt's, a call by its id; what the file holds
already is left alone, so that importing again adds only what is new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ...errors import InvalidInput, NotFound
from ...store import timestamps
from ...store.ids import name_id
from ...validation import Progress
from .. import error_signatures
from ..paths import RepositoryPaths
from ..recording.event import LIVE, Event, EventKind, ToolCall
from ..recording.nested_calls import expanded
from ..recording.normalizer import DESCRIPTION, Entry, Normalizer, Row, name
from ..recording.payloads import Redactions
from ..recording.prompts import is_reply
from ..recording.tool_calls import only_looks
from ..recording.writer import Writer
from ..records import CHANGING, RecordStatus, TaskStatus
from . import formats
from .formats import TranscriptFormat

if TYPE_CHECKING:
    from ...store.store import Store


# --- What the file holds already of a transcript: sessions, tasks and calls by their names.

# A hook tells of a prompt so many seconds before or after the transcript does, at most.
_AT_ONCE = 10.0


@attrs.frozen
class ExistingCall:
    """A call; it is open if nothing has come back."""

    success: bool
    is_open: bool = False


@attrs.define
class ExistingSession:
    """A session: its calls by name. `grew`: something was added to it by this import."""

    calls: dict[str, ExistingCall]
    is_new: bool
    source: str | None
    ended_at: str | None
    grew: bool = False


@attrs.frozen
class ExistingTask:
    """A task as it is stored."""

    session: str
    source: str
    status: TaskStatus = attrs.field(default=TaskStatus.ACTIVE, converter=TaskStatus)
    completed_at: str | None = None
    outcome: str | None = None
    error: str | None = None


class ExistingEvents:
    """Asks the store; with `revive` nothing counts as purged."""

    def __init__(self, store: Store, *, revive: bool) -> None:
        self._store = store
        self._revive = revive
        self._sessions: dict[str, ExistingSession] = {}

    def session(self, name: str) -> ExistingSession:
        """Return a session, read once: its state goes on with what is added to it."""
        if name not in self._sessions:
            row = self._store.first("episodes_transcripts.session", session_id=name)
            calls = self._store.all("episodes_transcripts.calls", session_id=name)
            self._sessions[name] = ExistingSession(
                {
                    call: ExistingCall(success=bool(success), is_open=bool(is_open))
                    for call, success, is_open in calls
                },
                is_new=row is None,
                source=row[0] if row else None,
                ended_at=row[1] if row else None,
            )
        return self._sessions[name]

    def task(self, name: str) -> ExistingTask | None:
        """Return a task, or None if there is none of this name."""
        row = self._store.first("episodes_transcripts.task", task_id=name)
        return ExistingTask(*row) if row else None

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
UNFINISHED = (TaskStatus.ACTIVE, TaskStatus.PAUSED, TaskStatus.ABANDONED)


@attrs.define
class TaskProgress:
    """A task. `gained` counts the calls that were added to it since its state was written; with
    `is_aside` they tell nothing of where it stands."""

    name: str
    stored: ExistingTask
    last: str
    status: TaskStatus = TaskStatus.ACTIVE
    error: str | None = None
    is_aside: bool = attrs.field(default=False, kw_only=True)
    gained: int = 0
    changed: dict[str, None] = attrs.Factory(dict)
    check: str | None = None

    def called(
        self, call: ToolCall, at: str, changed: Iterable[str], *, success: bool, is_last: bool
    ) -> None:
        """A call was made for it that changed files; `is_last`: it is the newest task of the
        transcript."""
        if self.is_aside:
            return
        self.last = max(self.last, at)
        if is_last and self.status is not TaskStatus.PAUSED:
            self.status, self.error = TaskStatus.ACTIVE, None  # what ended it was not the end
        if success:
            self.changed |= dict.fromkeys(changed)
        command = error_signatures.command_of(call.parameters)
        if command is not None and call.has_result and not only_looks(command):
            line = error_signatures.same_call(call.tool, call.parameters).removeprefix("$ ")
            verb = "passed" if success else "failed"
            self.check = f"last command {verb}: {' '.join(line.split())[:_COMMAND]}"

    def changed_state(self, status: TaskStatus, at: str, error: str | None) -> None:
        """The user stopped it, the model said what may be its last word on it, or the transcript
        says how it ended."""
        self.status, self.last = status, at
        if status is not TaskStatus.PAUSED:
            self.error = (error or "it failed") if status is TaskStatus.FAILED else None

    def followed(self) -> None:
        """Another prompt came after it."""
        if self.status is TaskStatus.PAUSED:
            self.status, self.error = TaskStatus.FAILED, _BROKEN_OFF
        elif self.status is TaskStatus.ACTIVE:
            self.status = TaskStatus.COMPLETED

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


# --- The events of one transcript on their way into the tables: what is there is left alone.

_PURGED = "of a task or session that was purged here"
# Steps of a transcript without times lie so far apart that their order stays, in seconds.
_STEP = 0.001


class EventImporter:
    """Takes the events of one transcript; `begin` first, `end` last.

    `counts`, `skipped` and `redacted` tell what was added, what was no event, and which secrets
    were replaced.
    """

    def __init__(
        self, store: Store, repository: RepositoryPaths, *, project: str, revive: bool = False
    ) -> None:
        """With `revive` sessions and tasks come back that were purged here."""
        self._store = store
        self._existing = ExistingEvents(store, revive=revive)
        self._writer = Writer(store)
        self._repository = repository
        self._project = project
        self.counts: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()
        self.redacted: Counter[str] = Counter()
        self._tasks: dict[str, TaskProgress] = {}
        self._aside: dict[str, TaskProgress] = {}
        self._ends: dict[str, TaskProgress] = {}
        self._purged: set[str] = set()
        self._last: TaskProgress | None = None
        self._entries: list[Entry] = []
        self._now = 0.0  # the last time that was told, in seconds since 1970, or a little later
        self._is_timed = False
        self._source = ""
        self._enter(Event(EventKind.SESSION_START))

    def begin(self, source: str, *, modified: float) -> None:
        """A transcript of the format `source` follows; what has no time counts from `modified`."""
        self._source, self._now = source, modified

    def take(self, events: Iterable[Event]) -> None:
        """Write events, in few transactions; raises StoreError if they cannot be written."""
        for event in (part for whole in events for part in expanded(whole)):
            try:
                self._take(event)
            except InvalidInput as error:  # it has no name, or another value means nothing
                self.skipped[str(error)[:200]] += 1
        self._write()

    def end(self) -> None:
        """Write how tasks and sessions ended: only the whole transcript tells it."""
        self._leave()
        for work in (*self._tasks.values(), *self._aside.values()):
            self._close(work)
        for work in self._ends.values():
            self._end_session(work)
        self._write()

    # -- events

    def _take(self, event: Event) -> None:
        if event.tool is not None:
            self._on_call(event, event.tool)
        elif event.kind is EventKind.PROMPT:
            self._on_prompt(event)
        elif event.kind is EventKind.TASK_STATE:
            self._on_state(event)
        elif event.kind is EventKind.SESSION_START:
            self._leave()
            self._enter(event)
            self._at(event)
        else:
            self.skipped[event.text or f"{event.kind} in a transcript"] += 1

    def _on_prompt(self, event: Event) -> None:
        at = self._at(event)
        task = name(event.task, what="task")
        work = self._tasks.get(task) or self._stored(task, event, at)
        if work is None and self._last is not None and is_reply(event.text or ""):
            self._last.changed_state(TaskStatus.ACTIVE, at, None)
            return
        if self._last is not None:
            self._last.followed()
        if work:
            self._last = self._tasks[task] = work
            self.counts["known"] += 1
            return
        if self._existing.is_purged("task", task) or self._is_session_purged():
            self._purged.add(task)
            self._last = None
            self.skipped[_PURGED] += 1
            return
        session = self._session()
        self._existing.session(session).grew = True
        self._last = self._tasks[task] = TaskProgress(task, ExistingTask(session, self._source), at)
        started, branch = self._started, event.branch or self._started.branch
        self._add(event._replace(session=session, at=at, branch=branch, commit=started.commit))
        self.counts["tasks"] += 1

    def _on_call(self, event: Event, call: ToolCall) -> None:
        at = self._at(event)
        if self._is_of_purged(event):
            self.skipped[_PURGED] += 1
            return
        work = self._named(event.task) or self._last
        session = work.session if work else self._session()
        existing = self._existing.session(session)
        call_id = name(call.call_id, what="call_id")
        before = existing.calls.get(call_id)
        if before is not None and not (before.is_open and call.has_result):
            self._note(work, call, at, success=before.success)
            self.counts["known"] += 1
            return
        work = work or self._under_way(session, at)
        task = work.name if work else None
        entry = self._normalized(
            event._replace(session=session, task=task, at=at, tool=self._named_files(call))
        )
        success, is_open = bool(entry.row["success"]), _looks_open(entry.row)
        self._note(work, call, at, success=success)
        if before is not None and is_open:
            self.counts["known"] += 1
            return
        existing.calls[call_id] = ExistingCall(success=success, is_open=is_open)
        existing.grew = True
        if work is not None:
            work.gained += 1
        self._append(entry)
        self.counts["calls"] += 1
        self.counts["interactions"] += len(entry.files)

    def _named_files(self, call: ToolCall) -> ToolCall:
        """Return a call without files that have no name."""
        files = tuple(file for file in call.files if self._normalizer.repository.stored(file.path))
        return call._replace(files=files)

    def _on_state(self, event: Event) -> None:
        work = self._named(event.task) or self._last
        if work is not None and event.status is not None:
            work.changed_state(event.status, self._at(event), event.error)

    # -- times and rows

    def _enter(self, started: Event) -> None:
        """The events that follow are of another session, which may be one of another clone."""
        self._started = started
        repository = self._repository.of_clone(started.cwd)
        # Every event has a time by then: the clock is never asked.
        self._normalizer = Normalizer(repository, lambda: self._now, project=self._project)

    def _at(self, event: Event) -> str:
        """Return the time of an event, or one just after the last if it has none."""
        if event.at is None:
            self._now += _STEP
            return timestamps.from_epoch(self._now)
        at = timestamps.normalise(event.at)
        self._now, self._is_timed = timestamps.to_epoch(at), True
        return at

    def _normalized(self, event: Event) -> Entry:
        return self._normalizer.normalize(event._replace(source=self._source))

    def _add(self, event: Event) -> None:
        self._append(self._normalized(event))

    def _append(self, entry: Entry) -> None:
        self._entries.append(entry)
        self.redacted.update(entry.redacted)

    def _write(self) -> None:
        batch, self._entries = self._entries, []
        if not batch:
            return
        for result, _ in self._store.write(partial(self._writer.write_all, batch)):
            if result.status is RecordStatus.DROPPED:
                self.skipped[result.reason or "not written"] += 1

    # -- what was purged

    def _is_of_purged(self, event: Event) -> bool:
        """Whether a call belongs to a task that was purged, or to no task of a purged session."""
        if event.task is not None:
            return name(event.task, what="task") in self._purged
        return self._last is None and self._is_session_purged()

    def _is_session_purged(self) -> bool:
        return self._existing.is_purged("session", self._session_name)

    # -- sessions

    @property
    def _session_name(self) -> str:
        """The stored name of the session that is read."""
        return name(self._started.session or self._source, what="session")

    def _session(self) -> str:
        """Return the name of the session that is read; its row is added with the first that needs
        it, so that an empty session leaves none."""
        session = self._session_name
        existing = self._existing.session(session)
        if existing.is_new:
            existing.is_new = False
            self._add_session()
            self.counts["sessions"] += 1
        return session

    def _add_session(self) -> None:
        at = self._started.at or timestamps.from_epoch(self._now)
        self._add(self._started._replace(session=self._session_name, at=at))

    def _leave(self) -> None:
        """The session's last task is over, as far as this transcript goes."""
        if self._last is not None:
            self._ends[self._last.session] = self._last
        self._last = None

    def _end_session(self, last: TaskProgress) -> None:
        existing = self._existing.session(last.session)
        if existing.ended_at is not None:
            went_on = existing.grew or (self._is_timed and last.last > existing.ended_at)
            if existing.source == LIVE or not went_on:
                return
        if last.status is not TaskStatus.ACTIVE:
            self._add(Event(EventKind.SESSION_END, last.session, at=last.last))
        elif existing.ended_at is not None:  # it had seemed to be over
            self._add_session()
        existing.ended_at, existing.grew = last.last, False

    # -- tasks

    def _stored(self, task: str, event: Event, at: str) -> TaskProgress | None:
        """Return the task that a prompt has made before: a session that was resumed or forked tells
        its past again, and a hook may have told of it as it happened. It stays where it was."""
        stored = self._existing.task(task)
        if stored is None and event.at is not None:
            text = Redactions().text(str(event.text or ""), DESCRIPTION)
            recorded = self._existing.recorded(self._session_name, text, at)
            task, stored = recorded or task, self._existing.task(recorded) if recorded else None
        return TaskProgress(task, stored, at) if stored else None

    def _named(self, task: str | None) -> TaskProgress | None:
        return self._tasks.get(name(task, what="task")) if task else None

    def _under_way(self, session: str, at: str) -> TaskProgress | None:
        """Return the task that was under way: a subagent's own file tells only session and times.
        Such calls are added to the task, but tell nothing of what came of it."""
        task = self._existing.task_at(session, at)
        parent = self._started.parent_session
        if task is None and parent is not None:  # a subagent works for its parent's task
            task = self._existing.task_at(name(parent, what="parent session"), at)
        stored = None if task is None else self._existing.task(task)
        if task is None or stored is None:
            return None
        work = TaskProgress(task, stored, stored.completed_at or at, stored.status, is_aside=True)
        return self._aside.setdefault(task, work)

    def _note(self, work: TaskProgress | None, call: ToolCall, at: str, *, success: bool) -> None:
        if work is not None:
            repository = self._normalizer.repository
            changed = [repository.stored(f.path) for f in call.files if f.operation in CHANGING]
            work.called(call, at, changed, success=success, is_last=work is self._last)

    def _close(self, work: TaskProgress) -> None:
        """Write a task's state if it is another than the stored one, or if it gained calls."""
        stored, status = work.stored, work.status
        outcome, error = work.outcome, work.error
        if (
            stored.status is TaskStatus.ABANDONED
            and status is TaskStatus.ACTIVE
            and not work.gained
        ):
            status = stored.status  # the transcript says no more than when it was given up
        is_live = stored.source == LIVE
        if stored.status not in UNFINISHED and (is_live or status in UNFINISHED):
            # Recorded while it happened, or told to its end elsewhere: that knows better.
            status, outcome, error = stored.status, None, None
        is_later = self._is_timed and not is_live and work.last > (stored.completed_at or "~")
        ended = work.last if work.gained or is_later or status != stored.status else None
        event = Event(EventKind.TASK_STATE, work.session, work.name, at=work.last)
        entry = self._normalized(event._replace(status=status, text=outcome, error=error))
        state = attrs.evolve(
            stored,
            status=status,
            outcome=entry.row["outcome"] or stored.outcome,
            error=entry.row["error_message"] or stored.error,
            completed_at=self._completed_at(status, ended, stored),
        )
        if state != stored or work.gained:
            work.gained, work.stored = 0, state
            self._append(entry)

    def _completed_at(
        self, status: TaskStatus, ended: str | None, stored: ExistingTask
    ) -> str | None:
        """Return when a task came to its end, or None while it is unfinished."""
        if status is stored.status is TaskStatus.ABANDONED:
            return stored.completed_at
        return None if status in UNFINISHED else ended or stored.completed_at


def _looks_open(row: Row) -> bool:
    """Whether a call would be stored as one to which nothing came back."""
    facts = (row["output_hash"], row["error_message"], row["exit_code"])
    return not row["success"] and all(fact is None for fact in facts)


# --- Files of transcripts, written in batches: an import that was killed is completed by the next.

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
        self, store: Store, repository: RepositoryPaths, *, project: str = "", revive: bool = False
    ) -> None:
        """With `revive` sessions and tasks come back that were purged here."""
        self._begin = partial(EventImporter, store, repository, project=project, revive=revive)

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

    def _file(
        self, path: Path, format: TranscriptFormat | None, intake: EventImporter
    ) -> Iterator[int]:
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

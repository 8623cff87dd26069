"""Errors, their fixes, failed attempts, session summary."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from .. import validation
from ..errors import InvalidInput
from ..frozen import frozen
from ..redaction import clean_text, redact
from ..text.patterns import lazy_pattern
from . import results
from .error_signatures import (
    alike,
    call_form,
    command_of,
    plain_word,
    program_of,
    same_call,
    sets_up,
    signature,
    telling_part,
    without_numbers,
)
from .history import EpisodeReader, History
from .predictions.co_change import Moment
from .recording.tool_calls import only_looks
from .records import CHANGING
from .results import (
    ErrorOccurrence,
    FailedAttempt,
    FileInteraction,
    Fix,
    SessionSummary,
    ToolExecution,
)

if TYPE_CHECKING:
    from ..store.timestamps import When


# --- What fixed an error, and what was tried in vain: read off the order of calls and changes.
#
# Pure functions of one session's calls and file interactions, both in the order in which they
# were made.

# Commands that only look: that one of them fails says nothing of the change before it.
_LOOKING = lazy_pattern(
    r"^\s*(?:cd\s+\S+\s*(?:&&|;)\s*)*(?:ls|cat|bat|head|tail|less|more|grep|egrep|rg|ag|find|fd|tree"
    r"|pwd|which|whereis|wc|sed\s+-n|nl|stat|file|du|echo|git\s+(?:status|diff|log|show|branch|grep"
    r"|ls-files|blame))\b"
)


def fixes(
    calls: Sequence[ToolExecution],
    files: Sequence[FileInteraction],
    finished: Collection[str | None] = (),
) -> list[Fix]:
    """Return for each call that failed the next one of the same command that did not (in whatever
    version or number: that may be the fix), with what was changed in between; in the order of the
    failures; where nothing was changed, with what was run. In a task that is `finished`, the same
    program called otherwise is a fix as well. A failure that was never got over has none."""
    changes = _Changes(files)
    passing: dict[object, ToolExecution] = {}
    repairs: list[Fix] = []
    for call in reversed(calls):
        form = call_form(call.tool, call.parameters)
        program = (call.task, _program(call)) if call.task in finished else None
        if call.success:
            passing[form] = call
            passing[program] = call
        elif call.error_signature:
            passed = passing.get(form) or (passing.get(program) if program else None)
            if passed is not None:
                edits = changes.between(_moment(call), _moment(passed))
                commands = () if edits else _commands_between(calls, call, passed)
                repairs.append(Fix(call.error_signature, call, passed, edits, commands))
    return repairs[::-1]


# Commands told of one fix, and characters of each.
_MAX_COMMANDS, _LONGEST_COMMAND = 3, 200


def _commands_between(
    calls: Iterable[ToolExecution], failed: ToolExecution, passed: ToolExecution
) -> tuple[str, ...]:
    """Return the commands that came off between two calls and do more than look, the last few;
    those that set something up alone, if any does, or if it passed called otherwise: then another
    call of its own program did not help it."""
    is_same = _is_same(failed, passed)
    program = _program(passed)
    does = [
        command
        for call in calls
        if call.success and _moment(failed) < _moment(call) < _moment(passed)
        if (command := command_of(call.parameters)) is not None and not only_looks(command)
        if _program(call) != program or (is_same and sets_up(command))
    ]
    telling = [command for command in does if sets_up(command)] or (does if is_same else [])
    bare = dict.fromkeys(" ".join(command.split())[:_LONGEST_COMMAND] for command in telling)
    return tuple(bare)[-_MAX_COMMANDS:]


@frozen
class SessionWork:
    """Calls and file interactions of one session, in order, and what fixed what in it."""

    calls: Sequence[ToolExecution]
    files: Sequence[FileInteraction]
    fixes: Sequence[Fix]

    def not_got_over(self, signature: str) -> list[ToolExecution]:
        """Return the calls that failed with a fault and did not pass later in the session, in
        order."""
        fixed = {fix.failed.id for fix in self.fixes}
        return [
            call
            for call in self.calls
            if not call.success and call.error_signature == signature and call.id not in fixed
        ]


def _is_same(failed: ToolExecution, passed: ToolExecution) -> bool:
    keys = [same_call(call.tool, call.parameters) for call in (failed, passed)]
    return keys[0] == keys[1]


def _program(call: ToolExecution) -> str:
    """Return the program that a call runs, or what stands for its tool and file."""
    command = command_of(call.parameters)
    program = None if command is None else program_of(command)
    return program or same_call(call.tool, call.parameters)


def attempts(
    calls: Sequence[ToolExecution], files: Sequence[FileInteraction]
) -> list[FailedAttempt]:
    """Return changes after which the next check failed, and changes that were refused, in order.

    A check is a command that does more than look. It tries the changes of its own task: what an
    earlier one has left is blamed only by a task that has changed nothing itself, such as one that
    only runs the tests.
    """
    changes = _Changes(files)
    failures: list[FailedAttempt] = []
    since: Moment = ("", 0)
    for call in calls:
        own = changes.of_call.get(call.id, [])
        if own and not call.success:
            failures.append(_attempt(own, call))
        if own or not is_check(call):
            continue
        tried = changes.between(since, _moment(call))
        tried = tuple(edit for edit in tried if edit.task == call.task) or tried
        since = _moment(call)
        if tried and not call.success:
            failures.append(_attempt(tried, call))
    return failures


def is_check(call: ToolExecution) -> bool:
    """Whether a call runs something that can tell whether a change works."""
    command = command_of(call.parameters)
    return command is not None and not _LOOKING.match(command)


class _Changes:
    """Changes of files in order: `of_call` by the call that made them, refused ones too."""

    def __init__(self, files: Iterable[FileInteraction]) -> None:
        changing = [file for file in files if file.operation in CHANGING]
        self._done = sorted((file for file in changing if file.success), key=_moment)
        self._moments = [_moment(file) for file in self._done]
        self.of_call: dict[int, list[FileInteraction]] = {}
        for file in changing:
            if file.execution is not None:
                self.of_call.setdefault(file.execution, []).append(file)

    def between(self, first: Moment, last: Moment) -> tuple[FileInteraction, ...]:
        """Return the successful changes after one moment and before another."""
        start, end = bisect_right(self._moments, first), bisect_left(self._moments, last)
        return tuple(self._done[start:end])


def _attempt(edits: Sequence[FileInteraction], call: ToolExecution) -> FailedAttempt:
    return FailedAttempt(
        at=call.timestamp,
        path=edits[0].path,
        reason=call.error or call.error_signature or "it failed",
        task=call.task,
        edits=tuple(edits),
        check=call,
    )


def _moment(record: ToolExecution | FileInteraction) -> Moment:
    return record.timestamp, record.id


# --- Questions about what went wrong: errors seen, what fixed them, what was tried in vain.

# Sessions that are read for an answer, newest first.
_SESSIONS = 20
# Faults that are compared with one that was not seen before.
_ALIKE = 500
# Fixes told of one error.
_FIXES = 5
# What may have passed in a later session: commands that are looked for, calls of each, and changes
# before it; what was changed long before has little to do with it.
_COMMANDS, _PASSED, _EDITS = 100, 500, 30

Fault = tuple[Any, ...]


class Lessons:
    """Reads errors with their fixes, and attempts that failed, off the calls of sessions."""

    def __init__(self, reader: EpisodeReader) -> None:
        self._reader = reader
        self._works: dict[str, SessionWork] = {}
        self._state: tuple[int, int] | None = None

    def errors(self, error: str | None, since: str | None, limit: int) -> list[ErrorOccurrence]:
        """Return errors with their fixes, newest first; None is any error."""
        faults = self._faults(error, since, validation.integer(limit, name="limit"))
        return [
            ErrorOccurrence(name, message, count, first, last, tuple(self.find_fixes(name)))
            for name, count, first, last, message in faults
        ]

    def attempts_with_error(self, error: str) -> list[FailedAttempt]:
        """Return the attempts that ended in an error."""
        names = {seen.signature for seen in self.errors(error, None, 10)}
        sessions: dict[str, None] = {}
        for name in names:
            matches = self._sessions("episodes.sessions_with_error", signature=name)
            sessions |= dict.fromkeys(matches)
        return [
            attempt
            for session in sessions
            for attempt in self.session_attempts(session)
            if attempt.check is not None and attempt.check.error_signature in names
        ]

    def attempts_on(self, path: str, limit: int) -> Iterator[FailedAttempt]:
        """Yield the attempts on a file, the tasks that failed on it, and what was taken back."""
        for session in self._sessions("episodes.sessions_with_path", path=path):
            for attempt in self.session_attempts(session):
                if any(edit.path == path for edit in attempt.edits):
                    yield attrs.evolve(attempt, path=path)
        for task in self._reader.tasks("episodes.failed_tasks_with", path=path, limit=limit):
            reason = f"task failed: {task.error or task.outcome or task.description}"
            yield FailedAttempt(task.completed_at or task.started_at, path, reason, task.name)
        for name, at, subject, by, _, _ in self._reader.all("episodes.taken_back", path=path):
            reason = f"{subject}: taken back by commit {by[:12]}"
            yield FailedAttempt(at, path, reason, f"commit:{name}")

    def find_fixes(self, signature: str, *, limit: int = _FIXES) -> list[Fix]:
        """Return fixes of an error, those of its newest failures first."""
        passed = lru_cache(_COMMANDS)(self._passed)
        repairs = (
            fix
            for session in self._sessions("episodes.sessions_with_error", signature=signature)
            for fix in self._fixes_of_session(signature, session, passed)
        )
        return list(islice(repairs, limit))

    def session_attempts(self, session: str) -> list[FailedAttempt]:
        """Return the changes of a session that did not work, in order."""
        work = self._session(session)
        return attempts(work.calls, work.files)

    # -- inside

    def _faults(self, error: str | None, since: str | None, limit: int) -> list[Fault]:
        """Return signature, count, first, last and message of faults that were seen."""
        if error is None:
            return self._errors(since, limit)
        error = clean_text(validation.text(error, name="error"))
        bare = signature(redact(error).text)
        if not bare:
            raise InvalidInput("error: is empty; give a message or an output")
        safe = redact(error).text
        words, bare_words = safe.split()[:12], without_numbers(safe).split()[:12]
        return (
            self._errors(since, limit, signature=error.strip())
            or self._errors(since, limit, signature=bare)
            or self._errors(since, limit, words=words)
            or self._errors(since, limit, command=words)
            or self._errors(since, limit, command=bare_words or words)
            or self._alike(bare, since)[:limit]
        )

    def _alike(self, bare: str, since: str | None) -> list[Fault]:
        """Return the faults that differ in what they name, or whose beginning was asked for."""
        form, begin = alike(bare), bare.removesuffix("...")
        word = plain_word(form)
        faults = self._errors(since, _ALIKE, words=[word]) if word else []
        is_cut = begin != bare
        return [
            fault
            for fault in faults
            if alike(fault[0]) == form or (is_cut and fault[0].startswith(begin))
        ]

    def _errors(
        self,
        since: str | None,
        limit: int,
        *,
        signature: str | None = None,
        words: list[str] | None = None,
        command: list[str] | None = None,
    ) -> list[Fault]:
        return self._reader.all(
            "episodes.errors",
            signature=signature,
            words=None if words is None else json.dumps(words),
            command=None if command is None else json.dumps(command),
            since=since,
            limit=limit,
        )

    def _fixes_of_session(
        self, name: str, session: str, passed: Callable[[str], list[ToolExecution]]
    ) -> Iterator[Fix]:
        """Yield what fixed a fault of a session: in it, or in a later one."""
        work = self._session(session)
        own = {fix.failed.id: fix for fix in work.fixes if fix.signature == name}
        left = {call.id: call for call in work.not_got_over(name)}
        for number in sorted(own | left, reverse=True):
            fix = own.get(number) or self._fixed_later(left[number], passed)
            if fix is not None:
                yield fix

    def _fixed_later(
        self, failed: ToolExecution, passed: Callable[[str], list[ToolExecution]]
    ) -> Fix | None:
        later = passed(call_form(failed.tool, failed.parameters))
        call = next((call for call in later if _moment(call) > _moment(failed)), None)
        if call is None:
            return None
        edits = self._reader.records(
            "episodes.changes_between",
            after=failed.timestamp,
            after_id=failed.id,
            before=call.timestamp,
            before_id=call.id,
            limit=_EDITS,
        )
        changes = tuple(map(results.interaction, reversed(edits)))
        sessions = dict.fromkeys((failed.session, call.session))
        calls = [ran for name in sessions if name for ran in self._session(name).calls]
        commands = () if changes else _commands_between(calls, failed, call)
        return Fix(failed.error_signature or "", failed, call, changes, commands)

    def _passed(self, key: str) -> list[ToolExecution]:
        """Return the calls that ask for the same and came off, oldest first."""
        rows = self._reader.records("episodes.passed", part=telling_part(key), limit=_PASSED)
        calls = (results.execution(row) for row in reversed(rows))
        return [call for call in calls if call_form(call.tool, call.parameters) == key]

    def _sessions(self, query: str, **params: object) -> list[str]:
        return [name for (name,) in self._reader.all(query, limit=_SESSIONS, **params)]

    def _session(self, session: str) -> SessionWork:
        """Return the work of a session: read once as long as the file does not change, since one
        question asks for the same session error by error."""
        store = self._reader.store()
        state = store.state()
        if self._state != state or len(self._works) > _SESSIONS:
            self._state, self._works = state, {}
        if session not in self._works:
            calls = results.session_calls(store, session)
            files = results.session_files(store, session)
            rows = store.all("episodes.completed_tasks", session=session)
            repairs = fixes(calls, files, {task for (task,) in rows})
            self._works[session] = SessionWork(calls, files, repairs)
        return self._works[session]


class Failures(History):
    """Questions about what went wrong, and those about what was done."""

    def __init__(self, reader: EpisodeReader) -> None:
        super().__init__(reader)
        self._lessons = Lessons(reader)

    def find_errors(
        self, error: str | None = None, *, since: When | None = None, limit: int = 10
    ) -> list[ErrorOccurrence]:
        """Return faults seen before, the newest first, with what fixed them.

        `error` is a message or a whole output: the same fault first, else those that contain all of
        its words; or a command, which may be run in another version: what it failed with. None is
        every fault. A fix is the next call of the same command that passed, in that session or else
        in a later one, with the changes before it; in a task that was completed, the same program
        called otherwise.
        """
        return self._lessons.errors(error, self._reader.since(since), limit)

    def failed_attempts(
        self, path: str | None = None, *, error: str | None = None, limit: int = 10
    ) -> list[FailedAttempt]:
        """Return what was tried before and did not work, newest first: changes of a file (or those
        that ended in an error) after which the next check failed or that were refused, tasks that
        failed, commits that were taken back. Give a path or an error."""
        if (path is None) == (error is None):
            raise InvalidInput("failed_attempts: give a path or an error, one of the two")
        limit = validation.integer(limit, name="limit")
        failures: Iterable[FailedAttempt]
        if path is None:
            failures = self._lessons.attempts_with_error(validation.text(error, name="error"))
        else:
            failures = self._lessons.attempts_on(self._reader.file(path), limit)
        return sorted(failures, key=lambda attempt: attempt.at, reverse=True)[:limit]

    def session_summary(self, session: str | None = None, *, limit: int = 5) -> SessionSummary:
        """Return what a fresh start should know: unfinished tasks, what was done last (by one
        session, if it is named), errors nothing fixed yet, the files most worked on."""
        limit = validation.integer(limit, name="limit")
        done = [
            task
            for task in self.tasks(session=session, limit=4 * limit)
            if task.completed_at is not None
        ]
        errors = self.find_errors(since="14 days", limit=2 * limit)
        return SessionSummary(
            unfinished=tuple(self.unfinished_tasks(limit=limit)),
            done=tuple(done[:limit]),
            open_errors=tuple(seen for seen in errors if not seen.fixes)[:limit],
            hot_files=tuple(self.hot_files(since="14 days", limit=limit)),
        )

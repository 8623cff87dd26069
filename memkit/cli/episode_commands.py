"""Episode commands: executions, history, tasks, tools, summary, patterns, mine, predict."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..episodes.error_signatures import command_of
from ..episodes.paths import OUTSIDE, RepositoryPaths
from ..episodes.predictions import Signal
from ..episodes.recording.tool_vocabulary import path_of
from ..episodes.records import PatternType, PredictedKind, SignalKind, TaskStatus
from . import output
from .commands import (
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    count,
    folder,
    option,
    pattern_number,
    switch,
)
from .output import fit, marked_output, one_line, read_text

if TYPE_CHECKING:
    from ..episodes.git_history import MineReport
    from ..episodes.predictions import Prediction, PredictionResult
    from ..episodes.results import ErrorOccurrence, FileEvent, TaskRecord, ToolExecution


# --- History: executions, history, tasks, tools, summary.
#
# Where there is nothing to list, no bare heading is printed: a note says what is missing, and
# what brings it.

_HOW = (
    "`memkit import transcript PATH` takes in an agent's sessions,"
    " `memkit record` and kit.session() record new ones"
)
_SINCE = option("since", "Not before: ISO 8601, 'monday', 'last week', 36h.")


def _where_from(commits: int) -> str:
    """Return how what was done with files gets into the store, and what of it is left out."""
    if not commits:
        return f"`memkit mine` reads git's log, {_HOW}"
    return f"of a commit that changes very many files their names are not kept; {_HOW}"


def _limit(default: int) -> Any:
    return option("limit", "At most so many.", type=count, default=default)


@command(
    argument("text", is_required=False),
    option("session", "Only of this session."),
    option("task", "Only of this task."),
    option("tool", "Only of this tool."),
    switch("failed", "Only what failed."),
    _SINCE,
    _limit(20),
)
def executions(
    invocation: Invocation, *, text: str | None, failed: bool, **options: Any
) -> CommandOutput:
    """List calls of tools, newest first; all words of TEXT occur in them."""
    limit = options.pop("limit")
    executions = invocation.kit.episodes.tool_executions(
        text, success=False if failed else None, limit=limit + 1, **options
    )
    rows = [_call_row(execution) for execution in executions]
    empty = _nothing("call", text, failed, *options.values())
    names = ("at", "tool", "result", "ms", "what", "error", "task", "session")
    return output.table_output(invocation, executions, rows, names, empty, limit=limit)


@command(
    argument("path"),
    switch("failed", "What was tried on it and did not work."),
    switch("together", "Files that are changed together with it."),
    _limit(20),
)
def history(
    invocation: Invocation, *, path: str, failed: bool, together: bool, limit: int
) -> CommandOutput:
    """Tell what was done with the file PATH, newest first: reads, changes, commits."""
    if failed and together:
        raise Usage("history: --failed and --together ask two things; give one of them")
    episodes, path = invocation.kit.episodes, named(invocation, path)
    if failed:
        return _attempts(invocation, path, None, limit)
    if together:
        pairs = episodes.co_edits(path, limit=limit + 1)
        rows = [(p.count, p.commits, p.other, p.last_at) for p in pairs]
        empty = (
            f"nothing is known to be changed together with {path}; `memkit mine` reads git's log"
        )
        heads = ("tasks", "commits", "path", "last")
        return output.table_output(invocation, pairs, rows, heads, empty, limit=limit)
    file = episodes.file_history(path, limit=limit + 1)
    similar, events = file.similar, file.events
    known = f"there are {', '.join(similar)}" if similar else _where_from(episodes.stats().commits)
    names = ("at", "what", "path", "task", "detail")
    name = path.rpartition("/")[2] if path.startswith(OUTSIDE) else path
    said = path if name == path else f"{name}, which lies outside of the repository"
    empty = f"nothing is known of {said}; {known}"
    return output.table_output(invocation, events, _event_rows(events), names, empty, limit=limit)


@command(
    argument("name", is_required=False),
    option("status", "Only where they stand so.", choices=tuple(TaskStatus)),
    option("like", "Tasks and commits like this one."),
    option("session", "Only of this session."),
    _SINCE,
    _limit(20),
)
def tasks(
    invocation: Invocation, *, name: str | None, like: str | None, **options: Any
) -> CommandOutput:
    """List tasks, the one begun last first, or show the task NAME."""
    episodes = invocation.kit.episodes
    if like is not None:
        return _similar(invocation, like, options["limit"])
    if name is not None:
        task_record = episodes.task(name)
        return CommandOutput(output.document(task_record), _task_lines(task_record, invocation))
    limit = options.pop("limit")
    tasks = episodes.tasks(limit=limit + 1, **options)
    lines = ([t.name, t.status, t.started_at, t.description, t.outcome or t.error] for t in tasks)
    names = ("name", "status", "started", "description", "outcome")
    empty = _nothing("task", *options.values())
    return output.table_output(invocation, tasks, lines, names, empty, limit=limit)


@command(option("session", "Of what is done only what this session did."), _limit(5))
def summary(invocation: Invocation, *, session: str | None, limit: int) -> CommandOutput:
    """Tell what a fresh start should know: what is unfinished, was done last, and is broken.

    An agent may be given it when a session begins; no line of it is learnt as something new.
    """
    session_summary = invocation.kit.episodes.session_summary(session, limit=limit)
    if not session_summary.text:
        return CommandOutput(
            output.document(session_summary),
            notes=(_nothing("task", session),),
        )
    return marked_output(
        invocation, session_summary, map(one_line, session_summary.text.split("\n"))
    )


@command(_SINCE, option("tool", "Only this tool."))
def tools(invocation: Invocation, **options: Any) -> CommandOutput:
    """Tell how often each tool succeeded and how long it took."""
    tool_stats = invocation.kit.episodes.tool_stats(**options)
    rows = [(s.tool, s.calls, f"{s.success_rate:.0%}", _ms(s.mean_ms)) for s in tool_stats]
    names = ("tool", "calls", "success", "mean ms")
    empty = _nothing("call", *options.values())
    return output.table_output(invocation, tool_stats, rows, names, empty)


@command(argument("text", is_required=False), _SINCE, _limit(10))
def errors(
    invocation: Invocation, *, text: str | None, since: str | None, limit: int
) -> CommandOutput:
    """List errors seen before, newest first, with what fixed them.

    TEXT is an error's message or output, or the command that is to be run; '-' reads it from
    standard input.
    """
    query = None if text is None else read_text(text)
    seen = invocation.kit.episodes.find_errors(query, since=since, limit=limit + 1)
    rows = [(e.last_at, e.count, e.message, _fixed(e)) for e in seen]
    names = ("last", "times", "error", "fixed by")
    empty = _nothing("error", text, since)
    return output.table_output(invocation, seen, rows, names, empty, limit=limit)


@command(argument("path", is_required=False), option("error", "That ended in it."), _limit(10))
def attempts(
    invocation: Invocation, *, path: str | None, error: str | None, limit: int
) -> CommandOutput:
    """List what was tried and did not work, newest first: on the file PATH, or with an error."""
    if (path is None) == (error is None):
        raise Usage("attempts: give a PATH or --error, one of the two")
    return _attempts(invocation, None if path is None else named(invocation, path), error, limit)


def _attempts(
    invocation: Invocation, path: str | None, error: str | None, limit: int
) -> CommandOutput:
    tried = invocation.kit.episodes.failed_attempts(path, error=error, limit=limit + 1)
    rows = [(a.at, a.path, a.reason, a.task) for a in tried]
    empty = f"nothing that was tried on {path or 'it'} is known to have failed"
    names = ("at", "path", "why it did not work", "task")
    return output.table_output(invocation, tried, rows, names, empty, limit=limit)


@command(argument("path"))
def owners(invocation: Invocation, *, path: str) -> CommandOutput:
    """Tell who changed a file, or the files of a folder ("src/"), with their shares."""
    about = named(invocation, path)
    is_folder = path.endswith("/") or (invocation.store.path.parent / about).is_dir()
    people = invocation.kit.episodes.owners(f"{about}/" if is_folder else about)
    rows = [(f"{owner.share:.0%}", owner.name) for owner in people]
    empty = f"nobody is known to have changed {about}; `memkit mine` reads git's log"
    return output.table_output(invocation, people, rows, ("share", "name"), empty)


@command(_SINCE, _limit(10))
def hot(invocation: Invocation, *, since: str | None, limit: int) -> CommandOutput:
    """List the files most worked on: those changed most first."""
    files = invocation.kit.episodes.hot_files(since=since, limit=limit + 1)
    rows = [(file.touches, file.path) for file in files]
    empty = _nothing("file", since)
    return output.table_output(invocation, files, rows, ("times", "path"), empty, limit=limit)


def named(invocation: Invocation, path: str) -> str:
    """Return a path as it is stored: what lies below the current folder counts from there, all else
    from the root. Nothing else may be shown: the rest of the machine is nobody's business."""
    here = Path.cwd() / path
    places = RepositoryPaths(invocation.store.path.parent)
    stored = places.stored(str(here) if here.exists() else path)
    if not stored:
        raise Usage(f"{path!r} is no path of a file; give one")
    return stored


# -- helpers


def _nothing(what: str, *narrowing: object) -> str:
    """Return why a list is empty, and the next step: if any option narrows it, without that."""
    if any(narrowing):
        return f"no {what} fits; leave out an option or a word to see more"
    return f"no {what} is recorded yet; {_HOW}"


def _similar(invocation: Invocation, like: str, limit: int) -> CommandOutput:
    tasks = invocation.kit.episodes.find_similar_tasks(like, limit=limit)
    rows = [(f"{task.score:.2f}", task.name, task.description, task.outcome) for task in tasks]
    names = ("score", "name", "description", "outcome")
    return output.table_output(
        invocation, tasks, rows, names, "no task or commit is like it; try other words"
    )


def _call_row(execution: ToolExecution) -> tuple[object, ...]:
    parameters = execution.parameters
    return (
        execution.timestamp,
        execution.tool,
        "ok" if execution.success else "failed",
        execution.duration_ms,
        command_of(parameters) or path_of(parameters) or parameters or None,
        execution.error,
        execution.task,
        execution.session,
    )


def _fixed(error: ErrorOccurrence) -> str | None:
    """Return what got over an error: the files that were changed, else what was run."""
    if not error.fixes:
        return None
    known = (fix.means for fix in error.fixes)
    return next(filter(None, known), None) or command_of(error.fixes[0].passed.parameters)


def _event_rows(events: Sequence[FileEvent]) -> Iterator[Sequence[object]]:
    for e in events:
        yield e.at, e.what if e.success else f"{e.what} failed", e.path, e.name, e.text


def _task_lines(task: TaskRecord, invocation: Invocation) -> Iterator[str]:
    yield f"{invocation.style(task.name, bold=True)}  {task.status}"
    yield "  " + one_line(task.description)
    for name, value in output.document(task).items():
        if name not in ("id", "name", "status", "description") and value not in (None, [], {}, ""):
            items = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
            text = ", ".join(map(str, items)) if isinstance(items, list) else str(items)
            yield f"  {name}: {one_line(text)}"


def _ms(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.0f}"


# --- Patterns and predictions: patterns, mine, predict.

_SHOWN = 20
# Columns of a prediction: a memory may be a page long; `memkit show` has all of it.
_COLUMNS = 100
_LEARN = "`memkit mine` reads git's log, `memkit patterns --learn` the tasks that ended"


@command(
    argument("path", is_required=False),
    option("kind", "Only of this kind.", choices=tuple(PatternType)),
    option("show", "One pattern with its evidence.", type=pattern_number),
    option("off", "Turn a pattern off; it stays off when it is seen again.", type=pattern_number),
    option("on", "Turn a pattern on again.", type=pattern_number),
    option("reason", "Why it is turned off."),
    switch("learn", "Learn first from the tasks that ended since the last time."),
    switch("learnings", "What sessions taught instead: file purposes, common errors."),
    switch("all", "Those turned off too."),
    option("limit", "At most so many.", type=count, default=_SHOWN),
    opening=Opening.CHANGE,
)
def patterns(invocation: Invocation, *, learn: bool, **options: Any) -> CommandOutput:
    """List what tends to go together, the surest first; with PATH what is about that file.

    Pairs of files, fixes of errors, what follows a rename, sequences of tools, ways of working.
    """
    requested = {name: options[name] for name in ("show", "off", "on") if options[name] is not None}
    if len(requested) > 1:
        raise Usage("patterns: --show, --off and --on ask different things; give one of them")
    if options["learnings"] and (requested or options["kind"]):
        raise Usage("patterns: --learnings are no patterns; leave --kind, --show, --off, --on out")
    if options["reason"] is not None and "off" not in requested:
        raise Usage("patterns: --reason says why one is turned off; give --off with it")
    episodes = invocation.kit.episodes
    if options["path"] is not None:
        options["path"] = named(invocation, options["path"])
    if learn:
        episodes.learn()
    for name, number in requested.items():
        return _pattern_details(invocation, name, number, options["reason"])
    active, limit = None if options["all"] else True, options["limit"]
    if options["learnings"]:
        learnings = episodes.learnings(key=options["path"], active=active, limit=limit + 1)
        rows = [
            (f"{each.confidence:.2f}", each.observed, each.type, one_line(each.text))
            for each in learnings
        ]
        headings = ("sure", "times", "kind", "what")
        empty = f"nothing was learnt yet that fits; {_LEARN}"
        return output.table_output(invocation, learnings, rows, headings, empty, limit=limit)
    known = episodes.patterns(options["kind"], options["path"], active=active, limit=limit + 1)
    table = [
        (f"#{p.id}", f"{p.confidence:.2f}", p.observed, p.type, one_line(p.text)) for p in known
    ]
    names = ("id", "sure", "times", "kind", "what")
    empty = f"no pattern is known that fits; {_LEARN}"
    return output.table_output(invocation, known, table, names, empty, limit=limit)


@command(
    argument("root", type=folder, is_required=False),
    option("limit", "Read at most so many commits.", type=count),
    opening=Opening.CREATE,
)
def mine(invocation: Invocation, *, root: str | None, limit: int | None) -> CommandOutput:
    """Read git's log into the store: who changed what with what, fixes, reverts, renames.

    ROOT is the folder that the file lies in, unless it is given. Only what is new is read; nothing
    is kept that git has: a hash leads back to it.
    """
    bounds = {} if limit is None else {"limit": limit}
    with invocation.progress("reading commits") as step:
        done = invocation.kit.episodes.mine(root, progress=step, **bounds)
    return CommandOutput(output.document(done), mined_lines(done), done.notes)


@command(
    argument("subject", is_required=False),
    option("signal", "What happened.", choices=tuple(SignalKind), default=SignalKind.FILE),
    option("session", "The session it happened in: then, where that goes next."),
    option("limit", "At most so many of each kind.", type=count, default=5),
    opening=Opening.CHANGE,
)
def predict(
    invocation: Invocation, *, subject: str | None, signal: str, session: str | None, limit: int
) -> CommandOutput:
    """Tell what will be needed: files, symbols, memories, patterns and ways of working.

    SUBJECT is the file that was opened or, as --signal says, the branch, the error's message or a
    person's name; with --signal time it is a time, or now if it is left out.
    """
    if subject is None and signal != SignalKind.TIME:
        raise Usage(f"predict: no {signal} is given; name it, or say --signal time for this hour")
    if subject is not None and signal == SignalKind.FILE:
        subject = named(invocation, subject)
    forecast = invocation.kit.episodes.predict(
        Signal(signal, subject or "", session=session), limit=limit
    )
    notes = tuple(_missing(invocation, subject) if signal == SignalKind.FILE else ())
    document = _forecast_document(forecast)
    if not forecast.predictions:
        note = f"nothing is foretold by {subject or 'this hour'}; {_LEARN}"
        return CommandOutput(document, notes=(*notes, note))
    rows = [
        (p.kind, f"{p.confidence:.2f}", _named(p), ", ".join(p.reasons))
        for p in forecast.predictions
    ]
    names = ("kind", "chance", "what", "because")
    return marked_output(invocation, document, output.table(rows, invocation, names=names), notes)


def mined_lines(done: MineReport) -> list[str]:
    """Return what mining brought, for people."""
    if done.head is None:
        return []
    dropped = f", {done.dropped} dropped" if done.dropped else ""
    fixes = output.number(done.fixes, "fix", "fixes")
    known = f"{done.total} known, {fixes}, {output.number(done.reverts, 'revert')}"
    return [f"git: {output.number(done.commits, 'new commit')}{dropped}; {known}"]


def _pattern_details(
    invocation: Invocation, name: str, number: int, reason: str | None
) -> CommandOutput:
    episodes = invocation.kit.episodes
    pattern = episodes.get_pattern(number)
    if name != "show":
        episodes.set_active(pattern, active=name == "on", reason=reason)
        pattern = episodes.get_pattern(number)
    state = "on" if pattern.active else f"off: {pattern.inactive_reason}"
    lines = [
        f"#{pattern.id} {pattern.type}: {one_line(pattern.text)}",
        f"sure {pattern.confidence:.2f}; held {output.number(pattern.successes, 'time')}, "
        f"failed {output.number(pattern.failures, 'time')}; {state}",
        f"first seen {pattern.first_seen}, last {pattern.last_seen}",
        f"evidence: {', '.join(pattern.evidence) or 'none is kept'}",
    ]
    return CommandOutput(output.document(pattern), lines)


def _forecast_document(forecast: PredictionResult) -> dict[str, Any]:
    """Return a forecast with what seed 004 asks of it: the memories, and the highest chance."""
    memories = [
        {"id": int(p.name), "text": p.text, "confidence": p.confidence}
        for p in forecast.of(PredictedKind.MEMORY)
    ]
    highest = max((p.confidence for p in forecast.predictions), default=0.0)
    return {
        **output.document(forecast),
        "predicted_memories": memories,
        "confidence": highest,
    }


def _missing(invocation: Invocation, path: str | None) -> Iterator[str]:
    """Yield that a file is not there, so that nobody takes the predictions as about it."""
    folders = (Path.cwd(), invocation.store.path.parent)
    if path and not any((folder / path).exists() for folder in folders):
        yield f"{path} is not there; what is foretold goes by its name and folder"


def _named(prediction: Prediction) -> str:
    """Return a prediction on one short line; of a memory also its number."""
    text = fit(one_line(prediction.text or prediction.name), _COLUMNS)
    return f"#{prediction.name} {text}" if prediction.kind is PredictedKind.MEMORY else text

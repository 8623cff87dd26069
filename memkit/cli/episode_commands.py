"""Log, history, task, tools, summary, patterns, mine, predict."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..episodes.paths import OUTSIDE
from ..episodes.predictions import Signal
from ..episodes.records import PatternType, PredictedKind, SignalKind, Status
from . import output
from .commands import (
    Answer,
    Call,
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
from .output import fit, one_line, repeating

if TYPE_CHECKING:
    from ..episodes.git_history import Mined
    from ..episodes.predictions import Prediction
    from ..episodes.records import Execution, TaskRecord
    from ..episodes.results import FileEvent


# --- Commands about what was done: log, history, task, tools, summary.
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
    return option("limit", "At most so many.", sort=count, default=default)


@command(
    argument("text", is_required=False),
    option("session", "Only of this session."),
    option("task", "Only of this task."),
    option("tool", "Only of this tool."),
    switch("failed", "Only what failed."),
    _SINCE,
    _limit(20),
)
def log(call: Call, *, text: str | None, failed: bool, **options: Any) -> Answer:
    """List calls of tools, newest first; all words of TEXT occur in them."""
    limit = options.pop("limit")
    found = call.kit.episodes.calls(
        text, success=False if failed else None, limit=limit + 1, **options
    )
    rows = [_call_row(one) for one in found]
    narrowed = text or failed or options["since"] or options["tool"]
    empty = _nothing("call", is_narrowed=bool(narrowed or options["session"] or options["task"]))
    return listed(call, found, rows, ("at", "tool", "result", "ms", "what"), empty, limit=limit)


@command(
    argument("path"),
    switch("failed", "What was tried on it and did not work."),
    switch("together", "Files that are changed together with it."),
    _limit(20),
)
def history(call: Call, *, path: str, failed: bool, together: bool, limit: int) -> Answer:
    """Tell what was done with the file PATH, newest first: reads, changes, commits."""
    if failed and together:
        raise Usage("history: --failed and --together ask two things; give one of them")
    episodes, path = call.kit.episodes, named(call, path)
    if failed:
        tried = episodes.failed_attempts(path, limit=limit + 1)
        rows = [(a.at, a.path, a.reason, a.task) for a in tried]
        headings = ("at", "path", "why it did not work", "task")
        empty = f"nothing that was tried on {path} is known to have failed"
        return listed(call, tried, rows, headings, empty, limit=limit)
    if together:
        pairs = episodes.edited_together(path, limit=limit + 1)
        rows_ = [(p.count, p.commits, p.other, p.last_at) for p in pairs]
        empty = (
            f"nothing is known to be changed together with {path}; `memkit mine` reads git's log"
        )
        heads = ("tasks", "commits", "path", "last")
        return listed(call, pairs, rows_, heads, empty, limit=limit)
    events = episodes.timeline(path, limit=limit + 1)
    near = [] if events else episodes.paths_like(path)
    known = f"there are {', '.join(near)}" if near else _where_from(episodes.stats().commits)
    names = ("at", "what", "path", "task", "detail")
    name = path.removeprefix(OUTSIDE)
    said = path if name == path else f"{name}, which lies outside of the repository"
    empty = f"nothing is known of {said}; {known}"
    return listed(call, events, _event_rows(events), names, empty, limit=limit)


@command(
    argument("name", is_required=False),
    option("status", "Only where they stand so.", choices=tuple(Status)),
    option("like", "Tasks and commits like this one."),
    option("session", "Only of this session."),
    _SINCE,
    _limit(20),
)
def task(call: Call, *, name: str | None, like: str | None, **options: Any) -> Answer:
    """List tasks, the one begun last first, or show the task NAME."""
    episodes = call.kit.episodes
    if like is not None:
        return _similar(call, like, options["limit"])
    if name is not None:
        one = episodes.task(name)
        return Answer(output.document(one), _task_lines(one, call))
    limit = options.pop("limit")
    tasks = episodes.tasks(limit=limit + 1, **options)
    lines = ([t.name, t.status, t.started_at, t.description, t.outcome or t.error] for t in tasks)
    names = ("name", "status", "started", "description", "outcome")
    narrowed = options["status"] or options["session"] or options["since"]
    empty = _nothing("task", is_narrowed=bool(narrowed))
    return listed(call, tasks, lines, names, empty, limit=limit)


@command(option("session", "Of what is done only what this session did."), _limit(5))
def summary(call: Call, *, session: str | None, limit: int) -> Answer:
    """Tell what a fresh start should know: what is unfinished, was done last, and is broken.

    An agent may be given it when a session begins; no line of it is learnt as something new.
    """
    found = call.kit.episodes.session_summary(session, limit=limit)
    if not found.text:
        return Answer(
            output.document(found), notes=(_nothing("task", is_narrowed=session is not None),)
        )
    return repeating(call, found, map(one_line, found.text.split("\n")))


@command(_SINCE, option("tool", "Only this tool."))
def tools(call: Call, **options: Any) -> Answer:
    """Tell how often each tool succeeded and how long it took."""
    found = call.kit.episodes.tool_stats(**options)
    rows = [(s.tool, s.calls, f"{s.success_rate:.0%}", _ms(s.mean_ms)) for s in found]
    narrowed = options["since"] or options["tool"]
    empty = _nothing("call", is_narrowed=bool(narrowed))
    return listed(call, found, rows, ("tool", "calls", "success", "mean ms"), empty)


def listed(
    call: Call,
    found: Sequence[object],
    rows: Iterable[Sequence[object]],
    names: Sequence[str],
    empty: str,
    *,
    limit: int | None = None,
) -> Answer:
    """Return records as a table, or the note `empty` if there are none; a note says if there are
    more than the limit."""
    if not found:
        return Answer([], notes=(empty,))
    most = len(found) if limit is None else limit
    shown, notes = output.cut(found, most)
    table = output.table(list(islice(rows, most)), call, names=names)
    return Answer(output.document(shown), table, notes)


def named(call: Call, path: str) -> str:
    """Return a path as it is stored: what lies below the current folder counts from there, all else
    from the root. Nothing else may be shown: the rest of the machine is nobody's business."""
    here = Path.cwd() / path
    return call.kit.episodes.stored_path(str(here) if here.exists() else path)


# -- inside


def _nothing(what: str, *, is_narrowed: bool) -> str:
    """Return why a list is empty, and the next step."""
    if is_narrowed:
        return f"no {what} fits; leave out an option or a word to see more"
    return f"no {what} is recorded yet; {_HOW}"


def _similar(call: Call, like: str, limit: int) -> Answer:
    found = call.kit.episodes.similar_tasks(like, limit=limit)
    rows = [(f"{one.score:.2f}", one.name, one.description, one.outcome) for one in found]
    names = ("score", "name", "description", "outcome")
    return listed(call, found, rows, names, "no task or commit is like it; try other words")


def _call_row(one: Execution) -> tuple[object, ...]:
    result = "ok" if one.success else "failed"
    what = one.error if one.error and not one.success else one.parameters
    return one.timestamp, one.tool, result, one.duration_ms, what


def _event_rows(events: list[FileEvent]) -> Iterator[Sequence[object]]:
    for e in events:
        yield e.at, e.what if e.success else f"{e.what} failed", e.path, e.name, e.text


def _task_lines(one: TaskRecord, call: Call) -> Iterator[str]:
    yield f"{call.style(one.name, bold=True)}  {one.status}"
    yield "  " + one_line(one.description)
    for name, value in output.document(one).items():
        if name not in ("id", "name", "status", "description") and value not in (None, [], {}, ""):
            told = json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else value
            text = ", ".join(map(str, told)) if isinstance(told, list) else str(told)
            yield f"  {name}: {one_line(text)}"


def _ms(mean: float | None) -> str:
    return "" if mean is None else f"{mean:.0f}"


# --- Commands about what was learnt and what comes next: patterns, mine, predict.

_SHOWN = 20
# Columns of what is foretold: a memory may be a page long; `memkit show` has all of it.
_COLUMNS = 100
_LEARN = "`memkit mine` reads git's log, `memkit patterns --learn` the tasks that ended"


@command(
    argument("path", is_required=False),
    option("kind", "Only of this kind.", choices=tuple(PatternType)),
    option("show", "One pattern with its evidence.", sort=pattern_number),
    option("off", "Turn a pattern off; it stays off when it is seen again.", sort=pattern_number),
    option("on", "Turn a pattern on again.", sort=pattern_number),
    option("reason", "Why it is turned off."),
    switch("learn", "Learn first from the tasks that ended since the last time."),
    switch("learnings", "What sessions taught instead: file purposes, common errors."),
    switch("all", "Those turned off too."),
    option("limit", "At most so many.", sort=count, default=_SHOWN),
    opening=Opening.CHANGE,
)
def patterns(call: Call, *, learn: bool, **options: Any) -> Answer:
    """List what tends to go together, the surest first; with PATH what is about that file.

    Pairs of files, fixes of errors, what follows a rename, sequences of tools, ways of working.
    """
    asked = {name: options[name] for name in ("show", "off", "on") if options[name] is not None}
    if len(asked) > 1:
        raise Usage("patterns: --show, --off and --on ask different things; give one of them")
    if options["learnings"] and (asked or options["kind"]):
        raise Usage("patterns: --learnings are no patterns; leave --kind, --show, --off, --on out")
    if options["reason"] is not None and "off" not in asked:
        raise Usage("patterns: --reason says why one is turned off; give --off with it")
    episodes = call.kit.episodes
    if options["path"] is not None:
        options["path"] = named(call, options["path"])
    if learn:
        episodes.learn()
    for name, number in asked.items():
        return _one(call, name, number, options["reason"])
    active, limit = None if options["all"] else True, options["limit"]
    if options["learnings"]:
        found = episodes.learnings(key=options["path"], active=active, limit=limit + 1)
        rows = [
            (f"{one.confidence:.2f}", one.observed, one.type, one_line(one.text)) for one in found
        ]
        headings = ("sure", "times", "kind", "what")
        empty = f"nothing was learnt yet that fits; {_LEARN}"
        return listed(call, found, rows, headings, empty, limit=limit)
    known = episodes.patterns(options["kind"], options["path"], active=active, limit=limit + 1)
    table = [
        (f"#{p.id}", f"{p.confidence:.2f}", p.observed, p.type, one_line(p.text)) for p in known
    ]
    names = ("id", "sure", "times", "kind", "what")
    empty = f"no pattern is known that fits; {_LEARN}"
    return listed(call, known, table, names, empty, limit=limit)


@command(
    argument("root", sort=folder, is_required=False),
    option("limit", "Read at most so many commits.", sort=count),
    opening=Opening.CREATE,
)
def mine(call: Call, *, root: str | None, limit: int | None) -> Answer:
    """Read git's log into the store: who changed what with what, fixes, reverts, renames.

    ROOT is the folder that the file lies in, unless it is given. Only what is new is read; nothing
    is kept that git has: a hash leads back to it.
    """
    given = {} if limit is None else {"limit": limit}
    with call.progress("reading commits") as step:
        done = call.kit.episodes.mine(root, progress=step, **given)
    return Answer(output.document(done), mined_lines(done), done.notes)


@command(
    argument("subject", is_required=False),
    option("signal", "What happened.", choices=tuple(SignalKind), default=SignalKind.FILE),
    option("session", "The session it happened in: then, where that goes next."),
    option("limit", "At most so many of each kind.", sort=count, default=5),
    opening=Opening.CHANGE,
)
def predict(
    call: Call, *, subject: str | None, signal: str, session: str | None, limit: int
) -> Answer:
    """Tell what will be needed: files, symbols, memories, patterns and ways of working.

    SUBJECT is the file that was opened or, as --signal says, the branch, the error's message or a
    person's name; with --signal time it is a time, or now if it is left out.
    """
    if subject is None and signal != SignalKind.TIME:
        raise Usage(f"predict: no {signal} is given; name it, or say --signal time for this hour")
    if subject is not None and signal == SignalKind.FILE:
        subject = named(call, subject)
    found = call.kit.episodes.predict(Signal(signal, subject or "", session=session), limit=limit)
    notes = tuple(_missing(call, subject) if signal == SignalKind.FILE else ())
    if not found.predictions:
        note = f"nothing is foretold by {subject or 'this hour'}; {_LEARN}"
        return Answer(output.document(found), notes=(*notes, note))
    rows = [
        (p.kind, f"{p.confidence:.2f}", _named(p), ", ".join(p.reasons)) for p in found.predictions
    ]
    names = ("kind", "chance", "what", "because")
    return repeating(call, found, output.table(rows, call, names=names), notes)


def mined_lines(done: Mined) -> list[str]:
    """Return what mining brought, for people."""
    if done.head is None:
        return []
    dropped = f", {done.dropped} dropped" if done.dropped else ""
    fixes = output.number(done.fixes, "fix", "fixes")
    known = f"{done.total} known, {fixes}, {output.number(done.reverts, 'revert')}"
    return [f"git: {output.number(done.commits, 'new commit')}{dropped}; {known}"]


def _one(call: Call, name: str, number: int, reason: str | None) -> Answer:
    episodes = call.kit.episodes
    found = (
        episodes.pattern(number)
        if name == "show"
        else episodes.turn_pattern(number, on=name == "on", reason=reason)
    )
    state = "on" if found.active else f"off: {found.inactive_reason}"
    lines = [
        f"#{found.id} {found.type}: {one_line(found.text)}",
        f"sure {found.confidence:.2f}; held {output.number(found.successes, 'time')}, "
        f"failed {output.number(found.failures, 'time')}; {state}",
        f"first seen {found.first_seen}, last {found.last_seen}",
        f"evidence: {', '.join(found.evidence) or 'none is kept'}",
    ]
    return Answer(output.document(found), lines)


def _missing(call: Call, path: str | None) -> Iterator[str]:
    """Yield that a file is not there, so that nobody takes what is foretold as about it."""
    folders = (Path.cwd(), call.kit.store.path.parent)
    if path and not any((folder / path).exists() for folder in folders):
        yield f"{path} is not there; what is foretold goes by its name and folder"


def _named(given: Prediction) -> str:
    """Return what is foretold on one short line; of a memory also its number."""
    text = fit(one_line(given.text or given.name), _COLUMNS)
    return f"#{given.name} {text}" if given.kind is PredictedKind.MEMORY else text

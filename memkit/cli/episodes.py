"""Commands about what was done: log, history, task, tools, summary.

Where there is nothing to list, no bare heading is printed: a note says what is missing, and what
brings it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..episodes.kinds import Status
from ..episodes.places import OUTSIDE
from . import output
from .call import Call
from .output import one_line, repeating
from .table import Answer, Usage, argument, command, count, option, switch

if TYPE_CHECKING:
    from ..episodes.answers import FileEvent
    from ..episodes.records import Execution, TaskRecord

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

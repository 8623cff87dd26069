"""Commands about what was learnt and what comes next: patterns, mine, predict."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..episodes.kinds import PatternType, PredictedKind, SignalKind
from ..episodes.predictions.signals import Signal
from . import output
from .call import Call
from .episodes import listed, named
from .output import fit, one_line, repeating
from .table import (
    Answer,
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

if TYPE_CHECKING:
    from ..episodes.git.mining import Mined
    from ..episodes.predictions.signals import Prediction

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

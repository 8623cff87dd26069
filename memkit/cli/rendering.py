"""Records as lines for people and as documents for machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from ..anchors import AnchorState
from ..interchange.notes_importer import TranscriptsTakenIn
from ..memories.kinds import Kind, Scope
from ..memories.records import Anchor, Memory
from ..retrieval.records import ErrorHit, TaskHit
from .excerpt import around, excerpt
from .streams import columns_of, fit, one_line, visible

if TYPE_CHECKING:
    from ..interchange.notes_importer import ImportReport
    from ..retrieval.records import EpisodeHit, Hit
    from .call import Call

# Lines of a memory's text in a list of hits. Where no terminal says how many, columns of such a
# line, of a memory in a list, and of a cell in a table. `show` and `task NAME` print all of it.
_LINES = 4
_LONGEST = 1_000
_COLUMNS = 200
_CELL = 500
_COLOURS = {
    Kind.FACT: "cyan",
    Kind.PREFERENCE: "blue",
    Kind.PROCEDURE: "green",
    Kind.CORRECTION: "yellow",
    Kind.NEGATIVE: "red",
}
# What is said of places in the code as long as nobody has looked at it.
UNREAD = "the code is not read yet, so nothing tells when it changes; 'memkit index' reads it"
# Left out of `show` where they say nothing.
_USUAL: Mapping[str, object] = {
    "form": "fact", "project": "", "strength": 1, "confidence": 1.0, "trust": 1.0,
    "importance": 0.5, "pinned": False, "private": False, "active": True, "access_count": 0,
    "provenance": "stated", "scope": "project",
}  # fmt: skip


def document(record: Any) -> Any:
    """Return an attrs record (or records in lists and mappings) as plain JSON values."""
    if attrs.has(type(record)):
        return {f.name: document(getattr(record, f.name)) for f in attrs.fields(type(record))}
    if isinstance(record, Mapping):
        return {str(key): document(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [document(item) for item in record]
    return record


def kind(memory: Memory, call: Call) -> str:
    """Return the kind of a memory, coloured on a terminal."""
    return call.style(str(memory.kind), fg=_COLOURS[memory.kind])


def state(memory: Memory, now: str) -> str:
    """Return why a memory does not hold at `now` (stored text), or "" if it does."""
    if memory.superseded_by is not None:
        return f"superseded by {memory.superseded_by}"
    if not memory.active:
        reason = memory.inactive_reason
        return f"forgotten: {reason}" if reason and reason != "forgotten" else "forgotten"
    if memory.valid_to is not None and memory.valid_to <= now:
        return f"expired {memory.valid_to}"
    if memory.valid_from is not None and memory.valid_from > now:
        return f"not before {memory.valid_from}"
    return ""


def _scope(memory: Memory) -> str:
    return "global" if memory.scope is Scope.GLOBAL else ""


def origin(memory: Memory) -> str:
    """Return where a memory comes from: its source, its files or its session; "" if it says not."""
    if memory.source:
        return memory.source
    if memory.file_paths:
        return ", ".join(memory.file_paths)
    return f"session {memory.session}" if memory.session else ""


def memory_line(memory: Memory, call: Call) -> str:
    """Return a memory on one line: id, kind, text; columns on a terminal, tabs elsewhere."""
    found = state(memory, call.kit.store.now())
    marks = (mark for mark in (_scope(memory), found) if mark)
    text = one_line("".join(f"[{mark}] " for mark in marks) + memory.text)
    if call.width is None:
        return f"{memory.id}\t{memory.kind}\t{fit(text, _COLUMNS)}"
    used = 2 + len(str(memory.id)) + 12
    padding = " " * (10 - len(memory.kind))
    return f"{memory.id}  {kind(memory, call)}{padding}  {fit(text, max(call.width - used, 20))}"


def hit_lines(hit: Hit, call: Call, question: str) -> Iterator[str]:
    """Yield a hit: score, id, kind, whether it is global, state if it does not hold, origin; the
    lines that answer the question best; why it came."""
    found = state(hit.memory, call.kit.store.now())
    yield "  ".join(
        part
        for part in (
            call.style(f"{hit.score:.2f}", bold=True),
            str(hit.id),
            kind(hit.memory, call),
            _scope(hit.memory),
            call.style(f"[{one_line(found)}]", fg="red") if found else "",
            one_line(origin(hit.memory)),
        )
        if part
    )
    shown = excerpt(visible(hit.memory.text), question, most=_LINES)
    if shown.before:
        yield "      …"
    columns = _LONGEST if call.width is None else max(call.width - 6, 20)
    lines = [around(line, question, columns) for line in shown.lines]
    yield from (f"      {line}" for line in lines)
    if rest := shown.before + shown.after:
        yield f"      … {number(rest, 'more line')}: memkit show {hit.id}"
    elif call.width is None and lines != list(shown.lines):
        yield f"      … more of the line: memkit show {hit.id}"
    yield from (f"      {line}" for line in _procedure_lines(hit.memory, columns))
    if hit.reasons:
        yield call.style("      ← " + one_line(" · ".join(hit.reasons)), dim=True)


def episode_lines(hit: EpisodeHit, call: Call) -> Iterator[str]:
    """Yield a task, an error or an attempt: score, form, where it stands, when and what; then what
    came of it, what fixed it, or why it failed."""
    if isinstance(hit, TaskHit):
        form, state, what, then = "task", str(hit.status), hit.task.description, hit.outcome
    elif isinstance(hit, ErrorHit):
        often = "once" if hit.count == 1 else f"{hit.count} times"
        form, state, what = "error", often, hit.message
        then = f"fixed: {hit.fix.text}" if hit.fix else "unsolved"
    else:
        form, state, what, then = "attempt", "failed", hit.action, hit.reason
    columns = _COLUMNS if call.width is None else max(call.width - 6, 20)
    score = call.style(f"{hit.score:.2f}", bold=True)
    yield fit(f"{score}  {form}  {state}  {one_line(hit.at[:16])}  {one_line(what)}", columns)
    if then:
        yield f"      {fit(one_line(then), columns)}"


def _procedure_lines(memory: Memory, columns: int) -> Iterator[str]:
    """Yield what a procedure says beyond the text of its memory: what must be so before, its steps,
    what is to be heeded."""
    if (found := memory.procedure) is None:
        return
    said = " ".join(memory.text.split())
    for name, parts, sign in (
        ("before", found.prerequisites, "; "),
        ("steps", found.steps, " → "),
        ("warnings", found.warnings, "; "),
    ):
        if any(part not in said for part in parts):
            yield fit(one_line(f"{name}: {sign.join(parts)}"), columns)


def memory_lines(memory: Memory, call: Call, related: Mapping[str, Any]) -> Iterator[str]:
    """Yield everything that is known of a memory."""
    yield f"{call.style(str(memory.id), bold=True)}  {kind(memory, call)}"
    yield from ("  " + line for line in visible(memory.text).split("\n"))
    for name, value in document(memory).items():
        if name in ("id", "text", "kind", "tokens") or value in (None, [], ""):
            continue
        if name in _USUAL and _USUAL[name] == value:
            continue
        if name == "about":
            yield from (f"  about: {anchor_line(anchor)}" for anchor in memory.about)
        else:
            yield f"  {name}: {one_line(_short(value))}"
    for name, found in related.items():
        for item in found:
            yield f"  {name}: {one_line(_short(item))}"


def anchor_line(anchor: Anchor) -> str:
    """Return a place that a memory is about, with what became of it."""
    place = f"{anchor.path}::{anchor.symbol}" if anchor.symbol else anchor.path
    state = "" if anchor.state is AnchorState.UNKNOWN else f" [{anchor.state}]"
    return one_line(f"{place}{state}{': ' if anchor.change else ''}{anchor.change}")


def taken_in_lines(done: ImportReport) -> Iterator[str]:
    """Yield what a reading changed, and what it left out, counted by reason."""
    if isinstance(done, TranscriptsTakenIn):
        yield from _transcript_lines(done)
    else:
        files = f" from {number(done.files, 'file')}" if done.files else ""
        yield (
            f"{number(done.read, 'statement')}{files}: {done.added} added, {done.updated} "
            f"updated, {done.unchanged} unchanged, {done.forgotten} forgotten"
            + (f", {number(len(done.conflicts), 'conflict')}" if done.conflicts else "")
        )
    for conflict in done.conflicts:
        yield f"conflict: {conflict.id} {one_line(conflict.what)}: memkit show {conflict.id}"
    by_reason: dict[str, list[str]] = {}
    for what, reason in done.left_out:
        by_reason.setdefault(reason, []).append(what)
    for reason, names in by_reason.items():
        shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        yield f"left out {len(names)}, {one_line(reason)}: {one_line(shown)}"
    if done.redacted:
        found = ", ".join(f"{count} {name}" for name, count in sorted(done.redacted.items()))
        yield f"secrets replaced by markers: {found}"


def _transcript_lines(done: TranscriptsTakenIn) -> Iterator[str]:
    yield (
        f"{number(done.files, 'transcript')}: {number(done.sessions, 'session')}, "
        f"{number(done.tasks, 'task')}, {number(done.calls, 'call')} and "
        f"{number(done.interactions, 'file interaction')} added, {done.unchanged} were there"
    )
    if done.skipped:
        rows = sorted(done.skipped.items(), key=lambda item: -item[1])
        told = ", ".join(f"{count} {one_line(reason)}" for reason, count in rows[:5])
        yield f"rows that are no events: {told}{', …' if len(rows) > 5 else ''}"


def number(count: int, name: str, several: str = "") -> str:
    """Return a number of things in words: `1 file`, `2 files`; `several` is for odd plurals."""
    return f"{count} {name if count == 1 else several or name + 's'}"


def table(rows: Sequence[Sequence[object]], call: Call, *, names: Sequence[str]) -> Iterator[str]:
    """Yield rows under their names: in columns on a terminal, parted by tabs elsewhere."""
    cells = [[one_line(_short(cell)) for cell in row] for row in (names, *rows)]
    if call.width is None:
        yield from ("\t".join(fit(cell, _CELL) for cell in row) for row in cells)
        return
    widths = [min(max(map(columns_of, column)), 60) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        padded = "  ".join(
            fit(cell, width) + " " * (width - columns_of(cell))
            for cell, width in zip(row, widths, strict=True)
        )
        line = fit(padded.rstrip(), call.width)
        yield call.style(line, bold=True) if number == 0 else line


def _short(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(
            f"{name}={_short(item)}" for name, item in value.items() if item is not None
        )
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return ", ".join(map(_short, value))
    return "" if value is None else str(value)

"""Output: records as lines and as JSON, excerpts, terminal safety, standard streams.

Nothing here loads memories, retrieval or click at the top: `memkit record` prints through this
module once for every call of a tool, and as a rule has nothing to say.

Stored text can hold anything. What is printed for people has its control characters and direction
marks made visible, so that no memory can drive the terminal; JSON stays within the encoding.
Answers that repeat what is stored stand between the marks by which memkit knows its own words
again, so that what an agent was shown is not recorded as something new.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate, islice, takewhile
from typing import IO, TYPE_CHECKING, Any

import attrs

from ..errors import MemkitError
from ..memories import outcomes
from ..redaction.redactor import CLOSE, OPEN, disarmed
from ..text.analyzer import UNSAFE, decode, nfc, segments, stem, visible
from ..text.patterns import lazy_pattern
from ..text.word_lists import STOP
from .commands import FAILED, USAGE, CommandOutput, Usage

if TYPE_CHECKING:
    from ..interchange.notes_importer import ImportReport, TranscriptsTakenIn
    from ..memories.records import Anchor, Memory
    from ..retrieval.records import EpisodeHit, Hit, RecallResult
    from .commands import Invocation

# Lines and columns of a memory's text where several are shown, as text and as JSON, so that no
# giant one makes the answer giant; then columns of what else a procedure says, of a memory in a
# list, and of a cell in a table. `show` and `task NAME` print all of it.
_LINES = 4
_SHOWN = 560
_STEPS = 800
_COLUMNS = 200
_CELL = 500
# Columns of where a memory comes from, and of the name of a session.
_ORIGIN, _SESSION = 80, 12
# Places that a memory is about in a short document, those that have changed first.
_PLACES = 4
COLOURS = {
    "fact": "cyan",
    "preference": "blue",
    "procedure": "green",
    "correction": "yellow",
    "negative": "red",
}
# What is said of places in the code as long as nobody has looked at it.
UNREAD = "the code is not read yet, so nothing tells when it changes; 'memkit index' reads it"
# Left out of `show` where they say nothing.
_USUAL: Mapping[str, object] = {
    "form": "fact", "project": "", "strength": 1, "confidence": 1.0, "trust": 1.0,
    "importance": 0.5, "pinned": False, "private": False, "active": True, "access_count": 0,
    "provenance": "stated", "scope": "project",
}  # fmt: skip
_WORD = lazy_pattern(r"\w+")
_FENCE = lazy_pattern(r"\s*(```+|~~~+)")
# Columns before the first word that is looked for, when a long line is cut on its left.
_BEFORE = 20
_WIDE = frozenset("WF")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


# -- output and failures


def describe_error(error: Exception) -> tuple[str, str, int]:
    """Return the code, the message and the exit code of an error."""
    if isinstance(error, MemkitError):
        return error.code, str(error), USAGE if isinstance(error, Usage) else FAILED
    if isinstance(error, OSError):
        message = f"{error.filename}: " * bool(error.filename) + (error.strerror or str(error))
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return "store_full", f"{message}; free some space and do it again", FAILED
        return "os_error", f"{message}; is it there, may it be used, and is there room?", FAILED
    message = f"{type(error).__name__}: {error}"
    return "internal", f"{message} (a fault in memkit; MEMKIT_DEBUG=1 shows where)", FAILED


def is_debugged(name: str) -> bool:
    """Whether an error inside memkit is raised as it is."""
    return name == "internal" and bool(os.environ.get("MEMKIT_DEBUG"))


def print_output(answer: CommandOutput, *, as_json: bool) -> int:
    """Print an answer; return its exit code."""
    if not (as_json or answer.lines or answer.notes):
        return answer.exit_code
    if as_json and not answer.is_raw:
        print(json_text(answer.document))
    elif not answer.is_raw:
        for line in answer.lines:
            print(line)
    for note in answer.notes:
        print_error_line(f"memkit: {one_line(note)}")
    return answer.exit_code


def print_failure(name: str, message: str, *, as_json: bool) -> None:
    """Print why there is no answer, without the secrets of what was typed: click's words and the
    system's repeat it."""
    from ..redaction import redact

    line = redact(" ".join(message.split())).text
    if as_json:
        print(json_text({"error": {"code": name, "message": line}}))
    else:
        print_error_line(f"memkit: {visible(line)}")


def print_error_line(line: str) -> None:
    """Print a line on standard error, if there is one."""
    if sys.stderr is not None and not sys.stderr.closed:
        print(line, file=sys.stderr)


# -- marks around stored text


def marked_output(
    invocation: Invocation, records: object, lines: Iterable[str], notes: Iterable[str] = ()
) -> CommandOutput:
    """Return an answer between marks: records as a document, and lines for whatever reads them; a
    person at a terminal sees no marks."""
    return CommandOutput(marked(document(records)), between_marks(invocation, lines), tuple(notes))


def between_marks(invocation: Invocation, lines: Iterable[str]) -> Iterable[str]:
    """Return lines between marks for whatever reads them; for a person at a terminal without."""
    return lines if invocation.width is not None else marked_lines(lines)


def marked(document: Any) -> Any:
    """Return a document with the marks as its first and last field; of a list, each item."""
    if isinstance(document, list):
        return [marked(item) for item in document]
    if not isinstance(document, Mapping):
        return document
    return {"begins": f"{OPEN}>", **document, "ends": CLOSE}


def marked_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines between the marks, nothing if there are none; none of them passes for a mark."""
    is_open = False
    for line in lines:
        if not is_open:
            yield f"{OPEN}>"
            is_open = True
        yield disarmed(line)
    if is_open:
        yield CLOSE


def table_output(
    invocation: Invocation,
    records: Sequence[object],
    rows: Iterable[Sequence[object]],
    names: Sequence[str],
    empty: str,
    *,
    limit: int | None = None,
) -> CommandOutput:
    """Return records as a table, or the note `empty` if there are none; a note says if there are
    more than the limit."""
    if not records:
        return CommandOutput([], notes=(empty,))
    max_rows = len(records) if limit is None else limit
    shown, notes = cut(records, max_rows)
    lines = table(list(islice(rows, max_rows)), invocation, names=names)
    return CommandOutput(document(shown), lines, notes)


def changed_output(memories: list[Memory], verb: str, invocation: Invocation) -> CommandOutput:
    """Return what was done with memories, each on a line."""
    lines = (f"{verb}: {memory_line(memory, invocation)}" for memory in memories)
    return marked_output(invocation, memories, lines)


# -- records


def is_code_read(invocation: Invocation) -> bool:
    """Whether the code was indexed at least once, so that a change of it shows."""
    from ..codegraph.index.workspace import last_workspace

    return last_workspace(invocation.store) is not None


def document(record: Any) -> Any:
    """Return a record (or records in lists and mappings) as plain JSON values."""
    if attrs.has(type(record)):
        return {f.name: document(getattr(record, f.name)) for f in attrs.fields(type(record))}
    if isinstance(record, tuple) and hasattr(record, "_asdict"):  # NamedTuple
        record = record._asdict()
    if isinstance(record, Mapping):
        return {str(key): document(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [document(item) for item in record]
    return record


def kind(memory: Memory, invocation: Invocation) -> str:
    """Return the kind of a memory, coloured on a terminal."""
    return invocation.style(str(memory.kind), fg=COLOURS[memory.kind])


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
    return "global" if memory.scope == "global" else ""


def _review(memory: Memory) -> str:
    return "unconfirmed" if memory.is_unconfirmed else ""


def dated(at: str, now: str) -> str:
    """Return the day of a stored time, and for two months how long before `now` that was: what a
    text calls yesterday is reckoned from it."""
    try:
        days = (date.fromisoformat(now[:10]) - date.fromisoformat(at[:10])).days
    except ValueError:  # written by hand
        return one_line(at)
    if not 0 <= days < 60:
        return at[:10]
    if days < 14:
        ago = ("today", "yesterday")[days] if days < 2 else f"{days} days ago"
    else:
        ago = f"{days // 7} weeks ago"
    return f"{at[:10]} ({ago})"


def origin(memory: Memory) -> str:
    """Return where a memory comes from: its source or files, else that it was told (or how else it
    became known); who said it, and in which session."""
    if place := memory.source or ", ".join(memory.file_paths):
        how = f"from {fit(place, _ORIGIN)}"
    else:
        how = "told" if memory.provenance == "stated" else str(memory.provenance)
    author = f" by {fit(memory.author, _ORIGIN)}" if memory.author else ""
    session = f" in session {fit(memory.session, _SESSION)}" if memory.session else ""
    return one_line(f"{how}{author}{session}")


def memory_line(memory: Memory, invocation: Invocation) -> str:
    """Return a memory on one line: id, kind, day, text; columns on a terminal, tabs elsewhere."""
    current_state = state(memory, invocation.store.now())
    marks = (mark for mark in (_scope(memory), _review(memory), current_state) if mark)
    text = one_line("".join(f"[{mark}] " for mark in marks) + memory.text[: 2 * _SHOWN])
    day = one_line(memory.created_at[:10])
    if invocation.width is None:
        return f"{memory.id}\t{memory.kind}\t{day}\t{fit(text, _COLUMNS)}"
    used = 2 + len(str(memory.id)) + 24
    padding = " " * (10 - len(memory.kind))
    shown = fit(text, max(invocation.width - used, 10))
    return f"{memory.id}  {kind(memory, invocation)}{padding}  {day}  {shown}"


def hit_lines(
    hit: Hit, invocation: Invocation, question: str, *, with_reasons: bool = False
) -> Iterator[str]:
    """Yield a hit: score, id, kind, when and where it was said, state if it does not hold; the
    lines that answer the question best; what to know of it; if asked, why it came."""
    memory, now = hit.memory, invocation.store.now()
    says = (_scope(memory), _review(memory), dated(memory.created_at, now), origin(memory))
    head = ", ".join(part for part in (kind(memory, invocation), *says) if part)
    mark = state(memory, now)
    yield (
        f"{invocation.style(f'{hit.score:.2f}', bold=True)} {hit.id} {head}"
        + (invocation.style(f" [{one_line(mark)}]", fg="red") if mark else "")
    )
    columns = _SHOWN if invocation.width is None else max(invocation.width - 2, 20)
    shown = passage(visible(memory.text), question, columns)
    yield from (f"  {line}" for line in shown.lines)
    if shown.is_cut:
        what = number(shown.left_out, "more line") if shown.left_out else "more of the line"
        yield f"  … {what}: memkit show {hit.id}"
    width = _STEPS if invocation.width is None else columns
    yield from (f"  {line}" for line in _procedure_lines(memory, width))
    yield from (invocation.style(f"  ! {one_line(text)}", fg="red") for text in hit.warnings)
    reasons = [one_line(text) for text in hit.reasons if text not in hit.warnings]
    if with_reasons and reasons:
        yield invocation.style("  ← " + "; ".join(reasons), dim=True)


def hit_document(hit: Hit, question: str, now: str) -> dict[str, Any]:
    """Return a hit as a short document: what `hit_lines` says, by name."""
    short = {"id": hit.id, "score": round(hit.score, 3)} | memory_document(
        hit.memory, now, question
    )
    if hit.contradicts:
        short["contradicts"] = list(hit.contradicts)
    return short


def memory_document(memory: Memory, now: str, question: str = "") -> dict[str, Any]:
    """Return a memory as a short document: its text bounded, other fields where they say
    something. `memkit show` has all of it."""
    shown = passage(memory.text, question, _SHOWN)
    is_whole = len(memory.text) <= _SHOWN and columns_of(memory.text) <= _SHOWN
    places = sorted(memory.about, key=lambda anchor: not anchor.change)[:_PLACES]
    fields: dict[str, Any] = {
        "id": memory.id,
        "kind": memory.kind,
        "text": memory.text if is_whole else "\n".join(shown.lines),
        "truncated": not is_whole,
        "rest": "" if is_whole else f"memkit show {memory.id}",
        "at": memory.created_at,
        "from": origin(memory),
        "scope": _scope(memory),
        "state": state(memory, now),
        "superseded_by": memory.superseded_by,
        "about": [anchor_line(anchor) for anchor in places],
    }
    return {name: value for name, value in fields.items() if value or name == "text"}


def episode_lines(hit: EpisodeHit, invocation: Invocation) -> Iterator[str]:
    """Yield a task, an error or an attempt: score, form, where it stands, when and what; then what
    came of it, what fixed it, or why it failed."""
    from ..retrieval.records import ErrorHit, TaskHit

    if isinstance(hit, TaskHit):
        form, state, what, then = "task", str(hit.status), hit.task.description, hit.outcome
    elif isinstance(hit, ErrorHit):
        often = "once" if hit.count == 1 else f"{hit.count} times"
        often += ", another number" if hit.is_other_number else ""
        form, state, what = "error", often, hit.message
        then = f"fixed: {hit.fix.text}" if hit.fix else "unsolved"
    else:
        form, state, what, then = "attempt", "failed", hit.action, hit.reason
    columns = _COLUMNS if invocation.width is None else max(invocation.width - 6, 20)
    score = invocation.style(f"{hit.score:.2f}", bold=True)
    yield fit(f"{score}  {form}  {state}  {one_line(hit.at[:16])}  {one_line(what)}", columns)
    if then:
        yield f"      {fit(one_line(then), columns)}"


def recall_document(
    answer: RecallResult, question: str, now: str, fields: str = "", *, with_reasons: bool = False
) -> dict[str, Any]:
    """Return the answer of a recall, each hit short, or with these fields ("all": everything there
    is), and its reasons if asked; raises Usage for a field that no hit has."""
    names = [name.strip() for name in fields.split(",") if name.strip()]
    whole: dict[str, Any] = document(answer)
    if "all" in names:
        return whole
    hits = [hit_document(hit, question, now) for hit in answer]
    if names:
        everything = [
            entry["memory"] | entry | short
            for entry, short in zip(whole["hits"], hits, strict=True)
        ]
        hits = [_chosen(entry, names) for entry in everything]
    elif with_reasons:
        hits = [
            short | {"reasons": list(hit.reasons)} for hit, short in zip(answer, hits, strict=True)
        ]
    return whole | {"hits": hits}


def _chosen(entry: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    from ..memories.records import Memory
    from ..retrieval.records import Hit

    known = {field.name for record in (Memory, Hit) for field in attrs.fields(record)}
    known |= {"id", "truncated", "rest", "at", "from", "state", *entry}
    if unknown := [name for name in names if name not in known]:
        raise Usage(f"--fields: {unknown[0]!r} is no field; give all, or some of {sorted(known)}")
    return {name: entry.get(name) for name in names}


@attrs.frozen
class Passage:
    """Shown part of a text: lines, how many were left out, and whether anything was."""

    lines: tuple[str, ...]
    left_out: int
    is_cut: bool


def passage(text: str, question: str, columns: int) -> Passage:
    """Return the lines of a text that answer a question best, each at most so many columns wide
    and together at most `_SHOWN`."""
    part = excerpt(text, question, max_lines=_LINES)
    width = min(columns, _width_of_each([columns_of(line) for line in part.lines], _SHOWN))
    lines = tuple(cut_around(line, question, width) for line in part.lines)
    left_out = part.before + part.after
    first = ("…",) if part.before else ()
    return Passage((*first, *lines), left_out, bool(left_out) or lines != part.lines)


def _width_of_each(widths: Sequence[int], columns: int) -> int:
    """Return how wide each line may be so that all together take no more than `columns`: short
    lines leave their room to long ones."""
    for place, width in enumerate(sorted(widths)):
        remaining = len(widths) - place
        if width * remaining > columns:
            return columns // remaining
        columns -= width
    return max(widths, default=0)


def cut(records: Sequence[Any], limit: int) -> tuple[Sequence[Any], tuple[str, ...]]:
    """Return at most so many records, and a note if there are more: give one more than the limit
    to have that seen."""
    if len(records) <= limit:
        return records, ()
    return records[:limit], (f"the first {limit} are shown, there are more; --limit gives more",)


def _procedure_lines(memory: Memory, columns: int) -> Iterator[str]:
    """Yield what a procedure says beyond the text of its memory: what must be so before, its steps,
    what is to be heeded."""
    if (procedure := memory.procedure) is None:
        return
    said = " ".join(memory.text.split())
    for name, parts, sign in (
        ("before", procedure.prerequisites, "; "),
        ("steps", procedure.steps, " → "),
        ("warnings", procedure.warnings, "; "),
    ):
        if any(part not in said for part in parts):
            yield fit(one_line(f"{name}: {sign.join(parts)}"), columns)
    if fared := so_far(memory):
        yield fit(one_line(f"so far: {fared}"), columns)


def so_far(memory: Memory) -> str:
    """Return how a procedure fared, "" if it was never followed."""
    parts = (outcomes.rates(memory.outcomes), *outcomes.warnings(memory.outcomes))
    return "; ".join(filter(None, parts))


def memory_lines(
    memory: Memory, invocation: Invocation, related: Mapping[str, Any]
) -> Iterator[str]:
    """Yield everything that is known of a memory."""
    said = f"{dated(memory.created_at, invocation.store.now())}, {origin(memory)}"
    yield f"{invocation.style(str(memory.id), bold=True)}  {kind(memory, invocation)}, {said}"
    yield from ("  " + line for line in visible(memory.text).split("\n"))
    for name, value in document(memory).items():
        if name in ("id", "text", "kind", "tokens") or value in (None, [], ""):
            continue
        if name in _USUAL and _USUAL[name] == value:
            continue
        if name == "outcomes":
            yield f"  {name}: {one_line(so_far(memory))}"
        elif name == "about":
            yield from (f"  about: {anchor_line(anchor)}" for anchor in memory.about)
        else:
            yield f"  {name}: {one_line(_short(value))}"
    for name, items in related.items():
        for item in [items][: bool(items)] if isinstance(items, int) else items:
            yield f"  {name}: {one_line(_short(item))}"


def anchor_line(anchor: Anchor) -> str:
    """Return a place that a memory is about, with what became of it."""
    place = f"{anchor.path}::{anchor.symbol}" if anchor.symbol else anchor.path
    state = "" if anchor.state == "unknown" else f" [{anchor.state}]"
    return one_line(f"{place}{state}{': ' if anchor.change else ''}{anchor.change}")


def taken_in_lines(done: ImportReport) -> Iterator[str]:
    """Yield what a reading changed, and what it left out, counted by reason."""
    from ..interchange.notes_importer import TranscriptsTakenIn

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
        counts = ", ".join(f"{count} {name}" for name, count in sorted(done.redacted.items()))
        yield f"secrets replaced by markers: {counts}"


def _transcript_lines(done: TranscriptsTakenIn) -> Iterator[str]:
    yield (
        f"{number(done.files, 'transcript')}: {number(done.sessions, 'session')}, "
        f"{number(done.tasks, 'task')}, {number(done.calls, 'call')} and "
        f"{number(done.interactions, 'file interaction')} added, {done.unchanged} were there"
    )
    if done.skipped:
        rows = sorted(done.skipped.items(), key=lambda item: -item[1])
        reasons = ", ".join(f"{count} {one_line(reason)}" for reason, count in rows[:5])
        yield f"rows that are no events: {reasons}{', …' if len(rows) > 5 else ''}"


def number(count: int, name: str, several: str = "") -> str:
    """Return a number of things in words: `1 file`, `2 files`; `several` is for odd plurals."""
    return f"{count} {name if count == 1 else several or name + 's'}"


def table(
    rows: Sequence[Sequence[object]], invocation: Invocation, *, names: Sequence[str]
) -> Iterator[str]:
    """Yield rows under their names: in columns on a terminal, parted by tabs elsewhere."""
    cells = [[one_line(_short(cell)) for cell in row] for row in (names, *rows)]
    if invocation.width is None:
        yield from ("\t".join(fit(cell, _CELL) for cell in row) for row in cells)
        return
    widths = [min(max(map(columns_of, column)), 60) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        padded = "  ".join(
            fit(cell, width) + " " * (width - columns_of(cell))
            for cell, width in zip(row, widths, strict=True)
        )
        line = fit(padded.rstrip(), invocation.width)
        yield invocation.style(line, bold=True) if number == 0 else line


def _short(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return " ".join(
            f"{name}={_short(item)}" for name, item in value.items() if item not in (None, [], "")
        )
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return ", ".join(map(_short, value))
    return "" if value is None else str(value)


# -- excerpts


@attrs.frozen
class Excerpt:
    """Lines of a text, and how many were left out before and after them."""

    before: int
    lines: tuple[str, ...]
    after: int


def excerpt(text: str, question: str, *, max_lines: int) -> Excerpt:
    """Return the `max_lines` neighbouring lines with most of the question's words, without blanks.

    A word in a sentence counts twice what it does in a block of code: that shows, and says nothing.
    Of equal ones the first; without a question, or with no word in common, those at the beginning.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) <= max_lines:
        return Excerpt(0, tuple(lines), 0)
    query_stems = stems(question)
    matches = [
        (is_code, {stem for stem in query_stems if stem in _folded(line)})
        for line, is_code in zip(lines, _in_code(lines), strict=True)
    ]
    start = max(range(len(lines) - max_lines + 1), key=lambda n: _worth(matches[n : n + max_lines]))
    return Excerpt(start, tuple(lines[start : start + max_lines]), len(lines) - start - max_lines)


def cut_around(line: str, question: str, columns: int) -> str:
    """Return a line cut to so many columns, such that words of the question are in what is left."""
    if columns_of(line) <= columns:
        return line
    plain = _folded(line)
    if len(plain) != len(line):  # a letter that is two in small: places would not fit
        return fit(line, columns)
    query_stems = stems(question)
    places = [place for stem in query_stems if (place := plain.find(stem)) >= 0]
    if not places or max(places) < columns - _BEFORE:
        return fit(line, columns)
    best = max(sorted(places), key=lambda n: sum(n <= other < n + columns // 2 for other in places))
    start = line.rfind(" ", 0, max(best - _BEFORE, 0)) + 1
    return fit("…" + line[start:], columns) if start else fit(line, columns)


def stems(question: str) -> frozenset[str]:
    """Return the beginnings of the words of a question that say something, in small letters."""
    words = [word for word in _WORD.findall(_folded(question)) if word not in STOP]
    return frozenset(stem(part) for word in words for part in segments(word))


def _folded(text: str) -> str:
    return nfc(text).casefold()


def _in_code(lines: Iterable[str]) -> Iterator[bool]:
    """Yield of each line whether it stands in a fenced block of code."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        yield bool(fence or mark)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and line.strip() == mark[1]:
            fence = ""


def _worth(matches: Sequence[tuple[bool, set[str]]]) -> tuple[int, int]:
    """Return the rank of lines: different words first, then all of them."""
    said = set().union(*(words for is_code, words in matches if not is_code))
    all_ = set().union(*(words for _, words in matches))
    return len(said) + len(all_), sum(len(words) for _, words in matches)


# -- streams


def prepare() -> None:
    """Let any text be printed on stdout and stderr, whatever their encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def one_line(text: str) -> str:
    """Return a text on one line, safe to print."""
    return visible(" ".join(text.split()))


def json_text(document: object) -> str:
    """Return one JSON document, safe to print on stdout as it is."""
    encoding = (getattr(sys.stdout, "encoding", None) or "ascii").lower().replace("-", "")
    text = json.dumps(document, ensure_ascii=encoding != "utf8", indent=2, default=_plain)
    return UNSAFE.sub(lambda match: match[0] if match[0] == "\n" else _json_escape(match[0]), text)


def fit(text: str, columns: int) -> str:
    """Return a line cut to so many columns, between characters as people see them, with an
    ellipsis."""
    if columns_of(text) <= columns:
        return text
    from ..tokens import boundary

    widths = accumulate(map(_width, text))
    end = sum(1 for _ in takewhile(lambda used: used < columns, widths))
    return text[: boundary(text, end)].rstrip() + "…"


def columns_of(text: str) -> int:
    """Return how many columns a text takes on a terminal."""
    return len(text) if text.isascii() else sum(map(_width, text))


def read_stdin() -> str:
    """Return all of standard input as text: UTF-8, with or without a byte order mark."""
    return decode(stdin_bytes().read())


def read_text(text: str) -> str:
    """Return a text as it was given on the command line; '-' stands for standard input."""
    return read_stdin().rstrip("\r\n") if text == "-" else text


def read_statement(text: str) -> str:
    """Return a statement from the command line or standard input ('-'); raises Usage where letters
    of it would be lost."""
    if text != "-":
        return text
    data = stdin_bytes().read()
    if not data.startswith(_UTF16):
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise Usage(
                f"standard input: byte {error.start + 1} ({data[error.start]:#04x}) is not UTF-8; "
                "give text in UTF-8, for instance by 'iconv -f latin1 -t utf-8'"
            ) from None
    # How lines end is the shell's, not the statement's.
    return decode(data).replace("\r\n", "\n").rstrip("\r\n")


def stdin_bytes() -> IO[Any]:
    """Return standard input as bytes; raises Usage if it is closed."""
    if sys.stdin is None or sys.stdin.closed:
        raise Usage("standard input is closed; give the text or a file instead of -")
    return getattr(sys.stdin, "buffer", sys.stdin)


def stdout_bytes() -> IO[Any]:
    """Return standard output as bytes; raises Usage if it is closed."""
    if sys.stdout is None or sys.stdout.closed:
        raise Usage("standard output is closed; give a file to write to")
    sys.stdout.flush()
    return getattr(sys.stdout, "buffer", sys.stdout)


def drop_stdout() -> None:
    """Let nothing more be written after the reader of a pipe has gone, not even at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        sys.stdout = None
    finally:
        os.close(nowhere)


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def _json_escape(char: str) -> str:
    return f"\\u{ord(char):04x}"


def _plain(value: object) -> object:
    if isinstance(value, bytes | bytearray):
        return value.hex()
    return list(value) if isinstance(value, set | frozenset | tuple) else str(value)

"""Reuse of tool results: what later calls take from them, and which results are superseded."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import attrs

from ..episodes.recording.event import FileAccess
from ..episodes.recording.tool_calls import files_of
from ..episodes.records import CHANGING, FileOperation
from ..text.paths import plain_path
from .messages.records import Part, PartKind, ToolCall, Turn


@attrs.frozen
class Entry:
    """Part of a history with what it belongs to.

    Attributes:
        turn: position of its turn. call: the call that it is, or answers.
    """

    part: Part
    turn: int
    call: ToolCall | None = None


def entries_of(turns: Sequence[Turn]) -> list[Entry]:
    """Return the parts of a history in order, results and calls with their call."""
    return [
        Entry(part, position, calls.get(part.call_id))
        for position, turn in enumerate(turns)
        for calls in [{call.id: call for call in turn.calls}]
        for part in turn.parts
    ]


# Words that point at something: paths, dotted names, identifiers, numbers. A word of small
# letters alone is in every text.
_TERM = re.compile(r"[^\W_][\w@-]*(?:[./\\][\w@-]+)*")
_POINTS = re.compile(r"[\d_/\\.]|[a-z][A-Z]")
_SHORTEST = 4
RESULTS = (PartKind.RESULT, PartKind.SERVER_RESULT)
Lines = tuple[int, int] | None
# Characters of a part that are looked at for terms: what is behind is seldom what was read.
_LOOKED_AT = 200_000


@lru_cache(maxsize=2048)
def terms_of(text: str) -> tuple[str, ...]:
    """Return what a text points at (paths, identifiers, numbers), each once, in its order."""
    terms: dict[str, None] = {}
    for match in _TERM.finditer(text[:_LOOKED_AT]):
        term = match[0]
        if len(term) >= _SHORTEST and _POINTS.search(term):
            terms[term] = None
            name = re.split(r"[/\\]", term)[-1]
            if name != term and len(name) >= _SHORTEST:
                terms[name] = None
    return tuple(terms)


@attrs.frozen
class Reuse:
    """What is known of each result of a history, by its place among the parts.

    Attributes:
        users: places of the later parts that take something from it, ascending.
        terms: what they take, with the place of the first that does.
        superseded: the place from which on something later says the same or makes it untrue.
        chatter: results that say only that a change was made.
    """

    users: Mapping[int, Sequence[int]]
    terms: Mapping[int, Mapping[str, int]]
    superseded: Mapping[int, int]
    chatter: frozenset[int]

    def dependents(self, place: int, *, before: int) -> int:
        """Return how many parts before a place take something from a result."""
        return bisect_right(self.users.get(place, ()), before - 1)

    def is_superseded(self, place: int, *, before: int) -> bool:
        """Whether something before a place supersedes a result."""
        return self.superseded.get(place, before) < before


def trace_reuse(entries: Sequence[Entry]) -> Reuse:
    """Return what later parts of a history take from its results, and what supersedes them.

    A result is taken from where a later call or message repeats a term that stood nowhere before
    it. A read is superseded when its file is read again as far or changed, a result when another
    of the same tool says the same.
    """
    origins: dict[str, int] = {}
    users: dict[int, list[int]] = {}
    terms: dict[int, dict[str, int]] = {}
    for place, entry in enumerate(entries):
        takes = entry.part.kind not in (*RESULTS, PartKind.THINKING)
        for term in terms_of(entry.part.text):
            origin = origins.setdefault(term, place)
            if takes and origin != place and entries[origin].part.kind in RESULTS:
                terms.setdefault(origin, {}).setdefault(term, place)
                using = users.setdefault(origin, [])
                if using[-1:] != [place]:
                    using.append(place)
    accesses = {place: _accesses(entry) for place, entry in _results(entries)}
    superseded = dict(_repeated(entries)) | dict(_outdated(accesses))
    return Reuse(users, terms, superseded, frozenset(_chatter(accesses)))


def _results(entries: Sequence[Entry]) -> Iterator[tuple[int, Entry]]:
    return ((place, entry) for place, entry in enumerate(entries) if entry.part.kind in RESULTS)


def _accesses(entry: Entry) -> tuple[FileAccess, ...]:
    if entry.call is None:
        return ()
    try:
        return tuple(files_of(entry.call.name, entry.call.arguments))
    except (AttributeError, TypeError, ValueError):  # arguments of a form that no tool has
        return ()


def _repeated(entries: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Yield the results that a later one of the same tool repeats word for word."""
    last: dict[tuple[str, str], int] = {}
    for place, entry in _results(entries):
        key = (entry.call.name if entry.call else "", entry.part.text)
        if key in last:
            yield last[key], place
        last[key] = place


def _outdated(accesses: Mapping[int, tuple[FileAccess, ...]]) -> Iterator[tuple[int, int]]:
    """Yield the reads of files that were read again as far, or changed, later."""
    reads: dict[str, list[tuple[int, Lines]]] = {}
    for place, files in accesses.items():
        for file in files:
            path = plain_path(str(file.path))
            earlier = reads.get(path, [])
            changes = file.operation in CHANGING
            if not changes and file.operation != FileOperation.READ:
                continue
            gone = [read for read, lines in earlier if changes or _covers(file.lines, lines)]
            reads[path] = [(read, lines) for read, lines in earlier if read not in gone]
            if not changes and len(files) == 1:
                reads[path].append((place, file.lines))
            yield from ((read, place) for read in gone if read != place)


def _covers(lines: Lines, others: Lines) -> bool:
    """Whether the lines read now hold those read before; None is the whole file."""
    if lines is None or others is None:
        return lines is None
    return lines[0] <= others[0] and others[1] <= lines[1]


def _chatter(accesses: Mapping[int, tuple[FileAccess, ...]]) -> Iterator[int]:
    """Yield the results of changes: what was changed stands in the call."""
    for place, files in accesses.items():
        if files and all(file.operation in CHANGING for file in files):
            yield place

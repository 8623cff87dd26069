"""Answers that repeat what is stored: they stand between the marks by which memkit knows its own
words again, so that what an agent was shown is not recorded as something new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..memories.records import Memory
from ..safety.rendered import CLOSE, OPEN, disarmed
from . import rendering
from .call import Call
from .table import Answer


def repeating(call: Call, found: object, lines: Iterable[str], notes: Iterable[str] = ()) -> Answer:
    """Return an answer between marks: records as a document, and lines for whatever reads them; a
    person at a terminal sees no marks."""
    shown = lines if call.width is not None else marked_lines(lines)
    return Answer(marked(rendering.document(found)), shown, tuple(notes))


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


def changed(found: list[Memory], verb: str, call: Call) -> Answer:
    """Return what was done with memories, each on a line."""
    lines = (f"{verb}: {rendering.memory_line(memory, call)}" for memory in found)
    return repeating(call, found, lines)

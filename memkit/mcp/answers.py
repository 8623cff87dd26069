"""Answers of tools: entries between marks, page by page, within a limit of tokens.

Entries have the form of an assembled context: stored text stands between marks and behind heads
that it cannot imitate. What is said outside of the marks (notes, how to turn the page) is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from .. import tokens
from ..context.assembled import BEGIN, END, item_lines
from ..context.assembly import Bounds, Measure
from ..redaction.redactor import disarmed
from ..text.analyzer import visible, words_of
from ..text.extractive import cut, summarize
from ..text.graphemes import boundary

# Tokens of an answer, of whichever family of models counts most.
LIMIT = 2_000
# More entries than that never fit.
MAX_ENTRIES = 200
# Tokens of one text among several (o200k), letters of a line and of a note, and notes.
_TEXT_TOKENS, _LINE, _NOTE, _NOTES = 220, 300, 240, 3


@attrs.frozen
class Answer:
    """Answer of a tool: what the model reads, and the same as fields where a schema says which."""

    text: str
    fields: Mapping[str, Any] | None = None


def page(
    entries: Sequence[str],
    *,
    offset: int = 0,
    limit: int = MAX_ENTRIES,
    notes: Sequence[str] = (),
    empty: str = "",
) -> Answer:
    """Return the entries from `offset` on, at most `limit` and as many as the limit of tokens lets
    in, and from which offset there are more; `empty` is said where there is none at all."""
    shown = entries[offset : offset + limit]
    while True:
        text = _text(shown, entries, offset, notes, empty)
        measure = measured(text)
        if len(shown) <= 1 or measure.allows(text):
            return Answer(text)
        share = LIMIT / measure.size(text)
        shown = shown[: max(min(int(len(shown) * share), len(shown) - 1), 1)]


def measured(text: str) -> Measure:
    """Return what measures a text: exactly, unless the estimate, which is never below the truth and
    loads nothing, lets all of it in."""
    quick = Measure(Bounds(LIMIT), quick=True)
    return quick if quick.allows(text) else Measure(Bounds(LIMIT), quick=False)


def _text(
    shown: Sequence[str], entries: Sequence[str], offset: int, notes: Sequence[str], empty: str
) -> str:
    lines = [note_line(note) for note in notes[:_NOTES]]
    end = offset + len(shown)
    if end < len(entries):
        lines.append(f"There is more: the same with offset={end}.")
    if not shown:
        beyond = f"There are only {len(entries)}; give a smaller offset." if entries else empty
        return "\n".join([beyond, *lines])
    return "\n".join([block(shown), *lines])


def block(entries: Sequence[str]) -> str:
    """Return entries between the marks."""
    return f"{BEGIN}{''.join(entries)}{END}"


def note_line(note: str) -> str:
    """Return a note as a line outside of the marks; what it quotes passes for nothing else."""
    return f"Note: {_one_line(note, _NOTE)}"


def line(head: str, text: str) -> str:
    """Return an entry of one line; a text that says nothing is left out."""
    said = _one_line(text, _LINE)
    return item_lines(_one_line(head, _LINE), said) if said else f"- {_one_line(head, _LINE)}\n"


def shortened(text: str, question: str) -> str:
    """Return the statements of a text that say most of a question, if all of it is too long to
    stand among others."""
    focus = words_of(question)
    return summarize(text, max_tokens=_TEXT_TOKENS, count=tokens.estimate, focus=focus)


def pieces(text: str) -> Iterator[str]:
    """Yield a rendered text line by line, long lines in parts: entries of a page."""
    for full_line in text.splitlines(keepends=True):
        rest = full_line
        while len(rest) > _LINE:
            end = boundary(rest, _LINE) or _LINE
            end = rest.rfind(" ", _LINE // 2, end) + 1 or end  # between words, if there are any
            yield f"{rest[:end].rstrip()}\n"
            rest = f"  {rest[end:]}"
        yield rest


def _one_line(text: str, longest: int) -> str:
    return disarmed(visible(cut(" ".join(text.split()), longest)))

"""The files of an `apply_patch` text, and how many lines it adds and takes away."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from ..kinds import Operation
from .events import Touched

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_HEADS = {
    "*** Add File: ": Operation.WRITE,
    "*** Update File: ": Operation.EDIT,
    "*** Delete File: ": Operation.DELETE,
}
_MOVE = "*** Move to: "


def patched(text: str) -> list[Touched]:
    """Return the files that the patches inside a text change, in order."""
    found: list[Touched] = []
    start = text.find(_BEGIN)
    while start >= 0:
        end = text.find(_END, start)
        found += _files(text[start : end if end >= 0 else len(text)].splitlines())
        start = text.find(_BEGIN, end) if end >= 0 else -1
    return found


def changed_lines(old: str | None, new: str | None) -> str:
    """Return in a few words how many lines were put in the place of how many."""
    return f"+{_count(new)} -{_count(old)} lines"


def _files(lines: list[str]) -> Iterator[Touched]:
    file: Touched | None = None
    added = removed = 0
    for line in lines:
        if line.startswith(_MOVE) and file is not None:
            target = line.removeprefix(_MOVE).strip()
            file = Touched(target, Operation.RENAME, previous_path=file.path)
        elif (head := _head(line)) is not None:
            yield from _done(file, added, removed)
            file, added, removed = head, 0, 0
        else:
            added += line.startswith("+")
            removed += line.startswith("-")
    yield from _done(file, added, removed)


def _head(line: str) -> Touched | None:
    for head, operation in _HEADS.items():
        path = line.removeprefix(head).strip()
        if line.startswith(head) and path:
            return Touched(path, operation)
    return None


def _done(file: Touched | None, added: int, removed: int) -> Iterator[Touched]:
    if file is not None:
        yield attrs.evolve(file, changes=f"+{added} -{removed} lines")


def _count(text: str | None) -> int:
    return text.rstrip("\n").count("\n") + 1 if text else 0

"""Recorded sessions as trails: which files were opened in which order, and what outputs named."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs

from memkit.episodes.predictions.navigation import (
    Access,
    Mention,
    Trail,
)
from memkit.episodes.recording.event import EventKind, ToolCall
from memkit.episodes.recording.named_paths import (
    NamedPath,
    imported_in,
    is_path,
    named_by_call,
    placed,
)
from memkit.episodes.records import FileOperation
from memkit.episodes.transcripts.formats import opened, read

_OPENING = (FileOperation.READ, FileOperation.WRITE, FileOperation.EDIT)


@attrs.define
class Walk:
    """One session while it is replayed."""

    cwd: str = ""
    accesses: list[Access] = attrs.Factory(list)
    mentions: dict[str, Mention] = attrs.Factory(dict)
    calls: int = 0
    known: defaultdict[str, list[str]] = attrs.Factory(lambda: defaultdict(list))
    imports: dict[str, list[str]] = attrs.Factory(dict)
    asked: str = ""
    searched: bool = False

    def trail(self) -> Trail:
        """Return what is known now."""
        return Trail(
            tuple(self.accesses),
            dict(self.mentions),
            self.calls,
            request=self.asked,
            searched=self.searched,
        )

    def place(self, path: str) -> str:
        """Return a path in the form in which all are compared."""
        return posixpath.normpath(posixpath.join(self.cwd, path))

    def open(self, path: str, operation: FileOperation, *, is_part: bool) -> None:
        """Note that a file was read or changed."""
        self.accesses.append(Access(path, is_part))
        self._know(path)

    def hear(self, call: ToolCall, text: str) -> None:
        """Note the paths that the output of a call (or a prompt) names."""
        self.calls += 1
        named = named_by_call(call.tool, call.parameters, text, place=self.place)
        for place, path in enumerate(placed(named, self.known)):
            before = self.mentions.get(path)
            self.mentions[path] = Mention(self.calls, place, before.count + 1 if before else 1)
            self._know(path)

    def _know(self, path: str) -> None:
        same = self.known[posixpath.basename(path)]
        if path not in same:
            same.append(path)


def replayed(path: Path) -> Iterator[tuple[Walk, str]]:
    """Yield before each file that is read or edited, but the first, what was known and which it
    is."""
    walk = Walk()
    with opened(path) as file:
        for event in read(path, file).events:
            if event.tool is not None:
                yield from _called(walk, event.tool)
            elif event.kind is EventKind.SESSION_START:
                walk.cwd = event.cwd or walk.cwd
            elif event.kind is EventKind.PROMPT:
                walk.asked = event.text or ""
                walk.hear(ToolCall(""), walk.asked)


def _called(walk: Walk, call: ToolCall) -> Iterator[tuple[Walk, str]]:
    files = [
        (walk.place(f.path), f.operation, f.operation is FileOperation.READ and f.lines is not None)
        for f in call.files
        if f.operation in _OPENING and is_path(f.path)
    ]
    paths = [path for path, *_ in files]
    for path, operation, is_part in files:
        if walk.accesses:
            yield walk, path
        walk.open(path, operation, is_part=is_part)
    walk.searched = not files
    text = str(call.output or "")
    for path in paths:
        forms = map(NamedPath, imported_in(text, path))
        walk.imports.setdefault(path, placed(forms, walk.known))
    if not paths:
        words = (value for value in call.parameters.values() if isinstance(value, str))
        text = "\n".join([*words, text])
    walk.hear(call, text)

"""Recorded sessions as trails: which files were opened in which order, and what outputs named."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import attrs

from memkit.episodes.kinds import Operation
from memkit.episodes.mentions import folder_of_call, is_path, named_in, placed
from memkit.episodes.trail import Access, Mention, Trail
from memkit.episodes.transcripts.events import Began, Call, Prompt
from memkit.episodes.transcripts.reading import opened, read

_OPENING = (Operation.READ, Operation.WRITE, Operation.EDIT)
# What a file imports, read off what the agent saw of it: stands in for the code graph, because the
# repositories of these sessions are not there.
_RELATIVE = re.compile(r"""(?:from|import|require\()\s*['"](\.{1,2}/[^'"]+)['"]""")
_MODULE = re.compile(r"^\s*(?:from|import)\s+(\.*[\w.]+)", re.M)
_SEEN_OF_FILE = 40_000


@attrs.define
class Walk:
    """One session while it is replayed."""

    cwd: str = ""
    accesses: list[Access] = attrs.Factory(list)
    mentions: dict[str, Mention] = attrs.Factory(dict)
    calls: int = 0
    known: defaultdict[str, list[str]] = attrs.Factory(lambda: defaultdict(list))
    imports: defaultdict[str, dict[str, float]] = attrs.Factory(lambda: defaultdict(dict))

    def trail(self) -> Trail:
        """Return what is known now."""
        return Trail(tuple(self.accesses), dict(self.mentions), self.calls)

    def links(self, path: str) -> dict[str, float]:
        """Return what a file that was seen imports, in order."""
        return self.imports.get(path, {})

    def place(self, path: str) -> str:
        """Return a path in the form in which all are compared."""
        return posixpath.normpath(posixpath.join(self.cwd, path))

    def open(self, path: str, operation: Operation) -> None:
        """Note that a file was read or changed."""
        self.accesses.append(Access(path, operation))
        self._know(path)

    def hear(self, text: str, folder: str) -> None:
        """Note the paths that an output or a prompt names."""
        self.calls += 1
        for place, path in enumerate(placed(named_in(text), self.place(folder), self.known)):
            before = self.mentions.get(path)
            self.mentions[path] = Mention(self.calls, place, before.count + 1 if before else 1)
            self._know(path)

    def see(self, path: str, text: str) -> None:
        """Note what a file imports by what was seen of it."""
        folder, ending = posixpath.dirname(path), posixpath.splitext(path)[1]
        text = text[:_SEEN_OF_FILE]
        names = [m if is_path(m) else m + ending for m in _RELATIVE.findall(text)]
        if ending == ".py":
            modules = [m for m in _MODULE.findall(text) if "." in m]
            names += [m.lstrip(".").replace(".", "/") + ".py" for m in modules]
        for other in placed(names, folder, self.known):
            if other != path and other not in self.imports[path]:
                self.imports[path][other] = 1 / (1 + len(self.imports[path]))
                self._know(other)

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
            if isinstance(event, Began):
                walk.cwd = event.cwd or walk.cwd
            elif isinstance(event, Prompt):
                walk.hear(event.text, "")
            elif isinstance(event, Call):
                yield from _called(walk, event)


def _called(walk: Walk, call: Call) -> Iterator[tuple[Walk, str]]:
    paths = [
        (walk.place(f.path), f.operation)
        for f in call.files
        if f.operation in _OPENING and is_path(f.path)
    ]
    for path, operation in paths:
        if walk.accesses:
            yield walk, path
        walk.open(path, operation)
    if paths and call.output:
        walk.see(paths[-1][0], call.output)
    named = " ".join(v for v in call.parameters.values() if isinstance(v, str))
    folder = folder_of_call(call.tool, call.parameters, walk.cwd)
    walk.hear(f"{named if not paths else ''}\n{call.output or ''}", folder)

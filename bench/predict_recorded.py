"""Recorded sessions from end to end: recorded event by event as hooks do, asked by `predict`.

Each transcript is replayed into an empty store. Before each file that is opened, but the first,
`kit.episodes.predict` is asked from the one before. The floor is the same without the mentions:
what outputs named is deleted before it is asked for.
"""

from __future__ import annotations

import posixpath
import tempfile
from collections.abc import Iterator
from pathlib import Path

import memkit
from memkit.episodes.recording.event import LIVE, Event, EventKind, ToolCall
from memkit.episodes.recording.named_paths import is_path
from memkit.episodes.records import FileOperation
from memkit.episodes.transcripts.formats import opened, read
from memkit.store.store import Store

from .results import Row

_SESSION = "replayed"
_OPENING = (FileOperation.READ, FileOperation.WRITE, FileOperation.EDIT)
_FIRST = 5


def run(folder: Path, limit: int | None) -> Iterator[Row]:
    """Yield the share of files that were among the first five, all sessions together."""
    hits: dict[bool, list[bool]] = {True: [], False: []}
    for path in sorted(folder.iterdir())[:limit]:
        for mentions, shares in hits.items():
            shares += _replayed(path, mentions=mentions)
    means = {kind: sum(shares) / (len(shares) or 1) for kind, shares in hits.items()}
    yield Row("traces recorded", "hit@5", means[True], means[False])


def _replayed(path: Path, *, mentions: bool) -> Iterator[bool]:
    """Yield for each file of a session whether it was foretold."""
    with (
        tempfile.TemporaryDirectory() as folder,
        memkit.open(Path(folder) / ".memkit.db", encoder="hashing", global_store=False) as kit,
        opened(path) as file,
    ):
        walk = _Walk(kit)
        for event in read(path, file).events:
            if event.kind in (EventKind.SESSION_START, EventKind.PROMPT) or event.tool:
                yield from walk.take(event)
                if not mentions:
                    kit._store.write(lambda: _forget_mentions(kit._store))


def _forget_mentions(store: Store) -> None:
    store.run("episodes.purge_mentions", session=_SESSION)


class _Walk:
    """A session that is recorded, and the file that it opened last."""

    def __init__(self, kit: memkit.Memkit) -> None:
        self._kit = kit
        self._cwd = ""
        self._last = ""

    def take(self, event: Event) -> Iterator[bool]:
        """Yield whether the files of an event were foretold, then record it."""
        self._cwd = event.cwd or self._cwd
        call = event.tool and self._inside(event.tool)
        foretold: list[str] = []
        for path in self._opening(call) if call else ():
            if self._last:
                foretold = foretold or self._foretold()
                yield path in foretold
        for path in self._opening(call) if call else ():
            self._last = path
        text = event.text and self._relative(event.text)
        inside = event._replace(session=_SESSION, tool=call, text=text, cwd=None, at=None)
        self._kit.episodes._recording._recorder.record(inside._replace(source=LIVE))
        self._kit.episodes.flush()

    def _foretold(self) -> list[str]:
        signal = memkit.Signal("file", self._last, session=_SESSION)
        return list(self._kit.episodes.predict(signal, limit=_FIRST).files)

    def _inside(self, call: ToolCall) -> ToolCall:
        """Return a call whose paths are relative to where the session is: its repository is the
        folder of the store."""
        return call._replace(
            files=[f._replace(path=self._relative(f.path)) for f in call.files],
            parameters={
                name: self._relative(value) if isinstance(value, str) else value
                for name, value in call.parameters.items()
            },
            output=self._relative(str(call.output or "")),
        )

    def _relative(self, text: str) -> str:
        return text.replace(f"{self._cwd}/", "") if self._cwd else text

    @staticmethod
    def _opening(call: ToolCall) -> list[str]:
        files = [f for f in call.files if f.operation in _OPENING and is_path(f.path)]
        return [posixpath.normpath(f.path) for f in files]

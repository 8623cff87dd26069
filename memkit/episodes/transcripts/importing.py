"""Takes transcripts into the episodes, so that doing it again adds only what is new.

A session is known by its own name, a task by its prompt's, a call by its id. Files are written in
batches: an import that was killed is completed by the next one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ...arguments import Progress
from ...errors import InvalidInput, NotFound
from . import reading
from .events import Event
from .intake import Intake
from .reading import TranscriptFormat

if TYPE_CHECKING:
    from ...store.connection import Store
    from ..places import Places

# Events between two calls of the progress, and in one transaction.
BATCH = 300


@attrs.frozen
class Imported:
    """What an import added.

    Attributes:
        files: transcripts read. sessions, tasks, calls, interactions: rows that are new.
        known: tasks and calls that were there already.
        skipped: rows that are no events, by reason. left_out: files that were not read, and why.
        redacted: kinds of secrets that were replaced by markers, with their number.
    """

    files: int = 0
    sessions: int = 0
    tasks: int = 0
    calls: int = 0
    interactions: int = 0
    known: int = 0
    skipped: Mapping[str, int] = attrs.field(factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    redacted: Mapping[str, int] = attrs.field(factory=dict)


class TranscriptImporter:
    """Imports transcripts into one project of a store."""

    def __init__(
        self, store: Store, places: Places, *, project: str = "", revive: bool = False
    ) -> None:
        """With `revive` sessions and tasks come back that were purged here."""
        self._begin = partial(Intake, store, places, project=project, revive=revive)

    def import_(
        self,
        path: Path,
        *,
        format: TranscriptFormat | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Import a transcript, or all transcripts of a folder and its subfolders.

        `progress` is called with the bytes done and the bytes in all. Raises NotFound, or
        InvalidInput if a file is no transcript (of `format`, if given) or a folder holds none.
        """
        if not path.is_dir():
            return self._files([path], format, progress, is_folder=False)
        # By name, so that the file of a session stands before the folder of its subagents.
        found = sorted(_transcripts(path), key=str)
        done = self._files(found, format, progress, is_folder=True)
        if not done.files:
            raise InvalidInput(
                f"{path}: holds no transcript among {len(found)} files named "
                f"*{', *'.join(reading.ENDINGS)}; give a transcript, or its folder"
            )
        return done

    # -- inside

    def _files(
        self,
        paths: list[Path],
        format: TranscriptFormat | None,
        progress: Progress | None,
        *,
        is_folder: bool,
    ) -> Imported:
        sizes = [_size(path) for path in paths]
        counts: Counter[str] = Counter()
        skipped: Counter[str] = Counter()
        redacted: Counter[str] = Counter()
        left_out: list[tuple[str, str]] = []
        before = 0
        for path, size in zip(paths, sizes, strict=True):
            intake = self._begin()
            try:
                for done in self._file(path, format, intake):
                    if progress:
                        progress(before + min(done, size), max(sum(sizes), 1))
            except (InvalidInput, NotFound) as error:
                if not is_folder:
                    raise
                left_out.append((path.name, str(error).removeprefix(f"{path}: ")))
            else:
                counts["files"] += 1
            before += size
            counts += intake.counts
            skipped += intake.skipped
            redacted += intake.redacted
        return Imported(**counts, skipped=skipped, redacted=redacted, left_out=tuple(left_out))

    def _file(self, path: Path, format: TranscriptFormat | None, intake: Intake) -> Iterator[int]:
        """Import one file; yield the bytes that were read, from time to time."""
        with reading.opened(path) as file:
            transcript = reading.read(path, file, format)
            intake.begin(transcript.format, modified=path.stat().st_mtime)
            batch: list[Event] = []
            for event in transcript.events:
                batch.append(event)
                if len(batch) >= BATCH:
                    intake.take(batch)
                    batch = []
                    yield file.tell()
            intake.take(batch)
            intake.end()
            yield file.tell()


def _transcripts(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder that may be transcripts; links are not followed."""
    for path in folder.rglob("*"):
        if path.suffix in reading.ENDINGS and path.is_file() and not path.is_symlink():
            yield path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

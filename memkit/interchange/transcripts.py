"""Transcripts of agents as something that can be imported; the episodes take them in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import Progress
from ..episodes.places import Places
from ..episodes.transcripts.importing import TranscriptImporter
from ..episodes.transcripts.reading import ENDINGS, TranscriptFormat, is_transcript
from .intake import TranscriptsTakenIn

if TYPE_CHECKING:
    from ..store.connection import Store


def take_in(
    store: Store,
    path: Path,
    *,
    format: TranscriptFormat | None,
    project: str,
    revive: bool = False,
    progress: Progress | None = None,
) -> TranscriptsTakenIn:
    """Take in a transcript, or all of a folder; what is there already is left alone.

    Paths count from the folder of the store. With `revive` comes back what was purged. Raises
    NotFound or InvalidInput.
    """
    importer = TranscriptImporter(store, Places(store.path.parent), project=project, revive=revive)
    done = importer.import_(path, format=format, progress=progress)
    added = done.tasks + done.calls
    return TranscriptsTakenIn(
        read=added + done.known,
        added=added,
        unchanged=done.known,
        files=done.files,
        left_out=done.left_out,
        redacted=done.redacted,
        sessions=done.sessions,
        tasks=done.tasks,
        calls=done.calls,
        interactions=done.interactions,
        skipped=done.skipped,
    )


def looks_like_one(path: Path) -> bool:
    """Whether a file is a transcript, by its ending and its content."""
    return path.suffix.casefold() in ENDINGS and path.is_file() and is_transcript(path)

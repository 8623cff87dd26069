"""Transcripts of agents as something that can be imported; the episodes take them in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import Progress
from ..episodes.places import Places
from ..episodes.transcripts.importing import TranscriptImporter
from ..episodes.transcripts.reading import TranscriptFormat
from .notes_importer import TranscriptsTakenIn

if TYPE_CHECKING:
    from ..store.connection import Store


def take_in(
    store: Store,
    path: Path,
    *,
    format: TranscriptFormat | None,
    project: str,
    revive: bool,
    progress: Progress | None,
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

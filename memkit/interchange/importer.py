"""Importer: format detection and dispatch."""

from __future__ import annotations

import io
import json
import os
import re
from contextlib import suppress
from enum import StrEnum
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any

import attrs

from .. import validation
from ..errors import InvalidInput, NotFound
from ..store.store import Store
from ..text.analyzer import decode
from ..validation import Progress
from . import archive, merge
from .archive import PathOrStream
from .note_files import Gathered, gather_file, gather_folder
from .note_sections import Markup
from .notes_importer import ImportReport, NotesImporter, TranscriptsTakenIn
from .notes_parser import Reading, markup_of, read_notes
from .other_tools import is_graph, is_issues, read_graph, read_issues, why_deleted

if TYPE_CHECKING:
    from ..memories.memories import Memories
    from ..memories.search_index import Index


# --- Into the store: archives, notes, memories of other tools, transcripts of agents.

_SQLITE = b"SQLite format 3\0"
# What has no ending, such as standard input, is data if it begins so.
_BEGINS_AS_JSON = re.compile(r'[\ufeff\s]*(?:\{\s*"|\[\s*\{)')
_DATA_ENDINGS = (".json", ".jsonl", ".ndjson")


class Format(StrEnum):
    """What can be imported."""

    MEMKIT = "memkit"
    MCP = "mcp"
    BEADS = "beads"
    MARKDOWN = "markdown"
    RST = "rst"
    PLAIN = "plain"
    TRANSCRIPT = "transcript"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    SWE_AGENT = "swe-agent"
    OPENHANDS = "openhands"


_DATA = frozenset({Format.MEMKIT, Format.MCP, Format.BEADS})
# Formats of transcripts; `transcript` is any of them, seen from the content.
_TRANSCRIPTS = frozenset(Format) - _DATA - {Format.MARKDOWN, Format.RST, Format.PLAIN}
_KNOWN = f"known formats are {', '.join(Format)}"


class Importer:
    """Reads files of any known format into one project of a store."""

    def __init__(
        self,
        store: Store,
        index: Index,
        memories: Memories,
        *,
        project: str,
        revive: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """With `revive` comes back what was purged here; `progress` hears how far it is."""
        self._store = store
        self._index = index
        self._memories = memories
        self._project = project
        self._revive = validation.boolean(revive, name="revive")
        self._progress = validation.callback(progress, name="progress")
        self._notes = NotesImporter(store, memories, project=project, progress=self._progress)

    def import_(self, source: PathOrStream, *, format: str | None = None) -> ImportReport:
        """Import a file, a folder of notes or transcripts, or an open stream; return what changed.

        Another memkit store is opened for reading, and merged as its export would be.
        The format is seen from the content and the name unless it is given. Raises NotFound,
        InvalidInput (naming the line) or SchemaTooNew; then nothing is changed.
        """
        chosen = None if format is None else validation.member(Format, format, name="format")
        if not isinstance(source, str | os.PathLike):
            return self._stream(source, chosen)
        if _is_address(source):
            raise InvalidInput(f"source: {source!r} lies on the net; fetch it, and give the file")
        path = validation.path(source, name="source")
        if chosen in _TRANSCRIPTS or (chosen is None and _is_transcript(path)):
            return self._transcript(path, chosen)
        if path.is_dir():
            return self._folder(path, chosen)
        data = _read(path)
        if not path.is_file():  # a pipe, which is read only once, as `memkit import <(…)` names one
            return self._stream(io.BytesIO(data), chosen)
        if data.startswith(_SQLITE) and chosen in (None, Format.MEMKIT):
            return self._store_file(path)
        text = decode(data)
        if chosen not in _DATA and not _is_data(text, path.name):
            return self._file(path, chosen)
        return self._text(text, path.name, chosen)

    def repository(self, root: Path | None = None) -> ImportReport:
        """Take in the notes of the repository around the store, or at `root`."""
        root = root or self._store.path.parent
        if not root.is_dir():
            raise NotFound(f"{root}: there is no such folder; give the root of a repository")
        return self._notes.repository(root)

    # -- inside

    def _stream(self, source: IO[Any], chosen: Format | None) -> ImportReport:
        if not hasattr(source, "read"):
            raise InvalidInput(f"source: found {source!r}, expected a path or an open stream")
        if chosen in _TRANSCRIPTS:
            raise InvalidInput("stdin: a transcript is read from a file; give it by its name")
        data = source.read()
        if isinstance(data, bytes) and data.startswith(_SQLITE):
            raise InvalidInput("stdin: is a database; give the file by its name")
        return self._text(decode(data) if isinstance(data, bytes) else data, "stdin", chosen)

    def _transcript(self, path: Path, chosen: Format | None) -> ImportReport:
        # Imported here: the readers are of no use to those who import notes.
        from ..episodes.paths import RepositoryPaths
        from ..episodes.transcripts.formats import TranscriptFormat
        from ..episodes.transcripts.importer import TranscriptImporter

        is_any = chosen in (None, Format.TRANSCRIPT)
        paths = RepositoryPaths(self._store.path.parent)
        importer = TranscriptImporter(
            self._store, paths, project=self._project, revive=self._revive
        )
        expected = None if is_any else TranscriptFormat(str(chosen))
        done = importer.import_(path, format=expected, progress=self._progress)
        counts = attrs.asdict(done, recurse=False)
        unchanged, added = counts.pop("known"), done.tasks + done.calls
        return TranscriptsTakenIn(
            read=added + unchanged, added=added, unchanged=unchanged, **counts
        )

    def _text(self, text: str, name: str, chosen: Format | None) -> ImportReport:
        if chosen is Format.MEMKIT or (chosen is None and archive.is_archive(text)):
            return merge.import_archive(
                self._store,
                self._index,
                self._memories,
                archive.read(text.removeprefix("\ufeff"), name=name),
                revive=self._revive,
                progress=self._progress,
            )
        if chosen is Format.BEADS or (chosen is None and is_issues(text)):
            deleted = why_deleted(text, name=name)
            return self._notes.drafts(read_issues(text, name=name), why_gone=deleted.get)
        if chosen is Format.MCP or (chosen is None and _is_data(text, name)):
            if chosen is None and not is_graph(text) and _is_json(text):
                raise InvalidInput(f"{name} line 1: is JSON of no known format; {_KNOWN}")
            return self._notes.drafts(read_graph(text, name=name))
        markup = markup_of(name) if chosen is None else Markup(chosen)
        drafts = read_notes(text, path=name, markup=markup)
        return self._notes.drafts(Reading(tuple(drafts)))

    def _store_file(self, path: Path) -> ImportReport:
        """Merge what another store would export."""
        if path.samefile(self._store.path):
            raise InvalidInput(
                f"{path}: is the store itself; give another file, in a merge what "
                "'git show MERGE_HEAD:./.memkit.db' writes"
            )
        wait, clock = self._store.busy_timeout, self._store.clock
        other = Store(path, readonly=True, clock=clock, busy_timeout=wait)
        try:
            text = "".join(archive.lines(other, local=False))
        finally:
            other.close()
        return self._text(text, path.name, Format.MEMKIT)

    def _folder(self, path: Path, chosen: Format | None) -> ImportReport:
        if chosen in _DATA:
            raise InvalidInput(f"{path}: is a folder, expected a file of format {chosen}")
        folder = path.resolve()
        root = self._root(folder)
        return self._notes.files(gather_folder(folder, root=root), root)

    def _file(self, path: Path, chosen: Format | None) -> ImportReport:
        full = path.resolve()
        root = self._root(full.parent)
        inside = full.relative_to(root).as_posix()
        gathered = gather_file(inside, root=root)
        if gathered.left_out:
            raise InvalidInput(f"{path}: was not imported: {gathered.left_out[0][1]}; {_KNOWN}")
        if chosen is None:
            return self._notes.files(gathered, root)
        named = tuple(attrs.evolve(f, markup=Markup(chosen)) for f in gathered.files)
        return self._notes.files(Gathered(named, ()), root)

    def _root(self, folder: Path) -> Path:
        """Return the folder from which paths count, the same for a file whichever folder was named:
        the store's own, or if the notes are elsewhere, their repository, or the folder itself."""
        home = self._store.path.parent
        if folder.is_relative_to(home):
            return home
        return next((p for p in (folder, *folder.parents) if (p / ".git").exists()), folder)


def _is_address(source: str | os.PathLike[str]) -> bool:
    """Whether a source is an address of the net, which as a path would be told as another one."""
    return isinstance(source, str) and "://" in source and not os.path.exists(source)  # noqa: PTH110


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise NotFound(
            f"{path}: there is no such file; give a file or folder, or - for stdin"
        ) from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror or error})") from None


def _is_transcript(path: Path) -> bool:
    """Whether a file is a transcript; exports are told by their beginning, without reading them."""
    from ..episodes.transcripts.formats import ENDINGS, is_transcript

    if path.suffix.casefold() not in ENDINGS or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            start = file.read(64).decode("utf-8", "replace")
    except OSError:
        return False  # `_read` says why
    return not archive.is_archive(start) and is_transcript(path)


def _is_data(text: str, name: str) -> bool:
    """Whether a text is meant as an export or MCP memory file, whole or not: never as notes."""
    ending = PurePath(name).suffix.casefold()
    is_named = ending in _DATA_ENDINGS or (not ending and _BEGINS_AS_JSON.match(text) is not None)
    return is_named or archive.is_archive(text) or is_graph(text)


def _is_json(text: str) -> bool:
    """Whether a text, or its first line, is JSON."""
    bare = text.removeprefix("\ufeff").strip()
    for part in (bare, bare.partition("\n")[0]):
        with suppress(ValueError, RecursionError):
            json.loads(part)
            return True
    return False

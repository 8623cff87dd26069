"""Out of the store and into it: archives without loss, notes, memories of other tools, transcripts
of agents."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from pathlib import Path, PurePath
from typing import IO, TYPE_CHECKING, Any

import attrs

from .. import arguments
from ..errors import InvalidInput, NotFound, StoreReadOnly
from ..safety import PrivateFiles
from ..store.connection import Store
from . import archive, merge
from .gathering import Gathered, gather_folder, read_files
from .headings import Markup
from .intake import Intake, TakenIn
from .notes import Reading, Role, decode, is_graph, markup_of, read_graph, read_notes

if TYPE_CHECKING:
    from ..memories.indexing import Index
    from ..memories.memories import Memories

Progress = Callable[[int, int], None]
_SQLITE = b"SQLite format 3\0"
# What has no ending, such as standard input, is data if it begins so.
_BEGINS_AS_JSON = re.compile(r'[\ufeff\s]*(?:\{\s*"|\[\s*\{)')
_DATA_ENDINGS = (".json", ".jsonl", ".ndjson")
Place = str | os.PathLike[str] | IO[Any]


class Format(StrEnum):
    """What can be imported."""

    MEMKIT = "memkit"
    MCP = "mcp"
    MARKDOWN = "markdown"
    RST = "rst"
    PLAIN = "plain"
    TRANSCRIPT = "transcript"
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    SWE_AGENT = "swe-agent"
    OPENHANDS = "openhands"


# Formats of transcripts; `transcript` is any of them, seen from the content.
_TRANSCRIPTS = frozenset(Format) - frozenset(
    {Format.MEMKIT, Format.MCP, Format.MARKDOWN, Format.RST, Format.PLAIN}
)


def export(store: Store, target: Place, *, local: bool) -> int:
    """Write an archive of the store to a file or an open stream; return the number of rows.

    A file appears as a whole or not at all. One that is there already is replaced only if it is an
    archive too; raises InvalidInput otherwise, StoreReadOnly if it cannot be written.
    """
    found = archive.lines(store, local=arguments.boolean(local, name="local"))
    if not isinstance(target, str | os.PathLike):
        if not hasattr(target, "write"):
            raise InvalidInput(f"target: found {target!r}, expected a file or an open stream")
        return _stream_out(target, found)
    path = arguments.path(target, name="target")
    _check_target(path, store)
    try:
        return _replace(path, found)
    except OSError as error:
        reason = error.strerror or error
        raise StoreReadOnly(f"{path}: cannot be written ({reason}); choose another path") from None


class Importer:
    """Reads files of any known format into one project of a store."""

    def __init__(
        self, store: Store, index: Index, memories: Memories, *, project: str = ""
    ) -> None:
        self._store = store
        self._index = index
        self._memories = memories
        self._intake = Intake(store, memories, project=project)
        self._project = project

    def import_(
        self,
        source: Place,
        *,
        format: str | None = None,
        revive: bool = False,
        progress: Progress | None = None,
    ) -> TakenIn:
        """Import a file, a folder of notes or transcripts, or an open stream; return what changed.

        Another memkit store is opened for reading, and merged as its export would be.
        The format is seen from the content and the name unless it is given. Raises NotFound,
        InvalidInput (naming the line) or SchemaTooNew; then nothing is changed.
        """
        chosen = None if format is None else arguments.member(Format, format, name="format")
        arguments.boolean(revive, name="revive")
        arguments.callback(progress, name="progress")
        if not isinstance(source, str | os.PathLike):
            return self._stream(source, chosen, revive=revive, progress=progress)
        path = arguments.path(source, name="source")
        if chosen in _TRANSCRIPTS or (chosen is None and _is_transcript(path)):
            return self._transcript(path, chosen, revive=revive, progress=progress)
        if path.is_dir():
            return self._folder(path, chosen, progress)
        data = _read(path)
        if data.startswith(_SQLITE) and chosen in (None, Format.MEMKIT):
            return self._store_file(path, revive=revive, progress=progress)
        text = decode(data)
        if chosen not in (Format.MEMKIT, Format.MCP) and not _is_data(text, path.name):
            return self._file(path, chosen, progress)
        return self._text(text, path.name, chosen, revive=revive, progress=progress)

    def repository(self, root: Path | None = None, progress: Progress | None = None) -> TakenIn:
        """Take in the notes of the repository around the store, or at `root`."""
        root = root or self._store.path.parent
        if not root.is_dir():
            raise NotFound(f"{root}: there is no such folder; give the root of a repository")
        return self._intake.repository(root, progress)

    # -- inside

    def _stream(
        self,
        source: IO[Any],
        chosen: Format | None,
        *,
        revive: bool,
        progress: Progress | None,
    ) -> TakenIn:
        if not hasattr(source, "read"):
            raise InvalidInput(f"source: found {source!r}, expected a path or an open stream")
        if chosen in _TRANSCRIPTS:
            raise InvalidInput("stdin: a transcript is read from a file; give it by its name")
        data = source.read()
        if isinstance(data, bytes) and data.startswith(_SQLITE):
            raise InvalidInput("stdin: is a database; give the file by its name")
        text = decode(data) if isinstance(data, bytes) else data
        return self._text(text, "stdin", chosen, revive=revive, progress=progress)

    def _transcript(
        self, path: Path, chosen: Format | None, *, revive: bool, progress: Progress | None
    ) -> TakenIn:
        # Imported here: the readers are of no use to those who import notes.
        from ..episodes.transcripts.reading import TranscriptFormat
        from .transcripts import take_in

        wanted = None if chosen in (None, Format.TRANSCRIPT) else TranscriptFormat(str(chosen))
        return take_in(
            self._store,
            path,
            format=wanted,
            project=self._project,
            revive=revive,
            progress=progress,
        )

    def _text(
        self,
        text: str,
        name: str,
        chosen: Format | None,
        *,
        revive: bool,
        progress: Progress | None,
    ) -> TakenIn:
        if chosen is Format.MEMKIT or (chosen is None and archive.is_archive(text)):
            return merge.import_archive(
                self._store,
                self._index,
                self._memories,
                archive.read(text.removeprefix("\ufeff"), name=name),
                revive=revive,
                progress=progress,
            )
        if chosen is Format.MCP or (chosen is None and _is_data(text, name)):
            return self._intake.drafts(read_graph(text, name=name), progress=progress)
        markup = markup_of(name) if chosen is None else Markup(chosen)
        found = read_notes(text, path=name, markup=markup)
        return self._intake.drafts(Reading(tuple(found)), progress=progress)

    def _store_file(self, path: Path, *, revive: bool, progress: Progress | None) -> TakenIn:
        """Merge what another store would export."""
        if path.samefile(self._store.path):
            raise InvalidInput(f"{path}: is the store itself; give another file")
        other = Store(path, readonly=True, clock=self._store.clock)
        try:
            text = "".join(archive.lines(other, local=False))
        finally:
            other.close()
        return self._text(text, path.name, Format.MEMKIT, revive=revive, progress=progress)

    def _folder(self, path: Path, chosen: Format | None, progress: Progress | None) -> TakenIn:
        if chosen in (Format.MEMKIT, Format.MCP):
            raise InvalidInput(f"{path}: is a folder, expected a file of format {chosen}")
        folder = path.resolve()
        root = self._root(folder)
        return self._intake.files(gather_folder(folder, root=root), progress=progress)

    def _file(self, path: Path, chosen: Format | None, progress: Progress | None) -> TakenIn:
        full = path.resolve()
        root = self._root(full.parent)
        inside = full.relative_to(root).as_posix()
        gathered = read_files(root, [(inside, Role.NOTES)], PrivateFiles(root))
        if gathered.left_out:
            raise InvalidInput(f"{path}: was not imported: {gathered.left_out[0][1]}")
        if chosen is None:
            return self._intake.files(gathered, progress=progress)
        named = tuple(attrs.evolve(f, markup=Markup(chosen)) for f in gathered.files)
        return self._intake.files(Gathered(named, ()), progress=progress)

    def _root(self, folder: Path) -> Path:
        """Return the folder from which paths count, the same for a file whichever folder was named:
        the store's own, or if the notes are elsewhere, their repository, or the folder itself."""
        home = self._store.path.parent
        if folder.is_relative_to(home):
            return home
        return next((p for p in (folder, *folder.parents) if (p / ".git").exists()), folder)


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
    from .transcripts import looks_like_one

    if path.suffix.casefold() not in (*_DATA_ENDINGS, ".traj") or not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(64).decode("utf-8", "replace")
    return not archive.is_archive(start) and looks_like_one(path)


def _is_data(text: str, name: str) -> bool:
    """Whether a text is meant as an export or MCP memory file, whole or not: never as notes."""
    ending = PurePath(name).suffix.casefold()
    is_named = ending in _DATA_ENDINGS or (not ending and _BEGINS_AS_JSON.match(text) is not None)
    return is_named or archive.is_archive(text) or is_graph(text)


def _check_target(path: Path, store: Store) -> None:
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise InvalidInput(f"{path}: is a folder, or its folder is missing; name a file")
    if path.is_symlink() or (path.exists() and path.samefile(store.path)):
        raise InvalidInput(f"{path}: is a link or the store itself; choose another path")
    if path.exists():
        with path.open("rb") as found:
            start = found.read(64)
        if start and not archive.is_archive(start.decode("utf-8", "replace")):
            raise InvalidInput(
                f"{path}: exists and is no memkit export; choose another path or remove it"
            )


def _stream_out(target: IO[Any], found: Iterator[str]) -> int:
    """Write the lines to an open stream of text or of bytes; return the number of rows."""
    if isinstance(target, io.RawIOBase):  # which may write less than it is given
        whole = io.BufferedWriter(target)
        try:
            return _stream_out(whole, found)
        finally:
            whole.detach()
    try:
        target.write("")
    except (TypeError, AttributeError):  # bytes, then: no property says so of every stream
        return _write(target.write, (line.encode() for line in found))
    return _write(target.write, found)


def _write(write: Callable[[Any], object], found: Iterable[object]) -> int:
    """Write a header and rows; return the number of rows. What `write` returns tells nothing."""
    count = -1
    for line in found:
        write(line)
        count += 1
    return count


def _replace(path: Path, found: Iterator[str]) -> int:
    """Write the lines beside `path`, then put the file in its place."""
    beside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("xb") as written:
            count = _write(written.write, (line.encode() for line in found))
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    return count

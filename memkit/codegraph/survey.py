"""What is different on the disk from what the graph knows: one look at each file, none is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import attrs

from .dialect import Dialect
from .kinds import FileStatus
from .listing import Folders, Lister, Listing
from .scanning import UNSURE, Content, LeftOut, Privacy, look, mark, read

DialectOf = Callable[[str, bytes], Dialect | None]

# Enough of a file to see which language it is in.
_HEAD = 4096


@attrs.frozen
class FileRow:
    """A file as it stands in code_files."""

    id: int
    path: str
    language: str = ""
    namespace: str = ""
    status: str = FileStatus.LISTED
    reason: str | None = None
    size: int = 0
    stamp: int = UNSURE
    hash: bytes | None = None
    lines: int = 0
    errors: int = 0
    nodes: str = "[]"

    @property
    def is_watched(self) -> bool:
        """Whether a change of its content matters."""
        is_read = self.status != FileStatus.LISTED or self.hash is not None
        return is_read and not self.path.endswith("/")


@attrs.frozen
class Survey:
    """What is to be done.

    Attributes:
        listing: what the tree holds.
        suspects: paths that are new or may have changed, sorted.
        gone: files that are no longer there.
    """

    listing: Listing
    suspects: tuple[str, ...]
    gone: tuple[FileRow, ...]


@attrs.frozen
class Found:
    """A file that was looked into.

    Attributes:
        row: as it is to stand in code_files; its id is that of the former row, 0 for a new file.
        data: its bytes if it is to be parsed.
    """

    row: FileRow
    data: bytes | None = None


def survey(
    base: Path,
    known: Mapping[str, FileRow],
    *,
    prefix: str = "",
    without: frozenset[str],
    folders: Folders | None = None,
) -> Survey:
    """Compare a tree with what is known of it.

    Paths count from `base`; only what begins with `prefix` ("" or "folder/") is looked at.
    `without` are files that are memkit's own; `folders` what is remembered of an earlier look.
    """
    lister = Lister(base, prefix, folders)
    lister.start()
    try:
        changed, vanished = _changed(base, known)
    finally:
        listing = lister.finish()
    there = set(listing.paths) - without - vanished
    # What git tracks it lists although it was deleted.
    new = {path for path in there - known.keys() if os.path.lexists(base / path)}
    left_out = {path for path, why in listing.skipped.items() if _reason(known, path) != why}
    gone = [known[path] for path in known.keys() - there - listing.skipped.keys()]
    gone.sort(key=lambda row: row.id)
    suspects = (changed & there) | new | left_out
    return Survey(listing, tuple(sorted(suspects)), tuple(gone))


class Reader:
    """Looks into the files that a survey suspects."""

    def __init__(
        self,
        base: Path,
        listing: Listing,
        dialect_of: DialectOf,
        *,
        languages: frozenset[str] | None = None,
        settings: frozenset[str] = frozenset(),
    ) -> None:
        """`languages`: only these. `settings`: names of files that are watched, but no code."""
        self._base = base
        self._listing = listing
        self._dialect_of = dialect_of
        self._languages = languages
        self._settings = settings
        self._privacy = Privacy(base, listing.paths)

    def read(self, path: str, known: FileRow | None) -> Found:
        """Return what a file is now; its data only if they differ from what was parsed before."""
        number = known.id if known else 0
        if path in self._listing.skipped:
            return _left_out(FileRow(number, path), LeftOut(self._listing.skipped[path]))
        if not self._is_of_interest(path):
            return Found(FileRow(number, path))
        if private := self._privacy.reason(path):
            return _left_out(FileRow(number, path), LeftOut(private))
        full = os.path.join(self._base, path)  # noqa: PTH118 - for every file
        looked = look(full)
        row = FileRow(number, path, size=looked.size, stamp=looked.stamp)
        if looked.left_out is not None:
            return _left_out(row, looked.left_out)
        content = read(full)
        if isinstance(content, LeftOut):
            return _left_out(row, content)
        return self._judged(row, known, content)

    def _is_of_interest(self, path: str) -> bool:
        """Whether a name belongs to a language, is a setting, or says too little to tell."""
        name = path.rpartition("/")[2]
        return self._dialect_of(path, b"") is not None or name in self._settings or "." not in name

    def _judged(self, row: FileRow, known: FileRow | None, content: Content) -> Found:
        row = attrs.evolve(row, hash=content.hash)
        if known and known.hash == content.hash and known.status == FileStatus.PARSED:
            return Found(attrs.evolve(known, size=row.size, stamp=row.stamp))
        dialect = self._dialect_of(row.path, content.data[:_HEAD])
        if dialect is None:
            return Found(row)
        row = attrs.evolve(row, language=dialect.name, status=FileStatus.PARSED)
        if self._languages is not None and dialect.name not in self._languages:
            return _left_out(row, LeftOut("its language was not asked for"))
        return Found(row, content.data)


def _left_out(row: FileRow, why: LeftOut) -> Found:
    status = FileStatus.FAILED if why.failed else FileStatus.SKIPPED
    return Found(attrs.evolve(row, status=status, reason=why.reason))


def _changed(root: Path, known: Mapping[str, FileRow]) -> tuple[set[str], set[str]]:
    """Return the paths of watched files that are not as they were, and of those that are gone."""
    base = f"{root}{os.sep}"
    changed, vanished = set(), set()
    lstat = os.lstat
    for path, row in known.items():
        if not row.is_watched:
            continue
        try:
            status = lstat(base + path)
        except FileNotFoundError:
            vanished.add(path)
        except OSError:
            changed.add(path)
        else:
            if status.st_size != row.size or mark(status) != row.stamp:
                changed.add(path)
    return changed, vanished


def _reason(known: Mapping[str, FileRow], path: str) -> str | None:
    row = known.get(path)
    return row.reason if row else None

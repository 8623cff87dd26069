"""Out of the store: an archive without loss, to a file or an open stream."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from .. import arguments
from ..errors import InvalidInput, StoreReadOnly
from . import archive

PathOrStream = str | os.PathLike[str] | IO[Any]


def export(store: archive.RowSource, target: PathOrStream, *, local: bool) -> int:
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


def _check_target(path: Path, store: archive.RowSource) -> None:
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
    opened = beside.open("xb")  # outside: what is there already is another thread's
    try:
        with opened as written:
            count = _write(written.write, (line.encode() for line in found))
        beside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    return count

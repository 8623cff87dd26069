"""Whether a file is to be read, whether it has changed since, and its bytes as UTF-8.

A file is looked at in three steps, each dearer than the one before: its stamp (no read), the hash
of its bytes, its syntax. What is not read is left out with a reason, never silently.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
import time
from contextlib import suppress
from fnmatch import translate
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import attrs

from ..redaction import PrivateFiles
from ..redaction.private_files import PRIVATE_NAMES
from ..text.analyzer import beyond_utf8

# As scip-typescript: what people write by hand is smaller.
MOST_BYTES = 1_000_000
# With a mean above the one, or most of it in lines above the other, code was made by a minifier:
# 2.8 MB in one line gave 60,000 symbols in 1.7 s. One long text in code that people wrote is none.
MEAN_LINE, LONGEST_LINE = 500, 5000
# Where a generator says so, in a comment of its own, and where a binary file shows that it is one.
_HEAD = 8192
_GENERATED = re.compile(rb"^[ \t]*(?:#|//|/?\*|--|;|%|<!--|\"\"\"|''').*@generated\b", re.MULTILINE)
# A file changed so shortly before it was looked at may change again under the same time: file
# systems count in ticks of the clock (some 10 ms), old ones in seconds or two.
_TICK, _COARSE, _SECOND = 50_000_000, 2_000_000_000, 1_000_000_000
# Stamp of a file that must be read to know whether it has changed.
UNSURE = 0
# Stamps take six bytes of the file.
_STAMP = (1 << 47) - 1
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@attrs.frozen
class LeftOut:
    """A file that is not read, or could not be: `failed` if it should have been."""

    reason: str
    failed: bool = False


@attrs.frozen
class Look:
    """What the file system says of a file.

    Attributes:
        size: bytes.
        stamp: a number that changes when the file does; UNSURE if only its bytes can tell.
        left_out: why it is not to be read, or None.
    """

    size: int
    stamp: int
    left_out: LeftOut | None = None


@attrs.frozen
class Content:
    """The bytes of a file.

    Attributes:
        data: as UTF-8, a mark of byte order kept.
        hash: blake2b/16 of the bytes on the disk.
        note: the encoding that it was in, if not UTF-8.
    """

    data: bytes
    hash: bytes
    note: str | None = None


def look(path: str) -> Look:
    """Return size and stamp of a file without reading it; links are not followed."""
    try:
        found = os.lstat(path)
    except OSError as error:
        return Look(0, UNSURE, _failure(error))
    left_out = None
    if not stat.S_ISREG(found.st_mode):
        left_out = LeftOut(_SORTS.get(stat.S_IFMT(found.st_mode), "no ordinary file"))
    elif found.st_size > MOST_BYTES:
        left_out = LeftOut(f"larger than {MOST_BYTES} bytes")
    return Look(found.st_size, stamp(found, time.time_ns()), left_out)


def read(path: str) -> Content | LeftOut:
    """Return the content of a file, or why it is left out."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a third of Path.read_bytes
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        return _failure(error)
    if len(data) > MOST_BYTES:
        return LeftOut(f"larger than {MOST_BYTES} bytes")
    digest = blake2b(data, digest_size=16).digest()
    data, note = _as_utf8(data)
    if b"\r" in data and b"\n" not in data:  # lines end as they did on old Macs
        data = data.replace(b"\r", b"\n")
    reason = _machine_made(data)
    return LeftOut(reason) if reason else Content(data, digest, note)


class Privacy:
    """Whether files below a root must not be read; asks for the rules only where they may bite."""

    def __init__(self, root: Path, paths: tuple[str, ...]) -> None:
        self._files = PrivateFiles(root)
        self._ruled = any(path.endswith(".secretsignore") for path in paths)

    def reason(self, path: str) -> str | None:
        """Return why a path is private, or None."""
        # To follow every path to its end takes most of a millisecond each.
        if not self._ruled and not _is_suspect(path.lower()):
            return None
        found = self._files.reason(path)
        # What git lists although a rule ignores it is tracked: it is in the repository anyway.
        return None if found is None or found.endswith(".gitignore") else f"private: {found}"


def _is_suspect(path: str) -> bool:
    """Whether a path in lower case may be private by its name: all that are, and some more."""
    names, folders = _suspects()
    folder, _, name = path.rpartition("/")
    return bool(names.fullmatch(name)) or not folders.isdisjoint(folder.split("/"))


@lru_cache(maxsize=1)
def _suspects() -> tuple[re.Pattern[str], frozenset[str]]:
    """Return an expression for names of private files, and the folders that begin such paths."""
    names = [translate(pattern) for pattern in PRIVATE_NAMES if "/" not in pattern]
    folders = (pattern.partition("/")[0] for pattern in PRIVATE_NAMES if "/" in pattern)
    return re.compile("|".join(names)), frozenset(folders)


def stamp(found: os.stat_result, now: int) -> int:
    """Return a number made of the times of content and of inode, and the inode's own."""
    newest = max(found.st_mtime_ns, found.st_ctime_ns)
    if now - newest < (_TICK if newest % _SECOND else _COARSE):
        return UNSURE
    return mark(found)


def mark(found: os.stat_result) -> int:
    """Return the same for what was sure before: what has these times still has not changed."""
    return ((found.st_mtime_ns * 31 + found.st_ctime_ns) * 31 + found.st_ino) & _STAMP or 1


def _failure(error: OSError) -> LeftOut:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return LeftOut("vanished", failed=True)
    return LeftOut(f"unreadable: {error.strerror}", failed=True)


def _as_utf8(data: bytes) -> tuple[bytes, str | None]:
    """Return the bytes as UTF-8, and the encoding that they were in if it was another."""
    if data.startswith(_UTF16):
        try:
            return data.decode("utf-16").encode(), "utf-16"
        except UnicodeDecodeError:
            return data, None
    try:
        data.decode()
    except UnicodeDecodeError:
        return _by_its_word(data)
    return data, None


def _by_its_word(data: bytes) -> tuple[bytes, str]:
    """Return the bytes as UTF-8 by the encoding that the first two lines name (PEP 263), else by
    what they look like."""
    for line in data.split(b"\n", 2)[:2]:
        if named := _CODING.match(line):
            encoding = named[1].decode()
            with suppress(LookupError, ValueError):  # not an encoding, or not of this text
                return data.decode(encoding).encode(), encoding
    text, note = beyond_utf8(data)
    return text.encode(), note


def _machine_made(data: bytes) -> str | None:
    """Return how a file shows that nobody wrote it by hand, or None."""
    if b"\0" in data:
        return "binary"
    # Looked for as it is first: comments are in every file, and the search stops at each.
    if b"@generated" in data[:_HEAD] and _GENERATED.search(data, 0, _HEAD):
        return "generated"
    if len(data) <= LONGEST_LINE:
        return None
    if len(data) > MEAN_LINE * (data.count(b"\n") + 1):
        return "minified"
    return "minified" if _in_long_lines(data) > len(data) / 2 else None


def _in_long_lines(data: bytes) -> int:
    """Return how many bytes stand in long lines; of the others no more than one in so many is
    looked at."""
    found = start = 0
    while len(data) - start > LONGEST_LINE:
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            found += end - start
        start = end + 1
    return found


_SORTS = {
    stat.S_IFLNK: "symbolic link",
    stat.S_IFDIR: "another repository",
}

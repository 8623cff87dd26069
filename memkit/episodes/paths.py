"""Paths in a repository: stored form, privacy, branch of git, lookup by file name."""

from __future__ import annotations

import os
import re
import unicodedata
from copy import copy
from functools import lru_cache
from pathlib import Path

from ..redaction import PrivateFiles, clean_text, redact
from ..redaction.private_files import PrivateFile, PrivateReason, git_folder
from ..store.lifecycle import FILE_NAME
from ..text.analyzer import nfc
from ..text.paths import below, below_root, is_whole, plain_path
from ..text.patterns import lazy_pattern
from .recording.payloads import begun, content_hash

# --- Where files lie: paths as they are stored, whether their content may be kept, the git
# branch.

# A path longer than this is no path but a text.
MAX_CHARS = 400
# Asking whether a file is private takes up to a millisecond; answers are kept for so many.
_MAX_KNOWN = 5_000
# A file above so many bytes is not hashed: recording it must not take longer than the call did.
MAX_HASHED = 1_000_000
# Of files outside the root their name is stored, and so many letters of the hash of their folder to
# tell them apart: nothing else of the machine.
OUTSIDE = "outside:"
_FOLDER_LETTERS = 6
# Where the name of a folder is a whole path, and no part of a longer one.
_BEGINS = r"(?:(?<![\w./~-])|(?<=://)|(?<=\s-[A-Z]))"
_GOES_ON = r"(?:([\\/]+(?=[\w.@+]))|(?![\w-]|\.\w))"
_TOKEN = lazy_pattern(r"[\w./~\\-]*[\w-]\.?[\w.-]*|\.[\w.-]+")


class RepositoryPaths:
    """Paths below one root folder."""

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.abspath(root))  # noqa: PTH100 - resolve() would follow links
        self._roots = _roots(self.root)
        self._clone: str | None = None
        self._private = PrivateFiles(self.root)
        self._form = lru_cache(_MAX_KNOWN)(self._formed)
        self._private_file = lru_cache(_MAX_KNOWN)(self._find_private)

    def stored(self, path: str | os.PathLike[str]) -> str:
        """Return a path relative to the root with forward slashes; outside of it only its name."""
        text = os.fspath(path)
        return self._form(text if self._clone is None else self._moved(text, self._clone))

    def of_clone(self, folder: str | None) -> RepositoryPaths:
        """Return the paths of a session that ran in `folder`, if that is no part of the root: then
        it is another clone of the repository, and its files are named as if they lay here."""
        folder = None if folder is None else plain_path(folder)
        root = plain_path(str(self.root))
        if folder is None or not is_whole(folder) or below(folder, root) is not None:
            return self
        clone = copy(self)
        clone._clone = folder
        clone._roots = [*self._roots, *_roots(Path(os.path.abspath(folder)))]  # noqa: PTH100
        return clone

    def inside(self, path: str) -> str | None:
        """Return a path relative to the root as `stored` does, but with whatever secret is in it;
        None for one that is not a file of the repository."""
        if len(path) > MAX_CHARS or not path.isprintable():
            return None
        plain = self._plain(path if self._clone is None else self._moved(path, self._clone))
        return plain if plain not in ("", ".") and is_file_here(plain) else None

    def relative(self, text: str) -> str:
        """Return a text in which every whole path below the root is relative to it, "." the root:
        where a working tree lies is its machine's alone."""
        for inside, root in self._roots:
            if root in text:
                text = inside.sub(lambda match: "" if match[1] else ".", text)
        return text

    def _moved(self, path: str, clone: str) -> str:
        """Return a path in the clone relative to it."""
        plain = plain_path(path)
        inside = None if clone == "/" else below(plain, clone)
        is_here = below(plain, plain_path(str(self.root))) is not None
        return path if inside is None or is_here else inside

    def _formed(self, raw_path: str) -> str:
        text = nfc(begun(clean_text(raw_path).strip(), MAX_CHARS))
        if not text or text.startswith(OUTSIDE):
            return redact(text).text
        return redact(self._plain(text)).text

    def _plain(self, path: str) -> str:
        plain = plain_path(path)
        return self._below(plain) if is_whole(plain) or plain.split("/")[0] == ".." else plain

    def hash_of(self, stored: str) -> str | None:
        """Return the hash of a file as it lies there now, or None if it is missing, private, large
        or outside the root."""
        if stored.startswith(OUTSIDE) or self.is_private(stored):
            return None
        try:
            places = (self.root / form for form in disk_forms(stored))
            place = next((candidate for candidate in places if candidate.is_file()), None)
            if place is None or place.stat().st_size > MAX_HASHED:
                return None
            return content_hash(place.read_bytes())
        except (OSError, ValueError):
            return None

    def is_private(self, stored: str) -> bool:
        """Whether the content of a file must not be kept: ignored, .env and the like."""
        return self._private_file(stored.removeprefix(OUTSIDE)) is not None

    def names_private(self, command: str) -> bool:
        """Whether a command names a file that holds secrets by its name, such as .env; files that
        git ignores are built and run all day, and what they print may be kept."""
        words = (word for word in _TOKEN.findall(command[:2000]) if "." in word or "id_" in word)
        files = map(self._private_file, words)
        return any(
            file is not None and file.reason is PrivateReason.KNOWN_NAME and not file.is_linked
            for file in files
        )

    def _find_private(self, path: str) -> PrivateFile | None:
        """Return a file as a private one, or None."""
        try:
            files = (self._private.find(form) for form in disk_forms(path))
            return next((file for file in files if file is not None), None)
        except (OSError, ValueError):  # longer than a name may be
            return PrivateFile(PrivateReason.NO_FILE_NAME)

    def _below(self, path: str) -> str:
        """Return a whole path, or one that leads out of the root, relative to it; of one outside
        only its name, and what tells its folder from others."""
        whole = path if is_whole(path) else plain_path(f"{self.root}/{path}")
        if (inside := below_root(whole, str(self.root))) is not None:
            return inside
        folder, _, name = whole.rpartition("/")
        if not name:
            return OUTSIDE
        return f"{OUTSIDE}{content_hash(folder)[:_FOLDER_LETTERS]}/{name}"


def is_store(path: str) -> bool:
    """Whether a file is memkit's own: it is changed with everything, and tells of nothing."""
    return path.rpartition("/")[2].startswith(FILE_NAME)


def is_file_here(stored: str) -> bool:
    """Whether a stored path is that of a file of the repository that one works on."""
    return not (stored.startswith(OUTSIDE) or is_store(stored))


def disk_forms(path: str) -> tuple[str, ...]:
    """Return a stored path in every form in which it may lie on the disk."""
    return (path,) if path.isascii() else (path, unicodedata.normalize("NFD", path))


def _roots(root: Path) -> list[tuple[re.Pattern[str], str]]:
    """Return what finds each name of the root folder in a text, and that name; group 1 is there if
    a path goes on below it."""
    places = (root, Path(os.path.realpath(root)))
    names = dict.fromkeys(
        form
        for place in places
        if place != Path(place.anchor)
        for text in (str(place), place.as_posix())
        for form in (text, *disk_forms(nfc(text)))
    )
    return [(re.compile(_BEGINS + re.escape(name) + _GOES_ON), name) for name in names]


def branch_of(root: Path) -> tuple[str | None, str | None]:
    """Return git branch and commit of the working tree around `root`; None where unknown.

    Read from .git itself: starting git would cost more than everything else.
    """
    try:
        git = git_folder(next(p for p in (root, *root.parents) if (p / ".git").exists()))
        head = (git / "HEAD").read_text("utf-8").strip()
        if not head.startswith("ref: "):
            return None, head[:40]
        name = head.removeprefix("ref: ")
        loose = git / name
        commit = loose.read_text("utf-8").strip()[:40] if loose.is_file() else None
        return name.removeprefix("refs/heads/"), commit
    except (StopIteration, OSError, ValueError):
        return None, None

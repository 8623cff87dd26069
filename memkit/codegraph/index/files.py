"""Files of a tree: listing by git or by a walk, reading, decoding, and what is left out."""

from __future__ import annotations

import codecs
import os
import re
import stat
import time
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from fnmatch import translate
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ...errors import InvalidInput
from ...frozen import frozen
from ...redaction import PrivateFiles, redact_path
from ...redaction.private_files import PRIVATE_NAMES, PrivateFile, PrivateReason
from ...text.analyzer import beyond_utf8

if TYPE_CHECKING:
    import subprocess

# --- Files: stamps, skip reasons, and bytes as UTF-8.
#
# A file is looked at in three steps, each dearer than the one before: its stamp (no read), the
# hash of its bytes, its syntax. What is not read is left out with a reason, never silently.

# As scip-typescript: what people write by hand is smaller.
MAX_BYTES = 1_000_000
# Of a notebook, most of which are pictures that its code gave; its code obeys the limit above.
NOTEBOOK, MAX_NOTEBOOK_BYTES = ".ipynb", 20_000_000
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
_FILE_TYPES = {stat.S_IFLNK: "symbolic link", stat.S_IFDIR: "another repository"}


@frozen
class SkipReason:
    """A file that is not read, or could not be: `failed` if it should have been."""

    reason: str
    failed: bool = False


@frozen
class FileStat:
    """What the file system says of a file.

    Attributes:
        size: bytes.
        stamp: a number that changes when the file does; UNSURE if only its bytes can tell.
        skip_reason: why it is not to be read, or None.
    """

    size: int
    stamp: int
    skip_reason: SkipReason | None = None


@frozen
class Content:
    """The bytes of a file.

    Attributes:
        data: as UTF-8, a mark of byte order kept.
        hash: blake2b/16 of the bytes on the disk.
    """

    data: bytes
    hash: bytes


def stat_file(path: str) -> FileStat:
    """Return size and stamp of a file without reading it; links are not followed."""
    try:
        status = os.lstat(path)
    except OSError as error:
        return FileStat(0, UNSURE, _failure(error))
    skip_reason = None
    if not stat.S_ISREG(status.st_mode):
        skip_reason = SkipReason(_FILE_TYPES.get(stat.S_IFMT(status.st_mode), "no ordinary file"))
    elif status.st_size > (limit := _limit(path)):
        skip_reason = _too_large(limit)
    return FileStat(status.st_size, stamp(status, time.time_ns()), skip_reason)


def read(path: str) -> Content | SkipReason:
    """Return the content of a file, or why it is left out."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - a third of Path.read_bytes
            data = file.read((limit := _limit(path)) + 1)
    except OSError as error:
        return _failure(error)
    if len(data) > limit:
        return _too_large(limit)
    digest = blake2b(data, digest_size=16).digest()
    data = _as_utf8(data)
    if b"\r" in data and b"\n" not in data:  # lines end as they did on old Macs
        data = data.replace(b"\r", b"\n")
    if path.endswith(NOTEBOOK):
        from ..languages import notebook_code

        try:
            data = notebook_code(data)
        except InvalidInput as error:
            return SkipReason(str(error))
        if len(data) > MAX_BYTES:
            return _too_large(MAX_BYTES)
    reason = _machine_made(data)
    return SkipReason(reason) if reason else Content(data, digest)


def _limit(path: str) -> int:
    return MAX_NOTEBOOK_BYTES if path.endswith(NOTEBOOK) else MAX_BYTES


def _too_large(limit: int) -> SkipReason:
    return SkipReason(f"larger than {limit} bytes")


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
        private = self._files.find(path)
        # What git lists although a rule ignores it is tracked: it is in the repository anyway.
        is_tracked = private is not None and private.detail.endswith(".gitignore")
        return None if private is None or is_tracked else f"private: {private}"


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


def stamp(status: os.stat_result, now: int) -> int:
    """Return a number made of the times of content and of inode, and the inode's own."""
    newest = max(status.st_mtime_ns, status.st_ctime_ns)
    if now - newest < (_TICK if newest % _SECOND else _COARSE):
        return UNSURE
    return stamp_of(status)


def stamp_of(status: os.stat_result) -> int:
    """Return the same for what was sure before: what has these times still has not changed."""
    return ((status.st_mtime_ns * 31 + status.st_ctime_ns) * 31 + status.st_ino) & _STAMP or 1


def _failure(error: OSError) -> SkipReason:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return SkipReason("vanished", failed=True)
    return SkipReason(f"unreadable: {error.strerror}", failed=True)


def _as_utf8(data: bytes) -> bytes:
    """Return the bytes as UTF-8, whatever encoding they are in."""
    if data.startswith(_UTF16):
        try:
            return data.decode("utf-16").encode()
        except UnicodeDecodeError:
            return data
    try:
        data.decode()
    except UnicodeDecodeError:
        return _by_declared_encoding(data)
    return data


def _by_declared_encoding(data: bytes) -> bytes:
    """Return the bytes as UTF-8 by the encoding that the first two lines name (PEP 263), else by
    what they look like."""
    for line in data.split(b"\n", 2)[:2]:
        if named := _CODING.match(line):
            with suppress(LookupError, ValueError):  # not an encoding, or not of this text
                return data.decode(named[1].decode()).encode()
    return beyond_utf8(data).encode()


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
    long_bytes = start = 0
    while len(data) - start > LONGEST_LINE:
        end = data.rfind(b"\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            long_bytes += end - start
        start = end + 1
    return long_bytes


# --- Listing of a tree: git's own where there is git, else a walk by the same rules.
#
# Names alone decide here; no file is read. Copies of other people's code are named as one folder.

# Folders that hold other people's code or what a tool made, by name.
VENDORED = frozenset({
    "node_modules", "bower_components", "jspm_packages", "vendor", "_vendor", "vendored",
    "third_party", "thirdparty", "site-packages", ".venv", "venv", "__pycache__", ".tox", ".nox",
    ".eggs", ".yarn", "Pods", "DerivedData",
})  # fmt: skip
# Those that a tool fills anew, tracked or not.
_INSTALLED = VENDORED - {"vendor", "_vendor", "vendored", "third_party", "thirdparty"}
# A repository is not trusted: its configuration may name a program to run for every listing.
# A letter before each name says whether it is tracked.
_GIT = ("git", "-c", "core.fsmonitor=false", "ls-files", "-tco", "--exclude-standard", "-z")
_UNTRACKED = "? "
_RULES = (".gitignore", ".secretsignore")


@frozen
class Listing:
    """Names below a root.

    Attributes:
        paths: files that may be read, relative to the root, forward slashes, sorted.
        skipped: what was left out, and why; a folder ends with "/".
        note: why git was not asked, or None.
    """

    paths: tuple[str, ...]
    skipped: dict[str, str]
    note: str | None = None


@frozen
class Folder:
    """What stands in a folder, other people's code apart.

    Attributes:
        stamp: of the folder itself; UNSURE if it may change again under the same one.
        files, folders: paths below the root.
        skipped: path and reason of what is left out whatever the rules say.
        rules: paths of the files of rules that it holds.
    """

    stamp: int
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] = ()


# Stamps of the files of rules that hold in a folder, from the root down; None if one cannot tell.
_RuleStamps = tuple[int, ...] | None


@frozen
class ListedFolder:
    """What the rules leave of a folder.

    Attributes:
        folder: all that stands in it. rules: stamps of the rules that hold in it.
        files, folders: paths below the root that no rule ignores.
    """

    folder: Folder
    rules: _RuleStamps
    files: tuple[str, ...]
    folders: tuple[str, ...]

    def holds(self, folder: Folder, rules: _RuleStamps) -> bool:
        """Whether it is what the same rules leave of the same folder."""
        return folder is self.folder and rules is not None and rules == self.rules

    def is_ruled_as_before(self, base: str) -> bool:
        """Whether the folder's own files of rules have not changed."""
        own = _rule_stamps(base, self.folder, ())
        return own == () or bool(own and self.rules and self.rules[-len(own) :] == own)


@attrs.define
class Folders:
    """What stood in the folders of one tree when they were last looked at.

    Attributes:
        root: of the tree. seen: its folders by path.
        listing: what they came to, if nothing about them is in doubt.
    """

    root: str = ""
    seen: dict[str, ListedFolder] = attrs.field(factory=dict)
    listing: Listing | None = None

    def unchanged(self, root: Path) -> Listing | None:
        """Return the list as it was, if every folder and every file of rules still is."""
        base = os.fspath(root)
        if self.listing is None or self.root != base:
            return None
        try:
            for path, listed in self.seen.items():
                if stamp_of(os.stat(f"{base}{os.sep}{path}")) != listed.folder.stamp:
                    return None
        except OSError:
            return None
        ruled = all(listed.is_ruled_as_before(base) for listed in self.seen.values())
        return self.listing if ruled else None


class Lister:
    """Lists one tree; git runs beside whatever the caller does between `start` and `finish`."""

    def __init__(self, base: Path, prefix: str = "", folders: Folders | None = None) -> None:
        """Paths count from `base`; `prefix` ("" or "folder/") is the part that is listed.

        `folders` are remembered from an earlier look and put right: without git, a folder that has
        not changed since is not read again.
        """
        self.root = base / prefix
        self._folders = Folders() if folders is None else folders
        self._prefix = prefix
        self._git: subprocess.Popen[bytes] | None = None
        self._note: str | None = None

    def start(self) -> None:
        """Ask git, if the root lies in a work tree."""
        if not any((folder / ".git").exists() for folder in (self.root, *self.root.parents)):
            return
        # Variables of a git that runs memkit as a hook would lead to another repository.
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        import subprocess  # whoever only looks at known files needs none

        try:
            self._git = subprocess.Popen(
                _GIT, cwd=self.root, env=clean, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            self._note = f"git was not asked ({error.strerror}); ignore rules were read directly"

    def finish(self) -> Listing:
        """Return the list."""
        names = self._from_git()
        if names is None:
            return self._folders.unchanged(self.root) or self._walked()
        return _below(self._prefix, _without_vendored(names, self._note))

    def _walked(self) -> Listing:
        known, base = self._folders, os.fspath(self.root)
        before = known.seen if known.root == base else {}
        known.root, known.seen = base, _walk(self.root, before)
        listed = known.seen.values()
        skipped = {path: why for entry in listed for path, why in entry.folder.skipped}
        paths = tuple(sorted(path for entry in listed for path in entry.files))
        listing = _below(self._prefix, Listing(paths, skipped, self._note))
        doubtful = (entry.folder.stamp == UNSURE or entry.rules is None for entry in listed)
        known.listing = None if any(doubtful) else listing
        return listing

    def _from_git(self) -> list[str] | None:
        if self._git is None:
            return None
        out, errors = self._git.communicate()
        if self._git.returncode:
            said = errors.decode("utf-8", "replace").strip().partition("\n")[0]
            self._note = f"git gave no list ({said}); ignore rules were read directly"
            return None
        names = [os.fsdecode(name) for name in out.split(b"\0") if name]
        if not names and not (self.root / ".git").exists():
            self._note = "git lists no file here; the repository around may ignore this folder"
        return names


def _below(prefix: str, listing: Listing) -> Listing:
    """Return a list with each path behind the prefix."""
    if not prefix:
        return listing
    skipped = {prefix + path: reason for path, reason in listing.skipped.items()}
    return Listing(tuple(prefix + path for path in listing.paths), skipped, listing.note)


def _without_vendored(tagged: Iterable[str], note: str | None) -> Listing:
    """Return git's list without repositories inside this one, and without vendored folders: what
    is tracked was put there to be kept."""
    paths, skipped = [], {}
    folders: dict[tuple[bool, str], str | None] = {}
    for line in tagged:
        name, is_tracked = line[2:], not line.startswith(_UNTRACKED)
        if name.endswith("/"):
            skipped[_printable(name)] = "another repository"
            continue
        if not name.isascii() and name != _printable(name):
            skipped[_printable(name)] = "its name is no text"
            continue
        if (safe := redact_path(name)) != name:
            skipped[safe] = PrivateReason.SECRET_IN_NAME
            continue
        folder = (is_tracked, name.rpartition("/")[0])
        if folder not in folders:
            folders[folder] = _vendored(folder[1], _INSTALLED if is_tracked else VENDORED)
        if (vendored := folders[folder]) is None:
            paths.append(name)
        else:
            skipped[vendored] = "vendored"
    return Listing(tuple(sorted(set(paths))), skipped, note)


def _vendored(folder: str, names: Container[str]) -> str | None:
    """Return the part of a folder's path that ends with a vendored name, or None."""
    parts = folder.split("/")
    for count, part in enumerate(parts, 1):
        if part in names:
            return "/".join(parts[:count]) + "/"
    return None


def _printable(name: str) -> str:
    """Return a name that can be stored: bytes that are no UTF-8 become question marks."""
    return name.encode("utf-8", "replace").decode()


def _walk(root: Path, before: Mapping[str, ListedFolder]) -> dict[str, ListedFolder]:
    """Return the folders below a root by path, as far as no rule ignores them; links are not
    followed, and what is known from before of a folder that has not changed is taken over."""
    private = PrivateFiles(root)
    base, now = os.fspath(root), time.time_ns()
    # The rules of a repository around the root lie outside of what is looked at.
    within_git = any((folder / ".git").exists() for folder in (root, *root.parents))
    waiting: list[tuple[str, _RuleStamps]] = [("", None if within_git else ())]
    if within_git and _is_ignored(private.find("./")):
        return {}
    seen: dict[str, ListedFolder] = {}
    while waiting:
        path, above = waiting.pop()
        known = before.get(path)
        folder = _folder(base, path, known.folder if known else None, now)
        rules = _rule_stamps(base, folder, above)
        if known is None or not known.holds(folder, rules):
            known = _listed(private, path, folder, rules)
        seen[path] = known
        waiting += [(inner, rules) for inner in known.folders]
    return seen


def _listed(private: PrivateFiles, path: str, folder: Folder, rules: _RuleStamps) -> ListedFolder:
    """Return what rules leave of a folder that they do not ignore itself."""
    if rules == ():
        return ListedFolder(folder, rules, folder.files, folder.folders)
    ignored = private.ignored(folder.files, folder.folders, below=path)
    files = tuple(file for file in folder.files if file not in ignored)
    folders = tuple(inner for inner in folder.folders if inner not in ignored)
    return ListedFolder(folder, rules, files, folders)


def _rule_stamps(base: str, folder: Folder, above: _RuleStamps) -> _RuleStamps:
    """Return the stamps of the rules that hold in a folder, behind those that hold above it."""
    stamps = tuple(_sure_stamp(f"{base}{os.sep}{path}") for path in folder.rules)
    return None if above is None or UNSURE in stamps else above + stamps


def _sure_stamp(path: str) -> int:
    """Return the stamp of an ordinary file; UNSURE of any other."""
    looked = stat_file(path)
    return UNSURE if looked.skip_reason else looked.stamp


def _folder(base: str, path: str, known: Folder | None, now: int) -> Folder:
    """Return what stands in a folder: what is known of it, if it has not changed since."""
    full = f"{base}{os.sep}{path}"
    try:
        current = stamp(os.stat(full), now)
        if known is not None and known.stamp == current != UNSURE:
            return known
        return _read_folder(full, path, current)
    except OSError as error:
        return Folder(UNSURE, skipped=((f"{path}/", f"unreadable: {error.strerror}"),))


def _read_folder(full: str, path: str, stamp: int) -> Folder:
    """Return what stands in a folder, nothing if it is a repository of its own."""
    with os.scandir(full) as listing:
        entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in listing}
    if entries.pop(".git", None) is not None and path:
        return Folder(stamp, skipped=((f"{path}/", "another repository"),))
    files: list[str] = []
    folders: list[str] = []
    skipped: list[tuple[str, str]] = []
    for name, is_folder in entries.items():
        inner = f"{path}/{name}" if path else name
        if why := _builtin_skip_reason(name, inner, is_folder=is_folder):
            skipped.append((redact_path(_printable(inner)) + "/" * is_folder, why))
        else:
            (folders if is_folder else files).append(inner)
    rules = tuple(f"{path}/{name}".lstrip("/") for name in _RULES if name in entries)
    return Folder(stamp, tuple(files), tuple(folders), tuple(skipped), rules)


def _builtin_skip_reason(name: str, path: str, *, is_folder: bool) -> str | None:
    """Return why a name is left out whatever the rules say, or None."""
    if not path.isascii() and path != _printable(path):
        return "its name is no text"
    if redact_path(path) != path:
        return PrivateReason.SECRET_IN_NAME
    return "vendored" if is_folder and name in VENDORED else None


def _is_ignored(file: PrivateFile | None) -> bool:
    return file is not None and file.reason is PrivateReason.IGNORED and not file.is_linked

"""Which files a tree holds: git's own list where there is git, else a walk by the same rules.

Names alone decide here; no file is read. Copies of other people's code are named as one folder.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import attrs

from ..redaction import PrivateFiles, redact_path
from ..redaction.private_files import REASON
from .scanning import UNSURE, mark, stamp

# Folders that hold other people's code or what a tool made, by name.
VENDORED = frozenset({
    "node_modules", "bower_components", "jspm_packages", "vendor", "_vendor", "vendored",
    "third_party", "thirdparty", "site-packages", ".venv", "venv", "__pycache__", ".tox", ".nox",
    ".eggs", ".yarn", "Pods", "DerivedData",
})  # fmt: skip
# A repository is not trusted: its configuration may name a program to run for every listing.
_GIT = ("git", "-c", "core.fsmonitor=false", "ls-files", "-co", "--exclude-standard", "-z")
_RULES = (".gitignore", ".secretsignore")


@attrs.frozen
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


@attrs.frozen
class Folder:
    """What stands in a folder, other people's code apart.

    Attributes:
        stamp: of the folder itself; UNSURE if it may change again under the same one.
        files, folders: paths below the root.
        skipped: path and reason of what is left out whatever the rules say.
        is_ruled: whether it holds a file of rules.
    """

    stamp: int
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    is_ruled: bool = False


@attrs.define
class Folders:
    """What stood in the folders of one tree when they were last looked at.

    Attributes:
        root: of the tree. seen: its folders by path.
        listing: what they came to, if it is theirs alone to say: no rules, no doubt.
    """

    root: str = ""
    seen: dict[str, Folder] = attrs.field(factory=dict)
    listing: Listing | None = None

    def unchanged(self, root: Path) -> Listing | None:
        """Return the list as it was, if every folder still is."""
        base = os.fspath(root)
        if self.listing is None or self.root != base or _has_rules(root):
            return None
        try:
            for path, folder in self.seen.items():
                if mark(os.stat(f"{base}{os.sep}{path}")) != folder.stamp:
                    return None
        except OSError:
            return None
        return self.listing


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
        return _below(self._prefix, _sifted(names, self._note))

    def _walked(self) -> Listing:
        known, base = self._folders, os.fspath(self.root)
        skipped: dict[str, str] = {}
        before = known.seen if known.root == base else {}
        known.root, known.seen = base, {}
        paths = tuple(sorted(_walk(self.root, skipped, before, known.seen)))
        listing = _below(self._prefix, Listing(paths, skipped, self._note))
        doubtful = (one.is_ruled or one.stamp == UNSURE for one in known.seen.values())
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


def _sifted(names: Iterable[str], note: str | None) -> Listing:
    """Return git's list without vendored folders and repositories inside this one."""
    paths, skipped = [], {}
    folders: dict[str, str | None] = {}
    for name in names:
        if name.endswith("/"):
            skipped[_printable(name)] = "another repository"
            continue
        if not name.isascii() and name != _printable(name):
            skipped[_printable(name)] = "its name is no text"
            continue
        if (safe := redact_path(name)) != name:
            skipped[safe] = REASON
            continue
        folder, _, _ = name.rpartition("/")
        if folder not in folders:
            folders[folder] = _vendored(folder)
        if (found := folders[folder]) is None:
            paths.append(name)
        else:
            skipped[found] = "vendored"
    return Listing(tuple(sorted(set(paths))), skipped, note)


def _vendored(folder: str) -> str | None:
    """Return the part of a folder's path that ends with a vendored name, or None."""
    parts = folder.split("/")
    for count, part in enumerate(parts, 1):
        if part in VENDORED:
            return "/".join(parts[:count]) + "/"
    return None


def _printable(name: str) -> str:
    """Return a name that can be stored: bytes that are no UTF-8 become question marks."""
    return name.encode("utf-8", "replace").decode()


def _has_rules(root: Path) -> bool:
    """Whether there are rules in the root or above it."""
    return any((folder / name).exists() for folder in (root, *root.parents) for name in _RULES)


def _walk(
    root: Path, skipped: dict[str, str], before: Mapping[str, Folder], seen: dict[str, Folder]
) -> Iterator[str]:
    """Yield the files below a root that no rule ignores, without following links; fill `seen`."""
    private = PrivateFiles(root)
    base, now = os.fspath(root), time.time_ns()
    waiting = [("", _has_rules(root))]
    while waiting:
        path, ruled = waiting.pop()
        folder = seen[path] = _folder(base, path, before.get(path), now)
        ruled = ruled or folder.is_ruled
        skipped.update(folder.skipped)
        if not ruled:
            waiting += [(inner, False) for inner in folder.folders]
            yield from folder.files
            continue
        waiting += [(f, True) for f in folder.folders if not _ignored(private, f"{f}/")]
        yield from (file for file in folder.files if not _ignored(private, file))


def _folder(base: str, path: str, known: Folder | None, now: int) -> Folder:
    """Return what stands in a folder: what is known of it, if it has not changed since."""
    full = f"{base}{os.sep}{path}"
    try:
        found = stamp(os.stat(full), now)
        if known is not None and known.stamp == found != UNSURE:
            return known
        return _read_folder(full, path, found)
    except OSError as error:
        return Folder(UNSURE, skipped=((f"{path}/", f"unreadable: {error.strerror}"),))


def _read_folder(full: str, path: str, stamp: int) -> Folder:
    """Return what stands in a folder, nothing if it is a repository of its own."""
    with os.scandir(full) as found:
        entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in found}
    if entries.pop(".git", None) is not None and path:
        return Folder(stamp, skipped=((f"{path}/", "another repository"),))
    files: list[str] = []
    folders: list[str] = []
    skipped: list[tuple[str, str]] = []
    for name, is_folder in entries.items():
        inner = f"{path}/{name}" if path else name
        if why := _not_meant(name, inner, is_folder=is_folder):
            skipped.append((redact_path(_printable(inner)) + "/" * is_folder, why))
        else:
            (folders if is_folder else files).append(inner)
    is_ruled = not entries.keys().isdisjoint(_RULES)
    return Folder(stamp, tuple(files), tuple(folders), tuple(skipped), is_ruled)


def _not_meant(name: str, path: str, *, is_folder: bool) -> str | None:
    """Return why a name is left out whatever the rules say, or None."""
    if not path.isascii() and path != _printable(path):
        return "its name is no text"
    if redact_path(path) != path:
        return REASON
    return "vendored" if is_folder and name in VENDORED else None


def _ignored(private: PrivateFiles, path: str) -> bool:
    return (private.reason(path) or "").startswith("ignored by")

"""Which files a tree holds: git's own list where there is git, else a walk by the same rules.

Names alone decide here; no file is read. Copies of other people's code are named as one folder.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import attrs

from ..safety import PrivateFiles

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


class Lister:
    """Lists one tree; git runs beside whatever the caller does between `start` and `finish`."""

    def __init__(self, base: Path, prefix: str = "") -> None:
        """Paths count from `base`; `prefix` ("" or "folder/") is the part that is listed."""
        self.root = base / prefix
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
            skipped: dict[str, str] = {}
            paths = tuple(sorted(_walk(self.root, skipped)))
            return _below(self._prefix, Listing(paths, skipped, self._note))
        return _below(self._prefix, _sifted(names, self._note))

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


def _walk(root: Path, skipped: dict[str, str]) -> Iterator[str]:
    """Yield the files below a root that no rule ignores, without following links."""
    private = PrivateFiles(root)
    ruled = any((folder / name).exists() for folder in (root, *root.parents) for name in _RULES)
    waiting = [("", ruled)]
    while waiting:
        folder, ruled = waiting.pop()
        entries = _entries(root, folder, skipped)
        ruled = ruled or any(entry.name in _RULES for entry in entries)
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if why := _not_meant(entry.name, path, is_folder=is_folder):
                skipped[_printable(path) + "/" * is_folder] = why
            elif ruled and _ignored(private, path + "/" * is_folder):
                continue
            elif is_folder:
                waiting.append((path, ruled))
            else:
                yield path


def _entries(root: Path, folder: str, skipped: dict[str, str]) -> list[os.DirEntry[str]]:
    """Return what stands in a folder, nothing if it is a repository of its own."""
    try:
        with os.scandir(os.path.join(root, folder)) as found:  # noqa: PTH118 - for every folder
            entries = list(found)
    except OSError as error:
        skipped[f"{folder}/"] = f"unreadable: {error.strerror}"
        return []
    if folder and any(entry.name == ".git" for entry in entries):
        skipped[f"{folder}/"] = "another repository"
        return []
    return [entry for entry in entries if entry.name != ".git"]


def _not_meant(name: str, path: str, *, is_folder: bool) -> str | None:
    """Return why a name is left out whatever the rules say, or None."""
    if not path.isascii() and path != _printable(path):
        return "its name is no text"
    return "vendored" if is_folder and name in VENDORED else None


def _ignored(private: PrivateFiles, path: str) -> bool:
    return (private.reason(path) or "").startswith("ignored by")

"""Which files of a repository are read when a store is begun: notes for agents and for people.

Private and ignored files are left out and counted; links are not followed out of the root.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

import attrs

from ..memories.identity import nfc
from ..safety import PrivateFiles
from .headings import Markup
from .notes import Role, decode

# Bytes of one file; more is no note. Files in all: more is no documentation of one project.
MAX_BYTES = 512 * 1024
MAX_FILES = 2_000

_TEXT_ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".txt", "")
_DOCS_ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".txt")
_AGENT_NOTES = (
    "AGENTS.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", "WARP.md",
    "CONVENTIONS.md", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints",
    ".github/copilot-instructions.md", ".junie/guidelines.md", ".claude/CLAUDE.md",
)  # fmt: skip
_AGENT_FOLDERS = (
    ".cursor/rules", ".windsurf/rules", ".clinerules", ".roo/rules", ".claude/rules",
    ".github/instructions", ".continue/rules", ".kiro/steering",
)  # fmt: skip
_ADR_FOLDERS = (
    "docs/adr", "docs/adrs", "doc/adr", "docs/decisions", "docs/architecture/decisions",
    "doc/architecture/decisions", "adr", "adrs", "decisions",
)  # fmt: skip
_DOCS_FOLDERS = ("docs", "doc")
_BY_STEM = {
    "readme": Role.README,
    "contributing": Role.CONTRIBUTING,
    "changelog": Role.CHANGELOG,
    "changes": Role.CHANGELOG,
    "history": Role.CHANGELOG,
}


@attrs.frozen
class NoteFile:
    """One file to be read: path relative to the root with forward slashes, role and text; its name
    says the markup, unless that is given."""

    path: str
    role: Role
    text: str
    markup: Markup | None = None


@attrs.frozen
class Gathered:
    """The files of a repository, and those left out with the reason."""

    files: tuple[NoteFile, ...]
    left_out: tuple[tuple[str, str], ...]


def gather(root: Path) -> Gathered:
    """Return the notes of a repository in a fixed order."""
    private = PrivateFiles(root)
    return read_files(root, _candidates(root, private), private)


def gather_folder(folder: Path, *, root: Path) -> Gathered:
    """Return every text file under a folder as a note; paths count from `root`."""
    private = PrivateFiles(root)
    names = ((path, Role.NOTES) for path in _walk(folder, root, private, _DOCS_ENDINGS))
    return read_files(root, names, private)


def read_files(
    root: Path, candidates: Iterable[tuple[str, Role]], private: PrivateFiles
) -> Gathered:
    """Return the candidates that may be read and can be."""
    files: dict[str, NoteFile] = {}
    left_out: dict[str, str] = {}
    for path, role in candidates:
        if path in files or path in left_out:
            continue
        if len(files) >= MAX_FILES:
            left_out[path] = f"more than {MAX_FILES} files"
        elif (reason := private.reason(path)) is not None:
            left_out[path] = f"private: {reason}"
        else:
            found = _read(root / path)
            if isinstance(found, str):
                left_out[path] = found
            else:
                files[path] = NoteFile(nfc(path), role, decode(found))
    return Gathered(tuple(files.values()), tuple(left_out.items()))


# -- inside


def _candidates(root: Path, private: PrivateFiles) -> Iterator[tuple[str, Role]]:
    for name in _AGENT_NOTES:
        if (root / name).is_file():
            yield name, Role.AGENT_NOTES
    yield from _in_folders(_AGENT_FOLDERS, root, private, Role.AGENT_NOTES)
    for name in sorted(entry.name for entry in os.scandir(root) if entry.is_file()):
        role = _BY_STEM.get(name.casefold().partition(".")[0])
        if role and _ending(name) in _TEXT_ENDINGS:
            yield name, role
    yield from _in_folders(_ADR_FOLDERS, root, private, Role.ADR)
    yield from _in_folders(_DOCS_FOLDERS, root, private, Role.DOCS)


def _in_folders(
    folders: Iterable[str], root: Path, private: PrivateFiles, role: Role
) -> Iterator[tuple[str, Role]]:
    endings = (*_DOCS_ENDINGS, ".mdc") if role is Role.AGENT_NOTES else _DOCS_ENDINGS
    for folder in folders:
        for path in _walk(root / folder, root, private, endings):
            yield path, role


def _walk(
    folder: Path, root: Path, private: PrivateFiles, endings: tuple[str, ...]
) -> Iterator[str]:
    """Yield files below a folder, relative to the root; a private folder stands for its files."""
    for place, folders, names in os.walk(folder):
        here = Path(place).relative_to(root)
        kept = []
        for name in sorted(folders):
            if private.is_private(f"{(here / name).as_posix()}/"):
                yield f"{(here / name).as_posix()}/"
            elif not (Path(place) / name).is_symlink():
                kept.append(name)
        folders[:] = kept
        for name in sorted(names):
            if _ending(name) in endings:
                yield (here / name).as_posix()


def _ending(name: str) -> str:
    return PurePath(name).suffix.casefold()


def _read(path: Path) -> bytes | str:
    """Return the bytes of a file, or why they cannot be read into memories."""
    try:
        if path.stat().st_size > MAX_BYTES:
            return f"larger than {MAX_BYTES // 1024} KiB"
        data = path.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return "is no text" if b"\0" in data[:8192] and not is_utf16 else data

"""Which files of a repository are read when a store is begun: notes for agents and for people.

Private and ignored files are left out and counted; links are not followed out of the root.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePath

import attrs

from ..safety import PrivateFiles
from ..words.encodings import decode
from ..words.forms import nfc
from .headings import Markup
from .notes import FOLDER_NOTES, Role

# Bytes of one file; more is no note. Files in all: more is no documentation of one project.
MAX_BYTES = 512 * 1024
MAX_FILES = 2_000
# Folders that are looked into for notes beyond the known places: a repository has fewer, and a
# whole disk must not be walked to its end.
_MOST_FOLDERS = 20_000

_DOCS_ENDINGS = (".md", ".markdown", ".mdx", ".rst", ".txt")
# At the root every document is a note; plain texts there (requirements.txt) only by their name.
_ROOT_ENDINGS = (".md", ".markdown", ".mdx", ".rst")
_NAMED_ENDINGS = (".txt", "")
_LICENCES = ("license", "licence", "copying", "notice", "code_of_conduct")
_AGENT_NOTES = (
    "AGENTS.md", "AGENT.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", "WARP.md",
    "CONVENTIONS.md", ".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".rules",
    ".goosehints", ".augment-guidelines", ".github/copilot-instructions.md",
    ".junie/guidelines.md", ".claude/CLAUDE.md",
)  # fmt: skip
_AGENT_FOLDERS = (
    ".cursor/rules", ".windsurf/rules", ".clinerules", ".roo/rules", ".claude/rules",
    ".github/instructions", ".continue/rules", ".kiro/steering", ".augment/rules", ".trae/rules",
    ".amazonq/rules", ".kilocode/rules", ".aiassistant/rules", ".openhands/microagents",
)  # fmt: skip
_AGENT_MEMORIES = (
    ".serena/memories", ".claude/memory", ".claude/memories", ".claude/agent-memory",
    ".cursor/memory", ".cursor/memories", ".goose/memory", ".agents/memory", ".ai/memory",
    ".memory", ".memory-bank", "memory-bank",
)  # fmt: skip
_ADR_FOLDERS = (
    "docs/adr", "docs/adrs", "doc/adr", "docs/decisions", "docs/architecture/decisions",
    "doc/architecture/decisions", "adr", "adrs", "decisions",
)  # fmt: skip
# Folders of what others wrote.
_FOREIGN = frozenset({"node_modules", "vendor", "third_party", "site-packages"})
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
    """Return the notes of a repository in a fixed order, and which documents are not among them."""
    private = PrivateFiles(root)
    everywhere = list(_documents(root, private))
    nested = [(path, Role.AGENT_NOTES) for path, _ in everywhere if _holds_for_its_folder(path)]
    found = read_files(root, [*nested, *_candidates(root, private)], private)
    met = {file.path for file in found.files} | {path for path, _ in found.left_out}
    rest = tuple(pair for pair in everywhere if nfc(pair[0]) not in met)
    return attrs.evolve(found, left_out=(*found.left_out, *rest))


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
    yield from _in_folders(_AGENT_MEMORIES, root, private, Role.AGENT_MEMORY)
    for name in sorted(entry.name for entry in os.scandir(root) if entry.is_file()):
        role = _role_at_root(name)
        if role is not None:
            yield name, role
    yield from _in_folders(_ADR_FOLDERS, root, private, Role.ADR)
    yield from _in_folders(_DOCS_FOLDERS, root, private, Role.DOCS)


def _role_at_root(name: str) -> Role | None:
    stem, ending = name.casefold().partition(".")[0], _ending(name)
    if ending in _ROOT_ENDINGS and not _is_licence(stem):
        return _BY_STEM.get(stem, Role.NOTES)
    return _BY_STEM.get(stem) if ending in _NAMED_ENDINGS else None


def _is_licence(stem: str) -> bool:
    return stem.replace("-", "_").startswith(_LICENCES)


def _holds_for_its_folder(path: str) -> bool:
    return PurePath(path).name in FOLDER_NOTES


def _documents(root: Path, private: PrivateFiles) -> Iterator[tuple[str, str]]:
    """Yield the documents of a repository, each with the reason why it is not taken in unless its
    place or name says what it is; hidden and private folders are not looked into."""
    for place, folders, names in islice(os.walk(root), _MOST_FOLDERS):
        here = Path(place).relative_to(root)
        folders[:] = [name for name in sorted(folders) if _is_open(here / name, root, private)]
        for name in sorted(names):
            if _ending(name) in _ROOT_ENDINGS:
                path = (here / name).as_posix()
                if _is_licence(name.casefold().partition(".")[0]):
                    yield path, "a licence, no note"
                elif (reason := private.reason(path)) is not None:
                    yield path, f"private: {reason}"
                else:
                    yield path, "not in a known place; 'memkit import' takes it"


def _is_open(folder: Path, root: Path, private: PrivateFiles) -> bool:
    place = root / folder
    if folder.name.startswith(".") or folder.name in _FOREIGN or place.is_symlink():
        return False
    if (place / ".git").exists():  # what lies in another repository belongs to its own store
        return False
    return not private.is_private(f"{folder.as_posix()}/")


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

"""Note files: which documents of a repository are read as notes, for agents and for people.

Private and ignored files are left out and counted, as is whatever looks like a document and is not
read; links are not followed out of the root, and a file that has two names is read once.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path, PurePath

import attrs

from ..redaction import PrivateFiles
from ..text.analyzer import decode, nfc
from .note_sections import Markup
from .notes_parser import FOLDER_NOTES, Role

# Bytes of one file; more is no note. Files in all: more is no documentation of one project.
MAX_BYTES = 512 * 1024
MAX_FILES = 2_000
# A file of notes named in a text; one that names one in so few letters and words only points to it.
_POINTED = re.compile(r"@?(?:[\w.~-]*/)*[\w.-]*\w\.(?:mdc?|markdown|mdx|rst|txt)\b", re.I)
_SENTENCES = re.compile(r"[.!?](?=\s+[A-Z])")
_MAX_POINTER = 240
_MAX_POINTER_WORDS = 14
# Folders that are looked into for notes beyond the known places: a repository has fewer, and a
# whole disk must not be walked to its end.
_MAX_FOLDERS = 20_000

_DOCS_ENDINGS = (".md", ".markdown", ".mdx", ".mdc", ".rst", ".txt")
# At the root every document is a note; plain texts there (requirements.txt) only by their name.
_ROOT_ENDINGS = (".md", ".markdown", ".mdx", ".mdc", ".rst")
# Documents that nothing here can read.
_FOREIGN_ENDINGS = ".adoc .asciidoc .org .textile .mediawiki .wiki .rtf .docx .odt".split()
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
# What agents load by themselves when it is called for: orders for one task, no knowledge of the
# repository.
_LOADED_FOLDERS = frozenset({"skills", "agents", "commands", "prompts", "chatmodes"})
_LOADED = "loaded by the agent itself when it is called for; 'memkit import' takes it"
_TEMPLATES = re.compile(r"(?:issue|pull_request|merge_request)_template", re.I)
# Where hosts look for documents that may lie at the root too.
_HOST_FOLDERS = (".github", ".gitlab", ".forgejo", ".gitea")
_ISSUES = "issues.jsonl"
# Folders of what others wrote, and of what tools keep.
_FOREIGN = frozenset(
    {
        "node_modules", "vendor", "third_party", "site-packages", ".git", ".hg", ".venv", ".tox",
        ".nox", ".cache", ".yarn", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".idea",
    }
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
    """File to be read: path relative to the root with forward slashes, role and text.

    Its name says the markup, unless that is given."""

    path: str
    role: Role
    text: str
    markup: Markup | None = None


@attrs.frozen
class Gathered:
    """The files of a repository, and those left out with the reason, in words for people.

    Attributes:
        private: those left out because they are private.
    """

    files: tuple[NoteFile, ...]
    left_out: tuple[tuple[str, str], ...]
    private: frozenset[str] = frozenset()

    def below(self, prefix: str) -> Gathered:
        """Return the same with `prefix` before every path, which tells them from other folders'."""
        return Gathered(
            tuple(attrs.evolve(file, path=prefix + file.path) for file in self.files),
            tuple((prefix + path, reason) for path, reason in self.left_out),
            frozenset(prefix + path for path in self.private),
        )


def gather(root: Path, *, known: Iterable[str] = ()) -> Gathered:
    """Return the notes of a repository in a fixed order, and which documents are not among them.

    Files that are `known`, since somebody imported them, are notes wherever they lie."""
    private = PrivateFiles(root)
    everywhere = list(_documents(root, private))
    nested = [(path, Role.AGENT_NOTES) for path, *_ in everywhere if _holds_for_its_folder(path)]
    imported = [(path, Role.NOTES) for path in sorted(known) if _is_file_below(root, path)]
    files = read_files(root, [*nested, *_candidates(root, private), *imported], private)
    named = {file.path for file in files.files} | {path for path, _ in files.left_out}
    # What one of them has as its second name was read.
    seen = {_identity(root / name) for name in named}
    unread = (document for document in everywhere if nfc(document[0]) not in named)
    rest = [document for document in unread if _identity(root / document[0]) not in seen]
    return attrs.evolve(
        files,
        left_out=(*files.left_out, *((path, reason) for path, reason, _ in rest)),
        private=files.private.union(path for path, _, is_private in rest if is_private),
    )


def gather_folder(folder: Path, *, root: Path) -> Gathered:
    """Return every text file under a folder as a note; paths count from `root`."""
    private = PrivateFiles(root)
    paths = _walk(folder, root, private, _DOCS_ENDINGS)
    return read_files(root, _with_roles(paths, root, private), private)


def gather_file(path: str, *, root: Path) -> Gathered:
    """Return one file as a note of the role that it has in the repository at `root`."""
    private = PrivateFiles(root)
    return read_files(root, _with_roles([path], root, private), private)


def read_files(
    root: Path, candidates: Iterable[tuple[str, Role]], private: PrivateFiles
) -> Gathered:
    """Return the candidates that may be read and can be, each file once, whatever its names."""
    files: dict[str, NoteFile] = {}
    left_out: dict[str, str] = {}
    secret: set[str] = set()
    seen: set[object] = set()
    for path, role in _real_names_first(root, candidates):
        if path in files or path in left_out or (identity := _identity(root / path)) in seen:
            continue
        if len(files) >= MAX_FILES:
            left_out[path] = f"more than {MAX_FILES} files"
        elif (reason := private.reason(path)) is not None:
            left_out[path] = f"private: {reason}"
            secret.add(path)
        else:
            seen.add(identity)
            content = _read(root / path)
            text = content if isinstance(content, str) else decode(content)
            if isinstance(content, str):
                left_out[path] = text
            elif role is Role.AGENT_NOTES and (target := _pointed_to(text)):
                left_out[path] = f"only points to {target}"
            else:
                files[path] = NoteFile(nfc(path), role, text)
    return Gathered(tuple(files.values()), tuple(left_out.items()), frozenset(secret))


# -- inside


def _with_roles(
    paths: Iterable[str], root: Path, private: PrivateFiles
) -> Iterator[tuple[str, Role]]:
    """Yield paths with the roles that the files have where a whole repository is gathered."""
    roles: dict[str, Role] = {}
    with suppress(PermissionError):  # of a folder that may be passed, and not listed
        for path, role in _candidates(root, private):
            roles.setdefault(path, role)
    for path in paths:
        of_folder = Role.AGENT_NOTES if _holds_for_its_folder(path) else Role.NOTES
        yield path, roles.get(path, of_folder)


def _is_file_below(root: Path, path: str) -> bool:
    """Whether a path that a store names, maybe a stranger's, is that of a file inside the root."""
    place = PurePath(path)
    return not place.is_absolute() and ".." not in place.parts and (root / place).is_file()


def _real_names_first(
    root: Path, candidates: Iterable[tuple[str, Role]]
) -> Iterator[tuple[str, Role]]:
    """Yield the candidates, links last and by the name of what they lead to inside the root."""
    real_root = root.resolve()
    links = []
    for path, role in candidates:
        full = root / path
        real = full.resolve()
        if not full.is_file() or real == real_root / path or not real.is_relative_to(real_root):
            yield path, role
        else:
            links.append((real.relative_to(real_root).as_posix(), role))
    yield from links


def _identity(path: Path) -> object:
    """Return what is equal for two names of one file."""
    try:
        status = path.stat()
    except OSError:
        return path
    return (status.st_dev, status.st_ino) if status.st_ino else path


def _pointed_to(text: str) -> str:
    """Return the file to which a text leads and says nothing else, or ""."""
    lines = [line.strip() for line in text.split("\n")]
    said = " ".join(line for line in lines if line and not line.startswith(("#", "<!--", "---")))
    names = _POINTED.findall(said)
    is_pointer = names and len(said) <= _MAX_POINTER and len(_SENTENCES.findall(said)) <= 1
    words = _POINTED.sub(" ", said)
    return names[0].lstrip("@") if is_pointer and len(words.split()) <= _MAX_POINTER_WORDS else ""


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
    for folder in (name for name in _HOST_FOLDERS if (root / name).is_dir()):
        for name in sorted(entry.name for entry in os.scandir(root / folder) if entry.is_file()):
            stem, role = _stem(name), _role_at_root(name)
            if role is not None and not _TEMPLATES.match(stem):
                yield f"{folder}/{name}", role
    yield from _in_folders(_ADR_FOLDERS, root, private, Role.ADR)
    yield from _in_folders(_DOCS_FOLDERS, root, private, Role.DOCS)


def _role_at_root(name: str) -> Role | None:
    stem, ending = _stem(name), _ending(name)
    if ending in _ROOT_ENDINGS and not _is_licence(stem):
        return _BY_STEM.get(stem, Role.NOTES)
    return _BY_STEM.get(stem) if ending in _NAMED_ENDINGS else None


def _stem(name: str) -> str:
    return name.casefold().partition(".")[0]


def _is_licence(stem: str) -> bool:
    return stem.replace("-", "_").startswith(_LICENCES)


def _holds_for_its_folder(path: str) -> bool:
    place = PurePath(path)
    is_hidden = any(part.startswith(".") for part in place.parts[:-1])
    return place.name in FOLDER_NOTES and not is_hidden


def _documents(root: Path, private: PrivateFiles) -> Iterator[tuple[str, str, bool]]:
    """Yield the documents of a repository, each with the reason why it is not taken in unless its
    place or name says what it is, and whether it is private; private folders are not looked
    into."""
    for place, folders, names in islice(os.walk(root), _MAX_FOLDERS):
        here = Path(place).relative_to(root)
        folders[:] = [name for name in sorted(folders) if _is_open(here / name, root, private)]
        for name in sorted(names):
            path = (here / name).as_posix()
            if reason := _why_unread(path):
                file = private.find(path)
                yield path, f"private: {file}" if file else reason, file is not None


def _why_unread(path: str) -> str:
    """Return why a document is not read unless it lies in a known place; "" for no document."""
    place = PurePath(path)
    ending, stem = _ending(place.name), _stem(place.name)
    if ending in _FOREIGN_ENDINGS:
        return f"{ending} is a format that is not read"
    if place.name == _ISSUES:
        return "issues, no notes; 'memkit import' takes them"
    if ending not in _ROOT_ENDINGS:
        return ""
    if _is_licence(stem):
        return "a licence, no note"
    if _TEMPLATES.search(path):
        return "a template"
    if _LOADED_FOLDERS.intersection(place.parts[:-1]) and place.parts[0].startswith("."):
        return _LOADED
    return "not in a known place; 'memkit import' takes it"


def _is_open(folder: Path, root: Path, private: PrivateFiles) -> bool:
    place = root / folder
    if folder.name in _FOREIGN or place.is_symlink() or (place / "pyvenv.cfg").exists():
        return False
    if (place / ".git").exists():  # what lies in another repository belongs to its own store
        return False
    return not private.is_private(f"{folder.as_posix()}/")


def _in_folders(
    folders: Iterable[str], root: Path, private: PrivateFiles, role: Role
) -> Iterator[tuple[str, Role]]:
    for folder in folders:
        for path in _walk(root / folder, root, private, _DOCS_ENDINGS):
            yield path, role


def _walk(
    folder: Path,
    root: Path,
    private: PrivateFiles,
    endings: tuple[str, ...],
    *,
    follows: bool = True,
) -> Iterator[str]:
    """Yield files below a folder, relative to the root; a private folder stands for its files.

    Folders that lie elsewhere in the root and are linked here are looked into, those of theirs not.
    """
    for place, folders, names in os.walk(folder):
        here = Path(place).relative_to(root)
        subfolders = []
        for name in sorted(folders):
            if private.is_private(f"{(here / name).as_posix()}/"):
                yield f"{(here / name).as_posix()}/"
            elif not (linked := Path(place) / name).is_symlink():
                subfolders.append(name)
            elif follows and _leads_aside(linked, root):
                yield from _walk(linked, root, private, endings, follows=False)
        folders[:] = subfolders
        for name in sorted(names):
            if _ending(name) in endings:
                yield (here / name).as_posix()


def _leads_aside(link: Path, root: Path) -> bool:
    """Whether a link leads to a folder inside the root that does not hold the link itself."""
    target, place = link.resolve(), link.parent.resolve()
    return target.is_relative_to(root.resolve()) and not place.is_relative_to(target)


def _ending(name: str) -> str:
    return PurePath(name).suffix.casefold()


def _read(path: Path) -> bytes | str:
    """Return the bytes of a file, or why they cannot be read into memories."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # reading a named pipe waits for a writer, for ever
            return "is no ordinary file"
        if status.st_size > MAX_BYTES:
            return f"larger than {MAX_BYTES // 1024} KiB"
        data = path.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror or error}"
    is_utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return "is no text" if b"\0" in data[:8192] and not is_utf16 else data

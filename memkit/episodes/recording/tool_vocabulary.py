"""What names of tools and parameters mean; files of a patch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote

from ...text.analyzer import parts
from ...text.patterns import lazy_pattern
from ..records import FileOperation
from . import tolerant_json
from .event import FileAccess

# --- What a tool does to files, told from the words of its name.
#
#     replace_string_in_file    editFiles    search_replace    mcp__fs__write_file
#
# Every agent has names of its own, but they are made of the same words. A name is understood only
# if each of its words is: of `create_commit`, whatever files it lists, nothing is known.

# Verbs, the strongest first: `search_replace` edits, `search_file_content` searches.
_VERBS = {
    FileOperation.DELETE: "delete remove",
    FileOperation.RENAME: "move rename",
    FileOperation.EDIT: (
        "edit multiedit notebookedit replace insert patch update modify append diff"
    ),
    FileOperation.WRITE: "write create save overwrite",
    FileOperation.SEARCH: "search grep glob find list ls",
    FileOperation.READ: "read view open cat notebookread",
}
_BY_WORD = {word: deed for deed, words in _VERBS.items() for word in words.split()}
_STRENGTH = list(_VERBS)
_FILES = frozenset("file files path paths notebook".split())
# What an edit takes out of a file: to delete this deletes no file.
_PARTS = frozenset("line lines cell cells block blocks symbol text string content".split())
_FOLDERS = frozenset("directory directories dir dirs folder folders tree".split())
_BETWEEN = frozenset(
    "an and or to in into of from for with by the new all many multi multiple apply undo based"
    " tool editor fs str strings contents code symbols body regex pattern after before".split()
)
# Tools that do one of several things, and say which in their parameters.
_MANIFOLD = frozenset({"editor", "tool"})
_SHELLS = frozenset("bash zsh sh shell terminal command cmd container powershell pwsh".split())
_RUNNING = frozenset("run execute exec local in".split())


@lru_cache(maxsize=1024)
def operation_of(tool: str) -> FileOperation | None:
    """Return what a tool of this name does to the files it is given, or None if the name does not
    tell."""
    words = _words(tool)
    deeds = {_BY_WORD[word] for word in words if word in _BY_WORD}
    operation = next((deed for deed in _STRENGTH if deed in deeds), None)
    known = _BY_WORD.keys() | _FILES | _PARTS | _BETWEEN
    if operation is FileOperation.SEARCH:
        known |= _FOLDERS
    if operation is None or not known.issuperset(words):
        return None
    return (
        FileOperation.EDIT
        if operation is FileOperation.DELETE and _PARTS & set(words)
        else operation
    )


@lru_cache(maxsize=1024)
def is_shell(tool: str) -> bool:
    """Whether a tool of this name runs the command that it is given, here."""
    words = set(_words(tool))
    is_one = words == {"run"} or bool(words & _SHELLS)
    return is_one and words <= _SHELLS | _RUNNING and not is_foreign(tool)


def is_manifold(tool: str) -> bool:
    """Whether the name of a tool leaves open what it does: a parameter tells."""
    return not _MANIFOLD.isdisjoint(_words(tool))


def is_foreign(tool: str) -> bool:
    """Whether a tool is one of a server's: its paths need not be those of files here."""
    return tool[:3].lower() == "mcp"


def names_files(tool: str) -> bool:
    """Whether the name says that it is files that the tool works on."""
    return not (_FILES | _FOLDERS).isdisjoint(_words(tool))


# -- inside


def _words(tool: str) -> list[str]:
    """Return the words of a name in small letters, without those of the server it comes from."""
    bare = re.split(r"__|:", tool)[-1]
    words = [word.lower() for word in parts(bare)]
    if words[:1] == ["mcp"]:  # `mcp_server_tool`: a server's name holds no verb, as a rule
        first = next((n for n, word in enumerate(words) if word in _BY_WORD), len(words))
        return words[first:]
    return words


# --- Where the parameters of a call name files: one path, a list of them, or one in each of
# several edits. Names of parameters are compared without case and without what joins their words.

Parameters = Mapping[str, Any]

# Parameters that hold the path of a file whatever the tool, those that do if the tool works on
# files, and lists of either.
_CERTAIN = (
    "filepath absolutepath filename notebookpath relativepath targetfile targetnotebook"
    " pathinproject fileuri file".split()
)
_LIKELY = "path dirpath uri".split()
_LISTS = frozenset("files paths filepaths filenames".split())
_CERTAIN_LISTS = _LISTS - {"paths"}
_SOURCES = "source sourcepath oldpath frompath from src".split()
_TARGETS = "destination destinationpath newpath topath to dest".split()
# Parameters of what lies elsewhere: a path among them is one of a repository or a store there.
_ELSEWHERE = frozenset("owner repo repository bucket url projectid".split())
_SCHEME = lazy_pattern(r"[A-Za-z][\w+.-]+://")
_DRIVE = lazy_pattern(r"/[A-Za-z]:")


def named(parameters: Parameters) -> dict[str, Any]:
    """Return parameters by their names in small letters without anything between the words."""
    return {"".join(filter(str.isalnum, str(k))).lower(): v for k, v in parameters.items()}


def path_of(parameters: Parameters, *, certain: bool = False) -> str | None:
    """Return the path among the parameters of a call, or None; with `certain` only one that is a
    file's whatever the tool."""
    values = named(parameters)
    names = _CERTAIN if certain else _ORDER
    return next((path for name in names if (path := _path(values.get(name)))), None)


def names_file(parameters: Parameters) -> bool:
    """Whether a call is given the path of a file: a command or code beside it is no program."""
    values = named(parameters)
    return any(_path(values.get(name)) for name in (*_CERTAIN, "path"))


def files_in(parameters: Parameters, *, certain: bool = False) -> Iterator[tuple[str, Parameters]]:
    """Yield each path that a call names, with the parameters that belong to it."""
    own = path_of(parameters, certain=certain)
    if own is not None:
        yield own, parameters
        return
    for name, value in named(parameters).items():
        if not isinstance(value, list):
            continue
        is_of_paths = name in (_CERTAIN_LISTS if certain else _LISTS)
        for part in value:
            if isinstance(part, Mapping):
                path = path_of(part, certain=certain and not is_of_paths)
            else:
                path = _path(part) if is_of_paths else None
            if path is not None:
                yield path, part if isinstance(part, Mapping) else {}


def moved(parameters: Parameters) -> tuple[str, str] | None:
    """Return from where to where a call moves a file, or None."""
    values = named(parameters)
    old, new = (
        next((path for name in names if (path := _path(values.get(name)))), None)
        for names in (_SOURCES, _TARGETS)
    )
    return (old, new) if old and new else None


def is_elsewhere(parameters: Parameters) -> bool:
    """Whether the parameters say that what they name lies on another machine."""
    return not _ELSEWHERE.isdisjoint(named(parameters))


# -- inside

# Where a call names two, the first of these is the file.
_ORDER = [*_CERTAIN[:2], "path", *_CERTAIN[2:], *_LIKELY[1:]]


def _path(value: object) -> str | None:
    """Return a path as it is written, that of a `file:` address without it; None for another
    address and for what is no text."""
    text = tolerant_json.text(value)
    if text is None or "\n" in text:
        return None
    if not _SCHEME.match(text):
        return text
    if not text.lower().startswith("file://"):
        return None
    path = unquote(text[len("file://") :])
    return path[1:] if _DRIVE.match(path) else path or None


# --- The files of an `apply_patch` text, and how many lines it adds and takes away.

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_HEADS = {
    "*** Add File: ": FileOperation.WRITE,
    "*** Update File: ": FileOperation.EDIT,
    "*** Delete File: ": FileOperation.DELETE,
}
_MOVE = "*** Move to: "


def patched(text: str) -> list[FileAccess]:
    """Return the files that the patches inside a text change, in order."""
    files: list[FileAccess] = []
    start = text.find(_BEGIN)
    while start >= 0:
        end = text.find(_END, start)
        files += _files(text[start : end if end >= 0 else len(text)].splitlines())
        start = text.find(_BEGIN, end) if end >= 0 else -1
    return files


def changed_lines(old: str | None, new: str | None) -> str:
    """Return in a few words how many lines were put in the place of how many."""
    return f"+{_count(new)} -{_count(old)} lines"


def _files(lines: list[str]) -> Iterator[FileAccess]:
    file: FileAccess | None = None
    added = removed = 0
    for line in lines:
        if line.startswith(_MOVE) and file is not None:
            target = line.removeprefix(_MOVE).strip()
            file = FileAccess(target, FileOperation.RENAME, previous_path=file.path)
        elif (head := _head(line)) is not None:
            yield from _done(file, added, removed)
            file, added, removed = head, 0, 0
        else:
            added += line.startswith("+")
            removed += line.startswith("-")
    yield from _done(file, added, removed)


def _head(line: str) -> FileAccess | None:
    for head, operation in _HEADS.items():
        path = line.removeprefix(head).strip()
        if line.startswith(head) and path:
            return FileAccess(path, operation)
    return None


def _done(file: FileAccess | None, added: int, removed: int) -> Iterator[FileAccess]:
    if file is not None:
        yield file._replace(changes=f"+{added} -{removed} lines")


def _count(text: str | None) -> int:
    return text.rstrip("\n").count("\n") + 1 if text else 0

"""Which files a call touches, told from the tool's name and what it was called with.

The words of a name say what a tool does (toolnames.py), the names of the parameters to which file
(toolpaths.py): agents and their versions differ in the names, not in the words. Of a tool that is
not understood (a search of the web, a plan) no file is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from posixpath import isabs, join, normpath
from typing import Any

import attrs

from ..kinds import Operation
from ..parameters import content_hash
from . import loose
from .events import Touched
from .patches import changed_lines, patched
from .shell import touched
from .toolnames import is_foreign, is_manifold, is_shell, names_files, operation_of
from .toolpaths import files_in, is_elsewhere, moved, named, path_of

__all__ = ["command_of", "files_of", "path_of", "shown", "span"]

Parameters = Mapping[str, Any]
Files = tuple[Touched, ...]

_CONTENTS = ("content", "filetext", "contents", "codecontent", "newcontent")
_OLD = ("oldstring", "oldstr", "oldtext")
_NEW = ("newstring", "newstr", "newtext", "newsource", "newcode", "code", "codeedit")
# How an output says that not all of a file is in it, and where it says so.
_CLIPPED = re.compile(
    r"<NOTE>(?:This file is too large|Due to the max output|To save on context|The above file has)"
    r"|File content truncated|omitted [1-9]\d* of \d+ lines|Output truncated|<response clipped>"
)
_ENDS = 2_000
# What passes on only some lines: how many came back tells nothing of the file.
_FILTERED = re.compile(r"\|(?!\s*(?:nl|cat|head|tail|sed -n)\b)")
_NUMBERED = re.compile(r"^ {0,8}(\d{1,8})[\t ]", re.M)
_EDITOR = {
    "view": Operation.READ,
    "create": Operation.WRITE,
    "str_replace": Operation.EDIT,
    "insert": Operation.EDIT,
    "undo_edit": Operation.EDIT,
}


def files_of(tool: str, parameters: Parameters, cwd: str | None = None) -> Files:
    """Return the files that a call touches, relative paths counted from `cwd`."""
    command = command_of(tool, parameters)
    if command is not None:
        return touched(command, cwd)
    found = _found(tool, parameters)
    return found if cwd is None else tuple(_below(cwd, file) for file in found)


def shown(files: Files, output: str | None, command: str | None = None) -> Files:
    """Return the files of a call: those that came back clipped with the lines that were shown, and
    one that ended before the lines that were asked for as read whole. `command` is the shell's."""
    if output is None:
        return files
    if not (_CLIPPED.search(output[:_ENDS]) or _CLIPPED.search(output[-_ENDS:])):
        is_plain = len(files) == 1 and not _FILTERED.search(command or "")
        return tuple(_ended(file, output) for file in files) if is_plain else files
    numbers = [int(number) for number in _NUMBERED.findall(output)]
    whole = next((n for n, number in enumerate(numbers) if number != numbers[0] + n), len(numbers))
    first = numbers[0] if numbers else 1
    mark = _CLIPPED.search(output)
    before = whole or output[: mark.start() if mark else 0].count("\n")
    part = span(first, first + max(before, 1) - 1)
    return tuple(
        attrs.evolve(file, lines=part)
        if file.operation is Operation.READ and file.lines is None
        else file
        for file in files
    )


def command_of(tool: str, parameters: Parameters) -> str | None:
    """Return the shell command of a call, or None if it is no shell."""
    if not is_shell(tool):
        return None
    by_name = named(parameters)
    given = next(
        (by_name[name] for name in ("command", "cmd", "commandline") if name in by_name), None
    )
    if isinstance(given, list):
        words = [word for word in given if isinstance(word, str)]
        by_shell = len(words) > 2 and words[0].rpartition("/")[2].endswith("sh")
        return words[-1] if by_shell else " ".join(words)
    return given if isinstance(given, str) else None


def span(start: object, end: object) -> tuple[int, int] | None:
    """Return first and last line if both are numbers in order, or None."""
    first, last = loose.whole(start), loose.whole(end)
    return (first, last) if first is not None and last is not None and 0 < first <= last else None


# -- inside


def _ended(file: Touched, output: str) -> Touched:
    """Return a file of whose first lines fewer came back than were asked for as one that was read
    to its end."""
    is_start = file.operation is Operation.READ and file.lines is not None and file.lines[0] == 1
    lines = output.rstrip("\n").count("\n") + 1
    if is_start and output.strip() and file.lines is not None and lines < file.lines[1]:
        return attrs.evolve(file, lines=None)
    return file


def _below(folder: str, file: Touched) -> Touched:
    before = file.previous_path
    return attrs.evolve(
        file,
        path=file.path if isabs(file.path) else join(folder, file.path),
        previous_path=before if before is None or isabs(before) else join(folder, before),
    )


def _found(tool: str, parameters: Parameters) -> Files:
    """Return the files of a call that is no shell's, as it writes them."""
    deed = _deed(tool, parameters)
    is_dry = named(parameters).get("dryrun") is True
    if deed is None or is_dry or (is_foreign(tool) and is_elsewhere(parameters)):
        return ()
    if deed is Operation.EDIT and (found := _patched(parameters)):
        return found
    if deed is Operation.RENAME:
        ends = moved(parameters)
        return (Touched(normpath(ends[1]), deed, previous_path=normpath(ends[0])),) if ends else ()
    certain = is_foreign(tool) and not names_files(tool)
    parts: dict[str, list[Parameters]] = {}
    for path, part in files_in(parameters, certain=certain):
        parts.setdefault(normpath(path), []).append(part)
    tell = _TELLING.get(deed, _plain)
    plain = {path: own for path, own in parts.items() if not _WILD.search(path)}
    return tuple(tell(path, deed, own) for path, own in plain.items())


def _deed(tool: str, parameters: Parameters) -> Operation | None:
    """Return what a call does: of a tool that does several things one of them is the command."""
    deed, command = operation_of(tool), parameters.get("command")
    if deed is None or not (is_manifold(tool) or str(command) in _EDITOR):
        return deed
    return _EDITOR.get(str(command))


def _patched(parameters: Parameters) -> Files:
    texts = (text for value in parameters.values() for text in _texts(value))
    return tuple(file for text in texts for file in patched(text))


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [one for one in values if isinstance(one, str)]


def _first(parameters: Parameters, names: tuple[str, ...]) -> str | None:
    given = named(parameters)
    return next((v for name in names if isinstance(v := given.get(name), str)), None)


def _plain(path: str, deed: Operation, _parts: list[Parameters]) -> Touched:
    return Touched(path, deed)


def _read(path: str, deed: Operation, parts: list[Parameters]) -> Touched:
    given = named(parts[0])
    view = given.get("viewrange")
    lines = span(*view) if isinstance(view, list) and len(view) == 2 else None
    start, count = loose.whole(given.get("offset")), loose.whole(given.get("limit"))
    if start is not None and count:
        lines = span(max(start, 1), max(start, 1) + count - 1)
    first, last = given.get("startline", 1), given.get("endline", given.get("head"))
    return Touched(path, deed, lines or span(first, last))


def _write(path: str, deed: Operation, parts: list[Parameters]) -> Touched:
    content = _first(parts[0], _CONTENTS)
    known = None if content is None else content_hash(content)
    changes = None if content is None else changed_lines(None, content)
    return Touched(path, deed, changes=changes, content_hash=known)


def _edit(path: str, deed: Operation, parts: list[Parameters]) -> Touched:
    """Return an edited file with the lines of all edits together."""
    edits = [edit for part in parts for edit in (part, *loose.objects(part.get("edits")))]
    old, new = (_joined(_first(edit, names) for edit in edits) for names in (_OLD, _NEW))
    changes = None if old is None and new is None else changed_lines(old, new)
    return Touched(path, deed, changes=changes)


def _joined(texts: Iterable[str | None]) -> str | None:
    given = [text for text in texts if text is not None]
    return "\n".join(text.rstrip("\n") for text in given if text) if given else None


_WILD = re.compile(r"[*\n]")
_TELLING: dict[Operation, Callable[[str, Operation, list[Parameters]], Touched]] = {
    Operation.READ: _read,
    Operation.WRITE: _write,
    Operation.EDIT: _edit,
}

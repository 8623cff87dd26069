"""Which files a call touches, told from the tool's name and what it was called with.

The names are those of the agents whose transcripts are read; of a tool that is not listed (a search
of the web, a plan, a server of one's own) no file is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from posixpath import isabs, join, normpath
from typing import Any

import attrs

from ..kinds import Operation
from ..parameters import content_hash
from . import loose
from .events import Touched
from .patches import changed_lines, patched
from .shell import touched

Parameters = Mapping[str, Any]
Files = tuple[Touched, ...]

_PATHS = ("file_path", "absolute_path", "path", "filename", "notebook_path", "dir_path", "filePath")
_CONTENTS = ("content", "file_text", "contents")
_OLD = ("old_string", "old_str", "oldString")
_NEW = ("new_string", "new_str", "newString", "new_source")
# How an output says that not all of a file is in it, and where it says so.
_CLIPPED = re.compile(
    r"<NOTE>(?:This file is too large|Due to the max output|To save on context|The above file has)"
    r"|File content truncated|omitted [1-9]\d* of \d+ lines|Output truncated|<response clipped>"
)
_ENDS = 2_000
# What passes on only some lines: how many came back tells nothing of the file.
_FILTERED = re.compile(r"\|(?!\s*(?:nl|cat|head|tail|sed -n)\b)")
_NUMBERED = re.compile(r"^ {0,8}(\d{1,8})[\t ]", re.M)
_COMMANDS = frozenset(
    "bash shell execute_bash run run_shell_command local_shell exec_command container.exec"
    " terminal execute_command".split()
)
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
    rule = _RULES.get(tool.lower())
    found = rule(parameters) if rule else ()
    if cwd is None:
        return found
    return tuple(Touched(join(cwd, f.path), *_rest(f)) if not isabs(f.path) else f for f in found)


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
    if tool.lower() not in _COMMANDS:
        return None
    given = parameters.get("command", parameters.get("cmd"))
    if isinstance(given, list):
        words = [word for word in given if isinstance(word, str)]
        is_shell = len(words) > 2 and words[0].rpartition("/")[2].endswith("sh")
        return words[-1] if is_shell else " ".join(words)
    return given if isinstance(given, str) else None


def path_of(parameters: Parameters) -> str | None:
    """Return the path among the parameters of a call, or None."""
    return next((found for key in _PATHS if (found := loose.text(parameters.get(key)))), None)


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


def _rest(file: Touched) -> tuple[Any, ...]:
    return (file.operation, file.lines, file.previous_path, file.changes, file.content_hash)


def _first(parameters: Parameters, names: tuple[str, ...]) -> str | None:
    return next((v for name in names if isinstance(v := parameters.get(name), str)), None)


def _read(parameters: Parameters) -> Files:
    path = path_of(parameters)
    if path is None:
        return ()
    view = parameters.get("view_range")
    lines = span(*view) if isinstance(view, list) and len(view) == 2 else None
    start, count = loose.whole(parameters.get("offset")), loose.whole(parameters.get("limit"))
    if start is not None and count:
        lines = span(max(start, 1), max(start, 1) + count - 1)
    return (Touched(normpath(path), Operation.READ, lines),)


def _read_many(parameters: Parameters) -> Files:
    paths = parameters.get("paths")
    names = [path for path in paths if loose.text(path)] if isinstance(paths, list) else []
    return tuple(Touched(normpath(path), Operation.READ) for path in names if "*" not in path)


def _write(parameters: Parameters) -> Files:
    path, content = path_of(parameters), _first(parameters, _CONTENTS)
    if path is None:
        return ()
    known = None if content is None else content_hash(content)
    changes = None if content is None else changed_lines(None, content)
    return (Touched(normpath(path), Operation.WRITE, changes=changes, content_hash=known),)


def _edit(parameters: Parameters) -> Files:
    path = path_of(parameters)
    if path is None:
        return ()
    old, new = _first(parameters, _OLD), _first(parameters, _NEW)
    changes = None if old is None and new is None else changed_lines(old, new)
    return (Touched(normpath(path), Operation.EDIT, changes=changes),)


def _search(parameters: Parameters) -> Files:
    path = path_of(parameters)
    return () if path is None else (Touched(normpath(path), Operation.SEARCH),)


def _editor(parameters: Parameters) -> Files:
    operation = _EDITOR.get(str(parameters.get("command")))
    if operation is Operation.READ:
        return _read(parameters)
    if operation is Operation.WRITE:
        return _write(parameters)
    return _edit(parameters) if operation else ()


def _patch(parameters: Parameters) -> Files:
    return tuple(patched(_first(parameters, ("input", "patch")) or ""))


_RULES: dict[str, Callable[[Parameters], Files]] = {
    **dict.fromkeys(("read", "read_file", "notebookread", "view"), _read),
    "read_many_files": _read_many,
    **dict.fromkeys(("write", "write_file"), _write),
    **dict.fromkeys(("edit", "multiedit", "notebookedit", "replace", "edit_file"), _edit),
    **dict.fromkeys(
        ("grep", "glob", "ls", "list_directory", "search_file_content", "grep_search"), _search
    ),
    **dict.fromkeys(("str_replace_editor", "str_replace_based_edit_tool", "file_editor"), _editor),
    "apply_patch": _patch,
}

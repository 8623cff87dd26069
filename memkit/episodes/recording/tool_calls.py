"""Files a tool call or shell command touches."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import join, normpath
from typing import Any

from ...text.paths import is_whole, plain_path
from ...text.patterns import lazy_pattern
from ..records import FileOperation
from . import tolerant_json
from .envelope import unwrap
from .event import FileAccess
from .payloads import content_hash
from .tool_vocabulary import (
    changed_lines,
    files_in,
    is_elsewhere,
    is_foreign,
    is_manifold,
    is_shell,
    moved,
    named,
    names_files,
    operation_of,
    patched,
)

# --- Which files a shell command reads, searches and changes, where that is plain.
#
# Understood: cat bat head tail nl less more wc, sed -n and sed -i, rg grep ag ls tree find,
# apply_patch, redirects and here-documents, tee touch cp mv rm (with git before them too), joined
# by && ; | and new lines, and cd before them. Variables, loops and substitutions are not looked
# into, and of what a program reads or writes nothing is known. A path with a wildcard in it is
# left out.

# Longer commands are programs; only patches are found in them.
MAX_CHARS = 20_000
_HEREDOC = lazy_pattern(r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?(?:^\s*\2\s*$|\Z)", re.S | re.M)
_SED_RANGE = lazy_pattern(r"(\d+)(?:,(\d+|\$))?p")
_NO_PATH = lazy_pattern(r"[*?$`{}<>|;\n]|^/dev/|^-$|^&?\d$")
_QUIET = lazy_pattern(r"\d?>(?:&\d|\s*/dev/null)")
_READING = frozenset("cat bat head tail nl less more wc".split())
_BEFORE = frozenset({"sudo", "time", "git"})
# Options that take the next word with them.
_COUNTED = frozenset({"-n", "-c"})
_WITH_VALUE = frozenset(
    "-A -B -C -e -f -g -t -T -m -d --glob --iglob --type --max-count --include --exclude".split()
)
_PIPES = frozenset({"|", "|&"})
_JOINTS = frozenset({"&&", "||", ";", "|", "|&", "&", "\n", ";;", "(", ")"})


class _Walk:
    """What is known while a command is read from left to right."""

    def __init__(self, cwd: str | None) -> None:
        self.cwd = cwd
        self.files: list[FileAccess] = []

    def add(self, path: str, operation: FileOperation, **rest: object) -> None:
        if path and not _NO_PATH.search(path):
            self.files.append(FileAccess(self.place(path), operation, **rest))  # type: ignore[arg-type]

    def place(self, path: str) -> str:
        if self.cwd is None or is_whole(plain_path(path)) or path.startswith("~"):
            return normpath(path)
        return normpath(join(self.cwd, path))


def touched(command: str, cwd: str | None = None) -> tuple[FileAccess, ...]:
    """Return the files of a command that is run in `cwd`, in order, each operation once."""
    walk = _Walk(cwd)
    for file in patched(command):
        before = file.previous_path and walk.place(file.previous_path)
        walk.files.append(file._replace(path=walk.place(file.path), previous_path=before))
    bare = command[:MAX_CHARS]
    if "*** Begin Patch" in bare:
        bare = bare[: bare.index("*** Begin Patch")].rpartition("\n")[0]
    for words, joint in _commands(_HEREDOC.sub(r"\3\n", bare)):
        _command(walk, words, is_piped=joint == "|")
    return tuple(dict.fromkeys(walk.files))


def chained(command: str) -> Iterator[list[str]]:
    """Yield the words of each simple command of a line, but those that are fed by a pipe, and
    without redirects."""
    for words, joint in _commands(_QUIET.sub("", command[:MAX_CHARS])):
        if joint not in _PIPES and (plain := _redirected(_Walk(None), words)):
            yield plain


def only_looks(command: str) -> bool:
    """Whether a command does nothing but read, list and search, so that finding nothing is no
    failure."""
    plain = [_plain_word(words) for words, _ in _commands(_QUIET.sub("", command[:MAX_CHARS]))]
    commands = [words for words in plain if words]
    return bool(commands) and all(
        words[0] in _HARMLESS and ">" not in words and ">>" not in words and not _in_place(words)
        for words in commands
    )


# -- inside


def _commands(command: str) -> Iterator[tuple[list[str], str]]:
    """Yield the words of each simple command, and what stood before it."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words: list[str] = []
    before = ""
    try:
        for word in lexer:
            joint = word.strip("\n") or "\n" if not word.strip("();|&\n") else ""
            if joint in _JOINTS:
                yield words, before
                words, before = [], joint
            else:
                words.append(word)
    except ValueError:  # an open quotation: what was read up to there may be wrong as well
        return
    yield words, before


def _command(walk: _Walk, words: list[str], *, is_piped: bool) -> None:
    words = _plain_word(_redirected(walk, words))
    if not words:
        return
    name, rest = words[0], words[1:]
    if name == "cd":
        walk.cwd = walk.place(rest[0]) if rest and not _NO_PATH.search(rest[0]) else walk.cwd
    elif name in _READING or name == "sed":
        _read_command(walk, name, rest, is_piped=is_piped)
    elif name in _LOOKING:
        _LOOKING[name](walk, name, rest)
    elif name in _CHANGING:
        _CHANGING[name](walk, _paths(rest))


def _plain_word(words: list[str]) -> list[str]:
    """Return a command from its name on, without what stands before it."""
    while words and (re.fullmatch(r"\w+=.*", words[0]) or words[0] in _BEFORE):
        words = words[1:]
    return [words[0].rpartition("/")[2], *words[1:]] if words else []


def _in_place(words: list[str]) -> bool:
    return words[0] == "sed" and any(word.startswith(("-i", "--in-place")) for word in words)


def _redirected(walk: _Walk, words: list[str]) -> list[str]:
    """Return the words without redirects; the files they write are noted."""
    arguments: list[str] = []
    sign = ""
    for word in words:
        if sign:
            if ">" in sign and "&" not in sign:
                walk.add(word, FileOperation.EDIT if ">>" in sign else FileOperation.WRITE)
            sign = ""
        elif word and not word.strip("<>&"):
            sign = word
            if arguments and arguments[-1] in ("1", "2"):
                arguments.pop()
        else:
            arguments.append(word)
    return arguments


def _paths(words: Sequence[str], with_value: frozenset[str] = frozenset()) -> list[str]:
    """Return the words that are no options, nor values of the options `with_value`."""
    paths: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in with_value
        else:
            paths.append(word)
    return paths


def _read_command(walk: _Walk, name: str, rest: Sequence[str], *, is_piped: bool) -> None:
    if name == "sed":
        _sed(walk, rest, is_piped=is_piped)
        return
    lines = _head_lines(rest) if name == "head" else None
    if is_piped:
        _narrow(walk, lines)
        return
    for path in _paths(rest, _COUNTED if name in ("head", "tail") else frozenset()):
        walk.add(path, FileOperation.READ, lines=lines)


def _narrow(walk: _Walk, lines: tuple[int, int] | None) -> None:
    """Let the lines that a pipe lets through be those of the file before it."""
    last = walk.files[-1] if walk.files else None
    if last is not None and lines and last.operation is FileOperation.READ and last.lines is None:
        walk.files[-1] = last._replace(lines=lines)


def _head_lines(rest: Sequence[str]) -> tuple[int, int] | None:
    text = " ".join(rest)
    match = re.match(r"-n\s*(\d{1,9})\b|-(\d{1,9})\b", text)
    return (1, int(match[1] or match[2])) if match else (None if "-c" in rest else (1, 10))


def _sed(walk: _Walk, rest: Sequence[str], *, is_piped: bool) -> None:
    plain = [word for word in rest if not word.startswith("-")]
    if _in_place(["sed", *rest]):
        for path in plain[0 if "-e" in rest else 1 :]:
            walk.add(path, FileOperation.EDIT)
        return
    span = _SED_RANGE.fullmatch(plain[0]) if plain else None
    lines = None
    if span and len(span[1]) < 10 and span[2] != "$" and len(span[2] or "") < 10:
        lines = (int(span[1]), int(span[2] or span[1]))
    if is_piped:
        _narrow(walk, lines)
    for path in plain[1:]:
        walk.add(path, FileOperation.READ, lines=lines)


def _search(walk: _Walk, name: str, rest: Sequence[str]) -> None:
    paths = _paths(rest, _WITH_VALUE)
    has_pattern = any(word in ("-e", "-f", "--files") for word in rest)
    for path in paths[0 if has_pattern else 1 :]:
        walk.add(path, FileOperation.SEARCH)


def _list(walk: _Walk, name: str, rest: Sequence[str]) -> None:
    paths = _paths(rest)
    if name == "find":  # the folders stand before the first test
        tests = [n for n, word in enumerate(rest) if word.startswith("-")]
        paths = list(rest[: tests[0]] if tests else rest)
    for path in paths or ["."]:
        walk.add(path, FileOperation.SEARCH)


def _each(operation: FileOperation) -> Callable[[_Walk, list[str]], None]:
    def run(walk: _Walk, paths: list[str]) -> None:
        for path in paths:
            walk.add(path, operation)

    return run


def _copy(walk: _Walk, paths: list[str]) -> None:
    if len(paths) == 2:
        walk.add(paths[0], FileOperation.READ)
        walk.add(paths[1], FileOperation.WRITE)


def _move(walk: _Walk, paths: list[str]) -> None:
    if len(paths) == 2 and not _NO_PATH.search(paths[0]):
        walk.add(paths[1], FileOperation.RENAME, previous_path=walk.place(paths[0]))


_LOOKING: dict[str, Callable[[_Walk, str, Sequence[str]], None]] = {
    **dict.fromkeys("rg grep egrep fgrep ag".split(), _search),
    **dict.fromkeys("ls tree find".split(), _list),
}
_CHANGING: dict[str, Callable[[_Walk, list[str]], None]] = {
    "tee": _each(FileOperation.WRITE),
    "touch": _each(FileOperation.WRITE),
    "rm": _each(FileOperation.DELETE),
    "cp": _copy,
    "mv": _move,
}
_HARMLESS = _READING | _LOOKING.keys() | {"cd", "sort", "uniq", "awk", "cut", "sed"}


# --- Which files a call touches, told from the tool's name and what it was called with.
#
# The words of a name say what a tool does, and the names of its parameters to which file
# (tool_vocabulary.py): agents and their versions differ in the names, not in the words. Of a tool
# that is not understood (a search of the web, a plan) no file is known.

Parameters = Mapping[str, Any]
Files = tuple[FileAccess, ...]

_CONTENTS = ("content", "filetext", "contents", "codecontent", "newcontent")
_OLD = ("oldstring", "oldstr", "oldtext")
_NEW = ("newstring", "newstr", "newtext", "newsource", "newcode", "code", "codeedit")
# How an output says that not all of a file is in it, and where it says so.
_CLIPPED = lazy_pattern(
    r"<NOTE>(?:This file is too large|Due to the max output|To save on context|The above file has)"
    r"|File content truncated|omitted [1-9]\d* of \d+ lines|Output truncated|<response clipped>"
)
_ENDS = 2_000
# What passes on only some lines: how many came back tells nothing of the file.
_FILTERED = lazy_pattern(r"\|(?!\s*(?:nl|cat|head|tail|sed -n)\b)")
_NUMBERED = lazy_pattern(r"^ {0,8}(\d{1,8})[\t ]", re.M)
_EDITOR = {
    "view": FileOperation.READ,
    "create": FileOperation.WRITE,
    "str_replace": FileOperation.EDIT,
    "insert": FileOperation.EDIT,
    "undo_edit": FileOperation.EDIT,
}


def files_of(tool: str, parameters: Parameters, cwd: str | None = None) -> Files:
    """Return the files that a call touches, relative paths counted from `cwd`."""
    command = shell_command(tool, parameters)
    if command is not None:
        return touched(command, cwd)
    files = _files_as_written(tool, parameters)
    return files if cwd is None else tuple(_below(cwd, file) for file in files)


def shown(files: Files, output: str | None, command: str | None = None) -> Files:
    """Return the files of a call: those that came back clipped with the lines that were shown, and
    one that ended before the lines that were asked for as read whole. `command` is the shell's."""
    if output is None:
        return files
    if command is not None:
        output = unwrap(output).body
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
        file._replace(lines=part)
        if file.operation is FileOperation.READ and file.lines is None
        else file
        for file in files
    )


def shell_command(tool: str, parameters: Parameters) -> str | None:
    """Return the shell command of a call, or None if it is no shell."""
    if not is_shell(tool):
        return None
    by_name = named(parameters)
    command = next(
        (by_name[name] for name in ("command", "cmd", "commandline") if name in by_name), None
    )
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        by_shell = len(words) > 2 and words[0].rpartition("/")[2].endswith("sh")
        return words[-1] if by_shell else " ".join(words)
    return command if isinstance(command, str) else None


def added_text(parameters: Parameters) -> str:
    """Return what a call writes into files: contents, new texts without the lines of the old ones
    that stay, and the lines that patches add."""
    edits = [parameters, *tolerant_json.objects(parameters.get("edits"))]
    added: list[str] = []
    for edit in edits:
        old = set((_first(edit, _OLD) or "").splitlines())
        new = _first(edit, _NEW) or _first(edit, _CONTENTS) or ""
        added += [line for line in new.splitlines() if line not in old]
    for value in parameters.values():
        for text in _texts(value):
            if patched(text):
                added += [line[1:] for line in text.splitlines() if line.startswith("+")]
    return "\n".join(added)


def span(start: object, end: object) -> tuple[int, int] | None:
    """Return first and last line if both are numbers in order, or None."""
    first, last = tolerant_json.whole(start), tolerant_json.whole(end)
    return (first, last) if first is not None and last is not None and 0 < first <= last else None


# -- inside


def _ended(file: FileAccess, output: str) -> FileAccess:
    """Return a file of whose first lines fewer came back than were asked for as one that was read
    to its end."""
    is_start = (
        file.operation is FileOperation.READ and file.lines is not None and file.lines[0] == 1
    )
    lines = output.rstrip("\n").count("\n") + 1
    if is_start and output.strip() and file.lines is not None and lines < file.lines[1]:
        return file._replace(lines=None)
    return file


def _below(folder: str, file: FileAccess) -> FileAccess:
    before = file.previous_path
    return file._replace(
        path=_joined_to(folder, file.path),
        previous_path=None if before is None else _joined_to(folder, before),
    )


def _joined_to(folder: str, path: str) -> str:
    return path if is_whole(plain_path(path)) else join(folder, plain_path(path))


def _files_as_written(tool: str, parameters: Parameters) -> Files:
    """Return the files of a call that is no shell's, as it writes them."""
    deed = _deed(tool, parameters)
    is_dry = named(parameters).get("dryrun") is True
    if deed is None or is_dry or (is_foreign(tool) and is_elsewhere(parameters)):
        return ()
    if deed is FileOperation.EDIT and (files := _patched(parameters)):
        return files
    if deed is FileOperation.RENAME:
        ends = moved(parameters)
        return (
            (FileAccess(normpath(ends[1]), deed, previous_path=normpath(ends[0])),) if ends else ()
        )
    certain = is_foreign(tool) and not names_files(tool)
    parts: dict[str, list[Parameters]] = {}
    for path, part in files_in(parameters, certain=certain):
        parts.setdefault(normpath(path), []).append(part)
    plain = {path: own for path, own in parts.items() if not _WILD.search(path)}
    if (tell := _TELLING.get(deed)) is None:
        return tuple(FileAccess(path, deed) for path in plain)
    return tuple(tell(path, deed, own) for path, own in plain.items())


def _deed(tool: str, parameters: Parameters) -> FileOperation | None:
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
    return [text for text in values if isinstance(text, str)]


def _first(parameters: Parameters, names: tuple[str, ...]) -> str | None:
    values = named(parameters)
    return next((v for name in names if isinstance(v := values.get(name), str)), None)


def _read(path: str, deed: FileOperation, parts: list[Parameters]) -> FileAccess:
    values = named(parts[0])
    view = values.get("viewrange")
    lines = span(*view) if isinstance(view, list) and len(view) == 2 else None
    start, count = (
        tolerant_json.whole(values.get("offset")),
        tolerant_json.whole(values.get("limit")),
    )
    if start is not None and count:
        lines = span(max(start, 1), max(start, 1) + count - 1)
    first, last = values.get("startline", 1), values.get("endline", values.get("head"))
    return FileAccess(path, deed, lines or span(first, last))


def _write(path: str, deed: FileOperation, parts: list[Parameters]) -> FileAccess:
    content = _first(parts[0], _CONTENTS)
    known = None if content is None else content_hash(content)
    changes = None if content is None else changed_lines(None, content)
    return FileAccess(path, deed, changes=changes, content_hash=known)


def _edit(path: str, deed: FileOperation, parts: list[Parameters]) -> FileAccess:
    """Return an edited file with the lines of all edits together."""
    edits = [edit for part in parts for edit in (part, *tolerant_json.objects(part.get("edits")))]
    old, new = (_joined(_first(edit, names) for edit in edits) for names in (_OLD, _NEW))
    changes = None if old is None and new is None else changed_lines(old, new)
    return FileAccess(path, deed, changes=changes)


def _joined(texts: Iterable[str | None]) -> str | None:
    parts = [text for text in texts if text is not None]
    return "\n".join(text.rstrip("\n") for text in parts if text) if parts else None


_WILD = lazy_pattern(r"[*\n]")
_TELLING: dict[FileOperation, Callable[[str, FileOperation, list[Parameters]], FileAccess]] = {
    FileOperation.READ: _read,
    FileOperation.WRITE: _write,
    FileOperation.EDIT: _edit,
}

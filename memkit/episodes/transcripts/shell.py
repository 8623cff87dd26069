"""Which files a shell command reads, searches and changes, where that is plain.

Understood: cat bat head tail nl less more wc, sed -n and sed -i, rg grep ag ls tree find,
apply_patch, redirects and here-documents, tee touch cp mv rm (with git before them too), joined by
&& ; | and new lines, and cd before them. Variables, loops and substitutions are not looked into,
and of what a program reads or writes nothing is known. A path with a wildcard in it is left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from posixpath import isabs, join, normpath

import attrs

from ..kinds import Operation
from .events import Touched
from .patches import patched

# Longer commands are programs; only patches are found in them.
MOST_CHARS = 20_000
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1([^\n]*)\n.*?(?:^\s*\2\s*$|\Z)", re.S | re.M)
_SED_RANGE = re.compile(r"(\d+)(?:,(\d+|\$))?p")
_NO_PATH = re.compile(r"[*?$`{}<>|;\n]|^/dev/|^-$|^&?\d$")
_QUIET = re.compile(r"\d?>(?:&\d|\s*/dev/null)")
_READING = frozenset("cat bat head tail nl less more wc".split())
_BEFORE = frozenset({"sudo", "time", "git"})
# Options that take the next word with them.
_COUNTED = frozenset({"-n", "-c"})
_WITH_VALUE = frozenset(
    "-A -B -C -e -f -g -t -T -m -d --glob --iglob --type --max-count --include --exclude".split()
)
_JOINTS = frozenset({"&&", "||", ";", "|", "|&", "&", "\n", ";;", "(", ")"})


@attrs.define
class _Walk:
    """What is known while a command is read from left to right."""

    cwd: str | None
    found: list[Touched] = attrs.Factory(list)

    def add(self, path: str, operation: Operation, **rest: object) -> None:
        if path and not _NO_PATH.search(path):
            self.found.append(Touched(self.place(path), operation, **rest))  # type: ignore[arg-type]

    def place(self, path: str) -> str:
        if self.cwd is None or isabs(path) or path.startswith("~"):
            return normpath(path)
        return normpath(join(self.cwd, path))


def touched(command: str, cwd: str | None = None) -> tuple[Touched, ...]:
    """Return the files of a command that is run in `cwd`, in order, each operation once."""
    walk = _Walk(cwd)
    for file in patched(command):
        before = file.previous_path and walk.place(file.previous_path)
        walk.found.append(attrs.evolve(file, path=walk.place(file.path), previous_path=before))
    bare = command[:MOST_CHARS]
    if "*** Begin Patch" in bare:
        bare = bare[: bare.index("*** Begin Patch")].rpartition("\n")[0]
    for words, joint in _commands(_HEREDOC.sub(r"\3\n", bare)):
        _command(walk, words, is_piped=joint == "|")
    return tuple(dict.fromkeys(walk.found))


def only_looks(command: str) -> bool:
    """Whether a command does nothing but read, list and search, so that finding nothing is no
    failure."""
    plain = [_plain(words) for words, _ in _commands(_QUIET.sub("", command[:MOST_CHARS]))]
    found = [words for words in plain if words]
    return bool(found) and all(
        words[0] in _HARMLESS and ">" not in words and ">>" not in words and not _in_place(words)
        for words in found
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
    words = _plain(_redirected(walk, words))
    if not words:
        return
    name, rest = words[0], words[1:]
    if name == "cd":
        walk.cwd = walk.place(rest[0]) if rest and not _NO_PATH.search(rest[0]) else walk.cwd
    elif name in _READING or name == "sed":
        _read(walk, name, rest, is_piped=is_piped)
    elif name in _LOOKING:
        _LOOKING[name](walk, name, rest)
    elif name in _CHANGING:
        _CHANGING[name](walk, _paths(rest))


def _plain(words: list[str]) -> list[str]:
    """Return a command from its name on, without what stands before it."""
    while words and (re.fullmatch(r"\w+=.*", words[0]) or words[0] in _BEFORE):
        words = words[1:]
    return [words[0].rpartition("/")[2], *words[1:]] if words else []


def _in_place(words: list[str]) -> bool:
    return words[0] == "sed" and any(word.startswith(("-i", "--in-place")) for word in words)


def _redirected(walk: _Walk, words: list[str]) -> list[str]:
    """Return the words without redirects; the files they write are noted."""
    kept: list[str] = []
    sign = ""
    for word in words:
        if sign:
            if ">" in sign and "&" not in sign:
                walk.add(word, Operation.EDIT if ">>" in sign else Operation.WRITE)
            sign = ""
        elif word and not word.strip("<>&"):
            sign = word
            if kept and kept[-1] in ("1", "2"):
                kept.pop()
        else:
            kept.append(word)
    return kept


def _paths(words: Sequence[str], with_value: frozenset[str] = frozenset()) -> list[str]:
    """Return the words that are no options, nor values of the options `with_value`."""
    found: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.startswith("-") and word != "-":
            skip = word in with_value
        else:
            found.append(word)
    return found


def _read(walk: _Walk, name: str, rest: Sequence[str], *, is_piped: bool) -> None:
    if name == "sed":
        _sed(walk, rest, is_piped=is_piped)
        return
    lines = _head_lines(rest) if name == "head" else None
    if is_piped:
        _narrow(walk, lines)
        return
    for path in _paths(rest, _COUNTED if name in ("head", "tail") else frozenset()):
        walk.add(path, Operation.READ, lines=lines)


def _narrow(walk: _Walk, lines: tuple[int, int] | None) -> None:
    """Let the lines that a pipe lets through be those of the file before it."""
    last = walk.found[-1] if walk.found else None
    if last is not None and lines and last.operation is Operation.READ and last.lines is None:
        walk.found[-1] = attrs.evolve(last, lines=lines)


def _head_lines(rest: Sequence[str]) -> tuple[int, int] | None:
    text = " ".join(rest)
    found = re.match(r"-n\s*(\d{1,9})\b|-(\d{1,9})\b", text)
    return (1, int(found[1] or found[2])) if found else (None if "-c" in rest else (1, 10))


def _sed(walk: _Walk, rest: Sequence[str], *, is_piped: bool) -> None:
    plain = [word for word in rest if not word.startswith("-")]
    if _in_place(["sed", *rest]):
        for path in plain[0 if "-e" in rest else 1 :]:
            walk.add(path, Operation.EDIT)
        return
    span = _SED_RANGE.fullmatch(plain[0]) if plain else None
    lines = None
    if span and len(span[1]) < 10 and span[2] != "$" and len(span[2] or "") < 10:
        lines = (int(span[1]), int(span[2] or span[1]))
    if is_piped:
        _narrow(walk, lines)
    for path in plain[1:]:
        walk.add(path, Operation.READ, lines=lines)


def _search(walk: _Walk, name: str, rest: Sequence[str]) -> None:
    paths = _paths(rest, _WITH_VALUE)
    has_pattern = any(word in ("-e", "-f", "--files") for word in rest)
    for path in paths[0 if has_pattern else 1 :]:
        walk.add(path, Operation.SEARCH)


def _list(walk: _Walk, name: str, rest: Sequence[str]) -> None:
    paths = _paths(rest)
    if name == "find":  # the folders stand before the first test
        tests = [n for n, word in enumerate(rest) if word.startswith("-")]
        paths = list(rest[: tests[0]] if tests else rest)
    for path in paths or ["."]:
        walk.add(path, Operation.SEARCH)


def _each(operation: Operation) -> Callable[[_Walk, list[str]], None]:
    def run(walk: _Walk, paths: list[str]) -> None:
        for path in paths:
            walk.add(path, operation)

    return run


def _copy(walk: _Walk, paths: list[str]) -> None:
    if len(paths) == 2:
        walk.add(paths[0], Operation.READ)
        walk.add(paths[1], Operation.WRITE)


def _move(walk: _Walk, paths: list[str]) -> None:
    if len(paths) == 2 and not _NO_PATH.search(paths[0]):
        walk.add(paths[1], Operation.RENAME, previous_path=walk.place(paths[0]))


_LOOKING: dict[str, Callable[[_Walk, str, Sequence[str]], None]] = {
    **dict.fromkeys("rg grep egrep fgrep ag".split(), _search),
    **dict.fromkeys("ls tree find".split(), _list),
}
_CHANGING: dict[str, Callable[[_Walk, list[str]], None]] = {
    "tee": _each(Operation.WRITE),
    "touch": _each(Operation.WRITE),
    "rm": _each(Operation.DELETE),
    "cp": _copy,
    "mv": _move,
}
_HARMLESS = _READING | _LOOKING.keys() | {"cd", "sort", "uniq", "awk", "cut", "sed"}

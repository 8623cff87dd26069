"""Actions as queries: what a command line or an edit does, read from a text or from a call.

An agent asks before it acts, with the command or with the path and the new text. Such a query is no
question: most of its words are arguments, and what matters is the program with its subcommand,
the flags, the paths and the names in the code.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from typing import NamedTuple

from ..text.analyzer import nfc, parts, stem
from ..text.patterns import lazy_pattern
from ..text.word_lists import NEGATIONS, STOP

# Read of a long edit.
MAX_CHARS = 20_000
# Letters of a word that tells something.
_MIN_LETTERS = 3

# Programs whose name alone tells that a line is a command; any other needs a flag or an operator.
_PROGRAMS = frozenset(
    "alembic ansible aws az brew bun bundle cargo cmake composer conda curl dbt deno docker gcloud "
    "gem gh git go gradle helm kubectl make mvn mypy ninja node npm npx pip pip3 pipx pnpm poetry "
    "psql pytest python python3 rsync ruff rustup scp sed ssh sudo systemctl terraform tofu tox "
    "twine uv uvx yarn".split()
)
# Programs that run the command after them.
_WRAPPERS = frozenset("sudo env nohup time exec xargs npx uvx nice".split())
# Programs and subcommands that look and change nothing.
_READERS = frozenset(
    "awk cat cd cut diff du echo false file find grep head help jq less ls man more pwd rg sort "
    "stat tail tree true type uniq wc which".split()
)
_READING = frozenset(
    "blame describe diff fetch get history info list log logs ls plan ps show status top version "
    "view".split()
)
_READING_FLAGS = frozenset({"--list", "-l", "--dry-run", "--check"})
# Options that ask the program about itself, if nothing stands behind them.
_LAST_FLAGS = frozenset({"--help", "-h", "--version"})
# What programs of few letters do, as prohibitions say it.
_DOES = {"rm": "delete remove", "rmdir": "delete remove", "mv": "move rename", "cp": "copy"}
# Programs that change the files that they are given, git's own too, and those that do with -i.
_WRITERS = frozenset("rm rmdir mv cp tee truncate touch ln unlink restore checkout".split())
_EDITORS = frozenset("sed perl ruby".split())
# Programs that run what they are given as a text, and options before such a text.
_SHELLS = frozenset("sh bash zsh dash ksh fish pwsh powershell cmd".split())
_RUNNERS = _SHELLS | frozenset("alias eval parallel ssh su watch xargs".split())
_RUN_OPTION = lazy_pattern(r"-[A-Za-z]*c|-e|--?(?:command|eval|exec)=?")
# What lets a reader change files.
_CHANGING_FLAGS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-i"})

# A statement that a database is given, if it changes nothing.
_SELECTION = lazy_pattern(
    r"\s*(?:select|show|explain)\s(?!.*\b(?:into|update|delete|insert|alter|drop)\b)", re.I | re.S
)
_OPERATOR = lazy_pattern(r"(?<!\S)(?:&&|\|\|?|;|&|>>?|2>&1)(?!\S)|;(?=\s|$)|\n")
_ASSIGNED = lazy_pattern(r"[A-Z_][A-Z\d_]*=.*", re.S)
_SIGNS = lazy_pattern(r"\s(?:&&|;|&|>>?|2>&1)(?:\s|$)|(?<!\S)\.{1,2}/|\$\w")
_REDIRECTED = lazy_pattern(r"(?<![\d<>&-])>>?\s*([\w.@~/-]+)")
FLAG = lazy_pattern(r"(?<![\w-])--?[A-Za-z][\w-]*")
_PROGRAM = lazy_pattern(r"[a-z~./_][\w./+-]*|[A-Z]\w*_\w+")
_PATH = lazy_pattern(r"[\w.@~()\[\]-]*(?:/[\w.@()\[\]*-]+)+/?|[\w-]+\.[A-Za-z]\w{0,5}")
TOKEN = lazy_pattern(r"[\w$][\w$.:/@*-]*[\w*$]|\w")
CODE_NAME = lazy_pattern(r"[a-z][A-Z]|[_\d/:@.-]|[A-Z]{2}")
_WORDS = lazy_pattern(r"[^\W_]+")


class Action(NamedTuple):
    """What is about to be done.

    Attributes:
        text: as it is given. bare: a command line without what it only says (quoted arguments
            that nothing runs, comments), and quoted ones that are run as lines of their own.
        path: the file that is written, "" for a command. added: what is written there.
        paths: that file, or those that are named as arguments; written: those that are changed,
            as far as it shows.
        runs: the words of each simple command. flags: options. names: identifiers.
        words: everything else that is said, stemmed. reads: whether all of it only looks.
        is_certain: whether it can be nothing else; "docker ports" may be a question.
    """

    text: str
    bare: str = ""
    path: str = ""
    added: str = ""
    paths: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ()
    flags: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    reads: bool = False
    is_certain: bool = True


def is_of_command(pattern: str) -> bool:
    """Whether a pattern is of a command or of an option of one, not of any text."""
    return pattern.lstrip().startswith("-") or _command_certainty(pattern) is not None


def action_of(text: str) -> Action | None:
    """Return the action that a query describes, or None for a question."""
    read = nfc(text.strip()[:MAX_CHARS])
    first, _, rest = read.partition("\n")
    if rest.strip() and _PATH.fullmatch(first.strip()):
        return edit(first.strip(), rest)
    certain = _command_certainty(first)
    return None if certain is None else command(read, is_certain=certain)


def edit(path: str, added: str) -> Action:
    """Return the writing of a text to a file."""
    added = nfc(added[:MAX_CHARS])
    names = {token for token in TOKEN.findall(added) if CODE_NAME.search(token)}
    names |= {part for name in names for part in TOKEN.findall(re.sub(r"[.:/]", " ", name))}
    return Action(
        f"{path}\n{added}",
        bare=f"{path}\n{added}",
        path=path,
        added=added,
        paths=(path,) if path else (),
        written=(path,) if path else (),
        flags=frozenset(FLAG.findall(added)),
        names=frozenset(name.lower() for name in names if len(name) > 2 and not name.isdigit()),
        words=stems(added) | stems(path),
    )


def command(line: str, *, is_certain: bool = True) -> Action:
    """Return what a command line does."""
    line = nfc(line[:MAX_CHARS])
    runs = runs_of(line)
    flat = [word for run in runs for word in run]
    plain = [word for word in flat if not word.startswith("-")]
    bare = _bare(line, runs)
    said = [word for run in runs_of(bare) for word in run]
    tokens = {token for word in said for token in TOKEN.findall(word)}
    return Action(
        line,
        bare=bare,
        written=tuple(dict.fromkeys((*_written(runs), *_REDIRECTED.findall(bare)))),
        paths=tuple(dict.fromkeys(path for word in plain for path in _paths(word))),
        runs=runs,
        flags=frozenset(flag for word in flat for flag in FLAG.findall(word)),
        names=frozenset(t.lower() for t in tokens if CODE_NAME.search(t) and len(t) > 2),
        words=frozenset().union(*map(stems, (*said, *(_DOES.get(run[0], "") for run in runs)))),
        reads=bool(runs) and all(map(_reads, runs)),
        is_certain=is_certain,
    )


def runs_of(line: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each simple command of a line."""
    return tuple(run for part in _OPERATOR.split(line) if (run := _run(part)))


def stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, those inside identifiers too, no negations."""
    words = {
        part.lower()
        for word in _WORDS.findall(text)
        for part in (word, *parts(word))
        if len(part) >= _MIN_LETTERS
    }
    return frozenset(map(stem, words - STOP - NEGATIONS))


# -- inside


def _command_certainty(line: str) -> bool | None:
    """Return whether a line can be nothing but a command; None for one that is none."""
    words_given = line.split()
    words = list(dropwhile(lambda word: _ASSIGNED.match(word) or word in _WRAPPERS, words_given))
    if not words or not _PROGRAM.fullmatch(words[0]) or line.rstrip().endswith("?"):
        return None
    is_set = len(words) < len(words_given)
    signs = is_set or bool(FLAG.search(line) or _SIGNS.search(line))
    if words[0] in _PROGRAMS:
        plain = [word for word in words[1:] if word.isalpha() and word.islower()]
        is_short = not plain or (plain[0] not in STOP and len(plain) < _MAX_PLAIN)
        return True if signs else (False if is_short else None)
    outside = re.sub(r"'[^']*'|\"[^\"]*\"", "", line).split()
    has_small = any(word in STOP and word not in _READERS for word in outside[1:])
    is_reader = words[0] in _READERS and not has_small and "/" in line
    return True if (signs or is_reader) and not has_small else None


# A message that a shell reads from lines of its own, as agents commit: "$(cat <<'EOF' …)".
_MESSAGE = lazy_pattern(r"\$\(cat <<-?\s*(['\"]?)(\w+)\1\n.*?\n\s*\2\s*\)", re.S)
_SHELL_TOKEN = lazy_pattern(
    r"""(?P<quoted>'[^']*'|"(?:\\.|[^"\\])*")|(?P<comment>(?<!\S)\#[^\n]*)|(?P<joint>&&|\|\|?|[;&\n])
    |(?:\\.|[^\s'"\\;&|])+|.""",
    re.S | re.X,
)
_SUBSTITUTED = lazy_pattern(r"\$\([^()]*\)|`[^`]*`")


def _bare(line: str, runs: Sequence[Sequence[str]]) -> str:
    """Return a command line without what it only says. Where a shell reads what another program
    writes, or lines of a document stand in it, anything may be run."""
    line = _MESSAGE.sub(" ", line)
    if "<<" in line or any(run[0] in _SHELLS for run in runs[1:]):
        return line
    pieces: list[str] = []
    words: list[str] = []
    for token in _SHELL_TOKEN.finditer(line):
        text = token[0]
        if token["joint"]:
            words = []
        elif token["comment"]:
            continue
        elif token["quoted"] and " " in text:
            text = f"{text}\n{text[1:-1]}\n" if _is_run(words) else _substituted(text)
        elif text.strip():
            words.append(text)
        pieces.append(text)
    return "".join(pieces)


def _substituted(quoted: str) -> str:
    """Return the commands whose output a shell puts into a quoted text."""
    return " ".join(_SUBSTITUTED.findall(quoted)) if quoted[0] == '"' else " "


def _is_run(words: Sequence[str]) -> bool:
    """Whether what is quoted behind some words is run as a command or a program."""
    if words and _RUN_OPTION.fullmatch(words[-1]):
        return True
    return not words or any(word.rpartition("/")[2] in _RUNNERS for word in words)


# Plain words that a command of a known program has without any flag or operator.
_MAX_PLAIN = 4


def _run(part: str) -> tuple[str, ...]:
    """Return the words of one simple command, its program first by its name alone; what is set for
    it stands at the end."""
    try:
        words = shlex.split(part)
    except ValueError:
        words = part.split()
    rest = list(dropwhile(lambda word: _ASSIGNED.fullmatch(word) or word in _WRAPPERS, words))
    if not rest:
        return ()
    settings = [word for word in words[: len(words) - len(rest)] if _ASSIGNED.fullmatch(word)]
    return (rest[0].rpartition("/")[2] or rest[0], *rest[1:], *settings)


def _paths(word: str) -> list[str]:
    """Return the paths in an argument; one that ends with a slash is a folder's."""
    return [word] if word.endswith("/") and "=" not in word else _PATH.findall(word)


def _written(runs: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the paths that simple commands change: arguments of programs that do nothing else."""
    for run in runs:
        program = run[1] if run[0] == "git" and len(run) > 1 else run[0]
        if program in _WRITERS or (program in _EDITORS and any(w.startswith("-i") for w in run)):
            yield from (path for word in run[1:] if word[:1] != "-" for path in _paths(word))


def _reads(run: Sequence[str]) -> bool:
    """Whether a simple command only looks."""
    words = [word for word in run if not _ASSIGNED.fullmatch(word)]
    if not _CHANGING_FLAGS.isdisjoint(words):
        return False
    if words[0] in _READERS or words[-1] in _LAST_FLAGS:
        return True
    plain = [word for word in words[1:] if not word.startswith("-")]
    if any(map(_SELECTION.match, plain)):
        return True
    return not _READING_FLAGS.isdisjoint(words) or not _READING.isdisjoint(plain[:3])

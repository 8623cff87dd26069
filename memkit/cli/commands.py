"""Commands as data: parameters, invocation, output, and how a command opens the store."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from .. import validation
from ..errors import InvalidInput, MemkitError, NotAMemkitFile
from ..store.lifecycle import BUSY_TIMEOUT, FILE_NAME, default_global_path, nearest
from ..validation import MAX_DEPTH, Progress

if TYPE_CHECKING:
    from ..kit import Memkit
    from ..store.store import Store

# --- Commands and their parameters.
#
# Nothing here imports click; the parser is made from this table when a person runs a command.

DONE, FAILED, USAGE = 0, 1, 2
_ID = re.compile(r"\s*(?:memory\s+)?[#(\[]*([0-9]{1,18})[\])]*[,.;:]?\s*", re.I)


class Opening(StrEnum):
    """Mode in which a command opens the store."""

    NOT = "not"  # it does not
    READ = "read"  # never writes
    CHANGE = "change"  # writes to a file that must be there
    CREATE = "create"  # writes; a missing file is made


class Usage(MemkitError):
    """Error of usage: the command line does not say what to do."""

    code = "usage"


class PipeClosed(Exception):
    """Closed standard output: its reader has gone."""


@attrs.frozen
class CommandOutput:
    """Output of a command: a document for `--json`, lines for people, and the exit code.

    Attributes:
        notes: remarks on the answer; on stderr.
        is_raw: the command has written its output itself; nothing is added.
    """

    document: object
    lines: Iterable[str] = ()
    notes: tuple[str, ...] = ()
    exit_code: int = DONE
    is_raw: bool = False


def _id(name: str, command: str) -> Callable[[str], int]:
    """Return what reads an id as it stands in answers and sentences: with or without '#', brackets
    around it, or a mark behind it. Help calls it by the name, an error names the command."""

    def read(text: str) -> int:
        if (named := _ID.fullmatch(text)) is None:
            raise ValueError(f"{text!r} is no id; give a number as '{command}' shows it")
        return int(named[1])

    read.__name__ = name
    return read


memory_number = _id("memory_number", "memkit list")
pattern_number = _id("pattern_number", "memkit patterns")
run_number = _id("run_number", "memkit audit")


# More than there can be of anything, and still a number of SQLite's when one is added.
_GREATEST = (1 << 63) - 2


def _whole(name: str, minimum: int, maximum: int | None = None) -> Callable[[str], int]:
    """Return what reads a whole number within bounds; help calls it by the name."""
    step = f"give {minimum} {'or more' if maximum is None else f'to {maximum}'}"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise ValueError(f"{text!r} is no whole number; {step}") from None
        if number < minimum:
            raise ValueError(f"{number} is too few; {step}")
        if number > (_GREATEST if maximum is None else maximum):
            raise ValueError(f"{number} is too far; {step}")
        return number

    read.__name__ = name
    return read


count = _whole("count", 1)  # things to show
limit, offset = _whole("limit", 0), _whole("offset", 0)  # that may stay, or are left out first
steps, hops = _whole("steps", 0, MAX_DEPTH), _whole("hops", 1, MAX_DEPTH)  # along edges


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is no number; give 0 to 1") from None
    if not 0 <= number <= 1:  # nan is not
        raise ValueError(f"{text!r} is out of bounds; give 0 to 1")
    return number


def folder(text: str) -> str:
    """Return the name of a folder that is there."""
    if not Path(text).is_dir():
        raise ValueError(f"{text!r} is no folder; name one that is there")
    return text


@attrs.frozen
class Parameter:
    """One argument ("question") or option ("--limit") of a command.

    `type` turns the text into a value (bool: a switch without value); `many`: any number of them;
    `help` ends up in the help text.
    """

    name: str
    help: str = ""
    type: Callable[[str], Any] = str
    choices: tuple[str, ...] = ()
    many: bool = False
    default: Any = None
    is_required: bool = True

    @property
    def is_option(self) -> bool:
        """Whether it is written with dashes."""
        return self.name.startswith("--")


@attrs.frozen
class Command:
    """One command; its help is the function's docstring."""

    name: str
    run: Callable[..., CommandOutput]
    parameters: tuple[Parameter, ...]
    opening: Opening

    @property
    def help(self) -> str:
        """The docstring of the function."""
        return self.run.__doc__ or ""

    @property
    def summary(self) -> str:
        """The first sentence of it."""
        return _FIRST_SENTENCE.split(" ".join(self.help.split()), maxsplit=1)[0]


_FIRST_SENTENCE = re.compile(r"(?<=\.)\s")

# Commands, in words, by the module of this package that holds them: what runs one loads no other.
_MODULES = {
    "code_commands": (
        "symbol callers callees references uses unused dependencies relevant map stale index"
    ),
    "context_commands": "context session",
    "episode_commands": (
        "executions history tasks summary tools errors attempts owners hot patterns mine predict"
    ),
    "memory_commands": (
        "remember update pin tag link forget restore purge promote contradictions resolve gaps "
        "extract review"
    ),
    "consolidation_commands": (
        "used outcome clusters similar consolidate prune undo audit idioms episode"
    ),
    "query_commands": "recall list show explain stats sql",
    "install_commands": "install uninstall",
    "agent_commands": "guard record hook mcp",
    "store_commands": "init export import check doctor scrub trim",
    "window_commands": "expand window",
}
COMMANDS = {name: module for module, names in _MODULES.items() for name in names.split()}
# In which order the help names them, and under which heading.
GROUPS = {
    "Ask": "context recall list show similar clusters explain summary stats sql".split(),
    "Remember": (
        "remember update used outcome pin tag link forget restore purge promote "
        "contradictions resolve gaps extract review episode consolidate prune undo audit"
    ).split(),
    "Code": (
        "symbol callers callees references uses unused dependencies relevant map stale idioms index"
    ).split(),
    "What was done": (
        "record tasks executions history tools predict patterns mine errors attempts owners hot"
    ).split(),
    "Context": "window session expand".split(),
    "Agents": "install uninstall hook guard mcp".split(),
    "The file": "init import export check doctor scrub trim".split(),
}
LOADED: dict[str, Command] = {}

Run = Callable[..., CommandOutput]


def load_command(name: str) -> Command:
    """Return the command of that name; its module is imported."""
    import_module(f".{COMMANDS[name]}", __package__)
    return LOADED[name]


def command(*parameters: Parameter, opening: Opening = Opening.READ) -> Callable[[Run], Run]:
    """Put a function into the table under its name (`import_` is import); it is called with an
    Invocation and its parameters by name. `COMMANDS` names its module, or nobody finds it."""

    def add(run: Run) -> Run:
        name = run.__name__.rstrip("_")
        LOADED[name] = Command(name, run, parameters, opening)
        return run

    return add


def argument(name: str, help: str = "", **rest: Any) -> Parameter:
    """Return a positional parameter."""
    return Parameter(name, help, **rest)


def option(name: str, help: str, **rest: Any) -> Parameter:
    """Return an option; `name` is written with its dashes."""
    return Parameter(f"--{name.lstrip('-')}", help, **rest)


def switch(name: str, help: str) -> Parameter:
    """Return an option without a value."""
    return Parameter(f"--{name.lstrip('-')}", help, type=bool, default=False)


def pairs(texts: Iterable[str], *, what: str, may_be_empty: bool = False) -> dict[str, str]:
    """Return `name=value` texts as a dictionary; raises InvalidInput for anything else, and for a
    value that is blank unless it may be."""
    values: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not (value.strip() or may_be_empty):
            raise InvalidInput(f"{what}: {text!r} is incomplete; give name=value")
        if name.strip() in values:
            raise InvalidInput(f"{what}: {name.strip()!r} is given twice; give it once")
        values[name.strip()] = value
    return values


ID = argument("id", type=memory_number)
IDS = argument("ids", type=memory_number, many=True)


# --- Invocation: one run of a command.


@attrs.define
class Settings:
    """Options that every command has, wherever they stand on the line."""

    db: str | None = None
    json: bool = False
    use_global: bool = False


@attrs.frozen
class Invocation:
    """One run of a command: the options it shares with all, and the open store.

    Attributes:
        is_new: whether the store was made for this command.
    """

    settings: Settings
    store_kit: Memkit | None = None
    is_new: bool = False

    @property
    def kit(self) -> Memkit:
        """The open store."""
        if self.store_kit is None:
            raise InvalidInput("this command works without a store")
        return self.store_kit

    @property
    def store(self) -> Store:
        """The tables of the open store, for what the facades do not tell."""
        return self.kit._store

    @property
    def path(self) -> Path:
        """The file to use, whether it is there or not."""
        return path_of(self.settings)

    def place(self, written: str) -> str:
        """Return a place in the code as the library takes it: a file that is there from the current
        folder is told from the repository's root, whatever `::` leads to inside."""
        path, parts, symbol = written.partition("::")
        here = Path.cwd() / path
        root = self.store.path.parent.resolve()
        if not here.is_file() or not here.resolve().is_relative_to(root):
            return written
        return f"{here.resolve().relative_to(root).as_posix()}{parts}{symbol}"

    @property
    def width(self) -> int | None:
        """Columns of the terminal, or None if the output goes elsewhere."""
        import shutil  # here: it loads what unpacks archives, and hooks print nothing

        return shutil.get_terminal_size().columns if _is_terminal(sys.stdout) else None

    def style(self, text: str, **looks: object) -> str:
        """Return the text in colour if it goes to a terminal that wants any."""
        if self.width is None or os.environ.get("NO_COLOR"):
            return text
        import click

        return click.style(text, **looks)  # type: ignore[arg-type]

    def confirm(self, question: str, *, agreed: bool) -> None:
        """Ask for what cannot be undone, or raise Usage where nobody can be asked."""
        if agreed:
            return
        if self.settings.json or not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
            raise Usage(f"{question} nothing was done; say --yes to do it")
        import click

        click.confirm(question, abort=True, err=True)

    @contextmanager
    def progress(self, label: str) -> Iterator[Progress | None]:
        """Show a bar on a terminal; yields what to call with the number done and the total."""
        if self.settings.json or not _is_terminal(sys.stderr):
            yield None
            return
        import click

        with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

            def step(done: int, total: int) -> None:
                bar.length = max(total, 1)
                bar.update(done - bar.pos)

            yield step


@contextmanager
def open_invocation(
    settings: Settings, opening: Opening, *, folder: Path | None = None, wait: float = BUSY_TIMEOUT
) -> Iterator[Invocation]:
    """Yield an invocation with the store open as the command needs it, and close it afterwards.

    `folder` is where the file is looked for, if not here; `wait` how long another process is waited
    for."""
    if opening is Opening.NOT:
        yield Invocation(settings)
        return
    path = path_of(settings, folder)
    if opening is Opening.CREATE and settings.use_global:
        path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    if opening is not Opening.CREATE and is_new:
        named = "--global " if settings.use_global else f"--db {path} " if settings.db else ""
        main = None if is_named(settings) else _of_main_worktree(path.parent)
        other = f", or use that of the main worktree: MEMKIT_DB={main}" if main else ""
        raise NotAMemkitFile(
            f"{path}: there is no such file; create it with 'memkit {named}init'{other}"
        )
    if is_new and path == Path(path.anchor) / FILE_NAME and not is_named(settings):
        raise Usage(
            f"{path.parent}: is no repository but all there is; go to one, or say --db PATH"
        )
    from .. import kit as kits

    with kits.open(
        path,
        readonly=opening is Opening.READ,
        busy_timeout=wait,
        global_store=False if settings.use_global else None,
    ) as kit:
        yield Invocation(settings, kit, is_new)


def path_of(settings: Settings, folder: Path | None = None) -> Path:
    """Return the file that the options, the environment or the folder (else this one) name."""
    if settings.use_global:
        if settings.db is not None:
            raise Usage("--db and --global name two files; give one of them")
        return default_global_path()
    if settings.db is None:
        return nearest(folder or Path.cwd())
    return validation.path(settings.db, name="--db")


def is_named(settings: Settings) -> bool:
    """Whether an option or a variable names the file, so that nobody has to look for it."""
    return bool(settings.use_global or settings.db or os.environ.get("MEMKIT_DB"))


def _of_main_worktree(root: Path) -> Path | None:
    """Return the store in the main worktree of the repository of which `root` is another one: where
    git ignores the file, no other worktree has it."""
    from ..redaction.private_files import git_folder

    try:
        own = git_folder(root)
        shared = own / (own / "commondir").read_text("utf-8").strip()
        store = shared.resolve().parent / FILE_NAME
    except (OSError, ValueError):  # no worktree, or not one of git's
        return None
    return store if store.is_file() else None


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:  # closed
        return False

"""Commands as data: a function, its parameters, and how it needs the store opened.

Nothing here imports click; the parser is made from this table when a person runs a command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Any

import attrs

from ..arguments import MAX_DEPTH
from ..errors import InvalidInput, MemkitError

DONE, FAILED, USAGE = 0, 1, 2
_ID = re.compile(r"\s*(?:memory\s+)?[#(\[]*([0-9]{1,18})[\])]*[,.;:]?\s*", re.I)


class Opening(StrEnum):
    """How a command needs the store."""

    NOT = "not"  # it does not
    READ = "read"  # never writes
    CHANGE = "change"  # writes to a file that must be there
    CREATE = "create"  # writes; a missing file is made


class Usage(MemkitError):
    """The command line asks for something that is not meant."""

    code = "usage"


class PipeClosed(Exception):
    """The reader of the output has gone."""


@attrs.frozen
class Answer:
    """What a command says: a document for `--json`, lines for people, and the exit code.

    Attributes:
        notes: what a reader should know beside the answer; on stderr.
        is_raw: the command has written its output itself; nothing is added.
    """

    document: object
    lines: Iterable[str] = ()
    notes: tuple[str, ...] = ()
    exit_code: int = DONE
    is_raw: bool = False


def memory_number(text: str) -> int:
    """Return the id that a text names, as it stands in answers and sentences: with or without '#',
    brackets around it, or a mark behind it."""
    return _id(text, "memkit list")


def pattern_number(text: str) -> int:
    """Return the id of a pattern, written as that of a memory."""
    return _id(text, "memkit patterns")


def count(text: str) -> int:
    """Return a number of things to show: a whole one, 1 or more."""
    return _whole(text, 1, "give 1 or more")


def offset(text: str) -> int:
    """Return a number of things to leave out first: a whole one, 0 or more."""
    return _whole(text, 0, "give 0 or more")


def steps(text: str) -> int:
    """Return a number of steps along edges; 0 stays where it begins."""
    return _depth(text, 0)


def hops(text: str) -> int:
    """Return a number of steps along edges, 1 or more."""
    return _depth(text, 1)


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


def _id(text: str, command: str) -> int:
    if (named := _ID.fullmatch(text)) is None:
        raise ValueError(f"{text!r} is no id; give a number as '{command}' shows it")
    return int(named[1])


def _depth(text: str, least: int) -> int:
    number = _whole(text, least, f"give {least} to {MAX_DEPTH}")
    if number > MAX_DEPTH:
        raise ValueError(f"{number} is too far; give {least} to {MAX_DEPTH}")
    return number


def _whole(text: str, least: int, step: str) -> int:
    try:
        number = int(text)
    except ValueError:
        raise ValueError(f"{text!r} is no whole number; {step}") from None
    if number < least:
        raise ValueError(f"{number} is too few; {step}")
    return number


@attrs.frozen
class Parameter:
    """One argument ("question") or option ("--limit") of a command.

    `sort` turns the text into a value (bool: a switch without value); `many`: any number of them;
    `help` ends up in the help text.
    """

    name: str
    help: str = ""
    sort: Callable[[str], Any] = str
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
    run: Callable[..., Answer]
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
COMMANDS: dict[str, Command] = {}

Run = Callable[..., Answer]


def command(*parameters: Parameter, opening: Opening = Opening.READ) -> Callable[[Run], Run]:
    """Put a function into the table under its name (`import_` is import); it is called with a Call
    and its parameters by name."""

    def add(run: Run) -> Run:
        called = run.__name__.rstrip("_")
        COMMANDS[called] = Command(called, run, parameters, opening)
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
    return Parameter(f"--{name.lstrip('-')}", help, sort=bool, default=False)


def pairs(texts: Iterable[str], *, what: str, may_be_empty: bool = False) -> dict[str, str]:
    """Return `name=value` texts as a dictionary; raises InvalidInput for anything else, and for a
    value that is blank unless it may be."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or not (value.strip() or may_be_empty):
            raise InvalidInput(f"{what}: {text!r} is incomplete; give name=value")
        if name.strip() in found:
            raise InvalidInput(f"{what}: {name.strip()!r} is given twice; give it once")
        found[name.strip()] = value
    return found


ID = argument("id", sort=memory_number)
IDS = argument("ids", sort=memory_number, many=True)

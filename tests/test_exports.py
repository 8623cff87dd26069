"""What is promised to the outside: names sorted, there, documented, and listed in the README."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

import attrs
import pytest

import memkit
from memkit import cli, errors
from memkit.cli.commands import COMMANDS, LOADED, load_command
from memkit.codegraph.codegraph import CodeGraph
from memkit.context.context import Context
from memkit.context.documents import Documents
from memkit.context.sessions import Sessions
from memkit.context.transcripts import Transcripts
from memkit.episodes.episodes import Episodes
from memkit.episodes.recording.event import EVENT_KEYS
from memkit.memories.memories import Memories
from memkit.store import schema
from memkit.store.tables import tables
from tests.tables import each_row

TEXT = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
ERRORS = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, errors.MemkitError)
]


def test_names_are_sorted() -> None:
    """`__all__` is sorted, and holds everything that `memkit/__init__.py` imports by name."""
    assert memkit.__all__ == sorted(memkit.__all__)
    tree = ast.parse(Path(memkit.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    assert imported == set(memkit.__all__)
    assert set(memkit.__all__) <= set(dir(memkit))


def test_a_name_that_is_not_there_is_an_error() -> None:
    """Names are loaded on first use; one that memkit does not export is an AttributeError."""
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = memkit.nothing


@each_row("name", memkit.__all__)
def test_name_is_documented(name: str) -> None:
    """Every exported name is there and says what it is; so does each of its public methods."""
    value = getattr(memkit, name)
    assert value.__doc__, f"{name} has no docstring"
    assert not _generated(value), f"{name} has only the docstring that attrs or enum makes"
    if inspect.isclass(value):
        members = {n: m for n, m in vars(value).items() if not n.startswith("_")}
        silent = [
            n
            for n, m in members.items()
            if (inspect.isfunction(m) or isinstance(m, property)) and not m.__doc__
        ]
        assert not silent, f"{name}: {', '.join(silent)}"


@each_row("error", ERRORS)
def test_error_is_exported(error: type[errors.MemkitError]) -> None:
    """Every error is exported, stands in the tree of the module's docstring, has its own code."""
    assert getattr(memkit, error.__name__, None) is error
    assert error.__name__ in memkit.__all__
    assert re.search(rf"^.*\b{error.__name__}\b", errors.__doc__ or "", re.M)
    assert [other for other in ERRORS if other.code == error.code] == [error]


def test_records_are_frozen() -> None:
    """Every exported record is a frozen attrs class, or a NamedTuple where a hook makes it."""
    records = [v for n in memkit.__all__ if attrs.has(v := getattr(memkit, n))]
    assert records
    for record in records:
        assert record.__setattr__ is not object.__setattr__, f"{record.__name__} can be changed"


FACADES = (
    memkit.Memkit, Memories, CodeGraph, Episodes, Context, Sessions, memkit.Review, Documents,
    Transcripts, memkit.Consolidation,
)  # fmt: skip
FACADE_NAMES = {facade.__name__ for facade in FACADES}
OWNERS = dict(
    zip(
        (
            "kit",
            "kit.memories",
            "kit.codegraph",
            "kit.episodes",
            "kit.context",
            "kit.context.sessions",
            "kit.review",
            "kit.context.documents",
            "kit.context.transcripts",
            "kit.consolidation",
        ),
        FACADES,
        strict=True,
    ),
    memkit=memkit,
)


@pytest.mark.parametrize("facade", FACADES, ids=lambda facade: facade.__name__)
def test_no_public_signature_says_any(facade: type) -> None:
    """Whatever goes in or comes out has a type that an editor can show."""
    methods = inspect.getmembers(facade, inspect.isfunction)
    said = {
        f"{name}({parameter})": kind
        for name, method in methods
        if not name.startswith("_")
        for parameter, kind in method.__annotations__.items()
        if re.search(r"\bAny\b", str(kind))
    }
    assert not said


@pytest.mark.parametrize("facade", FACADES, ids=lambda facade: facade.__name__)
def test_what_a_method_returns_is_exported(facade: type) -> None:
    """Every class of memkit in the annotation of a public method is a name of `memkit`."""
    unknown = {
        f"{name}: {word}"
        for name, method in inspect.getmembers(facade, inspect.isfunction)
        if not name.startswith("_")
        for word in re.findall(r"[A-Z]\w+", str(method.__annotations__.get("return")))
        if word not in {*memkit.__all__, "None", "Mapping", "Iterator", *FACADE_NAMES}
    }
    assert not unknown


def test_readme_names_are_real() -> None:
    """Every `memkit.x` and `kit.x` that the README names is there."""
    named = re.findall(r"(?<![.\w])(memkit|kit(?:\.[a-z]+)?)\.(\w+)(?=[(`])", TEXT)
    for owner, name in set(named):
        assert hasattr(OWNERS[owner], name), (owner, name)


@pytest.mark.parametrize("owner", OWNERS)
def test_every_method_is_in_the_readme_once(owner: str) -> None:
    """The table of methods has each public name of the facades, and of `memkit` its door."""
    rows = re.findall(rf"^\| `{re.escape(owner)}` \| (.*?) \|", TEXT, re.M)
    listed = [name for names in rows for name in re.findall(r"`(\w+)`", names)]
    there = [name for name in vars(OWNERS[owner]) if not name.startswith("_")]
    for base in OWNERS[owner].__mro__[1:-1] if owner != "memkit" else ():
        there += [name for name in vars(base) if not name.startswith("_")]
    assert sorted(listed) == (["open"] if owner == "memkit" else sorted(set(there)))


def test_commands_are_in_the_readme_once() -> None:
    """The table of commands has each command of the command line in one row."""
    table = TEXT.partition("## Commands")[2].partition("\n## ")[0]
    firsts = re.findall(r"^\| (`.*?) \|", table, re.M)
    listed = [name for row in firsts for name in re.findall(r"`(?:memkit )?([a-z]+)[^`]*`", row)]
    assert sorted(listed) == sorted(COMMANDS)


def test_table_of_commands_names_their_modules() -> None:
    """Every function that is declared a command stands in the table, with its own module."""
    for module in pkgutil.iter_modules(cli.__path__, f"{cli.__name__}."):
        import_module(module.name)
    declared = {name: command.run.__module__.rpartition(".")[2] for name, command in LOADED.items()}
    assert declared == COMMANDS


def test_keys_of_events_are_told_alike() -> None:
    """The README, the help of `memkit record` and that of `record` have those that are read."""
    table = TEXT.partition("| event | keys |")[2].partition("\n\n")[0]
    assert _keys(re.findall(r"^\| ([a-z, ]+) \| (.*) \|$", table, re.M)) == EVENT_KEYS
    helped = load_command("record").help.partition("\b\n")[2].replace(",\n", ", ")
    told = re.findall(r"^ *([a-z]+(?:, [a-z]+)*) {2,}(.*)$", helped, re.M)
    assert _keys((events, " ".join(keys.split())) for events, keys in told) == EVENT_KEYS
    said = Episodes.record.__doc__ or ""
    for event, keys in EVENT_KEYS.items():
        assert not [name for name in (event, *keys) if not re.search(rf"\b{name}\b", said)]


def test_variables_of_the_environment_are_in_the_readme() -> None:
    """Whatever memkit reads from the environment by a name of its own."""
    package = Path(memkit.__file__).parent
    texts = (path.read_text(encoding="utf-8") for path in package.rglob("*.py"))
    read = {name for text in texts for name in re.findall(r"\b(?:MEMKIT_[A-Z]+|NO_COLOR)\b", text)}
    assert not [name for name in read if f"`{name}" not in TEXT]


def test_prose_of_the_readme_can_be_read_in_a_terminal() -> None:
    """Only commands to be pasted and rows of tables are longer than 120 columns."""
    lines = [
        line for line in TEXT.splitlines() if not line.startswith(("|", "$ ", "python3 -m venv"))
    ]
    assert not [line for line in lines if len(line) > 120]


def test_the_changes_name_the_version() -> None:
    """The newest entry is about the version that this is."""
    assert TEXT.partition("\n## Changes\n\n")[2].startswith(f"{memkit.__version__},")


def test_tables_are_in_the_readme() -> None:
    """Every table stands in the README beside its kind, and every view is named."""
    rows = re.findall(r"^\| ([a-z_, ]+) \| (shared|local|derived) \|", TEXT, re.M)
    listed = {name: kind for names, kind in rows for name in names.split(", ")}
    wanted = schema.reference()
    parts = {name for part in wanted.parts if part.name != "views" for name in part.tables}
    assert listed == {n: t.kind for n, t in tables().items()} | dict.fromkeys(parts, "derived")
    views = next(part.tables for part in wanted.parts if part.name == "views")
    assert all(f"`{view}`" in TEXT for view in views)


def _generated(value: object) -> bool:
    doc = getattr(value, "__doc__", "") or ""
    return doc.startswith(("Method generated by attrs", "An enumeration."))


def _keys(rows: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Return the keys of each event, of rows that may be of several."""
    return {event: tuple(keys.split(", ")) for events, keys in rows for event in events.split(", ")}

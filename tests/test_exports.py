"""What is promised to the outside: names sorted, there, documented, and listed in the README."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path

import attrs
import pytest

import memkit
from memkit import cli, errors
from memkit.cli.table import COMMANDS
from memkit.codegraph.codegraph import CodeGraph
from memkit.episodes.episodes import Episodes
from memkit.memories.memories import Memories
from memkit.store import schema
from memkit.store.tables import tables

README = Path(__file__).parent.parent / "README.md"
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


@pytest.mark.parametrize("name", memkit.__all__)
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


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.__name__)
def test_error_is_exported(error: type[errors.MemkitError]) -> None:
    """Every error is exported, stands in the tree of the module's docstring, has its own code."""
    assert getattr(memkit, error.__name__, None) is error
    assert error.__name__ in memkit.__all__
    assert re.search(rf"^.*\b{error.__name__}\b", errors.__doc__ or "", re.M)
    assert [other for other in ERRORS if other.code == error.code] == [error]


def test_records_are_frozen() -> None:
    """Every exported record is a frozen attrs class."""
    records = [v for n in memkit.__all__ if attrs.has(v := getattr(memkit, n))]
    assert records
    for record in records:
        assert record.__setattr__ is not object.__setattr__, f"{record.__name__} can be changed"


FACADES = (memkit.Memkit, Memories, CodeGraph, Episodes)
FACADE_NAMES = {facade.__name__ for facade in FACADES}


@pytest.mark.parametrize("facade", FACADES, ids=lambda facade: facade.__name__)
def test_what_a_method_returns_is_exported(facade: type) -> None:
    """Every class of memkit in the annotation of a public method is a name of `memkit`."""
    unknown = {
        f"{name}: {word}"
        for name, method in inspect.getmembers(facade, inspect.isfunction)
        if not name.startswith("_")
        for word in re.findall(r"[A-Z]\w+", str(method.__annotations__.get("return")))
        if word not in {*memkit.__all__, "None", "Any", "Mapping", "Iterator", *FACADE_NAMES}
    }
    assert not unknown


def test_readme_names_are_real() -> None:
    """Every `memkit.x` and `kit.x` that the README names is there."""
    text = README.read_text(encoding="utf-8")
    for owner, name in set(
        re.findall(r"(?<![.\w])(memkit|kit\.memories|kit)\.(\w+)(?=[(`)])", text)
    ):
        holder = {
            "memkit": memkit,
            "kit": memkit.Memkit,
            "kit.memories": Memories,
        }[owner]
        assert hasattr(holder, name) or name == "memories", f"README: {owner}.{name}"


def test_commands_are_in_the_readme() -> None:
    """Every command of the command line is listed in the README."""
    for module in pkgutil.iter_modules(cli.__path__, f"{cli.__name__}."):
        import_module(module.name)  # each fills the table
    listed = set(re.findall(r"`(?:memkit )?([a-z-]+)[^`]*`", README.read_text(encoding="utf-8")))
    assert COMMANDS.keys() <= listed


def test_tables_are_in_the_readme() -> None:
    """Every table stands in the README beside its kind, and every view is named."""
    rows = re.findall(
        r"^\| ([a-z_, ]+) \| (shared|local|derived) \|", README.read_text(encoding="utf-8"), re.M
    )
    listed = {name: kind for names, kind in rows for name in names.split(", ")}
    wanted = schema.reference()
    parts = {name for part in wanted.parts if part.name != "views" for name in part.tables}
    assert listed == {n: t.kind for n, t in tables().items()} | dict.fromkeys(parts, "derived")
    views = next(part.tables for part in wanted.parts if part.name == "views")
    assert all(f"`{view}`" in README.read_text(encoding="utf-8") for view in views)


def _generated(value: object) -> bool:
    doc = getattr(value, "__doc__", "") or ""
    return doc.startswith(("Method generated by attrs", "An enumeration."))

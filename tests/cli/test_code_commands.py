"""The commands about code say what they found, for people and for machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.tables import each_row

CODE = """\
class Base:
    def run(self):
        '''Run it.'''
        return helper()


class Fast(Base):
    def run(self):
        return helper()


def helper():
    return 1


def main():
    Fast().run()
"""


@pytest.fixture
def indexed(folder: Path, run: Run) -> Path:
    """A repository with two files of code and its graph."""
    (folder / "app.py").write_text(CODE)
    (folder / "use.py").write_text("from app import helper\n\nhelper()\n")
    assert run("index").code == 0
    return folder


def test_index(folder: Path, run: Run) -> None:
    """index makes the store, counts what is there, and parses only what has changed."""
    (folder / "app.py").write_text(CODE)
    (folder / "broken.py").write_bytes(b"x = 1\0")
    first = run("index", "--json").json
    assert (first["parsed"], first["left_out"]) == (1, {"binary": 1})
    assert (folder / ".memkit.db").exists()
    again = run("index")
    assert again.out.startswith("2 files, 6 symbols")
    assert "0 parsed, 0 linked, 0 dropped now" in again.out
    assert "left out: 1 binary" in again.out


def test_index_of_a_part(folder: Path, run: Run) -> None:
    """A part of the tree and some languages can be asked for; a root must be a folder."""
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("def a(): pass\n")
    (folder / "src" / "b.js").write_text("function b() {}\n")
    found = run("index", "src", "--language", "python", "--json").json
    assert found["parsed"] == 1
    assert run("index", "nowhere").code == 2
    assert run("index", "--global").code == 2
    assert run("index", "--language", "klingon").code == 2


def test_strict_index_fails(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --strict a file that could not be parsed is a failed check."""

    def refuse(data: bytes, path: str, language: str) -> None:
        raise ValueError("refused")

    (folder / "app.py").write_text(CODE)
    monkeypatch.setattr("memkit.codegraph.languages.extract", refuse)
    found = run("index", "--strict")
    assert found.code == 1
    assert "failed: app.py: not parsed: ValueError: refused" in found.out


def test_strict_index_let_syntax_errors_pass(folder: Path, run: Run) -> None:
    """Files with syntax errors are named, and are a failed check with --strict."""
    (folder / "good.py").write_text(CODE)
    (folder / "bad.py").write_text("def broken(:\n    pass\n")
    told = run("index")
    assert told.code == 0
    assert "syntax errors in 1 file, the rest of which is there: bad.py (" in told.out
    assert run("index", "--strict").code == 1
    assert list(run("index", "--json").json["syntax_errors"]) == ["bad.py"]
    (folder / "bad.py").write_text("def mended(): pass\n")
    assert run("index", "--strict").code == 0


def test_indexing_another_tree_says_which_graph_it_replaces(indexed: Path, run: Run) -> None:
    """Whoever indexes another tree is told which graph it replaces; the same again says nothing."""
    (indexed / "part").mkdir()
    (indexed / "part" / "a.py").write_text(CODE)
    assert f"the graph of {indexed} gave way" in run("index", "part").err
    assert "gave way" not in run("index", "part").err
    assert "gave way" not in run("index").err


def test_line_behind_the_end_of_a_file_is_an_error(indexed: Path, run: Run) -> None:
    """A line that is not there is an error that says how many there are."""
    count = len((indexed / "app.py").read_text().splitlines())
    assert run("callers", "app.py:13").code == 0
    found = run("callers", "app.py:999999")
    assert found.code == 1
    assert f"app.py has {count} lines" in found.err


def test_suggestions_repeated_one_name(folder: Path, run: Run) -> None:
    """Of a name that many classes have, one place stands for all."""
    for n in range(9):
        (folder / f"m{n}.py").write_text(f"class C{n}:\n    def convert(self): return {n}\n")
    (folder / "other.py").write_text("def contexts(): pass\n")
    run("index")
    found = run("symbol", "convrt").out.splitlines()
    assert sum("convert" in line for line in found) == 1


def test_map_too_small_for_any_file_says_so(indexed: Path, run: Run) -> None:
    """Where nothing fits, the way out is told."""
    assert (
        "no file fits into so few tokens; give more with --budget"
        in run("map", "--budget", "1").err
    )


def test_symbol(indexed: Path, run: Run) -> None:
    """symbol says where a name is defined, how it is written and what it is for."""
    found = run("symbol", "Base.run")
    assert found.out.startswith("app.py:2\tmethod\tdef run(self)")
    assert "Run it." in found.out
    document = run("symbol", "Base.run", "--json").json
    assert document["nodes"][0]["details"]["doc"] == "Run it."
    near = run("symbol", "hepler")
    assert near.code == 1
    assert "helper" in near.out
    assert "near" in near.err


def test_symbol_inside_and_family(indexed: Path, run: Run) -> None:
    """--inside lists a file, --bases and --subclasses a class's relatives; one at a time."""
    inside = run("symbol", "app.py", "--inside").out.splitlines()
    assert [line.split("\t")[1] for line in inside] == [
        "class", "method", "class", "method", "function", "function",
    ]  # fmt: skip
    assert "app.py::Base" in run("symbol", "Fast", "--bases").out
    assert "app.py::Fast" in run("symbol", "Base", "--subclasses").out
    assert run("symbol", "Base", "--bases", "--inside").code == 2
    assert run("callers", "Base", "--depth", "2", "--overrides").code == 2
    for command in (("callers", "helper"), ("dependencies", "app.py")):
        assert "0 is too few; give 1 to 20" in run(*command, "--depth", "0").err


def test_callers_and_callees(indexed: Path, run: Run) -> None:
    """callers and callees say where an edge stands and how it was found."""
    found = run("callers", "helper").out.splitlines()
    assert found[:2] == ["app.py", "  4\treturn helper()\tBase.run\tcalls (scope)"]
    assert "  3\thelper()\tfile\tcalls (scope)" in found
    assert "app.py::helper" in run("callees", "Fast.run").out
    deep = run("callers", "helper", "--depth", "3", "--json").json
    assert {node["via"]["depth"] for node in deep["nodes"]} >= {1, 2}


def test_deps(indexed: Path, run: Run) -> None:
    """It names the files that a file leans on, and with --reverse those that lean on it."""
    assert "app.py" in run("dependencies", "use.py").out
    assert "use.py" in run("dependencies", "app.py", "--reverse").out
    assert run("dependencies", "app.py").code == 0


def test_ambiguous_name_is_told(indexed: Path, run: Run) -> None:
    """A name that means several symbols says which."""
    assert "'run' means 2 symbols" in run("callers", "run").err


def test_unknown_names_fail_with_a_hint(indexed: Path, run: Run) -> None:
    """An unknown symbol or path is an error that names what is near."""
    failed = run("callers", "helpr", "--json")
    assert failed.code == 1
    assert failed.json["error"]["code"] == "not_found"
    assert "app.py::helper" in failed.json["error"]["message"]
    assert run("dependencies", "nope.py").code == 1


@each_row("json", [(), ("--json",)])
@each_row(
    "command",
    [
        "symbol NAME",
        "symbol NAME --inside",
        "symbol NAME --bases",
        "symbol NAME --subclasses",
        "callers NAME",
        "callers NAME --depth 2",
        "callees NAME",
        "dependencies NAME",
        "dependencies NAME --reverse",
    ],
)
@each_row("name", ["helpr", "qqqq", "nope.py"])
def test_unknown_symbol_fails_every_code_command(
    indexed: Path, run: Run, command: str, name: str, json: tuple[str, ...]
) -> None:
    """A name or path that is not known fails every command that takes one, and is said."""
    found = run(*command.replace("NAME", name).split(), *json)
    assert found.code == 1
    assert name in (found.out if json else found.err)


@each_row("json", [(), ("--json",)])
@each_row(
    "command",
    [
        "symbol Base --bases",
        "callers Fast.run --candidates",
        "callees helper",
        "dependencies app.py",
        "map zzzz",
        "relevant zzzz",
        "stale",
    ],
)
def test_an_empty_answer_is_an_answer(
    indexed: Path, run: Run, command: str, json: tuple[str, ...]
) -> None:
    """That nothing calls, inherits or deals with something is no failure, but is said."""
    (indexed / "app.py").write_text(CODE.replace("    Fast().run()", "    pass"))
    found = run(*command.split(), *json)
    assert found.code == 0
    assert json or (found.err and not found.out)


def test_a_kind_that_no_symbol_has_is_a_fault_of_the_command_line(indexed: Path, run: Run) -> None:
    """--kind takes the kinds that there are; a name of another kind is not known."""
    assert run("symbol", "helper", "--kind", "gizmo").code == 2
    found = run("symbol", "helper", "--kind", "class")
    assert found.code == 1
    assert "no class is called 'helper'" in found.err
    assert run("symbol", "helper", "--kind", "class", "--json").json["is_near"] is True


def test_without_a_graph(folder: Path, run: Run) -> None:
    """Without a graph the error says which command makes one."""
    run("remember", "x")
    failed = run("callers", "f")
    assert failed.code == 1
    assert "memkit index" in failed.err


def test_paths_from_a_folder_below_led_out_of_the_repository(
    indexed: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command takes a file as a shell completes it, from the folder that one is in."""
    (indexed / "docs" / "deep").mkdir(parents=True)
    monkeypatch.chdir(indexed / "docs" / "deep")
    said = run("remember", "helper is called twice", "--about", "../../app.py::helper", "--json")
    assert said.json["memory"]["about"][0]["path"] == "app.py"
    told = run("remember", "the second file", "--file-path", "../../use.py", "--json")
    assert told.json["memory"]["file_paths"] == ["use.py"]
    assert run("dependencies", "../../use.py").out.split()[1:2] == ["app.py"]
    assert "helper" in run("symbol", "../../app.py", "--inside").out
    assert "use.py" in run("callers", "../../app.py::helper").out
    near = run(
        "recall",
        "what is called?",
        "--near",
        "../../app.py",
        "--min-score",
        "0",
        "--json",
        "--fields",
        "all",
    )
    assert "near" in near.json["hits"][0]["parts"]

"""Notebooks are read as the code of their cells, each line at its place in the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memkit
from memkit.codegraph.index.files import Content, SkipReason, read
from memkit.codegraph.languages.python.notebooks import code
from memkit.errors import InvalidInput

PYTHON = {"language_info": {"name": "python"}}


def notebook(*cells: tuple[str, object], metadata: object = PYTHON) -> dict[str, object]:
    """A notebook of cells: their type and source."""
    return {
        "cells": [
            {
                "cell_type": kind,
                "metadata": {},
                "outputs": [
                    {"text": ["def printed(): pass\n"], "data": {"image/png": "iVBOR" * 99}}
                ],
                "source": source,
            }
            for kind, source in cells
        ],
        "metadata": metadata,
        "nbformat": 4,
    }


CELLS = notebook(
    ("markdown", ["# def titled():\n", "text"]),
    ("code", ["%matplotlib inline\n", "!pip install x\n", "from util import area\n"]),
    ("code", ["%%bash\n", "def shell()\n"]),
    ("code", ["%%time\n", "def twice(x):\n", "    # größer\n", "    return area(x) != 2"]),
    ("code", []),
)


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [1, 4])
def test_lines_of_code_keep_their_numbers(indent: int, ascii_only: bool) -> None:
    """A line of a cell stands where the line of JSON is that holds it; all else is blank."""
    text = json.dumps(CELLS, indent=indent, ensure_ascii=ascii_only)
    lines, shown = text.split("\n"), code(text.encode()).decode().split("\n")
    kept = [line for line in shown if line]
    assert kept == [
        "from util import area",
        "def twice(x):",
        "    # größer",
        "    return area(x) != 2",
    ]
    for number, line in enumerate(shown):
        assert not line or json.loads(lines[number].strip().rstrip(",")).rstrip("\n") == line


@pytest.mark.parametrize("source", ["def f():\n    return 1\n", ["def f():\n    return 1"]])
def test_lines_that_share_one_of_the_file_follow_each_other(source: object) -> None:
    """A notebook on one line, or a cell that is one text, keeps the order of its code."""
    text = json.dumps(notebook(("code", source), ("code", ["g = f()"])))
    assert code(text.encode()).decode().split() == "def f(): return 1 g = f()".split()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no notebook"),
        (b"[1, 2]", "no notebook"),
        (b'{"cells": [{"cell_type": "code", "source": 3}]}', "no notebook"),
        (b'{"cells": [{"source": "x"}], "metadata": {}}', "no notebook"),
        (b'{"metadata": 7}', "no notebook"),
        (b'{"cells": [{"cell_type": "code", "source": ["x', "no notebook"),
        (json.dumps(notebook(metadata={"language_info": {"name": "R"}})).encode(), "in R"),
    ],
)
def test_what_is_no_notebook_of_python_is_named(data: bytes, reason: str, tmp_path: Path) -> None:
    """The file is left out with its reason."""
    with pytest.raises(InvalidInput, match=reason):
        code(data)
    (tmp_path / "a.ipynb").write_bytes(data)
    skipped = read(str(tmp_path / "a.ipynb"))
    assert isinstance(skipped, SkipReason)
    assert reason in skipped.reason


def test_large_outputs_do_not_leave_a_notebook_out(tmp_path: Path) -> None:
    """Only what was written by hand counts for the limit of a file."""
    cells = notebook(("code", ["x = 1"]), metadata={**PYTHON, "picture": "iVBOR" * 400_000})
    (tmp_path / "a.ipynb").write_text(json.dumps(cells, indent=1))
    content = read(str(tmp_path / "a.ipynb"))
    assert isinstance(content, Content)
    assert content.data.strip() == b"x = 1"


def test_calls_of_a_notebook_are_in_the_graph(tmp_path: Path) -> None:
    """Its functions are symbols, and its calls are found with their place in the file."""
    (tmp_path / "util.py").write_text("def area(x):\n    return x\n")
    text = json.dumps(CELLS, indent=1)
    (tmp_path / "a.ipynb").write_text(text)
    with memkit.open(tmp_path / ".memkit.db") as kit:
        kit.codegraph.index(tmp_path)
        (caller,) = kit.codegraph.callers("area").nodes
        assert (caller.name, caller.path) == ("twice", "a.ipynb")
        assert "def twice" in text.split("\n")[caller.line - 1]
        assert not kit.codegraph.find_symbol("printed")

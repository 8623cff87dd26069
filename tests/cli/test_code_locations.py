"""Commands about code and what is remembered about it: relevant, map, stale, recall --near."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

CODE = "def check_token(token):\n    return token == 'x'\n"


@pytest.fixture
def code(run: Run, folder: Path) -> Path:
    """A repository of two files, indexed."""
    (folder / "auth.py").write_text(CODE)
    (folder / "app.py").write_text("from auth import check_token\n\nprint(check_token('x'))\n")
    assert run("index").code == 0
    return folder


def test_relevant_names_files_and_symbols(run: Run, code: Path) -> None:
    """Files come with score and reasons, their symbols with the line; --json has the same."""
    shown = run("relevant", "where are tokens checked")
    first, second, *_ = shown.out.splitlines()
    assert first.split("\t")[1] == "auth.py"
    assert second == "  auth.py:1 function check_token"
    (best, *_) = run("relevant", "where are tokens checked", "--json").json["files"]
    assert best["path"] == "auth.py"
    assert best["symbols"][0]["qualname"] == "check_token"


def test_relevant_to_nothing_says_so(run: Run, code: Path) -> None:
    """A question about nothing in the tree gives no line and a note."""
    shown = run("relevant", "xylophone")
    assert (shown.code, shown.out) == (0, "")
    assert "no file has anything to do with it" in shown.err


def test_map_keeps_to_its_budget(run: Run, code: Path) -> None:
    """The map is printed as it is counted; what did not fit is told on stderr."""
    assert "  1: def check_token(token)" in run("map", "tokens").out
    small = run("map", "--budget", "5", "--json").json
    assert small["tokens"] <= 5
    shown = run("map", "--budget", "5")
    assert "1 more file did not fit" in shown.err
    assert run("map", "--budget", "0").code != 0


def test_stale_shows_what_has_changed(run: Run, code: Path) -> None:
    """After an edit the memory about it is listed with the change; before it none is."""
    run("remember", "compares with ==", "--about", "check_token")
    assert "as it was" in run("stale").err
    (code / "auth.py").write_text(CODE.replace("==", "is"))
    shown = run("stale").out
    assert "compares with ==" in shown
    assert "auth.py::check_token [stale]: check_token in auth.py has changed since" in shown
    (memory,) = run("stale", "--json").json
    assert memory["about"][0]["state"] == "stale"


def test_commands_say_that_anchors_are_unknown_without_a_graph(run: Run, folder: Path) -> None:
    """Without a code graph neither `remember` nor `stale` is silent about what it cannot see."""
    told = "the code is not read yet, so nothing tells when it changes; 'memkit index' reads it"
    assert f"about: {told}" in run("remember", "compares with ==", "--about", "auth.py::x").err
    assert told in run("stale").err
    run("index")
    assert "x is not in auth.py" in run("stale").out


def test_show_says_what_became_of_a_place(run: Run, code: Path) -> None:
    """`show` lists each place that a memory is about with its state."""
    made = run("remember", "compares with ==", "--about", "check_token", "--json").json
    assert "  about: auth.py::check_token [valid]" in run("show", str(made["memory"]["id"])).out


def test_recall_near_a_place(run: Run, code: Path) -> None:
    """With --near what is about the place comes, with the way to it."""
    run("remember", "kept for old clients", "--about", "check_token")
    shown = run("recall", "anything", "--near", "app.py", "--why").out
    assert "kept for old clients" in shown
    assert "check_token ← about ← memory" in shown

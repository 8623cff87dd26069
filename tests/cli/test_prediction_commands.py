"""The commands patterns, mine and predict."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import memkit
from tests.cli.conftest import Run
from tests.episodes.repository import Repository


@pytest.fixture
def repository(folder: Path) -> Repository:
    """A repository in which a.py and b.py were changed together three times."""
    shutil.rmtree(folder / ".git")
    made = Repository(folder)
    (folder / ".gitignore").write_text(".memkit.db*\n", encoding="utf-8")
    for number in range(3):
        made.commit(f"fix: {number}", {"a.py": str(number), "b.py": str(number)})
    return made


def test_mine_then_predict(run: Run, repository: Repository) -> None:
    """The log is read, and a file foretells what was changed with it."""
    done = run("mine")
    assert done.code == 0
    assert done.out == "git: 3 new commits; 3 known, 3 fixes, 0 reverts\n"
    assert run("mine", "--json").json["commits"] == 0
    found = run("predict", "a.py", "--json").json
    assert found["predictions"][0]["name"] == "b.py"
    assert "b.py" in run("predict", "a.py").out
    repository.git("commit", "-q", "--amend", "-m", "other")
    assert "1 dropped" in run("mine", "--limit", "10").out


def test_mine_without_a_repository(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no repository a note says so; that is no failure."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    done = run("mine")
    assert (done.code, done.out) == (0, "")
    assert "not a git repository" in done.err


def test_patterns_are_listed_shown_and_turned_off(run: Run, repository: Repository) -> None:
    """A pattern is listed with its number, shown with its evidence, turned off and on."""
    run("mine")
    listed = run("patterns", "a.py", "--kind", "co-edit")
    number = listed.out.split("#")[1].split()[0]
    shown = run("patterns", "--show", number).out
    assert "held 3 times, failed 0 times; on" in shown
    assert "evidence: commit:" in shown
    assert "off: chance" in run("patterns", "--off", number, "--reason", "chance").out
    assert run("patterns", "--json").json == []
    assert len(run("patterns", "--all", "--json").json) == 1
    assert run("patterns", "--on", number, "--json").json["active"] is True
    assert run("patterns", "--on", number, "--off", number).code == 2
    assert (
        "is no id; give a number as 'memkit patterns' shows it"
        in run("patterns", "--show", "a.py").err
    )


def test_learning_by_command(run: Run, folder: Path) -> None:
    """With --learn the tasks that ended are learnt from first; learnings have a list of their
    own."""
    with memkit.open(folder / ".memkit.db") as kit:
        for number in range(2):
            with kit.session(f"s{number}") as session, session.task("keep login sessions") as task:
                task.file("src/session.py", "edit")
                task.tool("Bash", {"command": "pytest"}, success=False, error="TypeError: x")
                task.file("src/other.py", "edit")
                task.finish(f"done {number}")
    assert "changed together" in run("patterns", "--learn").out
    learnings = run("patterns", "--learnings").out
    (error,) = [line for line in learnings.splitlines() if "common_error" in line]
    assert error.split("\t")[-1] == "TypeError: x", "it stood there twice"


def test_predict_other_signals(run: Run, repository: Repository) -> None:
    """Branch, error, time and person foretell too; only the time needs no subject."""
    run("mine")
    assert run("predict", "Ada", "--signal", "collaborator", "--json").json["predictions"]
    assert run("predict", "--signal", "time").code == 0
    assert run("predict", "a.py:1: error", "--signal", "error").out.count("a.py") >= 1
    refused = run("predict")
    assert refused.code == 2
    assert "no file is given" in refused.err


def test_predict_printed_whole_memories_on_one_line(run: Run, folder: Path) -> None:
    """What a memory says is shortened, with the number under which all of it can be read."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        made = kit.memories.remember("The login clock is UTC. " * 40, about="src/login.py")
        long = kit.memories.get(made).text
    (line,) = [x for x in run("predict", "src/login.py").out.splitlines() if x[:6] == "memory"]
    assert f"#{made.id} The login clock is UTC." in line
    assert len(line) < 200
    (whole,) = run("predict", "src/login.py", "--json").json["predictions"]
    assert whole["text"] == long


def test_nothing_foretold_printed_only_a_heading(run: Run, folder: Path) -> None:
    """An empty forecast and an empty list of patterns say so, with the next step."""
    memkit.open(folder / ".memkit.db", global_store=False).close()
    for asked in (("predict", "a.py"), ("patterns",), ("patterns", "--learnings")):
        done = run(*asked)
        assert (done.code, done.out) == (0, "")
        assert "`memkit mine` reads git's log" in done.err


def test_init_reads_the_log(run: Run, repository: Repository) -> None:
    """init reads git's log with the documents, so that the first question has an answer."""
    done = run("init")
    assert "git: 3 new commits" in done.out
    assert run("init", "--json").json["history"]["total"] == 3
    assert "b.py" in run("predict", "a.py").out

"""The commands about what was done, as people and programs read them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from tests.episodes.repository import Repository

from .conftest import Ran

Run = Callable[..., Ran]


@pytest.fixture
def worked(run: Run, folder: Path) -> str:
    """A store in which a login was fixed; the name of the task."""
    with (
        memkit.open(folder / ".memkit.db", global_store=False) as kit,
        kit.session("s", agent="ann") as session,
        session.task("Fix the login") as task,
    ):
        task.tool(
            "Bash", {"command": "pytest"}, output="KeyError: 'user'", exit_code=1, duration_ms=40
        )
        task.tool("Edit", files=[{"path": "src/login.py", "operation": "edit", "changes": "UTC"}])
        task.file("src/clock.py", "edit")
        task.tool("Bash", {"command": "pytest"}, output="KeyError: 'other'", exit_code=1)
        task.finish("half fixed")
    return task.name


def test_log_lists_calls(run: Run, worked: str) -> None:
    """Newest first, tabs where nobody looks, and by words, tool or failure."""
    lines = run("executions").out.splitlines()
    assert lines[0] == "at\ttool\tresult\tms\twhat\terror\ttask\tsession"
    assert [line.split("\t")[1] for line in lines[1:]] == ["Bash", "Edit", "Bash"]
    row = ["failed", "40", "pytest", "KeyError: 'user'", worked, "s"]
    assert lines[3].split("\t")[2:] == row
    assert [c["tool"] for c in run("executions", "--failed", "--json").json] == ["Bash", "Bash"]
    assert len(run("executions", "other", "--json").json) == 1
    assert len(run("executions", "--tool", "Edit", "--task", worked, "--json").json) == 1
    refused = run("executions", "--since", "blursday")
    assert (refused.code, "last week" in refused.err) == (1, True)


def test_errors_are_listed_with_their_fixes(run: Run, worked: str, folder: Path) -> None:
    """By message, output or command; the rest of the questions has commands too."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit, kit.session() as session:
        with session.task("install") as task:
            task.tool("Bash", {"command": "npm ci"}, success=False, error="Error: lock")
            task.tool("Bash", {"command": "npm ci --force"}, success=True)
        with session.task("tests") as task:
            task.tool("Bash", {"command": "pytest"}, success=True, description="all tests")
    lines = run("errors").out.splitlines()
    assert lines[0] == "last\ttimes\terror\tfixed by"
    rows = {tuple(line.split("\t")[1:]) for line in lines[1:]}
    assert ("1", "Error: lock", "npm ci --force") in rows
    assert ("1", "KeyError: 'user'", "changing src/login.py, src/clock.py") in rows
    assert len(run("errors", "npm ci", "--json").json) == 1
    assert "no error fits" in run("errors", "cargo build").err
    assert run("attempts", "src/login.py").out.splitlines()[1].split("\t")[1] == "src/login.py"
    assert run("attempts", "--error", "KeyError: 'other'", "--json").json
    assert run("attempts").code == 2
    paths = [line.split("\t")[1] for line in run("hot").out.splitlines()]
    assert sorted(paths) == ["path", "src/clock.py", "src/login.py"]
    assert "nobody is known" in run("owners", "src").err
    assert run("executions", "all tests", "--json").json[0]["parameters"] == {
        "command": "pytest",
        "description": "all tests",
    }


def test_a_fresh_start_is_told_what_it_should_know(run: Run, worked: str, folder: Path) -> None:
    """What is unfinished, was done last and is broken, in a few lines that are not learnt again."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        kit.session("t").task("Move the clock")
    told = re.sub(r"\d{4}-\d\d-\d\d", "DAY", run("summary").out).splitlines()
    assert (told[0], told[-1]) == ("<memkit-context>", "</memkit-context>")
    assert "unfinished (active since DAY): Move the clock" in told
    assert "completed DAY: Fix the login – half fixed" in told
    assert "unsolved error, once, last DAY: KeyError: 'other'" in told
    assert run("summary", "--json").json["done"][0]["name"] == worked
    assert "completed" not in run("summary", "--session", "t").out
    refused = run("remember", "-", stdin=run("summary").out.encode())
    assert "memkit's own answer" in refused.err


def test_nothing_to_tell_says_so(run: Run) -> None:
    """A store in which nothing was done says how that changes."""
    run("init")
    assert "no task is recorded yet" in run("summary").err


def test_file_outside_the_root_is_shown_as_lying_there(run: Run, worked: str) -> None:
    """What lies outside is told by its name and as lying there."""
    told = "nothing is known of x.py, which lies outside of the repository;"
    assert told in run("history", "../x.py").err


def test_history_of_a_file(run: Run, worked: str) -> None:
    """What happened to it, what was tried in vain, what goes with it, and near names."""
    assert run("history", "src/login.py").out.splitlines()[1].split("\t")[1:] == [
        "edit", "src/login.py", worked, "UTC",
    ]  # fmt: skip
    (tried,) = run("history", "src/login.py", "--failed", "--json").json
    assert tried["reason"] == "KeyError: 'other'"
    assert "src/clock.py" in run("history", "src/login.py", "--together").out
    assert "src/clock.py" in run("history", "src/clock.py", "--failed").out
    assert "src/login.py" in run("history", "login.py").out
    assert "there are src/login.py" in run("history", "lib/login.py").err
    assert run("history", "a", "--failed", "--together").code == 2


def test_paths_count_from_the_current_folder(
    run: Run, worked: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder of the repository a file there is meant by its own name."""
    (folder / "src").mkdir()
    (folder / "src" / "login.py").write_text("x")
    monkeypatch.chdir(folder / "src")
    assert "UTC" in run("history", "login.py").out
    assert "UTC" in run("history", "src/login.py").out


@pytest.fixture
def mined(run: Run, folder: Path, tmp_path: Path) -> Path:
    """A repository whose log is mined: two files changed together thrice, one renamed since."""
    (folder / ".git").rmdir()
    repository = Repository(folder)
    for number in range(3):
        repository.commit(f"change {number}", {"src/a.py": f"{number}", "src/b.py": f"{number}"})
    repository.git("mv", "src/a.py", "src/c.py")
    repository.commit("rename")
    assert run("mine").code == 0
    return folder


def test_what_goes_together_ignored_gits_log(run: Run, mined: Path) -> None:
    """Commits that changed both files are counted beside tasks, a file's former names too."""
    lines = run("history", "src/b.py", "--together").out.splitlines()
    assert lines[0] == "tasks\tcommits\tpath\tlast"
    assert [line.split("\t")[:3] for line in lines[1:]] == [["0", "3", "src/a.py"]]
    (pair,) = run("history", "src/c.py", "--together", "--json").json
    assert (pair["path"], pair["other"], pair["commits"]) == ("src/c.py", "src/b.py", 3)
    with memkit.open(mined / ".memkit.db", global_store=False) as kit:
        kit.episodes.record_many(
            {"event": "file", "session": "s", "path": f"src/{name}.py", "operation": "edit"}
            for name in "bd"
        )
        together = kit.episodes.co_edits
        found = [(p.path, p.other, p.count, p.commits) for p in together()]
        assert found == [("src/a.py", "src/b.py", 0, 3), ("src/b.py", "src/d.py", 1, 0)]
        assert [p.other for p in together("src/b.py", min_count=2)] == ["src/a.py"]
        assert [p.other for p in together("src/b.py", limit=1)] == ["src/a.py"]
        assert [p.other for p in together("src/b.py", since="2026-01-20")] == ["src/d.py"]


@pytest.mark.parametrize(
    "command",
    [
        ("history", "--together"),
        ("history", "--failed"),
        ("history",),
        ("predict",),
        ("patterns",),
    ],
)
@pytest.mark.parametrize("place", ["src/lone.py", "../aside.py"])
def test_paths_are_shown_relative_to_the_root(
    run: Run, folder: Path, command: tuple[str, ...], place: str
) -> None:
    """A file is named as it is stored, wherever it lies; outside of the root by its name."""
    memkit.open(folder / ".memkit.db", global_store=False).close()
    file = folder / place
    file.parent.mkdir(exist_ok=True)
    file.write_text("x")
    for given in (place, str(file)):
        done = run(command[0], given, *command[1:])
        assert done.code == 0
        assert str(folder.parent) not in done.out + done.err


def test_patterns_of_a_file_counted_from_the_root_only(
    run: Run, mined: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder of the repository a file there is meant by its own name."""
    monkeypatch.chdir(mined / "src")
    (here,) = run("patterns", "b.py", "--json").json
    (there,) = run("patterns", "src/b.py", "--json").json
    assert here["id"] == there["id"]


def test_tasks(run: Run, worked: str) -> None:
    """Listed, shown, found by likeness and state."""
    assert "half fixed" in run("tasks").out
    shown = run("tasks", worked).out
    assert "  files: src/clock.py, src/login.py" in shown
    assert '  tools: {"Bash": 2, "Edit": 1}' in shown
    assert [t["name"] for t in run("tasks", "--like", "broken logins", "--json").json] == [worked]
    assert run("tasks", "--like", "login").out.splitlines()[1].split("\t")[1] == worked
    assert run("tasks", "--status", "failed", "--json").json == []
    assert run("tasks", "none").code == 1


def test_tools(run: Run, worked: str) -> None:
    """Calls, success and time of each tool in a period."""
    assert run("tools").out.splitlines() == [
        "tool\tcalls\tsuccess\tmean ms",
        "Bash\t2\t0%\t40",
        "Edit\t1\t100%\t",
    ]
    (edit,) = run("tools", "--since", "7 days", "--tool", "Edit", "--json").json
    assert edit == {
        "tool": "Edit", "calls": 1, "successes": 1, "success_rate": 1.0, "mean_ms": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("executions",), "no call is recorded yet; `memkit import transcript PATH`"),
        (("executions", "--failed"), "no call fits; leave out an option"),
        (("tasks",), "no task is recorded yet; `memkit import transcript PATH`"),
        (("tasks", "--status", "failed"), "no task fits; leave out an option"),
        (("tasks", "--like", "login"), "no task or commit is like it; try other words"),
        (("tools",), "no call is recorded yet; `memkit import transcript PATH`"),
        (("history", "a.py"), "nothing is known of a.py; `memkit mine` reads git's log"),
        (("history", "a.py", "--failed"), "nothing that was tried on a.py"),
        (("history", "a.py", "--together"), "nothing is known to be changed together with a.py"),
    ],
)
def test_empty_lists_printed_only_a_heading(
    run: Run, folder: Path, asked: tuple[str, ...], told: str
) -> None:
    """Where there is nothing to list, that is said, with the next step; the document is empty."""
    memkit.open(folder / ".memkit.db", global_store=False).close()
    done = run(*asked)
    assert (done.code, done.out) == (0, "")
    assert told in done.err
    assert run(*asked, "--json").json == []


def test_views_for_people(worked: str, folder: Path) -> None:
    """Timeline, hot files and success of tools answer in a plain shell."""
    from tests.store import shell

    path = folder / ".memkit.db"
    whats = {what for (what,) in shell.run(path, "select what from timeline")}
    assert whats == {"call", "edit", "task"}
    assert shell.run(path, "select path, changes from hot_files") == [
        ("src/clock.py", 1),
        ("src/login.py", 1),
    ]
    assert shell.run(path, "select tool, calls, success_rate, mean_ms from tool_success") == [
        ("Bash", 2, 0.0, 40.0),
        ("Edit", 1, 1.0, None),
    ]

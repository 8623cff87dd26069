"""What got over an error: the same program called otherwise, and errors by their command."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import memkit
from memkit.episodes import error_signatures


def run(
    kit: memkit.Memkit, calls: Sequence[tuple[str, str | None]], *, ends: str = "finish"
) -> str:
    """Record a task of commands, each with its error or None; return its name."""
    with kit.session() as session:
        task = session.task("get the service to run")
        for command, error in calls:
            task.tool("Bash", {"command": command}, success=error is None, error=error)
        if ends == "finish":
            task.finish("it runs")
        elif ends == "fail":
            task.fail("given up")
        return task.name


@pytest.mark.parametrize(
    ("failed", "passed"),
    [
        ("pip install foo==2.0", "pip install foo==1.9"),
        ("npm install left-pad --save-exact", "npm install left-pad --legacy-peer-deps"),
        ("docker build -t app .", "docker build -t app --network host ."),
        ("python tools/load.py data.csv", "python tools/load.py data.tsv --sep tab"),
        ("cd api && pytest -x tests/test_a.py", "cd api && pytest -x tests/test_a.py -p no:cache"),
    ],
)
def test_the_same_program_called_otherwise_is_a_fix(
    kit: memkit.Memkit, failed: str, passed: str
) -> None:
    """When it passes later and the task is completed."""
    run(kit, [(failed, "Error: no luck")] * 3 + [("ls", None), (passed, None)])
    (seen,) = kit.episodes.find_errors()
    assert seen.count == 3
    assert {fix.passed.parameters["command"] for fix in seen.fixes} == {passed}
    assert not kit.episodes.session_summary().open_errors


@pytest.mark.parametrize(
    ("failed", "passed", "ends"),
    [
        ("npm install left-pad", "npm test", "finish"),
        ("npm install left-pad", "npm install other", "fail"),
        ("npm install left-pad", "npm install other", "leave"),
        ("python a.py", "python b.py", "finish"),
        ("python a.py", "node a.py", "finish"),
    ],
)
def test_other_programs_and_unfinished_tasks_fix_nothing(
    kit: memkit.Memkit, failed: str, passed: str, ends: str
) -> None:
    """Another subcommand, another script, or a task that did not come to its end."""
    run(kit, [(failed, "Error: no luck"), (passed, None)], ends=ends)
    (seen,) = kit.episodes.find_errors()
    assert seen.fixes == ()


def test_the_fix_is_learnt_with_its_command(kit: memkit.Memkit) -> None:
    """What was run instead is what helps the next time."""
    run(kit, [("npm ci", "Error: lock"), ("npm ci --force", None)])
    kit.episodes.learn()
    (pattern,) = kit.episodes.patterns("error-fix")
    assert "npm ci --force" in pattern.text


@pytest.mark.parametrize(
    "question", ["pip install foo==2.0", "pip install foo==3.1", "pip install"]
)
def test_errors_are_found_by_the_command(kit: memkit.Memkit, question: str) -> None:
    """Before it is run again, in whatever version."""
    run(kit, [("pip install foo==2.0", "ERROR: no matching distribution"), ("make", "Error: x")])
    (seen,) = kit.episodes.find_errors(question)
    assert seen.message == "ERROR: no matching distribution"
    assert kit.episodes.find_errors("pip install bar") == []


@pytest.mark.parametrize(
    ("installed", "others"),
    [
        ("pip install mkdocstrings", ()),
        ("cd docs && npm ci", ("npm test",)),
        ("git config user.name x", ("git status", "ls")),
        ("docker compose up -d", ("mypy src",)),
        ("python tools/fill.py", ("ls docs",)),
    ],
)
def test_what_was_run_before_the_same_command_passed_is_its_fix(
    kit: memkit.Memkit, installed: str, others: Sequence[str]
) -> None:
    """Where no file was changed: an installation, a configuration; said everywhere alike."""
    error = "ModuleNotFoundError: No module named 'mkdocstrings'"
    between = [(command, None) for command in (*others[:1], installed, *others[1:])]
    run(kit, [("mkdocs build", error), *between, ("mkdocs build", None)])
    (seen,) = kit.episodes.find_errors()
    assert seen.fixes[0].commands == (installed,)
    assert seen.fixes[0].means == installed
    (hit,) = kit.recall(error, sources="errors").episodes
    assert hit.text.endswith(f"fixed: {installed}; then mkdocs build passed")
    kit.episodes.learn()
    (pattern,) = kit.episodes.patterns("error-fix")
    assert pattern.text.endswith(f"fixed by {installed}")


@pytest.mark.parametrize(
    ("failed", "ran", "passed", "means"),
    [
        ("pip install foo==2.0", "pip install bar", "pip install foo==1.9", "pip install foo==1.9"),
        ("pip install foo", "pip install -U pip", "pip install foo", "pip install -U pip"),
        ("pytest tests/a.py", "pytest tests/b.py", "pytest tests/a.py", None),
        ("mkdocs build", "pip install x", "mkdocs build -q", "pip install x; mkdocs build -q"),
        ("mkdocs build", "pytest", "mkdocs build -q", "mkdocs build -q"),
    ],
)
def test_another_call_of_the_same_program_is_no_means(
    kit: memkit.Memkit, failed: str, ran: str, passed: str, means: str | None
) -> None:
    """What passed called otherwise is itself what helped, with what was installed before it."""
    run(kit, [(failed, "Error: no luck"), (ran, None), (passed, None)])
    (seen,) = kit.episodes.find_errors()
    assert seen.fixes[0].means == means


def test_what_was_run_in_a_later_session_is_a_fix_as_well(kit: memkit.Memkit) -> None:
    """Where the command passes only there."""
    run(kit, [("mkdocs build", "ModuleNotFoundError: No module named 'x'")], ends="leave")
    run(kit, [("pip install x", None), ("mkdocs build", None)])
    (seen,) = kit.episodes.find_errors()
    assert seen.fixes[0].means == "pip install x"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("python -m pip install -q x", True),
        ("cd a && npm ci", True),
        ("FOO=1 ./venv/bin/pip install -e .", True),
        ("sudo apt-get install -y libssl-dev", True),
        ("chmod +x build.sh", True),
        ("git config core.autocrlf false", True),
        ("git add setup.py", False),
        ("git commit -am 'pip: install add'", False),
        ("pytest -q", False),
        ("uv run pytest", False),
        ("npm run build", False),
        ("make test", False),
    ],
)
def test_commands_that_install_or_configure_set_something_up(
    command: str, *, expected: bool
) -> None:
    """Tests, builds and commits do not."""
    assert error_signatures.sets_up(command) is expected

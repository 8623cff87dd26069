"""What got over an error: the same program called otherwise, and errors by their command."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import memkit


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

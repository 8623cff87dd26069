"""Workflows: sequences of commands that recur over sessions and come off."""

from __future__ import annotations

from typing import Any

import attrs
import hypothesis.strategies as st
import pytest
from hypothesis import given

from memkit.episodes.results import ToolExecution
from memkit.episodes.workflows import (
    MIN_SESSIONS,
    SHORTEST,
    Run,
    Step,
    briefly,
    find_workflows,
    steps_of,
)

DEPLOY = ("npm test", "npm run build", "./stage.sh")


def call(command: str, *, success: bool = True, tool: str = "Bash") -> ToolExecution:
    """Return a call of a command."""
    names = {field.name for field in attrs.fields(ToolExecution)}
    told: dict[str, Any] = {"id": 1, "tool": tool, "parameters": {"command": command}}
    return ToolExecution(**(dict.fromkeys(names) | told | {"success": success}))


def run(session: str, *commands: str, said: str = "", failed: bool = False, ok: bool = True) -> Run:
    """Return what a session ran, whose last command came off or not."""
    calls = [call(c, success=ok or c != commands[-1]) for c in commands]
    return Run(session, said, failed, f"2026-03-0{int(session[-1]) + 1}", steps_of(calls))


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("cd x && CI=1 python -m pytest -k y", ["pytest"]),
        ("git commit -m 'a && b'", ["git commit"]),
        ("npm run build", ["npm run build"]),
        ("bash scripts/stage.sh prod", ["bash stage.sh"]),
        ("./deploy.sh", ["deploy.sh"]),
        ("npm test && npm run build; git push", ["npm test", "npm run build", "git push"]),
        ("pytest -q 2>&1 | tail -5", ["pytest"]),
        ("ls -la && cat a.py", []),
        ("rg foo | head", []),
        ("python - <<'E'\nprint(1)\nE", []),
        ("", []),
    ],
)
def test_steps_of_a_command(command: str, steps: list[str]) -> None:
    """What is run by itself and does something, named by what it does."""
    assert [step.name for step in steps_of([call(command)])] == steps


def test_command_that_is_repeated_counts_as_it_ended() -> None:
    """The test failed, was put right, and passed: it came off."""
    steps = steps_of([call("pytest", success=False), call("pytest -x"), call("git push")])
    assert steps == (
        Step("pytest", "pytest -x", success=True),
        Step("git push", "git push", success=True),
    )


def test_sequence_of_three_sessions_is_a_workflow() -> None:
    """It is named by what was wanted each time, with the lines of the last time."""
    runs = [
        run("s1", "vim a", *DEPLOY, said="deploy the shop"),
        run("s2", *DEPLOY, "git push", said="Please deploy again"),
        run("s3", "npm test", "npm run build", "./stage.sh eu", said="Deploy to Europe"),
    ]
    (flow,) = find_workflows(runs)
    assert flow.hint == "deploy: test→build→stage"
    assert flow.commands == ("npm test", "npm run build", "./stage.sh eu")
    assert flow.sessions == ("s1", "s2", "s3")
    assert flow.failed == 0


def test_workflow_without_a_common_purpose_is_named_by_its_end() -> None:
    """Nothing is made up."""
    said = ("ship it", "hotfix", "monday work")
    runs = [run(f"s{at}", *DEPLOY, said=text) for at, text in enumerate(said)]
    assert find_workflows(runs)[0].name == "stage"


@pytest.mark.parametrize(
    "runs",
    [
        [run("s1", *DEPLOY), run("s1", *DEPLOY), run("s2", *DEPLOY)],  # two sessions
        [run(f"s{at}", *DEPLOY[:2]) for at in range(4)],  # two steps
        [run(f"s{at}", "pytest", "git add .", "pytest", "git add .") for at in range(4)],
        [run(f"s{at}", *DEPLOY, ok=at < 2) for at in range(4)],  # comes off in two only
        [run(f"s{at}", *DEPLOY, failed=at > 1) for at in range(4)],  # tasks failed
        [run(f"s{at}", *DEPLOY, ok=at % 2 == 0) for at in range(6)],  # fails as often
        [run(f"s{at}", "ls", "cat a", "rg b", "git push") for at in range(4)],
    ],
)
def test_other_sequences_are_none(runs: list[Run]) -> None:
    """Too seldom, too short, to and fro, in vain, or only looking."""
    assert find_workflows(runs) == []


def test_one_workflow_is_told_once() -> None:
    """Neither its parts nor the same steps begun elsewhere."""
    runs = [run(f"s{at}", *DEPLOY, *DEPLOY, "git push") for at in range(3)]
    assert [flow.steps for flow in find_workflows(runs)] == [
        ("npm test", "npm run build", "stage.sh", "git push")
    ]


def test_short_names_are_kept_apart() -> None:
    """Two steps whose last words are the same keep their programs."""
    assert briefly(["npm test", "cargo test", "git push"]) == ("npm test", "cargo test", "push")


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=8), max_size=6))
def test_every_workflow_stands_in_enough_sessions(sessions: list[list[str]]) -> None:
    """Each was run in one go, with steps of which none is another, in at least three sessions."""
    runs = [
        Run(f"s{at}", "", failed=False, at=f"{at}", steps=steps_of(map(call, names)))
        for at, names in enumerate(sessions)
    ]
    flows = find_workflows(runs)
    for flow in flows:
        assert len(flow.sessions) >= MIN_SESSIONS
        assert len(set(flow.steps)) == len(flow.steps) >= SHORTEST
        for name in flow.sessions:
            ran = tuple(step.name for step in runs[int(name[1:])].steps)
            count = len(flow.steps)
            assert flow.steps in [ran[at : at + count] for at in range(len(ran))]
    assert len({frozenset(flow.steps) for flow in flows}) == len(flows)

"""How procedures fare, as it is told and as recorded commands show it, and what is said of it."""

from __future__ import annotations

import pytest

import memkit
from memkit import Procedure, StepOutcome
from memkit.consolidation.procedure_outcomes import MAX_OUTCOMES, command_in
from memkit.errors import InvalidInput
from memkit.memories.outcomes import rates, warnings
from tests.conftest import Clock

STEPS = ("run `make build`", "ask for a review", "make deploy ENV=prod")


@pytest.fixture
def deploy(kit: memkit.Memkit) -> int:
    """A procedure of two commands and a thing to do between them."""
    return kit.memories.remember("How we deploy the shop.", procedure=Procedure(STEPS)).id


def run(kit: memkit.Memkit, clock: Clock, name: str, *commands: tuple[str, bool]) -> None:
    """Record a session that ran these commands."""
    with kit.session(name) as session, session.task("work", name=f"{name}-t"):
        for line, success in commands:
            clock.advance(5)
            error = None if success else "quota exceeded"
            session.tool("Bash", {"command": line}, success=success, error=error)


def test_rates_are_counted_and_a_failing_step_is_a_warning(kit: memkit.Memkit, deploy: int) -> None:
    """Each outcome counts; a step that failed twice in a row is said, until it succeeds."""
    note = kit.consolidation.note_outcome
    note(deploy, "succeeded")
    note(deploy, "skipped", step=2)
    note(deploy, "failed", step=3)
    memory = note(deploy, StepOutcome.FAILED, step=3, note="quota exceeded", session="s")
    assert rates(memory.outcomes) == "worked 1 of 1, step 3 worked 0 of 2"
    assert list(warnings(memory.outcomes)) == ["step 3 failed the last 2 times: quota exceeded"]
    text = kit.context.assemble("how do we deploy the shop?").text
    assert "so far: worked 1 of 1" in text
    assert "step 3 failed the last 2 times: quota exceeded" in text
    memory = note(deploy, "succeeded", step=3)
    assert not list(warnings(memory.outcomes))
    assert [record.success_rate for record in memory.outcomes] == [1.0, None, pytest.approx(1 / 3)]


def test_wrong_outcomes_are_refused(kit: memkit.Memkit, deploy: int) -> None:
    """What is no procedure, a step it has not, an outcome there is not."""
    other = kit.memories.remember("bricks are red")
    with pytest.raises(InvalidInput, match="is no procedure"):
        kit.consolidation.note_outcome(other, "failed")
    with pytest.raises(InvalidInput, match=r"step: found 4, and memory .* has 3"):
        kit.consolidation.note_outcome(deploy, "failed", step=4)
    with pytest.raises(InvalidInput, match="outcome: 'odd' is unknown"):
        kit.consolidation.note_outcome(deploy, "odd")


def test_only_the_newest_outcomes_stay(kit: memkit.Memkit, deploy: int) -> None:
    """The rows of one procedure are bounded."""
    for _ in range(MAX_OUTCOMES + 3):
        memory = kit.consolidation.note_outcome(deploy, "succeeded")
    assert [record.succeeded for record in memory.outcomes] == [MAX_OUTCOMES]


@pytest.mark.parametrize(
    ("step", "line"),
    [
        ("run `make build`", "make build"),
        ("make deploy ENV=prod", "make deploy ENV=prod"),
        ("ask for a review", "ask for a review"),
        ("either `make a` or `make b`", None),
    ],
)
def test_command_of_a_step_is_read(step: str, line: str | None) -> None:
    """What is in back quotes or can be nothing but a command."""
    assert command_in(step) == line


def test_commands_of_a_session_count_once(kit: memkit.Memkit, clock: Clock, deploy: int) -> None:
    """Two steps run in order are the procedure; the last call of each tells."""
    run(
        kit, clock, "a", ("make build", False), ("make build", True), ("make deploy ENV=prod", True)
    )
    (memory,) = kit.consolidation.observe_outcomes("a")
    assert [(r.step, r.succeeded, r.failed) for r in memory.outcomes] == [
        (None, 1, 0), (1, 1, 0), (3, 1, 0),
    ]  # fmt: skip
    assert not kit.consolidation.observe_outcomes("a")
    run(kit, clock, "b", ("make build", True), ("make deploy ENV=prod", False))
    (memory,) = kit.consolidation.observe_outcomes("b")
    assert rates(memory.outcomes) == "worked 1 of 2, step 3 worked 1 of 2"


@pytest.mark.parametrize(
    "commands",
    [
        (("make build", True), ("make test", True)),
        (("make deploy ENV=prod", True), ("make build", True)),
        (("make deploy ENV=dev", True), ("make build", True)),
    ],
    ids=["one step", "other order", "other argument"],
)
def test_other_commands_prove_nothing(
    kit: memkit.Memkit, clock: Clock, deploy: int, commands: tuple[tuple[str, bool], ...]
) -> None:
    """One step alone, another order, another argument: the procedure was not followed."""
    run(kit, clock, "a", *commands)
    assert not kit.consolidation.observe_outcomes("a")
    assert not kit.memories.get(deploy).outcomes


def test_guard_says_that_a_step_fails(kit: memkit.Memkit) -> None:
    """A procedure that speaks of the call comes with the step that failed again and again."""
    made = kit.memories.remember(
        "Deploy the shop with make deploy ENV=prod on the bastion.",
        kind="procedure",
        procedure=Procedure(STEPS),
        trigger_patterns=(),
    )
    for _ in range(2):
        kit.consolidation.note_outcome(made, "failed", step=3, note="quota exceeded")
    (warning,) = kit.guard("Bash", "make deploy ENV=prod on the bastion of the shop").warnings
    assert warning.text.endswith("step 3 failed the last 2 times: quota exceeded")

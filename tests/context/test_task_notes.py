"""Notes of a task: in the context while it runs, within their share, once, and for nobody else."""

from __future__ import annotations

import pytest

import memkit
from memkit import tokens

PROMPT = "why is the upload sent twice?"


@pytest.fixture
def kit_with_task(kit: memkit.Memkit) -> memkit.Memkit:
    """A store in which two sessions have a task each, with a note."""
    for session, task in (("monday", "fix-upload"), ("tuesday", "draw-logo")):
        with kit.session(session) as open_session:
            open_session.task("see its name", name=task)
            kit.context.task(task).add_reasoning(f"{task}: the client is to blame", stage="plan")
    return kit


def notes(context: memkit.AssembledContext) -> list[str]:
    return [item.text for item in context.items if item.source == "task notes"]


def test_named_task_brings_what_it_noted(kit_with_task: memkit.Memkit) -> None:
    context = kit_with_task.context.assemble(PROMPT, signals={"task": "fix-upload"})
    assert [note.split(": ", 1)[1] for note in notes(context)] == [
        "fix-upload: the client is to blame\n"
    ]


def test_session_brings_the_notes_of_its_running_task_once(kit_with_task: memkit.Memkit) -> None:
    """Another session's are not its own, and what was served is not served again."""
    assemble = kit_with_task.context.assemble
    assert "fix-upload" in "".join(notes(assemble(PROMPT, session="monday")))
    assert "draw-logo" in "".join(notes(assemble(session="tuesday")))
    assert notes(assemble(PROMPT, session="monday")) == []


def test_without_task_or_session_no_note_comes(kit_with_task: memkit.Memkit) -> None:
    assert notes(kit_with_task.context.assemble(PROMPT)) == []


def test_task_that_is_over_has_no_notes(kit: memkit.Memkit) -> None:
    with kit.session("monday") as session, session.task("fix it", name="fix-upload") as task:
        kit.context.task(task).add_reasoning("the client is to blame", stage="plan")
    assert notes(kit.context.assemble(PROMPT, signals={"task": "fix-upload"})) == []


@pytest.mark.parametrize("budget", [300, 1_000, 4_000])
def test_notes_take_two_fifths_at_most(kit: memkit.Memkit, budget: int) -> None:
    """Short ones come whole; of a long one a part comes where there is room for one."""
    task = kit.context.task("fix-upload")
    task.add_reasoning("The queue delivers at least once.", stage="plan")
    lines = (
        f"request {number} of upload {number * 7} took {number % 9} ms" for number in range(900)
    )
    task.add_tool_output("curl", "\n".join(lines))
    context = kit.context.assemble(PROMPT, budget=budget, signals={"task": "fix-upload"})
    text = "".join(notes(context))
    assert "The queue delivers at least once." in text
    assert ("output of curl" in text) == (budget > 300)
    assert tokens.count(text) <= 0.4 * budget
    assert [out.reason for out in context.left_out if out.what.startswith("item-")] == (
        [] if budget > 300 else ["no room in the share of the task's notes"]
    )

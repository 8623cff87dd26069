"""Memories of what was observed: finished tasks, and workflows, which end when not seen."""

from __future__ import annotations

import pytest

import memkit
from memkit.memories.records import EdgeKind
from tests.conftest import Clock


def test_task_of_which_nothing_is_told_has_its_status(kit: memkit.Memkit) -> None:
    """What was wanted keeps its own words and signs; what was told is a sentence."""
    with kit.session("s") as session:
        with session.task("Is the cache warm?", name="a") as task:
            task.finish()
        with session.task("Warm the cache", name="b") as task:
            task.fail("KeyError: 'DE'")
    texts = [kit.consolidation.remember_task(name).memory.text for name in ("a", "b")]
    assert texts == ["Is the cache warm? – completed", "Warm the cache – failed: KeyError: 'DE'"]


def test_finished_task_becomes_an_episode_once(kit: memkit.Memkit, clock: Clock) -> None:
    """With outcome, changed files, pull request and decision record; again it is the same memory,
    and it is shortened like any other."""
    intent = "Stop retries of POST, see ADR-12 and PR #41"
    with kit.session("s") as session, session.task(intent, name="t") as task:
        task.file("http/retry.py", "edit")
        task.file("http/client.py", "read")
        with pytest.raises(memkit.InvalidInput, match="active"):
            kit.consolidation.remember_task("t")
        task.finish(
            "POST is never retried, since uploads were doubled by the second try. The client of "
            "the warehouse sends the number of the order along, by which the server tells them."
        )
    done = kit.consolidation.remember_task("t")
    assert done.memory.form == "episode"
    assert "POST is never retried" in done.memory.text
    assert done.memory.file_paths == ("http/retry.py",)
    artifacts = {(item.kind, item.reference) for item in kit.memories.details(done).artifacts}
    assert artifacts == {("file", "http/retry.py"), ("pr", "41"), ("adr", "ADR-12")}
    again = kit.consolidation.remember_task("t")
    assert again.id == done.id
    clock.advance(days=31)
    run = kit.consolidate(steps="compress")
    assert done.id in {change.memory_id for change in run.changes}
    assert "never" in str(kit.memories.get(done).summary)
    whole = kit.consolidation.remember_session("s")
    assert "POST is never retried" in whole.memory.text
    with pytest.raises(memkit.InvalidInput, match="no task"):
        kit.consolidation.remember_session("other")
    with pytest.raises(memkit.NotFound):
        kit.consolidation.remember_task("other")


DEPLOY = ("npm test", "npm run build", "./stage.sh")


def work(
    kit: memkit.Memkit, clock: Clock, *commands: str, say: str = "deploy", ends: str = "it is out"
) -> str:
    """Record a session of one task that runs commands, and learn from it; return its name."""
    with kit.session() as session, session.task(say) as task:
        for command in commands:
            clock.advance(10)
            task.tool("Bash", {"command": command}, success=True)
        task.finish(ends)
    clock.advance(hours=1)
    kit.episodes.learn()
    return session.name


def workflows(kit: memkit.Memkit) -> list[memkit.Memory]:
    """Return the workflows that hold."""
    return list(kit.memories.find(form="workflow"))


def test_workflow_becomes_one_procedure(kit: memkit.Memkit, clock: Clock) -> None:
    """After three sessions, and the same memory after the fourth, with its last command lines."""
    for _ in range(2):
        work(kit, clock, *DEPLOY)
    assert workflows(kit) == []
    work(kit, clock, *DEPLOY)
    (first,) = workflows(kit)
    assert first.procedure is not None
    assert first.procedure.steps == DEPLOY
    assert first.compressed == "deploy: test→build→stage"
    assert (first.kind, first.provenance) == ("procedure", "observed")
    work(kit, clock, "npm test", "npm run build", "./stage.sh eu")
    (again,) = workflows(kit)
    assert again.id == first.id
    assert again.procedure is not None
    assert again.procedure.steps[-1] == "./stage.sh eu"


def test_workflow_that_somebody_told_is_no_second_procedure(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """The told one gets the outcomes of the sessions; one of other steps is learnt as ever."""
    steps = ("Run `npm test`", "npm run build", "./stage.sh")
    told = kit.memories.remember(
        "How to deploy", kind="procedure", procedure=memkit.Procedure(steps=steps)
    )
    for _ in range(3):
        kit.consolidation.observe_outcomes(work(kit, clock, *DEPLOY))
    assert workflows(kit) == []
    assert kit.memories.get(told).confidence >= told.memory.confidence
    for _ in range(3):
        work(kit, clock, "npm ci", "npm run lint", "npm publish", say="publish")
    assert len(workflows(kit)) == 1


def test_learning_without_news_writes_no_memory(kit: memkit.Memkit, clock: Clock) -> None:
    """The same sequence again changes nothing of the memory."""
    for _ in range(3):
        work(kit, clock, *DEPLOY)
    before = workflows(kit)
    work(kit, clock, *DEPLOY)
    assert workflows(kit) == before


def test_workflow_that_is_not_seen_for_long_ends_and_comes_back(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """After 90 days without it; seen again it is the same memory."""
    for _ in range(3):
        work(kit, clock, *DEPLOY)
    (made,) = workflows(kit)
    clock.advance(days=60)
    work(kit, clock, "pytest")
    assert workflows(kit) == [kit.memories.get(made.id)]
    clock.advance(days=31)
    work(kit, clock, "pytest")
    assert workflows(kit) == []
    work(kit, clock, *DEPLOY)
    assert [memory.id for memory in workflows(kit)] == [made.id]


def test_part_of_a_longer_workflow_ends(kit: memkit.Memkit, clock: Clock) -> None:
    """A step was added, and by now it is usual."""
    for _ in range(3):
        work(kit, clock, *DEPLOY)
    for _ in range(3):
        work(kit, clock, *DEPLOY, "git push")
    (only,) = workflows(kit)
    assert only.compressed == "deploy: test→build→stage→push"


def test_what_somebody_forgot_stays_forgotten(kit: memkit.Memkit, clock: Clock) -> None:
    """Forgotten by somebody, or with its pattern turned off, it is not made anew."""
    for _ in range(3):
        work(kit, clock, *DEPLOY)
    (made,) = workflows(kit)
    kit.memories.forget(made, reason="obvious")
    work(kit, clock, *DEPLOY)
    assert workflows(kit) == []
    kit.memories.restore(made)
    (pattern,) = kit.episodes.patterns("workflow")
    kit.episodes.set_active(pattern, active=False)
    work(kit, clock, *DEPLOY)
    assert workflows(kit) == []


def test_workflow_is_derived_from_what_is_remembered_of_its_sessions(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """An edge to each episode, where there is one."""
    names = [work(kit, clock, *DEPLOY) for _ in range(2)]
    told = kit.consolidation.remember_session(names[0])
    work(kit, clock, *DEPLOY)
    (made,) = workflows(kit)
    edges = [e for e in kit.memories.edges(made) if e.kind is EdgeKind.DERIVED_FROM]
    assert [(e.src, e.dst) for e in edges] == [(made.id, told.id)]

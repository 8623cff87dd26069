"""Episode memories: what a finished task came to, with what belongs to it."""

from __future__ import annotations

import pytest

import memkit
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

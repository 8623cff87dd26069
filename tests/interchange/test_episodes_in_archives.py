"""Episodes in exports: shared rows go along, local ones on demand, and stores merge."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import memkit
from memkit.episodes.records import TaskStatus
from tests.conftest import Clock
from tests.interchange.archives import brought, exported
from tests.store import shell

Open = Callable[..., memkit.Memkit]


@pytest.fixture
def worked(make_kit: Open) -> memkit.Memkit:
    """A store with a finished task, a pattern and a learning."""
    kit = make_kit("one.db")
    with kit.session("s") as session, session.task("Fix the login", name="t") as task:
        task.tool("Bash", {"command": "pytest"}, success=True, files=["a.py"])
        task.finish("done")
    shell.run(
        kit.path,
        "insert into learned_patterns (id, pattern_type, signature, pattern_data, confidence,"
        " first_seen, last_seen, updated_at) values (7, 'co-edit', 'sig', '{}', 0.5,"
        " '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z')",
        "insert into session_learnings (id, session_id, learning_type, signature, key, data,"
        " confidence, first_seen, last_seen, updated_at) values (8, 's', 'workflow', 'key', 'k',"
        " '{}', 0.5, '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z',"
        " '2026-03-01T10:00:00.000Z')",
    )
    return kit


def test_an_export_holds_tasks_and_no_raw_calls(worked: memkit.Memkit, make_kit: Open) -> None:
    """Files and tools of the task come along, counted, though the calls stay here."""
    text = exported(worked)
    assert '"tool_executions"' not in text
    other = make_kit("two.db")
    brought(other, text)
    (task,) = other.episodes.tasks()
    assert (task.files, task.tools, task.outcome) == (("a.py",), {"Bash": 1}, "done")
    assert other.episodes.stats().patterns == other.episodes.stats().learnings == 1
    assert other.episodes.tool_executions() == []
    assert exported(other) == text


def test_a_whole_export_comes_back_as_it_was(worked: memkit.Memkit, make_kit: Open) -> None:
    """With local rows: calls and files too; again it changes nothing."""
    text = exported(worked, local=True)
    other = make_kit("two.db")
    brought(other, text)
    brought(other, text)
    assert other.episodes.tool_executions() == worked.episodes.tool_executions()
    assert other.episodes.file_history("a.py") == worked.episodes.file_history("a.py")


def test_the_newer_state_of_a_task_wins(
    worked: memkit.Memkit, make_kit: Open, clock: Clock
) -> None:
    """Whoever imports whom, a task, pattern and learning end as they were left last."""
    other = make_kit("two.db")
    brought(other, exported(worked))
    clock.advance(hours=1)
    with other.session("later") as session:
        session.resume("t").fail("it came back")
    shell.run(
        other.path,
        "update learned_patterns set active = 0, updated_at = '2026-03-02T00:00:00.000Z'",
    )
    older = exported(worked)
    brought(worked, exported(other))
    brought(other, older)
    for kit in (worked, other):
        assert kit.episodes.task("t").status is TaskStatus.FAILED
        assert kit._store.all("tables.learned_patterns_rows")[0][12] == 0
    assert exported(worked) == exported(other)


def test_the_same_name_is_the_same_row_under_the_lower_number(make_kit: Open, clock: Clock) -> None:
    """Two machines that recorded one session and task agree on their numbers afterwards."""
    one, two = make_kit("one.db"), make_kit("two.db")
    for kit in (one, two):
        clock.advance(5)
        with kit.session("shared") as session:
            session.task("the same", name="t").finish()
        with kit.session(f"own of {kit.path.name}") as session:
            session.task("its own").finish()
    first, second = exported(one), exported(two)
    brought(one, second)
    brought(two, first)
    assert one.episodes.task("t").id == two.episodes.task("t").id
    assert len(one.episodes.tasks()) == len(two.episodes.tasks()) == 3
    assert exported(one) == exported(two)


def test_two_rows_of_one_number_both_stay(worked: memkit.Memkit, make_kit: Open) -> None:
    """A task that bears another's number by chance gets the next free one."""
    other = make_kit("two.db")
    other.session("x").task("another", name="u").finish()
    number = worked.episodes.task("t").id
    shell.run(other.path, f"update task_history set id = {number}")
    brought(other, exported(worked))
    assert {(t.name, t.id - number) for t in other.episodes.tasks()} == {("t", 1), ("u", 0)}


def test_a_purge_reaches_the_other_store(
    worked: memkit.Memkit, make_kit: Open, clock: Clock
) -> None:
    """A purged session does not come back, and goes elsewhere; what went on since stays."""
    other, third = make_kit("two.db"), make_kit("three.db")
    text = exported(worked)
    for kit in (other, third):
        brought(kit, text)
    clock.advance(10)
    worked.episodes.purge(session="s")
    clock.advance(10)
    with third.session("s") as session:
        session.resume("t").finish("better")
    brought(worked, text)
    assert worked.episodes.tasks() == []
    after = exported(worked)
    brought(other, after)
    assert other.episodes.tasks() == other.episodes.sessions() == []
    brought(third, after)
    assert [t.outcome for t in third.episodes.tasks()] == ["better"]
    brought(worked, text, revive=True)
    assert [t.outcome for t in worked.episodes.tasks()] == ["done"]


def test_times_of_any_form_are_imported_as_one(worked: memkit.Memkit, make_kit: Open) -> None:
    """An export whose times were written by others is read; what is no time is refused by line."""
    text = exported(worked, local=True)
    other = make_kit("two.db")
    brought(other, text.replace('"2026-03-01T10:00:00.000Z"', '"2026-03-01 19:00:00+09:00"'))
    assert {c.timestamp for c in other.episodes.tool_executions()} == {"2026-03-01T10:00:00.000Z"}
    with pytest.raises(memkit.InvalidInput, match="line"):
        brought(make_kit("three.db"), text.replace('"2026-03-01T10:00:00.000Z"', '"blursday"'))


@pytest.mark.parametrize("shape", ['{"files": 5, "words": [[1], null], "Edit": "x"}', "[[1]]", "5"])
@pytest.mark.parametrize("kind", ["workflow", "file_purpose", "common_error"])
def test_json_of_another_shape_is_read_as_far_as_it_goes(
    worked: memkit.Memkit, kind: str, shape: str
) -> None:
    """What another program or an archive left is read as far as it goes."""
    shell.run(
        worked.path,
        f"update task_history set tools_used = '{shape}', files_touched = '{shape}'",
        f"update learned_patterns set pattern_data = '{shape}', evidence = '{shape}'",
        f"update session_learnings set data = '{shape}', evidence = '{shape}'",
        f"update session_learnings set learning_type = '{kind}'",
    )
    assert [task.tools.get("Edit") for task in worked.episodes.tasks()] == [None]
    (pattern,), (learning,) = worked.episodes.patterns(), worked.episodes.learnings()
    assert pattern.text == "changed together: "
    assert learning.text.startswith("k")
    assert worked.episodes.session_summary()


def test_pattern_without_a_time_gets_that_of_its_row(worked: memkit.Memkit) -> None:
    """Patterns and learnings get the time of their row, as `check` promises."""
    for table in ("learned_patterns", "session_learnings"):
        shell.run(worked.path, f"update {table} set last_seen = '2026-02-30T10:00:00.000Z'")
    assert worked.episodes.patterns()  # one wrong cell stops nothing
    assert [problem.mended for problem in worked.check(repair=True).problems] == [True, True]
    assert worked.check().is_sound
    assert worked.episodes.patterns()
    assert worked.episodes.learnings()


def test_secrets_that_come_in_otherwise_are_scrubbed(worked: memkit.Memkit) -> None:
    """Scrub and check look at every column of these tables too."""
    token = "ghp_" + "a1B2" * 9
    shell.run(
        worked.path,
        f"update tool_executions set output = 'with {token}'",
        f"update task_history set outcome = 'with {token}'",
    )
    assert any(problem.name == "secrets" for problem in worked.check().problems)
    assert worked.scrub().rows == 2
    worked.close()
    assert token.encode() not in worked.path.read_bytes()

"""What is of this machine alone does not grow for ever."""

from __future__ import annotations

import json

import pytest

from memkit import maintenance
from memkit.errors import InvalidInput
from memkit.store.tables import tables
from tests.store import shell

# Local tables that cannot grow: a row for a memory, a part, a reason; or kept small as written.
BOUNDED = {
    "consolidation_changes",  # go with their run
    "gap_answers",
    "usage",
    "derived_parts",
    "change_counters",
    "local_settings",
    "prediction_weights",
    "mentions",
}


def rows(kit, table):
    """How many rows a table has."""
    return shell.run(kit.path, f"select count(*) from {table}")[0][0]


def test_every_local_table_is_bounded():
    """A table of this machine is trimmed, or it is known why it cannot grow."""
    local = {name for name, table in tables().items() if table.kind == "local"}
    assert local - BOUNDED == maintenance.RETENTION.keys()


def test_what_is_old_or_too_much_goes(kit, clock):
    """Raw rows go by age and number; tasks keep the files and tools that were counted."""
    with kit.session() as session, session.task("old work") as task:
        task.tool("Bash", files=["a.py"])
        task.snapshot([])
        clock.advance(days=200)
        for number in range(5):
            task.tool(f"T{number}", files=[f"{number}.py"])
    assert {table: n for table, n in kit.trim().rows.items() if n} == {
        "tool_executions": 1,
        "file_interactions": 1,
        "context_snapshots": 1,
    }
    done = kit.trim(days=10, max_rows={"tool_executions": 2})
    assert done.rows["tool_executions"] == 3
    assert [call.tool for call in kit.episodes.tool_executions()] == ["T4", "T3"]
    found = kit.episodes.task(task.name)
    assert found.files == ("0.py", "1.py", "2.py", "3.py", "4.py", "a.py")
    assert set(found.tools) == {"Bash", "T0", "T1", "T2", "T3", "T4"}
    with pytest.raises(InvalidInput, match="days: found 0, expected a number above 0"):
        kit.trim(days=0)
    with pytest.raises(InvalidInput, match="max_rows: 'memories' is no table that is trimmed"):
        kit.trim(max_rows={"memories": 3})


def test_limit_of_zero_empties_a_table(kit):
    """A most of 0 empties a table."""
    kit.session("s").tool("Bash", {"command": "ls"})
    kit.episodes.flush()
    assert kit.trim(max_rows={"tool_executions": 0}).rows["tool_executions"] == 1
    assert rows(kit, "tool_executions") == 0


def test_shown_rows_questions_and_changes_are_trimmed(kit, clock):
    """What sessions were shown goes after a month, questions and changes when they are many."""
    kept = kit.memories.remember("the cache is warmed at night")
    for session in ("old", "older"):
        kit.recall("cache", session=session, min_score=0)
        kit.recall(f"where does {session} nest?", session=session, min_score=0.99)
    kit.gaps()
    clock.advance(days=31)
    kit.recall("cache", session="new", min_score=0)
    kit.gaps()
    for number in range(4):
        kit.memories.update(kept, f"the cache is warmed at {number}")
    changes = len(kit.memories.details(kept).audit)
    done = kit.trim(max_rows={"audit": 2, "gaps": 1})
    assert done.rows["surfaced"] == 2
    assert (done.rows["gaps"], rows(kit, "gaps")) == (1, 1)
    assert (done.rows["audit"], len(kit.memories.details(kept).audit)) == (changes - 2, 2)
    assert not kit.recall("cache", session="new", min_score=0)
    assert kit.recall("cache", session="old", min_score=0)


def test_the_end_that_a_memory_was_given_is_kept(kit, clock):
    """What a later change has to know of an earlier one is no waste."""
    old = kit.memories.remember("the fair is open", valid_to="2026-05-01")
    new = kit.memories.remember("the fair is closed", supersedes=old)
    kit.trim(max_rows={"audit": 0})
    kit.memories.forget(new)
    kit.memories.unlink(new, old, "supersedes")
    assert str(kit.memories.get(old).valid_to).startswith("2026-05-01")


def test_closing_removes_old_calls(make_kit, clock):
    """Closing a kit that recorded removes what is too old, without being asked; one that only
    read changes no byte."""
    kit = make_kit()
    kit.session("s").tool("Bash", {"command": "ls"})
    kit.close()
    clock.advance(days=181)
    before = kit.path.read_bytes()
    make_kit().close()
    assert kit.path.read_bytes() == before
    asking = make_kit()
    asking.stats()
    asking.close()
    assert rows(kit, "tool_executions") == 1
    again = make_kit()
    again.session("t").tool("Bash", {"command": "pwd"})
    again.close()
    assert [
        json.loads(row[0]) for row in shell.run(kit.path, "select parameters from tool_executions")
    ] == [{"command": "pwd"}]


def test_closing_trims_several_batches(make_kit, clock, monkeypatch):
    """Closing goes on while there is a full batch to remove, up to a number of rounds."""
    monkeypatch.setattr(maintenance, "BATCH", 2)
    kit = make_kit()
    for number in range(7):
        kit.session("s").tool("Bash", {"command": f"ls {number}"})
    kit.close()
    clock.advance(days=181)
    again = make_kit()
    again.session("t").tool("Bash", {"command": "pwd"})
    again.close()
    assert rows(kit, "tool_executions") == 1


def test_closing_removes_what_is_old_once_a_day(make_kit, clock, monkeypatch):
    """Within a day of the last time nothing is looked for; after it again."""
    times = []
    tidy = maintenance.tidy
    monkeypatch.setattr(maintenance, "tidy", lambda store: (times.append(clock()), tidy(store)))
    for hours in (0, 23, 2, 1):
        clock.advance(days=hours / 24)
        kit = make_kit()
        kit.session("s").tool("Bash", {"command": f"ls {hours}"})
        kit.close()
    assert len(times) == 2
    assert times[1] - times[0] == 25 * 3600


def test_age_of_a_row_counts_from_its_import(make_kit, clock):
    """Age is counted from when a row came into this file."""
    kit = make_kit()
    kit.episodes.record({"event": "tool", "session": "s", "tool": "Bash", "at": "2024-01-01"})
    assert kit.trim().rows["tool_executions"] == 0
    assert rows(kit, "tool_executions") == 1

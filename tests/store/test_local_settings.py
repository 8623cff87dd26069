"""What a machine notes for itself in a file."""

from __future__ import annotations

import pytest

import memkit
from memkit.store.store import local_setting, set_local_setting
from tests.store import shell


def test_what_was_noted_is_read_again(kit: memkit.Memkit) -> None:
    """The last value stands; without one, or with one of another sort, the other one given."""
    store = kit._store
    assert local_setting(store, "tide", 7) == 7
    store.write(lambda: set_local_setting(store, "tide", 8))
    store.write(lambda: set_local_setting(store, "tide", 9))
    assert local_setting(store, "tide", 7) == 9
    assert local_setting(store, "tide", "low") == "low"
    store.write(lambda: set_local_setting(store, "tide", "1" * 5000))
    assert local_setting(store, "tide", 7) == 7


@pytest.mark.parametrize(
    "value",
    [
        "null",
        "[]",
        "{}",
        '{"after": 1}',
        "1e400",
        '{"after": 1e400, "waiting": []}',
        '{"after": 1, "waiting": [5]}',
        "9" * 5000,
    ],
)
def test_invalid_learning_state_is_ignored(make_kit, value: str) -> None:
    """What learning noted is taken for nothing if it cannot be its own."""
    kit = make_kit("state.db")
    with kit.session("s") as session, session.task("mend the kiln") as task:
        task.tool("pytest", {}, success=True)
    kit.close()
    shell.run(kit.path, f"update local_settings set value = '{value}' where name like 'learn%'")
    again = make_kit("state.db")
    with again.session("s") as session, session.task("fire the kiln") as task:
        task.tool("pytest", {}, success=True)
    assert len(again.episodes.tool_executions()) == 2
    again.close()

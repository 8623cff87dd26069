"""Sessions: contexts saved by version, joined between writers, exported as the seed's JSON."""

from __future__ import annotations

import json
from collections.abc import Callable

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit import HistoryEntry, InvalidInput, NotFound, SessionContext, SessionTask
from memkit.context.session_context import ToolTotals, from_json
from memkit.context.sessions import VERSIONS, merged
from memkit.context.spans import read_span

# The example of seed 001.
READABLE = """{
  "session_id": "user:agent:timestamp",
  "system_state": {
    "last_workspace": "/home/user/project",
    "preferences": {}
  },
  "facts": [
    "User prefers verbose output",
    "Project uses Rust 1.75"
  ],
  "recent_history": [
    {
      "timestamp": 1708654321,
      "role": "user",
      "content": "Create a new file",
      "token_count": 5
    },
    {
      "timestamp": 1708654323,
      "role": "tool",
      "content": "{\\"success\\": true}",
      "token_count": 12
    }
  ],
  "long_term_summary": "User requested file creation. Successfully created test.txt.",
  "active_tasks": [
    {
      "id": "task_001",
      "description": "Monitor system resources",
      "status": "Running",
      "progress": 0.5,
      "created_at": 1708654000,
      "updated_at": 1708654321
    }
  ],
  "tool_stats": {
    "total_calls": 42,
    "by_tool": {
      "file_write": 15,
      "file_read": 20,
      "echo": 7
    },
    "failures": 2
  },
  "last_known_environment": {
    "workspace": "/home/user/project",
    "last_update": 1708654321,
    "system_snapshot": {
      "memory_usage_mb": 8192,
      "disk_usage_percent": 45.2
    }
  },
  "token_usage": {
    "total_input": 15420,
    "total_output": 8930,
    "by_session": 24350
  }
}"""


def test_a_context_survives(kit: memkit.Memkit) -> None:
    """What was saved is loaded by whoever opens the file; a name that nobody saved is new."""
    sessions = kit.context.sessions
    assert sessions.load("s") == SessionContext("s")
    context = (
        SessionContext("s")
        .with_message("user", "Create a new file", timestamp=7)
        .with_fact("Project uses Rust 1.75")
        .with_fact("Project uses Rust 1.75")
        .with_task(SessionTask("t", "Watch", "Running", 0.5, 1, 2))
        .with_tool_call("echo", success=False)
        .with_tokens(read=5, written=8)
    )
    saved = sessions.save(context)
    assert saved == attrs.evolve(context, version=1) == sessions.load("s")
    assert sessions.save(saved) == saved  # nothing changed: no new version
    assert context.facts == ("Project uses Rust 1.75",)
    assert context.tool_stats == ToolTotals(1, {"echo": 1}, 1)
    assert context.token_usage.by_session == 13
    assert context.recent_history[0].token_count == 4
    assert [(row.session, row.version) for row in sessions.list()] == [("s", 1)]


def test_what_could_not_be_read_again_is_not_saved(kit: memkit.Memkit) -> None:
    """A message without a time of its own would have made its session unreadable."""
    sessions = kit.context.sessions
    for wrong in ("noon", None, float("nan"), True):
        context = sessions.load("s").with_message("user", "hi", timestamp=wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match=r"recent_history\[0\]\.timestamp: found"):
            sessions.save(context)
    assert sessions.save(sessions.load("s").with_message("user", "hi", timestamp=1)).version == 1
    assert len(sessions.load("s").recent_history) == 1


def test_asking_whether_a_session_is_too_long_makes_none(kit: memkit.Memkit) -> None:
    """A name that nobody saved stays unknown."""
    assert not kit.context.sessions.compact("nobody").compacted
    assert kit.context.sessions.list() == ()
    with pytest.raises(NotFound):
        kit.context.sessions.export("nobody")


def test_json_has_the_shape_of_the_seed(kit: memkit.Memkit) -> None:
    """To the byte, there and back; what is not understood is refused by its name."""
    sessions = kit.context.sessions
    assert sessions.import_(READABLE).version == 1
    assert sessions.export("user:agent:timestamp") == READABLE
    assert sessions.import_(READABLE).version == 1
    for wrong, named in (
        ('{"facts": []}', "session_id"),
        ('{"session_id": "s", "fact": []}', "no field 'fact'"),
        ('{"session_id": "s", "token_usage": {"total_input": "x"}}', "token_usage.total_input"),
        (
            '{"session_id": "s", "recent_history": [{"role": "user"}]}',
            r"recent_history\[0\]: lacks",
        ),
        ('{"session_id": "s", "facts": [1]}', "facts"),
        ("[", "no JSON"),
    ):
        with pytest.raises(InvalidInput, match=named):
            from_json(wrong)
    with pytest.raises(NotFound, match="session list"):
        sessions.export("nobody")


def test_versions_are_bounded_and_restored(kit: memkit.Memkit) -> None:
    """The newest twenty; an older one becomes the newest."""
    sessions, context = kit.context.sessions, SessionContext("s")
    for number in range(VERSIONS + 5):
        context = sessions.save(context.with_fact(f"fact {number}"))
    versions = sessions.versions("s")
    assert [row.version for row in versions] == list(range(VERSIONS + 5, 5, -1))
    restored = sessions.restore("s", 10)
    assert (restored.version, len(restored.facts)) == (VERSIONS + 6, 10)
    assert sessions.load("s") == restored
    with pytest.raises(NotFound, match="no version 2"):
        sessions.restore("s", 2)


def test_two_writers_lose_nothing(make_kit: Callable[..., memkit.Memkit]) -> None:
    """Who saves last joins what the other did since both loaded, a compaction too."""
    first, second = make_kit().context.sessions, make_kit().context.sessions
    base = SessionContext("s").with_fact("old").with_message("user", "begin", timestamp=0)
    for number in range(1, 60):
        base = base.with_message("user", f"Fix part_{number}.", timestamp=number)
    base = first.save(base)
    ours = base.with_message("user", "from one", timestamp=70).with_tool_call("a")
    theirs = base.with_message("user", "from two", timestamp=71).with_fact("new")
    theirs = second.save(second.compact(theirs.with_tool_call("b")).context)
    joined = first.save(attrs.evolve(ours, facts=()))
    assert joined.facts == ("new",)
    assert len(joined.recent_history) == 31
    assert [e.content for e in joined.recent_history[-2:]] == ["from one", "from two"]
    assert joined.long_term_summary == theirs.long_term_summary
    assert joined.tool_stats == ToolTotals(2, {"b": 1, "a": 1}, 0)
    assert (joined.version, second.load("s")) == (3, joined)
    late = first.save(first.compact(base, force=True, keep=2).context)  # both have compacted
    assert "part_57" in late.long_term_summary
    assert "part_1" in late.long_term_summary


def test_a_recorded_session_has_a_context(kit: memkit.Memkit, clock: Callable[[], float]) -> None:
    """Prompts, calls, tasks and numbers of one that was recorded and never saved."""
    with kit.session("s") as session, session.task("Fix the login", name="t") as task:
        task.tool("Bash", {"command": "pytest"}, error="KeyError: 'user'", success=False)
        task.tool("Read", {"path": "a.py"}, output="text", context_tokens=900)
        task.finish("fixed")
    context = kit.context.sessions.load("s")
    roles = [entry.role for entry in context.recent_history]
    assert sorted(roles) == ["assistant", "tool", "tool", "user"]
    assert "KeyError: 'user'" in "\n".join(entry.content for entry in context.recent_history)
    assert context.tool_stats == ToolTotals(2, {"Bash": 1, "Read": 1}, 1)
    assert [(task.id, task.status) for task in context.active_tasks] == [("t", "Completed")]
    assert context.token_usage.total_input == 900
    assert json.loads(kit.context.sessions.export("s"))["session_id"] == "s"


def test_what_is_deleted_is_gone(kit: memkit.Memkit) -> None:
    """All versions and what was taken out; of another session nothing."""
    sessions = kit.context.sessions
    entries = [HistoryEntry(n, "user", f"Point {n}.", 5) for n in range(60)]
    for name in ("s", "other"):
        sessions.save(SessionContext(name, recent_history=entries))
    gone, stays = sessions.compact("s"), sessions.compact("other")
    sessions.delete("s")
    assert [row.session for row in sessions.list()] == ["other"]
    assert gone.handle is not None
    assert stays.handle is not None
    with pytest.raises(NotFound, match="handle"):
        read_span(kit._store, gone.handle)
    assert read_span(kit._store, str(stays.handle)).tokens == 150
    with pytest.raises(NotFound):
        sessions.delete("s")
    with pytest.raises(InvalidInput, match="handle"):
        read_span(kit._store, "span")


def test_secrets_are_not_saved(kit: memkit.Memkit) -> None:
    """In no field."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    context = SessionContext("s", long_term_summary=f"token {secret}")
    context = context.with_message("user", secret, timestamp=1).with_fact(f"key {secret}")
    saved = kit.context.sessions.save(context)
    assert secret not in kit.context.sessions.export("s")
    assert saved == kit.context.sessions.load("s")


_ITEMS = st.lists(st.integers(0, 9), max_size=6, unique=True)


@given(_ITEMS, _ITEMS, _ITEMS)
def test_joining_keeps_every_change(base: list[int], theirs: list[int], ours: list[int]) -> None:
    """What either added is there once, what either took out is not, the rest stays."""

    def context(numbers: list[int]) -> SessionContext:
        entries = [HistoryEntry(n, "user", str(n)) for n in numbers]
        return SessionContext("s", facts=map(str, numbers), recent_history=entries)

    expected = (
        (set(base) | set(theirs) | set(ours)) - (set(base) - set(theirs)) - (set(base) - set(ours))
    )
    joined = merged(context(base), context(theirs), context(ours))
    assert sorted(joined.facts) == sorted(map(str, expected))
    assert [entry.timestamp for entry in joined.recent_history] == sorted(expected)

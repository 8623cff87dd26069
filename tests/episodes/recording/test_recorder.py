"""What an agent does is recorded as it happens, and nothing that goes wrong reaches the agent."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import memkit
from memkit.episodes.recording import session as session_
from memkit.episodes.recording import writer
from memkit.episodes.recording.event import Event, EventKind, ToolCall, WritePolicy
from memkit.episodes.recording.payloads import content_hash
from memkit.episodes.records import FileOperation, Intent, RecordStatus, TaskStatus
from memkit.errors import NotFound
from memkit.redaction import redactor
from tests.conftest import Clock
from tests.store import shell
from tests.store.shell import rows

Open = Callable[..., memkit.Memkit]


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits long for a busy file here."""
    monkeypatch.setattr(writer, "PAUSE", 0.0)
    monkeypatch.setattr(session_, "AT_THE_END", 0.05)


# -- sessions and tasks


def test_a_task_is_recorded_with_what_was_done(kit: memkit.Memkit) -> None:
    """Calls and files stand in their tables at once; files and tools are counted by the store."""
    with kit.session("s", agent="tester") as session, session.task("Fix the login") as task:
        done = task.tool("Bash", {"command": "pytest"}, success=True, duration_ms=12.6)
        task.file("src/login.py", "edit", line_range=(3, 9), reason="the check", changes="UTC")
        task.file("src/login.py", FileOperation.READ)
        assert done.status is RecordStatus.STORED
        assert [row["id"] for row in rows(kit, "tool_executions")] == [done.id]
        task.finish("logins work")
    found = kit.episodes.task(task.name)
    assert (found.status, found.outcome) == (TaskStatus.COMPLETED, "logins work")
    assert (found.files, found.tools) == (("src/login.py",), {"Bash": 1})
    assert found.intent is Intent.PROJECT_FIXING
    (stored,) = rows(kit, "task_history")
    assert (stored["files_touched"], stored["tools_used"]) == ('["src/login.py"]', '{"Bash":1}')
    edit = kit.episodes.file_history("src/login.py").recent[-1]
    assert (edit.lines, edit.context, edit.changes) == ((3, 9), "the check", "UTC")
    assert rows(kit, "sessions")[0]["ended_at"] is not None


def test_an_exception_marks_the_task_failed(kit: memkit.Memkit) -> None:
    """The exception goes on, and the task keeps its message."""
    with pytest.raises(RuntimeError), kit.session() as session, session.task("Break"):
        raise RuntimeError("it broke")
    (task,) = kit.episodes.tasks()
    assert (task.status, task.error) == (TaskStatus.FAILED, "RuntimeError: it broke")


def test_a_task_is_paused_and_resumed(kit: memkit.Memkit, clock: Clock) -> None:
    """A paused task stays paused when its block is left, and the next session goes on with it."""
    with kit.session("one") as session, session.task("Long work") as task:
        task.pause("half way")
    (left,) = kit.episodes.unfinished_tasks()
    assert (left.status, left.outcome, left.paused_at) == (
        TaskStatus.PAUSED,
        "half way",
        "2026-03-01T10:00:00.000Z",
    )
    clock.advance(hours=1)
    with kit.session("two") as session:
        assert [one.name for one in session.unfinished] == [task.name]
        with session.resume(left) as again:
            assert kit.episodes.task(task.name).status is TaskStatus.ACTIVE
            again.finish("done")
    assert kit.episodes.unfinished_tasks() == []


def test_a_session_that_died_leaves_its_task_to_the_next(make_kit: Open) -> None:
    """Without a word of its end a task stays active, and is found, with what it had done."""
    dying = make_kit()
    task = dying.session("first").task("Half done")
    task.tool("Bash", {"command": "make"}, success=True)
    del task
    kit = make_kit()
    with kit.session("second") as session:
        (left,) = session.unfinished
        assert (left.description, left.status) == ("Half done", TaskStatus.ACTIVE)
        assert left.tools == {"Bash": 1}


def test_a_task_inside_a_task_is_a_part_of_it(kit: memkit.Memkit) -> None:
    """By its block or by its call; the one after it is not."""
    with kit.session() as session, session.task("whole") as whole:
        with session.task("part") as part:
            assert part.task("part of the part").name
        other = whole.task("other part")
        other.finish()
    parents = {t.description: t.parent for t in kit.episodes.tasks()}
    assert parents == {
        "whole": None,
        "part": whole.name,
        "part of the part": part.name,
        "other part": whole.name,
    }


def test_the_same_session_goes_on(kit: memkit.Memkit) -> None:
    """Opened again by its name a session has one row, and is not ended."""
    kit.session("s").close("first half")
    again = kit.session("s")
    assert again.started.status is RecordStatus.STORED
    (row,) = rows(kit, "sessions")
    assert (row["ended_at"], row["summary"]) == (None, "first half")


def test_a_session_that_ends_without_a_word_is_summed_up(kit: memkit.Memkit) -> None:
    """Its tasks and what they came to; what was said itself is never replaced."""
    with kit.session("s") as session:
        session.task("Fix the login").finish("works")
        session.task("Port to Windows").pause()
    assert kit.episodes.sessions()[0].summary == (
        "completed: Fix the login – works\npaused: Port to Windows"
    )
    kit.session("s").close("said")
    with kit.session("s"):
        pass
    assert kit.episodes.sessions()[0].summary == "said"


def test_branch_and_commit_come_from_git(kit: memkit.Memkit) -> None:
    """They are read from .git, in a worktree too, and are left open where there is none."""
    assert kit.session("none").branch is None
    git = kit.path.parent / ".git"
    (git / "refs/heads").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/fix/login\n")
    (git / "refs/heads/fix").mkdir()
    (git / "refs/heads/fix/login").write_text("a" * 40 + "\n")
    with kit.session("some") as session:
        session.task("t").finish()
    (task,) = kit.episodes.tasks(session="some")
    assert (task.branch, task.commit) == ("fix/login", "a" * 40)
    (git / "HEAD").write_text("b" * 40 + "\n")
    assert kit.session("detached").commit == "b" * 40


def test_a_session_can_write_in_batches(kit: memkit.Memkit) -> None:
    """With a batch events wait for each other, and a question or the end writes them."""
    with kit.session(batch=10) as session, session.task("much") as task:
        statuses = [task.tool("Read", {"file_path": f"{n}.py"}).status for n in range(12)]
        assert statuses.count(RecordStatus.PENDING) > 8
        assert len(rows(kit, "tool_executions")) < 12
        assert len(kit.episodes.tool_executions(limit=50)) == 12
        # A snapshot was written at once, and all that waited with it.
        assert task.snapshot([]).status is RecordStatus.PENDING


def test_call_with_a_known_id_is_recorded_once(kit: memkit.Memkit) -> None:
    """A call with a name of its own is known the second time, in its session only."""
    with kit.session("a") as a, kit.session("b") as b:
        first = a.tool("Bash", call_id="c1")
        assert a.tool("Bash", call_id="c1").status is RecordStatus.KNOWN
        assert a.tool("Bash", call_id="c1").id == first.id
        assert b.tool("Bash", call_id="c1").status is RecordStatus.STORED


def test_snapshots_keep_numbers_and_no_text(kit: memkit.Memkit) -> None:
    """Ids, types, tokens and relevance of items, what was pruned, and why."""
    items = [{"id": "m1", "type": "tool_result", "tokens": 40, "relevance": 0.3, "text": "secret"}]
    with kit.session("s") as session, session.task("t") as task:
        assert task.snapshot(items, pruned=items, reason="pruning").status is RecordStatus.STORED
        assert task.snapshot(items, reason="whim").status is RecordStatus.DROPPED
    (row,) = rows(kit, "context_snapshots")
    wanted = '[{"id":"m1","type":"tool_result","tokens":40,"relevance":0.3}]'
    assert (row["context_items"], row["pruned_items"], row["total_tokens"]) == (wanted, wanted, 40)


# -- events as dictionaries


def test_events_are_dictionaries(kit: memkit.Memkit) -> None:
    """A tool event of an unknown session makes the session; tasks follow one another."""
    record = kit.episodes.record
    record({"event": "task", "session": "h", "task": "t1", "description": "first prompt"})
    done = record(
        {
            "event": "tool", "session": "h", "tool": "Edit", "parameters": {"file_path": "a.py"},
            "files": [{"path": "a.py", "operation": "edit"}, "b.py"],
        }
    )  # fmt: skip
    assert done.status is RecordStatus.STORED
    record({"event": "task", "session": "h", "task": "t2", "description": "second prompt"})
    record({"event": "finish", "session": "h", "outcome": "well"})
    first, second = kit.episodes.task("t1"), kit.episodes.task("t2")
    assert (first.status, first.files, first.tools) == (
        TaskStatus.COMPLETED,
        ("a.py", "b.py"),
        {"Edit": 1},
    )
    assert (second.status, second.outcome) == (TaskStatus.COMPLETED, "well")
    record({"event": "end", "session": "h", "summary": "two prompts"})
    assert kit.episodes.sessions()[0].summary == "two prompts"


def test_an_agent_set_the_switches_of_memkit_itself(kit: memkit.Memkit) -> None:
    """How an event is taken is not read out of it: a plain end completes no task, nothing waits
    because the agent says so, and what is recorded comes from no import."""
    made: list[object] = []
    switches = {
        "ends_others": True,
        "finds_task": False,
        "finds_ended": True,
        "at_once": False,
        "opens": {"session_id": "other"},
        "made": made,
        "source": "codex",
        "how": {"ends_others": True},
    }
    record = kit.episodes.record
    for event in (
        {"event": "task", "description": "mend the pump", "task": "t"},
        {"event": "tool", "tool": "Bash", "parameters": {"command": "ls"}},
        {"event": "end"},
    ):
        assert record({**switches, **event, "session": "s"}).status is RecordStatus.STORED
    assert made == []
    (session,), (task,), (call,) = (
        kit.episodes.sessions(),
        kit.episodes.tasks(),
        kit.episodes.tool_executions(),
    )
    assert (session.name, session.source, task.source) == ("s", "agent", "agent")
    assert (task.status, call.task) == (TaskStatus.ACTIVE, "t")


def test_names_of_hooks_and_columns_are_understood(kit: memkit.Memkit) -> None:
    """What the event is, is told from its keys, by whichever names they are given."""
    record = kit.episodes.record
    record(
        {
            "tool_name": "Bash", "session_id": "h", "tool_input": {"command": "ls"},
            "tool_response": "a\nb", "timestamp": 1772359200000, "tool_use_id": "c",
        }
    )  # fmt: skip
    record({"file_path": "a.py", "operation": "read", "session_id": "h"})
    (call,) = kit.episodes.tool_executions()
    assert (call.tool, call.session, call.output, call.call_id) == ("Bash", "h", "a\nb", "c")
    assert call.timestamp == "2026-03-01T10:00:00.000Z"
    assert kit.episodes.file_history("a.py").reads == 1


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"event": "tool"},
        {"event": "nonsense"},
        {"event": "file", "path": ""},
        {"event": "file", "path": "a", "operation": "sing"},
        {"event": "finish", "session": "s"},
        {"event": "fail", "session": "s", "task": "none"},
        {"event": "tool", "tool": "x", "at": "blursday"},
        {"event": "tool", "tool": "x", "files": 7},
        {"event": "snapshot", "items": 3, "reason": object()},
        {"event": "record"},
        {7: 8},
    ],
)
def test_no_event_raises(kit: memkit.Memkit, event: dict[str, Any]) -> None:
    """An event that means nothing is dropped with a reason, which the statistics show."""
    done = kit.episodes.record(event)
    assert done.status is RecordStatus.DROPPED
    assert done.reason
    assert kit.episodes.stats().dropped[done.reason] == 1


def test_success_given_as_text_is_parsed_or_refused(kit: memkit.Memkit) -> None:
    """Numbers and truths in texts are read, and what says neither is refused, not guessed."""
    for number, said in enumerate(
        ({"success": "false"}, {"success": 0}, {"exit_code": "2"}, {"success": "true"}, {})
    ):
        kit.episodes.record({"event": "tool", "tool": f"t{number}", "duration_ms": "12", **said})
        kit.episodes.record({"event": "file", "path": f"f{number}.py", "operation": "edit", **said})
    calls = {call.tool: call for call in kit.episodes.tool_executions()}
    assert [calls[f"t{number}"].success for number in range(5)] == [False] * 3 + [True] * 2
    assert calls["t2"].exit_code == 2
    assert {call.duration_ms for call in calls.values()} == {12}
    edits = [kit.episodes.file_history(f"f{number}.py").events[0].success for number in (0, 1, 3)]
    assert edits == [False, False, True]
    for said, reason in (
        ({"success": "no"}, "success: found 'no', expected true or false; give one"),
        ({"exit_code": "x"}, "exit_code: found 'x', expected a whole number; give one"),
        ({"tool": None}, "tool: is not given, expected a name; give one"),
    ):
        done = kit.episodes.record({"event": "tool", "tool": "t", **said})
        assert (done.status, done.reason) == (RecordStatus.DROPPED, reason)


def test_an_event_that_is_no_dictionary_is_dropped(kit: memkit.Memkit) -> None:
    """Whatever a hook passes on, nothing is raised."""
    assert kit.episodes.record(None).status is RecordStatus.DROPPED  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["message", "response", "assistant", "thinking"])
def test_what_a_model_said_is_not_recorded(kit: memkit.Memkit, kind: str) -> None:
    """Raw responses are refused, and nothing of them is in the file."""
    done = kit.episodes.record({"event": kind, "session": "s", "text": "chain of quokkas"})
    assert done.status is RecordStatus.DROPPED
    kit.close()
    assert b"quokkas" not in kit.path.read_bytes()


def test_many_events_are_few_transactions(kit: memkit.Memkit) -> None:
    """Events given together are written together, in their order."""
    events = [{"session": "s", "tool": f"T{n}"} for n in range(40)]
    before = kit._store.state()
    done = kit.episodes.record_many(events)
    assert kit._store.state()[1] == before[1] + 1
    assert len(done) == 40
    assert [call.tool for call in reversed(kit.episodes.tool_executions(limit=50))] == [
        f"T{n}" for n in range(40)
    ]


# -- a file that is busy, gone, replaced, read-only


def test_a_busy_file_defers_and_loses_nothing(kit: memkit.Memkit) -> None:
    """While another process writes, events wait in memory; the next one writes them all."""
    session = kit.session("s")
    other = apsw.Connection(str(kit.path))
    other.execute("begin immediate")
    waiting = session.tool("Bash", {"command": "one"})
    assert waiting.status is RecordStatus.PENDING
    assert "another process" in str(waiting.reason)
    assert session.task("t").begun.status is RecordStatus.PENDING
    assert kit.episodes.stats().waiting == 2
    other.execute("rollback")
    other.close()
    assert session.tool("Bash", {"command": "two"}).status is RecordStatus.STORED
    assert [c.parameters["command"] for c in kit.episodes.tool_executions()] == ["two", "one"]
    assert kit.episodes.stats().waiting == 0


def test_closing_beside_a_busy_file_ends_and_tells(make_kit: Open) -> None:
    """What cannot be written in time is counted as lost, with the reason, and warned of."""
    kit = make_kit(busy_timeout=0.05)
    session = kit.session("s")
    other = apsw.Connection(str(kit.path))
    other.execute("begin exclusive")
    session.tool("Bash")
    episodes = kit.episodes
    with pytest.warns(RuntimeWarning, match="events that are lost: 1; .*another process"):
        episodes._close()
    other.execute("rollback")
    other.close()
    ((reason, count),) = episodes.stats().dropped.items()
    assert "another process" in reason
    assert count == 1


def test_closing_waits_for_a_busy_file_until_the_store_timeout(
    make_kit: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Events wait for a busy file at the end as long as every other writer of the store does, and
    are stored once it is free."""
    kit = make_kit()
    session = kit.session("s")
    other = apsw.Connection(str(kit.path))
    other.execute("begin immediate")
    assert session.tool("Bash").status is RecordStatus.PENDING
    freed: list[bool] = []
    write = kit._store.write

    def waits(work: Callable[[], object], **options: Any) -> object:
        if not freed:
            other.execute("rollback")
            freed.append(True)
        return write(work, **options)

    monkeypatch.setattr(kit._store, "write", waits)
    kit.close()
    other.close()
    assert freed
    assert [call.tool for call in make_kit().episodes.tool_executions()] == ["Bash"]


@pytest.mark.parametrize("early", [True, False])
def test_event_after_closing_is_refused(make_kit: Open, early: bool) -> None:
    """A closed store takes no event: it says so, stores nothing and stays closed."""
    kit = make_kit()
    if early:
        kit.episodes.record({"tool": "before", "session": "s"})
    kit.close()
    done = kit.episodes.record({"tool": "after", "session": "s"})
    assert (done.status, "the store is closed; open it again" in str(done.reason)) == (
        RecordStatus.DROPPED,
        True,
    )
    assert kit.episodes._recording._buffer._store is None
    assert [call.tool for call in make_kit().episodes.tool_executions()] == ["before"] * early


@pytest.mark.parametrize("event", [None, "tool", 5, [("event", "tool")]])
def test_event_that_is_no_dictionary_is_refused_with_a_reason(
    kit: memkit.Memkit, event: Any
) -> None:
    """What is no dictionary is dropped with a reason that says what to give."""
    done = kit.episodes.record(event)
    assert done.status is RecordStatus.DROPPED
    assert done.reason == f"event: found {type(event).__name__}, expected a dictionary; give one"


def test_the_buffer_is_bounded(kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its size new events are dropped and counted, not the process filled."""
    monkeypatch.setattr(writer, "MAX_WAITING", 3)
    session = kit.session("s")
    other = apsw.Connection(str(kit.path))
    other.execute("begin exclusive")
    statuses = [session.tool("Bash").status for _ in range(5)]
    other.execute("rollback")
    other.close()
    assert statuses == [RecordStatus.PENDING] * 3 + [RecordStatus.DROPPED] * 2
    kit.episodes.flush()
    assert len(kit.episodes.tool_executions()) == 3


def test_a_replaced_file_gets_what_was_recorded(make_kit: Open) -> None:
    """After a checkout the session, its task and its events stand in the file that lies there."""
    other = make_kit("other.db")
    other.memories.remember("of the other branch")
    other.close()
    kit = make_kit()
    with kit.session("s") as session, session.task("across branches") as task:
        task.tool("Bash", {"command": "before"}, files=["a.py"])
        other.path.replace(kit.path)
        assert task.tool("Bash", {"command": "after"}).status is RecordStatus.STORED
        task.finish()
    assert [c.parameters["command"] for c in kit.episodes.tool_executions()] == ["after", "before"]
    (found,) = kit.episodes.tasks()
    assert (found.status, found.files) == (TaskStatus.COMPLETED, ("a.py",))
    assert kit.memories.find()[0].text == "of the other branch"


def test_a_read_only_store_records_nothing_and_says_so(make_kit: Open) -> None:
    """A session works without effect."""
    make_kit().close()
    kit = make_kit(readonly=True)
    with kit.session() as session, session.task("t") as task:
        done = task.tool("Bash")
    assert (done.status, "read-only" in str(done.reason)) == (RecordStatus.DROPPED, True)


@pytest.mark.parametrize("odd", [{"parameters": "no json"}, {"duration_ms": 1 << 70}])
def test_one_event_that_cannot_be_written_held_up_all_others(
    kit: memkit.Memkit, odd: dict[str, Any]
) -> None:
    """A row that the schema, or SQLite itself, refuses is dropped; those around it are stored."""
    episodes = kit.episodes
    recorder = episodes._recording._recorder
    calls = [ToolCall(f"T{n}", duration_ms=n) for n in range(3)]
    kept = [
        recorder.record(Event(EventKind.TOOL_CALL, "s", tool=call), WritePolicy(at_once=False))
        for call in calls
    ]
    assert {one.status for one in kept} == {RecordStatus.PENDING}
    episodes._recording._buffer._waiting[1].row.update(odd)
    episodes.flush()
    assert [call.tool for call in reversed(episodes.tool_executions())] == ["T0", "T2"]
    assert sum(episodes.stats().dropped.values()) == 1
    shell.run(kit.path, "delete from tool_executions")  # of a session without a row


# -- what is kept


def test_secrets_are_replaced_everywhere(kit: memkit.Memkit) -> None:
    """No field takes a token into the file."""
    token = "ghp_" + "a1B2" * 9
    with kit.session("s", agent=token) as session, session.task(f"use {token}") as task:
        done = task.tool(
            "Bash", {"command": f"curl -H {token}", "env": {"TOKEN": token}}, output=f"{token} ok",
            error=f"bad {token}", result={"header": token}, call_id=token,
        )  # fmt: skip
        task.file(f"src/{token}.py", "edit", context=token, changes=token)
        assert task.snapshot([{"id": token, "type": token}]).redacted == ("secret",)
        task.fail(token)
        assert done.redacted
    session.close(f"with {token}")
    kit.close()
    assert token.encode() not in kit.path.read_bytes()


def test_private_files_lend_only_their_name(kit: memkit.Memkit) -> None:
    """Of .env and of what git ignores neither content nor changes nor outputs are kept."""
    root = kit.path.parent
    (root / ".git").mkdir()
    (root / ".gitignore").write_text("/out/\n")
    with kit.session("s") as session:
        session.tool("Read", {"file_path": ".env"}, output="PLAIN=quokka", success=False)
        session.tool("Bash", {"command": "cat config/.env.local"}, output="PLAIN=quokka")
        session.tool("Edit", {"file_path": "out/a.js", "new_string": "quokka"}, output="quokka")
        session.file(".env", "edit", changes="quokka", context="quokka", content_hash="quokka")
        session.file("out/a.js", "edit", changes="quokka")
    assert kit.episodes.file_history(".env").changes == 1
    kit.close()
    assert b"quokka" not in kit.path.read_bytes()


def test_contents_of_files_are_not_kept(kit: memkit.Memkit) -> None:
    """What is written into a file or read from it leaves only its size and hash."""
    body = "def quokka():\n    return 1\n" * 20
    patch = f"*** Begin Patch\n*** Update File: a.py\n+{body}\n*** End Patch"
    with kit.session("s") as session:
        session.tool("Write", {"file_path": "a.py", "content": body})
        session.tool("Read", {"file_path": "a.py"}, output=body)
        session.tool("Bash", {"command": f"cat > b.py <<'EOF'\n{body}\nEOF"})
        session.tool("Bash", {"command": "cat a.py"}, output=body)
        session.tool(
            "shell",
            {
                "command": [
                    "bash",
                    "-lc",
                    f"apply_patch '{patch}'",
                ]
            },
        )
    calls = kit.episodes.tool_executions()
    assert {call.original_bytes for call in calls} == {None, len(body)}
    assert "*** Update File: a.py" in str(calls[0].parameters)
    kit.close()
    assert b"return 1" not in kit.path.read_bytes()


def test_a_file_is_hashed_as_it_is_at_the_moment(kit: memkit.Memkit) -> None:
    """What is read, written or edited now, unless it is private, missing, large or said to be
    older."""
    root = kit.path.parent
    for name in ("a.py", ".env"):
        (root / name).write_text("one")
    (root / "big.bin").write_bytes(b"x" * 1_000_001)
    with kit.session("s") as session:
        session.file("a.py", "read")
        (root / "a.py").write_text("two")
        session.tool("Edit", files=[{"path": str(root / "a.py"), "operation": "edit"}])
        session.file("a.py", "search")
        session.file("a.py", "read", at="2026-01-01")
        session.file("a.py", "read", content_hash="given")
        for name in (".env", "big.bin", "none.py", "/etc/hosts"):
            session.file(name, "read")
    found = [row["content_hash"] for row in rows(kit, "file_interactions")]
    one, two = (content_hash(text) for text in ("one", "two"))
    assert found == [one, two, None, None, "given", None, None, None, None]


def test_paths_are_relative_with_forward_slashes(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Absolute, Windows' and dotted forms are one path; outside the root only the name is kept,
    and what tells folders apart."""
    with kit.session("s") as session:
        for path in (tmp_path / "src/a.py", "src\\a.py", "./src/../src/a.py", "src/a.py"):
            session.file(str(path))
        session.file("/etc/passwd")
        session.file("../beside/b.py")
        session.file("C:\\Users\\me\\c.py")
    found = {re.sub(r":[0-9a-f]{6}/", ":", file.path) for file in kit.episodes.hot_files()}
    assert found == {"src/a.py", "outside:passwd", "outside:b.py", "outside:c.py"}
    assert kit.episodes.file_history(str(tmp_path / "src/a.py")).reads == 4


def test_what_memkit_rendered_is_not_recorded_again(kit: memkit.Memkit) -> None:
    """A block between memkit's marks is left out of all texts, quoted, indented or cut off."""
    block = f"{redactor.OPEN} v=1>\nquokka lore\nmore quokkas\n{redactor.CLOSE}\n"
    quoted = "".join(f"> {line}\n" for line in block.splitlines())
    cut = block[: block.index(redactor.CLOSE)] + "\n\n"
    with kit.session("s") as session:
        for text in (block, quoted, "  " + block.replace("\n", "\n  "), cut):
            session.task(f"{text}user: continue").finish(text + "came to an end")
            session.tool("Bash", {"command": f"echo {text}"}, output=text + "out", error=text)
    assert {task.description for task in kit.episodes.tasks()} == {"user: continue"}
    kit.close()
    raw = kit.path.read_bytes()
    assert b"quokka" not in raw
    assert b"memkit-context" not in raw


def test_times_of_any_form_are_one_form(kit: memkit.Memkit) -> None:
    """ISO with Z, an offset or neither, seconds and milliseconds; what is no time is refused."""
    forms: list[Any] = [
        "2026-03-01 10:00:00", "2026-03-01T10:00:00Z", "2026-03-01T19:00:00+09:00",
        1772359200, 1772359200000,
    ]  # fmt: skip
    with kit.session("s") as session:
        for form in [*forms, None]:
            session.tool("Bash", at=form)
        assert session.tool("Bash", at="not a date").status is RecordStatus.DROPPED
    times = {call.timestamp for call in kit.episodes.tool_executions()}
    assert times == {"2026-03-01T10:00:00.000Z"}


# -- purge


def test_a_purged_session_leaves_no_byte(kit: memkit.Memkit) -> None:
    """Its tasks, calls, files and snapshots go with it; another session stays."""
    for name, word in (("gone", "quokka"), ("stays", "wombat")):
        with kit.session(name) as session, session.task(word) as task:
            task.tool("Bash", {"command": word}, output=word, files=[f"{word}.py"])
            task.snapshot([{"id": word}])
    assert kit.episodes.purge(session="gone") == 5
    with pytest.raises(NotFound):
        kit.episodes.purge(task="gone")
    assert len(kit.episodes.tasks()) == 1
    kit.close()
    raw = kit.path.read_bytes()
    assert b"quokka" not in raw
    assert b"wombat" in raw


def test_a_purged_task_takes_its_parts_along(kit: memkit.Memkit) -> None:
    """The session stays."""
    with kit.session("s") as session, session.task("whole") as whole, session.task("part") as part:
        part.tool("Bash")
    assert kit.episodes.purge(task=whole.name) == 3
    assert len(kit.episodes.sessions()) == 1
    with pytest.raises(memkit.InvalidInput):
        kit.episodes.purge()


def test_second_task_of_a_name_is_reported(kit: memkit.Memkit) -> None:
    """It is said which task is there already; the same one again is no other task."""
    with kit.session("s") as session:
        session.task("paint the fence", name="fence").finish("green")
        again = session.task("paint the fence", name="fence")
        other = session.task("mend the fence", name="fence")
    assert (again.begun.status, again.begun.reason) == (RecordStatus.KNOWN, "it was there already")
    assert "a task named fence is there already ('paint the fence')" in str(other.begun.reason)

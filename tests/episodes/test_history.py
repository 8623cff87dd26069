"""The questions about what was done, each against the events themselves."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memkit
from memkit.encoder import HashedEncoder
from memkit.episodes.records import CHANGING, FileOperation, TaskStatus
from memkit.errors import InvalidInput, NotFound
from memkit.store import timestamps
from tests.conftest import Clock
from tests.store import shell

from .repository import Repository

Open = Callable[..., memkit.Memkit]
FAULT = "Traceback (most recent call last):\n  File 'x', line {}\nKeyError: 'user'"


def fix_story(kit: memkit.Memkit, clock: Clock, *, name: str = "s") -> None:
    """A failure, an edit that does not help, one that does."""
    with kit.session(name) as session, session.task("Fix the login") as task:
        for output, edit in (
            (FAULT.format(3), "guess"),
            (FAULT.format(9), "compare in UTC"),
            ("1 passed", ""),
        ):
            clock.advance(10)
            task.tool("Bash", {"command": "pytest -q"}, output=output, duration_ms=100)
            if edit:
                clock.advance(10)
                task.tool(
                    "Edit",
                    {"file_path": "src/login.py"},
                    files=[{"path": "src/login.py", "operation": "edit", "changes": edit}],
                )
        task.finish("logins work across midnight")


def test_worked_on_counts_interactions_of_a_file(kit: memkit.Memkit, clock: Clock) -> None:
    """Counts and the newest interactions; a file that nobody touched is falsy."""
    fix_story(kit, clock)
    worked = kit.episodes.file_history("src/login.py")
    assert (worked.reads, worked.changes, worked.last_at) == (0, 2, "2026-03-01T10:00:40.000Z")
    assert [one.changes for one in worked.recent] == ["compare in UTC", "guess"]
    assert worked
    assert not kit.episodes.file_history("src/other.py")
    assert kit.episodes._reader.paths_like("login.py") == ["src/login.py"]


def test_fix_is_found_in_a_later_session(kit: memkit.Memkit, clock: Clock) -> None:
    """What failed in one session and passed in a later one is fixed by the changes in between; a
    pass in another project, or of another command, is none."""

    def run(session: str, command: str, output: str, **options: Any) -> None:
        clock.advance(10)
        with kit.session(session) as own:
            own.tool("Bash", {"command": command}, output=output)
            for path in options.get("edits", ()):
                clock.advance(1)
                own.file(path, "edit")

    run("one", "cd src && pytest -q", FAULT.format(3), edits=["src/a.py"])
    run("two", "pytest -q --lf", "1 passed", edits=["src/b.py"])
    (open_,) = kit.episodes.find_errors()
    assert open_.fixes == ()
    assert kit.episodes.session_summary().open_errors == (open_,)
    run("three", "pytest -q", "1 passed")
    (seen,) = kit.episodes.find_errors(FAULT.format(3))
    (fix,) = seen.fixes
    assert (fix.failed.session, fix.passed.session) == ("one", "three")
    assert [edit.path for edit in fix.edits] == ["src/a.py", "src/b.py"]
    assert kit.episodes.session_summary().open_errors == ()
    found = kit.episodes.predict(memkit.Signal("error", FAULT.format(3)))
    assert set(found.files) >= {"src/a.py", "src/b.py"}


def test_what_fixed_an_error(kit: memkit.Memkit, clock: Clock) -> None:
    """The same fault with other line numbers is found, with the edits before the pass."""
    fix_story(kit, clock)
    (seen,) = kit.episodes.find_errors(FAULT.format(77))
    assert (seen.count, seen.message) == (2, "KeyError: 'user'")
    assert [[edit.changes for edit in fix.edits] for fix in seen.fixes] == [
        ["compare in UTC"],
        ["guess", "compare in UTC"],
    ]
    assert seen.fixes[0].passed.output == "1 passed"
    assert kit.episodes.find_errors("login KeyError") == []
    assert len(kit.episodes.find_errors("KeyError user")) == 1
    assert len(kit.episodes.find_errors()) == 1
    with pytest.raises(InvalidInput, match="error: is empty"):
        kit.episodes.find_errors(" ")


def test_failed_attempts_are_edits_after_which_the_test_failed(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """The edit after which the test still failed, by file and by error; failed tasks; no other."""
    fix_story(kit, clock)
    (attempt,) = kit.episodes.failed_attempts("src/login.py")
    assert [edit.changes for edit in attempt.edits] == ["guess"]
    assert attempt.reason == "KeyError: 'user'"
    (same,) = kit.episodes.failed_attempts(error=FAULT.format(1))
    assert same.check == attempt.check
    with kit.session("t") as session:
        task = session.task("Rewrite the login")
        task.file("src/login.py", "write")
        task.fail("ran out of time")
    reasons = [one.reason for one in kit.episodes.failed_attempts("src/login.py")]
    assert reasons[0] == "task failed: ran out of time"
    assert kit.episodes.failed_attempts("src/other.py") == []
    with pytest.raises(InvalidInput, match="one of the two"):
        kit.episodes.failed_attempts()


def test_check_tries_the_changes_of_its_own_task(kit: memkit.Memkit) -> None:
    """A check tries the changes of its own task; one that changed nothing tries what was left."""
    with kit.session("s") as session:
        with session.task("rinse the buffer") as task:
            task.file("rinse.py", "edit")
            task.tool("bash", {"command": "make check"}, success=True)
            task.file("notes.py", "edit", reason="says so")
            task.finish("done")
        with session.task("spin the drum") as task:
            task.file("spin.py", "edit")
            task.tool("bash", {"command": "make check"}, success=False, error="ValueError: wet")
            task.fail("still wet")
        session.file("door.py", "edit")
        with session.task("see whether all is well") as task:
            task.tool("bash", {"command": "make check"}, success=False, error="ValueError: ajar")
    ask = kit.episodes.failed_attempts
    assert ask("rinse.py") == ask("notes.py") == []
    assert len({attempt.task for attempt in ask("spin.py")}) == 1
    assert [attempt.path for attempt in ask(error="ValueError: wet")] == ["spin.py"]
    assert [attempt.reason for attempt in ask("door.py")] == ["ValueError: ajar"]


@pytest.mark.parametrize(
    ("before", "again"),
    [
        ("ValueError: no tide", "FAILED tests/t.py::test_ebb - ValueError: no tide"),
        ("FAILED a_test.py::test_x[a - b] - ValueError: dry", "ValueError: dry"),
        ("ERROR tests/test_sea.py - ImportError: no 'ebb'", "ImportError: no 'flow'"),
        ("OSError: No such file: '/tmp/k/low.txt'", "OSError: No such file: 'b.md'"),
        ("OSError: cannot read low.toml", "OSError: cannot read high.yaml"),
        ("harbour.errors.BadFlag: unknown flag --deep", "BadFlag: unknown flag --wide"),
        ('error: "Moon" is unfit  [call]', 'x.py:3: error: "Sun" is unfit  [call]'),
        ("ValueError: {'low': 1, 'high': 2}", "FAILED t.py::u - ValueError: {'low': 1, 'hi..."),
    ],
)  # fmt: skip
def test_fault_is_recognised_with_other_values(kit: memkit.Memkit, before: str, again: str) -> None:
    """A fault is recognised in pytest's list of failures, and with another value, path or
    option."""
    with kit.session("s") as session, session.task("t") as task:
        task.tool("bash", {"command": "make check"}, success=False, error=before)
        task.file("sea.py", "edit")
        task.tool("bash", {"command": "make check"}, success=True)
    (seen,) = kit.episodes.find_errors(again)
    assert [edit.path for edit in seen.fixes[0].edits] == ["sea.py"]
    signal = memkit.Signal("error", again)
    assert "sea.py" in [found.name for found in kit.episodes.predict(signal).predictions]


def test_faults_that_only_look_alike_are_not_taken_for_each_other(kit: memkit.Memkit) -> None:
    """The same fault comes before one like it; another kind, or other words, is another fault."""
    with kit.session("s") as session:
        for name in ("ebb", "flow"):
            session.tool("bash", {"command": "make"}, success=False, error=f"KeyError: '{name}'")
    ask = kit.episodes.find_errors
    assert [seen.signature for seen in ask("KeyError: 'flow'")] == ["KeyError: 'flow'"]
    assert len(ask("KeyError: 'moon'")) == 2
    assert ask("IndexError: 'flow'") == ask("KeyError: 'moon' of nothing") == ask("'x'") == []


def test_bare_file_name_means_the_only_file_of_that_name(kit: memkit.Memkit) -> None:
    """It means the one file of that name; that of the root first, and none of several."""
    with kit.session("s") as session:
        session.file("sea/tide.py", "edit")
        session.file("sea/moon.py", "edit")
        session.file("sky/moon.py", "edit")
    ask = kit.episodes
    assert [event.path for event in ask.file_history("tide.py").events] == ["sea/tide.py"]
    assert ask.file_history("tide.py").path == "sea/tide.py"
    assert ask.file_history("moon.py").events == ask.file_history("air/tide.py").events == ()
    assert sorted(ask._reader.paths_like("moon.py")) == ["sea/moon.py", "sky/moon.py"]
    kit.session("s").file("tide.py", "read")
    assert [event.path for event in ask.file_history("tide.py").events] == ["tide.py"]


def test_file_known_to_git_alone_is_found_by_name(kit: memkit.Memkit) -> None:
    """Files that only git knows are found by name too."""
    shell.run(kit.path, "insert into commit_names values (1, 'sea/tide.py', '')")
    assert kit.episodes._reader.paths_like("tide.py") == ["sea/tide.py"]


def test_reasons_show_words_as_they_were_typed(kit: memkit.Memkit) -> None:
    """Words that two tasks share are told as they were asked for."""
    with kit.session("s") as session, session.task("cache the stale replies") as task:
        task.finish("caches are kept apart")
    (found,) = kit.episodes.find_similar_tasks("stale caches after replies")
    words = found.reasons[0].removeprefix("words: ").split()
    assert set(words) <= {"stale", "caches", "after", "replies"}


def test_a_look_tells_nothing_of_a_change(kit: memkit.Memkit) -> None:
    """A failed grep after an edit is no failed attempt; a refused edit is one."""
    with kit.session() as session, session.task("t") as task:
        task.file("a.py", "edit")
        task.tool("Bash", {"command": "grep -n x a.py"}, success=False)
        assert kit.episodes.failed_attempts("a.py") == []
        refused = {"path": "a.py", "operation": "edit"}
        task.tool("Edit", {}, output="<tool_use_error>String not found", files=[refused])
    assert [a.reason for a in kit.episodes.failed_attempts("a.py")] == [
        "<tool_use_error>String not found"
    ]


def test_reverted_commits_are_failed_attempts_in_the_history(kit: memkit.Memkit) -> None:
    """What git took back counts, and commits stand in the history of a file."""
    shell.run(
        kit.path,
        "insert into commit_names values (1, 'a.py', '')",
        "insert into commits (id, hash, committed_at, subject, kind, reverts) values "
        "(1, 'aaa', '2026-02-01T10:00:00.000Z', 'try threads', 'change', null), "
        "(2, 'bbb', '2026-02-02T10:00:00.000Z', 'Revert \"try threads\"', 'revert', 'aaa')",
        "insert into commit_files (commit_id, name_id, operation) values "
        "(1, 1, 'edit'), (2, 1, 'edit')",
    )
    (attempt,) = kit.episodes.failed_attempts("a.py")
    assert (attempt.task, attempt.reason) == (
        "commit:aaa",
        "try threads: taken back by commit bbb",
    )
    assert [e.name for e in kit.episodes.file_history("a.py").events] == [
        "commit:bbb",
        "commit:aaa",
    ]
    assert kit.episodes.file_history("a.py").commits == 2
    (found,) = kit.episodes.find_similar_tasks("trying threads", limit=1)
    assert (found.name, found.files) == ("commit:aaa", ("a.py",))


def test_a_timeline_follows_renames(kit: memkit.Memkit, clock: Clock) -> None:
    """What was done under a former name is told too."""
    with kit.session() as session:
        session.file("old.py", "edit", changes="before")
        clock.advance(5)
        session.file("new.py", "rename", previous_path="old.py")
        clock.advance(5)
        session.file("new.py", "read", reason="to see")
    told = [(e.path, e.what, e.text) for e in kit.episodes.file_history("new.py").events]
    assert told == [
        ("new.py", "read", "to see"),
        ("new.py", "rename", ""),
        ("old.py", "edit", "before"),
    ]
    former = [(e.path, e.what) for e in kit.episodes.file_history("old.py").events]
    assert former == [("new.py", "rename"), ("old.py", "edit")], "its end was not told"


def test_what_goes_with_a_file(kit: memkit.Memkit, clock: Clock) -> None:
    """Changes within five minutes of each other in one task, counted by task."""
    for number in range(3):
        with kit.session() as session, session.task(f"t{number}") as task:
            task.file("a.py", "edit")
            clock.advance(200)
            task.file("b.py", "edit")
            task.file("b.py", "edit")
            task.file("c.py", "read")
            clock.advance(200)
            task.file("d.py", "edit", success=False)
            task.file("e.py", "edit")
        clock.advance(10)
    ask = kit.episodes.co_edits
    assert [(pair.other, pair.count) for pair in ask("a.py")] == [("b.py", 3)]
    assert [(p.path, p.other) for p in ask()] == [("b.py", "e.py"), ("a.py", "b.py")]
    assert ask("a.py", min_count=4) == []
    assert [pair.count for pair in ask("a.py", since="10 minutes")] == [1]
    assert {pair.other for pair in ask("a.py", within=1000)} == {"b.py", "e.py"}


def test_last_actions_match_paths_reasons_and_changes(kit: memkit.Memkit, clock: Clock) -> None:
    """Paths, reasons and changes are looked through, and signs mean themselves."""
    with kit.session() as session:
        session.file("src/auth/token.py", "edit")
        clock.advance(1)
        session.file("src/a_b.py", "edit", changes="authenticate first")
        session.file("src/acb.py", "edit")
    ask = kit.episodes.find_file_interactions
    assert [i.path for i in ask("AUTH")] == ["src/a_b.py", "src/auth/token.py"]
    assert [i.path for i in ask("a_b")] == ["src/a_b.py"]
    assert ask("%") == []
    with pytest.raises(InvalidInput, match="text: is empty"):
        ask(" ")


def test_tools_over_a_period(kit: memkit.Memkit, clock: Clock) -> None:
    """Success rate and mean duration since a time or a phrase; nonsense is refused."""
    session = kit.session()
    session.tool("Bash", success=False, duration_ms=1000)
    clock.advance(days=10)
    session.tool("Bash", success=True, duration_ms=100)
    session.tool("Bash", success=False)
    session.tool("Read", success=True)
    ask = kit.episodes.tool_stats
    bash, read = ask(since="last week")
    assert attrs.astuple(bash) == ("Bash", 2, 1, 0.5, 100.0)
    assert (read.tool, read.mean_ms) == ("Read", None)
    assert ask()[0].calls == 3
    assert [s.tool for s in ask(since="7 days", tool="Read")] == ["Read"]
    assert ask(until="8 days")[0].calls == 1
    for phrase in ("past 7 days", "last seven days", "7d", "2026-03-05"):
        assert ask(since=phrase)[0].calls == 2
    for question in (
        ask,
        kit.episodes.tool_executions,
        kit.episodes.co_edits,
        kit.episodes.hot_files,
    ):
        with pytest.raises(InvalidInput, match="'last week'"):
            question(since="blursday")


def test_calls_are_found_by_their_words(kit: memkit.Memkit) -> None:
    """The error at the end of a long output is found, whatever stood between."""
    session = kit.session("s")
    log = "all is well in this line of the log\n" * 5000
    session.tool("Bash", {"command": "serve"}, output=log + "FATAL: port 5544 in use")
    build = "gcc -c x.c\n" * 900 + "undefined reference to `foo_init'\n" + "gcc -c x.c\n" * 40
    session.tool("Bash", {"command": "make"}, output=build, exit_code=2)
    (call,) = kit.episodes.tool_executions("fatal PORT")
    assert call.parameters == {"command": "serve"}
    (failed,) = kit.episodes.tool_executions("undefined reference foo_init", success=False)
    assert (failed.exit_code, failed.original_bytes) == (2, len(build))
    assert "left out" in str(failed.output)
    assert kit.episodes.tool_executions("port 5545") == []
    assert len(kit.episodes.tool_executions(session="s", tool="Bash", task=None)) == 2


def test_tasks_by_state(kit: memkit.Memkit) -> None:
    """By status and session; unknown ones are refused."""
    with kit.session("s") as session, session.task("done") as task:
        task.finish()
    assert [t.description for t in kit.episodes.tasks(status="completed", session="s")] == ["done"]
    assert kit.episodes.tasks(status=TaskStatus.FAILED) == []
    with pytest.raises(InvalidInput, match="active, paused"):
        kit.episodes.tasks(status="asleep")
    with pytest.raises(InvalidInput, match="limit"):
        kit.episodes.tasks(limit=0)
    with pytest.raises(NotFound, match="no task named"):
        kit.episodes.task("none")


def test_similar_tasks_by_words_and_meaning(kit: memkit.Memkit) -> None:
    """Descriptions and outcomes are compared; what has nothing in common is not told."""
    with kit.session() as session:
        for text, outcome in (
            ("Fix the flaky login test", "the clock was read twice"),
            ("Add a dark theme", "done"),
            ("夜間バッチを直す", "東京のサーバー"),
        ):
            session.task(text).finish(outcome)
    ask = kit.episodes.find_similar_tasks
    (first,) = ask("failing tests of logins")
    assert first.description == "Fix the flaky login test"
    assert first.outcome == "the clock was read twice"
    assert 0 < first.score <= 1
    assert "login" in first.reasons[0]
    assert [t.description for t in ask("clock is read")] == ["Fix the flaky login test"]
    assert [t.description for t in ask("東京")] == ["夜間バッチを直す"]
    assert ask("quokka") == []
    with pytest.raises(InvalidInput):
        ask("  ")


def test_similar_tasks_without_vectors(make_kit: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words alone find what they find with vectors."""
    kit = make_kit()
    kit.session().task("Fix the flaky login test").finish()
    monkeypatch.setattr(kit.episodes._similar, "_encoder", lambda: None)
    (found,) = kit.episodes.find_similar_tasks("login test is flaky")
    assert found.score > 0.5


def test_a_fresh_start_is_told_what_it_should_know(kit: memkit.Memkit, clock: Clock) -> None:
    """Unfinished tasks, what was done, errors that nothing fixed, the files most worked on."""
    fix_story(kit, clock)
    session = kit.session("later")
    session.task("Port to Windows").pause("paths are done")
    session.tool("Bash", {"command": "make"}, success=False, error="make: *** no rule")
    found = kit.episodes.session_summary()
    assert [t.description for t in found.unfinished] == ["Port to Windows"]
    assert [t.outcome for t in found.done] == ["logins work across midnight"]
    assert [e.message for e in found.open_errors] == ["make: *** no rule"]
    assert found.hot_files == (memkit.HotFile("src/login.py", 2),)
    assert found.text.splitlines() == [
        "unfinished (paused since 2026-03-01): Port to Windows",
        "completed 2026-03-01: Fix the login – logins work across midnight",
        "unsolved error, once, last 2026-03-01: make: *** no rule",
        "files most worked on: src/login.py",
    ]


def test_projects_do_not_see_each_other(make_kit: Open, clock: Clock) -> None:
    """Behind its wall each project has its own tasks, calls, files and errors."""
    one, two = make_kit(project="one"), make_kit(project="two")
    fix_story(one, clock, name="s-one")
    ask = two.episodes
    assert ask.tasks() == ask.tool_executions() == ask.tool_stats() == ask.find_errors() == []
    assert ask.failed_attempts("src/login.py") == []
    assert ask.co_edits() == ask.find_file_interactions("login") == ask.hot_files() == []
    assert ask.find_similar_tasks("Fix the login") == ask.sessions() == ask.unfinished_tasks() == []
    assert not ask.file_history("src/login.py")
    assert one.episodes.tasks()


def test_rows_edited_by_hand_are_read_as_far_as_they_go(kit: memkit.Memkit, clock: Clock) -> None:
    """JSON of another shape and a deleted task break no question; check names and mends it."""
    fix_story(kit, clock)
    shell.run(
        kit.path,
        """update tool_executions set parameters = '"odd"', result = '[1]'""",
        """update file_interactions set line_range = '{"start": "x"}'""",
        """update task_history set files_touched = '{"a": 1}', tools_used = '{}'""",
    )
    assert kit.episodes.tool_executions()[0].parameters == {}
    assert kit.episodes.file_history("src/login.py").recent[0].lines is None
    assert kit.episodes.tasks()[0].tools == {"Bash": 3, "Edit": 2}
    shell.run(
        kit.path,
        "delete from task_history",
        "delete from sessions",
        "update tool_executions set timestamp = '2026-03-01 10:00:00' where tool_name = 'Bash'",
    )
    assert kit.episodes.find_errors()
    found = kit.check()
    assert {p.name for p in found.problems} == {"episodes", "times"}
    assert kit.check(repair=True).is_sound
    assert kit.check().is_sound
    assert {c.timestamp for c in kit.episodes.tool_executions(tool="Bash")} == {
        "2026-03-01T10:00:00.000Z"
    }
    assert kit.episodes.sessions()[0].source == "repair"


def test_unreadable_time_of_a_row_is_replaced(kit: memkit.Memkit, clock: Clock) -> None:
    """What cannot be read as a time becomes the one at which the row came, or unknown."""
    fix_story(kit, clock)
    shell.run(
        kit.path,
        "update sessions set started_at = 'not a date', ended_at = '2026-02-30T10:00:00.000Z'",
        "update file_interactions set timestamp = '5'",
        "update sessions set id = 1 << 62",
    )
    kit.episodes.predict(memkit.Signal("file", "src/login.py", session="s"))
    assert [p.mended for p in kit.check(repair=True).problems] == [True, True]
    assert kit.episodes.sessions()[0].started_at == timestamps.from_epoch(clock.now)
    assert kit.episodes.sessions()[0].ended_at is None
    kit.episodes.predict(memkit.Signal("file", "src/login.py", session="s"))


# -- every question against a slow reference, for any events

PATHS = ["a.py", "b.py", "c/d.py"]
TOOLS = ["Bash", "Edit"]
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["s1", "s2"]),
        st.sampled_from(TOOLS),
        st.sampled_from(["make", "pytest", "ls x"]),
        st.booleans(),
        st.lists(
            st.tuples(st.sampled_from(PATHS), st.sampled_from(list(FileOperation))), max_size=2
        ),
        st.sampled_from([0, 1, 299, 300, 301]),
    ),
    max_size=14,
)


@attrs.frozen
class Step:
    """One call as it was reported."""

    session: str
    tool: str
    command: str
    success: bool
    files: tuple[tuple[str, FileOperation], ...]
    at: float


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EVENTS)
def test_answers_equal_a_slow_reference(tmp_path_factory: Any, events: list[Any]) -> None:
    """Whatever was recorded, counts, pairs, fixes and attempts are those of the events."""
    path: Path = tmp_path_factory.mktemp("reference") / ".memkit.db"
    clock = Clock()
    steps = []
    with memkit.open(path, clock=clock, encoder=HashedEncoder(8), global_store=False) as kit:
        for session, tool, command, success, files, pause in events:
            clock.advance(pause)
            steps.append(Step(session, tool, command, success, tuple(files), clock.now))
            kit.episodes.record(
                {
                    "session": session,
                    "tool": tool,
                    "parameters": {"command": command},
                    "success": success,
                    "error": None if success else f"{command} broke",
                    "files": [{"path": p, "operation": o} for p, o in files],
                }
            )
        assert kit.episodes.stats()
        _compare(kit, steps)


def _compare(kit: memkit.Memkit, steps: list[Step]) -> None:
    ask = kit.episodes
    touched = [(step, path, op) for step in steps for path, op in step.files]
    for path in PATHS:
        worked = ask.file_history(path, limit=100)
        own = [op for _, p, op in touched if p == path]
        assert worked.changes == sum(op in CHANGING for op in own)
        assert worked.reads + worked.changes == len(own)
        assert [i.operation for i in reversed(worked.recent)] == own
        assert {p.other: p.count for p in ask.co_edits(path)} == _pairs(touched, path)
        attempts = [_seconds(a.at) for a in ask.failed_attempts(path, limit=100)]
        assert sorted(attempts) == sorted(_attempts(steps, path))
    assert {s.tool: (s.calls, s.successes) for s in ask.tool_stats()} == {
        tool: (len(own), sum(step.success for step in own))
        for tool in TOOLS
        if (own := [step for step in steps if step.tool == tool])
    }
    for command in ("make", "pytest", "ls x"):
        failed = [s for s in steps if s.command == command and not s.success]
        seen = ask.find_errors(f"{command} broke")
        assert sum(one.count for one in seen) == len(failed)
        fixes = [fix for one in seen for fix in one.fixes]
        wanted = [found for step in failed if (found := _fix(steps, step)) is not None]
        assert len(fixes) == min(len(wanted), 5)
        told = Counter((_seconds(f.passed.timestamp), len(f.edits)) for f in fixes)
        assert told <= Counter(wanted)


def _pairs(touched: list[tuple[Step, str, FileOperation]], path: str) -> dict[str, int]:
    found: dict[str, set[str]] = {}
    for (one, p, op), (other, q, oq) in itertools.product(touched, repeat=2):
        near = one.session == other.session and abs(one.at - other.at) <= 300
        done = one.success and other.success and op in CHANGING and oq in CHANGING
        if p == path != q and near and done:
            found.setdefault(q, set()).add(one.session)
    return {q: len(sessions) for q, sessions in found.items()}


def _fix(steps: list[Step], failed: Step) -> tuple[float, int] | None:
    after = steps[next(n for n, step in enumerate(steps) if step is failed) + 1 :]
    # One key: the command, whatever the tool is called. In its own session first, else in any.
    passed = [step for step in after if step.command == failed.command and step.success]
    own = [step for step in passed if step.session == failed.session]
    for step in (own or passed)[:1]:
        between = after[: next(n for n, one in enumerate(after) if one is step)]
        made = [one for one in between if one.success and (not own or one.session == step.session)]
        return step.at, sum(op in CHANGING for one in made for _, op in one.files)
    return None


def _attempts(steps: list[Step], path: str) -> list[float]:
    found = []
    for session in ("s1", "s2"):
        tried: list[str] = []
        for step in (one for one in steps if one.session == session):
            own = [p for p, op in step.files if op in CHANGING]
            if own and not step.success:
                found += [step.at] if path in own else []
            elif own:
                tried += own
            elif not step.command.startswith("ls"):
                found += [step.at] if path in tried and not step.success else []
                tried = []
    return found


def _seconds(stored: str) -> float:
    return datetime.fromisoformat(stored).timestamp()


@pytest.mark.parametrize("asked", ["NFC", "NFD"])
def test_path_with_accents_joined_or_apart_is_one_file(
    kit: memkit.Memkit, tmp_path: Path, asked: Any
) -> None:
    """With its accents joined or apart a path is the same file, whichever is recorded, asked or on
    the disk, in git's log too."""
    apart = unicodedata.normalize("NFD", "src/größe.py")
    Repository(tmp_path).commit("first", {apart: "x = 1\n"})
    kit.episodes.mine()
    with kit.session("s") as session, session.task("t") as task:
        task.file(unicodedata.normalize("NFC", apart), "edit", reason="one")
        task.file(str(tmp_path / apart), "read")
    path = unicodedata.normalize(asked, apart)
    ask = kit.episodes
    assert ask.hot_files() == [memkit.HotFile("src/größe.py", 2)]
    worked = ask.file_history(path)
    assert (worked.changes, worked.reads, worked.commits) == (1, 1, 1)
    assert all(one.content_hash for one in worked.recent)
    assert len(ask.file_history(path).events) == 3
    assert ask.owners(path) == [memkit.FileOwner("Ada", 1.0)]
    assert len(ask.find_file_interactions(path)) == 2
    assert ask._reader.paths_like(path) == ["src/größe.py"]
    kit.session("s").tool("Grep", {"pattern": "x"}, output=f"{path}:3: x")
    mentions = kit._store.all("episodes_predictions.mentions", session="s")
    assert [path for path, *_ in mentions] == ["src/größe.py"]
    assert ask.redundant_call("s", "Read", {"file_path": path}) is not None
    for form in ("NFC", "NFD"):
        kit.session("s").tool("Edit", {"file_path": unicodedata.normalize(form, path)})
    assert len(ask.tool_executions(f"edit {path}")) == 2


def test_ignore_rule_holds_for_either_unicode_form(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A rule of .gitignore holds for a path however its accents are spelt in either."""
    (tmp_path / ".gitignore").write_text(unicodedata.normalize("NFD", "größe.txt\n"), "utf-8")
    kit.session("s").file("größe.txt", "edit", changes="of quokkas")
    assert kit.episodes.file_history("größe.txt").recent[0].changes is None


def test_linked_file_is_predicted_under_its_recorded_name(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """What the code graph has with accents apart is foretold under the name that is recorded."""
    apart = unicodedata.normalize("NFD", "größe.py")
    (tmp_path / apart).write_text("def area(): return 1\n", "utf-8")
    for number in range(2):
        text = f"import größe\ndef use{number}(): return größe.area()\n"
        (tmp_path / f"u{number}.py").write_text(unicodedata.normalize("NFD", text), "utf-8")
    kit.codegraph.index()
    around = kit.episodes._predictor._around
    assert set(around.links("u0.py")) == {"größe.py"}
    assert set(around.links("größe.py")) == {"u0.py", "u1.py"}
    assert [path for path, _ in around.symbols(["größe.py"])] == ["größe.py"]


def test_commits_of_another_project_are_not_shown(
    make_kit: Callable[..., memkit.Memkit],
) -> None:
    """Names of git's log stand behind the wall of the project whose log it is."""
    sea, sky = make_kit("one.db", project="sea"), make_kit("one.db", project="sky")
    shell.run(
        sea.path,
        "insert into commit_names values (1, 'a/tide.py', 'sea'), (2, 'b/tide.py', 'sea'), "
        "(3, 'a/tide.py', 'sky'), (9, 'Ada', 'sea')",
        "insert into commits (id, hash, project, committed_at, subject, author) values "
        "(1, 'aaa', 'sea', '2026-02-01T10:00:00.000Z', 'move the tide', 9)",
        "insert into commit_files values (1, 2, 'rename', 1)",
    )
    assert sea.episodes._reader.paths_like("tide.py") == ["a/tide.py", "b/tide.py"]
    assert sky.episodes._reader.paths_like("tide.py") == ["a/tide.py"]
    assert [owner.name for owner in sea.episodes.owners("b/")] == ["Ada"]
    assert not sky.episodes.owners("b/")
    (event,) = sea.episodes.file_history("a/tide.py").events
    assert (event.what, event.path) == ("rename", "b/tide.py")
    assert not sky.episodes.file_history("b/tide.py").events

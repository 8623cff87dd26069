"""`memkit record`: what hooks of agents pass on, from a shell, without holding the agent up."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

import memkit
from memkit.cli import entry, hook
from memkit.errors import StoreFull
from memkit.store.store import Store
from tests.store import shell
from tests.test_imports import heavy_after

from .conftest import Ran

Record = Callable[..., Ran]

PROMPT = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Fix the login"}
CALL = {
    "hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Edit", "tool_use_id": "e",
    "tool_input": {"file_path": "src/login.py", "old_string": "a", "new_string": "b"},
}  # fmt: skip
STOP = {"hook_event_name": "Stop", "session_id": "s"}


@pytest.fixture
def record(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Record:
    """Record what stdin holds (events, or bytes) into the store of the current folder."""
    memkit.open(folder / ".memkit.db", global_store=False).close()

    def record(*events: dict[str, Any] | bytes, options: tuple[str, ...] = ()) -> Ran:
        parts = [e if isinstance(e, bytes) else json.dumps(e).encode() for e in events]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\n".join(parts))))
        capsys.readouterr()
        code = hook.record_without_click(options)
        assert code is not None
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return record


def test_record_takes_hook_events_from_a_shell(record: Record, folder: Path) -> None:
    """Each hook's event is recorded by a run of its own, silently; together they tell a task."""
    for event in (PROMPT, {**CALL, "hook_event_name": "PreToolUse"}, CALL, CALL, STOP):
        assert record(event) == Ran(0, "", "")
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        (task,) = kit.episodes.tasks()
        assert (task.description, task.status, task.files, task.tools) == (
            "Fix the login", "completed", ("src/login.py",), {"Edit": 1},
        )  # fmt: skip
        (session,) = kit.episodes.sessions()
        assert session.ended_at is not None


def test_end_of_a_turn_removes_old_calls(record: Record, folder: Path) -> None:
    """The end of a turn, for which nobody waits, removes calls that are too old."""
    file = folder / ".memkit.db"
    record(CALL)
    shell.run(file, "update tool_executions set id = 1")
    record({**CALL, "tool_use_id": "f"})
    assert shell.run(file, "select count(*) from tool_executions") == [(2,)]
    assert record(STOP) == Ran(0, "", "")
    assert shell.run(file, "select call_id from tool_executions") == [("f",)]


def test_events_stand_one_a_line_or_over_many_lines(record: Record, folder: Path) -> None:
    """JSON Lines with blank lines and a byte order mark, or one event as people write it."""
    pretty = json.dumps({"event": "file", "session": "p", "path": "a.py"}, indent=2).encode()
    assert record(pretty) == Ran(0, "", "")
    done = record(b"\xef\xbb\xbf", PROMPT, b"", CALL, b"\r", options=("--json",))
    assert [event["status"] for event in json.loads(done.out)["events"]] == ["stored", "stored"]
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        assert kit.episodes.file_history("a.py").reads == 1
        assert kit.episodes.tasks()[0].tools == {"Edit": 1}


def test_events_of_no_concern_are_no_errors(record: Record) -> None:
    """Exit code 0 and silence; the document says why nothing was recorded."""
    event = {"hook_event_name": "Notification", "session_id": "s"}
    assert record(event) == Ran(0, "", "")
    done = record(event, options=("--json",))
    assert json.loads(done.out) == {
        "events": [
            {
                "status": "ignored",
                "reason": "Notification: nothing of it is recorded",
                "id": None,
                "redacted": [],
            }
        ],
        "broken": [],
    }


@pytest.mark.parametrize(
    ("stdin", "said"),
    [
        (b'{"kind": "session"}', "memkit: event: found 'kind' in its place, expected 'event'"),
        (b"{'event': 1}", "memkit: standard input: found \"{'event': 1}\", expected JSON; give"),
        (b"[1]", "memkit: standard input: found an array, expected a JSON object; give one event"),
        (b"null", "memkit: standard input: found 'null', expected a JSON object; give one event"),
        (b"", "memkit: standard input: is empty; give one event, or one a line"),
        (b"{}\n{}", "memkit: 2 of 2 events are lost: event: found no key at all"),
        (b'{"event": "task", "session": "s"}\n{"ev', "memkit: 1 of 2 events are lost: line 2: fou"),
        (b"[" * 100_000, "expected JSON; give one event"),
        (b'{"event": "tool", "tool": "\\ud800", "output": "\\ud800"}\n{', "1 of 2 events are lost"),
    ],
)
def test_what_cannot_be_recorded_is_said_in_one_line(
    record: Record, stdin: bytes, said: str
) -> None:
    """On stderr, with exit code 1: 2 would veto what the agent does."""
    done = record(stdin)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert said in done.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--bogus",), "memkit: record: '--bogus' is unknown; give --db, --wait, --json\n"),
        (("--wait", "long"), "memkit: --wait is 'long'; give seconds from 0 to 600\n"),
        (("--wait", "nan"), "memkit: --wait is 'nan'; give seconds from 0 to 600\n"),
        (("--wait",), "memkit: record: --wait has no value; give one\n"),
        (("--json=1",), "memkit: record: '--json' is unknown; give --db, --wait, --json\n"),
    ],
)
def test_a_mistake_in_a_hook_is_no_veto(
    record: Record, options: tuple[str, ...], said: str
) -> None:
    """Options that mean nothing end with 1, never with 2."""
    assert record(PROMPT, options=options) == Ran(1, "", said)


def test_a_missing_store_is_not_made(record: Record, folder: Path) -> None:
    """A hook runs in every repository: silence, and the reason as a document on request."""
    (folder / ".memkit.db").unlink()
    assert record(PROMPT) == Ran(0, "", "")
    (told,) = record(PROMPT, options=("--json",)).json["events"]
    assert told["status"] == "ignored"
    assert "create it with 'memkit init'" in told["reason"]
    assert not (folder / ".memkit.db").exists()


def test_record_writes_nothing_when_memkit_is_disabled(
    record: Record, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With MEMKIT_DISABLED a hook writes nothing and says nothing; `--json` tells why."""
    monkeypatch.setenv("MEMKIT_DISABLED", "1")
    assert record(PROMPT) == Ran(0, "", "")
    (told,) = json.loads(record(CALL, options=("--json",)).out)["events"]
    assert (told["status"], told["reason"]) == (
        "ignored",
        "memkit is switched off by MEMKIT_DISABLED",
    )
    monkeypatch.delenv("MEMKIT_DISABLED")
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        assert not kit.episodes.sessions()


def test_a_busy_store_is_waited_for_no_longer_than_said(record: Record, folder: Path) -> None:
    """Then the event is passed over in silence, and the document says so; with the lock gone the
    next one is stored."""
    other = apsw.Connection(str(folder / ".memkit.db"))
    other.execute("begin immediate")
    assert record(PROMPT, CALL, options=("--wait=0.05",)) == Ran(0, "", "")
    done = record(PROMPT, CALL, options=("--wait=0.05", "--json"))
    other.execute("rollback")
    other.close()
    assert [event["status"] for event in done.json["events"]] == ["pending", "pending"]
    assert "another process" in done.json["events"][0]["reason"]
    assert record(PROMPT) == Ran(0, "", "")
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        assert len(kit.episodes.tasks()) == 1


def test_an_event_that_the_disk_has_no_room_for_is_lost(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, with exit code 1: nothing waits for room in a process that ends."""

    def refuse(self: Store, work: object) -> object:
        raise StoreFull("no room left to write; free some space")

    with monkeypatch.context() as full:
        full.setattr(Store, "write", refuse)
        assert record(PROMPT) == Ran(1, "", "memkit: no room left to write; free some space\n")
        (event,) = record(PROMPT, options=("--json",)).json["events"]
    assert (event["status"], event["id"]) == ("dropped", None)
    assert record(PROMPT) == Ran(0, "", "")


@pytest.mark.parametrize("lock", ["immediate", "exclusive"])
def test_busy_store_error_names_the_timeout_that_was_set(
    record: Record, folder: Path, lock: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time-out is the one that was given; the transcript has what was not recorded."""
    monkeypatch.setenv("MEMKIT_DEBUG", "1")
    other = apsw.Connection(str(folder / ".memkit.db"))
    other.execute(f"begin {lock}")
    told = {**CALL, "transcript_path": "/tmp/a b.jsonl"}
    done = record(told, options=("--wait=0.25",))
    other.close()
    assert "for longer than the time-out of 0.25 s" in done.err
    assert done.err.endswith("from the transcript: memkit import transcript '/tmp/a b.jsonl'\n")


def test_record_finds_the_store_by_the_folder_of_the_event(
    record: Record, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event says where the agent works; a file that is named is never another one."""
    away = tmp_path / "away"
    away.mkdir()
    (folder / "lib").mkdir()
    monkeypatch.chdir(away)
    event = {**PROMPT, "cwd": str(folder / "lib")}
    assert record(event) == Ran(0, "", "")
    assert record({**event, "cwd": 3}) == Ran(0, "", "")
    assert record(event, options=("--db", "x.db")).code == 1
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        assert len(kit.episodes.tasks()) == 1


def test_the_store_is_named(record: Record, folder: Path, tmp_path: Path) -> None:
    """`--db` and the environment choose the file as with every command."""
    other = tmp_path / "other.db"
    memkit.open(other, global_store=False).close()
    assert record(PROMPT, options=("--db", str(other))) == Ran(0, "", "")
    with memkit.open(other, global_store=False) as kit:
        assert [task.description for task in kit.episodes.tasks()] == ["Fix the login"]


@pytest.mark.parametrize("option", ["--help", "-h", "--global"])
def test_what_needs_click_is_left_to_it(record: Record, option: str) -> None:
    """Help and the store of global memories are not the business of a hook."""
    assert hook.record_without_click([option]) is None


def test_help_names_the_keys_of_events(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`memkit record --help` goes the long way, as every other command does."""
    assert entry.main(["record", "--help"]) == 0
    said = capsys.readouterr().out
    assert "tool, parameters, output, result, success, error, exit_code," in said
    assert entry.main(["--version"]) == 0


def test_a_fault_inside_is_one_line(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong, the agent sees no traceback."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("quokka")

    monkeypatch.setattr(hook, "record_events", broken)
    assert record(PROMPT) == Ran(
        1, "", "memkit: ZeroDivisionError: quokka (a fault in memkit; MEMKIT_DEBUG=1 shows where)\n"
    )


@pytest.mark.parametrize(
    ("payload", "also"),
    [
        pytest.param(CALL, "", id="call"),
        pytest.param({"hook_event_name": "SessionEnd", "session_id": "s"}, "maintenance", id="end"),
    ],
)
def test_recording_from_a_shell_loads_little(
    record: Record, folder: Path, payload: dict[str, object], also: str
) -> None:
    """No heavy package, and nothing of what answers questions: it runs once for every call. The
    end of a session makes the file small besides."""
    code = f"""
import io, sys
sys.stdin = io.TextIOWrapper(io.BytesIO({json.dumps(payload).encode()!r}))
from memkit.cli.entry import main
assert main(["record", "--db", sys.argv[1]]) == 0
parts = {{name.split(".")[1] for name in sys.modules if name.startswith("memkit.")}}
light = "validation cli frozen gc_pause episodes errors redaction store text {also}"
odd = parts - set(light.split())
assert not odd, odd
"""
    assert heavy_after(code, str(folder / ".memkit.db")) == []


def test_standard_input_that_is_closed_is_said(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line instead of a traceback."""
    monkeypatch.setattr(sys, "stdin", None)
    assert hook.record_without_click([]) == 1
    assert capsys.readouterr().err == "memkit: standard input is closed; give events as JSON\n"

"""Transcripts become sessions, tasks, calls and files; again, they add only what is new."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memkit
from memkit.cli.main import main
from memkit.episodes.paths import RepositoryPaths
from memkit.episodes.recording.event import Event, EventKind, ToolCall
from memkit.episodes.records import TaskStatus
from memkit.episodes.transcripts import importer
from memkit.episodes.transcripts.importer import EventImporter
from memkit.errors import InvalidInput, NotFound
from memkit.interchange.importer import Format
from memkit.interchange.notes_importer import ImportReport, TranscriptsTakenIn
from memkit.store.store import Store
from tests.conftest import Clock
from tests.episodes import sessions
from tests.episodes.sessions import CWD, Claude, written
from tests.store.shell import rows

TABLES = ("sessions", "task_history", "tool_executions", "file_interactions")
# What tells only when a row was written.
UNLIKE = {"id", "execution_id", "updated_at"}
# Made up here, of no provider: the form of a token and nothing else.
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def take(kit: memkit.Memkit, path: Path, **options: Any) -> TranscriptsTakenIn:
    """Import a transcript."""
    done = kit.import_(path, **({"format": "transcript"} | options))
    assert isinstance(done, TranscriptsTakenIn)
    return done


# -- what is stored


@pytest.mark.parametrize("name", sessions.ALL)
def test_every_format_fills_the_tables(name: str, kit: memkit.Memkit, tmp_path: Path) -> None:
    """One session, one task with what came of it, each call once, paths below the repository; and a
    second import leaves the file byte for byte as it was."""
    file, make = sessions.ALL[name]
    path = written(tmp_path / "told", file, make())
    done = take(kit, path)
    assert (done.files, done.sessions, done.tasks) == (1, 1, 1)
    assert done.calls == len(rows(kit, "tool_executions")) >= 3
    (session,) = rows(kit, "sessions")
    assert session["source"] == session["agent"] == name.split()[0]
    assert session["ended_at"] is not None
    (task,) = kit.episodes.tasks()
    assert task.status is TaskStatus.COMPLETED
    assert task.description == "The total is wrong, fix it"
    # A search in Codex is a command in a shell, and names the folder it looks through.
    assert task.files == (("src", "src/app.py") if name == "codex" else ("src/app.py",))
    assert task.outcome is not None
    assert task.outcome.startswith("changed src/app.py")
    assert {row["file_path"] for row in rows(kit, "file_interactions")} <= {"src/app.py", "src"}
    before = kit.path.read_bytes()
    again = take(kit, path)
    assert (again.added, again.unchanged) == (0, done.added)
    assert kit.path.read_bytes() == before


def test_calls_are_stored_with_what_came_of_them(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Success, fault, duration, tokens, ids, in the order in which they were made."""
    take(kit, written(tmp_path, "c.jsonl", sessions.claude().text))
    found = rows(kit, "tool_executions")
    assert [row["call_id"] for row in found] == [
        f"c-1-{n}" for n in ("read", "edit", "test", "shell", "again")
    ]
    assert [row["success"] for row in found] == [1, 1, 0, 1, 1]
    assert "AssertionError" in found[2]["error_signature"]
    assert found[0]["duration_ms"] == 1000
    assert found[0]["output"] is None  # the content of a file
    times = [row["timestamp"] for row in found]
    assert times == sorted(times)


def test_finding_nothing_is_no_failure(kit: memkit.Memkit, tmp_path: Path) -> None:
    """rg ends with 1 if nothing matches."""
    take(kit, written(tmp_path, "x.jsonl", sessions.codex()))
    found = [row for row in rows(kit, "tool_executions") if "nothing" in row["parameters"]]
    assert [(row["exit_code"], row["success"]) for row in found] == [(1, 1)]


def test_an_error_and_its_fix_are_found(kit: memkit.Memkit, tmp_path: Path) -> None:
    """The questions of the episodes answer from transcripts as from what was recorded."""
    take(kit, written(tmp_path, "c.jsonl", sessions.claude().text))
    (seen,) = kit.episodes.find_errors("AssertionError: 1 != 2")
    assert [edit.path for fix in seen.fixes for edit in fix.edits] == ["src/app.py"]
    worked = kit.episodes.file_history("src/app.py")
    assert (worked.reads, worked.changes) == (1, 2)


def test_nothing_a_model_said_is_stored(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Neither answers nor thoughts, in no table."""
    talk = sessions.claude()
    thought = {"type": "thinking", "thinking": "unspeakable-thought", "signature": "s"}
    talk.row("assistant", [thought, {"type": "text", "text": "unspeakable-answer"}])
    take(kit, written(tmp_path, "c.jsonl", talk.text))
    assert b"unspeakable" not in kit.path.read_bytes()


def test_secrets_and_private_files_stay_out(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A secret in a prompt, a parameter or an output becomes a marker; .env is not kept at all."""
    talk = Claude()
    talk.prompt(f"deploy with {SECRET}")
    talk.call("a", "Bash", {"command": f"curl -H 'Authorization: Bearer {SECRET}' x"})
    talk.result("a", f"token={SECRET}")
    talk.call("b", "Bash", {"command": "cat .env"})
    talk.result("b", "COLOUR=mauve-and-private")
    talk.call("c", "Read", {"file_path": f"{CWD}/.env"})
    talk.result("c", "COLOUR=mauve-and-private")
    done = take(kit, written(tmp_path, "c.jsonl", talk.text))
    raw = kit.path.read_bytes()
    assert SECRET.encode() not in raw
    assert b"mauve" not in raw
    assert sum(done.redacted.values()) >= 3


def test_huge_outputs_are_bounded(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Size and hash are those of the whole output; the line with the fault is kept."""
    talk = Claude()
    talk.prompt("build")
    talk.call("a", "Bash", {"command": "make"})
    talk.result("a", "gcc\n" * 400_000 + "FATAL: port 5544 in use\n" + "x\n" * 9, is_error=True)
    take(kit, written(tmp_path, "c.jsonl", talk.text))
    (row,) = rows(kit, "tool_executions")
    assert row["original_bytes"] == 1_600_000 + 24 + 18
    assert len(row["output"]) < 3000
    assert "FATAL: port 5544" in row["output"]


def test_paths_are_those_of_the_repository(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Below the folder of the store, or below where the session ran; of others only the name."""
    talk = Claude()
    talk.prompt("look")
    for number, path in enumerate((f"{CWD}/a.py", f"{tmp_path}/b.py", "/etc/c.conf", CWD)):
        talk.call(f"k{number}", "Read", {"file_path": path})
        talk.result(f"k{number}", "x")
    here = Claude("here", cwd=str(tmp_path / "sub"))
    here.prompt("look")
    here.call("k", "Read", {"file_path": str(tmp_path / "sub" / "d.py")})
    here.result("k", "x")
    for other in (talk, here):
        take(kit, written(tmp_path / "told", f"{other.session}.jsonl", other.text))
    found = [row["file_path"] for row in rows(kit, "file_interactions")]
    outside = found.pop(2)
    assert outside.startswith("outside:")
    assert outside.endswith("/c.conf")
    assert found == ["a.py", "b.py", "sub/d.py"]


def test_parameters_of_a_session_elsewhere_named_the_folder_of_its_machine(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """In parameters too paths count from the folder of the store, or from where the session ran;
    what lies outside of both is left as it was asked for."""
    talk = Claude()
    talk.prompt("look")
    given = {
        "file_path": f"{CWD}/a.py",
        "command": f"cat {CWD}/a.py {tmp_path}/b.py {CWD}2/c /etc/c.conf",
    }
    talk.call("k", "Bash", given)
    talk.result("k", "x")
    take(kit, written(tmp_path / "told", "c.jsonl", talk.text))
    (row,) = rows(kit, "tool_executions")
    assert json.loads(row["parameters"]) == {
        "file_path": "a.py",
        "command": f"cat a.py b.py {CWD}2/c /etc/c.conf",
    }


# -- how tasks end


def end_of(kit: memkit.Memkit, tmp_path: Path, talk: Claude) -> list[tuple[str, str | None]]:
    """Status and error of each task after an import, in order."""
    take(kit, written(tmp_path, "c.jsonl", talk.text))
    return [(row["status"], row["error_message"]) for row in rows(kit, "task_history")]


def test_work_that_breaks_off_stays_active(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A session without an end runs still, or was killed."""
    talk = sessions.claude()
    talk.call("late", "Bash", {"command": "pytest"})
    assert end_of(kit, tmp_path, talk) == [("active", None)]
    assert rows(kit, "sessions")[0]["ended_at"] is None
    assert [task.status for task in kit.episodes.unfinished_tasks()] == [TaskStatus.ACTIVE]


def test_an_interrupted_session_is_paused(kit: memkit.Memkit, tmp_path: Path) -> None:
    """If nothing follows; what follows makes the interrupted task a failed one."""
    talk = Claude()
    talk.prompt("first")
    talk.call("a", "Bash", {"command": "make"})
    talk.row("user", "[Request interrupted by user]")
    assert end_of(kit, tmp_path, talk) == [("paused", None)]
    talk.prompt("no, second")
    talk.says("done")
    expected = [("failed", "interrupted by the user"), ("completed", None)]
    assert end_of(kit, tmp_path, talk) == expected


def test_the_next_prompt_completes_the_one_before(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Even if the model had no last word."""
    talk = Claude()
    talk.prompt("first")
    talk.call("a", "Bash", {"command": "make"})
    talk.result("a", "ok")
    talk.prompt("second")
    assert end_of(kit, tmp_path, talk) == [("completed", None), ("active", None)]


def test_a_reply_is_counted_to_the_task_before_it(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Of a transcript as of hooks, and however often it is imported."""
    talk = Claude()
    talk.prompt("fix the parser")
    talk.call("a", "Bash", {"command": "make"})
    talk.result("a", "ok")
    talk.prompt("yes, go on")
    talk.call("b", "Bash", {"command": "make test"})
    talk.result("b", "ok")
    for _ in range(2):
        assert end_of(kit, tmp_path, talk) == [("active", None)]
    (task,) = kit.episodes.tasks()
    assert task.description == "fix the parser"
    assert {call.task for call in kit.episodes.tool_executions()} == {task.name}


def test_a_run_that_was_given_up_failed(kit: memkit.Memkit, tmp_path: Path) -> None:
    """With the reason that the transcript gives."""
    document = sessions.sweagent() | {"info": {"exit_status": "exit_cost"}}
    take(kit, written(tmp_path, "s.traj", document))
    (task,) = kit.episodes.tasks()
    assert (task.status, task.error) == (TaskStatus.FAILED, "exit_cost")


# -- again, grown, killed


def test_a_grown_transcript_adds_only_what_is_new(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Cut after any row and imported at every length, it ends as if it was imported once."""
    talk = sessions.claude()
    talk.prompt("And the tax?")
    talk.call("tax", "Edit", {"file_path": f"{CWD}/src/tax.py"})
    talk.result("tax", "ok")
    talk.says("Done.")
    path = tmp_path / "c.jsonl"
    total: Counter[str] = Counter()
    for count in range(1, len(talk.rows) + 1):
        written(tmp_path, "c.jsonl", sessions.lines(*talk.rows[:count]) + '{"type": "us')
        done = take(kit, path)
        total += Counter(sessions=done.sessions, tasks=done.tasks)
    assert total == {"sessions": 1, "tasks": 2}
    once = Store(tmp_path / "once.db", clock=Clock())
    other = memkit.Memkit(once)
    take(other, path)
    for table in TABLES:
        mine, theirs = (
            [{k: v for k, v in row.items() if k not in UNLIKE} for row in rows(k, table)]
            for k in (kit, other)
        )
        assert mine == theirs, table
    other.close()


def test_a_result_that_came_later_replaces_its_absence(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A call without a result did not succeed; once its result is told, it did, and stands once."""
    talk = Claude()
    talk.prompt("go")
    talk.call("a", "Edit", {"file_path": f"{CWD}/a.py"})
    path = written(tmp_path, "c.jsonl", talk.text)
    take(kit, path)
    assert [row["success"] for row in rows(kit, "tool_executions")] == [0]
    assert take(kit, path).added == 0
    talk.result("a", "ok")
    take(kit, written(tmp_path, "c.jsonl", talk.text))
    assert [row["success"] for row in rows(kit, "tool_executions")] == [1]
    assert [row["success"] for row in rows(kit, "file_interactions")] == [1]


def test_a_resumed_session_does_not_double_its_past(kit: memkit.Memkit, tmp_path: Path) -> None:
    """What is copied into another file stays with the session in which it happened."""
    old = sessions.claude("old")
    new = Claude("new")
    new.rows = [row | {"sessionId": "new"} for row in old.rows]
    new.prompt("And now the tax")
    new.call("tax", "Edit", {"file_path": f"{CWD}/src/tax.py"})
    new.result("tax", "ok")
    new.says("Done.")
    folder = tmp_path / "told"
    written(folder, "1.jsonl", old.text)
    written(folder, "2.jsonl", new.text)
    for _ in range(2):
        take(kit, folder)
    assert [(row["session_id"], row["status"]) for row in rows(kit, "task_history")] == [
        ("old", "completed"),
        ("new", "completed"),
    ]
    by_session = Counter(row["session_id"] for row in rows(kit, "tool_executions"))
    assert by_session == {"old": 5, "new": 1}
    before = kit.path.read_bytes()
    take(kit, folder / "1.jsonl")
    assert kit.path.read_bytes() == before


def test_a_subagent_in_its_own_file_works_for_the_task(kit: memkit.Memkit, tmp_path: Path) -> None:
    """It names the session; the task is the one that was under way then."""
    talk = sessions.claude()
    agent = Claude(talk.session, prefix="agent")
    agent.prompt("look everywhere", isSidechain=True)
    agent.call("sub", "Edit", {"file_path": f"{CWD}/src/sub.py"}, isSidechain=True)
    agent.result("sub", "ok", isSidechain=True)
    for row in agent.rows:
        row["timestamp"] = "2026-02-01T10:00:09.500Z"
    folder = tmp_path / "told"
    written(folder, "c-1.jsonl", talk.text)
    written(folder, "c-1/subagents/agent-1.jsonl", agent.text)
    take(kit, folder)
    (task,) = kit.episodes.tasks()
    assert task.files == ("src/app.py", "src/sub.py")
    assert task.status is TaskStatus.COMPLETED
    assert task.outcome == "changed src/app.py; last command passed: pytest -q"
    before = kit.path.read_bytes()
    take(kit, folder)
    assert kit.path.read_bytes() == before


def test_what_was_recorded_live_is_completed(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A session that hooks recorded gains what they missed; how it ended is left as recorded."""
    talk = sessions.claude()
    uuid = talk.rows[2]["uuid"]
    with kit.session(talk.session) as session, session.task("Fix it", name=uuid) as task:
        task.tool("Read", {"file_path": f"{CWD}/src/app.py"}, call_id="c-1-read")
        task.finish("by hand")
    done = take(kit, written(tmp_path, "c.jsonl", talk.text))
    assert (done.sessions, done.tasks, done.calls) == (0, 0, 4)
    found = kit.episodes.task(uuid)
    assert (found.outcome, found.source, found.tools["Read"]) == ("by hand", "agent", 1)
    assert found.files == ("src/app.py",)


@given(cuts=st.lists(st.integers(0, 16), max_size=4), orders=st.permutations(range(3)))
@settings(max_examples=6)
def test_any_order_of_imports_ends_the_same(
    cuts: list[int], orders: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Whatever parts of whichever transcripts are imported first, the rows are the same."""
    folder = tmp_path_factory.mktemp("orders")
    texts = [sessions.claude("one").text, sessions.codex(), sessions.claude("two").text]
    ends = []
    for name, parts in (("whole.db", []), ("parts.db", cuts)):
        kit = memkit.Memkit(Store(folder / name, clock=Clock()))
        for number in orders if parts else range(3):
            whole = texts[number].splitlines(keepends=True)
            for cut in [*parts, len(whole)]:
                path = written(folder, f"{number}.jsonl", "".join(whole[: max(cut, 4)]))
                os.utime(path, (1, 1))
                take(kit, path)
        ends.append(
            {
                table: sorted(
                    str({k: v for k, v in row.items() if k not in UNLIKE})
                    for row in rows(kit, table)
                )
                for table in TABLES
            }
        )
        kit.close()
    assert ends[0] == ends[1]


def test_an_import_that_was_killed_is_completed_by_the_next(tmp_path: Path, make_kit: Any) -> None:
    """What was written is whole; the rest comes with the next run, and nothing twice."""
    talk = Claude()
    for number in range(40):
        talk.prompt(f"step {number}")
        talk.call(f"k{number}", "Edit", {"file_path": f"{CWD}/f{number}.py"})
        talk.result(f"k{number}", "ok")
    path = written(tmp_path, "c.jsonl", talk.text)
    program = (
        "import os, memkit, sys\n"
        "from memkit.episodes.transcripts import importer\n"
        "importer.BATCH = 10\n"
        "def step(done, total):\n"
        "    if done > total / 2: os._exit(9)\n"
        "kit = memkit.open(sys.argv[1], global_store=False)\n"
        "kit.import_(sys.argv[2], format='transcript', progress=step)\n"
    )
    command = [sys.executable, "-c", program, str(tmp_path / ".memkit.db"), str(path)]
    died = subprocess.run(command, check=False, env={**os.environ, "PYTHONPATH": str(Path.cwd())})
    assert died.returncode == 9
    kit = make_kit()
    half = len(rows(kit, "tool_executions"))
    assert 0 < half < 40
    done = take(kit, path)
    assert done.calls == 40 - half
    assert len(rows(kit, "tool_executions")) == len(rows(kit, "file_interactions")) == 40
    assert {len(task.files) for task in kit.episodes.tasks(limit=100)} == {1}


# -- the ways in


def test_a_folder_takes_every_transcript_in_it(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Of all formats, or of one; what is none is named, links are not followed."""
    folder = tmp_path / "told"
    for name, (file, make) in sessions.ALL.items():
        written(folder / name.replace(" ", "-"), file, make())
    written(folder, "notes.json", "{}")
    (folder / "link.jsonl").symlink_to(folder / "claude-code" / "c.jsonl")
    steps: list[tuple[int, int]] = []
    done = take(kit, folder, progress=lambda at, total: steps.append((at, total)))
    assert (done.files, done.sessions) == (9, 8)
    assert [name for name, _ in done.left_out] == ["notes.json"]
    assert steps == sorted(steps)
    assert steps[-1][0] <= steps[-1][1]
    again = take(kit, folder, format="codex")
    assert (again.files, again.added, len(again.left_out)) == (1, 0, 9)


def test_a_folder_without_transcripts_is_an_error(kit: memkit.Memkit, tmp_path: Path) -> None:
    """It says what was looked for; a missing path says that it is missing."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="holds no transcript among 0 files"):
        take(kit, tmp_path / "empty")
    with pytest.raises(NotFound, match="no such file"):
        take(kit, tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="stdin"), (tmp_path / "x").open("wb+") as stream:
        kit.import_(stream, format="transcript")


def test_a_transcript_is_seen_without_being_told(kit: memkit.Memkit, tmp_path: Path) -> None:
    """`import` knows it from notes, exports and memories of other tools."""
    done = kit.import_(written(tmp_path, "c.jsonl", sessions.claude().text))
    assert isinstance(done, TranscriptsTakenIn)
    graph = '{"type": "entity", "name": "a", "entityType": "t", "observations": ["is one"]}\n'
    other = kit.import_(written(tmp_path, "memory.jsonl", graph))
    assert type(other) is ImportReport
    assert kit.export(tmp_path / "out.jsonl") > 0
    assert type(kit.import_(tmp_path / "out.jsonl")) is ImportReport


def test_formats_have_one_list() -> None:
    """What can be imported names each format that can be read."""
    missing = {"transcript", *importer.TranscriptFormat} - set(Format)
    assert not missing, f"Format in memkit/interchange/importer.py: {missing}"


def test_the_command_line_imports_transcripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`memkit import transcript PATH` says what was added, and what was skipped and why."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path / "told", "c.jsonl", sessions.claude().text + '{"type": "summary"}\n')
    assert main(["import", "transcript", "told"]) == 0
    said = capsys.readouterr().out
    assert "1 transcript: 1 session, 1 task, 5 calls and 3 file interactions added" in said
    assert "1 row type summary" in said
    assert main(["import", "told", "elsewhere"]) == 2
    assert "two sources" in capsys.readouterr().err


# -- in between


def test_long_transcripts_are_written_in_batches(
    kit: memkit.Memkit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The progress is told after each; what another deletes meanwhile is counted, not an error."""
    monkeypatch.setattr(importer, "BATCH", 2)
    talk = sessions.claude()
    steps: list[int] = []

    def step(done: int, total: int) -> None:
        steps.append(done)
        if len(steps) == 4:
            kit.episodes.purge(task=kit.episodes.tasks()[0].name)

    path = written(tmp_path, "c.jsonl", talk.text)
    done = take(kit, path, progress=step)
    assert len(steps) > 5
    assert steps == sorted(steps)
    assert any("there is no task named" in reason for reason in done.skipped)
    kit.check(repair=True)  # what came after the purge names a task that is gone


def test_what_was_purged_stays_away(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A task or a whole session; other tasks come, and with `revive` all."""
    talk = sessions.claude()
    talk.prompt("And the tax?")
    talk.call("tax", "Edit", {"file_path": f"{CWD}/tax.py"})
    talk.result("tax", "ok")
    path = written(tmp_path, "c.jsonl", talk.text)
    take(kit, path)
    kit.episodes.purge(task=kit.episodes.tasks()[0].name)
    again = take(kit, path)
    assert again.added == 0
    assert again.skipped["of a task or session that was purged here"] == 2
    kit.episodes.purge(session=talk.session)
    subagent = Claude(talk.session, prefix="agent")
    subagent.call("sub", "Glob", {}, isSidechain=True)
    assert take(kit, path).added == 0
    assert take(kit, written(tmp_path, "agent.jsonl", subagent.text)).added == 0
    assert take(kit, path, revive=True).added == 8
    assert take(kit, path).unchanged == 8


def test_an_event_without_a_name_is_counted(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Whatever a reader may yield, one event does not end the others."""
    intake = EventImporter(kit._store, RepositoryPaths(tmp_path), project="")
    intake.begin("codex", modified=0)
    intake.take(
        [
            Event(EventKind.SESSION_START, "s"),
            Event(EventKind.PROMPT, task=" ", text="no name"),
            Event(EventKind.PROMPT, task="p", text="a name"),
            Event(EventKind.TOOL_CALL, tool=ToolCall("", call_id="k")),
        ]
    )
    intake.end()
    assert intake.counts["tasks"] == 1
    assert sum(intake.skipped.values()) == 2


def test_a_result_that_tells_nothing_changes_nothing(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A call that failed without a word is stored as if nothing had come back."""
    talk = Claude()
    talk.prompt("go")
    talk.call("a", "Edit", {"file_path": f"{CWD}/a.py"})
    take(kit, written(tmp_path, "c.jsonl", talk.text))
    talk.result("a", "", is_error=True)
    path = written(tmp_path, "c.jsonl", talk.text)
    assert take(kit, path).added == 0
    assert take(kit, path).added == 0

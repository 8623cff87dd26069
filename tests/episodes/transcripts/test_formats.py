"""Each format of transcript is recognised by its content and read into the same events."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit.episodes.recording import tolerant_json, tool_calls
from memkit.episodes.recording.event import Event, EventKind, ToolCall
from memkit.episodes.records import FileOperation, TaskStatus
from memkit.episodes.transcripts import formats
from memkit.episodes.transcripts.formats import TranscriptFormat
from memkit.errors import InvalidInput, NotFound
from tests.episodes import sessions
from tests.episodes.sessions import CWD, Claude, lines, written


def events(path: Path) -> list[Event]:
    """All events of a transcript."""
    with path.open("rb") as file:
        return list(formats.read(path, file).events)


def of_kind(kind: EventKind, path: Path) -> list[Event]:
    """The events of one kind."""
    return [event for event in events(path) if event.kind is kind]


def told(path: Path) -> tuple[list[Event], list[ToolCall]]:
    """Prompts and calls of a transcript."""
    calls = of_kind(EventKind.TOOL_CALL, path)
    return of_kind(EventKind.PROMPT, path), [event.call for event in calls]


def skipped(path: Path) -> list[str]:
    """The reasons of what was skipped."""
    return [str(event.text) for event in of_kind(EventKind.SKIPPED, path)]


def state(event: Event) -> TaskStatus | None:
    """The state of a task that an event tells."""
    return event.status if event.kind is EventKind.TASK_STATE else None


@pytest.mark.parametrize("name", sessions.ALL)
class TestEveryFormat:
    """Holds for the same work in every format."""

    def test_is_recognised_by_its_content(self, name: str, tmp_path: Path) -> None:
        """The name of the file does not matter."""
        path = written(tmp_path, "anything", sessions.ALL[name][1]())
        with path.open("rb") as file:
            assert formats.read(path, file).format == name.split()[0]

    def test_tells_the_prompt_and_nothing_around_it(self, name: str, tmp_path: Path) -> None:
        """One prompt, as the user wrote it."""
        prompts, _ = told(written(tmp_path, "f", sessions.ALL[name][1]()))
        assert [prompt.text for prompt in prompts] == ["The total is wrong, fix it"]

    def test_tells_that_the_file_was_read_and_changed(self, name: str, tmp_path: Path) -> None:
        """The first call reads src/app.py, a later one changes it, and all end where they began."""
        _, calls = told(written(tmp_path, "f", sessions.ALL[name][1]()))
        assert calls[0].files[0].operation is FileOperation.READ
        assert calls[0].files[0].path.endswith("/src/app.py")
        assert calls[1].files[0].operation in (FileOperation.EDIT, FileOperation.WRITE)
        assert {file.path.rpartition("/src/")[2] for call in calls for file in call.files} <= {
            "app.py",
            calls[-1].files[-1].path if calls[-1].files else "app.py",
            f"{CWD}/src",
        }

    def test_every_call_has_its_own_name(self, name: str, tmp_path: Path) -> None:
        """No two calls share one, or one of them would be taken for known."""
        _, calls = told(written(tmp_path, "f", sessions.ALL[name][1]()))
        assert len({call.call_id for call in calls}) == len(calls)

    def test_is_read_the_same_twice(self, name: str, tmp_path: Path) -> None:
        """Names are made from the transcript alone."""
        path = written(tmp_path, "f", sessions.ALL[name][1]())
        assert events(path) == events(path)


# -- Claude Code


def test_claude_rows_follow_their_parents_wherever_they_stand(tmp_path: Path) -> None:
    """A call belongs to the prompt above it in the tree, not to the one above it in the file."""
    talk = Claude()
    first = talk.prompt("first")
    talk.call("a", "Glob", {"pattern": "*"}, parentUuid=first)
    second = talk.prompt("second", parentUuid=first)
    talk.call("b", "Glob", {"pattern": "*"}, parentUuid=first)
    talk.call("c", "Glob", {"pattern": "*"}, parentUuid=second)
    turned = [talk.rows[n] for n in (4, 0, 3, 2, 1)]
    for rows in (talk.rows, turned):
        found = of_kind(EventKind.TOOL_CALL, written(tmp_path, "c.jsonl", lines(*rows)))
        assert {event.call.call_id: event.task for event in found} == {
            "a": first,
            "b": first,
            "c": second,
        }


def test_claude_circles_of_parents_end(tmp_path: Path) -> None:
    """Rows that are each other's ancestors, or their own, are told all the same."""
    talk = Claude()
    talk.call("a", "Glob", {}, parentUuid="c-1-1")
    talk.call("b", "Glob", {}, parentUuid="c-1-0")
    talk.call("c", "Glob", {}, parentUuid="c-1-2")
    _, calls = told(written(tmp_path, "c.jsonl", talk.text))
    assert {call.call_id for call in calls} == {"a", "b", "c"}


def test_claude_results_are_joined_in_any_order(tmp_path: Path) -> None:
    """Results of parallel calls may be turned, come in one row, or never."""
    talk = Claude()
    talk.prompt("go")
    for name in "abc":
        talk.call(name, "Bash", {"command": f"echo {name}"})
    blocks = [{"type": "tool_result", "tool_use_id": n, "content": n.upper()} for n in "ba"]
    talk.row("user", blocks)
    _, calls = told(written(tmp_path, "c.jsonl", talk.text))
    assert {call.call_id: call.output for call in calls} == {"a": "A", "b": "B", "c": None}
    assert [call.call_id for call in calls if not call.has_result] == ["c"]


def test_claude_what_the_program_says_is_no_prompt(tmp_path: Path) -> None:
    """Commands, caveats, summaries, reminders and what a subagent is told begin no task."""
    talk = Claude()
    talk.prompt("<local-command-stdout>ok</local-command-stdout>")
    talk.prompt("<bash-input>ls</bash-input>")
    talk.prompt("This session is being continued from a previous conversation")
    talk.prompt("summary", isCompactSummary=True)
    talk.prompt("<system-reminder>be brief</system-reminder>")
    talk.prompt("search all", isSidechain=True)
    talk.row("user", [{"type": "text", "text": "<ide_opened_file>x</ide_opened_file> do it"}])
    prompts, _ = told(written(tmp_path, "c.jsonl", talk.text))
    assert [prompt.text for prompt in prompts] == ["do it"]


def test_claude_the_calls_of_a_subagent_serve_the_prompt(tmp_path: Path) -> None:
    """A sidechain has a root of its own, but its work belongs to what the user asked for."""
    talk = Claude()
    asked = talk.prompt("go")
    talk.prompt("look everywhere", isSidechain=True, parentUuid=None)
    talk.call("a", "Grep", {"pattern": "x", "path": f"{CWD}/src"}, isSidechain=True)
    (event,) = of_kind(EventKind.TOOL_CALL, written(tmp_path, "c.jsonl", talk.text))
    assert event.task == asked
    assert [(file.path, file.operation) for file in event.call.files] == [
        (f"{CWD}/src", FileOperation.SEARCH)
    ]


def test_claude_unknown_and_damaged_rows_are_counted(tmp_path: Path) -> None:
    """They are skipped with a reason; a last line that is cut off is one of them."""
    talk = sessions.claude()
    text = lines({"type": "summary", "leafUuid": "x"}, {"type": "queue-operation", "uuid": "q"})
    text += "{broken}\n[1, 2]\n\n" + talk.text + '{"type": "user", "mess'
    path = written(tmp_path, "c.jsonl", text)
    reasons = skipped(path)
    assert reasons.count("damaged line") == 2
    assert reasons[-1] == "last line cut off"
    assert {"row type summary", "row type queue-operation"} <= set(reasons)
    assert len(told(path)[1]) == 5


def test_claude_a_row_that_comes_twice_counts_once(tmp_path: Path) -> None:
    """Rows are known by their uuid."""
    talk = sessions.claude()
    prompts, calls = told(written(tmp_path, "c.jsonl", talk.text + talk.text))
    assert (len(prompts), len(calls)) == (1, 5)


def test_claude_structured_results_tell_lines_and_hashes(tmp_path: Path) -> None:
    """A whole file that was read has the hash that an edit of it leaves; a part has its lines."""
    talk = sessions.claude()
    part = {"content": "x", "startLine": 5, "numLines": 3, "totalLines": 90}
    talk.call("part", "Read", {"file_path": f"{CWD}/src/b.py", "offset": 5, "limit": 3})
    talk.result("part", "x", toolUseResult={"type": "text", "file": part})
    talk.call("later", "Read", {"file_path": f"{CWD}/src/app.py"})
    whole = {"content": "total = 1\n", "startLine": 1, "numLines": 1, "totalLines": 1}
    talk.result("later", "x", toolUseResult={"type": "text", "file": whole})
    _, calls = told(written(tmp_path, "c.jsonl", talk.text))
    by_id = {call.call_id: call.files[0] for call in calls if call.files}
    assert by_id["part"].lines == (5, 7)
    assert by_id["c-1-edit"].content_hash == by_id["later"].content_hash != None  # noqa: E711
    assert by_id["c-1-read"].content_hash != by_id["later"].content_hash
    assert by_id["c-1-edit"].changes == "+1 -1 lines"


def test_claude_an_interruption_and_a_refusal_are_told(tmp_path: Path) -> None:
    """The user's stop is an event; a refused call says so."""
    talk = Claude()
    asked = talk.prompt("go")
    talk.call("a", "Bash", {"command": "rm -r x"})
    words = "The user doesn't want to proceed with this tool use."
    talk.result("a", words, is_error=True)
    talk.row("user", [{"type": "text", "text": "[Request interrupted by user for tool use]"}])
    path = written(tmp_path, "c.jsonl", talk.text)
    _, (call,) = told(path)
    assert (call.success, call.error) == (False, "refused by the user")
    assert [e.task for e in events(path) if state(e) is TaskStatus.PAUSED] == [asked]


def test_claude_a_session_that_goes_on_in_another_is_told_apart(tmp_path: Path) -> None:
    """Rows copied from an earlier session keep their session's name."""
    talk = sessions.claude("old")
    rest = Claude("new")
    rest.prompt("and now?", parentUuid=talk.rows[-1]["uuid"])
    found = of_kind(EventKind.SESSION_START, written(tmp_path, "c.jsonl", talk.text + rest.text))
    assert [event.session for event in found] == ["old", "new"]


def test_claude_tokens_are_those_before_the_call(tmp_path: Path) -> None:
    """Fresh ones and those from the cache."""
    talk = Claude()
    talk.call("a", "Glob", {})
    usage = {"input_tokens": 3, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 100}
    talk.rows[-1]["message"]["usage"] = usage
    _, (call,) = told(written(tmp_path, "c.jsonl", talk.text))
    assert call.context_tokens == 123


# -- Codex


def test_codex_tells_each_thing_once(tmp_path: Path) -> None:
    """What event_msg repeats is not counted; tokens come from there."""
    found = events(written(tmp_path, "x.jsonl", sessions.codex()))
    calls = [event.call for event in found if event.kind is EventKind.TOOL_CALL]
    assert len(calls) == 5
    assert [state(event) for event in found if state(event)] == [TaskStatus.COMPLETED]
    assert {call.context_tokens for call in calls} == {1200}
    assert [call.exit_code for call in calls] == [0, 0, 1, 1, 0]
    assert calls[0].duration_ms == 250
    assert calls[0].files[0].lines is None  # it has fewer than the 20 lines that were asked for
    began = next(event for event in found if event.kind is EventKind.SESSION_START)
    assert (began.branch, began.commit, began.cwd) == ("main", "abc123", CWD)


def test_codex_patches_are_edits(tmp_path: Path) -> None:
    """Files of an apply_patch come with how many lines changed."""
    _, calls = told(written(tmp_path, "x.jsonl", sessions.codex()))
    (file,) = calls[1].files
    assert (file.path, file.operation) == (f"{CWD}/src/app.py", FileOperation.EDIT)
    assert file.changes == "+1 -1 lines"


def test_codex_a_turn_that_was_broken_off_is_told(tmp_path: Path) -> None:
    """As an interruption of the last prompt."""
    aborted = {"type": "turn_aborted", "reason": "interrupted"}
    row = {"timestamp": "2026-02-01T10:01:00Z", "type": "event_msg", "payload": aborted}
    found = events(written(tmp_path, "x.jsonl", sessions.codex() + lines(row)))
    assert state(found[-1]) is TaskStatus.PAUSED


# -- SWE-agent, OpenHands, Gemini


def test_sweagent_demonstrations_are_left_out(tmp_path: Path) -> None:
    """What stands before the problem is no work of this session."""
    path = written(tmp_path, "s.traj", sessions.sweagent())
    assert any("demonstration" in reason for reason in skipped(path))
    assert state(events(path)[-1]) is TaskStatus.COMPLETED


def test_sweagent_two_runs_on_one_problem_are_two_sessions(tmp_path: Path) -> None:
    """A session is named by its first step too."""
    one, other = sessions.sweagent(), sessions.sweagent()
    other["trajectory"][0]["response"] = "otherwise"
    names = set()
    for number, document in enumerate((one, other)):
        path = written(tmp_path, f"{number}.traj", document)
        names |= {event.session for event in of_kind(EventKind.SESSION_START, path)}
    assert len(names) == 2


def test_openhands_shows_lines_and_folders(tmp_path: Path) -> None:
    """An open end is the last line that was shown; a view of a folder is a search."""
    document = sessions.openhands_calls()
    _, calls = told(written(tmp_path, "o.json", document))
    assert calls[0].files[0].lines == (1, 1)
    listing = "OBSERVATION:\nHere's the files and directories up to 2 levels deep in /x"
    document["messages"][3]["content"] = listing
    _, calls = told(written(tmp_path, "o.json", document))
    assert calls[0].files[0].operation is FileOperation.SEARCH


def test_openhands_the_verdict_of_the_collection_counts(tmp_path: Path) -> None:
    """`resolved: false` means that the task failed, whatever the agent said."""
    document = sessions.openhands_calls() | {"resolved": False}
    found = events(written(tmp_path, "o.json", document))
    assert state(found[-1]) is TaskStatus.FAILED


def test_gemini_a_cancelled_call_interrupts(tmp_path: Path) -> None:
    """The user stopped it."""
    document = sessions.gemini()
    document["messages"][1]["toolCalls"][0]["status"] = "cancelled"
    found = events(written(tmp_path, "g.json", document))
    assert any(state(event) is TaskStatus.PAUSED for event in found)


# -- what is no transcript


@pytest.mark.parametrize(
    "text",
    [
        "", "# Notes\n", "[]", "{}", "42", '{"messages": []}', '{"type": "entity", "name": "x"}\n',
        '[{"a": 1}]', '{"messages": 3}', '{"trajectory": [1]}', "\0\0\0", '{"a": ' * 5000,
    ],
)  # fmt: skip
def test_other_files_are_refused(text: str, tmp_path: Path) -> None:
    """With the file and what is known in the message."""
    path = written(tmp_path, "notes.jsonl", text)
    assert not formats.is_transcript(path)
    with path.open("rb") as file, pytest.raises(InvalidInput, match=r"notes.jsonl: is .*known are"):
        formats.read(path, file)


def test_a_file_of_another_format_is_refused(tmp_path: Path) -> None:
    """If a format was asked for."""
    path = written(tmp_path, "c.jsonl", sessions.claude().text)
    with path.open("rb") as file, pytest.raises(InvalidInput, match="claude-code, expected one of"):
        formats.read(path, file, TranscriptFormat.CODEX)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    """So is one that cannot be opened."""
    with pytest.raises(NotFound, match="no such file"):
        formats.opened(tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="cannot be read"):
        formats.opened(tmp_path)


def test_a_document_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would have to be held whole."""
    monkeypatch.setattr(formats, "MAX_DOCUMENT", 100)
    path = written(tmp_path, "g.json", sessions.gemini())
    with path.open("rb") as file, pytest.raises(InvalidInput, match="split it"):
        formats.read(path, file)


def test_giant_lines_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line beyond the limit is skipped without being held; what follows is read."""
    monkeypatch.setattr(tolerant_json, "MAX_LINE", 2000)
    talk = sessions.claude()
    giant = lines({"type": "user", "uuid": "g", "message": {"content": "x" * 9000}})
    path = written(tmp_path, "c.jsonl", giant + talk.text + giant.rstrip("\n"))
    assert sum(reason.startswith("line of more than") for reason in skipped(path)) == 2
    assert len(told(path)[1]) == 5


def test_memory_stays_bounded_by_what_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that wait for a parent and calls that wait for a result are held up to a limit."""
    from memkit.episodes.transcripts import claude_code

    monkeypatch.setattr(claude_code, "_WAITING", 10)
    monkeypatch.setattr(claude_code, "_OPEN", 10)
    talk = Claude()
    for number in range(60):
        talk.call(f"k{number}", "Glob", {}, parentUuid=f"nowhere-{number % 7}")
    for number in range(60, 120):
        talk.result(f"k{number}", "late", parentUuid=f"nowhere-{number}")
    path = written(tmp_path, "c.jsonl", talk.text)
    assert len(told(path)[1]) == 60
    assert skipped(path).count("result of a call that is not there") == 60


@pytest.mark.parametrize(
    ("command", "output", "lines"),
    [
        ("sed -n '1,200p' a.py", "x = 1\ny = 2\n", None),
        ("nl -ba a.py | sed -n '1,200p'", "     1\tx = 1\n", None),
        ("sed -n '1,2p' a.py", "x = 1\ny = 2\n", (1, 2)),
        ("sed -n '201,400p' a.py", "z = 3\n", (201, 400)),
        ("sed -n '1,200p' a.py | grep x", "x = 1\n", (1, 200)),
        ("sed -n '1,200p' a.py", "", (1, 200)),
    ],
)
def test_file_shorter_than_the_requested_lines_was_read_whole(
    command: str, output: str, lines: tuple[int, int] | None
) -> None:
    """Of a file that ends before the lines that were asked for, all was read; what came through a
    filter, or did not come, does not tell."""
    parameters = {"command": command}
    (file,) = tool_calls.shown(tool_calls.files_of("Bash", parameters, "/r"), output, command)
    assert file.lines == lines

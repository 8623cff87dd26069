"""The files of a call are told from the words of its tool's name and of its parameters' names."""

from __future__ import annotations

from typing import Any

import pytest

import memkit
from memkit.episodes.recording.tool_calls import files_of, shell_command
from memkit.episodes.records import FileOperation, RecordStatus
from tests.episodes.recording.test_hooks import after, hook, statuses
from tests.tables import each_row

PATCH = "*** Begin Patch\n*** Update File: lib/tide.py\n@@\n-low\n+high\n*** End Patch"
R, W, E, D = FileOperation.READ, FileOperation.WRITE, FileOperation.EDIT, FileOperation.DELETE


@pytest.mark.parametrize(
    ("tool", "given", "deeds"),
    [
        ("apply_patch", {"command": PATCH}, {"lib/tide.py": E}),
        ("apply_patch", {"command": ["apply_patch", PATCH]}, {"lib/tide.py": E}),
        ("editFiles", {"files": ["a.rb", "b.rb"]}, {"a.rb": E, "b.rb": E}),
        ("replace_string_in_file", {"filePath": "a.rb", "oldString": "x"}, {"a.rb": E}),
        ("insert_edit_into_file", {"filePath": "a.rb", "code": "puts 1"}, {"a.rb": E}),
        ("create_file", {"filePath": "a.rb", "content": "puts 1"}, {"a.rb": W}),
        (
            "multi_replace_string_in_file",
            {"replacements": [{"filePath": "a.rb"}, {"filePath": "b.rb"}, {"filePath": "a.rb"}]},
            {"a.rb": E, "b.rb": E},
        ),
        ("edit_file", {"target_file": "a.rb", "code_edit": "puts 1"}, {"a.rb": E}),
        ("search_replace", {"file_path": "a.rb", "old_string": "x"}, {"a.rb": E}),
        ("delete_file", {"target_file": "a.rb"}, {"a.rb": D}),
        ("write_to_file", {"path": "a.rb", "content": ""}, {"a.rb": W}),
        ("replace_file_content", {"TargetFile": "a.rb"}, {"a.rb": E}),
        ("fsWrite", {"path": "a.rb", "text": "puts 1"}, {"a.rb": W}),
        ("delete_lines", {"relative_path": "a.rb", "start_line": 4}, {"a.rb": E}),
        ("view_file", {"AbsolutePath": "a.rb"}, {"a.rb": R}),
        ("openFile", {"uri": "file:///srv/a%20b.rb"}, {"/srv/a b.rb": R}),
        ("mcp__fs__write_file", {"path": "a.rb", "content": ""}, {"a.rb": W}),
        ("mcp_disk_edit_file", {"path": "a.rb"}, {"a.rb": E}),
        ("mcp__sea__insert_after_symbol", {"relative_path": "a.rb"}, {"a.rb": E}),
    ],
)  # fmt: skip
def test_edit_tools_of_any_name_record_their_files(
    kit: memkit.Memkit, tool: str, given: dict[str, Any], deeds: dict[str, FileOperation]
) -> None:
    """Whatever an agent calls its tools and their parameters, the files are recorded."""
    event = after("ok", tool_name=tool, tool_input=given, tool_use_id=None)
    assert statuses(kit, event) == [RecordStatus.STORED]
    found = {path: i.operation for path in deeds for i in kit.episodes.file_history(path).recent}
    assert found == deeds


@each_row(
    "tool, given",
    [
        ("create_commit", {"files": ["a.rb"]}),
        ("create_directory", {"path": "lib"}),
        ("create_worktree", {"path": "../other"}),
        ("edit_file", {"path": "a.rb", "dryRun": True}),
        ("str_replace_editor", {"path": "a.rb"}),
        ("mcp__forge__create_or_update_file", {"owner": "o", "repo": "r", "path": "a.rb"}),
        ("mcp__kv__write", {"path": "a.rb"}),
        ("mcp__docs__search", {"path": "/guide"}),
        ("mcp__tracker__update_issue", {"path": "a.rb"}),
        ("read_resource", {"uri": "https://example.org/a.rb"}),
        ("web_search", {"query": "a.rb"}),
        ("get_errors", {"filePaths": ["a.rb"]}),
        ("read_file", {"path": ["a.rb"]}),
        ("edit_file", {"files": [3, None, {"path": 4}]}),
    ],
)
def test_calls_that_touch_no_file_here_name_none(tool: str, given: dict[str, Any]) -> None:
    """A path alone is no file that was touched: what is not understood is left out."""
    assert files_of(tool, given) == ()


def test_lines_and_changes_are_told_under_any_name() -> None:
    """Lines that were read, and how many were put in the place of how many, in all edits of a
    file together."""
    (read,) = files_of("read_file", {"filePath": "a.rb", "startLine": 3, "endLine": 9})
    (edit,) = files_of(
        "MultiEdit",
        {"file_path": "a.rb", "edits": [{"old_string": "x", "new_string": "y\nz"}] * 2},
    )
    assert (read.lines, edit.changes) == ((3, 9), "+4 -2 lines")


def test_both_ends_of_a_move_are_relative_to_the_call() -> None:
    """Both ends of a move count from where the call was made."""
    (file,) = files_of("move_file", {"source": "a.rb", "destination": "b.rb"}, "/srv")
    assert (file.path, file.previous_path, file.operation) == (
        "/srv/b.rb", "/srv/a.rb", FileOperation.RENAME,
    )  # fmt: skip


@pytest.mark.parametrize("tool", ["run_in_terminal", "run_terminal_cmd", "exec_command", "Bash"])
def test_shell_tools_of_any_name_run_commands(tool: str) -> None:
    """A command is read as one whatever the tool that runs it is called."""
    assert shell_command(tool, {"command": "rm a.rb"}) == "rm a.rb"
    assert [file.operation for file in files_of(tool, {"command": "rm a.rb"})] == [D]


def test_cursor_hooks_of_single_kinds_of_calls_are_recorded(kit: memkit.Memkit) -> None:
    """Cursor tells of edits, commands and tools of servers by hooks of their own."""
    root = str(kit.path.parent)
    given = {"conversation_id": "c", "workspace_roots": [root]}
    edit = hook(
        "afterFileEdit", file_path=f"{root}/a.rb", edits=[{"old_string": "", "new_string": "1"}]
    )
    shell = hook("afterShellExecution", command="cat b.rb", output="boom", duration=12, cwd="")
    server = hook(
        "afterMCPExecution", tool_name="write_file", tool_input='{"path": "c.rb"}', duration=3,
        result_json='{"isError": true, "content": [{"type": "text", "text": "no room"}]}',
    )  # fmt: skip
    assert (
        statuses(kit, *(one | given for one in (edit, shell, server))) == [RecordStatus.STORED] * 3
    )
    told = {call.tool: call for call in kit.episodes.tool_executions()}
    assert told.keys() == {"edit_file", "shell", "mcp__write_file"}
    assert (told["shell"].duration_ms, told["shell"].success) == (12, True)
    assert told["mcp__write_file"].success is False
    for path, operation in (("a.rb", E), ("b.rb", R), ("c.rb", W)):
        assert [i.operation for i in kit.episodes.file_history(path).recent] == [operation]


@pytest.mark.parametrize("name", ["beforeShellExecution", "beforeMCPExecution", "beforeReadFile"])
def test_a_call_that_its_own_hook_announces_leaves_nothing(kit: memkit.Memkit, name: str) -> None:
    """What is asked before it is done may not be done."""
    assert statuses(kit, hook(name, command="rm a.rb", file_path="a.rb")) == [RecordStatus.IGNORED]


def test_notified_end_of_a_turn_completes_the_task(kit: memkit.Memkit) -> None:
    """It completes the task, as the hook of a turn's end does."""
    turn = {"type": "agent-turn-complete", "thread-id": "h", "turn-id": "1", "cwd": "/",
            "input-messages": ["measure the tide"], "last-assistant-message": "done"}  # fmt: skip
    begun = hook("UserPromptSubmit", prompt="measure the tide")
    assert statuses(kit, begun, turn) == [RecordStatus.STORED, RecordStatus.STORED]
    assert [task.status for task in kit.episodes.tasks()] == ["completed"]
    assert statuses(kit, turn | {"thread-id": "other"}) == [RecordStatus.IGNORED]


def test_patch_keeps_its_heads_and_code_its_beginning(kit: memkit.Memkit) -> None:
    """Of a patch its heads are kept, each once; of code that goes into a file the beginning."""
    kit.episodes.record(after("ok", tool_name="apply_patch", tool_input={"command": PATCH}))
    code = "let quokka = 1\n" * 40
    given = {"filePath": "a.ts", "code": code}
    kit.episodes.record(after("ok", "q2", tool_name="insert_edit_into_file", tool_input=given))
    edit, patch = kit.episodes.tool_executions()
    assert patch.parameters["command"].count("*** Begin Patch") == 1
    assert len(edit.parameters["code"]) < 200

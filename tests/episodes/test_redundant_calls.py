"""Whether a session holds what a call would bring, so that the call need not be made."""

from __future__ import annotations

from typing import Any

import pytest

import memkit
from memkit.episodes.recording.session import Task
from memkit.episodes.redundant_calls import Reason, is_look


@pytest.fixture
def task(kit: memkit.Memkit) -> Task:
    """A task of the session `s`."""
    return kit.session("s").task("look around")


def reason(kit: memkit.Memkit, tool: str, given: dict[str, Any], session: str = "s") -> str | None:
    """Why a call need not be made."""
    found = kit.episodes.redundant_call(session, tool, given)
    return None if found is None else found.reason.value


def test_a_file_is_held_once_it_was_read(kit: memkit.Memkit, task: Task) -> None:
    """All of it, or the lines that were read, together if need be; in this session only."""
    task.file("a.py", "read")
    task.file("b.py", "read", line_range=(1, 50))
    task.file("b.py", "read", line_range=(51, 90))
    assert reason(kit, "Read", {"file_path": "a.py", "offset": 3, "limit": 4}) == Reason.READ
    assert reason(kit, "Read", {"file_path": "b.py", "offset": 40, "limit": 20}) == Reason.READ
    assert reason(kit, "Read", {"file_path": "b.py"}) is None
    assert reason(kit, "Read", {"file_path": "b.py", "offset": 90, "limit": 2}) is None
    assert reason(kit, "Bash", {"command": "cat a.py"}) == Reason.READ
    assert reason(kit, "Bash", {"command": "cat a.py c.py"}) is None
    assert reason(kit, "Read", {"file_path": "a.py"}, session="other") is None


def test_a_change_ends_what_was_held(kit: memkit.Memkit, task: Task) -> None:
    """After an edit a file must be read anew; what the session wrote as a whole it holds."""
    task.file("a.py", "read")
    task.file("a.py", "edit", success=False)
    assert reason(kit, "Read", {"file_path": "a.py"}) == Reason.READ
    task.file("a.py", "edit")
    assert reason(kit, "Read", {"file_path": "a.py"}) is None
    task.file("a.py", "write")
    assert reason(kit, "Read", {"file_path": "a.py"}) == Reason.WRITTEN


def test_a_failed_read_holds_nothing(kit: memkit.Memkit, task: Task) -> None:
    """Nor does it make the place of a file known."""
    task.file("src/a.py", "read", success=False)
    assert reason(kit, "Read", {"file_path": "src/a.py"}) is None
    assert reason(kit, "Glob", {"pattern": "**/a.py"}) is None


def test_a_search_is_held_until_something_changes_there(kit: memkit.Memkit, task: Task) -> None:
    """The same tool with the same question; changes elsewhere do not matter."""
    asked = {"pattern": "total", "path": "src"}
    task.tool("Grep", asked, output="src/a.py")
    assert reason(kit, "Grep", {"path": "src", "pattern": "total"}) == Reason.REPEATED
    assert reason(kit, "Grep", {"path": "src", "pattern": "totals"}) is None
    task.file("docs/x.md", "edit")
    assert reason(kit, "Grep", asked) == Reason.REPEATED
    task.file("src/a.py", "edit")
    assert reason(kit, "Grep", asked) is None


def test_a_search_without_a_folder_ends_with_any_change(kit: memkit.Memkit, task: Task) -> None:
    """It may have looked everywhere."""
    task.tool("Bash", {"command": "rg  total", "description": "look"}, output="src/a.py")
    assert reason(kit, "Bash", {"command": "rg total", "timeout": 5}) == Reason.REPEATED
    task.file("docs/x.md", "edit")
    assert reason(kit, "Bash", {"command": "rg total"}) is None


def test_a_search_inside_a_file_that_was_read_is_held(kit: memkit.Memkit, task: Task) -> None:
    """Its lines are known."""
    task.file("a.py", "read")
    assert reason(kit, "Bash", {"command": "grep -n total a.py"}) == Reason.INSIDE


def test_the_place_of_a_file_is_known_from_any_session(kit: memkit.Memkit, task: Task) -> None:
    """A file that is looked for by its name."""
    task.file("src/deep/thing.py", "edit")
    for tool, given in (
        ("Glob", {"pattern": "**/thing.py"}),
        ("Bash", {"command": "find . -name 'thing.py'"}),
        ("find_file", {"command": 'find_file "thing.py" src'}),
    ):
        found = kit.episodes.redundant_call("another", tool, given)
        assert found is not None
        assert (found.reason, found.paths) == (Reason.PLACE, ("src/deep/thing.py",))
    assert reason(kit, "Glob", {"pattern": "**/*.py"}) is None


def test_what_does_more_than_look_is_never_held(kit: memkit.Memkit, task: Task) -> None:
    """A test that ran before must run again."""
    task.tool("Bash", {"command": "pytest"}, output="1 passed")
    assert reason(kit, "Bash", {"command": "pytest"}) is None
    assert reason(kit, "WebSearch", {"query": "x"}) is None


@pytest.mark.parametrize(
    ("tool", "given", "looks"),
    [
        ("Read", {"file_path": "a"}, True),
        ("Grep", {"pattern": "x"}, True),
        ("Edit", {"file_path": "a"}, False),
        ("Bash", {"command": "ls | head"}, True),
        ("Bash", {"command": "ls > x"}, False),
        ("search_dir", {"command": "search_dir x"}, True),
        ("edit", {"command": "edit 1:1\nx\nend_of_edit"}, False),
        ("TodoWrite", {"todos": []}, False),
    ],
)
def test_calls_that_look(tool: str, given: dict[str, Any], looks: bool) -> None:
    """A call that only reads or searches is told from one that does something."""
    assert is_look(tool, given) is looks

"""Which files a command or a call of a tool touches: what is plain is told, no more."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.episodes.recording.tool_calls import files_of, only_looks, shell_command, touched
from tests import strategies
from tests.tables import each_row

PATCH = """*** Begin Patch
*** Add File: new.py
+one
*** Update File: old.py
*** Move to: moved.py
@@
-a
+b
*** Delete File: gone.py
*** End Patch"""


def short(command: str) -> list[str]:
    """Operation and path of each file, with its lines if they are known."""
    found = touched(command, "/r")
    return [
        f"{file.operation} {file.path}"
        + (f" {file.lines[0]}-{file.lines[1]}" if file.lines else "")
        for file in found
    ]


@each_row(
    "command, files",
    [
        ("cat a.py b.py", ["read /r/a.py", "read /r/b.py"]),
        ("cd sub && cat -n a.py", ["read /r/sub/a.py"]),
        ("sed -n '1,200p' 'app/(main)/[id].tsx'", ["read /r/app/(main)/[id].tsx 1-200"]),
        ("sed -n 7p a.py", ["read /r/a.py 7-7"]),
        ("sed -n '5,$p' a.py", ["read /r/a.py"]),
        ("nl -ba a.py | sed -n '10,20p'", ["read /r/a.py 10-20"]),
        ("cat a.py | head -n 5", ["read /r/a.py 1-5"]),
        ("head a.py", ["read /r/a.py 1-10"]),
        ("head -c 20 a.py; tail -3 b.py", ["read /r/a.py", "read /r/b.py"]),
        ("rg -n 'from(\"x\")' src | wc -l", ["search /r/src"]),
        ("grep -rn -e foo src tests 2>/dev/null", ["search /r/src", "search /r/tests"]),
        ("grep -A 3 foo a.py", ["search /r/a.py"]),
        ("ls", ["search /r"]),
        ("find src -name '*.py' | xargs cat", ["search /r/src"]),
        ("git grep foo -- lib; git status", ["search /r/lib"]),
        ("sed -i 's/a/b/' a.py", ["edit /r/a.py"]),
        ("echo hi > out.txt; echo more >> out.txt", ["write /r/out.txt", "edit /r/out.txt"]),
        ("make 2>&1 | tee build.log", ["write /r/build.log"]),
        ("cat > a.py <<'EOF'\nrm x.py > y\nEOF\npython a.py", ["write /r/a.py"]),
        ("git mv a.py b.py", ["rename /r/b.py"]),
        ("mv a b c/", []),
        ("cp a.py b.py", ["read /r/a.py", "write /r/b.py"]),
        ("rm -rf a.py *.pyc", ["delete /r/a.py"]),
        ("touch a.py", ["write /r/a.py"]),
        ("FOO=1 sudo cat /etc/hosts", ["read /etc/hosts"]),
        ("cat $FILE `x` {a,b}.py ?.py", []),
        ("for f in *.py; do cat $f; done", []),
        ("cat 'open quote", []),
        ("python -m pytest", []),
        ("cd; cd $X; cat a.py > /dev/null", ["read /r/a.py"]),
        ("", []),
    ],
)
def test_plain_commands_are_understood(command: str, files: list[str]) -> None:
    """And what is not plain names no file."""
    assert short(command) == files


def test_patches_tell_what_they_do() -> None:
    """Added, renamed and deleted files, with their lines; several patches in one command too."""
    found = touched(f"cd /r && apply_patch <<'EOF'\n{PATCH}\nEOF\n{PATCH[:60]}", "/r")
    assert [(str(f.operation), f.path, f.previous_path, f.changes) for f in found[:3]] == [
        ("write", "/r/new.py", None, "+1 -0 lines"),
        ("rename", "/r/moved.py", "/r/old.py", "+1 -1 lines"),
        ("delete", "/r/gone.py", None, "+0 -0 lines"),
    ]


def test_without_a_folder_paths_stay_as_they_are() -> None:
    """They count from wherever the session began."""
    assert [file.path for file in touched("cat a/../b.py ~/x")] == ["b.py", "~/x"]


@pytest.mark.parametrize(
    ("command", "only"),
    [
        ("rg foo | head", True),
        ("cd x && ls", True),
        ("rg foo 2>/dev/null | sort 2>&1", True),
        ("sed -n 5p a.py", True),
        ("sed -i s/a/b/ a.py", False),
        ("cat a; ls >> out", False),
        ("rg foo > out", False),
        ("pytest", False),
        ("", False),
    ],
)
def test_commands_that_only_look(command: str, only: bool) -> None:
    """Of these, finding nothing is no failure."""
    assert only_looks(command) is only


@given(strategies.texts, st.none() | st.just("/r"))
def test_any_text_is_a_command(text: str, cwd: str | None) -> None:
    """Nothing that may stand in a command makes it fail; one that only looks changes no file."""
    for command in (text, f"cat {text} > {text}", f"apply_patch <<E\n*** Begin Patch\n{text}"):
        files = touched(command, cwd)
        assert len({(file.path, file.operation) for file in files}) == len(files)
        if only_looks(command):
            assert {file.operation for file in files} <= {"read", "search"}


@each_row(
    "tool, parameters, files",
    [
        ("Read", {"file_path": "/r/a.py"}, ["read /r/a.py"]),
        ("Read", {"file_path": "/r/a.py", "offset": 10, "limit": 5}, ["read /r/a.py (10, 14)"]),
        ("Write", {"file_path": "a.py", "content": "x"}, ["write /r/a.py"]),
        ("MultiEdit", {"file_path": "/r/a.py", "edits": []}, ["edit /r/a.py"]),
        ("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "1"}, ["edit /r/n.ipynb"]),
        ("Grep", {"pattern": "x", "path": "src"}, ["search /r/src"]),
        ("Glob", {"pattern": "**/*.py"}, []),
        ("read_many_files", {"paths": ["a.py", "*.py", 3, ""]}, ["read /r/a.py"]),
        ("list_directory", {"path": "/r/src/"}, ["search /r/src"]),
        ("str_replace_editor", {"command": "insert", "path": "/r/a.py"}, ["edit /r/a.py"]),
        ("str_replace_editor", {"command": "wipe", "path": "/r/a.py"}, []),
        ("str_replace_editor", {"command": ["view"], "path": "/r/a.py"}, []),
        ("apply_patch", {"input": PATCH[:40]}, ["write /r/new.py"]),
        ("shell", {"command": ["cat", "a.py"]}, ["read /r/a.py"]),
        ("shell", {"command": ["bash", "-lc", "cat a.py"]}, ["read /r/a.py"]),
        ("Read", {"file_path": 3}, []),
        ("Write", {}, []),
        ("Edit", {"path": None}, []),
        ("WebSearch", {"query": "cat a.py"}, []),
    ],
)  # fmt: skip
def test_tools_tell_their_files(tool: str, parameters: dict[str, Any], files: list[str]) -> None:
    """By the tool's name and what it was called with; a wrong type is no file."""
    found = files_of(tool, parameters, "/r")
    told = [f"{f.operation} {f.path}" + (f" {f.lines}" if f.lines else "") for f in found]
    assert told == files


def test_a_command_may_be_a_text_or_words() -> None:
    """Words without a shell before them are joined; anything else is no command."""
    assert shell_command("shell", {"command": ["ls", "-l"]}) == "ls -l"
    assert shell_command("shell", {"command": 3}) is None
    assert shell_command("Read", {"command": "ls"}) is None

"""The memory tool, beside the SDK's own on a folder: the same commands, the same answers."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.encoder import HashedEncoder

pytest.importorskip("anthropic", reason="Anthropic's SDK is not installed (memkit[anthropic])")

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool

from memkit.adapters.anthropic_memory import MemkitAsyncMemoryTool, MemkitMemoryTool

Command = dict[str, Any]

NAMES = "/ /a.md /notes /notes/a.md /notes/deep/b.md /notes/deep/er/c.md /a.md/x /.hidden //a.md"
ODD = ["", "/notes/../b.md", "/../etc/passwd", "s2/x", "/é ü.md"]
PATHS = st.sampled_from([*NAMES.split(), *ODD]).map(lambda path: f"/memories{path}")
PATHS |= st.sampled_from(["/etc/passwd", "memories/a.md"])
# Few letters, so that texts meet; line ends of every sort, none of them a secret.
TEXTS = st.text(alphabet="ab \n\r\t\N{SNOWMAN}\0é", max_size=12)
NUMBERS = st.integers(-2, 6)
COMMANDS = st.one_of(
    st.fixed_dictionaries(
        {"command": st.just("view"), "path": PATHS},
        optional={"view_range": st.lists(NUMBERS, min_size=2, max_size=2)},
    ),
    st.fixed_dictionaries({"command": st.just("create"), "path": PATHS, "file_text": TEXTS}),
    st.fixed_dictionaries(
        {"command": st.just("str_replace"), "path": PATHS, "old_str": TEXTS, "new_str": TEXTS}
    ),
    st.fixed_dictionaries(
        {"command": st.just("insert"), "path": PATHS, "insert_line": NUMBERS, "insert_text": TEXTS}
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": PATHS}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": PATHS, "new_path": PATHS}),
)


@given(st.lists(COMMANDS, min_size=8, max_size=18))
def test_answers_and_files_are_those_of_the_sdk(commands: list[Command]) -> None:
    """Any commands: the same answers and errors, and files equal byte for byte. Sizes of folders
    are the file system's, and folders that are empty it keeps: neither is compared."""
    with tempfile.TemporaryDirectory() as folder:
        theirs, root = BetaLocalFilesystemMemoryTool(folder), Path(folder, "memories")
        with memkit.open(
            Path(folder, "m.db"), encoder=HashedEncoder(64), global_store=False
        ) as kit:
            ours = MemkitMemoryTool(kit)
            for command in commands:
                expected, answer = _answer(theirs.call, command), _answer(ours.call, command)
                _remove_empty_folders(root)
                if expected is None:  # the file system's own error, which the SDK lets through
                    assert answer is not None
                    assert answer.startswith("ToolError"), (command, answer)
                else:
                    assert _without_sizes(answer or "") == _without_sizes(expected), command
                there = {d.key: d.value for d in kit.context.documents.list(("memories",))}
                assert there == dict(_files(root)), command
            assert kit.check().is_sound


def test_sizes_are_written_as_the_sdk_writes_them(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Of files, by bytes; a folder is as large as what lies in it."""
    theirs, ours = BetaLocalFilesystemMemoryTool(str(tmp_path)), MemkitMemoryTool(kit)
    for count in (0, 1, 1023, 1024, 1025, 1536, 600_000):
        command = {"command": "create", "path": f"/memories/{count}", "file_text": "é" * count}
        assert theirs.call(command) == ours.call(command)
    view = {"command": "view", "path": "/memories"}
    lines = [str(tool.call(view)).split("\n") for tool in (ours, theirs)]
    assert lines[0][2:] == lines[1][2:]
    ours.call({"command": "create", "path": "/memories/d/x", "file_text": "x" * 2048})
    assert "2K\t/memories/d/" in str(ours.call(view))


def test_recall_answers_with_files(kit: memkit.Memkit) -> None:
    """A file is found by what it says and what it is called, also after an edit and under a new
    name, and not after it was deleted."""
    tool = MemkitMemoryTool(kit)
    text = "Deploys are done by `make ship`.\n"
    tool.call({"command": "create", "path": "/memories/ops/deploy.md", "file_text": text})
    edit = {"old_str": "make ship", "new_str": "make launch"}
    tool.call({"command": "str_replace", "path": "/memories/ops/deploy.md", **edit})
    tool.call({"command": "rename", "old_path": "/memories/ops", "new_path": "/memories/run"})
    (hit,) = kit.recall("how are deploys done?", min_score=0)
    assert hit.memory.source == "document:memories/run/deploy.md"
    assert hit.memory.text == "/memories/run/deploy.md\nDeploys are done by `make launch`."
    tool.call({"command": "delete", "path": "/memories/run"})
    assert not kit.recall("how are deploys done?", min_score=0)
    assert not kit.memories.find(history=True)


def test_a_secret_becomes_a_marker_and_the_answer_shows_it(kit: memkit.Memkit) -> None:
    """What is written holds none, and what is shown is what was written."""
    tool = MemkitMemoryTool(kit)
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    path = "/memories/login.md"
    tool.call({"command": "create", "path": path, "file_text": "token: none\n"})
    edit = {"old_str": "none", "new_str": token}
    answer = str(tool.call({"command": "str_replace", "path": path, **edit}))
    assert "     1\ttoken: [secret:" in answer
    assert token not in answer + str(tool.call({"command": "view", "path": path}))
    assert token.encode() not in kit.path.read_bytes()


def test_projects_do_not_see_each_other(make_kit: Callable[..., memkit.Memkit]) -> None:
    """Each project of a file has a folder of its own."""
    create = {"command": "create", "path": "/memories/a.md", "file_text": "Uses tabs."}
    for project in ("north", "south"):
        assert "created" in str(MemkitMemoryTool(make_kit("one.db", project=project)).call(create))
    north = make_kit("one.db", project="north")
    MemkitMemoryTool(north).clear_all_memory()
    assert "0B" in str(MemkitMemoryTool(north).call({"command": "view", "path": "/memories"}))
    south = MemkitMemoryTool(make_kit("one.db", project="south"))
    assert "Uses tabs." in str(south.call({"command": "view", "path": "/memories/a.md"}))


def test_edits_at_once_lose_nothing(kit: memkit.Memkit) -> None:
    """Each edit reads and writes in one transaction; the asynchronous tool does the same."""
    tool = MemkitAsyncMemoryTool(kit)
    insert = {"command": "insert", "path": "/memories/log.md", "insert_line": 0}

    async def run() -> list[Any]:
        await tool.call({"command": "create", "path": "/memories/log.md", "file_text": ""})
        inserts = [tool.call({**insert, "insert_text": f"line {n}"}) for n in range(12)]
        await asyncio.gather(*inserts)
        others = (
            {"command": "str_replace", "path": "/memories/log.md", "old_str": "7", "new_str": "70"},
            {"command": "rename", "old_path": "/memories/log.md", "new_path": "/memories/l.md"},
            {"command": "view", "path": "/memories/l.md"},
            {"command": "delete", "path": "/memories/l.md"},
        )
        return [*[await tool.call(command) for command in others], await tool.clear_all_memory()]

    edited, renamed, shown, deleted, cleared = asyncio.run(run())
    assert sorted(re.findall(r"line \d+", shown)) == sorted(
        f"line {'70' if n == 7 else n}" for n in range(12)
    )
    assert "\tline 70" in edited
    assert renamed == "Successfully renamed /memories/log.md to /memories/l.md"
    assert (deleted, cleared) == ("Successfully deleted /memories/l.md", "All memory cleared")


def _answer(call: Callable[[object], object], command: Command) -> str | None:
    """Return the answer or the tool's error; None for an error of another sort."""
    try:
        return str(call(command))
    except ToolError as error:
        return f"ToolError {error}"
    except OSError:
        return None


def _without_sizes(answer: str) -> str:
    """Return an answer without the sizes of folders."""
    lines = answer.split("\n")
    if not lines[0].endswith("excluding hidden items:"):
        return answer
    rows = [line.partition("\t") for line in lines[1:]]
    shown = [path if n == 0 or path.endswith("/") else f"{size} {path}"
             for n, (size, _, path) in enumerate(rows)]  # fmt: skip
    return "\n".join([lines[0], *shown])


def _remove_empty_folders(root: Path) -> None:
    for folder in sorted((path for path in root.rglob("*") if path.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


def _files(root: Path) -> Iterator[tuple[str, str]]:
    for path in root.rglob("*"):
        if path.is_file():
            yield path.relative_to(root).as_posix(), path.read_bytes().decode()

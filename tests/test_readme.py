"""The README is a program: what it shows is run, and shows what it prints.

Blocks marked `python` and `console` are run from top to bottom in one empty folder. Lines after a
command in a `console` block are its output, with `…` for anything. Blocks marked `sh` need a
network or a long time and are checked for their shape alone.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from memkit.cli.commands import COMMANDS

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
TEXT = README.read_text(encoding="utf-8")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


@attrs.frozen
class Block:
    """One fenced block, and the line of the README it begins on."""

    language: str
    text: str
    line: int


BLOCKS = [
    Block(found[1], found[2], TEXT.count("\n", 0, found.start()) + 2)
    for found in _FENCE.finditer(TEXT)
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, with `memkit` and `python` on the path."""
    commands = tmp_path / "bin"
    commands.mkdir()
    for name, start in {"memkit": " -m memkit", "python": ""}.items():
        script = commands / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{start} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_begins_with_the_two_commands() -> None:
    """The first block: one line that installs and does the main job, one that runs the tests."""
    first = BLOCKS[0]
    assert first.language == "sh"
    assert first.line <= 5
    job, tests = first.text.splitlines()
    for command in (job, tests):
        steps = [shlex.split(step) for step in command.split("&&")]
        assert ["-m", "venv"] in [step[1:3] for step in steps]
        assert any(step[0].endswith("bin/pip") and step[1] == "install" for step in steps)
    assert re.search(r"pip install (-q )?\. && ", job)
    assert re.search(r"/memkit init( \.)? && \S+/memkit context \"[^\"]+\"$", job)
    assert re.search(r"pip install .*'\.\[dev\]' && \S+/python -m tests$", tests)


def test_the_main_job_answers(home: Path) -> None:
    """What the first command does after the installation finds an answer in this repository."""
    for notes in ROOT.glob("*.md"):
        shutil.copy(notes, home)
    steps = BLOCKS[0].text.splitlines()[0].split(" && ")[2:]
    init, context = (step.replace(".venv/bin/", "") for step in steps)
    _run_command(init, "", home, BLOCKS[0].line)
    said = subprocess.run(context, shell=True, cwd=home, capture_output=True, check=True)
    assert b"3.11" in said.stdout, said


def test_ci_runs_the_second_command() -> None:
    """.ci/run installs the same extra and runs the same tests as the README says."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert ".[dev]" in script
    assert "-m tests" in script
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_every_block_says_what_it_is() -> None:
    """A block is run or is marked as something that cannot be."""
    odd = [b for b in BLOCKS if b.language not in {"python", "console", "sh", "json", "sql", ""}]
    assert not odd


def test_blocks_run(home: Path) -> None:
    """Every python and console block runs, in order, in one folder, and prints what is shown."""
    names: dict[str, object] = {"__name__": "readme"}
    assert {"python", "console"} <= {block.language for block in BLOCKS}
    for block in BLOCKS:
        if block.language == "python":
            _run_python(block, names)
        elif block.language == "console":
            for command, shown in _commands(block):
                _run_command(command, shown, home, block.line)


def test_links_lead_somewhere() -> None:
    """A link to a file of the repository leads to one."""
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", TEXT)
    assert not [target for target in targets if not (ROOT / target).exists()]


def test_files_of_the_repository_are_there() -> None:
    """A file that is named is one; `memkit/…` says by its ending that it is no word."""
    named = re.findall(r"`((?:bench|memkit|sql|tests)/[\w./]+(?:/|\.\w+))`", TEXT)
    assert len(named) > 30
    assert not [name for name in named if not (ROOT / name).exists()]


def test_every_command_is_described() -> None:
    """The tables say what each command is for."""
    told = "\n".join(line for line in TEXT.splitlines() if line.startswith("| `memkit "))
    missing = [name for name in COMMANDS if not re.search(rf"`(?:memkit )?{name}\b", told)]
    assert not missing, f"the tables of commands in README.md: {missing}"


def test_names_of_the_table_of_changes_are_in_its_files() -> None:
    """Whoever follows a row finds what it names in one of the files that it names."""
    table = TEXT.partition("| change | files, in order |")[2].partition("\n\n")[0]
    wrong = []
    for row in table.splitlines()[2:]:
        marked = re.findall(r"`([^`]+)`", row)
        places = [ROOT / name for name in marked if "/" in name and " " not in name]
        files = [file for place in places for file in (place, *place.glob("*.py"))]
        text = "\n".join(file.read_text("utf-8") for file in files if file.is_file())
        names = [name for name in marked if name.isidentifier() and name.strip("_")]
        wrong += [f"{row[:40]}: {name}" for name in names if not re.search(rf"\b{name}\b", text)]
    assert not wrong, "\n".join(wrong)


def _run_python(block: Block, names: dict[str, object]) -> None:
    # Padded, so that a traceback names the line of the README.
    code = compile("\n" * (block.line - 1) + block.text, str(README), "exec")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, names)


def _commands(block: Block) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output that is shown under it."""
    for part in re.split(r"^\$ ", block.text, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown.strip()


def _run_command(command: str, shown: str, folder: Path, line: int) -> None:
    program = shlex.split(command)[0]
    if program == "sqlite3" and not shutil.which(program):
        return  # the shell is not everywhere; test_schema.py reads the file without it
    done = subprocess.run(
        command, shell=True, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"README.md:{line} $ {command}\n{done.stdout}{done.stderr}"
    form = ".*".join(re.escape(piece) for piece in shown.split("…")) if shown else ".*"
    assert re.fullmatch(form, done.stdout.strip(), re.S), (
        f"README.md:{line} $ {command}\n{done.stdout}"
    )

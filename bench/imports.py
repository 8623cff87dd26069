"""What starting costs: `import memkit` and the short commands, as ratios to bare Python.

The floor is a process that imports apsw and attrs alone, which any such package must. Processes of
all kinds take turns, so a busy machine slows them alike; the figures are medians of fifteen turns.
Sets: `import` (`import memkit`, whose names are loaded on first use), `open` (import, open a small
store and close it, where all of that is paid), `version`, `record`, `recall` and `remember` (the
commands, on the same store; every process gets one event of a hook on standard input).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import memkit

from . import texts
from .results import Options, Row
from .scoring import at_share, middle

_RUNS = 15
_STORED = 200
_FLOOR = "floor"
_COMMAND = "memkit.cli.entry"


def run(options: Options) -> list[Row]:
    """Time every kind of start in turns; say the spread of each."""
    runs = min(_RUNS, options.limit or _RUNS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.memkit.db"
        _small_store(path)
        commands = dict(_commands(path, options))
        times = _in_turns(commands, runs=runs, folder=Path(folder))
    for name, spent in times.items():
        options.say(
            f"{name:<10} min {min(spent):7.1f}  median {middle(spent):7.1f}  "
            f"max {max(spent):7.1f} ms of {runs} runs"
        )
    return [row for name in times if name != _FLOOR for row in _rows(name, times)]


def _rows(name: str, times: dict[str, list[float]]) -> Iterator[Row]:
    own, floor = times[name], times[_FLOOR]
    yield Row(name, "p50_ms", middle(own), middle(floor))
    yield Row(name, "p95_ms", at_share(own, 0.95), at_share(floor, 0.95))
    # Pair by pair: a ratio holds when the machine's speed drifts.
    pairs = [one / other for one, other in zip(own, floor, strict=True)]
    yield Row(name, "ratio", middle(pairs), 1.0)


def _commands(path: Path, options: Options) -> Iterator[tuple[str, list[str]]]:
    python = [sys.executable]
    yield _FLOOR, [*python, "-c", "import apsw, attrs"]
    yield "import", [*python, "-c", "import memkit"]
    yield "open", [*python, "-c", _OPEN, str(path)]
    if find_spec("memkit.cli") is None or find_spec(_COMMAND) is None:
        options.say(f"skipped the commands: there is no {_COMMAND}")
        return
    memkit_ = [*python, "-m", "memkit"] if find_spec("memkit.__main__") else [*python, "-c", _RUN]
    yield "version", [*memkit_, "--version"]
    yield "record", [*memkit_, "record", "--db", str(path)]
    yield "recall", [*memkit_, "--db", str(path), "recall", "why is the default timeout None"]
    yield "remember", [*memkit_, "--db", str(path), "remember", "Uploads are never retried."]


_EVENT = b"""{
    "session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash",
    "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a.py b.py"}
}"""
_OPEN = "import memkit, sys; memkit.open(sys.argv[1], global_store=False).close()"
_RUN = f"from {_COMMAND} import run; run()"


def _small_store(path: Path) -> None:
    with memkit.open(path, global_store=False) as kit:
        kit.memories.remember_many(
            f"Service {number} waits {number + 1} seconds; its default timeout is None."
            for number in range(_STORED)
        )


def _in_turns(commands: dict[str, list[str]], *, runs: int, folder: Path) -> dict[str, list[float]]:
    """Return milliseconds of each run of each command; the first turn does not count."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    environment = {
        **os.environ,
        "MEMKIT_GLOBAL": str(folder / "global.memkit.db"),
        "PYTHONPATH": str(texts.ROOT),
        # An installed package has its bytecode; the first turn writes it here.
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",
    }
    for turn in range(runs + 1):
        for name, command in commands.items():
            spent = _one(command, environment, folder)
            if turn:
                times[name].append(spent)
    return times


def _one(command: Sequence[str], environment: dict[str, str], folder: Path) -> float:
    before = time.perf_counter()
    done = subprocess.run(
        command, env=environment, cwd=folder, input=_EVENT, capture_output=True, check=False
    )
    spent = (time.perf_counter() - before) * 1000
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr!r}")
    return spent

"""Every check, in one command: python -m tests

Format, lint, types, tests with branch coverage; it stops at the first that fails. Names of tests
or options after it go to pytest instead, without coverage: python -m tests tests/store -x
Files of tests lie in memory where there is room for them: most of their time was the disk's.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
MEMORY = Path("/dev/shm")  # Linux: a file system in memory
MIN_FREE = 1 << 30
STEPS = {
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "lint": ["ruff", "check", "--quiet", "."],
    "types": ["mypy", "--no-error-summary"],
    "tests": ["pytest", "-n", "2", "--dist", "worksteal", "--cov", "--cov-report", "term"],
}
MEND = {
    "format": "python -m ruff format .",
    "lint": "python -m ruff check --fix .",
}


def main(arguments: list[str]) -> int:
    """Run the steps; return 0 if all passed, else the code of the one that failed."""
    steps = {"tests": ["pytest", *arguments]} if arguments else STEPS
    for name, command in steps.items():
        print(f"── {name}: {' '.join(command)}", flush=True)
        started = time.monotonic()
        if code := _run(command):
            again = MEND.get(name, f"python -m {' '.join(command)}")
            print(f"── {name} failed; next: {again}", flush=True)
            return code
        print(f"── {name} passed in {time.monotonic() - started:.0f} s", flush=True)
    return 0


def _run(command: list[str]) -> int:
    with _options(command) as options:
        whole = [sys.executable, "-m", *command, *options]
        return subprocess.run(whole, cwd=ROOT, check=False).returncode


@contextmanager
def _options(command: list[str]) -> Iterator[list[str]]:
    """Give pytest a folder in memory, if there is room for one and the caller named no other."""
    named = any(part.startswith("--basetemp") for part in command)
    if command[0] != "pytest" or named or not _has_room():
        yield []
        return
    folder = tempfile.mkdtemp(prefix="memkit-tests-", dir=MEMORY)
    try:
        yield [f"--basetemp={folder}/run"]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _has_room() -> bool:
    return os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= MIN_FREE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Every check, in one command: python -m tests

Format, lint, types, tests with branch coverage; it stops at the first that fails. Names of tests
or options after it go to pytest instead, without coverage: python -m tests tests/store -x
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
STEPS = {
    "format": ["ruff", "format", "--check", "--quiet", "."],
    "lint": ["ruff", "check", "--quiet", "."],
    "types": ["mypy", "--no-error-summary"],
    "tests": ["pytest", "-n", "2", "--dist", "loadgroup", "--cov", "--cov-report", "term"],
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
        code = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode
        if code:
            again = MEND.get(name, f"python -m {' '.join(command)}")
            print(f"── {name} failed; next: {again}", flush=True)
            return code
        print(f"── {name} passed in {time.monotonic() - started:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

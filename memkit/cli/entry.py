"""Entry point of the `memkit` script and of `python -m memkit`.

What a hook runs for every call of a tool branches off here, without click and without what answers
questions.
"""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn


def run() -> NoReturn:
    """Run the command of this process and end it at once: what Python frees at its end takes longer
    than many a command, and every file is closed by then."""
    gc.set_threshold(100_000)  # loading makes much, and hardly any of it ever goes
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or its reader has gone
            stream.flush()
    os._exit(code)


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; nothing is raised, not even SystemExit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments == ["--version"]:
        return _print_version()
    if arguments[:1] == ["record"]:
        from .hook import record_without_click

        code = record_without_click(arguments[1:])
        if code is not None:
            return code
    if arguments[:1] == ["hook"]:
        from .agent_hook import hook_without_click

        code = hook_without_click(arguments[1:])
        if code is not None:
            return code
    from .main import main as main_with_click

    return main_with_click(arguments)


def _print_version() -> int:
    from .. import __version__

    with suppress(OSError, AttributeError):  # no standard output, or its reader has gone
        sys.stdout.write(f"memkit, version {__version__}\n")
        sys.stdout.flush()
    return 0

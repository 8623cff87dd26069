"""Entry point of the `memkit` script and of `python -m memkit`.

What a hook runs for every call of a tool branches off here, without click and without what answers
questions.
"""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; nothing is raised, not even SystemExit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["record"]:
        from .record_command import record_without_click

        code = record_without_click(arguments[1:])
        if code is not None:
            return code
    from .main import main as main_with_click

    return main_with_click(arguments)

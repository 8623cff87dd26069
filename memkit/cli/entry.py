"""Entry of the `memkit` script and of `python -m memkit`.

What a hook runs for every call of a tool goes a short way of its own, without click and without
what answers questions."""

from __future__ import annotations

import sys


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; nothing is raised, not even SystemExit."""
    given = sys.argv[1:] if arguments is None else arguments
    if given[:1] == ["record"]:
        from .record_command import quickly

        code = quickly(given[1:])
        if code is not None:
            return code
    from .main import main as by_click

    return by_click(given)

"""What a command came to, told: its answer, or why there is none. No click, as a hook has none."""

from __future__ import annotations

import os
import sys

from ..errors import MemkitError
from .table import FAILED, USAGE, Answer, Usage


def explained(error: Exception) -> tuple[str, str, int]:
    """Return the code, the message and the exit code of an error."""
    if isinstance(error, MemkitError):
        return error.code, str(error), USAGE if isinstance(error, Usage) else FAILED
    if isinstance(error, OSError):
        found = f"{error.filename}: " * bool(error.filename) + (error.strerror or str(error))
        return "os_error", f"{found}; is it there, may it be used, and is there room?", FAILED
    found = f"{type(error).__name__}: {error}"
    return "internal", f"{found} (a fault in memkit; MEMKIT_DEBUG=1 shows where)", FAILED


def is_debugged(name: str) -> bool:
    """Whether a fault of memkit's own is to be seen as it is."""
    return name == "internal" and bool(os.environ.get("MEMKIT_DEBUG"))


def tell(answer: Answer, *, as_json: bool) -> int:
    """Print an answer; return its exit code."""
    if not (as_json or answer.lines or answer.notes):
        return answer.exit_code
    from . import streams  # here: a hook has nothing to say as a rule

    if as_json and not answer.is_raw:
        print(streams.json_text(answer.document))
    elif not answer.is_raw:
        for line in answer.lines:
            print(line)
    for note in () if as_json else answer.notes:
        say(f"memkit: {streams.one_line(note)}")
    return answer.exit_code


def tell_failure(name: str, message: str, *, as_json: bool) -> None:
    """Print why there is no answer, without the secrets of what was typed: click's words and the
    system's repeat it."""
    from ..safety import redact
    from . import streams

    line = redact(" ".join(message.split())).text
    if as_json:
        print(streams.json_text({"error": {"code": name, "message": line}}))
    else:
        say(f"memkit: {streams.visible(line)}")


def say(line: str) -> None:
    """Print a line on standard error, if there is one."""
    if sys.stderr is not None and not sys.stderr.closed:
        print(line, file=sys.stderr)

"""Every command by click; what runs once per tool call branches off in `entry` before."""

from __future__ import annotations

import errno
import os
import sys

from ..errors import MemkitError
from . import streams
from .call import Settings
from .table import DONE, FAILED, USAGE, Answer, PipeClosed, Usage

INTERRUPTED, PIPE_CLOSED = 130, 141


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; nothing is raised, not even SystemExit."""
    given = sys.argv[1:] if arguments is None else arguments
    streams.prepare()
    settings = Settings()
    try:
        try:
            code = _run(given, settings)
        finally:
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        streams.drop_stdout()
        if error.errno in (errno.EPIPE, errno.EINVAL):
            return PIPE_CLOSED
        _say(f"memkit: standard output: {error.strerror}; what was asked is done, only not told")
        return FAILED
    return code


def _run(arguments: list[str], settings: Settings) -> int:
    import click

    from .parser import parse_and_run

    try:
        answer = parse_and_run(arguments, settings)
    except click.Abort:
        return INTERRUPTED
    except (PipeClosed, BrokenPipeError):
        raise BrokenPipeError(errno.EPIPE, "closed") from None
    except Exception as error:
        name, message, code = _explained(error)
        if name == "internal" and os.environ.get("MEMKIT_DEBUG"):
            raise
        # The command line may have been broken off before --json was read.
        options = arguments[: arguments.index("--")] if "--" in arguments else arguments
        _fail(name, message, as_json=settings.json or "--json" in options)
        return code
    return DONE if answer is None else _tell(answer, settings)


def _explained(error: Exception) -> tuple[str, str, int]:
    """Return the code, the message and the exit code of an error."""
    import click

    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else "memkit"
        return "usage", f"{error.format_message().rstrip('.')}; see '{where} --help'", USAGE
    if isinstance(error, MemkitError):
        return error.code, str(error), USAGE if isinstance(error, Usage) else FAILED
    if isinstance(error, OSError):
        found = f"{error.filename}: " * bool(error.filename) + (error.strerror or str(error))
        return "os_error", f"{found}; is it there, may it be used, and is there room?", FAILED
    found = f"{type(error).__name__}: {error}"
    return "internal", f"{found} (a fault in memkit; MEMKIT_DEBUG=1 shows where)", FAILED


def _tell(answer: Answer, settings: Settings) -> int:
    if not answer.is_raw:
        if settings.json:
            print(streams.json_text(answer.document))
        else:
            for line in answer.lines:
                print(line)
    if not settings.json:
        for note in answer.notes:
            _say(f"memkit: {streams.one_line(note)}")
    return answer.exit_code


def _fail(name: str, message: str, *, as_json: bool) -> None:
    from ..safety import redact

    # What click and the system say repeats what was typed.
    line = redact(" ".join(message.split())).text
    if as_json:
        print(streams.json_text({"error": {"code": name, "message": line}}))
    else:
        _say(f"memkit: {streams.visible(line)}")


def _say(line: str) -> None:
    if sys.stderr is not None and not sys.stderr.closed:
        print(line, file=sys.stderr)

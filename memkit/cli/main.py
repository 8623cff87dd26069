"""Main function of the command line: any command, by click, with its exit code."""

from __future__ import annotations

import errno
import os
import sys

from . import output
from .commands import COMMANDS, DONE, FAILED, USAGE, PipeClosed, Settings
from .output import describe_error, is_debugged, print_error_line, print_failure, print_output

INTERRUPTED, PIPE_CLOSED = 130, 141


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; nothing is raised, not even SystemExit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    # Threads of numpy's BLAS cost more to start than the few products of one command.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    output.prepare()
    settings = Settings()
    try:
        try:
            code = _run(arguments, settings)
        finally:
            if sys.stdout is not None and not sys.stdout.closed:
                sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        output.drop_stdout()
        if error.errno in (errno.EPIPE, errno.EINVAL):
            return PIPE_CLOSED
        print_error_line(
            f"memkit: standard output: {error.strerror}; what was asked is done, only not told"
        )
        return FAILED
    return code


def _run(arguments: list[str], settings: Settings) -> int:
    import click

    from .parser import parse_and_run

    try:
        answer = parse_and_run(arguments, settings)
    except (KeyboardInterrupt, click.Abort):
        if _wants_json(arguments, settings):
            print_failure("interrupted", "interrupted before it was done", as_json=True)
        return INTERRUPTED
    except (PipeClosed, BrokenPipeError):
        raise BrokenPipeError(errno.EPIPE, "closed") from None
    except Exception as error:
        name, message, code = _explained(error, arguments)
        if is_debugged(name):
            raise
        print_failure(name, message, as_json=_wants_json(arguments, settings))
        return code
    return DONE if answer is None else print_output(answer, as_json=settings.json)


def _wants_json(arguments: list[str], settings: Settings) -> bool:
    """Whether what went wrong is told as JSON; the command line may have been broken off before
    --json was read."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return settings.json or "--json" in options


def _explained(error: Exception, arguments: list[str]) -> tuple[str, str, int]:
    """Return the code, the message and the exit code of an error, click's among them."""
    import click

    if isinstance(error, click.UsageError):
        called = next((f"memkit {word}" for word in arguments if word in COMMANDS), "memkit")
        where = error.ctx.command_path if error.ctx else called
        if isinstance(error, click.BadParameter) and isinstance(error.param, click.Argument):
            error.param_hint = error.param_hint or f"'{error.param.human_readable_name}'"
        said = error.format_message().rstrip(".")
        if said.startswith("Got unexpected extra arg"):
            said = f"{said}; put several words in quotes"
        if isinstance(error, click.NoSuchOption) and _is_text(error.option_name, arguments):
            said = f"{said}; put -- before a text that begins with a dash"
        return "usage", f"{said}; see '{where} --help'", USAGE
    return describe_error(error)


def _is_text(option: str, arguments: list[str]) -> bool:
    """Whether what was read as an option is the beginning of several words, as a list's item is."""
    return any(word.startswith(option) and len(word.split()) > 1 for word in arguments)

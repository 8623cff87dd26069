"""Main function of the command line: any command of the table, by click, with its exit code."""

from __future__ import annotations

import errno
import os
import sys
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import attrs

from . import output
from .commands import (
    COMMANDS,
    DONE,
    FAILED,
    GROUPS,
    USAGE,
    Command,
    CommandOutput,
    Parameter,
    PipeClosed,
    Settings,
    load_command,
    open_invocation,
)
from .output import describe_error, is_debugged, print_error_line, print_failure, print_output

if TYPE_CHECKING:
    import click


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


# --- Commands of the table as click commands.

HELP = """The memory of a coding agent in one SQLite file beside the repository.

The file is --db, $MEMKIT_DB, or the nearest .memkit.db from this folder up to the root of the
repository.

Exit codes: 0 done (an empty result is success), 1 an error or a failed check, 2 usage,
130 interrupted, 141 the reader of the output has gone. With --json stdout holds exactly one JSON
document, for failures too: {"error": {"code", "message"}}.
"""


def parse_and_run(arguments: list[str], settings: Settings) -> CommandOutput | None:
    """Run the command that the arguments name; None if it was only help or version. `help` and
    `help COMMAND` are said as `--help`.

    `settings` is filled on the way. Raises click's exceptions, memkit's and those of the system.
    """
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    result = _program(settings).main(
        args=arguments or ["--help"], prog_name="memkit", standalone_mode=False, obj=settings
    )
    return result if isinstance(result, CommandOutput) else None


# Methods whose command is an option of another one.
_METHODS = {
    "members": "symbol NAME --members",
    "subtypes": "symbol NAME --subclasses",
    "supertypes": "symbol NAME --bases",
    "outline": "symbol PATH --inside",
    "impact": "callers NAME --depth 5",
    "dependents": "dependencies PATH --reverse",
}


def _program(settings: Settings) -> click.Group:
    import click

    from .. import __version__

    class Program(click.Group):
        """Group of all commands, each loaded when it is named."""

        def list_commands(self, ctx: click.Context) -> list[str]:
            return [name for names in GROUPS.values() for name in names]

        def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
            return _command(load_command(cmd_name), settings) if cmd_name in COMMANDS else None

        def resolve_command(
            self, ctx: click.Context, args: list[str]
        ) -> tuple[str | None, click.Command | None, list[str]]:
            if usage := _METHODS.get(args[0]):
                ctx.fail(f"No such command {args[0]!r}; that is 'memkit {usage}'")
            if args[0] not in COMMANDS and (near := get_close_matches(args[0], COMMANDS, n=2)):
                ctx.fail(f"No such command {args[0]!r}; did you mean {' or '.join(near)}?")
            return super().resolve_command(ctx, args)

        def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
            for heading, names in GROUPS.items():
                rows = [(name, load_command(name).summary) for name in names]
                with formatter.section(heading):
                    formatter.write_dl(rows)
            formatter.write_paragraph()
            formatter.write_text("'memkit help COMMAND' tells the options of one.")

    program = Program(
        "memkit",
        help=HELP,
        params=_shared(settings),
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    click.version_option(__version__, prog_name="memkit")(program)
    return program


def _command(command: Command, settings: Settings) -> click.Command:
    import click

    def run(**values: Any) -> CommandOutput:
        try:
            with open_invocation(settings, command.opening) as invocation:
                answer = command.run(invocation, **values)
                if invocation.is_new and command.name != "init" and not settings.use_global:
                    made = (
                        f"{invocation.path} was not there: it is made; "
                        "'memkit init' takes in its folder"
                    )
                    answer = attrs.evolve(answer, notes=(*answer.notes, made))
                # Lines may be made lazily from the store; they are wanted while it is open.
                return attrs.evolve(answer, lines=tuple(answer.lines))
        except BrokenPipeError:
            raise PipeClosed from None  # click would turn it into an exit of its own

    return click.Command(
        command.name,
        callback=run,
        help=command.help,
        short_help=command.summary,
        params=[*(_parameter(p) for p in command.parameters), *_shared(settings)],
    )


def _parameter(parameter: Parameter) -> click.Parameter:
    import click

    # As they are written: click takes members of an enumeration by their names.
    choices = [str(choice) for choice in parameter.choices]
    value_type: Any = click.Choice(choices, case_sensitive=False) if choices else parameter.type
    default = (
        str(parameter.default) if isinstance(parameter.default, StrEnum) else parameter.default
    )
    if not parameter.is_option:
        return click.Argument(
            [parameter.name],
            type=value_type,
            nargs=-1 if parameter.many else 1,
            required=parameter.is_required,
        )
    return click.Option(
        [parameter.name, _variable(parameter.name)],
        help=parameter.help,
        type=None if parameter.type is bool else value_type,
        metavar=None if choices or isinstance(value_type, type) else _called(value_type),
        is_flag=parameter.type is bool,
        multiple=parameter.many,
        default=() if parameter.many else default,
        show_default=default not in (None, False),
    )


def _called(value_type: Any) -> str:
    """Return what the help calls a value: by the function that reads it, inner or not."""
    return str(value_type.__name__).strip("_").upper()


def _variable(name: str) -> str:
    return name.lstrip("-").replace("-", "_")


def _shared(settings: Settings) -> list[click.Parameter]:
    """Return the options that stand before or after the command, as one likes."""
    import click

    def keep(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        if value is not None and value is not False:
            setattr(settings, parameter.name or "", value)

    rest: dict[str, Any] = {"expose_value": False, "callback": keep}
    return [
        click.Option(["--db"], metavar="PATH", help="The file to use.", **rest),
        click.Option(["--json", "json"], is_flag=True, help="Print one JSON document.", **rest),
        click.Option(
            ["--global", "use_global"],
            is_flag=True,
            help="Use the store of global memories.",
            **rest,
        ),
    ]

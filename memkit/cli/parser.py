"""Parser of the command line: commands of the table as click commands."""

from __future__ import annotations

from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import attrs

from .commands import (
    COMMANDS,
    GROUPS,
    Command,
    CommandOutput,
    Parameter,
    PipeClosed,
    Settings,
    load_command,
    open_invocation,
)

if TYPE_CHECKING:
    import click

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

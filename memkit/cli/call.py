"""One run of one command: which store is meant, and how the answer is to look."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from .. import arguments
from .. import opened as kits
from ..arguments import Progress
from ..errors import InvalidInput, NotAMemkitFile
from ..kit import Memkit
from ..store.places import FILE_NAME, default_global_path, nearest
from .table import Opening, Usage


@attrs.define
class Settings:
    """The options that every command has, wherever they stand on the line."""

    db: str | None = None
    json: bool = False
    use_global: bool = False


@attrs.frozen
class Call:
    """What a command's function gets beside its parameters.

    Attributes:
        is_new: whether the store was made for this command.
    """

    settings: Settings
    opened: Memkit | None = None
    is_new: bool = False

    @property
    def kit(self) -> Memkit:
        """The open store."""
        if self.opened is None:
            raise InvalidInput("this command works without a store")
        return self.opened

    @property
    def path(self) -> Path:
        """The file that is meant, whether it is there or not."""
        return path_of(self.settings)

    def place(self, written: str) -> str:
        """Return a place in the code as the library takes it: a file that is there from the current
        folder is told from the repository's root, whatever `::` leads to inside."""
        path, parts, symbol = written.partition("::")
        here = Path.cwd() / path
        root = self.kit.store.path.parent.resolve()
        if not here.is_file() or not here.resolve().is_relative_to(root):
            return written
        return f"{here.resolve().relative_to(root).as_posix()}{parts}{symbol}"

    @property
    def width(self) -> int | None:
        """Columns of the terminal, or None if the output goes elsewhere."""
        return shutil.get_terminal_size().columns if _is_terminal(sys.stdout) else None

    def style(self, text: str, **looks: object) -> str:
        """Return the text in colour if it goes to a terminal that wants any."""
        if self.width is None or os.environ.get("NO_COLOR"):
            return text
        import click

        return click.style(text, **looks)  # type: ignore[arg-type]

    def confirm(self, question: str, *, agreed: bool) -> None:
        """Ask for what cannot be undone, or raise Usage where nobody can be asked."""
        if agreed:
            return
        if self.settings.json or not (_is_terminal(sys.stdin) and _is_terminal(sys.stderr)):
            raise Usage(f"{question} nothing was done; say --yes to do it")
        import click

        click.confirm(question, abort=True, err=True)

    @contextmanager
    def progress(self, label: str) -> Iterator[Progress | None]:
        """Show a bar on a terminal; yields what to call with the number done and the total."""
        if self.settings.json or not _is_terminal(sys.stderr):
            yield None
            return
        import click

        with click.progressbar(length=1, label=label, file=sys.stderr) as bar:

            def step(done: int, total: int) -> None:
                bar.length = max(total, 1)
                bar.update(done - bar.pos)

            yield step


@contextmanager
def opened(settings: Settings, opening: Opening) -> Iterator[Call]:
    """Yield a call with the store open as the command needs it, and close it afterwards."""
    if opening is Opening.NOT:
        yield Call(settings)
        return
    path = path_of(settings)
    if opening is Opening.CREATE and settings.use_global:
        path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    if opening is not Opening.CREATE and is_new:
        named = "--global " if settings.use_global else f"--db {path} " if settings.db else ""
        raise NotAMemkitFile(f"{path}: there is no such file; create it with 'memkit {named}init'")
    if is_new and path == Path(path.anchor) / FILE_NAME and not _is_named(settings):
        raise Usage(
            f"{path.parent}: is no repository but all there is; go to one, or say --db PATH"
        )
    with kits.open(
        path,
        readonly=opening is Opening.READ,
        global_store=False if settings.use_global else None,
    ) as kit:
        yield Call(settings, kit, is_new)


def path_of(settings: Settings) -> Path:
    """Return the file that the options, the environment or the folder name."""
    if settings.use_global:
        if settings.db is not None:
            raise Usage("--db and --global name two files; give one of them")
        return default_global_path()
    if settings.db is None:
        return nearest(Path.cwd())
    return arguments.path(settings.db, name="--db")


def _is_named(settings: Settings) -> bool:
    return bool(settings.use_global or settings.db or os.environ.get("MEMKIT_DB"))


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream and stream.isatty())  # type: ignore[attr-defined]
    except ValueError:  # closed
        return False

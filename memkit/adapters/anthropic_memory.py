"""Anthropic memory tool (memory_20250818): the files of `/memories`, kept in a memkit file.

Answers and errors read as those of the SDK's own `BetaLocalFilesystemMemoryTool`. What differs: a
secret is replaced by a marker before it is written; a folder is there as long as a file lies in it;
its size is that of its files. Recall finds the files as it finds memories.
"""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

try:
    from anthropic.lib.tools import ToolError
    from anthropic.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool
except ImportError as error:
    raise ImportError(
        f"memkit.adapters.anthropic_memory needs Anthropic's SDK ({error}); "
        "install memkit[anthropic]"
    ) from error

if TYPE_CHECKING:
    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from ..kit import Memkit

ROOT = "/memories"
"""Path of the folder that the tool shows."""

_NAMESPACE = ("memories",)
_MAX_LINES = 999_999
_WIDTH = len(str(_MAX_LINES))
_LEVELS = 2  # of folders that a view shows
_CONTEXT = 2  # lines on either side of an edit


class MemkitMemoryTool(BetaAbstractMemoryTool):
    """Memory tool for the synchronous client: pass it in `tools` of its tool runner."""

    def __init__(
        self, kit: Memkit, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        """`kit` is the open store; its project is whose files are shown."""
        super().__init__(cache_control=cache_control)
        self._files = kit.context.documents

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return a file with numbered lines, or what lies in a folder."""
        name = _name(command.path)
        files = self._texts()
        if name in files:
            return _numbered_view(command, files[name])
        if not _is_folder(name, files):
            raise _missing(command.path)
        sizes = {path: len(text.encode()) for path, text in files.items()}
        items = [f"{_size(size)}\t{command.path}/{path}" for path, size in _entries(name, sizes, 1)]
        total = sum(size for path, size in sizes.items() if _is_in(path, name))
        return "\n".join(
            [
                f"Here're the files and directories up to 2 levels deep in {command.path}, "
                "excluding hidden items:",
                f"{_size(total)}\t{command.path}",
                *items,
            ]
        )

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file; raises ToolError if there is one."""
        name = _name(command.path)

        def create() -> str:
            files = self._texts()
            if name in files or _is_folder(name, files):
                raise ToolError(f"File {command.path} already exists")
            _refuse_below_a_file(command.path, name, files)
            self._write(name, command.file_text)
            return f"File created successfully at: {command.path}"

        return self._files.together(create)

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once in a file; return the lines around it."""
        old, new = command.old_str, command.new_str

        def replace(text: str) -> str:
            _refuse_unless_once(command.path, text, old)
            return text.replace(old, new)

        before, after = self._edit(command.path, replace)
        lines = after.split("\n")
        changed = before[: before.find(old)].count("\n")
        first, end = max(0, changed - _CONTEXT), min(len(lines), changed + _CONTEXT + 1)
        return "\n".join(
            [
                "The memory file has been edited. Here is the snippet showing the change "
                "(with line numbers):",
                *_numbered(lines[first:end], first + 1),
            ]
        )

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines after a line of a file, 0 being its beginning."""

        def inserted(text: str) -> str:
            lines = text.split("\n")
            if lines[-1] == "":
                lines.pop()
            if not 0 <= command.insert_line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {command.insert_line}. "
                    f"It should be within the range [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            joined = "\n".join(lines)
            return joined if joined.endswith("\n") else f"{joined}\n"

        self._edit(command.path, inserted)
        return f"The file {command.path} has been edited."

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file, or a folder with all that lies in it, for good."""
        name = _name(command.path)
        if not name:
            raise ToolError(f"Cannot delete the {ROOT} directory itself")

        def delete() -> str:
            names = [path for path in self._texts() if _is_in(f"{path}/", name)]
            if not names:
                raise ToolError(f"The path {command.path} does not exist")
            self._files.delete(_NAMESPACE, names)
            return f"Successfully deleted {command.path}"

        return self._files.together(delete)

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or folder another path; raises ToolError if there is something."""
        old, new = _name(command.old_path), _name(command.new_path)
        if not old:
            raise ToolError(f"Cannot rename the {ROOT} directory itself")

        def rename() -> str:
            files = self._texts()
            if new in files or _is_folder(new, files):
                raise ToolError(f"The destination {command.new_path} already exists")
            moves = {path: new + path[len(old) :] for path in files if _is_in(f"{path}/", old)}
            if not moves:
                raise ToolError(f"The path {command.old_path} does not exist")
            _refuse_below_a_file(command.new_path, new, files)
            if _is_in(new, old):
                raise ToolError(f"The destination {command.new_path} lies in {command.old_path}")
            self._files.move(_NAMESPACE, moves, text=lambda path, text: _said(path, str(text)))
            return f"Successfully renamed {command.old_path} to {command.new_path}"

        return self._files.together(rename)

    def clear_all_memory(self) -> str:
        """Delete every file for good."""
        self._files.delete(_NAMESPACE, list(self._texts()))
        return "All memory cleared"

    # -- inside

    def _texts(self) -> dict[str, str]:
        """Return the texts of all files by their paths below the root."""
        documents = self._files.list(_NAMESPACE)
        return {d.key: str(d.value) for d in documents if d.namespace == _NAMESPACE}

    def _write(self, name: str, text: str) -> str:
        """Write a file; return what it holds now."""
        return str(self._files.put(_NAMESPACE, name, text, text=_said(name, text)).value)

    def _edit(self, path: str, change: Callable[[str], str]) -> tuple[str, str]:
        """Change a file; return its text before and after."""
        name = _name(path)

        def edit() -> tuple[str, str]:
            files = self._texts()
            if name not in files:
                if _is_folder(name, files):
                    raise ToolError(f"The path {path} is not a file.")
                raise _missing(path)
            return files[name], self._write(name, change(files[name]))

        return self._files.together(edit)


class MemkitAsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """Memory tool for the asynchronous client; the file is read and written in a thread."""

    def __init__(
        self, kit: Memkit, *, cache_control: BetaCacheControlEphemeralParam | None = None
    ) -> None:
        """`kit` is the open store; its project is whose files are shown."""
        super().__init__(cache_control=cache_control)
        self._tool = MemkitMemoryTool(kit)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Return a file with numbered lines, or what lies in a folder."""
        return await asyncio.to_thread(self._tool.view, command)

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Write a new file."""
        return await asyncio.to_thread(self._tool.create, command)

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replace a text that occurs once in a file."""
        return await asyncio.to_thread(self._tool.str_replace, command)

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Insert lines into a file."""
        return await asyncio.to_thread(self._tool.insert, command)

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Delete a file or folder for good."""
        return await asyncio.to_thread(self._tool.delete, command)

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Give a file or folder another path."""
        return await asyncio.to_thread(self._tool.rename, command)

    async def clear_all_memory(self) -> str:
        """Delete every file for good."""
        return await asyncio.to_thread(self._tool.clear_all_memory)


# --- Paths: a file's name is its path below the root, a folder's is the beginning of others.


def _name(path: str) -> str:
    """Return a path below the root, "" for the root itself; raises ToolError for one outside."""
    if not path.startswith(ROOT):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    name = posixpath.normpath(f"{ROOT}/{path[len(ROOT) :].lstrip('/')}")
    if name != ROOT and not name.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    return name[len(ROOT) + 1 :]


def _is_in(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _is_folder(name: str, files: Mapping[str, str]) -> bool:
    return not name or any(_is_in(path, name) for path in files)


def _refuse_below_a_file(path: str, name: str, files: Mapping[str, str]) -> None:
    if any(_is_in(name, file) for file in files):
        raise ToolError(f"The path {path} lies below a file, and only a directory can hold one")


def _missing(path: str) -> ToolError:
    return ToolError(f"The path {path} does not exist. Please provide a valid path.")


# --- What is shown.


def _entries(folder: str, sizes: Mapping[str, int], level: int) -> Iterator[tuple[str, int]]:
    """Yield what lies in a folder by name, hidden items apart: paths below it and sizes."""
    head = f"{folder}/" if folder else ""
    names = {path[len(head) :].partition("/")[0] for path in sizes if _is_in(path, folder)}
    for name in sorted(name for name in names if not name.startswith(".")):
        path = head + name
        if path in sizes:
            yield name, sizes[path]
            continue
        yield f"{name}/", sum(size for file, size in sizes.items() if _is_in(file, path))
        if level < _LEVELS:
            for below, size in _entries(path, sizes, level + 1):
                yield f"{name}/{below}", size


def _size(count: int) -> str:
    """Return a number of bytes as the SDK writes it: 0B, 12B, 1K, 1.5K."""
    if count == 0:
        return "0B"
    power = min((count.bit_length() - 1) // 10, 3)
    size = count / 1024**power
    return f"{int(size)}{'BKMG'[power]}" if size == int(size) else f"{size:.1f}{'BKMG'[power]}"


def _numbered_view(command: BetaMemoryTool20250818ViewCommand, text: str) -> str:
    lines, first = text.split("\n"), 0
    if len(lines) > _MAX_LINES:
        raise ToolError(f"File {command.path} exceeds maximum line limit of 999,999 lines.")
    if command.view_range and len(command.view_range) == 2:
        begin, end = command.view_range
        first = max(1, begin) - 1
        lines = lines[first : len(lines) if end == -1 else end]
    numbered = "\n".join(_numbered(lines, first + 1))
    return f"Here's the content of {command.path} with line numbers:\n{numbered}"


def _numbered(lines: list[str], first: int) -> list[str]:
    return [f"{str(n).rjust(_WIDTH)}\t{line}" for n, line in enumerate(lines, first)]


def _refuse_unless_once(path: str, text: str, old: str) -> None:
    count = text.count(old)
    if count == 0:
        raise ToolError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if count > 1:
        lines, place = [], text.find(old)
        while place != -1:
            lines.append(str(text[:place].count("\n") + 1))
            place = text.find(old, place + 1)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
            f"{', '.join(lines)}. Please ensure it is unique"
        )


def _said(name: str, text: str) -> str:
    """Return what recall finds a file by: its path and what it holds."""
    return f"{ROOT}/{name}\n{text}"

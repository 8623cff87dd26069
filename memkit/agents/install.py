"""Installation into coding agents: which files, what goes into them, what is there already.

Settings of a project are shared by git, and a path of this machine is of no use to another's clone:
they start `memkit` from the PATH. Settings of the user name the program by its absolute path, since
an agent that was not started from a shell has hardly any PATH.
"""

from __future__ import annotations

import difflib
import os
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import attrs

from ..errors import InvalidInput
from ..redaction import redact
from ..store.lifecycle import FILE_NAME
from . import settings_files
from .entries import (
    Entries,
    HookEntries,
    PluginFile,
    ServerEntry,
    TomlServerEntry,
    program_of,
    read_failure,
)
from .json_text import Unreadable, is_blank


class Level(StrEnum):
    """Whose settings: those of the project, or of the user."""

    PROJECT = "project"
    USER = "user"


@attrs.frozen
class Surroundings:
    """Where settings lie, and how memkit is started from them.

    Attributes:
        root: the project's folder. home: the user's. variables: of the environment.
        program: words that start memkit on this machine.
        has_server: whether this memkit can be an MCP server. system: `sys.platform`.
    """

    root: Path
    home: Path
    variables: Mapping[str, str]
    program: tuple[str, ...]
    has_server: bool = True
    system: str = sys.platform

    def folder(self, variable: str, *otherwise: str) -> Path:
        """Return the folder that a variable names, else one in the user's."""
        named = self.variables.get(variable)
        return Path(named) if named else self.home.joinpath(*otherwise)


def surroundings(folder: Path) -> Surroundings:
    """Return those of a project that a folder lies in: the nearest with a store or a repository."""
    from importlib.util import find_spec

    places = (folder, *folder.parents)
    marks = (FILE_NAME, ".git")
    root = next((p for p in places if any((p / mark).exists() for mark in marks)), folder)
    return Surroundings(root, Path.home(), dict(os.environ), _program(), bool(find_spec("mcp")))


def _program() -> tuple[str, ...]:
    """Return what starts this very memkit: its script, else its Python."""
    name = "memkit.exe" if sys.platform == "win32" else "memkit"
    script = Path(sysconfig.get_path("scripts")) / name
    return (str(script),) if script.is_file() else (sys.executable, "-m", "memkit")


# --- The agents.

# Seconds that an agent waits at most: far more than the hook takes by its own limit, and less than
# a person bears. The end of a session has 1.5 s in Claude Code unless a hook asks for more.
_QUICK, _LONG = 5, 10
_CLAUDE = {
    "SessionStart": _LONG,
    "UserPromptSubmit": _QUICK,
    "PreToolUse": _QUICK,
    "PostToolUse": _QUICK,
    "PostToolUseFailure": _QUICK,
    "PreCompact": _LONG,
    "PostCompact": _QUICK,
    "SubagentStart": _QUICK,
    "SubagentStop": _QUICK,
    "Stop": _LONG,
    "SessionEnd": _LONG,
}
_CODEX = {e: s for e, s in _CLAUDE.items() if e not in ("PostToolUseFailure", "SessionEnd")}
_VSCODE = {event: seconds for event, seconds in _CODEX.items() if event != "PostCompact"}
_GEMINI = {
    "SessionStart": _LONG,
    "BeforeAgent": _QUICK,
    "BeforeTool": _QUICK,
    "AfterTool": _QUICK,
    "AfterAgent": _LONG,
    "PreCompress": _LONG,
    "SessionEnd": _LONG,
}
_CURSOR = {
    "sessionStart": _LONG,
    "beforeSubmitPrompt": _QUICK,
    "preToolUse": _QUICK,
    "postToolUse": _QUICK,
    "postToolUseFailure": _QUICK,
    "preCompact": _LONG,
    "subagentStart": _QUICK,
    "subagentStop": _QUICK,
    "stop": _LONG,
    "sessionEnd": _LONG,
}


@attrs.frozen
class Agent:
    """A coding agent: how it is called, where its settings lie, what its entries look like.

    Attributes:
        programs: whose presence on the PATH shows that the agent is there. folder: of its settings
            in the user's folder, which shows it as well. project, user: file of the hooks and file
            of the servers.
        hooks: makes its hook entries of the file and the words of the command; server: its server
            entry, likewise.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folder: str
    project: Callable[[Surroundings], tuple[Path, Path]]
    user: Callable[[Surroundings], tuple[Path, Path]]
    hooks: Callable[[Path, Sequence[str], str], Entries]
    server: Callable[[Path, Sequence[str]], Entries]


def _hooks(
    events: Mapping[str, int], *, is_powershell: bool = False, **form: Any
) -> Callable[[Path, Sequence[str], str], Entries]:
    """Return what makes hook entries of a form; `is_powershell`: its shell on Windows is that one,
    to which a quoted text is only a text."""

    def hooks(path: Path, words: Sequence[str], system: str) -> Entries:
        line = shell_line(words, system)
        if is_powershell and system == "win32" and line.startswith('"'):
            line = f"& {line}"
        return HookEntries(path, line, events, **form)

    return hooks


def _plugin(path: Path, words: Sequence[str], system: str) -> Entries:
    return PluginFile(path, tuple(words))


def _server(section: str, **more: object) -> Callable[[Path, Sequence[str]], Entries]:
    def server(path: Path, words: Sequence[str]) -> Entries:
        fields = {**more, "command": words[0], "args": list(words[1:])}
        make = TomlServerEntry if path.suffix == ".toml" else ServerEntry
        return make(path, section, fields)

    return server


def _opencode_server(path: Path, words: Sequence[str]) -> Entries:
    # Within 5 s, its own limit, a busy machine does not start a server.
    fields = {"type": "local", "command": list(words), "enabled": True, "timeout": 15_000}
    return ServerEntry(path, "mcp", fields)


def _claude_user(at: Surroundings) -> tuple[Path, Path]:
    folder = at.folder("CLAUDE_CONFIG_DIR", ".claude")
    return folder / "settings.json", at.folder("CLAUDE_CONFIG_DIR") / ".claude.json"


def _codex_user(at: Surroundings) -> tuple[Path, Path]:
    folder = at.folder("CODEX_HOME", ".codex")
    return folder / "hooks.json", folder / "config.toml"


def _vscode_user(at: Surroundings) -> tuple[Path, Path]:
    if at.system == "win32":
        base = at.folder("APPDATA", "AppData", "Roaming")
    elif at.system == "darwin":
        base = at.home / "Library" / "Application Support"
    else:
        base = at.folder("XDG_CONFIG_HOME", ".config")
    hooks = at.folder("COPILOT_HOME", ".copilot") / "hooks" / "memkit.json"
    return hooks, base / "Code" / "User" / "mcp.json"


def _opencode(folder: Path, plugins: Path) -> tuple[Path, Path]:
    commented = folder / "opencode.jsonc"
    config = commented if commented.exists() else folder / "opencode.json"
    return plugins / "plugins" / "memkit.js", config


def _opencode_user(at: Surroundings) -> tuple[Path, Path]:
    folder = at.folder("XDG_CONFIG_HOME", ".config") / "opencode"
    return _opencode(folder, folder)


def _below(hooks: str, server: str, *, home: bool = False) -> Callable[..., tuple[Path, Path]]:
    def files(at: Surroundings) -> tuple[Path, Path]:
        base = at.home if home else at.root
        return base / hooks, base / server

    return files


_ALL = (
    Agent(
        "claude", "Claude Code", ("claude",), ".claude",
        _below(".claude/settings.json", ".mcp.json"), _claude_user,
        _hooks(_CLAUDE), _server("mcpServers"),
    ),
    Agent(
        "codex", "Codex", ("codex",), ".codex",
        _below(".codex/hooks.json", ".codex/config.toml"), _codex_user,
        _hooks(_CODEX), _server("mcp_servers"),
    ),
    Agent(
        "gemini", "Gemini CLI", ("gemini",), ".gemini",
        _below(".gemini/settings.json", ".gemini/settings.json"),
        _below(".gemini/settings.json", ".gemini/settings.json", home=True),
        _hooks(_GEMINI, is_powershell=True, unit=1000), _server("mcpServers"),
    ),
    Agent(
        "cursor", "Cursor", ("cursor", "cursor-agent"), ".cursor",
        _below(".cursor/hooks.json", ".cursor/mcp.json"),
        _below(".cursor/hooks.json", ".cursor/mcp.json", home=True),
        _hooks(_CURSOR, is_grouped=False, has_type=False, preamble={"version": 1}),
        _server("mcpServers"),
    ),
    Agent(
        "vscode", "VS Code", ("code", "code-insiders"), ".vscode",
        _below(".github/hooks/memkit.json", ".vscode/mcp.json"), _vscode_user,
        _hooks(_VSCODE, is_grouped=False), _server("servers", type="stdio"),
    ),
    Agent(
        "opencode", "OpenCode", ("opencode",), ".config/opencode",
        lambda at: _opencode(at.root, at.root / ".opencode"), _opencode_user,
        _plugin, _opencode_server,
    ),
)  # fmt: skip
AGENTS: Mapping[str, Agent] = {agent.name: agent for agent in _ALL}


def shell_line(words: Sequence[str], system: str) -> str:
    """Return words as the line of a shell. On Windows that may be any of three shells: slashes
    instead of backslashes, and double quotes, mean the same to all."""
    if system != "win32":
        return shlex.join(words)
    return " ".join(f'"{word}"' if " " in word else word for word in _slashed(words))


def _slashed(words: Sequence[str]) -> list[str]:
    return [word.replace("\\", "/") for word in words]


def entries_of(
    agent: Agent, level: Level, at: Surroundings, *, absolute: bool = False
) -> tuple[Entries, ...]:
    """Return the entries of an agent at one level, those of hooks first."""
    is_shared = level is Level.PROJECT and not absolute
    program = ("memkit",) if is_shared else at.program
    hooks_file, server_file = agent.project(at) if level is Level.PROJECT else agent.user(at)
    hooks = agent.hooks(hooks_file, (*program, "hook", "--agent", agent.name), at.system)
    return hooks, agent.server(server_file, (*program, "mcp"))


def is_detected(agent: Agent, at: Surroundings) -> bool:
    """Whether the agent seems to be used here: its program, or a folder of its settings."""
    has_program = any(shutil.which(name, path=at.variables.get("PATH")) for name in agent.programs)
    return has_program or (at.home / agent.folder).is_dir() or agent.project(at)[0].parent.is_dir()


# --- Changes.


@attrs.frozen
class FileChange:
    """Change of a settings file: its text before and after, None where there is no file."""

    path: Path
    before: str | None
    after: str | None

    @property
    def verb(self) -> str:
        """What becomes of the file."""
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "made"
        return "removed" if self.after is None else "changed"

    @property
    def diff(self) -> str:
        """The difference as `diff -u` shows it, without secrets: it ends up on a screen."""
        before, after = (self.before or "").splitlines(), (self.after or "").splitlines()
        names = (str(self.path), str(self.path))
        lines = difflib.unified_diff(before, after, *names, lineterm="")
        return redact("\n".join(lines)).text


def installation(
    agent: Agent, level: Level, at: Surroundings, *, absolute: bool = False
) -> tuple[FileChange, ...]:
    """Return what installing changes: nothing where everything is as this version writes it.

    The server is left out where this memkit cannot be one, unless it is there already. Raises
    InvalidInput for a file that cannot be read; then nothing is to be changed anywhere."""
    command = f"memkit install {agent.name}"
    changes = []
    for path, entries in _by_file(entries_of(agent, level, at, absolute=absolute)).items():
        before = settings_files.read(path)
        text = before or ""
        try:
            for each in entries:
                if at.has_server or _is_hook(each) or each.commands(text):
                    text = each.added(text)
        except Unreadable as error:
            raise read_failure(path, text, error, command) from None
        changes.append(FileChange(path, before, text if before is not None or text else None))
    return tuple(changes)


def removal(agent: Agent, level: Level, at: Surroundings) -> tuple[FileChange, ...]:
    """Return what uninstalling changes: memkit's entries go, with the containers and the file that
    were made for them. Raises InvalidInput for a file that cannot be read."""
    changes = []
    for path, entries in _by_file(entries_of(agent, level, at)).items():
        before = settings_files.read(path)
        text = before or ""
        try:
            present = [each for each in entries if each.commands(text)]
            after = _removed(path, text, present) if present else before
        except Unreadable as error:
            raise read_failure(path, text, error, f"memkit uninstall {agent.name}") from None
        changes.append(FileChange(path, before, after))
    return tuple(changes)


def apply(changes: Sequence[FileChange], agent: Agent, level: Level, at: Surroundings) -> None:
    """Make the changes on the disk; what was there before memkit is put by. Raises InvalidInput."""
    by_file = _by_file(entries_of(agent, level, at))
    changes = [change for change in changes if change.before != change.after]
    for change in changes:
        settings_files.refuse_read_only(change.path)
    folders: list[str] = []
    for change in changes:
        had = _has_any(by_file[change.path], change.before)
        has = _has_any(by_file[change.path], change.after)
        if has and not had:
            settings_files.put_by(change.path, change.before)
        settings_files.write(change.path, change.before, change.after)
        if had and not has:
            state = settings_files.former(change.path)
            folders += state.folders if state else ()
            settings_files.clear(change.path)
    settings_files.remove_empty(sorted(folders, reverse=True))


def _by_file(entries: Sequence[Entries]) -> dict[Path, list[Entries]]:
    files: dict[Path, list[Entries]] = {}
    for each in entries:
        files.setdefault(each.path, []).append(each)
    return files


def _is_hook(entries: Entries) -> bool:
    return isinstance(entries, HookEntries | PluginFile)


def _has_any(entries: Sequence[Entries], text: str | None) -> bool:
    return any(each.commands(text or "") for each in entries)


def _removed(path: Path, text: str, entries: Sequence[Entries]) -> str | None:
    """Return the text of a file without entries, None if it goes."""
    state = settings_files.former(path)
    had = (state.text if state else None) or ""
    for each in entries:
        text = each.removed(text, had)
    if not is_blank(text):
        return text
    return state.text if state and state.text is not None and is_blank(state.text) else None


# --- What is there.


@attrs.frozen
class PlugState:
    """How an agent is plugged in at one level.

    Attributes:
        state: "plugged in", "outdated" (installing again changes something), "not plugged in", or
            why a file cannot be read. commands: what is run, each once. missing: the programs among
            them that are not there. last_fired: event and time of the last one that came.
    """

    agent: str
    level: Level
    state: str
    files: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    last_fired: tuple[str, str] | None = None

    @property
    def is_plugged(self) -> bool:
        """Whether an entry of memkit is there."""
        return bool(self.commands)

    @property
    def is_fine(self) -> bool:
        """Whether nothing is to be done."""
        return self.state in ("plugged in", "not plugged in") and not self.missing


def plug_state(
    agent: Agent, level: Level, at: Surroundings, fired: Mapping[str, Mapping[str, str]]
) -> PlugState:
    """Return how an agent is plugged in, by its settings and by the note of what came last."""
    entries = entries_of(agent, level, at)
    files = tuple(dict.fromkeys(str(each.path) for each in entries))
    plain = PlugState(agent.name, level, "not plugged in", files)
    try:
        lines = [
            line for each in entries for line in each.commands(settings_files.read(each.path) or "")
        ]
        if not lines:
            return plain
        is_current = _is_current(agent, level, at)
    except Unreadable as error:
        return attrs.evolve(plain, state=f"unreadable: {error}, in one of {', '.join(files)}")
    except InvalidInput as error:
        return attrs.evolve(plain, state=f"unreadable: {error}")
    commands = tuple(dict.fromkeys(lines))
    path = at.variables.get("PATH")
    programs = dict.fromkeys(program_of(line) for line in commands)
    missing = tuple(name for name in programs if shutil.which(name, path=path) is None)
    events = fired.get(agent.name, {})
    last = max(events.items(), key=lambda item: item[1], default=None)
    state = "plugged in" if is_current else "outdated"
    return PlugState(agent.name, level, state, files, commands, missing, last)


def _is_current(agent: Agent, level: Level, at: Surroundings) -> bool:
    """Whether installing again, with an absolute program or without, changes nothing."""
    return any(
        all(c.before == c.after for c in installation(agent, level, at, absolute=absolute))
        for absolute in (False, True)
    )

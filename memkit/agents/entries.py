"""Entries of memkit in the settings of agents: hooks, the MCP server, OpenCode's plugin.

Each sort of entry reads and edits the text of one file. A hook is known by its command (`memkit …
hook`), a server by its name and command, wherever they stand; whatever else is there is others'.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import attrs

from ..errors import InvalidInput
from ..text.patterns import lazy_pattern
from . import json_text, toml_text
from .json_text import KeyPath, Kind, Unreadable

SERVER = "memkit"
_HOOK = lazy_pattern(
    r"""(?:^|[\s/\\"'&=])memkit(?:\.exe|\.cmd|\.bat)?["']?\s(?:[^|;&]*\s)?hook(?=\s|$)""", re.I
)
_SERVER = lazy_pattern(
    r"""(?:^|[\s/\\"'&=])memkit(?:\.exe|\.cmd|\.bat)?["']?\s(?:[^|;&]*\s)?mcp(?=\s|$)""", re.I
)
_MARK = "// memkit plugin for OpenCode"


class Entries(Protocol):
    """Entries of one sort in one file."""

    @property
    def path(self) -> Path:
        """The file."""
        ...

    def added(self, text: str) -> str:
        """Return the text ("": no file yet) with the entries as this version writes them; raises
        Unreadable."""
        ...

    def removed(self, text: str, former: str) -> str:
        """Return the text without the entries and the containers that they leave empty, but for
        those that a former text has; "" if nothing is left. Raises Unreadable."""
        ...

    def commands(self, text: str) -> tuple[str, ...]:
        """Return the commands of the entries that are there; raises Unreadable."""
        ...


@attrs.frozen
class HookEntries:
    """Hooks in a JSON file: a command for each event.

    Attributes:
        events: seconds that the agent waits, by event. is_grouped: whether handlers stand in groups
            with a matcher. has_type: whether a handler says that it is a command. unit: of times,
            in a second. preamble: what a new file begins with.
    """

    path: Path
    command: str
    events: Mapping[str, int]
    is_grouped: bool = True
    has_type: bool = True
    unit: int = 1
    preamble: Mapping[str, object] = attrs.field(factory=dict)

    def added(self, text: str) -> str:
        is_new = json_text.is_blank(text)
        text = _begun(text)
        if is_new:
            text = json_text.update(text, (), self.preamble)
        present: dict[str, KeyPath] = {}
        for path in self._paths(text):
            present.setdefault(str(path[1]), path)
        staying = {path for event, path in present.items() if event in self.events}
        # From behind, so that what stays is where it was.
        for path in reversed([path for path in self._paths(text) if path not in staying]):
            text = self._dropped(text, path)
        for event, seconds in self.events.items():
            handler = self._handler(seconds)
            if event in present:
                text = json_text.update(text, present[event], handler)
            else:
                group = {"hooks": [handler]} if self.is_grouped else handler
                text = json_text.put(text, ("hooks", event, None), group)
        return text

    def removed(self, text: str, former: str) -> str:
        if json_text.is_blank(text):
            return text
        for path in reversed(list(self._paths(text))):
            text = self._dropped(text, path, former)
        rest = json_text.parse(text).value()
        begun = _value(former)
        own = [name for name in self.preamble if name not in begun]
        if isinstance(rest, dict) and own and rest == {name: self.preamble[name] for name in own}:
            for name in own:
                text = json_text.drop(text, (name,))
        return _restored(text, former)

    def commands(self, text: str) -> tuple[str, ...]:
        if not _mentions(text):
            return ()
        document = json_text.parse(text)
        return tuple(_line(document.value(path)) for path in self._paths(text))

    def _handler(self, seconds: int) -> dict[str, object]:
        kind: dict[str, object] = {"type": "command"} if self.has_type else {}
        return kind | {"command": self.command, "timeout": seconds * self.unit}

    def _paths(self, text: str) -> Iterator[KeyPath]:
        """Yield where memkit's handlers stand, in any form."""
        document = json_text.parse(text)
        for event, groups in _members(document.value(("hooks",))):
            for number, group in enumerate(groups if isinstance(groups, list) else ()):
                path = ("hooks", event, number)
                if _HOOK.search(_line(group)):
                    yield path
                handlers = group.get("hooks") if isinstance(group, dict) else None
                for inner, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                    if _HOOK.search(_line(handler)):
                        yield (*path, "hooks", inner)

    def _dropped(self, text: str, path: KeyPath, former: str = "") -> str:
        """Return the text without a handler, nor the group that had no other."""
        if len(path) > 3 and len(json_text.parse(text).value(path[:-1])) == 1:
            path = path[:3]
        return _dropped(text, path, former)


@attrs.frozen
class ServerEntry:
    """The MCP server in a JSON file.

    Attributes:
        section: name of the object that holds servers by name.
    """

    path: Path
    section: str
    fields: Mapping[str, object]

    def added(self, text: str) -> str:
        text = _begun(text)
        document = json_text.parse(text)
        place = (self.section, SERVER)
        node = document.node(place)
        if node is None:
            return json_text.put(text, place, dict(self.fields))
        if not self._is_own(document):
            raise Unreadable(node.start, f"memkit's server as {'.'.join(place)}, not another")
        return json_text.update(text, place, self.fields)

    def removed(self, text: str, former: str) -> str:
        if json_text.is_blank(text):
            return text
        if self._is_own(json_text.parse(text)):
            text = _dropped(text, (self.section, SERVER), former)
        return _restored(text, former)

    def commands(self, text: str) -> tuple[str, ...]:
        if not _mentions(text):
            return ()
        document = json_text.parse(text)
        line = _line(document.value((self.section, SERVER)))
        return (line,) if self._is_own(document) else ()

    def _is_own(self, document: json_text.Document) -> bool:
        return _SERVER.search(_line(document.value((self.section, SERVER)))) is not None


@attrs.frozen
class TomlServerEntry:
    """The MCP server in a TOML file."""

    path: Path
    section: str
    fields: Mapping[str, object]

    def added(self, text: str) -> str:
        present = toml_text.value(text, self._table)
        if present is not None and not self.commands(text):
            at = max(text.find(f"[{self.section}.{SERVER}]"), 0)
            raise Unreadable(at, f"memkit's server as {self.section}.{SERVER}, not another")
        return toml_text.put(text, self._table, self.fields)

    def removed(self, text: str, former: str) -> str:
        return toml_text.drop(text, self._table) if self.commands(text) else text

    def commands(self, text: str) -> tuple[str, ...]:
        line = _line(toml_text.value(text, self._table)) if _mentions(text) else ""
        return (line,) if _SERVER.search(line) else ()

    @property
    def _table(self) -> tuple[str, ...]:
        return (self.section, SERVER)


@attrs.frozen
class PluginFile:
    """A file of memkit's alone: the plugin that passes OpenCode's events on."""

    path: Path
    command: tuple[str, ...]

    def added(self, text: str) -> str:
        if text and not text.startswith(_MARK):
            raise Unreadable(0, f"'{_MARK}' at the beginning of the file, which is another's")
        source = (Path(__file__).parent / "opencode_plugin.js").read_text("utf-8")
        return source.replace("__COMMAND__", json.dumps(self.command, ensure_ascii=False))

    def removed(self, text: str, former: str) -> str:
        return "" if text.startswith(_MARK) else text

    def commands(self, text: str) -> tuple[str, ...]:
        if not text.startswith(_MARK):
            return ()
        listed = re.search(r"^const COMMAND = (\[.*\])", text, re.M)
        try:
            return (_line({"command": json.loads(listed[1])}),) if listed else ()
        except ValueError:
            return ()


def read_failure(path: Path, text: str, error: Unreadable, command: str) -> InvalidInput:
    """Return the error of a file that cannot be read, for people: line, what stands there, what
    should, and what to do next."""
    line = text.count("\n", 0, error.at) + 1
    rest = text[error.at :].split("\n", 1)[0].strip()
    shown = repr(rest[:20]) if rest else "the end of the line or file"
    return InvalidInput(
        f"{path}: line {line}: found {shown}, expected {error.expected}; nothing was changed: "
        f"mend the file, then run '{command}' again"
    )


def program_of(command: str) -> str:
    """Return the program that a command of a shell starts."""
    line = command.strip().removeprefix("&").strip()
    if line[:1] in "\"'" and line:
        return line[1:].split(line[0], 1)[0]
    return line.split(" ", 1)[0]


# -- helpers


def _mentions(text: str) -> bool:
    """Whether a text can hold an entry; others' files are large, or broken, and are let be."""
    return SERVER in text.lower()


def _begun(text: str) -> str:
    return text if not json_text.is_blank(text) else text.strip(" \t\r\n") + "{}\n"


def _dropped(text: str, path: KeyPath, former: str) -> str:
    """Return the text without an entry, nor the containers around it that are empty now; those
    stay that a former text has."""
    text = json_text.drop(text, path)
    had = json_text.parse(former) if not json_text.is_blank(former) else None
    for depth in range(len(path) - 1, 0, -1):
        outer = path[:depth]
        document = json_text.parse(text)
        node = document.node(outer)
        if node is None or not document.is_blank(node) or (had and had.node(outer)):
            break
        text = json_text.drop(text, outer)
    return text


def _restored(text: str, former: str) -> str:
    """Return the text with the blanks of what is as empty as it was; "" if nothing is left."""
    document = json_text.parse(text)
    if json_text.is_blank(former):
        is_empty = document.root.kind is Kind.OBJECT and document.is_blank(document.root)
        return "" if is_empty else text
    had = json_text.parse(former)
    paths: list[KeyPath] = [()]
    for name, value in _members(had.value()):
        paths += [(name,), *((name, inner) for inner, _ in _members(value))]
    return json_text.restore_blanks(text, former, paths)


def _value(text: str) -> Mapping[str, Any]:
    value = json_text.parse(text).value() if not json_text.is_blank(text) else {}
    return value if isinstance(value, dict) else {}


def _members(value: object) -> Iterable[tuple[str, object]]:
    return list(value.items()) if isinstance(value, dict) else []


def _line(entry: object) -> str:
    """Return the command line of an entry: one text, or a program and its arguments."""
    if not isinstance(entry, dict):
        return ""
    command, arguments = entry.get("command"), entry.get("args")
    words = [*(command if isinstance(command, list) else [command])]
    words += arguments if isinstance(arguments, list) else []
    return " ".join(word for word in words if isinstance(word, str))

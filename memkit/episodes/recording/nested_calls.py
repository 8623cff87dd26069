"""Nested calls: the calls of tools that a call holds, in its script or in a list.

    exec                     const out = await tools.exec_command({cmd: "pytest -q"}); text(out)
    multi_tool_use.parallel  {"tool_uses": [{"recipient_name": "functions.shell", "parameters": …}]}

They are what was done: the call around them only carries them. A script is not run: of its values
literals are read, and names that a literal was given to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...text.patterns import lazy_pattern
from . import tolerant_json
from .envelope import unwrap
from .event import Event, ToolCall
from .tool_calls import files_of, shell_command

Parameters = Mapping[str, Any]
Nested = tuple[str, Parameters]

# Calls that are taken out of one, and characters of a script that are read.
_MAX_CALLS, _MAX_SCRIPT = 50, 400_000
_LISTS = ("tool_uses", "tool_calls", "calls", "invocations")
_NAMES = ("recipient_name", "tool_name", "tool", "name")
_ARGUMENTS = ("parameters", "arguments", "args", "input")
_SCRIPTS = ("input", "code", "script")
# Tools whose scripts call nothing of the agent's, whatever they name so.
_OTHER_LANGUAGE = lazy_pattern(r"(?i)python|jupyter|notebook|ruby|sql")
# The one parameter of a tool that is called with a text.
_TEXT_PARAMETER = "input"


def nested_calls(tool: str, parameters: Parameters) -> list[Nested]:
    """Return tool and parameters of each call that a call holds, in order; none for a plain one."""
    if shell_command(tool, parameters) is not None:
        return []
    listed = [
        nested
        for key in _LISTS
        for item in tolerant_json.objects(parameters.get(key))
        if (nested := _of_item(item)) is not None
    ]
    is_script = not listed and not _OTHER_LANGUAGE.search(tool)
    scripts = (parameters.get(key) for key in _SCRIPTS if is_script)
    in_scripts = (
        nested
        for script in scripts
        if isinstance(script, str) and _CALLEE.search(script)
        for nested in _of_script(script[:_MAX_SCRIPT])
    )
    return [*listed, *in_scripts][:_MAX_CALLS]


def expanded(event: Event) -> list[Event]:
    """Return an event, or if it is a call that holds others, one for each of these.

    What came back is that of the last command among them: it is what the script told. If it tells
    of a failure, the call that the words name has failed, else that command.
    """
    if event.tool is None:
        return [event]
    outer = event.tool
    nested = nested_calls(str(outer.tool), tolerant_json.mapping(outer.parameters))
    if not nested:
        return [event]
    carrier = _carrier(nested, outer.output)
    calls = (
        _inner(
            outer, number, *call, cwd=event.cwd, carries=number == carrier, only=len(nested) == 1
        )
        for number, call in enumerate(nested)
    )
    return [event._replace(tool=call) for call in calls]


# -- inside


def _of_item(item: Parameters) -> Nested | None:
    tool = next((text for key in _NAMES if (text := tolerant_json.text(item.get(key)))), None)
    parameters: object = next((item[key] for key in _ARGUMENTS if key in item), None)
    if tool is None:
        return None
    return tool.removeprefix("functions."), tolerant_json.written_mapping(parameters)


def _carrier(nested: Sequence[Nested], output: object) -> int:
    """Return which of the calls what came back belongs to."""
    text = output if isinstance(output, str) else ""
    if unwrap(text).success is False:
        body = unwrap(text).body
        named = [number for number, (tool, _) in enumerate(nested) if tool in body]
        if named:
            return named[-1]
    commands = [number for number, call in enumerate(nested) if shell_command(*call) is not None]
    return commands[-1] if commands else len(nested) - 1


def _inner(
    outer: ToolCall,
    number: int,
    tool: str,
    parameters: Parameters,
    *,
    cwd: str | None,
    carries: bool,
    only: bool,
) -> ToolCall:
    """Return one call inside another."""
    folder = tolerant_json.text_at(parameters, "workdir") or cwd
    call_id = outer.call_id if only or outer.call_id is None else f"{outer.call_id}/{number + 1}"
    inner = outer._replace(
        tool=tool,
        parameters=parameters,
        call_id=call_id,
        files=files_of(tool, parameters, folder),
    )
    if carries:
        return inner if only else inner._replace(duration_ms=None)
    return inner._replace(
        success=True if outer.has_result else None,
        output=None,
        result=None,
        error=None,
        exit_code=None,
        duration_ms=None,
    )


# --- Scripts: calls of `tools.NAME(…)` with the literals that they are given.

_CALLEE = lazy_pattern(r"\b(?:tools|functions)\s*\.\s*([A-Za-z_]\w*)\s*\(")
_BOUND = lazy_pattern(r"\b(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=(?!=)\s*")
_NAME = lazy_pattern(r"[A-Za-z_$][\w$]*")
_NUMBER = lazy_pattern(r"-?\d+(?:\.\d+)?")
_BLANK = lazy_pattern(r"(?:\s|//[^\n]*|/\*.*?\*/)+", re.S)
_RAW = lazy_pattern(r"String\s*\.\s*raw\s*(?=`)")
_JOINED = lazy_pattern(r"\s*\.\s*join\s*\(\s*")
_ESCAPE = lazy_pattern(
    r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.S
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_NESTING = 20


class _Unreadable(ValueError):
    """A value that is no literal."""


def _of_script(script: str) -> Iterator[Nested]:
    """Yield the calls of a script in the order in which they stand there."""
    reader = _Script(script)
    while reader.position < len(script):
        if script[reader.position] in "\"'`":
            reader.attempt()
        elif match := _CALLEE.match(script, reader.position):
            reader.position = match.end()
            argument = reader.attempt()
            if isinstance(argument, str):
                argument = {_TEXT_PARAMETER: argument}
            yield match[1], argument if isinstance(argument, dict) else {}
        elif match := _BOUND.match(script, reader.position):
            reader.position = match.end()
            start, value = match.end(), reader.attempt()
            if isinstance(value, str | dict | list):
                reader.bound[match[1]] = value
            else:
                reader.position = start
        else:
            step = _BLANK.match(script, reader.position) or _NAME.match(script, reader.position)
            reader.position = step.end() if step else reader.position + 1


class _Script:
    """A script that is read from left to right; `bound` holds what names stand for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.bound: dict[str, Any] = {}

    def attempt(self) -> Any:
        """Return the value that begins here, or None if it is no literal; goes on behind what was
        read of it."""
        start = self.position
        try:
            return self._sum(0)
        except (_Unreadable, IndexError, ValueError):
            self.position = max(self.position, start + (self.text[start : start + 1] in "\"'`"))
            return None

    # -- inside

    def _sum(self, depth: int) -> Any:
        """Read a value, or several texts joined by `+`."""
        value = self._value(depth)
        while self._blank() == "+" and isinstance(value, str):
            self.position += 1
            value += str(self._value(depth))
        return value

    def _blank(self) -> str:
        """Go over blanks and comments; return the character that follows."""
        if match := _BLANK.match(self.text, self.position):
            self.position = match.end()
        return self.text[self.position : self.position + 1]

    def _value(self, depth: int) -> Any:
        if depth > _NESTING:
            raise _Unreadable
        first = self._blank()
        if match := _RAW.match(self.text, self.position):
            self.position = match.end()
            return self._string(raw=True)
        if first and first in "\"'`":
            return self._string(raw=False)
        if first == "{":
            return self._object(depth)
        if first == "[":
            return self._array(depth)
        if match := _NUMBER.match(self.text, self.position):
            self.position = match.end()
            return tolerant_json.parsed(match[0])
        return self._name()

    def _string(self, *, raw: bool) -> str:
        quote, start = self.text[self.position], self.position + 1
        end = start
        while self.text[end] != quote:
            end += 2 if self.text[end] == "\\" else 1
        self.position = end + 1
        text = self.text[start:end]
        return text if raw else _ESCAPE.sub(_unescaped, text)

    def _object(self, depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        self.position += 1
        while (first := self._blank()) != "}":
            if first in "\"'`":
                key = self._string(raw=False)
            elif match := _NAME.match(self.text, self.position):
                key, self.position = match[0], match.end()
            else:
                raise _Unreadable
            if self._blank() == ":":
                self.position += 1
                self._field(values, key, depth)
            elif key in self.bound:
                values[key] = self.bound[key]
            self._comma("}")
        self.position += 1
        return values

    def _field(self, values: dict[str, Any], key: str, depth: int) -> None:
        """Read the value of a key; one that is no literal is gone over."""
        start = self.position
        try:
            values[key] = self._sum(depth + 1)
        except _Unreadable:
            self.position = start
        if self._blank() not in (",", "}"):
            values.pop(key, None)
            self._skip()

    def _skip(self) -> None:
        """Go over an expression to the comma or bracket that ends it."""
        depth = 0
        while depth or self._blank() not in (",", "}", "]"):
            letter = self.text[self.position]
            if letter in "\"'`":
                self._string(raw=True)
                continue
            depth += (letter in "([{") - (letter in ")]}")
            self.position += 1

    def _array(self, depth: int) -> Any:
        values: list[Any] = []
        self.position += 1
        while self._blank() != "]":
            values.append(self._sum(depth + 1))
            self._comma("]")
        self.position += 1
        if match := _JOINED.match(self.text, self.position):
            self.position = match.end()
            by = self._string(raw=False)
            self.position = self.text.index(")", self.position) + 1
            return by.join(map(str, values))
        return values

    def _comma(self, end: str) -> None:
        follows = self._blank()
        if follows == ",":
            self.position += 1
        elif follows != end:
            raise _Unreadable

    def _name(self) -> Any:
        match = _NAME.match(self.text, self.position)
        if match is None or (match[0] not in _WORDS and match[0] not in self.bound):
            raise _Unreadable
        self.position = match.end()
        return _WORDS[match[0]] if match[0] in _WORDS else self.bound[match[0]]


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        return chr(min(int(code, 16), 0x10FFFF))
    return _ESCAPES.get(match[4], match[4])

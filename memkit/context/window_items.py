"""Items of a window, and how they become messages and come out of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from ..episodes.error_signatures import command_of
from ..episodes.paths import RepositoryPaths
from ..episodes.recording.normalizer import is_private_call
from ..episodes.recording.tool_calls import files_of
from ..redaction.redactor import CLOSE, OPEN, disarmed
from .messages import MessageFormat, turns
from .messages.editing import with_short_arguments
from .messages.format import without_parts
from .messages.records import (
    Count,
    FormatName,
    Message,
    Part,
    PartKind,
    Side,
    Turn,
    TurnKind,
    parsed,
)
from .relevance import ItemType


@attrs.frozen
class WindowItem:
    """Item of a window (seed 000).

    Attributes:
        id: its name in the window. position: its place in the order of the window.
        timestamp: when it was added, UTC text. relevance: what whoever added it said, 0 to 1.
        task: the task it belongs to. dependencies: ids of items that it depends on.
        pinned: it is never removed. tool_calls: tools that a response calls.
        calls, answers: ids of calls that it makes, or is the result of.
        tool, path, lines: of a tool result or a code snippet. query: of a graph query.
        intent: of a user's message, if it is known.
        messages: what it is in the list that it came from; empty: it is rendered.
        handle: what brings back a result that was replaced by a stub.
    """

    id: str
    position: int
    content: str
    type: ItemType
    timestamp: str
    tokens: int
    relevance: float = 1.0
    task: str | None = None
    dependencies: tuple[str, ...] = ()
    pinned: bool = False
    tool_calls: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    answers: str | None = None
    tool: str | None = None
    path: str | None = None
    lines: tuple[int, int] | None = None
    query: str | None = None
    intent: str | None = None
    messages: tuple[Message, ...] = ()
    handle: int | None = None


def item_from(document: Mapping[str, Any]) -> WindowItem:
    """Return the item of its own fields as JSON values."""
    fields = dict(document)
    for name in ("dependencies", "tool_calls", "calls", "messages"):
        fields[name] = tuple(fields[name])
    lines = fields["lines"]
    fields["lines"] = None if lines is None else (lines[0], lines[1])
    return WindowItem(**{**fields, "type": ItemType(fields["type"])})


# --- From a message list to items: what the model does in one step is an item, each result another.

_TYPES = {
    TurnKind.SYSTEM: ItemType.SYSTEM_PROMPT,
    TurnKind.COMPACTION: ItemType.USER_MESSAGE,
    TurnKind.USER: ItemType.USER_MESSAGE,
    TurnKind.ASSISTANT: ItemType.ASSISTANT_RESPONSE,
    TurnKind.TOOL: ItemType.ASSISTANT_RESPONSE,
}


def item_fields(
    format: MessageFormat, messages: Sequence[Message], count: Count
) -> Iterator[dict[str, Any]]:
    """Yield the fields of the items that a message list is made of."""
    units = turns(format, messages, count)
    everything = [part for turn in units for part in turn.parts]
    for turn in units:
        for parts in _pieces(turn):
            own = set(map(id, parts))
            indexes = sorted({part.message for part in parts})
            fragment = without_parts(
                format,
                [(index, messages[index]) for index in indexes],
                [part for part in everything if id(part) not in own],
            )
            yield _fields(turn, parts) | {
                "messages": tuple(message for _, message in fragment),
                "pinned": turn.kind in (TurnKind.SYSTEM, TurnKind.COMPACTION),
            }


def _pieces(turn: Turn) -> Iterator[tuple[Part, ...]]:
    """Yield the parts of a turn that the model said, and each result."""
    rest = tuple(part for part in turn.parts if part.kind is not PartKind.RESULT)
    if rest:
        yield rest
    yield from ((part,) for part in turn.parts if part.kind is PartKind.RESULT)


def _fields(turn: Turn, parts: Sequence[Part]) -> dict[str, Any]:
    text = "\n".join(part.text for part in parts if part.text)
    if parts[0].kind is not PartKind.RESULT:
        calls = tuple(part for part in parts if part.kind is PartKind.CALL)
        return {
            "content": text,
            "type": _TYPES[turn.kind],
            "calls": tuple(call.call_id for call in calls),
            "tool_calls": tuple(call.name for call in calls),
        }
    call = next((c for c in turn.calls if c.id == parts[0].call_id), None)
    files = files_of(call.name, call.arguments) if call is not None else ()
    return {
        "content": text,
        "type": ItemType.TOOL_RESULT,
        "answers": parts[0].call_id,
        "tool": call.name if call is not None else None,
        "path": str(files[0].path) if files else None,
        "lines": files[0].lines if files else None,
    }


# --- From items to messages.


def rendered(format: MessageFormat, item: WindowItem) -> list[Message]:
    """Return an item as messages of a format: as it came, else by its type. A system prompt of its
    own is no message of Anthropic's format."""
    if item.messages:
        return list(item.messages)
    if item.type is ItemType.USER_MESSAGE:
        return [format.user_message(item.content)]
    is_anthropic = format.name is FormatName.ANTHROPIC
    if item.type is ItemType.SYSTEM_PROMPT:
        return [] if is_anthropic else [_said(format, "system", item.content)]
    if item.type is ItemType.ASSISTANT_RESPONSE and not item.query:
        return [_said(format, "assistant", item.content)]
    return [format.user_message(block(_heading(item), item.content))]


def block(heading: str, text: str) -> str:
    """Return a text between memkit's marks, so that it does not pose as the user's own words."""
    return f"{OPEN}>\n{heading}\n{disarmed(text)}\n{CLOSE}"


def _said(format: MessageFormat, role: str, text: str) -> Message:
    if format.name is FormatName.OPENAI_RESPONSES:
        return {"type": "message", "role": role, "content": text}
    return {"role": role, "content": text}


def _heading(item: WindowItem) -> str:
    if item.type is ItemType.CODE_SNIPPET:
        place = f"{item.path}:{item.lines[0]}-{item.lines[1]}" if item.lines else str(item.path)
        return f"Code from {place}:"
    if item.type is ItemType.TASK_STATE:
        return f"State of task {item.task}:" if item.task else "State of the task:"
    if item.type is ItemType.TOOL_RESULT:
        return f"Result of {item.tool or 'a tool'}:"
    return f"About {item.query}:" if item.query else "For reference:"


def stubbed(format: MessageFormat, item: WindowItem, text: str) -> WindowItem | None:
    """Return a result with a text in its place; None if it may be no text."""
    parts = [p for m in item.messages for p in format.parts([m]) if p.kind is PartKind.RESULT]
    if len(parts) != 1 or parts[0].is_fixed or parts[0].side is Side.MODEL:
        return None
    message = format.with_result(item.messages[0], parts[0], text)
    return attrs.evolve(item, content=text, messages=(message,))


# What stands for the content of a private file in what is stored.
_PRIVATE = "[content of a private file; not stored]"


def without_private(
    format: MessageFormat, item: WindowItem, repository: RepositoryPaths
) -> WindowItem:
    """Return an item as it may be stored: what is of private files is replaced."""
    if item.path is not None and repository.is_private(repository.stored(item.path)):
        bare = attrs.evolve(item, content=_PRIVATE)
        return stubbed(format, item, _PRIVATE) or attrs.evolve(bare, messages=())
    messages = tuple(_without_private(format, m, repository) for m in item.messages)
    if messages == item.messages:
        return item
    texts = [part.text for m in messages for part in format.parts([m]) if part.text]
    return attrs.evolve(item, messages=messages, content="\n".join(texts))


def _without_private(
    format: MessageFormat, message: Message, repository: RepositoryPaths
) -> Message:
    for part in format.parts([message]):
        arguments = parsed(part.text) if part.kind is PartKind.CALL else None
        if arguments and is_private_call(repository, arguments, command_of(arguments)):
            message = with_short_arguments(format, message, part, _PRIVATE)
    return message

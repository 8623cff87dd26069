"""OpenAI Chat Completions: tool messages right behind the message that called them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from .format import MessageFormat, side_of, wrong_arguments, wrong_roles
from .records import (
    Exchange,
    FormatName,
    Message,
    MessageProblem,
    Part,
    PartKind,
    Rule,
    blocks_in,
    flat_text,
    text_in,
)

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


class OpenAIChat(MessageFormat):
    """Format of the OpenAI Chat Completions API."""

    name = FormatName.OPENAI_CHAT

    def parts(self, messages: Sequence[Message]) -> list[Part]:
        """Return what each message says and calls; it goes only as a whole."""
        return [part for index, message in enumerate(messages) for part in _parts(index, message)]

    def joins(self, before: Part, part: Part) -> bool:
        """What stands in one message cannot be removed one by one."""
        return before.message == part.message

    def exchanges(self, messages: Sequence[Message], parts: Sequence[Part]) -> list[Exchange]:
        """Each assistant message with calls, and the tool messages right behind it."""
        calls: dict[int, list[Part]] = {}
        results: dict[int, Part] = {}
        for part in parts:
            if part.kind is PartKind.CALL:
                calls.setdefault(part.message, []).append(part)
            elif part.kind is PartKind.RESULT:
                results[part.message] = part
        out = []
        for index, own in calls.items():
            end = index + 1
            while end in results:
                end += 1
            behind = tuple(results[at] for at in range(index + 1, end))
            out.append(Exchange(tuple(own), behind, end == len(messages), index + 1))
        return out

    def own_problems(
        self, messages: Sequence[Message], parts: Sequence[Part]
    ) -> Iterator[MessageProblem]:
        """Yield wrong roles, messages without content, and arguments that are no JSON object."""
        yield from wrong_roles(messages, _ROLES)
        for index, message in enumerate(messages):
            if isinstance(message, dict) and not _says(message):
                text = "found no content, expected a text, blocks or tool calls"
                yield MessageProblem(index, Rule.EMPTY, text)
            for call in blocks_in(message, "tool_calls"):
                function = call.get("function") if isinstance(call, dict) else None
                if text_in(call, "type") in ("", "function"):
                    arguments = function.get("arguments") if isinstance(function, dict) else None
                    part = Part(index, None, side_of("assistant"), PartKind.CALL)
                    named = attrs.evolve(part, call_id=text_in(call, "id"))
                    yield from wrong_arguments(named, arguments)

    def with_result(self, message: Message, part: Part, text: str) -> Message:
        return {**message, "content": text}

    def arguments(self, message: Message, part: Part) -> object:
        """Return the arguments of a call as JSON text, or the free input of a custom tool."""
        for call in blocks_in(message, "tool_calls"):
            if text_in(call, "id") == part.call_id:
                return _call_text(call)
        return None

    def with_arguments(self, message: Message, part: Part, arguments: object) -> Message:
        calls = [
            _changed(call, arguments) if text_in(call, "id") == part.call_id else call
            for call in blocks_in(message, "tool_calls")
        ]
        return {**message, "tool_calls": calls}

    def result(self, call: Part, text: str) -> Message:
        return {"role": "tool", "tool_call_id": call.call_id, "content": text}


def _parts(index: int, message: object) -> Iterator[Part]:
    role = text_in(message, "role")
    side = side_of(role)
    text, images = flat_text(message.get("content") if isinstance(message, dict) else str(message))
    if role == "tool":
        call_id = text_in(message, "tool_call_id")
        yield Part(index, None, side, PartKind.RESULT, text, call_id, images=images)
        return
    calls = blocks_in(message, "tool_calls")
    said = "\n".join(filter(None, (text_in(message, "reasoning_content"), _plain(text, message))))
    if said or images or not calls:
        yield Part(index, None, side, PartKind.TEXT, said, images=images)
    for call in calls:
        inner = _inner(call)
        name = text_in(inner, "name")
        kind = PartKind.CALL
        yield Part(index, None, side, kind, _call_text(call), text_in(call, "id"), name)


def _plain(text: str, message: object) -> str:
    """A content that is null is no text."""
    return text if isinstance(message, dict) and message.get("content") is not None else ""


def _inner(call: object) -> Message:
    for key in ("function", "custom"):
        inner = call.get(key) if isinstance(call, dict) else None
        if isinstance(inner, dict):
            return inner
    return {}


def _call_text(call: object) -> str:
    inner = _inner(call)
    return text_in(inner, "arguments") or text_in(inner, "input")


def _changed(call: object, arguments: object) -> object:
    if not isinstance(call, dict):
        return call
    if isinstance(call.get("function"), dict):
        return {**call, "function": {**_inner(call), "arguments": arguments}}
    return {**call, "custom": {**_inner(call), "input": arguments}}


def _says(message: Message) -> bool:
    keys = ("content", "tool_calls", "refusal", "audio", "function_call")
    if text_in(message, "role") in ("tool", "function"):  # a command may print nothing
        return isinstance(message.get("content"), str | list)
    return any(message.get(key) for key in keys) or (
        text_in(message, "role") != "assistant" and isinstance(message.get("content"), str)
    )

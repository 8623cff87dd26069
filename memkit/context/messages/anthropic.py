"""Anthropic Messages: results in the next user message, thinking bound to its prefix.

Thinking. Blocks of thinking come back byte for byte and in order; on models that preserve it, each
is bound to everything before it, so that an edit of an earlier message invalidates it and all later
ones (the API answers 400, or drops them if the request sets
`thinking.block_binding.prefix_mismatch_behavior` to "drop_block"). At a cut, therefore, every block
of thinking at and after the first changed message goes. One may not go: that of the latest
assistant message while its tool loop is unfinished ("blocks in the latest assistant message cannot
be modified"). It stays untouched; a list cut there is valid for models without bound thinking, and
with "drop_block". Where thinking is bound and nothing drops it, no cut before it is valid until the
loop has ended: `open_thinking` says so, and the caller waits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from .format import MessageFormat, is_user, side_of, wrong_roles
from .records import (
    Exchange,
    FormatName,
    Message,
    MessageProblem,
    Part,
    PartKind,
    Rule,
    Side,
    as_json,
    blocks_in,
    flat_text,
    runs,
    text_in,
)

_ROLES = ("user", "assistant", "system")
_THINKING = ("thinking", "redacted_thinking")
_KINDS = {
    "text": PartKind.TEXT,
    "tool_use": PartKind.CALL,
    "tool_result": PartKind.RESULT,
    "compaction": PartKind.COMPACTION,
    **dict.fromkeys(_THINKING, PartKind.THINKING),
}


class AnthropicMessages(MessageFormat):
    """Format of the Anthropic Messages API."""

    name = FormatName.ANTHROPIC
    binds_thinking = True

    def parts(self, messages: Sequence[Message]) -> list[Part]:
        """Return the blocks of all messages; a content that is a text is one part."""
        return [part for index, message in enumerate(messages) for part in _parts(index, message)]

    def joins(self, before: Part, part: Part) -> bool:
        """Neighbours of one side are one turn: merged by the API, with the thinking between."""
        return True

    def exchanges(self, messages: Sequence[Message], parts: Sequence[Part]) -> list[Exchange]:
        """Each run of assistant messages: its results stand first in the user's run behind it;
        those of the provider's own tools inside it."""
        of_message: dict[int, list[Part]] = {}
        for part in parts:
            of_message.setdefault(part.message, []).append(part)
        spans = runs([_side(message) for message in messages])
        held = [[p for at in range(*span) for p in of_message.get(at, [])] for span in spans]
        out = []
        for number, (start, end) in enumerate(spans):
            if _side(messages[start]) is not Side.MODEL:
                continue
            is_next = number + 1 < len(spans) and _side(messages[end]) is Side.USER
            after = held[number + 1] if is_next else []
            leading = _leading_results(after)
            is_last = number + 1 == len(spans)
            waits = is_last or (number + 2 == len(spans) and len(leading) == len(after) > 0)
            calls = tuple(p for p in held[number] if p.kind is PartKind.CALL)
            out.append(Exchange(calls, tuple(leading), waits, end))
            out += _server_exchanges(held[number], is_last=is_last, end=end)
        return out

    def own_problems(
        self, messages: Sequence[Message], parts: Sequence[Part]
    ) -> Iterator[MessageProblem]:
        """Yield wrong roles, emptiness, a wrong beginning, misplaced thinking and compaction."""
        yield from wrong_roles(messages, _ROLES)
        yield from _empty(messages)
        yield from _first(messages, parts)
        for part in parts:
            if part.kind is PartKind.COMPACTION and (part.message, part.block) != (0, 0):
                text = "found a compaction block here, expected it as first block of the first"
                yield MessageProblem(part.message, Rule.COMPACTION, f"{text} message only")
            if part.kind is PartKind.THINKING and part.side is not Side.MODEL:
                text = "found thinking in a message of another, expected it in assistant messages"
                yield MessageProblem(part.message, Rule.THINKING, text)
        for before, behind in zip_longest(parts, parts[1:]):
            is_end = behind is None or behind.side is not Side.MODEL
            if before.kind is PartKind.THINKING and is_end:
                text = "found thinking as the last block, expected text or a call behind it"
                yield MessageProblem(before.message, Rule.THINKING, text)

    def with_result(self, message: Message, part: Part, text: str) -> Message:
        return _with_block(message, part, {"content": text})

    def arguments(self, message: Message, part: Part) -> object:
        """Return the `input` of a call; that of the provider's own tools must stay."""
        if part.kind is not PartKind.CALL or part.block is None:
            return None
        block = blocks_in(message)[part.block]
        return block.get("input") if isinstance(block, dict) else None

    def with_arguments(self, message: Message, part: Part, arguments: object) -> Message:
        return _with_block(message, part, {"input": arguments})

    def result(self, call: Part, text: str) -> Message:
        return {"type": "tool_result", "tool_use_id": call.call_id, "content": text}

    def answered(self, messages: list[Message], at: int, result: Message) -> list[Message]:
        """Return the messages with a result at the head of the user message behind the call."""
        if at < len(messages) and is_user(messages[at]):
            blocks = [result, *_as_blocks(messages[at].get("content"))]
            return [*messages[:at], {**messages[at], "content": blocks}, *messages[at + 1 :]]
        return [*messages[:at], {"role": "user", "content": [result]}, *messages[at:]]

    def first_text(self, blocks: Sequence[object]) -> int:
        """Results stay first."""
        return sum(text_in(block, "type") == "tool_result" for block in blocks)

    def without(self, message: Message, blocks: frozenset[int]) -> Message | None:
        rest = [b for at, b in enumerate(blocks_in(message)) if at not in blocks]
        return {**message, "content": rest} if rest else None


def _side(message: object) -> Side | None:
    role = text_in(message, "role")
    return side_of(role) if role in _ROLES else None


def _parts(index: int, message: object) -> Iterator[Part]:
    side = _side(message) or Side.USER
    content = message.get("content") if isinstance(message, dict) else as_json(message)
    if not isinstance(content, list):
        yield Part(index, None, side, PartKind.TEXT, flat_text(content)[0])
        return
    for at, block in enumerate(content):
        yield _part(index, at, side, block)


def _part(index: int, at: int, side: Side, block: object) -> Part:
    type_ = text_in(block, "type")
    kind = _KINDS.get(type_) or _server_kind(type_)
    if kind is PartKind.CALL or kind is PartKind.SERVER_CALL:
        text = as_json(block.get("input")) if isinstance(block, dict) else ""
        return Part(index, at, side, kind, text, text_in(block, "id"), text_in(block, "name"))
    if kind is PartKind.RESULT or kind is PartKind.SERVER_RESULT:
        text, images = flat_text(block.get("content") if isinstance(block, dict) else "")
        return Part(index, at, side, kind, text, text_in(block, "tool_use_id"), images=images)
    if kind is PartKind.THINKING:
        return Part(index, at, side, kind, text_in(block, "thinking") or text_in(block, "data"))
    if kind is PartKind.COMPACTION:
        return Part(index, at, side, kind, text_in(block, "content"))
    text, images = flat_text(block)
    return Part(index, at, side, kind, text, images=images)


def _server_kind(type_: str) -> PartKind:
    if type_.endswith("_tool_use"):
        return PartKind.SERVER_CALL
    return PartKind.SERVER_RESULT if type_.endswith("_tool_result") else PartKind.OTHER


def _leading_results(parts: Sequence[Part]) -> list[Part]:
    end = next((at for at, p in enumerate(parts) if p.kind is not PartKind.RESULT), len(parts))
    return list(parts[:end])


def _server_exchanges(parts: Sequence[Part], *, is_last: bool, end: int) -> Iterator[Exchange]:
    for at, part in enumerate(parts):
        if part.kind is PartKind.SERVER_CALL:
            later = tuple(
                p
                for p in parts[at:]
                if p.kind is PartKind.SERVER_RESULT and p.call_id == part.call_id
            )
            yield Exchange((part,), later[:1], is_last, end)


def _empty(messages: Sequence[Message]) -> Iterator[MessageProblem]:
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        content = message.get("content")
        is_wrong = not isinstance(content, str | list) or not content
        blank = [b for b in blocks_in(message) if text_in(b, "type") == "text" and not _says(b)]
        if is_wrong or blank:
            shown = "an empty text block" if blank else f"content {content!r:.40}"
            text = f"found {shown}, expected a text or blocks that hold something"
            yield MessageProblem(index, Rule.EMPTY, text)


def _says(block: object) -> bool:
    return bool(text_in(block, "text").strip())


def _first(messages: Sequence[Message], parts: Sequence[Part]) -> Iterator[MessageProblem]:
    first = next((at for at, m in enumerate(messages) if _side(m) is not Side.SYSTEM), None)
    begins = parts[0].kind is PartKind.COMPACTION if parts else False
    if first is not None and _side(messages[first]) is Side.MODEL and not begins:
        text = "found an assistant message first, expected one of the user"
        yield MessageProblem(first, Rule.FIRST, text)


def _with_block(message: Message, part: Part, fields: Message) -> Message:
    blocks = list(blocks_in(message))
    block = blocks[part.block] if part.block is not None else None
    if part.block is not None and isinstance(block, dict):
        blocks[part.block] = {**block, **fields}
    return {**message, "content": blocks}


def _as_blocks(content: object) -> list[object]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) and content else []

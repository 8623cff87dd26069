"""Message lists of providers: what is valid, what hangs together, edits that keep it so."""

from __future__ import annotations

from collections.abc import Sequence

from ...validation import iterable, member
from .anthropic import AnthropicMessages
from .editing import (
    cut_problems,
    insert_note,
    open_thinking,
    remove,
    repair,
    stub,
    tokens,
    turns,
)
from .format import MessageFormat, problems
from .openai_chat import OpenAIChat
from .openai_responses import OpenAIResponses
from .records import (
    Count,
    FormatName,
    Message,
    MessageProblem,
    Rule,
    ToolCall,
    Turn,
    TurnKind,
    blocks_in,
    text_in,
)

__all__ = [
    "Count",
    "FormatName",
    "Message",
    "MessageFormat",
    "MessageProblem",
    "Rule",
    "ToolCall",
    "Turn",
    "TurnKind",
    "format_of",
    "insert_note",
    "open_thinking",
    "remove",
    "repair",
    "stub",
    "tokens",
    "turns",
    "validate",
]

_FORMATS: dict[FormatName, MessageFormat] = {
    FormatName.ANTHROPIC: AnthropicMessages(),
    FormatName.OPENAI_CHAT: OpenAIChat(),
    FormatName.OPENAI_RESPONSES: OpenAIResponses(),
}
_RESPONSES_BLOCKS = ("input_text", "output_text", "input_image", "input_file")
_CHAT_BLOCKS = ("image_url", "input_audio", "refusal")


def format_of(messages: Sequence[Message], name: str | None = None) -> MessageFormat:
    """Return the format of that name, else the one that the messages show.

    Messages of plain text show none: they are taken as Anthropic's, whose rules are the strictest.
    Raises InvalidInput for an unknown name.
    """
    if name is not None:
        return _FORMATS[member(FormatName, name, name="format")]
    shown = {_shows(message) for message in messages} - {None}
    order = (FormatName.OPENAI_RESPONSES, FormatName.OPENAI_CHAT)
    return _FORMATS[next((n for n in order if n in shown), FormatName.ANTHROPIC)]


def _shows(message: object) -> FormatName | None:
    kinds = {text_in(block, "type") for block in blocks_in(message)}
    if text_in(message, "type") or kinds & set(_RESPONSES_BLOCKS):
        return FormatName.OPENAI_RESPONSES
    is_chat = text_in(message, "role") in ("tool", "developer", "function")
    if is_chat or blocks_in(message, "tool_calls") or kinds & set(_CHAT_BLOCKS):
        return FormatName.OPENAI_CHAT
    return None


def validate(
    messages: Sequence[Message],
    format: str | None = None,
    *,
    before: Sequence[Message] | None = None,
) -> list[MessageProblem]:
    """Return every breach of the provider's rules, in the order of the messages; none is valid.

    Calls at the very end may still wait for their results. `before` is a list that this one was
    cut from: then thinking that a cut makes invalid is a breach too, and that of the latest step
    of an unfinished tool loop is not (see `open_thinking`). Never raises for what the messages
    hold; raises InvalidInput for what is no list, and for an unknown format.
    """
    iterable(messages, name="messages")
    chosen = format_of(messages if before is None else before, format)
    out = problems(chosen, messages)
    if before is not None:
        out += cut_problems(chosen, before, messages)
    return out

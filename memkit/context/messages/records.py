"""Neutral view of a message list: parts, turns, problems, and how JSON values are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum

import attrs

# A message (or item) as the provider's API takes it; unknown keys are carried along.
Message = dict[str, object]
Count = Callable[[str], int]

# What an image or document weighs whatever its encoding: Anthropic's ceiling for one image.
IMAGE_TOKENS = 1_600
# Role, delimiters and ids that a provider adds to each message.
MESSAGE_TOKENS = 4


class FormatName(StrEnum):
    """Message formats that are understood."""

    ANTHROPIC = "anthropic"
    OPENAI_CHAT = "openai_chat"
    OPENAI_RESPONSES = "openai_responses"


class Side(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    MODEL = "model"


class PartKind(StrEnum):
    """What a part of a message is; `OTHER` is everything unknown, which is left as it is."""

    TEXT = "text"
    CALL = "call"
    RESULT = "result"
    SERVER_CALL = "server_call"
    SERVER_RESULT = "server_result"
    THINKING = "thinking"
    COMPACTION = "compaction"
    OTHER = "other"


class TurnKind(StrEnum):
    """What a unit of removal is."""

    SYSTEM = "system"
    COMPACTION = "compaction"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class Rule(StrEnum):
    """Rules of the formats, as problems name them."""

    MESSAGE = "message"
    ROLE = "role"
    EMPTY = "empty"
    FIRST = "first"
    CALL_WITHOUT_RESULT = "call_without_result"
    RESULT_WITHOUT_CALL = "result_without_call"
    DUPLICATE_ID = "duplicate_id"
    ARGUMENTS = "arguments"
    THINKING = "thinking"
    REASONING = "reasoning"
    COMPACTION = "compaction"


@attrs.frozen
class MessageProblem:
    """One breach of a format's rules.

    Attributes:
        index: position of the message in the list.
        rule: which rule.
        text: what was found there, and what was expected.
    """

    index: int
    rule: Rule
    text: str


@attrs.frozen
class Part:
    """One block of a message, or a whole message where that is the smallest piece.

    Attributes:
        message: position of its message.
        block: position in the message's content; None if it goes only with the whole message.
        side: who speaks.
        kind: what it is.
        text: what it says: text, arguments of a call as JSON, content of a result.
        call_id: of a call or a result.
        name: of the tool that is called.
        form: kind of call, where a result has to be of the same.
        images: images and documents in it.
        is_fixed: whether a result's content cannot be replaced by text.
    """

    message: int
    block: int | None
    side: Side
    kind: PartKind
    text: str = ""
    call_id: str = ""
    name: str = ""
    form: str = ""
    images: int = 0
    is_fixed: bool = False

    def tokens(self, count: Count) -> int:
        """Return the tokens of the part, without those of its message's frame."""
        own = count(self.text) if self.text else 0
        return own + count(self.name) * bool(self.name) + self.images * IMAGE_TOKENS


@attrs.frozen
class ToolCall:
    """One call of a tool: its id, the tool's name, its arguments (free text under `input`)."""

    id: str
    name: str
    arguments: dict[str, object]
    tokens: int


@attrs.frozen
class Turn:
    """Unit of removal: what has to go together for the rest to stay valid.

    Attributes:
        kind: what it is.
        parts: the parts that go with it, in order.
        tokens: of its parts and of the frames of the messages it begins.
        calls: tool calls in it, in order, those the provider runs included.
        is_pending: whether a call in it still waits for its result.
    """

    kind: TurnKind
    parts: tuple[Part, ...]
    tokens: int
    calls: tuple[ToolCall, ...] = ()
    is_pending: bool = False

    @property
    def start(self) -> int:
        """Position of its first message."""
        return self.parts[0].message

    @property
    def end(self) -> int:
        """Position behind its last message."""
        return max(part.message for part in self.parts) + 1


@attrs.frozen
class Exchange:
    """Calls of one step of the model, and the results that stand where they are looked for.

    Attributes:
        calls: in order.
        results: parts that may answer them.
        is_last: whether nothing but results follows, so that a call may still wait for its own.
        after: position at which a result that is missing can be put.
    """

    calls: tuple[Part, ...]
    results: tuple[Part, ...]
    is_last: bool
    after: int


def text_in(value: object, key: str) -> str:
    """Return the text under a key, or "" if there is none."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, str) else ""


def blocks_in(value: object, key: str = "content") -> list[object]:
    """Return the list under a key, or an empty one."""
    inner = value.get(key) if isinstance(value, dict) else None
    return inner if isinstance(inner, list) else []


def as_json(value: object) -> str:
    """Return a value as compact JSON; what JSON does not know is written as text."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def parsed(text: str) -> dict[str, object] | None:
    """Return arguments given as JSON text; None if they are no JSON object."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def flat_text(content: object) -> tuple[str, int]:
    """Return the texts of a content (string, block, or list of blocks), joined, and how many of
    its blocks are images or documents."""
    if isinstance(content, str):
        return content, 0
    pieces = list(_flat(content))
    images = sum(piece is None for piece in pieces)
    return "\n".join(piece for piece in pieces if piece), images


def _flat(content: object) -> Iterator[str | None]:
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, str):
            yield block
        elif isinstance(block, dict):
            kind = text_in(block, "type")
            if "image" in kind or kind in ("document", "file", "input_file", "input_audio"):
                yield None
            elif isinstance(block.get("text"), str):
                yield text_in(block, "text")
            else:
                yield as_json(block)


def first_change(before: Sequence[Message], after: Sequence[Message]) -> int | None:
    """Return the index of the first message of a list that is not what it was; None if all are."""
    pairs = enumerate(zip(before, after, strict=False))
    first = next((at for at, (old, new) in pairs if old != new), min(len(before), len(after)))
    return None if first == len(before) == len(after) else first


def runs(sides: Sequence[Side | None]) -> list[tuple[int, int]]:
    """Return the spans (start, end) of equal neighbours."""
    spans: list[tuple[int, int]] = []
    for at, side in enumerate(sides):
        if spans and sides[spans[-1][0]] == side:
            spans[-1] = (spans[-1][0], at + 1)
        else:
            spans.append((at, at + 1))
    return spans

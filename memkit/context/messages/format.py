"""What the formats have in common: the class that each fills, and the pairing of results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

import attrs

from .records import (
    Exchange,
    FormatName,
    Message,
    MessageProblem,
    Part,
    PartKind,
    Rule,
    Side,
    parsed,
    text_in,
)


class MessageFormat(ABC):
    """One provider's message list: how it is read, what it demands, how a message is changed.

    Attributes:
        binds_thinking: whether blocks of thinking are bound to all that stands before them.
        text_block: type of a block of what a user says.
    """

    name: ClassVar[FormatName]
    binds_thinking: ClassVar[bool] = False
    text_block: ClassVar[str] = "text"

    @abstractmethod
    def parts(self, messages: Sequence[Message]) -> list[Part]:
        """Return what the messages consist of, in order; never raises."""

    @abstractmethod
    def joins(self, before: Part, part: Part) -> bool:
        """Return whether two neighbouring parts of the model cannot be removed one by one."""

    @abstractmethod
    def exchanges(self, messages: Sequence[Message], parts: Sequence[Part]) -> list[Exchange]:
        """Return the steps of the model that call tools, with what may answer them."""

    @abstractmethod
    def own_problems(
        self, messages: Sequence[Message], parts: Sequence[Part]
    ) -> Iterator[MessageProblem]:
        """Yield breaches of the rules that only this format has."""

    @abstractmethod
    def with_result(self, message: Message, part: Part, text: str) -> Message:
        """Return the message with the text in place of a result's content, its id unchanged."""

    @abstractmethod
    def arguments(self, message: Message, part: Part) -> object:
        """Return the arguments of a call: an object, free text, or None if they must stay."""

    @abstractmethod
    def with_arguments(self, message: Message, part: Part, arguments: object) -> Message:
        """Return the message with other arguments for a call, its id unchanged."""

    @abstractmethod
    def result(self, call: Part, text: str) -> Message:
        """Return a new result for a call: a message, or a block of one."""

    def answered(self, messages: list[Message], at: int, result: Message) -> list[Message]:
        """Return the messages with a result put in at a position."""
        return [*messages[:at], result, *messages[at:]]

    def user_message(self, text: str) -> Message:
        """Return a new message of the user."""
        return {"role": "user", "content": text}

    def with_text(self, message: Message, text: str, *, at_end: bool) -> Message:
        """Return a user's message with a text added behind or before what it says: joined to the
        text that it is, or as a block among its blocks."""
        content = message.get("content")
        if not isinstance(content, list):
            own = content if isinstance(content, str) else ""
            joined = (own, text) if at_end else (text, own)
            return {**message, "content": "\n\n".join(filter(None, joined))}
        block = {"type": self.text_block, "text": text}
        at = len(content) if at_end else self.first_text(content)
        return {**message, "content": [*content[:at], block, *content[at:]]}

    def first_text(self, blocks: Sequence[object]) -> int:
        """Return before which of a user's blocks a text may stand."""
        return 0

    def without(self, message: Message, blocks: frozenset[int]) -> Message | None:
        """Return the message without some blocks of its content, None if nothing is left; as it is
        where no part of it goes alone."""
        return message


@attrs.frozen
class Pairing:
    """How calls and results meet: what has no counterpart.

    Attributes:
        missing: calls without a result, each with the position at which one can be put.
        pending: calls at the very end that still wait for their result.
        orphans: results without a call, or a second one for the same call.
    """

    missing: tuple[tuple[Part, int], ...]
    pending: tuple[Part, ...]
    orphans: tuple[Part, ...]


_ANSWERS = {PartKind.CALL: PartKind.RESULT, PartKind.SERVER_CALL: PartKind.SERVER_RESULT}


def pairing(exchanges: Iterable[Exchange], parts: Sequence[Part]) -> Pairing:
    """Return which calls and results have no counterpart."""
    missing: list[tuple[Part, int]] = []
    pending: list[Part] = []
    paired: set[int] = set()
    for exchange in exchanges:
        for call in exchange.calls:
            free = (part for part in exchange.results if id(part) not in paired)
            result = next((part for part in free if _answers(part, call)), None)
            if result is not None:
                paired.add(id(result))
            elif exchange.is_last:
                pending.append(call)
            else:
                missing.append((call, exchange.after))
    results = (part for part in parts if part.kind in _ANSWERS.values())
    orphans = tuple(part for part in results if id(part) not in paired)
    return Pairing(tuple(missing), tuple(pending), orphans)


def _answers(result: Part, call: Part) -> bool:
    return (
        result.kind is _ANSWERS[call.kind]
        and result.call_id == call.call_id
        and result.form == call.form
    )


def problems(format: MessageFormat, messages: Sequence[Message]) -> list[MessageProblem]:
    """Return every breach of the format's rules, in the order of the messages.

    Calls at the very end may wait for their results: they are no breach.
    """
    parts = format.parts(messages)
    paired = pairing(format.exchanges(messages, parts), parts)
    out = [
        MessageProblem(index, Rule.MESSAGE, f"found a {type(message).__name__}, expected an object")
        for index, message in enumerate(messages)
        if not isinstance(message, dict)
    ]
    out += [_missing(call) for call, _ in paired.missing]
    out += [_orphan(part) for part in paired.orphans]
    out += _duplicates(parts)
    out += format.own_problems(messages, parts)
    return sorted(out, key=lambda problem: problem.index)


def _missing(call: Part) -> MessageProblem:
    text = f"found call {call.call_id!r} without a result, expected its result right after it"
    return MessageProblem(call.message, Rule.CALL_WITHOUT_RESULT, text)


def _orphan(part: Part) -> MessageProblem:
    text = (
        f"found a result for {part.call_id!r}, expected that call before it, once, with no other "
        "message between"
    )
    return MessageProblem(part.message, Rule.RESULT_WITHOUT_CALL, text)


def _duplicates(parts: Iterable[Part]) -> Iterator[MessageProblem]:
    seen: Counter[str] = Counter()
    for part in parts:
        if part.kind in _ANSWERS:
            seen[part.call_id] += 1
            if not part.call_id:
                text = "found a call without an id, expected one"
                yield MessageProblem(part.message, Rule.MESSAGE, text)
            elif seen[part.call_id] == 2:
                text = f"found call id {part.call_id!r} again, expected each id once"
                yield MessageProblem(part.message, Rule.DUPLICATE_ID, text)


def wrong_roles(messages: Sequence[Message], roles: Sequence[str]) -> Iterator[MessageProblem]:
    """Yield a problem for each message whose role the format does not know."""
    for index, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else roles[0]
        if not isinstance(role, str) or role not in roles:
            text = f"found role {role!r}, expected one of {', '.join(roles)}"
            yield MessageProblem(index, Rule.ROLE, text)


def wrong_arguments(part: Part, arguments: object) -> Iterator[MessageProblem]:
    """Yield a problem if a call's arguments are not a JSON object in a text."""
    if not isinstance(arguments, str) or parsed(arguments) is None:
        text = f"found arguments of {part.call_id!r} that are no JSON object, expected one as text"
        yield MessageProblem(part.message, Rule.ARGUMENTS, text)


def without_parts(
    format: MessageFormat, marked: Sequence[tuple[int, Message]], parts: Iterable[Part]
) -> list[tuple[int, Message]]:
    """Return the messages (each with its position of origin) without some of their parts."""
    whole: set[int] = set()
    blocks: dict[int, set[int]] = {}
    for part in parts:
        if part.block is None:
            whole.add(part.message)
        else:
            blocks.setdefault(part.message, set()).add(part.block)
    out = []
    for index, message in marked:
        if index in whole:
            continue
        rest = format.without(message, frozenset(blocks[index])) if index in blocks else message
        if rest is not None:
            out.append((index, rest))
    return out


def without_loose_thinking(format: MessageFormat, messages: list[Message]) -> list[Message]:
    """Return the messages without thinking that lost what it led to."""
    while True:
        parts = format.parts(messages)
        wrong = {
            problem.index
            for problem in format.own_problems(messages, parts)
            if problem.rule in (Rule.REASONING, Rule.THINKING)
        }
        loose = [part for part in parts if part.message in wrong and part.kind is PartKind.THINKING]
        if not loose:
            return messages
        marked = without_parts(format, list(enumerate(messages)), loose)
        messages = [message for _, message in marked]


def is_user(message: object) -> bool:
    """Return whether a message is a user's own (no result of a tool)."""
    return text_in(message, "role") == "user"


def side_of(role: str) -> Side:
    """Return who speaks under a role; a tool answers on the user's side."""
    if role in ("system", "developer"):
        return Side.SYSTEM
    return Side.MODEL if role == "assistant" else Side.USER

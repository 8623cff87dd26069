"""Mending of broken pairs: results without a call, calls without a result."""

from __future__ import annotations

from collections.abc import Sequence

from .editing import settled
from .format import MessageFormat, pairing, without_parts
from .records import Message, Part, PartKind, blocks_in

# What stands in for the result of a call that was broken off.
_ABORTED = "[no result: the call was broken off]"


def repair(format: MessageFormat, messages: Sequence[Message]) -> list[Message]:
    """Return the messages with broken pairs mended: a result that stands elsewhere is moved to its
    call, a call that was broken off is given a result that says so, and results without a call,
    calls of the provider's own tools without a result, and what is no message go. Calls at the
    very end stay as they are. A list without broken pairs comes back unchanged."""
    out = [message for message in messages if isinstance(message, dict)]
    parts = format.parts(out)
    paired = pairing(format.exchanges(out, parts), parts)
    spare = {part.call_id: part for part in reversed(paired.orphans) if _is_own(part)}
    results = {call_id: _message_or_block(out, part) for call_id, part in spare.items()}
    doomed = [*paired.orphans, *(call for call, _ in paired.missing if not _is_own(call))]
    # From the end, so that positions before stay what they are.
    wanting = sorted(
        ((at, call) for call, at in paired.missing if _is_own(call)), key=lambda pair: -pair[0]
    )
    holders = [(index, message) for index, message in enumerate(out)]
    marked = without_parts(format, holders, doomed)
    for at, call in wanting:
        place = sum(index < at for index, _ in marked)
        plain = [message for _, message in marked]
        result = results.get(call.call_id) or format.result(call, _ABORTED)
        answered = format.answered(plain, place, result)
        shift = len(answered) - len(plain)
        origins = [index for index, _ in marked]
        origins[place:place] = [at] * shift
        marked = list(zip(origins, answered, strict=True))
    return settled(format, messages, [message for _, message in marked])


def _is_own(part: Part) -> bool:
    return part.kind in (PartKind.CALL, PartKind.RESULT)


def _message_or_block(messages: Sequence[Message], part: Part) -> Message:
    block = None if part.block is None else blocks_in(messages[part.message])[part.block]
    return block if isinstance(block, dict) else messages[part.message]

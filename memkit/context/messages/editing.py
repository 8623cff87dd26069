"""Turns of a message list, and edits that leave it valid: stubs, removals, notes, mending."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from .format import MessageFormat, is_user, pairing, without_loose_thinking, without_parts
from .records import (
    MESSAGE_TOKENS,
    Count,
    Message,
    MessageProblem,
    Part,
    PartKind,
    Rule,
    Side,
    ToolCall,
    Turn,
    TurnKind,
    as_json,
    blocks_in,
    first_change,
    parsed,
    runs,
)

_OPENING = "[memkit: history that was taken out, for reference only; not an instruction]"
_CLOSING = "[memkit: end of history]"
NOTE_FRAME = _OPENING + "\n{}\n" + _CLOSING
_POSING = re.compile(r"\[(?=memkit:)")
# What stands where a format demands a message of the user and none is left.
_GONE = "Earlier messages were taken out here."
# What stands in for the result of a call that was broken off.
_ABORTED = "[no result: the call was broken off]"
# Characters of an argument that a stub of a call's input leaves as they are: paths, names, flags.
LONGEST_ARGUMENT = 200


def turns(format: MessageFormat, messages: Sequence[Message], count: Count) -> list[Turn]:
    """Return the units of removal, in order: each can go without the others, and what stays is
    valid.

    A step of the model goes with the results of its calls, parallel ones together; what the user
    says beside results in one message is a unit of its own.
    """
    parts = format.parts(messages)
    held: list[list[Part]] = []
    holder: dict[tuple[str, str], int] = {}
    for before, part in pairwise([None, *parts]):
        assert part is not None
        own = holder.get((part.call_id, part.form)) if part.kind is PartKind.RESULT else None
        if own is not None:
            held[own].append(part)
            continue
        if before is not None and held and held[-1][-1] is before and _joins(format, before, part):
            held[-1].append(part)
        else:
            held.append([part])
        if part.kind is PartKind.CALL:
            holder[part.call_id, part.form] = len(held) - 1
    pending = {id(part) for part in pairing(format.exchanges(messages, parts), parts).pending}
    begun: set[int] = set()
    return [_turn(unit, count, pending, begun) for unit in held]


def _joins(format: MessageFormat, before: Part, part: Part) -> bool:
    """What a person says in one message is one unit; what the model does is the format's matter."""
    if before.side is not part.side or PartKind.COMPACTION in (before.kind, part.kind):
        return False
    if part.side is not Side.MODEL:
        is_result = PartKind.RESULT in (before.kind, part.kind)
        return before.message == part.message and not is_result
    return format.joins(before, part)


def _turn(parts: Sequence[Part], count: Count, pending: set[int], begun: set[int]) -> Turn:
    calls = []
    tokens = 0
    for part in parts:
        own = part.tokens(count)
        tokens += own + MESSAGE_TOKENS * (part.message not in begun)
        begun.add(part.message)
        if part.kind in (PartKind.CALL, PartKind.SERVER_CALL):
            arguments = parsed(part.text)
            if arguments is None:
                arguments = {"input": part.text} if part.text else {}
            calls.append(ToolCall(part.call_id, part.name, arguments, own))
    waits = any(id(part) in pending for part in parts)
    return Turn(_kind(parts), tuple(parts), tokens, tuple(calls), waits)


def _kind(parts: Sequence[Part]) -> TurnKind:
    kinds = {part.kind for part in parts}
    if PartKind.COMPACTION in kinds:
        return TurnKind.COMPACTION
    if kinds & {PartKind.CALL, PartKind.SERVER_CALL, PartKind.RESULT}:
        return TurnKind.TOOL
    if parts[0].side is Side.MODEL:
        return TurnKind.ASSISTANT
    return TurnKind.SYSTEM if parts[0].side is Side.SYSTEM else TurnKind.USER


def tokens(format: MessageFormat, messages: Sequence[Message], count: Count) -> int:
    """Return the tokens of the messages: their parts, and a frame for each message."""
    return sum(turn.tokens for turn in turns(format, messages, count))


def remove(
    format: MessageFormat, messages: Sequence[Message], units: Collection[Turn], note: str = ""
) -> list[Message]:
    """Return the messages without some of their turns, as `turns` told them apart, valid again.

    The note, if there is one, stands where the first of them stood. Thinking goes as the format's
    module says. Compaction blocks and turns whose call is pending stay whatever is asked.
    """
    gone = [u for u in units if u.kind is not TurnKind.COMPACTION and not u.is_pending]
    if not gone:
        return list(messages)
    first = min(unit.start for unit in gone)
    marked = without_parts(
        format, list(enumerate(messages)), (part for unit in gone for part in unit.parts)
    )
    at = sum(index < first for index, _ in marked)
    out = [message for _, message in marked]
    if note:
        out = insert_note(format, out, at, note)
    return settled(format, messages, out)


def stub(
    format: MessageFormat,
    messages: Sequence[Message],
    results: Mapping[str, str],
    inputs: Mapping[str, str] | None = None,
) -> list[Message]:
    """Return the messages with texts in place of tool results, by the ids of their calls.

    `inputs` puts a text in place of each long string in a call's arguments (more than
    LONGEST_ARGUMENT characters); short ones, such as paths, stay. Ids, order and error marks stay;
    results that may not be text (screenshots, the provider's own tools) stay whole, and so do the
    arguments of the latest step while its tool loop is unfinished.
    """
    out = list(messages)
    parts = format.parts(messages)
    open_at = open_thinking(format, messages)
    for part in parts:
        text = results.get(part.call_id) if part.kind is PartKind.RESULT else None
        if text is not None and not part.is_fixed:
            out[part.message] = format.with_result(out[part.message], part, text)
        text = (inputs or {}).get(part.call_id) if part.kind is PartKind.CALL else None
        if text is not None and (open_at is None or part.message < open_at):
            out[part.message] = with_short_arguments(format, out[part.message], part, text)
    return settled(format, messages, out)


def with_short_arguments(format: MessageFormat, message: Message, part: Part, text: str) -> Message:
    """Return the message with a text in place of each long string in a call's arguments."""
    arguments = format.arguments(message, part)
    if arguments is None:
        return message
    if not isinstance(arguments, str):
        return format.with_arguments(message, part, _shortened(arguments, text))
    value = parsed(arguments)
    if value is not None:
        return format.with_arguments(message, part, as_json(_shortened(value, text)))
    return format.with_arguments(message, part, _shortened(arguments, text))


def _shortened(value: object, text: str) -> object:
    if isinstance(value, str):
        return text if len(value) > max(LONGEST_ARGUMENT, len(text)) else value
    if isinstance(value, dict):
        return {key: _shortened(inner, text) for key, inner in value.items()}
    return [_shortened(inner, text) for inner in value] if isinstance(value, list) else value


def insert_note(
    format: MessageFormat, messages: Sequence[Message], index: int, text: str
) -> list[Message]:
    """Return the messages with a note about removed history before a position.

    It is labelled as history, never a system message, and nothing in it can end it. It becomes
    part of the user's message at the position or just before it, else a user message of its own. A
    position inside a turn, or behind a pending call, is moved to where that turn begins.
    """
    note = NOTE_FRAME.format(_POSING.sub("(", text))
    out = list(messages)
    units = turns(format, messages, len)
    inside = [u.start for u in units if u.start < index < u.end + u.is_pending]
    # What the provider summarised stays first.
    first = max((u.end for u in units if u.kind is TurnKind.COMPACTION), default=0)
    at = max(min([index, *inside]), first)
    if at < len(out) and is_user(out[at]):
        out[at] = format.with_text(out[at], note, at_end=False)
    elif at and is_user(out[at - 1]):
        out[at - 1] = format.with_text(out[at - 1], note, at_end=True)
    else:
        out.insert(at, format.user_message(note))
    return settled(format, messages, out)


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


def open_thinking(format: MessageFormat, messages: Sequence[Message]) -> int | None:
    """Return where the latest step of the model begins if its tool loop is unfinished and it holds
    thinking, else None.

    Such thinking may not be changed: where thinking is bound to what precedes it, nothing before
    this position may be changed either, until the loop has ended.
    """
    if not format.binds_thinking:
        return None
    parts = format.parts(messages)
    spans = runs([part.side for part in parts])
    models = [span for span in spans if parts[span[0]].side is Side.MODEL]
    if not models:
        return None
    start, end = models[-1]
    step = parts[start:end]
    behind = parts[end:]
    is_loop = any(part.kind in (PartKind.CALL, PartKind.SERVER_CALL) for part in step)
    is_loop = is_loop and (not behind or behind[0].kind is PartKind.RESULT)
    thinks = any(part.kind is PartKind.THINKING for part in step)
    return step[0].message if is_loop and thinks else None


def settled(
    format: MessageFormat, before: Sequence[Message], after: list[Message]
) -> list[Message]:
    """Return what an edit left, with the thinking gone that it made invalid, and a user's message
    first where one is demanded and the list had one: a chat that began with a greeting of the
    model lost nothing there."""
    if _lacks_user(format, after) and not _lacks_user(format, before):
        at = next(n for n, m in enumerate(after) if m.get("role") == "assistant")
        after = [*after[:at], format.user_message(NOTE_FRAME.format(_GONE)), *after[at:]]
    loose = _unbound(format, before, after)
    marked = without_parts(format, list(enumerate(after)), loose)
    return without_loose_thinking(format, [message for _, message in marked])


def _lacks_user(format: MessageFormat, messages: Sequence[Message]) -> bool:
    readable = [message for message in messages if isinstance(message, dict)]
    problems = format.own_problems(readable, format.parts(readable))
    return any(problem.rule is Rule.FIRST for problem in problems)


def _unbound(
    format: MessageFormat, before: Sequence[Message], after: Sequence[Message]
) -> list[Part]:
    """Return the thinking at and after the first change, that of an unfinished loop's last step
    left out."""
    if not format.binds_thinking:
        return []
    first = first_change(before, after)
    open_at = open_thinking(format, after)
    return [
        part
        for part in format.parts(after)
        if part.kind is PartKind.THINKING
        and first is not None
        and part.message >= first
        and (open_at is None or part.message < open_at)
    ]


def cut_problems(
    format: MessageFormat, before: Sequence[Message], after: Sequence[Message]
) -> Iterator[MessageProblem]:
    """Yield what is wrong with a list that was cut from another: thinking that should have gone,
    thinking and items that the provider wrote and that are not what they were."""
    for part in _unbound(format, before, after):
        text = "found thinking behind the first changed message, expected it to be gone"
        yield MessageProblem(part.message, Rule.THINKING, text)
    verbatim = (PartKind.THINKING, PartKind.COMPACTION)
    original = iter(_blocks(format, before, verbatim))
    for part, block in _blocks(format, after, verbatim):
        if not any(block == old for _, old in original):
            text = f"found {part.kind} that differs from what was there, expected it unchanged"
            yield MessageProblem(part.message, Rule.THINKING, text)


def _blocks(
    format: MessageFormat, messages: Sequence[Message], kinds: Collection[PartKind]
) -> Iterator[tuple[Part, object]]:
    for part in format.parts(messages):
        if part.kind in kinds:
            content = messages[part.message].get("content")
            is_block = part.block is not None and isinstance(content, list)
            yield part, content[part.block] if is_block else messages[part.message]  # type: ignore[index]

"""Window commands: prune a message list or a transcript, and bring back what was removed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..context.memory_levels import LevelName, MemoryLevel
from ..context.messages.records import FormatName
from ..context.spans import span_text
from ..errors import InvalidInput
from ..text.analyzer import decode
from . import output
from .commands import (
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    count,
    option,
    share,
)
from .output import marked_output

if TYPE_CHECKING:
    from ..context.messages.records import Message
    from ..context.pruning import PrunedMessages

# Fields of a message of a transcript that its API does not take.
_FIELDS = ("role", "content")


@command(
    argument("action", choices=("prune",)),
    argument("file"),
    option("max-tokens", "The limit: cut where the session stood above 80 % of it.", type=count),
    option("to", "Cut once, to so many tokens.", type=count),
    option("share", "Cut once, to such a share of its tokens, 0 to 1.", type=share),
    option("format", "Of the messages; else it is read off them.", choices=tuple(FormatName)),
    option("session", "Whose messages they are."),
    option("output", "Write the messages to this file, not to standard output."),
    opening=Opening.CREATE,
)
def window(
    invocation: Invocation,
    *,
    action: str,
    file: str,
    max_tokens: int | None,
    to: int | None,
    share: float | None,
    format: str | None,
    session: str | None,
    **options: Any,
) -> CommandOutput:
    """Prune the messages in FILE to fewer tokens; what comes out is valid for the model's API.

    FILE ('-': standard input) holds a list of messages as JSON or JSON Lines (Anthropic Messages,
    OpenAI Chat, OpenAI Responses), a request with such a list, or a transcript of Claude Code or
    Codex. The messages go to standard output as they came, a list or a line each; what was removed
    is said on standard error, and `memkit expand HANDLE` prints it.
    """
    if sum(size is not None for size in (max_tokens, to, share)) != 1:
        raise Usage(f"window {action}: give one of --max-tokens, --to and --share")
    messages, is_lines = _messages(_text(file))
    if share is not None:
        to = max(int(share * _tokens(messages, format)), 1)
    pruned = invocation.kit.context.prune(
        messages, format, max_tokens=max_tokens, to=to, session=session
    )
    lines = list(_lines(pruned.messages, is_lines=is_lines))
    if (target := options["output"]) is not None:
        Path(target).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        lines = []
    return CommandOutput(_document(pruned, shown=target is None), lines, tuple(_report(pruned)))


@command(
    argument("handle"),
    option("seen", "Of a memory: the level that is known.", choices=tuple(LevelName)),
)
def expand(invocation: Invocation, *, handle: str, seen: str | None) -> CommandOutput:
    """Print what was removed from a context, by the HANDLE that its stub names.

    Of a memory, by its id, the next level is printed that says more than the one that is known:
    index (the default), compressed, summary; the last is the full text.
    """
    result = invocation.kit.context.expand(handle, seen=seen or LevelName.INDEX)
    text = result.text if isinstance(result, MemoryLevel) else span_text(result)
    done = marked_output(invocation, output.document(result), text.splitlines())
    if isinstance(result, MemoryLevel) and result.fuller:
        more = f"more of it: memkit expand {result.memory_id} --seen {result.level}"
        return attrs.evolve(done, notes=(*done.notes, more))
    return done


def _text(file: str) -> str:
    if file == "-":
        return output.read_stdin()
    try:
        return decode(Path(file).read_bytes())
    except OSError as error:
        raise InvalidInput(
            f"{file}: cannot be read ({error.strerror or error}); name a file of messages"
        ) from None


def _messages(text: str) -> tuple[list[Message], bool]:
    """Return the messages of a text, and whether they stood a line each."""
    try:
        value = json.loads(text)
    except ValueError:
        return list(_of_lines(text)), True
    if isinstance(value, Mapping):
        lists = (value.get(key) for key in ("messages", "input"))
        value = next((rows for rows in lists if isinstance(rows, list)), [value])
    if isinstance(value, list) and all(isinstance(row, Mapping) for row in value):
        return [dict(row) for row in value], False
    raise InvalidInput("file: found JSON that holds no messages, expected a list of objects")


def _of_lines(text: str) -> Iterator[Message]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            raise InvalidInput(f"file: line {number} is no JSON; give JSON or JSON Lines") from None
        if isinstance(row, Mapping):
            yield from _of_row(row)


def _of_row(row: Mapping[str, Any]) -> Iterator[Message]:
    """Yield the message in a line: of a list, or of a transcript of Claude Code or Codex."""
    message, payload = row.get("message"), row.get("payload")
    if isinstance(message, Mapping) and message.get("content"):
        if not row.get("isSidechain"):
            yield {key: message[key] for key in _FIELDS if key in message}
    elif row.get("type") == "response_item" and isinstance(payload, Mapping):
        yield dict(payload)
    elif "role" in row or not {"payload", "uuid", "leafUuid", "messageId"} & row.keys():
        yield dict(row)


def _tokens(messages: list[Message], format: str | None) -> int:
    from ..context.messages import format_of, tokens
    from ..tokens import count

    return tokens(format_of(messages, format), messages, count)


def _lines(messages: Iterable[Message], *, is_lines: bool) -> Iterator[str]:
    if is_lines:
        yield from (json.dumps(message) for message in messages)
    else:
        yield json.dumps(list(messages))


def _document(pruned: PrunedMessages, *, shown: bool) -> dict[str, Any]:
    document = {
        "tokens": pruned.tokens,
        "removed": [output.document(removal) for removal in pruned.removed],
        "changed_from": pruned.changed_from,
        "cuts": pruned.cuts,
        "snapshot": pruned.snapshot,
        "notes": list(pruned.notes),
    }
    return {"messages": list(pruned.messages), **document} if shown else document


def _report(pruned: PrunedMessages) -> Iterator[str]:
    gone = sum(removal.tokens for removal in pruned.removed)
    yield (
        f"{len(pruned.messages)} messages, {pruned.tokens:,} tokens; "
        f"{len(pruned.removed)} removals of {gone:,} tokens"
    )
    for removal in pruned.removed:
        handle = removal.handle
        way = "not stored" if handle is None else f"memkit expand {handle}"
        yield f"{removal.tokens:,} tokens: {removal.what}: {way}"
    yield from pruned.notes

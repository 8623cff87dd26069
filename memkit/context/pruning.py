"""Pruning of message lists: stubs and notes in the place of what goes, and its way back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..episodes.error_signatures import command_of
from ..episodes.paths import RepositoryPaths
from ..episodes.recording.normalizer import is_private_call
from ..errors import ContextOverflow, InvalidInput
from ..frozen import RecordSequence
from ..redaction import quoted
from ..tokens import TokenCounter, truncate
from . import messages as formats
from .messages.editing import NOTE_FRAME, with_short_arguments
from .messages.format import without_parts
from .messages.records import MESSAGE_TOKENS, Message, PartKind, Turn, first_change
from .pruning_plan import (
    TAIL_TURNS,
    Entry,
    History,
    Plan,
    PruningOptions,
    entries_of,
    make_plan,
    trace_reuse,
)
from .spans import DIGITS, RemovedSpan, SpanKind, missing_spans, safe_span, store_spans

if TYPE_CHECKING:
    from .messages import MessageFormat
    from .ports import OpenKit

# What a later call took from a result is named in its stub, up to so many characters.
_HINT_CHARS = 80
_HANDLE = 10**DIGITS // 9  # as long as any, for counting
# Text counts that are remembered: an agent's history comes again with every call of its model.
_MAX_COUNTED = 20_000
# Tries to make room for what was not foreseen.
_ATTEMPTS = 4


@attrs.frozen
class Removal:
    """What was taken out at one place.

    Attributes:
        what: in a few words. tokens: what it had.
        handle: brings it back (`kit.context.expand`); None where the content of a private file was
            not stored.
    """

    what: str
    tokens: int
    handle: int | None


@attrs.frozen
class PrunedMessages(RecordSequence[Message]):
    """Message list within its limit; it is the sequence of its messages.

    Attributes:
        messages: valid in their format. tokens: what they have, frames of messages included.
        removed: what was taken out. spans: the same as it is stored, secrets replaced.
        snapshot: id of the snapshot that was stored, if anything was removed that was not before.
        changed_from: index of the first message that is not what it was; None if all are.
        cuts: how many times the history was cut, as its agent walked through it.
        notes: what a caller should know.
    """

    messages: tuple[Message, ...]
    tokens: int
    removed: tuple[Removal, ...] = ()
    snapshot: int | None = None
    changed_from: int | None = None
    cuts: int = 0
    notes: tuple[str, ...] = ()
    spans: tuple[RemovedSpan, ...] = attrs.field(default=(), repr=False)

    @property
    def _items(self) -> tuple[Message, ...]:
        return self.messages


class Pruner:
    """Pruner of message lists of one format, under one way of counting."""

    def __init__(
        self, format: MessageFormat, counter: TokenCounter, repository: RepositoryPaths
    ) -> None:
        """`repository` tells which files are private."""
        self._format = format
        self._counter = counter
        self._repository = repository

    def prune(self, messages: Sequence[Message], options: PruningOptions) -> PrunedMessages:
        """Return the list within its limit, or as it is if it stands below the threshold.

        The same list with new turns behind it is cut at the same places. Raises ContextOverflow if
        what must stay is larger than the limit.
        """
        mended = formats.repair(self._format, messages)
        pinned = frozenset(_positions(messages, mended, options.pinned))
        options = attrs.evolve(options, pinned=pinned)
        limit = options.max_tokens
        for _ in range(_ATTEMPTS):
            pruned = self._pruned(mended, options, limit)
            if pruned.tokens <= options.max_tokens:
                break
            limit -= pruned.tokens - options.max_tokens
        else:
            raise overflow(pruned.tokens, options.max_tokens)
        notes = pruned.notes
        if mended != list(messages):
            notes = ("calls without a result, or results without a call, were mended", *notes)
        changed = first_change(messages, pruned.messages)
        return attrs.evolve(pruned, changed_from=changed, notes=notes)

    def _pruned(
        self, messages: list[Message], options: PruningOptions, limit: int
    ) -> PrunedMessages:
        turns = formats.turns(self._format, messages, self.count)
        entries = entries_of(turns)
        tokens = [entry.part.tokens(self.count) for entry in entries]
        history = History(entries, tokens, trace_reuse(entries))
        draft = _Draft(self, messages, history, options.session)
        goal = None if options.goal is None else min(options.goal, limit)
        narrowed = attrs.evolve(options, max_tokens=limit, goal=goal)
        binds_thinking = self._format.binds_thinking
        plan = make_plan(turns, history, narrowed, draft, binds_thinking=binds_thinking)
        if plan.tokens > limit and options.goal is None:
            raise overflow(plan.tokens + options.max_tokens - limit, options.max_tokens)
        return draft.carry_out(turns, plan)

    def count(self, text: str) -> int:
        """Return the tokens of a text; counted once."""
        return _counted(self._counter, text)

    def is_private(self, entry: Entry) -> bool:
        """Whether an entry holds the content of a private file."""
        if entry.call is None:
            return False
        arguments = entry.call.arguments
        return is_private_call(self._repository, arguments, command_of(arguments))


class _Draft:
    """Draft of a pruned list: texts of stubs, notes and spans, and their sizes."""

    def __init__(
        self, pruner: Pruner, messages: list[Message], history: History, session: str
    ) -> None:
        self._pruner, self._messages, self._history = pruner, messages, history
        self._format = pruner._format
        self._session = session
        self._private: dict[int, bool] = {}

    # -- sizes, for the plan

    @property
    def note(self) -> int:
        """Tokens of the note about turns that are gone."""
        text = NOTE_FRAME.format(_note(9_999, 9_999_999, _HANDLE))
        return self._pruner.count(text) + MESSAGE_TOKENS

    def stub(self, place: int, before: int) -> int:
        """Tokens of the stub of a result, by what is taken from it before a place."""
        return self._pruner.count(self._stub(place, before, _HANDLE))

    def shortened(self, place: int) -> int | None:
        """Tokens of a call without its long arguments; None if it has none."""
        return self._shortened(place, _HANDLE)

    # -- carrying out

    def carry_out(self, turns: Sequence[Turn], plan: Plan) -> PrunedMessages:
        """Return the messages with what the plan takes out."""
        entries = self._history.entries
        removals = _Removals()
        gone = [turns[at] for at in sorted(plan.dropped)]
        note = self._dropped(gone, removals) if gone else ""
        results, inputs = {}, {}
        for place, before in sorted(plan.stubbed.items()):
            if entries[place].turn not in plan.dropped:
                handle = self._result_span(place, removals)
                results[entries[place].part.call_id] = self._stub(place, before, handle)
        for place, tokens in sorted(plan.excerpts.items()):
            handle = self._result_span(place, removals)
            results[entries[place].part.call_id] = self._excerpt(place, tokens, handle)
        for place in sorted(plan.shortened):
            if entries[place].turn not in plan.dropped:
                handle = self._call_span(place, removals)
                inputs[entries[place].part.call_id] = self._stub(place, 0, handle)
        out = formats.remove(self._format, self._messages, gone, note)
        out = formats.stub(self._format, out, results, inputs)
        tokens = formats.tokens(self._format, out, self._pruner.count)
        removed = tuple(removals.removed)
        spans = tuple(removals.spans)
        notes = self._thinking_notes(out)
        return PrunedMessages(
            tuple(out), tokens, removed, cuts=len(plan.cuts), notes=notes, spans=spans
        )

    def _thinking_notes(self, out: list[Message]) -> tuple[str, ...]:
        if out == self._messages or formats.open_thinking(self._format, out) is None:
            return ()
        return (
            "the latest step holds thinking and may not be changed; models that bind it to what "
            'precedes it take this list with prefix_mismatch_behavior "drop_block"',
        )

    # -- texts

    def _stub(self, place: int, before: int, handle: int | None) -> str:
        tokens = f"{self._history.tokens[place]:,} tokens"
        if self._is_private(place):
            return f"[{tokens} of a private file removed; not stored]"
        text = f"[{tokens} removed; memkit expand {handle} prints them"
        hint = self._hint(place, before)
        return f"{text}; used later: {hint}]" if hint else f"{text}]"

    def _hint(self, place: int, before: int) -> str:
        """Return what was taken from a result before a place: the newest uses, in their order."""
        uses = self._history.reuse.terms.get(place, {})
        known = [
            (at, number, term) for number, (term, at) in enumerate(uses.items()) if at < before
        ]
        chosen: list[tuple[int, str]] = []
        room = _HINT_CHARS
        for _, number, term in sorted(known, reverse=True):
            if len(term) + 2 <= room:
                room -= len(term) + 2
                chosen.append((number, term))
        return ", ".join(term for _, term in sorted(chosen))

    def _excerpt(self, place: int, tokens: int, handle: int | None) -> str:
        """Return the beginning of a result that nobody has read yet, and how to get the rest."""
        end = self._stub(place, 0, handle)
        text = self._history.entries[place].part.text
        room = max(tokens - self._pruner.count(end) - 2, 0)
        return f"{truncate(text, room, counter=self._pruner._counter).text}\n{end}"

    def _shortened(self, place: int, handle: int) -> int | None:
        part = self._history.entries[place].part
        text = self._stub(place, 0, handle)
        message = self._messages[part.message]
        changed = with_short_arguments(self._format, message, part, text)
        if changed == message:
            return None
        parts = self._format.parts([changed])
        calls = [p for p in parts if p.kind is part.kind and p.call_id == part.call_id]
        return sum(call.tokens(self._pruner.count) for call in calls)

    # -- spans

    def _is_private(self, place: int) -> bool:
        if place not in self._private:
            self._private[place] = self._pruner.is_private(self._history.entries[place])
        return self._private[place]

    def _result_span(self, place: int, removals: _Removals) -> int | None:
        return self._span(place, "result", self._history.entries[place].part.text, removals)

    def _call_span(self, place: int, removals: _Removals) -> int | None:
        part = self._history.entries[place].part
        arguments = self._format.arguments(self._messages[part.message], part)
        return self._span(place, "arguments", arguments, removals)

    def _span(self, place: int, what: str, content: object, removals: _Removals) -> int | None:
        entry = self._history.entries[place]
        tokens = self._history.tokens[place]
        tool = entry.call.name if entry.call is not None else entry.part.name
        span = None
        if not self._is_private(place):
            span = safe_span(
                SpanKind.TOOL_RESULT, content, tokens, session=self._session,
                name=entry.part.call_id,
            )  # fmt: skip
        return removals.add(f"{what} of {quoted(tool)}", tokens, span)

    def _dropped(self, gone: Sequence[Turn], removals: _Removals) -> str:
        """Return the note about turns that are gone, which are stored as one span."""
        parts = [part for turn in gone for part in turn.parts]
        indexes = sorted({part.message for part in parts})
        content = {index: self._messages[index] for index in indexes}
        for place, entry in enumerate(self._history.entries):
            if entry.part.message in content and self._is_private(place):
                message = content[entry.part.message]
                content[entry.part.message] = self._without_content(message, place)
        own = set(map(id, parts))
        others = [e.part for e in self._history.entries if id(e.part) not in own]
        span_content = [m for _, m in without_parts(self._format, list(content.items()), others)]
        tokens = sum(turn.tokens for turn in gone)
        span = safe_span(SpanKind.HISTORY, span_content, tokens, session=self._session)
        count = len(span_content)
        return _note(count, tokens, removals.add(f"{count} messages", tokens, span))

    def _without_content(self, message: Message, place: int) -> Message:
        """Return a message without what it holds of a private file."""
        part, text = self._history.entries[place].part, self._stub(place, 0, None)
        if part.kind is PartKind.RESULT:
            return self._format.with_result(message, part, text)
        return with_short_arguments(self._format, message, part, text)


@attrs.define
class _Removals:
    """What was taken out so far."""

    removed: list[Removal] = attrs.field(factory=list)
    spans: list[RemovedSpan] = attrs.field(factory=list)

    def add(self, what: str, tokens: int, span: RemovedSpan | None) -> int | None:
        """Add what was taken out at one place; return its handle."""
        handle = None if span is None else span.handle
        self.removed.append(Removal(what, tokens, handle))
        if span is not None:
            self.spans.append(span)
        return handle


# --- Pruning in a store.


def pruning_options(
    max_tokens: int | None,
    to: int | None,
    keep: Collection[int],
    *,
    tail_tokens: int | None,
    tail_turns: int | None,
    session: str | None,
) -> PruningOptions:
    """Return how a list is to be pruned; raises InvalidInput for what means nothing."""
    limit = validation.optional(validation.integer, max_tokens, name="max_tokens")
    goal = validation.optional(validation.integer, to, name="to")
    if limit is None and goal is None:
        raise InvalidInput("max_tokens: there is none; give the limit, or `to`, a size")
    tail = validation.optional(
        partial(validation.integer, minimum=0), tail_tokens, name="tail_tokens"
    )
    turns = TAIL_TURNS if tail_turns is None else tail_turns
    pinned = frozenset(
        validation.integer(index, name="keep", minimum=0)
        for index in validation.iterable(keep, name="keep")
    )
    return PruningOptions(
        max_tokens=min(n for n in (limit, goal) if n is not None),
        goal=goal,
        tail_tokens=tail,
        tail_turns=validation.integer(turns, name="tail_turns", minimum=0),
        pinned=pinned,
        session="" if session is None else validation.named(session, name="session"),
    )


def message_list(messages: object) -> list[Message]:
    """Return the messages of a caller as dictionaries; raises InvalidInput for what are none."""
    listed = validation.iterable(messages, name="messages")
    return [dict(validation.mapping(message, name="messages")) for message in listed]


def prune_messages(
    kit: OpenKit,
    messages: Sequence[Message],
    format: str | None,
    options: PruningOptions,
    *,
    model: str,
) -> PrunedMessages:
    """Return a list within its limit; what was removed is stored, with a snapshot if it was not
    stored before."""
    history = message_list(messages)
    if options.pinned and not options.pinned <= set(range(len(history))):
        raise InvalidInput(f"keep: found {max(options.pinned)}, expected indexes of messages")
    chosen = formats.format_of(history, format)
    pruner = Pruner(chosen, TokenCounter(model), RepositoryPaths(kit.path.parent))
    pruned = pruner.prune(history, options)
    new = missing_spans(kit._store, pruned.spans)
    if not new:
        return pruned
    snapshot = _snapshot(kit, pruned, new, options.session) if options.session else None
    store_spans(kit._store, new, snapshot=snapshot)
    return attrs.evolve(pruned, snapshot=snapshot)


def _snapshot(
    kit: OpenKit, pruned: PrunedMessages, new: Collection[RemovedSpan], session: str
) -> int | None:
    """Record what the context holds now, and what was removed; return the snapshot's id."""
    whats = {removal.handle: removal.what for removal in pruned.removed}
    event = {
        "event": "snapshot",
        "session": session,
        "items": [{"id": "messages", "type": "messages", "tokens": pruned.tokens}],
        "total_tokens": pruned.tokens,
        "pruned": [
            {"id": span.handle, "type": whats[span.handle], "tokens": span.tokens} for span in new
        ],
        "reason": "pruning",
    }
    return kit.episodes.record(event).id


# --- Inside.


def _note(messages: int, tokens: int, handle: int | None) -> str:
    return (
        f"{messages:,} messages ({tokens:,} tokens) stood here and were removed to save room; "
        f"memkit expand {handle} prints them."
    )


def overflow(tokens: int, max_tokens: int) -> ContextOverflow:
    """Return the error that says how much has to stay in a context."""
    return ContextOverflow(
        f"max_tokens: what must stay (system prompt, task, newest messages, pinned ones) has "
        f"{tokens:,} tokens, the limit is {max_tokens:,}; raise it, or unpin something",
        tokens=tokens,
        max_tokens=max_tokens,
    )


def _positions(
    messages: Sequence[Message], mended: Sequence[Message], pinned: Collection[int]
) -> Iterator[int]:
    """Yield where the pinned messages stand once the list was mended."""
    if mended == list(messages):
        yield from pinned
        return
    chosen = [messages[index] for index in pinned]
    yield from (at for at, message in enumerate(mended) if message in chosen)


_counts: dict[tuple[TokenCounter, bytes], int] = {}


def _counted(counter: TokenCounter, text: str) -> int:
    key = counter, blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    if key not in _counts:
        if len(_counts) >= _MAX_COUNTED:
            _counts.clear()
        _counts[key] = counter.count(text)
    return _counts[key]

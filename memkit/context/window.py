"""Context window: items of a live conversation, pruned by relevance, and snapshots of it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import attrs

from .. import validation
from ..episodes.error_signatures import command_of
from ..episodes.paths import RepositoryPaths
from ..episodes.recording.normalizer import is_private_call
from ..episodes.recording.tool_calls import files_of
from ..errors import ContextOverflow, InvalidInput, NotFound
from ..redaction import PrivateFiles, redact
from ..redaction.redactor import CLOSE, OPEN, disarmed
from ..store import timestamps
from ..text.analyzer import decode
from ..text.extractive import summarize
from ..tokens import TokenCounter, estimate, truncate
from .assembled import DEFAULT_BUDGET
from .assembly import assemble
from .messages import MessageFormat, format_of, turns
from .messages import tokens as tokens_of
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
from .pruning import message_list, overflow
from .pruning_plan import REMOVED_SHARE, THRESHOLD
from .relevance import ItemType, relevance
from .spans import RemovedSpan, SpanKind, safe_span, spans_of_snapshot, store_spans

if TYPE_CHECKING:
    from ..codegraph.query.code_search import RelevantFile
    from .ports import OpenKit


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


SUMMARY_TOKENS = 60
"""Tokens of the summary of an item that is removed (seed 000: 200 characters)."""
SNAPSHOTS = 50
"""Snapshots that are listed."""


@attrs.frozen
class WindowPruning:
    """What a pruning of a window did.

    Attributes:
        removed: items that went, or were replaced by a stub, as they were. summaries: of these.
        tokens_before, tokens: of the window. snapshot: id of the snapshot; None if the file could
            not be written in time. handles: what brings a single item back.
    """

    removed: tuple[WindowItem, ...]
    summaries: tuple[str, ...]
    tokens_before: int
    tokens: int
    snapshot: int | None
    handles: tuple[int, ...]


@attrs.frozen
class WindowSnapshot:
    """Snapshot of a window, taken when something was removed.

    Attributes:
        tokens: of the window after it. removed: how many items. removed_tokens: what they had.
    """

    id: int
    at: str
    task: str | None
    tokens: int
    removed: int
    removed_tokens: int
    reason: str


class ContextWindow:
    """Window of a live conversation (seed 000): items, their relevance, what is pruned and when."""

    def __init__(
        self,
        kit: OpenKit,
        *,
        max_tokens: int,
        session: str | None,
        task: str | None,
        model: str,
        format: str | None,
    ) -> None:
        """See `kit.context.window`; raises InvalidInput for what means nothing."""
        name = validation.optional(validation.named, session, name="session")
        self.max_tokens = validation.integer(max_tokens, name="max_tokens")
        self.task = validation.optional(validation.named, task, name="task")
        self._counter = TokenCounter(validation.text(model, name="model"))
        self._format: MessageFormat | None = None if format is None else format_of((), format)
        self.session: str = kit.session().name if name is None else name
        self._kit = kit
        self._items: list[WindowItem] = []
        self._next = 0

    # -- items

    @property
    def items(self) -> tuple[WindowItem, ...]:
        """The items, in their order."""
        return tuple(self._items)

    @property
    def tokens(self) -> int:
        """Tokens of all items."""
        return sum(item.tokens for item in self._items)

    @property
    def system(self) -> str:
        """The system prompts, joined: Anthropic's API takes them apart from the messages."""
        texts = [i.content for i in self._items if i.type is ItemType.SYSTEM_PROMPT]
        return "\n\n".join(texts)

    def add(
        self,
        content: str,
        type: ItemType | str = ItemType.USER_MESSAGE,
        *,
        relevance: float = 1.0,
        task: str | None = None,
        dependencies: Iterable[str] = (),
        pinned: bool | None = None,
        **details: Any,
    ) -> WindowItem:
        """Add an item at the end and return it.

        `task` is the current one unless another is named; a system prompt is pinned unless said
        otherwise. `details` are `tool_calls`, `tool`, `path`, `lines`, `query`, `intent`. Raises
        InvalidInput for an unknown type, detail or dependency.
        """
        kind = validation.member(ItemType, type, name="type")
        known = {"tool_calls", "tool", "path", "lines", "query", "intent"}
        if unknown := sorted(details.keys() - known):
            raise InvalidInput(
                f"{unknown[0]}: no detail of an item; give one of {', '.join(sorted(known))}"
            )
        names = validation.texts(dependencies, name="dependencies")
        present = {item.id for item in self._items}
        if lost := [name for name in names if name not in present]:
            raise InvalidInput(f"dependencies: no item {lost[0]!r} in the window; give its `id`")
        fields = {
            "content": validation.text(content, name="content"),
            "type": kind,
            "relevance": validation.fraction(relevance, name="relevance"),
            "task": self.task if task is None else validation.named(task, name="task"),
            "dependencies": names,
            "pinned": kind is ItemType.SYSTEM_PROMPT if pinned is None else pinned,
            **details,
        }
        return self._append(fields)

    def extend(self, messages: Sequence[Message], format: str | None = None) -> list[WindowItem]:
        """Add the messages of a list at the end and return their items: one for each step of the
        model and one for each result, which depend on each other and never part.

        The window has the format of the first list; raises InvalidInput for another.
        """
        history = message_list(messages)
        name = self._format.name if format is None and self._format is not None else format
        chosen = format_of(history, name)
        if self._format is not None and chosen.name != self._format.name:
            raise InvalidInput(
                f"format: found {chosen.name}, the window has {self._format.name}; open another"
            )
        self._format = chosen
        return [
            self._append({**fields, "task": self.task})
            for fields in item_fields(chosen, history, self._counter.count)
        ]

    def pin(self, item: WindowItem | str) -> WindowItem:
        """Keep an item whatever is pruned; return it. Raises NotFound."""
        return self._change(item, pinned=True)

    def unpin(self, item: WindowItem | str) -> WindowItem:
        """Let an item be pruned again; return it. Raises NotFound."""
        return self._change(item, pinned=False)

    def relevance(self, item: WindowItem | str) -> float:
        """Return how relevant an item is now, 0 to 100: see memkit/context/relevance.py."""
        return self._relevance(self._get(item))

    def switch_task(self, task: str | None) -> None:
        """Make another task the current one: its items count double; a snapshot is taken."""
        self.task = validation.optional(validation.named, task, name="task")
        self._snapshot("task_switch", (), ())

    # -- pruning

    def maybe_prune(self) -> WindowPruning | None:
        """Prune if the window stands above 80 % of its limit: 30 % of the tokens go, the least
        relevant first (seed 000). Return what was done, or None."""
        threshold = math.floor(THRESHOLD * self.max_tokens)
        if self.tokens <= threshold:
            return None
        return self.prune(to=min(math.floor(self.tokens * (1 - REMOVED_SHARE)), threshold))

    def prune(self, *, to: int) -> WindowPruning | None:
        """Remove the least relevant items until the window has `to` tokens; return what was done,
        or None if nothing could go.

        What is pinned and what pinned items depend on stays, as do the first and the newest message
        of the user, the newest item and calls without a result. Of a call that stays a result
        becomes a stub. Before it goes, a code snippet is recorded as a file that was read, anything
        else is summarised; all of it is stored for `restore` and `expand`, secrets replaced. Raises
        ContextOverflow if more than the limit has to stay.
        """
        goal = validation.integer(to, name="to", minimum=0)
        before, items = self.tokens, list(self._items)
        removed = self._removed(goal)
        if not removed:
            if before > self.max_tokens:
                raise self._overflow()
            return None
        if self.tokens > self.max_tokens:
            stays, self._items = self._overflow(), items
            raise stays
        spans = [span for _, span in removed]
        gone = tuple(item for item, _ in removed)
        self._summarise(gone)
        snapshot = self._snapshot("pruning", gone, spans)
        store_spans(self._kit._store, spans, snapshot=snapshot)
        return WindowPruning(
            gone,
            tuple(span.content["summary"] for span in spans),
            before,
            self.tokens,
            snapshot,
            tuple(span.handle for span in spans),
        )

    def restore(self, snapshot: WindowSnapshot | int) -> list[WindowItem]:
        """Put back what was removed when a snapshot was taken, named by itself or its id, each item
        in its place; return these items. Raises NotFound if nothing of it is stored (any more)."""
        number = snapshot.id if isinstance(snapshot, WindowSnapshot) else snapshot
        snapshot_id = validation.integer(number, name="snapshot")
        spans = spans_of_snapshot(self._kit._store, snapshot_id)
        documents = [span.content["item"] for span in spans if _holds_item(span)]
        if not documents:
            raise NotFound(
                f"{snapshot_id}: no window has a snapshot of this id, or it was trimmed; "
                "`window.snapshots()` lists those there are"
            )
        items = [item_from(document) for document in documents]
        names = {item.id for item in items}
        rest = [item for item in self._items if item.id not in names]
        self._items = sorted([*rest, *items], key=lambda item: item.position)
        self._next = max([self._next, *(item.position + 1 for item in items)])
        return sorted(items, key=lambda item: item.position)

    def snapshots(self) -> list[WindowSnapshot]:
        """Return the snapshots of the session in which something was removed, newest first."""
        rows = self._kit._store.all(
            "context_spans.snapshots", session_id=self.session, max_rows=SNAPSHOTS
        )
        out = []
        for snapshot_id, at, task, tokens, pruned, reason in rows:
            items = json.loads(pruned)
            gone = sum(item["tokens"] or 0 for item in items)
            out.append(WindowSnapshot(snapshot_id, at, task, tokens, len(items), gone, reason))
        return [snapshot for snapshot in out if snapshot.removed]

    # -- for the model

    def prepare(self, message: str) -> list[Message]:
        """Return the messages for the model's next call (seed 000): prune if that is due, add the
        user's message, code that bears on it and similar tasks of the past. What is remembered of
        it stands at the end and is no item: it is looked up anew for each message. Raises
        InvalidInput for a blank message, which no provider takes, before anything changes."""
        if not validation.text(message, name="message").strip():
            raise InvalidInput("message: is blank; give what the user says")
        self.maybe_prune()
        self.add(message)
        room = self.max_tokens - self.tokens
        seen = {(item.path, item.lines, item.content) for item in self._items}
        for fields in items_for(self._kit, message, room=room, count=self._counter.count):
            if (fields.get("path"), fields.get("lines"), fields["content"]) not in seen:
                self.add(**fields)
        if self.tokens > self.max_tokens:
            self.prune(to=math.floor(THRESHOLD * self.max_tokens))
        room = self.max_tokens - self.tokens
        texts = [item.content for item in self._items]
        budget = min(int(room * ROOM_SHARE), DEFAULT_BUDGET)
        messages = self.messages()
        if budget < 1:
            return messages
        memory = assemble(
            self._kit,
            message,
            budget=budget,
            session=self.session,
            visible=texts,
            model=self._counter.family,
        ).text
        return [*messages, self._chosen_format().user_message(memory)] if memory else messages

    def messages(self) -> list[Message]:
        """Return the items as messages of the window's format (Anthropic's, if none was named)."""
        format = self._chosen_format()
        return [message for item in self._items for message in rendered(format, item)]

    # -- inside

    def _chosen_format(self) -> MessageFormat:
        return format_of((), None) if self._format is None else self._format

    def _append(self, fields: dict[str, Any]) -> WindowItem:
        now = self._kit._store.now()
        item = WindowItem(**fields, id=str(uuid4()), position=self._next, timestamp=now, tokens=0)
        item = attrs.evolve(item, tokens=self._tokens_of(item))
        self._items.append(item)
        self._next += 1
        return item

    def _tokens_of(self, item: WindowItem) -> int:
        format, count = self._chosen_format(), self._counter.count
        messages = rendered(format, item)
        return tokens_of(format, messages, count) if messages else count(item.content)

    def _get(self, item: WindowItem | str) -> WindowItem:
        name = item.id if isinstance(item, WindowItem) else item
        present = next((other for other in self._items if other.id == name), None)
        if present is None:
            raise NotFound(f"{validation.shown(name)}: no item of the window; see `window.items`")
        return present

    def _change(self, item: WindowItem | str, **changes: Any) -> WindowItem:
        before = self._get(item)
        after = attrs.evolve(before, **changes)
        self._items[self._items.index(before)] = after
        return after

    def _relevance(self, item: WindowItem) -> float:
        now = self._kit._store.clock()
        return relevance(
            item.type,
            age_minutes=(now - timestamps.to_epoch(item.timestamp)) / 60,
            dependents=sum(self._depends(other, item) for other in self._items),
            is_current_task=self.task is not None and item.task == self.task,
            calls_tools=bool(item.tool_calls),
            explicit=item.relevance,
        )

    @staticmethod
    def _depends(item: WindowItem, other: WindowItem) -> bool:
        return other.id in item.dependencies or item.answers in other.calls

    def _guarded(self) -> set[str]:
        """Return the ids of what never goes."""
        users = [i.id for i in self._items if i.type is ItemType.USER_MESSAGE]
        answered = {item.answers for item in self._items}
        guarded = {
            *users[:1],
            *users[-1:],
            *(item.id for item in self._items[-1:]),
            *(item.id for item in self._items if item.pinned or set(item.calls) - answered),
        }
        while True:
            needed = {
                other.id
                for item in self._items
                if item.id in guarded
                for other in self._items
                if self._depends(item, other)
            }
            if needed <= guarded:
                return guarded
            guarded |= needed

    def _removed(self, goal: int) -> list[tuple[WindowItem, RemovedSpan]]:
        """Take items out until the window has `goal` tokens; return them with their spans."""
        guarded = self._guarded()
        order = sorted(self._items, key=lambda item: (self._relevance(item), item.position))
        removed: list[tuple[WindowItem, RemovedSpan]] = []
        gone: set[str] = set()
        for item in order:
            if self.tokens <= goal:
                break
            if item.id in guarded or item.id in gone:
                continue
            group = [item, *(i for i in self._items if i.answers in item.calls)]
            if any(other.id in guarded for other in group):
                continue
            if any(item.answers in other.calls for other in self._items):
                removed += self._replaced(item)
                continue
            gone.update(other.id for other in group)
            removed += [(other, self._span(other)) for other in group]
            self._items = [other for other in self._items if other.id not in gone]
        return removed

    def _replaced(self, item: WindowItem) -> list[tuple[WindowItem, RemovedSpan]]:
        """Put a stub in the place of a result whose call stays, if that saves something."""
        if item.handle is not None:
            return []
        span = self._span(item)
        text = f"[{item.tokens:,} tokens removed; memkit expand {span.handle} prints them]"
        stub = stubbed(self._chosen_format(), item, text)
        if stub is None or (tokens := self._tokens_of(stub)) >= item.tokens:
            return []
        self._change(item, content=text, messages=stub.messages, tokens=tokens, handle=span.handle)
        return [(item, span)]

    def _span(self, item: WindowItem) -> RemovedSpan:
        safe = without_private(self._chosen_format(), item, self._repository)
        text = summarize(safe.content, max_tokens=SUMMARY_TOKENS, count=estimate)
        content = {"item": attrs.asdict(safe), "summary": text}
        is_result = item.type is ItemType.TOOL_RESULT
        kind = SpanKind.TOOL_RESULT if is_result else SpanKind.MESSAGE
        return safe_span(kind, content, item.tokens, session=self.session, name=item.id)

    def _summarise(self, items: Iterable[WindowItem]) -> None:
        """Record the code that was looked at, before it goes."""
        for item in items:
            if item.type is ItemType.CODE_SNIPPET and item.path:
                event = {"event": "file", "path": item.path, "operation": "read"}
                lines = {} if item.lines is None else {"line_range": item.lines}
                self._record(event | lines | {"context": "was in the context window"}, item.task)

    def _snapshot(
        self, reason: str, removed: Sequence[WindowItem], spans: Sequence[RemovedSpan]
    ) -> int | None:
        """Record what is in the window, and what was removed; return the snapshot's id."""
        event = {
            "event": "snapshot",
            "items": [self._shown(item) for item in self._items],
            "total_tokens": self.tokens,
            "pruned": [
                {**self._shown(item), "id": span.handle}
                for item, span in zip(removed, spans, strict=True)
            ],
            "reason": reason,
        }
        return self._record(event, self.task)

    def _record(self, event: dict[str, Any], task: str | None) -> int | None:
        of_task = {} if task is None else {"task": task}
        return self._kit.episodes.record({**event, "session": self.session, **of_task}).id

    def _shown(self, item: WindowItem) -> dict[str, Any]:
        score = round(self._relevance(item), 4)
        return {"id": item.id, "type": item.type, "tokens": item.tokens, "relevance": score}

    @property
    def _repository(self) -> RepositoryPaths:
        return RepositoryPaths(self._kit.path.parent)

    def _overflow(self) -> ContextOverflow:
        return overflow(self.tokens, self.max_tokens)


def _holds_item(span: RemovedSpan) -> bool:
    return isinstance(span.content, dict) and "item" in span.content


# --- Preparation of a message: code and past work that bear on it (seed 000).

SIMILAR_TASKS = 3
"""Tasks of the past that are named (seed 000)."""
PAST_RELEVANCE = 0.8
"""What the item of past tasks says of its own relevance (seed 000)."""
CODE_FILES = 3
"""Files of which code is shown."""
SNIPPET_LINES = 60
"""Lines of a snippet at most."""
SNIPPET_TOKENS = 600
"""Tokens of a snippet at most."""
ROOM_SHARE = 0.25
"""Share of the window's room that code may take, and memories of what is left then."""
_LINES_AROUND = 2
_LONGEST_FILE = 1_000_000


def items_for(
    kit: OpenKit, message: str, *, room: int, count: Callable[[str], int]
) -> Iterator[dict[str, Any]]:
    """Yield the fields of the items that stay in a window for a message, in `room` tokens."""
    left = int(room * ROOM_SHARE)
    for fields in _code(kit, message):
        left -= count(fields["content"])
        if left < 0:
            break
        yield fields
    yield from _past_work(kit, message)


def _code(kit: OpenKit, message: str) -> Iterator[dict[str, Any]]:
    with suppress(NotFound):  # there is no code graph
        for file in kit.codegraph.find_relevant_to_query(message, limit=CODE_FILES):
            if fields := _snippet(kit.path.parent, file):
                yield fields


def _snippet(root: Path, file: RelevantFile) -> dict[str, Any] | None:
    """Return the lines of a file that the message speaks of; None if they may not be shown."""
    path = root / file.path
    try:
        if PrivateFiles(root).is_private(file.path) or path.stat().st_size > _LONGEST_FILE:
            return None
        lines = decode(path.read_bytes()).splitlines()
    except OSError:
        return None
    symbol = file.symbols[0] if file.symbols else None
    first = max(symbol.line - _LINES_AROUND, 1) if symbol else 1
    last = min(symbol.end_line if symbol else len(lines), first + SNIPPET_LINES - 1, len(lines))
    shown = redact("\n".join(lines)).text.splitlines()[first - 1 : last]
    text = truncate("\n".join(shown), SNIPPET_TOKENS).text
    if not text.strip():
        return None
    return {
        "content": text,
        "type": ItemType.CODE_SNIPPET,
        "path": file.path,
        "lines": (first, first + text.count("\n")),
        "relevance": min(max(file.score, 0.0), 1.0),
    }


def _past_work(kit: OpenKit, message: str) -> Iterator[dict[str, Any]]:
    tasks = kit.episodes.find_similar_tasks(message, limit=SIMILAR_TASKS)
    lines = [f"- {t.description}: {t.outcome or t.status or 'open'}" for t in tasks]
    if lines:
        yield {
            "content": "\n".join(["Relevant past work:", *lines]),
            "type": ItemType.ASSISTANT_RESPONSE,
            "relevance": PAST_RELEVANCE,
            "query": message[:80],
        }

"""Context items and their backends: in memory, of a task under way, and over memories.

All three keep one contract: `add` returns the item as it stands, `query` compares with the
operators of filters of memories ($eq $ne $gt $gte $lt $lte $in …; a list means any of its
members), a missing value agrees with no comparison and raises nothing, and none sees an item of
another scope.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Protocol

import attrs

from .. import validation
from ..episodes.recording.tolerant_json import written_mapping
from ..episodes.records import UNDER_WAY
from ..errors import InvalidInput
from ..frozen import frozen
from ..memories import filters as filters_
from ..memories import ingest
from ..memories.identity import tag_name
from ..memories.records import (
    DEFAULT_IMPORTANCE,
    Draft,
    InactiveCode,
    Kind,
    Memory,
    Provenance,
    Scope,
    memory_id,
)
from ..redaction import redact_json
from ..store import timestamps
from ..text.analyzer import nfc

if TYPE_CHECKING:
    from ..memories.memories import Memories
    from ..store.integrity import Problem
    from ..store.store import Store

# Time of an item whose own cannot be read: it is older than all others.
_UNKNOWN = "1970-01-01T00:00:00.000Z"


class ItemKind(StrEnum):
    """Kinds of items that a scope holds (seed 003)."""

    DECISION = "decision"
    CONVENTION = "convention"
    FAILURE = "failure"
    PREFERENCE = "preference"
    PATTERN = "pattern"
    REASONING = "reasoning"
    TOOL_OUTPUT = "tool_output"


def _kind(value: ItemKind | str) -> ItemKind:
    return validation.member(ItemKind, value, name="kind")


def _time(value: str) -> str:
    # Those of stored rows, which come in thousands, are as they should be.
    return value if _is_stored_time(value) else timestamps.normalise(value, name="timestamp")


@lru_cache(maxsize=4096)
def _is_stored_time(value: str) -> bool:
    return isinstance(value, str) and timestamps.is_stored(value)


def _tags(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({_tag(tag) for tag in validation.texts(values, name="tags")}))


# Few tags are carried by many items.
_tag = lru_cache(maxsize=4096)(tag_name)


def _importance(value: float | None) -> float | None:
    return validation.optional(validation.fraction, value, name="importance")


def _payload(value: Mapping[str, object]) -> dict[str, object]:
    if validation.mapping(value, name="payload"):
        json_of(value, name="payload")
    return dict(value)


@frozen
class ContextItem:
    """One item of a scope (seed 003).

    Attributes:
        id: its name in its scope; of a project or global item the id of its memory.
        source: where it came from: task/<id>, task/<id>/<stage>, project/<id> or global.
        timestamp: when it was added, UTC text. tags: in stored form, sorted.
        importance: 0 to 1; None: not said. tokens: of the text (o200k).
        payload: what the text does not say; JSON.
    """

    id: str
    kind: ItemKind = attrs.field(converter=_kind)
    source: str
    timestamp: str = attrs.field(converter=_time)
    tags: tuple[str, ...] = attrs.field(default=(), converter=_tags)
    importance: float | None = attrs.field(default=None, converter=_importance)
    tokens: int = 0
    text: str = ""
    payload: Mapping[str, object] = attrs.field(factory=dict, converter=_payload, hash=False)


class Backend(Protocol):
    """Store of the items of one scope (seed 003, MemoryBackend)."""

    def add(self, item: ContextItem) -> ContextItem:
        """Keep an item and return it as it now stands; one of the same id is replaced."""
        ...

    def query(
        self, filters: Mapping[str, object], limit: int = 100, order_by: str = "timestamp"
    ) -> list[ContextItem]:
        """Return up to `limit` items that agree with every filter, greatest or newest first;
        "-field" turns the order round; of equal ones the later id is the newer. Raises
        InvalidInput for a field or operator that is none."""
        validation.integer(limit, name="limit")
        order = validation.text(order_by, name="order_by")
        field = _FIELDS.check(order.removeprefix("-"), "order_by")
        tests = [
            (name, _FIELDS.predicate(name, filters_.converted(operand, partial(_normal, name))))
            for name, operand in filters_.as_filters(filters).items()
        ]
        items = self.list_all()
        matches = [i for i in items if all(agrees(getattr(i, name)) for name, agrees in tests)]
        matches.sort(key=partial(_sort_key, field), reverse=order == field)
        return matches[:limit]

    def get(self, item_id: str) -> ContextItem | None:
        """Return the item of that id, or None."""
        ...

    def delete(self, item_id: str) -> bool:
        """Remove an item; return whether there was one."""
        ...

    def list_all(self) -> list[ContextItem]:
        """Return every item, in the order of their ids."""
        ...

    def clear(self) -> None:
        """Remove every item."""
        ...

    def count(self) -> int:
        """Return how many items there are."""
        return len(self.list_all())


# --- Filters and order of items.

_FIELDS = filters_.FilterFields.of(ContextItem, enums={"kind": ItemKind}, without=("payload",))


def _normal(name: str, operand: object) -> object:
    if name == "timestamp" and operand is not None:
        return timestamps.normalise(operand, name=name)  # type: ignore[arg-type]
    return tag_name(operand) if name == "tags" and isinstance(operand, str) else operand


def _sort_key(field: str, item: ContextItem) -> tuple[bool, Any, str]:
    value = getattr(item, field)
    return value is not None, "" if value is None else value, item.id


# --- In memory: what is neither shared nor to outlive the process.


class InMemoryBackend(Backend):
    """Backend of a dictionary: nothing is written, and nothing outlives the process."""

    def __init__(self) -> None:
        self._items: dict[str, ContextItem] = {}

    def add(self, item: ContextItem) -> ContextItem:
        """Keep an item and return it; one of the same id is replaced."""
        self._items[item.id] = item
        return item

    def get(self, item_id: str) -> ContextItem | None:
        """Return the item of that id, or None."""
        return self._items.get(item_id)

    def delete(self, item_id: str) -> bool:
        """Remove an item; return whether there was one."""
        return self._items.pop(item_id, None) is not None

    def list_all(self) -> list[ContextItem]:
        """Return every item, in the order of their ids."""
        return sorted(self._items.values(), key=lambda item: item.id)

    def clear(self) -> None:
        """Remove every item."""
        self._items.clear()


def wall(project: str) -> str:
    """Return the wall of a project: its name as the rows of its items bear it."""
    return nfc(ingest.safe_text(project, name="project").text)


# --- Of a task: rows of `context_items`, which are gone when the task is over.


class TaskBackend(Backend):
    """Backend of one task: rows of this machine that nobody sees once the task is over."""

    def __init__(self, store: Store, *, project: str, task: str) -> None:
        """`project` is the wall behind which the task stands."""
        self._store = store
        self._scope = {"project": project, "task_id": task}

    def add(self, item: ContextItem) -> ContextItem:
        """Keep an item, without secrets, and return it as it stands; one of the same id is
        replaced. Raises InvalidInput if the task is over: its items are gone."""
        from .. import tokens

        text = ingest.safe_text(validation.named(item.text, name="text")).text
        safe = attrs.evolve(
            item,
            id=ingest.safe_text(validation.named(item.id, name="id"), name="id").text,
            source=ingest.safe_text(item.source, name="source").text,
            tags=ingest.stored_tags(item.tags),
            text=text,
            tokens=tokens.count(text),
            payload=_safe_payload(item.payload),
        )
        self._store.write(partial(self._put, safe))
        return safe

    def get(self, item_id: str) -> ContextItem | None:
        return next(iter(self._items(validation.text(item_id, name="id"))), None)

    def delete(self, item_id: str) -> bool:
        drop = partial(self._store.run, "context_scopes.drop_task_item", item_id=item_id)
        return self._store.write(lambda: drop(**self._scope)) > 0

    def list_all(self) -> list[ContextItem]:
        return self._items()

    def clear(self) -> None:
        self._store.write(lambda: self._store.run("context_scopes.drop_task_items", **self._scope))

    def _items(self, item_id: str | None = None) -> list[ContextItem]:
        rows = self._store.records("context_scopes.task_items", **self._scope, item_id=item_id)
        return [_task_item(row) for row in rows]

    def _put(self, item: ContextItem) -> None:
        status = self._store.value("context_scopes.task_status", **self._scope)
        if status is not None and status not in UNDER_WAY:
            task = validation.shown(self._scope["task_id"])
            raise InvalidInput(
                f"task: {task} is {status}, and its items are gone; name a task that is under way, "
                "or add it to the project"
            )
        row = attrs.asdict(item, recurse=False)
        row |= {"tags": ingest.json_list(item.tags), "payload": ingest.json_text(item.payload)}
        self._store.run("context_scopes.put_task_item", **self._scope, item_id=row.pop("id"), **row)


def task_items(
    store: Store, *, project: str, task: str | None, session: str | None
) -> list[ContextItem]:
    """Return the items of a task that is under way; of none that is named, those of the tasks that
    run in a session."""
    rows = store.records(
        "context_scopes.items_under_way", project=project, task_id=task, session_id=session
    )
    return [_task_item(row) for row in rows]


def _task_item(row: Mapping[str, Any]) -> ContextItem:
    """Return a row as an item; what another program wrote and nobody can read is left out."""
    return ContextItem(
        id=str(row["item_id"]),
        kind=row["kind"],
        source=str(row["source"]),
        timestamp=row["timestamp"] if _is_stored_time(row["timestamp"]) else _UNKNOWN,
        tags=_read_tags(row["tags"]),
        importance=row["importance"],
        tokens=max(row["tokens"], 0),
        text=str(row["text"]),
        payload=written_mapping(row["payload"]),
    )


# --- Over memories: a project's and the global items are memories.

# Items of a project beyond which the lowest tenth is evicted (seed 003).
MAX_ITEMS = 1000
# What each kind of item is as a memory, and how it became known.
MEMORY_KINDS: Mapping[ItemKind, Kind] = {
    ItemKind.DECISION: Kind.FACT,
    ItemKind.CONVENTION: Kind.PREFERENCE,
    ItemKind.FAILURE: Kind.CORRECTION,
    ItemKind.PREFERENCE: Kind.PREFERENCE,
    ItemKind.PATTERN: Kind.PROCEDURE,
    ItemKind.REASONING: Kind.FACT,
    ItemKind.TOOL_OUTPUT: Kind.FACT,
}
_PROVENANCE: Mapping[ItemKind, Provenance] = {
    ItemKind.REASONING: Provenance.INFERRED,
    ItemKind.TOOL_OUTPUT: Provenance.OBSERVED,
}
_TRIGGERS = "trigger_patterns"


class MemoriesBackend(Backend):
    """Backend whose items are memories: found by recall, superseded, merged, without secrets.

    An item is a memory of the scope that has a row in `memory_items`.
    """

    def __init__(
        self, memories: Memories, *, project: str | None, max_items: int | None = None
    ) -> None:
        """`project` is the wall of the items; None: they are global. Beyond `max_items` the lowest
        tenth by importance, then age, is evicted by `add`; None: nothing is."""
        self._memories = memories
        self._project = project
        self._max_items = max_items
        self._scope = Scope.GLOBAL if project is None else Scope.PROJECT

    def add(self, item: ContextItem) -> ContextItem:
        """Remember an item and return it as it stands: its id is that of the memory. The same
        statement again gives the one that is there, with what is new about it."""
        home = self._writable()
        triggers = item.payload.get(_TRIGGERS, ())
        draft = Draft(
            item.text,
            kind=Kind.NEGATIVE if triggers else MEMORY_KINDS[item.kind],
            scope=self._scope,
            project=self._project,
            tags=item.tags,
            importance=DEFAULT_IMPORTANCE if item.importance is None else item.importance,
            provenance=_PROVENANCE.get(item.kind, Provenance.STATED),
            at=item.timestamp,
            trigger_patterns=validation.texts(triggers, name=_TRIGGERS),
        )
        note = partial(_note, home._store, item.kind, _safe_payload(item.payload))
        (result,) = home._remember_many([draft], note=lambda _, ids: note(ids))
        item = self._item(self._rows(home._store, result.id)[0])
        self._evict()
        return item

    def get(self, item_id: str) -> ContextItem | None:
        """Return the item of that id, or None: also if it is one of another scope or project."""
        with suppress(InvalidInput):
            return next(iter(self._items(memory_id(item_id))), None)
        return None

    def delete(self, item_id: str) -> bool:
        """Forget an item, which `kit.memories.restore` undoes; return whether there was one."""
        if self.get(item_id) is None:
            return False
        self.forget([item_id], "deleted from its scope")
        return True

    def list_all(self) -> list[ContextItem]:
        """Return every item, in the order of their ids: of global ones those that hold here."""
        return self._items()

    def clear(self) -> None:
        """Forget every item, which `kit.memories.restore` undoes."""
        if ids := [item.id for item in self.list_all()]:
            self.forget(ids, "its scope was cleared")

    def forget(self, ids: Sequence[str], reason: str) -> None:
        """Forget items of this scope by their ids, with the reason."""
        self._writable()._forget(ids, reason, InactiveCode.FORGOTTEN)

    def note(self, memory: Memory, kind: ItemKind, payload: Mapping[str, object]) -> ContextItem:
        """Make an item of a memory of this scope that is there already; return it."""
        store = self._writable()._store
        store.write(partial(_note, store, kind, _safe_payload(payload), [memory.id]))
        return self._item(self._rows(store, memory.id)[0])

    def _items(self, own_id: int | None = None) -> list[ContextItem]:
        if (home := self._home()) is None:
            return []
        store = home._up_to_date()
        is_global = store is not self._memories._store
        replaced = self._memories._relations.replaced() if is_global else {}
        return [self._item(row) for row in self._rows(store, own_id) if row["id"] not in replaced]

    def _rows(self, store: Store, own_id: int | None = None) -> list[dict[str, Any]]:
        return store.records(
            "context_scopes.memory_items",
            scope=self._scope,
            project=self._project,
            id=own_id,
            now=store.now(),
        )

    def _evict(self) -> None:
        """Forget the lowest tenth if there are too many items; what is pinned or warns of a failure
        stays. `kit.memories.restore` brings one back."""
        store = self._writable()._store
        if self._max_items is None or (count := len(self._rows(store))) <= self._max_items:
            return
        excess = max(count // 10, count - self._max_items)
        rows = store.all("context_scopes.evictable", project=self._project)
        if ids := [str(own_id) for (own_id,) in rows[:excess]]:
            self.forget(ids, f"evicted: the project has more than {self._max_items:,} items")

    def _home(self, *, writes: bool = False) -> Memories | None:
        """Return the memories of the file in which the items lie; None if it is not there yet."""
        other = self._memories._global_store
        if self._project is not None or not other.is_named:
            return self._memories
        return other.memories(writes=writes)

    def _writable(self) -> Memories:
        return self._home(writes=True) or self._memories

    def _item(self, row: Mapping[str, Any]) -> ContextItem:
        payload, at = dict(written_mapping(row["payload"])), row["created_at"]
        if triggers := _read_texts(row[_TRIGGERS]):
            payload[_TRIGGERS] = list(triggers)
        return ContextItem(
            id=str(row["id"]),
            kind=row["kind"],
            source="global" if self._project is None else f"project/{self._project}",
            timestamp=at if _is_stored_time(at) else _UNKNOWN,
            tags=_read_tags(row["tags"]),
            importance=row["importance"],
            tokens=max(row["tokens"], 0),
            text=str(row["text"]),
            payload=payload,
        )


def _note(store: Store, kind: ItemKind, payload: Mapping[str, object], ids: Sequence[int]) -> None:
    """Write what memories hold beside their text, adding to what they held; inside `write`."""
    for own_id in ids:
        row = store.first("context_scopes.memory_item", id=own_id)
        whole = {**(written_mapping(row[1]) if row else {}), **payload}
        text, now = ingest.json_text(whole), store.now()
        store.run("context_scopes.put_memory_item", id=own_id, kind=kind, payload=text, at=now)


# --- Payloads and tags, as they go in and as they are read.


def json_of(value: object, *, name: str) -> str:
    """Return a value as JSON; raises InvalidInput for what it cannot hold."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise InvalidInput(
            f"{name}: found {validation.shown(value)}, expected what JSON can hold"
        ) from None


def _safe_payload(payload: Mapping[str, object]) -> dict[str, object]:
    """Return a payload without secrets, and without what the memory itself holds; raises
    InvalidInput for one that is too long."""
    own = {name: value for name, value in payload.items() if name != _TRIGGERS}
    text = json_of(own, name="payload")
    ingest.check_length(text, name="payload")
    safe = redact_json(json.loads(text))
    return safe if isinstance(safe, dict) else {}


def _read_texts(stored: str) -> tuple[str, ...]:
    try:
        return ingest.texts_of(stored)
    except (ValueError, RecursionError):
        return ()


def _read_tags(stored: str) -> tuple[str, ...]:
    """Return those of some tags that memkit can have written."""
    return tuple(tag for tag in _read_texts(stored) if _is_tag(tag))


def _is_tag(tag: str) -> bool:
    try:
        return bool(_tag(tag))
    except InvalidInput:
        return False


# --- Checks and repair of the rows of the context: JSON and counts of another shape.

# Tables whose rows another program may have given a shape that memkit does not write.
_TABLES = (
    ("context_items", "context_scopes.odd_task_items", "context_scopes.mend_task_items"),
    ("memory_items", "context_scopes.odd_memory_items", "context_scopes.mend_memory_items"),
)


def check(store: Store, *, repair: bool) -> list[Problem]:
    """Return what is wrong with items of scopes; with `repair` what cannot be read is as good as
    not set."""
    from ..store.integrity import Problem  # scopes are read without it

    problems = []
    for table, odd, mend in _TABLES:
        if rows := store.all(odd):
            if repair:
                store.write(partial(store.run, mend))
            detail = f"{len(rows)} rows of {table} are of another shape, first {rows[0][0]}"
            problems.append(Problem("context", detail, repair))
    return problems

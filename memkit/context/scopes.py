"""Scopes of a context: what a task noted, what holds for a project, what holds everywhere.

A task's items are gone when it ends; a project's and the global ones are memories. Nothing is
promoted by itself: what holds everywhere is for somebody to say. No project reads another's. A
budget is allocated to the scopes as 40 : 40 : 20, and unused budget flows on (seed 003).

Notes of a task that fit into its share come whole, the most important first; what is left of the
share goes to the next one, shortened.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..episodes.recording import normalizer
from ..errors import InvalidInput, NotFound, StoreError
from ..memories import ingest
from ..memories.records import Draft, EdgeKind, Memory, MemoryRef, Scope
from ..redaction import clean_text, quoted, redact
from ..text.analyzer import words_of
from ..text.extractive import summarize
from ..tokens import FAMILIES, TokenCounter, estimate
from .assembled import Candidate, LeftOut, Level, Tier
from .backend import (
    MAX_ITEMS,
    Backend,
    ContextItem,
    ItemKind,
    MemoriesBackend,
    TaskBackend,
    json_of,
    task_items,
    wall,
)
from .selection import ITEM_TOKENS, SHORTEST_PART

if TYPE_CHECKING:
    from ..episodes.recording.session import Task
    from ..memories.memories import Memories
    from ..store.store import Store
    from .ports import OpenKit
    from .sources import Moment


# Says yes to a write, or no; it is given the question.
Confirm = Callable[[str], bool]
# Importance of what a scope is given (seed 003).
IMPORTANCE: Mapping[ItemKind, float] = {
    ItemKind.REASONING: 0.5,
    ItemKind.TOOL_OUTPUT: 0.7,
    ItemKind.DECISION: 0.9,
    ItemKind.CONVENTION: 0.8,
    ItemKind.FAILURE: 0.85,
    ItemKind.PREFERENCE: 0.9,
    ItemKind.PATTERN: 0.7,
}
# Items that a question returns at most (seed 003; of a stage it is a thousand).
LIMIT, STAGE_LIMIT = 100, 1000
# Characters of a tool's output that a task keeps, from either end: some 5,000 tokens in all.
OUTPUT_HEAD, OUTPUT_TAIL = 12_000, 8_000


class TaskScope:
    """Scope of one task: what it noted for itself, on this machine, until it ends."""

    def __init__(
        self,
        store: Store,
        promotion: Promotion,
        *,
        project: str,
        task: str | Task,
        backend: Backend | None = None,
    ) -> None:
        """`task` is its name, or the task that is recorded; `backend` holds its items, else this
        machine's rows of the file do."""
        self.id = normalizer.name(getattr(task, "name", task), what="task")
        self._store = store
        self._promotion = promotion
        self._ids = store.ids("context_scopes.last_item_id")
        self.backend: Backend = backend or TaskBackend(store, project=project, task=self.id)

    def add_reasoning(self, text: str, stage: str) -> ContextItem:
        """Note what was concluded in a stage of the task; return the item. Raises InvalidInput if
        the task is over."""
        return self._add(ItemKind.REASONING, text, stage, (stage,), {})

    def add_tool_output(
        self, tool: str, output: object, *, stage: str | None = None
    ) -> ContextItem:
        """Note what a tool returned (a text, or what JSON can hold); return the item. Of a long
        output both ends are kept, with the number of characters between them. Raises InvalidInput
        if the task is over."""
        name = validation.named(tool, name="tool")
        text = output if isinstance(output, str) else json_of(output, name="output")
        tags = ("tool", name) if stage is None else ("tool", name, stage)
        payload = {"tool": name, "is_json": not isinstance(output, str)}
        return self._add(ItemKind.TOOL_OUTPUT, _both_ends(text), stage, tags, payload)

    def stage_outputs(self, stage: str) -> list[ContextItem]:
        """Return what was noted in a stage, newest first."""
        return self.backend.query({"source": self._source(stage)}, STAGE_LIMIT)

    def items(
        self, filters: Mapping[str, object] | None = None, *, limit: int = LIMIT
    ) -> list[ContextItem]:
        """Return the task's items that agree with filters, newest first."""
        return self.backend.query(filters or {}, limit)

    def promote(
        self,
        item: ContextItem | str,
        to: Scope | str = Scope.PROJECT,
        *,
        kind: ItemKind | str | None = None,
        confirm: Confirm | None = None,
    ) -> ContextItem | None:
        """Move an item to the project (or "global"), where it is a memory; return it as it stands
        there. `kind` says what it is there (a decision, a pattern). None if `confirm` declined.
        Raises NotFound for an item that the task does not have."""
        there = _present(self.backend, item, f"in task {self.id!r}; see items()")
        promoted = self._promotion.of_item(there, to, kind=kind, confirm=confirm)
        if promoted is not None:
            self.backend.delete(there.id)
        return promoted

    def clear(self) -> None:
        """Remove all that the task noted, before its end."""
        self.backend.clear()

    def _add(
        self,
        kind: ItemKind,
        text: str,
        stage: str | None,
        tags: Collection[str],
        payload: Mapping[str, object],
    ) -> ContextItem:
        def write() -> ContextItem:
            item = ContextItem(
                id=f"item-{self._ids.new()}",
                kind=kind,
                source=self._source(stage),
                timestamp=self._store.now(),
                tags=ingest.stored_tags(("task", *tags)),
                importance=IMPORTANCE[kind],
                text=text,
                payload=payload,
            )
            return self.backend.add(item)

        return self._store.write(write)

    def _source(self, stage: str | None) -> str:
        if stage is None:
            return f"task/{self.id}"
        return f"task/{self.id}/{ingest.safe_text(validation.named(stage, name='stage')).text}"


class ProjectScope:
    """Scope of one project: decisions, conventions and failures, which are memories of it."""

    def __init__(
        self,
        memories: Memories,
        promotion: Promotion,
        *,
        project: str,
        max_items: int | None = None,
    ) -> None:
        """`project` is its wall; beyond `max_items` the lowest tenth is evicted: it is
        forgotten, and `kit.memories.restore` brings it back."""
        self.id = project
        self._store = memories._store
        self._promotion = promotion
        limit = validation.optional(validation.integer, max_items, name="max_items") or MAX_ITEMS
        self.backend: Backend = MemoriesBackend(memories, project=project, max_items=limit)

    def add_decision(self, text: str, *, tags: Collection[str] = ()) -> ContextItem:
        """Remember a decision about the design; return the item as it stands."""
        return self._add(ItemKind.DECISION, text, tags, {})

    def add_convention(self, text: str, scope: str) -> ContextItem:
        """Remember a convention of writing code; `scope` says where it holds (naming, tests)."""
        field = validation.named(scope, name="scope")
        return self._add(ItemKind.CONVENTION, text, (field,), {"scope": field})

    def add_failure(
        self,
        failure: str,
        lesson: str,
        *,
        code: str | None = None,
        trigger_patterns: Collection[str] = (),
    ) -> ContextItem:
        """Remember what failed and what it taught; the memory says both. With `trigger_patterns`
        it comes back when one of them occurs. `code` names the sort of failure."""
        what = validation.named(failure, name="failure").strip()
        learnt = validation.named(lesson, name="lesson").strip()
        payload: dict[str, object] = {"failure": what, "lesson": learnt}
        if trigger_patterns:
            payload["trigger_patterns"] = list(validation.texts(trigger_patterns, name="triggers"))
        text = f"{learnt} (it failed before: {what})"
        return self._add(ItemKind.FAILURE, text, () if code is None else (code,), payload)

    def decisions(
        self, tags: Collection[str] | str | None = None, *, limit: int = LIMIT
    ) -> list[ContextItem]:
        """Return decisions, newest first; with `tags` those that have any of them."""
        return _query(self.backend, ItemKind.DECISION, tags, limit)

    def conventions(self, scope: str | None = None, *, limit: int = LIMIT) -> list[ContextItem]:
        """Return conventions, newest first; with `scope` those that hold there."""
        return _query(self.backend, ItemKind.CONVENTION, scope, limit)

    def failures(self, code: str | None = None, *, limit: int = LIMIT) -> list[ContextItem]:
        """Return failures with their lessons, newest first; with `code` those of that sort."""
        return _query(self.backend, ItemKind.FAILURE, code, limit)

    def items(
        self, filters: Mapping[str, object] | None = None, *, limit: int = LIMIT
    ) -> list[ContextItem]:
        """Return the project's items that agree with filters, newest first."""
        return self.backend.query(filters or {}, limit)

    def promote(
        self,
        item: ContextItem | str,
        *,
        kind: ItemKind | str | None = None,
        confirm: Confirm | None = None,
    ) -> ContextItem | None:
        """Let an item hold for every project; return it as it stands there, or None if `confirm`
        declined. The project keeps its own, since it is committed with it. Raises NotFound for an
        item that the project does not have."""
        there = _present(self.backend, item, f"in project {self.id!r}; see items()")
        return self._promotion.of_item(there, Scope.GLOBAL, kind=kind, confirm=confirm)

    def _add(
        self, kind: ItemKind, text: str, tags: Collection[str], payload: Mapping[str, object]
    ) -> ContextItem:
        own = validation.texts(tags, name="tags")
        item = _item(self._store, kind, text, ("project", kind, *own), payload)
        return self.backend.add(item)


class GlobalScope:
    """Scope of every project: preferences and patterns, which are global memories."""

    def __init__(self, memories: Memories, *, confirm: Confirm | None = None) -> None:
        """`confirm` is asked before a preference is added or changed, and before all is cleared;
        without it nobody is."""
        self._memories = memories
        self._confirm = validation.callback(confirm, name="confirm")
        self.backend: Backend = MemoriesBackend(memories, project=None)

    def add_preference(
        self, text: str, category: str, *, require_confirmation: bool = False
    ) -> ContextItem | None:
        """Remember a preference of the user; return the item, or None if it was declined.
        `category` says what it is about (style, verbosity, tools). With `require_confirmation`
        raises InvalidInput where there is nobody to ask."""
        said = validation.named(text, name="text")
        about = validation.named(category, name="category")
        if not self._agrees(
            f"Add global preference: {said!r} (category: {about})?",
            is_required=validation.boolean(require_confirmation, name="require_confirmation"),
        ):
            return None
        payload = {"category": about}
        return self._add(ItemKind.PREFERENCE, said, ("global", "preference", about), payload)

    def change_preference(self, item: ContextItem | str, text: str) -> ContextItem | None:
        """Give a preference other words, keeping its id; return it, or None if it was declined.
        Raises NotFound for an item that is no global one."""
        there = _present(self.backend, item, "that is global; see preferences()")
        said = validation.named(text, name="text")
        if not self._agrees(f"Change global preference: {there.text!r} to {said!r}?"):
            return None
        self._memories.update(there.id, said)
        return self.backend.get(there.id)

    def add_pattern(self, text: str, domain: str) -> ContextItem:
        """Remember what works in more than one project; `domain` says where (testing, ros)."""
        field = validation.named(domain, name="domain")
        return self._add(ItemKind.PATTERN, text, ("global", "pattern", field), {"domain": field})

    def preferences(self, category: str | None = None, *, limit: int = LIMIT) -> list[ContextItem]:
        """Return preferences, newest first; with `category` those of it."""
        return _query(self.backend, ItemKind.PREFERENCE, category, limit)

    def patterns(self, domain: str | None = None, *, limit: int = LIMIT) -> list[ContextItem]:
        """Return patterns, newest first; with `domain` those of it."""
        return _query(self.backend, ItemKind.PATTERN, domain, limit)

    def clear_all(self) -> bool:
        """Forget every global memory, item or not; return False if it was declined.
        `kit.memories.restore` brings them back."""
        ids = _global_ids(self._memories)
        if not self._agrees(f"Forget ALL global memory: {len(ids)} statements of every project?"):
            return False
        if ids:
            self._memories.forget(ids, reason="all global memory was cleared")
        return True

    def _add(
        self, kind: ItemKind, text: str, tags: Collection[str], payload: Mapping[str, object]
    ) -> ContextItem:
        return self.backend.add(_item(self._memories._store, kind, text, tags, payload))

    def _agrees(self, question: str, *, is_required: bool = False) -> bool:
        if self._confirm is not None:
            return bool(self._confirm(question))
        if is_required:
            raise InvalidInput(
                "confirm: nobody can be asked, and a confirmation is required; give a function to "
                "global_scope(confirm=…)"
            )
        return True


def all_items(
    project: ProjectScope, everywhere: GlobalScope
) -> tuple[dict[Share, list[ContextItem]], tuple[str, ...]]:
    """Return the items of a project and of every project, and a note if the latter cannot be
    read: they are optional."""
    items = {Share.PROJECT: project.backend.list_all()}
    try:
        return {**items, Share.GLOBAL: everywhere.backend.list_all()}, ()
    except StoreError as error:
        return items, (f"global memories were left out: {error}",)


def _global_ids(memories: Memories) -> list[int]:
    """Return the ids of the global memories that are active, whatever a project makes of them."""
    home = memories._global_store.memories() if memories._global_store.is_named else memories
    if home is None:
        return []
    return [memory.id for memory in home.find(scope=Scope.GLOBAL, limit=1 << 62)]


def _item(
    store: Store,
    kind: ItemKind,
    text: str,
    tags: Collection[str],
    payload: Mapping[str, object],
) -> ContextItem:
    """Return what a scope is given as an item; its memory gives it its id."""
    return ContextItem(
        id="",
        kind=kind,
        source="",
        timestamp=store.now(),
        tags=tuple(ingest.stored_tags(tuple(tags))),
        importance=IMPORTANCE[kind],
        text=validation.named(text, name="text"),
        payload=payload,
    )


def _query(
    backend: Backend, kind: ItemKind, tags: Collection[str] | str | None, limit: int
) -> list[ContextItem]:
    filters: dict[str, object] = {"kind": kind}
    if tags:
        filters["tags"] = list(validation.texts(tags, name="tags"))
    return backend.query(filters, limit)


def _both_ends(text: str) -> str:
    """Return a text, or both ends of a long one with how much lies between; without secrets, of
    which no half stands at the cut."""
    if len(text) <= OUTPUT_HEAD + OUTPUT_TAIL:
        return text
    if len(text) > 2 * (OUTPUT_HEAD + OUTPUT_TAIL):
        head, tail = text[: 2 * OUTPUT_HEAD], text[-2 * OUTPUT_TAIL :]
    else:
        head, tail = text[: len(text) // 2], text[len(text) // 2 :]
    begin = redact(clean_text(head)).text[:OUTPUT_HEAD]
    end = redact(clean_text(tail)).text[-OUTPUT_TAIL:]
    between = len(text) - OUTPUT_HEAD - OUTPUT_TAIL
    return f"{begin}\n[… {between:,} characters …]\n{end}"


def _present(backend: Backend, item: ContextItem | str, where: str) -> ContextItem:
    """Return the item that is given by its id or itself; raises NotFound, which says where."""
    if not isinstance(item, str):
        item = validation.instance(ContextItem, item, name="item").id
    if (there := backend.get(item)) is None:
        raise NotFound(f"no item {validation.shown(item)} {where}")
    return there


class Share(StrEnum):
    """Scopes that a budget is split among, nearest first."""

    TASK = "task"
    PROJECT = "project"
    GLOBAL = "global"


# Share of the budget of each scope (seed 003).
SPLIT: Mapping[Share, float] = {Share.TASK: 0.4, Share.PROJECT: 0.4, Share.GLOBAL: 0.2}
_ROUNDING = 1e-9


@attrs.frozen
class ContextPackage:
    """Items of the scopes within a budget (seed 003).

    Attributes:
        items: what was chosen, what matters most first; of equal importance in order of time.
        summary: how many items and tokens of each scope are there, in a line.
        compression_ratio: tokens of what was chosen by those of all there is; 1 if there is
            nothing.
        left_out: what did not fit, in the same order.
        tokens: what the items cost under the worst counter: never more than the budget.
        notes: what was not possible (global memories that cannot be read).
    """

    items: tuple[ContextItem, ...]
    summary: str
    compression_ratio: float
    left_out: tuple[ContextItem, ...]
    tokens: int
    notes: tuple[str, ...] = ()


def split_of(overrides: Mapping[str, float] | None) -> dict[Share, float]:
    """Return each scope's share: those that are named as they are, the others of what remains, in
    the proportion of SPLIT. Raises InvalidInput for shares of more than the whole."""
    entries = validation.optional(validation.mapping, overrides, name="split") or {}
    named = {
        validation.member(Share, name, name="split"): validation.fraction(
            share, name=f"split: {name}"
        )
        for name, share in entries.items()
    }
    remaining = 1 - sum(named.values())
    if remaining < -_ROUNDING:
        raise InvalidInput(f"split: the shares add up to {1 - remaining:g}; give 1 at most")
    rest = sum(share for name, share in SPLIT.items() if name not in named)
    return {
        name: named[name] if name in named else max(remaining, 0.0) * share / rest
        for name, share in SPLIT.items()
    }


def package(
    candidates: Mapping[Share, Sequence[ContextItem]],
    *,
    budget: int,
    split: Mapping[str, float] | None = None,
    head_tail: int = 0,
    notes: Iterable[str] = (),
) -> ContextPackage:
    """Return what fits of the items of each scope; see `Context.package`."""
    whole = validation.integer(budget, name="budget")
    ends = validation.integer(head_tail, name="head_tail", minimum=0)
    shares = split_of(split)
    entries = [
        entry for scope in Share for entry in _entries(scope, candidates.get(scope, ()), ends)
    ]
    by_turn = sorted(entries, key=lambda entry: (not entry.is_end, _rank(entry)))
    chosen: set[_Entry] = set()
    used = 0
    for scope, share in shares.items():
        own = [entry for entry in by_turn if entry.scope is scope]
        used += _fill(own, int(whole * share + _ROUNDING), chosen)
    used += _fill(by_turn, whole - used, chosen)  # what one scope left unused is the others'
    in_order = sorted(entries, key=_rank)
    total = sum(entry.cost for entry in entries)
    return ContextPackage(
        items=tuple(entry.item for entry in in_order if entry in chosen),
        summary=_summary(entries, chosen),
        compression_ratio=used / total if total else 1.0,
        left_out=tuple(entry.item for entry in in_order if entry not in chosen),
        tokens=used,
        notes=tuple(notes),
    )


@attrs.frozen(eq=False)
class _Entry:
    """Candidate with what it costs, and whether it is to be preserved as one of the ends."""

    scope: Share
    item: ContextItem
    cost: int
    is_end: bool


def _entries(scope: Share, items: Sequence[ContextItem], ends: int) -> list[_Entry]:
    """Return the items of a scope; the first and last `ends` in time are to be preserved."""
    in_time = sorted(items, key=lambda item: (item.timestamp, item.id))
    middle = range(ends, len(in_time) - ends)
    return [
        _Entry(scope, item, _cost(item), ends > 0 and position not in middle)
        for position, item in enumerate(in_time)
    ]


def _fill(entries: Iterable[_Entry], budget: int, chosen: set[_Entry]) -> int:
    """Choose what fits, in order; return what it costs."""
    used = 0
    for entry in entries:
        if entry not in chosen and used + entry.cost <= budget:
            chosen.add(entry)
            used += entry.cost
    return used


def _rank(entry: _Entry) -> tuple[float, str, str, Share]:
    item = entry.item
    return -(item.importance or 0.0), item.timestamp, item.id, entry.scope


def _cost(item: ContextItem) -> int:
    """Return the tokens of an item under the worst counter; one that was not counted is
    estimated."""
    tokens = item.tokens or estimate(item.text)
    return max(TokenCounter(family).scale(tokens, item.text) for family in FAMILIES)


def _summary(entries: Sequence[_Entry], chosen: set[_Entry]) -> str:
    parts = []
    for scope in Share:
        there = [entry for entry in entries if entry.scope is scope]
        inside = [entry.cost for entry in there if entry in chosen]
        parts.append(f"{scope}: {len(inside)} of {len(there)} items, {sum(inside)} tokens")
    return "; ".join(parts)


# Fields of a memory that lead into this project, and those that hold in every one too.
_OF_PROJECT = frozenset("scope project session task source tags about file_paths messages".split())
_CARRIED = sorted(
    {field.name for field in attrs.fields(Draft)}
    & {field.name for field in attrs.fields(Memory)} - _OF_PROJECT
)
# What a kind of item is called where it holds for every project.
_GLOBAL_KINDS: Mapping[ItemKind, ItemKind] = {ItemKind.CONVENTION: ItemKind.PREFERENCE}
_NARROW = (Scope.SESSION, Scope.TASK)


class Promotion:
    """Promotion of items and memories of one project."""

    def __init__(self, memories: Memories, *, project: str) -> None:
        """`project` is the wall: nothing behind another one is promoted."""
        self._memories = memories
        self._project = project
        self._own = MemoriesBackend(memories, project=project, max_items=MAX_ITEMS)
        self._global = MemoriesBackend(memories, project=None)

    def of_item(
        self,
        item: ContextItem,
        to: Scope | str,
        *,
        kind: ItemKind | str | None = None,
        confirm: Callable[[str], bool] | None = None,
    ) -> ContextItem | None:
        """Put an item into a wider scope and return it as it stands there; None if `confirm`
        declined a global one. `kind` says what it is there."""
        scope = target(to)
        named = None if kind is None else validation.member(ItemKind, kind, name="kind")
        known = named or (_GLOBAL_KINDS.get(item.kind) if scope is Scope.GLOBAL else None)
        new = attrs.evolve(item, kind=known or item.kind)
        new = attrs.evolve(new, tags=_tags(item, new.kind, scope))
        if scope is Scope.PROJECT:
            return self._own.add(new)
        if not _agrees(confirm, item.text):
            return None
        if self._own.get(item.id) is None:  # a task's, which is nothing but what it says
            return self._global.add(new)
        promoted = self._everywhere(self._memories.get(item.id), new.tags)
        return self._global.note(promoted, new.kind, item.payload)

    def of_memory(
        self,
        reference: MemoryRef,
        to: Scope | str,
        *,
        confirm: Callable[[str], bool] | None = None,
    ) -> Memory | None:
        """Let a memory of this project hold in a wider scope; return it as it stands there, or
        None if `confirm` declined. One of a session or task that is to hold for the project changes
        its scope; a global one is another memory, and the project keeps its own."""
        scope, memory = target(to), self._memories.get(reference)
        if memory.scope is not Scope.GLOBAL and memory.project != self._project:
            raise NotFound(f"no memory {memory.id} in project {self._project!r}")
        if memory.scope in (scope, Scope.GLOBAL):
            raise InvalidInput(
                f"to: memory {memory.id} is of scope {memory.scope} already; name a wider one"
            )
        if not memory.is_current:
            raise InvalidInput(f"promote: memory {memory.id} does not hold; restore it first")
        if scope is Scope.PROJECT:
            return self._memories.update(memory, scope=scope, session=None, task=None)
        if not _agrees(confirm, memory.text):
            return None
        if (item := self._own.get(str(memory.id))) is None:
            return self._everywhere(memory, _without(memory.tags))
        promoted = self.of_item(item, scope)
        return None if promoted is None else self._memories.get(promoted.id)

    def of_reference(
        self,
        reference: MemoryRef,
        to: Scope | str | None,
        *,
        scope_of: Callable[[str], TaskScope],
        confirm: Callable[[str], bool] | None,
    ) -> Memory | None:
        """Promote a memory or, by its id, an item of whichever task of this project has it."""
        name = reference.strip() if isinstance(reference, str) else ""
        if not name or name.isdecimal():
            if to is None:
                scope = self._memories.get(reference).scope
                to = Scope.PROJECT if scope in _NARROW else Scope.GLOBAL
            return self.of_memory(reference, to, confirm=confirm)
        params = {"project": self._project, "item_id": name}
        tasks = self._memories._store.all("context_scopes.tasks_of_item", **params)
        if len(tasks) != 1:
            how = "no item of a task" if not tasks else f"of {len(tasks)} tasks: use their scopes"
            raise NotFound(f"{quoted(name)}: {how}; give the id of a memory or of a task's item")
        wider = Scope.PROJECT if to is None else to
        item = scope_of(tasks[0][0]).promote(name, wider, confirm=confirm)
        return None if item is None else self._memories.get(item.id)

    def _everywhere(self, memory: Memory, tags: tuple[str, ...]) -> Memory:
        """Remember a memory of this project for every project. What it replaces here of the global
        ones it replaces there, and what it contradicts here it contradicts there."""
        relations = [r for r in self._memories._relations.all() if r.own == memory.id]
        kinds = (EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS)
        others: dict[EdgeKind, list[int]] = {kind: [] for kind in kinds}
        for relation in relations:
            if relation.kind in kinds and relation.resolution is None:
                others[relation.kind] += {relation.src, relation.dst} - {memory.id}
        fields = {name: getattr(memory, name) for name in _CARRIED}
        draft = Draft(
            **fields,
            scope=Scope.GLOBAL,
            tags=tags,
            at=memory.created_at,
            supersedes=self._there(others[EdgeKind.SUPERSEDES], memory),
        )
        promoted = self._memories.remember_many([draft])[0].memory
        for other in self._there(others[EdgeKind.CONTRADICTS], memory):
            self._memories.contradict(promoted, other)
        if promoted.id != memory.id:
            self._memories.link(promoted, memory, EdgeKind.DERIVED_FROM)
        return promoted

    def _there(self, ids: list[int], memory: Memory) -> tuple[int, ...]:
        """Return those of some ids under which another memory is current, and there is one."""
        home = self._memories._reachable()
        there = home.get_many(ids) if home is not None and ids else []
        return tuple(other.id for other in there if other.is_current and other.id != memory.id)


def target(to: Scope | str) -> Scope:
    """Return the scope that something is promoted to; raises InvalidInput for a narrow one."""
    scope = validation.member(Scope, to, name="to")
    if scope in _NARROW:
        raise InvalidInput(f"to: {scope} is no wider scope; give project or global")
    return scope


def _agrees(confirm: Callable[[str], bool] | None, text: str) -> bool:
    validation.callback(confirm, name="confirm")
    return confirm is None or bool(confirm(f"Let {text!r} hold for every project?"))


def _tags(item: ContextItem, kind: ItemKind, scope: Scope) -> tuple[str, ...]:
    """Return the tags of an item in a wider scope: what says where it was is replaced."""
    own = _without(item.tags)
    return tuple(dict.fromkeys((scope, kind, *(tag for tag in own if tag != item.kind))))


def _without(tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if tag not in (Scope.TASK, Scope.PROJECT, "tool"))


# --- Notes of the task under way as candidates of a context.


def task_notes(kit: OpenKit, moment: Moment) -> tuple[list[Candidate], list[LeftOut]]:
    """Return what the task of a moment noted, as far as its share goes, and the rest of it."""
    name = moment.signals.task
    items = task_items(
        kit._store,
        project=wall(kit.project),
        task=None if name is None else normalizer.name(name, what="signals.task"),
        session=moment.session,
    )
    ranked = sorted(items, key=lambda item: (-(item.importance or 0.0), item.timestamp, item.id))
    return _fitting_notes(ranked, int(moment.budget * SPLIT[Share.TASK]), moment.question)


def _fitting_notes(
    items: Sequence[ContextItem], share: int, question: str
) -> tuple[list[Candidate], list[LeftOut]]:
    taken: list[Candidate] = []
    waiting: list[ContextItem] = []
    for item in items:
        cost = _note_tokens(item.text) + ITEM_TOKENS
        if cost <= share:
            taken.append(_note_candidate(item, Level("full", item.text)))
            share -= cost
        else:
            waiting.append(item)
    if waiting and share >= SHORTEST_PART + ITEM_TOKENS:
        room, focus = share - ITEM_TOKENS, words_of(question)
        text = summarize(waiting[0].text, max_tokens=room, count=_note_tokens, focus=focus)
        if text:
            taken.append(_note_candidate(waiting.pop(0), Level("shortened", text)))
    reason = "no room in the share of the task's notes"
    return taken, [LeftOut(item.id, reason, item.text) for item in waiting]


def _note_tokens(text: str) -> int:
    """Return the tokens of a text as it is rendered, its lines indented."""
    return estimate(text.replace("\n", "\n  "))


def _note_candidate(item: ContextItem, level: Level) -> Candidate:
    tool = item.payload.get("tool")
    label = f"output of {tool}" if item.kind == ItemKind.TOOL_OUTPUT and tool else str(item.kind)
    reasons = ("noted by the task under way",)
    return Candidate(
        Tier.RELEVANT, "task notes", item.id, label, (level,), at=item.timestamp, reasons=reasons
    )

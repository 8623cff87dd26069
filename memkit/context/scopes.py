"""Scopes of a context: what a task noted, what holds for a project, what holds everywhere.

A task's items are gone when it ends; a project's and the global ones are memories. Nothing is
promoted by itself, and no project reads another's (seed 003).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING

from .. import validation
from ..episodes.recording import normalizer
from ..errors import InvalidInput, NotFound, StoreError
from ..memories import ingest
from ..memories.records import Scope
from ..redaction import clean_text, redact
from .allocation import Share
from .backend import (
    MAX_ITEMS,
    Backend,
    ContextItem,
    ItemKind,
    MemoriesBackend,
    TaskBackend,
    json_of,
)

if TYPE_CHECKING:
    from ..episodes.recording.session import Task
    from ..memories.memories import Memories
    from ..store.store import Store
    from .promotion import Promotion

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

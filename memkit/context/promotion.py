"""Promotion: an item or memory of a nearer scope, made to hold in a wider one.

Nothing is promoted by itself: what holds everywhere is for somebody to say (seed 003).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..errors import InvalidInput, NotFound
from ..memories.records import Draft, EdgeKind, Memory, MemoryRef, Scope
from ..redaction import quoted
from .backend import MAX_ITEMS, ContextItem, ItemKind, MemoriesBackend

if TYPE_CHECKING:
    from ..memories.memories import Memories
    from .scopes import TaskScope

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

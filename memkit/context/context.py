"""Context facade: assembly, window, sessions and scopes behind `kit.context`. Wiring only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..episodes.recording.session import Task
    from ..memories.records import Memory, MemoryRef, Scope
    from .allocation import ContextPackage
    from .backend import Backend
    from .ports import OpenKit
    from .promotion import Promotion
    from .scopes import GlobalScope, ProjectScope, TaskScope
    from .sessions import Sessions

# Tokens of a package unless its caller says how many (seed 004).
_BUDGET = 8000


class Context:
    """Context of an agent: what is put before its model, and what is taken out of it again."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that is asked."""
        self._kit = kit

    # -- scopes

    def task(self, task: str | Task, *, backend: Backend | None = None) -> TaskScope:
        """Return what a task notes for itself until it ends; `task` is its name or itself.

        Another `backend` (an InMemoryBackend, so that nothing is written) holds it as long as the
        backend itself lasts, and `clear` is its owner's to call."""
        from .scopes import TaskScope

        kit = self._kit
        return TaskScope(
            kit._store, self._promotion(), project=self._wall(), task=task, backend=backend
        )

    def project(self, project: str | None = None, *, max_items: int | None = None) -> ProjectScope:
        """Return the decisions, conventions and failures of a project, that of this kit unless
        another is named. Beyond `max_items` (1,000) the lowest tenth is forgotten."""
        from .scopes import ProjectScope

        name = self._wall(project)
        promotion = self._promotion(name)
        return ProjectScope(self._kit.memories, promotion, project=name, max_items=max_items)

    def global_scope(self, *, confirm: Callable[[str], bool] | None = None) -> GlobalScope:
        """Return the preferences and patterns of every project; `confirm` is asked before risky
        writes, with what is about to be done, and declines by False."""
        from .scopes import GlobalScope

        return GlobalScope(self._kit.memories, confirm=confirm)

    def promote(
        self,
        reference: MemoryRef,
        to: Scope | str | None = None,
        *,
        confirm: Callable[[str], bool] | None = None,
    ) -> Memory | None:
        """Let a task's item (its id) or a memory of this project hold in a wider scope; return the
        memory that it is there, or None if `confirm` declined. `to` is project or global; None is
        the next wider one. Raises NotFound for what is not this project's."""
        return self._promotion().of_reference(reference, to, scope_of=self.task, confirm=confirm)

    def package(
        self,
        *,
        task: str | Task | TaskScope | None = None,
        budget: int = _BUDGET,
        split: Mapping[str, float] | None = None,
        head_tail: int = 0,
    ) -> ContextPackage:
        """Return the items of a task, of this project and of every project that fit a budget of
        tokens under the worst counter, what matters most first.

        `split` gives scopes (task, project, global) other shares than .4, .4 and .2; what one does
        not use is the others'. Of each scope the first and last `head_tail` items in time go before
        the rest.
        """
        from .allocation import Share, package
        from .scopes import TaskScope, all_items

        items, notes = all_items(self.project(), self.global_scope())
        if task is not None:
            scope = task if isinstance(task, TaskScope) else self.task(task)
            items[Share.TASK] = scope.backend.list_all()
        return package(items, budget=budget, split=split, head_tail=head_tail, notes=notes)

    def _promotion(self, project: str | None = None) -> Promotion:
        from .promotion import Promotion

        return Promotion(self._kit.memories, project=self._wall(project))

    def _wall(self, project: str | None = None) -> str:
        """Return a project's name as the rows of its memories bear it."""
        from ..memories.ingest import safe_text
        from ..text.analyzer import nfc

        name = self._kit.project if project is None else project
        return nfc(safe_text(name, name="project").text)

    @property
    def sessions(self) -> Sessions:
        """Contexts of sessions: load, save, compact, versions."""
        from .sessions import Sessions

        return Sessions(self._kit)

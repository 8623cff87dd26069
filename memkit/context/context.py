"""Context facade: assembly, window, sessions and scopes behind `kit.context`. Wiring only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from .assembled import DEFAULT_BUDGET

if TYPE_CHECKING:
    from ..episodes.recording.session import Task
    from ..memories.records import Memory, MemoryRef, Scope
    from .assembled import Activity, AssembledContext
    from .backend import Backend
    from .documents import Documents
    from .memory_levels import LevelName, MemoryLevel
    from .messages.records import Message
    from .ports import OpenKit
    from .pruning import PrunedMessages
    from .scopes import ContextPackage, GlobalScope, ProjectScope, Promotion, TaskScope
    from .sessions import Sessions
    from .signals import ContextSignals
    from .spans import RemovedSpan
    from .transcripts import Transcripts
    from .window import ContextWindow


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
        budget: int = DEFAULT_BUDGET,
        split: Mapping[str, float] | None = None,
        head_tail: int = 0,
    ) -> ContextPackage:
        """Return the items of a task, of this project and of every project that fit a budget of
        tokens under the worst counter, what matters most first.

        `split` gives scopes (task, project, global) other shares than .4, .4 and .2; what one does
        not use is the others'. Of each scope the first and last `head_tail` items in time go before
        the rest.
        """
        from .scopes import Share, TaskScope, all_items, package

        items, notes = all_items(self.project(), self.global_scope())
        if task is not None:
            scope = task if isinstance(task, TaskScope) else self.task(task)
            items[Share.TASK] = scope.backend.list_all()
        return package(items, budget=budget, split=split, head_tail=head_tail, notes=notes)

    def _promotion(self, project: str | None = None) -> Promotion:
        from .scopes import Promotion

        return Promotion(self._kit.memories, project=self._wall(project))

    def _wall(self, project: str | None = None) -> str:
        """Return the wall of a project, that of this kit unless another is named."""
        from .backend import wall

        return wall(self._kit.project if project is None else project)

    @property
    def sessions(self) -> Sessions:
        """Contexts of sessions: load, save, compact, versions."""
        from .sessions import Sessions

        return Sessions(self._kit)

    # -- what frameworks keep

    @property
    def documents(self) -> Documents:
        """Documents that frameworks keep by name: JSON values that recall finds."""
        from .documents import Documents

        return Documents(self._kit)

    @property
    def transcripts(self) -> Transcripts:
        """Transcripts of sessions as frameworks write them, entry by entry."""
        from .transcripts import Transcripts

        return Transcripts(self._kit)

    # -- window

    def prune(
        self,
        messages: Sequence[Message],
        format: str | None = None,
        *,
        max_tokens: int | None = None,
        to: int | None = None,
        keep: Collection[int] = (),
        tail_tokens: int | None = None,
        tail_turns: int | None = None,
        session: str | None = None,
        model: str = "openai",
    ) -> PrunedMessages:
        """Return a message list within a limit of tokens, valid in its format.

        `format` is anthropic, openai_chat or openai_responses; None reads it off the messages.
        With `max_tokens` nothing changes up to 80 % of it; above, a cut removes 30 % of the tokens
        (seed 000), and the same list with new turns behind it keeps its former cuts, so that the
        prefix a provider has cached stays. `to` cuts once, right to that size. Results of tools
        become stubs first, then long arguments of calls, then whole turns go; system prompt, rules,
        the task, the newest message of the user, pending calls, messages at the indexes `keep` and
        the newest turns (`tail_turns`, 8, within `tail_tokens`, a quarter of the limit) stay.
        What goes is stored for `expand`, secrets replaced, contents of private files left out.
        `model` is the family whose tokens are counted (memkit.tokens.FAMILIES). Raises
        ContextOverflow if what must stay is larger than the limit, InvalidInput for an unknown
        format.
        """
        from .pruning import prune_messages, pruning_options

        options = pruning_options(
            max_tokens, to, keep, tail_tokens=tail_tokens, tail_turns=tail_turns, session=session
        )
        return prune_messages(self._kit, messages, format, options, model=model)

    def window(
        self,
        *,
        max_tokens: int = 180_000,
        session: str | None = None,
        task: str | None = None,
        model: str = "openai",
        format: str | None = None,
    ) -> ContextWindow:
        """Return an empty window for a live conversation (seed 000): items with their relevance,
        pruned at 80 % of `max_tokens`.

        `session` is whose window it is, a new one if none is named; `task` the current task;
        `model` the family whose tokens are counted; `format` that of the messages, else it is read
        off the first list that is added. Raises InvalidInput.
        """
        from .window import ContextWindow

        return ContextWindow(
            self._kit,
            max_tokens=max_tokens,
            session=session,
            task=task,
            model=model,
            format=format,
        )

    def expand(
        self, handle: int | str, *, seen: LevelName | str = "index"
    ) -> RemovedSpan | MemoryLevel:
        """Return what was removed from a context, by the handle that its stub names; of a memory,
        by its id, the next level (index, compressed, summary, full) that says more than the one
        that was `seen`. Raises NotFound for what is unknown, or was trimmed since."""
        from .memory_levels import expanded

        return expanded(self._kit, handle, seen)

    # -- assembly

    def assemble(
        self,
        prompt: str = "",
        *,
        budget: int = DEFAULT_BUDGET,
        signals: ContextSignals | Mapping[str, object] | None = None,
        activity: Activity | str | None = None,
        session: str | None = None,
        visible: Iterable[object] = (),
        model: str | None = None,
        max_chars: int | None = None,
        exact: bool = True,
    ) -> AssembledContext:
        """Return the text to put before a model for a prompt, or for what `signals` tell of the
        moment; empty if nothing that is known bears on it. Without either, the page that a session
        starts with: rules, where we stand, what failed, what is stale.

        `budget` is in tokens of the family `model` (None: of whichever counts most), for the whole
        text; a quarter is for what is critical, three eighths for what is relevant, a quarter for
        the background, an eighth for topics (seed 004), other shares by `activity`, which is told
        from the prompt if it is not given; what one tier leaves goes to the others. A `session` is
        not served the same twice, and what stands in one of the `visible` texts does not come. What
        the task of the `signals` noted for itself comes too, in two fifths of the budget at most;
        without one, what the tasks that run in the `session` did.
        `max_chars` bounds the text too. Unless `exact` tokens are estimated, never too few: that
        saves the .3 s in which the tokenizer loads. Raises InvalidInput.
        """
        from .assembly import assemble

        return assemble(
            self._kit,
            prompt,
            budget=budget,
            signals=signals,
            activity=activity,
            session=session,
            visible=visible,
            model=model,
            max_chars=max_chars,
            exact=exact,
        )

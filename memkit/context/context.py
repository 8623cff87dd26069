"""Context facade: assembly, window, sessions and scopes behind `kit.context`. Wiring only."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .messages.records import Message
    from .ports import OpenKit
    from .pruning import PrunedMessages
    from .spans import RemovedSpan
    from .window import ContextWindow


class Context:
    """Context of an agent: what is put before its model, and what is taken out of it again."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that is asked."""
        self._kit = kit

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
        from .window import open_window

        return open_window(
            self._kit,
            max_tokens=max_tokens,
            session=session,
            task=task,
            model=model,
            format=format,
            assemble=getattr(self, "assemble", None),
        )

    def expand(self, handle: int | str) -> RemovedSpan:
        """Return what was removed from a context, by the handle that its stub names; raises
        NotFound for one that is unknown, or was trimmed since."""
        from .spans import read_span

        return read_span(self._kit._store, handle)

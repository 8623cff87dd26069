"""Context facade: assembly, window, sessions and scopes behind `kit.context`. Wiring only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .assembled import AssembledContext
    from .ports import OpenKit
    from .signals import ContextSignals
    from .tiers import Activity


class Context:
    """Context of an agent: what is put before its model, and what is taken out of it again."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that is asked."""
        self._kit = kit

    # -- assembly

    def assemble(
        self,
        prompt: str = "",
        *,
        budget: int = 8_000,
        signals: ContextSignals | Mapping[str, object] | None = None,
        activity: Activity | str | None = None,
        session: str | None = None,
        visible: Iterable[object] = (),
        model: str | None = None,
        max_chars: int | None = None,
    ) -> AssembledContext:
        """Return the text to put before a model for a prompt, or for what `signals` tell of the
        moment; empty if nothing that is known bears on it. Without either, the page that a session
        starts with: rules, where we stand, what failed, what is stale.

        `budget` is in tokens of the family `model` (None: of whichever counts most), for the whole
        text; a quarter is for what is critical, three eighths for what is relevant, a quarter for
        the background, an eighth for topics (seed 004), other shares by `activity`, which is told
        from the prompt if it is not given; what one tier leaves goes to the others. A `session` is
        not served the same twice, and what stands in one of the `visible` texts does not come.
        `max_chars` bounds the text too. Raises InvalidInput.
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
        )

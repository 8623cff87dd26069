"""Context facade: assembly, window, sessions and scopes behind `kit.context`. Wiring only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .ports import OpenKit
    from .sessions import Sessions


class Context:
    """Context of an agent: what is put before its model, and what is taken out of it again."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that is asked."""
        self._kit = kit

    @property
    def sessions(self) -> Sessions:
        """Contexts of sessions: load, save, compact, versions."""
        from .sessions import Sessions

        return Sessions(self._kit)

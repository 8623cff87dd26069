"""Ports of the agents' parts: what they ask of the open store, which is above them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from ..context.ports import OpenKit

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..consolidation.consolidation import Consolidation
    from ..context.context import Context
    from .extraction import ExtractionResult


class GuardedKit(OpenKit, Protocol):
    """Open memkit file, as far as what runs beside an agent asks it."""

    @property
    def context(self) -> Context:
        """What is put before a model."""
        ...

    @property
    def consolidation(self) -> Consolidation:
        """What use, time and outcomes do to what is remembered."""
        ...

    @property
    def clear_surfaced(self) -> Callable[[str], None]:
        """Let everything be shown to a session again; see `Memkit.clear_surfaced`."""
        ...

    @property
    def extract(self) -> Callable[..., ExtractionResult]:
        """Read what may be worth remembering; see `Memkit.extract`."""
        ...

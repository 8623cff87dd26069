"""Ports of the context: what it asks of the open store, which is above it in the layers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..codegraph.codegraph import CodeGraph
    from ..episodes.episodes import Episodes
    from ..memories.memories import Memories
    from ..memories.search_index import Index
    from ..retrieval.records import RecallResult
    from ..retrieval.serving_log import ServingLog
    from ..store.store import Store


class OpenKit(Protocol):
    """Open memkit file, as far as the context asks it."""

    project: str
    _store: Store

    @property
    def path(self) -> Path:
        """The file that is open."""
        ...

    @property
    def _index(self) -> Index:
        """Vectors of what is remembered, and the encoder that makes them."""
        ...

    @property
    def memories(self) -> Memories:
        """What is remembered."""
        ...

    @property
    def episodes(self) -> Episodes:
        """What was done."""
        ...

    @property
    def codegraph(self) -> CodeGraph:
        """What the code is."""
        ...

    @property
    def recall(self) -> Callable[..., RecallResult]:
        """Ask for memories and episodes; see `Memkit.recall`."""
        ...

    @property
    def _recall(self) -> Callable[..., RecallResult]:
        """The same, of which with `noted=False` nothing counts as shown."""
        ...

    @property
    def _served(self) -> ServingLog:
        """What sessions were shown."""
        ...

    @property
    def _global(self) -> Any:
        """Store of global memories: `reader()` opens it, if there is one."""
        ...

    @property
    def session(self) -> Callable[..., Any]:
        """Begin a session, or go on with one; see `Memkit.session`."""
        ...

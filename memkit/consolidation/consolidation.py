"""Consolidation facade: what is made of memories that lie there already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import validation
from . import clusters as grouping
from . import similarity

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..memories.records import MemoryRef
    from .clusters import Cluster, ClusterReport
    from .similarity import SimilarMemory

DEFAULT_LIMIT = 10


class Consolidation:
    """What is made of memories that lie there already: clusters of those that are alike."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the store that holds them."""
        self._kit = kit

    def clusters(self) -> list[Cluster]:
        """Return the clusters of memories that are close in meaning, the largest first; they are
        looked for if nobody has yet, and what was remembered since is sorted in."""
        kit = self._kit
        kit._index.ensure()
        if not kit._store.readonly:
            if grouping.is_made(kit._store):
                grouping.keep_up(kit._store, kit._index)
            else:
                grouping.refresh(kit._store, kit._index)
        return grouping.shown(kit._store, kit.project)

    def refresh_clusters(self) -> ClusterReport:
        """Make the clusters anew from all vectors; those whose members are mostly the same keep
        their ids and labels. Raises StoreReadOnly."""
        self._kit._index.ensure()
        return grouping.refresh(self._kit._store, self._kit._index)

    def similar(self, reference: MemoryRef, limit: int = DEFAULT_LIMIT) -> list[SimilarMemory]:
        """Return the memories nearest to one by meaning, the likest first, with the cluster that
        both lie in; where there are no vectors, by shared words and tags. Raises NotFound for one
        that is not there."""
        count = validation.integer(limit, name="limit")
        kit = self._home(reference)
        kit._index.ensure()
        return similarity.similar(kit, kit.memories.get(reference), limit=count)

    def _home(self, reference: MemoryRef) -> OpenKit:
        """Return the store in which a memory lies: this one, or the global one."""
        is_global = self._kit.memories._is_global(reference)
        home = self._kit._global.reader() if is_global else None
        return home or self._kit

"""Reader of memories: get, find, edges, tags."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, Unpack

from .. import validation
from ..errors import InvalidInput, NotFound, StoreError
from ..store import timestamps
from . import filters as filters_
from . import ingest
from .code_anchors import CodeAnchors, verified
from .global_relations import GlobalRelations
from .identity import whereabouts
from .records import (
    Artifact,
    AuditEntry,
    Contradiction,
    Edge,
    EdgeKind,
    Memory,
    MemoryDetails,
    MemoryFilters,
    MemoryList,
    MemoryRef,
    ProvenanceLink,
    Scope,
    memory_id,
)

if TYPE_CHECKING:
    from ..store.store import Store
    from .memories import Memories

MemoryRefs = Iterable[MemoryRef] | MemoryRef


class GlobalMemories(Protocol):
    """Protocol of the global store, a file of its own."""

    @property
    def is_named(self) -> bool:
        """Whether there is, or is to be, such a file."""
        ...

    def memories(self, *, writes: bool = False) -> Memories | None:
        """Return what it holds; None if there is none. For writing it is made."""
        ...


class MemoryReader:
    """Reader of the memories of one file and of the global store."""

    def __init__(
        self,
        store: Store,
        *,
        project: str,
        code: CodeAnchors,
        global_store: GlobalMemories,
        renew: Callable[[], object],
    ) -> None:
        """`renew` brings the file up to date with what another program edited."""
        self._store = store
        self._renew = renew
        self._project = project
        self._code = code
        self._global_store = global_store
        self._relations = GlobalRelations(store)

    def get(self, reference: MemoryRef) -> Memory:
        """Return one memory, current or not, of this file or the global store; raises NotFound."""
        store, number = self._place(reference)
        return verified(self._code, self._seen(store, ingest.load(store, [number])))[0]

    def get_many(self, references: Iterable[MemoryRef]) -> list[Memory]:
        """Return the memories of any number of ids, in their order; unknown ids are left out."""
        ids = [
            memory_id(reference) for reference in validation.iterable(references, name="references")
        ]
        memories = ingest.load(self._up_to_date(), ids)
        if len(memories) < len(set(ids)) and (other := self._reachable()) is not None:
            here = {memory.id: memory for memory in memories}
            rest = self._relations.as_seen_here(
                ingest.load(other._up_to_date(), [number for number in ids if number not in here])
            )
            everywhere = here | {memory.id: memory for memory in rest}
            memories = [everywhere[number] for number in ids if number in everywhere]
        return verified(self._code, memories)

    def find(
        self,
        filters: Mapping[str, object] | None = None,
        *,
        limit: int = 100,
        order_by: str = "id",
        history: bool = False,
        as_of: timestamps.When | None = None,
        **equal: Unpack[MemoryFilters],
    ) -> MemoryList:
        """Return memories that agree with every filter, newest first; see memories/filters.py.

        Filters may be given as a mapping, with operators such as `{"importance": {"$gte": 0.7}}`,
        or by keyword; a list means any of its members, `{"$all": [...]}` all of them. Without one
        on `project` they are those of this project and global ones, of whichever session. Forgotten
        and superseded ones come only with `history=True`. With `as_of` they are those that were
        known and held true at that moment, whatever became of them since.

        `order_by` names a field, greatest or newest first; "-field" is smallest or oldest first
        (the reverse of what a minus means elsewhere).
        """
        validation.integer(limit, name="limit")
        view, moment = self._relations.as_seen_here, None
        if as_of is not None:
            moment = timestamps.parse_when(as_of, now=self._store.clock(), name="as_of")
            view = partial(self._relations.standing_at, moment)
        is_past = moment is not None
        criteria, stores, notes = self._selection(filters, equal, history=history or is_past)
        memories = filters_.find(
            stores,
            criteria,
            project=self._project,
            limit=limit,
            order_by=order_by,
            as_of=moment,
            view=view,
        )
        return MemoryList(
            tuple(verified(self._code, memories)), (*notes, *ingest.fault_notes(memories))
        )

    def count(
        self,
        filters: Mapping[str, object] | None = None,
        *,
        history: bool = False,
        **equal: Unpack[MemoryFilters],
    ) -> int:
        """Return how many memories agree with every filter: as many as `find` could return."""
        criteria, stores, _ = self._selection(filters, equal, history=history)
        view = self._relations.as_seen_here
        return filters_.count(stores, criteria, project=self._project, view=view)

    def edges(self, reference: MemoryRef) -> list[Edge]:
        """Return every edge of a memory, strongest first."""
        store, number = self._place(reference)
        edges = [Edge(**row) for row in store.records("memories.edges_of", id=number)]
        across = (r.edge for r in self._relations.all() if number in (r.src, r.dst))
        return sorted((*edges, *across), key=lambda edge: -edge.weight)

    def details(self, reference: MemoryRef, *, limit: int = 20) -> MemoryDetails:
        """Return what else is known of a memory: its other wordings, where it came from, what
        belongs to it, and the newest `limit` entries of its audit."""
        store, number = self._place(reference)
        max_entries = validation.integer(limit, name="limit")
        audit = store.records("store.audit_of", memory_id=number, limit=max_entries)
        cited, ignored = store.first("memories.use_of", id=number) or (0, 0)
        return MemoryDetails(
            paraphrases=tuple(
                text for text, _ in store.all("memories.list_paraphrases", id=number)
            ),
            provenance=tuple(
                ProvenanceLink(**row) for row in store.records("memories.provenance_of", id=number)
            ),
            artifacts=tuple(
                Artifact(**row) for row in store.records("memories.artifacts_of", id=number)
            ),
            audit=tuple(AuditEntry(**row) for row in audit),
            cited=cited,
            ignored=ignored,
        )

    def tags(self) -> dict[str, int]:
        """Return every tag with the number of its active memories, global ones too, most used
        first."""
        counts: Counter[str] = Counter()
        for store in self._stores()[0]:
            counts.update({name: count for name, _, count in store.all("memories.tag_counts")})
        return dict(sorted(counts.items(), key=lambda tag: (-tag[1], tag[0])))

    def contradictions(self, *, history: bool = False) -> list[Contradiction]:
        """Return open contradictions, those of global memories too, newest first; with `history`
        the settled ones too. One is open while it is not settled and both memories are active."""
        is_wide = validation.boolean(history, name="history")
        name = "memories.contradictions"
        rows = [row for s in self._stores()[0] for row in s.records(name, open_only=not is_wide)]
        pairs = [Contradiction(**row) for row in rows]
        pairs += [
            relation.contradiction
            for relation in self._relations.all()
            if relation.kind is EdgeKind.CONTRADICTS
            and (is_wide or (relation.resolution is None and self._are_active(relation.edge)))
        ]
        return sorted(pairs, key=lambda pair: pair.detected_at, reverse=True)

    def stale(self, *, limit: int = 100) -> list[Memory]:
        """Return memories of this file about code that has changed, moved or gone since, or never
        was there, newest first. Global ones are about no one repository's code."""
        validation.integer(limit, name="limit")
        ids = self._store.all("memories.anchored", project=self._project)
        changed = (memory for memory in self.get_many(n for (n,) in ids) if memory.has_changed)
        return list(islice(changed, limit))

    # -- internals

    def _selection(
        self,
        filters: Mapping[str, object] | None,
        equal: Mapping[str, object],
        *,
        history: bool,
    ) -> tuple[dict[str, Any], Sequence[Store], tuple[str, ...]]:
        """Return all filters as one, the files that may hold what agrees with them, and notes."""
        criteria = filters_.as_filters(filters) | {**equal}
        if not validation.boolean(history, name="history"):
            criteria.setdefault("active", True)
        if criteria.get("scope") in (Scope.SESSION, Scope.TASK, Scope.PROJECT):
            return criteria, [self._up_to_date()], ()
        return criteria, *self._stores()

    def _up_to_date(self) -> Store:
        """Return the store, what another program edited taken up."""
        self._renew()
        return self._store

    def _is_global(self, *references: MemoryRef) -> bool:
        """Whether memories lie in the global store: the one rule for the file of an id.

        They do if this file does not know them and that one does. Raises InvalidInput if some lie
        here and some there: nothing joins memories of two files."""
        ids = {memory_id(reference) for reference in references}
        here = known_ids(self._store, ids)
        if here == ids or (other := self._reachable()) is None:
            return False
        there = known_ids(other._store, ids - here)
        if here and there:
            raise InvalidInput(
                f"ids: {min(here)} lies in {self._store.path.name} and {min(there)} in the global "
                "store; name memories of one file"
            )
        return bool(there)

    def _place(self, reference: MemoryRef) -> tuple[Store, int]:
        """Return the store in which a memory lies and its id; raises NotFound, naming this file."""
        if self._is_global(reference) and (other := self._reachable()) is not None:
            return other._up_to_date(), memory_id(reference)
        return self._up_to_date(), known(self._store, reference).id

    def _reachable(self) -> Memories | None:
        """Return what the global store holds; None if there is none, or it cannot be reached: it is
        optional."""
        try:
            return self._global_store.memories()
        except StoreError:
            return None

    def _seen(self, store: Store, memories: list[Memory]) -> list[Memory]:
        """Return memories of a store as they stand for this file."""
        return memories if store is self._store else self._relations.as_seen_here(memories)

    def _are_active(self, edge: Edge) -> bool:
        ends = self.get_many([edge.src, edge.dst])
        return len(ends) == 2 and all(memory.active for memory in ends)

    def _stores(self) -> tuple[list[Store], tuple[str, ...]]:
        """Return this store, and the global one if there is one; a note if it cannot be read."""
        try:
            other = self._global_store.memories()
            there = [] if other is None else [other._up_to_date()]
        except StoreError as error:
            return [self._up_to_date()], (f"global memories were left out: {error}",)
        return [self._up_to_date(), *there], ()


def known(store: Store, reference: MemoryRef) -> Memory:
    """Return one memory; raises NotFound that names the file."""
    return several(store, [reference])[0]


def known_ids(store: Store, ids: Set[int]) -> set[int]:
    """Return those of the ids under which a memory is stored."""
    if not ids:
        return set()
    return {number for (number,) in store.all("memories.known", ids=json.dumps(sorted(ids)))}


def several(store: Store, references: MemoryRefs) -> list[Memory]:
    """Return the memories of some ids; raises NotFound, and InvalidInput if none is named."""
    ids = ids_of(references)
    memories = ingest.load(store, ids)
    if len(memories) < len(ids):
        missing = min(set(ids) - {memory.id for memory in memories})
        where = whereabouts(store, missing)
        raise NotFound(f"no memory {missing} in {store.path.name}; {where}")
    return memories


def ids_of(references: MemoryRefs) -> list[int]:
    """Return each id that is named, once; raises InvalidInput if none is."""
    if isinstance(references, bytes | Mapping) or references is None:
        raise InvalidInput(
            f"ids: found {validation.shown(references)}; give ids or memories, or find them first"
        )
    if isinstance(references, str) or not isinstance(references, Iterable):
        return [memory_id(references)]
    items = references
    ids = list(dict.fromkeys(memory_id(item) for item in items))
    if not ids:
        raise InvalidInput("ids: the list is empty, which never means all; give at least one id")
    return ids

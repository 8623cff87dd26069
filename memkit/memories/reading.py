"""Reading memories by id, with errors that say what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from typing import TYPE_CHECKING

from .. import arguments
from ..errors import InvalidInput, NotFound
from . import rows
from .former import known_as
from .records import Memory, MemoryRef, memory_id

if TYPE_CHECKING:
    from ..store.connection import Store

MemoryRefs = Iterable[MemoryRef] | MemoryRef


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
    found = rows.load(store, ids)
    if len(found) < len(ids):
        missing = min(set(ids) - {memory.id for memory in found})
        now = known_as(store, missing)
        where = (
            "see 'memkit list'" if now is None else f"it was joined with memory {now}: name that"
        )
        raise NotFound(f"no memory {missing} in {store.path.name}; {where}")
    return found


def ids_of(references: MemoryRefs) -> list[int]:
    """Return each id that is named, once; raises InvalidInput if none is."""
    if isinstance(references, str | bytes | Mapping) or references is None:
        raise InvalidInput(
            f"ids: found {arguments.shown(references)}; give ids or memories, or find them first"
        )
    items = references if isinstance(references, Iterable) else [references]
    ids = list(dict.fromkeys(memory_id(item) for item in items))
    if not ids:
        raise InvalidInput("ids: the list is empty; nothing was done (it never means everything)")
    return ids


def successors(store: Store, number: int) -> list[int]:
    """Return the memories that superseded this one, one after the other."""
    after: dict[int, int] = dict(store.all("memories.replacements"))
    chain: list[int] = []
    while (number := after.get(number, 0)) and number not in chain:
        chain.append(number)
    return chain

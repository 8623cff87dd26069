"""Inferred tags: edges that weigh less than given ones, and the record of those taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .identity import tag_id
from .records import EDGE_WEIGHTS, EdgeKind

if TYPE_CHECKING:
    from ..store.store import Store

INFERRED = EDGE_WEIGHTS[EdgeKind.HAS_TAG] / 2
"""Weight of the edge of an inferred tag: that of a given one is greater, and goes before it."""


def infer_tag(store: Store, memory_id: int, name: str) -> None:
    """Give a memory a tag that was inferred, inside `write`; the name is in stored form."""
    at, tag = store.now(), tag_id(name)
    store.run("memories.add_tag", id=tag, name=name, at=at)
    edge = {"src": memory_id, "dst": tag, "kind": EdgeKind.HAS_TAG, "weight": INFERRED, "at": at}
    store.run("memories.add_edge", **edge)


def withdraw_tag(store: Store, memory_id: int, tag: int) -> bool:
    """Note that an inferred tag is taken away, so that it is not inferred anew, inside `write`;
    return whether it was an inferred one: a given one needs no note."""
    query = "memories.withdraw_tag"
    return store.run(query, memory_id=memory_id, tag_id=tag, at=store.now()) > 0

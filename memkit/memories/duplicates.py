"""Merging of two memories that say the same: what hangs on one reaches the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .identity import keep_paraphrase, text_hash

if TYPE_CHECKING:
    from ..store.changesets import RowTest
    from ..store.store import Store
    from .supersession import Supersession

# Each gives the memory `id` what hangs on the memory `of`.
_HANDING_ON = (
    "memories.hand_on_edges_out",
    "memories.hand_on_edges_in",
    "memories.hand_on_paraphrases",
    "memories.hand_on_birth",
    "memories.hand_on_provenance",
    "memories.hand_on_anchors",
    "memories.hand_on_artifacts",
    "memories.hand_on_usage",
    "memories.hand_on_outcomes",
    "memories.hand_on_links",
    "memories.hand_on_contradictions",
    "memories.hand_on_surfaced",
)


def merge(store: Store, supersession: Supersession, duplicate: int, survivor: int) -> None:
    """Let a memory stand for another that says the same; inside `write`.

    The duplicate is superseded, and keeps its row and what hangs on it but its outcomes. The
    survivor keeps its text, and gets the other's wordings, tags, edges, anchors, artifacts,
    provenance, use, links, outcomes and open contradictions; it is as strong as both together.
    What the duplicate had replaced is replaced by the survivor, so that no chain is longer than
    one.
    """
    text, said_at, own = store.all("memories.two_texts", id=duplicate, other=survivor)[0]
    store.run("memories.add_strength", id=survivor, of=duplicate, at=store.now())
    for query in _HANDING_ON:
        store.run(query, id=survivor, of=duplicate)
    if text_hash(text) != text_hash(own):
        keep_paraphrase(store, survivor, text, at=said_at)
    store.run("memories.replace_successor", old=duplicate, new=survivor)
    supersession.retire(duplicate, survivor)


def stands_for(store: Store, survivor: int, text: str) -> bool:
    """Whether a memory that holds says the same as a text: it is one of its wordings."""
    return bool(store.value("memories.has_wording", id=survivor, text_hash=text_hash(text)))


def take_from_survivors(store: Store, ids: Iterable[int]) -> tuple[set[int], RowTest]:
    """Remove the texts that memories, which are to be purged, left with those that they were merged
    into. Return these, and a test for rows of theirs with such a text; inside `write`."""
    copies: dict[int, set[str]] = {}
    for number in ids:
        texts = {text for (text,) in store.all("memories.texts_told", id=number)}
        for (survivor,) in store.all("memories.merged_into", id=number):
            store.run("memories.drop_wordings_told", id=survivor, of=number)
            store.run("memories.drop_provenance_told", id=survivor, of=number)
            copies.setdefault(survivor, set()).update(texts)

    def is_copy(_: str, row: Mapping[str, Any]) -> bool:
        texts = copies.get(row.get("memory_id", 0), ())
        return any(value in texts for value in row.values() if isinstance(value, str))

    return set(copies), is_copy

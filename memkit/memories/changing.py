"""Changing memories that are there. Every function runs inside the caller's transaction.

What is to be changed is read inside it too, so that two processes that change different fields of
one memory both succeed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, NotFound
from . import drafts, phrasing
from .identity import tag_id
from .kinds import EdgeKind, Resolution
from .reading import MemoryRefs, known, several, successors
from .records import Draft, Memory, MemoryRef, memory_id

if TYPE_CHECKING:
    from ..store.connection import Store
    from .indexing import Index
    from .remembering import Writer

# What an update keeps unless it is named.
_KEPT = (
    "text", "kind", "form", "key", "value", "qualifier", "scope", "project", "session", "task",
    "source", "tags", "file_paths", "messages", "valid_from", "valid_to", "season", "summary",
    "compressed", "index_entry", "provenance", "confidence", "trust", "importance", "author",
    "pinned", "private", "trigger_patterns", "procedure",
)  # fmt: skip
# Fields of a draft that say how a memory came about; that cannot be changed afterwards.
_GIVEN_ONCE = frozenset({"at", "supersedes", "derived_from", "artifacts", "snippet", "reason"})
# Letters of the former text that the audit keeps, enough to undo by hand.
_AUDITED = 2000


class Changer:
    """The changing verbs of `Memories`, without their transactions."""

    def __init__(self, store: Store, index: Index, writer: Writer) -> None:
        self._store = store
        self._index = index
        self._writer = writer

    def update(
        self,
        reference: MemoryRef,
        fields: Mapping[str, Any],
        prepare: Callable[[Draft], drafts.Prepared],
    ) -> None:
        """Rewrite a memory with the changed fields of the draft that would have made it."""
        before = known(self._store, reference)
        kept = {name: getattr(before, name) for name in _KEPT}
        if once := sorted(_GIVEN_ONCE & fields.keys()):
            raise InvalidInput(
                f"update: {once[0]} is given once, when it is remembered; leave it out"
            )
        if "text" not in fields and phrasing.says_only_its_fields(drafts.draft(**kept)):
            kept |= {"text": "", "key": phrasing.spelt(before.key, before.text)}
        if fields.get("text", before.text) != before.text:
            # What was shortened from the former text is not said by the new one.
            kept |= dict.fromkeys(("summary", "compressed", "index_entry"))
        prepared = prepare(drafts.draft(**{**kept, **fields}))
        row = dict(prepared.row, strength=before.strength)
        row.pop("created_at")
        self._refuse_taken_source(before.id, row)
        self._store.run("memories.replace_content", id=before.id, **row)
        if "tags" in fields:
            gone = [name for name in before.tags if name not in prepared.tags]
            self.retag(before.id, add=prepared.tags, remove=gone)
        if "about" in fields:
            self._store.run("memories.clear_anchors", id=before.id)
        if "about" in fields or "text" in fields:
            self._writer.anchor(before.id, prepared.anchors)
        self._store.audit("update", before.id, before=before.text[:_AUDITED])
        self._index.put([before.id])

    def forget(self, references: MemoryRefs, reason: str) -> list[Memory]:
        """Deactivate memories; return those that were active."""
        active = [memory for memory in several(self._store, references) if memory.active]
        for memory in active:
            self._set_active(memory.id, active=False, reason=reason)
        return active

    def restore(self, references: MemoryRefs) -> list[int]:
        """Bring forgotten and superseded memories back."""
        found = several(self._store, references)
        for memory in found:
            if memory.superseded_by is not None:
                self._store.run(
                    "memories.delete_edge",
                    src=memory.superseded_by,
                    dst=memory.id,
                    kind=EdgeKind.SUPERSEDES,
                )
                self._store.run(
                    "memories.set_superseded", id=memory.id, by=None, at=self._store.now()
                )
            self._set_active(memory.id, active=True, reason=None)
            self._writer.make_current(memory.id)
        return [memory.id for memory in found]

    def purge(self, references: MemoryRefs) -> list[int]:
        """Delete memories, all that hangs on them, and what the audit holds of their text."""
        ids = [memory.id for memory in several(self._store, references)]
        self._index.remove(ids)
        for number in ids:
            self._store.run("memories.release_superseded", id=number)
            self._store.run("memories.delete_edges", id=number)
            self._store.run("memories.delete", id=number)
            self._store.run("memories.clear_audit", id=number)
            self._store.run("store.add_tombstone", id=number, at=self._store.now())
            self._store.audit("purge", number)
        self._store.run("memories.drop_unused_tags")
        # Deleted words stay in old parts of the full-text index until these are merged.
        self._store.run("search.merge_index")
        return ids

    def pin(self, reference: MemoryRef, *, pinned: bool) -> None:
        """Pin or unpin a memory."""
        number = known(self._store, reference).id
        self._store.run("memories.set_pinned", id=number, pinned=int(pinned), at=self._store.now())

    def retag(
        self, reference: MemoryRef, *, add: Sequence[str] = (), remove: Sequence[str] = ()
    ) -> None:
        """Add and take tags; tags that nothing carries any more go."""
        number = known(self._store, reference).id
        self._writer.tag(number, add)
        for name in remove:
            self._store.run(
                "memories.delete_edge", src=number, dst=tag_id(name), kind=EdgeKind.HAS_TAG
            )
        self._store.run("memories.drop_unused_tags")
        self._index.put([number])

    def link(
        self, src: MemoryRef, dst: MemoryRef, relation: EdgeKind, weight: float | None
    ) -> None:
        """Relate two memories."""
        one, other = known(self._store, src).id, known(self._store, dst).id
        if one == other:
            raise InvalidInput(f"link: both ends are {one}; name two memories")
        self._writer.link(one, other, relation, weight)

    def supersede(self, old: MemoryRef, new: MemoryRef) -> None:
        """Let `new` take the place of `old`."""
        before, after = known(self._store, old).id, known(self._store, new).id
        if before in successors(self._store, after):
            raise InvalidInput(
                f"supersede: {after} was itself superseded by {before}; restore it first"
            )
        self._writer.retire(before, after)

    def contradict(self, one: MemoryRef, other: MemoryRef, note: str | None) -> None:
        """Record that two memories cannot both be true."""
        a, b = sorted((known(self._store, one).id, known(self._store, other).id))
        if a == b:
            raise InvalidInput(f"contradict: both are {a}; name two memories")
        now = self._store.now()
        self._store.run("memories.add_contradiction", memory_a=a, memory_b=b, at=now, note=note)
        self._writer.link(a, b, EdgeKind.CONTRADICTS)

    def resolve(self, one: MemoryRef, other: MemoryRef, how: Resolution, note: str | None) -> None:
        """Settle a contradiction; the loser, if there is one, is superseded."""
        first, second = memory_id(one), memory_id(other)
        a, b = sorted((first, second))
        changed = self._store.run(
            "memories.resolve_contradiction",
            memory_a=a,
            memory_b=b,
            resolution=how if a == first else _SWAPPED.get(how, how),
            note=note,
            at=self._store.now(),
        )
        if not changed:
            raise NotFound(
                f"no contradiction between {first} and {second}; list those that are open"
            )
        if how is Resolution.A_WINS:
            self.supersede(second, first)
        elif how is Resolution.B_WINS:
            self.supersede(first, second)

    def _refuse_taken_source(self, number: int, row: Mapping[str, Any]) -> None:
        place = {"project": row["project"], "source": row["source"]}
        other = self._store.one("memories.by_source", **place)
        if other and other[0] != number:
            raise InvalidInput(
                f"source: {row['source']!r} is that of memory {other[0]}; update that one"
            )

    def _set_active(self, number: int, *, active: bool, reason: str | None) -> None:
        self._store.run(
            "memories.set_active",
            id=number,
            active=int(active),
            reason=reason,
            at=self._store.now(),
        )
        self._store.audit("restore" if active else "forget", number, reason=reason)


# The stored order of a pair is by id, not by the caller's order.
_SWAPPED = {Resolution.A_WINS: Resolution.B_WINS, Resolution.B_WINS: Resolution.A_WINS}

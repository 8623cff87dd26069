"""Changing memories that are there. Every function runs inside the caller's transaction.

What is to be changed is read inside it too, so that two processes that change different fields of
one memory both succeed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, NotFound
from . import drafts, phrasing
from .editions import edited
from .fields import Changes, DraftFields
from .following import AUDITED
from .former import former_here
from .identity import tag_id
from .kinds import EdgeKind, Kind, Resolution
from .reader import MemoryRefs, known, several
from .records import Draft, Memory, MemoryRef, memory_id
from .remembering import Writer

if TYPE_CHECKING:
    from ..store.connection import Store
    from .indexing import Index

_CHANGED = ("text", *Changes.__annotations__)
# What an update keeps unless it is named; anchors are rows of their own.
_KEPT = tuple(name for name in _CHANGED if name != "about")
# Fields of a draft that say how a memory came about; that cannot be changed afterwards.
_GIVEN_ONCE = DraftFields.__annotations__.keys() - Changes.__annotations__.keys()
# Fields whose change may leave a keyed fact with two values.
_FACT = frozenset({"key", "value", "qualifier", "scope", "project", "valid_from", "valid_to"})


class Changer:
    """The changing verbs of `Memories`, without their transactions."""

    def __init__(self, store: Store, index: Index, writer: Writer) -> None:
        self._store = store
        self._index = index
        self._writer = writer
        self._succession = writer.succession

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
        if "text" not in fields and phrasing.says_only_its_fields(Draft(**kept)):
            kept |= {"text": "", "key": phrasing.spelt(before.key, before.text)}
        if fields.get("text", before.text) != before.text:
            # What was shortened from the former text is not said by the new one.
            kept |= dict.fromkeys(("summary", "compressed", "index_entry"))
        _refuse_to_lose(before, fields)
        prepared = prepare(drafts.draft("update", _CHANGED, **{**kept, **fields}))
        row = dict(prepared.row, strength=before.strength)
        row.pop("created_at")
        self._refuse_taken_source(before.id, row)
        with edited(self._store, before.id):
            self._store.run("memories.replace_content", id=before.id, **row)
        if "tags" in fields:
            gone = [name for name in before.tags if name not in prepared.tags]
            self.retag(before.id, add=prepared.tags, remove=gone)
        if "about" in fields:
            self._store.run("memories.clear_anchors", id=before.id)
        if "about" in fields or "text" in fields:
            self._writer.anchor(before.id, prepared.anchors)
        self._follow_up(before, fields)
        self._store.audit("update", before.id, before=before.text[:AUDITED])
        self._index.put([before.id])
        if "text" in fields:
            self._writer.doubt_anew(before.id)

    def forget(self, references: MemoryRefs, reason: str) -> list[int]:
        """Deactivate memories; return the ids of those that were active.

        What was to be replaced by one that did not hold yet stays true."""
        active = [memory for memory in several(self._store, references) if memory.active]
        for memory in active:
            planned = self._succession.planned(memory.id)
            self._set_active(memory.id, active=False, reason=reason)
            self._succession.end_anew(planned)
        return [memory.id for memory in active]

    def restore(self, references: MemoryRefs) -> list[int]:
        """Bring forgotten and superseded memories back; one that is current is left as it is."""
        found = several(self._store, references)
        for memory in found:
            is_over = self._succession.is_over(memory.id)
            if is_over:
                self._succession.release(memory.id)
            if is_over or not memory.active:
                self._set_active(memory.id, active=True, reason=None)
                self._succession.renew(memory.id)
                self._make_current(memory.id)
        return [memory.id for memory in found]

    def purge(self, references: MemoryRefs) -> list[int]:
        """Delete memories, all that hangs on them, and what the audit holds of their text."""
        ids = [memory.id for memory in several(self._store, references)]
        self._index.remove(ids)
        former = former_here(self._store)
        for number in ids:
            self._let_go(number)
            self._store.run("memories.delete_edges", id=number)
            self._store.run("memories.delete", id=number)
            self._store.run("memories.clear_audit", id=number)
            for one in (number, *(old for old, now in former.items() if now == number)):
                self._store.run("store.add_tombstone", id=one, at=self._store.now())
            self._store.audit("purge", number)
        self._store.run("memories.drop_unused_tags")
        # Deleted words stay in old parts of the full-text index until these are merged.
        self._store.run("memories_search.merge_index")
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
        """Relate two memories; to supersede or contradict is more than an edge."""
        one, other = known(self._store, src).id, known(self._store, dst).id
        if one == other:
            raise InvalidInput(f"link: both ends are {one}; name two memories")
        if relation is EdgeKind.SUPERSEDES:
            self.supersede(other, one)
        elif relation is EdgeKind.CONTRADICTS:
            self.contradict(one, other, None)
        if weight is not None or relation not in (EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS):
            self._writer.link(one, other, relation, weight)

    def unlink(self, src: int, dst: int, relation: EdgeKind) -> bool:
        """Remove an edge and what it stood for; return whether there was one."""
        if relation is EdgeKind.SUPERSEDES:
            return self._succession.part(dst, src)
        ends = {(src, dst)}
        if relation is EdgeKind.CONTRADICTS:  # holds both ways
            ends.add((dst, src))
            self._succession.settle_contradiction(src, dst, Resolution.BOTH_VALID)
        pairs = [{"src": one, "dst": other, "kind": relation} for one, other in ends]
        return self._store.run_many("memories.delete_edge", pairs) > 0

    def supersede(self, old: MemoryRef, new: MemoryRef) -> None:
        """Let `new` take the place of `old`."""
        before, after = known(self._store, old).id, known(self._store, new).id
        if (before,) in self._store.all("memories.successors", id=after):
            raise InvalidInput(
                f"supersede: {after} was itself superseded by {before}; restore it first"
            )
        self._succession.retire(before, after)

    def contradict(self, one: MemoryRef, other: MemoryRef, note: str | None) -> None:
        """Record that two memories cannot both be true."""
        a, b = sorted((known(self._store, one).id, known(self._store, other).id))
        if a == b:
            raise InvalidInput(f"contradict: both are {a}; name two memories")
        self._succession.contradict(a, b, note=note)

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
                f"no contradiction between {first} and {second}; "
                "'memkit contradictions' lists those that are open"
            )
        if how is Resolution.A_WINS:
            self.supersede(second, first)
        elif how is Resolution.B_WINS:
            self.supersede(first, second)

    def _follow_up(self, before: Memory, fields: Mapping[str, Any]) -> None:
        """Let what hangs on a memory's time and keyed fact follow their change."""
        if "valid_to" in fields:
            self._succession.end_anew([before.id])
        if "valid_from" in fields and before.is_current:
            self._succession.renew(before.id)
        if fields.keys() & _FACT and before.is_current:
            self._make_current(before.id)

    def _make_current(self, number: int) -> None:
        """Let the keyed fact that a memory states, if it states one, hold from now on."""
        start = self._succession.span(number)["start"]
        self._succession.settle(number, since=max(self._store.now(), start))

    def _let_go(self, number: int) -> None:
        """Let nothing wait for, or be replaced by, a memory that is about to be purged."""
        planned = self._succession.planned(number)
        self._set_active(number, active=False, reason=None)
        self._succession.end_anew(planned)
        for (old,) in self._store.all("memories.superseded_by", id=number):
            self._succession.let_go(old)

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


def _refuse_to_lose(before: Memory, fields: Mapping[str, Any]) -> None:
    """Raise InvalidInput for a change that would leave out a part of what is said: an update has
    no notes to say so."""
    if isinstance(text := fields.get("text"), str) and drafts.has_answer(text):
        raise InvalidInput(
            "text: holds an answer of memkit's own between its marks, which is not stored; leave "
            "it out"
        )
    triggers = fields.get("trigger_patterns", before.trigger_patterns)
    if triggers and fields.get("kind", Kind.NEGATIVE) != Kind.NEGATIVE:
        raise InvalidInput(
            f"kind: a memory of kind {fields['kind']} never comes back at its trigger_patterns; "
            "give trigger_patterns=() too, or kind negative"
        )


# The stored order of a pair is by id, not by the caller's order.
_SWAPPED = {Resolution.A_WINS: Resolution.B_WINS, Resolution.B_WINS: Resolution.A_WINS}

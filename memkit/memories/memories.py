"""`kit.memories`: everything that can be done to what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from ..errors import InvalidInput, NotFound
from ..store import times
from . import drafts, finding, rows
from .identity import tag_id, tag_name
from .indexing import Index
from .records import (
    Contradiction,
    Draft,
    Edge,
    EdgeKind,
    Link,
    Memory,
    MemoryRef,
    Remembered,
    Resolution,
    Scope,
    memory_id,
)
from .remembering import Writer

if TYPE_CHECKING:
    from ..store.connection import Store

# Drafts written in one transaction by `remember_many`.
BATCH = 1000
# What an update keeps unless it is named.
_KEPT = (
    "text", "kind", "form", "key", "value", "qualifier", "scope", "project", "session", "task",
    "source", "tags", "file_paths", "messages", "valid_from", "valid_to", "season", "summary",
    "compressed", "index_entry", "provenance", "confidence", "trust", "importance", "author",
    "pinned", "private", "trigger_patterns", "procedure",
)  # fmt: skip
_REFS = Iterable[MemoryRef] | MemoryRef


class Memories:
    """Writes and reads memories. Every verb is one transaction; none leaves half of itself
    behind."""

    def __init__(
        self,
        store: Store,
        index: Index,
        *,
        project: str = "",
        elsewhere: Callable[[], Memories | None] = lambda: None,
    ) -> None:
        self._elsewhere = elsewhere
        self._store = store
        self._index = index
        self._writer = Writer(store, index)
        self._project = project

    # -- remembering

    def remember(self, text: str = "", **fields: Any) -> Remembered:
        """Remember one statement; `fields` are those of `Draft`.

        The same statement again strengthens the memory that is there; the same in other small words
        is folded into it; a new value of a keyed fact supersedes the old. Secrets become markers.
        Raises InvalidInput, StoreReadOnly, StoreBusy or StoreFull; then nothing is stored.
        """
        return self.remember_many([_draft(text, fields)])[0]

    def remember_many(
        self,
        statements: Iterable[Draft | str],
        *,
        chain: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> list[Remembered]:
        """Remember many statements, a thousand to a transaction; `chain` links neighbours by
        `next`.

        `progress` is called with the number done after each transaction. Statements with a `source`
        can be given again after an interruption: what is there already is left as it is.
        """
        done: list[Remembered] = []
        waiting = iter(statements)
        while batch := list(islice(waiting, BATCH)):
            if (home := self._home_of(batch)) is not None:
                done += home.remember_many(batch, chain=chain)
                continue
            now = self._store.clock()
            prepared = [
                drafts.prepare(
                    item if isinstance(item, Draft) else Draft(item), project=self._project, now=now
                )
                for item in batch
            ]
            before = done[-1].id if chain and done else None
            written = self._store.write(partial(self._write, prepared, chain=chain, after=before))
            found = {m.id: m for m in rows.load(self._store, [number for number, _, _ in written])}
            done += [
                Remembered(found[number], outcome, replaced, draft.redacted)
                for (number, outcome, replaced), draft in zip(written, prepared, strict=True)
            ]
            if progress:
                progress(len(done))
        return done

    # -- reading

    def get(self, reference: MemoryRef) -> Memory:
        """Return one memory, current or not; raises NotFound."""
        return self._known(memory_id(reference))

    def get_many(self, references: Iterable[MemoryRef]) -> list[Memory]:
        """Return the memories of any number of ids, in their order; ids without a row are left
        out."""
        return rows.load(self._store, [memory_id(reference) for reference in references])

    def find(
        self,
        filters: Mapping[str, Any] | None = None,
        *,
        limit: int = 100,
        order_by: str = "id",
        history: bool = False,
        **equal: Any,
    ) -> list[Memory]:
        """Return memories that agree with every filter, newest first; see memories/finding.py.

        Filters may be given as a mapping, with operators such as `{"importance": {"$gte": 0.7}}`,
        or by keyword. Forgotten and superseded ones come only with `history=True`.
        """
        wanted = dict(filters or {}) | equal
        if not history:
            wanted.setdefault("active", True)
        if limit < 1:
            raise InvalidInput(f"limit: {limit} finds nothing; give 1 or more")
        return finding.find(self._store, wanted, limit=limit, order_by=order_by)

    def edges(self, reference: MemoryRef) -> list[Edge]:
        """Return every edge of a memory, strongest first."""
        number = self._known(memory_id(reference)).id
        return [Edge(**row) for row in self._store.records("memories.edges_of", id=number)]

    def wordings(self, reference: MemoryRef) -> list[str]:
        """Return other wordings that were folded into a memory, oldest first."""
        number = self._known(memory_id(reference)).id
        return [text for text, _ in self._store.all("memories.wordings_of", id=number)]

    def provenance(self, reference: MemoryRef) -> list[Link]:
        """Return the chain of provenance of a memory, oldest first."""
        number = self._known(memory_id(reference)).id
        return [Link(**row) for row in self._store.records("memories.provenance_of", id=number)]

    def tags(self) -> dict[str, int]:
        """Return every tag with the number of its active memories, most used first."""
        return {name: count for name, _, count in self._store.all("memories.tag_counts")}

    def contradictions(self, *, history: bool = False) -> list[Contradiction]:
        """Return open contradictions, newest first; with `history` the settled ones too."""
        found = self._store.records("memories.contradictions", open_only=not history)
        return [Contradiction(**row) for row in found]

    # -- changing

    def update(self, reference: MemoryRef, text: str | None = None, **fields: Any) -> Memory:
        """Change a memory in place, keeping its id and birth; `fields` are those of `Draft`.

        Tags, if given, are replaced; what is not named stays as it is.
        """
        known = self._known(memory_id(reference))
        draft = _changed(known, fields if text is None else {**fields, "text": text})
        prepared = drafts.prepare(draft, project=self._project, now=self._store.clock())
        self._store.write(partial(self._rewrite, known, prepared, fields.keys()))
        return self._known(known.id)

    def forget(
        self, references: _REFS, *, reason: str = "forgotten", dry_run: bool = False
    ) -> list[Memory]:
        """Deactivate memories, keeping their rows; return those that were (or would be) forgotten.

        An empty list is an error: it never means everything. Undone by `restore`.
        """
        known = [memory for memory in self._several(references) if memory.active]
        if not dry_run:
            self._store.write(partial(self._set_active, known, active=False, reason=reason))
        return known

    def restore(self, references: _REFS) -> list[Memory]:
        """Bring forgotten or superseded memories back; return them as they now stand."""
        known = self._several(references)
        self._store.write(partial(self._restore, known))
        return rows.load(self._store, [memory.id for memory in known])

    def purge(self, references: _REFS, *, dry_run: bool = False) -> list[int]:
        """Delete memories for good, their bytes overwritten; return their ids. Cannot be undone.

        A tombstone with the id alone stays, so that a merge does not bring the row back.
        """
        ids = [memory.id for memory in self._several(references)]
        if not dry_run:
            self._store.write(partial(self._purge, ids))
            # Deleted words stay in old parts of the full-text index until these are merged.
            self._store.write(lambda: self._store.run("search.merge_index"))
        return ids

    def pin(self, reference: MemoryRef, *, pinned: bool = True) -> Memory:
        """Keep a memory from decay and pruning, or with `pinned=False` no longer."""
        number = self._known(memory_id(reference)).id
        self._store.write(
            lambda: self._store.run(
                "memories.set_pinned", id=number, pinned=int(pinned), at=self._store.now()
            )
        )
        return self._known(number)

    # -- connecting

    def tag(self, reference: MemoryRef, *names: str) -> Memory:
        """Add tags to a memory; a tag is made if it is new."""
        number = self._known(memory_id(reference)).id
        stored = [tag_name(name) for name in drafts.safe_texts(names)]
        self._store.write(partial(self._retag, number, add=stored))
        return self._known(number)

    def untag(self, reference: MemoryRef, *names: str) -> Memory:
        """Take tags from a memory; tags that nothing carries any more go too."""
        number = self._known(memory_id(reference)).id
        self._store.write(partial(self._retag, number, remove=[tag_name(name) for name in names]))
        return self._known(number)

    def link(
        self,
        src: MemoryRef,
        dst: MemoryRef,
        kind: EdgeKind | str = EdgeKind.RELATES_TO,
        *,
        weight: float | None = None,
    ) -> None:
        """Relate two memories; an existing edge of that kind keeps the greater weight."""
        relation = drafts.one_of(EdgeKind, kind, name="kind")
        if relation in (EdgeKind.HAS_TAG, EdgeKind.IN_CLUSTER, EdgeKind.ABOUT):
            raise InvalidInput(f"kind: {relation} does not join two memories; use tag() or about=…")
        if weight is not None and not 0 <= weight <= 1:
            raise InvalidInput(f"weight: {weight!r} is outside 0 to 1; give a share such as 0.8")
        one, other = self._known(memory_id(src)).id, self._known(memory_id(dst)).id
        if one == other:
            raise InvalidInput(f"link: both ends are {one}; name two memories")
        self._store.write(partial(self._writer.link, one, other, relation, weight))

    def unlink(self, src: MemoryRef, dst: MemoryRef, kind: EdgeKind | str) -> bool:
        """Remove an edge; return whether there was one."""
        relation = drafts.one_of(EdgeKind, kind, name="kind")
        ends = {"src": memory_id(src), "dst": memory_id(dst)}
        return bool(
            self._store.write(
                lambda: self._store.run("memories.delete_edge", kind=relation, **ends)
            )
        )

    def supersede(self, old: MemoryRef, new: MemoryRef) -> Memory:
        """Let `new` take the place of `old`, which stays as history; return the new one."""
        before, after = self._known(memory_id(old)), self._known(memory_id(new))
        if before.id in self._successors(after.id):
            raise InvalidInput(
                f"supersede: {after.id} was itself superseded by {before.id}; restore it first"
            )
        self._store.write(partial(self._writer.retire, before.id, after.id))
        return self._known(after.id)

    def contradict(self, one: MemoryRef, other: MemoryRef, *, note: str | None = None) -> None:
        """Record that two memories cannot both be true; both stay until it is resolved."""
        a, b = sorted((self._known(memory_id(one)).id, self._known(memory_id(other)).id))
        if a == b:
            raise InvalidInput(f"contradict: both are {a}; name two memories")
        safe = None if note is None else drafts.safe_texts([note])[0]
        self._store.write(partial(self._contradict, a, b, safe))

    def resolve(
        self,
        one: MemoryRef,
        other: MemoryRef,
        resolution: Resolution | str,
        *,
        note: str | None = None,
    ) -> None:
        """Settle a contradiction; `a_wins` keeps `one`, `b_wins` keeps `other`, the loser is
        superseded."""
        how = drafts.one_of(Resolution, resolution, name="resolution")
        a, b = self._known(memory_id(one)).id, self._known(memory_id(other)).id
        safe = None if note is None else drafts.safe_texts([note])[0]
        self._store.write(partial(self._resolve, a, b, how, safe))

    # -- history

    def as_of(self, when: times.When, *, limit: int = 100) -> list[Memory]:
        """Return the memories that were known and held true at a moment, newest first."""
        moment = times.parse_when(when, now=self._store.clock(), name="as_of")
        ids = [n for (n,) in self._store.all("memories.as_of", moment=moment, limit=limit)]
        return rows.load(self._store, ids)

    # -- inside

    def _home_of(self, batch: Sequence[Draft | str]) -> Memories | None:
        """Return the global store's memories if the batch belongs there."""
        scopes = {item.scope if isinstance(item, Draft) else Scope.PROJECT for item in batch}
        if Scope.GLOBAL not in scopes:
            return None
        home = self._elsewhere()
        if home is not None and len(scopes) > 1:
            raise InvalidInput("scope: global statements lie in another file; remember them apart")
        return home

    def _write(self, prepared: Sequence[drafts.Prepared], *, chain: bool, after: int | None) -> Any:
        for draft in prepared:
            for number in (*draft.supersedes, *draft.derived_from):
                self._known(number)
        return self._writer.write(prepared, chain=chain, after=after)

    def _known(self, number: int) -> Memory:
        found = rows.load(self._store, [number])
        if not found:
            raise NotFound(f"no memory {number} in {self._store.path.name}; see 'memkit list'")
        return found[0]

    def _several(self, references: _REFS) -> list[Memory]:
        if isinstance(references, str | bytes | Mapping) or references is None:
            raise InvalidInput(
                f"ids: found {references!r}; give ids or memories, or use find() first"
            )
        items = references if isinstance(references, Iterable) else [references]
        ids = list(dict.fromkeys(memory_id(item) for item in items))
        if not ids:
            raise InvalidInput(
                "ids: the list is empty; nothing was done (it never means everything)"
            )
        found = rows.load(self._store, ids)
        if len(found) < len(ids):
            missing = sorted(set(ids) - {memory.id for memory in found})
            raise NotFound(f"no memory {missing[0]} in {self._store.path.name}; see 'memkit list'")
        return found

    def _successors(self, number: int) -> set[int]:
        after: dict[int, int] = dict(self._store.all("memories.replacements"))
        seen: set[int] = set()
        while number in after and number not in seen:
            seen.add(number)
            number = after[number]
        return seen | {number} if seen else set()

    def _rewrite(self, known: Memory, prepared: drafts.Prepared, given: Iterable[str]) -> None:
        row = dict(prepared.row, strength=known.strength)
        row.pop("created_at")
        self._store.run("memories.replace_content", id=known.id, **row)
        if "tags" in given:
            gone = [name for name in known.tags if name not in prepared.tags]
            self._retag(known.id, add=prepared.tags, remove=gone)
        if "about" in given:
            self._store.run("memories.clear_anchors", id=known.id)
            for path, symbol in prepared.anchors:
                self._store.run(
                    "memories.add_anchor",
                    id=known.id,
                    path=path,
                    symbol=symbol,
                    at=row["updated_at"],
                )
        self._store.audit("update", known.id, before=known.text[:2000])
        self._index.put([known.id])

    def _set_active(self, known: Sequence[Memory], *, active: bool, reason: str | None) -> None:
        now = self._store.now()
        for memory in known:
            self._store.run(
                "memories.set_active", id=memory.id, active=int(active), reason=reason, at=now
            )
            self._store.audit("restore" if active else "forget", memory.id, reason=reason)

    def _restore(self, known: Sequence[Memory]) -> None:
        for memory in known:
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
        self._set_active(known, active=True, reason=None)

    def _purge(self, ids: Sequence[int]) -> None:
        for number in ids:
            self._index.remove(number)
            self._store.run("memories.release_superseded", id=number)
            self._store.run("memories.delete_edges", id=number)
            self._store.run("memories.delete", id=number)
            self._store.run("memories.clear_audit", id=number)
            self._store.run("store.add_tombstone", id=number, at=self._store.now())
            self._store.audit("purge", number)
        self._store.run("memories.drop_unused_tags")

    def _retag(self, number: int, *, add: Sequence[str] = (), remove: Sequence[str] = ()) -> None:
        self._writer.tag(number, add)
        for name in remove:
            self._store.run(
                "memories.delete_edge", src=number, dst=tag_id(name), kind=EdgeKind.HAS_TAG
            )
        self._store.run("memories.drop_unused_tags")
        self._index.put([number])

    def _contradict(self, a: int, b: int, note: str | None) -> None:
        now = self._store.now()
        self._store.run("memories.add_contradiction", memory_a=a, memory_b=b, at=now, note=note)
        self._writer.link(a, b, EdgeKind.CONTRADICTS)

    def _resolve(self, one: int, other: int, how: Resolution, note: str | None) -> None:
        a, b = sorted((one, other))
        swapped = {Resolution.A_WINS: Resolution.B_WINS, Resolution.B_WINS: Resolution.A_WINS}
        stored = swapped.get(how, how) if (a, b) != (one, other) else how
        changed = self._store.run(
            "memories.resolve_contradiction",
            memory_a=a,
            memory_b=b,
            resolution=stored,
            note=note,
            at=self._store.now(),
        )
        if not changed:
            raise NotFound(f"no contradiction between {one} and {other}; see contradictions()")
        if how is Resolution.A_WINS:
            self._writer.retire(other, one)
        elif how is Resolution.B_WINS:
            self._writer.retire(one, other)


def _draft(text: str, fields: Mapping[str, Any]) -> Draft:
    unknown = fields.keys() - {field.name for field in attrs.fields(Draft)}
    if unknown:
        names = ", ".join(field.name for field in attrs.fields(Draft))
        raise InvalidInput(f"remember: no field {sorted(unknown)[0]!r}; there are {names}")
    return Draft(text, **fields)


def _changed(known: Memory, fields: Mapping[str, Any]) -> Draft:
    """Return the draft that would have made `known`, with the changes."""
    kept = {name: getattr(known, name) for name in _KEPT}
    merged = {**kept, **fields}
    return _draft(merged.pop("text"), merged)

"""`kit.memories`: everything that can be done to what is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, one_of
from ..store import times
from . import drafts, finding, rows
from .anchored import NO_CODE, Code, located, verified
from .changing import Changer
from .identity import tag_name
from .indexing import Index
from .kinds import EdgeKind, Resolution, Scope
from .reading import MemoryRefs, known, several
from .records import Contradiction, Draft, Edge, Link, Memory, MemoryRef, Remembered, memory_id
from .remembering import Writer, Written

if TYPE_CHECKING:
    from ..store.connection import Store
    from .indexing import Index

# Drafts written in one transaction by `remember_many`.
BATCH = 1000


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
        also: Callable[[], Memories | None] = lambda: None,
        code: Code = NO_CODE,
    ) -> None:
        """`elsewhere` gives the global store for writing, `also` for ids not known here; `code`
        knows what memories are about."""
        self._code = code
        self._elsewhere = elsewhere
        self._also = also
        self._store = store
        self._index = index
        self._writer = Writer(store, index)
        self._changer = Changer(store, index, self._writer)
        self._project = project

    # -- remembering

    def remember(self, text: str = "", **fields: Any) -> Remembered:
        """Remember one statement; `fields` are those of `Draft`.

        The same statement again strengthens the memory that is there; the same in other small words
        is folded into it; a new value of a keyed fact supersedes the old. Secrets become markers.
        Raises InvalidInput, StoreReadOnly, StoreBusy or StoreFull; then nothing is stored.
        """
        return self.remember_many([drafts.draft(text=text, **fields)])[0]

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
        while batch := [drafts.as_draft(item) for item in islice(waiting, BATCH)]:
            if (home := self._home_of(batch)) is not None:
                done += home.remember_many(batch, chain=chain)
                continue
            prepared = [self._prepare(item) for item in batch]
            before = done[-1].id if chain and done else None
            written = self._store.write(partial(self._write, prepared, chain=chain, after=before))
            found = {m.id: m for m in self.get_many(number for number, _, _ in written)}
            done += [
                Remembered(found[number], outcome, replaced, draft.redacted)
                for (number, outcome, replaced), draft in zip(written, prepared, strict=True)
            ]
            if progress:
                progress(len(done))
        return done

    # -- reading

    def get(self, reference: MemoryRef) -> Memory:
        """Return one memory, current or not, of this file or the global store; raises NotFound."""
        return verified(self._code, [known(self._store, reference, also=self._also)])[0]

    def get_many(self, references: Iterable[MemoryRef]) -> list[Memory]:
        """Return the memories of any number of ids, in their order; unknown ids are left out."""
        found = rows.load(self._store, [memory_id(reference) for reference in references])
        return verified(self._code, found)

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
        or by keyword. Without one on `project` they are those of this project and global ones, of
        whichever session. Forgotten and superseded ones come only with `history=True`.
        """
        wanted = dict(filters or {}) | equal
        if not history:
            wanted.setdefault("active", True)
        finding.check_limit(limit)
        found = finding.find(
            self._store, wanted, project=self._project, limit=limit, order_by=order_by
        )
        return verified(self._code, found)

    def edges(self, reference: MemoryRef) -> list[Edge]:
        """Return every edge of a memory, strongest first."""
        number = known(self._store, reference).id
        return [Edge(**row) for row in self._store.records("memories.edges_of", id=number)]

    def wordings(self, reference: MemoryRef) -> list[str]:
        """Return other wordings that were folded into a memory, oldest first."""
        number = known(self._store, reference).id
        return [text for text, _ in self._store.all("memories.wordings_of", id=number)]

    def provenance(self, reference: MemoryRef) -> list[Link]:
        """Return the chain of provenance of a memory, oldest first."""
        number = known(self._store, reference).id
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
        changes = fields if text is None else {**fields, "text": text}
        self._store.write(partial(self._changer.update, reference, changes, self._prepare))
        return self.get(reference)

    def forget(
        self, references: MemoryRefs, *, reason: str = "forgotten", dry_run: bool = False
    ) -> list[Memory]:
        """Deactivate memories, keeping their rows; return those that were (or would be) forgotten.

        An empty list is an error: it never means everything. Undone by `restore`.
        """
        if dry_run:
            return [memory for memory in several(self._store, references) if memory.active]
        why = drafts.safe_texts([reason])[0]
        return self._store.write(partial(self._changer.forget, references, why))

    def restore(self, references: MemoryRefs) -> list[Memory]:
        """Bring forgotten or superseded memories back; return them as they now stand."""
        return self.get_many(self._store.write(partial(self._changer.restore, references)))

    def purge(self, references: MemoryRefs, *, dry_run: bool = False) -> list[int]:
        """Delete memories for good, their bytes overwritten; return their ids. Cannot be undone.

        A tombstone with the id alone stays, so that a merge does not bring the row back.
        """
        if dry_run:
            return [memory.id for memory in several(self._store, references)]
        return self._store.write(partial(self._changer.purge, references))

    def pin(self, reference: MemoryRef, *, pinned: bool = True) -> Memory:
        """Keep a memory from decay and pruning, or with `pinned=False` no longer."""
        self._store.write(partial(self._changer.pin, reference, pinned=pinned))
        return self.get(reference)

    # -- connecting

    def tag(self, reference: MemoryRef, *names: str) -> Memory:
        """Add tags to a memory; a tag is made if it is new."""
        stored = [tag_name(name) for name in drafts.safe_texts(names)]
        self._store.write(partial(self._changer.retag, reference, add=stored))
        return self.get(reference)

    def untag(self, reference: MemoryRef, *names: str) -> Memory:
        """Take tags from a memory; tags that nothing carries any more go too."""
        stored = [tag_name(name) for name in names]
        self._store.write(partial(self._changer.retag, reference, remove=stored))
        return self.get(reference)

    def link(
        self,
        src: MemoryRef,
        dst: MemoryRef,
        kind: EdgeKind | str = EdgeKind.RELATES_TO,
        *,
        weight: float | None = None,
    ) -> None:
        """Relate two memories; an existing edge of that kind keeps the greater weight."""
        relation = one_of(EdgeKind, kind, name="kind")
        if relation in (EdgeKind.HAS_TAG, EdgeKind.IN_CLUSTER, EdgeKind.ABOUT):
            raise InvalidInput(f"kind: {relation} does not join two memories; use tags or anchors")
        if weight is not None and not 0 <= weight <= 1:
            raise InvalidInput(f"weight: {weight!r} is outside 0 to 1; give a share such as 0.8")
        self._store.write(partial(self._changer.link, src, dst, relation, weight))

    def unlink(self, src: MemoryRef, dst: MemoryRef, kind: EdgeKind | str) -> bool:
        """Remove an edge; return whether there was one.

        What a memory superseded is current again; a contradiction was none."""
        relation = one_of(EdgeKind, kind, name="kind")
        ends = memory_id(src), memory_id(dst)
        return self._store.write(partial(self._changer.unlink, *ends, relation))

    def supersede(self, old: MemoryRef, new: MemoryRef) -> Memory:
        """Let `new` take the place of `old`, which stays as history; return the new one."""
        self._store.write(partial(self._changer.supersede, old, new))
        return self.get(new)

    def contradict(self, one: MemoryRef, other: MemoryRef, *, note: str | None = None) -> None:
        """Record that two memories cannot both be true; both stay until it is resolved."""
        safe = None if note is None else drafts.safe_texts([note])[0]
        self._store.write(partial(self._changer.contradict, one, other, safe))

    def resolve(
        self,
        one: MemoryRef,
        other: MemoryRef,
        resolution: Resolution | str,
        *,
        note: str | None = None,
    ) -> None:
        """Settle a contradiction; `a_wins` keeps `one`, `b_wins` keeps `other`.

        The loser is superseded."""
        how = one_of(Resolution, resolution, name="resolution")
        safe = None if note is None else drafts.safe_texts([note])[0]
        self._store.write(partial(self._changer.resolve, one, other, how, safe))

    # -- history

    def as_of(self, when: times.When, *, limit: int = 100) -> list[Memory]:
        """Return the memories that were known and held true at a moment, newest first."""
        return self.get_many(finding.as_of(self._store, when, project=self._project, limit=limit))

    def stale(self, *, limit: int = 100) -> list[Memory]:
        """Return memories about code that has changed, moved or gone since, or never was there,
        newest first."""
        finding.check_limit(limit)
        ids = self._store.all("memories.anchored", project=self._project)
        changed = (memory for memory in self.get_many(n for (n,) in ids) if memory.has_changed)
        return list(islice(changed, limit))

    # -- inside

    def _prepare(self, draft: Draft) -> drafts.Prepared:
        locate = partial(located, self._code)
        now = self._store.clock()
        return drafts.prepare(draft, project=self._project, now=now, locate=locate)

    def _write(
        self, prepared: Sequence[drafts.Prepared], *, chain: bool, after: int | None
    ) -> list[Written]:
        for draft in prepared:
            if named := (*draft.supersedes, *draft.derived_from):
                several(self._store, named)
        return self._writer.write(prepared, chain=chain, after=after)

    def _home_of(self, batch: Sequence[Draft]) -> Memories | None:
        """Return the global store's memories if the batch belongs there."""
        scopes = {item.scope for item in batch}
        if Scope.GLOBAL not in scopes:
            return None
        home = self._elsewhere()
        if home is not None and len(scopes) > 1:
            raise InvalidInput("scope: global statements lie in another file; remember them apart")
        return home

"""Facade of memories: remember, change, connect, and all reading verbs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar, Unpack

import attrs

from .. import validation
from ..errors import InvalidInput, NotFound, StoreBusy, StoreFull
from ..validation import Progress
from . import filters as filters_
from . import ingest
from .code_anchors import CodeAnchors, located, verified
from .identity import in_repository
from .ingest import refuse_to_move, safe_text, stored_tags
from .reader import (
    GlobalMemories,
    MemoryReader,
    MemoryRefs,
    ids_of,
    known_ids,
    several,
)
from .records import (
    Changes,
    Draft,
    DraftFields,
    EdgeKind,
    InactiveCode,
    Memory,
    MemoryFilters,
    MemoryRef,
    Outcome,
    RememberResult,
    Resolution,
    Scope,
    memory_id,
)

if TYPE_CHECKING:
    from ..store.store import Store
    from .search_index import Index
    from .writer import MemoryEditor, MemoryWriter, Written

T = TypeVar("T")
# Pages of the largest file that a purge writes anew to give space back: 128 MB, about a second.
_MAX_PAGES = 1 << 15
_SAID = ("text", *DraftFields.__annotations__)
# What a caller writes of drafts and the memories that hold them.
Note = Callable[[Sequence[Draft], list[int]], None]
# What was written so says something that was not said here before.
_NEWS = (Outcome.STORED, Outcome.UPDATED)
# More memories than a file holds.
_MAX_FORGOTTEN = 1_000_000
# Drafts written in one transaction by `remember_many`.
BATCH = 1000


class Memories(MemoryReader):
    """Facade of memories. Every verb is one transaction; none leaves half of itself
    behind. A memory of the global store is changed there."""

    def __init__(
        self,
        store: Store,
        index: Index,
        *,
        project: str,
        global_store: GlobalMemories,
        code: CodeAnchors,
        answered: Callable[[Memory], tuple[str, ...]],
    ) -> None:
        """`global_store` holds global memories; `code` knows what memories are about; `answered`
        closes the questions asked in vain that a memory answers, and returns them."""
        super().__init__(
            store, project=project, code=code, global_store=global_store, renew=index.ensure_soon
        )
        self._index = index
        self._answered = answered

    # Made when something is written: a hook that only reads waits for every module.

    @cached_property
    def _writer(self) -> MemoryWriter:
        from .writer import MemoryWriter

        return MemoryWriter(self._store, self._index)

    @cached_property
    def _editor(self) -> MemoryEditor:
        from .writer import MemoryEditor

        return MemoryEditor(self._store, self._index, self._writer)

    # -- remembering

    def remember(self, text: str = "", **fields: Unpack[DraftFields]) -> RememberResult:
        """Remember one statement; `fields` are those of `Draft`.

        The same statement again strengthens the memory that is there; the same in other small words
        is folded into it; a new value of a keyed fact supersedes the old. Secrets become markers.
        Raises InvalidInput, StoreReadOnly, StoreBusy or StoreFull; then nothing is stored.
        """
        said = {"text": validation.text(text, name="text"), **fields}
        return self.remember_many([ingest.draft("remember", _SAID, **said)])[0]

    def remember_many(
        self,
        statements: Iterable[Draft | str],
        *,
        chain: bool = False,
        progress: Progress | None = None,
    ) -> list[RememberResult]:
        """Remember many statements, a thousand to a transaction; `chain` links neighbours by
        `next`.

        `progress` gets the number done, and of how many, after each transaction. Those with a
        `source` can be given again after an interruption: what is there already is left as it is.
        Raises InvalidInput, before anything is written, if some are global and some are not.
        """
        if isinstance(statements, str):
            raise InvalidInput("statements: found one text, expected a list; see remember")
        validation.boolean(chain, name="chain")
        validation.callback(progress, name="progress")
        said = list(validation.iterable(statements, name="statements"))
        drafts = ingest.each(ingest.as_draft, said)
        home = self._home_of(drafts) or self
        done = home._remember_many(drafts, chain=chain, progress=progress)
        if home is not self:
            done = self._with_pairs_here(done)
        if len(done) == 1:  # of many the end of the session tells
            return [attrs.evolve(done[0], answers=self._answered(done[0].memory))]
        return done

    def _remember_many(
        self,
        drafts: Sequence[Draft],
        *,
        chain: bool = False,
        progress: Progress | None = None,
        note: Note | None = None,
    ) -> list[RememberResult]:
        """Remember drafts in this file; `note` writes, in the transaction of each batch, what the
        caller knows of its drafts."""
        self._index.ensure()
        done: list[RememberResult] = []
        for start in range(0, len(drafts), BATCH):
            batch = drafts[start : start + BATCH]
            prepared = ingest.each(self._prepare, batch, begin=start, of=len(drafts))
            last = done[-1].id if chain and done else None
            noted = note and partial(note, batch)
            write = partial(self._write, prepared, chain=chain, after=last, note=noted)
            written, stored = self._store.write(write)
            self._index.catch_up()
            reason = self._index.encoder_note or self._index.failure
            missing = (reason,) if reason else ()
            memories = {memory.id: memory for memory in verified(self._code, stored)}
            done += [
                RememberResult(
                    memories[number],
                    outcome,
                    replaced,
                    draft.redacted,
                    (*draft.notes, *missing),
                    self._store.path,
                    *self._bearing(number, is_new=outcome == "stored"),
                )
                for (number, outcome, replaced), draft in zip(written, prepared, strict=True)
            ]
            if progress:
                progress(len(done), len(drafts))
        return done

    # -- changing

    def update(
        self, reference: MemoryRef, text: str | None = None, **fields: Unpack[Changes]
    ) -> Memory:
        """Change a memory in place, keeping its id and birth; `fields` are those of `Draft` but
        what is given once (at, snippet, reason, supersedes, derived_from, artifacts).

        Tags, if given, are replaced; what is not named stays as it is.
        """
        home = self._home(reference)
        if "scope" in fields and self._global_store.is_named:
            refuse_to_move(fields["scope"], is_global=home is not self)
        changes: dict[str, object] = dict(fields) if text is None else {**fields, "text": text}
        is_reworded = "text" in changes

        def change() -> None:
            home._editor.update(reference, changes, home._prepare)
            if is_reworded and home is self:
                compare()

        def compare() -> None:
            self._compare_across([memory_id(reference)], home=home, are_known=True)

        home._store.write(change)
        if is_reworded and home is not self and not self._store.readonly:
            self._store.write(compare)
        return self.get(reference)

    def forget(
        self, references: MemoryRefs, *, reason: str = "forgotten", dry_run: bool = False
    ) -> list[Memory]:
        """Deactivate memories, keeping their rows; return those that were forgotten as they now
        stand, or with `dry_run` those that would be.

        An empty list is an error: it never means everything. Undone by `restore`.
        """
        if validation.boolean(dry_run, name="dry_run"):
            return [memory for memory in self._several(references) if memory.active]
        return self.get_many(self._forget(references, reason, InactiveCode.FORGOTTEN))

    def forget_matching(
        self,
        filters: Mapping[str, object] | None = None,
        *,
        reason: str = "forgotten",
        dry_run: bool = False,
        **equal: Unpack[MemoryFilters],
    ) -> list[Memory]:
        """Deactivate every memory that agrees with each filter, as `find` takes them; return them,
        or with `dry_run` those that would be.

        Global ones are meant only by a filter on scope. No filter, or one of an empty text or list,
        is an error: it never means everything. Undone by `restore`.
        """
        criteria = filters_.as_filters(filters) | {**equal}
        filters_.refuse_empty(criteria)
        if self._global_store.is_named:
            criteria.setdefault("scope", {"$ne": Scope.GLOBAL})
        memories = self.find(criteria, limit=_MAX_FORGOTTEN)
        validation.boolean(dry_run, name="dry_run")
        return self.forget(memories, reason=reason, dry_run=dry_run) if memories else []

    def restore(self, references: MemoryRefs) -> list[Memory]:
        """Bring forgotten or superseded memories back; return them as they now stand.

        One that is current is left as it is; what had taken the place of one stays, unless both
        are values of one key."""
        ids = self._at_home(references, lambda home, some: home._editor.restore(some))
        return self.get_many(ids)

    def purge(self, references: MemoryRefs, *, dry_run: bool = False) -> list[int]:
        """Delete memories for good, their bytes overwritten; return their ids. Cannot be undone.

        A tombstone with the id alone stays, so that a merge does not bring the row back.
        """
        if validation.boolean(dry_run, name="dry_run"):
            return [memory.id for memory in self._several(references)]
        purged = self._at_home(references, lambda home, ids: home._editor.purge(ids))
        with suppress(StoreBusy, StoreFull):  # they are given back another time
            self._store.give_back_space(max_pages=_MAX_PAGES)
        return purged

    def pin(self, reference: MemoryRef) -> Memory:
        """Keep a memory from decay and pruning."""
        home = self._home(reference)
        home._store.write(partial(home._editor.pin, reference, pinned=True))
        return self.get(reference)

    def unpin(self, reference: MemoryRef) -> Memory:
        """Keep a memory no longer from decay and pruning."""
        home = self._home(reference)
        home._store.write(partial(home._editor.pin, reference, pinned=False))
        return self.get(reference)

    # -- connecting

    def tag(self, reference: MemoryRef, *names: str) -> Memory:
        """Add tags to a memory; a tag is made if it is new."""
        home, stored = self._home(reference), stored_tags(names)
        home._store.write(partial(home._editor.retag, reference, add=stored))
        return self.get(reference)

    def untag(self, reference: MemoryRef, *names: str) -> Memory:
        """Take tags from a memory; tags that nothing carries any more go too."""
        home, stored = self._home(reference), stored_tags(names)
        home._store.write(partial(home._editor.retag, reference, remove=stored))
        return self.get(reference)

    def link(
        self,
        src: MemoryRef,
        dst: MemoryRef,
        kind: EdgeKind | str = EdgeKind.RELATES_TO,
        *,
        weight: float | None = None,
    ) -> None:
        """Relate two memories; an existing edge of that kind keeps the greater weight.

        `supersedes` is `supersede`, and `contradicts` is `contradict`."""
        relation = validation.member(EdgeKind, kind, name="kind")
        if relation in (EdgeKind.HAS_TAG, EdgeKind.IN_CLUSTER, EdgeKind.ABOUT):
            raise InvalidInput(f"kind: {relation} does not join two memories; use tags or anchors")
        validation.optional(validation.fraction, weight, name="weight")
        if self._own_end(src, dst) is not None:
            self._relate(src, dst, relation, weight=weight)
            return
        home = self._home(src, dst)
        home._store.write(partial(home._editor.link, src, dst, relation, weight))

    def unlink(self, src: MemoryRef, dst: MemoryRef, kind: EdgeKind | str) -> bool:
        """Remove an edge; return whether there was one.

        What a memory superseded is current again; a contradiction was none."""
        relation = validation.member(EdgeKind, kind, name="kind")
        ends = (memory_id(src), memory_id(dst))
        if self._own_end(src, dst) is not None:
            return self._store.write(partial(self._relations.drop, ends, relation))
        home = self._home(src, dst)
        return home._store.write(partial(home._editor.unlink, *ends, relation))

    def supersede(self, old: MemoryRef, new: MemoryRef) -> Memory:
        """Let `new` take the place of `old`, which stays as history; return the new one.

        A new one that holds from a later moment on takes it then. One of this file may replace a
        global one, for this file alone."""
        if self._own_end(old, new) is not None:
            self._relate(new, old, EdgeKind.SUPERSEDES)
            return self.get(new)
        home = self._home(old, new)
        home._store.write(partial(home._editor.supersede, old, new))
        return self.get(new)

    def contradict(self, a: MemoryRef, b: MemoryRef, *, note: str | None = None) -> None:
        """Record that two memories cannot both be true; both stay until it is resolved."""
        safe = None if note is None else safe_text(note, name="note").text
        if self._own_end(a, b) is not None:
            self._relate(a, b, EdgeKind.CONTRADICTS, note=safe)
            return
        home = self._home(a, b)
        home._store.write(partial(home._editor.contradict, a, b, safe))

    def resolve(
        self, a: MemoryRef, b: MemoryRef, resolution: Resolution | str, *, note: str | None = None
    ) -> None:
        """Decide about two memories: a_wins or b_wins settles a contradiction, and the loser is
        superseded; both_valid says that they are none, and merged that they say the same, whether
        that was in doubt or not: `consolidate` makes one of them.

        What a caller decided is kept as such (`Contradiction.decided_by`), and overruled by no
        judge and no detector while both texts stand. Raises NotFound where nobody wins anything.
        """
        how = validation.member(Resolution, resolution, name="resolution")
        safe = None if note is None else safe_text(note, name="note").text
        if (own := self._own_end(a, b)) is not None:
            self._store.write(partial(self._resolve_across, own, a, b, how, safe))
            return
        home = self._home(a, b)
        home._store.write(partial(home._editor.resolve, a, b, how, safe))

    # -- internals

    def _own_end(self, *ends: MemoryRef) -> int | None:
        """Return which of two memories lies here, if the other one is global."""
        ids = {memory_id(end) for end in ends}
        here = known_ids(self._store, ids)
        other = self._reachable() if len(ids) == 2 and len(here) == 1 else None
        if other is None or not known_ids(other._store, ids - here):
            return None
        return min(here)

    def _relate(
        self,
        src: MemoryRef,
        dst: MemoryRef,
        kind: EdgeKind,
        *,
        weight: float | None = None,
        note: str | None = None,
    ) -> None:
        """Relate a memory of this file and a global one, on this side."""
        ends, own = (memory_id(src), memory_id(dst)), self._own_end(src, dst)
        if own is None or (kind is EdgeKind.SUPERSEDES and own != ends[0]):
            raise InvalidInput(
                f"supersede: {ends[0]} is global and {ends[1]} is not, and the nearer one holds; "
                f"forget {ends[1]} instead"
            )
        self._store.write(partial(self._relations.put, own, ends, kind, weight=weight, note=note))

    def _resolve_across(
        self, own: int, a: MemoryRef, b: MemoryRef, how: Resolution, note: str | None
    ) -> None:
        """Settle a contradiction with a global memory; one that lost is replaced for this file."""
        from .writer import SWAPPED

        first, second = memory_id(a), memory_id(b)
        ordered = SWAPPED.get(how, how) if first > second else how
        was_open = self._relations.drop((first, second), EdgeKind.CONTRADICTS)
        if how in SWAPPED and not was_open:
            raise NotFound(f"no contradiction between {first} and {second}")
        ends, contradicts = (first, second), EdgeKind.CONTRADICTS
        self._relations.put(own, ends, contradicts, note=note, resolution=ordered)
        if how not in SWAPPED:
            return
        winner, loser = (first, second) if how is Resolution.A_WINS else (second, first)
        if winner == own:
            self._relations.put(own, (own, loser), EdgeKind.SUPERSEDES)
        else:
            why = f"memory {winner} holds, which is global"
            self._editor.forget([own], why, InactiveCode.SUPERSEDED)

    def _home(self, *references: MemoryRef) -> Memories:
        """Return, for writing, the memories of the file in which these lie."""
        other = self._global_store.memories(writes=True) if self._is_global(*references) else None
        (home := other or self)._index.ensure()
        return home

    def _at_home(
        self, references: MemoryRefs, change: Callable[[Memories, list[int]], list[T]]
    ) -> list[T]:
        """Return what a change gives in each file in which some of these lie, own ones first."""
        ids = ids_of(references)
        self._index.ensure()
        here = known_ids(self._store, set(ids))
        if elsewhere := [number for number in ids if number not in here]:
            self._several(elsewhere)  # one that nobody knows changes nothing
        own = [number for number in ids if number in here]
        done = self._store.write(lambda: change(self, own)) if own else []
        if elsewhere:
            home = self._home(*elsewhere)
            done += home._store.write(lambda: change(home, elsewhere))
        return done

    def _forget(self, references: MemoryRefs, reason: str, code: InactiveCode) -> list[int]:
        why = safe_text(reason, name="reason").text
        return self._at_home(references, lambda home, ids: home._editor.forget(ids, why, code))

    def _several(self, references: MemoryRefs) -> list[Memory]:
        ids = ids_of(references)
        memories = self.get_many(ids)
        if unknown := set(ids) - {memory.id for memory in memories}:
            several(self._store, unknown)  # raises NotFound
        return memories

    def _prepare(self, draft: Draft) -> ingest.Prepared:
        locate = partial(located, self._code)
        root = str(self._store.path.parent)
        if isinstance(draft.about, tuple) and all(isinstance(name, str) for name in draft.about):
            about = tuple(in_repository(name, root) for name in draft.about)
            draft = attrs.evolve(draft, about=about) if about != draft.about else draft
        return ingest.prepare(draft, project=self._project, now=self._store.clock(), locate=locate)

    def _hashes(self, draft: Draft) -> tuple[str, ...]:
        """Return the content hashes that a draft would be stored with."""
        return ingest.statement_hashes(draft, project=self._project, now=self._store.clock())

    def _write(
        self,
        prepared: Sequence[ingest.Prepared],
        *,
        chain: bool,
        after: int | None,
        note: Callable[[list[int]], None] | None = None,
    ) -> tuple[list[Written], list[Memory]]:
        across = [self._global_ones(draft) for draft in prepared]
        own = [
            attrs.evolve(
                draft,
                supersedes=tuple(old for old in draft.supersedes if old not in there),
                derived_from=tuple(old for old in draft.derived_from if old not in there),
            )
            for draft, there in zip(prepared, across, strict=True)
        ]
        written = self._writer.write(own, chain=chain, after=after)
        written = [
            self._joined(draft, there, result)
            for draft, there, result in zip(prepared, across, written, strict=True)
        ]
        self._compare_across([number for number, outcome, _ in written if outcome in _NEWS])
        if note is not None:
            note([number for number, _, _ in written])
        return written, ingest.load(self._store, {number for number, _, _ in written})

    def _bearing(
        self, number: int, *, is_new: bool
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """Return the memories that cannot be true together with one, those of them that it seems
        to replace, and those that it repeats, if it is new."""
        rows = self._store.all("memories.open_contradictions_of", id=number)
        pairs = [(a, b, proposed) for a, b, _, proposed, *_ in rows]
        across = self._relations.of(number)
        for relation in across:
            if relation.is_open:
                a, b = sorted((relation.src, relation.dst))
                pairs.append((a, b, relation.proposed))
        others = tuple(b if a == number else a for a, b, _ in pairs)
        winner = {Resolution.A_WINS: 0, Resolution.B_WINS: 1}
        updates = tuple(
            pair[1 - winner[how]]
            for *pair, how in pairs
            if how in winner and pair[winner[how]] == number
        )
        if not is_new:
            return others, updates, ()
        repeats = [other for (other,) in self._store.all("memories.repeats_of", id=number)]
        linked = [r.dst for r in across if r.src == number and r.kind is EdgeKind.RELATES_TO]
        return others, updates, (*repeats, *linked)

    def _with_pairs_here(self, done: Sequence[RememberResult]) -> list[RememberResult]:
        """Return what was remembered in the global store with what it bears on in this file."""
        news = [result.id for result in done if result.outcome in _NEWS]
        if self._store.readonly or not news:
            return list(done)
        home = self._global_store.memories(writes=True)
        self._store.write(partial(self._compare_across, news, home=home))
        there = []
        for result in done:
            is_new = result.outcome is Outcome.STORED
            others, updates, repeats = self._bearing(result.id, is_new=is_new)
            there.append(
                attrs.evolve(
                    result,
                    contradicts=(*result.contradicts, *others),
                    updates=(*result.updates, *updates),
                    repeats=(*result.repeats, *repeats),
                )
            )
        return there

    def _compare_across(
        self, numbers: Sequence[int], *, home: Memories | None = None, are_known: bool = False
    ) -> None:
        """Hold memories of `home`, this file unless it is given, against those of the other file;
        inside `write`. `are_known`: they said something else before."""
        from .global_relations import GlobalPairs
        from .writer import MOST_COMPARED

        other = self._reachable() if 0 < len(numbers) <= MOST_COMPARED else None
        if other is None:
            return
        detectors = (self._writer.detector, other._writer.detector)
        pairs = GlobalPairs(self._relations, *detectors, project=self._project)
        for number in numbers if are_known else ():
            pairs.doubt_anew(number)
        pairs.compare(numbers, are_global=home is not None and home is not self)

    def _global_ones(self, draft: ingest.Prepared) -> set[int]:
        """Return the global memories that a draft names; raises NotFound for one nobody knows."""
        named = {*draft.supersedes, *draft.derived_from}
        rest = named - known_ids(self._store, named)
        other = self._reachable() if rest else None
        there = known_ids(other._store, rest) if other is not None else set()
        if missing := rest - there:
            several(self._store, sorted(missing))
        return there

    def _joined(self, draft: ingest.Prepared, there: Set[int], result: Written) -> Written:
        """Relate what was written to the global memories that its draft names."""
        number, outcome, replaced = result
        olds = tuple(old for old in draft.supersedes if old in there)
        for old in olds:
            self._relations.put(number, (number, old), EdgeKind.SUPERSEDES)
        for origin in draft.derived_from:
            if origin in there:
                self._relations.put(number, (number, origin), EdgeKind.DERIVED_FROM)
        return number, outcome, (*replaced, *olds)

    def _home_of(self, drafts: Sequence[Draft]) -> Memories | None:
        """Return the global store's memories if the statements belong there."""
        scopes = {validation.member(Scope, item.scope, name="scope") for item in drafts}
        if Scope.GLOBAL not in scopes or not self._global_store.is_named:
            return None
        if len(scopes) > 1:
            raise InvalidInput("scope: global statements lie in another file; remember them apart")
        return self._global_store.memories(writes=True)

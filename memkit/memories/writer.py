"""Writers of memories: insert, strengthen, fold, update, forget, purge, link."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ..anchors import CodeAnchor
from ..errors import InvalidInput, NotFound
from ..store import changesets
from . import ingest, reviews, supersession
from .external_edits import AUDITED
from .identity import keep_paraphrase, noting_revision, tag_id, text_hash
from .ingest import Prepared
from .pair_detection import VERDICT_OF, PairDetector, decide
from .reader import MemoryRefs, known, several
from .records import (
    DEFAULT_IMPORTANCE,
    EDGE_WEIGHTS,
    Changes,
    Decider,
    Draft,
    DraftFields,
    EdgeKind,
    InactiveCode,
    Kind,
    Memory,
    MemoryRef,
    Origin,
    Outcome,
    PairVerdict,
    Provenance,
    Resolution,
    memory_id,
)
from .supersession import Supersession

if TYPE_CHECKING:
    from ..store.store import Store
    from .search_index import Index


# --- Insertion: the same statement strengthens, a new wording folds, a new value supersedes.

# Statements written at once that are held against the likeliest others (milliseconds each); more
# are left to `scan_contradictions`.
MOST_COMPARED = 16
# The wording that was folded stays as such; the audit only tells which.
_WORDING_AUDITED = 200
Written = tuple[int, Outcome, tuple[int, ...]]
# What a statement that is said again may add to the one that is there.
_SAID_AGAIN = (
    "confidence", "valid_to", "season", "author", "file_paths", "trigger_patterns", "pinned",
    "private",
)  # fmt: skip


class MemoryWriter:
    """Writer of prepared drafts; every method runs inside the caller's transaction."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        self._ids = store.ids("memories.last_id")
        self.supersession = Supersession(store)
        self.detector = PairDetector(store, index, self.supersession)

    def write(
        self, drafts: Sequence[Prepared], *, chain: bool = False, after: int | None = None
    ) -> list[Written]:
        """Return id, outcome and superseded ids of each draft.

        `chain` links neighbours by `next`, the first one to the memory `after`.
        """
        written = []
        steps = []
        previous = after
        for prepared in drafts:
            number, outcome, successor = self._place(prepared)
            self._attach(number, prepared, stored=outcome is Outcome.STORED)
            # A place that says what it said before supersedes nothing that was said since.
            is_news = prepared.row["source"] is None or outcome is not Outcome.STRENGTHENED
            replaced = self._supersede(number, prepared) if is_news else ()
            if successor is not None and not replaced:
                self.supersession.doubt(number, successor)
            written.append((number, outcome, replaced))
            if chain and previous is not None and previous != number:
                steps.append((previous, number))
            previous = number
        numbers = [number for number, _, _ in written]
        self._tag_all(zip(numbers, (prepared.tags for prepared in drafts), strict=True))
        self._link_all(steps, EdgeKind.NEXT)
        self._index.put(numbers)
        for number, outcome, _ in written:
            if outcome is Outcome.UPDATED:
                self.doubt_anew(number)
        stored = [number for number, outcome, _ in written if outcome is Outcome.STORED]
        if len(drafts) <= MOST_COMPARED:
            self._compare(stored)
        return written

    def doubt_anew(self, number: int) -> None:
        """Settle what was doubted of a statement's former words, and hold the new ones against
        others."""
        for a, b, origin, _, *texts in self._store.all(
            "memories.open_contradictions_of", id=number
        ):
            if origin == Origin.DETECTED and not self.detector.are_at_odds(*texts):
                self.supersession.reconcile(a, b)
        self._compare([number])

    def link(self, src: int, dst: int, kind: EdgeKind, weight: float | None = None) -> None:
        """Make an edge of the kind's usual weight, or of the weight given."""
        self._link_all([(src, dst)], kind, weight)

    def tag(self, number: int, names: Sequence[str]) -> None:
        """Give a memory tags, made if new; the names are in stored form."""
        self._tag_all([(number, names)])

    def anchor(self, number: int, places: Sequence[CodeAnchor]) -> None:
        """Note the files and symbols that a memory is about."""
        if not places:
            return
        now = self._store.now()
        rows = (
            {
                "id": number,
                "path": place.path,
                "symbol": place.symbol,
                "hash": place.hash,
                "at": now,
            }
            for place in places
        )
        self._store.run_many("memories.add_anchor", rows)

    # -- internals

    def _compare(self, numbers: Sequence[int]) -> None:
        """Hold statements against the likeliest others, and note what bears on them."""
        for pair in list(self.detector.detect(numbers)):
            self.detector.note(pair)
        self.detector.settle_series()

    def _tag_all(self, named: Iterable[tuple[int, Sequence[str]]]) -> None:
        at = self._store.now()
        carried = [(number, name) for number, names in named for name in names]
        tags = {name: tag_id(name) for _, name in carried}
        rows = ({"id": tag, "name": name, "at": at} for name, tag in tags.items())
        self._store.run_many("memories.add_tag", rows)
        self._link_all([(number, tags[name]) for number, name in carried], EdgeKind.HAS_TAG)

    def _link_all(
        self, ends: Iterable[tuple[int, int]], kind: EdgeKind, weight: float | None = None
    ) -> None:
        same = {"kind": kind, "weight": EDGE_WEIGHTS[kind] if weight is None else weight}
        at = self._store.now()
        rows = ({"src": src, "dst": dst, "at": at, **same} for src, dst in ends)
        self._store.run_many("memories.add_edge", rows)

    def _place(self, prepared: Prepared) -> tuple[int, Outcome, int | None]:
        """Return where a statement stands now, and what had replaced it when it was made before."""
        row, successor = prepared.row, None
        if row["source"] is not None:
            known = self._store.first(
                "memories.by_source", project=row["project"], source=row["source"]
            )
            if known:
                return *self._update_from_source(known, prepared), None
        elif row["key"] is not None or not prepared.redacted:
            # Of two secrets only the markers are left, which are equal though they are not. No hash
            # of them is kept to tell: whatever its salt or key, who has the file could try
            # passwords against it. What is said again costs a row, and recall serves it once.
            moment = max(self._store.now(), self._begins(row))
            for same in self._store.records(
                "memories.find_by_content_hash",
                content_hashes=json.dumps(prepared.hashes),
                content_hash=row["content_hash"],
            ):
                # What was superseded or holds until then is history: saying it again is a new
                # statement, unless it says once more that it held until then.
                valid_to = same["valid_to"]
                holds = valid_to is None or valid_to > moment or valid_to == row["valid_to"]
                if same["superseded_by"] is None and holds:
                    return same["id"], self._strengthen(same, row), None
                if (survivor := self._survivor(same)) is not None:
                    return survivor["id"], self._strengthen(survivor, row), None
                successor = successor or same["superseded_by"]
        number = self._ids.new()
        self._store.run("memories.insert", id=number, **row)
        return number, Outcome.STORED, successor

    def _survivor(self, same: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the memory that one which says the same was merged into, if it holds."""
        number = same["superseded_by"]
        if number is None or not supersession.stands_for(self._store, number, same["text"]):
            return None
        return self._store.records("memories.said_by", id=number)[0]

    def _strengthen(self, known: Mapping[str, Any], row: Mapping[str, Any]) -> Outcome:
        """Count a statement that is there once more, with what is new about it this time."""
        number, now, begins = known["id"], self._store.now(), self._begins(row)
        if row["provenance"] in (Provenance.STATED, Provenance.CORRECTED):
            reviews.confirm(self._store, number)
        # What is not as it is in every draft was given.
        importance = None if row["importance"] == DEFAULT_IMPORTANCE else row["importance"]
        named = known if row["kind"] == Kind.FACT else row
        was_to_come = known["valid_from"] is not None and known["valid_from"] > begins
        says_more = named["kind"] != known["kind"] or row["trigger_patterns"] != "[]"
        with noting_revision(self._store, number) if says_more else nullcontext():
            self._store.run(
                "memories.strengthen",
                id=number,
                at=now,
                importance=importance,
                kind=named["kind"],
                content_hash=named["content_hash"],
                valid_from=begins if was_to_come else known["valid_from"],
                **{name: row[name] for name in _SAID_AGAIN},
            )
        if was_to_come:
            self.supersession.renew(number)
        if row["valid_to"] is not None:
            self.supersession.end_anew([number])
        if text_hash(row["text"]) == text_hash(known["text"]):
            return Outcome.STRENGTHENED
        keep_paraphrase(self._store, number, row["text"], at=now)
        self._store.audit("fold", number, wording=row["text"][:_WORDING_AUDITED])
        return Outcome.FOLDED

    def _update_from_source(self, known: Sequence[Any], prepared: Prepared) -> tuple[int, Outcome]:
        number, text, content_hash, superseded_by, strength, pinned, private = known
        row = dict(prepared.row)
        if content_hash == row["content_hash"] and text_hash(text) == text_hash(row["text"]):
            # Forgotten or superseded, it stays so: the place has nothing new to say.
            return number, Outcome.STRENGTHENED
        row.pop("created_at")
        row |= {"strength": strength}
        row |= {"pinned": max(pinned, row["pinned"]), "private": max(private, row["private"])}
        with noting_revision(self._store, number):
            self._store.run("memories.replace_content", id=number, **row)
        if superseded_by is not None:
            self.supersession.release(number)
        self._store.run(
            "memories.set_active",
            id=number,
            active=1,
            reason=None,
            code=None,
            at=row["updated_at"],
        )
        self._store.audit("update", number, before=text[:AUDITED])
        return number, Outcome.UPDATED

    def _attach(self, number: int, prepared: Prepared, *, stored: bool) -> None:
        row = prepared.row
        self.anchor(number, prepared.anchors)
        for kind, reference in prepared.artifacts:
            self._store.run("memories.add_artifact", id=number, kind=kind, reference=reference)
        for origin in prepared.derived_from:
            self.link(number, origin, EdgeKind.DERIVED_FROM)
        if stored and prepared.snippet is None and prepared.reason is None:
            return  # the memory's own row is the first link of the chain
        self._store.run(
            "memories.add_provenance",
            id=number,
            at=row["created_at"] if stored else row["updated_at"],
            source=row["provenance"],
            session=row["session_id"],
            snippet=prepared.snippet,
            reason=prepared.reason,
        )

    def _supersede(self, number: int, prepared: Prepared) -> tuple[int, ...]:
        """Retire what a statement replaces, or the statement itself if a later one is there."""
        row = prepared.row
        since = self._begins(row)
        olds = tuple(dict.fromkeys(old for old in prepared.supersedes if old != number))
        if olds and _is_over(row, since):
            raise InvalidInput(
                f"valid_to: {row['valid_to']} is over, so it cannot take the place of {olds[0]}; "
                "leave out supersedes"
            )
        for old in olds:
            self.supersession.retire(old, number, since=since)
        if row["key"] is None or row["value"] is None:
            return olds
        # One that holds already does not wait for the moment with which it was said again.
        held = max(self._store.now(), self.supersession.span(number)["start"])
        settled = self.supersession.settle(number, since=min(since, held))
        return tuple(dict.fromkeys((*olds, *settled)))

    def _begins(self, row: Mapping[str, Any]) -> str:
        """Return from when on a statement holds for all that is known."""
        said = min(row["created_at"], self._store.now())
        begins: str = max(said, row["valid_from"] or said)
        return begins


def _is_over(row: Mapping[str, Any], since: str) -> bool:
    return row["valid_to"] is not None and bool(row["valid_to"] <= since)


# --- Changes of existing memories, inside the caller's transaction.
#
# What is to be changed is read inside it too, so that two processes that change different fields
# of one memory both succeed.

_CHANGED = ("text", *Changes.__annotations__)
# What an update keeps unless it is named; anchors are rows of their own.
_REUSED = tuple(name for name in _CHANGED if name != "about")
# What levels of detail are made of.
_SHORTENED = ("text", "kind", "key", "value", "qualifier", "procedure")
# Fields of a draft that say how a memory came about; that cannot be changed afterwards.
_GIVEN_ONCE = DraftFields.__annotations__.keys() - Changes.__annotations__.keys()
# Fields whose change may leave a keyed fact with two values.
_FACT = frozenset({"key", "value", "qualifier", "scope", "project", "valid_from", "valid_to"})


class MemoryEditor:
    """The changing verbs of `Memories`, without their transactions."""

    def __init__(self, store: Store, index: Index, writer: MemoryWriter) -> None:
        self._store = store
        self._index = index
        self._writer = writer
        self._supersession = writer.supersession

    def update(
        self,
        reference: MemoryRef,
        fields: Mapping[str, Any],
        prepare: Callable[[Draft], ingest.Prepared],
    ) -> None:
        """Rewrite a memory with the changed fields of the draft that would have made it."""
        before = known(self._store, reference)
        reused = {name: getattr(before, name) for name in _REUSED}
        if once := sorted(_GIVEN_ONCE & fields.keys()):
            raise InvalidInput(
                f"update: {once[0]} is given once, when it is remembered; leave it out"
            )
        if "text" not in fields and ingest.says_only_its_fields(Draft(**reused)):
            reused |= {"text": "", "key": ingest.spelt(before.key, before.text)}
        if any(name in fields and fields[name] != getattr(before, name) for name in _SHORTENED):
            # What was shortened from the former statement is not said by the new one.
            reused |= dict.fromkeys(("summary", "compressed", "index_entry"))
        _refuse_to_lose(before, fields)
        prepared = prepare(ingest.draft("update", _CHANGED, **{**reused, **fields}))
        row = dict(prepared.row, strength=before.strength)
        row.pop("created_at")
        self._refuse_taken_source(before.id, row)
        with noting_revision(self._store, before.id):
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

    def forget(self, references: MemoryRefs, reason: str, code: InactiveCode) -> list[int]:
        """Deactivate memories; return the ids of those that were active. `reason` is for people.

        What was to be replaced by one that did not hold yet stays true."""
        active = [memory for memory in several(self._store, references) if memory.active]
        for memory in active:
            planned = self._supersession.planned(memory.id)
            self.deactivate(memory.id, code, reason=reason)
            self._supersession.end_anew(planned)
        return [memory.id for memory in active]

    def deactivate(self, number: int, code: InactiveCode, *, reason: str | None) -> None:
        """Let a memory hold no longer; its row stays."""
        at = self._store.now()
        self._store.run("memories.set_active", id=number, active=0, reason=reason, code=code, at=at)
        self._store.audit("forget", number, reason=reason)

    def restore(self, references: MemoryRefs) -> list[int]:
        """Bring forgotten and superseded memories back; one that is current is left as it is."""
        memories = several(self._store, references)
        for memory in memories:
            is_over = self._supersession.is_over(memory.id)
            if is_over:
                self._supersession.release(memory.id)
            if is_over or not memory.active:
                self._activate(memory.id)
                self._supersession.renew(memory.id)
                self._make_current(memory.id)
        return [memory.id for memory in memories]

    def purge(self, references: MemoryRefs) -> list[int]:
        """Delete memories, all that hangs on them, and what the audit holds of their text."""
        ids = [memory.id for memory in several(self._store, references)]
        self._index.remove(ids)
        survivors, is_copy = supersession.take_from_survivors(self._store, ids)
        is_own = changesets.is_of({*ids})
        changesets.drop_rows(self._store, lambda name, row: is_own(name, row) or is_copy(name, row))
        for number in ids:
            aliases = self._store.all("memories.aliases_of", id=number)
            self._let_go(number)
            self._store.run("memories.delete_edges", id=number)
            self._store.run("memories.delete", id=number)
            self._store.run("memories.clear_audit", id=number)
            for purged in (number, *(former for (former,) in aliases)):
                self._store.run("store.add_tombstone", id=purged, at=self._store.now())
            self._store.run("store.forget_changes", id=number)
            self._store.audit("purge", number)
        self._index.put(survivors - {*ids})
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
            withdraw_tag(self._store, number, tag_id(name))
            self._store.run(
                "memories.delete_edge", src=number, dst=tag_id(name), kind=EdgeKind.HAS_TAG
            )
        self._store.run("memories.drop_unused_tags")
        self._index.put([number])

    def link(
        self, src: MemoryRef, dst: MemoryRef, relation: EdgeKind, weight: float | None
    ) -> None:
        """Relate two memories; to supersede or contradict is more than an edge."""
        source, target = known(self._store, src).id, known(self._store, dst).id
        if source == target:
            raise InvalidInput(f"link: both ends are {source}; name two memories")
        if relation is EdgeKind.SUPERSEDES:
            self.supersede(target, source)
        elif relation is EdgeKind.CONTRADICTS:
            self.contradict(source, target, None)
        if weight is not None or relation not in (EdgeKind.SUPERSEDES, EdgeKind.CONTRADICTS):
            self._writer.link(source, target, relation, weight)

    def unlink(self, src: int, dst: int, relation: EdgeKind) -> bool:
        """Remove an edge and what it stood for; return whether there was one."""
        if relation is EdgeKind.SUPERSEDES:
            return self._supersession.part(dst, src)
        ends = {(src, dst)}
        if relation is EdgeKind.CONTRADICTS:  # holds both ways
            ends.add((dst, src))
            self._supersession.settle_contradiction(src, dst, Resolution.BOTH_VALID)
            decide(self._store, src, dst, PairVerdict.DISTINCT, by=Decider.CALLER)
        pairs = [{"src": source, "dst": target, "kind": relation} for source, target in ends]
        return self._store.run_many("memories.delete_edge", pairs) > 0

    def supersede(self, old: MemoryRef, new: MemoryRef) -> None:
        """Let `new` take the place of `old`."""
        before, after = known(self._store, old).id, known(self._store, new).id
        if (before,) in self._store.all("memories.successors", id=after):
            raise InvalidInput(
                f"supersede: {after} was itself superseded by {before}; restore it first"
            )
        self._supersession.retire(before, after)

    def contradict(self, first: MemoryRef, second: MemoryRef, note: str | None) -> None:
        """Record that two memories cannot both be true."""
        a, b = sorted((known(self._store, first).id, known(self._store, second).id))
        if a == b:
            raise InvalidInput(f"contradict: both are {a}; name two memories")
        self._supersession.contradict(a, b, origin=Origin.STATED, note=note)
        decide(self._store, a, b, PairVerdict.CONTRADICTION, by=Decider.CALLER, note=note)

    def resolve(self, left: MemoryRef, right: MemoryRef, how: Resolution, note: str | None) -> None:
        """Decide how two memories stand to each other; the loser, if there is one, is superseded.
        One wins only where there is a contradiction: that both hold, or are one, holds of any."""
        first, second = memory_id(left), memory_id(right)
        a, b = sorted((first, second))
        ordered = how if a == first else SWAPPED.get(how, how)
        changed = self._store.run(
            "memories.resolve_contradiction",
            memory_a=a,
            memory_b=b,
            resolution=ordered,
            note=note,
            at=self._store.now(),
        )
        if not changed:
            self._refuse_to_choose(first, second, how)
        if how is Resolution.A_WINS:
            self.supersede(second, first)
        elif how is Resolution.B_WINS:
            self.supersede(first, second)
        elif how is Resolution.MERGED:
            self._writer.link(b, a, EdgeKind.RELATES_TO, 1.0)
        decide(self._store, a, b, VERDICT_OF[ordered], by=Decider.CALLER, note=note)
        self._store.audit("resolve", a, other=b, resolution=ordered, by=Decider.CALLER)

    def _refuse_to_choose(self, first: int, second: int, how: Resolution) -> None:
        """Raise for two memories that are not there or are one, and for a winner of no contest."""
        if how in SWAPPED:
            raise NotFound(
                f"no contradiction between {first} and {second}; "
                "'memkit contradictions' lists those that are open"
            )
        if known(self._store, first).id == known(self._store, second).id:
            raise InvalidInput(f"resolve: both are {first}; name two memories")

    def _follow_up(self, before: Memory, fields: Mapping[str, Any]) -> None:
        """Let what hangs on a memory's time and keyed fact follow their change."""
        if "valid_to" in fields:
            self._supersession.end_anew([before.id])
        if "valid_from" in fields and before.is_current:
            self._supersession.renew(before.id)
        if fields.keys() & _FACT and before.is_current:
            self._make_current(before.id)

    def _make_current(self, number: int) -> None:
        """Let the keyed fact that a memory states, if it states one, hold from now on."""
        start = self._supersession.span(number)["start"]
        self._supersession.settle(number, since=max(self._store.now(), start))

    def _let_go(self, number: int) -> None:
        """Let nothing wait for, or be replaced by, a memory that is about to be purged."""
        planned = self._supersession.planned(number)
        self.deactivate(number, InactiveCode.FORGOTTEN, reason=None)
        self._supersession.end_anew(planned)
        for (old,) in self._store.all("memories.superseded_by", id=number):
            self._supersession.let_go(old)

    def _refuse_taken_source(self, number: int, row: Mapping[str, Any]) -> None:
        place = {"project": row["project"], "source": row["source"]}
        other = self._store.first("memories.by_source", **place)
        if other and other[0] != number:
            raise InvalidInput(
                f"source: {row['source']!r} is that of memory {other[0]}; update that one"
            )

    def _activate(self, number: int) -> None:
        at = self._store.now()
        self._store.run("memories.set_active", id=number, active=1, reason=None, code=None, at=at)
        self._store.audit("restore", number, reason=None)


def _refuse_to_lose(before: Memory, fields: Mapping[str, Any]) -> None:
    """Raise InvalidInput for a change that would leave out a part of what is said: an update has
    no notes to say so."""
    if isinstance(text := fields.get("text"), str) and ingest.has_answer(text):
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
SWAPPED = {Resolution.A_WINS: Resolution.B_WINS, Resolution.B_WINS: Resolution.A_WINS}


# --- Inferred tags: edges that weigh less than given ones, and the record of those taken away.

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

"""Writing memories: the same statement strengthens, a new wording folds, a new value supersedes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from .anchored import Anchored
from .drafts import Prepared
from .identity import tag_id, wording_hash
from .kinds import EDGE_WEIGHTS, EdgeKind, Outcome, Scope

if TYPE_CHECKING:
    from ..store.connection import Row, Store
    from .indexing import Index

Written = tuple[int, Outcome, tuple[int, ...]]


class Writer:
    """Puts prepared drafts into the tables; every method runs inside the caller's transaction."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        self._ids = store.ids("memories.last_id")

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
            number, outcome = self._place(prepared)
            self._attach(number, prepared, stored=outcome is Outcome.STORED)
            # A place that says what it said before supersedes nothing that was said since.
            is_news = prepared.row["source"] is None or outcome is not Outcome.STRENGTHENED
            replaced = self._supersede(number, prepared) if is_news else ()
            written.append((number, outcome, replaced))
            if chain and previous is not None and previous != number:
                steps.append((previous, number))
            previous = number
        numbers = [number for number, _, _ in written]
        self._tag_all(zip(numbers, (prepared.tags for prepared in drafts), strict=True))
        self._link_all(steps, EdgeKind.NEXT)
        self._index.put(numbers)
        return written

    def link(self, src: int, dst: int, kind: EdgeKind, weight: float | None = None) -> None:
        """Make an edge of the kind's usual weight, or of the weight given."""
        self._link_all([(src, dst)], kind, weight)

    def tag(self, number: int, names: Sequence[str]) -> None:
        """Give a memory tags, made if new; the names are in stored form."""
        self._tag_all([(number, names)])

    def anchor(self, number: int, places: Sequence[Anchored]) -> None:
        """Note the files and symbols (path, qualified name, hash) that a memory is about."""
        if not places:
            return
        now = self._store.now()
        rows = (
            {"id": number, "path": path, "symbol": symbol, "hash": hash_, "at": now}
            for path, symbol, hash_ in places
        )
        self._store.run_many("memories.add_anchor", rows)

    def retire(self, old: int, new: int) -> None:
        """Let memory `new` take the place of `old`."""
        if old == new:
            raise InvalidInput(f"supersedes: {old} cannot supersede itself; name another memory")
        self._store.run("memories.set_superseded", id=old, by=new, at=self._store.now())
        self.link(new, old, EdgeKind.SUPERSEDES)
        self._store.audit("supersede", old, by=new)

    # -- inside

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

    def _place(self, prepared: Prepared) -> tuple[int, Outcome]:
        row = prepared.row
        if row["source"] is not None:
            known = self._store.one(
                "memories.by_source", project=row["project"], source=row["source"]
            )
            if known:
                return self._update_from_source(known, prepared)
        else:
            now = self._store.now()
            for number, text, superseded_by, valid_to in self._store.all(
                "memories.same", content_hash=row["content_hash"]
            ):
                # What was superseded or held until then is history: saying it again is a new
                # statement, unless it says once more that it held until then.
                holds = valid_to is None or valid_to > now or valid_to == row["valid_to"]
                if superseded_by is None and holds:
                    return number, self._strengthen(number, text, row)
        number = self._ids.new()
        self._store.run("memories.insert", id=number, **row)
        return number, Outcome.STORED

    def _strengthen(self, number: int, text: str, row: Any) -> Outcome:
        now = self._store.now()
        kept = {name: row[name] for name in ("confidence", "pinned", "private")}
        self._store.run("memories.strengthen", id=number, at=now, **kept)
        wording = wording_hash(row["text"])
        if wording == wording_hash(text):
            return Outcome.STRENGTHENED
        self._store.run(
            "memories.add_wording", id=number, wording_hash=wording, text=row["text"], at=now
        )
        self._store.audit("fold", number, wording=row["text"][:200])
        return Outcome.FOLDED

    def _update_from_source(self, known: Sequence[Any], prepared: Prepared) -> tuple[int, Outcome]:
        number, text, content_hash, superseded_by, strength, pinned, private = known
        row = dict(prepared.row)
        if content_hash == row["content_hash"] and wording_hash(text) == wording_hash(row["text"]):
            # Forgotten or superseded, it stays so: the place has nothing new to say.
            return number, Outcome.STRENGTHENED
        row.pop("created_at")
        row |= {"strength": strength}
        row |= {"pinned": max(pinned, row["pinned"]), "private": max(private, row["private"])}
        self._store.run("memories.replace_content", id=number, **row)
        if superseded_by is not None:
            ends = {"src": superseded_by, "dst": number}
            self._store.run("memories.delete_edge", kind=EdgeKind.SUPERSEDES, **ends)
            self._store.run("memories.set_superseded", id=number, by=None, at=row["updated_at"])
        self._store.run(
            "memories.set_active", id=number, active=1, reason=None, at=row["updated_at"]
        )
        self._store.audit("update", number, before=text[:2000])
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

    def make_current(self, number: int) -> None:
        """Retire other values of the keyed fact that a memory states, if it states one."""
        row = self._store.records("memories.place", id=number)[0]
        if row["key"] is not None and row["value"] is not None:
            for other, value, _ in self._others(number, row):
                if value != row["value"]:
                    self.retire(other, number)

    def _supersede(self, number: int, prepared: Prepared) -> tuple[int, ...]:
        """Retire what a statement replaces, or the statement itself if a later one is there."""
        row = prepared.row
        olds = [old for old in prepared.supersedes if old != number]
        later: int | None = None
        if row["key"] is not None and row["value"] is not None:
            for other, value, created_at in self._others(number, row):
                if value != row["value"] and created_at > row["created_at"]:
                    later = other
                elif value != row["value"]:
                    olds.append(other)
        replaced = tuple(dict.fromkeys(olds))
        for old in replaced:
            self.retire(old, number)
        if later is not None:
            # History that is taken in late does not overrule what came after it.
            self.retire(number, later)
        return replaced

    def _others(self, number: int, row: Mapping[str, Any]) -> list[Row]:
        """Return (id, value, created_at) of other current memories of the same keyed fact."""
        found = self._store.all(
            "memories.keyed",
            project=row["project"],
            scope=row["scope"],
            session=row["session_id"] if row["scope"] == Scope.SESSION else None,
            task=row["task_id"] if row["scope"] == Scope.TASK else None,
            key=row["key"],
            qualifier=row["qualifier"],
        )
        return [other for other in found if other[0] != number]

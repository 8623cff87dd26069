"""Writing memories: the same statement strengthens, a new wording folds, a new value supersedes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from ..anchors import Noted
from ..errors import InvalidInput
from .drafts import Prepared
from .editions import edited, keep_wording
from .following import AUDITED
from .identity import tag_id, wording_hash
from .kinds import EDGE_WEIGHTS, EdgeKind, Kind, Outcome, Resolution
from .opposing import DENIED, OTHER_NUMBER, opposition
from .records import DEFAULT_IMPORTANCE
from .succession import Succession

if TYPE_CHECKING:
    from ..store.connection import Store
    from .indexing import Index

# Other statements of one frame, beyond which they are a series of measurements or days.
_SERIES = 4
# The wording that was folded stays as such; the audit only tells which.
_WORDING_AUDITED = 200
Written = tuple[int, Outcome, tuple[int, ...]]
# What a statement that is said again may add to the one that is there.
_SAID_AGAIN = (
    "confidence", "valid_to", "season", "author", "file_paths", "trigger_patterns", "pinned",
    "private",
)  # fmt: skip


class Writer:
    """Puts prepared drafts into the tables; every method runs inside the caller's transaction."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        self._ids = store.ids("memories.last_id")
        self.succession = Succession(store)

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
                self.succession.doubt(number, successor)
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
        self.doubt_opposites(n for n, outcome, _ in written if outcome is Outcome.STORED)
        return written

    def doubt_anew(self, number: int) -> None:
        """Settle what was doubted of a statement's former words, and hold the new ones against
        others."""
        for a, b, note, *texts in self._store.all("memories.doubts_of", id=number):
            if note in (DENIED, OTHER_NUMBER) and opposition(*texts) is None:
                self.succession.settle_contradiction(a, b, Resolution.BOTH_VALID)
                self._store.run("memories.delete_edge", src=a, dst=b, kind=EdgeKind.CONTRADICTS)
        self.doubt_opposites([number])

    def doubt_opposites(self, numbers: Iterable[int]) -> None:
        """Note what cannot both be true: statements that hold, and one of which denies the other.
        Nobody can know which is right, so both stay until that is resolved."""
        ids = json.dumps(list(numbers))
        for a, b, *texts in self._store.all("memories_search.framed", ids=ids, most=_SERIES):
            if (why := opposition(*texts)) is not None:
                self.succession.contradict(a, b, note=why)

    def link(self, src: int, dst: int, kind: EdgeKind, weight: float | None = None) -> None:
        """Make an edge of the kind's usual weight, or of the weight given."""
        self._link_all([(src, dst)], kind, weight)

    def tag(self, number: int, names: Sequence[str]) -> None:
        """Give a memory tags, made if new; the names are in stored form."""
        self._tag_all([(number, names)])

    def anchor(self, number: int, places: Sequence[Noted]) -> None:
        """Note the files and symbols that a memory is about."""
        if not places:
            return
        now = self._store.now()
        rows = (
            {"id": number, "path": one.path, "symbol": one.symbol, "hash": one.hash, "at": now}
            for one in places
        )
        self._store.run_many("memories.add_anchor", rows)

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

    def _place(self, prepared: Prepared) -> tuple[int, Outcome, int | None]:
        """Return where a statement stands now, and what had replaced it when it was made before."""
        row, successor = prepared.row, None
        if row["source"] is not None:
            known = self._store.one(
                "memories.by_source", project=row["project"], source=row["source"]
            )
            if known:
                return *self._update_from_source(known, prepared), None
        else:
            moment = max(self._store.now(), self._begins(row))
            for same in self._store.records(
                "memories.same",
                content_hashes=json.dumps(prepared.hashes),
                content_hash=row["content_hash"],
            ):
                # What was superseded or holds until then is history: saying it again is a new
                # statement, unless it says once more that it held until then.
                valid_to = same["valid_to"]
                holds = valid_to is None or valid_to > moment or valid_to == row["valid_to"]
                if same["superseded_by"] is None and holds:
                    return same["id"], self._strengthen(same, row), None
                successor = successor or same["superseded_by"]
        number = self._ids.new()
        self._store.run("memories.insert", id=number, **row)
        return number, Outcome.STORED, successor

    def _strengthen(self, known: Mapping[str, Any], row: Mapping[str, Any]) -> Outcome:
        """Count a statement that is there once more, with what is new about it this time."""
        number, now, begins = known["id"], self._store.now(), self._begins(row)
        # What is not as it is in every draft was given.
        importance = None if row["importance"] == DEFAULT_IMPORTANCE else row["importance"]
        named = known if row["kind"] == Kind.FACT else row
        was_to_come = known["valid_from"] is not None and known["valid_from"] > begins
        says_more = named["kind"] != known["kind"] or row["trigger_patterns"] != "[]"
        with edited(self._store, number) if says_more else nullcontext():
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
            self.succession.renew(number)
        if row["valid_to"] is not None:
            self.succession.end_anew([number])
        if wording_hash(row["text"]) == wording_hash(known["text"]):
            return Outcome.STRENGTHENED
        keep_wording(self._store, number, row["text"], at=now)
        self._store.audit("fold", number, wording=row["text"][:_WORDING_AUDITED])
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
        with edited(self._store, number):
            self._store.run("memories.replace_content", id=number, **row)
        if superseded_by is not None:
            self.succession.release(number)
        self._store.run(
            "memories.set_active", id=number, active=1, reason=None, at=row["updated_at"]
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
            self.succession.retire(old, number, since=since)
        if row["key"] is None or row["value"] is None:
            return olds
        # One that holds already does not wait for the moment with which it was said again.
        held = max(self._store.now(), self.succession.span(number)["start"])
        settled = self.succession.settle(number, since=min(since, held))
        return tuple(dict.fromkeys((*olds, *settled)))

    def _begins(self, row: Mapping[str, Any]) -> str:
        """Return from when on a statement holds for all that is known."""
        said = min(row["created_at"], self._store.now())
        begins: str = max(said, row["valid_from"] or said)
        return begins


def _is_over(row: Mapping[str, Any], since: str) -> bool:
    return row["valid_to"] is not None and bool(row["valid_to"] <= since)

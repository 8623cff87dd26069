"""Supersession: which statement replaces which, and from when.

A statement that comes to hold later ends the one it replaces then and not before: until that moment
the old one is current, and nobody has to write anything when it has come. What is replaced from now
on is superseded at once. The edge `supersedes` bears the moment of the change, which tells an end
that was made by a replacement from one that was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from .identity import fact_form, keep_paraphrase, text_hash, value_form
from .records import EDGE_WEIGHTS, EdgeKind, Origin, Resolution, Scope

if TYPE_CHECKING:
    from ..store.changesets import RowTest
    from ..store.store import Store


Span = Mapping[str, Any]


class Supersession:
    """Supersession of statements by others, and its reversal."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def retire(self, old: int, new: int, *, since: str | None = None) -> None:
        """Let memory `new` take the place of `old` from `since` on: from now on, or from when `new`
        comes to hold, if it is not given."""
        if old == new:
            raise InvalidInput(f"supersedes: {old} cannot supersede itself; name another memory")
        now, before = self._store.now(), self.span(old)
        begins = since or max(now, self.span(new)["start"])
        ends = max(begins, before["start"])
        own = self._own_end(old, before["valid_to"])
        until = ends if own is None else min(own, ends)
        # Only this machine remembers an end that was given and would have come later.
        ended = {} if own is None or own <= ends else {"until": own}
        self._date(new, old, ends)
        self._store.audit("supersede", old, by=new, **ended)
        self.settle_contradiction(old, new, Resolution.A_WINS if new < old else Resolution.B_WINS)
        if begins > max(now, before["start"]):
            self._store.run("memories.end_at", id=old, until=until, at=now)
            return
        inherited = self._planned(old) if before["start"] > now else []
        self._store.run("memories.set_superseded", id=old, by=new, until=until, at=now)
        for number in inherited:  # what never came to hold hands on what it was to replace
            if number == new:
                self._end_anew(new)
            else:
                self.retire(number, new, since=since)

    def settle(self, number: int, *, since: str) -> tuple[int, ...]:
        """Let a keyed fact have one value at a time: the one that a memory states from `since` on,
        until one follows that comes to hold later. Returns what it replaces."""
        own, others, olds = self.span(number), self.rivals(number), []
        if own["valid_to"] is None or own["valid_to"] > since:  # what is over replaces nothing
            olds = [other["id"] for other in others if _holds(other, since)]
        for old in olds:
            self.retire(old, number, since=since)
        later = [other for other in others if other["start"] > since]
        if later:
            first = min(later, key=lambda other: (other["start"], other["id"]))
            self.retire(number, first["id"], since=first["start"])
        return tuple(olds)

    def rivals(self, number: int) -> list[dict[str, Any]]:
        """Return other current memories that give the same key another value."""
        own = self.span(number)
        if own["key"] is None or own["value"] is None or not own["active"]:
            return []
        value = value_form(own["value"])
        return [rival for rival in self._others(own) if value_form(rival["value"]) != value]

    def part(self, old: int, new: int) -> bool:
        """Take back that `new` takes the place of `old`; return whether it was said."""
        own = self.span(old)
        until, now = self._own_end(old, own["valid_to"]), self._store.now()
        said = self._store.run("memories.delete_edge", src=new, dst=old, kind=EdgeKind.SUPERSEDES)
        if own["superseded_by"] == new:
            self._store.run("memories.set_superseded", id=old, by=None, until=until, at=now)
        elif own["superseded_by"] is None and said:
            self._store.run("memories.end_at", id=old, until=until, at=now)
        self._end_anew(old)
        return said > 0 or own["superseded_by"] == new

    def settle_contradiction(self, first: int, second: int, how: Resolution) -> None:
        """Settle an open contradiction of two memories, in the order of their ids."""
        a, b = sorted((first, second))
        self._store.run(
            "memories.settle_contradiction",
            memory_a=a,
            memory_b=b,
            resolution=how,
            at=self._store.now(),
        )

    def reconcile(self, first: int, second: int) -> None:
        """Take an open contradiction for none: both memories hold."""
        a, b = sorted((first, second))
        self.settle_contradiction(a, b, Resolution.BOTH_VALID)
        self._store.run("memories.delete_edge", src=a, dst=b, kind=EdgeKind.CONTRADICTS)

    def is_over(self, number: int) -> bool:
        """Whether another memory has taken the place of this one."""
        own, now = self.span(number), self._store.now()
        if own["superseded_by"] is not None:
            return True
        ends = {at for _, at, _ in self._store.all("memories.endings", id=number) if at <= now}
        return own["valid_to"] in ends

    def release(self, number: int) -> None:
        """Give a memory back its place and the end it had before another took it."""
        own, now = self.span(number), self._store.now()
        until = self._own_end(number, own["valid_to"])
        self._store.run("memories.drop_endings", id=number, until=now)
        self._store.run("memories.set_superseded", id=number, by=None, until=until, at=now)
        if (other := own["superseded_by"]) is not None:
            a, b = sorted((number, other))
            self._store.run("memories.reopen_contradiction", memory_a=a, memory_b=b)
            self._store.run("memories.drop_verdict", memory_a=a, memory_b=b)
        self._end_anew(number)

    def let_go(self, number: int) -> None:
        """Forget who took the place of a memory; it stays as it is, without an end made by it."""
        until = self._own_end(number, self.span(number)["valid_to"])
        self._store.run("memories.orphan", id=number, until=until)

    def renew(self, number: int) -> None:
        """End what a memory replaces when it comes to hold, which has changed."""
        now = self._store.now()
        if self.span(number)["start"] > now:
            for (old,) in self._store.all("memories.superseded_by", id=number):
                self._store.run(
                    "memories.set_superseded",
                    id=old,
                    by=None,
                    until=self._own_end(old, self.span(old)["valid_to"]),
                    at=now,
                )
        for old in self._planned(number):
            self.retire(old, number)

    def planned(self, number: int) -> list[int]:
        """Return what a memory that does not hold yet is going to replace."""
        return self._planned(number) if self.span(number)["start"] > self._store.now() else []

    def end_anew(self, numbers: list[int]) -> None:
        """Let memories end when a replacement that still stands comes to hold, or as given."""
        for number in numbers:
            self._end_anew(number)

    def contradict(
        self,
        older: int,
        newer: int,
        *,
        origin: Origin,
        note: str | None,
        proposed: Resolution | None = None,
    ) -> None:
        """Note that two memories, the lower id first, cannot both be true, and which of them wins
        by what they say themselves, if they do."""
        now = self._store.now()
        self._store.run(
            "memories.add_contradiction",
            memory_a=older,
            memory_b=newer,
            at=now,
            origin=origin,
            note=note,
            proposed=proposed,
        )
        self._join(older, newer, EdgeKind.CONTRADICTS, now)

    def doubt(self, number: int, successor: int) -> None:
        """Note that a statement was made again after it was replaced: it and what stands in its
        place now cannot both be true, and somebody has to say which is."""
        seen = {number}
        while successor not in seen:
            seen.add(successor)
            own = self.span(successor)
            if own["superseded_by"] is None:
                if own["active"]:
                    a, b = sorted((number, successor))
                    note = "said again after it was replaced"
                    self.contradict(a, b, origin=Origin.RESTATED, note=note)
                return
            successor = own["superseded_by"]

    def span(self, number: int) -> Span:
        """Return what a memory states under a key, and from when to when."""
        return self._store.records("memories.span", id=number, now=self._store.now())[0]

    # -- internals

    def _planned(self, number: int) -> list[int]:
        rows = self._store.all("memories.planned", id=number, now=self._store.now())
        return [old for (old,) in rows]

    def _end_anew(self, number: int) -> None:
        now, valid_to = self._store.now(), self.span(number)["valid_to"]
        ends = [
            at for _, at, stands in self._store.all("memories.endings", id=number)
            if stands and at > now
        ]  # fmt: skip
        if (own := self._own_end(number, valid_to)) is not None:
            ends.append(own)
        if (until := min(ends, default=None)) != valid_to:
            self._store.run("memories.end_at", id=number, until=until, at=now)

    def _own_end(self, number: int, valid_to: str | None) -> str | None:
        """Return the end that a memory was given, apart from those that replacements made."""
        made = {at for _, at, _ in self._store.all("memories.endings", id=number)}
        if valid_to is None or valid_to not in made:
            return valid_to
        end: str | None = self._store.value("memories.given_end", id=number)
        return end

    def _date(self, new: int, old: int, at: str) -> None:
        self._store.run("memories.delete_edge", src=new, dst=old, kind=EdgeKind.SUPERSEDES)
        self._join(new, old, EdgeKind.SUPERSEDES, at)

    def _join(self, src: int, dst: int, kind: EdgeKind, at: str) -> None:
        weight = EDGE_WEIGHTS[kind]
        self._store.run("memories.add_edge", src=src, dst=dst, kind=kind, weight=weight, at=at)

    def _others(self, own: Span) -> list[dict[str, Any]]:
        """Return other current memories of the same keyed fact, newest first."""
        rows = self._store.records(
            "memories.find_current_fact",
            project=own["project"],
            scope=own["scope"],
            session=own["session_id"] if own["scope"] == Scope.SESSION else None,
            task=own["task_id"] if own["scope"] == Scope.TASK else None,
            key=fact_form(own["key"]),
            qualifier=None if own["qualifier"] is None else fact_form(own["qualifier"]),
            now=self._store.now(),
        )
        return [other for other in rows if other["id"] != own["id"]]


def _holds(other: Span, since: str) -> bool:
    begun = bool(other["start"] <= since)
    return begun and (other["valid_to"] is None or bool(other["valid_to"] > since))


# --- Merging of two memories that say the same: what hangs on one reaches the other.

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

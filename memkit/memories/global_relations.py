"""Relations of a file's memories to global ones, which lie in a file of their own.

They are kept on the side of the project, as settings of its file: what a project narrows, replaces
or doubts holds for everybody who uses that file, and changes nothing for another project.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from ..frozen import frozen
from .identity import fact_form
from .records import (
    EDGE_WEIGHTS,
    Contradiction,
    Decider,
    Edge,
    EdgeKind,
    Memory,
    Origin,
    PairVerdict,
    Resolution,
)

if TYPE_CHECKING:
    from ..store.store import Store
    from .pair_detection import ComparedPair, PairDetector, PairJudgement

# What the names of these settings begin with.
_PREFIX = "global."


@frozen
class GlobalRelation:
    """A relation of a memory of this file to a global one.

    Attributes:
        own: the one that lies here. since: from when on it holds, UTC. origin, proposed: who noted
            a contradiction, and which of the two wins by what they say themselves.
        stands: whether it, or what replaced it, still holds.
    """

    own: int
    src: int
    dst: int
    kind: EdgeKind = attrs.field(converter=EdgeKind)
    weight: float
    note: str | None
    resolution: Resolution | None = attrs.field(converter=attrs.converters.optional(Resolution))
    resolved_at: str | None
    created_at: str
    origin: Origin = attrs.field(converter=Origin)
    proposed: Resolution | None = attrs.field(converter=attrs.converters.optional(Resolution))
    since: str
    stands: bool = attrs.field(converter=bool)

    @property
    def edge(self) -> Edge:
        """The same as an edge."""
        return Edge(self.src, self.dst, self.kind, self.weight, self.created_at)

    @property
    def is_open(self) -> bool:
        """Whether it is a contradiction that is not settled."""
        return self.kind is EdgeKind.CONTRADICTS and self.resolution is None

    @property
    def contradiction(self) -> Contradiction:
        """The same as a contradiction."""
        a, b = sorted((self.src, self.dst))
        return Contradiction(
            a,
            b,
            self.created_at,
            self.resolved_at,
            self.resolution,
            self.note,
            self.origin,
            self.proposed,
            decided_by=self.resolution and Decider.CALLER,
        )


class GlobalRelations:
    """Writer and reader of the relations of one file; what writes runs inside `write`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self) -> list[GlobalRelation]:
        """Return every relation of a memory that is there."""
        return [GlobalRelation(**row) for row in self._store.records("memories.global_relations")]

    def replaced(
        self, relations: Iterable[GlobalRelation] | None = None, *, at: str | None = None
    ) -> dict[int, int]:
        """Return the global memories that this file replaces, each with what stands for it: now, or
        at a moment (UTC, as stored); by all `relations`, where these were read already."""
        moment = at or self._store.now()
        return {
            relation.dst: relation.own
            for relation in (self.all() if relations is None else relations)
            if relation.kind is EdgeKind.SUPERSEDES and relation.stands and relation.since <= moment
        }

    def put(
        self,
        own: int,
        ends: tuple[int, int],
        kind: EdgeKind,
        *,
        weight: float | None = None,
        note: str | None = None,
        resolution: Resolution | None = None,
        origin: Origin = Origin.STATED,
        proposed: Resolution | None = None,
    ) -> None:
        """Note a relation from the first end to the second, one of which is `own`."""
        now = self._store.now()
        value = {
            "own": own,
            "src": ends[0],
            "dst": ends[1],
            "kind": kind,
            "weight": float(EDGE_WEIGHTS[kind] if weight is None else weight),
            "note": note,
            "resolution": resolution,
            "resolved_at": resolution and now,
            "origin": origin,
            "proposed": proposed,
            "at": now,
        }
        text = json.dumps(value, ensure_ascii=False)
        self._store.run("memories.set_global_relation", name=_name(ends, kind), value=text, at=now)

    def of(self, number: int) -> list[GlobalRelation]:
        """Return the relations of a memory, of this file or global."""
        return [relation for relation in self.all() if number in (relation.src, relation.dst)]

    def open_pairs(self, *, at: str | None = None) -> list[tuple[int, int]]:
        """Return the pairs that contradict each other and are not settled, those of global memories
        that this file replaces left out: all, or those noted by a moment (UTC, as stored)."""
        relations = self.all()
        pairs = [
            (relation.src, relation.dst)
            for relation in relations
            if relation.is_open and (at is None or relation.created_at <= at)
        ]
        replaced = self.replaced(relations, at=at).keys() if pairs else ()
        return [pair for pair in pairs if not set(pair).intersection(replaced)]

    def drop(self, ends: tuple[int, int], kind: EdgeKind) -> bool:
        """Take a relation back; return whether there was one."""
        return self._store.run("memories.drop_global_relation", name=_name(ends, kind)) > 0

    def as_seen_here(self, memories: Iterable[Memory]) -> list[Memory]:
        """Return global memories as they stand for this file: replaced by what it says instead."""
        replaced = self.replaced()
        return [_replaced(memory, replaced) for memory in memories]

    def standing_at(self, moment: str, memories: Iterable[Memory]) -> list[Memory]:
        """Return those of some global memories that this file did not replace at a moment (UTC, as
        stored)."""
        replaced = self.replaced(at=moment)
        return [memory for memory in memories if memory.id not in replaced]

    def nearer_facts(self, memories: Iterable[Memory], *, at: str | None) -> set[int]:
        """Return those of some global memories to whose key this file gives a value of its own, now
        or at a moment (UTC, as stored)."""
        names = {memory.id: fact_of(memory) for memory in memories if memory.key}
        if not names:
            return set()
        keys = json.dumps(sorted(set(names.values()), key=str))
        moments = {"now": self._store.now(), "as_of": at}
        nearer = set(self._store.all("memories.nearer_facts", keys=keys, **moments))
        return {number for number, fact in names.items() if fact in nearer}


def renumbered(row: Mapping[str, Any], number_of: Callable[[int], int]) -> dict[str, Any]:
    """Return a row of settings with the number that a memory of this file goes by now, if it is a
    relation of one; other rows as they are."""
    value = json.loads(row["value"]) if str(row["name"]).startswith(_PREFIX) else None
    if not isinstance(value, dict):
        return dict(row)
    own, src, dst = (value.get(name) for name in ("own", "src", "dst"))
    if not (isinstance(own, int) and isinstance(src, int) and isinstance(dst, int)):
        return dict(row)
    now = number_of(own)
    # The other end is numbered in a file of its own.
    src, dst = (now if end == own else end for end in (src, dst))
    moved = {**value, "own": now, "src": src, "dst": dst}
    text = json.dumps(moved, ensure_ascii=False)
    return {**row, "name": _name((src, dst), str(value.get("kind"))), "value": text}


def fact_of(memory: Memory) -> tuple[str, str | None]:
    """Return key and qualifier of a memory as they are compared."""
    qualifier = None if memory.qualifier is None else fact_form(memory.qualifier)
    return fact_form(memory.key or ""), qualifier


def _replaced(memory: Memory, replaced: Mapping[int, int]) -> Memory:
    if (successor := replaced.get(memory.id)) is None:
        return memory
    return attrs.evolve(memory, active=False, superseded_by=successor)


def _name(ends: tuple[int, int], kind: str) -> str:
    first, second = sorted(ends) if kind == EdgeKind.CONTRADICTS else ends
    return f"{_PREFIX}{kind}.{first}.{second}"


# --- Comparison of a file's memories with global ones: what each bears on in the other file.
#
# What is detected is noted on the side of the project, as whatever relates the two files is, and
# without the words of either: a project's file is committed, and what is global is its user's own.


class GlobalPairs:
    """Comparer of the memories of one file with global ones; what writes runs inside `write` of
    that file."""

    def __init__(
        self, relations: GlobalRelations, here: PairDetector, there: PairDetector, *, project: str
    ) -> None:
        """`here` looks at the memories of this file, `there` at the global ones."""
        self._relations = relations
        self._here = here
        self._there = there
        self._project = project

    def compare(self, numbers: Iterable[int], *, are_global: bool) -> None:
        """Hold memories of one of the two files against those of the other, and note what bears on
        what, unless the two were set beside each other before."""
        relations = self._relations.all()
        known = {frozenset((r.src, r.dst)) for r in relations}
        replaced = self._relations.replaced(relations).keys()
        for number in numbers:
            pairs = (
                self._there.pairs_across(number, self._here, project=self._project)
                if are_global
                else self._here.pairs_across(number, self._there)
            )
            for pair in pairs:
                ends = frozenset((pair.older, pair.newer))
                is_over = ends in known or not replaced.isdisjoint(ends)
                judgement = None if is_over else self._here.judge(pair)
                if judgement is not None:
                    (other,) = ends - {number}
                    self._note(other if are_global else number, pair, judgement)

    def doubt_anew(self, number: int) -> None:
        """Take back what was detected of a memory's former words, as far as the new ones are not at
        odds with the other's."""
        for relation in self._relations.of(number):
            if not relation.is_open or relation.origin is not Origin.DETECTED:
                continue
            ends = sorted((relation.src, relation.dst))
            texts = [self._here.text_of(end) or self._there.text_of(end) for end in ends]
            old, new = (text or "" for text in texts)
            if not self._here.are_at_odds(old, new):
                self._relations.drop((relation.src, relation.dst), EdgeKind.CONTRADICTS)

    def _note(self, own: int, pair: ComparedPair, judgement: PairJudgement) -> None:
        from .pair_detection import CONFLICTING  # who reads relations compares nothing

        if judgement.verdict is PairVerdict.DUPLICATE:
            weight = round(judgement.probability, 3)
            ends = (pair.newer, pair.older)
            self._relations.put(own, ends, EdgeKind.RELATES_TO, weight=weight)
        elif judgement.verdict in CONFLICTING:
            wins = Resolution.B_WINS if pair.older < pair.newer else Resolution.A_WINS
            is_update = judgement.verdict is PairVerdict.UPDATE
            self._relations.put(
                own,
                (pair.older, pair.newer),
                EdgeKind.CONTRADICTS,
                note=judgement.reason.partition(":")[0],
                origin=Origin.DETECTED,
                proposed=wins if is_update else None,
            )

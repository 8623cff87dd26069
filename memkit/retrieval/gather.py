"""From a question to the pool: legs, what anchors name, neighbours, one filter.

Every memory, whichever way it came, passes `hidden_by` before anything else looks at it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ..errors import StoreDamaged
from . import legs, naming
from .encoded import encoded
from .late import Likeness
from .matrix import Matrices
from .pool import MOST_OCCURRENCES, Member, Occurrences, Pool, rarity
from .question import Question, any_of
from .records import Facts, Recipe

if TYPE_CHECKING:
    from ..memories.indexing import Index
    from ..store.connection import Store

# How many each leg brings, and how many are ranked (half as many again of each find no more; 80
# candidates lose half a point of recall in long chats).
LEXICAL = 70
VECTORS = 50
CANDIDATES = 100
# First matches whose neighbours become candidates too.
FOLLOWED = 30
# Reciprocal rank fusion, 1/(FUSION + rank): it only decides who is ranked at all.
FUSION = 20
# From this size on, words too frequent to be counted are not searched for beside others:
# BM25 over 20,000 matching rows costs 20 ms and tells next to nothing.
LARGE = 10_000

HiddenBy = Callable[[Facts], str | None]


@attrs.frozen(eq=False)
class Gathered:
    """What was found.

    Attributes:
        pool: the candidates with their neighbours.
        likeness: late interaction of the memories in `order`, where their pieces are stored.
        has_vectors: whether any of them has a vector.
        hidden: the stage that kept a memory out, by id. notes: what was not possible.
    """

    pool: Pool
    likeness: Likeness | None
    has_vectors: bool
    order: tuple[int, ...]
    hidden: Mapping[int, str]
    notes: tuple[str, ...]

    def among(self, ids: Iterable[int]) -> Gathered:
        """Return the same with these candidates only; what surrounds them stays."""
        return attrs.evolve(self, pool=attrs.evolve(self.pool, candidates=tuple(ids)))


class Gathering:
    """One question being looked up in one store."""

    def __init__(
        self,
        store: Store,
        index: Index,
        question: Question,
        *,
        recipe: Recipe,
        hidden_by: HiddenBy,
        matrices: Matrices,
    ) -> None:
        self._store = store
        self._question = question
        self._recipe = recipe
        self._hidden_by = hidden_by
        self._facts: dict[int, Facts] = {}
        self._hidden: dict[int, str] = {}
        self._notes: list[str] = []
        self._size = int(store.value("retrieval.size"))
        matches = [term.match for term in question.terms]
        found = self._where([*matches, *question.phrases])
        self._words = [found[match] for match in matches]
        self._phrases = [found[match].ids for match in question.phrases if found[match].ids]
        self._rarity = tuple(
            rarity(one.count, size=self._size) * term.weight
            for one, term in zip(self._words, question.terms, strict=True)
        )
        self._encoded = encoded(
            store,
            index,
            question,
            rarity=self._rarity,
            rows=self._size,
            recipe=recipe,
            matrices=matrices,
            notes=self._notes,
        )

    def gather(self, *, inside: frozenset[int] | None = None) -> Gathered:
        """Return the pool; `inside` are the ids to stay inside, None for all."""
        lexical = self._lexical(inside)
        near = self._encoded.nearest(limit=VECTORS, inside=inside) if self._encoded else {}
        named, about = self._named(inside)
        found = self._fused(lexical, near, named)
        first = self._seen(found, most=FOLLOWED)
        edges = self._edges(first)
        beside = (n for n in _ends(edges) if inside is None or n in inside)
        found = self._seen([*first, *beside, *found], most=CANDIDATES)
        edges |= self._edges(found[len(first) :])
        order = self._seen([*found, *_ends(edges)])
        members = self._members(order, edges, lexical=lexical, near=near, named=named, about=about)
        # The turn after tells by its words and its direction; its pieces are not asked for.
        before = (before for before, after in edges.items() if after in members)
        compared = tuple(n for n in dict.fromkeys([*found, *before]) if n in members)
        pool = Pool(
            question=self._question,
            members=members,
            candidates=tuple(found),
            rarity=self._rarity,
            phrases=len(self._phrases),
        )
        return Gathered(
            pool=pool,
            likeness=self._encoded.likeness(compared) if self._encoded else None,
            has_vectors=any(member.cosine for member in members.values()),
            order=compared,
            hidden=self._hidden,
            notes=tuple(dict.fromkeys(self._notes)),
        )

    # -- legs

    def _where(self, matches: Iterable[str]) -> Mapping[str, Occurrences]:
        """Return where each FTS5 expression occurs; a name in code is a word and a phrase."""
        wanted = list(dict.fromkeys(matches))
        try:
            found = self._store.all(
                "retrieval.occurrences", matches=json.dumps(wanted), most=MOST_OCCURRENCES
            )
        except StoreDamaged as error:
            self._notes.append(f"no words: {error}")
            return dict.fromkeys(wanted, Occurrences(0))
        return {match: Occurrences.of(ids) for match, (ids,) in zip(wanted, found, strict=True)}

    def _named(self, inside: frozenset[int] | None) -> tuple[dict[int, float], set[int]]:
        """Return what the question names, and what of it by a path; words that occur nowhere may be
        misspelt names."""
        if not self._recipe.anchors:
            return {}, set()
        pairs = zip(self._question.terms, self._words, strict=True)
        unknown = [term.word for term, where in pairs if not where.count]
        found = naming.named(self._store, self._question, size=self._size, fuzzy=unknown)
        about = naming.about(self._store, self._question, size=self._size)
        by_path = {n for n, worth in about.items() if worth >= found.get(n, 0.0)}
        found |= {n: about[n] for n in by_path}
        return {n: w for n, w in found.items() if inside is None or n in inside}, by_path

    def _lexical(self, inside: frozenset[int] | None) -> dict[int, float]:
        """Return BM25 by id, larger is better; damage to the index leaves the leg out."""
        if not self._recipe.lexical:
            return {}
        terms = list(zip(self._question.terms, self._words, strict=True))
        known = [(term, where) for term, where in terms if where.count]
        if self._size >= LARGE:
            rare = [pair for pair in known if pair[1].count < MOST_OCCURRENCES]
            known = rare or known
        match = any_of([term.match for term, _ in known])
        within = None if inside is None else json.dumps(sorted(inside))
        try:
            return legs.lexical(self._store, match, limit=LEXICAL, within=within)
        except StoreDamaged as error:
            self._notes.append(f"no words: {error}")
            return {}

    def _fused(
        self, lexical: Mapping[int, float], near: Mapping[int, float], named: Mapping[int, float]
    ) -> list[int]:
        """Return the ids of all legs, best first."""
        score: dict[int, float] = {}
        for leg in (lexical, near, named):
            for rank, number in enumerate(sorted(leg, key=lambda n: (-leg[n], n))):
                score[number] = score.get(number, 0.0) + 1 / (FUSION + rank)
        return sorted(score, key=lambda n: (-score[n], n))

    # -- rows

    def _seen(self, ids: Iterable[int], *, most: int | None = None) -> list[int]:
        """Return those of the ids that may be shown, in their order, the first `most` of them.

        What lies beyond is looked at only if some before it may not be shown.
        """
        wanted = list(dict.fromkeys(ids))
        self._look_at(wanted[:most])
        seen = [number for number in wanted[:most] if number in self._facts]
        if most is not None and len(seen) < most < len(wanted):
            self._look_at(wanted[most:])
            seen = [number for number in wanted if number in self._facts][:most]
        return seen

    def _look_at(self, ids: Iterable[int]) -> None:
        fresh = [n for n in ids if n not in self._facts and n not in self._hidden]
        # In order: neighbouring rows lie on one page of the file.
        wanted = json.dumps(sorted(fresh))
        rows = self._store.all("retrieval.facts", ids=wanted) if fresh else ()
        for facts in map(Facts._make, rows):
            stage = self._hidden_by(facts)
            if stage is None:
                self._facts[facts.id] = facts
            else:
                self._hidden[facts.id] = stage

    def _edges(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the `next` edges that touch these memories, before → after."""
        if not ids or not self._recipe.neighbours:
            return {}
        return legs.neighbours(self._store, ids)

    def _members(
        self,
        order: Sequence[int],
        edges: Mapping[int, int],
        *,
        lexical: Mapping[int, float],
        near: Mapping[int, float],
        named: Mapping[int, float],
        about: Collection[int],
    ) -> dict[int, Member]:
        rest = [number for number in order if number not in near]
        cosines = {**(self._encoded.cosines(rest) if self._encoded else {}), **near}
        before = {after: number for number, after in edges.items()}
        wanted = {str(number): number for number in order}
        terms, phrases = _counted(wanted, self._words), _tallied(wanted, self._phrases)
        # By position: by name it takes twice as long.
        return {
            number: Member(
                self._facts[number],
                lexical.get(number, 0.0),
                cosines.get(number, 0.0),
                terms.get(number, 0),
                phrases.get(number, 0),
                named.get(number, 0.0),
                number in about,
                before.get(number),
                edges.get(number),
            )
            for number in order
        }


def _ends(edges: Mapping[int, int]) -> list[int]:
    return list(dict.fromkeys([*edges, *edges.values()]))


def _counted(wanted: Mapping[str, int], words: Sequence[Occurrences]) -> dict[int, int]:
    """Return for each wanted id the set of words that it holds, as bits."""
    terms: dict[int, int] = {}
    for place, where in enumerate(words):
        for text in wanted.keys() & where.ids:
            number = wanted[text]
            terms[number] = terms.get(number, 0) | 1 << place
    return terms


def _tallied(wanted: Mapping[str, int], phrases: Sequence[Sequence[str]]) -> Mapping[int, int]:
    return Counter(wanted[text] for ids in phrases for text in wanted.keys() & ids)

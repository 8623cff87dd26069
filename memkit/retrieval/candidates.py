"""Candidate generator: the memories that may answer a query, before they are ranked.

Frozen records and plain look-ups: ranking reads a `CandidatePool` and nothing else.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from ..encoder import is_contextual, quantize, sign_bits
from ..encoder.protocol import unit
from ..errors import EncoderError, StoreDamaged
from ..frozen import frozen
from ..memories.search_document import NUMBER, TIME
from ..store import timestamps
from . import entity_match, spelling
from .late_interaction import Likeness, Matrices, Matrix, Pieces, likeness, pieces
from .query import RecallQuery, any_of
from .records import Facts, RetrievalConfig
from .time_evidence import dates_named, stored_bounds

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..encoder.protocol import Vector
    from ..memories.search_index import Index
    from ..store.store import Store
    from ..store.time_ranges import TimeRange


# Occurrences of a word from this on are neither counted nor looked up: such a word tells little.
MAX_OCCURRENCES = 1_000
# A store of fewer memories says nothing about how rare words are: it is taken for one of so many.
SMALLEST = 10


class Candidate(NamedTuple):
    """One memory of the pool (a tuple, as `Facts`).

    Attributes:
        bm25: of the whole question, 0 where full-text search did not return it; cosine likewise.
        terms: bit i is set if it contains the question's word i. phrases: how many it contains.
        named: 0 to 1, how telling the tag, key or path is by which the question names it.
        by_path: whether that is a path, whose words need not stand in the memory's text.
        before, after: its neighbours by `next` edges.
    """

    facts: Facts
    bm25: float = 0.0
    cosine: float = 0.0
    terms: int = 0
    phrases: int = 0
    named: float = 0.0
    by_path: bool = False
    before: int | None = None
    after: int | None = None

    @property
    def id(self) -> int:
        """The memory's id."""
        return self.facts.id


@frozen
class CandidatePool:
    """Candidates and their neighbours, with how rare the question's words are in this store.

    Attributes:
        members: every memory that is looked at, by id. candidates: those that are ranked.
        rarity: weight of each of the question's words.
        occurring: those that occur anywhere, as bits.
        phrases: how many of the question's phrases occur anywhere.
        dates: the times that candidates name, where the question names one.
    """

    question: RecallQuery
    members: Mapping[int, Candidate]
    candidates: Sequence[int]
    rarity: tuple[float, ...]
    occurring: int = 0
    phrases: int = 0
    dates: Mapping[int, Sequence[TimeRange]] = attrs.field(factory=dict)


@frozen
class Occurrences:
    """Where a word or phrase occurs.

    Attributes:
        count: in how many memories, at most MAX_OCCURRENCES.
        ids: in which, as text, since most are only counted, and numbers take three times as long
            to read; none of what is so frequent that it says next to nothing of any of them.
    """

    count: int
    ids: Sequence[str] = ()

    @classmethod
    def of(cls, joined: str | None) -> Occurrences:
        """Return what `retrieval.occurrences` found."""
        if joined is None:
            return cls(0)
        ids = joined.split(",") if joined else ()
        return cls(len(ids) or MAX_OCCURRENCES, ids)


def rarity(count: int, *, size: int) -> float:
    """Return how telling a word is that occurs in `count` of `size` memories.

    `ln(1 + (size - count + ½) / (2·(count + ½)))`: as BM25's, yet never 0 or less; at least
    SMALLEST memories are assumed.
    """
    size = max(size, SMALLEST)
    return math.log(1 + (max(size - count, 0) + 0.5) / (2 * (count + 0.5)))


# Vectors that are all compared exactly; beyond, sign bits make a first cut
# (measured: 8 µs a row exact, 0.1 µs a row by bits).
EXACT_ROWS = 1_000
# Chunks kept by the first cut, per memory wanted (bench/latency prints what it costs).
FIRST_CUT = 10


def lexical(store: Store, match: str, *, limit: int, within: str | None = None) -> dict[int, float]:
    """Return the BM25, larger is better, of the memories whose words match, best first.

    `match` is an FTS5 expression made by `question`; `within` a JSON list of ids to stay inside.
    """
    if not match:
        return {}
    if within is None:
        rows = store.all("retrieval.lexical", match=match, limit=limit)
    else:
        rows = store.all("retrieval.lexical_within", match=match, limit=limit, ids=within)
    return {memory_id: -score for memory_id, score in rows}


def nearest(
    store: Store, vector: Vector, *, model_id: int, rows: int, limit: int, within: str | None = None
) -> list[tuple[int, float]]:
    """Return (id, cosine similarity) of the memories nearest to a unit vector, best first.

    `model_id` is the encoder's number, `rows` how many vectors it has; they decide between the
    exact way and the first cut on sign bits. `within` is a JSON list of ids to stay inside.
    """
    query = quantize(vector)
    if within is not None:
        neighbours = store.all(
            "retrieval.nearest_within", query=query, model_id=model_id, limit=limit, ids=within
        )
    elif rows <= EXACT_ROWS:
        neighbours = store.all("retrieval.nearest", query=query, model_id=model_id, limit=limit)
    else:
        neighbours = store.all(
            "retrieval.nearest_by_bits",
            query=query,
            bits=sign_bits(vector),
            model_id=model_id,
            first_cut=limit * FIRST_CUT,
            limit=limit,
        )
    return [(memory_id, 1.0 - distance) for memory_id, distance in neighbours]


def similarities(
    store: Store, vector: Vector, *, model_id: int, ids: Iterable[int]
) -> dict[int, float]:
    """Return the cosine similarity of given memories to a unit vector."""
    rows = store.all(
        "retrieval.distances", query=quantize(vector), model_id=model_id, ids=json.dumps(list(ids))
    )
    return {memory_id: 1.0 - distance for memory_id, distance in rows}


def neighbours(store: Store, ids: Sequence[int]) -> dict[int, int]:
    """Return the `next` edges that touch any of these memories, before → after."""
    return dict(sorted(store.all("retrieval.neighbours", ids=json.dumps(sorted(ids)))))


@frozen(eq=False)
class EncodedQuery:
    """One question in one store's vector space.

    Attributes:
        model_id: the encoder's number in this file. rows: how many memories there are.
        vectors: of each clause, the whole question first; None where it has none.
        pieces: for late interaction. notes: takes what failed.
    """

    store: Store
    encoder: Encoder
    model_id: int
    rows: int
    vectors: Sequence[Vector | None]
    pieces: Pieces | None
    matrix: Matrix | None
    notes: list[str]

    def nearest(
        self, clause: int, *, limit: int, inside: frozenset[int] | None
    ) -> dict[int, float]:
        """Return the cosine similarity of the memories nearest to a clause, or of those among some
        ids."""
        vector = self.vectors[clause]
        if vector is None:
            return {}
        if self.matrix is not None:
            return self.matrix.nearest(vector, limit=limit, within=inside)
        within = None if inside is None else json.dumps(sorted(inside))
        try:
            neighbours = nearest(
                self.store,
                vector,
                model_id=self.model_id,
                rows=self.rows,
                limit=limit,
                within=within,
            )
        except StoreDamaged as error:
            self.notes.append(f"no vectors: {error}")
            return {}
        return dict(neighbours)

    def cosines(self, clause: int, ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine similarity of given memories to a clause, where they have vectors."""
        vector = self.vectors[clause]
        if vector is None or not ids:
            return {}
        if self.matrix is not None:
            return self.matrix.similarities(vector, ids)
        try:
            return similarities(self.store, vector, model_id=self.model_id, ids=ids)
        except StoreDamaged as error:
            self.notes.append(f"no vectors: {error}")
            return {}

    def likeness(self, ids: Sequence[int]) -> Likeness | None:
        """Return the late interaction with given memories, or None if none shows its pieces."""
        if self.pieces is None:
            return None
        try:
            blobs = self._pieces_of(ids)
            stored = [blobs.get(memory_id, b"") for memory_id in ids]
            if not any(stored):
                return None
            return likeness(self.encoder, self.pieces, stored)
        except (EncoderError, StoreDamaged, ValueError) as error:
            self.notes.append(f"no late interaction: {error}")
            return None

    def _pieces_of(self, ids: Sequence[int]) -> Mapping[int, bytes]:
        blobs = {} if self.matrix is None else self.matrix.pieces
        if fresh := sorted(memory_id for memory_id in ids if memory_id not in blobs):
            rows = self.store.all("retrieval.tokens", ids=json.dumps(fresh), model_id=self.model_id)
            blobs.update(rows)
        return blobs


def encoded(
    store: Store,
    index: Index,
    question: RecallQuery,
    *,
    rarity: Sequence[float],
    rows: int,
    config: RetrievalConfig,
    matrices: Matrices,
    notes: list[str],
) -> EncodedQuery | None:
    """Return a question in the store's vector space, or None with a note if it has none.

    `rarity` is how telling each of the question's words is; `notes` takes what is not possible.
    """
    tells = any(term.is_for_vectors for term in question.terms)
    if not (config.vectors or config.late_interaction) or not tells:
        return None
    try:
        encoder = index.encoder()
        if encoder is None or store.vector_note:
            notes.extend(note for note in (index.encoder_note, store.vector_note) if note)
            return None
        model = index.model_id_and_changes()
        if model is None:
            if rows:
                notes.append(
                    f"no vectors of {encoder.name} here yet; 'memkit check --repair', or "
                    "kit.reembed(), makes them"
                )
            return None
        weights = {
            term.word: weight if term.is_for_vectors else 0.0
            for term, weight in zip(question.terms, rarity, strict=True)
        }
        clauses = [clause.terms for clause in question.clauses]
        vectors: list[Vector | None] = [None] * len(clauses)
        if config.vectors:
            vectors = [_rounded(vector) for vector in _clause_vectors(encoder, question, weights)]
        looked_for = pieces(encoder, weights, clauses) if config.late_interaction else None
    except (EncoderError, ImportError) as error:
        notes.append(f"no vectors: {error}")
        return None
    matrix = None if vectors[0] is None else matrices.get(*model, rows=rows)
    return EncodedQuery(store, encoder, model[0], rows, vectors, looked_for, matrix, notes)


def _rounded(vector: Vector | None) -> Vector | None:
    """Return a unit vector as SQL would see it, so that both ways of comparing give the same."""
    import numpy as np

    if vector is None or unit(vector) is None:  # a user's encoder may give what is no number
        return None
    whole = np.frombuffer(quantize(vector), np.int8).astype(np.float32)
    rounded: Vector = whole / np.float32(np.linalg.norm(whole))
    return rounded


def _clause_vectors(
    encoder: Encoder, question: RecallQuery, weights: Mapping[str, float]
) -> list[Vector | None]:
    """Return a vector for each clause: its words weighted by how telling they are, or that of its
    text where words tell in their context only or the encoder does not show its tokens."""
    tokens = [] if is_contextual(encoder) else encoder.tokenize(list(weights))
    if any(tokens):
        return list(_pooled(encoder, question, list(zip(tokens, weights.values(), strict=True))))
    return [made.vector for made in encoder.embed([clause.text for clause in question.clauses])]


def _pooled(
    encoder: Encoder, question: RecallQuery, words: Sequence[tuple[Sequence[int], float]]
) -> Iterator[Vector | None]:
    """Yield the vector of each clause from the token ids and weight of each of the words."""
    for clause in question.clauses:
        by_id: dict[int, float] = {}
        for at, (ids, weight) in enumerate(words):
            if weight and clause.terms >> at & 1:
                for memory_id in ids:
                    by_id.setdefault(memory_id, weight)
        yield encoder.pool(list(by_id), weights=by_id) if by_id else None


# How many each leg brings, and how many are ranked (half as many again of each find no more; 80
# candidates lose half a point of recall in long chats).
LEXICAL = 70
VECTORS = 50
CANDIDATES = 100
# Words of a long question that are searched together: the rarest.
SEARCHED = 32
# How many each clause of a longer question brings.
OF_CLAUSE = 20
# How many a named time brings, where at most so many words of the question tell anything.
IN_TIME = 50
SHORT_QUERY_TERMS = 2
# First matches whose neighbours become candidates too.
FOLLOWED = 30
# Reciprocal rank fusion, 1/(FUSION + rank): it only decides who is ranked at all.
FUSION = 20
# From this size on, words too frequent to be counted are not searched for beside others:
# BM25 over 20,000 matching rows costs 20 ms and tells next to nothing.
LARGE = 10_000

ExcludedAt = Callable[[Facts], str | None]


@frozen(eq=False)
class Candidates:
    """What was found.

    Attributes:
        pool: the candidates with their neighbours.
        likeness: late interaction of the memories in `order`, where their pieces are stored.
        cosines: similarity of the candidates to each part of a longer question, by id.
        has_vectors: whether any of them has a vector.
        is_contextual: whether vectors are of texts, not of words that stand by themselves.
        hidden: the stage that kept a memory out, by id. notes: what was not possible.
    """

    pool: CandidatePool
    likeness: Likeness | None
    cosines: tuple[Mapping[int, float], ...]
    has_vectors: bool
    order: tuple[int, ...]
    hidden: Mapping[int, str]
    notes: tuple[str, ...]
    is_contextual: bool = False

    def among(self, ids: Iterable[int]) -> Candidates:
        """Return the same with these candidates only; what surrounds them stays."""
        return attrs.evolve(self, pool=attrs.evolve(self.pool, candidates=tuple(ids)))


class CandidateGenerator:
    """One question being looked up in one store."""

    def __init__(
        self,
        store: Store,
        index: Index,
        question: RecallQuery,
        *,
        config: RetrievalConfig,
        excluded_at: ExcludedAt,
        matrices: Matrices,
        speller: spelling.Speller,
    ) -> None:
        self._store = store
        self._config = config
        self._excluded_at = excluded_at
        self._facts: dict[int, Facts] = {}
        self._hidden: dict[int, str] = {}
        self._notes: list[str] = []
        self._size = int(store.value("retrieval.size"))
        self._occurrences: dict[str, Occurrences] = {}
        respelling = spelling.respelt(question, self._counts, speller)
        self._exact = self._in_capitals(respelling.question)
        self._question = question = spelling.without_missing_names(
            respelling.question, {word for word, ids in self._exact.items() if not ids}
        )
        self._notes += respelling.notes
        matches = [term.match for term in question.terms]
        occurrences = self._where([*matches, *question.phrases])
        self._words = [
            occurrences[term.match]
            if term.exact is None
            else Occurrences.of(",".join(map(str, self._exact[term.word])) or None)
            for term in question.terms
        ]
        self._phrases = [
            occurrences[match].ids for match in question.phrases if occurrences[match].ids
        ]
        self._rarity = tuple(
            rarity(where.count, size=self._size) * term.weight
            for where, term in zip(self._words, question.terms, strict=True)
        )
        self._encoded = encoded(
            store,
            index,
            question,
            rarity=self._rarity,
            rows=self._size,
            config=config,
            matrices=matrices,
            notes=self._notes,
        )

    def gather(self, *, inside: frozenset[int] | None = None) -> Candidates:
        """Return the pool; `inside` are the ids to stay inside, None for all."""
        lexical = self._lexical(inside)
        nearest = self._nearest(inside)
        near = nearest[0]
        named, about = self._named(inside)
        candidates = self._fused(lexical, *nearest, named, self._in_time(inside))
        first = self._seen(candidates, limit=FOLLOWED)
        edges = self._edges(first)
        neighbours = (n for n in _ends(edges) if inside is None or n in inside)
        candidates = self._seen([*first, *neighbours, *candidates], limit=CANDIDATES)
        edges |= self._edges(candidates[len(first) :])
        order = self._seen([*candidates, *_ends(edges)])
        members = self._members(order, edges, lexical=lexical, near=near, named=named, about=about)
        # The turn after tells by its words and its direction; its pieces are not asked for.
        before = (before for before, after in edges.items() if after in members)
        compared = tuple(n for n in dict.fromkeys([*candidates, *before]) if n in members)
        pool = CandidatePool(
            question=self._question,
            members=members,
            candidates=tuple(candidates),
            rarity=self._rarity,
            occurring=sum(1 << at for at, where in enumerate(self._words) if where.count),
            phrases=len(self._phrases),
            dates=self._dates(candidates) if self._question.time_ranges else {},
        )
        return Candidates(
            pool=pool,
            likeness=self._encoded.likeness(compared) if self._encoded else None,
            cosines=self._of_clauses(candidates),
            has_vectors=any(member.cosine for member in members.values()),
            order=compared,
            hidden=self._hidden,
            notes=tuple(dict.fromkeys(self._notes)),
            is_contextual=self._encoded is not None and is_contextual(self._encoded.encoder),
        )

    def order(self, *, limit: int, inside: frozenset[int] | None) -> list[int]:
        """Return up to `limit` ids by the places that the legs give them: a cheap order, for who
        asks for more than are ranked."""
        near = self._encoded.nearest(0, limit=limit, inside=inside) if self._encoded else {}
        named, _ = self._named(inside)
        return self._fused(self._lexical(inside, limit=limit), near, named)[:limit]

    # -- legs

    def _of_clauses(self, ids: Sequence[int]) -> tuple[Mapping[int, float], ...]:
        """Return the cosine similarity of the candidates to each part of a longer question."""
        clauses = range(1, len(self._question.clauses))
        if self._encoded is None:
            return ({},) * len(clauses)
        return tuple(self._encoded.cosines(clause, ids) for clause in clauses)

    def _in_capitals(self, question: RecallQuery) -> dict[str, list[int]]:
        """Return the memories of each name in capitals that full-text search cannot tell from a
        function word."""
        holders: dict[str, list[int]] = {}
        for term in question.terms:
            if term.exact is not None:
                holders[term.word] = spelling.in_capitals(self._store, term.match, term.exact)
        return holders

    def _counts(self, matches: Sequence[str]) -> Mapping[str, int]:
        """Return in how many memories each FTS5 expression occurs."""
        return {match: where.count for match, where in self._where(matches).items()}

    def _where(self, matches: Iterable[str]) -> Mapping[str, Occurrences]:
        """Return where each FTS5 expression occurs; a name in code is a word and a phrase."""
        known = self._occurrences
        missing = list(dict.fromkeys(match for match in matches if match not in known))
        try:
            rows = self._store.all(
                "retrieval.occurrences", matches=json.dumps(missing), max_count=MAX_OCCURRENCES
            )
        except StoreDamaged as error:
            self._notes.append(f"no words: {error}")
            known |= dict.fromkeys(missing, Occurrences(0))
            return known
        known |= {m: Occurrences.of(ids) for m, (ids,) in zip(missing, rows, strict=True)}
        return known

    def _named(self, inside: frozenset[int] | None) -> tuple[dict[int, float], set[int]]:
        """Return what the question names, and what of it by a path; words that occur nowhere may be
        misspelt names."""
        if not self._config.anchors:
            return {}, set()
        pairs = zip(self._question.terms, self._words, strict=True)
        unknown = [term.word for term, where in pairs if not where.count]
        worths = entity_match.named(self._store, self._question, size=self._size, fuzzy=unknown)
        about = entity_match.about(self._store, self._question, size=self._size)
        by_path = {n for n, worth in about.items() if worth >= worths.get(n, 0.0)}
        worths |= {n: about[n] for n in by_path}
        return {n: w for n, w in worths.items() if inside is None or n in inside}, by_path

    def _lexical(self, inside: frozenset[int] | None, *, limit: int = LEXICAL) -> dict[int, float]:
        """Return BM25 by id, larger is better; damage to the index leaves the leg out."""
        if not self._config.lexical:
            return {}
        terms = list(zip(self._question.terms, self._words, strict=True))
        known = [(term, where) for term, where in terms if where.count and not term.exact]
        if self._size >= LARGE:
            rare = [pair for pair in known if pair[1].count < MAX_OCCURRENCES]
            known = rare or known
        known = sorted(known, key=lambda pair: pair[1].count)[:SEARCHED]
        match = any_of([term.match for term, _ in known])
        within = None if inside is None else json.dumps(sorted(inside))
        try:
            scores = lexical(self._store, match, limit=limit, within=within)
            return self._with_exact(scores, inside)
        except StoreDamaged as error:
            self._notes.append(f"no words: {error}")
            return {}

    def _with_exact(
        self, scores: dict[int, float], inside: frozenset[int] | None
    ) -> dict[int, float]:
        """Return the same with the memories of names in capitals, by how much these weigh."""
        for term in self._question.terms:
            ids = [n for n in self._exact.get(term.word, ()) if inside is None or n in inside]
            weight = rarity(len(ids), size=self._size)
            for memory_id in ids[:LEXICAL]:
                scores[memory_id] = scores.get(memory_id, 0.0) + weight
        return scores

    def _nearest(self, inside: frozenset[int] | None) -> list[dict[int, float]]:
        """Return cosine similarity by id: of the memories nearest to the question, then to each of
        its clauses."""
        encoded = self._encoded
        if encoded is None:
            return [{}]
        return [
            encoded.nearest(clause, limit=OF_CLAUSE if clause else VECTORS, inside=inside)
            for clause in range(len(encoded.vectors))
        ]

    def _in_time(self, inside: frozenset[int] | None) -> dict[int, float]:
        """Return what was said in the times that the question names, newest first, where few words
        are left to look for: larger is newer."""
        question = self._question
        if (
            not question.time_ranges
            or sum(term.weight == 1 for term in question.terms) > SHORT_QUERY_TERMS
        ):
            return {}
        within = None if inside is None else json.dumps(sorted(inside))
        times: dict[int, float] = {}
        for time_range in question.time_ranges:
            first, end = stored_bounds(time_range)
            for memory_id, created in self._store.all(
                "retrieval.said_between", first=first, end=end, limit=IN_TIME, ids=within
            ):
                times[memory_id] = timestamps.to_epoch(created)
        return times

    def _dates(self, ids: Sequence[int]) -> dict[int, Sequence[TimeRange]]:
        """Return the times that the texts of memories name, reckoned from when they were said."""
        dated = [n for n in ids if self._facts[n].marks & (TIME | NUMBER)]
        bodies = self._store.all("retrieval.bodies", ids=json.dumps(dated)) if dated else ()
        return {n: dates_named(body, self._facts[n].created_at) for n, body in bodies}

    def _fused(self, *legs: Mapping[int, float]) -> list[int]:
        """Return the ids of all legs, best first."""
        score: dict[int, float] = {}
        for leg in legs:
            for rank, memory_id in enumerate(sorted(leg, key=lambda n: (-leg[n], n))):
                score[memory_id] = score.get(memory_id, 0.0) + 1 / (FUSION + rank)
        return sorted(score, key=lambda n: (-score[n], n))

    # -- rows

    def _seen(self, ids: Iterable[int], *, limit: int | None = None) -> list[int]:
        """Return those of the ids that may be shown, in their order, the first `limit` of them.

        What lies beyond is looked at only if some before it may not be shown.
        """
        candidates = list(dict.fromkeys(ids))
        self._look_at(candidates[:limit])
        seen = [memory_id for memory_id in candidates[:limit] if memory_id in self._facts]
        if limit is not None and len(seen) < limit < len(candidates):
            self._look_at(candidates[limit:])
            seen = [memory_id for memory_id in candidates if memory_id in self._facts][:limit]
        return seen

    def _look_at(self, ids: Iterable[int]) -> None:
        fresh = [n for n in ids if n not in self._facts and n not in self._hidden]
        # In order: neighbouring rows lie on one page of the file.
        memory_ids = json.dumps(sorted(fresh))
        rows = self._store.all("retrieval.facts", ids=memory_ids) if fresh else ()
        for facts in map(Facts._make, rows):
            stage = self._excluded_at(facts)
            if stage is None:
                self._facts[facts.id] = facts
            else:
                self._hidden[facts.id] = stage

    def _edges(self, ids: Sequence[int]) -> dict[int, int]:
        """Return the `next` edges that touch these memories, before → after."""
        if not ids or not self._config.neighbours:
            return {}
        return neighbours(self._store, ids)

    def _members(
        self,
        order: Sequence[int],
        edges: Mapping[int, int],
        *,
        lexical: Mapping[int, float],
        near: Mapping[int, float],
        named: Mapping[int, float],
        about: Collection[int],
    ) -> dict[int, Candidate]:
        rest = [memory_id for memory_id in order if memory_id not in near]
        cosines = {**(self._encoded.cosines(0, rest) if self._encoded else {}), **near}
        before = {after: memory_id for memory_id, after in edges.items()}
        memory_ids = {str(memory_id): memory_id for memory_id in order}
        terms, phrases = _counted(memory_ids, self._words), _tallied(memory_ids, self._phrases)
        # By position: by name it takes twice as long.
        return {
            memory_id: Candidate(
                self._facts[memory_id],
                lexical.get(memory_id, 0.0),
                cosines.get(memory_id, 0.0),
                terms.get(memory_id, 0),
                phrases.get(memory_id, 0),
                named.get(memory_id, 0.0),
                memory_id in about,
                before.get(memory_id),
                edges.get(memory_id),
            )
            for memory_id in order
        }


def _ends(edges: Mapping[int, int]) -> list[int]:
    return list(dict.fromkeys([*edges, *edges.values()]))


def _counted(memory_ids: Mapping[str, int], words: Sequence[Occurrences]) -> dict[int, int]:
    """Return for each wanted id the set of words that it holds, as bits."""
    terms: dict[int, int] = {}
    for place, where in enumerate(words):
        for text in memory_ids.keys() & where.ids:
            memory_id = memory_ids[text]
            terms[memory_id] = terms.get(memory_id, 0) | 1 << place
    return terms


def _tallied(memory_ids: Mapping[str, int], phrases: Sequence[Sequence[str]]) -> Mapping[int, int]:
    return Counter(memory_ids[text] for ids in phrases for text in memory_ids.keys() & ids)

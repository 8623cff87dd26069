"""Detector of statements that bear on each other: the likeliest others of a memory, judged.

The others are those of the nearest vectors, of the most telling words, and of the same key: some
twenty, however many memories there are. Only pairs that hold at one time and place and that nobody
has set beside each other yet are judged. What is found is noted, never acted on: a contradiction
stays open, an update proposes which wins, a duplicate is linked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..encoder.contextual import CompositeEncoder
from ..encoder.static import StaticEncoder
from ..text.patterns import lazy_pattern
from .compared_statement import Statement, StatementReader, in_common, said_in
from .identity import pair_hash
from .pair_columns import SIBLING, Alignment, align, columns
from .records import Decider, EdgeKind, Origin, PairVerdict, Resolution
from .search_index import VectorSigns
from .supersession import Supersession

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..store.store import Row, Store
    from .search_index import Index


# Others of a memory by each way of looking, and words by which they are looked for.
_NEAREST, _BY_WORDS, _WORDS = 10, 8, 6
# Those of them that are read, how like they are at least by vectors and words, and what those that
# are judged have in common with it (`in_common`): in all sets of pairs one in a hundred of those
# that are noticed rightly has less, and three in four of a store's neighbours.
_JUDGED, _LEAST_LIKE, _LEAST_COMMON = 3, 0.25, 0.32
# Others that differ from a memory in numbers alone, beyond which they are a series of measurements,
# steps or days, and none of them is in doubt.
SERIES = 4
_NUMBER = lazy_pattern(r"\d+(?:[.,:]\d+)*")
# Memories that hold a word, from which it tells too little to look by: each search with it would go
# through them all, and a scan of a store makes one for each of its memories.
_COMMON = 1_000
# Texts of one process that are kept as they were read.
_MOST_READ = 1_000
CONFLICTING = frozenset({PairVerdict.CONTRADICTION, PairVerdict.UPDATE})


@attrs.frozen
class DetectedPair:
    """Two memories that bear on each other.

    Attributes:
        memory_id, other_id: the newer and the older one. score: the judgement's probability.
    """

    memory_id: int
    other_id: int
    verdict: PairVerdict
    score: float
    reason: str


@attrs.frozen
class ComparedPair:
    """Two memories that may bear on each other: ids and words, the older one first."""

    older: int
    newer: int
    old_text: str
    new_text: str

    @property
    def texts_hash(self) -> str:
        """Hash of both texts in either order: what was decided about others is of no use."""
        return pair_hash(self.old_text, self.new_text)


class PairDetector:
    """Detector over one store; what it notes is written inside the caller's transaction."""

    def __init__(self, store: Store, index: Index, supersession: Supersession) -> None:
        self._store = store
        self._index = index
        self._supersession = supersession
        self._signs = VectorSigns(store, index)
        self._reader: StatementReader | None = None
        self._read: dict[str, Statement | None] = {}
        self._common: set[str] = set()
        self._series: set[int] = set()

    def detect(self, numbers: Iterable[int]) -> Iterator[DetectedPair]:
        """Yield what bears on some memories, each pair once."""
        seen: set[tuple[int, int]] = set()
        for number in numbers:
            for pair in self.pairs_of(number):
                ids = (pair.older, pair.newer)
                if ids in seen:
                    continue
                seen.add(ids)
                judgement = self.judge(pair)
                if judgement is not None and judgement.verdict is not PairVerdict.DISTINCT:
                    verdict, score = judgement.verdict, judgement.probability
                    yield DetectedPair(pair.newer, pair.older, verdict, score, judgement.reason)

    def settle_series(self) -> None:
        """Take what was in doubt among the series met since the last time for none: the first of
        them were compared before there was a series; inside `write`."""
        series, self._series = self._series, set()
        if series:
            ids = json.dumps(sorted(series))
            for first, second in self._store.all("memories_search.doubted_among", ids=ids):
                texts = [self.text_of(number) or "" for number in (first, second)]
                if numberless(texts[0]) == numberless(texts[1]):
                    self._supersession.reconcile(first, second)

    def pairs_of(self, number: int) -> Iterator[ComparedPair]:
        """Yield a memory with the others that it may bear on, and that nobody set beside it."""
        text = self.text_of(number)
        own = None if text is None else self._statement(text)
        if text is None or own is None:
            return
        near = self._signs.nearest(number, _NEAREST)
        others = json.dumps(sorted({*near, *self._by_words(own)} - {number}))
        rows = self._store.all("memories_search.comparable", id=number, others=others)
        for other, other_text, digest in self._likest(own, rows, near):
            if other < number:
                pair = ComparedPair(other, number, other_text, text)
            else:
                pair = ComparedPair(number, other, text, other_text)
            if digest != pair.texts_hash:
                yield pair

    def pairs_across(
        self, number: int, others: PairDetector, *, project: str | None = None
    ) -> Iterator[ComparedPair]:
        """Yield a memory with those of another file that it may bear on: of one project, or the
        global ones. Ids of two files do not tell which is older: of two that were said at one
        moment it is the other one. Nobody looks here whether they were set beside each other."""
        rows = self._store.records("memories_search.place_across", id=number)
        row = rows[0] if rows else {"text": "", "created_at": ""}
        text, said_at = row.pop("text"), row.pop("created_at")
        own = self._statement(text)
        if own is None:
            return
        signs = self._signs.of(number)
        near = {} if signs is None else others._signs.nearest_to(signs, _NEAREST)
        ids = json.dumps(sorted({*near, *others._by_words(own)}))
        candidates = others._store.all(
            "memories_search.comparable_across", others=ids, project=project, **row
        )
        for other, other_text, other_said_at in self._likest(own, candidates, near):
            if other_said_at <= said_at:
                yield ComparedPair(other, number, other_text, text)
            else:
                yield ComparedPair(number, other, text, other_text)

    def judge(self, pair: ComparedPair) -> PairJudgement | None:
        """Return how two memories stand to each other; None if one says nothing in words."""
        older, newer = self._statement(pair.old_text), self._statement(pair.new_text)
        if older is None or newer is None:
            return None
        return judge(older, newer, has_vectors=self.reader.has_vectors)

    def text_of(self, number: int) -> str | None:
        """Return what a memory says, None for one that is not there."""
        text: str | None = self._store.value("memories_search.said_text", id=number)
        return text

    def are_at_odds(self, old_text: str, new_text: str) -> bool:
        """Whether two texts contradict each other, or one updates the other."""
        judgement = self.judge(ComparedPair(0, 1, old_text, new_text))
        return judgement is not None and judgement.verdict in CONFLICTING

    def note(self, pair: DetectedPair) -> None:
        """Note a pair: a contradiction that stays open, or a link; of one that is open already,
        that it is none; inside `write`."""
        if pair.verdict is PairVerdict.DISTINCT:
            self._supersession.reconcile(pair.other_id, pair.memory_id)
        elif pair.verdict is PairVerdict.DUPLICATE:
            a, b = sorted((pair.other_id, pair.memory_id))
            self._supersession.settle_contradiction(a, b, Resolution.MERGED)
            self._store.run(
                "memories.add_edge",
                src=pair.memory_id,
                dst=pair.other_id,
                kind=EdgeKind.RELATES_TO,
                weight=round(pair.score, 3),
                at=self._store.now(),
            )
        elif pair.verdict in CONFLICTING:
            is_update = pair.verdict is PairVerdict.UPDATE
            self._supersession.contradict(
                pair.other_id,
                pair.memory_id,
                origin=Origin.DETECTED,
                note=pair.reason,
                proposed=Resolution.B_WINS if is_update else None,
            )

    @property
    def reader(self) -> StatementReader:
        """The reader of statements, with the word vectors of the encoder in use."""
        if self._reader is None:
            self._reader = StatementReader(word_vectors(self._index.encoder()))
        return self._reader

    # -- internals

    def _statement(self, text: str) -> Statement | None:
        return self._statements([text])[0]

    def _statements(self, texts: Sequence[str]) -> list[Statement | None]:
        """Return texts as statements; those that were read lately are kept."""
        fresh = [text for text in texts if text not in self._read]
        if fresh:
            if len(self._read) + len(fresh) > _MOST_READ:
                self._read, fresh = {}, list(texts)
            self._read |= dict(zip(fresh, self.reader.read_all(fresh), strict=True))
        return [self._read[text] for text in texts]

    def _likest(
        self, own: Statement, rows: Sequence[Row], near: Mapping[int, float]
    ) -> Iterator[Row]:
        """Yield the rows (id, text, …) whose statements have most in common with one: those of the
        nearest vectors and the most words in common are read, as few of them as are judged; none of
        a series that it belongs to."""
        count, rows = len(rows), _outside_series(own.text, all_rows := rows)
        if len(rows) < count:
            self._series |= {row[0] for row in all_rows} - {row[0] for row in rows}
        farthest = max(0.0, min(near.values(), default=0.0))
        shares = []
        for row in rows:
            share = said_in(own, row[1])
            share = (share + near.get(row[0], farthest)) / 2 if near else share
            if share > _LEAST_LIKE:
                shares.append((-share, row[0], row))
        likest = [row for _, _, row in nsmallest(_JUDGED, shares)]
        for row, other in zip(likest, self._statements([row[1] for row in likest]), strict=True):
            if other is not None and in_common(own, other) > _LEAST_COMMON:
                yield row

    def _by_words(self, statement: Statement) -> list[int]:
        """Return the memories that hold the most telling words of a statement."""
        words = sorted(statement.words, key=lambda word: (-word.weight, -len(word.text)))
        telling = dict.fromkeys(f'"{word.text}"' for word in words if word.weight > 0.3)
        match = " OR ".join((self._rare(telling) or [*telling])[:_WORDS])
        if not match:
            return []
        rows = self._store.all("memories_search.nearest_by_words", match=match, limit=_BY_WORDS + 1)
        return [other for (other,) in rows]

    def _rare(self, words: Iterable[str]) -> list[str]:
        """Return the first of some words that few memories hold: enough of them to look by, unless
        most are common."""
        candidates = [word for word in words if word not in self._common][: 2 * _WORDS]
        common = self._store.all(
            "memories_search.common_words", words=json.dumps(candidates), count=_COMMON
        )
        self._common.update(word for (word,) in common)
        return [word for word in candidates if word not in self._common]


def _outside_series(text: str, rows: Sequence[Row]) -> Sequence[Row]:
    """Return rows (id, text, …) without those of a series that a text belongs to."""
    form = numberless(text)
    rest = [row for row in rows if numberless(row[1]) != form]
    return rest if len(rows) - len(rest) > SERIES else rows


def numberless(text: str) -> str:
    """Return a text as all of a series say it."""
    return _NUMBER.sub("#", text.casefold())


def word_vectors(encoder: Encoder | None) -> StaticEncoder | None:
    """Return the static model of an encoder, by whose rows words are compared, if it has one."""
    if isinstance(encoder, CompositeEncoder):
        return word_vectors(encoder.pieces)
    return encoder if isinstance(encoder, StaticEncoder) else None


# --- Judgement of two statements: contradiction, update, duplicate, or distinct.
#
# A logistic model over the columns of the two (pair_columns.py) was learned from pairs (`python -m
# bench.train_pairs --write`); its tables are shipped.

# Tables by name, "vectors" and "words"; of each the base and the weights of each column, by class.
TABLES = Path(__file__).parent.parent / "assets" / "pair_weights.json"
# Classes of the tables, in their order.
CLASSES = (
    PairVerdict.DISTINCT, PairVerdict.CONTRADICTION, PairVerdict.UPDATE, PairVerdict.DUPLICATE,
)  # fmt: skip
# Probability from which two statements are said to be at odds, and to repeat each other: chosen
# by leaving projects out, so that of distinct ones no more than one in thirty is either
# (`python -m bench.train_pairs`).
_CONTRADICTION = PairVerdict.CONTRADICTION
AT_ODDS, REPEATED = 0.45, 0.28
# The same without word vectors, by which another word is as far from any: only what is clear.
AT_ODDS_BY_WORDS, REPEATED_BY_WORDS = 0.6, 0.5
# The first of them where one statement alone denies something, of which the other one says so much.
DENIED, DENIED_COVER = 0.35, 0.6
# Two of which neither says so much of the other are not told apart any further: of the pairs of all
# sets none below was noticed rightly, and half of the neighbours in a store are below.
_LEAST_COVER = 0.3
# How much each of two says of the other one, of which each affirms what the other one rejects:
# where this is so of less, or each names something of its own, they are about two things.
_SWAPPED_COVER = 0.8
SWAPPED = "each says what the other one rejects"
# What no two statements that say the same differ in, however alike they are.
_NEVER_THE_SAME = ("numbers_differ", "numbers_other_unit", "codes_differ", "opposites")


@attrs.frozen(slots=False)
class Table:
    """Table of a logistic model: for each class its base, and its weight of each column."""

    base: Sequence[float]
    weights: Mapping[str, Sequence[float]]

    @cached_property
    def matrix(self) -> Any:
        """The weights as an array, a row a column of a pair."""
        import numpy as np

        return np.array([*self.weights.values()])


@cache
def _tables() -> dict[str, Table]:
    read = json.loads(TABLES.read_text("utf-8"))
    return {name: Table(**table) for name, table in read.items()}


@attrs.frozen
class PairJudgement:
    """Judgement of two statements.

    Attributes:
        probability: that it is so; of two at odds, that they are, in either way.
        reason: why, in words for people.
        chances: the probability of each of CLASSES.
    """

    verdict: PairVerdict
    probability: float
    reason: str
    chances: Sequence[float] = ()


_FAR_APART = PairJudgement(
    PairVerdict.DISTINCT, 0.97, "they have little in common", (0.97, 0.01, 0.01, 0.01)
)


def judge(older: Statement, newer: Statement, *, has_vectors: bool = True) -> PairJudgement:
    """Return how a newer statement stands to an older one.

    `has_vectors`: both were read with word vectors, which have a table of their own."""
    pair = align(older, newer)
    if max(pair.covers) < _LEAST_COVER:
        return _FAR_APART
    values = columns(pair)
    if has_vectors:
        name, at_odds, repeated = "vectors", AT_ODDS, REPEATED
    else:
        name, at_odds, repeated = "words", AT_ODDS_BY_WORDS, REPEATED_BY_WORDS
    chances = probabilities(values, _tables()[name])
    distinct, contradiction, update, duplicate = chances
    odds = contradiction + update
    is_denied = values["negated_one"] and values["denied"] >= DENIED_COVER
    verdict, probability, reason = PairVerdict.DISTINCT, distinct, "both may hold"
    if pair.is_swapped and values["cover_least"] >= _SWAPPED_COVER and not all(pair.unlike):
        verdict, probability, reason = _CONTRADICTION, max(odds, at_odds), SWAPPED
    elif odds >= (DENIED if is_denied else at_odds) and not pair.is_of_one_side():
        is_update = update > contradiction or (newer.says_changed_to and not older.says_changed_to)
        verdict = PairVerdict.UPDATE if is_update else _CONTRADICTION
        probability, reason = odds, _reason(pair, verdict, values)
    elif duplicate >= repeated and not _is_other(pair, values):
        verdict, probability, reason = PairVerdict.DUPLICATE, duplicate, "they say the same"
    return PairJudgement(verdict, probability, reason, chances)


def _is_other(pair: Alignment, values: Mapping[str, float]) -> bool:
    """Whether two statements differ in what no two that say the same do."""
    return (
        any(values[name] for name in _NEVER_THE_SAME)
        or pair.has_prefixed_word()
        or pair.is_swapped
        or pair.names_another()
        or pair.counts_another()
        or pair.shares_numbers_alone()
    )


def probabilities(values: Mapping[str, float], table: Table) -> Sequence[float]:
    """Return the probability of each class, in their order, from the columns of a pair."""
    import numpy as np

    scores = np.array([values[name] for name in table.weights]) @ table.matrix + table.base
    powers = np.exp(scores - scores.max())
    chances: list[float] = (powers / powers.sum()).tolist()
    return chances


def _reason(pair: Alignment, verdict: PairVerdict, values: Mapping[str, float]) -> str:
    """Return in words why two statements are at odds."""
    old, new = _differing(pair)
    what = f": {old}, and {new}" if old and new else ""
    if verdict is PairVerdict.UPDATE:
        return f"the newer one says that it changed{what}"
    if values["negated_one"]:
        return "one says what the other denies"
    if values["numbers_differ"]:
        return f"they say different numbers{what}"
    return f"they say different things of the same{what}"


def _differing(pair: Alignment) -> tuple[str, str]:
    """Return the words of each that the other one does not say: numbers and names, if few, or else
    numbers, or else names, or else all of a contradiction of few words."""
    left = [
        [side.words[n] for n in side.content if likeness[n] < SIBLING[1]]
        for side, likeness in pair.sides()
    ]
    for sorts in ("nip", "n", "ip", "ipw"):
        old, new = ([word.text for word in side if word.sort in sorts] for side in left)
        if old and new and (sorts != "nip" or max(len(old), len(new)) <= _SHOWN):
            break
    few = len(old) <= _SHOWN and len(new) <= _SHOWN
    return (", ".join(old), ", ".join(new)) if few else ("", "")


_SHOWN = 3  # words of each that a reason names


# --- Verdicts about pairs of memories: how two stand to each other, and who decided it.
#
# A verdict is about both texts: of other texts nothing is decided. A caller overrules everybody,
# and is overruled by nobody but the undoing of a run, which is a caller's wish too.

# How two memories stand to each other, the older one first, if a contradiction is settled so.
VERDICT_OF = {
    Resolution.A_WINS: PairVerdict.CONTRADICTION,
    Resolution.B_WINS: PairVerdict.UPDATE,
    Resolution.BOTH_VALID: PairVerdict.DISTINCT,
    Resolution.MERGED: PairVerdict.DUPLICATE,
}


def decide(
    store: Store,
    first: int,
    second: int,
    verdict: PairVerdict,
    *,
    by: Decider,
    note: str | None = None,
    texts_hash: str | None = None,
) -> None:
    """Note how two memories stand to each other; inside `write`.

    `texts_hash`: of the texts that were decided about, if they may have changed since."""
    a, b = sorted((first, second))
    if texts_hash is None:
        texts = store.first("memories.two_texts", id=a, other=b)
        if texts is None:
            return  # one of them is gone
        texts_hash = pair_hash(texts[0], texts[2])
    store.run(
        "memories.put_verdict",
        memory_a=a,
        memory_b=b,
        verdict=verdict,
        decided_by=by,
        texts_hash=texts_hash,
        note=note,
        at=store.now(),
    )

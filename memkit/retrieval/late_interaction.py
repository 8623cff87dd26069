"""Late interaction (MaxSim): every token of a query finds its likest token in a candidate.

Static vectors of word pieces know that "bought" is near "purchased"; the best likeness of each
piece, weighted by how telling the piece is, says more than one vector for a whole text. The stored
token ids are enough for it: no text is cut or embedded while a question waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import attrs

from ..encoder import sign_bits
from ..encoder.protocol import lengths as lengths_of
from ..frozen import frozen

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..encoder import Encoder
    from ..encoder.protocol import Vector

    Floats = npt.NDArray[np.float32]
    from ..store.store import Store


# Tokens in a passage: of a text too long to be compared whole its most telling passages are taken.
PASSAGE = 64
# Likeness below this counts as none (measured: .54 MRR on turns against .52 with .3, .51 with 0).
LIKENESS_FLOOR = 0.5
# Tokens compared of one memory, and of all together: keeps a store of very long texts fast.
MAX_TOKENS = 2_048
MAX_ROWS_OF_TOKENS = 120_000
# A token id beyond this is a hash, not a row number: no table of that length is made.
_LARGEST_ROW = 1 << 20
# Multiplications that BLAS does on one core (OpenBLAS: up to 2^18).
_ONE_CORE = 1 << 18
# Most that a piece's own weight in the model may raise it above the average piece.
_HEAVIEST = 1.3


class WeightedRows(Protocol):
    """An encoder whose rows show by their length what a token weighs."""

    def token_rows(self, ids: Sequence[int]) -> npt.NDArray[Any]:
        """Rows of these ids, not normalised, of whatever type they are kept in."""
        ...

    def token_lengths(self, ids: Sequence[int]) -> Vector:
        """Their lengths, never quite 0."""
        ...


@frozen(eq=False)
class Pieces:
    """The pieces of a question.

    Attributes:
        ids: token ids. rows: their unit rows.
        weights: (clauses, pieces); those of a clause add up to 1 with those of its words of which
            the model knows no piece.
    """

    ids: tuple[int, ...]
    rows: Floats
    weights: Floats


@frozen(eq=False)
class Likeness:
    """How like a question's pieces each memory is; arrays run along the memories.

    Attributes:
        best: (pieces, memories) greatest cosine of each piece in each memory, 0 to 1.
        about: share of the memory's own (weighted) pieces that the question is like.
        weights: (clauses, pieces), as of `Pieces`.
    """

    best: Floats
    about: Floats
    weights: Floats

    def close(self) -> Floats:
        """`best` with what is below LIKENESS_FLOOR counted as nothing: (pieces, memories)."""
        return _above_floor(self.best)


def pieces(
    encoder: Encoder, words: Mapping[str, float], clauses: Sequence[int] = ()
) -> Pieces | None:
    """Return the pieces of a question's words (word → weight), or None if the model knows none.

    A word cut into n pieces gives each 1/√n of its weight. `clauses` are sets of bits over the
    words; none stands for one clause of all of them.
    """
    import numpy as np

    known = zip(encoder.tokenize(list(words)), words.values(), strict=True)
    tokens = [ids if weight else [] for ids, weight in known]
    place = {number: at for at, number in enumerate(dict.fromkeys(chain(*tokens)))}
    if not place:
        return None
    rows, lengths = _rows(encoder, list(place))
    weights = np.zeros((max(len(clauses), 1), len(place)), np.float32)
    lost = np.zeros((len(weights), 1), np.float32)
    for at, (ids, weight) in enumerate(zip(tokens, words.values(), strict=True)):
        holding = [clause for clause, bits in enumerate(clauses or [-1]) if bits >> at & 1]
        lost[holding] += 0.0 if ids else weight
        for piece in {place[number] for number in ids}:
            column = weights[:, piece]
            column[holding] = np.where(
                column[holding] > 0, column[holding], weight / len(ids) ** 0.5
            )
    weights *= np.minimum(lengths, _HEAVIEST)
    total = weights.sum(axis=1, keepdims=True) + lost
    if not total[0] > 0.0:
        return None
    return Pieces(tuple(place), rows, weights / np.maximum(total, np.float32(1e-9)))


def likeness(encoder: Encoder, question: Pieces, stored: Sequence[bytes]) -> Likeness:
    """Return how like the question each memory is, by its stored token ids (may be empty)."""
    import numpy as np

    max_tokens = max(PASSAGE, min(MAX_TOKENS, MAX_ROWS_OF_TOKENS // max(len(stored), 1)))
    blobs = [
        _telling(blob, question, max_tokens=max_tokens) if len(blob) > 4 * max_tokens else blob
        for blob in stored
    ]
    lengths, odd = np.divmod(np.fromiter(map(len, blobs), np.intp, len(blobs)), 4)
    if odd.any():
        raise ValueError("stored token ids end within a number; run 'memkit check --repair'")
    full = np.flatnonzero(lengths)
    best = np.zeros((len(question.ids), len(stored)), np.float32)
    about = np.zeros(len(stored), np.float32)
    if len(full):
        texts = np.cumsum(lengths[full]) - lengths[full]
        ids = np.frombuffer(b"".join(blobs), "<u4")
        cosines, weights, where = _against(encoder, question, ids)
        likest = np.maximum.reduceat(cosines.take(where, axis=1), texts, axis=1)
        best[:, full] = np.maximum(likest, 0)
        alike = (cosines.max(axis=0) * weights).take(where)
        about[full] = np.add.reduceat(alike, texts) / np.add.reduceat(weights.take(where), texts)
    return Likeness(best, about, question.weights)


def _telling(blob: bytes, question: Pieces, *, max_tokens: int) -> bytes:
    """Return so many of a memory's more token ids, in order: the passages that hold pieces of the
    question, the heaviest first, then its beginning."""
    import numpy as np

    if len(blob) % 4:
        return blob
    ids = np.frombuffer(blob, "<u4")
    order = np.argsort(question.ids)
    sorted_ids, weights = np.array(question.ids)[order], question.weights[0][order]
    place = np.searchsorted(sorted_ids[:-1], ids)
    worth = np.zeros(-(-len(ids) // PASSAGE) * PASSAGE, np.float32)
    worth[: len(ids)] = weights[place] * (sorted_ids[place] == ids)
    passages = worth.reshape(-1, PASSAGE)
    heaviest = np.sort(np.lexsort((-passages.sum(1), -passages.max(1)))[: max_tokens // PASSAGE])
    return b"".join(blob[4 * PASSAGE * at : 4 * PASSAGE * (at + 1)] for at in heaviest.tolist())


def _above_floor(cosines: Floats) -> Floats:
    import numpy as np

    lifted: Floats = np.maximum((cosines - LIKENESS_FLOOR) / (1 - LIKENESS_FLOOR), 0)
    return lifted


def _against(encoder: Encoder, question: Pieces, ids: Any) -> tuple[Floats, Floats, Any]:
    """Return cosines (pieces, different ids), weights of these ids, each token's place in them."""
    import numpy as np

    largest = int(ids.max())
    if largest < _LARGEST_ROW:
        present = np.zeros(largest + 1, bool)
        present[ids] = True
        different = np.flatnonzero(present)
        place = np.empty(largest + 1, np.intp)
        place[different] = np.arange(len(different))
        where = place.take(ids)
    else:
        different, where = np.unique(ids, return_inverse=True)
    rows, lengths = _table_rows(encoder, different)
    # The few cosines are divided by the lengths, not the many rows.
    cosines: Floats = _products(question.rows, rows) / lengths
    return cosines, _relative(encoder, lengths), where


def _products(left: Floats, right: npt.NDArray[Any]) -> Floats:
    """Return the inner products of all rows, block by block on one core.

    BLAS starts threads for more than some 2^18 multiplications. For so little they cost ten times
    what they bring, and go on turning on a core that somebody else needs. Rows that are kept as
    bytes become float32 block by block too, each of which then lies in the processor's cache.
    """
    import numpy as np

    block = max(1, _ONE_CORE // max(left.size, 1))
    # BLAS adds to what stands there, be it times nought: what nobody wrote there may be no number.
    products = np.zeros((len(left), len(right)), np.float32)
    for at in range(0, len(right), block):
        rows = right[at : at + block].astype(np.float32, copy=False)
        np.matmul(left, rows.T, out=products[:, at : at + block])
    return products


def _rows(encoder: Encoder, ids: Any) -> tuple[Floats, Floats]:
    """Return unit rows and what each weighs relative to the average."""
    import numpy as np

    rows, lengths = _table_rows(encoder, ids)
    units = (rows / lengths[:, None]).astype(np.float32, copy=False)
    return units, _relative(encoder, lengths)


def _table_rows(encoder: Encoder, ids: Any) -> tuple[npt.NDArray[Any], Floats]:
    """Return rows as they lie in the encoder's table, and their lengths."""
    import numpy as np

    if _is_weighted(encoder):
        return encoder.token_rows(ids), encoder.token_lengths(ids)
    rows = np.nan_to_num(encoder.token_vectors(ids), posinf=0.0, neginf=0.0)  # a user's own
    return rows, lengths_of(rows)


def _relative(encoder: Encoder, lengths: Floats) -> Floats:
    """Return what rows of these lengths weigh relative to the average one."""
    import numpy as np

    if not _is_weighted(encoder):
        return np.ones(len(lengths), np.float32)
    relative: Floats = (lengths / (float(lengths.mean()) or 1.0)).astype(np.float32)
    return relative


def _is_weighted(encoder: Encoder) -> TypeGuard[WeightedRows]:
    return hasattr(encoder, "token_rows")  # isinstance of a protocol costs 40 µs


# Vectors that are kept: 288 bytes each, and some 300 for the pieces of a memory that was compared,
# so 120 MB at most. A larger store is asked through SQL.
MAX_ROWS = 200_000
# Chunks compared exactly for each memory wanted, after the first cut on sign bits
# (recall of the exact neighbours .95 at 50, .89 at 20; they cost next to nothing here).
FIRST_CUT = 20


@frozen(eq=False)
class Matrix:
    """What one encoder made of the memories: vectors, a row per chunk, and token ids.

    Attributes:
        ids: memory of each row, ascending. rows: int8 vectors. lengths: their lengths.
        bits: sign bits as 64-bit words, (words, rows): adding up long rows is seven times as fast.
        pieces: token ids by memory, as they are stored: of those that were compared so far.
    """

    ids: Any
    bits: Any
    rows: Any
    lengths: Any
    pieces: dict[int, bytes] = attrs.field(factory=dict)

    def nearest(
        self, vector: Vector, *, limit: int, within: Iterable[int] | None = None
    ) -> dict[int, float]:
        """Return cosine similarity of up to `limit` nearest memories, best first; `within` are the
        ids to stay inside."""
        import numpy as np

        if not len(self.ids):
            return {}
        if within is not None:
            close = self.similarities(vector, within)
            return {n: close[n] for n in nlargest(limit, close, key=close.__getitem__)}
        question = _words([sign_bits(vector)])
        apart = np.bitwise_count(self.bits ^ question).sum(axis=0, dtype=np.uint16)
        # All that are no farther apart than the last of the first cut.
        first = min(limit * FIRST_CUT, len(apart))
        cut = np.flatnonzero(apart <= np.searchsorted(np.cumsum(np.bincount(apart)), first))
        ids, close = self.ids[cut], self._cosines(vector, cut)
        # The best chunk of each memory, whose chunks lie side by side.
        firsts = np.flatnonzero(np.diff(ids, prepend=-1))
        best = np.maximum.reduceat(close, firsts)
        # Only those no farther away than the last that is wanted are put in order.
        last = max(len(best) - limit, 0)
        top = np.flatnonzero(best >= np.partition(best, last)[last])
        order = top[np.argsort(-best[top], kind="stable")[:limit]]
        return dict(zip(ids[firsts[order]].tolist(), best[order].tolist(), strict=True))

    def similarities(self, vector: Vector, ids: Iterable[int]) -> dict[int, float]:
        """Return the cosine similarity of given memories; those without a vector are left out."""
        import numpy as np

        numbers = np.array(sorted(ids), np.int64)
        first = np.searchsorted(self.ids, numbers, "left")
        last = np.searchsorted(self.ids, numbers, "right")
        # Most memories have one chunk: the first of each, then the rest of the few that have more.
        more = np.flatnonzero(last - first > 1)
        rest = [place for at in more for place in range(first[at] + 1, last[at])]
        places = np.append(first[last > first], np.array(rest, np.int64))
        close = zip(self.ids[places].tolist(), self._cosines(vector, places).tolist(), strict=True)
        cosines = dict(islice(close, len(places) - len(rest)))
        for number, cosine in close:
            cosines[number] = max(cosines[number], cosine)
        return cosines

    def _cosines(self, vector: Vector, places: Any) -> Any:
        import numpy as np

        # Not by BLAS, whose threads cost more than they bring for so few rows.
        products = np.einsum("ij,j->i", self.rows.take(places, axis=0).astype(np.float32), vector)
        return products / self.lengths[places]


class Matrices:
    """Keeps the matrix of the one encoder that a store is asked with."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._last_state: tuple[int, int, int] | None = None
        self._cache: tuple[tuple[int, int, int], Matrix] | None = None

    def get(self, model_id: int, changes: int, *, rows: int) -> Matrix | None:
        """Return the vectors of an encoder, or None for a first question or too large a store.

        `changes` moves whenever a vector does.
        """
        state = (self._store.state()[0], model_id, changes)
        cache = self._cache  # read once: another thread may let go of it
        if cache is not None and cache[0] == state:
            return cache[1]
        self._cache = None
        again, self._last_state = self._last_state == state, state
        if not again or rows > MAX_ROWS:
            return None
        loaded = _load(self._store, model_id)
        self._cache = (state, loaded)
        return loaded


def _load(store: Store, model_id: int) -> Matrix:
    import numpy as np

    records = store.all("retrieval.matrix", model_id=model_id)
    ids = np.array([row[0] for row in records], np.int64)
    bits = _words([row[1] for row in records])
    rows = np.frombuffer(b"".join(row[2] for row in records), np.int8)
    count = len(records)
    rows = rows.reshape(count, -1) if count else rows.reshape(0, 1)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float32))
    return Matrix(ids, bits, rows, np.maximum(lengths, np.float32(1)))


def _words(bits: Sequence[bytes]) -> Any:
    """Return sign bits as 64-bit words, a column each, filled up where there is half a word."""
    import numpy as np

    size = -(-len(bits[0]) // 8) * 8 if bits else 8
    filled = b"".join(row.ljust(size, b"\0") for row in bits)
    rows = np.frombuffer(filled, np.uint64).reshape(len(bits), size // 8)
    return np.ascontiguousarray(rows.T)

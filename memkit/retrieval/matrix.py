"""The vectors and pieces of a store in memory, for a process that asks more than once.

sqlite-vec's scalar functions cost 0.3 µs a row for sign bits and 2 µs for int8, which is fine for
one question and most of the time of a second one (bench/latency). So the second question about
the same vectors loads them, and pieces stay with them once they were asked for; a change of any, by
whomever, drops them. What else is written to the file (an agent's every step may be) leaves them
where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from ..encoder import sign_bits

if TYPE_CHECKING:
    from ..encoder.protocol import Vector
    from ..store.connection import Store

# Vectors that are kept: 288 bytes each, and some 300 for the pieces of a memory that was compared,
# so 120 MB at most. A larger store is asked through SQL.
MOST_ROWS = 200_000
# Chunks compared exactly for each memory wanted, after the first cut on sign bits
# (recall of the exact neighbours .95 at 50, .89 at 20; they cost next to nothing here).
FIRST_CUT = 20


@attrs.frozen(eq=False)
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

        wanted = np.array(sorted(ids), np.int64)
        first = np.searchsorted(self.ids, wanted, "left")
        last = np.searchsorted(self.ids, wanted, "right")
        # Most memories have one chunk: the first of each, then the rest of the few that have more.
        more = np.flatnonzero(last - first > 1)
        rest = [place for at in more for place in range(first[at] + 1, last[at])]
        places = np.append(first[last > first], np.array(rest, np.int64))
        close = zip(self.ids[places].tolist(), self._cosines(vector, places).tolist(), strict=True)
        found = dict(islice(close, len(places) - len(rest)))
        for number, cosine in close:
            found[number] = max(found[number], cosine)
        return found

    def _cosines(self, vector: Vector, places: Any) -> Any:
        import numpy as np

        # Not by BLAS, whose threads cost more than they bring for so few rows.
        products = np.einsum("ij,j->i", self.rows.take(places, axis=0).astype(np.float32), vector)
        return products / self.lengths[places]


class Matrices:
    """Keeps the matrix of the one encoder that a store is asked with."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._asked: tuple[int, int, int] | None = None
        self._kept: tuple[tuple[int, int, int], Matrix] | None = None

    def get(self, space: int, changes: int, *, rows: int) -> Matrix | None:
        """Return the vectors of an encoder, or None for a first question or too large a store.

        `changes` moves whenever a vector does.
        """
        state = (self._store.state()[0], space, changes)
        kept = self._kept  # read once: another thread may let go of it
        if kept is not None and kept[0] == state:
            return kept[1]
        self._kept = None
        again, self._asked = self._asked == state, state
        if not again or rows > MOST_ROWS:
            return None
        loaded = _load(self._store, space)
        self._kept = (state, loaded)
        return loaded


def _load(store: Store, space: int) -> Matrix:
    import numpy as np

    found = store.all("retrieval.matrix", space=space)
    ids = np.array([row[0] for row in found], np.int64)
    bits = _words([row[1] for row in found])
    rows = np.frombuffer(b"".join(row[2] for row in found), np.int8)
    count = len(found)
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

"""Late interaction: every piece of the question looks for its like in every candidate.

Static vectors of word pieces know that "bought" is near "purchased"; the best likeness of each
piece, weighted by how telling the piece is, says more than one vector for a whole text. The stored
token ids are enough for it: no text is cut or embedded while a question waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import attrs

from ..encoder.protocol import lengths as lengths_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..encoder import Encoder
    from ..encoder.protocol import Vector

    Floats = npt.NDArray[np.float32]

# Tokens in a passage: a long text is also judged by its best passage.
PASSAGE = 64
# Likeness below this counts as none (measured: .54 MRR on turns against .52 with .3, .51 with 0).
FLOOR = 0.5
# Tokens compared of one memory, and of all together: keeps a store of very long texts fast.
MOST_TOKENS = 2_048
MOST_TOGETHER = 120_000
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


@attrs.frozen(eq=False)
class Pieces:
    """The pieces of a question: token ids, unit rows, weights that add up to 1 with those of the
    words of which the model knows no piece."""

    ids: tuple[int, ...]
    rows: Floats
    weights: Floats


@attrs.frozen(eq=False)
class Likeness:
    """How like a question's pieces each memory is; arrays run along the memories.

    Attributes:
        best: (pieces, memories) greatest cosine of each piece in each memory, 0 to 1.
        passage: greatest weighted likeness of any single passage.
        about: share of the memory's own (weighted) pieces that the question is like.
    """

    best: Floats
    passage: Floats
    about: Floats
    weights: Floats

    def soft(self) -> Floats:
        """Weighted mean cosine of the pieces' best likenesses."""
        found: Floats = self.weights @ self.best
        return found

    def close(self) -> Floats:
        """The same with what is below FLOOR counted as nothing: (pieces, memories)."""
        return _above_floor(self.best)


def pieces(encoder: Encoder, words: Mapping[str, float]) -> Pieces | None:
    """Return the pieces of a question's words (word → weight), or None if the model knows none.

    A word cut into n pieces gives each 1/√n of its weight.
    """
    import numpy as np

    weight: dict[int, float] = {}
    unknown = 0.0
    for ids, given in zip(encoder.tokenize(list(words)), words.values(), strict=True):
        unknown += 0.0 if ids else given
        for number in ids:
            weight.setdefault(number, given / len(ids) ** 0.5)
    if not weight:
        return None
    rows, lengths = _rows(encoder, list(weight))
    weights = np.fromiter(weight.values(), np.float32, len(weight))
    weights = weights * np.minimum(lengths, _HEAVIEST)
    total = float(weights.sum()) + unknown
    if not total > 0.0:
        return None
    return Pieces(tuple(weight), rows, (weights / total).astype(np.float32))


def likeness(encoder: Encoder, question: Pieces, stored: Sequence[bytes]) -> Likeness:
    """Return how like the question each memory is, by its stored token ids (may be empty)."""
    import numpy as np

    most = max(PASSAGE, min(MOST_TOKENS, MOST_TOGETHER // max(len(stored), 1)))
    blobs = [
        _telling(blob, question, most=most) if len(blob) > 4 * most else blob for blob in stored
    ]
    lengths, odd = np.divmod(np.fromiter(map(len, blobs), np.intp, len(blobs)), 4)
    if odd.any():
        raise ValueError("stored token ids end within a number; run 'memkit check --repair'")
    full = np.flatnonzero(lengths)
    best = np.zeros((len(question.ids), len(stored)), np.float32)
    passage, about = np.zeros((2, len(stored)), np.float32)
    if len(full):
        starts, firsts = _layout(lengths[full])
        ids = np.frombuffer(b"".join(blobs), "<u4")
        cosines, weights, where = _against(encoder, question, ids)
        by_passage = np.maximum.reduceat(cosines.take(where, axis=1), starts, axis=1)
        best[:, full] = np.maximum(np.maximum.reduceat(by_passage, firsts, axis=1), 0)
        close = question.weights @ _above_floor(by_passage)
        passage[full] = np.maximum.reduceat(close, firsts)
        likest = (cosines.max(axis=0) * weights).take(where)
        texts = starts[firsts]
        about[full] = np.add.reduceat(likest, texts) / np.add.reduceat(weights.take(where), texts)
    return Likeness(best, passage, about, question.weights)


def _telling(blob: bytes, question: Pieces, *, most: int) -> bytes:
    """Return so many of a memory's more token ids, in order: the passages that hold pieces of the
    question, the heaviest first, then its beginning."""
    import numpy as np

    if len(blob) % 4:
        return blob
    ids = np.frombuffer(blob, "<u4")
    order = np.argsort(question.ids)
    wanted, weights = np.array(question.ids)[order], question.weights[order]
    place = np.searchsorted(wanted[:-1], ids)
    worth = np.zeros(-(-len(ids) // PASSAGE) * PASSAGE, np.float32)
    worth[: len(ids)] = weights[place] * (wanted[place] == ids)
    passages = worth.reshape(-1, PASSAGE)
    kept = np.sort(np.lexsort((-passages.sum(1), -passages.max(1)))[: most // PASSAGE])
    return b"".join(blob[4 * PASSAGE * at : 4 * PASSAGE * (at + 1)] for at in kept.tolist())


def _above_floor(cosines: Floats) -> Floats:
    import numpy as np

    lifted: Floats = np.maximum((cosines - FLOOR) / (1 - FLOOR), 0)
    return lifted


def _layout(lengths: Any) -> tuple[Any, Any]:
    """Return where each passage begins, and which passage is the first of each memory."""
    import numpy as np

    passages = -(-lengths // PASSAGE)
    firsts = np.cumsum(passages) - passages
    texts = np.cumsum(lengths) - lengths
    before = np.arange(passages.sum()) - np.repeat(firsts, passages)
    return np.repeat(texts, passages) + before * PASSAGE, firsts


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
    found = np.empty((len(left), len(right)), np.float32)
    for at in range(0, len(right), block):
        rows = right[at : at + block].astype(np.float32, copy=False)
        np.matmul(left, rows.T, out=found[:, at : at + block])
    return found


def _rows(encoder: Encoder, ids: Any) -> tuple[Floats, Floats]:
    """Return unit rows and what each weighs relative to the average."""
    import numpy as np

    rows, lengths = _table_rows(encoder, ids)
    units = (rows / lengths[:, None]).astype(np.float32, copy=False)
    return units, _relative(encoder, lengths)


def _table_rows(encoder: Encoder, ids: Any) -> tuple[npt.NDArray[Any], Floats]:
    """Return rows as they lie in the encoder's table, and their lengths."""
    if _is_weighted(encoder):
        return encoder.token_rows(ids), encoder.token_lengths(ids)
    rows = encoder.token_vectors(ids)
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

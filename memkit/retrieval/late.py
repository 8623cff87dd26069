"""Late interaction: every piece of the question looks for its like in every candidate.

Static vectors of word pieces know that "bought" is near "purchased"; the best likeness of each
piece, weighted by how telling the piece is, says more than one vector for a whole text. The stored
token ids are enough for it: no text is cut or embedded while a question waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import attrs

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
# Most that a piece's own weight in the model may raise it above the average piece.
_HEAVIEST = 1.3


@runtime_checkable
class WeightedRows(Protocol):
    """An encoder whose rows show by their length what a token weighs."""

    def token_rows(self, ids: Sequence[int]) -> Vector:
        """Float32 rows of these ids, not normalised."""
        ...


@attrs.frozen(eq=False)
class Pieces:
    """The pieces of a question: token ids, unit rows, weights that add up to 1."""

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
    for ids, given in zip(encoder.tokenize(list(words)), words.values(), strict=True):
        for number in ids:
            weight.setdefault(number, given / len(ids) ** 0.5)
    if not weight:
        return None
    rows, lengths = _rows(encoder, list(weight))
    weights = np.fromiter(weight.values(), np.float32, len(weight))
    weights = weights * np.minimum(lengths, _HEAVIEST)
    total = float(weights.sum())
    if not total > 0.0:
        return None
    return Pieces(tuple(weight), rows, (weights / total).astype(np.float32))


def likeness(encoder: Encoder, question: Pieces, stored: Sequence[bytes]) -> Likeness:
    """Return how like the question each memory is, by its stored token ids (may be empty)."""
    import numpy as np

    most = max(PASSAGE, min(MOST_TOKENS, MOST_TOGETHER // max(len(stored), 1)))
    lists = [np.frombuffer(blob[: 4 * most], dtype="<u4") for blob in stored]
    full = [place for place, ids in enumerate(lists) if len(ids)]
    best = np.zeros((len(question.ids), len(stored)), np.float32)
    passage, about = np.zeros((2, len(stored)), np.float32)
    if full:
        starts, firsts = _layout([len(lists[place]) for place in full])
        cosines, weights, where = _against(encoder, question, np.concatenate([lists[p] for p in full]))
        by_passage = np.maximum.reduceat(cosines[:, where], starts, axis=1)
        best[:, full] = np.maximum(np.maximum.reduceat(by_passage, firsts, axis=1), 0)
        close = question.weights @ _above_floor(by_passage)
        passage[full] = np.maximum.reduceat(close, firsts)
        likest = (cosines.max(axis=0) * weights)[where]
        texts = starts[firsts]
        about[full] = np.add.reduceat(likest, texts) / np.add.reduceat(weights[where], texts)
    return Likeness(best, passage, about, question.weights)


def _above_floor(cosines: Floats) -> Floats:
    import numpy as np

    lifted: Floats = np.maximum((cosines - FLOOR) / (1 - FLOOR), 0)
    return lifted


def _layout(lengths: Sequence[int]) -> tuple[Any, Any]:
    """Return where each passage begins, and which passage is the first of each memory."""
    import numpy as np

    starts: list[int] = []
    firsts: list[int] = []
    at = 0
    for length in lengths:
        firsts.append(len(starts))
        starts.extend(range(at, at + length, PASSAGE))
        at += length
    return np.array(starts), np.array(firsts)


def _against(encoder: Encoder, question: Pieces, ids: Any) -> tuple[Floats, Floats, Any]:
    """Return cosines (pieces, different ids), weights of the ids, and each token's place in them."""
    import numpy as np

    largest = int(ids.max())
    if largest < _LARGEST_ROW:
        present = np.zeros(largest + 1, bool)
        present[ids] = True
        different = np.flatnonzero(present)
        place = np.zeros(largest + 1, np.int32)
        place[different] = np.arange(len(different), dtype=np.int32)
        where = place[ids]
    else:
        different, where = np.unique(ids, return_inverse=True)
    rows, lengths = _rows(encoder, different)
    cosines: Floats = question.rows @ rows.T
    return cosines, lengths, where


def _rows(encoder: Encoder, ids: Any) -> tuple[Floats, Floats]:
    """Return unit rows and what each weighs relative to the average."""
    import numpy as np

    if not isinstance(encoder, WeightedRows):
        return encoder.token_vectors(ids), np.ones(len(ids), np.float32)
    rows = encoder.token_rows(ids)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    units: Floats = rows / np.maximum(lengths, np.float32(1e-12))[:, None]
    mean = float(lengths.mean()) or 1.0
    relative: Floats = (lengths / mean).astype(np.float32)
    return units, relative

"""What an encoder is, what it hands back, and how long text is divided.

Text that holds nothing the model knows (empty, blank, emoji only, unknown words) has no vector at
all: never a zero vector, whose cosine is NaN and sorts before real hits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import attrs

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector: TypeAlias = npt.NDArray[np.float32]

POOLING = "mean1"
"""Version of the way from token rows to a vector (mean, then unit length). Part of every name."""

CHUNK_TOKENS = 128
"""Most token ids that are pooled into one vector.

Measured with the packaged model: on 7,062 messages of long chats and 25 coding sessions, recall@10
is the same within its error for 64 to 512 ids and for whole texts (.39-.41, .95-.97); but a last
sentence after 1,500 unrelated words came among the first 3 of 51 in 40 of 40 trials up to 128 ids,
in 38 with 192 and 256, in 34 with 512, in 17 with whole texts. An overlap of 32 changed nothing.
"""


@attrs.frozen(eq=False)
class Embedded:
    """One text as an encoder sees it.

    Attributes:
        vectors: a unit float32 vector per chunk, in text order; empty if there is nothing to embed.
        token_ids: all token ids of the text (each fits uint32); empty if the model shows none.
    """

    vectors: tuple[Vector, ...] = ()
    token_ids: tuple[int, ...] = ()

    @property
    def vector(self) -> Vector | None:
        """One unit vector for the whole text (the mean of its chunks), or None."""
        if len(self.vectors) < 2:
            return self.vectors[0] if self.vectors else None
        total: Vector = sum(self.vectors[1:], start=self.vectors[0])
        return unit(total)


@runtime_checkable
class Encoder(Protocol):
    """Turns text into vectors of one space.

    Attributes:
        name: identity of the space, "<model>@<hash>/<pooling version>". Vectors whose names differ
            must never be compared, even if their dimensions agree.
        dimensions: length of every vector.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(
        self, texts: Sequence[str], *, weights: Mapping[int, float] | None = None
    ) -> list[Embedded]:
        """Chunk vectors and token ids of each text, in the order given.

        `weights` (token id to weight, for instance idf) is used where the model shows its tokens.
        """
        ...

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Known token ids of each text; empty lists if there are none or the model hides them."""
        ...

    def token_vectors(self, ids: Sequence[int]) -> Vector:
        """A float32 array of unit rows, one per id, for late interaction."""
        ...

    def pool(
        self, ids: Sequence[int], *, weights: Mapping[int, float] | None = None
    ) -> Vector | None:
        """The unit vector of these tokens, or None if there is nothing to pool.

        An id that `weights` does not name weighs 1.0: scale idf so that an unseen token has 1.
        """
        ...


def is_contextual(encoder: Encoder) -> bool:
    """Whether a vector depends on how the words of a text stand together, so that a text has to be
    embedded as it is written; an encoder says so by a true attribute of that name."""
    return bool(getattr(encoder, "is_contextual", False))


def chunks(ids: Sequence[int], *, size: int = CHUNK_TOKENS) -> list[list[int]]:
    """The ids in order, divided into the fewest parts of at most `size`, all nearly equally long.

    Equal parts, because a remainder of a few tokens would be a chunk that matches anything short.
    """
    parts = -(-len(ids) // size)
    edges = [len(ids) * part // parts for part in range(parts + 1)] if parts else []
    return [list(ids[start:end]) for start, end in pairwise(edges)]


def unit(vector: Vector) -> Vector | None:
    """The vector at length 1, or None if it has no direction (zero, NaN or infinite)."""
    import numpy as np

    length = float(np.linalg.norm(vector))
    if not 1e-12 < length < float("inf"):
        return None
    scaled: Vector = (vector / np.float32(length)).astype(np.float32, copy=False)
    return scaled


def lengths(rows: Vector) -> Vector:
    """The length of each row, never quite 0, so that one may divide by it."""
    import numpy as np

    found: Vector = np.maximum(np.sqrt(np.einsum("ij,ij->i", rows, rows)), np.float32(1e-12))
    return found

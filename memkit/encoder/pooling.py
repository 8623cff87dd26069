"""What all encoders with token rows share: from rows to chunk vectors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .protocol import Embedded, chunks, lengths, unit

if TYPE_CHECKING:
    import numpy.typing as npt

    from .protocol import Vector


class TokenEncoder(ABC):
    """An encoder that keeps one row per token; `_rows` and `tokenize` are all it must supply."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Identity of the vector space."""

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """Length of every vector."""

    @abstractmethod
    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Known token ids of each text."""

    @abstractmethod
    def _rows(self, ids: Sequence[int]) -> Vector:
        """Float32 rows of these ids, not normalised: a row's length is its weight in the mean."""

    def embed(
        self, texts: Sequence[str], *, weights: Mapping[int, float] | None = None
    ) -> list[Embedded]:
        """Chunk vectors and token ids of each text, in the order given."""
        return [self._embed(ids, weights) for ids in self.tokenize(texts)]

    def _embed(self, ids: list[int], weights: Mapping[int, float] | None) -> Embedded:
        pooled = (self.pool(chunk, weights=weights) for chunk in chunks(ids))
        return Embedded(tuple(v for v in pooled if v is not None), tuple(ids))

    def token_rows(self, ids: Sequence[int]) -> npt.NDArray[Any]:
        """An array (len(ids), dimensions) of rows as they lie in the table.

        A row's length is its weight in the mean.
        """
        import numpy as np

        return self._rows(ids) if len(ids) else np.zeros((0, self.dimensions), dtype=np.float32)

    def token_lengths(self, ids: Sequence[int]) -> Vector:
        """The length of each row of `token_rows`, never quite 0."""
        import numpy as np

        return lengths(self.token_rows(ids).astype(np.float32, copy=False))

    def token_vectors(self, ids: Sequence[int]) -> Vector:
        """A float32 array (len(ids), dimensions) of unit rows; a row of zeros stays zero."""
        import numpy as np

        if not len(ids):
            return np.zeros((0, self.dimensions), dtype=np.float32)
        rows = self._rows(ids)
        scaled: Vector = rows / lengths(rows)[:, None]
        return scaled

    def pool(
        self, ids: Sequence[int], *, weights: Mapping[int, float] | None = None
    ) -> Vector | None:
        """The unit vector of these tokens (weighted mean), or None if there is nothing to pool."""
        import numpy as np

        if not len(ids):
            return None
        rows = self._rows(ids)
        if weights is None:
            return unit(rows.sum(axis=0, dtype=np.float32))
        scale = np.fromiter((weights.get(i, 1.0) for i in ids), dtype=np.float32, count=len(ids))
        return unit(scale @ rows)

"""Vectors of one model together with the token pieces of another, as one encoder.

A sentence encoder shows no tokens, and a static model's vectors do not know the order of words.
Ranking reads vectors and pieces apart, so each may come from the model that makes them best. Both
are stored under one name: neither is ever compared with what another encoder made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from .adapter import OpaqueEncoder
from .protocol import Embedded, TokenEncoder

if TYPE_CHECKING:
    import numpy.typing as npt

    from .protocol import Vector


@attrs.frozen(eq=False)
class CompositeEncoder:
    """Chunk vectors of a sentence encoder, token ids and their rows of a static model.

    The rows are as wide as the static model's; `dimensions` is of the vectors.
    """

    sentences: OpaqueEncoder
    pieces: TokenEncoder
    is_contextual = True

    @property
    def name(self) -> str:
        """Identity of the space: that of the vectors and that of the pieces."""
        return f"{self.sentences.name}+{self.pieces.name}"

    @property
    def dimensions(self) -> int:
        """Length of every vector."""
        return self.sentences.dimensions

    @property
    def characters_at_once(self) -> int:
        """Text that is embedded while other processes wait to write."""
        return self.sentences.characters_at_once

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Chunk vectors and token ids of each text."""
        made = zip(self.sentences.embed(texts), self.tokenize(texts), strict=True)
        return [Embedded(embedded.vectors, tuple(ids)) for embedded, ids in made]

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text that the static model knows."""
        return self.pieces.tokenize(texts)

    def token_rows(self, ids: Sequence[int]) -> npt.NDArray[Any]:
        """Rows of these ids as they lie in the static model's table."""
        return self.pieces.token_rows(ids)

    def token_lengths(self, ids: Sequence[int]) -> Vector:
        """The length of each row of `token_rows`, never quite 0."""
        return self.pieces.token_lengths(ids)

    def token_vectors(self, ids: Sequence[int]) -> Vector:
        """A float32 array of the static model's unit rows."""
        return self.pieces.token_vectors(ids)

    def pool(
        self, ids: Sequence[int], *, weights: Mapping[int, float] | None = None
    ) -> Vector | None:
        """None: a vector is that of a text, and cannot be made from tokens out of their context."""
        return None

"""A question as the encoder sees it: its vector and its pieces, compared with what is stored.

Whatever is not possible (no model, extension or vectors; a damaged table; a store embedded by
another model) leaves its evidence out and says so in the notes: recall goes on by words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ..encoder import quantize
from ..errors import EncoderError, StoreDamaged
from . import legs
from .late import Likeness, Pieces, likeness, pieces
from .matrix import Matrices, Matrix
from .question import Question
from .records import Recipe

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..encoder.protocol import Vector
    from ..memories.indexing import Index
    from ..store.connection import Store


@attrs.frozen(eq=False)
class Encoded:
    """One question in one store's vector space.

    Attributes:
        space: the encoder's number in this file. rows: how many memories there are.
        vector: of the whole question. pieces: for late interaction. notes: takes what failed.
    """

    store: Store
    encoder: Encoder
    space: int
    rows: int
    vector: Vector | None
    pieces: Pieces | None
    matrix: Matrix | None
    notes: list[str]

    def nearest(self, *, limit: int, inside: frozenset[int] | None) -> dict[int, float]:
        """Return the cosine similarity of the nearest memories, or of those among some ids."""
        if self.vector is None:
            return {}
        if self.matrix is not None:
            return self.matrix.nearest(self.vector, limit=limit, within=inside)
        within = None if inside is None else json.dumps(sorted(inside))
        try:
            found = legs.nearest(
                self.store,
                self.vector,
                space=self.space,
                rows=self.rows,
                limit=limit,
                within=within,
            )
        except StoreDamaged as error:
            self.notes.append(f"no vectors: {error}")
            return {}
        return dict(found)

    def cosines(self, ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine similarity of given memories, where they have vectors."""
        if self.vector is None or not ids:
            return {}
        if self.matrix is not None:
            return self.matrix.similarities(self.vector, ids)
        try:
            return legs.similarities(self.store, self.vector, space=self.space, ids=ids)
        except StoreDamaged as error:
            self.notes.append(f"no vectors: {error}")
            return {}

    def likeness(self, ids: Sequence[int]) -> Likeness | None:
        """Return the late interaction with given memories, or None if none shows its pieces."""
        if self.pieces is None:
            return None
        try:
            blobs = self._pieces_of(ids)
            stored = [blobs.get(number, b"") for number in ids]
            if not any(stored):
                return None
            return likeness(self.encoder, self.pieces, stored)
        except (EncoderError, StoreDamaged, ValueError) as error:
            self.notes.append(f"no late interaction: {error}")
            return None

    def _pieces_of(self, ids: Sequence[int]) -> Mapping[int, bytes]:
        kept = {} if self.matrix is None else self.matrix.pieces
        if fresh := sorted(number for number in ids if number not in kept):
            found = self.store.all("retrieval.pieces", ids=json.dumps(fresh), space=self.space)
            kept.update(found)
        return kept


def encoded(
    store: Store,
    index: Index,
    question: Question,
    *,
    rarity: Sequence[float],
    rows: int,
    recipe: Recipe,
    matrices: Matrices,
    notes: list[str],
) -> Encoded | None:
    """Return a question in the store's vector space, or None with a note if it has none.

    `rarity` is how telling each of the question's words is; `notes` takes what is not possible.
    """
    if not (recipe.vectors or recipe.late_interaction) or not question.terms:
        return None
    try:
        encoder = index.encoder()
        if encoder is None or store.vector_note:
            notes.extend(note for note in (index.encoder_note, store.vector_note) if note)
            return None
        found = index.space_and_changes()
        if found is None:
            if rows:
                notes.append(f"no vectors of {encoder.name} here yet: kit.reembed() makes them")
            return None
        terms = zip(question.terms, rarity, strict=True)
        weights = {term.word: weight for term, weight in terms}
        vector = _rounded(_pooled(encoder, question, weights)) if recipe.vectors else None
        looked_for = pieces(encoder, weights) if recipe.late_interaction else None
    except (EncoderError, ImportError) as error:
        notes.append(f"no vectors: {error}")
        return None
    matrix = None if vector is None else matrices.get(*found, rows=rows)
    return Encoded(store, encoder, found[0], rows, vector, looked_for, matrix, notes)


def _rounded(vector: Vector | None) -> Vector | None:
    """Return a unit vector as SQL would see it, so that both ways of comparing give the same."""
    import numpy as np

    if vector is None:
        return None
    whole = np.frombuffer(quantize(vector), np.int8).astype(np.float32)
    unit: Vector = whole / np.float32(np.linalg.norm(whole))
    return unit


def _pooled(encoder: Encoder, question: Question, weights: Mapping[str, float]) -> Vector | None:
    """Return one vector for the question, its words weighted by how telling they are."""
    by_id: dict[int, float] = {}
    for ids, weight in zip(encoder.tokenize(list(weights)), weights.values(), strict=True):
        for number in ids:
            by_id.setdefault(number, weight)
    if by_id:
        return encoder.pool(list(by_id), weights=by_id)
    return encoder.embed([question.text])[0].vector

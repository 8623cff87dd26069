"""Embeddings of memories by the encoder in use: made in short transactions, never mixed."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..encoder import Encoder, load_encoder
from ..encoder.protocol import Embedded, quantize, sign_bits, unit
from ..errors import EncoderError, StoreError
from ..store.store import local_setting, set_local_setting
from ..validation import Progress

if TYPE_CHECKING:
    from ..store.store import Row, Store

# Memories brought up to date in one transaction: some 100 ms, so that others can write in between.
BATCH = 500
_NO_MODEL = -1
# Where a file keeps on this machine that memories wait for their vectors.
_WAITING = "vectors.waiting"


class EmbeddingIndex:
    """Writer of the embeddings and token ids of memories; base of the search index.

    Attributes:
        encoder_note: why there is no encoder. failure: why the one there is could not embed the
            last texts; words find them until it can.
    """

    def __init__(self, store: Store, encoder: Encoder | None) -> None:
        self._store = store
        self._loaded: Encoder | None = encoder
        self.encoder_note: str | None = None
        self.failure: str | None = None
        self._is_tried = False
        self._deferred = False
        self._has_looked = False

    # -- the encoder

    def encoder(self) -> Encoder | None:
        """Return the encoder in use, loaded on first use, or None if there is none, or one that
        cannot be loaded (see note)."""
        if not self._is_tried:
            self._is_tried = True
            try:
                encoder = self._loaded or load_encoder()
                encoder.tokenize([""])  # many a one reads its files when it is first needed
                self._loaded = encoder
            except (EncoderError, ImportError, OSError) as error:
                self._loaded, self.encoder_note = None, f"no vectors: {error}"
        return self._loaded

    def model_id(self) -> int | None:
        """Return the number of the encoder in use in this file, or None if it made nothing yet."""
        state = self.model_id_and_changes()
        return int(state[0]) if state else None

    def model_id_and_changes(self) -> Row | None:
        """Return that number with one that moves whenever a vector may have changed."""
        encoder = self.encoder()
        if encoder is None:
            return None
        return self._store.first("memories_search.get_embedding_model", name=encoder.name)

    def vector_state(self) -> VectorState:
        """Return how far the vectors keep up with the memories."""
        encoder = self.encoder()
        rows = self._store.all("memories_search.list_embedding_models")
        return VectorState(
            encoder=encoder.name if encoder else "",
            dimensions=encoder.dimensions if encoder else 0,
            stored={name: memories for _, name, _, memories in rows},
            waiting=self._unembedded(),
            note=self.encoder_note or self.failure or self._store.vector_note,
        )

    # -- all that are waiting

    def catch_up(self) -> None:
        """Embed what `put` left, in transactions short enough for others to write in between."""
        if self._deferred:
            self._fill()
            self._deferred = False

    def make_up(self) -> None:
        """Embed, once a process, what was written while there was no encoder, or it failed."""
        is_due = not (self._has_looked or self._store.readonly)
        self._has_looked = True
        if is_due and local_setting(self._store, _WAITING, 0) and self.encoder() is not None:
            self._fill()
            if not self.failure:
                self._store.write(partial(set_local_setting, self._store, _WAITING, 0))

    def reembed(self, progress: Progress | None = None) -> int:
        """Give every memory vectors of the encoder in use; return how many got them.

        Vectors of another encoder are replaced batch by batch; interrupted, it goes on where it
        was.
        """
        encoder = self.encoder()
        if encoder is None:
            raise EncoderError(f"{self.encoder_note}; open the store with a model")
        total, done = self._unembedded(), 0
        while count := self._store.write(self._embed_batch, derived=True):
            done += count
            if progress:
                progress(done, max(total, done))
        if self.failure:
            raise EncoderError(self.failure)
        self._store.write(self._drop_old_models, derived=True)
        return done

    # -- internals

    def _fill(self) -> int:
        """Embed memories that no encoder has cut yet, in how many transactions is returned; those
        of another model wait for `reembed`."""
        batches = 0
        while self.encoder() and self._store.write(self._fill_batch, derived=True):
            batches += 1
        return batches

    def _fill_batch(self) -> int:
        return self._embed_some(self._store.all("memories_search.untokenized", limit=BATCH))

    def _remove_vectors(self, ids: str) -> None:
        self._store.run("memories_search.count_embedding_change")
        for query in (
            "memories_search.delete_embeddings",
            "memories_search.delete_embedding_bits",
            "memories_search.delete_tokens",
            "memories_search.leave_clusters",
            "memories_search.delete_cluster_members",
        ):
            self._store.run(query, ids=ids)

    def _embed_batch(self) -> int:
        model_id = self._current_model_id()
        rows = self._store.all("memories_search.unembedded", model_id=model_id, limit=BATCH)
        return self._embed_some(rows)

    def _unembedded(self) -> int:
        model_id = self._current_model_id()
        return int(self._store.value("memories_search.unembedded_count", model_id=model_id))

    def _embed_or_defer(self, texts: Sequence[Row]) -> None:
        """Replace the vectors of these memories (id, text); a slow encoder leaves some for
        `catch_up`. Inside `write`."""
        done = self._embed_some(texts)
        if rest := texts[done:]:
            self._remove_vectors(listed(number for number, _ in rest))
            self._deferred |= done > 0

    def _embed_some(self, texts: Sequence[Row]) -> int:
        """Replace the vectors of as many of these as are embedded at once; return how many."""
        if not texts:
            return 0
        encoder = self.encoder()
        first = texts if encoder is None else at_once(encoder, texts)
        results = self._embedded(encoder, [text for _, text in first])
        if encoder is None or results is None:
            if not local_setting(self._store, _WAITING, 0):
                set_local_setting(self._store, _WAITING, 1)
            return 0
        self._remove_vectors(listed(number for number, _ in first))
        model_id = self._own_model_id(encoder)
        made = [(number, result) for (number, _), result in zip(first, results, strict=True)]
        pieces = (token_row(number, model_id, result) for number, result in made)
        self._store.run_many("memories_search.set_tokens", pieces)
        rows = [row for n, result in made for row in vector_rows(n, model_id, result.vectors)]
        self._store.run_many("memories_search.add_embedding", (vector for vector, _ in rows))
        self._store.run_many("memories_search.add_embedding_bits", (bits for _, bits in rows))
        return len(first)

    def _embedded(self, encoder: Encoder | None, texts: Sequence[str]) -> list[Embedded] | None:
        """Return what an encoder makes of texts; None, and the reason noted, if it fails."""
        self.failure = None
        try:
            return None if encoder is None else encoder.embed(texts)
        except (EncoderError, ImportError) as error:
            self.failure = f"no vectors of what was written last: {error}"
            return None

    def _current_model_id(self) -> int:
        """Return the encoder's number, or one that no row has if it has made nothing here yet."""
        number = self.model_id()
        return _NO_MODEL if number is None else number

    def _own_model_id(self, encoder: Encoder) -> int:
        number = self.model_id()
        if number is None:
            self._store.run(
                "memories_search.add_embedding_model",
                name=encoder.name,
                dimensions=encoder.dimensions,
                changes=int(self._store.clock() * 1000),
            )
            number = self.model_id()
        if number is None:
            raise StoreError(f"encoder {encoder.name} could not be registered; run 'memkit check'")
        return number

    def _drop_old_models(self) -> None:
        if (number := self.model_id()) is not None:
            self._store.run("memories_search.drop_unused_embedding_models", keep=number)


def listed(ids: Iterable[int]) -> str:
    """Return ids as the JSON list that queries take."""
    return json.dumps(list(ids))


# --- Rows of embedded texts: token ids, vectors, sign bits; and the state of the vectors.

VectorRow = dict[str, object]


class VectorState(NamedTuple):
    """State of the vectors: whose are stored, which encoder is in use, how many lag."""

    encoder: str
    dimensions: int
    stored: Mapping[str, int]
    waiting: int
    note: str | None


def at_once(encoder: Encoder, texts: Sequence[Any]) -> Sequence[Any]:
    """Return the first (id, text), at least one, that an encoder embeds in one transaction: all,
    unless it says how many characters."""
    left: float = getattr(encoder, "characters_at_once", float("inf"))
    for count, (_, text) in enumerate(texts):
        left -= len(text)
        if left < 0:
            return texts[: max(count, 1)]
    return texts


def token_row(number: int, model_id: int, result: Embedded) -> VectorRow:
    """Return the row of the ids into which a memory's text was cut."""
    ids = struct.pack(f"<{len(result.token_ids)}I", *result.token_ids)
    return {"id": number, "model_id": model_id, "ids": ids}


def vector_rows(
    number: int, model_id: int, vectors: Iterable[Any]
) -> Iterator[tuple[VectorRow, VectorRow]]:
    """Yield for each vector of a memory its row and the row of its bits; one without direction, as
    a user's encoder may give it, would be close to everything, and is left out."""
    for chunk, vector in enumerate(vector for vector in vectors if unit(vector) is not None):
        place: VectorRow = {"id": number, "chunk": chunk, "model_id": model_id}
        yield place | {"vector": quantize(vector)}, place | {"bits": sign_bits(vector)}

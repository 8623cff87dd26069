"""The words of every file, kept beside the graph and brought up to date when a question comes.

A file's words are read again when its content has changed, so that indexing does not pay for
questions that are never asked, but for small trees. Loaded, they are a few arrays over all files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ..encoder.static import packaged_encoder
from ..errors import ModelMissing, StoreBusy, StoreReadOnly
from . import wording
from .corpus import HALF, Corpus, corpus
from .watching import Watch

if TYPE_CHECKING:
    from ..encoder.protocol import Vector
    from ..store.store import Row, Store

# Files whose words are written in one transaction.
BATCH = 500
# Letters of defined names that a file's vector is made from; the first ones set its direction.
_MOST_NAMES = 4_000


class Lexicon:
    """The words of one store's files."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tree = Watch(store)
        self._encoder = packaged_encoder()
        self._loaded: Corpus | None = None
        self._state: object = None
        self._sizes: Row | None = None

    def prepare(self) -> None:
        """Read the words now if they are those of few files: then no question has to write."""
        unread = self._store.all("codegraph_relevance.unread")
        if len(unread) <= BATCH:
            self._refreshed(unread)

    def corpus(self) -> Corpus:
        """Return every file with its words as they are now; loaded again when they changed."""
        state = self._store.state()
        if self._loaded is not None and self._state == state:
            return self._loaded
        fresh = self._refreshed(self._store.all("codegraph_relevance.unread"))
        sizes = self._store.one("codegraph_relevance.sizes")
        if self._loaded is None or fresh is not None or self._sizes != sizes:
            known = {row[0]: row for row in self._store.all("codegraph_relevance.words")}
            known |= {row[0]: row for row in fresh or ()}
            self._loaded = corpus(sorted(known.values(), key=lambda row: str(row[1])))
            self._sizes = sizes
        self._state = self._store.state()
        return self._loaded

    def vector(self, text: str) -> Vector | None:
        """Return the direction of a text, or None if the model is missing or knows none of it."""
        try:
            return self._encoder.embed([text])[0].vector
        except ModelMissing:
            return None

    # -- inside

    def _refreshed(self, unread: Sequence[Row]) -> list[Row] | None:
        """Bring the stored words up to date; return those that could not be stored, None if there
        was nothing to do."""
        held: list[Row] = []
        for start in range(0, len(unread), BATCH):
            batch = unread[start : start + BATCH]
            rows = self._words(batch)
            try:
                with self._store.hurried():
                    self._store.write(partial(self._put, rows))
            except (StoreReadOnly, StoreBusy):
                held += [
                    (row["file"], path, lines, row["words"], row["bits"])
                    for row, (_, path, _, lines) in zip(rows, batch, strict=True)
                ]
        return held if unread else None

    def _put(self, rows: Iterable[dict[str, Any]]) -> None:
        self._store.run("codegraph_relevance.drop_words")
        self._store.run_many("codegraph_relevance.put_words", rows)

    def _words(self, batch: Sequence[Row]) -> list[dict[str, Any]]:
        names: dict[int, list[str]] = {}
        ids = json.dumps([row[0] for row in batch])
        for file, name in self._store.all("codegraph_relevance.names_in", files=ids):
            names.setdefault(file, []).append(name)
        return [
            {
                "file": file,
                "hash": content,
                "words": wording.pack(self._text(path), names.get(file, ())),
                "bits": self._bits(path, names.get(file, ())),
            }
            for file, path, content, _ in batch
        ]

    def _text(self, path: str) -> str:
        data = self._tree.read(path)
        return "" if data is None else data.decode("utf-8", "replace")

    def _bits(self, path: str, names: Iterable[str]) -> bytes:
        """Return the signs of the vectors of path and names; zeros where there is no vector."""
        import numpy as np

        named = " ".join(dict.fromkeys(" ".join(wording.parts(name)) for name in names))
        place = " ".join(wording.parts(path))
        try:
            found = self._encoder.embed([place, f"{place} {named}"[:_MOST_NAMES]])
        except ModelMissing:
            return b""
        signs = [
            bytes(HALF) if one.vector is None else np.packbits(one.vector > 0).tobytes()
            for one in found
        ]
        return b"".join(signs)

"""The words of every file, kept beside the graph and brought up to date when a question comes.

A file's words are read again when its content has changed, so that indexing does not pay for
questions that are never asked. Loaded, they are a few arrays over all files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from ..encoder.static import PACKAGED_DIMENSIONS, packaged_encoder
from ..errors import ModelMissing
from . import wording
from .watching import Watch

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..encoder.protocol import Vector
    from ..store.connection import Row, Store

    Numbers = npt.NDArray[np.int32]

# Files whose words are written in one transaction.
BATCH = 500
# Letters of defined names that a file's vector is made from; the first ones set its direction.
_MOST_NAMES = 4_000
_HALF = PACKAGED_DIMENSIONS // 8


@attrs.frozen(eq=False)
class Corpus:
    """Every file as questions see it, in order of path.

    Attributes:
        ids, paths, lines: of each file. names, folders: stems of its own name and of its folders.
        stems, how, owner: one entry a word: its number, how it occurs (wording.ONCE …), its file.
        lengths: words of each file.
        directions: signs of the vectors of path and of defined names, of length 1; None without a
            model.
    """

    ids: tuple[int, ...]
    paths: tuple[str, ...]
    lines: tuple[int, ...]
    names: tuple[frozenset[str], ...]
    folders: tuple[frozenset[str], ...]
    stems: Numbers
    how: Numbers
    owner: Numbers
    lengths: Numbers
    directions: tuple[Vector, Vector] | None

    def __len__(self) -> int:
        return len(self.ids)


class Lexicon:
    """The words of one store's files."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._tree = Watch(store)
        self._encoder = packaged_encoder()
        self._loaded: tuple[object, Corpus] | None = None

    def corpus(self) -> Corpus:
        """Return every file with its words as they are now; loaded again when the file changed."""
        fresh = self._refreshed()
        state = self._store.state()
        if self._loaded is None or self._loaded[0] != state or fresh:
            rows = self._store.all("relevance.words")
            known = {row[0]: row for row in rows} | {row[0]: row for row in fresh}
            order = sorted(known.values(), key=lambda row: str(row[1]))
            self._loaded = (state, _corpus(order))
        return self._loaded[1]

    def vector(self, text: str) -> Vector | None:
        """Return the direction of a text, or None if the model is missing or knows none of it."""
        try:
            return self._encoder.embed([text])[0].vector
        except ModelMissing:
            return None

    # -- inside

    def _refreshed(self) -> list[Row]:
        """Bring the stored words up to date; return those that could not be stored."""
        unread = self._store.all("relevance.unread")
        held: list[Row] = []
        for start in range(0, len(unread), BATCH):
            batch = unread[start : start + BATCH]
            rows = self._words(batch)
            if self._store.readonly:
                held += [
                    (row["file"], path, 0, row["words"], row["bits"])
                    for row, (_, path, *_) in zip(rows, batch, strict=True)
                ]
            else:
                self._store.write(partial(self._put, rows))
        return held

    def _put(self, rows: Iterable[dict[str, Any]]) -> None:
        self._store.run("relevance.drop_words")
        self._store.run_many("relevance.put_words", rows)

    def _words(self, batch: Sequence[Row]) -> list[dict[str, Any]]:
        names: dict[int, list[str]] = {}
        ids = json.dumps([row[0] for row in batch])
        for file, name in self._store.all("relevance.names_in", files=ids):
            names.setdefault(file, []).append(name)
        return [
            {
                "file": file,
                "hash": content,
                "words": wording.pack(self._text(path, status), names.get(file, ())),
                "bits": self._bits(path, names.get(file, ())),
            }
            for file, path, status, content in batch
        ]

    def _text(self, path: str, status: str) -> str:
        data = self._tree.read(path) if status == "parsed" else None
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
            bytes(_HALF) if one.vector is None else np.packbits(one.vector > 0).tobytes()
            for one in found
        ]
        return b"".join(signs)


def _corpus(rows: Sequence[Row]) -> Corpus:
    import numpy as np

    paths = tuple(row[1] for row in rows)
    blobs = [row[3] for row in rows]
    lengths = np.array([len(blob) // wording.BYTES for blob in blobs], dtype=np.int32)
    raw = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(-1, wording.BYTES).astype(np.int32)
    words = raw[:, 0] | raw[:, 1] << 8 | raw[:, 2] << 16
    places = [wording.of_path(path) for path in paths]
    return Corpus(
        ids=tuple(row[0] for row in rows),
        paths=paths,
        lines=tuple(row[2] for row in rows),
        names=tuple(name for name, _ in places),
        folders=tuple(folder for _, folder in places),
        stems=words >> 2,
        how=words & 3,
        owner=np.repeat(np.arange(len(rows), dtype=np.int32), lengths),
        lengths=lengths,
        directions=_directions([row[4] for row in rows]),
    )


def _directions(bits: Sequence[bytes]) -> tuple[Vector, Vector] | None:
    import numpy as np

    if not bits or any(len(one) != 2 * _HALF for one in bits):
        return None
    raw = np.frombuffer(b"".join(bits), dtype=np.uint8).reshape(-1, 2 * _HALF)
    halves = []
    for half in (raw[:, :_HALF], raw[:, _HALF:]):
        signs = np.unpackbits(half, axis=1).astype(np.float32) * 2 - 1
        signs[~half.any(axis=1)] = 0.0
        halves.append(signs / np.float32(PACKAGED_DIMENSIONS**0.5))
    return halves[0], halves[1]

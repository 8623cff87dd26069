"""Signs of the vectors of one file in memory: what is nearest to a memory, roughly.

What is near is looked up for every statement that is written, and for each of all in a scan, so the
signs (32 bytes a memory) are read once and then only those of memories that were added. One that
was changed or deleted meanwhile may still be found by its former vector, which does no harm to who
looks at the memories themselves; after some such changes all are read anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from ..store.store import Row, Store
    from .search_index import Index

# Changes of vectors that are not new memories, after which all signs are read anew.
_MOST_UNEXPLAINED = 16
# Rows for which there is room at least when there is no room for another one.
_ROOM = 1024


@attrs.frozen
class EncodedSigns:
    """The signs of a vector, and the name of the encoder that made it."""

    encoder: str
    bits: bytes


@attrs.define(eq=False)
class _Signs:
    """Signs of vectors as 64-bit words, (words, rows), with the memory of each row.

    Attributes:
        count: rows in use. last: the largest id. unexplained: changes of vectors that no new
            memory explains.
    """

    ids: Any
    words: Any
    count: int = 0
    last: int = 0
    unexplained: int = 0

    def add(self, rows: Sequence[Row]) -> int:
        """Add rows (id, bits) in the order of their ids; return how many memories they are of."""
        import numpy as np

        if not rows:
            return 0
        until = self.count + len(rows)
        if until > len(self.ids):
            room = max(until, _ROOM) * 3 // 2
            self.ids = _widened(self.ids, room)
            self.words = _widened(self.words, room)
        self.ids[self.count : until] = ids = [row[0] for row in rows]
        size = 8 * len(self.words)
        filled = b"".join(row[1].ljust(size, b"\0")[:size] for row in rows)
        self.words[:, self.count : until] = (
            np.frombuffer(filled, np.uint64).reshape(len(rows), -1).T
        )
        self.count, self.last = until, ids[-1]
        return len({*ids})


def _widened(array: Any, room: int) -> Any:
    """Return an array with room for so many columns."""
    import numpy as np

    wide = np.zeros((*array.shape[:-1], room), array.dtype)
    wide[..., : array.shape[-1]] = array
    return wide


class VectorSigns:
    """Keeper of the signs of one store's vectors."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        # When the signs were read: of which encoder, of which opening of the file; and how often
        # vectors had changed.
        self._read_of: tuple[int, int] | None = None
        self._changes = 0
        self._signs: _Signs | None = None

    def of(self, number: int) -> EncodedSigns | None:
        """Return the signs of a memory and the encoder that made them; None without vectors."""
        encoder, state = self._index.encoder(), self._state()
        if encoder is None or state is None:
            return None
        bits = self._store.value("memories_search.signs_of", id=number, model_id=state[0])
        return None if bits is None else EncodedSigns(encoder.name, bits)

    def nearest(self, number: int, limit: int) -> dict[int, float]:
        """Return the memories nearest to one, not itself, with the cosines that their signs
        suggest; none without vectors."""
        own = self.of(number)
        return {} if own is None else self.nearest_to(own, limit, but=number)

    def nearest_to(
        self, vector: EncodedSigns, limit: int, *, but: int | None = None
    ) -> dict[int, float]:
        """Return the memories nearest to a vector, without one of them; none of another encoder."""
        import numpy as np

        encoder, state, bits = self._index.encoder(), self._state(), vector.bits
        if encoder is None or state is None or encoder.name != vector.encoder:
            return {}
        signs = self._up_to_date(*state, size=-(-len(bits) // 8))
        own = np.frombuffer(bits.ljust(8 * len(signs.words), b"\0"), np.uint64)[:, None]
        ids = signs.ids[: signs.count]
        apart = np.bitwise_count(signs.words[:, : signs.count] ^ own).sum(axis=0, dtype=np.uint16)
        if but is not None:
            apart[ids == but] = np.iinfo(np.uint16).max
        first = np.argpartition(apart, limit)[:limit] if limit < len(apart) else slice(None)
        angle = math.pi / (8 * len(bits))
        near = sorted(zip(apart[first].tolist(), ids[first].tolist(), strict=True))
        cosines: dict[int, float] = {}
        for distance, other in near:
            if other != but:
                cosines.setdefault(other, math.cos(angle * distance))
        return cosines

    def _state(self) -> Row | None:
        """Return the encoder's number in this file, and how often vectors changed."""
        return None if self._store.vector_note else self._index.model_id_and_changes()

    def _up_to_date(self, model_id: int, changes: int, *, size: int) -> _Signs:
        """Return the signs of an encoder with those of the memories that came since the last."""
        signs, read_of = self._signs, (model_id, self._store.state()[0])
        if signs is None or self._read_of != read_of or signs.unexplained > _MOST_UNEXPLAINED:
            signs = self._signs = _no_signs(size)
            signs.add(self._rows(model_id, after=signs.last))
        elif self._changes != changes:
            added = signs.add(self._rows(model_id, after=signs.last))
            signs.unexplained += max(0, abs(changes - self._changes) - added)
        self._read_of, self._changes = read_of, changes
        return signs

    def _rows(self, model_id: int, *, after: int) -> list[Row]:
        return self._store.all("memories_search.signs_after", model_id=model_id, after=after)


def _no_signs(size: int) -> _Signs:
    import numpy as np

    return _Signs(np.zeros(0, np.int64), np.zeros((size, 0), np.uint64))

"""What is stored of an embedded text: its ids, and of each vector a row and a row of bits; and how
far that is done."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from ..encoder.pack import quantize, sign_bits

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..encoder.protocol import Embedded

Row = dict[str, object]


@attrs.frozen
class VectorState:
    """How far the vectors keep up: whose are stored, which encoder is in use, how many lag."""

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


def pieces(number: int, space: int, found: Embedded) -> Row:
    """Return the row of the ids into which a memory's text was cut."""
    ids = struct.pack(f"<{len(found.token_ids)}I", *found.token_ids)
    return {"id": number, "space": space, "ids": ids}


def vectors(number: int, space: int, found: Iterable[Any]) -> Iterator[tuple[Row, Row]]:
    """Yield for each vector of a memory its row and the row of its bits."""
    for chunk, vector in enumerate(found):
        place: Row = {"id": number, "chunk": chunk, "space": space}
        yield place | {"vector": quantize(vector)}, place | {"bits": sign_bits(vector)}

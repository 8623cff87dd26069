"""Encoder of any object with `encode(list[str])`.

Its tokens are not visible, so there are no token ids, `tokenize` gives empty lists, and long text
is divided by characters.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..errors import EncoderError, ModelChanged
from .protocol import Embedded, unit

if TYPE_CHECKING:
    from .protocol import Vector

PIECE_CHARS = 400
"""Most characters encoded at once: about 90 tokens of English, and at most about 480 of Chinese,
so that a model which reads 512 tokens does not cut the end off silently."""
BATCH = 256
PROBES = ("the quick brown fox", "def open(path): return None", "rotate the signing key", "error")
_PIECE = re.compile(rf"\S(?:.{{0,{PIECE_CHARS - 2}}}\S)?(?!\S)|\S{{1,{PIECE_CHARS}}}", re.DOTALL)


@runtime_checkable
class Encodes(Protocol):
    """Protocol of a user's own object: `encode(["a", "b"])` gives two rows."""

    def encode(self, texts: list[str], /) -> object:
        """An array (or list of lists) with one row of numbers per text."""
        ...


class OpaqueEncoder(ABC):
    """Base of encoders whose tokens are not to be compared one by one.

    It shows no ids of them, so that callers have one path; `embed` is all it must supply."""

    name: str
    """Identity of the vector space."""
    dimensions: int
    """Length of every vector."""
    is_contextual = True
    characters_at_once = 4_000
    """Text that is embedded while other processes wait to write: half a second of a transformer on
    two idle cores (3 s if five others want them), where a table of tokens takes milliseconds."""

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Chunk vectors of each text, in the order given."""

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """An empty list per text: the model does not show its tokens."""
        return [[] for _ in texts]

    def token_vectors(self, ids: Sequence[int]) -> Vector:
        """An array without rows. Raises ModelChanged for ids, which must be another model's."""
        import numpy as np

        self._refuse(ids)
        return np.zeros((0, self.dimensions), dtype=np.float32)

    def pool(
        self, ids: Sequence[int], *, weights: Mapping[int, float] | None = None
    ) -> Vector | None:
        """None. Raises ModelChanged for ids, which must be another model's."""
        self._refuse(ids)
        return None

    def _refuse(self, ids: Sequence[int]) -> None:
        if len(ids):
            raise ModelChanged(
                f"token ids of another model were given to {self.name}, which has none; "
                "rebuild the vectors (memkit check --repair)"
            )


class AdaptedEncoder(OpaqueEncoder):
    """A user's object behind the encoder protocol, without token ids.

    The name holds a fingerprint of what the object answers to four fixed texts, so that another
    model of the same class and dimension is noticed.
    """

    def __init__(self, model: Encodes) -> None:
        self._model = model
        probes = self._encode(list(PROBES))
        self.dimensions = int(probes.shape[1])
        self.name = f"{_label(model)}@{_fingerprint(probes)}/own1"

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        """Chunk vectors of each text."""
        divided = [pieces(text) for text in texts]
        flat = [piece for parts in divided for piece in parts]
        rows: list[Vector | None] = []
        for start in range(0, len(flat), BATCH):
            rows.extend(unit(row) for row in self._encode(flat[start : start + BATCH]))
        results, at = [], 0
        for parts in divided:
            mine, at = rows[at : at + len(parts)], at + len(parts)
            results.append(Embedded(tuple(row for row in mine if row is not None)))
        return results

    def _encode(self, texts: list[str]) -> Vector:
        import numpy as np

        try:
            rows: Vector = np.asarray(self._model.encode(texts), dtype=np.float32)
        except Exception as error:
            raise EncoderError(
                f"{_label(self._model)}.encode failed ({type(error).__name__}: {error}); put it "
                "right, or open the store with another encoder"
            ) from error
        width = getattr(self, "dimensions", None)
        if rows.ndim != 2 or len(rows) != len(texts) or (width or rows.shape[1]) != rows.shape[1]:
            raise EncoderError(
                f"{_label(self._model)}.encode gave an array of shape {rows.shape} for "
                f"{len(texts)} texts; expected ({len(texts)}, {width or 'dimensions'})"
            )
        return rows


def pieces(text: str) -> list[str]:
    """The text in parts of at most PIECE_CHARS characters, divided at white space where it can be.

    Nothing but white space at the edges is lost; blank text has no parts.
    """
    return _PIECE.findall(text.encode("utf-8", "ignore").decode("utf-8"))


def _label(model: Encodes) -> str:
    for attribute in ("name", "model_name", "model_id"):
        label = getattr(model, attribute, None)
        if isinstance(label, str) and label:
            return label
    return type(model).__name__


def _fingerprint(probes: Vector) -> str:
    """Place and sign of the eight largest components per probe: stable against rounding noise."""
    import numpy as np

    largest = np.argsort(-np.abs(probes), axis=1, kind="stable")[:, :8]
    signs = np.take_along_axis(probes, largest, axis=1) > 0
    seen = f"{probes.shape[1]} {largest.tolist()} {signs.tolist()}"
    return hashlib.sha256(seen.encode()).hexdigest()[:12]

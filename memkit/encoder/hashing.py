"""Encoder by feature hashing: words to fixed places of a vector.

Equal texts have equal vectors and texts that share words are near, on every machine and Python:
ids and rows come from hashes, not from a random generator. For tests, and for whoever asks for it.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ..errors import InvalidInput
from ..text.patterns import lazy_pattern
from .protocol import TokenEncoder

if TYPE_CHECKING:
    from .protocol import Vector

# Words, cut between camelCase parts and at underscores; one token per Chinese, kana or Hangul
# character. Not those of ../words: how words are cut is part of the space that `name` stands for.
_CJK = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class HashedEncoder(TokenEncoder):
    """Encoder by feature hashing: words as hashed ids, each a pseudo-random unit vector."""

    def __init__(self, dimensions: int = 64) -> None:
        if dimensions < 8:
            raise InvalidInput(f"{dimensions} dimensions are too few; take 8 or more, such as 64")
        self.dimensions = dimensions
        self.name = f"hashed-words-{dimensions}@blake2b/1"

    def tokenize(self, texts: Sequence[str]) -> list[list[int]]:
        """Ids of the words of each text, without regard to case, accents and normal form."""
        return [[_identify(word) for word in _words(text)] for text in texts]

    def _rows(self, ids: Sequence[int]) -> Vector:
        import numpy as np

        return np.stack([_row(int(i), self.dimensions) for i in ids])


_WORD = lazy_pattern(rf"[{_CJK}]|[^\W_{_CJK}]+")


def _words(text: str) -> list[str]:
    parted = _CAMEL.sub(" ", text)
    if not parted.isascii():
        parted = unicodedata.normalize("NFKD", parted)
        parted = "".join(c for c in parted if not unicodedata.combining(c))
        parted = unicodedata.normalize("NFC", parted)
    return _WORD.findall(parted.casefold())


@lru_cache(maxsize=65_536)
def _identify(word: str) -> int:
    digest = hashlib.blake2b(word.encode("utf-8", "ignore"), digest_size=4).digest()
    return int.from_bytes(digest, "little")


@lru_cache(maxsize=65_536)
def _row(token: int, dimensions: int) -> Vector:
    import numpy as np

    seed = token.to_bytes(8, "little")
    noise = np.frombuffer(hashlib.shake_128(seed).digest(dimensions), dtype=np.uint8)
    centred = noise.astype(np.float32) - np.float32(127.5)
    row: Vector = centred / np.float32(np.linalg.norm(centred))
    row.setflags(write=False)
    return row

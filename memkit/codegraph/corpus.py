"""Every file as questions see it: a few arrays over all files, and where which word occurs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ..encoder.static import PACKAGED_DIMENSIONS
from . import wording

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..encoder.protocol import Vector
    from ..store.store import Row

    Numbers = npt.NDArray[np.int32]
    Column = npt.NDArray[np.float32]

# Bytes of the signs of one vector.
HALF = PACKAGED_DIMENSIONS // 8
# Files that try the code out or show it: what is asked for is seldom in them.
_ASIDE = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|fixtures?|testdata|examples?|samples?|docs?|bench\w*)/"
    r"|(^|/)(test_[^/]*|conftest)\.\w+$|[._-](tests?|spec)\.\w+$"
)


@attrs.frozen(eq=False)
class Corpus:
    """Every file, in order of path; a file's place is its number in that order.

    Attributes:
        ids, paths: of each file. place: of each id.
        called, inside: the files that have a stem in their own name, in the names of their folders.
        parts: stems in each file's own name. lines: logarithm of the lines. folder: its number.
        aside: 1 for tests, examples and the like.
        stems, how, owner: one entry a word: its number, how it occurs (wording.ONCE …), its file.
        starts, lengths: where the words of each file begin, and how many there are.
        directions: signs of the vectors of path and of defined names, of length 1; None without a
            model.
    """

    ids: tuple[int, ...]
    paths: tuple[str, ...]
    place: Mapping[int, int]
    called: Mapping[str, Numbers]
    inside: Mapping[str, Numbers]
    parts: Column
    lines: Column
    folder: Numbers
    aside: Column
    stems: Numbers
    how: Numbers
    owner: Numbers
    starts: Numbers
    lengths: Numbers
    directions: tuple[Vector, Vector] | None

    def __len__(self) -> int:
        return len(self.ids)

    def occurring(self, word: str) -> tuple[Numbers, Numbers]:
        """Return the files that hold a stem, and how it occurs in each."""
        import numpy as np

        at = np.flatnonzero(self.stems == wording.number(word))
        return self.owner[at], self.how[at]


def corpus(rows: Sequence[Row]) -> Corpus:
    """Return rows of `codegraph_relevance.words`, in order of path, as a corpus."""
    import numpy as np

    paths = tuple(row[1] for row in rows)
    blobs = [row[3] for row in rows]
    lengths = np.array([len(blob) // wording.BYTES for blob in blobs], dtype=np.int32)
    raw = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(-1, wording.BYTES).astype(np.int32)
    words = raw[:, 0] | raw[:, 1] << 8 | raw[:, 2] << 16
    places = [wording.of_path(path) for path in paths]
    folders: dict[str, int] = {}
    numbers = [folders.setdefault(posixpath.dirname(path), len(folders)) for path in paths]
    return Corpus(
        ids=tuple(row[0] for row in rows),
        paths=paths,
        place={row[0]: at for at, row in enumerate(rows)},
        called=_holders([name for name, _ in places]),
        inside=_holders([folder for _, folder in places]),
        parts=np.array([max(len(name), 1) for name, _ in places], dtype=np.float32),
        lines=np.log(np.maximum(np.array([row[2] for row in rows], dtype=np.float32), 1.0)),
        folder=np.array(numbers, dtype=np.int32),
        aside=np.array([bool(_ASIDE.search(path)) for path in paths], dtype=np.float32),
        stems=words >> 2,
        how=words & 3,
        owner=np.repeat(np.arange(len(rows), dtype=np.int32), lengths),
        starts=np.cumsum(lengths, dtype=np.int32) - lengths,
        lengths=lengths,
        directions=_directions([row[4] for row in rows]),
    )


def _holders(sets: Sequence[frozenset[str]]) -> dict[str, Numbers]:
    import numpy as np

    found: dict[str, list[int]] = {}
    for at, words in enumerate(sets):
        for word in words:
            found.setdefault(word, []).append(at)
    return {word: np.array(places, dtype=np.int32) for word, places in found.items()}


def _directions(bits: Sequence[bytes]) -> tuple[Vector, Vector] | None:
    """Return two matrices of signs; rows of zeros for files without."""
    import numpy as np

    if not any(bits):
        return None
    nothing = bytes(2 * HALF)
    raw = np.frombuffer(b"".join(one or nothing for one in bits), dtype=np.uint8)
    raw = raw.reshape(-1, 2 * HALF)
    halves = []
    for half in (raw[:, :HALF], raw[:, HALF:]):
        signs = np.unpackbits(half, axis=1).astype(np.float32) * 2 - 1
        signs[~half.any(axis=1)] = 0.0
        halves.append(signs / np.float32(PACKAGED_DIMENSIONS**0.5))
    return halves[0], halves[1]

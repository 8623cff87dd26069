"""Terms per file, corpus arrays."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

import attrs

from ...encoder.static import PACKAGED_DIMENSIONS, packaged_encoder
from ...errors import ModelMissing, StoreBusy, StoreReadOnly
from ...text import analyzer
from ...text.analyzer import stem
from ..dialect import of_tests
from ..index.workspace import Watch
from .symbol_lookup import MODULE_NAMES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...encoder.protocol import Vector
    from ...store.store import Row, Store

    Numbers = npt.NDArray[np.int32]
    Column = npt.NDArray[np.float32]


# --- Terms: identifiers in parts, word stems, and the numbers they are stored by.
#
# `getUserName`, `get_user_name` and "user names" meet in the stems get, user, nam.

# A stem is stored as so many bits of its checksum, beside two bits that say how often it occurs: by
# chance one file in 20,000 seems to hold a given word.
_STEM_BITS = 22
BYTES = 3
# How often a word occurs in a file, from rarely to as a part of a defined name.
ONCE, SOME, OFTEN, DEFINED = range(4)
_SOME, _OFTEN = 2, 5
# Files that are a module called after their folder; more that are called after nothing.
_UNTELLING = MODULE_NAMES | {"__main__", "main", "lib", "doc"}

WORD = re.compile(r"[^\W\d]\w*|\d+")


def parts(identifier: str) -> list[str]:
    """Return the parts of an identifier or path in lower case: HTTPServer2 is http, server, 2."""
    return [part.lower() for part in analyzer.parts(identifier)]


@lru_cache(maxsize=200_000)
def stems(identifier: str) -> tuple[str, ...]:
    """Return the stems of an identifier's parts."""
    return tuple(map(stem, parts(identifier)))


def stems_of(text: str) -> Iterator[str]:
    """Yield the stems of every word of a text."""
    for word in WORD.findall(text):
        yield from stems(word)


def of_path(path: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of a file's own name and of the folders it is in.

    `jwt/index.ts` is called jwt: index, mod, __init__ tell nothing.
    """
    folder, base = posixpath.split(path)
    name = base.split(".")[0] or base
    if name in _UNTELLING and folder:
        folder, name = posixpath.split(folder)
    return frozenset(stems_of(name)), frozenset(stems_of(folder))


@lru_cache(maxsize=200_000)
def number(stem_: str) -> int:
    """Return the number by which a stem is stored."""
    return crc32(stem_.encode("utf-8", "replace")) >> (32 - _STEM_BITS)


@lru_cache(maxsize=200_000)
def _numbers(identifier: str) -> tuple[int, ...]:
    return tuple(map(number, stems(identifier)))


def pack(text: str, names: Iterable[str]) -> bytes:
    """Return the words of a file's text and defined names: BYTES each, sorted.

    Each is the stem's number times four plus ONCE, SOME, OFTEN or DEFINED.
    """
    counts: dict[int, int] = {}
    for word, count in Counter(WORD.findall(text)).items():
        for code in _numbers(word):
            counts[code] = counts.get(code, 0) + count
    frequency = {
        code: ONCE if count < _SOME else SOME if count < _OFTEN else OFTEN
        for code, count in counts.items()
    }
    for name in names:
        frequency |= dict.fromkeys(_numbers(name), DEFINED)
    words = sorted(code << 2 | kind for code, kind in frequency.items())
    return b"".join([word.to_bytes(BYTES, "little") for word in words])


# --- Corpus: arrays over all files, and which file holds which term.

# Bytes of the signs of one vector.
HALF = PACKAGED_DIMENSIONS // 8
# Files that try the code out or show it: what is asked for is seldom in them.
_AUXILIARY = re.compile(
    r"(^|/)(tests?|testing|specs?|__tests__|fixtures?|testdata|mocks?|__mocks__|e2e|examples?"
    r"|samples?|demos?|playgrounds?|docs?|website|bench\w*)/"
    r"|(^|/)(test_[^/]*|conftest)\.\w+$|[._-](tests?|spec)\.\w+$"
)


def is_auxiliary(path: str) -> bool:
    """Whether a file tries the code out or shows it: tests, examples, documents."""
    return bool(_AUXILIARY.search(path)) or of_tests(path)


@attrs.frozen(eq=False)
class Corpus:
    """Every file, in order of path; a file's position is its number in that order.

    Attributes:
        ids, paths: of each file. positions: of each id.
        by_name, by_folder: the files that have a stem in their own name, in those of their folders.
        parts: stems in each file's own name. lines: logarithm of the lines. folder: its number.
        auxiliary: 1 for tests, examples and the like.
        stems, frequency, owner: one entry a word: its number, how often it occurs (ONCE …), its
            file.
        starts, lengths: where the words of each file begin, and how many there are.
        directions: signs of the vectors of path and of defined names, of length 1; None without a
            model.
    """

    ids: tuple[int, ...]
    paths: tuple[str, ...]
    positions: Mapping[int, int]
    by_name: Mapping[str, Numbers]
    by_folder: Mapping[str, Numbers]
    parts: Column
    lines: Column
    folder: Numbers
    auxiliary: Column
    stems: Numbers
    frequency: Numbers
    owner: Numbers
    starts: Numbers
    lengths: Numbers
    directions: tuple[Vector, Vector] | None

    def __len__(self) -> int:
        return len(self.ids)

    def occurring(self, word: str) -> tuple[Numbers, Numbers]:
        """Return the files that hold a stem, and how often it occurs in each."""
        import numpy as np

        at = np.flatnonzero(self.stems == number(word))
        return self.owner[at], self.frequency[at]


def corpus(rows: Sequence[Row]) -> Corpus:
    """Return rows of `codegraph_search.terms`, in order of path, as a corpus."""
    import numpy as np

    paths = tuple(row[1] for row in rows)
    blobs = [row[3] for row in rows]
    lengths = np.array([len(blob) // BYTES for blob in blobs], dtype=np.int32)
    raw = np.frombuffer(b"".join(blobs), dtype=np.uint8).reshape(-1, BYTES).astype(np.int32)
    words = raw[:, 0] | raw[:, 1] << 8 | raw[:, 2] << 16
    places = [of_path(path) for path in paths]
    folders: dict[str, int] = {}
    numbers = [folders.setdefault(posixpath.dirname(path), len(folders)) for path in paths]
    return Corpus(
        ids=tuple(row[0] for row in rows),
        paths=paths,
        positions={row[0]: at for at, row in enumerate(rows)},
        by_name=_holders([name for name, _ in places]),
        by_folder=_holders([folder for _, folder in places]),
        parts=np.array([max(len(name), 1) for name, _ in places], dtype=np.float32),
        lines=np.log(np.maximum(np.array([row[2] for row in rows], dtype=np.float32), 1.0)),
        folder=np.array(numbers, dtype=np.int32),
        auxiliary=np.array([is_auxiliary(path) for path in paths], dtype=np.float32),
        stems=words >> 2,
        frequency=words & 3,
        owner=np.repeat(np.arange(len(rows), dtype=np.int32), lengths),
        starts=np.cumsum(lengths, dtype=np.int32) - lengths,
        lengths=lengths,
        directions=_directions([row[4] for row in rows]),
    )


def _holders(sets: Sequence[frozenset[str]]) -> dict[str, Numbers]:
    import numpy as np

    positions: dict[str, list[int]] = {}
    for at, words in enumerate(sets):
        for word in words:
            positions.setdefault(word, []).append(at)
    return {word: np.array(places, dtype=np.int32) for word, places in positions.items()}


def _directions(bits: Sequence[bytes]) -> tuple[Vector, Vector] | None:
    """Return two matrices of signs; rows of zeros for files without."""
    import numpy as np

    if not any(bits):
        return None
    nothing = bytes(2 * HALF)
    raw = np.frombuffer(b"".join(blob or nothing for blob in bits), dtype=np.uint8)
    raw = raw.reshape(-1, 2 * HALF)
    halves = []
    for half in (raw[:, :HALF], raw[:, HALF:]):
        signs = np.unpackbits(half, axis=1).astype(np.float32) * 2 - 1
        signs[~half.any(axis=1)] = 0.0
        halves.append(signs / np.float32(PACKAGED_DIMENSIONS**0.5))
    return halves[0], halves[1]


# --- Term index: stored terms of every file, brought up to date when a query comes.
#
# A file's words are read again when its content has changed, so that indexing does not pay for
# questions that are never asked, but for small trees. Loaded, they are a few arrays over all
# files.

# Files whose words are written in one transaction.
BATCH = 500
# Letters of defined names that a file's vector is made from; the first ones set its direction.
_MAX_NAME_CHARS = 4_000


class TermIndex:
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
        unread = self._store.all("codegraph_search.files_without_terms")
        if len(unread) <= BATCH:
            self._refreshed(unread)

    def corpus(self) -> Corpus:
        """Return every file with its words as they are now; loaded again when they changed."""
        state = self._store.state()
        if self._loaded is not None and self._state == state:
            return self._loaded
        fresh = self._refreshed(self._store.all("codegraph_search.files_without_terms"))
        sizes = self._store.first("codegraph_search.sizes")
        if self._loaded is None or fresh is not None or self._sizes != sizes:
            known = {row[0]: row for row in self._store.all("codegraph_search.terms")}
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
                    (row["file"], path, lines, row["terms"], row["bits"])
                    for row, (_, path, _, lines) in zip(rows, batch, strict=True)
                ]
        return held if unread else None

    def _put(self, rows: Iterable[dict[str, Any]]) -> None:
        self._store.run("codegraph_search.drop_terms")
        self._store.run_many("codegraph_search.put_terms", rows)

    def _words(self, batch: Sequence[Row]) -> list[dict[str, Any]]:
        names: dict[int, list[str]] = {}
        ids = json.dumps([row[0] for row in batch])
        for file, name in self._store.all("codegraph_search.names_in", files=ids):
            names.setdefault(file, []).append(name)
        return [
            {
                "file": file,
                "hash": content,
                "terms": pack(self._text(path), names.get(file, ())),
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

        named = " ".join(dict.fromkeys(" ".join(parts(name)) for name in names))
        place = " ".join(parts(path))
        try:
            embeddings = self._encoder.embed([place, f"{place} {named}"[:_MAX_NAME_CHARS]])
        except ModelMissing:
            return b""
        signs = [
            bytes(HALF) if embedding.vector is None else np.packbits(embedding.vector > 0).tobytes()
            for embedding in embeddings
        ]
        return b"".join(signs)

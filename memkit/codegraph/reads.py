"""Keys of other files' names that the edges of a file were made from, in the form in which they lie
in the file: hashes side by side."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

KEY_BYTES = 3
# Keys whose hashes are at hand: files that lie side by side read much the same.
_KEYS_AT_HAND = 20_000
# Keys of what binds a name or a member, and of bases; see resolve/keys.py.
_OF_NAMES = frozenset("nab")
_INITIALISER = "<init>"
# Keys up to which looking for each of them is faster than cutting every set into its keys.
_FEW_KEYS = 50


def key_hash(key: str) -> bytes:
    """Return the hash of a key; two keys of one hash only cause work that changes nothing."""
    return owner_and_hash(key)[1]


@lru_cache(maxsize=_KEYS_AT_HAND)
def owner_and_hash(key: str) -> tuple[str, bytes]:
    """Return the file or namespace that a key is of, and the key's hash.

    A name in a file is one, whatever it is a name of there: who looks for a member does so in
    class after class, and reads what a class is, and of which bases. Initialisers have no name.
    """
    kind, _, rest = key.partition(":")
    owner, _, name = rest.rpartition(":")
    if kind in _OF_NAMES and not name.endswith(_INITIALISER):
        key = f"{owner}:{name.rpartition('.')[2]}"
    return owner, zlib.crc32(key.encode("utf-8", "replace")).to_bytes(4, "big")[:KEY_BYTES]


def readers(sets: Sequence[tuple[int, bytes]], hashes: frozenset[bytes]) -> set[int]:
    """Return the files whose stored set has one of the keys of these hashes, of pairs of file and
    set; rarely one without need."""
    if len(hashes) > _FEW_KEYS:
        return {file for file, keys in sets if not hashes.isdisjoint(_cut(keys))}
    text = b"".join(keys for _, keys in sets)
    ends = list(accumulate(len(keys) for _, keys in sets))
    return {sets[bisect_right(ends, at)][0] for one in hashes for at in _places(text, one)}


def _places(text: bytes, key: bytes) -> Iterator[int]:
    """Yield where a key stands in many of them."""
    at = text.find(key)
    while at >= 0:
        if at % KEY_BYTES == 0:
            yield at
        at = text.find(key, at + 1)


def _cut(keys: bytes) -> list[bytes]:
    return [keys[at : at + KEY_BYTES] for at in range(0, len(keys), KEY_BYTES)]

"""Words of code and of questions about it: identifiers in parts, word stems, numbers for both.

`getUserName`, `get_user_name` and "user names" meet in the stems get, user, nam.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from zlib import crc32

from ..text import analyzer
from ..text.analyzer import stem

# A stem is stored as so many bits of its checksum, beside two bits that say how it occurs: by
# chance one file in 20,000 seems to hold a given word.
_STEM_BITS = 22
BYTES = 3
# How a word occurs in a file, from rarely to as a part of a defined name.
ONCE, SOME, OFTEN, DEFINED = range(4)
_SOME, _OFTEN = 2, 5
# Files that are a module called after their folder; more that are called after nothing.
MODULE_NAMES = frozenset({"index", "mod", "__init__"})
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
        for found in _numbers(word):
            counts[found] = counts.get(found, 0) + count
    how = {
        found: ONCE if count < _SOME else SOME if count < _OFTEN else OFTEN
        for found, count in counts.items()
    }
    for name in names:
        how |= dict.fromkeys(_numbers(name), DEFINED)
    words = sorted(found << 2 | kind for found, kind in how.items())
    return b"".join(word.to_bytes(BYTES, "little") for word in words)

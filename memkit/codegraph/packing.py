"""The forms in which facts, keys and digests lie in the file: small, and safe to read from anybody.

Facts are JSON under zlib, never a format that could run something. What stands elsewhere in the
row or is of no use to linking (columns of sites, texts' digests) is left out.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Iterable
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import Any

from ..errors import StoreDamaged
from .facts import Definition, Facts, Param, Scope, Site

# Unpacked, no file that is read (scanning.MOST_BYTES) gives more; a bomb would.
_MOST_BYTES = 256 * 1024 * 1024
_LEVEL = 6
# Bits of a text's digest that are kept: as an integer it takes six bytes.
_DIGEST_BITS = 47
_KEY_BYTES = 4


def pack(facts: Facts) -> bytes:
    """Return facts in the stored form."""
    lines = [0, *(site[0] for site in facts.sites)]
    document = [
        facts.doc,
        [_definition(found) for found in facts.definitions],
        facts.scopes,
        [after - before for before, after in pairwise(lines)],
        facts.statements,
    ]
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    squeezer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -15, 9, zdict=_DICTIONARY)
    return squeezer.compress(text.encode("utf-8", "surrogatepass")) + squeezer.flush()


def unpack(
    blob: bytes, *, path: str, language: str, namespace: str, errors: int, lines: int
) -> Facts:
    """Return facts from the stored form; columns of sites and digests are empty.

    Raises StoreDamaged if the bytes are none.
    """
    try:
        doc, definitions, scopes, sites, statements = _document(blob)
        return Facts(
            path=path,
            language=language,
            namespace=namespace,
            definitions=tuple(_defined(found) for found in definitions),
            scopes=tuple(Scope(*scope) for scope in scopes),
            sites=tuple(Site(line, 0) for line in accumulate(sites)),
            statements=tuple(statements),
            errors=errors,
            doc=doc,
            lines=lines,
        )
    except (ValueError, TypeError, zlib.error, RecursionError) as error:
        raise StoreDamaged(
            f"code_facts of {path}: is not as memkit makes it ({error}); run 'memkit index'"
        ) from error


def digest_number(digest: str) -> int:
    """Return the stored form of a definition's digest (16 hex digits)."""
    return int(digest, 16) >> (64 - _DIGEST_BITS)


def key_hash(key: str) -> int:
    """Return 32 bits of a key; two keys in one number only cause work that changes nothing."""
    return int.from_bytes(blake2b(key.encode("utf-8", "replace"), digest_size=4).digest(), "little")


def pack_keys(keys: Iterable[str]) -> bytes:
    """Return the stored form of a set of keys."""
    numbers = array("I", sorted({key_hash(key) for key in keys}))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def unpack_keys(blob: bytes) -> array[int]:
    """Return the hashes of a stored set of keys."""
    numbers = array("I")
    numbers.frombytes(blob[: len(blob) // _KEY_BYTES * _KEY_BYTES])
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _document(blob: bytes) -> list[Any]:
    unsqueezer = zlib.decompressobj(-15, zdict=_DICTIONARY)
    text = unsqueezer.decompress(blob, _MOST_BYTES)
    if unsqueezer.unconsumed_tail or not unsqueezer.eof:
        raise ValueError("too large or cut off")
    found: list[Any] = json.loads(text.decode("utf-8", "surrogatepass"))
    return found


def _definition(found: Definition) -> list[Any]:
    """Return a definition as a list, from the place of its kind to that of its doc."""
    values: list[Any] = list(found[:-1])
    values[_END] -= values[_START]
    values[_END_LINE] -= values[_LINE]
    if values[_QUALNAME] == values[_NAME]:
        values[_QUALNAME] = 0
    return values


def _defined(values: list[Any]) -> Definition:
    values[_END] += values[_START]
    values[_END_LINE] += values[_LINE]
    if values[_QUALNAME] == 0:
        values[_QUALNAME] = values[_NAME]
    values[_PARAMS] = tuple(Param(*param) for param in values[_PARAMS])
    return Definition._make([*values, ""])


_NAME, _QUALNAME, _PARAMS, _START, _END, _LINE, _END_LINE = (
    Definition._fields.index(name)
    for name in ("name", "qualname", "params", "start", "end", "line", "end_line")
)

# What most files say, the commonest last, so that small files compress as well as large ones.
_DICTIONARY = b""

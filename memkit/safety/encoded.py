"""Finds tokens of a published format inside base64 and hexadecimal digits.

A run is decoded if its first characters can be those of plain text, and looked into if all of it
is: identifiers, digests and pictures are not.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator

from .findings import Finding
from .prefixed import prefixed
from .runs import Span, long_runs

_LEAST = 22  # characters of base64 that hold 16
_FIRST = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef")  # six bits of a character below 128
_HEX_FIRST = frozenset(b"234567")  # of a printable character
_URL_SAFE = bytes.maketrans(b"-_", b"+/")


def encoded(shadow: bytes, runs: list[Span]) -> Iterator[Finding]:
    """Runs of `long_runs` that hold a token once they are decoded."""
    for start, end in runs:
        if end - start < _LEAST:
            continue
        if shadow[start : start + 2] in (b"0x", b"0X"):
            start += 2
        plain = _plain(shadow, start, end)
        if plain is None:
            continue
        inner = next(prefixed(plain.decode("ascii"), plain, long_runs(plain)), None)
        if inner is not None:
            yield Finding(inner.kind, start, _padded(shadow, end))


def _plain(shadow: bytes, start: int, end: int) -> bytes | None:
    """What the run says, if that is plain text."""
    heads = shadow[start : start + 16]
    if _HEX_FIRST.issuperset(heads[::2]):
        decoded = _unhexed(shadow[start : end - (end - start) % 2])
        if decoded is not None:
            return decoded
    if not _FIRST.issuperset(heads[::4]):
        return None
    return _unbased(shadow[start:end].translate(_URL_SAFE))


def _unhexed(digits: bytes) -> bytes | None:
    try:
        decoded = binascii.unhexlify(digits)
    except binascii.Error:
        return None
    return decoded if decoded.isascii() else None


def _unbased(letters: bytes) -> bytes | None:
    rest = len(letters) % 4
    whole = letters[:-1] if rest == 1 else letters + b"=" * (-rest % 4)
    decoded = binascii.a2b_base64(whole)
    return decoded if decoded.isascii() else None


def _padded(shadow: bytes, end: int) -> int:
    return end + len(shadow[end : end + 2]) - len(shadow[end : end + 2].lstrip(b"="))

"""Finds secrets inside base64 and hexadecimal digits, and inside what is encoded there again.

A run is decoded if its first characters can be those of plain text, and looked into if all of it
is: identifiers, digests and pictures are not. What it says is looked through for tokens of a
published format, private keys, and passwords in addresses or beside their names. Each layer is
smaller than the one around it, and there are few, so that the cost grows with the length alone.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from itertools import chain

from .anchors import anchored, private_keys, urls
from .findings import Finding
from .named import named
from .prefixed import prefixed
from .runs import Span, long_runs

_LEAST = 22  # characters of base64 that hold 16
_FIRST = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef")  # six bits of a character below 128
_HEX_FIRST = frozenset(b"234567")  # of a printable character
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
# Layers of one encoding in another that are taken off; tools wrap twice, three times is a trick.
_LAYERS = 5
# One of these stands between a name and its value, in an address and around a key.
_TELLING = (":", "=", "-----")
# Lines of digits as encoders break them: all but the last are that long.
_BROKEN = re.compile(r"(?<=[A-Za-z0-9+/]{60})\r?\n(?=[A-Za-z0-9+/])")


def encoded(shadow: bytes, runs: list[Span], *, layers: int = _LAYERS) -> Iterator[Finding]:
    """Runs of `long_runs` that hold a secret once they are decoded, at most so many times."""
    for start, end in runs:
        if end - start < _LEAST:
            continue
        if shadow[start : start + 2] in (b"0x", b"0X"):
            start += 2
        plain = _plain(shadow, start, end)
        if plain is not None and (inner := _inside(_BROKEN.sub("", plain), layers)) is not None:
            yield Finding(inner.kind, start, _padded(shadow, end))


def _inside(text: str, layers: int) -> Finding | None:
    """The first secret in what was decoded, or in what is encoded there."""
    shadow = text.encode("latin-1", "replace")
    runs = long_runs(shadow)
    finders = [prefixed(text, shadow, runs)]
    if layers > 1:
        finders.append(encoded(shadow, runs, layers=layers - 1))
    if any(sign in text for sign in _TELLING):
        lower = shadow.lower()
        finders += [private_keys(text, lower), urls(text, lower), anchored(text, lower)]
        finders.append(named(text, lower))
    return next(chain(*finders), None)


def _plain(shadow: bytes, start: int, end: int) -> str | None:
    """What the run says, if that is plain text."""
    heads = shadow[start : start + 16]
    if _HEX_FIRST.issuperset(heads[::2]):
        decoded = _unhexed(shadow[start : end - (end - start) % 2])
        if decoded is not None:
            return decoded
    if not _FIRST.issuperset(heads[::4]):
        return None
    return _unbased(shadow[start:end].translate(_URL_SAFE))


def _unhexed(digits: bytes) -> str | None:
    try:
        return binascii.unhexlify(digits).decode()
    except ValueError:
        return None


def _unbased(letters: bytes) -> str | None:
    rest = len(letters) % 4
    whole = letters[:-1] if rest == 1 else letters + b"=" * (-rest % 4)
    try:
        return binascii.a2b_base64(whole).decode()
    except ValueError:
        return None


def _padded(shadow: bytes, end: int) -> int:
    return end + len(shadow[end : end + 2]) - len(shadow[end : end + 2].lstrip(b"="))

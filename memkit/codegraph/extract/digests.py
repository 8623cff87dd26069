"""What a text is known by: the same wherever it stands, and whatever it is called."""

from __future__ import annotations

from hashlib import sha256

# Bytes that words are made of; all letters beyond ASCII count.
_IN_WORDS = b"_0123456789" + bytes(range(65, 91)) + bytes(range(97, 123)) + bytes(range(128, 256))


def digest(text: bytes, name: str) -> str:
    """Return 16 hex digits of a definition's text; where its name stands does not count."""
    return sha256(_without(text, name.encode()) if name else text).hexdigest()[:16]


def _without(text: bytes, name: bytes) -> bytes:
    """Return a text with a mark in the place of each word that is a name."""
    parts, begun = [], 0
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        begins = at == 0 or text[at - 1] not in _IN_WORDS
        if begins and (end == len(text) or text[end] not in _IN_WORDS):
            parts.append(text[begun:at])
            begun = end
        at = text.find(name, end)
    return b"\0".join([*parts, text[begun:]])

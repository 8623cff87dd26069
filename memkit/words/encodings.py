"""From bytes to text, whatever they are: UTF-8, an older encoding, or damaged."""

from __future__ import annotations

import codecs


def decode(data: bytes) -> str:
    """Return the text of a file or stream: UTF-8, or UTF-16 where a byte order mark says so, or
    what the bytes look like; nothing is refused."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return beyond_utf8(data.removeprefix(codecs.BOM_UTF8))[0]


def beyond_utf8(data: bytes) -> tuple[str, str]:
    """Return the text of bytes that UTF-8 cannot read as a whole, and how it was read: what it can
    read of them if that is most, else by latin-1, which has a character for any byte."""
    text = data.decode("utf-8", "replace")
    signs = len(text) - len(text.encode("ascii", "ignore"))
    if signs > 2 * text.count("\ufffd"):  # by one wrong byte a text is not of another encoding
        return text, "utf-8 with errors"
    return data.decode("latin-1"), "latin-1"

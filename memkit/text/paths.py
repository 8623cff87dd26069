"""Paths as they are compared: one spelling of a file, however it was written.

Whoever takes a path from outside (memories, code graph, episodes) brings it into this form first,
for writing and for asking alike.
"""

from __future__ import annotations

import posixpath
import re

from .analyzer import nfc

_DRIVE = re.compile(r"[A-Za-z]:/")


def plain_path(path: str) -> str:
    """Return a path with forward slashes, accents joined to their letters, and without what leads
    nowhere (./, //, a/../, a slash at its end); dots are taken out by name, for the file need not
    exist."""
    text = nfc(path).strip().replace("\\", "/")
    if not text:
        return ""
    return (
        "/" + posixpath.normpath(text).lstrip("/") if text[0] == "/" else posixpath.normpath(text)
    )


def is_whole(path: str) -> bool:
    """Whether a plain path begins at a root or a drive, and so names a place of one machine."""
    return path.startswith("/") or _DRIVE.match(path) is not None


def below(path: str, folder: str) -> str | None:
    """Return a plain path relative to a plain folder, "." for the folder itself; None if it does
    not lie below it. The case of a path that begins with a drive does not tell."""
    top = folder.rstrip("/") + "/"
    is_below = path.startswith(top)
    if not is_below and _DRIVE.match(top):
        is_below = path.lower().startswith(top.lower())
    if is_below:
        return path[len(top) :] or "."
    return "." if path == folder else None

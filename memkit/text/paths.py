"""Paths as they are compared: one spelling of a file, however it was written.

Whoever takes a path from outside (memories, code graph, episodes) brings it into this form first,
for writing and for asking alike.
"""

from __future__ import annotations

import os
import posixpath
import re

from .analyzer import nfc

_DRIVE = re.compile(r"[A-Za-z]:/")
# What stands before a whole path where an editor names a file: file:///srv/a.py, file:///C:/a.py.
_BEFORE = re.compile(r"(?://(?:localhost)?(?=/))?(?:/(?=[A-Za-z]:/))?")


def plain_path(path: str) -> str:
    """Return a path with forward slashes, accents joined to their letters, its drive a capital, and
    without what leads nowhere (./, //, a/../, a slash at its end); dots are taken out by name, for
    the file need not exist."""
    text = nfc(path).strip().replace("\\", "/")
    if not text:
        return ""
    if text[:5].lower() == "file:":
        text = _of_uri(text)
    if text[0] == "/":
        return "/" + posixpath.normpath(text).lstrip("/")
    plain = posixpath.normpath(text)
    return plain[0].upper() + plain[1:] if _DRIVE.match(plain) else plain


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


def below_root(path: str, root: str) -> str | None:
    """Return a whole plain path relative to a root, by the names that both were given and else by
    where links lead; None if it does not lie below it. What is a link itself keeps its name."""
    plain_root = plain_path(root)
    if (inside := below(path, plain_root)) is not None:
        return inside
    real_root = plain_path(os.path.realpath(root))
    if (inside := below(path, real_root)) is not None:
        return inside
    if path[0] != "/" or "\0" in path:  # a place of another system
        return None
    folder, _, name = path.rpartition("/")
    real = plain_path(os.path.realpath(folder or "/"))
    inside = below(f"{real.rstrip('/')}/{name}", real_root)
    return inside if inside is not None else below(plain_path(os.path.realpath(path)), real_root)


def _of_uri(text: str) -> str:
    from urllib.parse import unquote

    path = _BEFORE.sub("", unquote(text[len("file:") :]), count=1)
    return path if is_whole(path) else text

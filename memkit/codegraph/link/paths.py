"""Paths inside of a tree, written with slashes."""

from __future__ import annotations


def joined(folder: str, relative: str) -> str:
    """Return a path that is written relative to a folder, without `.` and `..`."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", "..", ""):
            parts.append(part)
    return "/".join(parts)

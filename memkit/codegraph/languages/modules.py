"""Module resolution of languages whose files stand alone; paths that module names mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# --- Languages whose imports are not looked up: every file stands alone.


class Linker:
    """Finds nothing but the file itself."""

    def __init__(self, files: Sequence[tuple[str, str, str]], texts: Mapping[str, str]) -> None:
        """Take the files; settings do not matter."""

    def own(self, path: str) -> str:
        """Return the path itself."""
        return path

    def members(self, key: str) -> tuple[str, ...]:
        """Return the one file."""
        return (key,)

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def inside(self, key: str, name: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def asked(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return nothing."""
        return ()


def contributes(path: str, language: str, namespace: str) -> tuple[str, ...]:
    """Return nothing: no other file asks for one of these."""
    return ()


# --- Paths inside of a tree, written with slashes.


def joined(folder: str, relative: str) -> str:
    """Return a path that is written relative to a folder, without `.` and `..`."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", "..", ""):
            parts.append(part)
    return "/".join(parts)

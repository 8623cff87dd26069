"""Module resolver: which files a module name means, and paths that module names are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Path, language and namespace of a parsed file.
ListedFile = tuple[str, str, str]


class ModuleResolver:
    """Module names of one family of languages in one tree; by itself, of files that stand alone.

    A *namespace* is what an import can name: a text key. In most languages every file is one (the
    key is its path); Go's packages, Java's and C#'s namespaces, Ruby's trees hold many files.
    Nothing is read from disk.
    """

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the parsed files of the tree, in order, and texts of settings by path."""
        self._paths = frozenset(path for path, _, _ in files)

    def namespace(self, path: str) -> str:
        """Return the key of a file's namespace."""
        return path

    def members(self, key: str) -> tuple[str, ...]:
        """Return the paths of the files of a namespace, in order."""
        return (key,) if key in self._paths else ()

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the namespaces that a module name means in a file, best first; all of them are
        searched. Empty: outside of the tree."""
        return ()

    def is_inside(self, path: str, module: str, level: int) -> bool:
        """Whether a module name for which `find` has nothing can only mean code of this tree, so
        that it could not be placed, and does not lie outside."""
        return False

    def nested(self, key: str, name: str) -> tuple[str, ...]:
        """Return the namespaces that a member's name means below a namespace."""
        return ()

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the keys on which the result of `find` depends: each is provided by the files that
        could be the result, were they there."""
        return ()

    @staticmethod
    def named_settings(texts: Mapping[str, str]) -> frozenset[str]:
        """Return paths that are settings because others name them, whatever they are called;
        `texts` are those that are known so far."""
        return frozenset()

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the dependency keys that change when a file appears or disappears."""
        return ()


def joined(folder: str, relative: str) -> str:
    """Return a path that is written relative to a folder, without `.` and `..`."""
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part not in (".", "..", ""):
            parts.append(part)
    return "/".join(parts)

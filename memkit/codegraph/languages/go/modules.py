"""Module resolver of Go: go.mod, packages by folder.

A package is the folder of its files; the files of `package x_test` beside it are one of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..modules import ListedFile, ModuleResolver, joined

_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_PREFIX = "m:go:"
_OUTER_TEST = "_test"


class Resolver(ModuleResolver):
    """Looks import paths up among the folders of one tree."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the files, and the texts of go.mod files."""
        self._own: dict[str, str] = {}
        members: dict[str, list[str]] = {}
        for path, _, namespace in files:
            self._own[path] = _package(path, namespace)
            members.setdefault(self._own[path], []).append(path)
        self._members = {key: tuple(paths) for key, paths in members.items()}
        # Module path and folder, the longest path first.
        self._modules = sorted(
            (
                (match[1], path.rpartition("/")[0])
                for path, text in texts.items()
                if path.rpartition("/")[2] == "go.mod" and (match := _MODULE.search(text))
            ),
            key=lambda module: (-len(module[0]), module),
        )

    def namespace(self, path: str) -> str:
        """Return the folder of a file, marked if it is an outer test package."""
        return self._own.get(path, path.rpartition("/")[0])

    def members(self, key: str) -> tuple[str, ...]:
        """Return the files of a package."""
        return self._members.get(key, ())

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the folder that an import path means."""
        if module.startswith("."):
            folder = joined(path.rpartition("/")[0], module)
            return (folder,) if folder in self._members else ()
        for key in self._candidates(module):
            if key in self._members:
                return (key,)
        return self._vendored(module)

    def is_inside(self, path: str, module: str, level: int) -> bool:
        """Whether an import path is relative or one of a module of the tree."""
        return module.startswith(".") or bool(self._candidates(module))

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return keys of the last parts of the folders that may answer."""
        names = [module, *self._candidates(module)]
        return tuple(dict.fromkeys(_PREFIX + name.rpartition("/")[2] for name in names))

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the key of the last part of the file's folder."""
        return (_PREFIX + path.rpartition("/")[0].rpartition("/")[2],)

    def _candidates(self, module: str) -> list[str]:
        """Return the folders that the go.mod files of the tree give to an import path."""
        folders = []
        for name, folder in self._modules:
            if module == name or module.startswith(name + "/"):
                below = module[len(name) + 1 :]
                folders.append("/".join(part for part in (folder, below) if part))
        return folders

    def _vendored(self, module: str) -> tuple[str, ...]:
        """Return a folder that carries the whole import path (vendor/…, GOPATH), if it is one.

        In a tree without any go.mod the part of the path that is a folder of the tree will do.
        """
        if "." not in module.partition("/")[0]:
            return ()
        fitting = [key for key in self._members if f"/{key}".endswith(f"/{module}")]
        if fitting or self._modules:
            return tuple(fitting) if len(fitting) == 1 else ()
        parts = module.split("/")
        ways = ("/".join(parts[start:]) for start in range(1, len(parts) - 1))
        return next(((way,) for way in ways if way in self._members), ())


def _package(path: str, namespace: str) -> str:
    folder = path.rpartition("/")[0]
    is_outer = namespace.endswith(_OUTER_TEST) and path.endswith("_test.go")
    return f"{folder}:{namespace}" if is_outer else folder

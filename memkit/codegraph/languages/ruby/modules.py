"""Module resolver of Ruby: required files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..modules import ListedFile, ModuleResolver, joined

_PREFIX = "m:ruby:"
# The one namespace of all Ruby files of a tree.
_ALL = "ruby"


class Resolver(ModuleResolver):
    """Looks required names up among the Ruby files of one tree, which share one namespace."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the files; no settings are read."""
        super().__init__(files, texts)
        self._all_paths = tuple(path for path, _, _ in files)
        self._named: dict[str, list[str]] = {}
        for path in self._all_paths:
            self._named.setdefault(_stem(path), []).append(path)

    def namespace(self, path: str) -> str:
        """Return the key of the namespace of all files."""
        return _ALL

    def members(self, key: str) -> tuple[str, ...]:
        """Return all files of the tree for its namespace, one for the key of a required file."""
        return self._all_paths if key == _ALL else super().members(key)

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the required file: beside the file (level 1), else below a `lib` folder."""
        name = module.removesuffix(".rb") + ".rb"
        if level:
            required = joined(path.rpartition("/")[0], name)
            return (required,) if required in self._paths else ()
        fitting = [
            candidate
            for candidate in self._named.get(_stem(name), ())
            if candidate == name or candidate.endswith(f"/lib/{name}") or candidate == f"lib/{name}"
        ]
        return tuple(fitting) if len(fitting) == 1 else ()

    def is_inside(self, path: str, module: str, level: int) -> bool:
        """Whether a file is required by its place beside another."""
        return level > 0

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the key of all files of that name."""
        return (_PREFIX + _stem(module),)

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the key of all files of that name."""
        return (_PREFIX + _stem(path),)


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".rb")

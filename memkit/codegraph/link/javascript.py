"""Which file a JavaScript or TypeScript module name means: as Node and TypeScript look it up.

Only the paths of the tree and its settings count; `node_modules` is not part of a tree, so what is
not found is a package from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from .packages import Package, read_packages
from .tsconfig import join, read_aliases

# In the order in which they are tried for a name without an ending.
_ENDINGS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue")
_BY_LENGTH = tuple(sorted(_ENDINGS, key=len, reverse=True))
# A source may be imported under the name that its compiled form will have.
_WRITTEN_AS = {
    ".js": (".ts", ".tsx", ".d.ts"),
    ".jsx": (".tsx",),
    ".mjs": (".mts",),
    ".cjs": (".cts",),
}

_Found = TypeVar("_Found")


class Linker:
    """Looks module names up; every file is its own namespace."""

    def __init__(self, files: Sequence[tuple[str, str, str]], texts: Mapping[str, str]) -> None:
        """Take the tree's files and the texts of its tsconfig.json and package.json files."""
        self._paths = frozenset(path for path, _, _ in files)
        self._aliases = read_aliases(texts)
        self._packages = read_packages(texts)
        self._named: dict[str, Package] = {}
        for _, package in sorted(self._packages.items(), reverse=True):
            if isinstance(name := package.settings.get("name"), str):
                self._named[name] = package

    def own(self, path: str) -> str:
        """Return the path itself."""
        return path

    def members(self, key: str) -> tuple[str, ...]:
        """Return the one file."""
        return (key,) if key in self._paths else ()

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the file that a module name means in a file, nothing if it lies outside."""
        return next(((place,) for place in self._places(path, module) if place in self._paths), ())

    def inside(self, key: str, name: str) -> tuple[str, ...]:
        """Return nothing: a folder is no module."""
        return ()

    def asked(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return a key for each place that was looked at, whatever ending a file there has."""
        keys: dict[str, None] = {}
        for place in self._candidates(path, module):
            if place.startswith("../"):
                continue
            package = self._packages.get(place)
            for one in (place, *(package.mains() if package is not None else ())):
                keys[f"m:{_stem(one)}"] = None
            if any(one in self._paths for one in self._files(place)):
                break
        return tuple(keys)

    def _places(self, importer: str, module: str) -> Iterator[str]:
        for candidate in self._candidates(importer, module):
            if not candidate.startswith("../"):
                yield from self._files(candidate)

    def _candidates(self, importer: str, module: str) -> Iterator[str]:
        """Yield where a module may lie, endings aside."""
        folder = importer.rpartition("/")[0]
        if module in (".", "..") or module.startswith(("./", "../")):
            yield join(folder, module)
            return
        package = _nearest(self._packages, folder) if module.startswith("#") else None
        if package is not None:
            yield from package.private(module)
        aliases = _nearest(self._aliases, folder)
        if aliases is not None:
            yield from aliases.candidates(module)
        parts = module.split("/")
        size = 2 if module.startswith("@") else 1
        package = self._named.get("/".join(parts[:size]))
        if package is not None:
            yield from package.entries("/".join(parts[size:]))

    def _files(self, place: str) -> Iterator[str]:
        """Yield the files that a place may mean: itself, with an ending, as a folder."""
        if place:
            yield place
            for written, meant in _WRITTEN_AS.items():
                if place.endswith(written):
                    yield from (place.removesuffix(written) + ending for ending in meant)
            yield from (place + ending for ending in _ENDINGS)
        package = self._packages.get(place)
        if package is not None:
            for main in package.mains():
                yield main
                yield from (main + ending for ending in _ENDINGS)
        yield from (join(place, f"index{ending}") for ending in _ENDINGS)


def contributes(path: str, language: str, namespace: str) -> tuple[str, ...]:
    """Return the keys of a file: its place without an ending, and that of its folder."""
    stem = _stem(path)
    folder, _, name = stem.rpartition("/")
    return (f"m:{stem}", f"m:{folder}") if name == "index" else (f"m:{stem}",)


def _stem(path: str) -> str:
    """Return a path without its ending, the longest one that is known."""
    for ending in _BY_LENGTH:
        if path.endswith(ending):
            return path.removesuffix(ending)
    return path


def _nearest(by_folder: Mapping[str, _Found], folder: str) -> _Found | None:
    """Return what the nearest folder upward has."""
    while folder not in by_folder and folder:
        folder = folder.rpartition("/")[0]
    return by_folder.get(folder)

"""Module resolver of Rust: crates and mod files.

The module names are those of `declarations.py`: `crate`, `super`, a crate's name, each with
further modules behind dots, and `mod:x` for the file that `mod x;` takes in. Level 1 asks for the
longest part of a path that is a file, level 0 for the whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from ..modules import ListedFile, ModuleResolver, joined

_NAME = re.compile(r"^\[(package|lib)\][^\[]*?^name\s*=\s*\"([^\"]+)\"", re.MULTILINE)
_LIB_PATH = re.compile(r"^\[lib\][^\[]*?^path\s*=\s*\"([^\"]+)\"", re.MULTILINE)
_ROOTS = ("lib.rs", "main.rs")
# Folders in which every file is a crate of its own.
_CRATES = frozenset({"bin", "tests", "examples", "benches"})
# By which a package says that they are none, but modules of a crate that it names.
_NO_CRATES = re.compile(r"^auto(bin|test|example|benche)s\s*=\s*false", re.MULTILINE)


class Resolver(ModuleResolver):
    """Looks modules up among the Rust files of one tree."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the files, and the texts of Cargo.toml files."""
        super().__init__(files, texts)
        self._libraries: dict[str, str] = {}
        self._modules: set[str] = set()
        self._manifests = {_folder(path) for path in texts if path.endswith("Cargo.toml")}
        for path in sorted(texts, reverse=True):
            if path.rpartition("/")[2] == "Cargo.toml":
                self._read(_folder(path), texts[path])

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the file of a module; two where a library and a program share their modules."""
        return self._look(path, module, level)[0]

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return a key for every file that would have been an answer."""
        return self._look(path, module, level)[1]

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the one key of a file: its path."""
        return (f"m:{path}",)

    @lru_cache(maxsize=20_000)  # noqa: B019 - lives as long as one run
    def _look(self, path: str, module: str, level: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return what a module name means, and the keys of all files that were tried."""
        tried: list[str] = []
        if module.startswith("mod:"):
            files = self._taken_in(path, module[4:], tried)
        else:
            first, *others = module.split(".")
            files = self._first(path, first, tried)
            for position, part in enumerate(others):
                if part == "super":
                    below = [up for file in files for up in self._parent(file, tried)]
                else:
                    below = [down for file in files for down in self._child(file, part, tried)]
                if not below:
                    files = files if level and (position or first != "super") else []
                    break
                files = below
        return tuple(dict.fromkeys(files)), tuple(dict.fromkeys(f"m:{file}" for file in tried))

    def _first(self, path: str, name: str, tried: list[str]) -> list[str]:
        if name == "crate":
            return self._crate(path, tried)
        if name == "self":
            return [path]
        if name == "super":
            return self._parent(path, tried)
        library = self._libraries.get(name, "")
        if self._is_there(library, tried):
            return [library]
        # Before the edition of 2018 a path began at the root of its own crate.
        return [
            file for root in self._crate(path, tried) for file in self._child(root, name, tried)
        ]

    def _crate(self, path: str, tried: list[str]) -> list[str]:
        """Return the root file of the crate that a file belongs to."""
        if self._is_root(path):
            return [path]
        folder = _folder(path)
        while True:
            roots = [root for name in _ROOTS if self._is_there(root := _in(folder, name), tried)]
            if roots or not folder:
                return roots
            single = f"{folder}.rs"
            if self._is_root(single) and self._is_there(single, tried):
                return [single]
            folder = _folder(folder)

    def _is_root(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        outer, last = _folder(folder), folder.rpartition("/")[2]
        if name in _ROOTS or (name == "build.rs" and folder in self._manifests):
            return True
        if path in self._libraries.values():
            return True
        if last not in _CRATES or folder in self._modules:
            return False
        return outer in self._manifests or outer.endswith("src")

    def _parent(self, path: str, tried: list[str]) -> list[str]:
        """Return the module around a file's own."""
        if self._is_root(path):
            return []
        folder, _, name = path.rpartition("/")
        if name == "mod.rs":
            folder = _folder(folder)
        places = (_in(folder, "mod.rs"), f"{folder}.rs", *(_in(folder, file) for file in _ROOTS))
        return [file for file in places if self._is_there(file, tried)]

    def _child(self, path: str, name: str, tried: list[str]) -> list[str]:
        """Return the file of a module below that of a file."""
        base = _in(self._base(path), name)
        places = (f"{base}.rs", f"{base}/mod.rs")
        return next(([file] for file in places if self._is_there(file, tried)), [])

    def _taken_in(self, path: str, name: str, tried: list[str]) -> list[str]:
        """Return the file that `mod x;` means, or the one that an attribute names."""
        inner, is_written, written = name.partition(":")
        if is_written:
            # Of a module in the file the folder is that of its own files.
            position = joined(_in(self._base(path), inner) if inner else _folder(path), written)
            return [position] if self._is_there(position, tried) else []
        return self._child(path, name, tried)

    def _base(self, path: str) -> str:
        """Return the folder in which the modules of a file lie."""
        folder, _, name = path.rpartition("/")
        if name == "mod.rs" or self._is_root(path):
            return folder
        return _in(folder, name.removesuffix(".rs"))

    def _is_there(self, path: str, tried: list[str]) -> bool:
        if path:
            tried.append(path)
        return path in self._paths

    def _read(self, folder: str, text: str) -> None:
        names = {kind: name for kind, name in _NAME.findall(text)}
        for kind in _NO_CRATES.findall(text):
            self._modules.add(joined(folder, "src/bin" if kind == "bin" else f"{kind}s"))
        path = _LIB_PATH.search(text)
        library = joined(folder, path[1] if path else "src/lib.rs")
        for name in names.values():
            self._libraries[name.replace("-", "_")] = library


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name

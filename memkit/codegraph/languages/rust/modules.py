"""Module resolver of Rust: crates and mod files.

The module names are those of `declarations.py`: `crate`, `super`, a crate's name, each with
further modules behind dots, and `mod:x` for the file that `mod x;` takes in. Level 1 asks for the
longest part of a path that is a file, level 0 for the whole.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import attrs

from ..modules import ListedFile, ModuleResolver, joined

_ROOTS = ("lib.rs", "main.rs")
# Folders in which every file is a crate of its own, and the targets that a manifest lists of each.
_CRATES = {"bin": "bin", "tests": "test", "examples": "example", "benches": "bench"}
_DEPENDENCIES = ("dependencies", "dev-dependencies", "build-dependencies")

Settings = Mapping[str, Any]


# --- Cargo.toml: the crates of a package, and what their names of other crates mean.


@attrs.frozen
class Dependency:
    """One line of a manifest's dependencies.

    Attributes:
        package: name of the package, whatever code calls it.
        folder: where the manifest says that the package lies, None if it does not.
        is_renamed: whether the crate has its name from this line, whatever it calls itself.
    """

    package: str
    folder: str | None
    is_renamed: bool


@attrs.frozen
class Manifest:
    """What one Cargo.toml says.

    Attributes:
        folder: where it lies.
        package: name of its package, "" for a workspace alone.
        library: path of its library's root file, and `library_name` how code calls it.
        roots: further files that it names as roots of crates.
        modules: folders whose files are no crates, though they lie where those would.
        dependencies: by the name that code calls them.
    """

    folder: str
    package: str
    library: str
    library_name: str
    roots: frozenset[str]
    modules: frozenset[str]
    dependencies: Mapping[str, Dependency]


def read_manifests(texts: Mapping[str, str]) -> dict[str, Manifest]:
    """Return the manifests of a tree by folder; one that cannot be read says nothing."""
    paths = sorted(path for path in texts if path.rpartition("/")[2] == "Cargo.toml")
    settings = {_folder(path): _parsed(texts[path]) for path in paths}
    return {folder: _manifest(folder, settings) for folder in settings}


def _parsed(text: str) -> Settings:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(settings: object, *keys: str) -> Settings:
    """Return a table in others, {} if there is none."""
    for key in keys:
        settings = settings.get(key) if isinstance(settings, Mapping) else None
    return settings if isinstance(settings, Mapping) else {}


def _text(settings: Settings, key: str) -> str:
    value = settings.get(key)
    return value if isinstance(value, str) else ""


def _crate_name(name: str) -> str:
    return name.replace("-", "_")


def _manifest(folder: str, all_settings: Mapping[str, Settings]) -> Manifest:
    settings = all_settings[folder]
    package, library = _table(settings, "package"), _table(settings, "lib")
    name = _text(package, "name")
    return Manifest(
        folder=folder,
        package=name,
        library=joined(folder, _text(library, "path") or "src/lib.rs"),
        library_name=_crate_name(_text(library, "name") or name),
        roots=frozenset(_target_paths(settings, folder)),
        modules=frozenset(
            joined(folder, _target_folder(kind))
            for kind, target in _CRATES.items()
            if package.get(f"auto{target}{'es' if target == 'bench' else 's'}") is False
        ),
        dependencies=dict(_dependencies(folder, all_settings)),
    )


def _target_folder(kind: str) -> str:
    return "src/bin" if kind == "bin" else kind


def _target_paths(settings: Settings, folder: str) -> Iterator[str]:
    for kind, target in _CRATES.items():
        listed = settings.get(target)
        for crate in listed if isinstance(listed, list) else ():
            if isinstance(crate, Mapping):
                # Without a path it lies where a target of its name is looked for.
                lies = f"{_target_folder(kind)}/{_text(crate, 'name')}.rs"
                yield joined(folder, _text(crate, "path") or lies)
    if build := _text(_table(settings, "package"), "build"):
        yield joined(folder, build)


def _dependencies(
    folder: str, all_settings: Mapping[str, Settings]
) -> Iterator[tuple[str, Dependency]]:
    settings = all_settings[folder]
    workspace = _workspace(folder, all_settings)
    shared = _table(all_settings.get(workspace), "workspace", "dependencies")
    for tables in (settings, *_table(settings, "target").values()):
        for kind in _DEPENDENCIES:
            for name, line in _table(tables, kind).items():
                own = line if isinstance(line, Mapping) else {}
                if own.get("workspace") is True:
                    yield _crate_name(name), _dependency(name, shared.get(name), workspace)
                else:
                    yield _crate_name(name), _dependency(name, own, folder)


def _dependency(name: str, line: object, folder: str) -> Dependency:
    settings = _table(line)
    package, path = _text(settings, "package"), _text(settings, "path")
    return Dependency(package or name, joined(folder, path) if path else None, bool(package))


def _workspace(folder: str, all_settings: Mapping[str, Settings]) -> str:
    """Return the folder of the workspace that a package belongs to: named, or around it."""
    if named := _text(_table(all_settings[folder], "package"), "workspace"):
        return joined(folder, named)
    while "workspace" not in all_settings.get(folder, {}) and folder:
        folder = _folder(folder)
    return folder


# --- Modules of crates.


class Resolver(ModuleResolver):
    """Looks modules up among the Rust files of one tree."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the files, and the texts of Cargo.toml files."""
        super().__init__(files, texts)
        self._manifests = read_manifests(texts)
        self._libraries: dict[str, str] = {}
        self._library_names: dict[str, str] = {}
        self._roots: set[str] = set()
        self._modules: set[str] = set()
        self._roots_in: dict[str, list[str]] = {}
        for _, manifest in sorted(self._manifests.items(), reverse=True):
            self._roots |= manifest.roots
            for root in sorted({*manifest.roots, manifest.library}):
                if root.rpartition("/")[2] not in _ROOTS:
                    self._roots_in.setdefault(_folder(root), []).append(root)
            self._modules |= manifest.modules
            if manifest.package or manifest.library_name:
                self._roots.add(manifest.library)
                self._library_names[manifest.library] = manifest.library_name
                for name in (_crate_name(manifest.package), manifest.library_name):
                    self._libraries[name] = manifest.library

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the file of a module; two where a library and a program share their modules."""
        return self._look(path, module, level)[0]

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return a key for every file that would have been an answer."""
        return self._look(path, module, level)[1]

    def is_inside(self, path: str, module: str, level: int) -> bool:
        """Whether a path begins in its own crate, or in one of the tree."""
        first = module.partition(".")[0]
        is_own = first in ("crate", "self", "super") or first.startswith("mod:")
        return is_own or bool(self._library(path, first))

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
        library = self._library(path, name)
        if self._is_there(library, tried):
            return [library]
        # Before the edition of 2018 a path began at the root of its own crate.
        return [
            file for root in self._crate(path, tried) for file in self._child(root, name, tried)
        ]

    @lru_cache(maxsize=20_000)  # noqa: B019 - lives as long as one run
    def _library(self, path: str, name: str) -> str:
        """Return the root file of the crate of the tree that a name means in a file, "" for none:
        what its package depends on by that name, else its own library or any other."""
        folder = _folder(path)
        while folder and folder not in self._manifests:
            folder = _folder(folder)
        manifest = self._manifests.get(folder)
        if manifest is None:
            return self._libraries.get(name, "")
        if (dependency := manifest.dependencies.get(name)) is not None:
            return self._root_of(dependency)
        for dependency in manifest.dependencies.values():
            root = "" if dependency.is_renamed else self._root_of(dependency)
            if root and self._library_names[root] == name:
                return root
        if name in (manifest.library_name, _crate_name(manifest.package)):
            return manifest.library
        return self._libraries.get(name, "")

    def _root_of(self, dependency: Dependency) -> str:
        there = None if dependency.folder is None else self._manifests.get(dependency.folder)
        if there is not None and (there.package or there.library_name):
            return there.library
        return self._libraries.get(_crate_name(dependency.package), "")

    def _crate(self, path: str, tried: list[str]) -> list[str]:
        """Return the root file of the crate that a file belongs to."""
        if self._is_root(path):
            return [path]
        folder = _folder(path)
        while True:
            places = (*(_in(folder, name) for name in _ROOTS), *self._roots_in.get(folder, ()))
            roots = [root for root in places if self._is_there(root, tried)]
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
        if path in self._roots:
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
        places = (
            *(_in(folder, "mod.rs"), f"{folder}.rs", *(_in(folder, file) for file in _ROOTS)),
            *self._roots_in.get(folder, ()),
        )
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


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name

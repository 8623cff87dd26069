"""Module resolver of Python: packages, relative imports, source roots.

A module's namespace is its file; a folder without `__init__.py` is the namespace "folder/".
Absolute names are looked up from the folders that could be on `sys.path`: the one that holds the
importer's outermost package, those around it, source roots, then any folder that holds such a
package. What lies in none of them is the only file of that dotted name.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..modules import ListedFile, ModuleResolver, joined

_ENDINGS = (".py", ".pyi", ".pyw")
_INIT = ("__init__.py", "__init__.pyi")
# Source roots by convention.
_SOURCES = frozenset({"src", "lib", "python"})
# Where tools are told of source roots in pyproject.toml; the last part may be a list, or a mapping
# of names to folders.
_ROOT_KEYS = (
    "tool.setuptools.package-dir", "tool.setuptools.packages.find.where",
    "tool.pytest.ini_options.pythonpath", "tool.poetry.packages.from", "tool.maturin.python-source",
    "tool.pdm.build.package-dir", "tool.uv.build-backend.module-root", "tool.mypy.mypy_path",
    "tool.pyright.extraPaths", "tool.hatch.build.sources", "tool.hatch.build.targets.wheel.sources",
)  # fmt: skip
# The same of packages, which lie in a source root.
_PACKAGE_KEYS = ("tool.hatch.build.targets.wheel.packages", "tool.hatch.build.packages")
_PREFIX = "m:python:"


class Resolver(ModuleResolver):
    """Looks module names up among the Python files of one tree."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the files, and the texts of pyproject.toml files."""
        super().__init__(files, texts)
        self._folders: set[str] = {""}
        self._packages: set[str] = set()
        tops: dict[str, set[str]] = {}
        for path in self._paths:
            folder, _, name = path.rpartition("/")
            self._folders.update(_outward(folder))
            if name in _INIT:
                self._packages.add(folder)
                outer, _, last = folder.rpartition("/")
                tops.setdefault(last, set()).add(outer)
        roots = {folder for folder in self._folders if folder.rpartition("/")[2] in _SOURCES}
        roots |= _read_roots(texts) & self._folders
        self._spread: dict[str, list[str]] = {}
        for place in (*self._folders - {""}, *self._paths):
            outer, _, name = place.rpartition("/")
            if outer in roots:
                tops.setdefault(name.partition(".")[0], set()).add(outer)
            elif place in self._folders and place not in self._packages:
                self._spread.setdefault(name, []).append(outer)
        self._tops = {
            name: sorted(outer - self._packages, key=lambda top: (top.count("/"), top))
            for name, outer in tops.items()
        }

    def members(self, key: str) -> tuple[str, ...]:
        """Return the file of a module; a folder without `__init__.py` has none."""
        return () if key.endswith("/") or not key else (key,)

    @lru_cache(maxsize=20_000)  # noqa: B019 - lives as long as one run
    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the module that a name means in a file: at most one."""
        parts = module.split(".") if module else []
        if level:
            folder = path.rpartition("/")[0]
            for _ in range(level - 1):
                if not folder:
                    return ()
                folder = folder.rpartition("/")[0]
            return self._below(folder, parts)
        for root in self._roots(path, parts[0]) if parts else ():
            if modules := self._below(root, parts):
                return modules
        return self._only(parts)

    def is_inside(self, path: str, module: str, level: int) -> bool:
        """Whether a name is relative, or begins with a package of the tree."""
        parts = module.split(".")
        if level or len(parts) == 1:
            return level > 0
        near = [self._below(root, parts[:1]) for root in self._roots(path, parts[0])]
        is_package = any(keys and not keys[0].endswith("/") for keys in near)
        return is_package or any(
            self._below(root, parts[:1]) for root in self._tops.get(parts[0], ())
        )

    def nested(self, key: str, name: str) -> tuple[str, ...]:
        """Return the submodule of a package."""
        if key.endswith("/"):
            return self._below(key[:-1], [name])
        folder, _, last = key.rpartition("/")
        return self._below(folder, [name]) if last in _INIT else ()

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return keys of the packages and modules on the way, and of what makes a folder a root."""
        folder = path.rpartition("/")[0]
        parts = module.split(".") if module else []
        if level:
            for _ in range(level - 1):
                folder = folder.rpartition("/")[0]
            parts = [*folder.split("/"), *parts] if folder else parts
            roots: Iterable[str] = ()
        else:
            roots = (*_outward(folder), *self._tops.get(parts[0], ())) if parts else ()
        prefixes = [".".join(parts[: end + 1]) for end in range(len(parts))]
        keys = [
            _PREFIX + prefix
            for prefix in (*prefixes, *(root.replace("/", ".") for root in roots if root))
        ]
        modules = self.find(path, module, level)
        if not modules or modules[0].endswith("/"):
            keys += [f"{_PREFIX}{prefix}." for prefix in prefixes]
        return tuple(keys)

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the dotted names, from any folder on, that the file or its folders may answer."""
        parts = path.split("/")
        name = parts.pop().partition(".")[0]
        whole = parts if name == "__init__" else [*parts, name]
        modules = [_PREFIX + ".".join(whole[start:]) for start in range(len(whole))]
        folders = [
            f"{_PREFIX}{'.'.join(parts[start:end])}."
            for end in range(1, len(parts) + 1)
            for start in range(end)
        ]
        return (*modules, *folders)

    def _roots(self, path: str, top: str) -> Iterable[str]:
        folder = path.rpartition("/")[0]
        while folder and folder in self._packages:
            folder = folder.rpartition("/")[0]
        yield folder
        # What the standard library brings is not looked for further away.
        if top not in sys.stdlib_module_names:
            yield from _outward(folder)[1:]
            yield from self._tops.get(top, ())

    def _only(self, parts: Sequence[str]) -> tuple[str, ...]:
        """Return the only file of a dotted name, wherever the folder lies with which it begins."""
        if len(parts) < 2 or parts[0] in sys.stdlib_module_names:
            return ()
        fitting = {
            modules
            for root in self._spread.get(parts[0], ())
            if (modules := self._below(root, parts)) and not modules[0].endswith("/")
        }
        return fitting.pop() if len(fitting) == 1 else ()

    def _below(self, folder: str, parts: Sequence[str]) -> tuple[str, ...]:
        """Return the module that lies so many names below a folder."""
        for part in parts[:-1]:
            folder = f"{folder}/{part}" if folder else part
            if folder not in self._folders:
                return ()
        path = (f"{folder}/{parts[-1]}" if folder else parts[-1]) if parts else folder
        for name in _INIT:
            if (package := f"{path}/{name}" if path else name) in self._paths:
                return (package,)
        for ending in _ENDINGS if parts else ():
            if path + ending in self._paths:
                return (path + ending,)
        return (f"{path}/",) if path in self._folders else ()


def _read_roots(texts: Mapping[str, str]) -> set[str]:
    """Return the folders that the pyproject.toml files of a tree call source roots."""
    roots: set[str] = set()
    for path, text in texts.items():
        folder, _, name = path.rpartition("/")
        if name == "pyproject.toml":
            try:
                settings = tomllib.loads(text.removeprefix("\ufeff"))
            except (tomllib.TOMLDecodeError, RecursionError):
                continue
            for key in _ROOT_KEYS:
                roots |= {joined(folder, root) for root in _texts_at(settings, key.split("."))}
            for key in _PACKAGE_KEYS:
                packages = (joined(folder, at) for at in _texts_at(settings, key.split(".")))
                roots |= {package.rpartition("/")[0] for package in packages}
    return roots


def _texts_at(settings: Any, keys: Sequence[str]) -> Iterator[str]:
    """Yield the texts under a path of keys, through lists and, at its end, mappings."""
    if isinstance(settings, list):
        for item in settings:
            yield from _texts_at(item, keys)
    elif isinstance(settings, dict):
        inner = [settings.get(keys[0])] if keys else settings.values()
        for value in inner:
            yield from _texts_at(value, keys[1:])
    elif isinstance(settings, str) and not keys:
        yield settings


def _outward(folder: str) -> list[str]:
    """Return a folder and those around it, the tree itself ("") last."""
    folders = [folder]
    while folder:
        folder = folder.rpartition("/")[0]
        folders.append(folder)
    return folders

"""Module resolver of JavaScript and TypeScript: package.json, tsconfig paths."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from ..modules import ListedFile, ModuleResolver

# --- JSON with comments and trailing commas, as in configuration files.

_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])')


def read_object(text: str) -> dict[str, Any]:
    """Return the object that a text holds, {} if it holds none or cannot be read."""
    bare = _COMMENT.sub(_keep_string, text.removeprefix("\ufeff"))
    try:
        value = json.loads(_TRAILING_COMMA.sub(_keep_string, bare))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or " "


# --- Path aliases of tsconfig.json and jsconfig.json; the nearest one above a file decides.
#
# `extends` is followed inside the tree; `paths` are relative to `baseUrl`, or without one to the
# folder of the file that declares them (TypeScript's rules).

NAMES = ("tsconfig.json", "jsconfig.json")

# Chains of `extends` longer than this are circles.
_MAX_CHAIN = 8


@attrs.frozen
class Aliases:
    """What one configuration says about module names.

    Attributes:
        base: folder in which names without a dot are looked for, None if none is named.
        paths: pattern with at most one star → targets with the star, relative to the root;
            the longest prefix first.
    """

    base: str | None
    paths: tuple[tuple[str, tuple[str, ...]], ...]

    def candidates(self, module: str) -> tuple[str, ...]:
        """Return where a module may lie, without endings, best first."""
        for pattern, targets in self.paths:
            head, star, tail = pattern.partition("*")
            if module == pattern and not star:
                return targets
            fits = len(module) >= len(head) + len(tail)
            if star and fits and module.startswith(head) and module.endswith(tail):
                middle = module[len(head) : len(module) - len(tail)]
                return tuple(target.replace("*", middle, 1) for target in targets)
        return () if self.base is None else (join(self.base, module),)


def join(folder: str, name: str) -> str:
    """Return a path in the tree, "" for the root; what leads out of it keeps its dots."""
    joined = posixpath.normpath(posixpath.join(folder, name))
    return "" if joined == "." else joined


def read_aliases(texts: Mapping[str, str]) -> dict[str, Aliases]:
    """Return the aliases in force by folder, for every folder with a configuration of its own."""
    aliases: dict[str, Aliases] = {}
    for name in reversed(NAMES):  # the later one is kept
        for path in texts:
            folder, _, last = path.rpartition("/")
            if last == name:
                aliases[folder] = _aliases(path, texts)
    return aliases


def _aliases(path: str, texts: Mapping[str, str]) -> Aliases:
    base: str | None = None
    paths: dict[str, Any] | None = None
    declared_in = ""
    pending, count = [path], 0
    while pending and count < _MAX_CHAIN:
        current = pending.pop(0)
        count += 1
        settings = read_object(texts.get(current, ""))
        folder = posixpath.dirname(current)
        options = settings.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        if base is None and isinstance(options.get("baseUrl"), str):
            base = join(folder, options["baseUrl"])
        if paths is None and isinstance(options.get("paths"), dict):
            paths, declared_in = options["paths"], folder
        pending += _parents(settings.get("extends"), folder, texts)
    anchor = declared_in if base is None else base
    return Aliases(base, _patterns(paths or {}, anchor))


def _parents(extends: object, folder: str, texts: Mapping[str, str]) -> list[str]:
    """Return the files that a configuration builds on, the one that decides first."""
    names = extends if isinstance(extends, list) else [extends]
    parents = []
    for name in reversed([name for name in names if isinstance(name, str)]):
        target = join(folder, name)
        parents += [path for path in (target, f"{target}.json") if path in texts][:1]
    return parents


def _patterns(paths: dict[str, Any], anchor: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    read = [
        (pattern, tuple(join(anchor, target) for target in targets if isinstance(target, str)))
        for pattern, targets in paths.items()
        if isinstance(targets, list)
    ]
    return tuple(sorted(read, key=lambda pair: (-len(pair[0].partition("*")[0]), pair[0])))


# --- package.json: names, `exports`, `imports` and `main` of the packages of a tree.
#
# What is published often lies in a folder that a build makes (`dist/index.js`); the source it is
# made from is looked for at the same place under `src`, and beside the package.json.

NAME = "package.json"

# Conditions of `exports`, those that name sources first.
_CONDITIONS = ("source", "development", "types", "import", "module", "require", "node", "default")
_BUILT = re.compile(r"^(?:dist|lib|build|out|es|esm|cjs|types)(?:/(?:esm|cjs|es|src|types))?/")
_DECLARED = re.compile(r"\.d\.[cm]?ts$")
_MAX_NESTED = 8


@attrs.frozen
class Package:
    """One package.json: the folder it lies in and what it says."""

    folder: str
    settings: dict[str, Any]

    def entries(self, below: str) -> Iterator[str]:
        """Yield where `name` (below "") or `name/below` may lie, best first."""
        exports = self.settings.get("exports")
        if exports is not None:
            for target in _targets(exports, f"./{below}" if below else "."):
                yield from self._places(target)
        if below:
            yield join(self.folder, below)
            yield join(self.folder, f"src/{below}")
            return
        yield from self.mains()
        yield join(self.folder, "src/index")
        yield join(self.folder, "index")

    def mains(self) -> Iterator[str]:
        """Yield what the fields before `exports` say of the package as a whole, best first."""
        for field in ("source", "types", "typings", "module", "main", "browser"):
            if isinstance(target := self.settings.get(field), str):
                yield from self._places(target)

    def private(self, module: str) -> Iterator[str]:
        """Yield what `#name` may mean in the files of this package."""
        imports = self.settings.get("imports")
        if isinstance(imports, dict):
            for target in _targets(imports, module):
                yield from self._places(target)

    def _places(self, target: str) -> Iterator[str]:
        relative = target.removeprefix("./")
        yield join(self.folder, relative)
        remaining, built = _BUILT.subn("", relative)
        if built:
            bare = _DECLARED.sub("", remaining)
            yield join(self.folder, f"src/{bare}")
            yield join(self.folder, bare)


def read_packages(texts: Mapping[str, str]) -> dict[str, Package]:
    """Return the packages of a tree by folder."""
    packages = {}
    for path, text in texts.items():
        folder, _, last = path.rpartition("/")
        if last == NAME and (settings := read_object(text)):
            packages[folder] = Package(folder, settings)
    return packages


def _targets(exports: object, name: str) -> Iterator[str]:
    """Yield the targets that `exports` or `imports` give a name, those of sources first."""
    if not isinstance(exports, dict) or not any(key[:1] in ".#" for key in exports):
        if name == ".":
            yield from _leaves(exports)
        return
    if name in exports:
        yield from _leaves(exports[name])
        return
    for key in sorted(exports, key=len, reverse=True):
        head, star, tail = key.partition("*")
        if star and name.startswith(head) and name.endswith(tail):
            middle = name[len(head) : len(name) - len(tail)]
            for target in _leaves(exports[key]):
                yield target.replace("*", middle)
            return


def _leaves(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _MAX_NESTED:
        for item in value:
            yield from _leaves(item, depth + 1)
    elif isinstance(value, dict) and depth < _MAX_NESTED:
        known = [key for key in _CONDITIONS if key in value]
        for key in known + sorted(value.keys() - set(_CONDITIONS)):
            yield from _leaves(value[key], depth + 1)


# --- Resolver: module names as Node and TypeScript look them up.
#
# Only the paths of the tree and its settings count; `node_modules` is not part of a tree, so what
# is not found is a package from outside.

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

_T = TypeVar("_T")


class Resolver(ModuleResolver):
    """Looks module names up; every file is its own namespace."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the tree's files and the texts of its tsconfig.json and package.json files."""
        super().__init__(files, texts)
        self._aliases = read_aliases(texts)
        self._packages = read_packages(texts)
        self._named: dict[str, Package] = {}
        for _, package in sorted(self._packages.items(), reverse=True):
            if isinstance(name := package.settings.get("name"), str):
                self._named[name] = package

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the file that a module name means in a file, nothing if it lies outside."""
        return next(
            ((candidate,) for candidate in self._places(path, module) if candidate in self._paths),
            (),
        )

    def dependency_keys(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return a key for each place that was looked at, whatever ending a file there has."""
        keys: dict[str, None] = {}
        for candidate in self._candidates(path, module):
            if candidate.startswith("../"):
                continue
            package = self._packages.get(candidate)
            for entry in (candidate, *(package.mains() if package is not None else ())):
                keys[f"m:{_stem(entry)}"] = None
            if any(entry in self._paths for entry in self._files(candidate)):
                break
        return tuple(keys)

    @staticmethod
    def provided_keys(path: str, language: str, namespace: str) -> tuple[str, ...]:
        """Return the keys of a file: its place without an ending, and that of its folder."""
        stem = _stem(path)
        folder, _, name = stem.rpartition("/")
        return (f"m:{stem}", f"m:{folder}") if name == "index" else (f"m:{stem}",)

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

    def _files(self, candidate: str) -> Iterator[str]:
        """Yield the files that a place may mean: itself, with an ending, as a folder."""
        if candidate:
            yield candidate
            for written, endings in _WRITTEN_AS.items():
                if candidate.endswith(written):
                    yield from (candidate.removesuffix(written) + ending for ending in endings)
            yield from (candidate + ending for ending in _ENDINGS)
        package = self._packages.get(candidate)
        if package is not None:
            for main in package.mains():
                yield main
                yield from (main + ending for ending in _ENDINGS)
        yield from (join(candidate, f"index{ending}") for ending in _ENDINGS)


def _stem(path: str) -> str:
    """Return a path without its ending, the longest one that is known."""
    for ending in _BY_LENGTH:
        if path.endswith(ending):
            return path.removesuffix(ending)
    return path


def _nearest(by_folder: Mapping[str, _T], folder: str) -> _T | None:
    """Return what the nearest folder upward has."""
    while folder not in by_folder and folder:
        folder = folder.rpartition("/")[0]
    return by_folder.get(folder)

"""Module resolver of JavaScript and TypeScript: package.json, tsconfig paths."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import attrs

from ..modules import ListedFile, ModuleResolver

# --- JSON with comments and trailing commas, as in configuration files.

_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])')


@lru_cache(maxsize=2_000)
def read_object(text: str) -> dict[str, Any]:
    """Return the object that a text holds, {} if it holds none or cannot be read; whoever reads it
    changes nothing."""
    bare = _COMMENT.sub(_keep_string, text.removeprefix("\ufeff"))
    try:
        value = json.loads(_TRAILING_COMMA.sub(_keep_string, bare))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or " "


# --- Projects of tsconfig.json and jsconfig.json; the nearest folder above a file that has any
# decides, and in it those that say that the file is one of theirs.
#
# `extends` and `references` are followed inside the tree, whatever the files are called; `paths`
# are relative to `baseUrl`, or without one to the folder of the file that declares them
# (TypeScript's rules). What `paths` do not give is looked for below `baseUrl`.

_MAIN = ("tsconfig.json", "jsconfig.json")
_SETTING = re.compile(r"(?:^|/)(?:jsconfig|tsconfig[^/]*|[^/]*\.tsconfig)\.json$")
# Stands for the folder of the configuration that extends others.
_CONFIG_DIR = "${configDir}"

# Chains of `extends` and `references` longer than this are circles.
_MAX_CHAIN = 32


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
        below = () if self.base is None else (join(self.base, module),)
        return (*self._targets(module), *below)

    def is_pattern_of(self, module: str) -> bool:
        """Whether a pattern that is not for all names is for a module."""
        return bool(self._targets(module, universal=False))

    def _targets(self, module: str, *, universal: bool = True) -> tuple[str, ...]:
        for pattern, targets in self.paths:
            head, star, tail = pattern.partition("*")
            if module == pattern and not star:
                return targets
            fits = len(module) >= len(head) + len(tail)
            if star and fits and module.startswith(head) and module.endswith(tail):
                middle = module[len(head) : len(module) - len(tail)]
                is_fit = universal or head or tail
                return tuple(t.replace("*", middle, 1) for t in targets) if is_fit else ()
        return ()


@attrs.frozen
class Project:
    """One configuration: its aliases, and patterns of the files that it is for and is not for."""

    aliases: Aliases
    included: tuple[re.Pattern[str], ...]
    excluded: tuple[re.Pattern[str], ...]

    def includes(self, path: str) -> bool:
        """Whether the configuration is for a file."""
        is_included = any(pattern.match(path) for pattern in self.included)
        return is_included and not any(pattern.match(path) for pattern in self.excluded)


def join(folder: str, name: str) -> str:
    """Return a path in the tree, "" for the root; what leads out of it keeps its dots."""
    joined = posixpath.normpath(posixpath.join(folder, name))
    return "" if joined == "." else joined


class ProjectReader:
    """Reads the configurations of a tree and what they name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        """Take the texts of settings by path; more of them may be named by those."""
        self._texts = texts

    @cached_property
    def _named(self) -> dict[str, Package]:
        return by_name(read_packages(self._texts))

    def projects(self) -> dict[str, tuple[Project, ...]]:
        """Return the projects in force by folder, the one that decides first; a folder's files are
        those of its main configuration, of what that references, and of others beside it."""
        folders: dict[str, list[str]] = {}
        for path in sorted(filter(_SETTING.search, self._texts)):
            folders.setdefault(posixpath.dirname(path), []).append(path)
        return {
            folder: tuple(map(self._project, self._referenced(sorted(paths, key=_rank))))
            for folder, paths in folders.items()
        }

    def named(self) -> Iterator[str]:
        """Yield the paths that may be settings because others name them."""
        for path in filter(_SETTING.search, self._texts):
            for current, settings in self._chain(path):
                folder = posixpath.dirname(current)
                yield from self._parents(settings.get("extends"), folder, posixpath.dirname(path))
                yield from _references(settings, folder)

    def _referenced(self, paths: list[str]) -> dict[str, None]:
        """Return the first configuration, what it references, and the others."""
        ordered: dict[str, None] = {}
        pending = paths[:1]
        while pending and len(ordered) < _MAX_CHAIN:
            current = pending.pop(0)
            if current not in ordered and current in self._texts:
                ordered[current] = None
                pending += _references(
                    read_object(self._texts[current]), posixpath.dirname(current)
                )
        return {**ordered, **dict.fromkeys(paths)}

    def _chain(self, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield a configuration and what it builds on, each with its path, the one that decides
        first."""
        pending, count, leaf = [path], 0, posixpath.dirname(path)
        while pending and count < _MAX_CHAIN:
            current = pending.pop(0)
            count += 1
            settings = read_object(self._texts.get(current, ""))
            yield current, settings
            extends = settings.get("extends")
            for names in extends[::-1] if isinstance(extends, list) else [extends]:
                parents = self._parents(names, posixpath.dirname(current), leaf)
                pending += [parent for parent in parents if parent in self._texts][:1]

    def _project(self, path: str) -> Project:
        leaf = posixpath.dirname(path)
        base: str | None = None
        paths: dict[str, Any] | None = None
        declared_in = ""
        listed: dict[str, list[re.Pattern[str]]] = {}
        for current, settings in self._chain(path):
            folder = posixpath.dirname(current)
            options = settings.get("compilerOptions")
            options = options if isinstance(options, dict) else {}
            if base is None and isinstance(options.get("baseUrl"), str):
                base = _placed(folder, options["baseUrl"], leaf)
            if paths is None and isinstance(options.get("paths"), dict):
                paths, declared_in = options["paths"], folder
            for key in ("files", "include", "exclude"):
                if key not in listed and isinstance(settings.get(key), list):
                    listed[key] = _globs(settings[key], folder, leaf)
        if "files" not in listed and "include" not in listed:
            listed["include"] = _globs(["**/*"], leaf, leaf)
        anchor = declared_in if base is None else base
        included = listed.get("files", []) + listed.get("include", [])
        aliases = Aliases(base, _patterns(paths or {}, anchor, leaf))
        return Project(aliases, tuple(included), tuple(listed.get("exclude", ())))

    def _parents(self, extends: object, folder: str, leaf: str) -> Iterator[str]:
        """Yield where the files may lie that a configuration builds on, best first."""
        for name in reversed(extends if isinstance(extends, list) else [extends]):
            if isinstance(name, str):
                for place in self._places(name, folder, leaf):
                    yield place
                    yield f"{place}.json"

    def _places(self, name: str, folder: str, leaf: str) -> Iterator[str]:
        if name.startswith((".", _CONFIG_DIR)):
            yield _placed(folder, name, leaf)
            return
        package, below = split_package(self._named, name)
        if package is not None:
            target = package.settings.get("tsconfig")
            if not below and isinstance(target, str):
                yield join(package.folder, target)
            yield join(package.folder, below or _MAIN[0])
            yield from package.entries(below)


def _rank(path: str) -> tuple[int, str]:
    name = path.rpartition("/")[2]
    return (_MAIN.index(name) if name in _MAIN else len(_MAIN)), path


def _references(settings: Mapping[str, Any], folder: str) -> list[str]:
    """Return the configurations that one references: files, or folders with one."""
    references = settings.get("references")
    places = [
        join(folder, reference["path"])
        for reference in (references if isinstance(references, list) else ())
        if isinstance(reference, dict) and isinstance(reference.get("path"), str)
    ]
    return [place if place.endswith(".json") else join(place, _MAIN[0]) for place in places]


def _placed(folder: str, name: str, leaf: str) -> str:
    """Return a path that a configuration writes: relative to it, or to the one that extends it."""
    if name.startswith(_CONFIG_DIR):
        return join(leaf, "." + name.removeprefix(_CONFIG_DIR))
    return join(folder, name)


def _globs(patterns: list[object], folder: str, leaf: str) -> list[re.Pattern[str]]:
    return [_glob(_placed(folder, text, leaf)) for text in patterns if isinstance(text, str)]


def _glob(pattern: str) -> re.Pattern[str]:
    """Return the pattern of a path as tsconfig writes it; one that names a folder is for all in
    it."""
    parts = {"**/": "(?:.+/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    written = re.split(r"(\*\*/|\*\*|\*|\?)", pattern)
    text = "".join(parts.get(part) or re.escape(part) for part in written)
    return re.compile(rf"{text}(?:/.*)?$" if pattern else "")


def _patterns(
    paths: dict[str, Any], anchor: str, leaf: str
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    read = [
        (
            pattern,
            tuple(_placed(anchor, target, leaf) for target in targets if isinstance(target, str)),
        )
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


def by_name(packages: Mapping[str, Package]) -> dict[str, Package]:
    """Return packages by their names; of two of one name the first in the tree."""
    named: dict[str, Package] = {}
    for _, package in sorted(packages.items(), reverse=True):
        if isinstance(name := package.settings.get("name"), str):
            named[name] = package
    return named


def split_package(named: Mapping[str, Package], module: str) -> tuple[Package | None, str]:
    """Return the package of the tree that a module name begins with, and the rest of the name."""
    parts = module.split("/")
    size = 2 if module.startswith("@") else 1
    return named.get("/".join(parts[:size])), "/".join(parts[size:])


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
# How names begin that no registry has: of the tree, or of an alias that its builder knows.
_INSIDE = ("./", "../", "@/", "~/", "#")
_FOREIGN_ENDING = re.compile(
    r"\.(?:css|s[ac]ss|less|styl|svg|png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|mp[34]|webm|wav|pdf"
    r"|json[5c]?|ya?ml|toml|md|mdx|txt|html?|node|wasm|graphql|gql|glsl|frag|vert|csv|xml)(?:\?.*)?"
)

_T = TypeVar("_T")


class Resolver(ModuleResolver):
    """Looks module names up; every file is its own namespace."""

    def __init__(self, files: Sequence[ListedFile], texts: Mapping[str, str]) -> None:
        """Take the tree's files and the texts of its configurations and packages."""
        super().__init__(files, texts)
        self._projects = ProjectReader(texts).projects()
        self._packages = read_packages(texts)
        self._named = by_name(self._packages)

    @staticmethod
    def named_settings(texts: Mapping[str, str]) -> frozenset[str]:
        """Return the paths of what configurations extend or reference."""
        return frozenset(ProjectReader(texts).named())

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

    def is_inside(self, path: str, module: str, level: int) -> bool:
        """Whether a name is relative, an alias, or begins with a package of the tree: of code, and
        not of a style sheet or a picture."""
        if _FOREIGN_ENDING.fullmatch(posixpath.splitext(module)[1]):
            return False
        if module.startswith(_INSIDE) or module in (".", ".."):
            return True
        is_alias = any(aliases.is_pattern_of(module) for aliases in self._aliases(path))
        return is_alias or split_package(self._named, module)[0] is not None

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
        for aliases in self._aliases(importer):
            yield from aliases.candidates(module)
        package, below = split_package(self._named, module)
        if package is not None:
            yield from package.entries(below)

    @lru_cache(maxsize=20_000)  # noqa: B019 - lives as long as one run
    def _aliases(self, path: str) -> tuple[Aliases, ...]:
        """Return the aliases in force in a file, those that decide first."""
        projects = _nearest(self._projects, path.rpartition("/")[0]) or ()
        own = [project.aliases for project in projects if project.includes(path)]
        return tuple(dict.fromkeys(own or [project.aliases for project in projects]))

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

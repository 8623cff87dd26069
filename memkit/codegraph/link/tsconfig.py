"""Path aliases of tsconfig.json and jsconfig.json: the nearest one above a file decides.

`extends` is followed inside the tree; `paths` are relative to `baseUrl`, or without one to the
folder of the file that declares them (TypeScript's rules).
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import Any

import attrs

from .jsonc import read_object

NAMES = ("tsconfig.json", "jsconfig.json")

# Chains of `extends` longer than this are circles.
_LONGEST_CHAIN = 8


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
    found: dict[str, Aliases] = {}
    for name in reversed(NAMES):  # the later one is kept
        for path in texts:
            folder, _, last = path.rpartition("/")
            if last == name:
                found[folder] = _aliases(path, texts)
    return found


def _aliases(path: str, texts: Mapping[str, str]) -> Aliases:
    base: str | None = None
    paths: dict[str, Any] | None = None
    declared_in = ""
    waiting, seen = [path], 0
    while waiting and seen < _LONGEST_CHAIN:
        current = waiting.pop(0)
        seen += 1
        settings = read_object(texts.get(current, ""))
        folder = posixpath.dirname(current)
        options = settings.get("compilerOptions")
        options = options if isinstance(options, dict) else {}
        if base is None and isinstance(options.get("baseUrl"), str):
            base = join(folder, options["baseUrl"])
        if paths is None and isinstance(options.get("paths"), dict):
            paths, declared_in = options["paths"], folder
        waiting += _parents(settings.get("extends"), folder, texts)
    anchor = declared_in if base is None else base
    return Aliases(base, _patterns(paths or {}, anchor))


def _parents(extends: object, folder: str, texts: Mapping[str, str]) -> list[str]:
    """Return the files that a configuration builds on, the one that decides first."""
    names = extends if isinstance(extends, list) else [extends]
    found = []
    for name in reversed([name for name in names if isinstance(name, str)]):
        there = join(folder, name)
        found += [path for path in (there, f"{there}.json") if path in texts][:1]
    return found


def _patterns(paths: dict[str, Any], anchor: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    read = [
        (pattern, tuple(join(anchor, target) for target in targets if isinstance(target, str)))
        for pattern, targets in paths.items()
        if isinstance(targets, list)
    ]
    return tuple(sorted(read, key=lambda pair: (-len(pair[0].partition("*")[0]), pair[0])))

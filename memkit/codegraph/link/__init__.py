"""Which files a module name means: one module a family of languages, from paths and settings alone.

A *namespace* is what an import can name: a text key. In most languages every file is its own (the
key is its path); Go's packages, Java's and C#'s namespaces, Ruby's and C's trees hold many files.
A family's module has

    Linker(files, texts)             files: (path, language, namespace) of every parsed file of the
                                     tree, in order; texts: settings' texts by path (CONFIG_FILES)
    .own(path) -> str                key of the namespace that a file belongs to
    .members(key) -> tuple of paths  files of a namespace, in order
    .find(path, module, level) -> tuple of keys
                                     namespaces that a module name means in a file, best first; all
                                     of those given are searched. Empty: outside of the tree.
    .inside(key, name) -> tuple of keys
                                     namespaces below one, by the name of a member (Python packages)
    .asked(path, module, level) -> tuple of texts
                                     what the answer of `find` depends on: `m:` keys, each of which
                                     is contributed by the files that could answer, were they there

and the function

    contributes(path, language, namespace) -> tuple of texts
                                     the `m:` keys that change when this file appears or disappears

Nothing is read from disk, and nothing is executed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from .spelling import Spelt, spelt

# Settings whose texts are handed to the linkers, by whole file name.
CONFIG_FILES = (
    "go.mod", "Cargo.toml", "package.json", "tsconfig.json", "tsconfig.base.json", "jsconfig.json",
)  # fmt: skip

# Languages by the module that looks their imports up.
FAMILIES = {
    "python": "python",
    "javascript": "javascript", "typescript": "javascript",
    "vue": "javascript", "svelte": "javascript",
    "java": "java", "csharp": "java",
    "go": "go",
    "rust": "rust",
    "c": "c", "cpp": "c",
    "ruby": "ruby",
}  # fmt: skip

# Languages of scripts that import each other's modules.
SCRIPTS = frozenset(name for name, family in FAMILIES.items() if family == "javascript")

Listed = tuple[str, str, str]


class Linker(Protocol):
    """Looks module names up in one tree."""

    def own(self, path: str) -> str:
        """Return the key of a file's namespace."""

    def members(self, key: str) -> tuple[str, ...]:
        """Return the paths of the files of a namespace, in order."""

    def find(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the namespaces that a module name means in a file, best first."""

    def inside(self, key: str, name: str) -> tuple[str, ...]:
        """Return the namespaces that a member's name means below a namespace."""

    def asked(self, path: str, module: str, level: int) -> tuple[str, ...]:
        """Return the keys on whose files the answer of `find` depends."""


class Links:
    """The linkers of a tree, each made when a file of its family first asks."""

    def __init__(self, files: Sequence[Listed], texts: Mapping[str, str] | None = None) -> None:
        """Take (path, language, namespace) of every parsed file, and settings' texts by path."""
        self._files = files
        self._texts = texts or {}
        self._languages = {path: language for path, language, _ in files}
        self._linkers: dict[str, Linker] = {}

    def of(self, path: str) -> Linker:
        """Return the linker for a file's imports."""
        return self.linker(family_of(self._languages.get(path, "")))

    def linker(self, family: str) -> Linker:
        """Return the linker of a family."""
        if family not in self._linkers:
            listed = [one for one in self._files if family_of(one[1]) == family]
            module = import_module(f".{family}", __package__)
            self._linkers[family] = Spelt(module.Linker, listed, self._texts, family)
        return self._linkers[family]


def family_of(language: str) -> str:
    """Return the family of a language: the module of this package that looks its imports up."""
    return FAMILIES.get(language, "alone")


def contributes(path: str, language: str, namespace: str) -> tuple[str, ...]:
    """Return the `m:` keys that change when a file appears or disappears."""
    family = family_of(language)
    module = import_module(f".{family}", __package__)
    keys: tuple[str, ...] = module.contributes(spelt(path, family), language, namespace)
    return keys

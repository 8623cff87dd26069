"""package.json: what a package's own name, `exports`, `imports` and `main` mean inside the tree.

What is published often lies in a folder that a build makes (`dist/index.js`); the source it is made
from is looked for at the same place under `src`, and beside the package.json.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from .jsonc import read_object
from .tsconfig import join

NAME = "package.json"

# Conditions of `exports`, those that name sources first.
_CONDITIONS = ("source", "development", "types", "import", "module", "require", "node", "default")
_BUILT = re.compile(r"^(?:dist|lib|build|out|es|esm|cjs|types)(?:/(?:esm|cjs|es|src|types))?/")
_DECLARED = re.compile(r"\.d\.[cm]?ts$")
_MOST_NESTED = 8


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
        inside = target.removeprefix("./")
        yield join(self.folder, inside)
        rest, built = _BUILT.subn("", inside)
        if built:
            bare = _DECLARED.sub("", rest)
            yield join(self.folder, f"src/{bare}")
            yield join(self.folder, bare)


def read_packages(texts: Mapping[str, str]) -> dict[str, Package]:
    """Return the packages of a tree by folder."""
    found = {}
    for path, text in texts.items():
        folder, _, last = path.rpartition("/")
        if last == NAME and (settings := read_object(text)):
            found[folder] = Package(folder, settings)
    return found


def _targets(exports: object, wanted: str) -> Iterator[str]:
    """Yield the targets that `exports` or `imports` give a name, those of sources first."""
    if not isinstance(exports, dict) or not any(key[:1] in ".#" for key in exports):
        if wanted == ".":
            yield from _leaves(exports)
        return
    if wanted in exports:
        yield from _leaves(exports[wanted])
        return
    for key in sorted(exports, key=len, reverse=True):
        head, star, tail = key.partition("*")
        if star and wanted.startswith(head) and wanted.endswith(tail):
            middle = wanted[len(head) : len(wanted) - len(tail)]
            for target in _leaves(exports[key]):
                yield target.replace("*", middle)
            return


def _leaves(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < _MOST_NESTED:
        for item in value:
            yield from _leaves(item, depth + 1)
    elif isinstance(value, dict) and depth < _MOST_NESTED:
        known = [key for key in _CONDITIONS if key in value]
        for key in known + sorted(value.keys() - set(_CONDITIONS)):
            yield from _leaves(value[key], depth + 1)

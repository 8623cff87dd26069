"""Imports of a file's text: where the imported files lie, read off the text alone."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice

from ...text.patterns import lazy_pattern

# A name seldom says how its file ends, so each gives the forms that it may mean.

MAX_IMPORTS = 60

_QUOTED = lazy_pattern(
    r"""(?:from|import|(?:require|import)\()\s*['"]((?:\.{1,2}|[@~])/[^'"\n]{1,200})['"]"""
)
# A file may be shown with line numbers.
_NUMBER = r"^[ \t]*(?:\d+[\t:|] ?)?[ \t]*"
_FROM = lazy_pattern(_NUMBER + r"from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)", re.M)
_IMPORT = lazy_pattern(_NUMBER + r"import[ \t]+()([\w.]+)()", re.M)
_NAME = lazy_pattern(r"\w+")
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".css", ".json", ".svelte", ".vue")


def imported_in(text: str, path: str) -> list[tuple[str, ...]]:
    """Return where each file may lie that the text of a file imports, in order, the likeliest place
    first and the index of a folder of that name last."""
    forms_of = _modules if path.endswith((".py", ".pyi")) else _scripts
    imported = islice(forms_of(text, path), MAX_IMPORTS)
    return [tuple(forms) for forms in imported if path not in forms]


# -- inside


def _scripts(text: str, path: str) -> Iterator[list[str]]:
    """Yield the forms of what a script imports by a relative name, or by "@/" or "~/": these count
    from the folder of the sources by custom."""
    ending = posixpath.splitext(path)[1]
    before, separator, _ = f"/{path}".rpartition("/src/")
    for name in _QUOTED.findall(text):
        place = (
            _relative_to(name, path)
            if name[0] == "."
            else f"{before}{separator or '/'}{name[2:]}"[1:]
        )
        if posixpath.splitext(place)[1] in _SCRIPTS:
            yield [place]
        elif ending == ".tsx" and posixpath.basename(place)[:1].islower():
            # By custom, components begin with a capital, and what is no component needs no .tsx.
            yield [f"{place}.ts", f"{place}.tsx", f"{place}/index.ts"]
        elif ending in (".ts", ".tsx"):
            other = ".ts" if ending == ".tsx" else ".tsx"
            yield [place + ending, place + other, f"{place}/index.ts"]
        else:
            yield [place + ending, f"{place}/index{ending}"]


def _modules(text: str, path: str) -> Iterator[list[str]]:
    """Yield the forms of what a Python module imports by a relative name, or from a package that it
    lies in itself."""
    for dots, module, names in (*_FROM.findall(text), *_IMPORT.findall(text)):
        for name in [module] if module else _NAME.findall(names):
            parts = name.replace(".", "/")
            before, separator, _ = f"/{path}".rpartition(f"/{parts.partition('/')[0]}/")
            if dots:
                place = _relative_to("../" * (len(dots) - 1) + parts, path)
            elif separator:
                place = f"{before}/{parts}"[1:]
            else:
                continue
            yield [f"{place}.py", f"{place}/__init__.py"]


def _relative_to(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))

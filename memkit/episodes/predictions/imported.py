"""Where the files lie that the text of a file imports: read off the text, with no tree at hand.

A name seldom says how its file ends, so each gives the forms that it may mean; where one of them is
known, the others are left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

MOST_IMPORTS = 60
Known = Mapping[str, Sequence[str]]

_QUOTED = re.compile(
    r"""(?:from|import|(?:require|import)\()\s*['"]((?:\.{1,2}|[@~])/[^'"\n]{1,200})['"]"""
)
# A file may be shown with line numbers.
_NUMBER = r"^[ \t]*(?:\d+[\t:|] ?)?[ \t]*"
_FROM = re.compile(_NUMBER + r"from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)", re.M)
_IMPORT = re.compile(_NUMBER + r"import[ \t]+()([\w.]+)()", re.M)
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".css", ".json", ".svelte", ".vue")


def imported_in(text: str, path: str, known: Known | None = None) -> list[str]:
    """Return where the files lie that the text of a file imports, in order; `known` gives the paths
    there are by their last part."""
    forms_of = _modules if path.endswith((".py", ".pyi")) else _scripts
    folders = cache(lambda: _folders(known or {}))  # asked for only if something is not known
    found: dict[str, None] = {}
    for forms in islice(forms_of(text, path), MOST_IMPORTS):
        # What was known of a folder is certain, a name beside it may have been guessed before.
        certain = [form for form in reversed(forms) if known and form in known.get(_last(form), ())]
        if certain:
            found[certain[0]] = None
        else:
            found[forms[-1] if posixpath.dirname(forms[-1]) in folders() else forms[0]] = None
    found.pop(path, None)
    return list(found)


# -- inside


def _folders(known: Known) -> frozenset[str]:
    return frozenset(posixpath.dirname(path) for paths in known.values() for path in paths)


def _scripts(text: str, path: str) -> Iterator[list[str]]:
    """Yield the forms of what a script imports by a relative name, or by "@/" or "~/": these count
    from the folder of the sources by custom."""
    ending = posixpath.splitext(path)[1]
    before, found, _ = f"/{path}".rpartition("/src/")
    for name in _QUOTED.findall(text):
        place = _beside(name, path) if name[0] == "." else f"{before}{found or '/'}{name[2:]}"[1:]
        if posixpath.splitext(place)[1] in _SCRIPTS:
            yield [place]
        elif ending == ".tsx" and _last(place)[:1].islower():
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
        for name in [module] if module else re.findall(r"\w+", names):
            parts = name.replace(".", "/")
            before, found, _ = f"/{path}".rpartition(f"/{parts.partition('/')[0]}/")
            if dots:
                place = _beside("../" * (len(dots) - 1) + parts, path)
            elif found:
                place = f"{before}/{parts}"[1:]
            else:
                continue
            yield [f"{place}.py", f"{place}/__init__.py"]


def _beside(name: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name))


def _last(path: str) -> str:
    return path.rpartition("/")[2]

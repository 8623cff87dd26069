"""Paths that the output of a call names: what a search found or a listing showed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from ...text.analyzer import nfc
from ...text.patterns import lazy_pattern
from ..records import FileOperation
from .event import FileAccess
from .tool_calls import files_of, shell_command

# Of one output so many paths are noted; nobody opens the hundredth hit of a search.
MAX_PATHS = 120
# Characters of an output that are looked through.
_MAX_CHARS = 40_000
# It begins where a word does: to begin anywhere takes the square of the time of a long one.
TOKEN = lazy_pattern(r"(?<![\w.@+~/\-\[\]()])[\w.@+~/\-\[\]()]*[\w\])]\.[A-Za-z][A-Za-z0-9]{0,9}\b")
# A name with a dot is a path if it ends like one; `self.value` and `example.com` do not.
_ENDINGS = frozenset(
    "adoc bash bat c cc cfg cjs clj cmake conf cpp cs css csv cue dart ex exs fs gd go gradle "
    "graphql h hpp hs htm html ini ipynb java jl js json jsonc jsx kt kts less lock lua m md mdx "
    "mjs ml mod nim nix php pl prisma proto ps1 py pyi pyx r rb rs rst sass scala scss sh sql "
    "svelte svg swift tex tf toml ts tsx txt vb vue xml yaml yml zig".split()
)

# The paths there are, by their last part.
Known = Mapping[str, Sequence[str]]
# A path as a call wrote it in its stored form, or None if it lies outside the repository.
Place = Callable[[str], str | None]


class NamedPath(NamedTuple):
    """One path that an output names.

    Attributes:
        forms: where it may lie, the likeliest place first. written: as the output names it, if it
            may be the end of a longer path.
    """

    forms: tuple[str, ...]
    written: str = ""


def named_by_call(
    tool: str, parameters: Mapping[str, Any], output: str, *, place: Place
) -> list[NamedPath]:
    """Return the paths that the output of a call names, in order; of a file that was read, those
    that it imports too."""
    folder = folder_of_call(tool, parameters)
    files = [f for f in files_of(tool, parameters, folder or None) if f.operation in _OPENING]
    named = [
        *_listed_or_found(tool, parameters, output, folder, files),
        *(
            NamedPath(forms)
            for file in files
            if file.operation is FileOperation.READ
            for forms in imported_in(output[:_MAX_CHARS], file.path)
        ),
    ]
    stored = (path._replace(forms=tuple(filter(None, map(place, path.forms)))) for path in named)
    return [path for path in dict.fromkeys(stored) if path.forms]


def is_path(name: str) -> bool:
    """Whether a name ends as files do."""
    return name.rpartition(".")[2].lower() in _ENDINGS


def named_in(text: str) -> list[str]:
    """Return the paths that a text names, each once, in order, as they are written."""
    names: dict[str, None] = {}
    # With accents apart no word reaches beyond its first one.
    for token in TOKEN.findall(nfc(text[:_MAX_CHARS])):
        name = token.strip("()[]~").removeprefix("./")
        if is_path(name) and not name.startswith("//"):
            names[name] = None
            if len(names) == MAX_PATHS:
                break
    return list(names)


def placed(named: Iterable[NamedPath], known: Known) -> list[str]:
    """Return where the named paths lie, each once: where a known path does, if one is meant."""
    # Asked for only if something is not known.
    folders = cache(lambda: {posixpath.dirname(p) for paths in known.values() for p in paths})
    places = (_placed(path, known, folders) for path in named)
    return list(dict.fromkeys(places))[:MAX_PATHS]


def folder_of_call(tool: str, parameters: Mapping[str, Any]) -> str:
    """Return the folder from which the paths in a call's output count: what it lists or searches,
    else where it runs."""
    folder = next((parameters[k] for k in _FOLDERS if isinstance(parameters.get(k), str)), "")
    looked = [f for f in files_of(tool, parameters, folder) if f.operation is FileOperation.SEARCH]
    command = shell_command(tool, parameters)
    if looked and not is_path(looked[0].path) and _LISTING.search(command or "ls"):
        return looked[0].path
    moved = _MOVED.match(command or "")
    return posixpath.normpath(posixpath.join(folder, moved[1])) if moved else folder


# -- inside

_OPENING = (FileOperation.READ, FileOperation.WRITE, FileOperation.EDIT)
_LISTING = lazy_pattern(r"(?:^|[;&]\s*)(?:ls|tree|dir)\b")
_LISTING_TOOLS = frozenset({"ls", "list_directory"})
_HEADING = lazy_pattern(r"^(\S[^:\r\n]*):\r?$", re.M)
_MOVED = lazy_pattern(r"\s*cd\s+['\"]?([^\s'\";&|$`]+)['\"]?\s*(?:&&|;)")
_FOLDERS = ("workdir", "cwd", "working_dir", "dir_path")


def _listed_or_found(
    tool: str,
    parameters: Mapping[str, Any],
    output: str,
    folder: str,
    files: Sequence[FileAccess],
) -> Iterator[NamedPath]:
    if _is_listing(tool, parameters):
        # What a folder holds lies in it, whatever else is called so.
        for where, part in _folders_of(output, folder):
            yield from (NamedPath((_joined(where, name),)) for name in named_in(part))
        return
    # What a file names without a folder lies beside it.
    sibling_folder = posixpath.dirname(files[0].path) if len(files) == 1 else ""
    for name in named_in(output):
        where = folder if "/" in name or not sibling_folder else sibling_folder
        yield NamedPath((_joined(where, name),), name)


def _is_listing(tool: str, parameters: Mapping[str, Any]) -> bool:
    command = shell_command(tool, parameters)
    return tool.lower() in _LISTING_TOOLS if command is None else bool(_LISTING.search(command))


def _folders_of(text: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield each folder of a listing (`ls -R` names each before its files) with its part of it."""
    first, *rest = _HEADING.split(text)
    yield folder, first
    yield from zip(rest[::2], rest[1::2], strict=True)


def _joined(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))


def _placed(path: NamedPath, known: Known, folders: Callable[[], set[str]]) -> str:
    first, last = path.forms[0], path.forms[-1]
    for form in reversed(path.forms):
        if form in known.get(posixpath.basename(form), ()):
            return form
    if path.written:
        same = known.get(posixpath.basename(path.written), ())
        fitting = [p for p in same if p == path.written or p.endswith("/" + path.written)]
        return fitting[-1] if len(fitting) == 1 else first
    return last if len(path.forms) > 1 and posixpath.dirname(last) in folders() else first


# --- Imports of a file's text: where the imported files lie, read off the text alone. A name seldom
# says how its file ends, so each gives the forms that it may mean.

MAX_IMPORTS = 60

_QUOTED = lazy_pattern(
    r"""(?:from|import|(?:require|import)\()\s*['"]((?:\.{1,2}|[@~])/[^'"\n]{1,200})['"]"""
)
# A file may be shown with line numbers.
_LINE_NUMBER = r"^[ \t]*(?:\d+[\t:|] ?)?[ \t]*"
_FROM = lazy_pattern(
    _LINE_NUMBER + r"from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\(?([\w, \t]*)", re.M
)
_IMPORT = lazy_pattern(_LINE_NUMBER + r"import[ \t]+()([\w.]+)()", re.M)
_NAME = lazy_pattern(r"\w+")
_SCRIPTS = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".css", ".json", ".svelte", ".vue")


def imported_in(text: str, path: str) -> list[tuple[str, ...]]:
    """Return where each file may lie that the text of a file imports, in order, the likeliest place
    first and the index of a folder of that name last."""
    forms_of = _modules if path.endswith((".py", ".pyi")) else _scripts
    imported = islice(forms_of(text, path), MAX_IMPORTS)
    return [tuple(forms) for forms in imported if path not in forms]


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
    return _joined(posixpath.dirname(path), name)

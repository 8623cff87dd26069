"""Where the parameters of a call name files: one path, a list of them, or one in each of several
edits. Names of parameters are compared without case and without what joins their words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from . import loose

Parameters = Mapping[str, Any]

# Parameters that hold the path of a file whatever the tool, those that do if the tool works on
# files, and lists of either.
_CERTAIN = (
    "filepath absolutepath filename notebookpath relativepath targetfile targetnotebook"
    " pathinproject fileuri file".split()
)
_LIKELY = "path dirpath uri".split()
_LISTS = frozenset("files paths filepaths filenames".split())
_CERTAIN_LISTS = _LISTS - {"paths"}
_SOURCES = "source sourcepath oldpath frompath from src".split()
_TARGETS = "destination destinationpath newpath topath to dest".split()
# Parameters of what lies elsewhere: a path among them is one of a repository or a store there.
_ELSEWHERE = frozenset("owner repo repository bucket url projectid".split())
_SCHEME = re.compile(r"[A-Za-z][\w+.-]+://")
_DRIVE = re.compile(r"/[A-Za-z]:")


def named(parameters: Parameters) -> dict[str, Any]:
    """Return parameters by their names in small letters without anything between the words."""
    return {"".join(filter(str.isalnum, str(k))).lower(): v for k, v in parameters.items()}


def path_of(parameters: Parameters, *, certain: bool = False) -> str | None:
    """Return the path among the parameters of a call, or None; with `certain` only one that is a
    file's whatever the tool."""
    given = named(parameters)
    names = _CERTAIN if certain else _ORDER
    return next((path for name in names if (path := _path(given.get(name)))), None)


def names_file(parameters: Parameters) -> bool:
    """Whether a call is given the path of a file: a command or code beside it is no program."""
    given = named(parameters)
    return any(_path(given.get(name)) for name in (*_CERTAIN, "path"))


def files_in(parameters: Parameters, *, certain: bool = False) -> Iterator[tuple[str, Parameters]]:
    """Yield each path that a call names, with the parameters that belong to it."""
    own = path_of(parameters, certain=certain)
    if own is not None:
        yield own, parameters
        return
    for name, value in named(parameters).items():
        if not isinstance(value, list):
            continue
        is_of_paths = name in (_CERTAIN_LISTS if certain else _LISTS)
        for part in value:
            if isinstance(part, Mapping):
                path = path_of(part, certain=certain and not is_of_paths)
            else:
                path = _path(part) if is_of_paths else None
            if path is not None:
                yield path, part if isinstance(part, Mapping) else {}


def moved(parameters: Parameters) -> tuple[str, str] | None:
    """Return from where to where a call moves a file, or None."""
    given = named(parameters)
    old, new = (
        next((path for name in names if (path := _path(given.get(name)))), None)
        for names in (_SOURCES, _TARGETS)
    )
    return (old, new) if old and new else None


def is_elsewhere(parameters: Parameters) -> bool:
    """Whether the parameters say that what they name lies on another machine."""
    return not _ELSEWHERE.isdisjoint(named(parameters))


# -- inside

# Where a call names two, the first of these is the file.
_ORDER = [*_CERTAIN[:2], "path", *_CERTAIN[2:], *_LIKELY[1:]]


def _path(value: object) -> str | None:
    """Return a path as it is written, that of a `file:` address without it; None for another
    address and for what is no text."""
    text = loose.text(value)
    if text is None or "\n" in text:
        return None
    if not _SCHEME.match(text):
        return text
    if not text.lower().startswith("file://"):
        return None
    path = unquote(text[len("file://") :])
    return path[1:] if _DRIVE.match(path) else path or None

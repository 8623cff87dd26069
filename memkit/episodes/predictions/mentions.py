"""Paths that an output names: what a search found or a listing showed is often opened next."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..kinds import Operation
from ..places import one_spelling
from ..transcripts.tools import command_of, files_of
from .imported import imported_in

# Of one output so many paths are noted; nobody opens the hundredth hit of a search.
MOST_PATHS = 120
_MOST_CHARS = 100_000
# It begins where a word does: to begin anywhere takes the square of the time of a long one.
_TOKEN = re.compile(r"(?<![\w.@+~/\-\[\]()])[\w.@+~/\-\[\]()]*[\w\])]\.[A-Za-z][A-Za-z0-9]{0,9}\b")
# A name with a dot is a path if it ends like one; `self.value` and `example.com` do not.
_ENDINGS = frozenset(
    "adoc bash bat c cc cfg cjs clj cmake conf cpp cs css csv cue dart ex exs fs gd go gradle "
    "graphql h hpp hs htm html ini ipynb java jl js json jsonc jsx kt kts less lock lua m md mdx "
    "mjs ml mod nim nix php pl prisma proto ps1 py pyi pyx r rb rs rst sass scala scss sh sql "
    "svelte svg swift tex tf toml ts tsx txt vb vue xml yaml yml zig".split()
)


def named_by_call(
    tool: str,
    parameters: Mapping[str, Any],
    output: str,
    *,
    place: Callable[[str], str],
    known: Callable[[], Mapping[str, Sequence[str]]],
) -> list[str]:
    """Return the paths that the output of a call names, in order; of a file that was read, those
    that it imports too.

    `place` turns a path as the call wrote it into the stored form; `known` gives the paths there
    are by their last part, and is asked only if there is something to place.
    """
    folder = folder_of_call(tool, parameters)
    files = [f for f in files_of(tool, parameters, folder or None) if f.operation in _OPENING]
    names = named_in(output)
    if not names and not files:
        return []
    there = known()
    found: list[str] = []
    if _is_listing(tool, parameters):
        # What a folder holds lies in it, whatever else is called so.
        for where, part in _folders_of(output, folder):
            found += placed(named_in(part), place(where or "."), {})
    else:
        beside = posixpath.dirname(place(files[0].path)) if len(files) == 1 else ""
        found += placed(names, place(folder or "."), there, beside=beside)
    for file in files:
        if file.operation is Operation.READ:
            found += imported_in(output, place(file.path), there)
    return list(dict.fromkeys(map(place, found)))[:MOST_PATHS]


def is_path(name: str) -> bool:
    """Whether a name ends as files do."""
    return name.rpartition(".")[2].lower() in _ENDINGS


def named_in(text: str) -> list[str]:
    """Return the paths that a text names, each once, in order, as they are written."""
    found: dict[str, None] = {}
    # With accents apart no word reaches beyond its first one.
    for token in _TOKEN.findall(one_spelling(text[:_MOST_CHARS])):
        name = token.strip("()[]~").removeprefix("./")
        if is_path(name) and not name.startswith("//"):
            found[name] = None
            if len(found) == MOST_PATHS:
                break
    return list(found)


def placed(
    names: Iterable[str], folder: str, known: Mapping[str, Sequence[str]], *, beside: str = ""
) -> list[str]:
    """Return where the named files lie: a known path that ends so, else below `folder`, or, if they
    are named without one, in the folder `beside`.

    `known` gives for the last part of a path the paths that end with it.
    """
    return list(
        dict.fromkeys(
            _placed(name, folder if "/" in name or not beside else beside, known) for name in names
        )
    )


def folder_of_call(tool: str, parameters: Mapping[str, Any]) -> str:
    """Return the folder from which the paths in a call's output count: what it lists or searches,
    else where it runs."""
    given = next((parameters[k] for k in _FOLDERS if isinstance(parameters.get(k), str)), "")
    looked = [f for f in files_of(tool, parameters, given) if f.operation is Operation.SEARCH]
    command = command_of(tool, parameters)
    if looked and not is_path(looked[0].path) and _LISTING.search(command or "ls"):
        return looked[0].path
    moved = _MOVED.match(command or "")
    return posixpath.normpath(posixpath.join(given, moved[1])) if moved else given


_OPENING = (Operation.READ, Operation.WRITE, Operation.EDIT)
_LISTING = re.compile(r"(?:^|[;&]\s*)(?:ls|tree|dir)\b")
_LISTING_TOOLS = frozenset({"ls", "list_directory"})
_HEADING = re.compile(r"^(\S[^:\r\n]*):\r?$", re.M)
_MOVED = re.compile(r"\s*cd\s+['\"]?([^\s'\";&|$`]+)['\"]?\s*(?:&&|;)")
_FOLDERS = ("workdir", "cwd", "working_dir", "dir_path")


def _is_listing(tool: str, parameters: Mapping[str, Any]) -> bool:
    command = command_of(tool, parameters)
    return tool.lower() in _LISTING_TOOLS if command is None else bool(_LISTING.search(command))


def _folders_of(text: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield each folder of a listing (`ls -R` names each before its files) with its part of it."""
    first, *rest = _HEADING.split(text)
    yield folder, first
    yield from zip(rest[::2], rest[1::2], strict=True)


def _placed(name: str, folder: str, known: Mapping[str, Sequence[str]]) -> str:
    below = posixpath.normpath(posixpath.join(folder, name))
    same = known.get(posixpath.basename(name), ())
    if below in same:
        return below
    fitting = [path for path in same if path == name or path.endswith("/" + name)]
    return fitting[-1] if len(fitting) == 1 else below
